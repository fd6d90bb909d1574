/* Whether results of fetching operations may have decided which calls the recorded program made, as in a queue of tasks or a
 * compare-and-swap that is repeated until it succeeds. A replay makes the recorded calls, whatever the results would be
 * (docs/simulation.md, What a replay cannot do). It decides again only which rank makes which task of a queue. */
#ifndef PREDICTORS_STEERING_H
#define PREDICTORS_STEERING_H

#include "model/result/result.h"
#include "platforms/platform.h"
#include "trace/trace.h"

/* How often ranks call fetching operations, by call site. */
struct fetches {
    enum mpi_call call;
    uint64_t own, least, most; /* own: of the rank that is being counted; the others: of a rank that calls one there */
};
struct steering {
    struct fetches *sites; /* owned, by id; NULL: nothing has been counted */
    size_t site_count;
};

/* Counts the calls of a rank from index `first` on; last: it has no more. All calls of one rank, then those of the next. */
enum status steering_count(struct steering *steering, const struct trace *trace, uint32_t rank, size_t first, bool last,
                           struct err *err);
void steering_clear(struct steering *steering);

/* Adds notes, and sets the class of the uncertainty. Two notes are about queues of tasks (simulate/tasks/queues.h), unless
 * platform.decide is recorded: which tasks are decided again, and which are not, and why. One is of the call site at which the
 * numbers of fetching operations differ most between the ranks that call one there, if a queue that is decided again does not
 * explain it, and call sites are known. None for a simulated trace. The trace has all calls, or none that may be a claim of a
 * task. */
enum status steering_note(const struct trace *trace, const struct steering *steering, const struct platform *platform,
                          struct result *result, struct err *err);

#endif
