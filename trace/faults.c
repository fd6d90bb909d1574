#include "trace/faults.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"

enum status trace_fail_event(struct err *err, const struct trace *trace, uint32_t rank, uint64_t event,
                             const struct trace_call *call, const char *format, ...)
{
    char place[TRACE_PLACE_BYTES], message[ERR_TEXT_BYTES / 2], time[UNITS_TEXT_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    const char *name = call->call < MPI_CALL_COUNT ? call_name(call->call) : "?";
    snprintf(place, sizeof place, "rank %" PRIu32 ", event %" PRIu64 " (%.40s) at %s s", rank, event, name,
             units_format_ps(call->enter_ps, time));
    err_set(err, STATUS_DATA, trace->name, place, "%s", message);
    if (!err) return STATUS_DATA;
    err->list = rank;
    err->item = (int64_t)event - 1;
    return STATUS_DATA;
}

static enum status mark_incomplete(struct trace_rank *rank, struct err *err)
{
    static const char why[] = "what follows a fault is left out";
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s", rank->incomplete_why ? rank->incomplete_why : "", rank->incomplete_why ? "; " : "",
                 why) < 0)
        return err_memory(err);
    free(rank->incomplete_why);
    rank->incomplete_why = longer;
    rank->incomplete = true;
    return STATUS_OK;
}

struct trace_fault *trace_fault_of(struct trace *trace, uint32_t rank)
{
    for (size_t i = 0; i < trace->provenance.fault_count && rank != TRACE_FAULT_NO_RANK; i++)
        if (trace->provenance.faults[i].rank == rank) return &trace->provenance.faults[i];
    return NULL;
}

enum status trace_add_fault(struct trace *trace, uint32_t rank, size_t index, int64_t time_ps, int64_t left_out,
                            const char *text, struct err *err)
{
    struct trace_fault made = {.rank = rank, .event = index, .time_ps = time_ps, .left_out = left_out};
    struct trace_fault *before = trace_fault_of(trace, rank);
    made.text = strdup(text);
    if (!made.text) return err_memory(err);
    if (before) { /* this cut also leaves out what the earlier one left out */
        if (before->left_out < 0 || left_out < 0)
            made.left_out = TRACE_FAULT_UNCOUNTED;
        else
            made.left_out += before->left_out;
        free(before->text);
        *before = made;
        return STATUS_OK;
    }
    enum status status = array_reserve((void **)&trace->provenance.faults, &trace->provenance.fault_capacity,
                                       trace->provenance.fault_count + 1, sizeof made, err);
    if (status == STATUS_OK && rank != TRACE_FAULT_NO_RANK) status = mark_incomplete(&trace->ranks[rank], err);
    if (status != STATUS_OK) {
        free(made.text);
        return status;
    }
    size_t place = trace->provenance.fault_count++;
    struct trace_fault *faults = trace->provenance.faults;
    for (; place > 0 && faults[place - 1].rank > rank; place--) faults[place] = faults[place - 1];
    faults[place] = made;
    return STATUS_OK;
}

enum status trace_cut(struct trace *trace, uint32_t rank, size_t index, const struct err *cause, struct err *err)
{
    struct trace_rank *process = &trace->ranks[rank];
    TRY(trace_add_fault(trace, rank, index, process->calls[index].enter_ps, (int64_t)(process->count - index),
                        cause->text, err));
    process->count = index;
    return STATUS_OK;
}
