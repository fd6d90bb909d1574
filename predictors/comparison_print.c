/* Prints the table of a comparison (predictors/comparison.h). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/text/text.h"
#include "common/units.h"
#include "predictors/comparison_draws.h"

enum { ROWS_SHOWN = 64 };

static bool pattern_occurs(const struct comparison *comparison, enum pattern pattern)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->results[i]->patterns[pattern].count > 0) return true;
    return false;
}

/* In the row that loses most in the pattern. */
static double most_lost(const struct comparison *comparison, enum pattern pattern)
{
    double most_s = 0;
    for (size_t i = 0; i < comparison->count; i++) most_s = fmax(most_s, comparison->results[i]->patterns[pattern].severity_s);
    return most_s;
}

/* A title has two lines, split at its last space, since the table has a column per wait state. */
static int first_line(enum pattern pattern)
{
    const char *title = pattern_row(pattern)->title, *space = strrchr(title, ' ');
    return space ? (int)(space - title) : 0;
}

static const char *second_line(enum pattern pattern)
{
    const char *title = pattern_row(pattern)->title, *space = strrchr(title, ' ');
    return space ? space + 1 : title;
}

static int column_width(enum pattern pattern)
{
    int first = first_line(pattern), second = (int)strlen(second_line(pattern));
    int width = first > second ? first : second;
    return width < 9 ? 9 : width;
}

static int name_width(const struct comparison *comparison)
{
    size_t width = strlen("semantics");
    for (size_t i = 0; i < comparison->count; i++)
        if (strlen(comparison->names[i]) > width) width = strlen(comparison->names[i]);
    return (int)width;
}

/* The columns after the row's name: run time, share of waiting, the patterns that occur by their largest severity, two bounds. */
enum column_kind { COLUMN_RUN_TIME, COLUMN_WAITING, COLUMN_PATTERN, COLUMN_LOWER, COLUMN_UPPER };
struct column {
    enum column_kind kind;
    enum pattern pattern;
    int width;
};
enum { COLUMNS_MAX = PATTERN_COUNT + 4 };

static void print_head(const struct comparison *comparison, const struct column *columns, int count, FILE *out)
{
    static const char *const titles[][2] = {
        [COLUMN_RUN_TIME] = {"", "run time"}, [COLUMN_WAITING] = {"", "waiting"},
        [COLUMN_LOWER] = {"lower", "bound"}, [COLUMN_UPPER] = {"upper", "bound"}};
    for (int line = 0; line < 2; line++) {
        text_print(out, "%-*s", name_width(comparison), line ? "semantics" : "");
        for (int c = 0; c < count; c++) {
            const struct column *column = &columns[c];
            if (column->kind != COLUMN_PATTERN)
                text_print(out, "  %*s", column->width, titles[column->kind][line]);
            else if (line == 0)
                text_print(out, "  %*.*s", column->width, first_line(column->pattern), pattern_row(column->pattern)->title);
            else
                text_print(out, "  %*s", column->width, second_line(column->pattern));
        }
        fputc('\n', out);
    }
}

/* If a half of the transfers has no bound, since their platform takes no time for them, a median of the rest would mislead. */
static void print_rate(const struct result_distribution *rates, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    const char *shown = "-";
    if (rates->unbounded > 0 && rates->unbounded >= rates->count)
        shown = "unbounded";
    else if (rates->count > 0 && isfinite(rates->median))
        shown = units_format_rate(rates->median, text);
    text_print(out, "  %12s", shown);
}

/* Of all ranks' time. A pattern that is part of another one is in that. */
static double waiting_share(const struct result *result)
{
    double waits_s = 0, total_s = result_total_s(result);
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (pattern_whole((enum pattern)p) == (enum pattern)p) waits_s += result->patterns[p].severity_s;
    return total_s > 0 ? waits_s / total_s : 0;
}

