/* Counter messages of the loggp engine. Such a message has only an event time and a counter; it is in a list of its
 * destination node.
 *
 * A round of a barrier sends such messages where each node has one rank and control messages have no bytes. A counter
 * message takes the receiving NIC no time. So no other message waits for it, and it need not be ordered among the
 * flights. It may wait for data that arrived before it: its time is known once the NIC has received all of these. A
 * message of one round does not wake a rank that waits for another round. */
#include "simulate/engine/loggp/counter.h"
#include "simulate/engine/loggp/deliver.h"
#include "simulate/engine/loggp/schedule.h"

enum status loggp_count(struct engine *engine, int32_t src_node, int32_t dst_node, uint32_t source, uint32_t destination,
                        uint32_t counter, struct err *err)
{
    struct nic *nic = &engine->nics[dst_node];
    uint32_t index = engine->free_counter;
    if (index != COUNTER_NONE) {
        engine->free_counter = engine->counter_messages[index].next;
    } else {
        TRY(lines_reserve((void **)&engine->counter_messages, &engine->counter_message_capacity,
                          engine->counter_message_count + 1, sizeof *engine->counter_messages, err));
        index = (uint32_t)engine->counter_message_count++;
    }
    struct counter_message *sent = &engine->counter_messages[index];
    sent->time = loggp_control_head(engine, src_node, source, engine->now.time_ps);
    sent->counter = counter;
    sent->rank = destination;
    sent->next = nic->counter_messages;
    sent->final = false;
    nic->counter_messages = index;
    if (!inbox_awaits(&nic->inbox, counter)) return STATUS_OK;
    return loggp_set_alarm(engine, dst_node, sent->time, err);
}

/* Of the messages that are not final, the one whose head arrives first; NULL: none arrives by the limit. */
static struct counter_message *first_head(struct engine *engine, const struct nic *nic, struct event_time limit)
{
    struct counter_message *first = NULL;
    for (uint32_t at = nic->counter_messages; at != COUNTER_NONE; at = engine->counter_messages[at].next) {
        struct counter_message *sent = &engine->counter_messages[at];
        bool comes = !sent->final && !event_before(limit, sent->time);
        if (comes && (!first || event_before(sent->time, first->time))) first = sent;
    }
    return first;
}

/* The NIC is receiving earlier messages, or has just received the last of them. Counter messages whose heads are there
 * come after these, in the order of their heads. */
static void make_final(struct engine *engine, struct nic *nic, struct event_time limit)
{
    for (struct counter_message *sent; (sent = first_head(engine, nic, limit));) {
        sent->final = true;
        if (nic->receive_free_ps < sent->time.time_ps) continue;
        uint32_t key = loggp_key_behind(nic, sent->time.time_ps, event_key(sent->time.order));
        sent->time = (struct event_time){nic->receive_free_ps, event_queue_order(&engine->queue, key)};
    }
}

static uint32_t unlink_counter(struct engine *engine, uint32_t *link)
{
    uint32_t index = *link;
    *link = engine->counter_messages[index].next;
    engine->counter_messages[index].next = engine->free_counter;
    engine->free_counter = index;
    return index;
}

bool loggp_counted_all(struct engine *engine, int32_t node, struct event_time limit)
{
    struct nic *nic = &engine->nics[node];
    uint32_t *awaited = NULL;
    for (uint32_t *link = &nic->counter_messages; *link != COUNTER_NONE;) {
        struct counter_message *sent = &engine->counter_messages[*link];
        bool comes = !event_before(limit, sent->time);
        if (comes && !sent->final) {
            if (nic->receive_free_ps >= sent->time.time_ps) make_final(engine, nic, limit);
            sent->final = true;
            comes = !event_before(limit, sent->time);
        }
        if (comes && !inbox_awaits(&nic->inbox, sent->counter)) {
            engine->callbacks.lazy.counters[sent->counter]++;
            unlink_counter(engine, link);
            continue;
        }
        if (comes && (!awaited || event_before(sent->time, engine->counter_messages[*awaited].time))) awaited = link;
        link = &sent->next;
    }
    if (!awaited) return true;
    const struct counter_message sent = engine->counter_messages[unlink_counter(engine, awaited)];
    engine->now = sent.time;
    engine->callbacks.lazy.counted(engine->callbacks.context, sent.rank, sent.counter, sent.time.time_ps);
    return false;
}

struct event_time loggp_counter_due(const struct engine *engine, const struct nic *nic)
{
    struct event_time due = INBOX_NO_ALARM;
    for (uint32_t at = nic->counter_messages; at != COUNTER_NONE; at = engine->counter_messages[at].next) {
        const struct counter_message *sent = &engine->counter_messages[at];
        if (inbox_awaits(&nic->inbox, sent->counter) && event_before(sent->time, due)) due = sent->time;
    }
    return due;
}
