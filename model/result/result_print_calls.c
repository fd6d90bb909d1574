/* result_print_share() and result_print_calls() of model/result/result.h. */
#include <inttypes.h>
#include <string.h>

#include "common/text/text.h"
#include "common/units.h"
#include "model/waits/properties.h"
#include "model/result/result.h"

enum { CALLS_SHOWN = 5, NAME_WIDTH = 20, PLACE_BYTES = 1200 };
static const double least_share = 0.01; /* of calls beside the first one, and of the waits in a call */

static double percent_of(double part_s, double whole_s)
{
    return whole_s > 0 ? 100 * part_s / whole_s : 0;
}

static void print_user(const struct result *result, FILE *out)
{
    const struct result_user *user = &result->user;
    char most[UNITS_TEXT_BYTES], others[UNITS_TEXT_BYTES];
    if (!user->stands_out || user->unbalanced_s < RESULT_WORTH_ADVICE * result_total_s(result)) return;
    text_print(out, "User code  rank %" PRIu32 " stands out: %s, the others %s each\n", user->rank,
               units_format_duration(user->most_s, most), units_format_duration(user->others_s, others));
}

void result_print_share(const struct result *result, FILE *out)
{
    const double total_s = result_total_s(result);
    if (!result->calls_known || total_s + result->init_s <= 0 || result->calls.total_s <= 0) return;
    if (result->section.known) {
        text_print(out, "MPI        %.1f %% of all ranks' time in the section",
                   percent_of(result->calls.total_s - result->init_s, total_s));
    } else {
        const double threads_s = result->properties[PROPERTY_THREADS].inclusive_s;
        text_print(out, "MPI        %.1f %% of all ranks' time (user code %.1f %%",
                   percent_of(result->properties[PROPERTY_MPI].inclusive_s - result->init_s, total_s),
                   percent_of(result->properties[PROPERTY_USER].inclusive_s, total_s));
        if (threads_s > 0) text_print(out, ", thread primitives %.1f %%", percent_of(threads_s, total_s));
        fputc(')', out);
    }
    if (result->init_s > 0)
        text_print(out, "\n           shares are without MPI_Init and MPI_Finalize, %.1f %% of the run",
                   percent_of(result->init_s, total_s + result->init_s));
    fputc('\n', out);
    print_user(result, out);
}

static void print_waits(const struct result_share *call, FILE *out)
{
    char seconds[UNITS_TEXT_BYTES];
    const char *before = "    in it: ";
    for (int p = 0; p < PATTERN_COUNT; p++) {
        if (call->waits_s[p] <= least_share * call->time_s) continue;
        text_print(out, "%s%s %s", before, pattern_row((enum pattern)p)->title, units_format_duration(call->waits_s[p], seconds));
        before = ", ";
    }
    if (*before == ',') fputc('\n', out);
}

struct table {
    const struct result *result;
    double total_s;
    size_t shown; /* functions, and places of each */
    bool replayed, without_core; /* the columns that there are */
    FILE *out;
};

static void print_times(const struct table *table, const char *name, const struct result_share *call)
{
    char time[UNITS_TEXT_BYTES], wait[UNITS_TEXT_BYTES], transfer[UNITS_TEXT_BYTES], left[UNITS_TEXT_BYTES],
        without[UNITS_TEXT_BYTES];
    text_print(table->out, "%-20s %8s %5.1f %% %8s", name, units_format_duration(call->time_s, time),
               percent_of(call->time_s, table->total_s), units_format_duration(call->wait_s, wait));
    if (!table->replayed)
        text_print(table->out, " %8s", units_format_duration(result_rest_s(call), left));
    else if (call->transfer_known)
        text_print(table->out, " %8s", units_format_duration(call->transfer_s, transfer));
    else
        text_print(table->out, " %8s", "?");
    if (table->without_core)
        text_print(table->out, " %8s", call->without_core_known ? units_format_duration(call->without_core_s, without) : "?");
    if (table->replayed)
        text_print(table->out, " %8s", call->transfer_known ? units_format_duration(call->unexplained_s, left) : "?");
    text_print(table->out, " %6" PRIu64, call->count);
}

/* By time, the largest first, then by name. */
static int compare_functions(const struct result_share *one, const struct result_share *other)
{
    if (one->function_s != other->function_s) return one->function_s > other->function_s ? -1 : 1;
    return strcmp(one->activity, other->activity);
}

/* Of the functions behind `before` (NULL: of all), the largest place of the one with the most time; NULL: there is none. */
static const struct result_share *next_function(const struct result_shares *calls, const struct result_share *before)
{
    const struct result_share *next = NULL;
    for (size_t i = 0; i < calls->count; i++) {
        const struct result_share *call = &calls->items[i];
        if (call->init || (before && compare_functions(call, before) <= 0)) continue;
        if (!next || compare_functions(call, next) < 0) next = call;
    }
    return next;
}

