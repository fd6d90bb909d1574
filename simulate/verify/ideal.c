/* Law 8: POP's Transfer and Serialization are at most 1: the run is no shorter than on the ideal network, and that one no shorter
 * than what any rank computes. */
#include <stdlib.h>

#include "common/units.h"
#include "simulate/verify/child_replay.h"
#include "simulate/verify/law.h"

/* What a thread of the rank computes and sleeps in the predicted trace, of the one that does most. Others than thread 0 begin
 * with their first call. */
static enum status find_outside(const struct trace *predicted, uint32_t rank, int64_t *most_ps, struct err *err)
{
    const struct trace_rank *of = &predicted->ranks[rank];
    const uint32_t threads = trace_thread_count(predicted, rank);
    struct outside {
        int64_t sum_ps, left_ps;
        bool begun;
    } *each = calloc(threads, sizeof *each);
    if (!each) return err_memory(err);
    each[0].begun = true;
    *most_ps = 0;
    for (size_t i = 0; i < of->count; i++) {
        struct outside *own = &each[trace_call_thread(predicted, rank, i)];
        if (own->begun) own->sum_ps += of->calls[i].enter_ps - own->left_ps;
        *own = (struct outside){own->sum_ps, of->calls[i].exit_ps, true};
        if (own->sum_ps > *most_ps) *most_ps = own->sum_ps;
    }
    free(each);
    return STATUS_OK;
}

enum status verify_ideal(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    const struct trace *predicted = context->predicted;
    const char *why = context->outcome->decided ? "other ranks may get a task" : verify_order_varies(context);
    if (why) {
        verify_skip(row, "%s", why);
        return STATUS_OK;
    }
    struct platform_ideal ideal;
    struct child_replay_summary made;
    platform_ideal_init(&ideal, context->platform);
    const struct child_replay_job job = {context->trace, &ideal.platform, engine_by_name("loggp")};
    TRY(child_replay_summaries(&job, 1, &made, err));
    row->checked++;
    if (made.status != STATUS_OK) {
        verify_breach(row, "on the ideal network the replay fails: %.200s", made.err.text);
        return STATUS_OK;
    }
    const double slack_s = units_s(context->slack_ps + (int64_t)trace_all_calls(context->trace));
    if (made.run_time_s > context->outcome->run_time_s + slack_s)
        verify_breach(row, "on the ideal network the run takes %.12f s, here %.12f s", made.run_time_s,
                      context->outcome->run_time_s);
    for (uint32_t rank = 0; rank < predicted->rank_count; rank++) {
        int64_t outside_ps;
        TRY(find_outside(predicted, rank, &outside_ps, err));
        const double outside_s = units_s(outside_ps);
        row->checked++;
        if (outside_s > made.run_time_s + slack_s)
            verify_breach(row, "rank %u is outside calls for %.12f s, on the ideal network the run takes %.12f s", rank,
                          outside_s, made.run_time_s);
    }
    return STATUS_OK;
}
