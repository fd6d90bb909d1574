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

/* Of a message that needs nobody but the NIC, or that only a rank inside the call that waits for it looks at. */
enum { SERVICE_NONE = SERVICE_COUNT };

struct message_row {
    message_function *act;
    uint8_t service; /* enum service, or SERVICE_NONE */
    enum engine_delivery delivery;
    bool early;  /* only wait looks at when it arrives */
    bool varies; /* notice and early are those of most such messages, see vary() */
    bool passes; /* with network.control_bypass: a request or its answer, which nothing else depends on in order */
};

static const struct message_row rows[] = {
    [MESSAGE_POST] = {replay_on_post, SERVICE_NOTIFICATION, ENGINE_DELIVER_LAZY},
    [MESSAGE_COMPLETE] = {replay_on_complete, SERVICE_NONE, ENGINE_DELIVER_LAZY},
    [MESSAGE_DATA] = {replay_on_data, SERVICE_PUT, .varies = true},
    [MESSAGE_PUT] = {replay_on_put, SERVICE_PUT, ENGINE_DELIVER_UNWATCHED, .early = true},
    [MESSAGE_ACK] = {replay_on_ack, SERVICE_ACKNOWLEDGEMENT, ENGINE_DELIVER_LAZY, .passes = true},
    [MESSAGE_GET_REQUEST] = {replay_on_get_request, SERVICE_GET, .varies = true, .passes = true},
    [MESSAGE_GET_REPLY] = {replay_on_get_reply, SERVICE_NONE},
    [MESSAGE_ACCUMULATE] = {replay_on_accumulate, SERVICE_ACCUMULATE},
    [MESSAGE_FETCH] = {replay_on_fetch, SERVICE_FETCH},
    [MESSAGE_RMA_ASK] = {replay_on_rma_ask, SERVICE_RENDEZVOUS, .passes = true},
    [MESSAGE_RMA_CLEAR] = {replay_on_rma_clear, SERVICE_CLEAR, .passes = true},
    [MESSAGE_TOGETHER] = {replay_on_together, SERVICE_PUT},
    [MESSAGE_TOGETHER_SERVED] = {replay_on_together, SERVICE_ACCUMULATE},
    [MESSAGE_TOGETHER_GETS] = {replay_on_together, SERVICE_GET, .passes = true},
    [MESSAGE_TOGETHER_REPLY] = {replay_on_together_reply, SERVICE_NONE},
    [MESSAGE_LOCK_ASK] = {replay_on_lock_ask, SERVICE_LOCK, .varies = true, .passes = true},
    [MESSAGE_LOCK_GRANT] = {replay_on_lock_grant, SERVICE_NOTIFICATION, .varies = true, .passes = true},
    [MESSAGE_LOCK_RELEASE] = {replay_on_lock_release, SERVICE_RELEASE, ENGINE_DELIVER_FOR_QUEUE, .varies = true},
    [MESSAGE_LOCK_RELEASED] = {replay_on_lock_released, SERVICE_ACKNOWLEDGEMENT, ENGINE_DELIVER_LAZY, .passes = true},
    [MESSAGE_FLUSH_ASK] = {replay_on_flush_ask, SERVICE_PUT},
    [MESSAGE_PAIR_FLUSHED] = {replay_on_pair_flushed, SERVICE_ACKNOWLEDGEMENT, ENGINE_DELIVER_LAZY, .passes = true},
    [MESSAGE_LOCK_FLUSHED] = {replay_on_lock_flushed, SERVICE_ACKNOWLEDGEMENT, ENGINE_DELIVER_LAZY, .passes = true},
    [MESSAGE_FENCE_FLUSHED] = {replay_on_fence_flushed, SERVICE_ACKNOWLEDGEMENT, ENGINE_DELIVER_LAZY, .passes = true},
    [MESSAGE_BARRIER] = {replay_on_barrier, SERVICE_NONE, ENGINE_DELIVER_COUNTED},
    [MESSAGE_EAGER] = {replay_on_eager, SERVICE_NONE, ENGINE_DELIVER_LAZY, .varies = true},
    [MESSAGE_SEND_ASK] = {replay_on_send_ask, SERVICE_RENDEZVOUS, .passes = true},
    [MESSAGE_SEND_CLEAR] = {replay_on_send_clear, SERVICE_RENDEZVOUS, .passes = true},
    [MESSAGE_SEND_DATA] = {replay_on_send_data, SERVICE_NONE},
    [MESSAGE_SEND_PUT] = {replay_on_send_put, SERVICE_RENDEZVOUS},
    [MESSAGE_SEND_STORED] = {replay_on_send_stored, SERVICE_RENDEZVOUS, .passes = true},
    [MESSAGE_SEND_NOTICE] = {replay_on_send_notice, SERVICE_NONE, .passes = true},
    [MESSAGE_SEND_ACK] = {replay_on_send_ack, SERVICE_NONE, .passes = true},
    [MESSAGE_SHMEM_ASK] = {replay_on_shmem_ask, SERVICE_LOCK, .passes = true},
    [MESSAGE_SHMEM_GRANT] = {replay_on_shmem_grant, SERVICE_NOTIFICATION, .passes = true},
    [MESSAGE_SHMEM_RELEASE] = {replay_on_shmem_release, SERVICE_RELEASE},
    [MESSAGE_TASK] = {replay_on_task, SERVICE_RENDEZVOUS},
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
    switch (type) {
    case MESSAGE_EAGER:
        if (replay->envelopes[ref].mode == SEND_SYNC) message->delivery = ENGINE_DELIVER_NOW;
        return;
    case MESSAGE_LOCK_RELEASE:
        if (replay->lock_epochs[ref].releasing) message->delivery = ENGINE_DELIVER_NOW;
        return;
    case MESSAGE_DATA:
        if (replay->ops[ref].epoch_kind == OP_ACTIVE && replay->acknowledges_puts) return;
        message->early = replay->ops[ref].epoch_kind == OP_ACTIVE;
        if (message->early && replay->hardware) message->delivery = ENGINE_DELIVER_UNWATCHED;
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

/* The bytes by which the platform tells who serves the message; those of several operations go by the largest row. */
static int64_t served_bytes(const struct replay *replay, const struct engine_note *message)
{
    switch ((enum message_type)message->type) {
    case MESSAGE_DATA:
    case MESSAGE_ACCUMULATE:
    case MESSAGE_FETCH:
    case MESSAGE_GET_REQUEST:
    case MESSAGE_RMA_CLEAR:
    case MESSAGE_RMA_ASK: return replay->ops[message->ref].together ? INT64_MAX : replay->ops[message->ref].bytes;
    case MESSAGE_ACK: return replay->ops[message->ref].bytes; /* each has its own, of those that came together, too */
    case MESSAGE_SEND_ASK:
    case MESSAGE_SEND_PUT:
    case MESSAGE_SEND_STORED:
    case MESSAGE_SEND_CLEAR: return replay->envelopes[message->ref].bytes;
    case MESSAGE_TOGETHER:
    case MESSAGE_TOGETHER_GETS:
    case MESSAGE_TOGETHER_SERVED: return INT64_MAX;
    default: return 0;
    }
}

/* Where accumulates, fetches and gets travel together, whoever of their servers comes last serves them. */
static enum progress_mode server_of(const struct replay *replay, const struct engine_note *message)
{
    const struct message_row *row = &rows[message->type];
    const struct rma_protocol *protocol = &replay->platform->protocol;
    if (replay->hardware || row->service == SERVICE_NONE || message->source == message->destination)
        return PROGRESS_HARDWARE;
    int64_t bytes = served_bytes(replay, message);
    enum progress_mode server = protocol_serves(protocol, (enum service)row->service, bytes);
    if (message->type != MESSAGE_TOGETHER_SERVED) return server;
    static const enum service others[] = {SERVICE_GET, SERVICE_FETCH, SERVICE_PUT};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        enum progress_mode other = protocol_serves(protocol, others[i], bytes);
        if (other > server) server = other;
    }
    return server;
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
    enum progress_mode server = server_of(replay, &message.note);
    if (server != PROGRESS_HARDWARE) message.early = false; /* it takes effect when it is served */
    if (server == PROGRESS_THREAD) message.delivery = ENGINE_DELIVER_NOW; /* who counts from its arrival */
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
    replay->arrival_ps = replay->now_ps;
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
    switch (server_of(replay, message)) {
    case PROGRESS_HARDWARE: return row->act(replay, message);
    case PROGRESS_THREAD: {
        uint32_t index;
        if (replay->thread_delay_ps == 0) return row->act(replay, message);
        TRY(keep(replay, message, &index));
        return replay_timer_message(replay, replay->now_ps + replay->thread_delay_ps, message->destination, index);
    }
    case PROGRESS_CALL: break;
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