/* Takes the next place of a function, from *at on. */
static const struct result_share *next_place(const struct result_shares *calls, const char *function, size_t *at)
{
    while (*at < calls->count && strcmp(calls->items[*at].activity, function) != 0) ++*at;
    return *at < calls->count ? &calls->items[(*at)++] : NULL;
}

static struct result_share sum_places(const struct result_shares *calls, const char *function, size_t *places)
{
    struct result_share sum = {.transfer_known = true};
    const struct result_share *call;
    *places = 0;
    for (size_t at = 0; (call = next_place(calls, function, &at)) != NULL; ++*places) {
        sum.time_s += call->time_s;
        sum.wait_s += call->wait_s;
        sum.count += call->count;
        sum.transfer_known = sum.transfer_known && call->transfer_known;
        sum.transfer_s += call->transfer_s;
        sum.unexplained_s += call->unexplained_s;
        sum.without_core_known = call->without_core_known; /* as in all places */
        sum.without_core_s += call->without_core_s;
        for (int p = 0; p < PATTERN_COUNT; p++) sum.waits_s[p] += call->waits_s[p];
    }
    return sum;
}

/* A row of one place. Its name is above or below it where it has no room in the row, or the row has the function's. */
static void print_at(const struct table *table, const char *function, const struct result_share *call)
{
    char place[PLACE_BYTES];
    FILE *out = table->out;
    const char *path = strcmp(call->callpath, call->activity) != 0 ? call->callpath : "";
    if (call->file) snprintf(place, sizeof place, "  %s (%s:%" PRId32 ")", path, call->file, call->line);
    else snprintf(place, sizeof place, "  %s", path);
    const bool known = *path || call->file, fits = strlen(place) <= NAME_WIDTH;
    if (!*function && !fits) text_print(out, "%s\n", place);
    print_times(table, *function ? function : fits ? place : "", call);
    if (call->stands_out) text_print(out, "  rank %" PRId64, call->who.rank);
    fputc('\n', out);
    if (*function && known) text_print(out, "  %s\n", place);
}

/* A function at one place; else its sum, and its largest places below it. */
static void print_function(const struct table *table, const struct result_share *largest)
{
    const struct result_shares *calls = &table->result->calls;
    const char *function = largest->activity;
    size_t places, at = 0;
    const struct result_share sum = sum_places(calls, function, &places), *call;
    if (places == 1) print_at(table, function, largest);
    if (places > 1) {
        print_times(table, function, &sum);
        fputc('\n', table->out);
    }
    print_waits(&sum, table->out);
    size_t shown = 0;
    while (places > 1 && shown < table->shown && (call = next_place(calls, function, &at)) != NULL &&
           (shown == 0 || call->time_s >= least_share * table->total_s)) {
        print_at(table, "", call);
        shown++;
    }
    if (places > 1 && places > shown)
        text_print(table->out, "  and %zu more place%s\n", places - shown, units_plural(places - shown));
}

static bool has_core_waits(const struct result *result)
{
    for (size_t i = 0; i < result->calls.count; i++) {
        const struct result_share *call = &result->calls.items[i];
        if (!call->init && call->without_core_known && call->without_core_s > least_share * call->time_s) return true;
    }
    return false;
}

static void print_rule(const struct table *table)
{
    const struct result *result = table->result;
    FILE *out = table->out;
    if (table->without_core) fputs("No core: waits for a core inside these calls, also during wait states\n", out);
    if (result->replay)
        text_print(out, "Transfer: what a replay on %s spends in these calls outside wait states. Unexpl.: the rest, as the "
                        "library's own work%s, other users of the network\n",
                   result->replay, table->without_core ? "" : ", waits for a core");
    else if (result->origin == TRACE_RECORDED)
        text_print(out, "Transfer: unknown, give a platform: rmacast simulate %s --platform FILE --json REPLAY, then analyze "
                        "--replay REPLAY\n",
                   result->trace ? result->trace : "TRACE");
}

void result_print_calls(const struct result *result, size_t top, FILE *out)
{
    const struct table table = {.result = result,
                                .total_s = result_total_s(result),
                                .shown = top > 0 ? top : CALLS_SHOWN,
                                .replayed = result->replay || result->origin == TRACE_SIMULATED,
                                .without_core = has_core_waits(result),
                                .out = out};
    const struct result_share *function = next_function(&result->calls, NULL);
    double left_s = result->calls.total_s - result->init_s;
    if (!function || function->function_s <= 0) return;
    text_print(out, "\n%-20s %8s %7s %8s %8s%s%s %6s  %s\n", "Calls by time", "time", "share", "waiting",
               table.replayed ? "transfer" : "the rest", table.without_core ? "  no core" : "",
               table.replayed ? "  unexpl." : "", "count", "most on");
    for (size_t i = 0; function && i < table.shown; i++, function = next_function(&result->calls, function)) {
        if (i > 0 && top == 0 && function->function_s < least_share * table.total_s) break;
        print_function(&table, function);
        left_s -= function->function_s;
    }
    if (left_s > 1e-12) text_print(out, "other functions: %.1f %%\n", percent_of(left_s, table.total_s));
    print_rule(&table);
}
