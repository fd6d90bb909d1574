/* Point-to-point messages (MPI-3.1 3): eager, rendezvous and synchronous protocols. A message and its receive were
 * matched when they were recorded: source, destination, tag, communicator and order identify them here (no wildcards).
 */
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "model/match/messages.h"
#include "simulate/threads/thread.h"

/* --- channels
 * ---------------------------------------------------------------------------------------------------------- */

static bool same(const struct channel *channel, const struct match *match)
{
    return channel->context == match->context && channel->source == match->source &&
           channel->destination == match->destination && channel->tag == match->tag;
}

static size_t home_of(size_t capacity, const struct match *match)
{
    uint64_t hash = map_mix((uint64_t)match->context << 32 | (uint32_t)match->tag,
                            (uint64_t)match->source << 32 | match->destination);
    return (size_t)hash & (capacity - 1);
}

static struct channel *slot_of(struct channel *channels, size_t capacity, const struct match *match)
{
    size_t i = home_of(capacity, match);
    while (channels[i].used && !same(&channels[i], match)) i = (i + 1) & (capacity - 1);
    return &channels[i];
}

enum { CHANNELS_KEPT = 1 << 16 };

/* Channels live while an envelope waits in them: the table is as large as what is under way. A large one is given back
 * as soon as nothing is. What stands behind the hole and is not at home there moves up (linear probing without
 * tombstones; Knuth, TAOCP 3, 6.4, algorithm R). */
static void remove_channel(struct replay *replay, struct channel *channel)
{
    size_t mask = replay->channel_capacity - 1, hole = (size_t)(channel - replay->channels);
    for (size_t i = (hole + 1) & mask; replay->channels[i].used; i = (i + 1) & mask) {
        const struct channel *moved = &replay->channels[i];
        struct match match = {moved->context, moved->source, moved->destination, moved->tag};
        size_t home = home_of(replay->channel_capacity, &match);
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        replay->channels[hole] = *moved;
        hole = i;
    }
    replay->channels[hole].used = false;
    if (--replay->channel_count > 0 || replay->channel_capacity <= CHANNELS_KEPT) return;
    free(replay->channels);
    replay->channels = NULL;
    replay->channel_capacity = 0;
}

static enum status grow_channels(struct replay *replay)
{
    size_t capacity = replay->channel_capacity ? replay->channel_capacity * 2 : 64;
    struct channel *bigger = calloc(capacity, sizeof *bigger);
    if (!bigger) return err_memory(replay->err);
    for (size_t i = 0; i < replay->channel_capacity; i++) {
        const struct channel *old = &replay->channels[i];
        struct match match = {old->context, old->source, old->destination, old->tag};
        if (old->used) *slot_of(bigger, capacity, &match) = *old;
    }
    free(replay->channels);
    replay->channels = bigger;
    replay->channel_capacity = capacity;
    return STATUS_OK;
}

static enum status channel_of(struct replay *replay, const struct match *match, struct channel **channel)
{
    if (replay->channel_count * 4 >= replay->channel_capacity * 3) TRY(grow_channels(replay));
    struct channel *found = slot_of(replay->channels, replay->channel_capacity, match);
    if (!found->used) {
        *found =
            (struct channel){match->context, match->source, match->destination, match->tag, NO_INDEX, NO_INDEX, true};
        replay->channel_count++;
    }
    *channel = found;
    return STATUS_OK;
}

static enum status append(struct replay *replay, const struct match *match, uint32_t envelope)
{
    struct channel *channel;
    TRY(channel_of(replay, match, &channel));
    replay->envelopes[envelope].next = NO_INDEX;
    if (channel->first == NO_INDEX)
        channel->first = envelope;
    else
        replay->envelopes[channel->last].next = envelope;
    channel->last = envelope;
    return STATUS_OK;
}

/* The oldest envelope of the channel that lacks this side, or a new one at the channel's end. */
static enum status take_side(struct replay *replay, const struct match *match, bool receiving, uint32_t *envelope)
{
    struct channel *channel;
    TRY(channel_of(replay, match, &channel));
    uint32_t first = channel->first;
    if (first != NO_INDEX && (receiving ? !replay->envelopes[first].posted : !replay->envelopes[first].sent)) {
        channel->first = replay->envelopes[first].next;
        if (channel->first == NO_INDEX) remove_channel(replay, channel);
        *envelope = first;
        return STATUS_OK;
    }
    TRY(replay_take_envelope(replay, envelope));
    replay->envelopes[*envelope] = (struct envelope){.source = match->source,
                                                     .destination = match->destination,
                                                     .send_request = NO_INDEX,
                                                     .receive_request = NO_INDEX};
    return append(replay, match, *envelope);
}

