#include "predictors/transforms/exchanges.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { SEND, RECEIVE };

static const struct trace_call *call_of(const struct exchanges *exchanges, uint32_t rank, size_t call)
{
    return &exchanges->trace->ranks[rank].calls[call];
}

static uint64_t place_of(size_t call, enum exchange_slot slot)
{
    return (uint64_t)call * EXCHANGE_SLOTS + slot;
}

static const struct trace_call *side_call(const struct trace *trace, const struct message *of, int side)
{
    return side == SEND ? &trace->ranks[of->sender].calls[of->send_call]
                        : &trace->ranks[of->receiver].calls[of->receive_call];
}

int64_t exchange_bytes(const struct trace *trace, const struct exchange_message *message, int side)
{
    const struct trace_call *call = side_call(trace, &message->of, side);
    return side == RECEIVE && call_kind(call->call) == CALL_SENDRECV ? call->exchange.recv_bytes : call->bytes;
}

struct exchange_message *exchanges_end(const struct exchanges *exchanges, uint32_t rank, size_t call, int side)
{
    uint32_t number = exchanges->ends[side][exchanges->first[rank] + call];
    return number == EXCHANGE_NONE || exchanges->messages[number].stays ? NULL : &exchanges->messages[number];
}

bool exchanges_call_stays(const struct exchanges *exchanges, uint32_t rank, size_t call)
{
    uint32_t count, end = exchanges->done[exchanges->first[rank] + call];
    trace_call_completed(exchanges->trace, call_of(exchanges, rank, call), &count);
    for (; end != EXCHANGE_NONE; end = exchanges->messages[end / 2].next_done[end % 2])
        count -= !exchanges->messages[end / 2].stays;
    return count > 0;
}

/* Whether the call may wait for another rank, but for messages that become operations. */
static bool call_waits(const struct exchanges *exchanges, uint32_t rank, size_t index)
{
    const struct trace_call *call = call_of(exchanges, rank, index);
    bool turned = exchanges_end(exchanges, rank, index, SEND) || exchanges_end(exchanges, rank, index, RECEIVE);
    enum call_kind kind = call_kind(call->call);
    switch (kind) {
    case CALL_LOCAL:
    case CALL_INIT:
    case CALL_PUT:
    case CALL_GET:
    case CALL_ACCUMULATE:
    case CALL_GET_ACCUMULATE:
    case CALL_POST:
    case CALL_FLUSH:
    case CALL_FLUSH_LOCAL:
    case CALL_SYNC:
    case CALL_ISEND:
    case CALL_IRECV: return false;
    case CALL_LOCK:
    case CALL_LOCK_ALL:
    case CALL_UNLOCK:
    case CALL_UNLOCK_ALL: return exchanges->locks_wait;
    case CALL_SEND:
    case CALL_RECV:
    case CALL_PROBE: return !turned && call->peer != TRACE_NONE;
    case CALL_SENDRECV: return !turned && (call->peer != TRACE_NONE || call->exchange.source != TRACE_NONE);
    case CALL_IPROBE:
    case CALL_REQUEST_QUERY:
    case CALL_WIN_TEST: return call->flags & TRACE_FLAG;
    default: break;
    }
    if (call_arm(kind) == ARM_COMPLETION) return exchanges_call_stays(exchanges, rank, index);
    return call_is_library(call->call) && !call_makes_request(call->call);
}

/* ---- the messages, and which of them stay */

static struct exchange_message *other_of_sendrecv(const struct exchanges *exchanges,
                                                  const struct exchange_message *message, int side)
{
    uint32_t rank = side == SEND ? message->of.sender : message->of.receiver;
    size_t call = side == SEND ? message->of.send_call : message->of.receive_call;
    if (call_kind(call_of(exchanges, rank, call)->call) != CALL_SENDRECV) return NULL;
    return exchanges_end(exchanges, rank, call, !side);
}

static enum status keep_message(struct exchanges *exchanges, struct exchange_message *message, int side,
                                struct err *err, const char *why)
{
    const struct message *of = &message->of;
    message->stays = true;
    return transform_refuse(exchanges->report, exchanges->trace, side == SEND ? of->sender : of->receiver,
                            side == SEND ? of->send_call : of->receive_call, 1, err, "%s", why);
}

enum status exchanges_refuse(struct exchanges *exchanges, struct exchange_message *message, int side, struct err *err,
                             const char *why)
{
    TRY(keep_message(exchanges, message, side, err, why));
    for (int from = SEND; from <= RECEIVE; from++)
        for (struct exchange_message *next = message; (next = other_of_sendrecv(exchanges, next, from));)
            TRY(keep_message(exchanges, next, !from, err, "the other message of its MPI_Sendrecv stays"));
    return STATUS_OK;
}

