/* Platform files and results: members, elements and values changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_json.h"
#include "tests/fuzz/oracle.h"
#include "trace/generate/generate.h"
#include "validate/validate.h"

/* --- platforms --- */

/* Of each synchronisation one small program, on as many ranks as it takes to use several nodes. */
static void check_replays(const struct platform *platform)
{
    static struct trace *traces[8];
    const char *const *syncs = generate_syncs();
    for (size_t i = 0; syncs[i] && i < sizeof traces / sizeof *traces; i++) {
        const struct generate_options options = {.pattern = "ring",
                                                 .sync = syncs[i],
                                                 .ranks = 4,
                                                 .iterations = 2,
                                                 .bytes = 10000,
                                                 .compute_s = 1e-5,
                                                 .imbalance = 0.5,
                                                 .seed = 1};
        struct err err;
        if (!traces[i] && generate_trace(&options, &traces[i], &err) != STATUS_OK)
            fuzz_finding("generate: %s", err.text);
        oracle_replay(traces[i], platform);
    }
}

static void check_costs(const struct platform *platform)
{
    int32_t last = platform->node_count - 1;
    const int32_t nodes[] = {0, 1 <= last ? 1 : last, last / 2, last};
    const int64_t sizes[] = {0, 1, 1000000, INT64_MAX};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            double latency_s = platform_latency_s(platform, nodes[i], nodes[k], sizes[k], false);
            double bandwidth_Bps = platform_bandwidth_Bps(platform, nodes[i], nodes[k], sizes[i], false);
            if (!(latency_s >= 0) || isinf(latency_s)) fuzz_finding("a latency of %g s", latency_s);
            if (!(bandwidth_Bps > 0)) fuzz_finding("a bandwidth of %g B/s", bandwidth_Bps);
        }
}

static void run_platform(const uint8_t *data, size_t size)
{
    struct platform *platform;
    struct err err;
    enum status status = platform_open(fuzz_file(data, size), NULL, 0, &platform, &err);
    fuzz_check_error("platform", status, &err);
    if (status != STATUS_OK) return;
    check_costs(platform);
    if (!platform->simgrid_xml) check_replays(platform);
    platform_free(platform);
}

/* --- results --- */

static void check_validation(const struct result *result)
{
    const struct result *const measured[] = {result, result};
    const char *const names[] = {"one", "two"};
    struct validation *validation;
    struct err err;
    cJSON *json;
    enum status status = validate_results(result, "predicted", measured, names, 2, &validation, &err);
    fuzz_check_error("validate", status, &err);
    if (status != STATUS_OK) return;
    fuzz_check_error("tolerance", validate_tolerance(validation, 0.05, &err), &err);
    status = validation_to_json(validation, 0.05, &json, &err);
    fuzz_check_error("validation in JSON", status, &err);
    if (status == STATUS_OK) cJSON_Delete(json);
    validation_print(validation, oracle_nowhere());
    validation_free(validation);
}

static void run_result(const uint8_t *data, size_t size)
{
    struct result *result;
    struct err err;
    enum status status = result_open(fuzz_file(data, size), &result, &err);
    fuzz_check_error("result", status, &err);
    if (status != STATUS_OK) return;
    oracle_result(result);
    check_validation(result);
    result_free(result);
}

const struct fuzz_harness harness_platform = {
    .name = "platform",
    .summary = "platform files: read, small programs replayed on them",
    .run = run_platform,
    .mutate = mutate_json,
};
const struct fuzz_harness harness_result = {
    .name = "result",
    .summary = "results: read, printed, written again, validated",
    .run = run_result,
    .mutate = mutate_json,
};
