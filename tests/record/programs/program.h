/* What the test programs share. They compute by sleeping, since ranks may outnumber cores. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void compute_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

/* Of CPU time. */
static inline void burn_ms(long ms)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < ms * 1000000);
}

static inline void *aligned(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory) exit(1);
    return memory;
}

#endif
