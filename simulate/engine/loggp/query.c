#include "simulate/engine/loggp/query.h"

#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "simulate/engine/loggp/schedule.h"

enum { ROOM_LEAST = 4 };

static enum status make_boxes(struct engine *engine, struct err *err)
{
    engine->queries = lines_new((size_t)engine->platform->node_count, sizeof *engine->queries);
    return engine->queries ? STATUS_OK : err_memory(err);
}

void loggp_clear_queries(struct engine *engine)
{
    for (int32_t node = 0; node < engine->platform->node_count; node++) free(engine->queries[node].items);
    free(engine->queries);
}

/* Moves the messages to the front of the box, or makes it larger if they fill more than half of it. */
static enum status make_room(struct query_box *box, struct err *err)
{
    uint32_t count = box->end - box->first;
    if (count > box->room / 2 || box->room == 0) {
        uint32_t room = box->room == 0 ? ROOM_LEAST : 2 * box->room;
        struct engine_query *grown = realloc(box->items, room * sizeof *grown);
        if (!grown) return err_memory(err);
        box->items = grown;
        box->room = room;
        return STATUS_OK;
    }
    memmove(box->items, box->items + box->first, count * sizeof *box->items);
    box->heads -= box->first;
    box->end = count;
    box->first = 0;
    return STATUS_OK;
}

/* Most heads come nearly in the order of their sending. */
static inline enum status put_message(struct query_box *box, const struct engine_query *message, struct err *err)
{
    if (box->end == box->room) TRY(make_room(box, err));
    struct engine_query *items = box->items;
    uint32_t at = box->end++;
    for (; at > box->heads && event_before(message->time, items[at - 1].time); at--) items[at] = items[at - 1];
    items[at] = *message;
    return STATUS_OK;
}

static inline enum status push_event(struct engine *engine, int32_t node, int64_t due_ps, struct err *err)
{
    struct query_box *box = &engine->queries[node];
    if (box->due_ps != 0 && box->due_ps <= due_ps) return STATUS_OK;
    box->due_ps = due_ps;
    engine->answers++;
    const struct event_time due = {due_ps, 0};
    return event_queue_push_ring(&engine->queue, RING_ASKS, due, EVENT_QUERIES, (uint32_t)node, err);
}

enum status loggp_push_queries(struct engine *engine, int32_t node, struct err *err)
{
    const struct query_box *box = &engine->queries[node];
    if (box->asks == 0) return STATUS_OK;
    uint32_t at = box->first;
    while (!box->items[at].asks) at++;
    int64_t tail_ps = box->items[at].time.time_ps + (at < box->heads ? 0 : engine->control_cost.transmit_ps);
    return push_event(engine, node, tail_ps + engine->control_cost.latency_ps, err);
}

static inline enum status put_query(struct engine *engine, int32_t node, const struct engine_query *message, struct err *err)
{
    struct query_box *box = &engine->queries[node];
    const struct event_time tail = loggp_query_tail(engine, message->time);
    TRY(put_message(box, message, err));
    box->asks++;
    TRY(push_event(engine, node, tail.time_ps + engine->control_cost.latency_ps, err));
    return engine->nics[node].inbox.queued > 0 ? loggp_set_alarm(engine, node, tail, err) : STATUS_OK;
}

static inline enum status put_answer(struct engine *engine, int32_t node, const struct engine_query *message, struct err *err)
{
    struct inbox *inbox = &engine->nics[node].inbox;
    const struct event_time tail = loggp_query_tail(engine, message->time);
    TRY(put_message(&engine->queries[node], message, err));
    inbox_count_put(inbox, tail);
    if ((inbox->queued | inbox->waiting) == 0) return STATUS_OK;
    if (inbox->queued > 0) return loggp_set_alarm(engine, node, tail, err);
    if (inbox->count < inbox->need || inbox_awaits_one(inbox)) return STATUS_OK;
    return loggp_set_alarm(engine, node, inbox->count == inbox->need ? inbox->latest : tail, err);
}

static int64_t left_ps_of(const struct engine *engine, int64_t head_ps)
{
    return units_add_ps(head_ps - engine->control_cost.latency_ps, engine->control_cost.transmit_ps);
}

