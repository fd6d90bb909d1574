/* Prints the table of a validation. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/text/text.h"
#include "common/units.h"
#include "model/waits/properties.h"
#include "validate/validate.h"

enum { RANKS_SHOWN = 16 };
/* Smaller shares of all ranks' time are not printed. */
#define KNOWN_DIFFERENCE 0.001
/* Of the initialisation's share of all ranks' time. */
#define NOTED_DIFFERENCE 0.05

static void print_share(double share, FILE *out)
{
    if (isfinite(share))
        text_print(out, " %+8.2f%%", share * 100);
    else
        text_print(out, " %9s", "-");
}

static void print_duration(double seconds, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    text_print(out, " %10s", units_format_duration(seconds, text));
}

/* share: the signed figure of the last column. */
static void print_row(const char *name, const struct validate_value *value, double share, bool repeated, FILE *out)
{
    text_print(out, "%-26s", name);
    print_duration(value->predicted_s, out);
    print_duration(value->measured_s, out);
    if (repeated) {
        print_duration(value->measured_min_s, out);
        print_duration(value->measured_max_s, out);
    }
    print_duration(value->error_s, out);
    print_share(value->relative, out);
    print_share(share, out);
    text_print(out, "%s\n", value->within_spread ? "  within the spread" : "");
}

static void print_head(const struct validation *v, bool repeated, FILE *out)
{
    text_print(out, "Prediction %s", v->predicted);
    if (v->platform) text_print(out, ", platform %s", v->platform);
    if (v->semantics) text_print(out, ", semantics %s", v->semantics);
    if (v->engine) text_print(out, ", engine %s", v->engine);
    text_print(out, "\nMeasured   ");
    for (size_t i = 0; i < v->repetitions; i++) text_print(out, "%s%s", i ? ", " : "", v->measured[i]);
    char text[RESULT_SECTION_BYTES];
    _Static_assert((int)RESULT_SECTION_BYTES >= (int)RESULT_DISTURBANCE_BYTES, "room for either");
    if (v->section.known) text_print(out, "\nSection    %s", result_section_text(&v->section, text));
    for (size_t i = 0; i < v->repetitions; i++)
        if (v->disturbance[i].known)
            text_print(out, "\nDisturbed  %s: %s", v->measured[i], result_disturbance_text(&v->disturbance[i], text));
    for (size_t i = 0; i < v->note_count; i++) text_print(out, "\nnote: %s", v->notes[i]);
    text_print(out, "\n\n%-26s %10s %10s", "", "predicted", repeated ? "median" : "measured");
    if (repeated) text_print(out, " %10s %10s", "least", "most");
    text_print(out, " %10s %9s %9s\n", "error", "relative", "of total");
}

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static void print_ranks(const struct validation *v, bool repeated, FILE *out)
{
    for (uint32_t r = 0; r < v->rank_count && r < RANKS_SHOWN; r++) {
        char name[32];
        snprintf(name, sizeof name, "rank %u", r);
        print_row(name, &v->rank_time[r], NAN, repeated, out);
    }
    if (v->rank_count > RANKS_SHOWN)
        text_print(out, "... and %u more rank%s (--json has all)\n", v->rank_count - RANKS_SHOWN,
                   units_plural(v->rank_count - RANKS_SHOWN));
}

/* Prints the sums that replace waits which time stamps of a recording cannot distinguish. */
static void print_targets(const struct validation *v, bool repeated, FILE *out)
{
    for (uint32_t r = 0; v->targets && r < v->rank_count && r < RANKS_SHOWN; r++) {
        char name[40];
        if (v->targets[r].predicted_s == 0 && v->targets[r].measured_max_s == 0) continue;
        snprintf(name, sizeof name, "waits for target %u", r);
        print_row(name, &v->targets[r], share_of(v->targets[r].error_s, v->measured_total_s), repeated, out);
    }
}

