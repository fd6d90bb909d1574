/* The driver of thread primitives: create, join, mutexes, read-write locks, conditions, barriers, semaphores. Threads
 * themselves are a service (simulate/replay/thread.h). */
#ifndef SIMULATE_THREADS_SYNC_H
#define SIMULATE_THREADS_SYNC_H

#include "simulate/replay/driver.h"

extern const struct call_driver threads_driver;

#endif
