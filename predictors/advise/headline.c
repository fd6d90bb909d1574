/* advice_headline() of predictors/advise/advise.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "predictors/advise/advise.h"

/* What the time in calls consists of. What no replay explains is unexplained. */
enum part { WAITING, TRANSFER, WITHOUT_CORE, UNEXPLAINED, PARTS };
static const char *const part_names[PARTS] = {"waiting for other ranks", "transfer", "spent without a core", "unexplained"};

static double part_of(const struct result_share *call, enum part part)
{
    const double rest_s = result_rest_s(call);
    switch (part) {
    case WAITING: return call->time_s - rest_s;
    case TRANSFER: return call->transfer_known ? call->transfer_s : 0;
    case WITHOUT_CORE: return call->transfer_known ? rest_s - call->transfer_s - call->unexplained_s : 0;
    default: return call->transfer_known ? call->unexplained_s : rest_s;
    }
}

/* The part in calls of a function; NULL: of all functions but those like MPI_Init. */
static double sum_part(const struct result_shares *calls, enum part part, const char *function)
{
    double sum_s = 0;
    for (size_t i = 0; i < calls->count; i++) {
        const struct result_share *call = &calls->items[i];
        if (!call->init && (!function || strcmp(call->activity, function) == 0)) sum_s += part_of(call, part);
    }
    return sum_s;
}

static const char *largest_function(const struct result_shares *calls, enum part part)
{
    const char *largest = "";
    double most_s = 0;
    for (size_t i = 0; i < calls->count; i++) {
        double sum_s = sum_part(calls, part, calls->items[i].activity);
        if (sum_s <= most_s) continue;
        most_s = sum_s;
        largest = calls->items[i].activity;
    }
    return largest;
}

/* "rank 2 computes 3.0 times as long as the others" where it does, and at least half of the waiting may come from that. */
static bool describe_rank(const struct result *run, char *text, size_t room)
{
    const double others_s = run->user.others_s, waiting_s = sum_part(&run->calls, WAITING, NULL);
    if (!run->user.stands_out || 2 * run->user.unbalanced_s < waiting_s ||
        run->user.unbalanced_s < RESULT_WORTH_ADVICE * result_total_s(run))
        return false;
    if (others_s > 0)
        snprintf(text, room, "rank %" PRIu32 " computes %.1f times as long as the others", run->user.rank,
                 run->user.most_s / others_s);
    else
        snprintf(text, room, "rank %" PRIu32 " alone computes", run->user.rank);
    return true;
}

static void describe_time(const struct result *run, char *text, size_t room)
{
    const double mpi_s = run->calls.total_s - run->init_s, total_s = result_total_s(run);
    enum part largest = WAITING;
    if (describe_rank(run, text, room)) return;
    if (mpi_s < RESULT_WORTH_ADVICE * total_s) {
        snprintf(text, room, "MPI takes %.1f %% of all ranks' time", total_s > 0 ? 100 * mpi_s / total_s : 0);
        return;
    }
    for (int p = 0; p < PARTS; p++)
        if (sum_part(&run->calls, (enum part)p, NULL) > sum_part(&run->calls, largest, NULL)) largest = (enum part)p;
    snprintf(text, room, "%.0f %% of MPI's time is %s, most of it in %s", 100 * sum_part(&run->calls, largest, NULL) / mpi_s,
             part_names[largest], largest_function(&run->calls, largest));
}

const char *advice_name(const struct proposal *change)
{
    static const char unchanged[] = "platform+";
    bool rewrites = strncmp(change->scene.name, unchanged, sizeof unchanged - 1) == 0;
    return change->scene.name + (rewrites ? sizeof unchanged - 1 : 0);
}

static bool has_balance(const struct proposal *change)
{
    for (size_t i = 0; i < change->scene.spec_count; i++)
        if (strcmp(change->scene.specs[i], "balance") == 0) return true;
    return false;
}

char *advice_headline(const struct advice *advice, char text[ADVICE_HEADLINE_BYTES])
{
    const struct result *run = advice->options->recorded;
    const struct proposal *best = NULL;
    char why[ADVICE_HEADLINE_BYTES / 2] = "", gain[UNITS_TEXT_BYTES], error[UNITS_TEXT_BYTES];
    bool known = run && run->calls.total_s > 0;
    for (size_t i = 0; !best && i + 1 < advice->count; i++)
        if (advice_is_advised(&advice->changes[advice->order[i]])) best = &advice->changes[advice->order[i]];
    if (best) {
        bool who = known && has_balance(best) && describe_rank(run, why, sizeof why);
        snprintf(text, ADVICE_HEADLINE_BYTES, "%.100s saves %s +- %s, %.1f %% of the run time%s%s", advice_name(best),
                 units_format_duration(best->gain_s, gain), units_format_duration(advice_error_s(best), error),
                 100 * best->gain_s / advice->reference_s, who ? ": " : "", why);
        return text;
    }
    if (known) describe_time(run, why, sizeof why);
    snprintf(text, ADVICE_HEADLINE_BYTES, known ? "No change of calls helps: %s" : "No change gains more than its error%s", why);
    return text;
}
