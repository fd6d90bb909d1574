#include "model/waits/call_times.h"

#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "model/waits/properties.h"

/* A rank makes few kinds of calls again and again: their times are summed here before they go into the profile. */
enum { RECENT = 64 };
struct recent {
    struct time_activity of;
    struct rank_sum sum; /* count 0: the slot is free */
};

static enum status put_recent(struct time_profile *times, struct recent *recent, struct err *err)
{
    enum status status = recent->sum.count > 0 ? time_profile_add(times, &recent->of, &recent->sum, err) : STATUS_OK;
    recent->sum.count = 0;
    return status;
}

static enum status add_call(struct time_profile *times, uint32_t rank, size_t index, struct recent recent[RECENT],
                            struct err *err)
{
    const struct trace_call *call = &times->trace->ranks[rank].calls[index];
    const struct time_activity of = {callpath_at(times->paths, rank, index), call->site, call->call};
    const uint32_t thread = trace_call_thread(times->trace, rank, index);
    struct recent *slot = &recent[(of.node * 31 + of.site * 7 + of.activity + thread) % RECENT];
    if (slot->sum.thread != thread || memcmp(&slot->of, &of, sizeof of) != 0) TRY(put_recent(times, slot, err));
    if (slot->sum.count == 0) *slot = (struct recent){of, {.rank = rank, .thread = thread}};
    slot->sum.count++;
    slot->sum.ps += call->exit_ps - call->enter_ps;
    slot->sum.without_core_ps += trace_before_ps(&times->trace->ranks[rank], BEFORE_CORE_WAIT_INSIDE, index);
    return STATUS_OK;
}

static enum status add_rank(struct time_profile *times, const struct filter *filter, uint32_t rank, struct over_time *over_time,
                            struct err *err)
{
    const struct trace_rank *process = &times->trace->ranks[rank];
    const bool all = !filter_is_set(filter);
    struct recent recent[RECENT] = {{.sum = {.count = 0}}};
    for (size_t i = process->kept_count; i < process->count; i++) {
        const struct finding at = {.rank = rank, .call = i};
        bool passes = !call_is_region(process->calls[i].call);
        if (passes && !all) TRY(filter_passes(filter, times->trace, times->paths, &at, &passes, err));
        if (passes) TRY(add_call(times, rank, i, recent, err));
        if (passes && over_time) over_time_add_call(over_time, times->trace, rank, i);
    }
    for (int i = 0; i < RECENT; i++) TRY(put_recent(times, &recent[i], err));
    return STATUS_OK;
}

enum status call_times_add(struct time_profile *times, const struct filter *filter, const struct trace *trace,
                           struct over_time *over_time, struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) TRY(add_rank(times, filter, r, over_time, err));
    return STATUS_OK;
}

/* core_waits: they were recorded. */
static void classify_call(bool core_waits, struct result_share *call)
{
    enum mpi_call function;
    if (!call_by_name(call->activity, &function)) return;
    const struct trace_call one = {.call = (uint16_t)function};
    call->init = call_kind(function) == CALL_INIT || call_kind(function) == CALL_FINALIZE;
    call->without_core_known = core_waits && trace_core_wait_is_known(&one);
}

enum status call_times_report(struct time_profile *times, const struct wait_profile *waits, struct result *result,
                              struct err *err)
{
    const struct trace_provenance *provenance = &times->trace->provenance;
    double *waits_s = calloc(times->count * PATTERN_COUNT + 1, sizeof *waits_s);
    if (!waits_s) return err_memory(err);
    /* By item and pattern. Only the row of the call in which a wait ends has it: of tests, the successful one's. */
    for (size_t w = 0; w < waits->count; w++) {
        const struct wait_place *wait = &waits->items[w];
        const uint64_t *location = map_find(&times->locations, map_pair(wait->node, wait->site));
        const uint64_t *item = location ? map_find(&times->index, *location << 16 | wait->call) : NULL;
        if (!item || wait->count == 0 || pattern_whole(wait->pattern) != wait->pattern) continue;
        waits_s[*item * PATTERN_COUNT + wait->pattern] += wide_s(wait->severity_ps);
    }
    enum status status = time_profile_report(times, waits_s, &result->calls, err);
    free(waits_s);
    TRY(status);
    result->calls_known = true;
    for (size_t i = 0; i < result->calls.count; i++) {
        struct result_share *call = &result->calls.items[i];
        classify_call(provenance->core_waits && !provenance->simulated, call);
        if (call->init) result->init_s += call->time_s;
        if (result->origin == TRACE_SIMULATED) result_explain_call(call, call->time_s); /* a replay explains itself */
    }
    result_share_calls(result);
    return STATUS_OK;
}

void user_code_report(const struct timelines *timelines, const struct disturbance_inside *inside, struct result *result)
{
    const int64_t zero_ps = trace_begin_ps(timelines->trace);
    struct spread user = {0};
    for (uint32_t r = 0; r < timelines->trace->rank_count; r++) {
        result->rank_user_s[r] = units_s(properties_life_ps(timelines, r, zero_ps) - inside[r].all_ps);
        spread_add(&user, r, result->rank_user_s[r]);
    }
    result->user = (struct result_user){.most_s = user.most_s,
                                        .others_s = spread_others_s(&user),
                                        .unbalanced_s = user.most_s * (double)user.count - user.sum_s,
                                        .rank = user.most_rank,
                                        .stands_out = spread_stands_out(&user)};
}
