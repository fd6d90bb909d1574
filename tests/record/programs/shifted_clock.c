/* Preloaded: CLOCK_MONOTONIC of rank r is offset[r] ahead and gains gain[r] of what passes, as clocks of different
 * machines do. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 4 };
static const double offset_s[RANKS] = {0, 5, 1000, 0.5}, gain[RANKS] = {0, 0.02, -0.01, 0};

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int status = (int)syscall(SYS_clock_gettime, clock, time);
    const char *number = getenv("PMI_RANK");
    int rank = number ? atoi(number) : 0;
    static long long begin_ns = -1;
    if (status != 0 || clock != CLOCK_MONOTONIC || rank <= 0 || rank >= RANKS) return status;
    long long now_ns = time->tv_sec * 1000000000LL + time->tv_nsec;
    if (begin_ns < 0) begin_ns = now_ns;
    now_ns += (long long)(offset_s[rank] * 1e9) + (long long)(gain[rank] * (double)(now_ns - begin_ns));
    time->tv_sec = now_ns / 1000000000;
    time->tv_nsec = now_ns % 1000000000;
    return 0;
}
