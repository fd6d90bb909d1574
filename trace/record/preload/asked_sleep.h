/* How long a thread has asked to sleep. The preloaded library wraps sleep, usleep, nanosleep and clock_nanosleep, and adds
 * up for each thread the sleeps that were not interrupted. So the recorder knows a least time of a thread's sleep, where
 * the kernel counts sleep as waiting for a core (trace/record/core_lost.h). Sleep inside other functions (poll, select,
 * thrd_sleep, a system call of the program's own) is not known. */
#ifndef TRACE_RECORD_PRELOAD_ASKED_SLEEP_H
#define TRACE_RECORD_PRELOAD_ASKED_SLEEP_H

#include <stdint.h>

/* Of the calling thread since it began, in nanoseconds. */
extern uint64_t rmacast_asked_sleep_ns(void) __attribute__((weak, visibility("default")));

#endif
