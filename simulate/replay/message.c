/* Rules for code of the replay, so that lazy delivery gives the results of immediate delivery:
 *   - A rank learns of a rank of another node by messages only. nodes_are_apart of a driver finds the exceptions.
 *   - A message whose arrival acts on others (it sends, grants, answers) is EFFECT_ACTS in its row, or the rank that it
 *     acts on has called replay_await() and not yet replay_resume() (a queue: replay_watch_all()).
 *   - A message of EFFECT_REPLIES sends, and wakes no rank at its destination.
 *   - Before anything else lets a rank or its side act (a timer, progress of another rank), replay_poll() is called.
 * The properties late and ahead compare random programs with the eager mailbox. */
#include "simulate/replay/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "simulate/replay/connections.h"
#include "simulate/replay/core.h"
#include "simulate/replay/driver.h"

DEFINE_POOL(message, next, core_of(replay));

enum { SERVER_BY_BYTES = PROGRESS_CALL + 1 }; /* in core.servers */

/* Queries to one rank, in the order of their arrival. Where they wait behind each other, one message of type MESSAGE_QUERIES
 * stands for them among the messages that wait for the rank. */
struct waiting_queries {
    struct engine_query *items;
    size_t first, count, capacity; /* items[first] to items[count - 1] */
};

/* A message of several operations is served by the slowest of their servers. */
static enum progress_mode server_of_bytes(const struct replay *replay, const struct message_row *row, int64_t bytes)
{
    const struct rma_protocol *protocol = &replay->platform->protocol;
    if (row->service == SERVICE_NONE) return PROGRESS_HARDWARE;
    if (row->two_sided && replay->platform->progress_ranks > 0) return PROGRESS_CALL; /* they serve one-sided messages */
    enum progress_mode server = protocol_serves(protocol, (enum service)row->service, bytes);
    for (int i = 0; row->also >> i; i++) {
        enum progress_mode other = row->also >> i & 1 ? protocol_serves(protocol, (enum service)i, bytes) : server;
        if (other > server) server = other;
    }
    return server;
}

void replay_find_servers(struct replay *replay)
{
    for (int type = 0; type < MESSAGE_TYPE_COUNT; type++) {
        const struct message_row *row = core_of(replay)->messages_of[type];
        if (!row) continue;
        bool depends = false;
        for (int i = 0; i < SERVICE_COUNT; i++)
            if (i == row->service || row->also >> i & 1)
                depends = depends || replay->platform->protocol.serves[i][0].upto_bytes != INT64_MAX;
        depends = row->served_bytes && depends;
        core_of(replay)->servers[type] = depends ? (uint8_t)SERVER_BY_BYTES : (uint8_t)server_of_bytes(replay, row, 0);
    }
}

static inline enum progress_mode server_of(const struct replay *replay, const struct engine_note *message)
{
    uint8_t server = core_of(replay)->servers[message->type];
    if (server == PROGRESS_HARDWARE || message->source == message->destination) return PROGRESS_HARDWARE;
    if (server != SERVER_BY_BYTES) return (enum progress_mode)server;
    const struct message_row *row = core_of(replay)->messages_of[message->type];
    return server_of_bytes(replay, row, row->served_bytes(replay, message->ref));
}

/* The largest reverse_share of the operations whose data the message carries, in parts of 10^9. */
static int32_t reverse_e9_of(const struct replay *replay, const struct message_row *row, const struct engine_message *message)
{
    const struct platform *platform = replay->platform;
    const bool within = message->src_node == message->dst_node;
    double most = -1;
    for (enum rma_kind kind = 0; kind < RMA_KIND_COUNT; kind++) {
        if (!row->carries(replay, message->note.ref, kind)) continue;
        most = fmax(most, reverse_share_of(within ? platform->loopback_reverse[kind] : platform->protocol.reverse[kind],
                                           message->bytes));
    }
    return most > -1 ? (int32_t)lround(most * 1e9) : 0;
}

