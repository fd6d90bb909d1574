#include "trace/steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/external_sort.h"
#include "common/map.h"
#include "common/search.h"
#include "common/units.h"

#define LEAST_PS INT64_C(20000000)
enum { LEAST_EQUALS = 10 };
static const double NOTABLE_SHARE = 0.05, NOTABLE_PART = 0.01;

struct step {
    uint64_t places; /* hash of thread, place before and place behind */
    size_t index;    /* of the call behind */
    int64_t ps;
};

ORDER(compare_steps, struct step, UP(places) UP(ps) UP(index))

static uint64_t place_of(const struct trace_call *call)
{
    return (uint64_t)call->site << 32 | (uint64_t)call->call << 16 | (call_is_region(call->call) ? call->ref & 0xffff : 0);
}

/* How long the step in front of a call is, which begins gap_ps before it. */
typedef int64_t step_length(const struct trace *trace, uint32_t rank, size_t index, int64_t gap_ps);

static int64_t computing_ps(const struct trace *trace, uint32_t rank, size_t index, int64_t gap_ps)
{
    const struct trace_rank *process = &trace->ranks[rank];
    return gap_ps - trace->provenance.record_cost_ps - trace_before_ps(process, BEFORE_PAUSED, index) -
           trace_before_ps(process, BEFORE_SLEPT, index) - trace_before_ps(process, BEFORE_CORE_WAIT, index);
}

static int64_t replayed_ps(const struct trace *trace, uint32_t rank, size_t index, int64_t gap_ps)
{
    return trace_compute_ps(&trace->ranks[rank], index, gap_ps);
}

/* The call before of a thread. */
struct left {
    bool known;
    uint64_t place;
    int64_t exit_ps;
};

/* Adds the steps in front of calls[first, end) of a rank; from 0 on, or behind those that were added before. */
static enum status add_steps(const struct trace *trace, uint32_t rank, size_t first, size_t end, step_length *length_of,
                             struct step_list *list, struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    if (!list->left) list->left = calloc(trace_thread_count(trace, rank), sizeof *list->left);
    if (!list->left) return err_memory(err);
    for (size_t i = first; i < end; i++) {
        const struct trace_call *call = &process->calls[i];
        const uint32_t thread = trace_call_thread(trace, rank, i);
        struct left *left = &list->left[thread];
        const int64_t ps = left->known ? length_of(trace, rank, i, call->enter_ps - left->exit_ps) : 0;
        const struct step made = {map_mix(map_mix(thread, left->place), place_of(call)), i, ps};
        *left = (struct left){true, place_of(call), call->exit_ps};
        if (ps >= LEAST_PS) ARRAY_PUSH(list->items, list->count, list->capacity, made, err);
    }
    return STATUS_OK;
}

/* By their places, then by their length. */
static void sort_steps(struct step_list *list)
{
    if (list->count > 0) qsort(list->items, list->count, sizeof *list->items, compare_steps);
}

static void clear_steps(struct step_list *list)
{
    FREE_ALL(list->items, list->left);
    *list = (struct step_list){.count = 0};
}

struct sums {
    double all_s, excess_s, worst_s;
};

struct sorted_step {
    struct step step; /* its index is the number of the event */
    uint32_t rank, site;
    uint16_t call; /* with its site: of the call behind */
};

ORDER(compare_sorted, struct sorted_step, UP(rank) UP(step.places) UP(step.ps) UP(step.index))

struct steps_finder {
    const struct trace *trace;
    bool looks;
    struct temp_file temp;
    struct external_sort *sorted;
    struct left **left;          /* per rank, by thread */
    struct step_list list;       /* of the calls that are added */
    int64_t *first_ps, *last_ps; /* per rank */
    int64_t *equals;             /* at the end: equal steps */
    size_t equal_count, equal_capacity;
};

/* Adds equal steps, which are sorted by their time; first is the shortest. */
static void add_equals(const struct steps_finder *finder, const struct sorted_step *first, struct sums *sums,
                       struct trace_steps *made)
{
    const int64_t *ps = finder->equals;
    size_t count = finder->equal_count;
    double excess_s = 0;
    if (count < LEAST_EQUALS) return;
    for (size_t i = 0; i < count; i++) {
        sums->all_s += units_s(ps[i]);
        if (ps[i] > ps[count / 4]) excess_s += units_s(ps[i] - ps[count / 4]);
    }
    sums->excess_s += excess_s;
    if (made->known && excess_s <= sums->worst_s) return;
    sums->worst_s = excess_s;
    made->known = true;
    made->rank = first->rank;
    made->call = first->call;
    made->site = first->site;
    made->count = count;
    made->low_s = units_s(ps[count / 10]);
    made->high_s = units_s(ps[count - 1 - count / 10]);
}

