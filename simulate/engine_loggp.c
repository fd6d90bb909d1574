/* The LogGP engine: latency, overhead, gap and time per byte with one sending and one receiving queue per node; links
 * inside the network are never a bottleneck.
 * Source: A. Alexandrov et al., LogGP: Incorporating Long Messages into the LogP Model, SPAA 1995, sec. 2; the queues
 * at the NICs as in T. Hoefler et al., LogGOPSim, HPDC 2010, sec. 3. Costs: docs/simulation.md. */
#include <stdlib.h>

#include "common/array.h"
#include "simulate/cost.h"
#include "simulate/engine.h"
#include "simulate/event_queue.h"

enum event_type { EVENT_TIMER, EVENT_HEAD, EVENT_ARRIVED };

struct nic {
    int64_t send_free_ps, receive_free_ps;
};

struct flight { /* of a message whose head has not arrived yet */
    int64_t transmit_ps;
    int32_t dst_node;
    uint32_t message, key;
    uint32_t next_free;
    bool early;
};

struct engine {
    const struct platform *platform;
    struct engine_callbacks callbacks;
    struct event_queue queue;
    struct nic *nics;
    struct flight *flights;
    size_t flight_count, flight_capacity;
    uint32_t free_flight; /* UINT32_MAX: none */
    int64_t now_ps;
    struct engine_stats stats;
};

static enum status loggp_open(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                              const struct engine_callbacks *callbacks, struct engine **engine, struct err *err)
{
    (void)pairs;
    (void)pair_count;
    struct engine *made = calloc(1, sizeof *made);
    struct nic *nics = calloc((size_t)platform->node_count, sizeof *nics);
    if (!made || !nics) {
        free(made);
        free(nics);
        return err_memory(err);
    }
    made->platform = platform;
    made->callbacks = *callbacks;
    made->nics = nics;
    made->free_flight = UINT32_MAX;
    *engine = made;
    return STATUS_OK;
}

static void loggp_close(struct engine *engine)
{
    if (!engine) return;
    event_queue_clear(&engine->queue);
    free(engine->nics);
    free(engine->flights);
    free(engine);
}

static enum status take_flight(struct engine *engine, struct flight flight, uint32_t *index, struct err *err)
{
    if (engine->free_flight != UINT32_MAX) {
        *index = engine->free_flight;
        engine->free_flight = engine->flights[*index].next_free;
        engine->flights[*index] = flight;
        return STATUS_OK;
    }
    *index = (uint32_t)engine->flight_count;
    ARRAY_PUSH(engine->flights, engine->flight_count, engine->flight_capacity, flight, err);
    return STATUS_OK;
}

static enum status loggp_send(struct engine *engine, const struct engine_message *message,
                              struct engine_departure *departure, struct err *err)
{
    struct cost cost = cost_message(engine->platform, message);
    int64_t begin_ps = engine->now_ps;
    engine->stats.messages++;
    if (!cost.network || !engine->platform->contention) {
        *departure = (struct engine_departure){begin_ps, begin_ps + cost.transmit_ps};
        return event_queue_push(&engine->queue, departure->left_ps + cost.latency_ps, message->key, EVENT_ARRIVED,
                                message->id, err);
    }
    struct nic *nic = &engine->nics[message->src_node];
    if (nic->send_free_ps > begin_ps) begin_ps = nic->send_free_ps;
    uint32_t index;
    struct flight flight = {cost.transmit_ps, message->dst_node, message->id, message->key, 0, message->early};
    TRY(take_flight(engine, flight, &index, err));
    TRY(event_queue_push(&engine->queue, begin_ps + cost.latency_ps, message->key, EVENT_HEAD, index, err));
    nic->send_free_ps = begin_ps + cost.occupy_ps;
    *departure = (struct engine_departure){begin_ps, begin_ps + cost.transmit_ps};
    return STATUS_OK;
}

static enum status loggp_timer(struct engine *engine, int64_t at_ps, uint32_t key, uint32_t id, struct err *err)
{
    return event_queue_push(&engine->queue, at_ps, key, EVENT_TIMER, id, err);
}

/* The head is there: the receiving NIC takes the message in its turn. */
static enum status receive_head(struct engine *engine, uint32_t index, struct err *err)
{
    struct flight flight = engine->flights[index];
    engine->flights[index].next_free = engine->free_flight;
    engine->free_flight = index;
    struct nic *nic = &engine->nics[flight.dst_node];
    int64_t begin_ps = nic->receive_free_ps > engine->now_ps ? nic->receive_free_ps : engine->now_ps;
    nic->receive_free_ps = begin_ps + flight.transmit_ps;
    if (nic->receive_free_ps > engine->now_ps && !flight.early)
        return event_queue_push(&engine->queue, nic->receive_free_ps, flight.key, EVENT_ARRIVED, flight.message, err);
    engine->callbacks.arrived(engine->callbacks.context, flight.message, engine->now_ps, nic->receive_free_ps);
    return STATUS_OK;
}

static enum status loggp_run(struct engine *engine, struct engine_stats *stats, struct err *err)
{
    const struct engine_callbacks *on = &engine->callbacks;
    while (engine->queue.count > 0 && !on->stop(on->context)) {
        struct event event = event_queue_pop(&engine->queue);
        engine->now_ps = event.time_ps;
        engine->stats.events++;
        switch ((enum event_type)event.type) {
        case EVENT_TIMER: on->timer(on->context, event.id, event.time_ps); break;
        case EVENT_HEAD: TRY(receive_head(engine, event.id, err)); break;
        case EVENT_ARRIVED: on->arrived(on->context, event.id, event.time_ps, event.time_ps); break;
        }
    }
    *stats = engine->stats;
    return STATUS_OK;
}

extern const struct engine_descriptor engine_loggp;
const struct engine_descriptor engine_loggp = {
    .name = "loggp",
    .summary = "LogGP with a sending and a receiving queue per node, no contention inside the network; fast",
    .open = loggp_open,
    .send = loggp_send,
    .timer = loggp_timer,
    .run = loggp_run,
    .close = loggp_close,
};