enum status replay_send(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination,
                        int64_t bytes, uint32_t ref, uint32_t extra, struct engine_departure *departure)
{
    struct core *core = core_of(replay);
    const struct message_row *row = core->messages_of[type];
    struct engine_message message = {
        .note = {source, destination, ref, extra, type},
        .key = source,
        .to = destination,
        .src_node = replay->nodes[source],
        .dst_node = replay->nodes[destination],
        .bytes = bytes,
        .to_self = source == destination,
        .two_sided = row->two_sided,
        .want_left = departure != NULL,
        .effect = row->effect,
        .passes = row->passes && replay->platform->control_bypass,
    };
    if (replay->reverses && row->carries)
        message.reverse_e9 = reverse_e9_of(replay, row, &message);
    if (row->vary) row->vary(replay, ref, &message);
    if (message.effect == EFFECT_REPLIES && !replay->answers_late) message.effect = EFFECT_ACTS;
    enum progress_mode server = server_of(replay, &message.note);
    bool later = server == PROGRESS_THREAD || (server == PROGRESS_CALL && core->polls > 1);
    if (later) message.effect = EFFECT_ACTS; /* the time until it is served counts from its arrival */
    struct engine_departure ignored, *known = departure ? departure : &ignored;
    if (core->connections && message.src_node != message.dst_node)
        TRY(replay_note_connection(replay, type, source, destination));
    TRY(mailbox_post(&core->mailbox, &message, known));
    bool late = known->left_ps != ENGINE_LATER && replay_past_end(replay, source, known->left_ps);
    return late ? STATUS_DATA : STATUS_OK;
}

enum status replay_send_control(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination,
                                uint32_t ref, uint32_t extra)
{
    return replay_send(replay, type, source, destination, replay->platform->control_bytes, ref, extra, NULL);
}

/* Whether the two ranks' queries and their answers are messages of engine_lazy.query() and reply(). */
static bool queries_between(const struct replay *replay, uint32_t source, uint32_t destination)
{
    return core_of(replay)->queries && replay->nodes[source] != replay->nodes[destination];
}

enum status replay_send_queries(struct replay *replay, uint32_t source, const uint32_t *to, uint32_t count, uint32_t ref)
{
    struct core *core = core_of(replay);
    const struct engine_query query = {.ref = ref, .type = MESSAGE_FLUSHED};
    int64_t left_ps;
    if (!core->queries) {
        for (uint32_t i = 0; i < count; i++)
            TRY(replay_send_control(replay, MESSAGE_FLUSH_QUERY, source, to[i], ref, 0));
        return STATUS_OK;
    }
    if (count == 0) return STATUS_OK;
    TRY(core->mailbox.lazy->query(core->engine, &query, source, replay->nodes, to, count, &left_ps, replay->err));
    return replay_past_end(replay, source, left_ps) ? STATUS_DATA : STATUS_OK;
}

enum status replay_send_query(struct replay *replay, uint32_t source, uint32_t destination, uint32_t ref)
{
    if (!queries_between(replay, source, destination))
        return replay_send_control(replay, MESSAGE_FLUSH_QUERY, source, destination, ref, 0);
    if (core_of(replay)->connections) TRY(replay_note_connection(replay, MESSAGE_FLUSH_QUERY, source, destination));
    return replay_send_queries(replay, source, &destination, 1, ref);
}

/* The rank answers the queries, each when it has arrived and not before from_ps. */
static enum status answer_queries(struct replay *replay, const struct engine_query *queries, uint32_t count, int64_t from_ps)
{
    struct core *core = core_of(replay);
    int64_t left_ps;
    if (core->connections) TRY(replay_note_answers(replay, queries, count));
    TRY(core->mailbox.lazy->reply(core->engine, queries, count, replay->nodes, from_ps, &left_ps, replay->err));
    return replay_past_end(replay, queries[0].destination, left_ps) ? STATUS_DATA : STATUS_OK;
}

