/* Ranks walk through their calls as strictly as MPI allows: a collective waits for all members, a send for its receive, a start
 * for the posts. What a rank waits for stays true once it is, so the order of walking does not matter.
 *
 * If all ranks are stuck, the recorded times contradict the order of the program, or it relies on a weaker library. Then the
 * first wait of a poll is refused; if no rank is in one, sends and starts that ranks are in wait no longer. What a rank does not
 * reach in the end is refused, too.
 *
 * Locks keep nobody out here. So a poll under a lock that another rank's excludes is refused before. */
#include "predictors/transforms/poll_order.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "model/match/relations.h"

/* Calls have numbers through all ranks. What call `at` waits for: */
struct need {
    size_t at;
    enum { NEED_CALL, NEED_WEAK, NEED_POLL, NEED_ALL } kind;
    uint32_t rank; /* of call `of` */
    size_t of;     /* the call is begun; NEED_ALL: the instance is; NEED_POLL: number of the wait */
};

struct poll_order {
    const struct trace *trace;
    struct poll_wait *waits;
    size_t *first; /* per rank, and one more: its first call */
    size_t *done;  /* by call: the call that completes its request, or itself; SIZE_MAX: none does */
    uint32_t *joins; /* by call: the collective instance, plus 1 */
    uint32_t *left;  /* by instance: members that have not begun it */
    size_t instance_count, left_capacity;
    struct need *needs; /* by call */
    size_t need_count, need_capacity;
    size_t *next, *now;  /* per rank: its next need, its call */
    struct err *err;
};

static enum status add_need(struct poll_order *order, size_t at, int kind, uint32_t rank, size_t of)
{
    struct need made = {.at = at, .kind = kind, .rank = rank, .of = of};
    if (at != SIZE_MAX) ARRAY_PUSH(order->needs, order->need_count, order->need_capacity, made, order->err);
    return STATUS_OK;
}

/* ---- what calls wait for */

static bool is_collective(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    enum call_arm arm = call_arm(kind);
    if (kind == CALL_LOCAL || call_makes_own_comm(call->call)) return false;
    return arm == ARM_COLLECTIVE || arm == ARM_COMM || arm == ARM_WINDOW || kind == CALL_FENCE;
}

static enum status join_instance(struct poll_order *order, size_t number, const struct trace_call *call, struct map *sequences,
                                 struct map *instances)
{
    uint64_t *sequence, *instance;
    const uint32_t object = (uint32_t)call->handle * 2 + ((call_row(call->call)->allowed & F_WIN) != 0);
    TRY(map_put(sequences, object, 0, &sequence, order->err));
    TRY(map_put(instances, map_pair(object, (uint32_t)(*sequence)++), order->instance_count, &instance, order->err));
    const uint32_t members = trace_call_comm(order->trace, call)->count;
    if (*instance == order->instance_count)
        ARRAY_PUSH(order->left, order->instance_count, order->left_capacity, members, order->err);
    order->joins[number] = (uint32_t)*instance + 1;
    return STATUS_OK;
}

static enum status look_at_rank(struct poll_order *order, uint32_t rank, struct map *instances, struct map *sequences,
                                struct map *requests)
{
    const struct trace_rank *process = &order->trace->ranks[rank];
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        const size_t number = order->first[rank] + i;
        const bool requests_it = call_makes_request(call->call) && call->ref != TRACE_NO_REF;
        uint32_t count;
        uint64_t made;
        const uint32_t *ids = trace_call_completed(order->trace, call, &count);
        for (uint32_t k = 0; k < count && !(call->flags & TRACE_BREAK) && call_kind(call->call) != CALL_REQUEST_QUERY; k++)
            if (map_take(requests, ids[k], &made)) order->done[made] = number;
        order->done[number] = requests_it ? SIZE_MAX : number;
        if (requests_it) TRY(map_set(requests, call->ref, number, order->err));
        if (is_collective(call)) TRY(join_instance(order, number, call, sequences, instances));
    }
    return STATUS_OK;
}

static enum status look_at_calls(struct poll_order *order)
{
    struct map instances = {0}, sequences = {0}, requests = {0};
    enum status status = STATUS_OK;
    for (uint32_t r = 0; status == STATUS_OK && r < order->trace->rank_count; r++) {
        status = look_at_rank(order, r, &instances, &sequences, &requests);
        map_empty(&sequences);
        map_empty(&requests);
    }
    map_clear(&instances);
    map_clear(&sequences);
    map_clear(&requests);
    for (size_t i = 0; status == STATUS_OK && i < order->first[order->trace->rank_count]; i++)
        if (order->joins[i] > 0) status = add_need(order, order->done[i], NEED_ALL, 0, order->joins[i] - 1);
    return status;
}

