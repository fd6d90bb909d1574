/* The LogGP engine: latency, overhead, gap and time per byte, with one sending and one receiving queue per node. Links
 * inside the network never limit the rate, or (engine.links = queue) are queues like the NICs (link_queues.h). Source:
 * A. Alexandrov et al., LogGP: Incorporating Long Messages into the LogP Model, SPAA 1995, sec. 2; the queues at the
 * NICs: T. Hoefler et al., LogGOPSim, HPDC 2010, sec. 3. Costs: docs/simulation.md.
 *
 * A message is one event, at the arrival of its head, and a second one where the receiving NIC is busy. If nobody acts
 * at that moment, it is no event: it stays in the inbox of its node until an event of the node, or until an alarm for a
 * rank that waits.
 *
 * A message that is answered also stays in the inbox, at the longest until its answer may arrive. By then everything
 * that can reach the destination before has been sent. What the destination sends late, with its own earlier time, has
 * reached nobody too late. So the time of a node may be behind the engine's by at most the latency.
 *
 * A node runs ahead of the others where they cannot know of it. What other nodes send from now on arrives a latency
 * later at the earliest. So if nothing else is pending for a node, an event of it that is due before that is handled at
 * once and never enters the queue. While an answer is awaited no node runs ahead. Both rules are the lookahead of a
 * conservative parallel simulation (K. M. Chandy, J. Misra, Distributed simulation, IEEE TSE 5(5), 1979). */
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/units.h"
#include "simulate/engine/loggp/deliver.h"
#include "simulate/engine/loggp/local.h"
#include "simulate/engine/loggp/query.h"
#include "simulate/engine/loggp/reception.h"
#include "simulate/engine/loggp/schedule.h"

enum { PREFETCH_NODES = 2048, AHEAD = 12 };

/* The least time that any message takes between two nodes. */
static int64_t least_latency_ps(const struct platform *platform)
{
    double least_s = INFINITY;
    for (size_t i = 0; i < platform->segment_count; i++) least_s = fmin(least_s, platform->segments[i].latency_s);
    for (size_t i = 0; i < platform->two_sided_count; i++) least_s = fmin(least_s, platform->two_sided[i].latency_s);
    return isinf(least_s) ? 0 : units_ps(least_s);
}

static void loggp_close(struct engine *engine)
{
    if (!engine) return;
    event_queue_clear(&engine->queue);
    if (engine->queries) loggp_clear_queries(engine);
    link_queues_clear(&engine->links);
    jitter_clear(&engine->jitter);
    map_clear(&engine->pairs);
    FREE_ALL(engine->nics, engine->receptions);
    locals_free(engine->locals);
    FREE_ALL(engine->flights, engine->asks, engine->last_asks, engine);
}

static enum status loggp_open(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                              const struct engine_callbacks *callbacks, struct engine **engine, struct err *err)
{
    (void)pairs;
    (void)pair_count;
    struct engine *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->platform = platform;
    made->callbacks = *callbacks;
    cost_memory_init(&made->costs, platform);
    link_queues_init(&made->links, platform);
    jitter_init(&made->jitter, platform);
    made->prefetches = callbacks->prefetch && platform->node_count >= PREFETCH_NODES;
    made->queue.ahead = made->prefetches ? AHEAD : 0;
    made->in_order = platform->segment_count == 1 && !platform->two_sided;
    made->least_latency_ps = least_latency_ps(platform);
    made->at_once = made->least_latency_ps == 0;
    const bool within = platform->contention && platform_reverses_within(platform);
    const bool reverses = platform->contention && protocol_reverses(&platform->protocol);
    made->plain = made->in_order && !made->at_once && !made->links.used && !reverses;
    made->answer_latency_ps = made->costs.same_latency ? made->least_latency_ps : -1;
    made->answered = made->draining = NO_NODE;
    made->contention = platform->contention;
    made->gap_ps = units_ps(platform->gap_s);
    if (callbacks->lazy.apart && !made->links.used && !reverses && !within) made->lookahead_ps = made->least_latency_ps;
    made->nics = lines_new((size_t)platform->node_count, sizeof *made->nics);
    made->last_asks = calloc((size_t)platform->node_count, sizeof *made->last_asks);
    if (reverses) made->receptions = calloc((size_t)platform->node_count, sizeof *made->receptions);
    if (within) made->locals = locals_new();
    if (!made->nics || !made->last_asks || (reverses && !made->receptions) || (within && !made->locals)) {
        loggp_close(made);
        return err_memory(err);
    }
    made->flight_count = FLIGHT_NONE + 1;
    made->asks_count = ASKS_NONE + 1;
    /* A message may be sent after the engine has received the heads of others that come later. */
    bool heads_count = made->at_once || platform->control_bypass;
    for (int32_t node = 0; node < platform->node_count; node++) inbox_init(&made->nics[node].inbox, heads_count);
    *engine = made;
    return STATUS_OK;
}

