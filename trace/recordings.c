#include "trace/recordings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/search.h"
#include "common/units.h"
#include "common/wide.h"
#include "trace/spins.h"

/* A recording is odd if its computing is further from the median of the others than this share of it, and than three times what
 * they are away from it. */
static const double ODD_SHARE = 0.08, ODD_TIMES = 3;

/* The calls of one thread of a rank, in one recording. */
struct walk {
    const struct trace *trace;
    uint32_t rank, thread;
    size_t next;       /* call, not before which the walk goes on */
    int64_t before_ps; /* exit of the thread's call before; -1: there is none */
    bool tested;       /* failed tests lie behind that */
};

struct medians {
    struct walk walks[RECORDINGS_MAX];
    size_t count;
    wide_ps sums_ps[RECORDINGS_MAX]; /* computing of the rank */
    wide_ps all_ps[RECORDINGS_MAX];  /* of all ranks */
    double variance;                 /* sum over ranks of the variances of their computing, in seconds squared */
    uint32_t ranks;
};

/* Moves to the thread's next call that is no failed test. False: there is none. */
static bool find_next(struct walk *walk)
{
    const struct trace_rank *rank = &walk->trace->ranks[walk->rank];
    for (; walk->next < rank->count; walk->next++) {
        if (trace_call_thread(walk->trace, walk->rank, walk->next) != walk->thread) continue;
        if (!trace_is_failed_test(&rank->calls[walk->next])) return true;
        walk->tested = true;
    }
    return false;
}

static int64_t computing_before_ps(const struct walk *walk)
{
    const struct trace_rank *rank = &walk->trace->ranks[walk->rank];
    const int64_t gap_ps = rank->calls[walk->next].enter_ps - walk->before_ps - walk->trace->provenance.record_cost_ps;
    const int64_t computing_ps = trace_compute_ps(rank, walk->next, gap_ps);
    return computing_ps > 0 ? computing_ps : 0;
}

static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Whether the call may be told from another program's: what was received is the other side's. */
static bool is_same_call(const struct trace_call *a, const struct trace_call *b)
{
    const enum call_kind kind = call_kind(a->call);
    if (a->call != b->call) return false;
    const bool own = call_arm(kind) == ARM_RMA || kind == CALL_SEND || kind == CALL_ISEND;
    return !own || (a->bytes == b->bytes && a->peer == b->peer);
}

static enum status tell_other(const struct walk *first, const struct walk *other, bool has_first, bool has_other, struct err *err)
{
    const char *made = has_other ? call_name(other->trace->ranks[other->rank].calls[other->next].call) : "no further call";
    const char *expected = has_first ? call_name(first->trace->ranks[first->rank].calls[first->next].call) : "no further call";
    char place[TRACE_PLACE_BYTES];
    if (has_other)
        trace_place(other->trace, other->rank, other->next, place);
    else
        snprintf(place, sizeof place, "rank %" PRIu32, other->rank);
    return err_set(err, STATUS_DATA, other->trace->name, place,
                   "%s, where %s has %s%s: expected recordings of one program with one input, or one alone", made,
                   first->trace->name, expected, made == expected ? " of other size or partner" : "");
}

static enum status set_median(struct trace *trace, const struct walk *walk, int64_t own_ps, int64_t ps, struct err *err)
{
    struct trace_rank *rank = &trace->ranks[walk->rank];
    const int64_t slept_ps = trace_slept_ps(rank, walk->next, own_ps);
    if (slept_ps > 0 && rank->before_ps[BEFORE_SLEPT])
        rank->before_ps[BEFORE_SLEPT][walk->next] = (int64_t)((double)ps * ((double)slept_ps / (double)own_ps));
    return trace_set_compute(trace, walk->rank, walk->next, ps, err);
}

/* The call at which all walks are: its gap, then behind it. */
static enum status take_call(struct medians *medians, struct trace *trace, struct err *err)
{
    struct walk *first = &medians->walks[0];
    double values[RECORDINGS_MAX];
    int64_t own_ps = 0;
    size_t taken = 0;
    const bool begun = first->before_ps >= 0, tested = first->tested;
    for (size_t k = 0; k < medians->count; k++) {
        struct walk *walk = &medians->walks[k];
        const struct trace_call *call = &walk->trace->ranks[walk->rank].calls[walk->next];
        if (begun) {
            const int64_t ps = computing_before_ps(walk);
            medians->sums_ps[k] += ps;
            if (k == 0) own_ps = ps;
            if (!walk->tested) values[taken++] = (double)ps;
        }
        walk->before_ps = call->exit_ps;
        walk->tested = false;
    }
    if (begun && !tested && taken > 1) TRY(set_median(trace, first, own_ps, (int64_t)median_of(values, taken), err));
    for (size_t k = 0; k < medians->count; k++) medians->walks[k].next++;
    return STATUS_OK;
}

