/* docs/simulation.md, Point-to-point: the n-th send of a channel (communicator, source, destination, tag) meets its
 * n-th receive. */
#include "common/units.h"
#include "tests/reference/message.h"
#include "tests/reference/operation.h"

struct message {
    struct envelope envelope;
    int64_t bytes;
    bool has_send, has_receive;
    bool asks, acknowledged;     /* rendezvous; synchronous and eager */
    bool here;                   /* data or request have been looked at by the receiver's progress */
    bool answered, sent_locally; /* the send is complete */
    bool arrived;
    bool unread;     /* it came while the receiver did not serve */
    uint32_t visits; /* the receiver's, when it came */
};

static struct message *find(struct model *model, const struct envelope *envelope, bool receives)
{
    for (size_t i = 0; i < model->message_count; i++) {
        struct message *message = model->messages[i];
        const struct envelope *of = &message->envelope;
        if (of->comm == envelope->comm && of->tag == envelope->tag && of->from == envelope->from &&
            of->to == envelope->to && !(receives ? message->has_receive : message->has_send))
            return message;
    }
    struct message *message = model_new(model, sizeof *message);
    message->envelope = *envelope;
    model->messages =
        model_grow(model, model->messages, model->message_count, &model->message_capacity, sizeof *model->messages);
    return model->messages[model->message_count++] = message;
}

/* --- on the way --- */

static void send_is_over(struct model *model, void *what)
{
    (void)model;
    ((struct message *)what)->sent_locally = true;
}

static void message_is_there(struct model *model, void *what)
{
    (void)model;
    ((struct message *)what)->arrived = true;
}

static void serve_at(struct model *model, const struct message *message, bool receiver, action *act)
{
    const struct envelope *envelope = &message->envelope;
    rank_serve_once(model,
               (struct arrival){.from = receiver ? envelope->from : envelope->to,
                                .to = receiver ? envelope->to : envelope->from,
                                .service = SERVICE_RENDEZVOUS,
                                .bytes = message->bytes},
               act, (void *)message);
}

/* mpi.rendezvous = notified */
static void notify(struct model *model, void *what)
{
    struct message *message = what;
    network_send_two_sided(model, message->envelope.from, message->envelope.to, true, message_is_there, message);
    message->sent_locally = true;
}

static void data_acknowledged(struct model *model, void *what)
{
    serve_at(model, what, false, notify);
}

static void acknowledge_data(struct model *model, void *what)
{
    const struct message *message = what;
    network_send_two_sided(model, message->envelope.to, message->envelope.from, true, data_acknowledged, what);
}

static void data_arrived(struct model *model, void *what)
{
    if (model->platform->rendezvous == RENDEZVOUS_NOTIFIED)
        serve_at(model, what, true, acknowledge_data);
    else
        message_is_there(model, what);
}

static void send_data(struct model *model, void *what)
{
    struct message *message = what;
    network_send(model,
                 (struct transport){.from = message->envelope.from,
                                    .to = message->envelope.to,
                                    .bytes = message->bytes,
                                    .two_sided = true,
                                    .left = model->platform->rendezvous == RENDEZVOUS_DIRECT ? send_is_over : NULL,
                                    .arrived = data_arrived,
                                    .what = message});
}

/* mpi.rendezvous = read */
static void data_read(struct model *model, void *what)
{
    struct message *message = what;
    message->arrived = true;
    network_send_two_sided(model, message->envelope.to, message->envelope.from, true, send_is_over, message);
}

static void read_data(struct model *model, struct message *message)
{
    network_send(model,
                 (struct transport){.from = message->envelope.from,
                                    .to = message->envelope.to,
                                    .bytes = message->bytes,
                                    .two_sided = true,
                                    .arrived = data_read,
                                    .what = message});
}

static void cleared(struct model *model, void *what)
{
    serve_at(model, what, false, send_data);
}

/* Clear to send, or the acknowledgement of a synchronous message, once the receive is posted and the message is here.
 */
