#include "simulate/engine/loggp/local.h"

#include <stdlib.h>

#include "common/array.h"
#include "simulate/engine/loggp/deliver.h"
#include "simulate/engine/loggp/stretch.h"

enum { NONE = 0 }; /* message 0 is never used */

struct local_message {
    uint32_t flight, from, to;
    uint32_t next;      /* in the list of its receiver, or in the free list */
    int32_t share_e9;  /* of the sender's receptions, as long as it is received */
    bool begun;         /* its head has arrived */
    struct stretch stretch; /* its end is that of the head until the head has arrived */
};

struct local_rank {
    uint32_t first;     /* of the messages that it receives, or NONE */
    int64_t reverse_e9; /* the sum of share_e9 of its messages that others receive now */
};

struct locals {
    struct local_message *messages;
    size_t count, capacity;
    uint32_t free;
    struct local_rank *ranks;
    size_t rank_count, rank_capacity;
};

struct locals *locals_new(void)
{
    return calloc(1, sizeof(struct locals));
}

void locals_free(struct locals *locals)
{
    if (!locals) return;
    FREE_ALL(locals->messages, locals->ranks, locals);
}

static enum status make_room(struct locals *locals, uint32_t rank, struct err *err)
{
    const struct local_rank none = {NONE, 0};
    while (locals->rank_count <= rank) ARRAY_PUSH(locals->ranks, locals->rank_count, locals->rank_capacity, none, err);
    return STATUS_OK;
}

static enum status take_message(struct locals *locals, uint32_t *id, struct err *err)
{
    const struct local_message none = {.next = NONE};
    *id = locals->free;
    if (*id != NONE) {
        locals->free = locals->messages[*id].next;
        return STATUS_OK;
    }
    if (locals->count == 0) ARRAY_PUSH(locals->messages, locals->count, locals->capacity, none, err);
    *id = (uint32_t)locals->count;
    ARRAY_PUSH(locals->messages, locals->count, locals->capacity, none, err);
    return STATUS_OK;
}

enum status loggp_receive_within(struct engine *engine, uint32_t flight, const struct engine_message *message, int64_t head_ps,
                                 struct err *err)
{
    struct locals *locals = engine->locals;
    const struct event_time head = {head_ps, engine->flights[flight].time.order};
    uint32_t id;
    TRY(make_room(locals, message->key > message->to ? message->key : message->to, err));
    TRY(take_message(locals, &id, err));
    locals->messages[id] = (struct local_message){.flight = flight,
                                                  .from = message->key,
                                                  .to = message->to,
                                                  .share_e9 = message->reverse_e9,
                                                  .stretch = {head_ps, engine->flights[flight].transmit_ps, head_ps}};
    return event_queue_push_at(&engine->queue, head, EVENT_LOCAL, id, err);
}

static enum status make_tail(struct engine *engine, uint32_t id, struct err *err)
{
    struct local_message *at = &engine->locals->messages[id];
    stretch_find_end(&at->stretch, engine->locals->ranks[at->to].reverse_e9);
    const struct event_time tail = {at->stretch.end_ps, engine->flights[at->flight].time.order};
    return event_queue_push_at(&engine->queue, tail, EVENT_LOCAL, id, err);
}

/* Others begin or end to receive data of the rank. */
static enum status change_reverse(struct engine *engine, uint32_t rank, int64_t by_e9, struct err *err)
{
    struct local_rank *changed = &engine->locals->ranks[rank];
    const int64_t now_ps = engine->now.time_ps, before_e9 = changed->reverse_e9;
    if (by_e9 == 0) return STATUS_OK;
    changed->reverse_e9 += by_e9;
    for (uint32_t id = changed->first; id != NONE; id = engine->locals->messages[id].next) {
        struct local_message *at = &engine->locals->messages[id];
        if (at->stretch.end_ps <= now_ps) continue;
        stretch_receive_until(&at->stretch, before_e9, now_ps);
        TRY(make_tail(engine, id, err));
    }
    return STATUS_OK;
}

static enum status begin_reception(struct engine *engine, uint32_t id, struct err *err)
{
    struct local_message *at = &engine->locals->messages[id];
    struct local_rank *receiver = &engine->locals->ranks[at->to];
    at->begun = true;
    at->next = receiver->first;
    receiver->first = id;
    TRY(make_tail(engine, id, err));
    return change_reverse(engine, at->from, at->share_e9, err);
}

static void remove_message(struct locals *locals, uint32_t id)
{
    struct local_message *at = &locals->messages[id];
    uint32_t *link = &locals->ranks[at->to].first;
    while (*link != id) link = &locals->messages[*link].next;
    *link = at->next;
    at->stretch.end_ps = -1;
    at->next = locals->free;
    locals->free = id;
}

enum status loggp_on_local(struct engine *engine, uint32_t id, struct event_time time, struct err *err)
{
    const struct local_message at = engine->locals->messages[id];
    if (time.time_ps != at.stretch.end_ps || time.order != engine->flights[at.flight].time.order) return STATUS_OK;
    if (!at.begun) return begin_reception(engine, id, err);
    engine->flights[at.flight].time = time;
    remove_message(engine->locals, id);
    TRY(change_reverse(engine, at.from, -(int64_t)at.share_e9, err));
    return loggp_on_message(engine, at.flight, err);
}