/* --- sending --- */

/* No later message of its sender to the same node arrives before a message of the latency. */
static inline bool stays_behind(const struct engine *engine, int64_t latency_ps)
{
    return engine->in_order || (engine->costs.same_latency && latency_ps == engine->least_latency_ps);
}

/* An unwatched message is delivered when the next one is, so no message may overtake it. Where a message may arrive at
 * the moment of its sending, after events that are later in the order, only the queue keeps the total order. Where links
 * are queues, a message is in the inbox once it has passed the last one, a part of the latency before its arrival; and no
 * time is known before which an answer cannot arrive. */
static enum message_effect effect_of(const struct engine *engine, const struct engine_message *message, int64_t latency_ps,
                                     bool queues)
{
    if (queues && engine->plain) return message->effect;
    if (!queues || engine->at_once || engine->receptions) return EFFECT_ACTS;
    bool orders = message->effect == EFFECT_PRECEDES || message->effect == EFFECT_REPLIES;
    if (orders && !stays_behind(engine, latency_ps)) return EFFECT_ACTS;
    return message->effect == EFFECT_REPLIES && engine->links.used ? EFFECT_ACTS : message->effect;
}

/* Schedules the arrival of the head at the next link. After the last link the flight goes on as any other. */
static enum status to_next_link(struct engine *engine, uint32_t index, struct err *err)
{
    const struct link_path *path = &engine->links.paths[index];
    struct event_time time;
    bool at_link = link_queues_next(&engine->links, index, &time.time_ps);
    time.order = event_queue_order(&engine->queue, path->key);
    if (at_link) return event_queue_push_at(&engine->queue, time, EVENT_LINK, index, err);
    bool at_once = path->part_ps == 0;
    uint32_t message = link_queues_leave(&engine->links, index);
    struct flight *flight = &engine->flights[message];
    flight->time = time;
    if (at_once) flight->effect = EFFECT_ACTS;
    return loggp_put(engine, message, err);
}

static enum status on_link(struct engine *engine, uint32_t index, struct err *err)
{
    engine->stats.events++;
    TRY(link_queues_pass(&engine->links, index, engine->now.time_ps, err));
    return to_next_link(engine, index, err);
}

/* engine.nic = pairs: a sender has a connection to each node, whose messages keep their order, and no limit of its bytes. Where a
 * message has the shorter latency, it begins later: its head does not arrive before that of the one in front. */
static enum status keep_order(struct engine *engine, const struct engine_message *message, int64_t latency_ps, int64_t *begin_ps,
                              struct err *err)
{
    uint64_t *head_ps, key = map_pair((uint32_t)message->src_node, (uint32_t)message->dst_node);
    TRY(map_put(&engine->pairs, key, 0, &head_ps, err));
    if ((int64_t)*head_ps > units_add_ps(*begin_ps, latency_ps)) *begin_ps = (int64_t)*head_ps - latency_ps;
    *head_ps = (uint64_t)units_add_ps(*begin_ps, latency_ps);
    return STATUS_OK;
}

/* The message leaves behind the earlier ones of its NIC: *begin_ps is when it may, then when it does. */
static enum status take_turn(struct engine *engine, const struct engine_message *message, const struct cost *cost,
                             int64_t *begin_ps, struct err *err)
{
    const bool pairs = engine->platform->nic == NIC_PAIRS;
    int64_t *free_ps = &engine->nics[message->src_node].send_free_ps;
    if (*free_ps > *begin_ps) *begin_ps = *free_ps;
    *free_ps = units_add_ps(*begin_ps, pairs ? engine->gap_ps : cost->occupy_ps);
    return pairs ? keep_order(engine, message, cost->latency_ps, begin_ps, err) : STATUS_OK;
}

