/* include/rmacast/result.h and analyze.h: the handle is a struct result. */
#include <math.h>
#include <string.h>

#include "common/json/json_write.h"
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

enum { EPSILON_MAX_S = 9000000 }; /* as that of --epsilon */

/* options: NULL, or with its size checked. */
static enum status inner_options(const struct rmacast_analyze_options *options, struct analyze_options *inner, struct err *err)
{
    if (!options) return STATUS_OK;
    const struct public_argument arguments[] = {
        {.name = "epsilon_s", PUBLIC_NUMBER, .number = options->epsilon_s, .high = EPSILON_MAX_S},
        {.name = "eager_bytes", PUBLIC_NUMBER, .number = (double)options->eager_bytes, .high = 9e18},
        {0}};
    TRY(public_check(arguments, err));
    inner->epsilon_ps = units_ps(options->epsilon_s);
    inner->late_post = options->earliest_post ? LATE_POST_EARLIEST : LATE_POST_LATEST;
    if (options->eager_bytes > 0) inner->eager_bytes = options->eager_bytes;
    inner->intervals = options->intervals;
    return STATUS_OK;
}

static enum status open_result(struct result *made, struct rmacast_result **result, struct err *err)
{
    enum status status = public_open(PUBLIC_RESULT, made, err);
    if (status == STATUS_OK) *result = (struct rmacast_result *)made;
    else result_free(made);
    return status;
}

PUBLIC enum rmacast_status rmacast_analyze(const struct rmacast_trace *trace,
                                           const struct rmacast_analyze_options *options,
                                           struct rmacast_result **result, struct rmacast_error *error)
{
    struct err err = {.text = ""};
    struct analyze_options inner = ANALYZE_DEFAULTS;
    struct result *made;
    const struct public_argument arguments[] = {
        {.name = "trace", PUBLIC_TRACE, trace},
        {.name = "rmacast_analyze_options", PUBLIC_SIZE, options, .high = sizeof *options},
        {.name = "result", PUBLIC_POINTER, result},
        {0}};
    enum status status = public_check(arguments, &err);
    if (status == STATUS_OK) status = inner_options(options, &inner, &err);
    if (status == STATUS_OK) status = model_analyze((const struct trace *)trace, &inner, &made, &err);
    if (status == STATUS_OK) status = open_result(made, result, &err);
    return public_status(status, &err, error);
}

PUBLIC enum rmacast_status rmacast_result_open(const char *file, struct rmacast_result **result,
                                               struct rmacast_error *error)
{
    struct err err = {.text = ""};
    struct result *opened;
    const struct public_argument arguments[] = {
        {.name = "file", PUBLIC_TEXT, file}, {.name = "result", PUBLIC_POINTER, result}, {0}};
    enum status status = public_check(arguments, &err);
    if (status == STATUS_OK) status = result_open(file, &opened, &err);
    if (status == STATUS_OK) status = open_result(opened, result, &err);
    return public_status(status, &err, error);
}

PUBLIC void rmacast_result_free(struct rmacast_result *result)
{
    if (public_close(PUBLIC_RESULT, result)) result_free((struct result *)result);
}

PUBLIC uint32_t rmacast_result_rank_count(const struct rmacast_result *result)
{
    return public_is(PUBLIC_RESULT, result) ? result_inside(result)->rank_count : 0;
}

PUBLIC double rmacast_result_run_time_s(const struct rmacast_result *result)
{
    return public_is(PUBLIC_RESULT, result) ? result_inside(result)->run_time_s : (double)NAN;
}

PUBLIC double rmacast_result_rank_time_s(const struct rmacast_result *result, uint32_t rank)
{
    return rank < rmacast_result_rank_count(result) ? result_inside(result)->rank_time_s[rank] : (double)NAN;
}

PUBLIC size_t rmacast_wait_state_count(void)
{
    return PATTERN_COUNT;
}

PUBLIC const char *rmacast_wait_state_name(size_t number)
{
    return number < PATTERN_COUNT ? pattern_row((enum pattern)number)->name : NULL;
}

/* NULL: a result or a name that is none. */
static const struct result_pattern *find_pattern(const struct rmacast_result *result, const char *name)
{
    if (!public_is(PUBLIC_RESULT, result) || !name) return NULL;
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
    return public_is(PUBLIC_RESULT, result) ? result_inside(result)->transfer_count : 0;
}

PUBLIC uint64_t rmacast_result_transfer_bytes(const struct rmacast_result *result)
{
    return public_is(PUBLIC_RESULT, result) ? result_inside(result)->transfer_bytes : 0;
}

PUBLIC enum rmacast_status rmacast_result_to_json(const struct rmacast_result *result, char **json,
                                                  struct rmacast_error *error)
{
    struct err err = {.text = ""};
    cJSON *tree;
    const struct public_argument arguments[] = {
        {.name = "result", PUBLIC_RESULT, result}, {.name = "json", PUBLIC_POINTER, json}, {0}};
    enum status status = public_check(arguments, &err);
    if (status == STATUS_OK) status = result_to_json(result_inside(result), &tree, &err);
    if (status == STATUS_OK) {
        char *text = json_print(tree, JSON_LINES);
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
    if (public_is(PUBLIC_RESULT, result) && out) result_print(result_inside(result), out);
}
