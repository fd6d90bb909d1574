/* Results as JSON, schema rmacast.result/1 (docs/results.md), and read back. Required keys must be there and valid; unknown keys,
 * which other versions write, are ignored. */
#include <inttypes.h>
#include <string.h>

#include "common/json/json_write.h"
#include "model/result/result.h"
#include "model/result/result_fields.h"
#include "model/result/result_schema.h"
#include "trace/limits.h"

enum status result_to_json(const struct result *result, cJSON **json, struct err *err)
{
    cJSON *root = cJSON_CreateObject();
    fields_write(result_fields, result, result->rank_count, root);
    return json_made(root, json, err);
}

static enum status check_schema(const struct json_node *root, struct err *err)
{
    TRY(json_object(root, err));
    struct json_node schema = json_member(root, "schema");
    const char *text;
    TRY(json_string(&schema, &text, err));
    if (strcmp(text, RESULT_SCHEMA) == 0) return STATUS_OK;
    if (strcmp(text, RESULT_COMPARISON_SCHEMA) == 0)
        return json_error(&schema, err,
                          "this is a comparison, expected one result: take one element of its \"results\"");
    return json_error(&schema, err, "\"%s\" is no result, expected \"%s\"", text, RESULT_SCHEMA);
}

static enum status read_result(const struct json_node *root, struct result **result, struct err *err)
{
    struct json_node ranks = json_member(root, "ranks"), times = json_member(root, "rank_time_s");
    struct result *made;
    int64_t rank_count;
    TRY(check_schema(root, err));
    TRY(json_integer(&ranks, 0, TRACE_RANKS_MAX, &rank_count, err));
    if (times.item && json_count(&times) != (size_t)rank_count) /* before memory is taken for so many */
        return json_error(&times, err, "%zu numbers, expected one for each of the %" PRId64 " ranks",
                          json_count(&times), rank_count);
    TRY(result_new((uint32_t)rank_count, &made, err));
    enum status status = fields_read(result_fields, root, (size_t)rank_count, made, err);
    made->uncertainty.in_mpi_s = result_in_mpi_s(made);
    GIVE(status, *result = made, result_free(made));
}

enum status result_from_json(const cJSON *json, const char *file, struct result **result, struct err *err)
{
    /* Nodes never write to their document or item. */
    struct json_document document = {.file = (char *)(uintptr_t)file, .root = (cJSON *)(uintptr_t)json};
    struct json_node root = json_root(&document);
    return read_result(&root, result, err);
}

enum status result_open(const char *file, struct result **result, struct err *err)
{
    struct json_document document;
    TRY(json_open(file, &document, err));
    struct json_node root = json_root(&document);
    enum status status = read_result(&root, result, err);
    json_close(&document);
    return status;
}
