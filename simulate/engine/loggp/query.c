#include "simulate/engine/loggp/query.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "simulate/engine/loggp/schedule.h"

enum { ROOM_LEAST = 4 };

static enum status make_boxes(struct engine *engine, struct err *err)
{
    const size_t nodes = (size_t)engine->platform->node_count;
    struct query_boxes *made = engine->queries = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->words = (uint32_t)(nodes + 63) / 64;
    made->of = lines_new(nodes, sizeof *made->of);
    made->queried = calloc(made->words, sizeof *made->queried);
    return made->of && made->queried ? STATUS_OK : err_memory(err);
}

void loggp_clear_queries(struct engine *engine)
{
    for (int32_t node = 0; engine->queries->of && node < engine->platform->node_count; node++) {
        FREE_ALL(engine->queries->of[node].queries.items, engine->queries->of[node].answers.items);
    }
    FREE_ALL(engine->queries->of, engine->queries->queried, engine->queries);
}

/* --- lists --- */

/* Moves the messages to the front of the list, or makes it larger if they fill more than half of it. */
static __attribute__((noinline)) enum status make_room(struct query_list *list, struct err *err)
{
    uint32_t count = list->end - list->first;
    if (count > list->room / 2 || list->room == 0) {
        uint32_t room = list->room == 0 ? ROOM_LEAST : 2 * list->room;
        struct engine_query *grown = realloc(list->items, room * sizeof *grown);
        if (!grown) return err_memory(err);
        list->items = grown;
        list->room = room;
        return STATUS_OK;
    }
    memmove(list->items, list->items + list->first, count * sizeof *list->items);
    list->heads -= list->first;
    list->end = count;
    list->first = 0;
    return STATUS_OK;
}

static inline bool is_before(const struct engine_query *one, const struct engine_query *two)
{
    return event_before((struct event_time){one->time_ps, one->source}, (struct event_time){two->time_ps, two->source});
}

/* Most heads come nearly in the order of their sending. */
static inline enum status put_message(struct query_list *list, const struct engine_query *message, struct err *err)
{
    if (list->end == list->room) TRY(make_room(list, err));
    struct engine_query *at = list->items + list->end++, *heads = list->items + list->heads;
    for (; at > heads && is_before(message, at - 1); at--) *at = at[-1];
    *at = *message;
    return STATUS_OK;
}

static struct event_time first_of_list(const struct query_list *list)
{
    const struct engine_query *first = &list->items[list->first], *heads = &list->items[list->heads];
    struct event_time head = list->heads < list->end ? loggp_query_head(heads) : INBOX_NO_ALARM;
    struct event_time arrival = list->first < list->heads ? loggp_query_arrival(first) : INBOX_NO_ALARM;
    return event_before(arrival, head) ? arrival : head;
}

struct event_time loggp_first_query(const struct engine *engine, int32_t node)
{
    const struct query_box *box = &engine->queries->of[node];
    const struct event_time query = first_of_list(&box->queries), answer = first_of_list(&box->answers);
    return event_before(answer, query) ? answer : query;
}

/* --- sending --- */

enum status loggp_push_queries(struct engine *engine, int64_t tail_ps, struct err *err)
{
    int64_t *due_ps = &engine->queries->due_ps;
    const struct event_time due = {tail_ps + engine->control_cost.latency_ps, 0};
    if (*due_ps != 0 && *due_ps <= due.time_ps) return STATUS_OK;
    *due_ps = due.time_ps;
    engine->answers++;
    return event_queue_push_at(&engine->queue, due, EVENT_QUERIES, 0, err);
}

static inline enum status put_query(struct engine *engine, uint32_t node, const struct engine_query *query, struct err *err)
{
    uint64_t *word = &engine->queries->queried[node / 64], bit = UINT64_C(1) << node % 64;
    TRY(put_message(&engine->queries->of[node].queries, query, err));
    if (!(*word & bit)) *word |= bit;
    if (engine->nics[node].inbox.queued == 0) return STATUS_OK;
    return loggp_set_alarm(engine, (int32_t)node, loggp_query_tail(engine, query), err);
}

