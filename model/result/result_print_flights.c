/* The part of the table about what is outstanding at once. */
#include <inttypes.h>
#include <string.h>

#include "common/text/text.h"
#include "common/units.h"
#include "model/result/result.h"

static const char *amount_text(enum flight_measure measure, uint64_t amount, char text[UNITS_TEXT_BYTES])
{
    if (measure == FLIGHT_BYTES) return units_format_bytes((double)amount, text);
    snprintf(text, UNITS_TEXT_BYTES, "%" PRIu64, amount);
    return text;
}

static void print_place(const struct result_call *call, bool with_time, FILE *out)
{
    text_print(out, "rank %" PRIu32, call->rank);
    if (call->thread > 0) text_print(out, ", thread %" PRIu32, call->thread);
    text_print(out, ", event %" PRIu64 " (%s)", call->event, call->function);
    if (with_time) text_print(out, " at %.6f s", call->time_s);
    text_print(out, ", %s", call->callpath);
    if (call->file) text_print(out, " (%s:%" PRId32 ")", call->file, call->line);
    fputc('\n', out);
}

void result_print_call(const struct result_call *call, FILE *out)
{
    print_place(call, true, out);
}

/* " to rank 3", " on window 0", or nothing. */
static void print_scope(enum flight_scope scope, int32_t target, int32_t window, FILE *out)
{
    if (scope == FLIGHT_TO_TARGET) text_print(out, " to rank %" PRId32, target);
    if (scope == FLIGHT_ON_WINDOW) text_print(out, " on window %" PRId32, window);
}

/* The rank's own mark says the same. */
static bool is_repeated(const struct result *result, const struct result_flight *flight)
{
    for (const struct result_flight *own = result->flights; own < flight; own++)
        if (own->of == flight->of && own->per == FLIGHT_OF_RANK && own->first.rank == flight->first.rank)
            return own->at_least == flight->at_least && own->at_most == flight->at_most;
    return false;
}

static void print_limit(const struct result_limit *limit, FILE *out)
{
    char most[UNITS_TEXT_BYTES];
    text_print(out, "\nLimit of %s%s%s per %s: ", amount_text(limit->of, limit->most, most),
               limit->of == FLIGHT_BYTES ? "" : " ", limit->of == FLIGHT_BYTES ? "" : flight_measure_name(limit->of),
               flight_scope_name(limit->per));
    if (limit->calls == 0) {
        fputs("holds\n", out);
        return;
    }
    if (limit->certain == limit->calls)
        text_print(out, "%" PRIu64 " call%s it,", limit->calls, limit->calls == 1 ? " exceeds" : "s exceed");
    else
        text_print(out, "%" PRIu64 " call%s may exceed it, %" PRIu64 " surely,", limit->calls, units_plural(limit->calls),
                   limit->certain);
    print_scope(limit->per, limit->target, limit->window, out);
    fputs(" first\n  ", out);
    result_print_call(&limit->first, out);
}

void result_print_flights(const struct result *result, FILE *out)
{
    static const char *const of_scope[FLIGHT_SCOPES] = {"of a rank", "to a target", "on a window"};
    char least[UNITS_TEXT_BYTES], most[UNITS_TEXT_BYTES];
    if (result->flight_count > 0)
        text_print(out, "\n%-24s %9s %9s  %s\n", "Most in flight at once", "at least", "at most", "first with");
    for (size_t i = 0; i < result->flight_count; i++) {
        const struct result_flight *flight = &result->flights[i];
        if (is_repeated(result, flight)) continue;
        text_print(out, "  %-10s %-11s %9s %9s  ", flight_measure_name(flight->of), of_scope[flight->per],
                   amount_text(flight->of, flight->at_least, least), amount_text(flight->of, flight->at_most, most));
        print_place(&flight->first, false, out);
    }
    for (size_t i = 0; i < result->limit_count; i++) print_limit(&result->limits[i], out);
}

bool result_exceeds(const struct result *result)
{
    for (size_t i = 0; i < result->limit_count; i++)
        if (result->limits[i].calls > 0) return true;
    return false;
}