static size_t end_of_equals(const struct step *steps, size_t first, size_t count)
{
    size_t end = first;
    while (end < count && steps[end].places == steps[first].places) end++;
    return end;
}

bool trace_steps_are_known(const struct trace *trace)
{
    const struct trace_provenance *provenance = &trace->provenance;
    return !provenance->simulated && (provenance->core_waits || provenance->record_cost_ps != 0);
}

enum status steps_finder_new(const struct trace *trace, struct steps_finder **finder, struct err *err)
{
    size_t ranks = (size_t)trace->rank_count + 1;
    struct steps_finder *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct steps_finder){.trace = trace,
                                  .looks = trace_steps_are_known(trace),
                                  .temp = {.descriptor = -1},
                                  .left = calloc(ranks, sizeof *made->left),
                                  .first_ps = calloc(ranks, sizeof *made->first_ps),
                                  .last_ps = calloc(ranks, sizeof *made->last_ps)};
    enum status status = made->left && made->first_ps && made->last_ps ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK)
        status = external_sort_new(&made->temp, sizeof(struct sorted_step), compare_sorted, &made->sorted, err);
    GIVE(status, *finder = made, steps_finder_free(made));
}

void steps_finder_free(struct steps_finder *finder)
{
    if (!finder) return;
    for (uint32_t r = 0; finder->left && r < finder->trace->rank_count; r++) free(finder->left[r]);
    external_sort_free(finder->sorted);
    temp_file_close(&finder->temp);
    FREE_ALL(finder->left, finder->first_ps, finder->last_ps, finder->list.items, finder->equals, finder);
}

enum status steps_finder_add(struct steps_finder *finder, uint32_t rank, size_t first, struct err *err)
{
    const struct trace_rank *process = &finder->trace->ranks[rank];
    struct step_list *list = &finder->list;
    if (!finder->looks || first == process->count) return STATUS_OK;
    if (!finder->left[rank]) finder->first_ps[rank] = process->calls[first].enter_ps;
    list->left = finder->left[rank];
    list->count = 0;
    enum status status = add_steps(finder->trace, rank, first, process->count, computing_ps, list, err);
    finder->left[rank] = list->left;
    finder->last_ps[rank] = process->calls[process->count - 1].exit_ps;
    for (size_t i = 0; status == STATUS_OK && i < list->count; i++) {
        const struct trace_call *call = &process->calls[list->items[i].index];
        struct sorted_step made = {.step = list->items[i], .rank = rank, .site = call->site, .call = call->call};
        made.step.index = (size_t)trace_event(finder->trace, rank, made.step.index);
        status = external_sort_add(finder->sorted, &made, err);
    }
    return status;
}

static enum status sum_steps(struct steps_finder *finder, struct sums *sums, struct trace_steps *made, struct err *err)
{
    struct sorted_step step, first = {.rank = 0};
    bool any;
    TRY(external_sort_turn(finder->sorted, err));
    for (;;) {
        TRY(external_sort_next(finder->sorted, &step, &any, err));
        bool same = any && step.rank == first.rank && step.step.places == first.step.places;
        if (!same) {
            add_equals(finder, &first, sums, made);
            finder->equal_count = 0;
            first = step;
        }
        if (!any) return STATUS_OK;
        ARRAY_PUSH(finder->equals, finder->equal_count, finder->equal_capacity, step.step.ps, err);
    }
}

enum status steps_finder_end(struct steps_finder *finder, struct trace_steps *steps, struct err *err)
{
    struct sums sums = {0, 0, 0};
    double time_s = 0;
    *steps = (struct trace_steps){.known = false};
    if (!finder->looks) return STATUS_OK;
    TRY(sum_steps(finder, &sums, steps, err));
    for (uint32_t r = 0; r < finder->trace->rank_count; r++) time_s += units_s(finder->last_ps[r] - finder->first_ps[r]);
    steps->share = sums.all_s > 0 ? sums.excess_s / sums.all_s : 0;
    steps->notable = steps->share > NOTABLE_SHARE && sums.excess_s > NOTABLE_PART * time_s;
    return STATUS_OK;
}

enum status trace_steps_find(const struct trace *trace, struct trace_steps *steps, struct err *err)
{
    struct steps_finder *finder = NULL;
    TRY(steps_finder_new(trace, &finder, err));
    enum status status = STATUS_OK;
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++) status = steps_finder_add(finder, r, 0, err);
    if (status == STATUS_OK) status = steps_finder_end(finder, steps, err);
    steps_finder_free(finder);
    return status;
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

/* A kind of step: a chain of lengths, each at most this much longer than the one before. */
#define KIND_RATIO 1.15
/* Half of the band of 90 % of a normal distribution, in standard deviations. */
#define HALF_BAND 1.645
enum { RANKS_TAKEN = 64, CALLS_TAKEN = 16384, KIND_LEAST = 3 };

struct kind {
    size_t count;
    double sum_s;
};

