#include "model/over_time/over_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"
#include "model/analyze.h"
#include "model/over_time/iterations.h"
#include "model/waits/properties.h"
#include "model/waits/provisional.h"

/* More bins than slices, so that slices of equal width come near the number that is asked for. Of iterations the first two are of
 * what is before and behind them. */
enum { BINS_PER_SLICE = 16, FIRST_WAIT = 3, BIN_BEFORE = 0, BIN_BEHIND, BIN_ITERATIONS };
enum row { ROW_CALLS, ROW_INIT, ROW_TRANSFERS, ROW_COUNT = FIRST_WAIT + PATTERN_COUNT + DOUBT_COUNT };

struct bin {
    wide_ps sum; /* of transfers: bytes */
    uint64_t count;
};

struct over_time {
    size_t slices, bins;
    uint32_t rank_count;
    int64_t width; /* of a bin: time since the first event in picoseconds, or iterations */
    struct bin *rows[ROW_COUNT]; /* NULL: nothing was added */
    int64_t *calls_ps;           /* by rank, then bin */
    struct iterations *iterations; /* NULL: bins of time. Else: */
    const char *name;              /* where one begins */
    bool sought, loop;             /* a loop was looked for, and found */
    int64_t *lives_ps;             /* of iterations, by rank, then bin */
    int64_t *begin_ps, *end_ps;    /* of iterations, since the first event, by bin */
    int64_t zero_ps;               /* the first event */
    const struct section *section;
};

void over_time_free(struct over_time *over)
{
    for (int r = 0; over && r < ROW_COUNT; r++) free(over->rows[r]);
    if (!over) return;
    iterations_free(over->iterations);
    FREE_ALL(over->calls_ps, over->lives_ps, over->begin_ps, over->end_ps, over);
}

static enum status need_row(struct over_time *over, int row, struct err *err)
{
    if (!over->rows[row]) over->rows[row] = calloc(over->bins, sizeof *over->rows[row]);
    return over->rows[row] ? STATUS_OK : err_memory(err);
}

static enum status need_iterations(struct over_time *over, const struct analyze_options *options, struct err *err)
{
    over->sought = options->loop != NULL;
    over->loop = over->sought && options->loop->place;
    over->name = over->loop ? options->loop->place : options->iterations;
    if (!over->name) return STATUS_OK;
    over->lives_ps = calloc((size_t)over->rank_count * over->bins + 1, sizeof *over->lives_ps);
    over->begin_ps = malloc(over->bins * sizeof *over->begin_ps);
    over->end_ps = calloc(over->bins, sizeof *over->end_ps);
    if (!over->lives_ps || !over->begin_ps || !over->end_ps) return err_memory(err);
    for (size_t b = 0; b < over->bins; b++) over->begin_ps[b] = INT64_MAX;
    return iterations_new(over->rank_count, over->name, over->loop ? options->loop : NULL, &over->iterations, err);
}

enum status over_time_new(uint32_t rank_count, const struct analyze_options *options, struct over_time **over_time,
                          struct err *err)
{
    struct over_time *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct over_time){
        .slices = options->over_time, .bins = BINS_PER_SLICE * options->over_time, .rank_count = rank_count, .width = 1};
    made->calls_ps = calloc((size_t)rank_count * made->bins + 1, sizeof *made->calls_ps);
    enum status status = made->calls_ps ? need_iterations(made, options, err) : err_memory(err);
    for (int row = 0; status == STATUS_OK && row < FIRST_WAIT; row++) status = need_row(made, row, err);
    GIVE(status, *over_time = made, over_time_free(made));
}

/* Which bin is to have a bin's sum when the width doubles. */
static size_t halve_bin(const struct over_time *over, size_t bin)
{
    const size_t fixed = over->iterations ? BIN_ITERATIONS : 0;
    return bin < fixed ? bin : fixed + (bin - fixed) / 2;
}

/* Adds each two neighbours of a row of bins. */
static void halve_row(const struct over_time *over, int64_t *row)
{
    for (size_t b = 0; b < over->bins; b++) {
        const int64_t one = row[b];
        row[b] = 0;
        row[halve_bin(over, b)] += one;
    }
}

