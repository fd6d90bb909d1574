#include "model/waits/disturbance.h"

#include <stdlib.h>

#include "common/units.h"
#include "model/waits/properties.h"

void disturbance_add_rank(const struct trace_rank *rank, size_t first, struct disturbance_inside *inside)
{
    for (size_t i = first; i < rank->count; i++) {
        const struct trace_call *call = &rank->calls[i];
        if (call_is_region(call->call)) continue;
        inside->all_ps += call->exit_ps - call->enter_ps;
        if (trace_core_wait_is_known(call)) inside->mpi_ps += call->exit_ps - call->enter_ps;
    }
}

void disturbance_add(const struct trace *trace, struct disturbance_inside *inside)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        disturbance_add_rank(&trace->ranks[r], trace->ranks[r].kept_count, &inside[r]);
}

/* Computing of all threads, without sleep and the time in which recording was stopped. */
static double computing_s(const struct timelines *timelines, uint32_t rank, int64_t zero_ps, int64_t inside_ps)
{
    const int64_t *sum_ps = timelines->trace->ranks[rank].before_sum_ps;
    double other_s = units_s(sum_ps[BEFORE_PAUSED]) + units_s(sum_ps[BEFORE_SLEPT]);
    double left_s = units_s(properties_life_ps(timelines, rank, zero_ps) - inside_ps) - other_s;
    return left_s > 0 ? left_s : 0;
}

void disturbance_shares(const struct timelines *timelines, const struct disturbance_inside *inside, double *shares)
{
    const struct trace *trace = timelines->trace;
    const int64_t zero_ps = trace_begin_ps(trace);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const int64_t *sum_ps = trace->ranks[r].before_sum_ps;
        double waited_s = units_s(sum_ps[BEFORE_CORE_WAIT]) + units_s(sum_ps[BEFORE_CORE_WAIT_INSIDE]);
        shares[r] = 0;
        if (trace->provenance.simulated || waited_s == 0) continue;
        double all_s = computing_s(timelines, r, zero_ps, inside[r].all_ps) + units_s(sum_ps[BEFORE_SLEPT] + inside[r].mpi_ps);
        if (all_s > 0) shares[r] = waited_s / all_s;
    }
}

void disturbance_report(const struct timelines *timelines, const struct disturbance_inside *inside,
                        struct result_disturbance *made)
{
    const struct trace *trace = timelines->trace;
    int64_t zero_ps = trace_begin_ps(trace);
    *made = (struct result_disturbance){.known = trace->provenance.core_waits && !trace->provenance.simulated,
                                        .worst_rank = 0};
    if (trace->provenance.simulated) return;
    made->crowded = trace_is_crowded(trace);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        double all_s = computing_s(timelines, r, zero_ps, inside[r].all_ps);
        double waited_s = units_s(trace->ranks[r].before_sum_ps[BEFORE_CORE_WAIT]);
        if (waited_s > all_s) waited_s = all_s;
        made->computing_s += all_s;
        made->waited_s += waited_s;
        made->mpi_s += units_s(inside[r].mpi_ps);
        made->mpi_waited_s += units_s(units_min_ps(trace->ranks[r].before_sum_ps[BEFORE_CORE_WAIT_INSIDE], inside[r].mpi_ps));
        double share = all_s > 0 ? waited_s / all_s : 0;
        if (share <= made->worst_share) continue;
        made->worst_share = share;
        made->worst_rank = r;
    }
}

enum status disturbance_find(const struct trace *trace, struct result_disturbance *made, struct err *err)
{
    struct timelines timelines;
    TRY(timelines_build(trace, &timelines, err));
    struct disturbance_inside *inside = calloc((size_t)trace->rank_count + 1, sizeof *inside);
    if (inside) {
        disturbance_add(trace, inside);
        disturbance_report(&timelines, inside, made);
    }
    bool good = inside != NULL;
    free(inside);
    timelines_clear(&timelines);
    return good ? STATUS_OK : err_memory(err);
}
