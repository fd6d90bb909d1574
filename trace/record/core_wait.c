/* Measures how long a thread waits for a core, and how long it sleeps: neither runs nor can run. The wait is the second
 * number of its schedstat file, in nanoseconds since the thread began, and the third counts how often it got a core
 * (Linux, Documentation/scheduler/sched-stats.rst). What is left of the time that has passed, without the wait and the
 * thread's CPU clock, was sleep. The first number of the file is no such clock: it stands still between two ticks of the
 * scheduler. Reading takes about a microsecond. So both are read only at the end of an interval (a call, or the gap
 * between two events) that lasted a hundred times as long, which costs at most 1 %. Waits and sleep in shorter intervals
 * count for the next long one, at most up to its length. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "trace/record/output/uncancelled.h"
#include "trace/record/preload/asked_sleep.h"
#include "trace/record/record.h"
#include "trace/record/settings.h"

enum { TIMES_THE_COST = 100, READINGS = 10 };
static uint64_t long_ticks = UINT64_MAX; /* the shortest such interval */

/* A path that leads to the calling thread's own file. */
static bool open_own(struct rec_schedstat *schedstat)
{
    schedstat->file = rec_open("/proc/thread-self/schedstat", O_RDONLY);
    if (schedstat->file < 0) return false;
    if (rec_file_identify(schedstat->file, &schedstat->is)) return true;
    rec_close(schedstat->file);
    return false;
}

/* The program may have closed the file, and its number may be another file's by now. */
static bool read_own(struct rec_schedstat *schedstat)
{
    char text[96], *end;
    struct timespec cpu;
    if (!rec_file_is(schedstat->file, &schedstat->is) && !open_own(schedstat)) return false;
    ssize_t got = rec_read_first(schedstat->file, text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    strtoull(text, &end, 10); /* on a core */
    if (*end != ' ') return false;
    char *from = end + 1;
    uint64_t waited_ns = strtoull(from, &end, 10);
    if (end == from || *end != ' ' || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) != 0) return false;
    schedstat->last = (struct rec_core_times){
        .stamp = rec_stamp(),
        .cpu_ns = (uint64_t)cpu.tv_sec * UINT64_C(1000000000) + (uint64_t)cpu.tv_nsec,
        .waited_ns = waited_ns,
        .asked_ns = rmacast_asked_sleep_ns ? rmacast_asked_sleep_ns() : 0,
        .runs = strtoull(end + 1, NULL, 10),
    };
    return true;
}

void rec_core_wait_begin(void)
{
    const char *wanted = rec_setting("RMACAST_SCHEDSTAT");
    struct rec_schedstat schedstat;
    uint64_t least = UINT64_MAX;
    int before = errno;
    if ((!wanted || *wanted != '0') && open_own(&schedstat)) {
        bool known = true;
        for (int i = 0; known && i < READINGS; i++) {
            uint64_t from = rec_stamp();
            known = read_own(&schedstat);
            uint64_t taken = rec_stamp() - from;
            if (taken < least) least = taken;
        }
        rec_close(schedstat.file);
        if (known) long_ticks = TIMES_THE_COST * least;
    }
    errno = before;
}

void rec_core_wait_thread(struct rec_buffer *own)
{
    int before = errno;
    bool known = long_ticks != UINT64_MAX && open_own(&own->schedstat) && read_own(&own->schedstat);
    if (known) own->long_ticks = long_ticks;
    own->event = rec_stamp();
    errno = before;
}

bool rec_core_wait_known(void)
{
    return long_ticks != UINT64_MAX;
}

static double ticks_ns(const struct rec_buffer *own, uint64_t ticks)
{
    return own->rate > 0 ? (double)ticks * 1e9 / (double)own->rate : (double)ticks;
}

struct rec_core_lost rec_core_lost(struct rec_buffer *own, uint64_t passed)
{
    int before = errno;
    const struct rec_core_times from = own->schedstat.last, *to = &own->schedstat.last;
    bool known = read_own(&own->schedstat);
    if (!known) own->long_ticks = UINT64_MAX;
    errno = before;
    if (!known) return (struct rec_core_lost){0};
    return rec_core_lost_between(&from, to, ticks_ns(own, to->stamp - from.stamp), ticks_ns(own, passed));
}

void rec_core_wait_end(struct rec_buffer *own)
{
    if (own->long_ticks != UINT64_MAX && rec_file_is(own->schedstat.file, &own->schedstat.is))
        rec_close(own->schedstat.file);
}

void rec_cores_text(char text[REC_CORES_BYTES])
{
    cpu_set_t cores;
    size_t used = 0;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof cores, &cores) != 0) CPU_ZERO(&cores);
    for (size_t digit = CPU_SETSIZE / 4; digit-- > 0;) {
        unsigned value = 0;
        for (size_t bit = 0; bit < 4; bit++) value |= (unsigned)!!CPU_ISSET(4 * digit + bit, &cores) << bit;
        if (value > 0 || used > 0) text[used++] = "0123456789abcdef"[value];
    }
    text[used] = '\0';
}
