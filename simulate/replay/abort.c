/* SimGrid ends the process on faults during a simulation, with a message that knows no rank, or with the name of a C++
 * exception. This file replaces it by the engine's explanation and who waited for what, on the standard error that a parent
 * process reads (common/children.h). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/children.h"
#include "simulate/engine/engine.h"
#include "simulate/replay/core.h"
#include "simulate/replay/deadlock.h"

static const int signals[] = {SIGABRT, SIGSEGV};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals, LINE_MAX_BYTES = 1024 };

static struct replay *running;
static struct sigaction before[SIGNAL_COUNT];

/* "FILE: the engine's explanation". */
static size_t explain_end(struct replay *replay, int cause, char line[LINE_MAX_BYTES])
{
    static char said[LINE_MAX_BYTES / 2], text[LINE_MAX_BYTES / 2];
    /* The first line of SimGrid's message that says something. */
    size_t room = sizeof said;
    ssize_t n = pread(STDERR_FILENO, said, room - 1, 0);
    said[n > 0 ? n : 0] = '\0';
    size_t blank = strspn(said, " \t\n");
    memmove(said, said + blank, strlen(said + blank) + 1);
    said[strcspn(said, "\n")] = '\0';
    core_of(replay)->engine_kind->explain_end(said, text, sizeof text);
    return (size_t)snprintf(line, LINE_MAX_BYTES / 2 + 256, "%.255s: %s%s%.64s", replay->platform->simgrid_xml, text,
                            err_refused(cause) ? ": " : "", err_refused(cause) ? strerror(cause) : "");
}

/* The process ends in any case. A second fault in here ends it by the default action. */
static void on_abort(int signal)
{
    static char line[LINE_MAX_BYTES];
    int cause = errno; /* what the machine refused last, if that ended it */
    struct replay *replay = running;
    running = NULL;
    if (replay && replay->platform->simgrid_xml && lseek(STDERR_FILENO, 0, SEEK_CUR) >= 0) { /* nobody reads it yet */
        size_t length = explain_end(replay, cause, line);
        static char waiting[LINE_MAX_BYTES];
        replay_describe_waiting(replay, waiting, sizeof waiting);
        if (*waiting) snprintf(line + length, LINE_MAX_BYTES - length - 1, "; meanwhile%s", waiting);
        length += strlen(line + length);
        line[length++] = '\n';
        if (pwrite(STDERR_FILENO, line, length, 0) == (ssize_t)length) _exit(CHILD_EXPLAINED);
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
