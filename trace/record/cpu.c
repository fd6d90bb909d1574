/* CPU time of a thread between two calls, on request. The CPU clock costs some hundred nanoseconds, so it is read
 * outside the wall-clock interval of a call. */

#include "trace/record/record.h"
#include "trace/record/settings.h"

bool rec_cpu REC_HOT __attribute__((aligned(64))); /* the first of its section in the order of linking */
static __thread uint64_t left_ns;      /* when the thread left its last call */
static uint64_t cost_ns;               /* what the recorder itself takes between two calls */
static uint64_t least_ns = UINT64_MAX; /* between two calls, before the cost was known */

static uint64_t cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void rec_cpu_begin(void)
{
    const char *wanted = rec_setting("RMACAST_CPU_TIME");
    rec_cpu = wanted && *wanted && *wanted != '0';
}

void rec_cpu_enter(void)
{
    uint64_t taken = cpu_now() - left_ns;
    if (cost_ns == 0 && taken < least_ns) least_ns = taken;
    rec_put(&REC_RECORD(SPOOL_CPU, .time = rec_stamp(), .extra = (int64_t)(taken > cost_ns ? taken - cost_ns : 0)));
}

void rec_cpu_leave(void)
{
    left_ns = cpu_now();
}

/* The least is what the recorder took: more was disturbed. */
void rec_cpu_measured(void)
{
    cost_ns = least_ns == UINT64_MAX ? 0 : least_ns;
}