/* Messages that a probe has taken out of matching wait in channels of their own (MPI-3.1 3.8.2). Other contexts are
 * twice a communicator, plus one, and never have this bit. */
enum { CONTEXT_TAKEN = 1 << 30 };

static struct match taken_out(const struct match *match)
{
    struct match taken = *match;
    taken.context |= CONTEXT_TAKEN;
    return taken;
}

enum status replay_message_take(struct replay *replay, const struct match *match)
{
    struct match taken = taken_out(match);
    uint32_t index;
    TRY(take_side(replay, match, true, &index));
    return append(replay, &taken, index);
}

/* --- requests
 * ---------------------------------------------------------------------------------------------------------- */

enum status replay_request_done(struct replay *replay, uint32_t index)
{
    if (index == NO_INDEX) return STATUS_OK;
    struct request *request = &replay->requests[index];
    request->done = true;
    if (!request->awaited) return STATUS_OK;
    uint32_t rank = request->rank, thread = request->thread;
    if (request->of_task) {
        replay_release_request(replay, index);
        return replay_task_received(replay, rank);
    }
    if (request->hidden) replay_release_request(replay, index);
    if (--replay_thread_walk(replay, rank, thread)->missing > 0) return STATUS_OK;
    if (replay->ranks[rank].threads) return replay_thread_wake(replay, rank, thread);
    replay_wake(replay, rank);
    return STATUS_OK;
}

enum status replay_collective_request(struct replay *replay, uint32_t rank, uint32_t *index)
{
    TRY(replay_take_request(replay, index));
    replay->requests[*index] = (struct request){
        .rank = rank, .thread = replay->ranks[rank].thread, .awaited = true, .hidden = true};
    replay->ranks[rank].missing++;
    return STATUS_OK;
}

static enum status make_request(struct replay *replay, uint32_t rank, bool receive, bool awaited, uint32_t *index)
{
    TRY(replay_take_request(replay, index));
    replay->requests[*index] = (struct request){
        .rank = rank, .thread = replay->ranks[rank].thread, .awaited = awaited, .receive = receive};
    if (awaited) replay->ranks[rank].missing++;
    return STATUS_OK;
}

/* --- protocol
 * ---------------------------------------------------------------------------------------------------------- */

static enum status receive_finished(struct replay *replay, uint32_t index)
{
    uint32_t request = replay->envelopes[index].receive_request;
    replay_release_envelope(replay, index);
    return replay_request_done(replay, request);
}

static enum status acknowledge(struct replay *replay, uint32_t index)
{
    const struct envelope *envelope = &replay->envelopes[index];
    return replay_send_control(replay, MESSAGE_SEND_ACK, envelope->destination, envelope->source,
                               envelope->send_request, 0);
}

/* The receive is posted and eager data or the request to send has arrived. */
static enum status meet(struct replay *replay, uint32_t index)
{
    const struct envelope *envelope = &replay->envelopes[index];
    if (!envelope->posted || !envelope->arrived) return STATUS_OK;
    if (envelope->mode == SEND_RENDEZVOUS)
        return replay_send_control(replay, MESSAGE_SEND_CLEAR, envelope->destination, envelope->source, index, 0);
    if (envelope->mode == SEND_SYNC) TRY(acknowledge(replay, index));
    return receive_finished(replay, index);
}

enum status replay_send_side(struct replay *replay, const struct match *match, int64_t bytes,
                             enum send_protocol protocol, uint32_t request)
{
    uint32_t index;
    TRY(take_side(replay, match, false, &index));
    struct envelope *envelope = &replay->envelopes[index];
    envelope->bytes = bytes;
    envelope->mode = (uint8_t)protocol;
    envelope->sent = true;
    envelope->send_request = request;
    if (protocol == SEND_RENDEZVOUS)
        return replay_send_control(replay, MESSAGE_SEND_ASK, match->source, match->destination, index, 0);
    if (protocol == SEND_EAGER) TRY(replay_request_done(replay, request));
    return replay_send(replay, MESSAGE_EAGER, match->source, match->destination, bytes, index, 0, NULL);
}

enum status replay_receive_side(struct replay *replay, const struct match *match, uint32_t request)
{
    uint32_t index;
    TRY(take_side(replay, match, true, &index));
    struct envelope *envelope = &replay->envelopes[index];
    envelope->posted = true;
    envelope->receive_request = request;
    return meet(replay, index);
}