/* The first call that waits for an end: MPI_Request_get_status may do so before the call that completes it. */
static void note_done(struct exchange_message *message, int side, size_t call)
{
    size_t *done = side == SEND ? &message->sent : &message->received;
    if (*done == MESSAGE_NONE) *done = call;
}

static void chain_end(struct exchanges *exchanges, uint32_t rank, size_t call, uint32_t message, int side)
{
    uint32_t *head = &exchanges->done[exchanges->first[rank] + call];
    note_done(&exchanges->messages[message], side, call);
    exchanges->messages[message].next_done[side] = *head;
    *head = message * 2 + (uint32_t)side;
}

/* requests has the rank's pending ends by request. */
static enum status look_at_call(struct exchanges *exchanges, uint32_t rank, size_t index, struct map *requests,
                                struct err *err)
{
    const struct trace_call *call = call_of(exchanges, rank, index);
    const enum call_kind kind = call_kind(call->call);
    for (int side = SEND; side <= RECEIVE; side++) {
        uint32_t message = exchanges->ends[side][exchanges->first[rank] + index];
        if (message == EXCHANGE_NONE) continue;
        if (call_makes_request(call->call))
            TRY(map_set(requests, call->message.request, (uint64_t)message * 2 + (uint64_t)side, err));
        else
            note_done(&exchanges->messages[message], side, index);
    }
    uint32_t count;
    uint64_t end;
    const uint32_t *ids = trace_call_completed(exchanges->trace, call, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (call->flags & TRACE_BREAK || kind == CALL_REQUEST_QUERY || !map_take(requests, ids[i], &end)) continue;
        chain_end(exchanges, rank, index, (uint32_t)(end / 2), end % 2);
    }
    const uint64_t *asked = kind == CALL_REQUEST_QUERY ? map_find(requests, call->completion.request) : NULL;
    if (asked && call->flags & TRACE_FLAG) note_done(&exchanges->messages[*asked / 2], *asked % 2, index);
    if (!asked || exchanges->messages[*asked / 2].stays) return STATUS_OK;
    return exchanges_refuse(exchanges, &exchanges->messages[*asked / 2], *asked % 2, err,
                            "MPI_Request_get_status asks for its request");
}

static enum status look_at_rank(struct exchanges *exchanges, uint32_t rank, struct err *err)
{
    const struct trace_rank *process = &exchanges->trace->ranks[rank];
    struct map requests = {0};
    enum status status = STATUS_OK;
    size_t held = 0;
    for (size_t i = 0; status == STATUS_OK && i < process->count; i++) {
        enum call_kind kind = call_kind(process->calls[i].call);
        held += kind == CALL_LOCK || kind == CALL_LOCK_ALL;
        if ((kind == CALL_UNLOCK || kind == CALL_UNLOCK_ALL) && held > 0) held--;
        exchanges->holds[exchanges->first[rank] + i] = held > 0;
        if (trace_call_thread(exchanges->trace, rank, i) > 0 && call_is_library(process->calls[i].call))
            exchanges->threads[rank] = true;
        status = look_at_call(exchanges, rank, i, &requests, err);
    }
    map_clear(&requests);
    return status;
}

static bool is_held(const struct exchanges *exchanges, uint32_t rank, size_t begun, size_t done)
{
    const bool *holds = exchanges->holds + exchanges->first[rank];
    return holds[begun] || (done != MESSAGE_NONE && holds[done]);
}

/* Why a message cannot become an operation, whatever the others are; NULL: it can. waits: senders wait for receivers.
 */
static const char *reason_of(const struct exchanges *exchanges, const struct exchange_message *message, bool waits,
                             int *side)
{
    const struct message *of = &message->of;
    const struct trace_call *send = side_call(exchanges->trace, of, SEND),
                            *receive = side_call(exchanges->trace, of, RECEIVE);
    *side = RECEIVE;
    if (receive->flags & TRACE_BREAK) return "the recording breaks off in its receive";
    if (message->received == MESSAGE_NONE) return "no call waits for its receive";
    if (exchanges->threads[of->receiver]) return "several threads of its receiver call MPI";
    if (waits && is_held(exchanges, of->receiver, of->receive_call, message->received))
        return "its receiver holds a lock of a window";
    *side = SEND;
    if (waits && exchanges->gets && message->sent == MESSAGE_NONE)
        return "no call waits for its send, so its memory could be read at any time";
    if (send->flags & TRACE_BREAK) return "the recording breaks off in its send";
    if (of->sender == of->receiver) return "the rank sends it to itself";
    if (exchanges->threads[of->sender]) return "several threads of its sender call MPI";
    if (waits && is_held(exchanges, of->sender, of->send_call, message->sent))
        return "its sender holds a lock of a window";
    bool same = exchange_bytes(exchanges->trace, message, SEND) == exchange_bytes(exchanges->trace, message, RECEIVE);
    return same ? NULL : "as many bytes as were sent were not received: only the receiver learns the size";
}

