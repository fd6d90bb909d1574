#include "simulate/replay/envelope.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "simulate/replay/core.h"
#include "simulate/replay/message.h"
#include "simulate/replay/request.h"
#include "simulate/replay/walk.h"

struct channel {
    struct match match;
    uint32_t first, last; /* envelopes of which one side is missing; all of the same side */
    bool used;
};

DEFINE_POOL(envelope, next, core_of(replay));

static bool same_channel(const struct match *one, const struct match *match)
{
    return one->context == match->context && one->source == match->source && one->destination == match->destination &&
           one->tag == match->tag && one->thread == match->thread;
}

static size_t home_of(size_t capacity, const struct match *match)
{
    uint64_t hash =
        map_mix(map_pair(match->context, (uint32_t)match->tag), map_pair(match->source, match->destination));
    return (size_t)(hash + match->thread) & (capacity - 1);
}

static struct channel *slot_of(struct channel *channels, size_t capacity, const struct match *match)
{
    size_t i = home_of(capacity, match);
    while (channels[i].used && !same_channel(&channels[i].match, match)) i = (i + 1) & (capacity - 1);
    return &channels[i];
}

enum { CHANNELS_KEPT = 1 << 16 };

/* A channel exists while an envelope waits in it: the table is as large as what is under way. A large table is freed as
 * soon as it is empty. Entries after the hole that belong before it move up (linear probing without tombstones; Knuth,
 * TAOCP 3, 6.4, algorithm R). */
static void remove_channel(struct replay *replay, struct channel *channel)
{
    struct core *core = core_of(replay);
    size_t mask = core->channel_capacity - 1, hole = (size_t)(channel - core->channels);
    for (size_t i = (hole + 1) & mask; core->channels[i].used; i = (i + 1) & mask) {
        const struct channel *moved = &core->channels[i];
        size_t home = home_of(core->channel_capacity, &moved->match);
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        core->channels[hole] = *moved;
        hole = i;
    }
    core->channels[hole].used = false;
    if (--core->channel_count > 0 || core->channel_capacity <= CHANNELS_KEPT) return;
    free(core->channels);
    core->channels = NULL;
    core->channel_capacity = 0;
}

static enum status channel_of(struct replay *replay, const struct match *match, struct channel **channel)
{
    struct core *core = core_of(replay);
    if (core->channel_count * 4 >= core->channel_capacity * 3) {
        size_t capacity = core->channel_capacity ? core->channel_capacity * 2 : 64;
        struct channel *bigger = calloc(capacity, sizeof *bigger);
        if (!bigger) return err_memory(replay->err);
        for (size_t i = 0; i < core->channel_capacity; i++) {
            const struct channel *old = &core->channels[i];
            if (old->used) *slot_of(bigger, capacity, &old->match) = *old;
        }
        free(core->channels);
        core->channels = bigger;
        core->channel_capacity = capacity;
    }
    struct channel *found = slot_of(core->channels, core->channel_capacity, match);
    if (!found->used) {
        *found = (struct channel){*match, NO_INDEX, NO_INDEX, true};
        core->channel_count++;
    }
    *channel = found;
    return STATUS_OK;
}

static enum status append_envelope(struct replay *replay, const struct match *match, uint32_t envelope)
{
    struct channel *channel;
    TRY(channel_of(replay, match, &channel));
    core_of(replay)->envelopes[envelope].next = NO_INDEX;
    if (channel->first == NO_INDEX)
        channel->first = envelope;
    else
        core_of(replay)->envelopes[channel->last].next = envelope;
    channel->last = envelope;
    return STATUS_OK;
}

/* The oldest envelope of the channel that lacks this side, or a new one at the end of the channel. */
static enum status take_side(struct replay *replay, const struct match *match, bool receiving, uint32_t *envelope)
{
    struct core *core = core_of(replay);
    struct channel *channel;
    TRY(channel_of(replay, match, &channel));
    uint32_t first = channel->first;
    if (first != NO_INDEX && (receiving ? !core->envelopes[first].posted : !core->envelopes[first].sent)) {
        channel->first = core->envelopes[first].next;
        if (channel->first == NO_INDEX) remove_channel(replay, channel);
        *envelope = first;
        return STATUS_OK;
    }
    TRY(replay_take_envelope(replay, envelope));
    core->envelopes[*envelope] = (struct envelope){.source = match->source,
                                                     .destination = match->destination,
                                                     .send_request = NO_INDEX,
                                                     .receive_request = NO_INDEX};
    return append_envelope(replay, match, *envelope);
}

