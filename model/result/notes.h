/* Collects notes for the reader of a result: where the recording breaks off, which calls have no partner, errors of the
 * program. */
#ifndef MODEL_RESULT_NOTES_H
#define MODEL_RESULT_NOTES_H

#include "model/match/relations.h"
#include "model/result/result.h"

enum { NOTES_PER_SORT = 5 }; /* so many notes of a sort are listed; of the rest only the number is reported */

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
    uint32_t rank; /* the order of notes: ready sends by their receives, fences by the members that differ */
    uint64_t event;
    char *text; /* owned */
};

struct note_list {
    struct note items[NOTES_PER_SORT + 1]; /* the first ones, and a place for one more */
    size_t kept;
    uint64_t count;
};

/* All-zero is empty. */
struct notes {
    struct note_list lists[NOTE_SORT_COUNT];
};

void notes_clear(struct notes *notes);

/* Adds the ready sends and fences of a trace, or those of a slice that this round counts. */
enum status notes_add(struct notes *notes, const struct relations *relations, struct err *err);
/* Adds the calls without end or partner; relations are those of the trace's end. */
enum status notes_end(struct notes *notes, const struct relations *relations, struct err *err);

/* Appends all notes to result, after those of the trace's reader. */
enum status notes_report(const struct notes *notes, const struct trace *trace, struct result *result, struct err *err);

#endif