static void print_row(const struct comparison *comparison, const struct column *columns, int count, size_t row, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    const struct result *result = comparison->results[row];
    text_print(out, "%-*s", name_width(comparison), comparison->names[row]);
    for (int c = 0; c < count; c++) {
        enum pattern pattern = columns[c].pattern;
        switch (columns[c].kind) {
        case COLUMN_RUN_TIME: text_print(out, "  %*s", columns[c].width, units_format_duration(result->run_time_s, text)); break;
        case COLUMN_WAITING: text_print(out, "  %*.1f %%", columns[c].width - 2, 100 * waiting_share(result)); break;
        case COLUMN_PATTERN:
            text_print(out, "  %*s", columns[c].width, units_format_duration(result->patterns[pattern].severity_s, text));
            break;
        case COLUMN_LOWER: print_rate(&result->lower_bound_Bps, out); break;
        case COLUMN_UPPER: print_rate(&result->platform_bound_Bps, out); break;
        }
    }
    fputc('\n', out);
}

/* Prints blocks of as many columns as fit side by side, at least one. */
static void print_table(const struct comparison *comparison, FILE *out)
{
    struct column columns[COLUMNS_MAX];
    int count = 0;
    columns[count++] = (struct column){COLUMN_RUN_TIME, 0, 11};
    columns[count++] = (struct column){COLUMN_WAITING, 0, 8};
    for (int p = 0; p < PATTERN_COUNT; p++) {
        if (!pattern_occurs(comparison, (enum pattern)p)) continue;
        int at = count++;
        for (; columns[at - 1].kind == COLUMN_PATTERN &&
               most_lost(comparison, columns[at - 1].pattern) < most_lost(comparison, (enum pattern)p); at--)
            columns[at] = columns[at - 1];
        columns[at] = (struct column){COLUMN_PATTERN, (enum pattern)p, column_width((enum pattern)p)};
    }
    columns[count++] = (struct column){COLUMN_LOWER, 0, 12};
    columns[count++] = (struct column){COLUMN_UPPER, 0, 12};
    for (int first = 0, next; first < count; first = next) {
        int width = name_width(comparison) + 2 + columns[first].width;
        for (next = first + 1; next < count; next++) {
            width += 2 + columns[next].width;
            if (comparison->columns > 0 && width > comparison->columns) break;
        }
        print_head(comparison, &columns[first], next - first, out);
        for (size_t i = 0; i < comparison->count; i++) print_row(comparison, &columns[first], next - first, i, out);
        fputc('\n', out);
    }
}

/* "c 189.6 ms +- 12 ms less (-18.52%)"; "b no difference (69.72 us less, error 12 ms)". */
static void print_difference(const struct comparison *comparison, size_t row, FILE *out)
{
    char text[UNITS_TEXT_BYTES], sure[UNITS_TEXT_BYTES];
    struct uncertainty error;
    double gain_s = comparison_gain(comparison, row, 0, &error), first_s = comparison_time_s(comparison, 0);
    double error_s = uncertainty_total_s(&error);
    const char *sign = gain_s > 0 ? "less" : "more";
    units_format_duration(fabs(gain_s), text);
    units_format_duration(error_s, sure);
    text_print(out, "%s ", comparison->names[row]);
    if (gain_s == 0)
        fputs("the same", out);
    else if (!uncertainty_tells(&error, gain_s))
        text_print(out, "no difference (%s %s, error %s)", text, sign, sure);
    else {
        text_print(out, "%s", text);
        if (!isnan(error_s)) text_print(out, " +- %s", sure);
        text_print(out, " %s", sign);
        if (first_s > 0) text_print(out, " (%+.2f%%)", -gain_s / first_s * 100);
    }
}

/* The row of the least time. */
static size_t fastest_row(const struct comparison *comparison)
{
    size_t fastest = 0;
    for (size_t i = 1; i < comparison->count; i++)
        if (comparison_time_s(comparison, i) < comparison_time_s(comparison, fastest)) fastest = i;
    return fastest;
}

/* Names of the rows that are as fast, or that take longer by what their error does not tell. */
static void print_fastest(const struct comparison *comparison, size_t fastest, bool longer, const char *before, FILE *out)
{
    for (size_t i = 0; i < comparison->count; i++) {
        struct uncertainty error;
        const double behind_s = comparison_gain(comparison, fastest, i, &error);
        if (longer != (behind_s != 0) || (longer && uncertainty_tells(&error, behind_s))) continue;
        text_print(out, "%s%s", before, comparison->names[i]);
        before = ", ";
    }
}