bool replay_message_waits(const struct replay *replay, const struct match *match)
{
    if (replay->channel_count == 0) return false;
    const struct channel *channel = slot_of(replay->channels, replay->channel_capacity, match);
    if (!channel->used || channel->first == NO_INDEX) return false;
    const struct envelope *first = &replay->envelopes[channel->first];
    return first->sent && !first->posted && first->arrived;
}

int64_t replay_unexpected_ps(const struct replay *replay, const struct match *match)
{
    if (!replay->platform->unexpected_copy || !replay_message_waits(replay, match)) return 0;
    const struct envelope *first =
        &replay->envelopes[slot_of(replay->channels, replay->channel_capacity, match)->first];
    return first->mode == SEND_RENDEZVOUS ? 0 : replay_copy_ps(replay, first->bytes);
}

static enum status arrived(struct replay *replay, uint32_t index)
{
    struct envelope *envelope = &replay->envelopes[index];
    envelope->arrived = true;
    if (envelope->posted) return meet(replay, index);
    replay_wake_prober(replay, envelope->destination);
    return STATUS_OK;
}

enum status replay_on_eager(struct replay *replay, const struct engine_note *message)
{
    return arrived(replay, message->ref);
}

enum status replay_on_send_ask(struct replay *replay, const struct engine_note *message)
{
    return arrived(replay, message->ref);
}

enum status replay_on_send_clear(struct replay *replay, const struct engine_note *message)
{
    const struct envelope *envelope = &replay->envelopes[message->ref];
    struct engine_departure departure;
    if (replay->platform->rendezvous == RENDEZVOUS_NOTIFIED)
        return replay_send(replay, MESSAGE_SEND_PUT, envelope->source, envelope->destination, envelope->bytes,
                           message->ref, 0, NULL);
    TRY(replay_send(replay, MESSAGE_SEND_DATA, envelope->source, envelope->destination, envelope->bytes, message->ref,
                    0, &departure));
    if (departure.left_ps == ENGINE_LATER) return STATUS_OK;
    if (departure.left_ps <= replay->now_ps) return replay_send_left(replay, message->ref);
    return replay_timer_envelope(replay, departure.left_ps, envelope->source, message->ref);
}

/* At equal times the data may arrive before the notice that they have left: the envelope stays until both have come. */
enum status replay_send_left(struct replay *replay, uint32_t index)
{
    struct envelope *envelope = &replay->envelopes[index];
    uint32_t request = envelope->send_request;
    envelope->left = true;
    if (envelope->delivered) replay_release_envelope(replay, index);
    return replay_request_done(replay, request);
}

enum status replay_on_send_data(struct replay *replay, const struct engine_note *message)
{
    struct envelope *envelope = &replay->envelopes[message->ref];
    uint32_t request = envelope->receive_request;
    envelope->delivered = true;
    if (envelope->left) replay_release_envelope(replay, message->ref);
    return replay_request_done(replay, request);
}

enum status replay_on_send_put(struct replay *replay, const struct engine_note *message)
{
    return replay_send_control(replay, MESSAGE_SEND_STORED, message->destination, message->source, message->ref, 0);
}

/* The receiver is told before the sender goes on. */
enum status replay_on_send_stored(struct replay *replay, const struct engine_note *message)
{
    uint32_t request = replay->envelopes[message->ref].send_request;
    TRY(replay_send_control(replay, MESSAGE_SEND_NOTICE, message->destination, message->source, message->ref, 0));
    return replay_request_done(replay, request);
}

enum status replay_on_send_notice(struct replay *replay, const struct engine_note *message)
{
    uint32_t request = replay->envelopes[message->ref].receive_request;
    replay_release_envelope(replay, message->ref);
    return replay_request_done(replay, request);
}

enum status replay_on_send_ack(struct replay *replay, const struct engine_note *message)
{
    return replay_request_done(replay, message->ref);
}

/* --- the calls
 * --------------------------------------------------------------------------------------------------------- */

enum { PHASE_ENTER, PHASE_COPIED, PHASE_POST, PHASE_WAIT, PHASE_TAKE };

/* MPI-3.1 3.4: a buffered send copies first; a synchronous one is finished when the receive has been matched; a ready
 * one knows the receive is there and needs no rendezvous, yet MPICH sends it as a standard one. */
static enum send_protocol protocol_of(const struct replay *replay, const struct trace_call *call)
{
    if (call->bytes > replay->platform->eager_bytes) return SEND_RENDEZVOUS;
    return call->call == ID_Ssend || call->call == ID_Issend ? SEND_SYNC : SEND_EAGER;
}

static bool is_buffered(const struct trace_call *call)
{
    return call->call == ID_Bsend || call->call == ID_Ibsend;
}