static void halve_times(const struct over_time *over)
{
    for (size_t b = 0; b < over->bins; b++) {
        const int64_t begin_ps = over->begin_ps[b], end_ps = over->end_ps[b];
        over->begin_ps[b] = INT64_MAX;
        over->end_ps[b] = 0;
        const size_t to = halve_bin(over, b);
        over->begin_ps[to] = units_min_ps(over->begin_ps[to], begin_ps);
        over->end_ps[to] = units_max_ps(over->end_ps[to], end_ps);
    }
}

/* Doubles the width of all bins. */
static void double_width(struct over_time *over)
{
    for (int r = 0; r < ROW_COUNT; r++) {
        struct bin *row = over->rows[r];
        for (size_t b = 0; row && b < over->bins; b++) {
            const struct bin one = row[b];
            row[b] = (struct bin){0, 0};
            row[halve_bin(over, b)].sum += one.sum;
            row[halve_bin(over, b)].count += one.count;
        }
    }
    for (uint32_t r = 0; r < over->rank_count; r++) {
        halve_row(over, over->calls_ps + r * over->bins);
        if (over->iterations) halve_row(over, over->lives_ps + r * over->bins);
    }
    if (over->iterations) halve_times(over);
    over->width *= 2;
}

/* The bin of a time, or of an iteration. */
static size_t bin_at(struct over_time *over, int64_t at)
{
    const size_t fixed = over->iterations ? BIN_ITERATIONS : 0;
    if (over->iterations && at-- == 0) return BIN_BEFORE;
    if (over->iterations && at == ITERATION_BEHIND - 1) return BIN_BEHIND;
    while (at / over->width >= (int64_t)(over->bins - fixed)) double_width(over);
    return fixed + (size_t)(at / over->width);
}

static void take_iteration(void *context, uint32_t rank, uint32_t iteration, int64_t from_ps, int64_t until_ps)
{
    struct over_time *over = context;
    const size_t bin = bin_at(over, iteration);
    if (over->section) from_ps = units_max_ps(from_ps, over->section->from_ps[rank]);
    if (over->section) until_ps = units_min_ps(until_ps, over->section->to_ps[rank]);
    if (until_ps <= from_ps) return;
    over->lives_ps[rank * over->bins + bin] += until_ps - from_ps;
    over->begin_ps[bin] = units_min_ps(over->begin_ps[bin], from_ps - over->zero_ps);
    over->end_ps[bin] = units_max_ps(over->end_ps[bin], until_ps - over->zero_ps);
}

enum status over_time_go_on(struct over_time *over, const struct trace *trace, const struct section *section, struct err *err)
{
    over->zero_ps = trace_begin_ps(trace);
    over->section = section;
    return over->iterations ? iterations_go_on(over->iterations, trace, take_iteration, over, err) : STATUS_OK;
}

uint32_t over_time_iteration(const struct over_time *over, uint32_t rank, size_t index)
{
    return over && over->iterations ? iterations_at(over->iterations, rank, index) : 0;
}

/* Adds a time to an iteration. */
static void add_whole(struct over_time *over, int row, int64_t *rank_ps, uint32_t iteration, int64_t ps)
{
    const size_t bin = bin_at(over, iteration);
    over->rows[row][bin].sum += ps;
    over->rows[row][bin].count++;
    if (rank_ps) rank_ps[bin] += ps;
}

/* Adds a time that lasts from from_ps to until_ps, once, to a row and to a rank (NULL: to none). */
static void add_span(struct over_time *over, int row, int64_t *rank_ps, int64_t from_ps, int64_t until_ps)
{
    bin_at(over, until_ps);
    over->rows[row][bin_at(over, from_ps)].count++;
    while (from_ps < until_ps) {
        const size_t bin = bin_at(over, from_ps);
        const int64_t part_ps = units_min_ps(over->width - from_ps % over->width, until_ps - from_ps);
        over->rows[row][bin].sum += part_ps;
        if (rank_ps) rank_ps[bin] += part_ps;
        from_ps += part_ps;
    }
}