/* "Fastest: c, d with 834.1 ms; no difference: b. Against a: ..." */
static void print_verdict(const struct comparison *comparison, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    const size_t fastest = fastest_row(comparison);
    print_fastest(comparison, fastest, false, "Fastest: ", out);
    text_print(out, " with %s%s", comparison->draws ? "a median of " : "",
               units_format_duration(comparison_time_s(comparison, fastest), text));
    print_fastest(comparison, fastest, true, "; no difference: ", out);
    fputc('.', out);
    for (size_t i = 1; i < comparison->count; i++) {
        if (i == 1) text_print(out, " Against %s: ", comparison->names[0]);
        print_difference(comparison, i, out);
        fputs(i + 1 < comparison->count ? ", " : ".", out);
    }
    fputc('\n', out);
}

/* What the error of the first difference that it hides is made of, and what would make it smaller. */
static void print_sureness(const struct comparison *comparison, FILE *out)
{
    char text[UNCERTAINTY_TEXT_BYTES];
    for (size_t i = 1; i < comparison->count; i++) {
        struct uncertainty error;
        const double gain_s = comparison_gain(comparison, i, 0, &error);
        if (gain_s == 0 || uncertainty_tells(&error, gain_s)) continue;
        text_print(out, "How sure: +- %s", uncertainty_text(&error, text));
        if (error.part_s[PART_RECORDING] > fmax(error.part_s[PART_MODEL], fabs(gain_s)))
            fputs("; a recording of a quiet machine makes the first part smaller", out);
        fputs(".\n", out);
        return;
    }
}

static const struct result *row_named(const struct comparison *comparison, const char *name)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (strcmp(comparison->names[i], name) == 0) return comparison->results[i];
    return NULL;
}

/* Why b is no faster than a. Under a MPI_Win_start waits for the post, under b the first operation: what b gains is what is
 * computed between the two, and at most what it then waits less. */
static void print_equal(const struct comparison *comparison, FILE *out)
{
    const struct result *a = row_named(comparison, "a"), *b = row_named(comparison, "b");
    if (!a || !b || fabs(a->run_time_s - b->run_time_s) > 1e-3 * a->run_time_s) return;
    const double start_s = a->patterns[PATTERN_LATE_POST].severity_s, put_s = b->patterns[PATTERN_EARLY_TRANSFER].severity_s;
    char starts[UNITS_TEXT_BYTES], puts[UNITS_TEXT_BYTES];
    if (start_s <= 0) return;
    text_print(out, "b as a: MPI_Win_start waits %s under a, the operations %s under b: ", units_format_duration(start_s, starts),
               units_format_duration(put_s, puts));
    fputs(start_s - put_s <= 0.01 * start_s ? "nothing is computed between MPI_Win_start and the first operation.\n"
                                            : "what b waits less there, its ranks wait elsewhere.\n", out);
}

static void print_ranges(const struct comparison *comparison, const size_t *order, size_t count, FILE *out)
{
    char text[4][UNITS_TEXT_BYTES];
    const struct draws *first = &comparison->draws[order[0]];
    text_print(out, "%zu draw%s of each row, seed %" PRIu64 ", latencies with a standard deviation of %s\n", first->count,
               units_plural(first->count), first->seed, units_format_duration(first->jitter_s, text[0]));
    text_print(out, "%-*s  %11s %11s %11s %11s\n", name_width(comparison), "semantics", "predicted", "median", "least", "most");
    for (size_t i = 0; i < count; i++) {
        const struct draws_range *range = &comparison->draws[order[i]].run_time;
        text_print(out, "%-*s  %11s %11s %11s %11s\n", name_width(comparison), comparison->names[order[i]],
                   units_format_duration(comparison->results[order[i]]->run_time_s, text[0]),
                   units_format_duration(range->median_s, text[1]), units_format_duration(range->min_s, text[2]),
                   units_format_duration(range->max_s, text[3]));
    }
    fputc('\n', out);
}

