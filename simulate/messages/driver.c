/* The rows of the driver of messages. */
#include "simulate/messages/messages.h"
#include "simulate/replay/envelope.h"
#include "simulate/replay/request.h"

static const struct call_step steps[] = {
    {CALL_SEND, .step = replay_step_send},
    {CALL_ISEND, .step = replay_step_send},
    {CALL_RECV, .step = replay_step_receive},
    {CALL_IRECV, .step = replay_step_receive},
    {CALL_SENDRECV, .step = replay_step_sendrecv},
    {CALL_PROBE, .step = replay_step_probe},
    {CALL_IPROBE, .step = replay_step_probe, .traits = CALL_TESTS},
    {CALL_REQUEST_WAIT, .step = replay_step_request_wait},
    {CALL_REQUEST_WAITALL, .step = replay_step_request_wait},
    {CALL_REQUEST_TEST, .step = replay_step_request_wait, .traits = CALL_TESTS},
    {CALL_REQUEST_TESTALL, .step = replay_step_request_wait, .traits = CALL_TESTS},
    {CALL_REQUEST_QUERY, .step = replay_step_request_wait, .traits = CALL_TESTS},
    {0}};

/* A synchronous send is answered at its arrival. */
static void vary_eager(const struct replay *replay, uint32_t ref, struct engine_message *message)
{
    if (replay_envelope(replay, ref)->mode == SEND_SYNC) message->effect = EFFECT_ACTS;
}

static int64_t envelope_bytes(const struct replay *replay, uint32_t ref)
{
    return replay_envelope(replay, ref)->bytes;
}

static enum status data_left(struct replay *replay, const struct engine_note *message, int64_t began_ps, int64_t left_ps)
{
    (void)began_ps;
    (void)left_ps;
    return replay_envelope_left(replay, message->ref);
}

static const struct message_row messages[] = {
    {MESSAGE_EAGER, .act = replay_on_send, SERVICE_NONE, EFFECT_CHANGES, .two_sided = true, .vary = vary_eager},
    {MESSAGE_SEND_ASK, .act = replay_on_send, SERVICE_RENDEZVOUS, .two_sided = true, .passes = true,
     .served_bytes = envelope_bytes},
    {MESSAGE_SEND_CLEAR, .act = replay_on_send_clear, SERVICE_RENDEZVOUS, .two_sided = true, .passes = true,
     .served_bytes = envelope_bytes},
    {MESSAGE_SEND_DATA, .act = replay_on_send_data, SERVICE_NONE, .two_sided = true, .left = data_left},
    {MESSAGE_SEND_PUT, .act = replay_on_send_put, SERVICE_RENDEZVOUS, .two_sided = true,
     .served_bytes = envelope_bytes},
    {MESSAGE_SEND_STORED, .act = replay_on_send_stored, SERVICE_RENDEZVOUS, .two_sided = true, .passes = true,
     .served_bytes = envelope_bytes},
    {MESSAGE_SEND_NOTICE, .act = replay_on_send_notice, SERVICE_NONE, .two_sided = true, .passes = true},
    {MESSAGE_SEND_READ, .act = replay_on_send_read, SERVICE_NONE, .two_sided = true},
    {MESSAGE_SEND_ACK, .act = replay_on_send_ack, SERVICE_NONE, .two_sided = true, .passes = true},
    {0}};

static const struct timer_row timers[] = {{TIMER_ENVELOPE, replay_rank_of_envelope, replay_envelope_left},
                                          {TIMER_REQUEST, replay_rank_of_request, replay_request_done},
                                          {0}};

static enum status reach_ranks(const struct replay *replay, uint32_t rank, const struct trace_call *call,
                               struct reach *to)
{
    enum call_kind kind = call_kind(call->call);
    (void)replay;
    (void)rank;
    if (kind == CALL_SENDRECV) TRY(replay_reach_rank(to, call->exchange.source));
    return call_arm(kind) != ARM_COMPLETION ? replay_reach_rank(to, call->peer) : STATUS_OK;
}

/* The number of calls like this one, on the same communicator or window, up to and including calls[last]. */
static size_t count_like(const struct rank_state *state, const struct trace_call *like, size_t last)
{
    size_t found = 0;
    for (size_t i = 0; i <= last && i < state->count; i++)
        found += state->calls[i].call == like->call && state->calls[i].handle == like->handle;
    return found;
}

