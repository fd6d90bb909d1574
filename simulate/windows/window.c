#include "simulate/windows/window.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "simulate/replay/barrier.h"
#include "simulate/replay/connections.h"
#include "simulate/windows/lock_epoch.h"
#include "simulate/windows/transfer.h"
#include "simulate/windows/window_modes.h"

enum { WINDOW_BITS = 16, RANK_BITS = 24 };

DEFINE_POOL(op, next, replay);
DEFINE_POOL(lock_epoch, next, replay);

static void prepare_members(struct replay *replay, int32_t window, uint32_t *next)
{
    const struct trace_comm *comm = replay_window_comm(replay, window);
    bool whole = comm->count == replay->trace->rank_count;
    for (uint32_t i = 0; i < comm->count; i++) whole = whole && comm->members[i] == (int32_t)i;
    replay->windows[window] = (struct window_state){.first_member = *next, .whole = whole};
    for (uint32_t i = 0; i < comm->count; i++) {
        struct member *member = &replay->members[(*next)++];
        member->rank = (uint32_t)comm->members[i];
        member->window = window;
        member->access.group = member->exposure.group = NO_INDEX;
    }
}

enum status replay_prepare_windows(struct replay *replay)
{
    const struct trace *trace = replay->trace;
    replay->free_op = replay->free_lock_epoch = NO_INDEX;
    TRY(window_modes_new(trace, replay->platform, &replay->modes, replay->err));
    if (trace->definitions.window_count >= (size_t)1 << WINDOW_BITS || trace->rank_count >= 1u << RANK_BITS)
        return err_set(replay->err, STATUS_DATA, trace->name, NULL,
                       "%zu windows and %u ranks, expected below %u and %u", trace->definitions.window_count,
                       trace->rank_count, 1u << WINDOW_BITS, 1u << RANK_BITS);
    for (size_t w = 0; w < trace->definitions.window_count; w++)
        replay->member_count += replay_window_comm(replay, (int32_t)w)->count;
    replay->windows = calloc(trace->definitions.window_count + 1, sizeof *replay->windows);
    replay->members = lines_new(replay->member_count + 1, sizeof *replay->members);
    replay->all_locks = calloc(replay->member_count + 1, sizeof(struct all_locks *));
    if (!replay->windows || !replay->members || !replay->all_locks) return err_memory(replay->err);
    if (replay->deferred) {
        replay->held = malloc((replay->member_count + 1) * sizeof *replay->held);
        if (!replay->held) return err_memory(replay->err);
        memset(replay->held, 0xff, (replay->member_count + 1) * sizeof *replay->held); /* NO_INDEX */
    }
    if (protocol_queries(&replay->platform->protocol, QUERY_CONNECTED) &&
        !(replay->called = calloc(replay->member_count + 1, sizeof *replay->called)))
        return err_memory(replay->err);
    if (replay->needs_call && replay->platform->protocol.visit != VISIT_ENTER &&
        !(replay->unread_completes = calloc(replay->member_count + 1, sizeof *replay->unread_completes)))
        return err_memory(replay->err);
    bool queries = false, notified = false;
    for (size_t w = 0; w < trace->definitions.window_count; w++) {
        queries = queries || replay->modes[w].fence.query != QUERY_NONE;
        notified = notified || replay->modes[w].fence.form != FORM_FENCE_BARRIER;
    }
    if (queries &&
        !(replay->fence_targets = calloc(replay->member_count + 1, sizeof *replay->fence_targets)))
        return err_memory(replay->err);
    uint32_t next_member = 0;
    for (size_t w = 0; w < trace->definitions.window_count; w++) prepare_members(replay, (int32_t)w, &next_member);
    TRY(replay_prepare_buffers(replay));
    if (!notified) return STATUS_OK;
    replay->incoming = calloc(replay->member_count + 1, 2 * sizeof *replay->incoming);
    return replay->incoming ? STATUS_OK : err_memory(replay->err);
}

static void clear_role(struct role *role)
{
    if (role->pair_count > ROLE_FEW) free(role->many);
    role->pair_count = 0;
}