static enum status relate_epochs(struct poll_order *order, const struct epochs *epochs)
{
    for (size_t i = 0; i < epochs->pair_count; i++) {
        const struct epoch_pair *pair = &epochs->pairs[i];
        if (pair->exposure == EPOCH_NONE) continue;
        const struct access_epoch *access = &epochs->accesses[pair->access];
        const struct exposure_epoch *exposure = &epochs->exposures[pair->exposure];
        const size_t origin = order->first[access->rank], target = order->first[exposure->rank];
        TRY(add_need(order, origin + access->open_call, NEED_WEAK, exposure->rank, target + exposure->post_call));
        if (access->close_call == EPOCH_NONE) continue;
        TRY(add_need(order, origin + access->close_call, NEED_CALL, exposure->rank, target + exposure->post_call));
        if (exposure->close_call != EPOCH_NONE)
            TRY(add_need(order, target + exposure->close_call, NEED_CALL, access->rank, origin + access->close_call));
    }
    return STATUS_OK;
}

static enum status relate_messages(struct poll_order *order, const struct messages *messages)
{
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *of = &messages->items[i];
        const size_t send = order->first[of->sender] + of->send_call, receive = order->first[of->receiver] + of->receive_call;
        TRY(add_need(order, order->done[receive], NEED_CALL, of->sender, send));
        TRY(add_need(order, order->done[send], NEED_WEAK, of->receiver, receive));
    }
    for (size_t i = 0; i < messages->probe_count; i++) {
        const struct probe *probe = &messages->probes[i];
        if (probe->message == MESSAGE_NONE) continue;
        const struct message *of = &messages->items[probe->message];
        TRY(add_need(order, order->first[probe->rank] + probe->call, NEED_CALL, of->sender,
                     order->first[of->sender] + of->send_call));
    }
    return STATUS_OK;
}

/* ---- locks */

/* Of the ranks that lock one target, exclusively or not, all targets, or any exclusively: the first two, each plus 1. */
enum lockers { LOCK_TARGET, EXCLUDE_FROM_TARGET, LOCK_ALL, EXCLUDE_FROM_ANY, LOCKERS };

static uint64_t lockers_key(enum lockers what, int32_t window, int32_t target)
{
    return map_pair((uint32_t)window * LOCKERS + what, what == LOCK_ALL || what == EXCLUDE_FROM_ANY ? 0 : (uint32_t)target);
}

static bool is_lock(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_LOCK || call_kind(call->call) == CALL_LOCK_ALL;
}

static enum status note_lock(struct map *lockers, uint32_t rank, const struct trace_call *lock, struct err *err)
{
    const bool all = call_kind(lock->call) == CALL_LOCK_ALL, excludes = lock->flags & TRACE_EXCLUSIVE;
    for (int what = 0; what < LOCKERS; what++) {
        uint64_t *two, one = (uint64_t)rank + 1;
        if (all != (what == LOCK_ALL) || ((what == EXCLUDE_FROM_TARGET || what == EXCLUDE_FROM_ANY) && !excludes)) continue;
        TRY(map_put(lockers, lockers_key((enum lockers)what, lock->handle, lock->peer), one, &two, err));
        if (*two != one && *two >> 32 == 0) *two |= one << 32;
    }
    return STATUS_OK;
}

static bool another_locks(const struct map *lockers, enum lockers what, uint32_t rank, const struct trace_call *lock)
{
    const uint64_t *two = map_find(lockers, lockers_key(what, lock->handle, lock->peer));
    return two && *two != (uint64_t)rank + 1;
}

static bool keeps_out(const struct map *lockers, uint32_t rank, const struct trace_call *lock)
{
    if (call_kind(lock->call) == CALL_LOCK_ALL) return another_locks(lockers, EXCLUDE_FROM_ANY, rank, lock);
    if (!(lock->flags & TRACE_EXCLUSIVE)) return another_locks(lockers, EXCLUDE_FROM_TARGET, rank, lock);
    return another_locks(lockers, LOCK_TARGET, rank, lock) || another_locks(lockers, LOCK_ALL, rank, lock);
}

static enum status refuse_locked(const struct trace *trace, struct poll_wait *waits, size_t count, struct map *lockers,
                                 struct map *held, struct err *err)
{
    size_t next = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++)
            if (is_lock(&trace->ranks[r].calls[i])) TRY(note_lock(lockers, r, &trace->ranks[r].calls[i], err));
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        map_empty(held);
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            const uint64_t key = map_pair((uint32_t)call->handle, (uint32_t)call->peer);
            const enum call_kind kind = call_kind(call->call);
            if (is_lock(call) && keeps_out(lockers, r, call)) TRY(map_set(held, key, 1, err));
            if (kind == CALL_UNLOCK || kind == CALL_UNLOCK_ALL) map_remove(held, key);
            for (; next < count && waits[next].rank == r && waits[next].call == i; next++)
                if (held->count > 0) waits[next].refused = "the rank holds a lock that keeps others out";
        }
    }
    return STATUS_OK;
}

/* ---- the walk */

static bool is_met(const struct poll_order *order, const struct need *need)
{
    const struct poll_wait *wait = need->kind == NEED_POLL ? &order->waits[need->of] : NULL;
    switch (need->kind) {
    case NEED_ALL: return order->left[need->of] == 0;
    case NEED_POLL: return wait->refused || order->now[wait->origin] > order->first[wait->origin] + wait->write;
    default: return order->now[need->rank] >= need->of;
    }
}

