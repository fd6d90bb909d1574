/* Splits the deviations of single executions at one place of the program from their mean: by rank (uneven load), by
 * execution (iterations that differ), and random. */
#ifndef TRACE_PROGRAM_MODEL_EXECUTIONS_H
#define TRACE_PROGRAM_MODEL_EXECUTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

struct executions {
    float *values;   /* owned, rank after rank: seconds; after executions_split() the factors that rank and execution do
                        not explain */
    size_t count, capacity;
    size_t *first;                 /* owned, per rank: index of its first execution; one more element for the end */
    float *by_rank, *by_execution; /* owned: factors of the mean */
    size_t most; /* executions of one rank */
};

enum status executions_open(struct executions *executions, uint32_t ranks, struct err *err);
enum status executions_add(struct executions *executions, double seconds, struct err *err);
void executions_clear(struct executions *executions);

/* Splits the values into factors by rank, by execution and random. With alike all differences are random,
 * but for what all ranks evidently share in an execution. */
enum status executions_split(struct executions *executions, uint32_t ranks, bool alike, struct err *err);

/* The factor of an observed execution of a rank; 1 if it is not known. */
double executions_observed(const struct executions *executions, uint32_t rank, size_t execution);

/* The factor of a rank like `like` at another scale; `random` chooses the random part. Each of by_rank, by_execution
 * and values may be missing. */
double executions_drawn(const struct executions *executions, uint32_t like, size_t execution, uint64_t random);

#endif