void replay_clear_windows(struct replay *replay)
{
    for (size_t i = 0; replay->members && i < replay->member_count; i++) {
        clear_role(&replay->members[i].access);
        clear_role(&replay->members[i].exposure);
        if (replay->all_locks) free(replay->all_locks[i]);
    }
    FREE_ALL(replay->windows, replay->members, replay->incoming, replay->held, replay->all_locks, replay->lock_queues,
             replay->pairs, replay->ops, replay->lock_epochs);
    replay_clear_buffers(replay);
    free(replay->modes);
    map_clear(&replay->pair_index);
    for (size_t i = 0; replay->fence_targets && i < replay->member_count; i++) free(replay->fence_targets[i].items);
    FREE_ALL(replay->fence_targets, replay->unread_completes, replay->called);
}

uint32_t replay_member_of_part(const struct replay *replay, int32_t window, uint32_t rank)
{
    return replay->windows[window].first_member +
           (uint32_t)trace_comm_rank(replay_window_comm(replay, window), (int32_t)rank);
}

enum status replay_pairs_of(struct replay *replay, struct member *member, struct role *role, bool as_origin,
                            uint32_t group_id)
{
    if (role->group == group_id) return STATUS_OK;
    const struct trace_group *group = &replay->trace->definitions.groups[group_id];
    uint32_t *many = group->count > ROLE_FEW ? malloc(group->count * sizeof *many) : NULL;
    if (group->count > ROLE_FEW && !many) return err_memory(replay->err);
    clear_role(role);
    if (many) role->many = many;
    role->pair_count = group->count;
    uint32_t *pairs = group->count > ROLE_FEW ? role->many : role->few;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t other = (uint32_t)group->members[i];
        uint32_t origin = as_origin ? member->rank : other, target = as_origin ? other : member->rank;
        uint64_t key = (uint64_t)member->window << (2 * RANK_BITS) | (uint64_t)origin << RANK_BITS | target;
        uint64_t *slot;
        TRY(map_put(&replay->pair_index, key, NO_INDEX, &slot, replay->err));
        if (*slot == NO_INDEX) {
            struct pair pair = {.origin = origin,
                                .target = target,
                                .window = member->window,
                                .origin_member = replay_member_index(replay, member->window, origin),
                                .target_member = replay_member_index(replay, member->window, target),
                                .queue = {NO_INDEX, NO_INDEX},
                                .last_op_exit_ps = TRACE_UNKNOWN_PS};
            *slot = replay->pair_count;
            TRY(lines_reserve((void **)&replay->pairs, &replay->pair_capacity, replay->pair_count + 1, sizeof pair,
                              replay->err));
            replay->pairs[replay->pair_count++] = pair;
        }
        pairs[i] = (uint32_t)*slot;
    }
    role->group = group_id;
    return STATUS_OK;
}

bool replay_pair_ready(const struct member *member, const struct pair *pair)
{
    return member->nocheck || pair->posts_arrived >= pair->accesses;
}

bool replay_awaits_group(const struct replay *replay, const struct pair *pair, uint32_t op)
{
    return replay->ops[op].group && !replay->members[pair->origin_member].posted;
}

bool replay_pair_awaits_group(const struct replay *replay, const struct pair *pair)
{
    return pair->queue.first != NO_INDEX && replay_awaits_group(replay, pair, pair->queue.first);
}

struct pair *replay_open_pair(struct replay *replay, const struct member *member, int32_t target)
{
    if (!member->access_open) return NULL;
    const struct role *role = &member->access;
    if (role->pair_count > ROLE_FEW) {
        int32_t found = trace_group_rank(&replay->trace->definitions.groups[role->group], target);
        return found < 0 ? NULL : &replay->pairs[role->many[found]];
    }
    for (uint32_t i = 0; i < role->pair_count; i++)
        if (replay->pairs[role->few[i]].target == (uint32_t)target) return &replay->pairs[role->few[i]];
    return NULL;
}

uint32_t replay_open_lock_of_all(const struct replay *replay, uint32_t member, int32_t target)
{
    const struct trace_comm *comm = replay_comm_of(replay, &replay->members[member]);
    return replay->all_locks[member]->locks[trace_comm_rank(comm, target)];
}

bool replay_lock_at(const struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t place,
                    uint32_t *lock)
{
    const struct trace_comm *comm = replay_window_comm(replay, call->handle);
    uint32_t index = replay_member_index(replay, call->handle, rank);
    const struct all_locks *all = replay->all_locks[index];
    *lock = NO_INDEX;
    if (call->peer != TRACE_NONE) {
        if (place == 0) *lock = replay_open_lock(replay, rank, index, call->peer);
        return place == 0;
    }
    if (all) {
        if (place < comm->count) *lock = all->locks[place];
        return place < comm->count;
    }
    uint32_t at = replay->ranks[rank].lock_list;
    while (place-- > 0 && at != NO_INDEX) at = replay->lock_epochs[at].next;
    if (at != NO_INDEX && replay->lock_epochs[at].member == index) *lock = at;
    return at != NO_INDEX;
}