static struct match match_of(const struct trace_call *call, uint32_t source, uint32_t destination)
{
    return (struct match){(uint32_t)call->handle * 2, source, destination, call->tag};
}

/* Ids from here on take a map, so that memory follows the calls. */
static uint32_t far_from(const struct rank_state *state)
{
    enum { LEAST = 8192, PER_CALL = 8 };
    uint64_t from = LEAST + PER_CALL * (uint64_t)state->count;
    return from < UINT32_MAX ? (uint32_t)from : UINT32_MAX;
}

static enum status set_far_request(struct replay *replay, uint32_t rank, uint32_t id, uint32_t index)
{
    struct rank_rare *rare = &replay->rare[rank];
    uint64_t *slot;
    if (!rare->far_requests) rare->far_requests = calloc(1, sizeof *rare->far_requests);
    if (!rare->far_requests) return err_memory(replay->err);
    TRY(map_put(rare->far_requests, id, index, &slot, replay->err));
    *slot = index;
    return STATUS_OK;
}

static enum status grow_requests(struct replay *replay, uint32_t rank, uint32_t id)
{
    struct rank_rare *rare = &replay->rare[rank];
    uint32_t far = far_from(&replay->ranks[rank]), limit = id < 32 ? 64 : id < far / 2 ? id * 2 : far;
    uint32_t *grown = realloc(rare->requests, (size_t)limit * sizeof *grown);
    if (!grown) return err_memory(replay->err);
    for (uint32_t i = rare->request_limit; i < limit; i++) grown[i] = NO_INDEX;
    rare->requests = grown;
    rare->request_limit = limit;
    return STATUS_OK;
}

static enum status set_request(struct replay *replay, uint32_t rank, uint32_t id, uint32_t index)
{
    struct rank_rare *rare = &replay->rare[rank];
    if (id >= rare->request_limit) {
        if (id >= far_from(&replay->ranks[rank])) return set_far_request(replay, rank, id, index);
        TRY(grow_requests(replay, rank, id));
    }
    rare->requests[id] = index;
    return STATUS_OK;
}

static enum status note_request(struct replay *replay, uint32_t rank, uint32_t id, uint32_t index)
{
    TRY(set_request(replay, rank, id, index));
    if (replay->ranks[rank].threads) return replay_threads_wake(replay, rank); /* another thread may wait for it already */
    return STATUS_OK;
}

/* A request for the call: one that a wait call asks about, or one that the call itself waits for. */
static enum status call_request(struct replay *replay, uint32_t rank, const struct trace_call *call, bool receive,
                                bool awaited, uint32_t *request)
{
    TRY(make_request(replay, rank, receive, awaited, request));
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_ISEND || kind == CALL_IRECV) return note_request(replay, rank, call->ref, *request);
    return STATUS_OK;
}

enum status replay_new_request(struct replay *replay, uint32_t rank, uint32_t id, uint32_t *request)
{
    TRY(make_request(replay, rank, false, false, request));
    return note_request(replay, rank, id, *request);
}

enum status replay_request_done_at(struct replay *replay, uint32_t request, int64_t at_ps)
{
    if (at_ps <= replay->now_ps) return replay_request_done(replay, request);
    return replay_timer_request(replay, at_ps, replay->requests[request].rank, request);
}

static enum step finish_blocking(struct replay *replay, struct rank_state *state, uint32_t request)
{
    replay_release_request(replay, request);
    return replay_exit(state, replay->now_ps);
}

enum step replay_step_send(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    bool blocking = call_kind(call->call) == CALL_SEND, buffered = is_buffered(call);
    uint32_t request;
    if (call->peer == TRACE_NONE) { /* MPI_PROC_NULL */
        if (!blocking) {
            STEP_TRY(call_request(replay, rank, call, false, false, &request));
            replay->requests[request].done = true;
        }
        return replay_exit(state, replay->now_ps);
    }
    struct match match = match_of(call, rank, (uint32_t)call->peer);
    switch (state->phase) {
    case PHASE_ENTER: {
        int64_t copy_ps = buffered ? replay_copy_ps(replay, call->bytes) : 0;
        return replay_spend(replay, state, copy_ps + replay->overhead_ps, PHASE_POST);
    }
    case PHASE_POST:
        state->missing = 0;
        STEP_TRY(call_request(replay, rank, call, false, blocking && !buffered, &request));
        state->step = request;
        state->phase = PHASE_WAIT;
        if (buffered) { /* the copy is what the sender needed; the message goes on without a request */
            STEP_TRY(replay_request_done(replay, request));
            STEP_TRY(replay_send_side(replay, &match, call->bytes, protocol_of(replay, call), NO_INDEX));
        } else {
            STEP_TRY(replay_send_side(replay, &match, call->bytes, protocol_of(replay, call), request));
        }
        return STEP_AGAIN;
    default:
        if (!blocking) return replay_exit(state, replay->now_ps);
        return state->missing > 0 ? STEP_BLOCK : finish_blocking(replay, state, state->step);
    }
}

