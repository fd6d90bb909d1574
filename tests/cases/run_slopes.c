/* Slopes of hand-worked cases (case_platform.h): run_slopes FILE...
 *
 * Of each case under a, b, c and d, with and without contention, and each value of its platform: the curve that sensitivity finds
 * holds at twenty other values (its own --verify); the slope of a time is the difference of a replay with a picosecond more; the
 * slope is the sum of its places. One line for each difference; exit 1 if there is one. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "predictors/sensitivity/sensitivity.h"
#include "simulate/replay/replay.h"
#include "tests/cases/case_platform.h"
#include "trace/text/text.h"

enum { PATH_BYTES = 1024 };

struct of_case {
    const char *file;
    char base[PATH_BYTES], letter;
    bool alone; /* without contention, where curves can be proven */
    struct trace *trace;
    uint64_t checked, proven;
    int differences;
};

static enum status open_scene(const void *context, const char *semantics, const char *const *specs, size_t spec_count,
                              const struct trace *trace, struct platform **platform, struct err *err)
{
    const struct of_case *of = context;
    (void)semantics, (void)specs, (void)spec_count, (void)trace;
    TRY(case_platform_open(of->base, of->file, of->letter, platform, err));
    (*platform)->contention = (*platform)->contention && !of->alone;
    return STATUS_OK;
}

/* The run time with more of a value. */
static enum status replay_with(const struct of_case *of, const char *key, double more, int64_t *run_time_ps, struct err *err)
{
    const struct replay_options options = {.engine = engine_by_name("loggp")};
    struct platform_values values;
    struct platform *platform;
    struct replay_outcome outcome;
    TRY(open_scene(of, NULL, NULL, 0, NULL, &platform, err));
    enum status status = platform_values_find(platform, &values, err);
    for (size_t i = 0; status == STATUS_OK && i < values.count; i++) {
        if (strcmp(values.items[i].key, key) != 0) continue;
        *values.items[i].at += more;
        if (values.items[i].follows) *values.items[i].follows += more;
    }
    if (status == STATUS_OK) status = replay_run(of->trace, platform, &options, &outcome, err);
    if (status == STATUS_OK) {
        *run_time_ps = outcome.run_time_ps;
        replay_outcome_clear(&outcome);
    }
    platform_values_clear(&values);
    platform_free(platform);
    return status;
}

static enum status check_value(struct of_case *of, const struct sensitivity_value *value, double run_time_s, struct err *err)
{
    double places = 0;
    int64_t then_ps;
    if (!value->exact) return STATUS_OK;
    of->checked++;
    of->proven += value->proven;
    for (size_t i = 0; i < value->places.calls.count; i++) places += value->places.calls.items[i].time_s;
    if (fabs(places - value->slope) > 1e-6 * fabs(value->slope)) {
        of->differences++;
        printf("%s %c%s: %s: %.15g in places, %.15g in all\n", of->file, of->letter, of->alone ? " alone" : "", value->key,
               places, value->slope);
    }
    if (value->kind != KEY_TIME && value->kind != KEY_PAUSE) return STATUS_OK;
    TRY(replay_with(of, value->key, 1 / (double)UNITS_PS_PER_S, &then_ps, err));
    const double by_replay = (double)(then_ps - units_ps(run_time_s));
    if (by_replay == value->slope) return STATUS_OK;
    of->differences++;
    printf("%s %c%s: %s: slope %.15g, by a replay %.15g\n", of->file, of->letter, of->alone ? " alone" : "", value->key,
           value->slope, by_replay);
    return STATUS_OK;
}

static enum status check_case(struct of_case *of, struct err *err)
{
    static const char *const as_platform[] = {"platform"};
    const struct sensitivity_options options = {.scenes = {.open = open_scene, .context = of},
                                                .engine = engine_by_name("loggp"),
                                                .semantics = as_platform,
                                                .semantics_count = 1,
                                                .verify = true};
    struct sensitivity made;
    TRY(sensitivity_find(of->trace, &options, &made, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < made.rows[0].value_count; i++)
        status = check_value(of, &made.rows[0].values[i], made.rows[0].run_time_s, err);
    sensitivity_clear(&made);
    return status;
}

/* A case that cannot be replayed under a letter, on purpose, is left out. */
static enum status run_case(struct of_case *of, struct err *err)
{
    int64_t ignored_ps;
    const char *slash = strrchr(of->file, '/');
    snprintf(of->base, sizeof of->base, "%.*s/../base.json", (int)(slash ? slash - of->file : 0), of->file);
    TRY(text_read_by(0, of->file, false, &of->trace, err));
    enum status status = trace_check(of->trace, err);
    for (int i = 0; status == STATUS_OK && i < 8; i++) {
        of->letter = "abcd"[i / 2];
        of->alone = i % 2 == 1;
        if (replay_with(of, "", 0, &ignored_ps, NULL) == STATUS_OK) status = check_case(of, err);
    }
    trace_free(of->trace);
    return status;
}

int main(int argc, char **argv)
{
    struct of_case of = {.checked = 0};
    for (int i = 1; i < argc; i++) {
        struct err err = {0};
        of.file = argv[i];
        if (run_case(&of, &err) == STATUS_OK) continue;
        of.differences++;
        printf("%s: %s\n", of.file, err.text);
    }
    printf("%" PRIu64 " exact curves, %" PRIu64 " of them proven, %d differences\n", of.checked, of.proven, of.differences);
    return of.differences > 0 || of.proven == 0;
}
