#include "model/waits/over_time.h"

#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"
#include "model/waits/properties.h"
#include "model/waits/provisional.h"

/* More bins than slices, so that slices of equal width come near the number that is asked for. */
enum { BINS_PER_SLICE = 16, FIRST_WAIT = 3 };
enum row { ROW_CALLS, ROW_INIT, ROW_TRANSFERS, ROW_COUNT = FIRST_WAIT + PATTERN_COUNT + DOUBT_COUNT };

struct bin {
    wide_ps sum; /* of transfers: bytes */
    uint64_t count;
};

struct over_time {
    size_t slices, bins;
    uint32_t rank_count;
    int64_t width_ps;                /* of a bin; bins are counted from the first event on */
    struct bin *rows[ROW_COUNT];     /* NULL: nothing was added */
    int64_t *calls_ps;               /* by rank, then bin */
};

void over_time_free(struct over_time *over)
{
    for (int r = 0; over && r < ROW_COUNT; r++) free(over->rows[r]);
    if (over) free(over->calls_ps);
    free(over);
}

static enum status need_row(struct over_time *over, int row, struct err *err)
{
    if (!over->rows[row]) over->rows[row] = calloc(over->bins, sizeof *over->rows[row]);
    return over->rows[row] ? STATUS_OK : err_memory(err);
}

enum status over_time_new(uint32_t rank_count, size_t slices, struct over_time **over_time, struct err *err)
{
    struct over_time *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct over_time){.slices = slices, .bins = BINS_PER_SLICE * slices, .rank_count = rank_count, .width_ps = 1};
    made->calls_ps = calloc((size_t)rank_count * made->bins + 1, sizeof *made->calls_ps);
    enum status status = made->calls_ps ? STATUS_OK : err_memory(err);
    for (int row = 0; status == STATUS_OK && row < FIRST_WAIT; row++) status = need_row(made, row, err);
    GIVE(status, *over_time = made, over_time_free(made));
}

/* Doubles the width of all bins. */
static void double_width(struct over_time *over)
{
    for (int r = 0; r < ROW_COUNT; r++) {
        struct bin *row = over->rows[r];
        for (size_t b = 0; row && b < over->bins; b++) {
            const struct bin one = row[b];
            row[b] = (struct bin){0, 0};
            row[b / 2].sum += one.sum;
            row[b / 2].count += one.count;
        }
    }
    for (uint32_t r = 0; r < over->rank_count; r++) {
        int64_t *row = over->calls_ps + r * over->bins;
        for (size_t b = 0; b < over->bins; b++) {
            const int64_t one = row[b];
            row[b] = 0;
            row[b / 2] += one;
        }
    }
    over->width_ps *= 2;
}

/* The bin of a time. */
static size_t bin_at(struct over_time *over, int64_t at_ps)
{
    while (at_ps / over->width_ps >= (int64_t)over->bins) double_width(over);
    return (size_t)(at_ps / over->width_ps);
}

