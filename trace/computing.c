/* Determines the computing between two calls: wall time, the recorded CPU time, or wall time without core waits. Pauses
 * of recording are never computing. Sleep is part of the gap that remains, which the replay takes apart, except beside CPU
 * time, which leaves it out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "common/wide.h"
#include "trace/spins.h"
#include "trace/trace.h"

/* Core waits above this share of all ranks' time are told. */
static const double NOTABLE_WAITS = 0.05;

const char *trace_computing_name(enum trace_computing computing)
{
    static const char *const names[COMPUTING_COUNT] = {"default", "wall", "cpu", "undisturbed"};
    return names[computing];
}

bool trace_computing_by_name(const char *name, enum trace_computing *computing)
{
    for (int c = COMPUTING_WALL; c < COMPUTING_COUNT; c++) {
        if (strcmp(name, trace_computing_name((enum trace_computing)c)) != 0) continue;
        *computing = (enum trace_computing)c;
        return true;
    }
    return false;
}

bool trace_is_crowded(const struct trace *trace)
{
    bool crowded = false;
    uint32_t *ranks = calloc(trace->definitions.node_count + 1, sizeof *ranks);
    for (uint32_t r = 0; ranks && r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        crowded = crowded || (rank->node > 0 && rank->cores > 0 && ++ranks[rank->node] > rank->cores);
    }
    free(ranks);
    return crowded;
}

static double sum_mpi_s(const struct trace_rank *rank)
{
    wide_ps sum_ps = 0;
    for (size_t i = 0; i < rank->count; i++)
        if (trace_core_wait_is_known(&rank->calls[i]))
            sum_ps += rank->calls[i].exit_ps - rank->calls[i].enter_ps;
    return wide_s(sum_ps);
}

struct trace_core_waits trace_core_waits(const struct trace *trace)
{
    struct trace_core_waits waits = {.waited_s = 0};
    double ranks_s = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        waits.waited_s += units_s(trace->ranks[r].before_sum_ps[BEFORE_CORE_WAIT]);
        waits.mpi_waited_s += units_s(trace->ranks[r].before_sum_ps[BEFORE_CORE_WAIT_INSIDE]);
        waits.mpi_s += sum_mpi_s(&trace->ranks[r]);
        ranks_s += units_s(trace_rank_end_ps(trace, r));
    }
    waits.share = ranks_s > 0 ? waits.waited_s / ranks_s : 0;
    waits.notable = waits.share > NOTABLE_WAITS;
    waits.mpi_notable = waits.mpi_waited_s > NOTABLE_WAITS * ranks_s;
    return waits;
}

static bool knows_cpu(const struct trace_rank *rank, size_t index)
{
    return rank->before_ps[BEFORE_CPU] && rank->before_ps[BEFORE_CPU][index] != TRACE_UNKNOWN_PS;
}

static int64_t less_ps(int64_t ps, int64_t by_ps)
{
    return ps > by_ps ? ps - by_ps : 0;
}

/* The part of a gap that is computing. The gap has no recorder's cost. */
static int64_t computing_ps(const struct trace_rank *rank, size_t index, int64_t gap_ps, enum trace_computing computing)
{
    if (gap_ps <= 0) return gap_ps;
    gap_ps = less_ps(gap_ps, trace_before_ps(rank, BEFORE_PAUSED, index));
    if (computing == COMPUTING_UNDISTURBED) return less_ps(gap_ps, trace_before_ps(rank, BEFORE_CORE_WAIT, index));
    if (computing != COMPUTING_CPU || !knows_cpu(rank, index)) return gap_ps;
    return units_min_ps(trace_before_ps(rank, BEFORE_CPU, index), gap_ps);
}

static void drop_slept(struct trace_rank *rank, size_t index, enum trace_computing computing)
{
    bool drops = computing == COMPUTING_CPU && rank->before_ps[BEFORE_SLEPT];
    if (drops && knows_cpu(rank, index)) rank->before_ps[BEFORE_SLEPT][index] = TRACE_UNKNOWN_PS;
}

void trace_move_calls(struct trace *trace, uint32_t number, size_t first, enum trace_computing computing,
                      struct trace_moved *moved)
{
    struct trace_rank *rank = &trace->ranks[number];
    for (size_t i = first; i < rank->count; i++) {
        struct trace_call *call = &rank->calls[i];
        int64_t gap_ps = call->enter_ps - moved->left_ps - trace->provenance.record_cost_ps;
        moved->left_ps = call->exit_ps;
        if (moved->begun) moved->moved_ps -= gap_ps - computing_ps(rank, i, gap_ps, computing);
        if (moved->begun) drop_slept(rank, i, computing);
        moved->begun = true;
        call->enter_ps += moved->moved_ps;
        call->exit_ps += moved->moved_ps;
    }
}