static void print_calls(const struct validate_calls *calls, FILE *out)
{
    char text[3][UNITS_TEXT_BYTES];
    if (calls->count > 0) {
        const struct validate_call *worst = &calls->calls[calls->worst];
        text_print(out, "Error of %zu call%s and the computing before them: median %s, 95th percentile %s, worst %s: %s in %s, "
                   "rank %" PRIu32 ", occurrence %" PRIu32 "\n",
                   calls->count / 2, units_plural(calls->count / 2), units_format_duration(calls->error_s.median, text[0]),
                   units_format_duration(calls->error_s.p95, text[1]), units_format_duration(calls->error_s.worst, text[2]),
                   calls->places[worst->place].function, calls->places[worst->place].callpath, worst->rank, worst->occurrence);
        text_print(out, "Error of the time of all ranks: %s in computing, %s in calls\n",
                   units_format_duration(calls->computing_error_s, text[0]),
                   units_format_duration(calls->calls_error_s, text[1]));
    }
}

static void print_transfers(const struct validate_transfers *transfers, FILE *out)
{
    char text[3][UNITS_TEXT_BYTES];
    if (transfers->count == 0) return;
    text_print(out, "Transfers: %" PRIu64 " of %" PRIu64 " measured ones lie in the predicted bounds, or may\n",
               transfers->within, transfers->count);
    if (transfers->between_nodes < transfers->count)
        text_print(out, "           of those between nodes %" PRIu64 " of %" PRIu64 "\n", transfers->between_nodes_within,
                   transfers->between_nodes);
    if (transfers->width.count > 0)
        text_print(out, "           predicted latest / earliest end: median %.3g\n", transfers->width.median);
    if (transfers->within_spread > 0)
        text_print(out, "           %" PRIu64 " further ones are no further outside than the measured runs are apart\n",
                   transfers->within_spread);
    text_print(out, "           error of their latest ends: median %s, 95th percentile %s, worst %s: rank %" PRIu32
                    ", event %" PRIu64 "\n",
               units_format_duration(transfers->error_s.median, text[0]),
               units_format_duration(transfers->error_s.p95, text[1]), units_format_duration(transfers->error_s.worst, text[2]),
               transfers->worst_rank, transfers->worst_event);
}

static void print_other(const struct validation *v, FILE *out)
{
    const struct validate_other *other = &v->calls->other;
    if (v->calls->other_count == 0) return;
    const struct validate_place *place = &v->calls->places[other->place];
    text_print(out, "Different: %" PRIu64 " call%s with other bytes or partners than in the prediction; first %s, rank %" PRIu32
                    ", event %" PRIu64 ": %s in %s\n           has %" PRId64 " bytes, rank %" PRId32
                    ", predicted for %" PRId64 " bytes, rank %" PRId32 "\n",
               v->calls->other_count, units_plural(v->calls->other_count), v->measured[other->run], other->rank, other->event,
               place->function, place->callpath, other->bytes, other->peer, other->predicted_bytes, other->predicted_peer);
}

/* Of the wait states that are inferred of the prediction, those of which the simulation knows otherwise. */
static void print_known(const struct validation *v, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    const char *before = "Predicted wait states are found as in a recording. The simulation knows them as ";
    for (int p = 0; v->inferred && p < PATTERN_COUNT; p++) {
        const struct validate_pattern *pattern = &v->patterns[p];
        if (fabs(pattern->known_s - pattern->total.predicted_s) <= KNOWN_DIFFERENCE * v->measured_total_s) continue;
        text_print(out, "%s%s %s", before, pattern_row((enum pattern)p)->name,
                   units_format_duration(pattern->known_s, text));
        before = ", ";
    }
    if (before[0] == ',') fputc('\n', out);
}

/* Functions of which no Wait for Progress counts, on either side. */
static void print_not_inferred(const struct validation *v, FILE *out)
{
    const char *before = "No Wait for Progress is inferred of ";
    for (int f = 0; v->inferred && f < MPI_CALL_COUNT; f++) {
        if (!v->not_inferred[f]) continue;
        text_print(out, "%s%s", before, call_name((enum mpi_call)f));
        before = ", ";
    }
    if (before[0] == ',') fputs(": a run shows that it need not wait for its target alone\n", out);
}

