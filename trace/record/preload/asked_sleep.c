#include "trace/record/preload/asked_sleep.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static __thread uint64_t asked_ns;

uint64_t rmacast_asked_sleep_ns(void)
{
    return asked_ns;
}

typedef unsigned sleep_function(unsigned);
typedef int usleep_function(useconds_t);
typedef int nanosleep_function(const struct timespec *, struct timespec *);
typedef int clock_nanosleep_function(clockid_t, int, const struct timespec *, struct timespec *);

static struct {
    sleep_function *sleep;
    usleep_function *usleep;
    nanosleep_function *nanosleep;
    clock_nanosleep_function *clock_nanosleep;
} wrapped;

static void find_function(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

/* A constructor: dlsym may not be called in a signal's handler, which may sleep. */
__attribute__((constructor)) static void find_next(void)
{
    find_function(&wrapped.sleep, "sleep");
    find_function(&wrapped.usleep, "usleep");
    find_function(&wrapped.nanosleep, "nanosleep");
    find_function(&wrapped.clock_nanosleep, "clock_nanosleep");
}

static uint64_t ns_of(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_nsec;
}

/* One of these functions may call another one by its name: it counts once. */
static void add_to(uint64_t before_ns, uint64_t more_ns)
{
    asked_ns = before_ns + more_ns;
}

__attribute__((visibility("default"))) unsigned sleep(unsigned seconds)
{
    uint64_t before_ns = asked_ns;
    if (!wrapped.sleep) find_next();
    unsigned left = wrapped.sleep(seconds);
    if (left == 0) add_to(before_ns, seconds * UINT64_C(1000000000));
    return left;
}

__attribute__((visibility("default"))) int usleep(useconds_t microseconds)
{
    uint64_t before_ns = asked_ns;
    if (!wrapped.usleep) find_next();
    int result = wrapped.usleep(microseconds);
    if (result == 0) add_to(before_ns, microseconds * UINT64_C(1000));
    return result;
}

__attribute__((visibility("default"))) int nanosleep(const struct timespec *time, struct timespec *left)
{
    uint64_t before_ns = asked_ns;
    if (!wrapped.nanosleep) find_next();
    int result = wrapped.nanosleep(time, left);
    if (result == 0) add_to(before_ns, ns_of(time));
    return result;
}

/* Sleep until a time of another clock than CLOCK_MONOTONIC is not counted: such a clock may be set meanwhile. */
static uint64_t sleep_ns_of(clockid_t clock, int flags, const struct timespec *time)
{
    struct timespec now;
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME) return 0;
    if (!(flags & TIMER_ABSTIME)) return ns_of(time);
    if (clock == CLOCK_REALTIME || clock_gettime(clock, &now) != 0) return 0;
    return ns_of(time) > ns_of(&now) ? ns_of(time) - ns_of(&now) : 0;
}

__attribute__((visibility("default"))) int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                                                           struct timespec *left)
{
    uint64_t before_ns = asked_ns;
    if (!wrapped.clock_nanosleep) find_next();
    int before = errno;
    uint64_t more_ns = time && time->tv_sec >= 0 ? sleep_ns_of(clock, flags, time) : 0;
    errno = before;
    int result = wrapped.clock_nanosleep(clock, flags, time, left);
    if (result == 0) add_to(before_ns, more_ns);
    return result;
}