enum status over_time_add_wait(struct over_time *over, const struct trace *trace, const struct finding *finding, struct err *err)
{
    const struct trace_call *call = &trace->ranks[finding->rank].calls[finding->call];
    const int row = FIRST_WAIT + (finding->doubt == FINDING_CERTAIN ? (int)finding->pattern : PATTERN_COUNT + finding->doubt);
    int64_t until_ps = call->enter_ps + finding->severity_ps;
    TRY(need_row(over, row, err));
    if (over->iterations) {
        add_whole(over, row, NULL, over_time_iteration(over, finding->rank, finding->call), finding->severity_ps);
        return STATUS_OK;
    }
    if (finding->cause_call != FINDING_NO_CALL && finding->until_ps > until_ps) until_ps = finding->until_ps;
    if (until_ps > call->exit_ps) until_ps = call->exit_ps;
    const int64_t from_ps = units_max_ps(until_ps - finding->severity_ps - over->zero_ps, 0);
    add_span(over, row, NULL, from_ps, from_ps + finding->severity_ps);
    return STATUS_OK;
}

static void add_time(struct over_time *over, int row, int64_t *rank_ps, uint32_t rank, size_t index,
                     const struct trace_call *call)
{
    if (over->iterations)
        add_whole(over, row, rank_ps, over_time_iteration(over, rank, index), call->exit_ps - call->enter_ps);
    else
        add_span(over, row, rank_ps, call->enter_ps - over->zero_ps, call->exit_ps - over->zero_ps);
}

void over_time_add_call(struct over_time *over, const struct trace *trace, uint32_t rank, size_t index)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    const enum call_kind kind = call_kind(call->call);
    add_time(over, ROW_CALLS, over->calls_ps + rank * over->bins, rank, index, call);
    if (kind == CALL_INIT || kind == CALL_FINALIZE) add_time(over, ROW_INIT, NULL, rank, index, call);
}

void over_time_add_transfer(struct over_time *over, const struct transfer *transfer)
{
    const int64_t at = over->iterations ? over_time_iteration(over, transfer->origin, transfer->call)
                                        : units_max_ps(transfer->start_ps - over->zero_ps, 0);
    struct bin *bin = &over->rows[ROW_TRANSFERS][bin_at(over, at)];
    bin->sum += transfer->bytes;
    bin->count++;
}

/* The bins of which the slices of a report consist. Of iterations the first slice is what is before them, and of a loop the last
 * one what is behind it. */
struct cut {
    int64_t end, width; /* of the run; of a slice */
    size_t bins, count; /* of a slice; slices */
    size_t fixed, before, groups; /* bins that are not divided; slices before the divided ones; these */
};

static struct cut cut_of(const struct over_time *over, int64_t end)
{
    const size_t before = over->iterations ? 1 : 0;
    const int64_t last = end - 1 - (int64_t)before;
    const size_t used = last >= 0 ? (size_t)(last / over->width) + 1 : 1, bins = (used - 1) / over->slices + 1;
    const size_t groups = (used - 1) / bins + 1;
    return (struct cut){.end = end, .width = over->width * (int64_t)bins, .bins = bins, .count = before + groups + over->loop,
                        .fixed = over->iterations ? BIN_ITERATIONS : 0, .before = before, .groups = groups};
}

/* The last slice has what is at the end of the run, too. */
static size_t slice_of(const struct cut *cut, size_t bin)
{
    if (bin < cut->fixed) return bin == BIN_BEFORE ? 0 : cut->count - 1;
    const size_t group = (bin - cut->fixed) / cut->bins;
    return cut->before + (group < cut->groups ? group : cut->groups - 1);
}

/* The sum of a row by slice goes to sums[]. */
static void sum_row(const struct over_time *over, const struct cut *cut, int row, struct bin *sums)
{
    for (size_t s = 0; s < cut->count; s++) sums[s] = (struct bin){0, 0};
    for (size_t b = 0; over->rows[row] && b < over->bins; b++) {
        struct bin *sum = &sums[slice_of(cut, b)];
        sum->sum += over->rows[row][b].sum;
        sum->count += over->rows[row][b].count;
    }
}

