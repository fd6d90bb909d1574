/* How single executions of one place in the program differ from their mean: by rank (a load that is uneven), by
 * execution (a program whose iterations change), and by chance. */
#ifndef TRACE_PROGRAM_MODEL_EXECUTIONS_H
#define TRACE_PROGRAM_MODEL_EXECUTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

struct executions {
    float *values;   /* owned, rank after rank: seconds; behind executions_split() what rank and execution do not explain */
    size_t count, capacity;
    size_t *first;   /* owned, per rank and one more: where its executions begin */
    float *by_rank, *by_execution; /* owned: factors of the mean */
    size_t most; /* executions of one rank */
};

enum status executions_open(struct executions *executions, uint32_t ranks, struct err *err);
enum status executions_add(struct executions *executions, double seconds, struct err *err);
void executions_clear(struct executions *executions);

/* alike: executions differ by chance only. */
enum status executions_split(struct executions *executions, uint32_t ranks, bool alike, struct err *err);

/* The factor of one execution of a rank that was observed; 1 where that one is not known. */
double executions_observed(const struct executions *executions, uint32_t rank, size_t execution);

/* The factor of a rank like that one, at another scale; random chooses what is by chance. Each of by_rank, by_execution
 * and values may be missing. */
double executions_drawn(const struct executions *executions, uint32_t like, size_t execution, uint64_t random);

#endif