static inline enum status put_answer(struct engine *engine, int32_t node, const struct engine_query *answer, struct err *err)
{
    struct inbox *inbox = &engine->nics[node].inbox;
    const struct event_time tail = loggp_query_tail(engine, answer);
    TRY(put_message(&engine->queries->of[node].answers, answer, err));
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
    struct engine_query message = {.source = source, .ref = query->ref, .type = query->type};
    int64_t *free_ps = &engine->nics[nodes[source]].send_free_ps, begin_ps = units_max_ps(*free_ps, engine->now.time_ps);
    const struct cost cost = engine->control_cost;
    if (!engine->queries) TRY(make_boxes(engine, err));
    TRY(loggp_push_queries(engine, begin_ps + cost.latency_ps + cost.transmit_ps, err));
    for (uint32_t i = 0; i < count; i++) {
        message.time_ps = units_add_ps(begin_ps, cost.latency_ps);
        message.destination = to[i];
        begin_ps = units_add_ps(begin_ps, cost.occupy_ps);
        TRY(put_query(engine, (uint32_t)nodes[to[i]], &message, err));
    }
    *free_ps = begin_ps;
    engine->stats.messages += count;
    *left_ps = left_ps_of(engine, message.time_ps);
    return STATUS_OK;
}

enum status loggp_reply(struct engine *engine, const struct engine_query *queries, uint32_t count, const int32_t *nodes,
                        int64_t from_ps, int64_t *left_ps, struct err *err)
{
    int64_t *free_ps = &engine->nics[nodes[queries[0].destination]].send_free_ps;
    int64_t begin_ps = units_max_ps(*free_ps, from_ps), head_ps = 0;
    const struct cost cost = engine->control_cost;
    if (!engine->queries) TRY(make_boxes(engine, err));
    for (const struct engine_query *query = queries; query < queries + count; query++) {
        begin_ps = units_max_ps(begin_ps, query->time_ps);
        head_ps = units_add_ps(begin_ps, cost.latency_ps);
        begin_ps = units_add_ps(begin_ps, cost.occupy_ps);
        const struct engine_query answer = {head_ps, query->destination, query->source, query->ref, query->type};
        TRY(put_answer(engine, nodes[answer.destination], &answer, err));
    }
    *free_ps = begin_ps;
    engine->stats.messages += count;
    *left_ps = left_ps_of(engine, head_ps);
    return STATUS_OK;
}

/* --- delivering --- */

/* The end of the messages whose heads arrive by the limit. */
static inline uint32_t end_of_heads(const struct query_list *list, struct event_time limit)
{
    uint32_t end = list->heads;
    while (end < list->end && !event_before(limit, loggp_query_head(&list->items[end]))) end++;
    return end;
}

/* The NIC receives those whose heads arrive by the limit. */
static void receive_heads(const struct engine *engine, struct nic *nic, struct query_box *box, struct event_time limit)
{
    const uint32_t query_end = end_of_heads(&box->queries, limit), answer_end = end_of_heads(&box->answers, limit);
    const int64_t transmit_ps = engine->control_cost.transmit_ps;
    struct engine_query *query = &box->queries.items[box->queries.heads], *queries_end = &box->queries.items[query_end];
    struct engine_query *answer = &box->answers.items[box->answers.heads], *answers_end = &box->answers.items[answer_end];
    if (query == queries_end && answer == answers_end) return;
    int64_t free_ps = nic->receive_free_ps;
    while (query < queries_end || answer < answers_end) {
        bool answers = query == queries_end || (answer < answers_end && is_before(answer, query));
        struct engine_query *next = answers ? answer++ : query++;
        nic->head_ps = next->time_ps;
        nic->key = next->source;
        next->time_ps = free_ps = units_max_ps(next->time_ps, free_ps) + transmit_ps;
    }
    nic->before = nic->key;
    nic->receive_free_ps = free_ps;
    if (answer_end > box->answers.heads) {
        const struct event_time last = loggp_query_arrival(answers_end - 1);
        if (event_before(nic->inbox.latest, last)) nic->inbox.latest = last;
    }
    box->queries.heads = query_end;
    box->answers.heads = answer_end;
}

/* Answers that may be delivered together: a rank that waits goes on by the last one at the earliest. Where several ranks or
 * threads wait, each answer may be looked at. */
