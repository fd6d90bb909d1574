#include "trace/record/core_lost.h"

enum { LEAST_SHARE = 100 };

static double find_least(double a, double b)
{
    return a < b ? a : b;
}

struct rec_core_lost rec_core_lost_between(const struct rec_core_times *from, const struct rec_core_times *to,
                                           double all_ns, double passed_ns)
{
    double off_core_ns = all_ns - (double)(to->cpu_ns - from->cpu_ns);
    double unasked_ns = off_core_ns - (double)(to->asked_ns - from->asked_ns);
    if (to->waited_ns < from->waited_ns) return (struct rec_core_lost){0, 0};
    double waited_ns = find_least((double)(to->waited_ns - from->waited_ns), unasked_ns > 0 ? unasked_ns : 0);
    double slept_ns = off_core_ns - waited_ns;
    if (to->runs == from->runs || slept_ns * LEAST_SHARE < all_ns) slept_ns = 0;
    waited_ns = find_least(waited_ns, passed_ns);
    slept_ns = find_least(slept_ns, passed_ns - waited_ns);
    return (struct rec_core_lost){.waited_ns = (int64_t)waited_ns, .slept_ns = (int64_t)slept_ns};
}
