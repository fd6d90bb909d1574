#include <float.h>
#include <math.h>
#include <stdio.h>

#include "platforms/probe/program/probe.h"

enum { WARM_UPS = 2, WARM_UPS_LOADED = 4, TRIES = 9, TRIES_SURE = 3, TRIES_LATE = 12, LIMIT_TRIES = 3, LIMIT_SURE = 2 };
/* A case whose calls take longer without any delay is left out: the delay would have to be a multiple of that. Calls
 * that take long because others use the cores do not count. */
#define SLOW_S        0.06
#define SLOW_LOADED_S 0.3
#define CLOCK_S       1.0

struct settings settings;
bool helper_ran;

static double offset_s[THIRD + 1], offset_time_s[THIRD + 1] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
/* An operation of so many bytes took too long; that of a few bytes says nothing of others. */
enum { TOO_LONG_LEAST = 16384 };
static int64_t too_long_bytes = INT64_MAX;

static void skip_step(const struct step *step, const char *why)
{
    printf("rmacast-probe skip %s %s %ld %s\n", probe_cases[step->id].name, probe_variants[step->variant],
           (long)step->bytes, why);
    fflush(stdout);
}

static void run_once(const struct step *step, struct probe_sample *sample)
{
    struct marks mine = {0}, theirs, late;
    bool three = is_of_three((enum probe_case)step->id);
    if (three) ask(THIRD, step);
    ask(PARTNER, step);
    delay_origin(step, &mine);
    await_report(PARTNER, &theirs);
    if (three) await_report(THIRD, &late);
    double event_s = three ? late.event_s - offset_s[THIRD] : theirs.event_s - offset_s[PARTNER];
    if (step->id == PROBE_ISSUE) event_s = mine.event_s;
    bool arrival = step->id == PROBE_ISSUE || (step->id == PROBE_GROUP_QUEUED && step->variant != PROBE_VARIANT_GET);
    sample->delay_s = step->delay_s;
    sample->helper = theirs.helper;
    sample->begin_s = mine.begin_s - event_s;
    for (int i = 0; i < PROBE_CALLS_MAX; i++)
        sample->end_s[i] = (arrival ? theirs.end_s[i] - offset_s[PARTNER] : mine.end_s[i]) - event_s;
}

static double last_end_s(const struct step *step, const struct probe_sample *sample)
{
    return sample->end_s[probe_calls((enum probe_case)step->id) - 1];
}

/* Runs the case without a delay to find out how long its calls take. If other processes use the cores, slow tries say
 * little. Where each try takes long, one that tells enough is the last. */
static double warm_up(struct step *step)
{
    double least_s = DBL_MAX;
    step->delay_s = 0;
    for (int i = 0; i < WARM_UPS || (settings.loaded && i < WARM_UPS_LOADED && least_s > settings.delay_s / 2); i++) {
        if (i > 0 && settings.few && !settings.loaded && least_s < settings.delay_s / 2) break;
        struct probe_sample sample;
        run_once(step, &sample);
        least_s = fmin(least_s, last_end_s(step, &sample) - sample.begin_s);
    }
    return fmax(least_s, 0);
}

static void print_sample(const struct step *step, const struct probe_sample *sample)
{
    printf("rmacast-probe delay %s %s %ld %.6g %.3g %.6g", probe_cases[step->id].name, probe_variants[step->variant],
           (long)step->bytes, sample->delay_s, sample->helper, sample->begin_s);
    for (int i = 0; i < probe_calls((enum probe_case)step->id); i++) printf(" %.6g", sample->end_s[i]);
    printf("\n");
    fflush(stdout);
}

static bool votes_decided(const struct probe_votes *votes, unsigned tries)
{
    unsigned sure = tries == LIMIT_TRIES ? LIMIT_SURE : TRIES_SURE;
    return votes->of >= tries || (settings.few && probe_votes_lead(votes) >= sure);
}

