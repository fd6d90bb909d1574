/* Measures how long a thread waits for a core: the second number of its schedstat file, in nanoseconds since the thread
 * began (Linux, Documentation/scheduler/sched-stats.rst). Reading it takes about a microsecond. So it is read only at
 * the end of an interval (a call, or the gap between two events) that lasted a hundred times as long, which costs at
 * most 1 %. Waits in shorter intervals count for the next long one, at most up to its length. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/record/record.h"
#include "trace/record/settings.h"

enum { TIMES_THE_COST = 100, READINGS = 10 };
static uint64_t long_ticks = UINT64_MAX; /* the shortest such interval */

/* A path that leads to the calling thread's own file. */
static bool open_own(struct rec_schedstat *schedstat)
{
    schedstat->file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (schedstat->file < 0) return false;
    if (rec_file_identify(schedstat->file, &schedstat->is)) return true;
    close(schedstat->file);
    return false;
}

/* The program may have closed the file, and its number may be another file's by now. */
static bool read_own(struct rec_schedstat *schedstat, uint64_t *waited_ns)
{
    char text[96], *end;
    if (!rec_file_is(schedstat->file, &schedstat->is) && !open_own(schedstat)) return false;
    ssize_t got = pread(schedstat->file, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    strtoull(text, &end, 10); /* on a core */
    if (*end != ' ') return false;
    char *from = end + 1;
    *waited_ns = strtoull(from, &end, 10);
    return end != from && *end == ' ';
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
            known = read_own(&schedstat, &schedstat.waited_ns);
            uint64_t taken = rec_stamp() - from;
            if (taken < least) least = taken;
        }
        close(schedstat.file);
        if (known) long_ticks = TIMES_THE_COST * least;
    }
    errno = before;
}

void rec_core_wait_thread(struct rec_buffer *own)
{
    int before = errno;
    bool known = long_ticks != UINT64_MAX && open_own(&own->schedstat) &&
                 read_own(&own->schedstat, &own->schedstat.waited_ns);
    if (known) own->long_ticks = long_ticks;
    own->event = rec_stamp();
    errno = before;
}

bool rec_core_wait_known(void)
{
    return long_ticks != UINT64_MAX;
}

uint64_t rec_core_wait_ns(struct rec_buffer *own, uint64_t passed)
{
    int before = errno;
    uint64_t known_ns = own->schedstat.waited_ns;
    double passed_ns = own->rate > 0 ? (double)passed * 1e9 / (double)own->rate : (double)passed;
    if (!read_own(&own->schedstat, &own->schedstat.waited_ns)) own->long_ticks = UINT64_MAX;
    errno = before;
    if (own->schedstat.waited_ns <= known_ns) return 0;
    uint64_t waited_ns = own->schedstat.waited_ns - known_ns;
    return (double)waited_ns < passed_ns ? waited_ns : (uint64_t)passed_ns;
}

void rec_core_wait_end(struct rec_buffer *own)
{
    if (own->long_ticks != UINT64_MAX && rec_file_is(own->schedstat.file, &own->schedstat.is))
        close(own->schedstat.file);
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