enum status replay_on_flush_query(struct replay *replay, const struct engine_note *message)
{
    const uint32_t asker = message->source, rank = message->destination;
    const struct engine_query query = {replay->now_ps, asker, rank, message->ref, MESSAGE_FLUSHED};
    if (queries_between(replay, asker, rank)) return answer_queries(replay, &query, 1, replay->now_ps);
    return replay_send_control(replay, MESSAGE_FLUSHED, rank, asker, message->ref, 0);
}

enum status replay_serve_late(struct replay *replay, uint32_t index)
{
    const struct waiting_message *waiting = &core_of(replay)->messages[index];
    const struct engine_note message = waiting->message;
    replay_served_late(replay, &message, waiting->arrived_ps);
    replay_release_message(replay, index);
    return core_of(replay)->messages_of[message.type]->act(replay, &message);
}

static enum status keep_message(struct replay *replay, const struct engine_note *message, uint32_t *index)
{
    TRY(replay_take_message(replay, index));
    core_of(replay)->messages[*index] =
        (struct waiting_message){.message = *message, .next = NO_INDEX, .polls = 1, .arrived_ps = replay->now_ps};
    return STATUS_OK;
}

bool replay_serves(const struct replay *replay, uint32_t rank)
{
    return replay->ranks[rank].inside || (core_of(replay)->lingers && replay->now_ps < replay->rare[rank].lingers_until_ps);
}

uint32_t replay_least_messages(const struct replay *replay, uint32_t answers)
{
    return core_of(replay)->answers_apart ? answers : 1;
}

static enum status wait_for_progress(struct replay *replay, const struct engine_note *message, uint32_t polls)
{
    struct rank_state *server = &replay->ranks[message->destination];
    uint32_t index;
    TRY(keep_message(replay, message, &index));
    core_of(replay)->messages[index].polls = polls;
    if (server->serve_first == NO_INDEX)
        server->serve_first = index;
    else
        core_of(replay)->messages[replay->rare[message->destination].serve_last].next = index;
    replay->rare[message->destination].serve_last = index;
    return STATUS_OK;
}

enum status replay_postpone(struct replay *replay, enum message_type type, uint32_t rank, uint32_t ref)
{
    const struct engine_note message = {rank, rank, ref, 0, type};
    return wait_for_progress(replay, &message, 1);
}

/* The last message that waits for the rank; NULL: none does. Valid until another one waits. */
static struct engine_note *last_waiting(const struct replay *replay, uint32_t rank)
{
    if (replay->ranks[rank].serve_first == NO_INDEX) return NULL;
    return &core_of(replay)->messages[replay->rare[rank].serve_last].message;
}

/* The polls in which a call serves the message (mpi.rma.protocol.polls). */
static uint32_t polls_for(const struct replay *replay, const struct engine_note *message)
{
    const struct message_row *row = core_of(replay)->messages_of[message->type];
    bool one = row->two_sided || row->service == SERVICE_CLEAR || replay->ranks[message->destination].threads;
    return one ? 1 : core_of(replay)->polls;
}

/* The rank's call waits, and messages wait for its next poll. */
static enum status plan_poll(struct replay *replay, uint32_t rank)
{
    int64_t *at_ps = &replay->rare[rank].poll_at_ps;
    if (*at_ps != TRACE_UNKNOWN_PS || !replay->ranks[rank].inside) return STATUS_OK;
    *at_ps = replay->now_ps + core_of(replay)->poll_ps;
    return replay_timer(replay, *at_ps, rank, TIMER_SERVE, rank);
}

/* When a progress thread, or rank, has served a message that is here now. A progress rank serves one after another. */
static int64_t served_ps(struct replay *replay, uint32_t rank)
{
    const int64_t delay_ps = core_of(replay)->thread_delay_ps;
    if (!replay->servers) return replay->now_ps + delay_ps;
    int64_t *free_ps = &replay->server_free_ps[replay->servers[rank]];
    const bool waits = replay->platform->contention && *free_ps > replay->now_ps;
    *free_ps = (waits ? *free_ps : replay->now_ps) + delay_ps;
    return *free_ps;
}