static enum status take_thread(struct medians *medians, struct trace *const *recordings, uint32_t rank, uint32_t thread,
                               struct err *err)
{
    for (size_t k = 0; k < medians->count; k++)
        medians->walks[k] = (struct walk){.trace = recordings[k], .rank = rank, .thread = thread, .before_ps = -1};
    for (;;) {
        struct walk *first = &medians->walks[0];
        const bool has_first = find_next(first);
        for (size_t k = 1; k < medians->count; k++) {
            struct walk *walk = &medians->walks[k];
            const bool has = find_next(walk);
            if (has != has_first || (has && !is_same_call(&first->trace->ranks[rank].calls[first->next],
                                                          &walk->trace->ranks[rank].calls[walk->next])))
                return tell_other(first, walk, has_first, has, err);
        }
        if (!has_first) return STATUS_OK;
        TRY(take_call(medians, recordings[0], err));
    }
}

/* The variance of the rank's computing over the recordings. */
static void add_variance(struct medians *medians)
{
    double mean_s = 0, squares = 0;
    for (size_t k = 0; k < medians->count; k++) mean_s += wide_s(medians->sums_ps[k]) / (double)medians->count;
    for (size_t k = 0; k < medians->count; k++) {
        squares += pow(wide_s(medians->sums_ps[k]) - mean_s, 2);
        medians->all_ps[k] += medians->sums_ps[k];
        medians->sums_ps[k] = 0;
    }
    medians->variance += squares / (double)(medians->count - 1);
    medians->ranks++;
}

static double median_of_others(const double *values, size_t count, size_t without)
{
    double others[RECORDINGS_MAX];
    size_t taken = 0;
    for (size_t k = 0; k < count; k++)
        if (k != without) others[taken++] = values[k];
    return median_of(others, taken);
}

/* Of two nobody can say which one is odd. */
static enum status note_odd(const struct medians *medians, struct trace *const *recordings, struct err *err)
{
    double all_s[RECORDINGS_MAX], away_s[RECORDINGS_MAX];
    for (size_t k = 0; k < medians->count; k++) all_s[k] = wide_s(medians->all_ps[k]);
    for (size_t k = 0; medians->count > 2 && k < medians->count; k++) {
        const double median_s = median_of_others(all_s, medians->count, k);
        for (size_t i = 0; i < medians->count; i++) away_s[i] = fabs(all_s[i] - median_s);
        const double others_s = median_of_others(away_s, medians->count, k);
        if (away_s[k] <= ODD_SHARE * median_s || away_s[k] <= ODD_TIMES * others_s) continue;
        TRY(trace_add_note(recordings[0], err,
                           "%s computes %.1f %% %s than the median of the other recordings: record it again, or leave it out",
                           recordings[k]->name, 100 * away_s[k] / median_s, all_s[k] > median_s ? "longer" : "shorter"));
    }
    return STATUS_OK;
}

static enum status check_ranks(struct trace *const *recordings, size_t count, struct err *err)
{
    const struct trace *first = recordings[0];
    for (size_t k = 1; k < count; k++) {
        const struct trace *other = recordings[k];
        if (other->rank_count != first->rank_count)
            return err_set(err, STATUS_DATA, other->name, NULL,
                           "%" PRIu32 " rank%s, %s has %" PRIu32 ": they are not recordings of one program with one input",
                           other->rank_count, units_plural(other->rank_count), first->name, first->rank_count);
        for (uint32_t r = 0; r < first->rank_count; r++)
            if (trace_thread_count(other, r) != trace_thread_count(first, r))
                return err_set(err, STATUS_DATA, other->name, NULL,
                               "rank %" PRIu32 " has %" PRIu32 " threads, in %s %" PRIu32, r, trace_thread_count(other, r),
                               first->name, trace_thread_count(first, r));
    }
    return STATUS_OK;
}

enum status trace_use_recordings(struct trace *const *recordings, size_t count, struct err *err)
{
    struct trace *first = recordings[0];
    struct medians medians = {.count = count};
    if (count < 2) return STATUS_OK;
    TRY(check_ranks(recordings, count, err));
    for (uint32_t r = 0; r < first->rank_count; r++) {
        for (uint32_t thread = 0; thread < trace_thread_count(first, r); thread++)
            TRY(take_thread(&medians, recordings, r, thread, err));
        add_variance(&medians);
    }
    first->provenance.recordings = (uint32_t)count;
    first->provenance.recordings_s = sqrt(medians.variance / medians.ranks);
    TRY(trace_add_note(first, err, "computing is the median of %zu recordings", count));
    return note_odd(&medians, recordings, err);
}
