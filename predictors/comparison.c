#include "predictors/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/children.h"
#include "common/json.h"
#include "common/json/json_write.h"
#include "predictors/draws.h"
#include "predictors/prediction.h"

struct job {
    const struct trace *trace;
    const struct comparison_row *rows;
    const struct engine_descriptor *engine;
    const struct analyze_options *analyze;
};

static enum status write_json(const struct result *result, FILE *out, struct err *err)
{
    cJSON *json;
    TRY(result_to_json(result, &json, err));
    enum status status = json_write(json, JSON_LINE, out, err);
    cJSON_Delete(json);
    return status;
}

static enum status predict_row(void *context, size_t index, FILE *out, struct err *err)
{
    const struct job *job = context;
    const struct rewrite *rewrite = job->rows[index].rewrite;
    const struct err *refused = job->rows[index].refused;
    if (refused && refused->status != STATUS_OK) {
        *err = *refused;
        return refused->status;
    }
    struct prediction prediction = {
        .trace = rewrite && rewrite->trace ? rewrite->trace : job->trace,
        .recording = job->rows[index].recording,
        .platform = job->rows[index].platform,
        .engine = job->engine,
        .analyze = job->analyze,
        .progress = job->rows[index].progress,
        .progress_context = job->rows[index].progress_context,
        .keep_going = job->rows[index].keep_going,
    };
    TRY(prediction_run(&prediction, err));
    enum status status = write_json(prediction.result, out, err);
    prediction_clear(&prediction);
    return status;
}

static enum status take_result(const struct comparison_row *row, const struct child_answer *answer, struct result **result,
                               struct err *err)
{
    char title[COMPARISON_TITLE_BYTES];
    snprintf(title, sizeof title, "%s%s", row->title ? "" : "semantics ", row->title ? row->title : row->name);
    if (answer->status != STATUS_OK) return err_set(err, answer->status, title, NULL, "%s", answer->err.text);
    struct json_document document;
    TRY(json_parse(answer->data, title, &document, err));
    enum status status = result_from_json(document.root, title, result, err);
    json_close(&document);
    return status;
}

static enum status name_row(const struct comparison_row *row, char **name, cJSON **rewrites, struct err *err)
{
    *name = strdup(row->name);
    if (!*name) return err_memory(err);
    if (!row->rewrite || row->rewrite->count == 0) return STATUS_OK;
    return json_made(fields_array(transform_report_fields, row->rewrite->reports, sizeof *row->rewrite->reports,
                                  row->rewrite->count), rewrites, err);
}

static enum status comparison_new(const struct comparison_row *rows, size_t count, struct comparison *comparison,
                                  struct err *err)
{
    *comparison = (struct comparison){.count = count};
    comparison->results = calloc(count + 1, sizeof *comparison->results);
    comparison->failures = calloc(count + 1, sizeof *comparison->failures);
    comparison->names = calloc(count + 1, sizeof *comparison->names);
    comparison->rewrites = calloc(count + 1, sizeof *comparison->rewrites);
    if (!comparison->results || !comparison->failures || !comparison->names || !comparison->rewrites) {
        comparison_clear(comparison);
        return err_memory(err);
    }
    for (size_t i = 0; i < count; i++) TRY(name_row(&rows[i], &comparison->names[i], &comparison->rewrites[i], err));
    return STATUS_OK;
}

static enum status take_results(const struct comparison_row *rows, const struct child_answer *answers,
                                struct comparison *comparison, struct err *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < comparison->count; i++) {
        struct err why;
        if (take_result(&rows[i], &answers[i], &comparison->results[i], &why) == STATUS_OK) continue;
        comparison->failures[i] = strdup(why.text);
        if (!comparison->failures[i]) return err_memory(err);
        if (status != STATUS_OK && (status == STATUS_SYSTEM || why.status != STATUS_SYSTEM)) continue;
        if (err) *err = why; /* the first one's, or that of a row which the machine refused */
        status = why.status;
    }
    return status;
}

enum status comparison_run(const struct trace *trace, const struct comparison_row *rows, size_t row_count,
                           const struct engine_descriptor *engine, const struct analyze_options *analyze,
                           struct comparison *comparison, struct err *err)
{
    struct job job = {.trace = trace, .rows = rows, .engine = engine, .analyze = analyze};
    TRY(engine_load(engine, err));
    struct child_answer *answers = calloc(row_count + 1, sizeof *answers);
    enum status status = comparison_new(rows, row_count, comparison, err);
    if (status == STATUS_OK)
        status = answers ? children_run(predict_row, &job, row_count, 0, answers, err) : err_memory(err);
    if (status == STATUS_OK) {
        status = take_results(rows, answers, comparison, err);
        child_answers_clear(answers, row_count);
    }
    free(answers);
    return status;
}

double comparison_time_s(const struct comparison *comparison, size_t row)
{
    return comparison->draws ? comparison->draws[row].run_time.median_s : comparison->results[row]->run_time_s;
}

double comparison_gain(const struct comparison *comparison, size_t row, size_t over, struct uncertainty *error)
{
    const struct draws *draws = comparison->draws;
    *error = uncertainty_of_difference(&comparison->results[row]->uncertainty, &comparison->results[over]->uncertainty);
    if (draws) error->part_s[PART_RACES] = draws_paired_range_s(&draws[row], &draws[over]) / 2;
    return comparison_time_s(comparison, over) - comparison_time_s(comparison, row);
}

bool comparison_has_results(const struct comparison *comparison)
{
    bool has = false;
    for (size_t i = 0; i < comparison->count && comparison->results; i++) has = has || comparison->results[i];
    return has;
}

void comparison_clear(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        if (comparison->results) result_free(comparison->results[i]);
        if (comparison->failures) free(comparison->failures[i]);
        if (comparison->names) free(comparison->names[i]);
        if (comparison->rewrites) cJSON_Delete(comparison->rewrites[i]);
    }
    FREE_ALL(comparison->results, comparison->failures, comparison->names, comparison->rewrites);
    *comparison = (struct comparison){0};
}
