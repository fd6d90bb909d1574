/* The additions of a merged archive to the calls: ends of transfers on both sides, and arrows between ranks for
 * viewers. export/ makes a view by an event model; otf2_write_view() writes it between the ranks' records. */
#ifndef TRACE_OTF2_VIEW_H
#define TRACE_OTF2_VIEW_H

#include "trace/trace.h"

enum otf2_mark_kind {
    OTF2_MARK_IN,            /* RmaSync NOTIFY_IN: data of the peer's transfer `number` have come in */
    OTF2_MARK_OUT,           /* RmaSync NOTIFY_OUT: data of the peer's transfer leave */
    OTF2_MARK_DONE,          /* RmaOpCompleteNonBlocking of the rank's own transfer */
    OTF2_MARK_DONE_AT_ONCE,  /* RmaOpCompleteBlocking */
    OTF2_MARK_DONE_REMOTELY, /* RmaOpCompleteRemote */
    OTF2_MARK_ACQUIRE,       /* RmaAcquireLock of the peer's lock, TRACE_NONE: of all; `number` 1: exclusive */
    OTF2_MARK_SEND,          /* both ends of an arrow: MpiSend, MpiRecv with the tag `number` */
    OTF2_MARK_RECEIVE,
};

/* Arrows of a kind have a communicator of their own, with this name. */
enum otf2_arrow_kind {
#define OTF2_ARROW(ID, NAME) OTF2_ARROW_##ID,
#include "trace/otf2/arrows.def"
#undef OTF2_ARROW
    OTF2_ARROW_COUNT
};

/* Marks of a thread stand in the order of (slot, time_ps, otf2_mark_is_effect()). Slot 2 i is before call i of the
 * rank, which is the thread's, 2 i + 1 inside it; time_ps is there. A call's synchronisation at its exit stands
 * behind the marks of that time that it implies, and before those that it causes. */
struct otf2_mark {
    size_t slot;
    int64_t time_ps;
    uint64_t
        number; /* matching id of a transfer: the how manieth, from 1, of the origin's operations that have records */
    int64_t bytes; /* of arrows */
    int32_t window;
    int32_t peer;  /* world rank */
    uint8_t kind;  /* enum otf2_mark_kind */
    uint8_t arrow; /* enum otf2_arrow_kind */
};

/* What follows from the synchronisation at its time: an arrow that leaves; with one of the rank to itself both ends. */
static inline bool otf2_mark_is_effect(const struct otf2_mark *mark, uint32_t rank)
{
    return mark->kind == OTF2_MARK_SEND || (mark->kind == OTF2_MARK_RECEIVE && mark->peer == (int32_t)rank);
}

struct otf2_marks {
    struct otf2_mark *items;
    size_t count, capacity;
};

struct otf2_view {
    const char *model;        /* name, borrowed */
    bool grants;              /* the marks say when locks were granted, the calls do not */
    struct otf2_marks *lines; /* one per thread of all ranks: thread t of rank r at first_line[r] + t */
    size_t *first_line;       /* rank_count + 1 */
};

/* As otf2_write(), with the view's marks in place of the completions that closing calls have otherwise. A reader of the
 * archive gets the same trace. */
enum status otf2_write_view(const struct trace *trace, const struct otf2_view *view, const char *directory,
                            struct err *err);

#endif