enum status loggp_query(struct engine *engine, const struct engine_query *query, uint32_t source, const int32_t *nodes,
                        const uint32_t *to, uint32_t count, int64_t *left_ps, struct err *err)
{
    struct engine_query message = *query;
    if (!engine->queries) TRY(make_boxes(engine, err));
    message.asks = true;
    for (uint32_t i = 0; i < count; i++) {
        message.time = loggp_control_head(engine, nodes[source], source, engine->now.time_ps);
        message.destination = to[i];
        TRY(put_query(engine, nodes[to[i]], &message, err));
    }
    *left_ps = left_ps_of(engine, message.time.time_ps);
    return STATUS_OK;
}

enum status loggp_reply(struct engine *engine, const struct engine_query *messages, uint32_t count, const int32_t *nodes,
                        int64_t from_ps, int64_t *left_ps, struct err *err)
{
    const uint32_t source = messages[0].destination;
    if (!engine->queries) TRY(make_boxes(engine, err));
    for (uint32_t i = 0; i < count; i++) {
        if (!messages[i].asks) continue;
        struct engine_query answer = messages[i];
        answer.destination = event_key(answer.time.order);
        answer.time = loggp_control_head(engine, nodes[source], source, units_max_ps(from_ps, answer.time.time_ps));
        answer.asks = false;
        TRY(put_answer(engine, nodes[answer.destination], &answer, err));
        *left_ps = left_ps_of(engine, answer.time.time_ps);
    }
    return STATUS_OK;
}

/* The NIC receives those whose heads arrive by the limit. */
static void receive_heads(const struct engine *engine, struct nic *nic, struct query_box *box, struct event_time limit)
{
    for (; box->heads < box->end && !event_before(limit, box->items[box->heads].time); box->heads++) {
        struct engine_query *message = &box->items[box->heads];
        nic->head_ps = message->time.time_ps;
        message->time.time_ps = units_max_ps(nic->head_ps, nic->receive_free_ps);
        message->time = loggp_query_tail(engine, message->time);
        nic->receive_free_ps = message->time.time_ps;
        nic->key = event_key(message->time.order);
        nic->before = 0;
        if (!message->asks && event_before(nic->inbox.latest, message->time)) nic->inbox.latest = message->time;
    }
}

/* Answers that may be delivered together: a rank that waits goes on by the last one at the earliest. Where several ranks or
 * threads wait, each answer may be looked at. */
static uint32_t most_answers(const struct inbox *inbox)
{
    if (inbox->waiting == 0) return UINT32_MAX;
    return inbox->awaits == ENGINE_ANY_COUNTER ? 1 : inbox->need;
}

/* The end of those that have arrived by the limit and may be delivered together: to one rank, with equal answers.
 * *answers: how many are answers. */
static uint32_t end_of_run(const struct query_box *box, const struct inbox *inbox, struct event_time limit, uint32_t *answers)
{
    const struct engine_query *message = &box->items[box->first], *end = &box->items[box->heads], *answer = NULL;
    const uint32_t most = most_answers(inbox), destination = message->destination;
    *answers = 0;
    for (; message < end && *answers < most; message++) {
        if (event_before(limit, message->time) || message->destination != destination) break;
        if (message->asks) continue;
        if (answer && (message->ref != answer->ref || message->type != answer->type)) break;
        answer = message;
        ++*answers;
    }
    return (uint32_t)(message - box->items);
}

/* While they are delivered, nothing is put into their own box: its node sends to others. */
void loggp_take_queries(struct engine *engine, int32_t node, struct event_time limit)
{
    struct nic *nic = &engine->nics[node];
    struct inbox *inbox = &nic->inbox;
    struct query_box *box = &engine->queries[node];
    while (box->first < box->end) {
        uint32_t flight = inbox_first(inbox, engine->flights), first = box->first, answers;
        if (flight != FLIGHT_NONE && event_before(engine->flights[flight].time, limit)) limit = engine->flights[flight].time;
        receive_heads(engine, nic, box, limit);
        uint32_t end = end_of_run(box, inbox, limit, &answers);
        if (end == first) return;
        box->first = end;
        box->asks -= end - first - answers;
        inbox_count_arrivals(inbox, answers);
        inbox->count -= answers;
        engine->now = box->items[end - 1].time;
        engine->callbacks.lazy.queries(engine->callbacks.context, &box->items[first], end - first);
        if (box->first == box->end) box->first = box->heads = box->end = 0;
    }
}