static void answer(struct model *model, struct message *message)
{
    if (message->answered || !message->here || !message->has_receive) return;
    message->answered = true;
    if (message->asks && model->platform->rendezvous == RENDEZVOUS_READ)
        read_data(model, message);
    else
        network_send_two_sided(model, message->envelope.to, message->envelope.from, true,
                               message->asks ? cleared : send_is_over, message);
}

static void look_at(struct model *model, void *what)
{
    struct message *message = what;
    message->here = true;
    answer(model, message);
}

static void request_arrived(struct model *model, void *what)
{
    serve_at(model, what, true, look_at);
}

static void eager_arrived(struct model *model, void *what)
{
    struct message *message = what;
    const struct rank *to = &model->ranks[message->envelope.to];
    message->arrived = true;
    message->unread = message->envelope.from != message->envelope.to && !rank_serves(model, to);
    message->visits = to->visits;
    if (message->acknowledged) look_at(model, message); /* acknowledgements are the NIC's */
}

/* --- calls --- */

static bool is_mode(const struct trace_call *call, enum mpi_call blocking, enum mpi_call other)
{
    return call->call == blocking || call->call == other;
}

struct message *message_send(struct model *model, const struct envelope *envelope, int64_t bytes, enum send_mode mode)
{
    struct message *message = find(model, envelope, false);
    message->has_send = true;
    message->bytes = bytes;
    message->asks = bytes > model->platform->eager_bytes;
    message->acknowledged = mode == SEND_SYNCHRONOUS && !message->asks;
    message->sent_locally = mode == SEND_COPIED || (!message->asks && mode != SEND_SYNCHRONOUS);
    if (message->asks)
        network_send_two_sided(model, envelope->from, envelope->to, true, request_arrived, message);
    else
        network_send(model, (struct transport){.from = envelope->from,
                                               .to = envelope->to,
                                               .bytes = bytes,
                                               .two_sided = true,
                                               .arrived = eager_arrived,
                                               .what = message});
    return message;
}

struct message *message_receive(struct model *model, const struct envelope *envelope)
{
    struct message *message = find(model, envelope, true);
    message->has_receive = true;
    answer(model, message);
    return message;
}

static struct message *send(struct model *model, struct rank *rank, const struct trace_call *call)
{
    bool copies = is_mode(call, ID_Bsend, ID_Ibsend), synchronous = is_mode(call, ID_Ssend, ID_Issend);
    struct envelope envelope = {call->handle, call->message.tag, rank->number, (uint32_t)call->peer};
    if (copies && call->bytes > 0)
        rank_spend(model, rank, network_lasts_ps(model, rank->number, rank->number, call->bytes));
    return message_send(model, &envelope, call->bytes,
                        copies        ? SEND_COPIED
                        : synchronous ? SEND_SYNCHRONOUS
                                      : SEND_STANDARD);
}

static struct message *receive(struct model *model, struct rank *rank, int32_t comm, int32_t source, int32_t tag)
{
    struct envelope envelope = {comm, tag, (uint32_t)source, rank->number};
    return message_receive(model, &envelope);
}

bool message_is_sent(const struct model *model, const void *what)
{
    (void)model;
    return ((const struct message *)what)->sent_locally;
}

bool message_is_received(const struct model *model, const void *what)
{
    (void)model;
    return ((const struct message *)what)->arrived;
}

/* mpi.rma.protocol.visit: what has come since the rank last looked is found by looking. */
static void await_received(struct model *model, struct rank *rank, struct message *message)
{
    bool unread = message->arrived && message->unread && message->visits == rank->visits;
    if (unread && !rank->serves) rank_look(model, rank);
    rank_await(model, rank, message_is_received, message);
    rank_pay_overhead(model, rank);
}

static bool is_moved(const struct model *model, const void *what)
{
    (void)model;
    return op_is_local(what);
}

static bool is_over(const struct model *model, const void *what)
{
    (void)model;
    return ((const struct rank *)what)->ended;
}

