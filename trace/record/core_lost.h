/* From two readings of a thread's times: how long it waited for a core in between, and how long it slept. The kernel's
 * count of the wait is no more than an upper bound. Linux from 6.12 on leaves some sleeping threads in their queues, and
 * where such a thread moves to another core, its sleep counts as waiting from then on, at times many times over (measured:
 * 6.18, four threads on two cores that poll and sleep for 2 ms in turns: one sleep of a hundred). So a thread waited for
 * no longer than it neither ran nor slept as it had asked. */
#ifndef TRACE_RECORD_CORE_LOST_H
#define TRACE_RECORD_CORE_LOST_H

#include <stdint.h>

struct rec_core_times { /* of a thread since it began */
    uint64_t stamp;     /* when they were read, in ticks */
    uint64_t cpu_ns;    /* on a core */
    uint64_t waited_ns; /* for a core, as the kernel counts */
    uint64_t asked_ns;  /* asleep, by trace/record/preload/asked_sleep.h */
    uint64_t runs;      /* how often it got a core */
};

struct rec_core_lost {
    int64_t waited_ns, slept_ns;
};

/* all_ns passed between the readings. Of that, the last passed_ns are the interval which the result is about: wait and
 * sleep together are no longer. A thread that got no core anew has not slept. Sleep of less than a hundredth of all_ns
 * is none: it may be interrupts or another virtual machine. */
struct rec_core_lost rec_core_lost_between(const struct rec_core_times *from, const struct rec_core_times *to,
                                           double all_ns, double passed_ns);

#endif
