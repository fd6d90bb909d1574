/* Numbers the iterations of each rank's program: those of a loop, or one begins where the rank enters the user region of a name,
 * or returns from the MPI function of that name. Iteration 0 is what is before the first one. The computing before the first call
 * of a loop's iteration is in the iteration, since ranks wait in the call for who computes longer. */
#ifndef MODEL_OVER_TIME_ITERATIONS_H
#define MODEL_OVER_TIME_ITERATIONS_H

#include "model/over_time/main_loop.h"

/* The number of what is behind a loop. */
enum { ITERATION_BEHIND = UINT32_MAX - 1 };

struct iterations;

/* Of a loop, or if it is NULL of a name. Borrows both until iterations_free(), which takes NULL. */
enum status iterations_new(uint32_t rank_count, const char *name, const struct main_loop *loop, struct iterations **iterations,
                           struct err *err);
void iterations_free(struct iterations *iterations);

/* Is told of each iteration that has ended. Its times are those of the trace. */
typedef void iteration_ended(void *context, uint32_t rank, uint32_t iteration, int64_t from_ps, int64_t until_ps);

/* Numbers the calls of a slice. trace_kept.iteration has the numbers of those that are kept from the slice before. */
enum status iterations_go_on(struct iterations *iterations, const struct trace *trace, iteration_ended *ended, void *context,
                             struct err *err);
/* The iteration of a call of the slice. */
uint32_t iterations_at(const struct iterations *iterations, uint32_t rank, size_t index);
/* Ends the last iteration of each rank. *count is the number of iterations of the rank with most, without what is behind a loop.
 * STATUS_DATA: there is none but iteration 0. */
enum status iterations_end(struct iterations *iterations, const struct trace *trace, iteration_ended *ended, void *context,
                           uint32_t *count, struct err *err);

#endif
