/* Operations that wait at their origin for a post, a grant or (mpi.rma.issue = deferred) the closing call, and how they
 * leave: one by one or (mpi.rma.aggregate) those of one target in one message each way. */
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "simulate/replay/message.h"
#include "simulate/windows/transfer.h"

void replay_queue_append(struct replay *replay, struct op_queue *queue, uint32_t op)
{
    replay->ops[op].next = NO_INDEX;
    *(queue->first == NO_INDEX ? &queue->first : &replay->ops[queue->last].next) = op;
    queue->last = op;
}

/* Sends one message for a chain of operations on one target: the data of puts and accumulates, and the requests of gets
 * and fetches without data. If the target must do more than receive puts, its progress serves the whole message. */
enum status replay_send_together(struct replay *replay, uint32_t first)
{
    int64_t bytes = 0;
    bool data = false, served = false, asks = true;
    for (uint32_t op = first; op != NO_INDEX; op = replay->ops[op].next) {
        if (!replay->ops[op].put) served = true;
        if (replay->ops[op].kind == CALL_GET) continue;
        asks = false;
        if (replay->ops[op].kind != CALL_GET_ACCUMULATE || replay->ops[op].bytes > 0) data = true;
        bytes += replay->ops[op].bytes;
    }
    const struct op *op = &replay->ops[first];
    struct engine_departure departure;
    enum message_type type = asks     ? MESSAGE_TOGETHER_GETS
                             : served ? MESSAGE_TOGETHER_SERVED
                                      : MESSAGE_TOGETHER;
    TRY(replay_send(replay, type, op->origin, op->target, data ? bytes : replay->platform->control_bytes, first, 0,
                    &departure));
    if (departure.left_ps == ENGINE_LATER) return STATUS_OK;
    return replay_together_left(replay, first, false, departure.began_ps, departure.left_ps);
}

static int64_t bytes_together(const struct replay *replay, uint32_t first)
{
    int64_t bytes = 0;
    for (uint32_t op = first; op != NO_INDEX; op = replay->ops[op].next)
        if (replay->ops[op].kind != CALL_GET) bytes += replay->ops[op].bytes;
    return bytes;
}

static enum status issue_together(struct replay *replay, uint32_t first)
{
    struct op *op = &replay->ops[first];
    op->together = true;
    for (uint32_t each = first; each != NO_INDEX; each = replay->ops[each].next)
        replay_note_issue(replay, &replay->ops[each]);
    bool rendezvous = replay->platform->progress != PROGRESS_HARDWARE &&
                      bytes_together(replay, first) > replay->platform->rma_eager_bytes;
    if (rendezvous) return replay_ask_to_send(replay, first);
    return replay_send_together(replay, first);
}

enum status replay_together_left(struct replay *replay, uint32_t first, bool reply, int64_t began_ps, int64_t left_ps)
{
    for (uint32_t op = first, next; op != NO_INDEX; op = next) { /* a woken rank may move the operations */
        next = replay->ops[op].next;
        if (replay->ops[op].kind == CALL_GET_ACCUMULATE)
            replay_fetch_left(replay, op, began_ps);
        else if ((replay->ops[op].kind == CALL_GET) == reply)
            TRY(replay_op_left(replay, op, began_ps, left_ps));
    }
    return STATUS_OK;
}

enum status replay_on_together(struct replay *replay, const struct engine_note *message)
{
    struct op_queue gets = {NO_INDEX, NO_INDEX};
    int64_t bytes = 0;
    for (uint32_t op = message->ref, next; op != NO_INDEX; op = next) {
        next = replay->ops[op].next;
        if (replay->ops[op].kind == CALL_GET) {
            bytes += replay->ops[op].bytes;
            replay_note_claim(replay, &replay->ops[op]);
            replay_queue_append(replay, &gets, op);
        } else {
            TRY(replay_op_arrived(replay, op));
        }
    }
    if (gets.first == NO_INDEX) return STATUS_OK;
    struct engine_departure departure;
    TRY(replay_send(replay, MESSAGE_TOGETHER_REPLY, message->destination, message->source, bytes, gets.first, 0,
                    &departure));
    if (departure.left_ps == ENGINE_LATER) return STATUS_OK;
    return replay_together_left(replay, gets.first, true, departure.began_ps, departure.left_ps);
}

enum status replay_on_together_reply(struct replay *replay, const struct engine_note *message)
{
    for (uint32_t op = message->ref, next; op != NO_INDEX; op = next) {
        next = replay->ops[op].next;
        TRY(replay_get_arrived(replay, op));
    }
    return STATUS_OK;
}

enum status replay_issue_chain(struct replay *replay, uint32_t first)
{
    if (first == NO_INDEX) return STATUS_OK;
    if (replay->platform->aggregate && replay->ops[first].next != NO_INDEX) return issue_together(replay, first);
    for (uint32_t op = first, next; op != NO_INDEX; op = next) {
        next = replay->ops[op].next;
        TRY(replay_issue(replay, op));
    }
    return STATUS_OK;
}

enum status replay_issue_behind(struct replay *replay, uint32_t op)
{
    struct lock_epoch *epoch = &replay->lock_epochs[replay->ops[op].lock];
    if (epoch->uncleared == 0 && epoch->queue.first == NO_INDEX) return replay_issue(replay, op);
    replay_queue_append(replay, &epoch->queue, op);
    return STATUS_OK;
}

enum status replay_issue_followers(struct replay *replay, uint32_t lock)
{
    while (replay->lock_epochs[lock].uncleared == 0 && replay->lock_epochs[lock].queue.first != NO_INDEX) {
        uint32_t op = replay->lock_epochs[lock].queue.first;
        replay->lock_epochs[lock].queue.first = replay->ops[op].next;
        TRY(replay_issue(replay, op));
    }
    return STATUS_OK;
}

struct held {
    uint32_t target, order, op;
};

ORDER(compare_held, struct held, UP(target) UP(order))

/* Makes a chain of the held operations of one target. *next: index of the following target. */
static uint32_t chain_target(struct replay *replay, const struct held *held, size_t count, size_t *next)
{
    struct op_queue chain = {NO_INDEX, NO_INDEX};
    for (uint32_t target = held[*next].target; *next < count && held[*next].target == target;)
        replay_queue_append(replay, &chain, held[(*next)++].op);
    return chain.first;
}

bool replay_holds(const struct replay *replay, const struct member *member)
{
    return replay->held && replay->held[member - replay->members].first != NO_INDEX;
}

enum status replay_issue_held(struct replay *replay, const struct member *member)
{
    struct held *held = NULL;
    size_t count = 0, capacity = 0;
    enum status status = STATUS_OK;
    struct op_queue *chain = &replay->held[member - replay->members];
    for (uint32_t op = chain->first; op != NO_INDEX && status == STATUS_OK; op = replay->ops[op].next) {
        status = array_reserve((void **)&held, &capacity, count + 1, sizeof *held, replay->err);
        if (status == STATUS_OK) held[count] = (struct held){replay->ops[op].target, (uint32_t)count, op};
        count++;
    }
    chain->first = NO_INDEX;
    if (count > 1 && status == STATUS_OK) qsort(held, count, sizeof *held, compare_held);
    for (size_t next = 0; next < count && status == STATUS_OK;)
        status = replay_issue_chain(replay, chain_target(replay, held, count, &next));
    free(held);
    return status;
}