/* The overhead of what was received is paid when all is done, but for those who only ask. */
static void await_requests(struct model *model, struct rank *rank, const uint32_t *numbers, uint32_t count, bool takes)
{
    uint32_t received = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct request *request = &rank->requests[numbers[i]];
        if (request->task) rank_await(model, rank, is_over, request->task);
        if (request->op) rank_await(model, rank, is_moved, request->op);
        if (!request->message) continue;
        rank_await(model, rank, request->receives ? message_is_received : message_is_sent, request->message);
        received += takes && request->receives;
    }
    while (received-- > 0) rank_pay_overhead(model, rank);
}

static bool is_done(const struct model *model, const struct request *request)
{
    if (request->task) return request->task->ended;
    if (request->op) return op_is_local(request->op);
    return request->receives ? message_is_received(model, request->message) : message_is_sent(model, request->message);
}

/* Not where it names nobody. */
static bool is_made(const struct request *request)
{
    return request->op || request->message || request->task;
}

void requests_note_done(struct model *model)
{
    for (uint32_t r = 0; r < model->rank_count; r++)
        for (uint32_t i = 0; i < model->ranks[r].request_count; i++) {
            struct request *request = &model->ranks[r].requests[i];
            if (is_made(request) && request->done_ps == 0 && is_done(model, request)) request->done_ps = model->now_ps;
        }
}

static bool is_news(const struct model *model, const struct rank *rank, const struct request *request)
{
    int64_t done_ps = request->done_ps ? request->done_ps : model->now_ps;
    if (!is_made(request)) return false;
    if (!is_done(model, request)) return true;
    return done_ps > rank->polled_ps && done_ps > request->made_ps;
}

bool requests_are_news(const struct model *model, const struct rank *rank, const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    if (kind != CALL_REQUEST_WAITALL && kind != CALL_REQUEST_TESTALL)
        return call->ref != TRACE_NO_REF && is_news(model, rank, &rank->requests[call->ref]);
    const struct trace_list *list = &model->trace->definitions.lists[call->ref];
    for (uint32_t i = 0; i < list->count; i++)
        if (is_news(model, rank, &rank->requests[model->trace->definitions.requests[list->first + i]])) return true;
    return false;
}

static void sendrecv(struct model *model, struct rank *rank, const struct trace_call *call)
{
    int32_t source = call->exchange.source;
    struct message *in = NULL, *out = NULL;
    if (!nobody(call->peer)) rank_pay_overhead(model, rank);
    if (!nobody(source)) in = receive(model, rank, call->handle, source, call->exchange.recv_tag);
    if (!nobody(call->peer)) out = send(model, rank, call);
    if (out) rank_await(model, rank, message_is_sent, out);
    if (in) await_received(model, rank, in);
}

void do_message(struct model *model, struct rank *rank, const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    bool alone =
        (kind == CALL_SEND || kind == CALL_RECV || kind == CALL_ISEND || kind == CALL_IRECV) && nobody(call->peer);
    if (alone) return;
    switch (kind) {
    case CALL_SEND:
        rank_pay_overhead(model, rank);
        rank_await(model, rank, message_is_sent, send(model, rank, call));
        break;
    case CALL_ISEND:
        rank_pay_overhead(model, rank);
        rank->requests[call->ref].message = send(model, rank, call);
        break;
    case CALL_RECV:
        await_received(model, rank, receive(model, rank, call->handle, call->peer, call->message.tag));
        break;
    case CALL_IRECV:
        rank->requests[call->ref] = (struct request){
            .message = receive(model, rank, call->handle, call->peer, call->message.tag), .receives = true};
        break;
    case CALL_SENDRECV: sendrecv(model, rank, call); break;
    case CALL_REQUEST_WAIT:
    case CALL_REQUEST_TEST: await_requests(model, rank, &call->ref, 1, true); break;
    case CALL_REQUEST_QUERY: await_requests(model, rank, &call->ref, 1, false); break;
    default: {
        const struct trace_list *list = &model->trace->definitions.lists[call->ref];
        await_requests(model, rank, &model->trace->definitions.requests[list->first], list->count, true);
    }
    }
}
