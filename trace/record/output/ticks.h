/* Time stamps of records: the processor's time stamp counter if the kernel itself keeps time by it, else nanoseconds of
 * CLOCK_MONOTONIC. Ticks are written as they are. An anchor is a pair of ticks and nanoseconds read together. The
 * reader converts ticks between two anchors to nanoseconds (docs/format-spool.md). */
#ifndef TRACE_RECORD_OUTPUT_TICKS_H
#define TRACE_RECORD_OUTPUT_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Data that each call uses are together in few cache lines, since the program uses the cache between calls. */
#define REC_HOT __attribute__((section("rec_hot")))

#define REC_CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

extern bool rec_ticks __attribute__((visibility("hidden"))); /* stamps are ticks of the counter */

struct rec_anchor {
    uint64_t ticks, ns; /* ns was read within half_ticks before or after ticks */
    uint64_t half_ticks;
};

/* wanted: "tsc", "monotonic", NULL or anything else: by what the kernel does, whose choice is in the file source.
 * "tsc" does not ask the kernel, but a counter that stops or that may not be read is not taken. */
void rec_ticks_choose(const char *wanted, const char *source);

/* The best of some readings; what it is of matters only where rec_ticks holds. */
struct rec_anchor rec_anchor_read(void);

/* Ticks per second between two anchors; 0 if they do not belong to a counter that runs forward. */
uint64_t rec_anchor_rate(const struct rec_anchor *first, const struct rec_anchor *second);

/* CLOCK_MONOTONIC. */
static inline uint64_t rec_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#if defined __x86_64__
/* All that the thread did before has been done: its loads have their values. So a stamp behind a call is later than the
 * other rank's stores that the call waited for. */
static inline uint64_t rec_stamp(void)
{
    unsigned processor;
    return __builtin_expect(rec_ticks, 1) ? __builtin_ia32_rdtscp(&processor) : rec_now();
}

/* Before what the thread stores behind it, which others see; loads before it may still be on their way. Some
 * nanoseconds cheaper. */
static inline uint64_t rec_stamp_before(void)
{
    return __builtin_expect(rec_ticks, 1) ? __builtin_ia32_rdtsc() : rec_now();
}
#else
static inline uint64_t rec_stamp(void)
{
    return rec_now();
}

static inline uint64_t rec_stamp_before(void)
{
    return rec_now();
}
#endif

#endif