/* Sets compute_ps of a rank with threads. A thread's first gap begins at time zero. */
static enum status use_of_threads(struct trace *trace, uint32_t rank, enum trace_computing computing, struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    size_t *last = calloc(trace_thread_count(trace, rank), sizeof *last); /* per thread: its call before, from 1 */
    enum status status = last ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < process->count; i++) {
        uint32_t thread = trace_call_thread(trace, rank, i);
        if (last[thread] > 0) {
            int64_t gap_ps = process->calls[i].enter_ps - process->calls[last[thread] - 1].exit_ps -
                             trace->provenance.record_cost_ps;
            int64_t taken_ps = computing_ps(process, i, gap_ps, computing);
            if (taken_ps < gap_ps) status = trace_set_compute(trace, rank, i, taken_ps, err);
            drop_slept(&trace->ranks[rank], i, computing);
        }
        last[thread] = i + 1;
    }
    free(last);
    return status;
}

/* Wall time that has core waits for a notable share of the run predicts a longer run than one without them. */
static enum status note_waits(struct trace *trace, struct err *err)
{
    char text[UNITS_TEXT_BYTES];
    const struct trace_core_waits waits = trace_core_waits(trace);
    if (!waits.notable) return STATUS_OK;
    return trace_add_note(trace, err,
                          "computing includes the %s for which it waited for a core, %.1f %% of the ranks' time: "
                          "record again while nothing else runs, or see --compute",
                          units_format_duration(waits.waited_s, text), 100 * waits.share);
}

enum trace_computing trace_choose_computing(const struct trace *trace, enum trace_computing computing)
{
    if (computing != COMPUTING_DEFAULT) return computing;
    return trace->provenance.core_waits && trace_is_crowded(trace) ? COMPUTING_UNDISTURBED : COMPUTING_WALL;
}

enum status trace_note_computing(struct trace *trace, enum trace_computing computing, struct err *err)
{
    trace->provenance.without_core_waits = computing != COMPUTING_WALL;
    trace->provenance.uses_computing = true;
    wide_ps waited_ps = 0, slept_ps = 0;
    char text[UNITS_TEXT_BYTES];
    for (uint32_t i = 0; i < trace->rank_count; i++) {
        waited_ps += trace->ranks[i].before_sum_ps[BEFORE_CORE_WAIT];
        slept_ps += trace->ranks[i].before_sum_ps[BEFORE_SLEPT];
    }
    if (computing == COMPUTING_CPU) return trace_add_note(trace, err, "computing is the recorded CPU time");
    if (slept_ps > 0 && !trace->provenance.simulated)
        TRY(trace_add_note(trace, err,
                           "the ranks slept %s between their calls: no core is taken for that, and no node's speed "
                           "changes it",
                           units_format_duration(wide_s(slept_ps), text)));
    if (computing == COMPUTING_WALL) return note_waits(trace, err);
    if (waited_ps == 0) return STATUS_OK;
    return trace_add_note(trace, err, "computing is wall time without the %s for which it waited for a core",
                          units_format_duration(wide_s(waited_ps), text));
}

enum status trace_assume_memory_bound(struct trace *trace, double share, struct err *err)
{
    uint32_t assumed = 0;
    for (uint32_t i = 0; i < trace->rank_count; i++) {
        struct trace_rank *rank = &trace->ranks[i];
        if (rank->memory_known) continue;
        rank->memory_bound = share;
        rank->memory_known = true;
        assumed++;
    }
    return trace_add_note(trace, err,
                          "that %.3g %% of the computing is bound by memory is assumed of %" PRIu32 " of %" PRIu32
                          " rank%s: the trace %s", 100 * share, assumed, trace->rank_count, units_plural(trace->rank_count),
                          assumed < trace->rank_count ? "knows the others' shares" : "does not say it");
}

static enum status find_shares(const struct trace *trace, struct trace_memory *memory, struct err *err)
{
    bool alike = true;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        alike = alike && trace->ranks[r].memory_bound == trace->ranks[0].memory_bound;
        if (!trace->ranks[r].memory_known) return STATUS_OK;
    }
    TRY(array_reserve((void **)&memory->shares, &memory->capacity, trace->rank_count, sizeof *memory->shares, err));
    memory->count = alike ? 1 : trace->rank_count;
    for (uint32_t r = 0; r < memory->count; r++) memory->shares[r] = trace->ranks[r].memory_bound;
    return STATUS_OK;
}

enum status trace_find_memory(const struct trace *trace, struct trace_memory *memory, struct err *err)
{
    uint32_t *counts = calloc(trace->definitions.node_count + 1, sizeof *counts);
    bool placed = true;
    if (!counts) return err_memory(err);
    memory->ranks_per_node = 0;
    memory->count = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const uint32_t node = trace->ranks[r].node;
        placed = placed && node > 0;
        if (placed && ++counts[node] > memory->ranks_per_node) memory->ranks_per_node = counts[node];
    }
    if (!placed) memory->ranks_per_node = 0;
    free(counts);
    return find_shares(trace, memory, err);
}

void trace_memory_clear(struct trace_memory *memory)
{
    free(memory->shares);
    *memory = (struct trace_memory){.shares = NULL};
}

