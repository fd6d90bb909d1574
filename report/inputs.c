#include "report/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/result/result.h"

enum { TEXT_MAX = 2000, PROGRAM_MAX = 1 << 17 };

/* --- runs --- */

enum status input_runs_add(struct input_runs *runs, bool simulated, uint32_t ranks, struct err *err)
{
    if (simulated) ARRAY_PUSH(runs->predicted, runs->predicted_count, runs->predicted_capacity, ranks, err);
    else ARRAY_PUSH(runs->recorded, runs->recorded_count, runs->recorded_capacity, ranks, err);
    return STATUS_OK;
}

enum status input_runs_check(const struct input_runs *runs, const char *file, struct err *err)
{
    for (size_t i = 0; runs->recorded_count > 0 && i < runs->predicted_count; i++) {
        bool known = false;
        for (size_t k = 0; k < runs->recorded_count; k++) known |= runs->recorded[k] == runs->predicted[i];
        if (!known)
            return err_set(err, STATUS_DATA, file, NULL,
                           "predicts %u ranks, the recorded run has %u: they are not of one run", runs->predicted[i],
                           runs->recorded[0]);
    }
    return STATUS_OK;
}

void input_runs_clear(struct input_runs *runs)
{
    free(runs->recorded);
    free(runs->predicted);
    *runs = (struct input_runs){0};
}

/* --- shapes --- */

enum type { TEXT, NUMBER, NUMBER_OR_NULL, BOOLEAN };

/* The path of a key: members; "[]" after an array stands for each of its elements. */
struct shape {
    const char *path;
    enum type type;
};

static enum status check_value(const struct json_node *node, enum type type, struct err *err)
{
    const char *text;
    double number;
    bool boolean;
    switch (type) {
    case TEXT: return json_string(node, &text, err);
    case NUMBER_OR_NULL:
        if (cJSON_IsNull(node->item)) return STATUS_OK;
        return json_number(node, -1e300, 1e300, &number, err);
    case NUMBER: return json_number(node, -1e300, 1e300, &number, err);
    case BOOLEAN: return json_boolean(node, &boolean, err);
    }
    return STATUS_OK;
}

static enum status check_path(const struct json_node *node, const char *path, enum type type, struct err *err)
{
    char key[64];
    size_t length = strcspn(path, ".[");
    if (*path == '\0') return check_value(node, type, err);
    TRY(json_object(node, err));
    memcpy(key, path, length);
    key[length] = '\0';
    struct json_node member = json_member(node, key);
    const char *rest = path + length;
    if (*rest == '.') return check_path(&member, rest + 1, type, err);
    if (*rest != '[') return check_value(&member, type, err);
    rest += rest[2] == '.' ? 3 : 2;
    TRY(json_array(&member, err));
    size_t i = 0;
    for (struct json_node each = json_element(&member, 0); each.item; each = json_next(&member, &each, ++i))
        TRY(check_path(&each, rest, type, err));
    return STATUS_OK;
}

static enum status check_result(const cJSON *json, const char *file, struct input_runs *runs, struct err *err)
{
    struct result *result;
    TRY(result_from_json(json, file, &result, err));
    enum status status = input_runs_add(runs, result->origin == TRACE_SIMULATED, result->rank_count, err);
    result_free(result);
    return status;
}

static enum status check_one(const struct json_node *root, struct input_runs *runs, struct err *err)
{
    return check_result(root->item, root->document->file, runs, err);
}

static enum status check_comparison(const struct json_node *root, struct input_runs *runs, struct err *err)
{
    struct json_node results = json_member(root, "results");
    size_t i = 0;
    TRY(json_array(&results, err));
    for (struct json_node each = json_element(&results, 0); each.item; each = json_next(&results, &each, ++i)) {
        TRY(json_object(&each, err));
        TRY(check_result(each.item, root->document->file, runs, err));
    }
    return STATUS_OK;
}

