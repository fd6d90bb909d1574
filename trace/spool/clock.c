/* Converts the ticks of a thread's recording to times by its anchors (trace/spool/reader.h). */
#include <math.h>

#include "common/array.h"
#include "trace/spool/reader.h"

/* Times beyond what a trace takes (trace/limits.h) are this, so that nothing overflows and the events refuse them. */
#define MOST_NS INT64_C(7000000000000000)

static int64_t bounded_ns(double ns)
{
    return llround(fmin(fmax(ns, (double)-MOST_NS), (double)MOST_NS));
}

/* Where the time stamp counter is used the kernel's clock runs by it, and is slewed by 10 % at most; the rate in the
 * header has the error of a short measurement, and readings of threads some delay. */
static bool clocks_agree(const struct spool_rank *rank, const struct spool_anchor *last, const struct spool_anchor *made)
{
    const double most = 1.25, slack_ns = 1e7;
    double expected_ns = (double)(int64_t)(made->ticks - last->ticks) * 1e9 / (double)rank->header->ticks_per_s;
    double passed_ns = copysign(1, expected_ns) * (double)(int64_t)(made->ns - last->ns);
    expected_ns = fabs(expected_ns);
    return passed_ns <= expected_ns * most + slack_ns && expected_ns <= passed_ns * most + slack_ns;
}

/* Threads read anchors of their own: the rate between two that are close together would be that of their errors. */
enum status spool_anchor_add(struct spool_rank *rank, const struct spool_rank *files, size_t at, uint64_t ticks, uint64_t ns,
                             struct err *err)
{
    enum { PER_SECOND = 1000 };
    const struct spool_anchor made = {ticks, ns}, *last = NULL;
    if (rank->anchor_count > 0) last = &rank->anchors[rank->anchor_count - 1];
    if (!spool_ticks(rank->header)) return STATUS_OK;
    if (last && !clocks_agree(rank, last, &made))
        return spool_fault(files, at, err,
                           "an anchor %.6g s of ticks and %.6g s of the clock after the one before, expected them to agree",
                           (double)(int64_t)(ticks - last->ticks) / (double)rank->header->ticks_per_s,
                           (double)(int64_t)(ns - last->ns) * 1e-9);
    uint64_t apart_ticks = rank->header->ticks_per_s / PER_SECOND;
    if (last && (ticks < last->ticks + apart_ticks || ns <= last->ns)) return STATUS_OK;
    ARRAY_PUSH(rank->anchors, rank->anchor_count, rank->anchor_capacity, made, err);
    return STATUS_OK;
}

static double ns_per_tick(const struct spool_anchor *from, const struct spool_anchor *to)
{
    return (double)(to->ns - from->ns) / (double)(to->ticks - from->ticks);
}

/* Behind the last anchor the rate of a longer time counts, in which the errors of reading do not matter. */
static double rate_behind(const struct spool_rank *rank, size_t last)
{
    enum { SPAN = 16 };
    if (last == 0) return 1e9 / (double)rank->header->ticks_per_s;
    return ns_per_tick(&rank->anchors[last > SPAN ? last - SPAN : 0], &rank->anchors[last]);
}

struct instant { /* CLOCK_MONOTONIC of the rank */
    uint64_t ns;
    double fraction_ns; /* 0 to 1 */
};

/* Returns the rate behind anchor `at`. Times come nearly in order, so it is mostly the rate of the time before. */
static double rate_at(struct spool_rank *rank, size_t at, bool last)
{
    if (rank->rate_per_tick > 0 && rank->rate_anchor == at) return rank->rate_per_tick;
    const struct spool_anchor *anchor = &rank->anchors[at];
    rank->rate_anchor = at;
    rank->rate_per_tick = last ? rate_behind(rank, at) : ns_per_tick(anchor, anchor + 1);
    return rank->rate_per_tick;
}

