/* Where transfers end, for all formats (export/export.h). */
#include "export/export.h"

int64_t export_transfer_end_ps(const struct trace *trace, const struct transfer *transfer)
{
    int64_t end_ps = transfer_true_end_ps(trace, transfer);
    return end_ps == TRACE_UNKNOWN_PS ? transfer->upper_end_ps : end_ps;
}

void export_report_transfers(const struct transfers *transfers, struct export_report *report)
{
    report->transfers = transfers->count;
    for (size_t i = 0; i < transfers->count; i++)
        report->endless += transfers->items[i].upper_end_ps == TRACE_UNKNOWN_PS;
}
