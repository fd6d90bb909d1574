#include "cli/progress_bar.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

void progress_bar_begin(struct progress_bar *bar)
{
    *bar = (struct progress_bar){.begin_s = now_s()};
    bar->shown_s = bar->begin_s + first_s - every_s;
}

void progress_bar_show(void *context, uint64_t events, uint64_t all_events)
{
    struct progress_bar *bar = context;
    char text[PROGRESS_BAR_BYTES];
    double at_s = now_s();
    if (at_s < bar->shown_s + every_s || !isatty(STDERR_FILENO)) return;
    bar->shown_s = at_s;
    bar->shown = true;
    fprintf(stderr, "\r\033[K%s", progress_bar_text(at_s - bar->begin_s, events, all_events, text));
    fflush(stderr);
}

void progress_bar_clear(struct progress_bar *bar)
{
    if (bar->shown) fputs("\r\033[K", stderr);
    bar->shown = false;
}
