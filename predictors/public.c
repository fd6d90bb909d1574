/* include/rmacast/simulate.h. */

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

static enum status engine_of(const struct rmacast_simulate_options *options, const struct engine_descriptor **engine,
                             struct err *err)
{
    const char *name = options && options->engine ? options->engine : "loggp";
    *engine = engine_by_name(name);
    return *engine ? STATUS_OK : err_set(err, STATUS_USAGE, NULL, NULL, "engine '%s', expected loggp or simgrid", name);
}

static enum status computing_of(const struct rmacast_simulate_options *options, enum trace_computing *computing,
                                struct err *err)
{
    *computing = COMPUTING_DEFAULT;
    if (!options || !options->compute || trace_computing_by_name(options->compute, computing)) return STATUS_OK;
    return err_set(err, STATUS_USAGE, NULL, NULL, "compute '%s', expected wall, cpu or undisturbed", options->compute);
}

static enum status simulate_trace(const struct trace *trace, const struct platform *platform,
                                  const struct rmacast_simulate_options *options, struct prediction *prediction,
                                  struct err *err)
{
    struct platform changed;
    struct analyze_options analyze = ANALYZE_DEFAULTS;
    analyze.eager_bytes = EAGER_OF_PLATFORM;
    TRY(with_semantics(platform, options ? options->semantics : NULL, &changed, err));
    TRY(platform_check_ranks(platform, trace->rank_count, err));
    prediction->trace = trace;
    prediction->platform = &changed;
    prediction->analyze = &analyze;
    prediction->apart = prediction->engine->once_per_process;
    return prediction_run(prediction, err);
}

/* What is wanted becomes the caller's. */
static enum status hand_over(struct prediction *prediction, struct rmacast_trace **predicted, struct rmacast_result **result,
                             struct err *err)
{
    if (predicted) TRY(public_open(PUBLIC_TRACE, prediction->outcome.trace, err));
    enum status status = result ? public_open(PUBLIC_RESULT, prediction->result, err) : STATUS_OK;
    if (status != STATUS_OK && predicted) public_close(PUBLIC_TRACE, prediction->outcome.trace);
    if (status != STATUS_OK) return status;
    if (predicted) {
        *predicted = (struct rmacast_trace *)prediction->outcome.trace;
        prediction->outcome.trace = NULL;
    }
    if (result) {
        *result = (struct rmacast_result *)prediction->result;
        prediction->result = NULL;
    }
    return STATUS_OK;
}

PUBLIC enum rmacast_status rmacast_simulate(const struct rmacast_trace *trace, const struct rmacast_platform *platform,
                                            const struct rmacast_simulate_options *options,
                                            struct rmacast_trace **predicted, struct rmacast_result **result,
                                            struct rmacast_error *error)
{
    struct err err = {.text = ""};
    struct prediction prediction = {0};
    enum trace_computing computing;
    struct trace *computed = NULL;
    const struct public_argument arguments[] = {
        {.name = "trace", PUBLIC_TRACE, trace},
        {.name = "platform", PUBLIC_PLATFORM, platform},
        {.name = "rmacast_simulate_options", PUBLIC_SIZE, options, .high = sizeof *options},
        {0}};
    enum status status = public_check(arguments, &err);
    const double bound = status == STATUS_OK && options ? options->memory_bound : 0;
    const struct public_argument share[] = {{.name = "memory_bound", PUBLIC_NUMBER, .number = bound, .high = 1}, {0}};
    if (status == STATUS_OK) status = public_check(share, &err);
    if (status == STATUS_OK) status = engine_of(options, &prediction.engine, &err);
    if (status == STATUS_OK) status = computing_of(options, &computing, &err);
    if (status == STATUS_OK) status = trace_computing_view((const struct trace *)trace, computing, &computed, &err);
    if (status == STATUS_OK && bound > 0) status = trace_assume_memory_bound(computed, bound, &err);
    prediction.keep_trace = predicted != NULL;
    if (status == STATUS_OK)
        status = simulate_trace(computed, (const struct platform *)platform, options, &prediction, &err);
    if (status == STATUS_OK) {
        status = hand_over(&prediction, predicted, result, &err);
        prediction_clear(&prediction);
    }
    trace_computing_view_free(computed);
    return public_status(status, &err, error);
}
