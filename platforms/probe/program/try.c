/* Repeats the tries of a case, with longer delays, until they decide (docs/probe.md, How a verdict is found). */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "platforms/probe/program/probe.h"

enum { WARM_UPS = 2, WARM_UPS_LOADED = 4, TRIES = 9, TRIES_FEW = 3, LIMIT_TRIES = 3, LIMIT_TRIES_FEW = 2 };
enum { TRIES_LATE = 12, LATE_IN_A_ROW = 4 };
/* A case whose calls take longer without any delay is left out: the delay would have to be a multiple of that. Calls
 * that take long because others use the cores do not count. */
#define SLOW_S        0.03
#define SLOW_LOADED_S 0.3
#define CLOCK_S       1.0
#define CLOCK_ERRORS  8 /* a call ends with the event to an eighth of the delay: votes.c */
/* Tries that disagree are repeated with twice the delay, up to this one, or to so many of the first delays. */
#define LONGEST_S   0.32
#define DELAYS_MOST 8

struct settings settings;
bool helper_ran;

static struct clock_offset offset[THIRD + 1];
static double offset_time_s[THIRD + 1] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
/* An operation of so many bytes took too long; that of a few bytes says nothing of others. */
enum { TOO_LONG_LEAST = 16384 };
static int64_t too_long_bytes = INT64_MAX;

static void skip_step(const struct step *step, const char *why)
{
    printf("rmacast-probe skip %s %s %ld %s\n", probe_cases[step->id].name, probe_variants[step->variant],
           (long)step->bytes, why);
    fflush(stdout);
}

/* The origin is late; the partner's times count. */
static bool is_of_late_origin(const struct step *step)
{
    return step->id == PROBE_ISSUE || step->id == PROBE_SEND_LEFT;
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
    const struct marks *other = three ? &late : &theirs;
    double ahead_s = offset[three ? THIRD : PARTNER].value_s;
    double event_s = is_of_late_origin(step) ? mine.event_s : other->event_s - ahead_s;
    bool arrival = is_of_late_origin(step) || (step->id == PROBE_GROUP_QUEUED && step->variant != PROBE_VARIANT_GET);
    sample->delay_s = step->delay_s;
    sample->helper = theirs.helper;
    sample->begin_s = mine.begin_s - event_s;
    if (other->left_s - ahead_s > mine.begin_s) sample->begin_s = 0; /* it was still inside MPI: the try says nothing */
    for (int i = 0; i < PROBE_CALLS_MAX; i++)
        sample->end_s[i] = (arrival ? theirs.end_s[i] - offset[PARTNER].value_s : mine.end_s[i]) - event_s;
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

static unsigned tries_of_case(void)
{
    return settings.few ? TRIES_FEW : settings.thorough ? 3 * TRIES : TRIES;
}

static unsigned tries_of_limit(void)
{
    return settings.few && !settings.loaded ? LIMIT_TRIES_FEW : LIMIT_TRIES;
}

/* Longer than what the calls take, and than what the clocks may differ by. With three ranks the origin first prepares two. */
static double first_delay_s(const struct step *step, double takes_s)
{
    bool three = is_of_three((enum probe_case)step->id);
    double clocks_s = offset[three ? THIRD : PARTNER].error_s;
    return fmax(three ? 2 * settings.delay_s : settings.delay_s, fmax(2 * takes_s, CLOCK_ERRORS * clocks_s));
}

/* told: each try is printed. Tries that disagree, and an origin that comes late again and again, begin anew with twice the delay:
 * what other processes take of a core is no wait, but may last as long as a short delay. */
static bool try_times(struct step *step, unsigned tries, bool told, struct probe_votes *votes)
{
    double takes_s = step->bytes < too_long_bytes ? warm_up(step) : INFINITY;
    double longest_s = fmax(LONGEST_S, DELAYS_MOST * settings.delay_s);
    bool asks_second = step->id == PROBE_LOCK_ORDER || step->id == PROBE_VISIT;
    int calls = probe_calls((enum probe_case)step->id);
    unsigned helped = 0, seconds = 0;
    *votes = (struct probe_votes){0};
    if (takes_s > (settings.loaded ? SLOW_LOADED_S : SLOW_S)) {
        if (step->bytes >= TOO_LONG_LEAST && step->bytes < too_long_bytes && !settings.loaded) too_long_bytes = step->bytes;
        return skip_step(step, "takes too long without a delay"), false;
    }
    step->delay_s = first_delay_s(step, takes_s);
    while (votes->of < tries) {
        if (votes->late > TRIES_LATE)
            return skip_step(step, "the origin came late again and again: the machine is too busy"), false;
        if (now_s() > settings.ends_s) return skip_step(step, "out of time"), false;
        struct probe_sample sample;
        run_once(step, &sample);
        if (told) print_sample(step, &sample);
        int vote = probe_sample_vote(&sample, calls);
        probe_votes_add(votes, vote);
        helped += sample.helper >= PROBE_HELPER_LEAST;
        seconds += vote != PROBE_LATE && probe_sample_is_second(&sample, calls);
        bool late = vote == PROBE_LATE && votes->late % LATE_IN_A_ROW == 0;
        if (!late && probe_votes_lead(votes) == votes->of && (!asks_second || seconds == 0 || seconds == votes->of)) continue;
        if (2 * step->delay_s > longest_s) {
            if (tries < TRIES) tries = TRIES;
            continue;
        }
        step->delay_s *= 2;
        *votes = (struct probe_votes){.late = votes->late};
        helped = seconds = 0;
    }
    helper_ran = 2 * helped > votes->of;
    return true;
}

/* Compares the clocks again: clocks of two machines drift. */
static void keep_clocks(void)
{
    for (int rank = PARTNER; rank <= (three_awake() ? THIRD : PARTNER); rank++) {
        if (now_s() < offset_time_s[rank] + CLOCK_S) continue;
        offset[rank] = clock_offset_of(rank, settings.delay_s / CLOCK_ERRORS);
        offset_time_s[rank] = now_s();
    }
}

bool try_case(enum probe_case id, enum probe_variant variant, int64_t bytes, struct probe_votes *votes)
{
    struct step step = {.kind = STEP_CASE, .id = (int)id, .variant = (int)variant, .bytes = bytes};
    *votes = (struct probe_votes){0};
    if (now_s() > settings.ends_s) return skip_step(&step, "out of time"), false;
    keep_clocks();
    return try_times(&step, tries_of_case(), true, votes) && probe_votes_are_clear(votes);
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
        if (now_s() > settings.ends_s || !try_times(&step, tries_of_limit(), false, &votes)) break;
        if (!probe_votes_are_clear(&votes)) break;
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
