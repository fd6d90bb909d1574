/* Why a rank's recording does not tell all. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/spool/parts.h"

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
        reason(&why, "recording stopped: the limit of its size was reached");
    else if (from->state & SPOOL_STOPPED)
        reason(&why, "recording stopped: %s", failure ? strerror(failure) : "see the run's messages");
    else if (!(from->state & SPOOL_CLOSED))
        reason(&why, "ended without MPI_Finalize%s%s", in ? ", inside " : "", in ? in : "");
    else
        for (uint32_t i = 0; i < inside_count; i++)
            reason(&why, "thread %" PRIu32 " is inside a call to the end", inside[i]);
    if (from->state & SPOOL_PAUSED) reason(&why, "the program stopped the recording for a while");
    if (from->state & SPOOL_FILTERED) reason(&why, "only some groups of calls were recorded");
    if (from->state & SPOOL_OTHER_THREADS) reason(&why, "there were more threads than are recorded");
    if (from->state & SPOOL_UNKNOWN_REQUESTS) reason(&why, "requests of calls that are not recorded");
    if (from->missed) reason(&why, "calls that are not recorded: %s", from->missed);
    if (why.used == 0) return STATUS_OK;
    rank->incomplete = true;
    rank->incomplete_why = strdup(why.text);
    return rank->incomplete_why ? STATUS_OK : err_memory(err);
}
