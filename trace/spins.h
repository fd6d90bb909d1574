/* Spins: rows of tests that fail, with next to nothing between them, until one succeeds. A rank that spins waits, and how long
 * it does is no property of the program, as the number of its tests is none. */
#ifndef TRACE_SPINS_H
#define TRACE_SPINS_H

#include "trace/trace.h"

enum { SPIN_LEAST_TESTS = 16 };              /* that fail, of one function, without any other call between them */
#define SPIN_MOST_GAP_PS (5 * INT64_C(1000000)) /* mean time between two calls of a row, without the recorder's own cost */

/* A test or probe that found nothing. */
bool trace_is_failed_test(const struct trace_call *call);

/* The failed tests of spins take no time any more, and nothing is between them: the successful test follows where the first
 * failed one began. Later calls of the rank move accordingly. Sleep in a row makes it no spin. Leaves ranks with threads as
 * they are. A note says how many tests, and how long they took. For trace_use_computing(), when gaps are computing. */
enum status trace_leave_out_spins(struct trace *trace, struct err *err);

#endif
