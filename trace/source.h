/* A source is a trace that is read in slices. It has the definitions and, for each rank, the calls that were read and
 * not removed yet. */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include "trace/trace.h"

struct trace_source {
    struct trace *trace; /* owned; read() appends calls, the user of the source removes them */
    void *state;

    size_t batch; /* calls of a rank that are worth one reading; 0: SOURCE_BATCH */
    bool keeps_before; /* set by the user: before_ps of calls are kept, as in a whole trace */
    bool adds_before; /* set by the user: new calls have their before_ps; they are freed after each reading */
    bool keeps_going; /* set by the user: a fault of the input ends its rank, not the reading (trace/faults.h) */
    bool checked; /* calls have passed trace_check(); otherwise the user calls trace_check_slice() */

    /* Appends `calls` further calls of a rank, or a few more. *ended: there are no more. The sender of a receive may be
     * known only at its completion; until then the receive has no communicator. */
    enum status (*read)(struct trace_source *source, uint32_t rank, size_t calls, bool *ended, struct err *err);

    /* Called after calls of a rank were removed: call i has moved to index moved[i], or SOURCE_GONE. NULL: the source
     * does not need it. */
    enum status (*moved)(struct trace_source *source, uint32_t rank, const size_t *moved, struct err *err);

    /* Called once, when all calls have been read: completes the trace's definitions and notes, as a reader of the whole trace
     * does. NULL: there is nothing to do. */
    enum status (*end)(struct trace_source *source, struct err *err);

    void (*close)(struct trace_source *source); /* frees state; who has taken the trace has set it to NULL */
};
#define SOURCE_GONE SIZE_MAX
enum { SOURCE_BATCH = 512 };

void source_close(struct trace_source *source);

/* For who takes up a rank's calls as they are read. Whether the sender of a receive is not known yet: the call changes. */
static inline bool source_knows_less(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_IRECV && call->handle == TRACE_NONE;
}
/* From which event of a rank on calls are left out, and why: of ranks that an earlier reading found at fault. */
struct source_cuts {
    struct source_cut {
        uint32_t rank;
        uint64_t event; /* from 0 */
        char *text;     /* owned */
    } *items;
    size_t count, capacity;
};
/* Adds the event that an error is about (trace_fail()). *added is false if it is about none, or about one that is left out. */
enum status source_cuts_add(struct source_cuts *cuts, const struct err *cause, bool *added, struct err *err);
void source_cuts_clear(struct source_cuts *cuts);
/* Makes *source end its ranks there, with a fault as trace_cut() adds it. The cuts are borrowed until it is closed. */
enum status source_cut_ranks(struct trace_source *source, const struct source_cuts *cuts, struct err *err);

/* Removes all calls of a rank but such receives, and all lists of requests. trace_kept has the receives' events. */
enum status source_drop_calls(struct trace_source *source, uint32_t rank, struct err *err);

#endif
