/* include/rmacast/simulate.h. */
#include <string.h>

#include "common/public.h"
#include "predictors/prediction.h"
#include <rmacast/simulate.h>

/* The platform with other semantics; borrows all the rest of it. */
static enum status with_semantics(const struct platform *platform, const char *letter, struct platform *changed,
                                  struct err *err)
{
    *changed = *platform;
    if (!letter) return STATUS_OK;
    if (!semantics_by_letter(letter, &changed->semantics))
        return err_set(err, STATUS_USAGE, NULL, NULL, "semantics '%s', expected a, b, c or d", letter);
    changed->semantics.buffer_bytes = platform->semantics.buffer_bytes;
    return STATUS_OK;
}

static enum status check_options(const struct rmacast_simulate_options *options,
                                 const struct engine_descriptor **engine, struct err *err)
{
    const char *name = options && options->engine ? options->engine : "loggp";
    if (options && options->size != sizeof *options)
        return err_set(err, STATUS_USAGE, NULL, NULL, "rmacast_simulate_options.size is %zu, expected %zu",
                       options->size, sizeof *options);
    *engine = engine_by_name(name);
    return *engine ? STATUS_OK : err_set(err, STATUS_USAGE, NULL, NULL, "engine '%s', expected loggp or simgrid", name);
}

static enum status simulate(const struct trace *trace, const struct platform *platform,
                            const struct rmacast_simulate_options *options, struct prediction *prediction,
                            struct err *err)
{
    struct platform changed;
    struct analyze_options analyze = ANALYZE_DEFAULTS;
    analyze.eager_bytes = EAGER_OF_PLATFORM;
    TRY(check_options(options, &prediction->engine, err));
    TRY(with_semantics(platform, options ? options->semantics : NULL, &changed, err));
    TRY(platform_check_ranks(platform, trace->rank_count, err));
    prediction->trace = trace;
    prediction->platform = &changed;
    prediction->analyze = &analyze;
    prediction->apart = prediction->engine->once_per_process;
    return prediction_run(prediction, err);
}

PUBLIC enum rmacast_status rmacast_simulate(const struct rmacast_trace *trace, const struct rmacast_platform *platform,
                                            const struct rmacast_simulate_options *options,
                                            struct rmacast_trace **predicted, struct rmacast_result **result,
                                            struct rmacast_error *error)
{
    struct err err = {.text = ""};
    struct prediction prediction = {0};
    enum status status =
        simulate((const struct trace *)trace, (const struct platform *)platform, options, &prediction, &err);
    if (status == STATUS_OK && predicted) {
        *predicted = (struct rmacast_trace *)prediction.outcome.trace;
        prediction.outcome.trace = NULL;
    }
    if (status == STATUS_OK && result) {
        *result = (struct rmacast_result *)prediction.result;
        prediction.result = NULL;
    }
    if (status == STATUS_OK) prediction_clear(&prediction);
    return public_status(status, &err, error);
}
