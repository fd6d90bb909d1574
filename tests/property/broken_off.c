#include "tests/property/broken_off.h"

#include <stdlib.h>
#include <string.h>

#include "predictors/replayable_prefix.h"
#include "simulate/replay/replay.h"
#include "tests/property/knobs.h"
#include "tests/property/random.h"

enum { BROKEN_MOST = 2 };

/* The ranks' array of `broken` is the caller's to free; all else is borrowed. The places depend on the program's calls
 * only, so that a smaller program is another trial. */
static enum status break_off(const struct trace *trace, struct trace *broken, struct err *err)
{
    struct random random = {0};
    *broken = *trace;
    broken->ranks = malloc(trace->rank_count * sizeof *broken->ranks);
    if (!broken->ranks) return err_memory(err);
    memcpy(broken->ranks, trace->ranks, trace->rank_count * sizeof *broken->ranks);
    for (uint32_t r = 0; r < trace->rank_count; r++) random.state = 31 * random.state + trace->ranks[r].count;
    for (uint32_t i = random_below(&random, BROKEN_MOST); i < BROKEN_MOST; i++) {
        struct trace_rank *rank = &broken->ranks[random_below(&random, trace->rank_count)];
        rank->count = random_below(&random, (uint32_t)rank->count + 1);
        rank->incomplete = true;
    }
    return STATUS_OK;
}

static bool replays(const struct trace *trace, const struct platform *platform)
{
    struct replay_outcome outcome;
    const struct replay_options options = {.engine = engine_by_name("loggp")};
    if (replay_run(trace, platform, &options, &outcome, NULL) != STATUS_OK) return false;
    replay_outcome_clear(&outcome);
    return true;
}

static void compare(const struct trace *broken, const struct replayable_prefix *cut, bool whole,
                    struct verdict *verdict)
{
    bool shorter = false;
    for (uint32_t r = 0; r < broken->rank_count && cut; r++) {
        size_t left = cut->trace.ranks[r].count, before = broken->ranks[r].count;
        if (left > before) verdict_fail(verdict, "cut", "rank %u has %zu calls, had %zu", r, left, before);
        if (left < before && !cut->trace.ranks[r].incomplete)
            verdict_fail(verdict, "cut", "rank %u is cut and not incomplete", r);
        shorter = shorter || left < before;
    }
    if (whole && cut) verdict_fail(verdict, "cut", "a trace that replays is cut");
    if (!whole && !shorter) verdict_fail(verdict, "cut", "a trace that does not replay is not cut");
}

enum status check_broken_off(const struct trial *trial, const struct program *program, const struct trace *trace,
                             struct verdict *verdict, struct err *err)
{
    struct platform *platform;
    struct trace broken;
    struct replayable_prefix *cut = NULL;
    TRY(knobs_platform(program, NULL, &platform, err));
    enum status status = break_off(trace, &broken, err);
    if (status == STATUS_OK) {
        status = replayable_prefix_new(&broken, platform, &cut, err);
        if (status == STATUS_OK) compare(&broken, cut, replays(&broken, platform), verdict);
        if (status == STATUS_OK && !verdict->failed)
            status = property_verify(trial, cut ? &cut->trace : &broken, platform, verdict, err);
        replayable_prefix_free(cut);
        free(broken.ranks);
    }
    platform_free(platform);
    return status;
}