static inline enum status take_flight(struct engine *engine, uint32_t *index, struct err *err)
{
    *index = engine->free_flight;
    if (*index == FLIGHT_NONE) {
        TRY(lines_reserve((void **)&engine->flights, &engine->flight_capacity, engine->flight_count + 1,
                          sizeof *engine->flights, err));
        *index = (uint32_t)engine->flight_count++;
    } else {
        engine->free_flight = engine->flights[*index].next;
        __builtin_prefetch(&engine->flights[engine->free_flight]);
    }
    return STATUS_OK;
}

static enum status loggp_send(struct engine *engine, const struct engine_message *message,
                              struct engine_departure *departure, struct err *err)
{
    const struct cost *cost = cost_recall(&engine->costs, message);
    bool queues = cost->network && engine->contention && !message->passes;
    int64_t begin_ps = engine->now.time_ps;
    engine->stats.messages++;
    if (queues) TRY(take_turn(engine, message, cost, &begin_ps, err));
    *departure = (struct engine_departure){begin_ps, units_add_ps(begin_ps, cost->transmit_ps)};
    int64_t from_ps = queues ? begin_ps : departure->left_ps, latency_ps = cost->latency_ps;
    if (cost->network && engine->jitter.sd_ps > 0)
        TRY(jitter_draw(&engine->jitter, message->src_node, message->dst_node, from_ps, &latency_ps, err));
    int64_t head_ps = units_add_ps(from_ps, latency_ps);
    uint32_t index;
    TRY(take_flight(engine, &index, err));
    /* Member by member: loads of a copy would wait for the stores of its members. */
    struct flight *flight = &engine->flights[index];
    flight->time = (struct event_time){head_ps, event_queue_order(&engine->queue, message->key)};
    flight->transmit_ps = cost->transmit_ps;
    flight->note = message->note;
    flight->dst_node = message->dst_node;
    flight->src_node = message->src_node;
    flight->effect = (uint8_t)effect_of(engine, message, cost->latency_ps, queues);
    flight->to_nic = queues;
    if (flight->effect == EFFECT_REPLIES) TRY(loggp_push_answer(engine, index, err));
    if (engine->receptions) flight->reverse_e9 = queues ? message->reverse_e9 : 0;
    if (engine->locals && !cost->network && !message->to_self && cost->transmit_ps > 0)
        return loggp_receive_within(engine, index, message, head_ps - cost->transmit_ps, err);
    if (engine->plain || !queues || !engine->links.used) return loggp_put(engine, index, err);
    const struct link_entry entry = {.message = index,
                                     .key = message->key,
                                     .src_node = message->src_node,
                                     .dst_node = message->dst_node,
                                     .latency_ps = latency_ps,
                                     .transmit_ps = cost->transmit_ps,
                                     .head_ps = begin_ps};
    uint32_t path;
    TRY(link_queues_enter(&engine->links, &entry, &path, err));
    return to_next_link(engine, path, err);
}

/* The costs of these messages must not depend on the pair of nodes, and their order only on the sending NIC. */
static bool loggp_queries(struct engine *engine, int64_t bytes)
{
    const struct engine_message message = {.src_node = 0, .dst_node = 1, .bytes = bytes, .two_sided = true};
    const struct platform *platform = engine->platform;
    bool one_queue = engine->contention && platform->nic != NIC_PAIRS && !engine->links.used && !engine->at_once &&
                     !engine->receptions;
    if (platform->node_count < 2 || !one_queue || !engine->costs.same_latency || engine->jitter.sd_ps > 0) return false;
    engine->control_cost = *cost_recall(&engine->costs, &message);
    if (engine->control_cost.transmit_ps == 0 || platform->two_sided || platform->control_bypass)
        return false; /* not all of them would cost as this one */
    return stays_behind(engine, engine->control_cost.latency_ps);
}

/* Keys are ranks. A timer of a rank belongs to the rank's node. */
static int32_t timer_node(const struct engine *engine, uint32_t key)
{
    return engine->lookahead_ps > 0 ? platform_node_of(engine->platform, key) : -1;
}

