#include "simulate/verify/verify.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/text/text.h"
#include "simulate/verify/law.h"

struct law_row {
    int law;
    const char *name, *unit; /* unit: what is counted, for "12 transfers" */
    verify_law *check;
};

/* Law 7: known solutions have their cases (tests/cases), a run as such has none. */
static enum status skip_closed_forms(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    (void)context;
    (void)err;
    verify_skip(row, "a test of rmacast (tests/cases), not of one run");
    return STATUS_OK;
}

static const struct law_row laws[] = {
    {1, "determinism", "replays", verify_determinism},
    {2, "transfers take their time", "transfers", verify_transfer_time},
    {2, "operations held back", "operations", verify_held},
    {2, "post, start, complete, wait", "causes", verify_waits_active},
    {2, "locks", "causes", verify_waits_passive},
    {2, "fences and collectives", "causes", verify_waits_group},
    {2, "messages", "causes", verify_waits_message},
    {2, "requests of operations", "causes", verify_waits_request},
    {2, "OpenSHMEM", "causes", verify_waits_shmem},
    {3, "bounds of transfers", "transfers", verify_bounds},
    {3, "wait states", "figures", verify_account},
    {3, "posts, progress waited for", "calls", verify_awaited},
    {4, "monotony", "comparisons", verify_monotony},
    {5, "conservation", "pairs", verify_conservation},
    {6, "identity", "replays", verify_identity},
    {7, "closed forms", "cases", skip_closed_forms},
    {8, "ideal network", "comparisons", verify_ideal},
};
_Static_assert(sizeof laws / sizeof *laws <= VERIFY_ROWS_MAX, "struct verify_report has a row per law");

static enum status check_law(const struct verify_context *context, const struct law_row *law, struct verify_row *row,
                             struct err *err)
{
    *row = (struct verify_row){.law = law->law, .name = law->name, .state = VERIFY_HOLDS};
    TRY(law->check(context, row, err));
    if (row->state == VERIFY_HOLDS && row->checked == 0) verify_skip(row, "no %s in this run", law->unit);
    if (row->state == VERIFY_HOLDS && !*row->detail)
        snprintf(row->detail, sizeof row->detail, "%" PRIu64 " %s", row->checked, law->unit);
    return STATUS_OK;
}

enum status verify_run(const struct trace *trace, const struct platform *platform, const struct replay_options *options,
                       const struct replay_outcome *outcome, struct verify_report *report, struct err *err)
{
    /* Other replays of the laws make the calls that this one made, by the same ranks. */
    struct platform as_decided = *platform;
    as_decided.decide = DECIDE_RECORDED;
    if (outcome->decided) trace = outcome->decided;
    if (outcome->decided) platform = &as_decided;
    /* the clock of SimGrid counts seconds in doubles, ours picoseconds */
    struct verify_context context = {
        .trace = trace,
        .predicted = outcome->trace,
        .platform = platform,
        .engine = options->engine,
        .outcome = outcome,
        .slack_ps = options->engine->once_per_process ? 1000 : 1,
    };
    struct window_mode *modes;
    TRY(window_modes_new(trace, platform, &modes, err));
    context.modes = modes;
    struct verify_report made = {.count = sizeof laws / sizeof *laws};
    enum status status = relations_build(outcome->trace, &context.relations, err);
    if (status == STATUS_OK) status = verify_endings_find(outcome->trace, &context.endings, err);
    for (size_t i = 0; status == STATUS_OK && i < made.count; i++)
        status = check_law(&context, &laws[i], &made.rows[i], err);
    map_clear(&context.endings);
    relations_clear(&context.relations);
    free(modes);
    if (status == STATUS_OK) *report = made;
    return status;
}

bool verify_holds(const struct verify_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->rows[i].state == VERIFY_BROKEN) return false;
    return true;
}

const char *verify_state_name(enum verify_state state)
{
    static const char *const names[] = {"holds", "broken", "not applicable"};
    return names[state];
}

void verify_print(const struct verify_report *report, bool only_broken, FILE *out)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct verify_row *row = &report->rows[i];
        if (only_broken && row->state != VERIFY_BROKEN) continue;
        text_print(out, "law %d  %-28s %-15s %s", row->law, row->name, verify_state_name(row->state), row->detail);
        if (row->breaches > 1) text_print(out, " (and %" PRIu64 " more)", row->breaches - 1);
        fputc('\n', out);
    }
}