/* Adds a time that lasts from from_ps to until_ps, once, to a row and to a rank (NULL: to none). */
static void add_span(struct over_time *over, int row, int64_t *rank_ps, int64_t from_ps, int64_t until_ps)
{
    bin_at(over, until_ps);
    over->rows[row][bin_at(over, from_ps)].count++;
    while (from_ps < until_ps) {
        const size_t bin = bin_at(over, from_ps);
        const int64_t part_ps = units_min_ps(over->width_ps - from_ps % over->width_ps, until_ps - from_ps);
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
    if (finding->cause_call != FINDING_NO_CALL && finding->until_ps > until_ps) until_ps = finding->until_ps;
    if (until_ps > call->exit_ps) until_ps = call->exit_ps;
    const int64_t from_ps = units_max_ps(until_ps - finding->severity_ps - trace_begin_ps(trace), 0);
    TRY(need_row(over, row, err));
    add_span(over, row, NULL, from_ps, from_ps + finding->severity_ps);
    return STATUS_OK;
}

void over_time_add_call(struct over_time *over, const struct trace *trace, uint32_t rank, const struct trace_call *call)
{
    const int64_t zero_ps = trace_begin_ps(trace);
    const enum call_kind kind = call_kind(call->call);
    add_span(over, ROW_CALLS, over->calls_ps + rank * over->bins, call->enter_ps - zero_ps, call->exit_ps - zero_ps);
    if (kind == CALL_INIT || kind == CALL_FINALIZE)
        add_span(over, ROW_INIT, NULL, call->enter_ps - zero_ps, call->exit_ps - zero_ps);
}

void over_time_add_transfer(struct over_time *over, const struct trace *trace, const struct transfer *transfer)
{
    struct bin *bin = &over->rows[ROW_TRANSFERS][bin_at(over, units_max_ps(transfer->start_ps - trace_begin_ps(trace), 0))];
    bin->sum += transfer->bytes;
    bin->count++;
}

/* The bins of which the slices of a report consist. */
struct cut {
    int64_t end_ps, width_ps; /* of the run; of a slice */
    size_t bins, count;       /* of a slice; slices */
};

static struct cut cut_of(const struct over_time *over, int64_t end_ps)
{
    const size_t used = end_ps > 0 ? (size_t)((end_ps - 1) / over->width_ps) + 1 : 1, bins = (used - 1) / over->slices + 1;
    return (struct cut){end_ps, over->width_ps * (int64_t)bins, bins, (used - 1) / bins + 1};
}

/* The last slice has what is at the end of the run, too. */
static size_t slice_of(const struct cut *cut, size_t bin)
{
    return bin / cut->bins < cut->count ? bin / cut->bins : cut->count - 1;
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
    const int64_t begin_ps = (int64_t)slice * cut->width_ps;
    return units_max_ps(units_min_ps(until_ps, begin_ps + cut->width_ps) - units_max_ps(from_ps, begin_ps), 0);
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
    int64_t most_ps;
    uint32_t ranks;
};

/* lives_ps: room for one number per slice. */
static void add_balance(const struct over_time *over, const struct timelines *timelines, const struct section *section,
                        const struct cut *cut, int64_t *lives_ps, struct balance *balances)
{
    for (uint32_t r = 0; r < over->rank_count; r++) {
        for (size_t s = 0; s < cut->count; s++) lives_ps[s] = 0;
        add_life(timelines, section, r, cut, lives_ps);
        for (size_t s = 0; s < cut->count; s++) {
            balances[s].life_ps += lives_ps[s];
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
    slice->efficiency = all_calls && rest_s > 0 ? wide_s(balance->user_ps) / rest_s : -1;
    slice->load_balance = all_calls && most_s > 0 ? wide_s(balance->user_ps) / most_s : -1;
}

/* Slices of which MPI_Init or MPI_Finalize takes more than half say little of the program, and so does a short last one. */
static bool is_program(const struct result_over_time *made, size_t index)
{
    const struct result_slice *slice = &made->items[index];
    return slice->time_s > 0 && slice->init_s <= slice->time_s / 2 && slice->to_s - slice->from_s >= made->width_s / 2;
}

static double calls_share(const struct result_slice *slice)
{
    return (slice->calls_s - slice->init_s) / (slice->time_s - slice->init_s);
}

/* What a slice has more of than others do: its largest wait state if waits are half of its time in calls, else calls. */
static const char *name_excess(const struct result_slice *slice)
{
    int most = 0;
    for (int p = 1; p < PATTERN_COUNT; p++) {
        const bool whole = pattern_whole((enum pattern)p) == (enum pattern)p;
        if (whole && slice->waits[p].severity_s > slice->waits[most].severity_s) most = p;
    }
    return 2 * slice->waits_s >= slice->calls_s - slice->init_s ? pattern_row((enum pattern)most)->name : RESULT_SLICE_OF_CALLS;
}

/* The share of calls above which a slice stands out: a tenth of the slice above the third quartile, and one and a half times as
 * far above it as the first one is below. values: room for one per slice. */
static double least_outlier(const struct result_over_time *made, double *values)
{
    enum { LEAST_SLICES = 5 };
    size_t count = 0;
    for (size_t s = 0; s < made->count; s++)
        if (is_program(made, s)) values[count++] = calls_share(&made->items[s]);
    if (count < LEAST_SLICES) return INFINITY;
    qsort(values, count, sizeof *values, compare_doubles);
    const double third = values[count - 1 - count / 4];
    return third + fmax(1.5 * (third - values[count / 4]), 0.1);
}

/* More than a fifth of all are no exceptions. */
static void find_outliers(struct result_over_time *made, double *values)
{
    const double limit = least_outlier(made, values);
    size_t found = 0;
    for (size_t s = 0; s < made->count; s++) found += is_program(made, s) && calls_share(&made->items[s]) > limit;
    for (size_t s = 0; s < made->count && 5 * found <= made->count; s++)
        if (is_program(made, s) && calls_share(&made->items[s]) > limit)
            made->items[s].stands_out = name_excess(&made->items[s]);
}

static int64_t run_ps(const struct trace *trace)
{
    int64_t end_ps = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->ranks[r].count > 0) end_ps = units_max_ps(end_ps, trace_rank_end_ps(trace, r) - trace_begin_ps(trace));
    return end_ps;
}

enum status over_time_report(struct over_time *over, const bool *refuted, const struct timelines *timelines,
                             const struct section *section, bool all_calls, struct result *result, struct err *err)
{
    const int64_t end_ps = run_ps(timelines->trace);
    bin_at(over, end_ps);
    const struct cut cut = cut_of(over, end_ps);
    struct result_over_time *made = &result->over_time;
    struct bin *sums = calloc(cut.count, sizeof *sums);
    struct balance *balances = calloc(cut.count, sizeof *balances);
    int64_t *lives_ps = calloc(cut.count, sizeof *lives_ps);
    double *values = calloc(cut.count, sizeof *values);
    made->items = calloc(cut.count, sizeof *made->items);
    enum status status = sums && balances && lives_ps && values && made->items ? STATUS_OK : err_memory(err);
    for (int p = 0; status == STATUS_OK && p < PATTERN_COUNT; p++) status = need_row(over, FIRST_WAIT + p, err);
    if (status == STATUS_OK) {
        made->known = true;
        made->of_section = section != NULL;
        made->count = cut.count;
        made->width_s = units_s(cut.width_ps);
        report_waits(over, refuted, &cut, sums, made);
        report_calls(over, &cut, sums, made);
        add_balance(over, timelines, section, &cut, lives_ps, balances);
        for (size_t s = 0; s < cut.count; s++) {
            made->items[s].from_s = units_s((int64_t)s * cut.width_ps);
            made->items[s].to_s = units_s(units_min_ps((int64_t)(s + 1) * cut.width_ps, end_ps));
            report_balance(&balances[s], all_calls, &made->items[s]);
        }
        find_outliers(made, values);
    }
    FREE_ALL(sums, balances, lives_ps, values);
    return status;
}
