#include <math.h>
#include <string.h>

#include "common/units.h"
#include "predictors/comparison.h"

static bool occurs(const struct comparison *comparison, enum pattern pattern)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->results[i]->patterns[pattern].count > 0) return true;
    return false;
}

static int column_width(enum pattern pattern)
{
    int width = (int)strlen(pattern_row(pattern)->title);
    return width < 11 ? 11 : width;
}

static void print_rate(const struct result_distribution *rates, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    bool known = rates->count > 0 && isfinite(rates->median);
    fprintf(out, "  %12s", known ? units_format_rate(rates->median, text) : "-");
}

static void print_row(const struct comparison *comparison, const struct result *result, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    fprintf(out, "%-9s  %11s", result->semantics ? result->semantics : "-", units_format_duration(result->run_time_s, text));
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (occurs(comparison, (enum pattern)p))
            fprintf(out, "  %*s", column_width((enum pattern)p), units_format_duration(result->patterns[p].severity_s, text));
    print_rate(&result->lower_bound_Bps, out);
    print_rate(&result->upper_bound_Bps, out);
    fputc('\n', out);
}

static void print_difference(const struct result *first, const struct result *other, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    double gain_s = first->run_time_s - other->run_time_s;
    if (gain_s == 0) {
        fprintf(out, "%s takes as long as %s", other->semantics, first->semantics);
        return;
    }
    fprintf(out, "%s takes %s %s than %s", other->semantics, units_format_duration(fabs(gain_s), text),
            gain_s > 0 ? "less" : "more", first->semantics);
    if (first->run_time_s > 0) fprintf(out, " (%+.2f%%)", -gain_s / first->run_time_s * 100);
}

static void print_verdict(const struct comparison *comparison, FILE *out)
{
    const struct result *first = comparison->results[0], *fastest = first;
    size_t ties = 0;
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->results[i]->run_time_s < fastest->run_time_s) fastest = comparison->results[i];
    for (size_t i = 0; i < comparison->count; i++) ties += comparison->results[i]->run_time_s == fastest->run_time_s;
    char text[UNITS_TEXT_BYTES];
    if (ties == comparison->count && ties > 1)
        fprintf(out, "All take %s", units_format_duration(fastest->run_time_s, text));
    else
        fprintf(out, "Fastest: %s with %s", fastest->semantics, units_format_duration(fastest->run_time_s, text));
    for (size_t i = 1; i < comparison->count && ties < comparison->count; i++) {
        fputs(i == 1 ? "; " : ", ", out);
        print_difference(first, comparison->results[i], out);
    }
    fputs(".\n", out);
}

void comparison_print(const struct comparison *comparison, FILE *out)
{
    if (comparison->count == 0) return;
    const struct result *first = comparison->results[0];
    fprintf(out, "%s on %s, engine %s, %u ranks; wait states are summed over all ranks, bandwidth bounds are medians over the "
            "transfers\n\n", first->trace, first->platform, first->engine, first->rank_count);
    fprintf(out, "%-9s  %11s", "semantics", "run time");
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (occurs(comparison, (enum pattern)p))
            fprintf(out, "  %*s", column_width((enum pattern)p), pattern_row((enum pattern)p)->title);
    fprintf(out, "  %12s  %12s\n", "lower bound", "upper bound");
    for (size_t i = 0; i < comparison->count; i++) print_row(comparison, comparison->results[i], out);
    fputc('\n', out);
    print_verdict(comparison, out);
}