enum status replay_arrived(struct replay *replay, const struct engine_note *message)
{
    struct core *core = core_of(replay);
    const struct message_row *row = core->messages_of[message->type];
    switch (server_of(replay, message)) {
    case PROGRESS_HARDWARE: return row->act(replay, message);
    case PROGRESS_THREAD: {
        uint32_t index;
        const int64_t at_ps = served_ps(replay, message->destination);
        if (at_ps == replay->now_ps) return row->act(replay, message);
        TRY(keep_message(replay, message, &index));
        return replay_timer(replay, at_ps, message->destination, TIMER_MESSAGE, index);
    }
    case PROGRESS_CALL: break;
    }
    bool serves = replay_serves(replay, message->destination);
    uint32_t polls = core->polls == 1 ? 1 : polls_for(replay, message);
    if (serves && polls == 1) return row->act(replay, message);
    TRY(wait_for_progress(replay, message, serves ? polls - 1 : polls));
    return serves ? plan_poll(replay, message->destination) : STATUS_OK;
}

/* Each waiting message needs one poll less. Those that need no more are served. The rank, if it can continue, does so in
 * between: it may poll again, and serve others. goes_on: the others wait for the next poll of this call. */
static enum status poll_once(struct replay *replay, uint32_t rank, bool goes_on)
{
    struct waiting_message *messages = core_of(replay)->messages;
    struct rank_state *state = &replay->ranks[rank];
    uint32_t at = state->serve_first, ready = NO_INDEX, *kept = &state->serve_first, *taken = &ready;
    for (; at != NO_INDEX; at = messages[at].next) {
        bool served = --messages[at].polls == 0;
        uint32_t **end = served ? &taken : &kept;
        if (!served) replay->rare[rank].serve_last = at;
        **end = at;
        *end = &messages[at].next;
    }
    *kept = *taken = NO_INDEX;
    if (goes_on && state->serve_first != NO_INDEX) TRY(plan_poll(replay, rank));
    while (ready != NO_INDEX) {
        at = ready;
        ready = core_of(replay)->messages[at].next;
        TRY(replay_serve_late(replay, at));
    }
    return STATUS_OK;
}

enum status replay_poll_again(struct replay *replay, uint32_t rank)
{
    int64_t *at_ps = &replay->rare[rank].poll_at_ps;
    if (*at_ps != replay->now_ps) return STATUS_OK; /* the call has returned */
    *at_ps = TRACE_UNKNOWN_PS;
    return replay->ranks[rank].inside ? poll_once(replay, rank, true) : STATUS_OK;
}

uint32_t replay_rank_of_poll(const struct replay *replay, uint32_t rank)
{
    (void)replay;
    return rank;
}

enum status replay_serve_waiting(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    if (core_of(replay)->polls > 1) return poll_once(replay, rank, false);
    while (state->serve_first != NO_INDEX) {
        uint32_t index = state->serve_first;
        state->serve_first = core_of(replay)->messages[index].next;
        TRY(replay_serve_late(replay, index));
    }
    return STATUS_OK;
}

/* --- queries --- */

static enum status keep_queries(struct replay *replay, const struct engine_query *queries, uint32_t count)
{
    struct core *core = core_of(replay);
    const uint32_t rank = queries[0].destination;
    struct waiting_queries *waiting = &core->waiting_queries[rank];
    TRY(array_reserve((void **)&waiting->items, &waiting->capacity, waiting->count + count, sizeof *waiting->items, replay->err));
    memcpy(&waiting->items[waiting->count], queries, count * sizeof *queries);
    waiting->count += count;
    struct engine_note *last = last_waiting(replay, rank);
    if (!last || last->type != MESSAGE_QUERIES) {
        TRY(replay_postpone(replay, MESSAGE_QUERIES, rank, 0));
        last = last_waiting(replay, rank);
    }
    last->extra += count;
    return STATUS_OK;
}