/* told: each try is printed. */
static bool try_times(struct step *step, unsigned tries, bool told, struct probe_votes *votes)
{
    *votes = (struct probe_votes){0};
    double takes_s = step->bytes < too_long_bytes ? warm_up(step) : INFINITY;
    unsigned helped = 0;
    if (takes_s > (settings.loaded ? SLOW_LOADED_S : SLOW_S)) {
        if (step->bytes >= TOO_LONG_LEAST && step->bytes < too_long_bytes && !settings.loaded) too_long_bytes = step->bytes;
        return skip_step(step, "takes too long without a delay"), false;
    }
    step->delay_s = fmax(settings.delay_s, 2 * takes_s);
    while (!votes_decided(votes, tries)) {
        if (votes->late > TRIES_LATE)
            return skip_step(step, "the origin came late again and again: the machine is too busy"), false;
        if (now_s() > settings.ends_s) return skip_step(step, "out of time"), false;
        struct probe_sample sample;
        run_once(step, &sample);
        if (told) print_sample(step, &sample);
        probe_votes_add(votes, probe_sample_vote(&sample, probe_calls((enum probe_case)step->id)));
        helped += sample.helper >= PROBE_HELPER_LEAST;
    }
    helper_ran = 2 * helped > votes->of;
    return true;
}

/* Compares the clocks again: clocks of two machines drift. */
static void keep_clocks(void)
{
    for (int rank = PARTNER; rank <= (three_awake() ? THIRD : PARTNER); rank++) {
        if (now_s() < offset_time_s[rank] + CLOCK_S) continue;
        offset_s[rank] = clock_offset_s(rank, settings.delay_s / 8);
        offset_time_s[rank] = now_s();
    }
}

bool try_case(enum probe_case id, enum probe_variant variant, int64_t bytes, struct probe_votes *votes)
{
    struct step step = {.kind = STEP_CASE, .id = (int)id, .variant = (int)variant, .bytes = bytes};
    *votes = (struct probe_votes){0};
    if (now_s() > settings.ends_s) return skip_step(&step, "out of time"), false;
    keep_clocks();
    return try_times(&step, settings.thorough ? 3 * TRIES : TRIES, true, votes);
}

/* Finds the size at which the winner changes, given different winners at both sizes. To 1 in 128: the limits of libraries
 * are not rounder than their headers. */
static void find_limit(enum probe_case id, enum probe_variant variant, int64_t low, int low_vote, int64_t high)
{
    struct step step = {.kind = STEP_CASE, .id = (int)id, .variant = (int)variant};
    while (high - low > (settings.thorough ? 1 : low / 128 + 1)) {
        struct probe_votes votes;
        step.bytes = low + (high - low) / 2;
        if (variant == PROBE_VARIANT_ACCUMULATE || variant == PROBE_VARIANT_GET_ACCUMULATE) step.bytes -= step.bytes % 8;
        if (step.bytes <= low) break;
        keep_clocks();
        if (now_s() > settings.ends_s || !try_times(&step, LIMIT_TRIES, false, &votes)) break;
        if (probe_votes_winner(&votes) == low_vote)
            low = step.bytes;
        else
            high = step.bytes;
    }
    printf("rmacast-probe limit %s %s %ld %ld\n", probe_cases[id].name, probe_variants[variant], (long)low, (long)high);
    fflush(stdout);
}

int64_t try_sizes(enum probe_case id, enum probe_variant variant, const int64_t *sizes, int count, int *winners)
{
    int before = PROBE_LATE; /* the winner at the last size that was decided */
    int64_t before_bytes = 0, first = 0;
    for (int i = 0; i < count; i++) {
        struct probe_votes votes;
        if (winners) winners[i] = PROBE_LATE;
        if (!try_case(id, variant, sizes[i], &votes)) continue;
        int winner = probe_votes_winner(&votes);
        if (winners) winners[i] = winner;
        if (before != PROBE_LATE && winner != before) {
            find_limit(id, variant, before_bytes, before, sizes[i]);
            if (first == 0) first = sizes[i];
        }
        before = winner;
        before_bytes = sizes[i];
    }
    return first;
}
