/* include/rmacast/result.h and analyze.h: the handle is a struct result. */
#include <math.h>
#include <string.h>

#include "common/public.h"
#include "common/units.h"
#include "model/analyze.h"
#include "model/result/result.h"
#include <rmacast/analyze.h>
#include <rmacast/result.h>

static const struct result *result_inside(const struct rmacast_result *result)
{
    return (const struct result *)result;
}

PUBLIC enum rmacast_status rmacast_analyze(const struct rmacast_trace *trace,
                                           const struct rmacast_analyze_options *options,
                                           struct rmacast_result **result, struct rmacast_error *error)
{
    struct err err = {.text = ""};
    struct analyze_options inner = ANALYZE_DEFAULTS;
    struct result *made;
    enum status status = STATUS_OK;
    if (options && options->size != sizeof *options)
        status = err_set(&err, STATUS_USAGE, NULL, NULL, "rmacast_analyze_options.size is %zu, expected %zu",
                         options->size, sizeof *options);
    if (options && status == STATUS_OK) {
        inner.epsilon_ps = units_ps(options->epsilon_s);
        inner.late_post = options->earliest_post ? LATE_POST_EARLIEST : LATE_POST_LATEST;
        if (options->eager_bytes > 0) inner.eager_bytes = options->eager_bytes;
        inner.intervals = options->intervals;
    }
    if (status == STATUS_OK) status = model_analyze((const struct trace *)trace, &inner, &made, &err);
    if (status == STATUS_OK) *result = (struct rmacast_result *)made;
    return public_status(status, &err, error);
}

PUBLIC enum rmacast_status rmacast_result_open(const char *file, struct rmacast_result **result,
                                               struct rmacast_error *error)
{
    struct err err = {.text = ""};
    struct result *opened;
    enum status status = result_open(file, &opened, &err);
    if (status == STATUS_OK) *result = (struct rmacast_result *)opened;
    return public_status(status, &err, error);
}

PUBLIC void rmacast_result_free(struct rmacast_result *result)
{
    result_free((struct result *)result);
}

PUBLIC uint32_t rmacast_result_rank_count(const struct rmacast_result *result)
{
    return result_inside(result)->rank_count;
}

PUBLIC double rmacast_result_run_time_s(const struct rmacast_result *result)
{
    return result_inside(result)->run_time_s;
}

PUBLIC double rmacast_result_rank_time_s(const struct rmacast_result *result, uint32_t rank)
{
    return rank < result_inside(result)->rank_count ? result_inside(result)->rank_time_s[rank] : (double)NAN;
}

PUBLIC size_t rmacast_wait_state_count(void)
{
    return PATTERN_COUNT;
}

PUBLIC const char *rmacast_wait_state_name(size_t number)
{
    return number < PATTERN_COUNT ? pattern_row((enum pattern)number)->name : NULL;
}

/* NULL: a name that is none. */
static const struct result_pattern *find_pattern(const struct rmacast_result *result, const char *name)
{
    for (size_t i = 0; i < PATTERN_COUNT; i++)
        if (strcmp(rmacast_wait_state_name(i), name) == 0) return &result_inside(result)->patterns[i];
    return NULL;
}

PUBLIC double rmacast_result_severity_s(const struct rmacast_result *result, const char *wait_state)
{
    const struct result_pattern *pattern = find_pattern(result, wait_state);
    return pattern ? pattern->severity_s : (double)NAN;
}

PUBLIC uint64_t rmacast_result_occurrences(const struct rmacast_result *result, const char *wait_state)
{
    const struct result_pattern *pattern = find_pattern(result, wait_state);
    return pattern ? pattern->count : 0;
}

PUBLIC double rmacast_result_rank_severity_s(const struct rmacast_result *result, const char *wait_state, uint32_t rank)
{
    const struct result_pattern *pattern = find_pattern(result, wait_state);
    return pattern && rank < result_inside(result)->rank_count ? pattern->rank_severity_s[rank] : (double)NAN;
}

PUBLIC uint64_t rmacast_result_transfer_count(const struct rmacast_result *result)
{
    return result_inside(result)->transfer_count;
}

PUBLIC uint64_t rmacast_result_transfer_bytes(const struct rmacast_result *result)
{
    return result_inside(result)->transfer_bytes;
}

PUBLIC enum rmacast_status rmacast_result_to_json(const struct rmacast_result *result, char **json,
                                                  struct rmacast_error *error)
{
    struct err err = {.text = ""};
    cJSON *tree;
    enum status status = result_to_json(result_inside(result), &tree, &err);
    if (status == STATUS_OK) {
        char *text = cJSON_Print(tree);
        cJSON_Delete(tree);
        if (text)
            *json = text;
        else
            status = err_memory(&err);
    }
    return public_status(status, &err, error);
}

PUBLIC void rmacast_result_print(const struct rmacast_result *result, FILE *out)
{
    result_print(result_inside(result), out);
}