/* Initialisation takes what the machine's launcher takes; it may hide how near the rest of the run is predicted. */
static void print_initialisation(const struct validation *v, FILE *out)
{
    char predicted[UNITS_TEXT_BYTES], measured[UNITS_TEXT_BYTES];
    for (size_t p = 0; !v->section.known && p < v->property_count; p++) {
        const struct validate_value *value = &v->properties[p].value;
        if (strcmp(v->properties[p].name, property_row(PROPERTY_INIT_FINALIZE)->name) != 0) continue;
        if (fabs(value->error_s) <= NOTED_DIFFERENCE * v->measured_total_s) continue;
        text_print(out, "Predicted %s, measured %s of all ranks' time are in MPI_Init, MPI_Finalize and other such calls: "
                   "--without-init leaves these two out\n",
                   units_format_duration(value->predicted_s, predicted), units_format_duration(value->measured_s, measured));
    }
}

void validation_print(const struct validation *v, FILE *out)
{
    bool repeated = v->repetitions > 1;
    print_head(v, repeated, out);
    print_row("run time", &v->run_time, NAN, repeated, out);
    print_ranks(v, repeated, out);
    for (int p = 0; p < PATTERN_COUNT; p++) {
        const struct validate_value *total = &v->patterns[p].total;
        if (total->predicted_s == 0 && total->measured_max_s == 0) continue;
        print_row(pattern_row((enum pattern)p)->name, total, share_of(total->error_s, v->measured_total_s), repeated,
                  out);
    }
    print_targets(v, repeated, out);
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (v->patterns[p].at_most)
            text_print(out, "%s: at most, some or all of it may be no wait: what the call takes by itself is not known\n",
                       pattern_row((enum pattern)p)->name);
    print_known(v, out);
    print_not_inferred(v, out);
    if (isfinite(v->rank_error_median))
        text_print(out,
                   "\nRelative error of the rank times: median %.2f%%, 95th percentile %.2f%%, worst %.2f%%: rank %" PRIu32 "\n",
                   v->rank_error_median * 100, v->rank_error_p95 * 100, v->rank_error_worst * 100, v->worst_rank);
    print_initialisation(v, out);
    if (v->repetitions == 1) fputs("One measured run: how far real runs differ from each other is not known\n", out);
    if (!v->calls) {
        text_print(out, "Calls and transfers are not compared: %s%s\n", v->difference ? "other control flow: " : "",
                   v->difference ? v->difference : "not all inputs are traces");
        return;
    }
    print_calls(v->calls, out);
    print_transfers(&v->transfers, out);
    print_other(v, out);
}

void validation_print_callpaths(const struct validation *v, size_t top, FILE *out)
{
    const struct validate_calls *calls = v->calls;
    char text[3][UNITS_TEXT_BYTES];
    size_t races = 0;
    text_print(out, "\nWhere the error is\n%7s %8s %11s %11s %11s %11s  call\n", "share", "calls", "predicted", "measured",
               "error", "spread");
    for (size_t i = 0; i < calls->place_count && i < top; i++) {
        const struct validate_call_group *group = &calls->groups[calls->order[i]];
        const struct validate_place *place = &calls->places[calls->order[i]];
        if (group->absolute_s == 0) break;
        text_print(out, "%6.1f%% %8" PRIu64 " %11s %11s", group->share * 100, group->count,
                   units_format_duration(group->predicted_median_s, text[0]),
                   units_format_duration(group->measured_median_s, text[1]));
        print_duration(group->error_s, out);
        text_print(out, " %11s  %s in %s", units_format_duration(group->spread_s, text[2]), place->function, place->callpath);
        if (place->file) text_print(out, " (%s:%" PRId32 ")", place->file, place->line);
        if (group->race) text_print(out, " race: %" PRIu64, group->two_groups);
        races += group->race;
        fputc('\n', out);
    }
    fputs("Predicted and measured: medians of one call; error, spread: sums over the calls.\n", out);
    if (races > 0)
        fputs("Race: in so many calls the measured runs fall into two groups; these have half of the error or more.\n", out);
}