static void report_waits(struct over_time *over, const bool *refuted, const struct cut *cut, struct bin *sums,
                         struct result_over_time *made)
{
    for (uint16_t d = DOUBT_PROGRESS; d < DOUBT_COUNT; d++) {
        struct bin *certain = over->rows[FIRST_WAIT + doubt_pattern(d)], *row = over->rows[FIRST_WAIT + PATTERN_COUNT + d];
        for (size_t b = 0; row && !refuted[d] && b < over->bins; b++) {
            certain[b].sum += row[b].sum;
            certain[b].count += row[b].count;
        }
    }
    for (int p = 0; p < PATTERN_COUNT; p++) {
        sum_row(over, cut, FIRST_WAIT + p, sums);
        for (size_t s = 0; s < cut->count; s++) {
            made->items[s].waits[p] = (struct result_slice_wait){wide_s(sums[s].sum), sums[s].count};
            if (pattern_whole((enum pattern)p) == (enum pattern)p) made->items[s].waits_s += wide_s(sums[s].sum);
        }
    }
}

static void report_calls(const struct over_time *over, const struct cut *cut, struct bin *sums, struct result_over_time *made)
{
    for (int row = 0; row < FIRST_WAIT; row++) {
        sum_row(over, cut, row, sums);
        for (size_t s = 0; s < cut->count; s++) {
            struct result_slice *slice = &made->items[s];
            if (row == ROW_INIT) slice->init_s = wide_s(sums[s].sum);
            if (row == ROW_CALLS) slice->calls_s = wide_s(sums[s].sum);
            if (row == ROW_CALLS) slice->calls = sums[s].count;
            if (row != ROW_TRANSFERS) continue;
            slice->transfers = sums[s].count;
            slice->bytes = (uint64_t)sums[s].sum;
        }
    }
}

/* The part of [from_ps, until_ps), since the first event, that is in the slice. */
static int64_t inside_ps(const struct cut *cut, size_t slice, int64_t from_ps, int64_t until_ps)
{
    const int64_t begin_ps = (int64_t)slice * cut->width;
    return units_max_ps(units_min_ps(until_ps, begin_ps + cut->width) - units_max_ps(from_ps, begin_ps), 0);
}

/* Adds the time of a rank's threads, in the section, to lives_ps[] by slice. */
static void add_life(const struct timelines *timelines, const struct section *section, uint32_t rank, const struct cut *cut,
                     int64_t *lives_ps)
{
    const int64_t zero_ps = trace_begin_ps(timelines->trace);
    for (uint32_t t = 0; t < trace_thread_count(timelines->trace, rank); t++) {
        const struct timeline timeline = timeline_of(timelines, rank, t);
        if (timeline.count == 0) continue;
        int64_t from_ps = t == 0 ? zero_ps : timeline_call(&timeline, 0)->enter_ps;
        int64_t until_ps = timeline_call(&timeline, timeline.count - 1)->exit_ps;
        if (section) from_ps = units_max_ps(from_ps, section->from_ps[rank]);
        if (section) until_ps = units_min_ps(until_ps, section->to_ps[rank]);
        for (size_t s = 0; s < cut->count; s++) lives_ps[s] += inside_ps(cut, s, from_ps - zero_ps, until_ps - zero_ps);
    }
}

struct balance { /* of user code in a slice */
    wide_ps life_ps, user_ps;
    int64_t most_ps, longest_ps; /* user code of the rank with most; the longest life of a rank */
    uint32_t ranks;
};

/* lives_ps: room for one number per slice. */
static void add_balance(const struct over_time *over, const struct timelines *timelines, const struct section *section,
                        const struct cut *cut, int64_t *lives_ps, struct balance *balances)
{
    for (uint32_t r = 0; r < over->rank_count; r++) {
        for (size_t s = 0; s < cut->count; s++) lives_ps[s] = 0;
        if (!over->iterations) add_life(timelines, section, r, cut, lives_ps);
        for (size_t b = 0; over->iterations && b < over->bins; b++)
            lives_ps[slice_of(cut, b)] += over->lives_ps[r * over->bins + b];
        for (size_t s = 0; s < cut->count; s++) {
            balances[s].life_ps += lives_ps[s];
            balances[s].longest_ps = units_max_ps(balances[s].longest_ps, lives_ps[s]);
            balances[s].ranks += lives_ps[s] > 0;
        }
        for (size_t b = 0; b < over->bins; b++) lives_ps[slice_of(cut, b)] -= over->calls_ps[r * over->bins + b];
        for (size_t s = 0; s < cut->count; s++) {
            balances[s].user_ps += lives_ps[s];
            balances[s].most_ps = units_max_ps(balances[s].most_ps, lives_ps[s]);
        }
    }
}

