#include "validate/validate.h"

#include "common/units.h"
#include "trace/calls/libraries.h"
#include "validate/as_recorded.h"
#include "validate/samples.h"
#include "validate/target_waits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

/* Sorts samples. */
static struct validate_value compare_values(double predicted_s, double *samples, size_t count)
{
    gsl_sort(samples, 1, count);
    struct validate_value value = {
        .predicted_s = predicted_s,
        .measured_s = gsl_stats_median_from_sorted_data(samples, 1, count),
        .measured_min_s = samples[0],
        .measured_max_s = samples[count - 1],
    };
    value.error_s = value.predicted_s - value.measured_s;
    value.relative = value.measured_s != 0 ? value.error_s / value.measured_s : NAN;
    value.within_spread =
        count > 1 && predicted_s >= value.measured_min_s && predicted_s <= value.measured_max_s;
    return value;
}

/* |error| as a share of whole_s. If whole_s is 0, only an exact match has no deviation. */
static double deviation_of(double error_s, double whole_s)
{
    if (error_s == 0) return 0;
    return whole_s > 0 ? fabs(error_s) / whole_s : INFINITY;
}

/* run_s: run time summed over the ranks that wait. */
static double wait_deviation(const struct validate_value *value, double run_s)
{
    double least_s = VALIDATE_FLOOR * run_s;
    return deviation_of(value->error_s, value->measured_s > least_s ? value->measured_s : least_s);
}

static enum status check_comparable(const struct result *predicted, const char *predicted_name,
                                    const struct result *measured, const char *measured_name, struct err *err)
{
    if (measured->rank_count != predicted->rank_count)
        return err_set(err, STATUS_DATA, measured_name, NULL, "has %u rank%s, expected %u as in the prediction %s",
                       measured->rank_count, units_plural(measured->rank_count), predicted->rank_count, predicted_name);
    if (*measured->late_post && *predicted->late_post && strcmp(measured->late_post, predicted->late_post) != 0)
        return err_set(err, STATUS_DATA, measured_name, NULL,
                       "counts Late Post up to the %s post, expected %s as in the prediction %s", measured->late_post,
                       predicted->late_post, predicted_name);
    char one[RESULT_SECTION_BYTES], other[RESULT_SECTION_BYTES];
    result_section_text(&measured->section, one);
    if (strcmp(one, result_section_text(&predicted->section, other)) == 0) return STATUS_OK;
    return err_set(err, STATUS_DATA, measured_name, NULL, "is of %s, expected %s as in the prediction %s", one, other,
                   predicted_name);
}

static void compare_run(struct validation *v, const struct result *predicted, const struct result *const *measured,
                        double *samples)
{
    size_t n = v->repetitions;
    for (size_t i = 0; i < n; i++) samples[i] = measured[i]->run_time_s;
    v->run_time = compare_values(predicted->run_time_s, samples, n);
    v->run_time.deviation = deviation_of(v->run_time.error_s, v->run_time.measured_s);
    v->measured_total_s = 0;
    for (uint32_t r = 0; r < v->rank_count; r++) {
        for (size_t i = 0; i < n; i++) samples[i] = measured[i]->rank_time_s[r];
        v->rank_time[r] = compare_values(predicted->rank_time_s[r], samples, n);
        v->rank_time[r].deviation = deviation_of(v->rank_time[r].error_s, v->rank_time[r].measured_s);
        v->measured_total_s += v->rank_time[r].measured_s;
    }
}

static void compare_pattern(struct validation *v, enum pattern p, const struct result *predicted,
                            const struct result *const *measured, double *samples)
{
    struct validate_pattern *pattern = &v->patterns[p];
    size_t n = v->repetitions;
    pattern->at_most = predicted->patterns[p].at_most;
    for (size_t i = 0; i < n; i++) {
        samples[i] = measured[i]->patterns[p].severity_s;
        pattern->at_most = pattern->at_most || measured[i]->patterns[p].at_most;
    }
    pattern->total = compare_values(predicted->patterns[p].severity_s, samples, n);
    pattern->total.deviation = wait_deviation(&pattern->total, v->measured_total_s);
    for (uint32_t r = 0; r < v->rank_count; r++) {
        for (size_t i = 0; i < n; i++) samples[i] = measured[i]->patterns[p].rank_severity_s[r];
        pattern->ranks[r] = compare_values(predicted->patterns[p].rank_severity_s[r], samples, n);
        pattern->ranks[r].deviation = wait_deviation(&pattern->ranks[r], v->rank_time[r].measured_s);
    }
}

