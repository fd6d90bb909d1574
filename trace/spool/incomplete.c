/* Says why a rank's recording is incomplete. */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/spool/reader.h"

struct reasons {
    char text[1024];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void reason(struct reasons *reasons, const char *format, ...)
{
    va_list list;
    size_t room = sizeof reasons->text - reasons->used;
    int n = reasons->used > 0 ? snprintf(reasons->text + reasons->used, room, "; ") : 0;
    reasons->used += (size_t)n < room ? (size_t)n : room - 1;
    room = sizeof reasons->text - reasons->used;
    va_start(list, format);
    n = vsnprintf(reasons->text + reasons->used, room, format, list);
    va_end(list);
    reasons->used += (size_t)n < room ? (size_t)n : room - 1;
}

/* Names of the signals that the recorder sees. */
static const char *signal_name(uint32_t number)
{
    static const struct {
        uint32_t number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
                 {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}, {SIGTERM, "SIGTERM"},
                 {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},   {SIGXCPU, "SIGXCPU"},
                 {SIGQUIT, "SIGQUIT"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},
                 {SIGXFSZ, "SIGXFSZ"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number) return names[i].name;
    return "unknown";
}

static void reason_of_end(struct reasons *why, const struct spool_rank *from, const char *in)
{
    uint32_t signal = 0;
    char code[32] = "";
    for (size_t i = 0; i <= from->thread_count; i++) {
        const struct spool_rank *files = i == 0 ? from : &from->threads[i - 1];
        const struct spool_tail *end = files->header ? files->tail : NULL;
        if (end && end->signal != 0) signal = end->signal;
        if (end && end->aborts && in && strcmp(in, "MPI_Abort") == 0)
            snprintf(code, sizeof code, "(%" PRId32 ")", end->abort_code);
    }
    char by[64] = "";
    if (signal != 0) snprintf(by, sizeof by, " by signal %" PRIu32 " (%s)", signal, signal_name(signal));
    bool unseen = signal == 0 && code[0] == '\0';
    reason(why, "%sended without MPI_Finalize%s%s%s%s", unseen ? "killed or " : "", by, in ? ", inside " : "",
           in ? in : "", code);
}

enum status spool_mark_incomplete(const struct spool_rank *from, const char *in, const uint32_t *inside,
                                  uint32_t inside_count, struct trace_rank *rank, struct err *err)
{
    struct reasons why = {.used = 0};
    int failure = (int)(from->state >> 16);
    if (!from->present)
        reason(&why, "no recording of this rank was found");
    else if (!from->tail)
        reason(&why, "its tail file is missing");
    else if (from->state & SPOOL_LIMIT)
        reason(&why, "recording stopped: the limit of its size was reached, record --limit allows more");
    else if (from->state & SPOOL_STOPPED)
        reason(&why, "recording stopped: %s", failure ? strerror(failure) : "see the run's messages");
    else if (!(from->state & SPOOL_CLOSED))
        reason_of_end(&why, from, in);
    else
        for (uint32_t i = 0; i < inside_count; i++)
            reason(&why, "thread %" PRIu32 " is inside a call to the end", inside[i]);
    if (from->state & SPOOL_FILTERED) reason(&why, "only some groups of calls were recorded");
    if (from->state & SPOOL_OTHER_THREADS) reason(&why, "there were more threads than are recorded");
    if (from->state & SPOOL_UNKNOWN_REQUESTS) reason(&why, "requests of calls that are not recorded");
    if (from->unrecorded) reason(&why, "calls that are not recorded: %s", from->unrecorded);
    if (why.used == 0) return STATUS_OK;
    rank->incomplete = true;
    rank->incomplete_why = strdup(why.text);
    return rank->incomplete_why ? STATUS_OK : err_memory(err);
}
