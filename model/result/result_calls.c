/* The calls of a result by function and place: their parts, and their JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_write.h"
#include "model/waits/properties.h"
#include "model/result/result.h"

double result_total_s(const struct result *result)
{
    double total_s = 0;
    if (result->property_count > 0 && !result->section.known) return result->properties[PROPERTY_TIME].inclusive_s;
    for (uint32_t r = 0; r < result->rank_count; r++) total_s += result->rank_time_s[r];
    return total_s;
}

double result_mpi_share(const struct result *result)
{
    const double total_s = result->properties[PROPERTY_TIME].inclusive_s;
    return total_s > 0 ? result->properties[PROPERTY_MPI].inclusive_s / total_s : 0;
}

double result_rest_s(const struct result_share *call)
{
    return call->time_s > call->wait_s ? call->time_s - call->wait_s : 0;
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

static void add_waits(cJSON *object, const struct result_share *call)
{
    cJSON *waits = json_add_array(object, "waits");
    for (int p = 0; p < PATTERN_COUNT; p++) {
        if (call->waits_s[p] <= 0) continue;
        cJSON *wait = json_append_object(waits);
        json_add_text(wait, "name", pattern_row((enum pattern)p)->name);
        json_add_number(wait, "severity_s", call->waits_s[p]);
    }
}

static void add_call(cJSON *places, const struct result_share *call, double total_s)
{
    cJSON *object = json_append_object(places);
    json_add_text(object, "call", call->activity);
    json_add_text(object, "callpath", call->callpath);
    json_add_text(object, "file", call->file);
    json_add_known(object, "line", call->line > 0, call->line);
    result_who_json(&call->who, object);
    json_add_bool(object, "stands_out", call->stands_out);
    json_add_bool(object, "init", call->init);
    json_add_number(object, "count", (double)call->count);
    json_add_number(object, "time_s", call->time_s);
    json_add_number(object, "share", total_s > 0 ? call->time_s / total_s : 0);
    json_add_number(object, "waits_s", call->wait_s);
    add_waits(object, call);
    json_add_known(object, "transfer_s", call->transfer_known, call->transfer_s);
    json_add_known(object, "unexplained_s", call->transfer_known, call->unexplained_s);
    json_add_known(object, "without_core_s", call->without_core_known, call->without_core_s);
}

static void add_user(cJSON *root, const struct result *result)
{
    const struct spread *user = &result->user;
    cJSON *object = json_add_object(root, "user_code");
    json_add_number(object, "most_s", user->most_s);
    json_add_number(object, "rank", user->most_rank);
    json_add_number(object, "others_s", spread_others_s(user));
    json_add_bool(object, "stands_out", spread_stands_out(user));
    json_add_number(object, "unbalanced_s", result->unbalanced_s);
}

void result_calls_json(const struct result *result, cJSON *root)
{
    if (!result->calls_known) {
        json_add_null(root, "calls");
        json_add_null(root, "calls_replay");
        json_add_null(root, "user_code");
        return;
    }
    const double total_s = result_total_s(result);
    cJSON *calls = json_add_array(root, "calls");
    for (size_t i = 0; i < result->calls.count; i++) add_call(calls, &result->calls.items[i], total_s);
    json_add_text(root, "calls_replay", result->replay);
    add_user(root, result);
}
