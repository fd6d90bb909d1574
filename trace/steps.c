#include "trace/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/map.h"
#include "common/units.h"

#define LEAST_PS INT64_C(20000000)
enum { LEAST_EQUALS = 10 };
static const double NOTABLE_SHARE = 0.05;

struct step {
    uint64_t places; /* hash of thread, place before and place behind */
    size_t index;    /* of the call behind */
    int64_t ps;
};

static int compare_steps(const void *one, const void *other)
{
    const struct step *a = one, *b = other;
    if (a->places != b->places) return a->places < b->places ? -1 : 1;
    if (a->ps != b->ps) return a->ps < b->ps ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static uint64_t place_of(const struct trace_call *call)
{
    return (uint64_t)call->site << 32 | (uint64_t)call->call << 16 | (call_is_region(call->call) ? call->ref & 0xffff : 0);
}

/* Fills steps with those of the rank; last has a place for each of its threads: the call before, from 1. */
static size_t collect_steps(const struct trace *trace, uint32_t rank, size_t *last, struct step *steps)
{
    const struct trace_rank *process = &trace->ranks[rank];
    size_t count = 0;
    for (size_t i = 0; i < process->count; i++) {
        uint32_t thread = trace_call_thread(trace, rank, i);
        size_t before = last[thread];
        last[thread] = i + 1;
        if (before == 0) continue;
        int64_t ps = process->calls[i].enter_ps - process->calls[before - 1].exit_ps - trace->provenance.record_cost_ps;
        ps -= trace_before_ps(process, BEFORE_PAUSED, i) + trace_before_ps(process, BEFORE_SLEPT, i);
        ps -= trace_before_ps(process, BEFORE_CORE_WAIT, i);
        uint64_t places = map_mix(map_mix(thread, place_of(&process->calls[before - 1])), place_of(&process->calls[i]));
        if (ps >= LEAST_PS) steps[count++] = (struct step){places, i, ps};
    }
    return count;
}

struct sums {
    double all_s, excess_s, worst_s;
};

/* Adds equal steps, which are sorted by their time. */
static void add_equals(const struct trace *trace, uint32_t rank, const struct step *steps, size_t count, struct sums *sums,
                       struct trace_steps *made)
{
    double excess_s = 0;
    for (size_t i = 0; i < count; i++) {
        sums->all_s += units_s(steps[i].ps);
        if (steps[i].ps > steps[count / 4].ps) excess_s += units_s(steps[i].ps - steps[count / 4].ps);
    }
    sums->excess_s += excess_s;
    if (made->known && excess_s <= sums->worst_s) return;
    const struct trace_call *call = &trace->ranks[rank].calls[steps[0].index];
    sums->worst_s = excess_s;
    made->known = true;
    made->rank = rank;
    made->call = call->call;
    made->site = call->site;
    made->count = count;
    made->low_s = units_s(steps[count / 10].ps);
    made->high_s = units_s(steps[count - 1 - count / 10].ps);
}

static enum status add_rank(const struct trace *trace, uint32_t rank, struct sums *sums, struct trace_steps *made,
                            struct err *err)
{
    struct step *steps = malloc((trace->ranks[rank].count + 1) * sizeof *steps);
    size_t *last = calloc(trace_thread_count(trace, rank), sizeof *last);
    size_t count = steps && last ? collect_steps(trace, rank, last, steps) : 0, end;
    enum status status = steps && last ? STATUS_OK : err_memory(err);
    if (count > 0) qsort(steps, count, sizeof *steps, compare_steps);
    for (size_t first = 0; first < count; first = end) {
        for (end = first; end < count && steps[end].places == steps[first].places;) end++;
        if (end - first >= LEAST_EQUALS) add_equals(trace, rank, steps + first, end - first, sums, made);
    }
    free(steps);
    free(last);
    return status;
}

enum status trace_steps_find(const struct trace *trace, struct trace_steps *steps, struct err *err)
{
    const struct trace_provenance *provenance = &trace->provenance;
    struct sums sums = {0, 0, 0};
    *steps = (struct trace_steps){.known = false};
    if (provenance->simulated || (!provenance->core_waits && provenance->record_cost_ps == 0)) return STATUS_OK;
    for (uint32_t r = 0; r < trace->rank_count; r++) TRY(add_rank(trace, r, &sums, steps, err));
    steps->share = sums.all_s > 0 ? sums.excess_s / sums.all_s : 0;
    steps->notable = steps->share > NOTABLE_SHARE;
    return STATUS_OK;
}

char *trace_steps_text(const struct trace *trace, const struct trace_steps *steps, char text[TRACE_STEPS_BYTES])
{
    const struct trace_site *site = &trace->definitions.sites[steps->site];
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES], place[200] = "";
    if (site->function && site->file)
        snprintf(place, sizeof place, " (%s, %s:%" PRId32 ")", site->function, site->file, site->line);
    snprintf(text, TRACE_STEPS_BYTES,
             "%.1f %% of the computing is above that of the fastest quarter of equal steps; rank %" PRIu32 ": %" PRIu64
             " steps up to %s%s took %s to %s",
             100 * steps->share, steps->rank, steps->count, call_name((enum mpi_call)steps->call), place,
             units_format_duration(steps->low_s, low), units_format_duration(steps->high_s, high));
    return text;
}