static const struct need *need_of(const struct poll_order *order, uint32_t rank)
{
    const size_t next = order->next[rank];
    return next < order->need_count && order->needs[next].at == order->now[rank] ? &order->needs[next] : NULL;
}

/* Whether the rank has gone on. */
static bool walk_rank(struct poll_order *order, uint32_t rank)
{
    const size_t end = order->first[rank + 1], before = order->now[rank];
    for (const struct need *need; order->now[rank] < end; order->now[rank]++) {
        const uint32_t joins = order->joins[order->now[rank]];
        if (joins > 0) order->left[joins - 1]--;
        order->joins[order->now[rank]] = 0;
        for (; (need = need_of(order, rank)); order->next[rank]++)
            if (!is_met(order, need)) return order->now[rank] > before;
    }
    return order->now[rank] > before;
}

static bool is_weak(const struct poll_order *order, const struct need *need)
{
    return need->kind == NEED_WEAK || (need->kind == NEED_CALL && order->trace->ranks[need->rank].thread_count > 1);
}

/* Whether some rank can go on now. */
static bool free_rank(struct poll_order *order)
{
    struct poll_wait *first = NULL;
    bool weak = false;
    for (uint32_t r = 0; r < order->trace->rank_count; r++) {
        const struct need *need = need_of(order, r);
        struct poll_wait *wait = need && need->kind == NEED_POLL ? &order->waits[need->of] : NULL;
        if (wait && (!first || wait->at_ps < first->at_ps)) first = wait;
        weak = weak || (need && is_weak(order, need));
    }
    for (uint32_t r = 0; r < order->trace->rank_count && !first; r++) {
        const struct need *need = need_of(order, r);
        order->next[r] += need && is_weak(order, need);
    }
    if (first)
        first->refused = weak ? "its write may wait for what comes behind it, as a send for its receive, or a start for a post"
                              : "in the order of the program its write comes behind it";
    return first || weak;
}

ORDER(by_call, struct need, UP(at))

static enum status walk_ranks(struct poll_order *order)
{
    if (order->need_count > 0) qsort(order->needs, order->need_count, sizeof *order->needs, by_call);
    for (uint32_t r = 0; r < order->trace->rank_count; r++) {
        size_t next = 0;
        order->now[r] = order->first[r];
        SEARCH_FIRST(next, order->need_count, i, order->needs[i].at < order->first[r]);
        order->next[r] = next;
    }
    do {
        for (bool goes = true; goes;) {
            goes = false;
            for (uint32_t r = 0; r < order->trace->rank_count; r++) goes = walk_rank(order, r) || goes;
        }
    } while (free_rank(order));
    return STATUS_OK;
}

static enum status run_order(struct poll_order *order, size_t count)
{
    struct window_uses uses = {0};
    struct messages messages = {0};
    struct epochs epochs = {0};
    struct map lockers = {0}, held = {0};
    enum status status = refuse_locked(order->trace, order->waits, count, &lockers, &held, order->err);
    if (status == STATUS_OK) status = look_at_calls(order);
    if (status == STATUS_OK) status = messages_build(order->trace, &messages, order->err);
    if (status == STATUS_OK) status = relate_messages(order, &messages);
    if (status == STATUS_OK) status = epochs_build(order->trace, &uses, &epochs, order->err);
    if (status == STATUS_OK) status = relate_epochs(order, &epochs);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = add_need(order, order->first[order->waits[i].rank] + order->waits[i].call, NEED_POLL, 0, i);
    if (status == STATUS_OK) status = walk_ranks(order);
    map_clear(&lockers);
    map_clear(&held);
    messages_clear(&messages);
    epochs_clear(&epochs);
    window_uses_clear(&uses);
    return status;
}

enum status poll_order_check(const struct trace *trace, struct poll_wait *waits, size_t count, struct err *err)
{
    struct poll_order order = {.trace = trace, .waits = waits, .err = err};
    order.first = calloc((size_t)trace->rank_count + 1, sizeof *order.first);
    for (uint32_t r = 0; order.first && r < trace->rank_count; r++)
        order.first[r + 1] = order.first[r] + trace->ranks[r].count;
    const size_t calls = order.first ? order.first[trace->rank_count] + 1 : 1;
    order.done = malloc(calls * sizeof *order.done);
    order.joins = calloc(calls, sizeof *order.joins);
    order.next = calloc((size_t)trace->rank_count + 1, sizeof *order.next);
    order.now = calloc((size_t)trace->rank_count + 1, sizeof *order.now);
    const bool ready = order.first && order.done && order.joins && order.next && order.now;
    enum status status = ready ? run_order(&order, count) : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (!waits[i].refused && order.now[waits[i].rank] <= order.first[waits[i].rank] + waits[i].call)
            waits[i].refused = "the program does not come so far";
    FREE_ALL(order.first, order.done, order.joins, order.left, order.needs, order.next, order.now);
    return status;
}