/* Results read from a file have no property tree. */
static enum status compare_properties(struct validation *v, const struct result *predicted,
                                      const struct result *const *measured, double *samples, struct err *err)
{
    for (size_t i = 0; i < v->repetitions; i++) {
        if (measured[i]->property_count != predicted->property_count) return STATUS_OK;
        for (size_t p = 0; p < predicted->property_count; p++)
            if (strcmp(predicted->properties[p].name, measured[i]->properties[p].name) != 0) return STATUS_OK;
    }
    v->properties = calloc(predicted->property_count + 1, sizeof *v->properties);
    if (!v->properties) return err_memory(err);
    for (size_t p = 0; p < predicted->property_count; p++) {
        struct validate_property *property = &v->properties[p];
        for (size_t i = 0; i < v->repetitions; i++) samples[i] = measured[i]->properties[p].inclusive_s;
        property->value = compare_values(predicted->properties[p].inclusive_s, samples, v->repetitions);
        property->value.deviation = deviation_of(property->value.error_s, v->measured_total_s);
        property->name = strdup(predicted->properties[p].name);
        if (!property->name) return err_memory(err);
        v->property_count++;
    }
    return STATUS_OK;
}

/* errors has memory for every rank. */
static void rank_errors(struct validation *v, double *errors)
{
    size_t known = 0;
    v->rank_error_worst = NAN;
    for (uint32_t r = 0; r < v->rank_count; r++) {
        double error = fabs(v->rank_time[r].relative);
        if (isnan(error)) continue;
        errors[known++] = error;
        if (error <= v->rank_error_worst) continue; /* false while that is NAN */
        v->rank_error_worst = error;
        v->worst_rank = r;
    }
    struct sample_summary summary = samples_summarize(errors, known);
    v->rank_error_median = summary.median;
    v->rank_error_p95 = summary.p95;
}

static char *copy_or_null(const char *text)
{
    return text ? strdup(text) : NULL;
}