/* "c is faster than a in 38 of 40 draws (ranges overlap), than d in 40." */
static void print_pairs(const struct comparison *comparison, const size_t *order, size_t count, FILE *out)
{
    for (size_t i = 0; i + 1 < count; i++) {
        text_print(out, "%s is faster", comparison->names[order[i]]);
        for (size_t k = i + 1; k < count; k++) {
            const struct draws *one = &comparison->draws[order[i]];
            struct draws_pair pair = draws_pair_of(one, &comparison->draws[order[k]]);
            text_print(out, "%s than %s in %zu", k > i + 1 ? "," : "", comparison->names[order[k]], pair.faster);
            if (k == i + 1) text_print(out, " of %zu draw%s", one->count, units_plural(one->count));
            bool overlap = pair.overlap && pair.same < one->count;
            if (pair.same > 0) text_print(out, " (the same in %zu%s)", pair.same, overlap ? "; ranges overlap" : "");
            if (pair.same == 0 && overlap) fputs(" (ranges overlap)", out);
        }
        fputs(".\n", out);
    }
}

static void print_draws(const struct comparison *comparison, FILE *out)
{
    size_t order[ROWS_SHOWN], count = comparison->draws ? comparison_draws_order(comparison, order) : 0;
    if (count == 0) return;
    print_ranges(comparison, order, count, out);
    print_pairs(comparison, order, count, out);
}

/* Prints POP's metrics of each run, if they were requested. */
static void print_efficiency(const struct comparison *comparison, FILE *out)
{
    static const char *const columns[] = {"Parallel efficiency", "Load balance", "Serialization", "Transfer"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    bool begun = false;
    for (size_t i = 0; i < comparison->count; i++) {
        const cJSON *efficiency = comparison->results[i]->efficiency_read;
        if (!efficiency) continue;
        struct efficiency_pop pop = efficiency_pop_read(efficiency);
        const double values[COLUMNS] = {pop.parallel, pop.load_balance, pop.serialization, pop.transfer};
        if (!begun) text_print(out, "\n%-*s", name_width(comparison), "Row");
        for (int c = 0; !begun && c < COLUMNS; c++) text_print(out, "  %s", columns[c]);
        text_print(out, begun ? "%-*s" : "\n%-*s", name_width(comparison), comparison->names[i]);
        for (int c = 0; c < COLUMNS; c++) {
            if (values[c] >= 0)
                text_print(out, "  %*.4f", (int)strlen(columns[c]), values[c]);
            else
                text_print(out, "  %*s", (int)strlen(columns[c]), "-");
        }
        fputc('\n', out);
        begun = true;
    }
}

/* The node that holds each row's run back most, where its ranks are on several. */
static void print_nodes(const struct comparison *comparison, FILE *out)
{
    enum { NODES_SHOWN = 3 };
    bool begun = false;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct result *result = comparison->results[i];
        if (!result || result->node_count < 2) continue;
        if (!begun) text_print(out, "\nWhich node holds the run back\n%-*s", name_width(comparison), "Row");
        if (!begun) result_print_nodes_head(out);
        begun = true;
        for (size_t n = 0; n < result->node_count && n < NODES_SHOWN; n++) {
            text_print(out, "%-*s", name_width(comparison), n == 0 ? comparison->names[i] : "");
            result_print_node(result, &result->nodes[n], out);
        }
        if (result->node_count > NODES_SHOWN)
            text_print(out, "%*s  and %zu more node%s\n", name_width(comparison), "", result->node_count - NODES_SHOWN,
                       units_plural(result->node_count - NODES_SHOWN));
    }
}

static void print_buffers(const struct comparison *comparison, FILE *out)
{
    char text[RESULT_BUFFER_TEXT_BYTES];
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->results[i]->buffer.known)
            text_print(out, "%s: %s.\n", comparison->names[i], result_buffer_text(&comparison->results[i]->buffer, text));
}

