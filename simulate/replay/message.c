/* Messages between ranks: sending, dispatch on arrival, and who serves what arrives (progress).
 *
 * The rules for code of the replay, so that lazily delivered messages give the results of immediate ones:
 *   - A rank learns of a rank of another node by a message only; exceptions are listed in nodes_are_apart().
 *   - A message that acts on others when it arrives (it sends, grants, answers) is ENGINE_DELIVER_NOW in the table
 * below, or the rank that it acts on has said replay_await() and not yet replay_resume() (a queue: replay_watch_all()).
 *   - A message that is ENGINE_DELIVER_ANSWERED sends, and wakes nobody at its destination.
 *   - Whatever else lets a rank or its side act (a timer, progress of another rank) calls replay_poll() before.
 * The properties late and ahead compare random programs with all messages delivered at their moment. */
#include "simulate/replay/core.h"

typedef enum status message_function(struct replay *, const struct engine_note *);

/* Who acts on an arriving message: nobody but the NIC, or the destination's progress (spec "Progress at the target").
 */
enum server { SERVER_NIC, SERVER_PROGRESS, SERVER_CALL /* progress = call only: the origin must look */ };

struct message_row {
    message_function *act;
    enum server server;
    enum engine_delivery delivery;
    bool early;  /* only wait looks at when it arrives */
    bool varies; /* notice and early are those of most such messages, see vary() */
    bool passes; /* with network.control_bypass: a request or its answer, which nothing else depends on in order */
};

static const struct message_row rows[] = {
    [MESSAGE_POST] = {replay_on_post, SERVER_CALL, ENGINE_DELIVER_LAZY},
    [MESSAGE_COMPLETE] = {replay_on_complete, SERVER_NIC, ENGINE_DELIVER_LAZY},
    [MESSAGE_DATA] = {replay_on_data, SERVER_NIC, .varies = true},
    [MESSAGE_PUT] = {replay_on_put, SERVER_NIC, ENGINE_DELIVER_UNWATCHED, .early = true},
    [MESSAGE_ACK] = {replay_on_ack, SERVER_NIC, ENGINE_DELIVER_LAZY, .passes = true},
    [MESSAGE_GET_REQUEST] = {replay_on_get_request, SERVER_PROGRESS, .varies = true, .passes = true},
    [MESSAGE_GET_REPLY] = {replay_on_get_reply, SERVER_NIC},
    [MESSAGE_ACCUMULATE] = {replay_on_accumulate, SERVER_PROGRESS},
    [MESSAGE_FETCH] = {replay_on_fetch, SERVER_PROGRESS},
    [MESSAGE_RMA_ASK] = {replay_on_rma_ask, SERVER_PROGRESS, .passes = true},
    [MESSAGE_RMA_CLEAR] = {replay_on_rma_clear, SERVER_NIC, .passes = true},
    [MESSAGE_TOGETHER] = {replay_on_together, SERVER_NIC},
    [MESSAGE_TOGETHER_SERVED] = {replay_on_together, SERVER_PROGRESS},
    [MESSAGE_TOGETHER_GETS] = {replay_on_together, SERVER_PROGRESS, .passes = true},
    [MESSAGE_TOGETHER_REPLY] = {replay_on_together_reply, SERVER_NIC},
    [MESSAGE_LOCK_ASK] = {replay_on_lock_ask, SERVER_PROGRESS, .varies = true, .passes = true},
    [MESSAGE_LOCK_GRANT] = {replay_on_lock_grant, SERVER_CALL, .varies = true, .passes = true},
    [MESSAGE_LOCK_RELEASE] = {replay_on_lock_release, SERVER_NIC, ENGINE_DELIVER_FOR_QUEUE},
    [MESSAGE_BARRIER] = {replay_on_barrier, SERVER_NIC, ENGINE_DELIVER_COUNTED},
    [MESSAGE_EAGER] = {replay_on_eager, SERVER_NIC, ENGINE_DELIVER_LAZY, .varies = true},
    [MESSAGE_SEND_ASK] = {replay_on_send_ask, SERVER_PROGRESS, .passes = true},
    [MESSAGE_SEND_CLEAR] = {replay_on_send_clear, SERVER_PROGRESS, .passes = true},
    [MESSAGE_SEND_DATA] = {replay_on_send_data, SERVER_NIC},
    [MESSAGE_SEND_ACK] = {replay_on_send_ack, SERVER_NIC, .passes = true},
    [MESSAGE_SHMEM_ASK] = {replay_on_shmem_ask, SERVER_PROGRESS, .passes = true},
    [MESSAGE_SHMEM_GRANT] = {replay_on_shmem_grant, SERVER_CALL, .passes = true},
    [MESSAGE_SHMEM_RELEASE] = {replay_on_shmem_release, SERVER_NIC},
    [MESSAGE_TASK] = {replay_on_task, SERVER_PROGRESS},
};

/* Nobody looks at the operation's arrival at the target but those whom the acknowledgement or the data reach. */
static bool answers_late(const struct replay *replay, const struct op *op)
{
    bool fence = op->epoch_kind == OP_FENCE;
    return op->epoch_kind == OP_LOCK ||
           (fence && replay->modes[replay->members[op->member].window].fence == FENCE_BARRIER);
}

/* Of a put in an active epoch only wait looks at the arrival, and complete's notification comes behind it unless the
 * data left after a rendezvous. A synchronous send is answered at its arrival. */