static void report_balance(const struct balance *balance, bool all_calls, struct result_slice *slice)
{
    const double rest_s = wide_s(balance->life_ps) - slice->init_s, most_s = units_s(balance->most_ps) * balance->ranks;
    slice->time_s = wide_s(balance->life_ps);
    slice->longest_s = units_s(balance->longest_ps);
    slice->efficiency = all_calls && rest_s > 0 ? wide_s(balance->user_ps) / rest_s : -1;
    slice->load_balance = all_calls && most_s > 0 ? wide_s(balance->user_ps) / most_s : -1;
}

/* Slices of which MPI_Init or MPI_Finalize takes more than half say little of the program. Nor do a short last one, and what is
 * before and behind all iterations. */
static bool is_program(const struct result_over_time *made, size_t index)
{
    const struct result_slice *slice = &made->items[index];
    if (slice->time_s <= 0 || slice->init_s > slice->time_s / 2) return false;
    if (made->iterations) return index > 0 && index + 1 < made->count;
    return slice->to_s - slice->from_s >= made->width_s / 2;
}

static double calls_share(const struct result_slice *slice)
{
    return (slice->calls_s - slice->init_s) / (slice->time_s - slice->init_s);
}

/* By which slices are compared: how long an iteration takes; of slices of time the share of calls. */
static double value_of(const struct result_over_time *made, const struct result_slice *slice)
{
    return made->iterations ? slice->longest_s / (double)slice->iterations : calls_share(slice);
}

/* What a slice has more of than others do: its largest wait state if waits are half of its time in calls, else calls. Of
 * iterations, computing where calls take less than a quarter. */
static const char *name_excess(const struct result_over_time *made, const struct result_slice *slice)
{
    int most = 0;
    for (int p = 1; p < PATTERN_COUNT; p++) {
        const bool whole = pattern_whole((enum pattern)p) == (enum pattern)p;
        if (whole && slice->waits[p].severity_s > slice->waits[most].severity_s) most = p;
    }
    if (made->iterations && calls_share(slice) < 0.25) return RESULT_SLICE_OF_COMPUTING;
    return 2 * slice->waits_s >= slice->calls_s - slice->init_s ? pattern_row((enum pattern)most)->name : RESULT_SLICE_OF_CALLS;
}

/* The value above which a slice stands out: a tenth above the third quartile, of the slice or of a usual iteration, and one and a
 * half times as far above it as the first one is below. values: room for one per slice. */
static double least_outlier(const struct result_over_time *made, double *values)
{
    enum { LEAST_SLICES = 5 };
    size_t count = 0;
    for (size_t s = 0; s < made->count; s++)
        if (is_program(made, s)) values[count++] = value_of(made, &made->items[s]);
    if (count < LEAST_SLICES) return INFINITY;
    qsort(values, count, sizeof *values, compare_doubles);
    const double third = values[count - 1 - count / 4];
    return third + fmax(1.5 * (third - values[count / 4]), made->iterations ? 0.1 * third : 0.1);
}

/* More than a fifth of all are no exceptions. */
static void find_outliers(struct result_over_time *made, double *values)
{
    const double limit = least_outlier(made, values);
    size_t found = 0;
    for (size_t s = 0; s < made->count; s++) found += is_program(made, s) && value_of(made, &made->items[s]) > limit;
    for (size_t s = 0; s < made->count && 5 * found <= made->count; s++)
        if (is_program(made, s) && value_of(made, &made->items[s]) > limit)
            made->items[s].stands_out = name_excess(made, &made->items[s]);
}

