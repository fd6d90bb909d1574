/* The state of the recording, and records into a thread's buffer: trace/record/record.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "trace/record/output/guard.h"
#include "trace/record/output/uncancelled.h"
#include "trace/record/record.h"

enum rec_state rec_state REC_HOT = REC_OFF;
struct rec_buffer rec_out = {.file = -1};
int rec_rank, rec_world;
MPI_Comm rec_everyone;
MPI_Group rec_world_group;
struct rec_anchor rec_loaded_at;
__thread uintptr_t rec_inside;
__thread struct rec_buffer *rec_own;

void rec_mark(uint32_t state)
{
    __atomic_fetch_or(&rec_out.tail->state, state, __ATOMIC_RELAXED);
}

void rec_stop(const char *why)
{
    int failure = errno;
    enum rec_state before = __atomic_exchange_n(&rec_state, REC_OFF, __ATOMIC_ACQ_REL);
    if (before == REC_OFF) return;
    if (before == REC_OPEN)
        __atomic_fetch_or(&rec_out.tail->state, (uint32_t)SPOOL_STOPPED | (uint32_t)failure << 16, __ATOMIC_RELEASE);
    rec_say("rmacast: rank %d: recording stopped: %s%s%s\n", rec_rank, why, failure ? ": " : "",
            failure ? strerror(failure) : "");
    errno = failure;
}

static void stop_writing(void)
{
    if (!rec_own->limited) {
        rec_stop("the spool cannot be written");
        return;
    }
    rec_mark(SPOOL_LIMIT);
    errno = 0;
    rec_stop("the limit of its size is reached, record --limit allows more");
}

void rec_put_slowly(struct rec_buffer *own, const struct spool_record *record, unsigned pattern)
{
    uint64_t chunk = own->chunk;
    uint32_t signal = own->tail->signal; /* which the thread has survived */
    if (signal != 0) {
        own->tail->signal = 0;
        rec_guard_again(signal);
    }
    bool anchored = !rec_buffer_unanchored(own, record->time) || rec_buffer_anchor(own);
    if (!anchored || !rec_buffer_put_as(own, record, pattern)) stop_writing();
    if (own->chunk != chunk) rec_guard();
}

static void put_lost(struct rec_buffer *own, enum spool_kind kind, uint64_t time, int64_t lost_ns)
{
    struct spool_record record = REC_RECORD(kind, .time = time, .extra = lost_ns);
    if (lost_ns > 0) rec_put_into(own, &record, rec_buffer_template(&record));
}

void rec_put_event_slowly(struct rec_buffer *own, struct spool_record *event, unsigned pattern, uint64_t passed)
{
    if (passed >= own->long_ticks) {
        /* At the end of a long interval, which its records say something of: computing, or the call that this exit ends. The
         * library's own sleep is not of interest. An entry or exit is stamped anew: so the reading is part of the long
         * interval, not of the one that follows. */
        struct rec_core_lost lost = rec_core_lost(own, passed);
        if (!rec_pausing) put_lost(own, SPOOL_CORE_WAIT, event->time, lost.waited_ns);
        if (!rec_pausing && event->kind != SPOOL_EXIT) put_lost(own, SPOOL_SLEPT, event->time, lost.slept_ns);
        if (event->kind <= SPOOL_EXIT) own->event = event->time = rec_stamp();
    }
    rec_put_into(own, event, pattern);
}

void rec_put(const struct spool_record *record)
{
    struct rec_buffer *own = rec_own;
    struct spool_record made = *record;
    if (rec_state != REC_OPEN || !own) return;
    bool event = (made.kind < SPOOL_NAMES && made.kind != SPOOL_MATCH) || made.kind == SPOOL_FUNCTION_ENTER ||
                 made.kind == SPOOL_FUNCTION_LEAVE || made.kind == SPOOL_PAUSE;
    if (event)
        rec_put_event(own, &made, rec_buffer_template(&made));
    else
        rec_put_into(own, &made, rec_buffer_template(&made));
}

void rec_put_anchor(void)
{
    if (rec_state == REC_OPEN && rec_own && !rec_buffer_anchor(rec_own)) stop_writing();
}

static bool define_in(struct rec_buffer *own, struct spool_record head, const void *first, size_t first_bytes,
                      const void *second, size_t second_bytes)
{
    head.time = rec_stamp();
    bool anchored = !rec_buffer_unanchored(own, head.time) || rec_buffer_anchor(own);
    return anchored && rec_buffer_define(own, head, first, first_bytes, second, second_bytes);
}

void rec_define_with(struct spool_record head, const void *first, size_t first_bytes, const void *second,
                     size_t second_bytes)
{
    if (rec_state != REC_OPEN || !rec_own) return;
    if (!define_in(rec_own, head, first, first_bytes, second, second_bytes)) stop_writing();
}

void rec_define(enum spool_kind kind, uint32_t id, const void *content, size_t bytes)
{
    rec_define_with((struct spool_record){.kind = (uint8_t)kind, .id = id}, content, bytes, NULL, 0);
}

void rec_note_later(const char *calls)
{
    static bool noted;
    bool closed = rec_out.tail && (__atomic_load_n(&rec_out.tail->state, __ATOMIC_RELAXED) & SPOOL_CLOSED);
    if (!closed || noted || rec_out.header.pid != (uint32_t)getpid()) return;
    noted = true;
    define_in(&rec_out, (struct spool_record){.kind = SPOOL_MISSED}, calls, strlen(calls), NULL, 0);
}