static struct kind kind_of(const struct step *steps, size_t count)
{
    struct kind kind = {.count = 0};
    do
        kind.sum_s += units_s(steps[kind.count++].ps);
    while (kind.count < count && (double)steps[kind.count].ps <= KIND_RATIO * (double)steps[kind.count - 1].ps);
    return kind;
}

/* Whether a kind at these places is common; then *mean_s is the mean of the one that is nearest to length_s. */
static bool nearest_common(const struct step *steps, size_t count, double length_s, double *mean_s)
{
    bool found = false;
    for (size_t at = 0; at < count;) {
        struct kind kind = kind_of(&steps[at], count - at);
        double own_s = kind.sum_s / (double)kind.count;
        at += kind.count;
        if (kind.count < KIND_LEAST || (found && fabs(own_s - length_s) >= fabs(*mean_s - length_s))) continue;
        found = true;
        *mean_s = own_s;
    }
    return found;
}

struct spread {
    double all_s, known_s, variance;
};

/* Adds the steps between two places. One of a rare length is a disturbed one of the common kind that is nearest. */
static void add_spread(const struct step *steps, size_t count, struct spread *spread)
{
    for (size_t at = 0; at < count;) {
        struct kind kind = kind_of(&steps[at], count - at);
        double mean_s, squares = 0;
        spread->all_s += kind.sum_s;
        if (nearest_common(steps, count, kind.sum_s / (double)kind.count, &mean_s)) {
            for (size_t i = at; i < at + kind.count; i++) squares += pow(units_s(steps[i].ps) - mean_s, 2);
            spread->known_s += kind.sum_s;
            /* A common kind is compared with the mean of its own few steps. */
            spread->variance += kind.count < KIND_LEAST ? squares : squares * (double)kind.count / (double)(kind.count - 1);
        }
        at += kind.count;
    }
}

enum status trace_spread_add(struct trace_spread *spread, const struct trace *trace, uint32_t rank, size_t first,
                             struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    size_t end = process->count, room = CALLS_TAKEN - (size_t)spread->taken;
    if (spread->calls == 0 && end > first) {
        const int64_t enter_ps = process->calls[first].enter_ps;
        if (spread->first_ps > enter_ps) spread->first_ps = enter_ps;
        if (spread->last_ps < enter_ps) spread->last_ps = enter_ps;
    }
    spread->calls += end - first;
    if (end - first > room) end = first + room;
    spread->taken += end - first;
    if (trace_origin(trace) != TRACE_RECORDED || rank % (trace->rank_count / RANKS_TAKEN + 1) != 0 || isnan(spread->spread_s))
        return STATUS_OK;
    return add_steps(trace, rank, first, end, replayed_ps, &spread->steps, err);
}

void trace_spread_end(struct trace_spread *spread)
{
    struct spread sums = {.all_s = 0};
    struct step_list *list = &spread->steps;
    sort_steps(list);
    for (size_t first = 0, end; first < list->count; first = end) {
        end = end_of_equals(list->items, first, list->count);
        add_spread(&list->items[first], end - first, &sums);
    }
    const double known = sums.all_s > 0 ? sums.known_s / sums.all_s : 1;
    const double taken = spread->taken > 0 ? (double)spread->taken : 1;
    const double own_s = known >= 0.5 ? sqrt(sums.variance / known * (double)spread->calls / taken) : NAN;
    if (!isnan(spread->spread_s) && !(own_s <= spread->spread_s)) spread->spread_s = own_s;
    spread->calls = spread->taken = 0;
    clear_steps(list);
}

void trace_spread_clear(struct trace_spread *spread)
{
    clear_steps(&spread->steps);
}

/* A further run differs as the recordings do, and so does their median, whose variance is pi / 2 of that of the mean. */
static double recordings_error_s(const struct trace *trace)
{
    static const double quantiles[] = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812};
    const uint64_t count = trace->provenance.recordings, freedom = (count - 1) * trace->rank_count;
    const size_t last = sizeof quantiles / sizeof *quantiles;
    const double quantile = freedom <= last ? quantiles[freedom - 1] : HALF_BAND * (1 + 1.0 / (double)freedom);
    return quantile * trace->provenance.recordings_s * sqrt(1 + acos(0) / (double)count);
}

double trace_spread_error(const struct trace *trace, const struct trace_spread *spread, bool starts)
{
    if (trace_origin(trace) != TRACE_RECORDED) return trace_origin(trace) == TRACE_DESCRIBED ? NAN : 0;
    const double range_s = spread->last_ps > spread->first_ps ? units_s(spread->last_ps) - units_s(spread->first_ps) : 0;
    const double spread_s = trace->provenance.recordings > 1 ? recordings_error_s(trace) : HALF_BAND * spread->spread_s;
    return spread_s + (starts ? range_s / 2 : 0);
}