/* Messages that a probe has taken out of matching wait in channels of their own (MPI-3.1 3.8.2). Other contexts are
 * twice a communicator, plus one, and never have this bit. */
enum { CONTEXT_TAKEN = 1 << 30 };

struct match replay_taken_out(const struct match *match)
{
    struct match taken = *match;
    taken.context |= CONTEXT_TAKEN;
    return taken;
}

enum status replay_message_take(struct replay *replay, const struct match *match, const struct match *taken)
{
    uint32_t index;
    TRY(take_side(replay, match, true, &index));
    return append_envelope(replay, taken, index);
}

/* mpi.rendezvous = read: the data leave the sender's node without a message to it. What has arrived there is answered first. */
static enum status read_data(struct replay *replay, uint32_t index)
{
    const struct envelope envelope = core_of(replay)->envelopes[index];
    if (replay->nodes[envelope.source] != replay->nodes[envelope.destination]) TRY(replay_poll(replay, envelope.source));
    return replay_send(replay, MESSAGE_SEND_READ, envelope.source, envelope.destination, envelope.bytes, index, 0, NULL);
}

/* The receive is posted and eager data or the request to send has arrived. */
static enum status match_sides(struct replay *replay, uint32_t index)
{
    const struct envelope *envelope = &core_of(replay)->envelopes[index];
    if (!envelope->posted || !envelope->arrived) return STATUS_OK;
    if (envelope->mode == SEND_RENDEZVOUS && replay->platform->rendezvous == RENDEZVOUS_READ) return read_data(replay, index);
    if (envelope->mode == SEND_RENDEZVOUS)
        return replay_send_control(replay, MESSAGE_SEND_CLEAR, envelope->destination, envelope->source, index, 0);
    if (envelope->mode == SEND_SYNC)
        TRY(replay_send_control(replay, MESSAGE_SEND_ACK, envelope->destination, envelope->source,
                                envelope->send_request, 0));
    uint32_t request = core_of(replay)->envelopes[index].receive_request;
    replay_release_envelope(replay, index);
    return replay_request_done(replay, request);
}

enum status replay_send_side(struct replay *replay, const struct match *match, int64_t bytes,
                             enum send_protocol protocol, uint32_t request)
{
    uint32_t index;
    TRY(take_side(replay, match, false, &index));
    struct envelope *envelope = &core_of(replay)->envelopes[index];
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
    struct envelope *envelope = &core_of(replay)->envelopes[index];
    envelope->posted = true;
    envelope->receive_request = request;
    return match_sides(replay, index);
}

bool replay_message_waits(const struct replay *replay, const struct match *match)
{
    const struct core *core = core_of(replay);
    if (core->channel_count == 0) return false;
    const struct channel *channel = slot_of(core->channels, core->channel_capacity, match);
    if (!channel->used || channel->first == NO_INDEX) return false;
    const struct envelope *first = &core->envelopes[channel->first];
    return first->sent && !first->posted && first->arrived;
}

bool replay_message_unread(const struct replay *replay, const struct match *match)
{
    const struct core *core = core_of(replay);
    const struct rank_state *state = &replay->ranks[match->destination];
    if (state->inside || state->threads || !replay_message_waits(replay, match)) return false;
    const struct channel *channel = slot_of(core->channels, core->channel_capacity, match);
    return core->envelopes[channel->first].unread == replay_unread_mark(replay, match->destination);
}

int64_t replay_unexpected_ps(const struct replay *replay, const struct match *match)
{
    const struct core *core = core_of(replay);
    if (!replay->platform->unexpected_copy || !replay_message_waits(replay, match)) return 0;
    const struct envelope *first =
        &core->envelopes[slot_of(core->channels, core->channel_capacity, match)->first];
    return first->mode == SEND_RENDEZVOUS ? 0 : replay_copy_ps(replay, match->destination, first->bytes);
}