enum status trace_set_memory(struct trace *trace, uint32_t rank, const struct trace_memory *memory, uint32_t like,
                             struct err *err)
{
    char name[16];
    struct trace_rank *process = &trace->ranks[rank];
    process->memory_known = memory->count > 0;
    process->memory_bound = memory->count > 0 ? memory->shares[memory->count == 1 ? 0 : like] : 0;
    if (memory->ranks_per_node == 0) return STATUS_OK;
    snprintf(name, sizeof name, "n%" PRIu32, rank / memory->ranks_per_node);
    return trace_set_node(trace, rank, name, err);
}

enum status trace_use_computing(struct trace *trace, enum trace_computing computing, struct err *err)
{
    bool cpu = false;
    for (uint32_t i = 0; i < trace->rank_count; i++) cpu = cpu || trace->ranks[i].before_ps[BEFORE_CPU];
    if (computing == COMPUTING_CPU && !cpu)
        return err_set(err, STATUS_DATA, trace->name, NULL,
                       "no CPU times, expected a trace that was recorded with --cpu-time");
    if (computing == COMPUTING_UNDISTURBED && !trace->provenance.core_waits)
        return err_set(err, STATUS_DATA, trace->name, NULL,
                       "no core waits, expected a recording from a system that has /proc/thread-self/schedstat");
    if (trace->provenance.simulated && computing != COMPUTING_CPU) return STATUS_OK; /* trace_compute_ps() */
    computing = trace_choose_computing(trace, computing);
    for (uint32_t i = 0; i < trace->rank_count; i++) {
        const struct trace_rank *rank = &trace->ranks[i];
        struct trace_moved moved = {0};
        bool any = false;
        for (int b = 0; b < BEFORE_COUNT; b++) any = any || rank->before_ps[b];
        if (!any) continue;
        if (rank->thread_count > 0)
            TRY(use_of_threads(trace, i, computing, err));
        else
            trace_move_calls(trace, i, 0, computing, &moved);
    }
    TRY(trace_leave_out_spins(trace, err));
    return trace_note_computing(trace, computing, err);
}

static enum status copy_times(struct trace_rank *rank, struct err *err)
{
    const struct trace_call *calls = rank->calls;
    const int64_t *compute_ps = rank->compute_ps, *slept_ps = rank->before_ps[BEFORE_SLEPT];
    rank->calls = malloc((rank->count + 1) * sizeof *calls);
    rank->compute_ps = compute_ps ? malloc((rank->count + 1) * sizeof *compute_ps) : NULL;
    rank->compute_capacity = compute_ps ? rank->count + 1 : 0;
    rank->before_ps[BEFORE_SLEPT] = slept_ps ? malloc((rank->count + 1) * sizeof *slept_ps) : NULL;
    if (!rank->calls || (compute_ps && !rank->compute_ps) || (slept_ps && !rank->before_ps[BEFORE_SLEPT]))
        return err_memory(err);
    if (slept_ps && rank->count > 0) memcpy(rank->before_ps[BEFORE_SLEPT], slept_ps, rank->count * sizeof *slept_ps);
    if (rank->count > 0) memcpy(rank->calls, calls, rank->count * sizeof *calls);
    if (compute_ps && rank->count > 0) memcpy(rank->compute_ps, compute_ps, rank->count * sizeof *compute_ps);
    return STATUS_OK;
}

/* Copies rank after rank; rank_count is the number of ranks that the view owns so far. */
static enum status fill_view(struct trace *view, const struct trace *trace, struct err *err)
{
    enum status status = STATUS_OK;
    view->ranks = malloc(((size_t)trace->rank_count + 1) * sizeof *view->ranks);
    if (!view->ranks) return err_memory(err);
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++) {
        view->ranks[r] = trace->ranks[r];
        view->rank_count = r + 1;
        status = copy_times(&view->ranks[r], err);
    }
    for (size_t i = 0; status == STATUS_OK && i < trace->provenance.note_count; i++)
        status = trace_add_note(view, err, "%s", trace->provenance.notes[i]);
    return status;
}

enum status trace_computing_view(const struct trace *trace, enum trace_computing computing, struct trace **view,
                                 struct err *err)
{
    struct trace *made = malloc(sizeof *made);
    if (!made) return err_memory(err);
    *made = *trace;
    made->ranks = NULL;
    made->provenance.notes = NULL;
    made->provenance.note_count = made->provenance.note_capacity = 0;
    made->rank_count = 0;
    enum status status = fill_view(made, trace, err);
    if (status == STATUS_OK) status = trace_use_computing(made, computing, err);
    GIVE(status, *view = made, trace_computing_view_free(made));
}

void trace_computing_view_free(struct trace *view)
{
    if (!view) return;
    for (uint32_t r = 0; r < view->rank_count; r++) {
        FREE_ALL(view->ranks[r].calls, view->ranks[r].compute_ps, view->ranks[r].before_ps[BEFORE_SLEPT]);
    }
    for (size_t i = 0; i < view->provenance.note_count; i++) free(view->provenance.notes[i]);
    FREE_ALL(view->ranks, view->provenance.notes, view);
}
