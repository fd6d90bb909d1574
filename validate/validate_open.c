#include <string.h>

#include "common/json.h"
#include "trace/open.h"
#include "validate/validate.h"

static enum status analyze_trace(const char *path, const struct analyze_options *options, struct trace **trace,
                                 struct result **result, struct err *err)
{
    TRY(trace_open(path, trace, err));
    enum status status = model_analyze(*trace, options, result, err);
    if (status == STATUS_OK) return STATUS_OK;
    trace_free(*trace);
    *trace = NULL;
    return status;
}

static bool has_semantics(const struct json_node *result, const char *semantics)
{
    struct json_node name = json_member(result, "semantics");
    return cJSON_IsString(name.item) && strcmp(name.item->valuestring, semantics) == 0;
}

static enum status pick_result(const struct json_document *document, const char *semantics, struct result **result,
                               struct err *err)
{
    struct json_node root = json_root(document), results = json_member(&root, "results");
    TRY(json_array(&results, err));
    if (!semantics)
        return json_error(&results, err, "a comparison of %zu results, expected --semantics to say which one",
                          json_count(&results));
    struct json_node one = json_element(&results, 0);
    for (size_t i = 0; one.item; one = json_next(&results, &one, ++i))
        if (has_semantics(&one, semantics)) return result_from_json(one.item, document->file, result, err);
    return json_error(&results, err, "no result of semantics '%s', expected one", semantics);
}

static enum status read_results(const struct json_document *document, const char *semantics, struct result **result,
                                struct err *err)
{
    struct json_node root = json_root(document), schema = json_member(&root, "schema");
    TRY(json_object(&root, err));
    const char *name;
    TRY(json_string(&schema, &name, err));
    if (strcmp(name, "rmacast.comparison/1") == 0) return pick_result(document, semantics, result, err);
    return result_from_json(root.item, document->file, result, err);
}

static enum status open_any(const char *path, const char *semantics, const struct analyze_options *options,
                            struct trace **trace, struct result **result, struct err *err)
{
    if (trace_is_trace(path)) return analyze_trace(path, options, trace, result, err);
    struct json_document document;
    TRY(json_open(path, &document, err));
    enum status status = read_results(&document, semantics, result, err);
    json_close(&document);
    return status;
}

enum status validate_open_run(const char *path, const char *semantics, const struct analyze_options *options,
                              struct trace **trace, struct result **result, struct err *err)
{
    struct result *opened;
    struct trace *of = NULL;
    TRY(open_any(path, semantics, options, &of, &opened, err));
    if (semantics && (!opened->semantics || strcmp(opened->semantics, semantics) != 0)) {
        enum status status = err_set(err, STATUS_DATA, path, NULL, "is of semantics '%s', expected '%s'",
                                     opened->semantics ? opened->semantics : "unknown", semantics);
        result_free(opened);
        trace_free(of);
        return status;
    }
    *trace = of;
    *result = opened;
    return STATUS_OK;
}
