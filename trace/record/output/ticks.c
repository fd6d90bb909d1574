#include "trace/record/output/ticks.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

bool rec_ticks REC_HOT;

#if defined __x86_64__
/* CPUID: RDTSCP (leaf 0x80000001, EDX bit 27); the counter runs at one rate whatever the processor does (leaf
 * 0x80000007, EDX bit 8). PR_SET_TSC may have made reading it an error. */
static bool counter_serves(void)
{
    unsigned a, b, c, d = 0;
    int mode = PR_TSC_ENABLE;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(d & 1u << 27)) return false;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1u << 8)) return false;
    return prctl(PR_GET_TSC, &mode) != 0 || mode == PR_TSC_ENABLE;
}
#else
static bool counter_serves(void)
{
    return false;
}
#endif

/* The kernel watches the counter and gives it up where processors disagree. */
static bool kernel_uses_it(const char *source)
{
    char name[32] = "";
    FILE *file = fopen(source, "rce");
    if (!file) return false;
    if (!fgets(name, sizeof name, file)) name[0] = '\0';
    fclose(file);
    return strcmp(name, "tsc\n") == 0;
}

void rec_ticks_choose(const char *wanted, const char *source)
{
    bool named = wanted && strcmp(wanted, "tsc") == 0, refused = wanted && strcmp(wanted, "monotonic") == 0;
    rec_ticks = !refused && counter_serves() && (named || kernel_uses_it(source));
}

struct rec_anchor rec_anchor_read(void)
{
    enum { TRIES = 5 };
    struct rec_anchor best = {.half_ticks = UINT64_MAX};
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = rec_stamp(), ns = rec_now(), half = (rec_stamp() - before) / 2;
        if (half >= best.half_ticks) continue;
        best = (struct rec_anchor){.ticks = before + half, .ns = ns, .half_ticks = half};
    }
    return best;
}

uint64_t rec_anchor_rate(const struct rec_anchor *first, const struct rec_anchor *second)
{
    const double least = 1e6, most = 1e11;
    if (second->ticks <= first->ticks || second->ns <= first->ns) return 0;
    double rate = (double)(second->ticks - first->ticks) / (double)(second->ns - first->ns) * 1e9;
    return rate >= least && rate <= most ? (uint64_t)rate : 0;
}