static uint32_t most_answers(const struct inbox *inbox)
{
    if (inbox->waiting == 0) return UINT32_MAX;
    return inbox->awaits == ENGINE_ANY_COUNTER ? 1 : inbox->need;
}

/* Messages of a box that are delivered together. */
struct query_run {
    uint32_t queries, answers;
};

/* Whether the answer acts as the other one does. */
static inline bool is_alike(const struct engine_query *answer, const struct engine_query *other)
{
    return answer->destination == other->destination && answer->ref == other->ref && answer->type == other->type;
}

/* The answers that have arrived by *limit, to the destination and alike. *limit: by which queries are delivered with them. */
static uint32_t count_answers(const struct query_list *answers, uint32_t destination, uint32_t most, struct event_time *limit)
{
    const struct engine_query *first = &answers->items[answers->first];
    const uint32_t there = answers->heads - answers->first;
    uint32_t count = 0;
    for (; count < there && count < most; count++) {
        const struct event_time arrival = loggp_query_arrival(&first[count]);
        if (event_before(*limit, arrival)) return count;
        if (first[count].destination == destination && is_alike(&first[count], first)) continue;
        *limit = arrival;
        return count;
    }
    if (count == most) *limit = loggp_query_arrival(&first[count - 1]);
    return count;
}

/* How many messages have arrived by the limit and may be delivered together: to one rank, with answers that are alike. No two
 * messages arrive at one moment. */
static struct query_run find_run(const struct query_box *box, const struct inbox *inbox, struct event_time limit)
{
    const struct engine_query *query = &box->queries.items[box->queries.first], *answer = &box->answers.items[box->answers.first];
    const uint32_t queries = box->queries.heads - box->queries.first;
    const bool answers = box->answers.heads > box->answers.first;
    struct query_run run = {0, 0};
    if (queries == 0 && !answers) return run;
    const bool answer_first = queries == 0 || (answers && is_before(answer, query));
    const uint32_t destination = answer_first ? answer->destination : query->destination;
    run.answers = count_answers(&box->answers, destination, most_answers(inbox), &limit);
    for (; run.queries < queries; run.queries++, query++) {
        if (event_before(limit, loggp_query_arrival(query))) break;
        if (query->destination == destination) continue;
        while (run.answers > 0 && is_before(query, &answer[run.answers - 1])) run.answers--;
        break;
    }
    return run;
}

/* Whether everything is delivered that the NIC has received. An empty list is used from its begin again. */
static inline bool is_delivered(struct query_list *list)
{
    if (list->first < list->heads) return false;
    if (list->first == list->end) list->first = list->heads = list->end = 0;
    return true;
}

/* While they are delivered, nothing is put into their own box: its node sends to others. */
void loggp_take_queries(struct engine *engine, int32_t node, struct event_time limit)
{
    struct nic *nic = &engine->nics[node];
    struct inbox *inbox = &nic->inbox;
    struct query_box *box = &engine->queries->of[node];
    struct query_list *queries = &box->queries, *answers = &box->answers;
    while (!query_list_is_empty(queries) || !query_list_is_empty(answers)) {
        uint32_t flight = inbox_first(inbox, engine->flights);
        if (flight != FLIGHT_NONE && event_before(engine->flights[flight].time, limit)) limit = engine->flights[flight].time;
        receive_heads(engine, nic, box, limit);
        const struct query_run run = find_run(box, inbox, limit);
        if (run.queries + run.answers == 0) return;
        const struct engine_query *query = &queries->items[queries->first], *answer = &answers->items[answers->first];
        queries->first += run.queries;
        answers->first += run.answers;
        inbox_count_arrivals(inbox, run.answers);
        inbox->count -= run.answers;
        bool answer_last = run.queries == 0 || (run.answers > 0 && is_before(&query[run.queries - 1], &answer[run.answers - 1]));
        engine->now = loggp_query_arrival(answer_last ? &answer[run.answers - 1] : &query[run.queries - 1]);
        engine->callbacks.lazy.queries(engine->callbacks.context, query, run.queries, answer, run.answers);
        const bool queries_done = is_delivered(queries), answers_done = is_delivered(answers);
        if (queries_done && answers_done) return;
    }
}