static enum status loggp_timer(struct engine *engine, int64_t at_ps, uint32_t key, uint32_t id, struct err *err)
{
    const struct event_time time = {at_ps, event_queue_order(&engine->queue, key)};
    return loggp_schedule(engine, time, EVENT_TIMER, id, timer_node(engine, key), err);
}

/* --- running --- */

static void prefetch_alarm(const struct engine *engine, const struct nic *nic, enum engine_distance distance,
                           struct prefetch_lines *lines)
{
    const struct engine_callbacks *on = &engine->callbacks;
    switch (distance) {
    case ENGINE_FAR: lines_want(lines, nic, sizeof *nic); return;
    case ENGINE_NEAR: lines_want(lines, &engine->flights[nic->inbox.first], LINE_BYTES); break;
    case ENGINE_SOON: loggp_prefetch_inbox(engine, &nic->inbox, lines); break;
    case ENGINE_NEXT:
    case ENGINE_HERE: break;
    }
    /* One step later: the NIC names the rank. */
    on->prefetch(on->context, nic->inbox.waiter, NULL, distance + 1, lines);
}

static void prefetch_timer(const struct engine *engine, const struct event *event, enum engine_distance distance,
                           struct prefetch_lines *lines)
{
    int32_t node = distance == ENGINE_FAR ? timer_node(engine, event_key(event->time.order)) : NO_NODE;
    if (node != NO_NODE) lines_want(lines, &engine->nics[node], sizeof *engine->nics);
    engine->callbacks.prefetch(engine->callbacks.context, event->id, NULL, distance, lines);
}

/* The head enters the queue of the link. After the last link, the flight goes into the inbox of its node. */
static void prefetch_link(const struct engine *engine, const struct link_path *path, struct prefetch_lines *lines)
{
    const struct link_queue *queue = link_queues_first(&engine->links, path);
    if (queue) lines_want(lines, queue, sizeof *queue);
    if (path->link + 1 < path->links) return;
    lines_want(lines, &engine->flights[path->message], LINE_BYTES);
    lines_want(lines, &engine->nics[path->dst_node], LINE_BYTES);
}

static void prefetch_event(const struct engine *engine, const struct event *event, enum engine_distance distance,
                           struct prefetch_lines *lines)
{
    const struct engine_callbacks *on = &engine->callbacks;
    switch ((enum event_type)event->type) {
    case EVENT_TIMER: prefetch_timer(engine, event, distance, lines); break;
    case EVENT_MESSAGE:
        if (distance == ENGINE_FAR) lines_want(lines, &engine->flights[event->id], LINE_BYTES);
        if (distance == ENGINE_NEAR) on->prefetch(on->context, 0, &engine->flights[event->id].note, distance, lines);
        break;
    case EVENT_ASKS:
        if (distance == ENGINE_FAR) lines_want(lines, &engine->asks[event->id], LINE_BYTES);
        break;
    case EVENT_QUERIES: break;
    case EVENT_LINK:
        if (distance == ENGINE_FAR) lines_want(lines, &engine->links.paths[event->id], sizeof *engine->links.paths);
        if (distance == ENGINE_NEAR) prefetch_link(engine, &engine->links.paths[event->id], lines);
        break;
    case EVENT_TAIL:
        if (distance == ENGINE_FAR) lines_want(lines, &engine->receptions[event->id], sizeof *engine->receptions);
        break;
    case EVENT_LOCAL: break;
    case EVENT_ALARM: prefetch_alarm(engine, &engine->nics[event->id], distance, lines); break;
    }
}

/* Prefetches for the next events, for each according to its distance. */
static void prefetch_next(struct engine *engine)
{
    static const struct {
        uint8_t place, distance;
    } places[] = {{1, ENGINE_HERE}, {3, ENGINE_NEXT}, {5, ENGINE_SOON}, {8, ENGINE_NEAR}, {AHEAD - 1, ENGINE_FAR}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct event *event = event_queue_ahead(&engine->queue, places[i].place);
        if (event) prefetch_event(engine, event, places[i].distance, &engine->lines);
    }
    for (uint32_t i = 0; i < engine->lines.node_count; i++)
        lines_want(&engine->lines, &engine->nics[engine->lines.nodes[i]], sizeof *engine->nics);
    lines_fetch(&engine->lines);
}