/* A message arrived before its receive. */
static void wake_prober(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    if (state->threads) {
        replay_wake(replay, rank);
        return;
    }
    if (state->status != RANK_BLOCKED) return;
    enum call_kind kind = call_kind(state->calls[state->next].call);
    if (kind == CALL_PROBE || kind == CALL_IPROBE) replay_wake(replay, rank);
}

enum status replay_on_send(struct replay *replay, const struct engine_note *message)
{
    struct envelope *envelope = &core_of(replay)->envelopes[message->ref];
    envelope->arrived = true;
    if (replay->needs_call && message->source != message->destination && !replay_serves(replay, message->destination))
        envelope->unread = replay_unread_mark(replay, message->destination);
    if (envelope->posted) return match_sides(replay, message->ref);
    wake_prober(replay, envelope->destination);
    return STATUS_OK;
}

enum status replay_on_send_clear(struct replay *replay, const struct engine_note *message)
{
    const struct envelope *envelope = &core_of(replay)->envelopes[message->ref];
    struct engine_departure departure;
    if (replay->platform->rendezvous == RENDEZVOUS_NOTIFIED)
        return replay_send(replay, MESSAGE_SEND_PUT, envelope->source, envelope->destination, envelope->bytes,
                           message->ref, 0, NULL);
    TRY(replay_send(replay, MESSAGE_SEND_DATA, envelope->source, envelope->destination, envelope->bytes, message->ref,
                    0, &departure));
    if (departure.left_ps == ENGINE_LATER) return STATUS_OK;
    if (departure.left_ps <= replay->now_ps) return replay_envelope_left(replay, message->ref);
    return replay_timer(replay, departure.left_ps, envelope->source, TIMER_ENVELOPE, message->ref);
}

/* At equal times the data may arrive before the sender knows that they have left. The envelope stays until both have
 * happened. */
enum status replay_envelope_left(struct replay *replay, uint32_t index)
{
    struct envelope *envelope = &core_of(replay)->envelopes[index];
    uint32_t request = envelope->send_request;
    envelope->left = true;
    if (envelope->delivered) replay_release_envelope(replay, index);
    return replay_request_done(replay, request);
}

enum status replay_on_send_data(struct replay *replay, const struct engine_note *message)
{
    struct envelope *envelope = &core_of(replay)->envelopes[message->ref];
    uint32_t request = envelope->receive_request;
    envelope->delivered = true;
    if (envelope->left) replay_release_envelope(replay, message->ref);
    return replay_request_done(replay, request);
}

enum status replay_on_send_put(struct replay *replay, const struct engine_note *message)
{
    return replay_send_control(replay, MESSAGE_SEND_STORED, message->destination, message->source, message->ref, 0);
}

enum status replay_on_send_read(struct replay *replay, const struct engine_note *message)
{
    const struct envelope *envelope = &core_of(replay)->envelopes[message->ref];
    uint32_t received = envelope->receive_request, sent = envelope->send_request;
    replay_release_envelope(replay, message->ref);
    TRY(replay_send_control(replay, MESSAGE_SEND_ACK, message->destination, message->source, sent, 0));
    return replay_request_done(replay, received);
}

/* The receiver gets the notification before the sender continues. */
enum status replay_on_send_stored(struct replay *replay, const struct engine_note *message)
{
    uint32_t request = core_of(replay)->envelopes[message->ref].send_request;
    TRY(replay_send_control(replay, MESSAGE_SEND_NOTICE, message->destination, message->source, message->ref, 0));
    return replay_request_done(replay, request);
}

enum status replay_on_send_notice(struct replay *replay, const struct engine_note *message)
{
    uint32_t request = core_of(replay)->envelopes[message->ref].receive_request;
    replay_release_envelope(replay, message->ref);
    return replay_request_done(replay, request);
}

enum status replay_on_send_ack(struct replay *replay, const struct engine_note *message)
{
    return replay_request_done(replay, message->ref);
}

uint32_t replay_rank_of_envelope(const struct replay *replay, uint32_t envelope)
{
    return core_of(replay)->envelopes[envelope].source;
}

void replay_clear_envelopes(struct replay *replay)
{
    FREE_ALL(core_of(replay)->channels, core_of(replay)->envelopes);
}

const struct envelope *replay_envelope(const struct replay *replay, uint32_t envelope)
{
    return &core_of(replay)->envelopes[envelope];
}