static void vary(const struct replay *replay, enum message_type type, uint32_t ref, struct engine_message *message)
{
    bool hardware = replay->platform->progress == PROGRESS_HARDWARE;
    switch (type) {
    case MESSAGE_EAGER:
        if (replay->envelopes[ref].mode == SEND_SYNC) message->delivery = ENGINE_DELIVER_NOW;
        return;
    case MESSAGE_DATA:
        message->early = replay->ops[ref].epoch_kind == OP_ACTIVE;
        if (message->early && hardware) message->delivery = ENGINE_DELIVER_UNWATCHED;
        if (message->early) return;
        break;
    default: break;
    }
    if (!replay->answers_late) return;
    switch (type) {
    case MESSAGE_DATA:
    case MESSAGE_GET_REQUEST:
        if (answers_late(replay, &replay->ops[ref])) message->delivery = ENGINE_DELIVER_ANSWERED;
        return;
    case MESSAGE_LOCK_ASK: message->delivery = ENGINE_DELIVER_ANSWERED; return;
    case MESSAGE_LOCK_GRANT:
        if (replay->lock_epochs[ref].awaited) message->delivery = ENGINE_DELIVER_LAZY;
        return;
    default: return;
    }
}

enum status replay_send(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination,
                        int64_t bytes, uint32_t ref, uint32_t extra, struct engine_departure *departure)
{
    const struct message_row *row = &rows[type];
    struct engine_message message = {
        .note = {source, destination, ref, extra, type},
        .key = source,
        .src_node = replay->nodes[source],
        .dst_node = replay->nodes[destination],
        .bytes = bytes,
        .to_self = source == destination,
        .want_left = departure != NULL,
        .early = row->early,
        .delivery = row->delivery,
        .passes = row->passes && replay->platform->control_bypass,
    };
    if (row->varies) vary(replay, type, ref, &message);
    struct engine_departure ignored, *told = departure ? departure : &ignored;
    TRY(replay->engine_kind->send(replay->engine, &message, told, replay->err));
    bool late = told->left_ps != ENGINE_LATER && replay_past_end(replay, source, told->left_ps);
    return late ? STATUS_DATA : STATUS_OK;
}

enum status replay_send_control(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination,
                                uint32_t ref, uint32_t extra)
{
    return replay_send(replay, type, source, destination, replay->platform->control_bytes, ref, extra, NULL);
}

enum status replay_serve(struct replay *replay, uint32_t index)
{
    struct engine_note message = replay->messages[index].message;
    replay_release_message(replay, index);
    return rows[message.type].act(replay, &message);
}

enum status replay_serve_late(struct replay *replay, uint32_t index)
{
    replay_served_late(replay, &replay->messages[index]);
    return replay_serve(replay, index);
}

static enum status keep(struct replay *replay, const struct engine_note *message, uint32_t *index)
{
    TRY(replay_take_message(replay, index));
    replay->messages[*index] =
        (struct waiting_message){.message = *message, .next = NO_INDEX, .arrived_ps = replay->now_ps};
    return STATUS_OK;
}

static enum status wait_for_progress(struct replay *replay, const struct engine_note *message)
{
    struct rank_state *server = &replay->ranks[message->destination];
    uint32_t index;
    TRY(keep(replay, message, &index));
    if (server->serve_first == NO_INDEX)
        server->serve_first = index;
    else
        replay->messages[replay->rare[message->destination].serve_last].next = index;
    replay->rare[message->destination].serve_last = index;
    return STATUS_OK;
}

enum status replay_postpone(struct replay *replay, enum message_type type, uint32_t rank, uint32_t ref)
{
    const struct engine_note message = {rank, rank, ref, 0, type};
    return wait_for_progress(replay, &message);
}

enum status replay_arrived(struct replay *replay, const struct engine_note *message)
{
    const struct message_row *row = &rows[message->type];
    enum progress_mode progress = replay->platform->progress;
    if (row->server == SERVER_NIC || progress == PROGRESS_HARDWARE || message->source == message->destination)
        return row->act(replay, message);
    if (progress == PROGRESS_THREAD) {
        if (row->server == SERVER_CALL || replay->thread_delay_ps == 0) return row->act(replay, message);
        uint32_t index;
        TRY(keep(replay, message, &index));
        return replay_timer_message(replay, replay->now_ps + replay->thread_delay_ps, message->destination, index);
    }
    if (replay->ranks[message->destination].inside) return row->act(replay, message);
    return wait_for_progress(replay, message);
}

enum status replay_serve_waiting(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    while (state->serve_first != NO_INDEX) {
        uint32_t index = state->serve_first;
        state->serve_first = replay->messages[index].next;
        TRY(replay_serve_late(replay, index));
    }
    return STATUS_OK;
}

enum status replay_left(struct replay *replay, const struct engine_note *message, int64_t began_ps, int64_t left_ps)
{
    switch ((enum message_type)message->type) {
    case MESSAGE_SEND_DATA: return replay_send_left(replay, message->ref);
    case MESSAGE_FETCH: replay_fetch_left(replay, message->ref, began_ps); return STATUS_OK;
    case MESSAGE_TOGETHER:
    case MESSAGE_TOGETHER_GETS:
    case MESSAGE_TOGETHER_SERVED: return replay_together_left(replay, message->ref, false, began_ps, left_ps);
    case MESSAGE_TOGETHER_REPLY: return replay_together_left(replay, message->ref, true, began_ps, left_ps);
    case MESSAGE_PUT: replay_put_left(replay, message, began_ps, left_ps); return STATUS_OK;
    default: return replay_op_left(replay, message->ref, began_ps, left_ps);
    }
}
