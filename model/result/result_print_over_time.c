/* The part of result_print_top() about slices of time. */
#include <inttypes.h>
#include <string.h>

#include "common/text/text.h"
#include "common/units.h"
#include "model/result/result.h"

enum { OUTLIERS_SHOWN = 5, SHARE_BYTES = 16 };

/* "12.3 %"; "-" where it is unknown. */
static const char *percent_text(double share, char text[SHARE_BYTES])
{
    snprintf(text, SHARE_BYTES, share < 0 ? "-" : "%.1f %%", 100 * share);
    return text;
}

static double share_of(const struct result_slice *slice, double part_s)
{
    const double rest_s = slice->time_s - slice->init_s;
    return rest_s > 0 ? part_s / rest_s : -1;
}

static int largest_wait(const struct result_slice *slice)
{
    int most = -1;
    for (int p = 0; p < PATTERN_COUNT; p++) {
        const double more_than_s = most < 0 ? 0 : slice->waits[most].severity_s;
        if (pattern_whole((enum pattern)p) == (enum pattern)p && slice->waits[p].severity_s > more_than_s) most = p;
    }
    return most;
}

static bool is_init(const struct result_slice *slice)
{
    return slice->init_s > 0 && slice->calls == 0 && slice->init_s >= slice->time_s;
}

enum { PLACE_BYTES = 2 * UNITS_TEXT_BYTES + 16 };

/* Where a slice begins: a time, or its iterations. */
static const char *begin_text(const struct result_over_time *over_time, const struct result_slice *slice, char text[PLACE_BYTES])
{
    const uint64_t last = slice->iteration + slice->iterations - 1;
    if (slice->iterations == 0) return units_format_duration(slice->from_s, text);
    if (slice->iteration == 0) return "before";
    if (over_time->loop_sought && slice == &over_time->items[over_time->count - 1]) return "behind";
    if (slice->iterations == 1) snprintf(text, PLACE_BYTES, "%" PRIu64, slice->iteration);
    else snprintf(text, PLACE_BYTES, "%" PRIu64 "-%" PRIu64, slice->iteration, last);
    return text;
}

static const char *title_by_name(const char *name)
{
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (strcmp(pattern_row((enum pattern)p)->name, name) == 0) return pattern_row((enum pattern)p)->title;
    return strcmp(name, RESULT_SLICE_OF_CALLS) == 0 ? "transfer, or the library's own work" : name;
}

static void print_slice(const struct result_over_time *over_time, const struct result_slice *slice, FILE *out)
{
    char begin[PLACE_BYTES], takes[UNITS_TEXT_BYTES], rate[UNITS_TEXT_BYTES];
    char user[SHARE_BYTES], waits[SHARE_BYTES], balance[SHARE_BYTES] = "-";
    const int most = largest_wait(slice);
    /* Iterations of ranks that are not in step: their rates are those of the time that the line states. */
    const double takes_s = slice->iterations > 0 ? slice->longest_s : slice->to_s - slice->from_s;
    if (slice->load_balance >= 0) snprintf(balance, sizeof balance, "%.2f", slice->load_balance);
    if (slice->iterations > 0) units_format_duration(slice->longest_s, takes);
    else snprintf(takes, sizeof takes, "%" PRIu64, slice->calls);
    text_print(out, "%10s %9s %8s %8s %8s %11s  %s%s\n", begin_text(over_time, slice, begin), takes,
               percent_text(slice->efficiency, user), balance, percent_text(share_of(slice, slice->waits_s), waits),
               slice->bytes > 0 && takes_s > 0 ? units_format_rate((double)slice->bytes / takes_s, rate) : "-",
               most < 0 ? "-" : pattern_row((enum pattern)most)->title, slice->stands_out ? " *" : "");
}

static void print_head(const struct result_over_time *over_time, FILE *out)
{
    char width[UNITS_TEXT_BYTES];
    const bool found = over_time->loop_sought && over_time->iterations;
    fputs("\nOver time  ", out);
    if (found)
        text_print(out, "%" PRIu64 " iterations of the loop at %s", over_time->items[over_time->count - 1].iteration - 1,
                   over_time->iterations);
    else if (over_time->iterations)
        text_print(out, "iterations that begin at %s", over_time->iterations);
    else
        text_print(out, "%s%zu slice%s of %s", over_time->loop_sought ? "no loop was found; " : "", over_time->count,
                   units_plural(over_time->count), units_format_duration(over_time->width_s, width));
    fputs("; user code and waits as shares of all ranks' time\n", out);
    text_print(out, "%10s %9s %8s %8s %8s %11s  %s\n", over_time->iterations ? "iteration" : "from",
               over_time->iterations ? "takes" : "calls", "user", "balance", "waiting", "transfers", "largest wait state");
}

static void print_outlier(const struct result_over_time *over_time, const struct result_slice *slice, FILE *out)
{
    char room[PLACE_BYTES], to[UNITS_TEXT_BYTES], share[SHARE_BYTES];
    const char *from = begin_text(over_time, slice, room);
    units_format_duration(slice->iterations > 0 ? slice->longest_s : slice->to_s, to);
    percent_text(share_of(slice, slice->calls_s - slice->init_s), share);
    if (slice->iterations > 0)
        text_print(out, "* iteration %s takes %s: %s in calls, mostly %s\n", from, to, share, title_by_name(slice->stands_out));
    else
        text_print(out, "* from %s to %s: %s in calls, most of it %s\n", from, to, share, title_by_name(slice->stands_out));
}

void result_print_over_time(const struct result_over_time *over_time, FILE *out)
{
    char from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES];
    size_t found = 0;
    print_head(over_time, out);
    for (size_t s = 0, next; s < over_time->count; s = next) {
        for (next = s; next < over_time->count && is_init(&over_time->items[next]);) next++;
        if (next == s) print_slice(over_time, &over_time->items[next++], out);
        else
            text_print(out, "%10s  MPI_Init or MPI_Finalize, up to %s\n", units_format_duration(over_time->items[s].from_s, from),
                       units_format_duration(over_time->items[next - 1].to_s, to));
    }
    for (size_t s = 0; s < over_time->count; s++) {
        const struct result_slice *slice = &over_time->items[s];
        if (!slice->stands_out || found++ >= OUTLIERS_SHOWN) continue;
        if (found == 1) fputc('\n', out);
        print_outlier(over_time, slice, out);
    }
    if (found > OUTLIERS_SHOWN) text_print(out, "  and %zu more that stand out\n", found - OUTLIERS_SHOWN);
}
