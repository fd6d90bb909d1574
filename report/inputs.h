/* Checks the JSON files of a page: their schema, and that they have the keys that the page draws. */
#ifndef REPORT_INPUTS_H
#define REPORT_INPUTS_H

#include <stdio.h>

#include "common/json.h"

/* The numbers of ranks of the runs on a page; all-zero: none yet. */
struct input_runs {
    uint32_t *recorded, *predicted;
    size_t recorded_count, recorded_capacity, predicted_count, predicted_capacity;
};

/* Adds a run of the page: a trace, or a run in a result or comparison. */
enum status input_runs_add(struct input_runs *runs, bool simulated, uint32_t ranks, struct err *err);
/* Returns STATUS_DATA with the file if it predicts a number of ranks that no recorded run has. A page with predictions
 * only is valid. */
enum status input_runs_check(const struct input_runs *runs, const char *file, struct err *err);
void input_runs_clear(struct input_runs *runs);

/* Checks a document and adds its runs to *runs. Returns STATUS_DATA with file and key if a page cannot draw it. */
enum status input_check(const struct json_document *document, struct input_runs *runs, struct err *err);

/* Writes a path as a JSON text, without the folders that a reader of the page has not. */
enum status input_write_path(FILE *out, const char *path, struct err *err);

/* Truncates very long texts, at a character boundary, and cuts the folders of absolute paths in them. */
void input_cut_texts(cJSON *json);

#endif
