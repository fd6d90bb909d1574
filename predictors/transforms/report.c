/* Reports of transforms: predictors/transforms/transform.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "predictors/transforms/transform.h"

enum status transform_say(struct transform_report *report, struct err *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&report->summary, format, arguments);
    va_end(arguments);
    if (length >= 0) return STATUS_OK;
    report->summary = NULL;
    return err_memory(err);
}

enum status transform_refuse(struct transform_report *report, const struct trace *trace, uint32_t rank, size_t call,
                             uint64_t count, struct err *err, const char *format, ...)
{
    struct transform_refusal made = {.count = count};
    report->refused += count;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&made.reason, format, arguments);
    va_end(arguments);
    if (length < 0) return err_memory(err);
    for (size_t i = 0; i < report->refusal_count; i++) {
        if (strcmp(report->refusals[i].reason, made.reason) != 0) continue;
        report->refusals[i].count += count;
        free(made.reason);
        return STATUS_OK;
    }
    enum status status = STATUS_OK;
    if (report->refusal_count < TRANSFORM_REFUSALS_MAX)
        status = array_reserve((void **)&report->refusals, &report->refusal_capacity, report->refusal_count + 1, sizeof made,
                               err);
    if (status != STATUS_OK || report->refusal_count == TRANSFORM_REFUSALS_MAX) {
        free(made.reason);
        return status;
    }
    trace_place(trace, rank, call, made.place);
    report->refusals[report->refusal_count++] = made;
    return STATUS_OK;
}
