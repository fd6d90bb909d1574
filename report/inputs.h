/* The JSON files of a page: which are known, and that they have what the page draws of them. */
#ifndef REPORT_INPUTS_H
#define REPORT_INPUTS_H

#include "common/json.h"

/* The numbers of ranks of the runs that a page is about; all-zero: none yet. */
struct input_runs {
    uint32_t *recorded, *predicted;
    size_t recorded_count, recorded_capacity, predicted_count, predicted_capacity;
};

/* A run of the page, as a trace, or in a result or comparison. */
enum status input_runs_add(struct input_runs *runs, bool simulated, uint32_t ranks, struct err *err);
/* STATUS_DATA with the file if it predicts a number of ranks that no recorded run has; predictions alone are fine. */
enum status input_runs_check(const struct input_runs *runs, const char *file, struct err *err);
void input_runs_clear(struct input_runs *runs);

/* STATUS_DATA with file and key for what a page cannot draw. Adds the runs to *runs. */
enum status input_check(const struct json_document *document, struct input_runs *runs, struct err *err);

/* Texts that are longer than people read are cut, at a character. */
void input_cut_texts(cJSON *json);

#endif
