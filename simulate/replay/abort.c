/* SimGrid ends the process on faults during a simulation, with a message that knows no rank. This file writes who
 * waited for what after that message, on the standard error that a parent process reads (common/children.h). */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "simulate/replay/deadlock.h"

static const int signals[] = {SIGABRT, SIGSEGV};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals, LINE_MAX_BYTES = 1024 };

static struct replay *running;
static struct sigaction before[SIGNAL_COUNT];

/* Finds the first line of SimGrid's message and puts the name of the platform file before it. Returns its length. */
static size_t name_platform(const struct replay *replay, char line[LINE_MAX_BYTES], size_t said)
{
    static char first[LINE_MAX_BYTES / 2];
    const char *file = replay->platform->simgrid_xml;
    size_t length = strnlen(line, said < sizeof first ? said : sizeof first - 1);
    memcpy(first, line, length);
    first[length] = '\0';
    first[strcspn(first, "\n")] = '\0';
    return (size_t)snprintf(line, LINE_MAX_BYTES / 2 + 256, "%.255s%s%s", file ? file : "", file && *first ? ": " : "", first);
}

/* The process ends in any case. A second fault in here ends it by the default action. */
static void on_abort(int signal)
{
    static char line[LINE_MAX_BYTES];
    struct replay *replay = running;
    running = NULL;
    ssize_t n = pread(STDERR_FILENO, line, LINE_MAX_BYTES / 2, 0);
    if (replay && n >= 0) { /* a file: nobody reads it before the process ends */
        size_t length = name_platform(replay, line, (size_t)n);
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
