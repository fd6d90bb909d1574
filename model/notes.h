/* What a reader of a result should know of the trace: where its recording breaks off, what has no partner, errors of
 * the program. */
#ifndef MODEL_NOTES_H
#define MODEL_NOTES_H

#include "model/relations.h"
#include "model/result.h"

enum { NOTES_PER_SORT = 5 }; /* of more of a sort the number is told */

struct early_ready_send {
    uint32_t receiver;
    uint64_t event; /* of the receive: the notes stand in this order */
    char *text;
};

/* What can be told of a part of the trace. All-zero is empty. */
struct notes {
    struct early_ready_send items[NOTES_PER_SORT + 1];
    size_t kept, count;
};

void notes_clear(struct notes *notes);

/* The ready sends of a trace, or of a slice those that are counted now. */
enum status notes_add(struct notes *notes, const struct relations *relations, struct err *err);

/* All notes, once relations hold the end of the trace. */
enum status notes_report(const struct notes *notes, const struct relations *relations, struct result *result,
                         struct err *err);

#endif
