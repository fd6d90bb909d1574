#include <math.h>

#include "trace/spool_parts.h"

/* Offset to rank 0's clock, interpolated between the measurements and constant outside them. */
static double offset_ns(const struct spool_rank *rank, uint64_t ns)
{
    if (rank->clock_count == 0) return 0;
    const struct spool_clock *first = &rank->clocks[0], *last = &rank->clocks[rank->clock_count - 1];
    if (last->local_ns <= first->local_ns || ns <= first->local_ns) return (double)first->offset_ns;
    if (ns >= last->local_ns) return (double)last->offset_ns;
    double share = (double)(ns - first->local_ns) / (double)(last->local_ns - first->local_ns);
    return (double)first->offset_ns + share * (double)(last->offset_ns - first->offset_ns);
}

/* What a damaged file may hold stays in the range of the trace (106 days), so that nothing overflows. */
static int64_t bounded(double ns)
{
    const double most_ns = 4e15;
    return llround(fmin(fmax(ns, -most_ns), most_ns));
}

int64_t spool_time_ps(const struct spool *spool, const struct spool_rank *rank, uint64_t time)
{
    uint64_t ns = rank->header->base_ns + (time & SPOOL_TIME_MASK);
    int64_t since = (int64_t)(ns - spool->base_ns), most = INT64_C(4000000000000000);
    since = since > most ? most : since < -most ? -most : since;
    double offset = offset_ns(rank, ns), whole = floor(offset);
    return (since + bounded(whole)) * 1000 + llround((offset - whole) * 1e3);
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
        begin += (uint64_t)bounded(offset_ns(rank, begin));
        if (!begun || begin < spool->base_ns) spool->base_ns = begin;
        begun = true;
        known = known && rank->clock_count > 0;
        for (size_t k = 0; k < rank->clock_count; k++) {
            worst_offset_ns = fmax(worst_offset_ns, fabs((double)rank->clocks[k].offset_ns));
            worst_error_ns = fmax(worst_error_ns, (double)rank->clocks[k].error_ns);
        }
    }
    trace->clock.known = known;
    trace->clock.worst_offset_s = worst_offset_ns * 1e-9;
    trace->clock.worst_error_s = worst_error_ns * 1e-9;
}
