/* Opens the inputs of a validation: traces, results, rows of comparisons. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

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

static bool has_text(const struct json_node *result, const char *key, const char *text)
{
    struct json_node found = json_member(result, key);
    return cJSON_IsString(found.item) && strcmp(found.item->valuestring, text) == 0;
}

/* By the name of its row, or else by its semantics. */
static enum status pick_result(const struct json_document *document, const char *row, struct result **result,
                               struct err *err)
{
    static const char *const keys[] = {"row", "semantics"};
    struct json_node root = json_root(document), results = json_member(&root, "results");
    TRY(json_array(&results, err));
    if (!row)
        return json_error(&results, err, "a comparison of %zu results, expected --semantics to say which one",
                          json_count(&results));
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        struct json_node one = json_element(&results, 0);
        for (size_t i = 0; one.item; one = json_next(&results, &one, ++i))
            if (has_text(&one, keys[k], row)) return result_from_json(one.item, document->file, result, err);
    }
    return json_error(&results, err, "no row '%s', expected one", row);
}

/* *picked: it was one of a comparison. */
static enum status read_results(const struct json_document *document, const char *row, bool *picked, struct result **result,
                                struct err *err)
{
    struct json_node root = json_root(document), schema = json_member(&root, "schema");
    TRY(json_object(&root, err));
    const char *name;
    TRY(json_string(&schema, &name, err));
    *picked = strcmp(name, "rmacast.comparison/1") == 0;
    if (*picked) return pick_result(document, row, result, err);
    return result_from_json(root.item, document->file, result, err);
}

/* MPI_Finalize may hang; the calls before it are the run. */
static enum status check_trace_ended(const struct trace *trace, struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        bool finalizing = rank->count > 0 && call_kind(rank->calls[rank->count - 1].call) == CALL_FINALIZE;
        if (rank->incomplete && !finalizing)
            return err_set(err, STATUS_DATA, trace->name, NULL,
                           "rank %" PRIu32 " breaks off: %s; expected a run that ended", r,
                           rank->incomplete_why ? rank->incomplete_why : "its recording is incomplete");
    }
    return STATUS_OK;
}

enum status validate_check_ended(const char *path, const struct trace *trace, const struct result *result,
                                 struct err *err)
{
    if (trace) return check_trace_ended(trace, err);
    if (!result->incomplete) return STATUS_OK;
    return err_set(err, STATUS_DATA, path, NULL,
                   "is the result of a run that breaks off, expected one that ended, or the trace, which tells where");
}

static enum status open_any(const char *path, const char *row, bool *picked, const struct analyze_options *options,
                            struct trace **trace, struct result **result, struct err *err)
{
    struct stat found;
    bool directory = stat(path, &found) == 0 && S_ISDIR(found.st_mode); /* without a trace: trace_open() says so */
    enum trace_form form = TRACE_FORM_TRACE;
    if (!directory) TRY(trace_recognise(path, &form, err));
    if (form != TRACE_FORM_OTHER) return analyze_trace(path, options, trace, result, err);
    struct json_document document;
    TRY(json_open(path, &document, err));
    enum status status = read_results(&document, row, picked, result, err);
    json_close(&document);
    return status;
}

/* A result has the section that it was made with. */
static enum status check_section(const char *path, const struct section_marks *marks, const struct result *result,
                                 struct err *err)
{
    char has[RESULT_SECTION_BYTES], asked[RESULT_SECTION_BYTES];
    struct result_section section = {.known = true,
                                     .without_init = marks->without_init,
                                     .from = (char *)marks->from,
                                     .to = (char *)marks->to,
                                     .callpath = (char *)marks->callpath};
    if (!section_is_set(marks)) return STATUS_OK;
    result_section_text(&result->section, has);
    if (strcmp(has, result_section_text(&section, asked)) == 0) return STATUS_OK;
    return err_set(err, STATUS_DATA, path, NULL,
                   "is a result of %s, expected one %s as asked for: give the trace, or make the result so", has, asked);
}

enum status validate_open_run(const char *path, const char *row, bool own_name, const struct analyze_options *options,
                              struct trace **trace, struct result **result, struct err *err)
{
    struct result *opened;
    struct trace *of = NULL;
    bool picked = false;
    TRY(open_any(path, row, &picked, options, &of, &opened, err));
    enum status fits = of || !options ? STATUS_OK : check_section(path, &options->section, opened, err);
    if (fits != STATUS_OK) {
        result_free(opened);
        return fits;
    }
    const char *semantics = opened->semantics ? opened->semantics : "unknown";
    if (row && !picked && !own_name && strcmp(semantics, row) != 0) {
        enum status status = err_set(err, STATUS_DATA, path, NULL, "is of semantics '%s', expected '%s'", semantics, row);
        result_free(opened);
        trace_free(of);
        return status;
    }
    *trace = of;
    *result = opened;
    return STATUS_OK;
}
