/* Texts of Extra-P: read, their functions evaluated, written and read again. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predictors/scale/extrap.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_text.h"
#include "tests/fuzz/oracle.h"

static double term_value(const struct time_term *term, double of)
{
    double value = pow(of, term->exponent);
    for (int i = 0; i < term->logs; i++) value *= log2(of);
    return value;
}

static void check_value(const struct extrap_series *series, int32_t ranks, int64_t n)
{
    const struct time_model *model = &series->model;
    double value = time_model_mean(model, ranks, n);
    double by_hand =
        model->c0 + model->c1 * term_value(&model->ranks, ranks) * (n > 0 ? term_value(&model->n, (double)n) : 1);
    if (!isfinite(value) || value < 0) fuzz_finding("%s at %d, %" PRId64 " is %g", series->region, ranks, n, value);
    double within = 1e-9 * (fabs(model->c0) + fabs(by_hand - model->c0));
    if (fabs(value - fmax(by_hand, 0)) > within)
        fuzz_finding("%s at %d is %g, by hand %g", series->region, ranks, value, by_hand);
}

/* The measured points are values of the text, and the error of a function that is not constant is a number. */
static void check_series(const struct extrap *extrap, const struct extrap_series *series)
{
    static const int32_t ranks[] = {1, 2, 3, 64, 1000, 1 << 20, INT32_MAX};
    const struct time_model *model = &series->model;
    const int64_t values[] = {extrap->second ? 1 : 0, extrap->largest};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        for (int k = 0; k < 2; k++) check_value(series, ranks[i], values[k]);
    if (!(model->error >= 0) || !(model->missed >= 0) || !isfinite(model->error + model->missed + model->missed_s))
        fuzz_finding("%s has the error %g, %g", series->region, model->error, model->missed);
    for (size_t i = 0; i < model->measured_count; i++)
        if (!isfinite(model->measured[i].mean) || model->measured[i].mean < 0)
            fuzz_finding("%s has measured %g", series->region, model->measured[i].mean);
    if (model->measured_count == 0) fuzz_finding("%s has no points", series->region);
}

/* The measured means as a text of the form. */
static char *write_means(const struct extrap *extrap, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) abort();
    if (extrap->parameter) fprintf(out, "PARAMETER %s\n", extrap->parameter);
    if (extrap->second) fprintf(out, "PARAMETER %s\n", extrap->second);
    fputs("POINTS", out);
    const struct time_model *first = &extrap->series[0].model;
    for (size_t i = 0; i < first->measured_count; i++) {
        fprintf(out, " (%d", first->measured[i].ranks);
        if (extrap->second) fprintf(out, " %" PRId64, first->measured[i].n);
        fputc(')', out);
    }
    fputc('\n', out);
    for (size_t s = 0; s < extrap->count; s++) {
        fprintf(out, "REGION %s\nMETRIC %s\n", extrap->series[s].region, extrap->series[s].metric);
        for (size_t i = 0; i < first->measured_count; i++)
            fprintf(out, "DATA %.17g\n", extrap->series[s].model.measured[i].mean);
    }
    fclose(out);
    return text;
}

static void check_written(const struct extrap *extrap)
{
    size_t size;
    struct err err;
    struct extrap again;
    char *text = write_means(extrap, &size);
    if (extrap_read(fuzz_file(text, size), &again, &err) != STATUS_OK)
        fuzz_finding("what is written does not read back: %s", err.text);
    if (again.count != extrap->count || again.largest != extrap->largest || !again.second != !extrap->second)
        fuzz_finding("%zu series are %zu series when read back", extrap->count, again.count);
    for (size_t s = 0; s < extrap->count; s++) {
        const struct extrap_series *one = &extrap->series[s], *two = &again.series[s];
        bool same = strcmp(one->region, two->region) == 0 && strcmp(one->metric, two->metric) == 0 &&
                    one->model.measured_count == two->model.measured_count;
        for (size_t i = 0; same && i < one->model.measured_count; i++)
            same = one->model.measured[i].ranks == two->model.measured[i].ranks &&
                   one->model.measured[i].n == two->model.measured[i].n &&
                   one->model.measured[i].mean == two->model.measured[i].mean;
        if (!same) fuzz_finding("'%s' differs when it is read back: %s", one->region, two->region);
    }
    extrap_clear(&again);
    free(text);
}

static void check_command(const uint8_t *data, size_t size)
{
    char place[64], path[80];
    char *words[] = {(char *)command_program, "predict", "--ranks", "64", "--extrap-points", path, NULL};
    struct extrap extrap;
    struct err err;
    fuzz_directory("extrap", place, sizeof place);
    command_write(place, "in.txt", (const char *)data, size);
    snprintf(path, sizeof path, "%s/in.txt", place);
    enum status status = extrap_read(path, &extrap, &err);
    if (status == STATUS_OK) extrap_clear(&extrap);
    command_check_same(place, words, status, &err);
    fuzz_remove(place);
}

static void run(const uint8_t *data, size_t size)
{
    static const uint32_t at[] = {1, 64, 1 << 20};
    struct extrap extrap;
    struct err err;
    if (fuzz_once_in(4000)) check_command(data, size);
    enum status status = extrap_read(fuzz_file(data, size), &extrap, &err);
    fuzz_check_error("extrap_read", status, &err);
    if (status != STATUS_OK) return;
    for (size_t i = 0; i < extrap.count; i++) check_series(&extrap, &extrap.series[i]);
    extrap_print(&extrap, at, sizeof at / sizeof *at, extrap.largest, oracle_nowhere());
    if (fuzz_once_in(4)) check_written(&extrap);
    extrap_clear(&extrap);
}

static size_t mutate(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const lines[] = {"PARAMETER p", "PARAMETER q r", "POINTS 1 2 4 8", "POINTS (1 1) (1 2) (2 1)",
                                        "METRIC time", "REGION a->b",   "DATA 0",         "DATA 1 1",
                                        "DATA 1e-300", "DATA 1e300 1",  "DATA 0 0 1e308", "POINTS (8,100)",
                                        "# a comment", "REGION",        "METRIC"};
    return mutate_any(random, lines, sizeof lines / sizeof *lines, data, size, room);
}

const struct fuzz_harness harness_extrap = {
    .name = "extrap",
    .summary = "texts of Extra-P: read, their functions evaluated, written and read again",
    .run = run,
    .mutate = mutate,
    .splices = true,
};
