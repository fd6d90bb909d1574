/* One self-contained page about runs, predictions and comparisons. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "report/timeline.h"

struct report_options {
    const char *const *inputs; /* traces, and JSON that report/inputs.h knows */
    size_t input_count;
    const char *title; /* NULL: the first input's name */
    struct timeline_options timeline;
    bool slices; /* archives are read in slices however small they are */
};

/* Writes HTML. Returns STATUS_DATA with the input that is of another kind, or does not belong to the others. */
enum status report_write(const struct report_options *options, FILE *out, struct err *err);

#endif