/* Interpolates between two anchors. Rounding does not carry the result past the next anchor. */
static struct instant instant_of(struct spool_rank *rank, uint64_t time)
{
    if (rank->anchor_count == 0) return (struct instant){rank->header->base_ns + time, 0};
    /* The last anchor at or before these ticks. Times come nearly in order. */
    size_t at = rank->anchor_near;
    while (at > 0 && rank->anchors[at].ticks > time) at--;
    while (at + 1 < rank->anchor_count && rank->anchors[at + 1].ticks <= time) at++;
    rank->anchor_near = at;
    const struct spool_anchor *anchor = &rank->anchors[at];
    bool last = at + 1 == rank->anchor_count;
    double most = last ? (double)MOST_NS : (double)(anchor[1].ns - anchor->ns);
    double since = (double)(time - anchor->ticks) * rate_at(rank, at, last);
    since = since < most ? since : most;
    uint64_t whole = (uint64_t)(int64_t)since; /* 0 to MOST_NS */
    return (struct instant){anchor->ns + whole, since - (double)(int64_t)whole};
}

/* Returns the offset to rank 0's clock: interpolated between the measurements, constant outside them. */
static double offset_ns(const struct spool_rank *rank, uint64_t ns)
{
    if (rank->clock_count == 0) return 0;
    const struct spool_clock *first = &rank->clocks[0], *last = &rank->clocks[rank->clock_count - 1];
    if (last->local_ns <= first->local_ns || ns <= first->local_ns) return (double)first->offset_ns;
    if (ns >= last->local_ns) return (double)last->offset_ns;
    if (first->offset_ns == last->offset_ns) return (double)first->offset_ns;
    double share = (double)(ns - first->local_ns) / (double)(last->local_ns - first->local_ns);
    return (double)first->offset_ns + share * (double)(last->offset_ns - first->offset_ns);
}

/* Rounds as llround(): half away from 0. The result is at least 0. */
static int64_t rounded_ps(double value)
{
    int64_t whole = (int64_t)value;
    return whole + (value - (double)whole >= 0.5);
}

int64_t spool_time_ps(const struct spool *spool, struct spool_rank *rank, uint64_t time)
{
    struct instant instant = instant_of(rank, time & SPOOL_TIME_MASK);
    int64_t since = (int64_t)(instant.ns - spool->base_ns);
    double offset = offset_ns(rank, instant.ns), whole = floor(offset);
    since = since > MOST_NS ? MOST_NS : since < -MOST_NS ? -MOST_NS : since;
    since += offset == 0 ? 0 : bounded_ns(whole);
    since = since > MOST_NS ? MOST_NS : since < -MOST_NS ? -MOST_NS : since;
    return since * 1000 + rounded_ps((offset - whole + instant.fraction_ns) * 1e3);
}

/* A rank's first event is at its header's base time, the entry of MPI_Init. */
void spool_clock_begin(struct spool *spool, struct trace *trace)
{
    double worst_offset_ns = 0, worst_error_ns = 0;
    bool known = true, begun = false;
    for (uint32_t i = 0; i < spool->world; i++) {
        const struct spool_rank *rank = &spool->ranks[i];
        if (!rank->present) continue;
        uint64_t begin = rank->header->base_ns;
        enum trace_clock_source *source = &trace->provenance.clock.source;
        enum trace_clock_source own = spool_ticks(rank->header) ? TRACE_CLOCK_TSC : TRACE_CLOCK_MONOTONIC;
        *source = *source == TRACE_CLOCK_UNKNOWN || *source == own ? own : TRACE_CLOCK_MIXED;
        begin += (uint64_t)bounded_ns(offset_ns(rank, begin));
        if (!begun || begin < spool->base_ns) spool->base_ns = begin;
        begun = true;
        known = known && rank->clock_count > 0;
        for (size_t k = 0; k < rank->clock_count; k++) {
            worst_offset_ns = fmax(worst_offset_ns, fabs((double)rank->clocks[k].offset_ns));
            worst_error_ns = fmax(worst_error_ns, (double)rank->clocks[k].error_ns);
        }
    }
    trace->provenance.clock.known = known;
    trace->provenance.clock.worst_offset_s = worst_offset_ns * 1e-9;
    trace->provenance.clock.worst_error_s = worst_error_ns * 1e-9;
}
