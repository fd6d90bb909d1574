/* Notes for the reader of a result: where the recording breaks off, which calls have no partner, errors of the program.
 */
#ifndef MODEL_RESULT_NOTES_H
#define MODEL_RESULT_NOTES_H

#include "model/match/relations.h"
#include "model/result/result.h"

enum { NOTES_PER_SORT = 5 }; /* of more of a sort only the number is reported */

enum note_sort { /* in the order in which they are reported */
                 NOTE_BROKEN_OFF,
                 NOTE_OPEN_ACCESS,
                 NOTE_OPEN_EXPOSURE,
                 NOTE_NO_POST,
                 NOTE_NO_START,
                 NOTE_UNFINISHED,
                 NOTE_FENCE,
                 NOTE_READY_SEND,
                 NOTE_UNRECEIVED, /* of these two only the first is reported */
                 NOTE_UNSENT,
                 NOTE_SORT_COUNT
};

struct note {
    uint32_t rank; /* ready sends stand in the order of their receives, fences of the members that differ: rank and event */
    uint64_t event;
    char *text; /* owned */
};

struct note_list {
    struct note items[NOTES_PER_SORT + 1]; /* the first ones; a place to put one more in */
    size_t kept;
    uint64_t count;
};

/* All-zero is empty. */
struct notes {
    struct note_list lists[NOTE_SORT_COUNT];
};

void notes_clear(struct notes *notes);

/* The ready sends and fences of a trace, or of a slice those that are counted now. */
enum status notes_add(struct notes *notes, const struct relations *relations, struct err *err);
/* What is without end or partner, once relations hold the end of the trace. */
enum status notes_end(struct notes *notes, const struct relations *relations, struct err *err);
/* Adds those of higher ranks; *from is empty then. */
void notes_merge(struct notes *into, struct notes *from);

/* All notes, behind those of the trace's reader. */
enum status notes_report(const struct notes *notes, const struct trace *trace, struct result *result, struct err *err);

#endif
