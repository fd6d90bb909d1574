/* Faults of an input: where they are, and how reading continues without what they spoil.
 *
 * trace_open_partly() keeps the calls of each rank before its first fault. What comes behind a fault cannot be matched
 * with calls of other ranks any more. The rank is incomplete, and provenance.faults says what was left out and why. */
#ifndef TRACE_FAULTS_H
#define TRACE_FAULTS_H

#include "trace/trace.h"

/* "FILE:rank 3, event 17 (MPI_Put) at 0.250000 s: message"; err knows rank and event. Returns STATUS_DATA. call: the
 * event, which need not be in the trace yet. */
enum status trace_fail(struct err *err, const struct trace *trace, uint32_t rank, size_t index,
                       const struct trace_call *call, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The same of an event that is not in the trace any more: its number, from 1. err knows neither. */
enum status trace_fail_event(struct err *err, const struct trace *trace, uint32_t rank, uint64_t event,
                             const struct trace_call *call, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Notes a fault, without touching the rank's calls, and marks the rank incomplete. text is copied; the part of it
 * before the message (the trace's name) stays. rank TRACE_FAULT_NO_RANK: a part of the input that belongs to none. */
enum status trace_add_fault(struct trace *trace, uint32_t rank, size_t index, int64_t time_ps, int64_t left_out,
                            const char *text, struct err *err);

/* Takes the rank's calls from index on out of the trace and notes why: `cause` is the error that they gave. */
enum status trace_cut(struct trace *trace, uint32_t rank, size_t index, const struct err *cause, struct err *err);

/* trace_check() that cuts every rank at its first fault instead of failing. Fails where definitions are at fault. */
enum status trace_check_partly(struct trace *trace, struct err *err);

#endif
