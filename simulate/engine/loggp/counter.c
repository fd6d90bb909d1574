/* The loggp engine's messages that only count: a place and a counter, in a list of their node.
 *
 * A barrier's round is such a message where each node has one rank and control messages have no bytes. It takes the
 * receiving network card no time, so no other message waits for it, and it need not be in order among the flights. It
 * may wait for data that came before: its time is known when all of these have been taken in. A rank that waits for one
 * round's message is not woken by another round's. */
#include "simulate/engine/loggp/state.h"

bool loggp_counts(struct engine *engine, int64_t bytes)
{
    const struct engine_message message = {.src_node = 0, .dst_node = 1, .bytes = bytes};
    if (engine->platform->node_count < 2 || !engine->platform->contention || engine->links.used) return false;
    engine->count_cost = *cost_recall(&engine->costs, &message);
    return engine->costs.same_latency && engine->count_cost.transmit_ps == 0 && !engine->at_once;
}

static enum status take_tally(struct engine *engine, uint32_t *index, struct err *err)
{
    *index = engine->free_counter;
    if (*index != COUNTER_NONE) {
        engine->free_counter = engine->tallies[*index].next;
        return STATUS_OK;
    }
    TRY(lines_reserve((void **)&engine->tallies, &engine->tally_capacity, engine->tally_count + 1,
                      sizeof *engine->tallies, err));
    *index = (uint32_t)engine->tally_count++;
    return STATUS_OK;
}

static inline enum status put(struct engine *engine, struct inbox *inbox, const struct severity *tally, struct err *err)
{
    uint32_t index;
    TRY(take_tally(engine, &index, err));
    engine->tallies[index] = *tally;
    engine->tallies[index].next = inbox->tallies;
    inbox->tallies = index;
    return STATUS_OK;
}

enum status loggp_put_counter(struct engine *engine, int32_t node, const struct severity *tally, struct err *err)
{
    struct inbox *inbox = &engine->nics[node].inbox;
    TRY(put(engine, inbox, tally, err));
    if (!inbox_awaits(inbox, tally->counter) || !event_before(tally->place, inbox->alarm)) return STATUS_OK;
    inbox->alarm = tally->place;
    return event_queue_push_at(&engine->queue, tally->place, EVENT_ALARM, (uint32_t)node, err);
}

enum status loggp_count(struct engine *engine, const struct engine_count *message, struct err *err)
{
    int64_t begin_ps = engine->now.time_ps, *free_ps = &engine->nics[message->src_node].send_free_ps;
    if (*free_ps > begin_ps) begin_ps = *free_ps;
    *free_ps = begin_ps + engine->count_cost.occupy_ps;
    engine->stats.messages++;
    const struct severity tally = {
        .place = {begin_ps + engine->count_cost.latency_ps, event_queue_order(&engine->queue, message->source)},
        .counter = message->counter,
        .rank = message->destination};
    struct inbox *inbox = &engine->nics[message->dst_node].inbox;
    TRY(put(engine, inbox, &tally, err));
    if (!inbox_awaits(inbox, tally.counter)) return STATUS_OK;
    return loggp_set_alarm(engine, message->dst_node, tally.place, err);
}

/* The NIC may be taking in what came before, or be done with it at this moment: then the tally comes behind that. */
static void settle(struct engine *engine, const struct nic *nic, struct severity *tally)
{
    tally->settled = true;
    if (nic->receive_free_ps < tally->place.time_ps) return;
    uint32_t key = event_key(tally->place.order);
    tally->place = (struct event_time){nic->receive_free_ps, event_queue_order(&engine->queue, key)};
}

uint32_t loggp_unlink_counter(struct engine *engine, uint32_t *link)
{
    uint32_t index = *link;
    *link = engine->tallies[index].next;
    engine->tallies[index].next = engine->free_counter;
    engine->free_counter = index;
    return index;
}

bool loggp_counted_all(struct engine *engine, int32_t node, struct event_time limit)
{
    struct nic *nic = &engine->nics[node];
    uint32_t *awaited = NULL;
    for (uint32_t *link = &nic->inbox.tallies; *link != COUNTER_NONE;) {
        struct severity *tally = &engine->tallies[*link];
        bool comes = !event_before(limit, tally->place);
        if (comes && !tally->settled) {
            settle(engine, nic, tally);
            comes = !event_before(limit, tally->place);
        }
        if (comes && !inbox_awaits(&nic->inbox, tally->counter)) {
            engine->callbacks.counters[tally->counter]++;
            loggp_unlink_counter(engine, link);
            continue;
        }
        if (comes && (!awaited || event_before(tally->place, engine->tallies[*awaited].place))) awaited = link;
        link = &tally->next;
    }
    if (!awaited) return true;
    const struct severity tally = engine->tallies[loggp_unlink_counter(engine, awaited)];
    if (tally.ends) loggp_gone(engine, node, tally.counter);
    engine->now = tally.place;
    engine->callbacks.counted(engine->callbacks.context, tally.rank, tally.counter, tally.place.time_ps);
    return false;
}

struct event_time loggp_counter_due(const struct engine *engine, const struct inbox *inbox)
{
    struct event_time due = INBOX_NO_ALARM;
    for (uint32_t at = inbox->tallies; at != COUNTER_NONE; at = engine->tallies[at].next) {
        const struct severity *tally = &engine->tallies[at];
        if (inbox_awaits(inbox, tally->counter) && event_before(tally->place, due)) due = tally->place;
    }
    return due;
}