static enum status refuse_messages(struct exchanges *exchanges, const struct messages *messages, bool waits,
                                   struct err *err)
{
    for (size_t i = 0; i < messages->probe_count; i++) {
        size_t message = messages->probes[i].message;
        if (message == MESSAGE_NONE || exchanges->messages[message].stays) continue;
        TRY(exchanges_refuse(exchanges, &exchanges->messages[message], RECEIVE, err,
                             "a probe finds it: only the receiver learns the size"));
    }
    for (size_t i = 0; i < exchanges->count; i++) {
        int side;
        const struct exchange_message *message = &exchanges->messages[i];
        const char *why = message->stays ? NULL : reason_of(exchanges, message, waits, &side);
        if (why) TRY(exchanges_refuse(exchanges, &exchanges->messages[i], side, err, why));
    }
    const struct unmatched *sends = &messages->unmatched_sends, *receives = &messages->unmatched_receives;
    if (sends->count > 0)
        TRY(transform_refuse(exchanges->report, exchanges->trace, sends->rank, sends->call, sends->count, err,
                             "nobody receives it"));
    if (receives->count == 0) return STATUS_OK;
    return transform_refuse(exchanges->report, exchanges->trace, receives->rank, receives->call, receives->count, err,
                            "nobody sends what it receives");
}

static enum status take_messages(struct exchanges *exchanges, const struct messages *messages,
                                 enum exchange_order order, struct err *err)
{
    exchanges->report->considered += messages->unmatched_sends.count + messages->unmatched_receives.count;
    exchanges->messages = calloc(messages->count + 1, sizeof *exchanges->messages);
    if (!exchanges->messages) return err_memory(err);
    exchanges->count = messages->count;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *of = &messages->items[i];
        struct exchange_message *made = &exchanges->messages[i];
        *made = (struct exchange_message){.of = *of, .sent = MESSAGE_NONE, .received = MESSAGE_NONE};
        made->stays = order == EXCHANGE_FLUSHED && exchange_bytes(exchanges->trace, made, SEND) == 0;
        exchanges->report->considered += !made->stays;
        exchanges->ends[SEND][exchanges->first[of->sender] + of->send_call] = (uint32_t)i;
        exchanges->ends[RECEIVE][exchanges->first[of->receiver] + of->receive_call] = (uint32_t)i;
    }
    for (uint32_t r = 0; r < exchanges->trace->rank_count; r++) TRY(look_at_rank(exchanges, r, err));
    TRY(refuse_messages(exchanges, messages, order >= EXCHANGE_BY_GROUPS, err));
    for (uint32_t r = 0; r < exchanges->trace->rank_count; r++)
        for (size_t i = 0; i < exchanges->trace->ranks[r].count && !exchanges->locks_wait; i++)
            exchanges->locks_wait = exchanges->holds[exchanges->first[r] + i] && call_waits(exchanges, r, i);
    return STATUS_OK;
}

/* ---- groups */

uint32_t exchange_of(const struct exchanges *exchanges, uint32_t group)
{
    while (exchanges->groups[group].parent != group)
        group = exchanges->groups[group].parent = exchanges->groups[exchanges->groups[group].parent].parent;
    return group;
}

void exchanges_join(struct exchanges *exchanges, uint32_t one, uint32_t other)
{
    uint32_t a = exchange_of(exchanges, one), b = exchange_of(exchanges, other);
    exchanges->groups[a < b ? b : a].parent = a < b ? a : b;
}

struct grouping { /* of one rank */
    uint32_t rank;
    uint32_t sending, waiting; /* the groups that grow; EXCHANGE_NONE */
};

