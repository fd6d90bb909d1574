/* Rules between the two sides of messages: model/violations/violations.h has the interface. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "model/match/relations.h"
#include "model/match/taken.h"
#include "model/violations/finder.h"

enum { SENT = 1, RECEIVED = 2 }; /* matched sides of a call */

/* A message that is too long for its receive; certain once the receive's request is completed. */
struct truncated {
    struct place receive, send;
    int64_t sent, received;
    uint32_t request;
};

static const struct trace_call *call_at(const struct violation_finder *finder, uint32_t rank, size_t index)
{
    return &finder->trace->ranks[rank].calls[index];
}

static enum status add_truncated(struct violation_finder *finder, const struct truncated *of)
{
    return finder_add(finder, VIOLATION_message_truncated, of->receive, of->send,
                      "%" PRId64 " bytes were sent, %" PRId64 " received", of->sent, of->received);
}

/* The size of a receive without a recorded end is that of its buffer, or not known. */
static enum status compare_sizes(struct violation_finder *finder, const struct message *message)
{
    const struct trace_call *send = call_at(finder, message->sender, message->send_call);
    const struct trace_call *call = call_at(finder, message->receiver, message->receive_call);
    int64_t bytes = call_kind(call->call) == CALL_SENDRECV ? call->exchange.recv_bytes : call->bytes;
    if (send->bytes <= bytes || (call->flags & TRACE_BREAK)) return STATUS_OK;
    struct truncated made = {finder_place(finder, message->receiver, message->receive_call),
                             finder_place(finder, message->sender, message->send_call), send->bytes, bytes, call->ref};
    if (!call_makes_request(call->call) || !ranks_have_open(finder, message->receiver, call->ref))
        return add_truncated(finder, &made);
    ARRAY_PUSH(finder->truncated, finder->truncated_count, finder->truncated_capacity, made, finder->err);
    return STATUS_OK;
}

/* Clocks of two ranks differ by up to twice their error. */
static enum status compare_times(struct violation_finder *finder, const struct message *message)
{
    const struct trace_clock_quality *clock = &finder->trace->provenance.clock;
    const struct trace_call *send = call_at(finder, message->sender, message->send_call);
    const struct trace_call *call = call_at(finder, message->receiver, message->receive_call);
    int64_t clocks_ps = clock->known ? (int64_t)(2 * clock->worst_error_s * 1e12) : 0;
    if ((send->call != ID_Rsend && send->call != ID_Irsend) || call->enter_ps - send->enter_ps <= clocks_ps)
        return STATUS_OK;
    return finder_add(finder, VIOLATION_ready_send_early, finder_place(finder, message->sender, message->send_call),
                      finder_place(finder, message->receiver, message->receive_call), "%s", "");
}

static enum status check_partners(struct violation_finder *finder, uint32_t rank, size_t index, unsigned sides)
{
    const struct trace_call *call = call_at(finder, rank, index);
    enum call_kind kind = call_kind(call->call);
    bool both = kind == CALL_SENDRECV;
    if (call->handle == TRACE_NONE) return STATUS_OK;
    if ((kind == CALL_SEND || kind == CALL_ISEND || both) && !(sides & SENT) && call->peer != TRACE_NONE &&
        finder->complete[call->peer])
        TRY(finder_add(finder, VIOLATION_message_not_received, finder_place(finder, rank, index), NOWHERE,
                       "%" PRId64 " bytes to rank %" PRId32 ", tag %" PRId32, call->bytes, call->peer,
                       call->message.tag));
    int32_t source = both ? call->exchange.source : call->peer;
    if ((kind != CALL_RECV && kind != CALL_IRECV && !both) || sides & RECEIVED || source == TRACE_NONE)
        return STATUS_OK;
    if (!finder->complete[source]) return STATUS_OK;
    return finder_add(finder, VIOLATION_receive_without_message, finder_place(finder, rank, index), NOWHERE,
                      "from rank %" PRId32 ", tag %" PRId32, source, both ? call->exchange.recv_tag : call->message.tag);
}

/* Reports message handles that no probe returned. */
static enum status check_handles(struct violation_finder *finder, const struct slice_state *state, uint32_t rank)
{
    size_t *others;
    TRY(taken_find(finder->trace, rank, &others, finder->err));
    enum status status = STATUS_OK;
    for (size_t i = 0; others && status == STATUS_OK && i < finder->trace->ranks[rank].count; i++) {
        const struct trace_call *call = call_at(finder, rank, i);
        if (!message_receives_taken(call) || call->peer == TRACE_NONE || others[i] != TAKEN_NONE) continue;
        if (!slice_state_counts(state, rank, i)) continue;
        status = finder_add(finder, VIOLATION_receive_without_probe, finder_place(finder, rank, i), NOWHERE,
                            "from rank %" PRId32 ", tag %" PRId32, call->peer, call->message.tag);
    }
    free(others);
    return status;
}

/* What is left has no partner. sides: of all calls, first[r] is that of rank r's first one. */
static enum status check_left(struct violation_finder *finder, const struct messages *messages, unsigned char *sides,
                              const size_t *first)
{
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        sides[first[message->sender] + message->send_call] |= SENT;
        sides[first[message->receiver] + message->receive_call] |= RECEIVED;
    }
    for (uint32_t r = 0; r < finder->trace->rank_count; r++)
        for (size_t i = 0; finder->complete[r] && i < finder->trace->ranks[r].count; i++)
            TRY(check_partners(finder, r, i, sides[first[r] + i]));
    return STATUS_OK;
}

static enum status find_left(struct violation_finder *finder, const struct messages *messages)
{
    const struct trace *trace = finder->trace;
    size_t *first = calloc((size_t)trace->rank_count + 1, sizeof *first);
    for (uint32_t r = 0; first && r < trace->rank_count; r++) first[r + 1] = first[r] + trace->ranks[r].count;
    unsigned char *sides = first ? calloc(first[trace->rank_count] + 1, 1) : NULL;
    enum status status = sides ? check_left(finder, messages, sides, first) : err_memory(finder->err);
    FREE_ALL(first, sides);
    return status;
}

enum status messages_match(struct violation_finder *finder, const struct relations *relations, bool last)
{
    const struct messages *messages = &relations->messages;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        if (!slice_state_counts(relations->state, message->receiver, message->receive_call)) continue;
        TRY(compare_sizes(finder, message));
        TRY(compare_times(finder, message));
    }
    for (uint32_t r = 0; r < finder->trace->rank_count; r++) TRY(check_handles(finder, relations->state, r));
    bool any = messages->unmatched_sends.count + messages->unmatched_receives.count > 0;
    return any && last && !finder->cancels ? find_left(finder, messages) : STATUS_OK;
}

enum status messages_end(struct violation_finder *finder)
{
    for (size_t i = 0; i < finder->truncated_count; i++) {
        const struct truncated *of = &finder->truncated[i];
        if (!ranks_have_open(finder, of->receive.rank, of->request)) TRY(add_truncated(finder, of));
    }
    return STATUS_OK;
}