static const struct shape validation[] = {
    {"ranks", NUMBER},
    {"run_time.predicted_s", NUMBER},
    {"run_time.measured_s", NUMBER},
    {"run_time.relative", NUMBER_OR_NULL},
    {"measured[]", TEXT},
    {"rank_time[].predicted_s", NUMBER},
    {"rank_time[].measured_s", NUMBER},
    {"patterns[].name", TEXT},
    {"patterns[].predicted_s", NUMBER},
    {"patterns[].measured_s", NUMBER},
    {NULL, TEXT},
};
static const struct shape scaling[] = {
    {"scaling", TEXT},
    {"program", TEXT},
    {"points[].ranks", NUMBER},
    {"points[].semantics", TEXT},
    {"points[].run_time_s", NUMBER},
    {"points[].run_time_low_s", NUMBER_OR_NULL},
    {"points[].run_time_high_s", NUMBER_OR_NULL},
    {"points[].speedup", NUMBER_OR_NULL},
    {"points[].efficiency", NUMBER_OR_NULL},
    {"stops_paying[].semantics", TEXT},
    {NULL, TEXT},
};
static const struct shape advice[] = {
    {"run_time_s", NUMBER},
    {"error", NUMBER_OR_NULL},
    {"changes[].row", TEXT},
    {"changes[].advised", BOOLEAN},
    {"changes[].confirmed", BOOLEAN},
    {"changes[].gain_s", NUMBER_OR_NULL},
    {"changes[].error_s", NUMBER_OR_NULL},
    {"changes[].rewrites[].summary", TEXT},
    {NULL, TEXT},
};
static const struct shape campaign[] = {
    {"date", TEXT},
    {"machine.processor", TEXT},
    {"summary.rows", NUMBER},
    {"summary.median", NUMBER_OR_NULL},
    {"summary.worst", NUMBER_OR_NULL},
    {"rows[].program", TEXT},
    {"rows[].part.predicted_s", NUMBER},
    {"rows[].part.measured_s", NUMBER},
    {"rows[].part.relative", NUMBER_OR_NULL},
    {"rows[].part.spread", NUMBER_OR_NULL},
    {NULL, TEXT},
};
static const struct shape platform[] = {{"nodes.count", NUMBER}, {NULL, TEXT}};

static const struct schema {
    const char *name;
    enum status (*check)(const struct json_node *root, struct input_runs *runs, struct err *err); /* NULL: shapes only */
    const struct shape *shapes;                                                                 /* NULL: none */
} schemas[] = {
    {"rmacast.result/1", check_one, NULL},     {"rmacast.comparison/1", check_comparison, NULL},
    {"rmacast.validation/1", NULL, validation}, {"rmacast.scaling/1", NULL, scaling},
    {"rmacast.advice/1", NULL, advice},         {"rmacast.campaign-result/1", NULL, campaign},
    {"rmacast.platform/1", NULL, platform},
};

enum status input_check(const struct json_document *document, struct input_runs *runs, struct err *err)
{
    struct json_node root = json_root(document), name = json_member(&root, "schema");
    const char *text;
    TRY(json_object(&root, err));
    TRY(json_string(&name, &text, err));
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        if (strcmp(text, schemas[i].name) != 0) continue;
        for (const struct shape *shape = schemas[i].shapes; shape && shape->path; shape++)
            TRY(check_path(&root, shape->path, shape->type, err));
        return schemas[i].check ? schemas[i].check(&root, runs, err) : STATUS_OK;
    }
    return json_error(&name, err,
                      "'%s', expected a result, comparison, validation, scaling, advice, campaign result or platform", text);
}

/* --- texts --- */

void input_cut_texts(cJSON *json)
{
    for (cJSON *each = json; each; each = each->next) {
        if (each->child) input_cut_texts(each->child);
        if (!cJSON_IsString(each) || !each->valuestring) continue;
        size_t most = each->string && strcmp(each->string, "program") == 0 ? PROGRAM_MAX : TEXT_MAX;
        if (strlen(each->valuestring) <= most + 4) continue;
        while (most > 0 && ((unsigned char)each->valuestring[most] & 0xc0) == 0x80) most--;
        strcpy(each->valuestring + most, "..."); /* there is room: it was longer */
    }
}