static enum status add_note(struct validation *v, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum status add_note(struct validation *v, struct err *err, const char *format, ...)
{
    va_list args;
    char **grown = realloc(v->notes, (v->note_count + 1) * sizeof *grown);
    if (!grown) return err_memory(err);
    v->notes = grown;
    va_start(args, format);
    const bool made = vasprintf(&v->notes[v->note_count], format, args) >= 0;
    va_end(args);
    if (!made) return err_memory(err);
    v->note_count++;
    return STATUS_OK;
}

static enum status note_differences(struct validation *v, const struct result *predicted, const struct result *measured,
                                    const char *name, struct err *err)
{
    if (measured->origin != TRACE_RECORDED)
        TRY(add_note(v, err, "%s is %s, not measured: these are no errors of a prediction", name,
                     trace_origin_name(measured->origin)));
    if (library_is_other(predicted->library, measured->library))
        TRY(add_note(v, err, "%s ran with %s, the prediction is of %s", name, measured->library, predicted->library));
    if (transport_is_other(predicted->transport, measured->transport))
        TRY(add_note(v, err, "%s ran over %s, the prediction is of %s", name, measured->transport, predicted->transport));
    return STATUS_OK;
}

static bool copy_section(const struct result_section *from, struct result_section *to)
{
    to->known = from->known;
    to->without_init = from->without_init;
    to->from = copy_or_null(from->from);
    to->to = copy_or_null(from->to);
    to->callpath = copy_or_null(from->callpath);
    return !to->from == !from->from && !to->to == !from->to && !to->callpath == !from->callpath;
}

static enum status new_validation(const struct result *predicted, const char *predicted_name,
                                  const char *const *measured_names, size_t repetitions, struct validation **validation,
                                  struct err *err)
{
    struct validation *v = calloc(1, sizeof *v);
    if (!v) return err_memory(err);
    v->rank_count = predicted->rank_count;
    v->repetitions = repetitions;
    size_t ranks = v->rank_count ? v->rank_count : 1;
    v->rank_time = calloc(ranks, sizeof *v->rank_time);
    v->measured = calloc(repetitions, sizeof *v->measured);
    v->disturbance = calloc(repetitions, sizeof *v->disturbance);
    v->predicted = strdup(predicted_name);
    v->platform = copy_or_null(predicted->platform);
    v->semantics = copy_or_null(predicted->semantics);
    v->engine = copy_or_null(predicted->engine);
    bool whole = copy_section(&predicted->section, &v->section) && v->rank_time && v->measured && v->disturbance &&
                 v->predicted && !v->platform == !predicted->platform && !v->semantics == !predicted->semantics &&
                 !v->engine == !predicted->engine;
    for (size_t i = 0; whole && i < repetitions; i++) whole = (v->measured[i] = strdup(measured_names[i])) != NULL;
    for (int p = 0; whole && p < PATTERN_COUNT; p++)
        whole = (v->patterns[p].ranks = calloc(ranks, sizeof *v->patterns[p].ranks)) != NULL;
    if (!whole) {
        validation_free(v);
        return err_memory(err);
    }
    *validation = v;
    return STATUS_OK;
}

/* Else a tolerance would hold although nothing was compared, as after a mistyped pattern. */
static enum status check_not_empty(const struct result *predicted, const char *predicted_name,
                                   const struct result *const *measured, size_t repetitions, struct err *err)
{
    char text[RESULT_SECTION_BYTES];
    bool empty = predicted->section.empty;
    for (size_t i = 0; i < repetitions; i++) empty = empty && measured[i]->section.empty;
    if (!empty) return STATUS_OK;
    return err_set(err, STATUS_DATA, predicted_name, NULL, "no call and no computing of any run is %s",
                   result_section_text(&predicted->section, text));
}

enum status validate_results(const struct result *predicted, const char *predicted_name,
                             const struct result *const *measured, const char *const *measured_names,
                             size_t repetitions, struct validation **validation, struct err *err)
{
    for (size_t i = 0; i < repetitions; i++)
        TRY(check_comparable(predicted, predicted_name, measured[i], measured_names[i], err));
    TRY(check_not_empty(predicted, predicted_name, measured, repetitions, err));
    struct validation *v = NULL;
    TRY(new_validation(predicted, predicted_name, measured_names, repetitions, &v, err));
    size_t room = repetitions > v->rank_count ? repetitions : v->rank_count;
    double *values = calloc(room ? room : 1, sizeof *values);
    if (!values) {
        validation_free(v);
        return err_memory(err);
    }
    validate_add_refuted(predicted, v->not_inferred);
    for (size_t i = 0; i < repetitions; i++) {
        v->disturbance[i] = measured[i]->disturbance;
        validate_add_refuted(measured[i], v->not_inferred);
    }
    compare_run(v, predicted, measured, values);
    rank_errors(v, values);
    for (int p = 0; p < PATTERN_COUNT; p++) {
        compare_pattern(v, (enum pattern)p, predicted, measured, values);
        v->patterns[p].known_s = v->patterns[p].total.predicted_s;
    }
    enum status status = compare_properties(v, predicted, measured, values, err);
    for (size_t i = 0; status == STATUS_OK && i < repetitions; i++)
        status = note_differences(v, predicted, measured[i], measured_names[i], err);
    free(values);
    if (status != STATUS_OK)
        validation_free(v);
    else
        *validation = v;
    return status;
}

enum status validate_inferred(struct validation *v, const struct result *inferred, const struct result *const *measured,
                              struct err *err)
{
    double *samples = calloc(v->repetitions, sizeof *samples);
    if (!samples) return err_memory(err);
    for (size_t p = 0; p < v->property_count; p++) free(v->properties[p].name);
    free(v->properties);
    v->properties = NULL;
    v->property_count = 0;
    for (int p = 0; p < PATTERN_COUNT; p++) compare_pattern(v, (enum pattern)p, inferred, measured, samples);
    enum status status = compare_properties(v, inferred, measured, samples, err);
    free(samples);
    validate_add_refuted(inferred, v->not_inferred);
    v->inferred = true;
    return status;
}

static bool pattern_occurs(const struct validation *v, enum pattern pattern)
{
    return v->patterns[pattern].total.predicted_s > 0 || v->patterns[pattern].total.measured_max_s > 0;
}

/* waits_s: of the prediction, then of each repetition, all ranks. */
static enum status compare_targets(struct validation *v, const double *waits_s, double *samples, struct err *err)
{
    v->targets = calloc((size_t)v->rank_count + 1, sizeof *v->targets);
    if (!v->targets) return err_memory(err);
    for (uint32_t r = 0; r < v->rank_count; r++) {
        for (size_t i = 0; i < v->repetitions; i++) samples[i] = waits_s[(i + 1) * v->rank_count + r];
        v->targets[r] = compare_values(waits_s[r], samples, v->repetitions);
        v->targets[r].deviation = wait_deviation(&v->targets[r], v->measured_total_s);
    }
    return STATUS_OK;
}

static enum status find_targets(struct validation *v, const struct trace *predicted,
                                const struct trace *const *measured, const struct analyze_options *options,
                                struct err *err)
{
    if (!pattern_occurs(v, PATTERN_LOCK_CONTENTION) || !pattern_occurs(v, PATTERN_WAIT_FOR_PROGRESS)) return STATUS_OK;
    struct trace view = {.ranks = NULL};
    struct analyze_options alike = options ? *options : (struct analyze_options)ANALYZE_DEFAULTS;
    alike.not_inferred = v->not_inferred;
    if (v->inferred) TRY(as_recorded_init(&view, predicted, err));
    double *waits_s = calloc((v->repetitions + 1) * v->rank_count + v->repetitions, sizeof *waits_s);
    enum status status =
        waits_s ? target_waits(v->inferred ? &view : predicted, &alike, waits_s, err) : err_memory(err);
    for (size_t i = 0; i < v->repetitions && status == STATUS_OK; i++)
        status = target_waits(measured[i], &alike, waits_s + (i + 1) * v->rank_count, err);
    if (status == STATUS_OK)
        status = compare_targets(v, waits_s, waits_s + (v->repetitions + 1) * v->rank_count, err);
    free(waits_s);
    as_recorded_clear(&view);
    return status;
}

enum status validate_traces(struct validation *validation, const struct trace *predicted,
                            const struct trace *const *measured, const struct analyze_options *options,
                            struct err *err)
{
    struct section room;
    const struct section *section;
    const size_t own = predicted->definitions.node_count;
    for (size_t i = 0; own > 0 && i < validation->repetitions; i++) {
        const size_t count = measured[i]->definitions.node_count;
        if (count > 0 && count != own)
            TRY(add_note(validation, err, "%s ran on %zu node%s, the prediction on %zu", validation->measured[i], count,
                         units_plural(count), own));
    }
    const struct section_marks *marks = options ? &options->section : NULL;
    TRY(section_find_asked(predicted, marks, &room, &section, err));
    const char *callpath = marks ? marks->callpath : NULL;
    enum status status = validate_calls_match(predicted, measured, validation->repetitions, section, callpath,
                                              &validation->calls, &validation->difference, err);
    if (status == STATUS_OK && validation->calls)
        status = validate_transfers_match(predicted, measured, validation->repetitions, section, callpath,
                                          &validation->transfers, err);
    section_clear(&room);
    TRY(status);
    return find_targets(validation, predicted, measured, options, err);
}

/* The largest deviation so far, and its name. */
struct worst {
    const struct validate_value *value;
    char what[96];
};

static void worst_take(struct worst *worst, const struct validate_value *value, const char *what, int64_t rank)
{
    if (worst->value && value->deviation <= worst->value->deviation) return;
    worst->value = value;
    if (rank < 0)
        snprintf(worst->what, sizeof worst->what, "%s", what);
    else
        snprintf(worst->what, sizeof worst->what, "%s of rank %lld", what, (long long)rank);
}

enum status validate_tolerance(const struct validation *validation, double tolerance, struct err *err)
{
    struct worst worst = {0};
    worst_take(&worst, &validation->run_time, "run time", -1);
    for (uint32_t r = 0; r < validation->rank_count; r++) worst_take(&worst, &validation->rank_time[r], "time", r);
    for (int p = 0; p < PATTERN_COUNT; p++) {
        if (validation->targets && (p == PATTERN_LOCK_CONTENTION || p == PATTERN_WAIT_FOR_PROGRESS)) continue;
        worst_take(&worst, &validation->patterns[p].total, pattern_row((enum pattern)p)->name, -1);
    }
    for (uint32_t r = 0; validation->targets && r < validation->rank_count; r++)
        worst_take(&worst, &validation->targets[r], "waits for locks and progress", r);
    const struct validate_value *value = worst.value;
    if (value->deviation <= tolerance) return STATUS_OK;
    return err_set(err, STATUS_DATA, validation->predicted, NULL,
                   "tolerance %g%% does not hold: %s is predicted as %.9g s and measured as %.9g s, off by %.3g%%%s",
                   tolerance * 100, worst.what, value->predicted_s, value->measured_s, value->deviation * 100,
                   value->within_spread ? " (inside the spread of the measured runs)" : "");
}
