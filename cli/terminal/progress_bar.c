#include "cli/terminal/progress_bar.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cli/terminal/activity.h"
#include "cli/cli.h"

enum { WIDTH = 20 };
static const double first_s = 1, every_s = 0.2;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static char *rate_text(double rate, char *buffer, size_t size)
{
    static const char *const units[] = {"", " k", " M", " G"};
    size_t unit = 0;
    for (; rate >= 999.5 && unit < 3; unit++) rate /= 1000;
    snprintf(buffer, size, "%.*f%s", rate < 10 ? 1 : 0, rate, units[unit]);
    return buffer;
}

static char *left_text(double left_s, char *buffer, size_t size)
{
    long seconds = left_s < 1e8 ? (long)(left_s + 0.5) : 100000000;
    if (seconds < 60)
        snprintf(buffer, size, "%ld s", seconds);
    else if (seconds < 3600)
        snprintf(buffer, size, "%ld min %02ld s", seconds / 60, seconds % 60);
    else
        snprintf(buffer, size, "%ld h %02ld min", seconds / 3600, seconds % 3600 / 60);
    return buffer;
}

char *progress_bar_text(double elapsed_s, uint64_t events, uint64_t all_events, char buffer[PROGRESS_BAR_BYTES])
{
    char bar[WIDTH + 1], rate[16], left[32];
    double share = all_events > 0 ? (double)events / (double)all_events : 0;
    if (share > 1) share = 1;
    int full = (int)(share * WIDTH);
    memset(bar, '#', (size_t)full);
    memset(bar + full, ' ', (size_t)(WIDTH - full));
    bar[WIDTH] = '\0';
    double rate_per_s = elapsed_s > 0 ? (double)events / elapsed_s : 0;
    double left_s = share > 0 ? elapsed_s * (1 - share) / share : 0;
    snprintf(buffer, PROGRESS_BAR_BYTES, "[%s] %3d %%, %s events/s, %s left", bar, (int)(share * 100),
             rate_text(rate_per_s, rate, sizeof rate), left_text(left_s, left, sizeof left));
    return buffer;
}

/* Data in memory that all processes share. The process that reports progress draws, at most once per every_s. Time
 * counts from the first reported call, since the time of reading traces does not belong to the rate. */
struct progress_bar {
    _Atomic double begin_s; /* 0: not yet */
    _Atomic double shown_s;
    _Atomic bool shown;
    int terminal; /* a copy of standard error; -1: no terminal */
    size_t count;
    void **contexts; /* count, behind the shares: pointers to them */
    struct progress_share shares[];
};

static size_t size_of(size_t count)
{
    return sizeof(struct progress_bar) + count * (sizeof(struct progress_share) + sizeof(void *));
}

enum status progress_bar_begin(size_t count, struct progress_bar **bar, struct err *err)
{
    activity_end();
    struct progress_bar *made = mmap(NULL, size_of(count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) return err_memory(err);
    made->terminal = isatty(STDERR_FILENO) && !cli_is_quiet() ? dup(STDERR_FILENO) : -1;
    made->count = count;
    made->contexts = (void **)(made->shares + count);
    for (size_t i = 0; i < count; i++) {
        made->shares[i].bar = made;
        made->contexts[i] = &made->shares[i];
    }
    *bar = made;
    return STATUS_OK;
}

struct progress_share *progress_bar_share(struct progress_bar *bar, size_t index)
{
    return &bar->shares[index];
}

void *const *progress_bar_shares(const struct progress_bar *bar)
{
    return bar->contexts;
}

void progress_bar_show(void *context, uint64_t events, uint64_t all_events)
{
    struct progress_share *share = context;
    struct progress_bar *bar = share->bar;
    char text[PROGRESS_BAR_BYTES];
    double at_s = now_s(), shown_s = bar->shown_s, begin_s = bar->begin_s;
    share->events = events;
    share->all_events = all_events;
    if (begin_s == 0 && atomic_compare_exchange_strong(&bar->begin_s, &begin_s, at_s)) begin_s = at_s;
    if (bar->terminal < 0 || at_s < begin_s + first_s || at_s < shown_s + every_s) return;
    if (!atomic_compare_exchange_strong(&bar->shown_s, &shown_s, at_s)) return;
    uint64_t sum = 0, all = 0;
    for (size_t i = 0; i < bar->count; i++) {
        sum += bar->shares[i].events;
        all += bar->shares[i].all_events ? bar->shares[i].all_events : all_events;
    }
    bar->shown = true;
    dprintf(bar->terminal, "\r\033[K%s", progress_bar_text(at_s - begin_s, sum, all, text));
}

void progress_bar_end(struct progress_bar *bar)
{
    if (!bar) return;
    if (bar->shown) dprintf(bar->terminal, "\r\033[K");
    if (bar->terminal >= 0) close(bar->terminal);
    munmap(bar, size_of(bar->count));
}
