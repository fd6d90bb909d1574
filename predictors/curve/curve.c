#include "predictors/curve/curve.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/text.h"
#include "common/units.h"
#include "predictors/curve/limits.h"

void curve_clear(struct curve *curve)
{
    for (size_t i = 0; i < curve->count; i++) {
        result_free(curve->points[i].result);
        cJSON_Delete(curve->points[i].rewrites);
    }
    free(curve->points);
    *curve = (struct curve){.count = 0};
}

bool curve_is_strong(double few_s, double many_s)
{
    const double noticeable = 0.1;
    return few_s > 0 && many_s <= (1 - noticeable) * few_s;
}

static const struct curve_point *reference_point(const struct curve *curve, size_t point)
{
    return &curve->points[point % curve->rows];
}

/* The reference's run time divided by this point's. */
static double time_quotient(const struct curve *curve, size_t point)
{
    double here = curve->points[point].result->run_time_s, there = reference_point(curve, point)->result->run_time_s;
    return here > 0 ? there / here : 1;
}

static double rank_growth(const struct curve *curve, size_t point)
{
    return (double)curve->points[point].ranks / reference_point(curve, point)->ranks;
}

double curve_speedup(const struct curve *curve, size_t point)
{
    return time_quotient(curve, point) * (curve->strong ? 1 : rank_growth(curve, point));
}

double curve_efficiency(const struct curve *curve, size_t point)
{
    return curve_speedup(curve, point) / rank_growth(curve, point);
}

const char *curve_doubt(const struct curve *curve, size_t point)
{
    const double rounding = 0.005;
    if (!(curve_efficiency(curve, point) > 1 + rounding)) return NULL;
    return curve->strong ? "all ranks together do less there than at the reference, which no division of equal work explains"
                         : "a rank does less there than at the reference: the work is divided, which --scaling strong states";
}

double curve_wait_share(const struct curve *curve, size_t point, enum pattern pattern)
{
    const struct result *result = curve->points[point].result;
    double all_s = result->run_time_s * curve->points[point].ranks;
    return all_s > 0 ? result->patterns[pattern].severity_s / all_s : 0;
}

bool curve_pop(const struct curve *curve, size_t point, struct efficiency_pop *pop)
{
    const cJSON *efficiency = curve->points[point].result->efficiency_read;
    if (efficiency) *pop = efficiency_pop_read(efficiency);
    return efficiency != NULL;
}

struct curve_noise curve_noise_of(double *run_times_s, size_t count)
{
    gsl_sort(run_times_s, 1, count);
    return (struct curve_noise){gsl_stats_quantile_from_sorted_data(run_times_s, 1, count, 0.5),
                                gsl_stats_quantile_from_sorted_data(run_times_s, 1, count, 0.05),
                                gsl_stats_quantile_from_sorted_data(run_times_s, 1, count, 0.95)};
}

/* --- the table --- */

