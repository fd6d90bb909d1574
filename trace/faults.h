/* Faults of an input: where they are, and how reading continues without the faulty parts.
 *
 * trace_open_partly() keeps the calls of each rank before its first fault. Calls after a fault cannot be matched with
 * calls of other ranks. The rank is incomplete, and provenance.faults says what was left out and why. */
#ifndef TRACE_FAULTS_H
#define TRACE_FAULTS_H

#include "trace/trace.h"

/* "FILE:rank 3, event 17 (MPI_Put) at 0.250000 s: message"; sets err, with rank and event, and returns STATUS_DATA. call is the
 * event, which need not be in the trace yet, or, for trace_fail_event(), not any more. event: its number, from 1. */
enum status trace_fail_event(struct err *err, const struct trace *trace, uint32_t rank, uint64_t event,
                             const struct trace_call *call, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
#define trace_fail(err, trace, rank, index, call, ...)                                                                 \
    trace_fail_event(err, trace, rank, trace_event(trace, rank, index), call, __VA_ARGS__)

/* Adds a fault and marks the rank incomplete; the rank's calls do not change. text is copied as it is, with the trace's
 * name before the message. rank TRACE_FAULT_NO_RANK: a part of the input that belongs to no rank. */
enum status trace_add_fault(struct trace *trace, uint32_t rank, size_t index, int64_t time_ps, int64_t left_out,
                            const char *text, struct err *err);

/* The fault of a rank; NULL: none. Valid until another one is added. */
struct trace_fault *trace_fault_of(struct trace *trace, uint32_t rank);

/* Removes the rank's calls from index on, and adds a fault; `cause` is the error that they gave. */
enum status trace_cut(struct trace *trace, uint32_t rank, size_t index, const struct err *cause, struct err *err);

/* Checks like trace_check(), but cuts every rank at its first fault instead of failing. It fails for faulty
 * definitions. */
enum status trace_check_partly(struct trace *trace, struct err *err);

#endif
