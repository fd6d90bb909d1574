/* The events of a trace in the order of time, forwards, as the base or the extended model has them (Hermanns 2004, 4.4,
 * 5.3): for users of the library who look at single events. Beside entering and leaving calls and user regions there
 * are the ends of transfers, on the time line of the rank where they happen, with links back:
 *
 *   put, accumulate   start on the origin's line, end on the target's
 *   get and the like  origin (where it is asked for) on the origin's line, start on the target's, end on the origin's
 *
 * Base model: a transfer ends just before its operation returns; extended: just before the call returns that completes
 * it (model/transfers/bounds.h). Equal times: a line's own order, a start before its end, else the lower rank, then thread. Each
 * thread of a rank has a time line of its own; what a transfer does on another rank stands on the line of the thread
 * whose call ends with it, else on thread 0's.
 *
 *   struct walk *walk;
 *   struct walk_event event;
 *   TRY(walk_open(&relations, WALK_EXTENDED, &walk, err));
 *   while (walk_next(walk, &event)) ...
 *   walk_close(walk);
 *
 * Memory: an event takes 24 bytes beside the relations. */
#ifndef MODEL_WALK_H
#define MODEL_WALK_H

#include "model/transfers/bounds.h"
#include "model/match/relations.h"

enum walk_model { WALK_BASE, WALK_EXTENDED };
enum walk_kind { WALK_ENTER, WALK_ORIGIN, WALK_START, WALK_END, WALK_EXIT };

#define WALK_NONE SIZE_MAX

struct walk_event {
    enum walk_kind kind;
    size_t number; /* of the event, from 0 */
    uint32_t rank, thread; /* on whose time line */
    int64_t time_ps;
    size_t call;     /* enter, exit: of the rank; else WALK_NONE */
    size_t transfer; /* index in walk_transfers(); enter, exit: WALK_NONE */
    /* Numbers of earlier events, WALK_NONE: there is none. */
    size_t enterptr;  /* exit: the enter that it ends; else the innermost enter that is open on this line */
    size_t startptr;  /* end: the transfer's start */
    size_t originptr; /* start of a get: where it was asked for */
};

struct walk;

/* Borrows relations until walk_close. The caller closes *walk. */
enum status walk_open(const struct relations *relations, enum walk_model model, struct walk **walk, struct err *err);
void walk_close(struct walk *walk); /* NULL is legal */

/* False behind the last event. */
bool walk_next(struct walk *walk, struct walk_event *event);

/* The transfers with their bounds, by origin, then call order. */
const struct transfers *walk_transfers(const struct walk *walk);

/* The state behind the event that walk_next gave last: calls and user regions that the rank's thread 0, or another
 * thread, is inside, the outermost at depth 0, as numbers of their enter events; transfers that have started and not
 * ended. */
size_t walk_depth(const struct walk *walk, uint32_t rank);
size_t walk_inside(const struct walk *walk, uint32_t rank, size_t depth);
size_t walk_thread_depth(const struct walk *walk, uint32_t rank, uint32_t thread);
size_t walk_thread_inside(const struct walk *walk, uint32_t rank, uint32_t thread, size_t depth);
size_t walk_under_way(const struct walk *walk);

#endif
