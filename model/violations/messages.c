/* Rules between the two sides of messages: model/violations/violations.h has the interface. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "model/match/messages.h"
#include "model/match/taken.h"
#include "model/violations/finder.h"

enum { SENT = 1, RECEIVED = 2 }; /* matched sides of a call */
static const struct call_at nowhere = {0, NO_CALL};

struct walk {
    struct finder *finder;
    const struct messages *messages;
    size_t *first;        /* per rank: place of its first call in sides */
    unsigned char *sides; /* per call */
    bool cancels;         /* some rank calls MPI_Cancel: a call without partner may have been cancelled */
};

static bool is_open(const struct finder *finder, struct call_at at)
{
    return map_find(&finder->open_requests, (uint64_t)at.rank << 40 | at.call) != NULL;
}

/* The size of a receive without a recorded end is that of its buffer, or not known. */
static enum status compare_sizes(struct finder *finder, struct call_at send, struct call_at receive)
{
    const struct trace_call *its = finder_call(finder, send), *call = finder_call(finder, receive);
    int64_t bytes = call_kind(call->call) == CALL_SENDRECV ? call->exchange.recv_bytes : call->bytes;
    if (its->bytes <= bytes || (call->flags & TRACE_BREAK) || is_open(finder, receive)) return STATUS_OK;
    return finder_add(finder, VIOLATION_message_truncated, receive, send,
                      "%" PRId64 " bytes were sent, %" PRId64 " received", its->bytes, bytes);
}

/* Clocks of two ranks differ by up to twice their error. */
static enum status compare_times(struct finder *finder, struct call_at send, struct call_at receive)
{
    const struct trace_clock_quality *clock = &finder->trace->provenance.clock;
    const struct trace_call *its = finder_call(finder, send), *call = finder_call(finder, receive);
    int64_t clocks_ps = clock->known ? (int64_t)(2 * clock->worst_error_s * 1e12) : 0;
    if ((its->call != ID_Rsend && its->call != ID_Irsend) || call->enter_ps - its->enter_ps <= clocks_ps)
        return STATUS_OK;
    return finder_add(finder, VIOLATION_ready_send_early, send, receive, "%s", "");
}

static enum status check_partners(struct walk *walk, struct call_at at)
{
    struct finder *finder = walk->finder;
    const struct trace_call *call = finder_call(finder, at);
    enum call_kind kind = call_kind(call->call);
    unsigned sides = walk->sides[walk->first[at.rank] + at.call];
    bool both = kind == CALL_SENDRECV;
    if (call->handle == TRACE_NONE) return STATUS_OK;
    if ((kind == CALL_SEND || kind == CALL_ISEND || both) && !(sides & SENT) && call->peer != TRACE_NONE &&
        finder->complete[call->peer])
        TRY(finder_add(finder, VIOLATION_message_not_received, at, nowhere,
                       "%" PRId64 " bytes to rank %" PRId32 ", tag %" PRId32, call->bytes, call->peer,
                       call->message.tag));
    int32_t source = both ? call->exchange.source : call->peer;
    if ((kind != CALL_RECV && kind != CALL_IRECV && !both) || sides & RECEIVED || source == TRACE_NONE)
        return STATUS_OK;
    if (!finder->complete[source]) return STATUS_OK;
    return finder_add(finder, VIOLATION_receive_without_message, at, nowhere, "from rank %" PRId32 ", tag %" PRId32,
                      source, both ? call->exchange.recv_tag : call->message.tag);
}

/* Reports message handles that no probe returned. */
static enum status check_handles(struct finder *finder, uint32_t rank)
{
    size_t *others;
    TRY(taken_find(finder->trace, rank, &others, finder->err));
    enum status status = STATUS_OK;
    for (size_t i = 0; others && status == STATUS_OK && i < finder->trace->ranks[rank].count; i++) {
        const struct trace_call *call = &finder->trace->ranks[rank].calls[i];
        if (!message_receives_taken(call) || call->peer == TRACE_NONE || others[i] != TAKEN_NONE) continue;
        status = finder_add(finder, VIOLATION_receive_without_probe, (struct call_at){rank, i}, nowhere,
                            "from rank %" PRId32 ", tag %" PRId32, call->peer, call->message.tag);
    }
    free(others);
    return status;
}

static enum status find_messages(struct walk *walk)
{
    const struct trace *trace = walk->finder->trace;
    for (size_t i = 0; i < walk->messages->count; i++) {
        const struct message *message = &walk->messages->items[i];
        struct call_at send = {message->sender, message->send_call}, receive = {message->receiver, message->receive_call};
        walk->sides[walk->first[send.rank] + send.call] |= SENT;
        walk->sides[walk->first[receive.rank] + receive.call] |= RECEIVED;
        TRY(compare_sizes(walk->finder, send, receive));
        TRY(compare_times(walk->finder, send, receive));
    }
    for (uint32_t r = 0; r < trace->rank_count; r++) TRY(check_handles(walk->finder, r));
    if (walk->messages->unmatched_sends.count + walk->messages->unmatched_receives.count == 0 || walk->cancels)
        return STATUS_OK;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; walk->finder->complete[r] && i < trace->ranks[r].count; i++)
            TRY(check_partners(walk, (struct call_at){r, i}));
    return STATUS_OK;
}

static enum status prepare_walk(struct walk *walk)
{
    const struct trace *trace = walk->finder->trace;
    size_t calls = 0;
    walk->first = calloc((size_t)trace->rank_count + 1, sizeof *walk->first);
    if (!walk->first) return err_memory(walk->finder->err);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        walk->first[r] = calls;
        calls += trace->ranks[r].count;
        for (size_t i = 0; i < trace->ranks[r].count && !walk->cancels; i++)
            walk->cancels = trace->ranks[r].calls[i].call == ID_Cancel;
    }
    walk->sides = calloc(calls + 1, 1);
    return walk->sides ? STATUS_OK : err_memory(walk->finder->err);
}

enum status find_in_messages(struct finder *finder)
{
    struct messages messages;
    struct walk walk = {.finder = finder, .messages = &messages};
    TRY(messages_build(finder->trace, &messages, finder->err));
    enum status status = STATUS_OK;
    if (messages.count + messages.unmatched_sends.count + messages.unmatched_receives.count > 0) {
        status = prepare_walk(&walk);
        if (status == STATUS_OK) status = find_messages(&walk);
    }
    FREE_ALL(walk.first, walk.sides);
    messages_clear(&messages);
    return status;
}