/* Explains the call that made a request; for a collective one, the ranks that have not entered it. */
static void explain_operation_of(struct replay *replay, const struct rank_state *state, size_t made, struct explanation *text)
{
    const struct trace_call *call = &state->calls[made];
    bool on_window = call_row(call->call)->needed & F_WIN;
    const struct trace_comm *comm = on_window ? NULL : trace_call_comm(replay->trace, call);
    EXPLAIN_ONE(text, " the %s of event %zu", call_name(call->call), made + 1);
    size_t number = count_like(state, call, made);
    for (uint32_t i = 0, shown = 0; comm && i < comm->count && shown < WAITERS_SHOWN; i++) {
        const struct rank_state *other = &replay->ranks[comm->members[i]];
        if (other->threads || count_like(other, call, other->next) >= number) continue;
        EXPLAIN(text, "%s %s of rank %d", shown++ ? "," : ", which lacks", call_name(call->call), comm->members[i]);
    }
}

static void explain_requests(struct replay *replay, const struct rank_state *state, const struct trace_call *call,
                          struct explanation *text)
{
    enum call_kind waits = call_kind(call->call);
    bool several = waits == CALL_REQUEST_WAITALL || waits == CALL_REQUEST_TESTALL;
    const struct trace_list *list = several ? &replay->trace->definitions.lists[call->completion.list] : NULL;
    uint32_t count = list ? list->count : 1;
    for (uint32_t i = 0; i < count && text->named < WAITERS_SHOWN; i++) {
        uint32_t id = list ? replay->trace->definitions.requests[list->first + i] : call->ref;
        uint32_t index = replay_request_index(replay, state, id);
        if (index >= REQUEST_GONE || replay_request(replay, index)->done) continue;
        for (size_t c = state->next; c-- > 0;) { /* the call that made the request */
            const struct trace_call *made = &state->calls[c];
            enum call_kind kind = call_kind(made->call);
            if (!call_makes_request(made->call) || made->ref != id) continue;
            if (kind == CALL_ISEND || kind == CALL_IRECV)
                EXPLAIN_ONE(text, " %s rank %d (tag %d)", kind == CALL_IRECV ? "a send of" : "a receive of", made->peer,
                     made->message.tag);
            else
                explain_operation_of(replay, state, c, text);
            break;
        }
    }
}

static bool waits_outside(struct replay *replay, uint32_t rank)
{
    return replay_request_unmade(replay, rank) || replay_message_unhanded(replay, rank);
}

static void explain_wait(struct replay *replay, uint32_t rank, const struct trace_call *call, struct explanation *text)
{
    if (replay_message_unhanded(replay, rank)) {
        EXPLAIN(text, " another thread that probes for a message of rank %d (tag %d)", call->peer, call->message.tag);
        return;
    }
    switch (call_kind(call->call)) {
    case CALL_SEND: EXPLAIN(text, " a receive of rank %d (tag %d)", call->peer, call->message.tag); break;
    case CALL_SENDRECV:
        EXPLAIN(text, " a receive of rank %d (tag %d) or a send of rank %d (tag %d)", call->peer, call->message.tag,
                call->exchange.source, call->exchange.recv_tag);
        break;
    case CALL_PROBE:
    case CALL_IPROBE:
    case CALL_RECV: EXPLAIN(text, " a send of rank %d (tag %d)", call->peer, call->message.tag); break;
    case CALL_REQUEST_WAIT:
    case CALL_REQUEST_WAITALL:
    case CALL_REQUEST_TEST:
    case CALL_REQUEST_TESTALL:
    case CALL_REQUEST_QUERY: explain_requests(replay, &replay->ranks[rank], call, text); break;
    default: replay_explain_absent(replay, call, text); break;
    }
}

const struct call_driver messages_driver = {
    .name = "messages",
    .steps = steps,
    .messages = messages,
    .timers = timers,
    .prepare = replay_prepare_taken,
    .waits_outside = waits_outside,
    .reach = reach_ranks,
    .explain_wait = explain_wait,
};
