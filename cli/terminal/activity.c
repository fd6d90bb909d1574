#include "cli/terminal/activity.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

enum { FIRST_S = 2 };

static struct {
    const char *what;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool runs, ends, shown;
    pid_t process; /* a child of it has no thread */
} activity = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Shows the seconds since it began, each once; the time in between is spent waiting for the end. */
static void *show_activity(void *unused)
{
    struct timespec next;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &next);
    next.tv_sec += FIRST_S;
    pthread_mutex_lock(&activity.mutex);
    for (long elapsed_s = FIRST_S; !activity.ends; elapsed_s++, next.tv_sec++) {
        while (!activity.ends && pthread_cond_timedwait(&activity.ended, &activity.mutex, &next) == 0) continue;
        if (activity.ends || cli_is_quiet()) continue;
        activity.shown = true;
        dprintf(STDERR_FILENO, "\r\033[K%s, %ld s", activity.what, elapsed_s);
    }
    pthread_mutex_unlock(&activity.mutex);
    return NULL;
}

void activity_begin(const char *what)
{
    pthread_condattr_t clock;
    if (activity.runs || !isatty(STDERR_FILENO)) return;
    activity.what = what;
    activity.ends = activity.shown = false;
    activity.process = getpid();
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&activity.ended, &clock);
    pthread_condattr_destroy(&clock);
    activity.runs = pthread_create(&activity.thread, NULL, show_activity, NULL) == 0;
}

void activity_end(void)
{
    if (!activity.runs || activity.process != getpid()) return;
    pthread_mutex_lock(&activity.mutex);
    activity.ends = true;
    pthread_cond_signal(&activity.ended);
    pthread_mutex_unlock(&activity.mutex);
    pthread_join(activity.thread, NULL);
    pthread_cond_destroy(&activity.ended);
    if (activity.shown) dprintf(STDERR_FILENO, "\r\033[K");
    activity.runs = false;
}
