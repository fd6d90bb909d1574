/* Runs numbered blocks of work on several threads. The outcome is that of one thread. */
#ifndef COMMON_PARALLEL_H
#define COMMON_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

/* Works on one block. It writes only data of its block. */
typedef enum status parallel_work(void *context, size_t block, struct err *err);

/* Runs blocks 0 to count - 1, begun in this order, on at most so many threads, including this one. If blocks fail,
 * status and error are those of the first one; some later blocks may not have run. */
enum status parallel_run(size_t count, unsigned threads, parallel_work *work, void *context, struct err *err);

/* The processors that this process may use, at least 1. */
unsigned parallel_processors(void);

/* One thread per per_thread units of work, and one more; at most the number of processors. */
unsigned parallel_threads(uint64_t units, uint64_t per_thread);

#endif
