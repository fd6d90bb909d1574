/* Polls: calls that a program repeats until a window has changed. A fetching operation that writes nothing reads the flag itself.
 * Behind MPI_Win_sync a program may read its own part of the window by loads, which a trace does not show. */
#ifndef TRACE_POLLS_H
#define TRACE_POLLS_H

#include "trace/spins.h"
#include "trace/trace.h"

/* Fewer MPI_Win_sync in a row may have any reason. */
enum { POLLS_SYNCS_LEAST = 16 };

static inline bool polls_memory(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_SYNC;
}

static inline bool polls_window(const struct trace_call *call)
{
    bool reads = call_kind(call->call) == CALL_GET_ACCUMULATE && call->peer >= 0 && call->rma.request == TRACE_NO_REF;
    return polls_memory(call) || (reads && (call->call == ID_Compare_and_swap || call->rma.op == TRACE_OP_NO_OP));
}

static inline bool polls_same(const struct trace_call *one, const struct trace_call *other)
{
    if (one->call != other->call || one->site != other->site || one->handle != other->handle) return false;
    return polls_memory(one) || (one->peer == other->peer && one->rma.disp == other->rma.disp &&
                                 one->rma.result_bytes == other->rma.result_bytes);
}

/* Completes a poll, or lets the library progress, and does not change what the next poll finds. */
static inline bool polls_between(const struct trace_call *call, const struct trace_call *poll)
{
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_LOCAL) return true;
    if (polls_memory(poll) && trace_is_failed_test(call)) return true;
    return call->handle == poll->handle && (kind == CALL_FLUSH || kind == CALL_FLUSH_LOCAL || kind == CALL_SYNC);
}

#endif