static void print_noise(const struct curve *curve, size_t i, FILE *out)
{
    char median[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    const struct curve_noise *noise = &curve->points[i].noise;
    if (curve->noisy_runs == 0) return;
    text_print(out, "  %11s  %11s  %11s", units_format_duration(noise->median_s, median),
               units_format_duration(noise->p5_s, low), units_format_duration(noise->p95_s, high));
}

static void print_point(const struct curve *curve, size_t i, FILE *out)
{
    char run_time[UNITS_TEXT_BYTES], error[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    const struct curve_point *point = &curve->points[i];
    enum pattern worst = 0;
    for (int p = 1; p < PATTERN_COUNT; p++)
        if (curve_wait_share(curve, i, (enum pattern)p) > curve_wait_share(curve, i, worst)) worst = (enum pattern)p;
    double share = curve_wait_share(curve, i, worst);
    text_print(out, "%8u  %-9s  %11s  %11s  %11s  %11s", point->ranks, curve->semantics[i % curve->rows],
               units_format_duration(point->result->run_time_s, run_time),
               uncertainty_total_text(&point->result->uncertainty, error),
               units_format_duration(point->low_s, low), units_format_duration(point->high_s, high));
    print_noise(curve, i, out);
    text_print(out, "  %8.2f  %7.1f %%", curve_speedup(curve, i), 100 * curve_efficiency(curve, i));
    if (share > 0) text_print(out, "  %s %.1f %%", pattern_row(worst)->title, 100 * share);
    fputc('\n', out);
}

/* The largest distance from a point at which Amdahl's model is said to describe the run. */
static const double AMDAHL_ERROR_MAX = 0.1;

enum { SENTENCE_BYTES = 400 };

/* What is said of a row; "" nothing. */
typedef void row_says(const struct curve *curve, size_t row, char text[SENTENCE_BYTES]);

static void say_end(const struct curve *curve, size_t row, char text[SENTENCE_BYTES])
{
    const size_t stops = limits_stops_paying(curve, row);
    if (stops == curve->count) return;
    const uint32_t ranks = curve->points[stops].ranks, first = curve->points[row].ranks;
    if (curve->strong)
        snprintf(text, SENTENCE_BYTES, "more than %u rank%s do not make it faster", ranks, units_plural(ranks));
    else
        snprintf(text, SENTENCE_BYTES, "at %u ranks less than half of the work per rank and time of %u rank%s is done", ranks,
                 first, units_plural(first));
}

static void say_amdahl(const struct curve *curve, size_t row, char text[SENTENCE_BYTES])
{
    const struct amdahl amdahl = limits_amdahl(curve, row);
    if (!amdahl.known || amdahl.error > AMDAHL_ERROR_MAX) return;
    char error[40] = "by two numbers of ranks";
    if (amdahl.points > 2) snprintf(error, sizeof error, "within %.1f %%", 100 * amdahl.error);
    const int used = snprintf(text, SENTENCE_BYTES, "%.2f %% of one rank's run time do not shrink with ranks (Amdahl, %s)",
                              100 * amdahl.serial_share, error);
    if (amdahl.serial_share > 0)
        snprintf(text + used, SENTENCE_BYTES - (size_t)used, ": no speed-up above %.4g against one rank",
                 1 / amdahl.serial_share);
}

static void say_wins(const struct curve *curve, size_t row, char text[SENTENCE_BYTES])
{
    size_t first, last = SIZE_MAX, used = 0;
    if (curve->rows == 1) return;
    while (limits_next_win(curve, row, &first, &last) && used + 40 < SENTENCE_BYTES) {
        used += (size_t)snprintf(text + used, SENTENCE_BYTES - used, "%s%u",
                                 used ? ", " : "the fastest, or as fast within the error, at ", curve->points[first].ranks);
        if (last > first) used += (size_t)snprintf(text + used, SENTENCE_BYTES - used, " to %u", curve->points[last].ranks);
    }
    if (used > 0) snprintf(text + used, SENTENCE_BYTES - used, " ranks");
}

/* "a, c: more than 8 ranks do not make it faster.": a sentence once, with the rows that it is about. */
static void print_sentences(const struct curve *curve, row_says *says, FILE *out)
{
    for (size_t row = 0; row < curve->rows; row++) {
        char text[SENTENCE_BYTES] = "";
        size_t same = 0;
        says(curve, row, text);
        for (size_t other = 0; *text && other < curve->rows; other++) {
            char of_other[SENTENCE_BYTES] = "";
            says(curve, other, of_other);
            if (strcmp(text, of_other) != 0) continue;
            if (same == 0 && other < row) break; /* was said */
            text_print(out, same++ ? ", %s" : "%s", curve->semantics[other]);
        }
        if (same > 0) text_print(out, ": %s.\n", text);
    }
}

static void print_limits(const struct curve *curve, FILE *out)
{
    print_sentences(curve, say_end, out);
    print_sentences(curve, say_amdahl, out);
    print_sentences(curve, say_wins, out);
}

static void print_waits_head(const struct curve *curve, FILE *out)
{
    text_print(out, "\n%-24s  %-9s", "share of the time at", "semantics");
    for (size_t i = 0; i < curve->count; i += curve->rows) text_print(out, "  %8u", curve->points[i].ranks);
    fputs(" ranks\n", out);
}

static bool is_seen(const struct curve *curve, enum pattern pattern, size_t row)
{
    for (size_t i = row; i < curve->count; i += curve->rows)
        if (curve_wait_share(curve, i, pattern) >= 0.0005) return true;
    return false;
}

/* Prints shares of all ranks' time, unless they are 0.0 % everywhere. */
static void print_waits(const struct curve *curve, FILE *out)
{
    bool begun = false;
    for (int p = 0; p < PATTERN_COUNT; p++)
        for (size_t row = 0, printed = 0; row < curve->rows; row++) {
            if (!is_seen(curve, (enum pattern)p, row)) continue;
            if (!begun) print_waits_head(curve, out);
            begun = true;
            text_print(out, "%-24s  %-9s", printed++ ? "" : pattern_row((enum pattern)p)->title, curve->semantics[row]);
            for (size_t i = row; i < curve->count; i += curve->rows)
                text_print(out, "  %6.1f %%", 100 * curve_wait_share(curve, i, (enum pattern)p));
            fputc('\n', out);
        }
}

static void print_factor(double value, FILE *out)
{
    if (value >= 0)
        text_print(out, "  %13.4f", value);
    else
        text_print(out, "  %13s", "-");
}

/* Prints POP's metrics, if they were requested. */
static void print_pop(const struct curve *curve, FILE *out)
{
    struct efficiency_pop pop;
    if (!curve_pop(curve, 0, &pop)) return;
    text_print(out, "\n%8s  %-9s  %13s  %13s  %13s  %13s\n", "ranks", "semantics", "parallel eff.", "load balance",
               "serialization", "transfer");
    for (size_t i = 0; i < curve->count; i++) {
        if (!curve_pop(curve, i, &pop)) continue;
        text_print(out, "%8u  %-9s", curve->points[i].ranks, curve->semantics[i % curve->rows]);
        print_factor(pop.parallel, out);
        print_factor(pop.load_balance, out);
        print_factor(pop.serialization, out);
        print_factor(pop.transfer, out);
        fputc('\n', out);
    }
}

/* Says which errors the bands have, where some +- is more than half of its band. */
static void print_bands(const struct curve *curve, FILE *out)
{
    if (!curve->program && curve->points[curve->count - 1].ranks > curve->points[0].ranks)
        fputs("At least, at most: one run says nothing of what changes between its copies, so for each doubling of the ranks "
              "its whole run time is the error.\n",
              out);
    if (curve->measured > 0)
        text_print(out, "At least, at most: with the errors of the platform's measured values (%zu).\n", curve->measured);
    for (size_t i = 0; i < curve->count && curve->run_count == 0; i++) {
        const struct curve_point *point = &curve->points[i];
        if (!(uncertainty_total_s(&point->result->uncertainty) > (point->high_s - point->low_s) / 2 * (1 + 1e-9))) continue;
        fputs("At least, at most: by the errors of computing times and of the platform's values only; "
              "+- has its other parts, too.\n", out);
        return;
    }
}

static void print_replays(const struct curve *curve, FILE *out)
{
    if (curve->run_count == 0) return;
    fputs("At least, at most: with the replay's own error, of the measured runs", out);
    for (size_t i = 0; i < curve->run_count; i++)
        text_print(out, "%s %+.1f %% at %u rank%s", i ? "," : "", 100 * replay_error_of(&curve->runs[i]), curve->runs[i].ranks,
                   units_plural(curve->runs[i].ranks));
    fputs(".\n", out);
}

/* "a: efficiency above 100 % at 4, 8 ranks: ..." */
static void print_doubts(const struct curve *curve, FILE *out)
{
    for (size_t row = 0; row < curve->rows; row++) {
        const char *why = NULL;
        for (size_t i = row; i < curve->count; i += curve->rows) {
            if (!curve_doubt(curve, i)) continue;
            if (why) text_print(out, ", %u", curve->points[i].ranks);
            else text_print(out, "Warning, %s: efficiency above 100 %% at %u", curve->semantics[row], curve->points[i].ranks);
            why = curve_doubt(curve, i);
        }
        if (why) text_print(out, " ranks: %s.\n", why);
    }
}

/* Whether a point before this one has the note. */
static bool is_known_note(const struct curve *curve, size_t point, const char *note)
{
    bool known = false;
    for (size_t i = 0; i < point && !known; i++)
        known = result_has_note(curve->points[i].result->notes, curve->points[i].result->note_count, note);
    return known;
}

/* Prints each note of the results once, with the smallest number of ranks that has it. */
static void print_notes(const struct curve *curve, FILE *out)
{
    for (size_t i = 0; i < curve->count; i++)
        for (size_t n = 0; n < curve->points[i].result->note_count; n++)
            if (!is_known_note(curve, i, curve->points[i].result->notes[n]))
                text_print(out, "Note, %u rank%s: %s\n", curve->points[i].ranks, units_plural(curve->points[i].ranks),
                           curve->points[i].result->notes[n]);
}

void curve_print(const struct curve *curve, FILE *out)
{
    text_print(out, "%s scaling, against %u rank%s%s", curve->strong ? "Strong" : "Weak", curve->points[0].ranks,
               units_plural(curve->points[0].ranks), curve->parameters ? curve->parameters : "");
    if (curve->noisy_runs > 0)
        text_print(out, "; median, 5th and 95th percentile of %zu run%s with noise", curve->noisy_runs,
                   units_plural(curve->noisy_runs));
    text_print(out, "\n%8s  %-9s  %11s  %11s  %11s  %11s", "ranks", "semantics", "run time", "+-", "at least", "at most");
    if (curve->noisy_runs > 0) text_print(out, "  %11s  %11s  %11s", "median", "5 %", "95 %");
    text_print(out, "  %8s  %9s  %s\n", "speed-up", "efficiency", "largest wait state");
    for (size_t i = 0; i < curve->count; i++) print_point(curve, i, out);
    print_waits(curve, out);
    print_pop(curve, out);
    fputc('\n', out);
    if (curve->statistics) fputs(curve->statistics, out); /* lines that text_print() made */
    print_doubts(curve, out);
    print_limits(curve, out);
    if (curve->why) fputs(curve->why, out); /* lines that text_print() made */
    uncertainty_print_unknown(&curve->points[0].result->uncertainty, out);
    print_bands(curve, out);
    print_replays(curve, out);
    print_notes(curve, out);
    if (curve->doubts) {
        fputs("Open, since the runs do not tell:\n", out);
        fputs(curve->doubts, out); /* lines that text_print() made */
    }
}
