/* Traces are analysed in slices, or in several parts, with the same result as in memory. */
#ifndef TESTS_PROPERTY_SLICES_H
#define TESTS_PROPERTY_SLICES_H

#include "simulate/replay/replay.h"

/* same_in_slices(). */
typedef enum status trace_comparer(const struct trace *trace, bool *same, char *what, struct err *err);

/* The predicted trace, the same taken for a recorded one, and the recorded calls at random times. *same false: what
 * says where results differ. In the first two each call returns after the call for which it waited began. */
enum status slices_check(const struct trace *trace, struct trace *predicted, uint64_t seed, trace_comparer *compare,
                         bool *same, char *what, struct err *err);

#endif
