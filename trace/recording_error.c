#include "trace/recording_error.h"

#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "common/units.h"

/* Lengths of the steps between two places fall into bins, each LENGTH_RATIO times as long as the one below it. Bins that touch
 * are one kind of step. */
#define LENGTH_RATIO 1.1
/* Half of the band of 90 % of a normal distribution, in standard deviations. */
#define HALF_BAND 1.645
enum { RANKS_TAKEN = 64, CALLS_TAKEN = 16384, STEPS_LEAST = 3 };

struct bin {
    uint64_t places;
    int64_t length;
    double count, sum_s, squares; /* squares: of the seconds beyond `first_s`, so that equal ones leave no error of rounding */
    double first_s, beyond_s;
};

struct steps {
    struct bin *bins;
    size_t count, capacity;
    struct map index; /* of hashes of places and length to bins */
};

/* The last call of a thread. */
struct thread_end {
    int64_t exit_ps;
    uint64_t place;
    bool begun;
};

static uint64_t place_of(const struct trace_call *call)
{
    return map_mix(map_pair(call->site, call->call), (uint64_t)(uint32_t)call->handle);
}

static enum status add_step(struct steps *steps, uint64_t places, double step_s, struct err *err)
{
    int64_t length = step_s > 1e-7 ? (int64_t)floor(log(step_s / 1e-7) / log(LENGTH_RATIO)) : 0;
    uint64_t *slot;
    TRY(map_put(&steps->index, map_mix(places, (uint64_t)length), steps->count, &slot, err));
    if (*slot == steps->count) {
        TRY(array_reserve((void **)&steps->bins, &steps->capacity, steps->count + 1, sizeof *steps->bins, err));
        steps->bins[steps->count++] = (struct bin){.places = places, .length = length, .first_s = step_s};
    }
    struct bin *bin = &steps->bins[*slot];
    double beyond_s = step_s - bin->first_s;
    bin->count++;
    bin->sum_s += step_s;
    bin->beyond_s += beyond_s;
    bin->squares += beyond_s * beyond_s;
    return STATUS_OK;
}

static enum status add_rank(const struct trace *trace, uint32_t rank, struct steps *steps, struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    size_t calls = process->count < CALLS_TAKEN ? process->count : CALLS_TAKEN;
    struct thread_end *ends = calloc((size_t)process->thread_count + 1, sizeof *ends);
    enum status status = ends ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < calls; i++) {
        const struct trace_call *call = &process->calls[i];
        struct thread_end *end = &ends[trace_call_thread(trace, rank, i)];
        int64_t step_ps = trace_compute_ps(process, i, call->enter_ps - end->exit_ps);
        if (end->begun && step_ps > 0) status = add_step(steps, map_mix(end->place, place_of(call)), units_s(step_ps), err);
        *end = (struct thread_end){call->exit_ps, place_of(call), true};
    }
    free(ends);
    return status;
}

static int compare_bins(const void *a, const void *b)
{
    const struct bin *one = a, *other = b;
    if (one->places != other->places) return one->places < other->places ? -1 : 1;
    return one->length < other->length ? -1 : one->length > other->length;
}

/* A kind of step: bins that touch. */
struct kind {
    const struct bin *bins;
    size_t bin_count;
    double count, sum_s;
};

static double kind_mean_s(const struct kind *kind)
{
    return kind->sum_s / kind->count;
}

/* The sum of the squares of what the steps differ from a length. */
static double squares_about(const struct kind *kind, double length_s)
{
    double squares = 0;
    for (size_t i = 0; i < kind->bin_count; i++) {
        const struct bin *bin = &kind->bins[i];
        double shift_s = bin->first_s - length_s;
        squares += bin->squares + 2 * shift_s * bin->beyond_s + bin->count * shift_s * shift_s;
    }
    return squares;
}

/* The kind of bins[0], which end at or before bins[count). */
static struct kind find_kind(const struct bin *bins, size_t count)
{
    struct kind kind = {.bins = bins};
    do {
        kind.count += bins[kind.bin_count].count;
        kind.sum_s += bins[kind.bin_count].sum_s;
        kind.bin_count++;
    } while (kind.bin_count < count && bins[kind.bin_count].places == bins->places &&
             bins[kind.bin_count].length <= bins[kind.bin_count - 1].length + 1);
    return kind;
}

/* Of the kinds at the same places the common one whose mean is next to a length; count 0: none is common. */
static struct kind nearest_common(const struct bin *bins, size_t count, double length_s)
{
    struct kind nearest = {.count = 0};
    for (size_t at = 0; at < count && bins[at].places == bins->places;) {
        struct kind kind = find_kind(&bins[at], count - at);
        at += kind.bin_count;
        if (kind.count < STEPS_LEAST) continue;
        if (nearest.count == 0 || fabs(kind_mean_s(&kind) - length_s) < fabs(kind_mean_s(&nearest) - length_s)) nearest = kind;
    }
    return nearest;
}

/* The standard deviation of the rank's computing; NAN: unknown. A step of a rare length is a disturbed one of the common kind
 * that is nearest. */
static double rank_spread_s(struct steps *steps)
{
    double all_s = 0, known_s = 0, variance = 0;
    size_t places = 0;
    qsort(steps->bins, steps->count, sizeof *steps->bins, compare_bins);
    for (size_t at = 0; at < steps->count;) {
        if (steps->bins[at].places != steps->bins[places].places) places = at;
        struct kind kind = find_kind(&steps->bins[at], steps->count - at);
        struct kind common = nearest_common(&steps->bins[places], steps->count - places, kind_mean_s(&kind));
        at += kind.bin_count;
        all_s += kind.sum_s;
        if (common.count == 0) continue;
        known_s += kind.sum_s;
        double few = kind.bins == common.bins ? kind.count / (kind.count - 1) : 1; /* steps for a mean of their own */
        variance += few * squares_about(&kind, kind_mean_s(&common));
    }
    if (all_s == 0) return 0;
    return known_s >= all_s / 2 ? sqrt(variance * all_s / known_s) : NAN;
}

/* Between the first and the last rank's first call. */
static double starts_range_s(const struct trace *trace)
{
    int64_t first_ps = INT64_MAX, last_ps = INT64_MIN;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        if (trace->ranks[rank].count == 0) continue;
        int64_t enter_ps = trace->ranks[rank].calls[0].enter_ps;
        if (enter_ps < first_ps) first_ps = enter_ps;
        if (enter_ps > last_ps) last_ps = enter_ps;
    }
    return last_ps > first_ps ? units_s(last_ps) - units_s(first_ps) : 0;
}

enum status trace_recording_error(const struct trace *trace, bool starts, double *error_s, struct err *err)
{
    const uint32_t stride = trace->rank_count / RANKS_TAKEN + 1;
    double spread_s = 0;
    *error_s = 0;
    if (trace_origin(trace) != TRACE_RECORDED) return STATUS_OK;
    for (uint32_t rank = 0; rank < trace->rank_count && !isnan(spread_s); rank += stride) {
        const size_t count = trace->ranks[rank].count;
        struct steps steps = {.count = 0};
        enum status status = add_rank(trace, rank, &steps, err);
        double own_s = status == STATUS_OK ? rank_spread_s(&steps) : 0;
        if (count > CALLS_TAKEN) own_s *= sqrt((double)count / CALLS_TAKEN);
        if (isnan(own_s) || own_s > spread_s) spread_s = own_s;
        free(steps.bins);
        map_clear(&steps.index);
        TRY(status);
    }
    *error_s = HALF_BAND * spread_s + (starts ? starts_range_s(trace) / 2 : 0);
    return STATUS_OK;
}
