/* Laws 1 and 6: repeats the replay in child processes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "simulate/verify/child_replay.h"
#include "simulate/verify/digest.h"
#include "simulate/verify/law.h"
#include "simulate/verify/permute.h"

static void expect_digest(struct verify_row *row, const struct child_replay_summary *summary, uint64_t expected,
                          const char *what)
{
    row->checked++;
    if (summary->status != STATUS_OK)
        verify_breach(row, "%s fails: %.200s", what, summary->err.text);
    else if (summary->digest != expected)
        verify_breach(row, "%s gives another trace: digest %016" PRIx64 ", expected %016" PRIx64, what, summary->digest,
                      expected);
}

enum status verify_determinism(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    static const char *const what[] = {"the same replay",
                                       "the replay with ids as another order of ranks would make them"};
    uint64_t expected;
    TRY(verify_digest(context->predicted, &expected, err));
    struct trace *permuted = NULL;
    TRY(verify_permute(context->trace, &permuted, err));
    struct platform renumbered = {.window_rules = NULL};
    enum status status = verify_permute_rules(context->trace, context->platform, &renumbered, err);
    const struct child_replay_job jobs[] = {
        {.trace = context->trace, .platform = context->platform, .engine = context->engine},
        {.trace = permuted, .platform = &renumbered, .engine = context->engine},
    };
    struct child_replay_summary summaries[2];
    if (status == STATUS_OK) status = child_replay_summaries(jobs, 2, summaries, err);
    trace_free(permuted);
    free(renumbered.window_rules);
    TRY(status);
    for (int i = 0; i < 2; i++) expect_digest(row, &summaries[i], expected, what[i]);
    if (row->state == VERIFY_HOLDS)
        snprintf(row->detail, sizeof row->detail, "2 replays, digest %016" PRIx64, expected);
    return STATUS_OK;
}

enum status verify_identity(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    uint64_t expected;
    TRY(verify_digest(context->predicted, &expected, err));
    const struct child_replay_job job = {
        .trace = context->predicted, .platform = context->platform, .engine = context->engine};
    struct child_replay_summary summary;
    TRY(child_replay_summaries(&job, 1, &summary, err));
    expect_digest(row, &summary, expected, "the replay of the predicted trace");
    return STATUS_OK;
}
