/* SimGrid ends the process on faults that it meets on the way, with a message of its own that knows no rank. Behind
 * that line, on the standard error that a parent process reads (common/children.h), goes who waited for what. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "simulate/replay_core.h"

static const int signals[] = {SIGABRT, SIGSEGV};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals, LINE_MAX_BYTES = 1024 };

static struct replay *running;
static struct sigaction before[SIGNAL_COUNT];

/* The process is lost: what else goes wrong in here ends it a second time, by the default action. */
static void on_abort(int signal)
{
    static char line[LINE_MAX_BYTES];
    struct replay *replay = running;
    running = NULL;
    ssize_t n = pread(STDERR_FILENO, line, LINE_MAX_BYTES / 2, 0);
    if (replay && n >= 0) { /* a file: nobody else sees it before it ends */
        size_t length = strnlen(line, (size_t)n);
        length = strcspn(line, "\n") < length ? strcspn(line, "\n") : length;
        line[length] = '\0';
        length += (size_t)snprintf(line + length, 16, "%s", length ? "; meanwhile" : "meanwhile");
        replay_describe_waiting(replay, line + length, LINE_MAX_BYTES - length - 2);
        length += strlen(line + length);
        line[length++] = '\n';
        n = pwrite(STDERR_FILENO, line, length, 0);
    }
    raise(signal);
}

void replay_watch_aborts(struct replay *replay)
{
    struct sigaction action = {.sa_handler = on_abort, .sa_flags = (int)SA_RESETHAND};
    running = replay;
    for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(signals[i], &action, &before[i]);
}

void replay_unwatch_aborts(void)
{
    running = NULL;
    for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(signals[i], &before[i], NULL);
}
