/* Counts the misses of the last-level cache by user code of the rank's threads, from the return of MPI_Init to MPI_Finalize,
 * where the system counts them (perf_event_open). A loop that does nothing but read and write memory then shows how many there
 * are in a second at most, by the same counter: the reader makes a share of both (docs/recording.md). The counter is read at the
 * end only. It raises no signal and needs one of the core's counters, which the kernel shares out in turns where the program
 * has counters of its own; its time is scaled by the part of the time in which it ran. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "trace/record/output/buffer.h"
#include "trace/record/output/ticks.h"
#include "trace/record/output/uncancelled.h"
#include "trace/record/record.h"

enum { ROOM_LEAST = 1 << 25, ROOM_MOST = 1 << 28 }; /* bytes */

static int counter = -1;
static struct rec_file is; /* the program may have closed it */

struct reading {
    uint64_t misses, enabled_ns, running_ns;
};

void rec_misses_begin(void)
{
    struct perf_event_attr wanted = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof wanted,
        .config = PERF_COUNT_HW_CACHE_MISSES,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    const int before = errno;
    counter = (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (counter >= 0 && !rec_file_identify(counter, &is)) counter = -1;
    errno = before;
}

/* False: not known. */
static bool read_misses(double *misses)
{
    struct reading reading;
    if (syscall(SYS_read, counter, &reading, sizeof reading) != sizeof reading || reading.running_ns == 0) return false;
    *misses = (double)reading.misses * ((double)reading.enabled_ns / (double)reading.running_ns);
    return true;
}

/* The misses in a second of memory work alone, in twice the last-level cache; what is first written is no part of it. */
static bool measure_rate(double misses, double *per_s)
{
    long bytes = 2 * sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (bytes < ROOM_LEAST) bytes = ROOM_LEAST;
    if (bytes > ROOM_MOST) bytes = ROOM_MOST;
    uint64_t *words = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (words == MAP_FAILED) return false;
    const size_t half = (size_t)bytes / sizeof *words / 2;
    const bool begun = read_misses(&misses);
    const uint64_t begin_ns = rec_now();
    for (size_t i = 0; i < half; i++) words[half + i] = words[i] + 1;
    __asm__ volatile("" : : "r"(words) : "memory");
    const double taken_s = 1e-9 * (double)(rec_now() - begin_ns);
    double behind = misses;
    const bool known = begun && read_misses(&behind) && behind > misses && taken_s > 0;
    if (known) *per_s = (behind - misses) / taken_s;
    munmap(words, (size_t)bytes);
    return known;
}

void rec_misses_define(void)
{
    char text[96];
    double misses, per_s;
    const int before = errno;
    if (counter >= 0 && rec_file_is(counter, &is)) {
        if (read_misses(&misses) && measure_rate(misses, &per_s)) {
            int bytes = snprintf(text, sizeof text, "misses=%.0f\nmisses_per_s=%.0f\n", misses, per_s);
            rec_define_with((struct spool_record){.kind = SPOOL_IDENTITY}, text, (size_t)bytes, NULL, 0);
        }
        rec_close(counter);
    }
    counter = -1;
    errno = before;
}
