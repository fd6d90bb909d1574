#include "trace/spins.h"

#include <inttypes.h>

#include "common/units.h"
#include "common/wide.h"

bool trace_is_failed_test(const struct trace_call *call)
{
    switch (call_kind(call->call)) {
    case CALL_IPROBE:
    case CALL_REQUEST_QUERY:
    case CALL_REQUEST_TEST:
    case CALL_REQUEST_TESTALL:
    case CALL_WIN_TEST: return !(call->flags & TRACE_FLAG);
    default: return false;
    }
}

static int64_t gap_before_ps(const struct trace_rank *rank, size_t index, int64_t cost_ps)
{
    int64_t gap_ps = rank->calls[index].enter_ps - rank->calls[index - 1].exit_ps - cost_ps;
    return gap_ps > 0 ? gap_ps : 0;
}

static bool is_spin(const struct trace_rank *rank, size_t first, size_t end, int64_t cost_ps)
{
    wide_ps between_ps = 0;
    if (end - first < SPIN_LEAST_TESTS || end == rank->count) return false;
    if (rank->calls[end].call != rank->calls[first].call) return false;
    for (size_t i = first + 1; i <= end; i++) {
        if (trace_before_ps(rank, BEFORE_SLEPT, i) > 0) return false;
        between_ps += gap_before_ps(rank, i, cost_ps);
    }
    return between_ps <= (wide_ps)SPIN_MOST_GAP_PS * (wide_ps)(end - first);
}

struct left_out {
    uint64_t tests;
    wide_ps taken_ps;
};

static void move_call(struct trace_call *call, int64_t earlier_ps)
{
    call->enter_ps -= earlier_ps;
    call->exit_ps -= earlier_ps;
}

/* Returns how much earlier the calls behind the row are. */
static int64_t leave_out_row(struct trace_rank *rank, size_t first, size_t end, int64_t cost_ps, int64_t earlier_ps)
{
    int64_t left_ps = rank->calls[first].enter_ps - cost_ps;
    for (size_t i = first; i <= end; i++) {
        struct trace_call *call = &rank->calls[i];
        int64_t gap_ps = call->enter_ps - left_ps - cost_ps, length_ps = call->exit_ps - call->enter_ps;
        left_ps = call->exit_ps;
        if (gap_ps > 0) earlier_ps += gap_ps;
        move_call(call, earlier_ps);
        if (i == end) break;
        call->exit_ps = call->enter_ps;
        earlier_ps += length_ps;
    }
    return earlier_ps;
}

static void leave_out_of_rank(struct trace_rank *rank, int64_t cost_ps, struct left_out *left_out)
{
    int64_t earlier_ps = 0;
    for (size_t i = 0; i < rank->count;) {
        /* The first call behind the failed tests that begin at `i`. */
        size_t end = i;
        while (end < rank->count && rank->calls[end].call == rank->calls[i].call && trace_is_failed_test(&rank->calls[end]))
            end++;
        if (end > i && is_spin(rank, i, end, cost_ps)) {
            earlier_ps = leave_out_row(rank, i, end, cost_ps, earlier_ps);
            left_out->tests += end - i;
            i = end + 1;
        } else {
            size_t behind = end > i ? end : i + 1;
            for (; i < behind; i++) move_call(&rank->calls[i], earlier_ps);
        }
    }
    left_out->taken_ps += earlier_ps;
}

enum status trace_leave_out_spins(struct trace *trace, struct err *err)
{
    struct left_out left_out = {0};
    char text[UNITS_TEXT_BYTES];
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->ranks[r].thread_count == 0)
            leave_out_of_rank(&trace->ranks[r], trace->provenance.record_cost_ps, &left_out);
    if (left_out.tests == 0) return STATUS_OK;
    return trace_add_note(trace, err,
                          "%" PRIu64 " tests that failed in rows are waiting, not computing: the rows took %s of all "
                          "ranks' time in the trace",
                          left_out.tests, units_format_duration(wide_s(left_out.taken_ps), text));
}