/* Whether nothing can reach the node before the event: no message of other nodes, no pending event of its own. */
static bool may_run_ahead(const struct engine *engine, const struct event *event, int32_t node)
{
    const struct nic *nic = &engine->nics[node];
    return nic->pending == 0 && engine->answers == 0 && !event_before(nic->inbox.alarm, event->time);
}

static enum status handle_event(struct engine *engine, const struct event *event, struct err *err)
{
    const struct engine_callbacks *on = &engine->callbacks;
    if (event->type < EVENT_ALARM) engine->now = event->time;
    switch ((enum event_type)event->type) {
    case EVENT_TIMER:
        engine->stats.events++;
        on->timer(on->context, event->id, event->time.time_ps);
        return STATUS_OK;
    case EVENT_MESSAGE: return loggp_on_message(engine, event->id, err);
    case EVENT_LINK: return on_link(engine, event->id, err);
    case EVENT_TAIL: return loggp_on_tail(engine, (int32_t)event->id, event->time, err);
    case EVENT_LOCAL: return loggp_on_local(engine, event->id, event->time, err);
    case EVENT_ASKS: return loggp_on_asks(engine, event->id, event->time, err);
    case EVENT_QUERIES: return loggp_on_queries(engine, event->time, err);
    case EVENT_ALARM: return loggp_on_alarm(engine, (int32_t)event->id, event->time, err);
    }
    return STATUS_OK;
}

/* Takes the next event out of the queue. */
static struct event take_event(struct engine *engine)
{
    struct event event = event_queue_pop(&engine->queue);
    if (event.type == EVENT_ASKS || event.type == EVENT_QUERIES) engine->answers--;
    if (engine->lookahead_ps == 0) return event;
    engine->watermark_ps = event.time.time_ps + engine->lookahead_ps;
    if (event.type == EVENT_TIMER) engine->nics[timer_node(engine, event_key(event.time.order))].pending--;
    if (event.type == EVENT_MESSAGE) engine->nics[engine->flights[event.id].dst_node].pending--;
    return event;
}

static inline enum status run_ahead(struct engine *engine, struct err *err)
{
    const struct engine_callbacks *on = &engine->callbacks;
    while (engine->holds_next) {
        const struct event event = engine->next;
        engine->holds_next = false;
        if (may_run_ahead(engine, &event, engine->next_node) && !on->stop(on->context))
            TRY(handle_event(engine, &event, err));
        else
            TRY(loggp_into_queue(engine, &event, engine->next_node, err));
    }
    return STATUS_OK;
}

static enum status run_queue(struct engine *engine, struct err *err)
{
    const struct engine_callbacks *on = &engine->callbacks;
    while (engine->queue.count > 0 && !on->stop(on->context)) {
        struct event event = take_event(engine);
        if (engine->prefetches) prefetch_next(engine);
        TRY(handle_event(engine, &event, err));
        TRY(run_ahead(engine, err));
    }
    return STATUS_OK;
}

static enum status loggp_run(struct engine *engine, struct engine_stats *stats, struct err *err)
{
    const struct engine_callbacks *on = &engine->callbacks;
    do {
        TRY(run_queue(engine, err));
        engine->watermark_ps = 0;
        for (int32_t node = 0; node < engine->platform->node_count && !on->stop(on->context); node++)
            TRY(loggp_drain_until(engine, node, INBOX_NO_ALARM, err));
    } while (engine->queue.count > 0 && !on->stop(on->context));
    *stats = engine->stats;
    return STATUS_OK;
}

static const struct engine_lazy lazy = {
    .poll = loggp_poll,
    .await = loggp_await,
    .await_next = loggp_await_next,
    .resume = loggp_resume,
    .watch = loggp_watch_all,
    .queries = loggp_queries,
    .query = loggp_query,
    .reply = loggp_reply,
};

extern const struct engine_descriptor engine_loggp;
const struct engine_descriptor engine_loggp = {
    .name = "loggp",
    .summary = "LogGP with a sending and a receiving queue per node, no contention inside the network; fast",
    .open = loggp_open,
    .send = loggp_send,
    .timer = loggp_timer,
    .run = loggp_run,
    .close = loggp_close,
    .lazy = &lazy,
};