void replay_lock_busy(struct replay *replay, struct all_locks *all, uint32_t lock)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    epoch->busy = true;
    epoch->next = NO_INDEX;
    *(all->busy_first == NO_INDEX ? &all->busy_first : &replay->lock_epochs[all->busy_last].next) = lock;
    all->busy_last = lock;
}

enum status replay_all_locks_new(struct replay *replay, uint32_t count, struct all_locks **made)
{
    struct all_locks *all = malloc(sizeof *all + count * sizeof *all->locks);
    *made = all;
    if (!all) return err_memory(replay->err);
    *all = (struct all_locks){.busy_first = NO_INDEX, .busy_last = NO_INDEX};
    memset(all->locks, 0xff, count * sizeof *all->locks); /* NO_INDEX */
    return STATUS_OK;
}

bool replay_all_complete(struct replay *replay, struct all_locks *all)
{
    for (; all->busy_first != NO_INDEX; all->busy_first = replay->lock_epochs[all->busy_first].next) {
        if (replay->lock_epochs[all->busy_first].open.outstanding > 0) return false;
        replay->lock_epochs[all->busy_first].busy = false;
    }
    return true;
}

enum status replay_count_fence_answer(struct replay *replay, const struct op *op, int change)
{
    const int32_t window = replay->members[op->member].window;
    if (!replay->fence_targets || op->has_answer || replay->modes[window].fence.query == QUERY_NONE) return STATUS_OK;
    uint32_t member = replay_member_index(replay, window, op->target);
    struct fence_targets *targets = &replay->fence_targets[op->member];
    size_t place = 0;
    SEARCH_FIRST(place, targets->count, at, targets->items[at].member < member);
    if (place == targets->count || targets->items[place].member != member) {
        TRY(array_reserve((void **)&targets->items, &targets->capacity, targets->count + 1, sizeof *targets->items,
                          replay->err));
        memmove(&targets->items[place + 1], &targets->items[place], (targets->count++ - place) * sizeof *targets->items);
        targets->items[place] = (struct fence_target){.member = member};
    }
    targets->items[place].answers += (uint32_t)change;
    return STATUS_OK;
}

bool replay_flush_asks_others(struct replay *replay, uint32_t member)
{
    if (!replay->called || replay->called[member].targets == 0) return false;
    replay->called[member].targets = 0;
    replay->called[member].round++;
    return replay_has_unanswered(replay, replay->members[member].rank);
}

void replay_note_called(struct replay *replay, uint32_t member, uint32_t lock)
{
    if (!replay->called) return;
    struct called *called = &replay->called[member];
    struct lock_epoch *epoch = lock == NO_INDEX ? NULL : &replay->lock_epochs[lock];
    if (epoch ? !replay_lock_unflushed(replay, epoch) : called->targets == 0) called->targets++;
    if (epoch) epoch->called_round = called->round;
}

bool replay_lock_unflushed(const struct replay *replay, const struct lock_epoch *epoch)
{
    return epoch->unflushed && (!replay->called || epoch->called_round == replay->called[epoch->member].round);
}

void replay_lock_flushed(struct replay *replay, struct lock_epoch *epoch)
{
    if (replay->called && epoch->origin != epoch->target && replay_lock_unflushed(replay, epoch))
        replay->called[epoch->member].targets--;
    epoch->unflushed = false;
}

uint32_t replay_barrier_of(const struct replay *replay, const struct member *member)
{
    return replay_barrier_of_window(replay, (uint32_t)(member - replay->members));
}

/* Two exceptions. The wait states of an epoch use the enter of its posts, which messages have reported by then only
 * where start waits for them. A fence that is notified knows when a get ends at its origin. */
bool replay_windows_are_apart(const struct replay *replay)
{
    bool apart = true;
    for (size_t w = 0; w < replay->trace->definitions.window_count; w++)
        apart = apart && replay->modes[w].semantics->start_waits && replay->modes[w].fence.form == FORM_FENCE_BARRIER;
    return apart;
}