enum status replay_on_queries(struct replay *replay, const struct engine_note *message)
{
    struct waiting_queries *waiting = &core_of(replay)->waiting_queries[message->destination];
    const struct engine_query *queries = &waiting->items[waiting->first];
    const uint32_t count = message->extra;
    for (uint32_t i = 0; i < count; i++) {
        const struct engine_query *query = &queries[i];
        const struct engine_note note = {query->source, query->destination, query->ref, query->type, MESSAGE_FLUSH_QUERY};
        replay_served_late(replay, &note, query->time_ps);
    }
    waiting->first += count;
    if (waiting->first == waiting->count) waiting->first = waiting->count = 0;
    return answer_queries(replay, queries, count, replay->now_ps);
}

/* The answers, which are alike and only count, act together. */
static enum status receive_answers(struct replay *replay, const struct engine_query *answers, uint32_t count)
{
    const struct engine_query *last = &answers[count - 1];
    const struct engine_note note = {last->source, last->destination, last->ref, count - 1, (enum message_type)last->type};
    return core_of(replay)->messages_of[note.type]->act(replay, &note);
}

static enum status receive_query(struct replay *replay, const struct engine_query *query)
{
    const bool by_call = core_of(replay)->servers[MESSAGE_FLUSH_QUERY] == PROGRESS_CALL;
    if (by_call && !replay_serves(replay, query->destination)) return keep_queries(replay, query, 1);
    return answer_queries(replay, query, 1, replay->now_ps);
}

/* The rank is outside MPI: one message after another, in the order of their arrival. */
static enum status receive_outside(struct replay *replay, const struct engine_query *queries, uint32_t query_count,
                                   const struct engine_query *answers, uint32_t answer_count)
{
    const struct engine_query *queries_end = queries + query_count, *answers_end = answers + answer_count;
    while (queries < queries_end || answers < answers_end) {
        bool is_answer = queries == queries_end || (answers < answers_end && answers->time_ps < queries->time_ps);
        const struct engine_query *next = is_answer ? answers++ : queries++;
        const struct engine_note note = {next->source, next->destination, next->ref, 0, (enum message_type)next->type};
        replay->now_ps = next->time_ps;
        TRY(is_answer ? replay_arrived(replay, &note) : receive_query(replay, next));
    }
    return STATUS_OK;
}

/* A rank that serves everything answers the queries first: only the last message may let it go on. */
enum status replay_queried(struct replay *replay, const struct engine_query *queries, uint32_t query_count,
                           const struct engine_query *answers, uint32_t answer_count)
{
    const uint32_t rank = query_count > 0 ? queries->destination : answers->destination;
    if (replay->needs_call && !replay->ranks[rank].inside)
        return receive_outside(replay, queries, query_count, answers, answer_count);
    if (query_count > 0) TRY(answer_queries(replay, queries, query_count, 0));
    return answer_count > 0 ? receive_answers(replay, answers, answer_count) : STATUS_OK;
}

enum status replay_prepare_queries(struct replay *replay)
{
    struct core *core = core_of(replay);
    if (!core->queries || !replay->needs_call) return STATUS_OK;
    core->waiting_queries = calloc(replay->trace->rank_count, sizeof *core->waiting_queries);
    return core->waiting_queries ? STATUS_OK : err_memory(replay->err);
}

enum status replay_left(struct replay *replay, const struct engine_note *message, int64_t began_ps, int64_t left_ps)
{
    return core_of(replay)->messages_of[message->type]->left(replay, message, began_ps, left_ps);
}

uint32_t replay_rank_of_message(const struct replay *replay, uint32_t waiting)
{
    return core_of(replay)->messages[waiting].message.destination;
}

void replay_clear_messages(struct replay *replay)
{
    struct waiting_queries *waiting = core_of(replay)->waiting_queries;
    for (uint32_t rank = 0; waiting && rank < replay->trace->rank_count; rank++) free(waiting[rank].items);
    FREE_ALL(waiting, core_of(replay)->messages);
}
