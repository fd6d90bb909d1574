/* Reports of transforms: predictors/transforms/transform.h. */
#include <stdarg.h>
#include <stdio.h>

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
                             struct err *err, const char *format, ...)
{
    struct transform_refusal refusal = {.reason = NULL};
    report->refused++;
    if (report->refusal_count == TRANSFORM_REFUSALS_MAX) return STATUS_OK;
    trace_place(trace, rank, call, refusal.place);
    TRY(array_reserve((void **)&report->refusals, &report->refusal_capacity, report->refusal_count + 1, sizeof refusal,
                      err));
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&refusal.reason, format, arguments);
    va_end(arguments);
    if (length < 0) return err_memory(err);
    report->refusals[report->refusal_count++] = refusal;
    return STATUS_OK;
}