static void print_partial(const struct comparison *comparison, FILE *out)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct result *result = comparison->results[i];
        uint64_t calls = 0;
        for (size_t k = 0; k < result->left_out_count; k++)
            calls += result->left_out[k].calls > 0 ? (uint64_t)result->left_out[k].calls : 0;
        if (result->left_out_count > 0)
            text_print(out, "Partial: %s leaves out %" PRIu64 " call%s of %zu rank%s, the first: %s\n", comparison->names[i],
                       calls, units_plural(calls), result->left_out_count, units_plural(result->left_out_count),
                       result->left_out[0].reason);
        else if (result->incomplete)
            text_print(out, "Partial: %s is of a recording that breaks off\n", comparison->names[i]);
    }
}

static bool has_note(const struct result *result, const char *note)
{
    return result_has_note(result->notes, result->note_count, note);
}

/* Prints a note of several rows once, with their names unless all have it. */
static void print_note(const struct comparison *comparison, size_t row, const char *note, FILE *out)
{
    bool all = true, begun = false;
    for (size_t i = 0; i < comparison->count; i++) {
        bool has = has_note(comparison->results[i], note);
        if (has && i < row) return;
        all = all && has;
    }
    fputs("Note", out);
    for (size_t i = row; !all && i < comparison->count; i++) {
        if (!has_note(comparison->results[i], note)) continue;
        text_print(out, "%s%s", begun ? ", " : " on ", comparison->names[i]);
        begun = true;
    }
    text_print(out, ": %s\n", note);
}

/* Medians of different transfers do not bound one rate. */
static void print_bounded(const struct comparison *comparison, FILE *out)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct result *result = comparison->results[i];
        const uint64_t lower = result->lower_bound_Bps.count + result->lower_bound_Bps.unbounded,
                       upper = result->platform_bound_Bps.count + result->platform_bound_Bps.unbounded;
        if (lower == upper || lower == 0 || upper == 0) continue;
        text_print(out,
                   "Note: the bounds are medians of different transfers: under %s, %" PRIu64 " of %" PRIu64
                   " have a lower bound, %" PRIu64 " an upper one\n",
                   comparison->names[i], lower, result->transfer_count, upper);
        return;
    }
}

static void print_results(const struct comparison *comparison, FILE *out)
{
    const struct result *first = comparison->results[0];
    char library[RESULT_LIBRARY_BYTES];
    text_print(
        out,
        "%s on %s, %s, engine %s, %u rank%s; wait states are summed over all ranks, bandwidth bounds are medians over the "
        "transfers\n\n",
        first->trace, first->platform, result_library_text(first->library, first->transport, library), first->engine,
        first->rank_count, units_plural(first->rank_count));
    print_table(comparison, out);
    print_draws(comparison, out);
    print_verdict(comparison, out);
    print_sureness(comparison, out);
    print_equal(comparison, out);
    print_buffers(comparison, out);
    print_efficiency(comparison, out);
    print_nodes(comparison, out);
    print_partial(comparison, out);
    print_bounded(comparison, out);
    for (size_t i = 0; i < comparison->count; i++)
        for (size_t n = 0; n < comparison->results[i]->note_count; n++)
            print_note(comparison, i, comparison->results[i]->notes[n], out);
    if (!comparison->warnings) return;
    warnings_print_choice(comparison->warnings, out);
    warnings_print_contradictions(comparison->warnings, out);
}

void comparison_print(const struct comparison *comparison, FILE *out)
{
    struct result *results[ROWS_SHOWN];
    char *names[ROWS_SHOWN];
    struct draws draws[ROWS_SHOWN]; /* borrow the rows' memory */
    struct comparison shown = {.results = results,
                               .names = names,
                               .draws = comparison->draws ? draws : NULL,
                               .warnings = comparison->warnings,
                               .columns = comparison->columns}; /* the rows that have a result */
    for (size_t i = 0; i < comparison->count && shown.count < ROWS_SHOWN; i++) {
        if (!comparison->results[i]) continue;
        names[shown.count] = comparison->names[i];
        if (comparison->draws) draws[shown.count] = comparison->draws[i];
        results[shown.count++] = comparison->results[i];
    }
    if (shown.count > 0) print_results(&shown, out);
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->failures[i]) text_print(out, "Incomplete: no result of %s\n", comparison->failures[i]);
}