static enum status add_group(struct exchanges *exchanges, uint32_t rank, bool receives, uint64_t begin, uint64_t end,
                             uint32_t *group, struct err *err)
{
    *group = (uint32_t)exchanges->group_count;
    struct exchange_group made = {.rank = rank, .receives = receives, .begin = begin, .end = end, .parent = *group};
    ARRAY_PUSH(exchanges->groups, exchanges->group_count, exchanges->group_capacity, made, err);
    return STATUS_OK;
}

static void end_sending(struct exchanges *exchanges, struct grouping *grouping, size_t call)
{
    if (grouping->sending != EXCHANGE_NONE && !exchanges->gets)
        exchanges->groups[grouping->sending].end = place_of(call, SLOT_COMPLETE);
    grouping->sending = EXCHANGE_NONE;
}

/* The post says that all data of the group are there. A send that waits has its wait behind it, another group where one of its
 * sends is first waited for. */
static enum status group_offer(struct exchanges *exchanges, struct grouping *grouping, size_t call, bool waits, struct err *err)
{
    const uint64_t post = place_of(call, SLOT_POST);
    if (grouping->sending == EXCHANGE_NONE)
        TRY(add_group(exchanges, grouping->rank, false, post, waits ? place_of(call, SLOT_WAIT_BEHIND) : EXCHANGE_NOWHERE,
                      &grouping->sending, err));
    exchanges->groups[grouping->sending].begin = post;
    return STATUS_OK;
}

static enum status group_send(struct exchanges *exchanges, struct grouping *grouping, size_t call,
                              struct exchange_message *message, struct err *err)
{
    bool waits = !call_makes_request(call_of(exchanges, grouping->rank, call)->call);
    if (waits) end_sending(exchanges, grouping, call);
    if (exchanges->gets)
        TRY(group_offer(exchanges, grouping, call, waits, err));
    else if (grouping->sending == EXCHANGE_NONE)
        TRY(add_group(exchanges, grouping->rank, false, place_of(call, SLOT_START),
                      place_of(call, SLOT_COMPLETE_BEHIND), &grouping->sending, err));
    message->groups[SEND] = grouping->sending;
    if (waits) grouping->sending = EXCHANGE_NONE;
    return STATUS_OK;
}

/* Receives that a call completes. Those of the next calls belong to them, as long as the program only waits. */
static enum status group_waits(struct exchanges *exchanges, struct grouping *grouping, size_t call, struct err *err)
{
    uint32_t end = exchanges->done[exchanges->first[grouping->rank] + call];
    for (; end != EXCHANGE_NONE; end = exchanges->messages[end / 2].next_done[end % 2]) {
        struct exchange_message *message = &exchanges->messages[end / 2];
        if (message->stays) continue;
        if (end % 2 == SEND) {
            uint64_t *free = &exchanges->groups[message->groups[SEND]].end, behind = place_of(call, SLOT_WAIT_BEHIND);
            if (message->groups[SEND] == grouping->sending) end_sending(exchanges, grouping, call);
            if (exchanges->gets && behind < *free) *free = behind;
            continue;
        }
        end_sending(exchanges, grouping, call);
        uint64_t begin = exchanges->gets ? place_of(call, SLOT_START) : place_of(message->of.receive_call, SLOT_POST);
        if (grouping->waiting == EXCHANGE_NONE)
            TRY(add_group(exchanges, grouping->rank, true, begin,
                          place_of(call, exchanges->gets ? SLOT_COMPLETE_BEHIND : SLOT_WAIT), &grouping->waiting, err));
        struct exchange_group *group = &exchanges->groups[grouping->waiting];
        if (begin < group->begin) group->begin = begin;
        message->groups[RECEIVE] = grouping->waiting;
    }
    return STATUS_OK;
}

static enum status group_call(struct exchanges *exchanges, struct grouping *grouping, size_t call, struct err *err)
{
    struct exchange_message *sends = exchanges_end(exchanges, grouping->rank, call, SEND),
                            *receives = exchanges_end(exchanges, grouping->rank, call, RECEIVE);
    const struct trace_call *of = call_of(exchanges, grouping->rank, call);
    bool waits = call_waits(exchanges, grouping->rank, call);
    exchanges->waits[exchanges->first[grouping->rank] + call] = waits;
    if (waits) end_sending(exchanges, grouping, call);
    TRY(group_waits(exchanges, grouping, call, err));
    if (waits || call_is_message(call_kind(of->call))) grouping->waiting = EXCHANGE_NONE;
    if (receives && !call_makes_request(of->call)) {
        end_sending(exchanges, grouping, call);
        TRY(add_group(exchanges, grouping->rank, true, place_of(call, exchanges->gets ? SLOT_START : SLOT_POST),
                      place_of(call, exchanges->gets ? SLOT_COMPLETE_BEHIND : SLOT_WAIT_BEHIND), &receives->groups[RECEIVE],
                      err));
    }
    return sends ? group_send(exchanges, grouping, call, sends, err) : STATUS_OK;
}