enum step replay_step_receive(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    bool blocking = call_kind(call->call) == CALL_RECV;
    switch (state->phase) {
    case PHASE_ENTER: {
        uint32_t request;
        if (call->peer == TRACE_NONE && blocking) return replay_exit(state, replay->now_ps); /* MPI_PROC_NULL */
        state->missing = 0;
        STEP_TRY(call_request(replay, rank, call, true, blocking, &request));
        state->step = request;
        state->phase = PHASE_WAIT;
        if (call->peer == TRACE_NONE) {
            replay->requests[request].done = true;
            replay->requests[request].receive = false; /* takes nothing in */
            return STEP_AGAIN;
        }
        struct match match = match_of(call, (uint32_t)call->peer, rank), taken = taken_out(&match);
        if (message_receives_taken(call) && replay_message_waits(replay, &taken)) match = taken;
        int64_t copy_ps = replay_unexpected_ps(replay, &match);
        STEP_TRY(replay_receive_side(replay, &match, request));
        return replay_spend(replay, state, copy_ps, PHASE_WAIT);
    }
    case PHASE_WAIT:
        if (!blocking) return replay_exit(state, replay->now_ps);
        if (state->missing > 0) return STEP_BLOCK;
        return replay_spend(replay, state, replay->overhead_ps, PHASE_TAKE);
    default: return finish_blocking(replay, state, state->step);
    }
}

/* Registers as waiting for one request; counts those that took a message in. */
static void await(struct replay *replay, struct rank_state *state, uint32_t id)
{
    uint32_t index = replay_request_index(replay, state, id);
    if (index >= REQUEST_GONE) return; /* MPI_REQUEST_NULL, or finished by an earlier call */
    struct request *request = &replay->requests[index];
    if (request->receive) state->received++;
    if (request->done) return;
    request->awaited = true;
    request->thread = state->thread;
    state->missing++;
}

/* With several threads a request may be waited for before it is made; missing: of these. */
static void count_unmade(struct replay *replay, struct rank_state *state, uint32_t id)
{
    state->missing += replay_request_index(replay, state, id) == NO_INDEX;
}

static void forget(struct replay *replay, struct rank_state *state, uint32_t id)
{
    uint32_t index = replay_request_index(replay, state, id);
    if (index >= REQUEST_GONE) return;
    replay_release_request(replay, index);
    struct rank_rare *rare = replay_rare(replay, state);
    if (id < rare->request_limit)
        rare->requests[id] = REQUEST_GONE;
    else
        *map_find(rare->far_requests, id) = REQUEST_GONE;
}

typedef void request_function(struct replay *, struct rank_state *, uint32_t);

static void each_request(struct replay *replay, struct rank_state *state, const struct trace_call *call,
                         request_function *act)
{
    if (call->ref == TRACE_NO_REF) return;
    if (call_kind(call->call) != CALL_REQUEST_WAITALL && call_kind(call->call) != CALL_REQUEST_TESTALL) {
        act(replay, state, call->ref);
        return;
    }
    const struct trace_list *list = &replay->trace->lists[call->ref];
    for (uint32_t i = 0; i < list->count; i++) act(replay, state, replay->trace->requests[list->first + i]);
}

bool replay_request_unmade(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    enum call_kind kind = call_kind(call->call);
    bool none = kind == CALL_REQUEST_TESTALL && !(call->flags & TRACE_FLAG);
    if (kind < CALL_REQUEST_WAIT || kind > CALL_REQUEST_TESTALL || none) return false;
    state->missing = 0;
    each_request(replay, state, call, count_unmade);
    return state->missing > 0;
}

enum step replay_step_request_wait(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    switch (state->phase) {
    case PHASE_ENTER:
        if (state->threads && replay_request_unmade(replay, rank)) return STEP_BLOCK;
        state->missing = state->received = 0;
        if (state->threads) STEP_TRY(replay_thread_reenter(replay, rank));
        each_request(replay, state, call, await);
        state->phase = PHASE_WAIT;
        return STEP_AGAIN;
    case PHASE_WAIT:
        if (state->missing > 0) return STEP_BLOCK;
        return replay_spend(replay, state, (int64_t)state->received * replay->overhead_ps, PHASE_TAKE);
    default: each_request(replay, state, call, forget); return replay_exit(state, replay->now_ps);
    }
}
