#include "report/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json/field_rows.h"
#include "common/text/json_text.h"
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
    FREE_ALL(runs->recorded, runs->predicted);
    *runs = (struct input_runs){0};
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

/* --- what pages draw --- */

/* Values are read to be checked. Two values may have one member, but two arrays of an object have two. */
struct drawn {
    double number;
    bool flag;
    char text[1], **texts;
    struct drawn *items[2];
    size_t text_count, counts[2];
};

#define S struct drawn
#define NUMBER(KEY) FIELD(KEY, number, SIGNED)
#define NUMBER_OR_NULL(KEY) FIELD(KEY, number, SIGNED, IF_FINITE)
#define TEXT(KEY) FIELD(KEY, text)
#define ITEMS(KEY, I, ROWS) ARRAY(KEY, items[I], counts[I], ROWS)
static const struct field times[] = {NUMBER("predicted_s"), NUMBER("measured_s"), {0}};
static const struct field run_time[] = {NUMBER("predicted_s"), NUMBER("measured_s"), NUMBER_OR_NULL("relative"), {0}};
static const struct field pattern[] = {TEXT("name"), NUMBER("predicted_s"), NUMBER("measured_s"), {0}};
static const struct field validation[] = {NUMBER("ranks"), PART("run_time", run_time), TEXTS("measured", texts, text_count),
                                          ITEMS("rank_time", 0, times), ITEMS("patterns", 1, pattern), {0}};

static const struct field point[] = {NUMBER("ranks"), TEXT("semantics"), NUMBER("run_time_s"), NUMBER_OR_NULL("run_time_low_s"),
                                     NUMBER_OR_NULL("run_time_high_s"), NUMBER_OR_NULL("speedup"), NUMBER_OR_NULL("efficiency"),
                                     {0}};
static const struct field stop[] = {TEXT("semantics"), {0}};
static const struct field scaling[] = {TEXT("scaling"), TEXT("program"), ITEMS("points", 0, point),
                                       ITEMS("stops_paying", 1, stop), {0}};

static const struct field summary[] = {TEXT("summary"), {0}};
static const struct field change[] = {TEXT("row"), FIELD("advised", flag), FIELD("confirmed", flag), NUMBER_OR_NULL("gain_s"),
                                      NUMBER_OR_NULL("error_s"), ITEMS("rewrites", 0, summary), {0}};
static const struct field advice[] = {NUMBER("run_time_s"), NUMBER_OR_NULL("error"), ITEMS("changes", 0, change), {0}};

static const struct field part_of_slope[] = {NUMBER("slope"), TEXT("call"), TEXT("callpath"), {0}};
static const struct field slope[] = {TEXT("key"), NUMBER_OR_NULL("value"), NUMBER("slope"), FIELD("exact", flag),
                                     ITEMS("places", 0, part_of_slope), {0}};
static const struct field slopes_row[] = {TEXT("row"), NUMBER("run_time_s"), ITEMS("values", 0, slope), {0}};
static const struct field sensitivity[] = {ITEMS("results", 0, slopes_row), {0}};

static const struct field machine[] = {TEXT("processor"), {0}};
static const struct field campaign_sum[] = {NUMBER("rows"), NUMBER_OR_NULL("median"), NUMBER_OR_NULL("worst"), {0}};
static const struct field part[] = {NUMBER("predicted_s"), NUMBER("measured_s"), NUMBER_OR_NULL("relative"),
                                    NUMBER_OR_NULL("spread"), {0}};
static const struct field program[] = {TEXT("program"), PART("part", part), {0}};
static const struct field campaign[] = {TEXT("date"), PART("machine", machine), PART("summary", campaign_sum),
                                        ITEMS("rows", 0, program), {0}};

static const struct field nodes[] = {NUMBER("count"), {0}};
static const struct field platform[] = {PART("nodes", nodes), {0}};
#undef S

static const struct schema {
    const char *name;
    enum status (*check)(const struct json_node *root, struct input_runs *runs, struct err *err); /* NULL: rows only */
    const struct field *rows;                                                                   /* NULL: none */
} schemas[] = {
    {"rmacast.result/1", check_one, NULL},     {"rmacast.comparison/1", check_comparison, NULL},
    {"rmacast.validation/1", NULL, validation}, {"rmacast.scaling/1", NULL, scaling},
    {"rmacast.sensitivity/1", NULL, sensitivity},
    {"rmacast.advice/1", NULL, advice},         {"rmacast.campaign-result/1", NULL, campaign},
    {"rmacast.platform/1", NULL, platform},
};

static enum status check_drawn(const struct field *rows, const struct json_node *root, struct err *err)
{
    struct drawn drawn = {0};
    enum status status = fields_read(rows, root, 0, &drawn, err);
    fields_clear(rows, &drawn);
    return status;
}

enum status input_check(const struct json_document *document, struct input_runs *runs, struct err *err)
{
    struct json_node root = json_root(document), name = json_member(&root, "schema");
    const char *text;
    TRY(json_object(&root, err));
    TRY(json_string(&name, &text, err));
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        if (strcmp(text, schemas[i].name) != 0) continue;
        return schemas[i].check ? schemas[i].check(&root, runs, err) : check_drawn(schemas[i].rows, &root, err);
    }
    return json_error(&name, err,
                      "'%s', expected a result, comparison, validation, scaling, sensitivity, advice, campaign result or "
                      "platform", text);
}

/* --- texts --- */

/* Of a path from the root in a text its last two parts stay: a page is passed on, and its reader has other folders. */
static void cut_paths(char *text)
{
    static const char before[] = " (\"'", behind[] = " ,:;)\"'";
    for (char *at = text; *at; at++) {
        if (*at != '/' || (at > text && !strchr(before, at[-1]))) continue;
        char *kept = at + strcspn(at, behind);
        int parts = 0;
        while (kept > at && parts < 2)
            if (*--kept == '/') parts++;
        if (parts == 2) memmove(at, kept + 1, strlen(kept));
    }
}

enum status input_write_path(FILE *out, const char *path, struct err *err)
{
    char *text = strdup(path);
    if (!text) return err_memory(err);
    cut_paths(text);
    json_text_write(out, text);
    free(text);
    return STATUS_OK;
}

void input_cut_texts(cJSON *json)
{
    for (cJSON *each = json; each; each = each->next) {
        if (each->child) input_cut_texts(each->child);
        if (!cJSON_IsString(each) || !each->valuestring) continue;
        cut_paths(each->valuestring);
        size_t most = each->string && strcmp(each->string, "program") == 0 ? PROGRAM_MAX : TEXT_MAX;
        if (strlen(each->valuestring) <= most + 4) continue;
        while (most > 0 && ((unsigned char)each->valuestring[most] & 0xc0) == 0x80) most--;
        strcpy(each->valuestring + most, "..."); /* there is room: it was longer */
    }
}