static enum status find_groups(struct exchanges *exchanges, struct err *err)
{
    exchanges->group_count = 0;
    for (uint32_t r = 0; r < exchanges->trace->rank_count; r++) {
        struct grouping grouping = {r, EXCHANGE_NONE, EXCHANGE_NONE};
        size_t count = exchanges->trace->ranks[r].count;
        for (size_t i = 0; i < count; i++) TRY(group_call(exchanges, &grouping, i, err));
        end_sending(exchanges, &grouping, count);
    }
    for (size_t i = 0; i < exchanges->count; i++) {
        const struct exchange_message *message = &exchanges->messages[i];
        if (!message->stays) exchanges_join(exchanges, message->groups[SEND], message->groups[RECEIVE]);
    }
    return STATUS_OK;
}

/* ---- the window's communicator: that of the messages if all have one, and each member makes it by a call; else the
 * world */

static void choose_comm(struct exchanges *exchanges)
{
    const struct trace *trace = exchanges->trace;
    int32_t found = TRACE_NONE;
    uint32_t made = 0;
    exchanges->comm = 0;
    for (size_t i = 0; i < exchanges->count; i++) {
        int32_t comm = side_call(trace, &exchanges->messages[i].of, SEND)->handle;
        if (exchanges->messages[i].stays) continue;
        if (found != TRACE_NONE && found != comm) return;
        found = comm;
    }
    if (found == TRACE_NONE || trace->definitions.comms[found].first_group > 0) return;
    if (trace->definitions.comms[found].count == trace->rank_count) return;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            made += call_kind(call->call) == CALL_COMM_CREATE && call->comm.newcomm == (uint32_t)found;
        }
    if (made == trace->definitions.comms[found].count) exchanges->comm = found;
}

static enum status find_exchanges(struct exchanges *exchanges, enum exchange_order order, struct err *err)
{
    struct messages messages;
    TRY(messages_build(exchanges->trace, &messages, err));
    enum status status = take_messages(exchanges, &messages, order, err);
    exchanges->probes = messages.probes;
    exchanges->probe_count = messages.probe_count;
    messages.probes = NULL;
    messages_clear(&messages);
    TRY(status);
    for (bool again = true; again;) {
        again = false;
        choose_comm(exchanges);
        TRY(find_groups(exchanges, err));
        TRY(exchanges_sort(exchanges, order, &again, err));
    }
    return STATUS_OK;
}

void exchanges_clear(struct exchanges *exchanges)
{
    FREE_ALL(exchanges->first, exchanges->messages, exchanges->probes, exchanges->ends[SEND], exchanges->ends[RECEIVE],
             exchanges->done, exchanges->holds, exchanges->waits, exchanges->threads, exchanges->groups,
             exchanges->parts, exchanges->actions);
    *exchanges = (struct exchanges){.trace = NULL};
}

enum status exchanges_find(const struct trace *trace, enum exchange_order order, bool gets,
                           struct transform_report *report, struct exchanges *exchanges, struct err *err)
{
    struct exchanges made = {.trace = trace, .report = report, .gets = gets};
    made.first = calloc((size_t)trace->rank_count + 1, sizeof *made.first);
    if (!made.first) return err_memory(err);
    for (uint32_t r = 0; r < trace->rank_count; r++) made.first[r + 1] = made.first[r] + trace->ranks[r].count;
    size_t calls = made.first[trace->rank_count] + 1;
    uint32_t **const by_call[] = {&made.ends[SEND], &made.ends[RECEIVE], &made.done};
    bool ready = true;
    for (int i = 0; i < 3; i++) {
        *by_call[i] = malloc(calls * sizeof **by_call[i]);
        if (*by_call[i]) memset(*by_call[i], 0xff, calls * sizeof **by_call[i]);
        ready = ready && *by_call[i];
    }
    made.holds = calloc(calls, sizeof *made.holds);
    made.waits = calloc(calls, sizeof *made.waits);
    made.threads = calloc((size_t)trace->rank_count + 1, sizeof *made.threads);
    enum status status = ready && made.holds && made.waits && made.threads ? find_exchanges(&made, order, err) : err_memory(err);
    if (status == STATUS_OK)
        *exchanges = made;
    else
        exchanges_clear(&made);
    return status;
}