static int64_t run_ps(const struct trace *trace)
{
    int64_t end_ps = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->ranks[r].count > 0) end_ps = units_max_ps(end_ps, trace_rank_end_ps(trace, r) - trace_begin_ps(trace));
    return end_ps;
}

/* Begin and end of a slice. */
static void report_place(const struct over_time *over, const struct cut *cut, size_t index, struct result_slice *slice)
{
    int64_t begin = ((int64_t)index - (int64_t)cut->before) * cut->width, from_ps = INT64_MAX, to_ps = 0;
    if (!over->iterations) {
        slice->from_s = units_s(begin);
        slice->to_s = units_s(units_min_ps(begin + cut->width, cut->end));
        return;
    }
    for (size_t b = 0; b < over->bins; b++) {
        if (slice_of(cut, b) != index) continue;
        from_ps = units_min_ps(from_ps, over->begin_ps[b]);
        to_ps = units_max_ps(to_ps, over->end_ps[b]);
    }
    const bool behind = index >= cut->before + cut->groups;
    begin = index == 0 ? 0 : behind ? cut->end : begin + 1;
    slice->from_s = to_ps > 0 ? units_s(from_ps) : 0;
    slice->to_s = units_s(to_ps);
    slice->iteration = (uint64_t)begin;
    slice->iterations = (uint64_t)(index == 0 || behind ? 1 : units_min_ps(cut->width, cut->end - begin));
}

/* *end: of the run, or of the iterations. */
static enum status find_end(struct over_time *over, const struct trace *trace, int64_t *end, struct err *err)
{
    uint32_t count;
    if (over->iterations) {
        TRY(iterations_end(over->iterations, trace, take_iteration, over, &count, err));
        *end = count;
        return STATUS_OK;
    }
    *end = run_ps(trace);
    bin_at(over, *end);
    return STATUS_OK;
}

static enum status describe_slices(const struct over_time *over, const struct cut *cut, bool partial,
                                   struct result_over_time *made, struct err *err)
{
    made->known = true;
    made->partial = partial;
    made->loop_sought = over->sought;
    made->count = cut->count;
    made->width_s = over->iterations ? 0 : units_s(cut->width);
    if (!over->iterations) return STATUS_OK;
    made->iterations = strdup(over->name);
    return made->iterations ? STATUS_OK : err_memory(err);
}

static bool has_threads(const struct trace *trace)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace_thread_count(trace, r) > 1) return true;
    return false;
}

enum status over_time_report(struct over_time *over, const bool *refuted, const struct timelines *timelines,
                             const struct section *section, bool all_calls, struct result *result, struct err *err)
{
    int64_t end;
    const bool threads = over->iterations && has_threads(timelines->trace); /* iterations are of the first ones */
    TRY(find_end(over, timelines->trace, &end, err));
    const struct cut cut = cut_of(over, end);
    struct result_over_time *made = &result->over_time;
    struct bin *sums = calloc(cut.count, sizeof *sums);
    struct balance *balances = calloc(cut.count, sizeof *balances);
    int64_t *lives_ps = calloc(cut.count, sizeof *lives_ps);
    double *values = calloc(cut.count, sizeof *values);
    made->items = calloc(cut.count, sizeof *made->items);
    enum status status = sums && balances && lives_ps && values && made->items ? STATUS_OK : err_memory(err);
    for (int p = 0; status == STATUS_OK && p < PATTERN_COUNT; p++) status = need_row(over, FIRST_WAIT + p, err);
    if (status == STATUS_OK) status = describe_slices(over, &cut, section || threads, made, err);
    if (status == STATUS_OK) {
        report_waits(over, refuted, &cut, sums, made);
        report_calls(over, &cut, sums, made);
        add_balance(over, timelines, section, &cut, lives_ps, balances);
        for (size_t s = 0; s < cut.count; s++) {
            report_place(over, &cut, s, &made->items[s]);
            report_balance(&balances[s], all_calls && !threads, &made->items[s]);
        }
        find_outliers(made, values);
    }
    FREE_ALL(sums, balances, lives_ps, values);
    return status;
}
