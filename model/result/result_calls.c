/* The calls of a result by function and place: their parts. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/waits/properties.h"
#include "model/result/result.h"

double result_total_s(const struct result *result)
{
    double total_s = 0;
    if (result->property_count > 0 && !result->section.known)
        total_s = result->properties[PROPERTY_TIME].inclusive_s;
    else
        for (uint32_t r = 0; r < result->rank_count; r++) total_s += result->rank_time_s[r];
    return fmax(total_s - result->init_s, 0);
}

double result_mpi_share(const struct result *result)
{
    const double total_s = result->properties[PROPERTY_TIME].inclusive_s;
    return total_s > 0 ? result->properties[PROPERTY_MPI].inclusive_s / total_s : 0;
}

void result_share_calls(struct result *result)
{
    const double total_s = result_total_s(result);
    for (size_t i = 0; i < result->calls.count; i++) {
        struct result_share *call = &result->calls.items[i];
        const double of_s = call->init ? total_s + result->init_s : total_s;
        call->share = of_s > 0 ? call->time_s / of_s : 0;
    }
}

/* Times of a trace are whole picoseconds: a smaller difference is rounding. */
double result_rest_s(const struct result_share *call)
{
    const double rest_s = call->time_s - call->wait_s;
    return rest_s >= 0.5e-12 ? rest_s : 0;
}

void result_explain_call(struct result_share *call, double replay_s)
{
    const double rest_s = result_rest_s(call);
    call->transfer_known = true;
    call->transfer_s = fmin(replay_s, rest_s);
    call->unexplained_s = fmax(rest_s - call->transfer_s - call->without_core_s, 0);
}

static bool is_same(const char *one, const char *other)
{
    return strcmp(one ? one : "", other ? other : "") == 0;
}

static const struct result_share *find_call(const struct result_shares *calls, const struct result_share *as)
{
    for (size_t i = 0; i < calls->count; i++) {
        const struct result_share *call = &calls->items[i];
        if (call->line == as->line && is_same(call->activity, as->activity) && is_same(call->callpath, as->callpath) &&
            is_same(call->file, as->file))
            return call;
    }
    return NULL;
}

enum status result_explain(struct result *result, const struct result *replayed, const char *file, struct err *err)
{
    const char *platform = replayed->platform ? replayed->platform : "the platform";
    if (replayed->origin != TRACE_SIMULATED || !replayed->calls_known)
        return err_set(err, STATUS_DATA, file, NULL, "is no result of rmacast simulate with the times of its calls");
    if (replayed->rank_count != result->rank_count)
        return err_set(err, STATUS_DATA, file, "ranks", "%" PRIu32 ", the trace has %" PRIu32 ": they are not of one run",
                       replayed->rank_count, result->rank_count);
    if (result->origin != TRACE_RECORDED) return STATUS_OK;
    free(result->replay);
    if (!(result->replay = strdup(platform))) return err_memory(err);
    for (size_t i = 0; i < result->calls.count; i++) {
        struct result_share *call = &result->calls.items[i];
        const struct result_share *same = find_call(&replayed->calls, call);
        call->transfer_known = false;
        if (same) result_explain_call(call, result_rest_s(same));
    }
    return STATUS_OK;
}
