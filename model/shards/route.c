/* Which shards need a copy of a call; declared in model/shards/shards.h. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "model/match/fences.h"
#include "model/match/holdings.h"
#include "model/shards/shards.h"
#include "model/match/shmem_writes.h"

/* The epochs that one rank has open on one window. */
struct open_epochs {
    uint32_t start, post;      /* groups, TRACE_NO_REF: none */
    uint32_t locks, unflushed; /* locks held; of these, those with an operation that no flush follows */
    bool all, fenced;          /* lock_all is held; a fence was seen */
    bool used;                 /* an operation in the fence epoch that is open */
};

enum lock_state { LOCK_FREE, LOCK_HELD, LOCK_USED, LOCK_FLUSHED };

struct shard_list {
    uint32_t *items;
    uint32_t count;
    bool made;
};

struct shards_route {
    const struct trace *trace;
    uint32_t own, count;
    uint32_t *owner; /* per rank */
    /* Per rank, then window. NULL: a rank of another shard, or one without calls on windows. */
    struct open_epochs **windows;
    struct map *locks;      /* per rank: (window, target) to enum lock_state */
    bool lazy;              /* lock requests leave with an operation or after it */
    uint64_t *next_message; /* per rank: messages from this event on have not been sent */
    struct shard_list *comms, *groups;
    size_t comm_count, group_count;
    uint64_t *visited; /* per shard: the last visit that reached it */
    uint64_t visit;
};

/* The call that is routed. */
struct routing {
    struct shards_route *route;
    const struct shards_update *update;
    struct call_copy copy;
    const struct trace_sim *sim; /* of the call, in simulated traces */
    size_t index;                /* of the call */
    bool placed;                 /* the copy has the call's place in the program */
    call_copy_taker *take;
    void *context;
    struct err *err;
};

void shards_route_free(struct shards_route *route)
{
    if (!route) return;
    for (uint32_t r = 0; r < route->trace->rank_count; r++) {
        if (route->windows) free(route->windows[r]);
        if (route->locks) map_clear(&route->locks[r]);
    }
    for (size_t i = 0; route->comms && i < route->comm_count; i++) free(route->comms[i].items);
    for (size_t i = 0; route->groups && i < route->group_count; i++) free(route->groups[i].items);
    free(route->owner);
    free(route->windows);
    free(route->locks);
    free(route->next_message);
    free(route->comms);
    free(route->groups);
    free(route->visited);
    free(route);
}

enum status shards_route_new(const struct trace *trace, const struct shards_link *link, struct shards_route **route,
                             struct err *err)
{
    size_t ranks = (size_t)trace->rank_count + 1;
    struct shards_route *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct shards_route){.trace = trace,
                                  .own = link->own,
                                  .count = link->count,
                                  .lazy = trace_is_lazy(trace),
                                  .comm_count = trace->definitions.comm_count,
                                  .group_count = trace->definitions.group_count};
    made->owner = malloc(ranks * sizeof *made->owner);
    made->windows = calloc(ranks, sizeof *made->windows);
    made->locks = calloc(ranks, sizeof *made->locks);
    made->next_message = calloc(ranks, sizeof *made->next_message);
    made->comms = calloc(trace->definitions.comm_count + 1, sizeof *made->comms);
    made->groups = calloc(trace->definitions.group_count + 1, sizeof *made->groups);
    made->visited = calloc((size_t)link->count + 1, sizeof *made->visited);
    if (!made->owner || !made->windows || !made->locks || !made->next_message || !made->comms || !made->groups ||
        !made->visited) {
        shards_route_free(made);
        return err_memory(err);
    }
    for (uint32_t p = 0; p < link->count; p++)
        for (uint32_t r = shards_first(trace->rank_count, p, link->count);
             r < shards_first(trace->rank_count, p + 1, link->count); r++)
            made->owner[r] = p;
    *route = made;
    return STATUS_OK;
}

const uint64_t *shards_route_unsent(const struct shards_route *route)
{
    return route->next_message;
}

static enum status send_to_shard(struct routing *routing, uint32_t shard)
{
    if (shard == routing->route->own) return STATUS_OK;
    if (!routing->placed) {
        struct call_copy *copy = &routing->copy;
        struct efficiency_slices *efficiency = routing->update->efficiency;
        copy->node = callpath_at(routing->update->paths, copy->rank, routing->index);
        if (efficiency) copy->interval = interval_at(efficiency_slices_intervals(efficiency), copy->rank, routing->index);
        routing->placed = true;
    }
    return routing->take(routing->context, shard, &routing->copy, routing->sim, routing->err);
}

static enum status send_to_rank(struct routing *routing, int32_t rank)
{
    return rank == TRACE_NONE ? STATUS_OK : send_to_shard(routing, routing->route->owner[rank]);
}

static enum status make_list(struct shards_route *route, struct shard_list *list, const int32_t *members,
                             uint32_t count, struct err *err)
{
    uint32_t *shards = malloc(((size_t)route->count + 1) * sizeof *shards);
    if (!shards) return err_memory(err);
    route->visit++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t shard = route->owner[members[i]];
        if (route->visited[shard] == route->visit || shard == route->own) continue;
        route->visited[shard] = route->visit;
        shards[list->count++] = shard;
    }
    list->items = shards;
    list->made = true;
    return STATUS_OK;
}

static enum status send_to_list(struct routing *routing, const struct shard_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) TRY(send_to_shard(routing, list->items[i]));
    return STATUS_OK;
}

static enum status send_to_comm(struct routing *routing)
{
    struct shards_route *route = routing->route;
    const struct trace_comm *comm = trace_call_comm(route->trace, &routing->copy.call);
    if (!comm) return STATUS_OK;
    struct shard_list *list = &route->comms[comm - route->trace->definitions.comms];
    if (!list->made) TRY(make_list(route, list, comm->members, comm->count, routing->err));
    return send_to_list(routing, list);
}

static enum status send_to_group(struct routing *routing, uint32_t group)
{
    struct shards_route *route = routing->route;
    if (group == TRACE_NO_REF) return STATUS_OK;
    struct shard_list *list = &route->groups[group];
    const struct trace_group *of = &route->trace->definitions.groups[group];
    if (!list->made) TRY(make_list(route, list, of->members, of->count, routing->err));
    return send_to_list(routing, list);
}

static uint64_t lock_key(int32_t window, int32_t target)
{
    return map_pair((uint32_t)window, (uint32_t)target);
}

static enum status on_lock(struct routing *routing, struct open_epochs *open)
{
    const struct trace_call *call = &routing->copy.call;
    uint64_t *state;
    TRY(map_put(&routing->route->locks[routing->copy.rank], lock_key(call->handle, call->peer), LOCK_FREE, &state,
                routing->err));
    open->locks++;
    *state = LOCK_HELD;
    return send_to_rank(routing, call->peer);
}

static enum status on_unlock(struct routing *routing, struct open_epochs *open)
{
    const struct trace_call *call = &routing->copy.call;
    uint64_t *state = map_find(&routing->route->locks[routing->copy.rank], lock_key(call->handle, call->peer));
    if (state && *state != LOCK_FREE) {
        open->locks--;
        open->unflushed -= *state == LOCK_USED;
        *state = LOCK_FREE;
    }
    return send_to_rank(routing, call->peer);
}

/* The first operation under each lock goes to the target's shard. Under lazy locks all operations up to the first flush
 * go there: any of them may be the one that requests the lock. In a recorded trace all operations go there, since Wait
 * for Progress needs the last one before a flush. */
static enum status on_locked(struct routing *routing, struct open_epochs *open, uint64_t *state)
{
    bool one = routing->route->trace->provenance.simulated && !routing->route->lazy;
    if (*state == LOCK_FLUSHED || (*state == LOCK_USED && one)) return STATUS_OK;
    open->unflushed += *state == LOCK_HELD;
    *state = LOCK_USED;
    return send_to_rank(routing, routing->copy.call.peer);
}

/* A lazy lock_all takes only the locks that its operations request. In a recorded trace the target's shard needs their
 * flushes, too. */
static enum status on_locked_all(struct routing *routing, struct open_epochs *open)
{
    const struct trace_call *call = &routing->copy.call;
    uint64_t *state;
    TRY(map_put(&routing->route->locks[routing->copy.rank], lock_key(call->handle, call->peer), LOCK_FREE, &state,
                routing->err));
    open->locks++;
    *state = LOCK_HELD;
    return on_locked(routing, open, state);
}

static void free_locks(struct routing *routing, struct open_epochs *open)
{
    struct map *locks = &routing->route->locks[routing->copy.rank];
    for (size_t i = 0; open->locks > 0 && i < locks->capacity; i++)
        if (locks->used[i] && (int32_t)(locks->keys[i] >> 32) == routing->copy.call.handle)
            locks->values[i] = LOCK_FREE;
    open->locks = open->unflushed = 0;
}

/* Chooses the epoch as epochs_build() does. Only the own rank needs an operation under a simulated lock_all that is not
 * lazy. */
static enum status on_operation(struct routing *routing, struct open_epochs *open)
{
    const struct trace_call *call = &routing->copy.call;
    if (call->peer == TRACE_NONE) return STATUS_OK;
    if (open->start != TRACE_NO_REF) return send_to_rank(routing, call->peer);
    uint64_t *state = open->locks == 0
                          ? NULL
                          : map_find(&routing->route->locks[routing->copy.rank], lock_key(call->handle, call->peer));
    if (state && *state != LOCK_FREE) return on_locked(routing, open, state);
    bool alone = routing->route->trace->provenance.simulated && !routing->route->lazy;
    if (open->all) return alone ? STATUS_OK : on_locked_all(routing, open);
    if (!open->fenced) return STATUS_OK;
    open->used = true;
    return send_to_rank(routing, call->peer);
}

static enum status on_fence(struct routing *routing, struct open_epochs *open)
{
    struct trace_call *call = &routing->copy.call;
    bool closes = !(call->flags & TRACE_NOPRECEDE);
    open->fenced = true;
    if (closes && open->used) call->flags |= FENCE_CLOSES_OPERATIONS;
    if (closes) open->used = false;
    return send_to_comm(routing);
}

/* A local flush in a recorded trace does not complete puts at the target; another flush does. */
static void flush_lock(const struct shards_route *route, struct open_epochs *open, uint64_t *state, enum call_kind kind)
{
    if (!route->trace->provenance.simulated && kind == CALL_FLUSH_LOCAL) return;
    *state = route->trace->provenance.simulated ? LOCK_FLUSHED : LOCK_HELD;
    open->unflushed--;
}

/* Sends the first flush after an operation to the shards of its targets; in a recorded trace each flush that may complete
 * an operation. */
static enum status on_flush(struct routing *routing, struct open_epochs *open)
{
    struct shards_route *route = routing->route;
    const struct trace_call *call = &routing->copy.call;
    struct map *locks = &route->locks[routing->copy.rank];
    bool one = call_row(call->call)->needed & F_TARGET;
    if (open->unflushed == 0 || call->flags & TRACE_BREAK) return STATUS_OK;
    if (one) {
        uint64_t *state = map_find(locks, lock_key(call->handle, call->peer));
        if (!state || *state != LOCK_USED) return STATUS_OK;
        flush_lock(route, open, state, call_kind(call->call));
        return send_to_rank(routing, call->peer);
    }
    route->visit++;
    for (size_t i = 0; i < locks->capacity; i++) {
        if (!locks->used[i] || locks->values[i] != LOCK_USED) continue;
        int32_t target = (int32_t)(uint32_t)locks->keys[i];
        if ((int32_t)(locks->keys[i] >> 32) != call->handle) continue;
        flush_lock(route, open, &locks->values[i], call_kind(call->call));
        uint32_t shard = route->owner[target];
        if (route->visited[shard] == route->visit) continue;
        route->visited[shard] = route->visit;
        TRY(send_to_shard(routing, shard));
    }
    return STATUS_OK;
}

static enum status route_window_call(struct routing *routing, enum call_kind kind, struct open_epochs *open)
{
    const struct trace_call *call = &routing->copy.call;
    uint32_t group = kind == CALL_COMPLETE ? open->start : open->post;
    switch (kind) {
    case CALL_POST: open->post = call->sync.group; return send_to_group(routing, call->sync.group);
    case CALL_START: open->start = call->sync.group; return send_to_group(routing, call->sync.group);
    case CALL_COMPLETE: open->start = TRACE_NO_REF; return send_to_group(routing, group);
    case CALL_WIN_TEST:
        if (!(call->flags & TRACE_FLAG)) return STATUS_OK;
        /* fallthrough */
    case CALL_WIN_WAIT: open->post = TRACE_NO_REF; return send_to_group(routing, group);
    case CALL_LOCK: return on_lock(routing, open);
    case CALL_UNLOCK: return on_unlock(routing, open);
    case CALL_LOCK_ALL: open->all = true; return send_to_comm(routing);
    case CALL_UNLOCK_ALL:
        open->all = false;
        free_locks(routing, open);
        return send_to_comm(routing);
    case CALL_FLUSH:
    case CALL_FLUSH_LOCAL: return on_flush(routing, open);
    case CALL_PUT:
    case CALL_GET:
    case CALL_ACCUMULATE:
    case CALL_GET_ACCUMULATE: return on_operation(routing, open);
    case CALL_FENCE: return on_fence(routing, open);
    default: return send_to_comm(routing); /* creation and freeing */
    }
}

static enum status epochs_of(struct shards_route *route, uint32_t rank, struct open_epochs **windows, struct err *err)
{
    *windows = route->windows[rank];
    if (*windows) return STATUS_OK;
    *windows = malloc((route->trace->definitions.window_count + 1) * sizeof **windows);
    if (!*windows) return err_memory(err);
    for (size_t w = 0; w < route->trace->definitions.window_count; w++)
        (*windows)[w] = (struct open_epochs){.start = TRACE_NO_REF, .post = TRACE_NO_REF};
    route->windows[rank] = *windows;
    return STATUS_OK;
}

/* Sends the sending half to the destination's shard and the receiving half to the source's. */
static enum status route_sendrecv(struct routing *routing)
{
    const struct shards_route *route = routing->route;
    const struct trace_call whole = routing->copy.call;
    int32_t to = whole.peer, from = whole.exchange.source;
    uint32_t to_shard = to == TRACE_NONE ? route->own : route->owner[to];
    uint32_t from_shard = from == TRACE_NONE ? route->own : route->owner[from];
    if (to_shard == from_shard) return send_to_shard(routing, to_shard);
    routing->copy.call.exchange.source = TRACE_NONE;
    TRY(send_to_shard(routing, to_shard));
    routing->copy.call = whole;
    routing->copy.call.peer = TRACE_NONE;
    return send_to_shard(routing, from_shard);
}

static enum status route_message(struct routing *routing, enum call_kind kind)
{
    const struct trace_call *call = &routing->copy.call;
    if (kind == CALL_SENDRECV) return route_sendrecv(routing);
    if (kind == CALL_IPROBE && !message_taken_out(call)) return STATUS_OK;
    return send_to_rank(routing, call->peer);
}

/* The lists of a collective stay with its own rank, except those that say what it gives to each member. */
static enum status route_collective(struct routing *routing, enum call_kind kind)
{
    if (kind == CALL_NEIGHBOR) routing->copy.call.collective.neighbors = -1;
    if (kind != CALL_ALLTOALLV && kind != CALL_REDUCE_SCATTER) routing->copy.call.collective.counts = -1;
    return send_to_comm(routing);
}

/* Sends a call on a lock to the shard that finds its holdings. */
static enum status route_shmem_lock(struct routing *routing, enum call_kind kind)
{
    const struct trace_call *call = &routing->copy.call;
    if (call->flags & TRACE_BREAK || (kind == CALL_SHMEM_TEST_LOCK && !(call->flags & TRACE_FLAG))) return STATUS_OK;
    return send_to_shard(routing, holdings_shard(call->shmem.lock, routing->route->count));
}

static enum status take_call(struct routing *routing, uint32_t rank, size_t index, bool messages)
{
    const struct trace *trace = routing->route->trace;
    const struct trace_rank *calls = &trace->ranks[rank];
    routing->copy = (struct call_copy){.call = calls->calls[index],
                                       .event = trace_event(trace, rank, index) - 1,
                                       .rank = rank,
                                       .function = (uint16_t)trace_function(trace, rank, index)};
    routing->sim = calls->sim ? &calls->sim[index] : NULL;
    routing->index = index;
    routing->placed = false;
    const struct trace_call *call = &routing->copy.call;
    enum call_kind kind = call_kind(call->call);
    if (call_is_message(kind)) return messages ? route_message(routing, kind) : STATUS_OK;
    if (call_arm(kind) == ARM_COLLECTIVE && !call_makes_request(call->call)) return route_collective(routing, kind);
    if (kind == CALL_SHMEM_SET_LOCK || kind == CALL_SHMEM_TEST_LOCK || kind == CALL_SHMEM_CLEAR_LOCK)
        return route_shmem_lock(routing, kind);
    if (shmem_is_write(kind)) return send_to_rank(routing, call->peer);
    bool flush = kind == CALL_FLUSH || kind == CALL_FLUSH_LOCAL;
    bool of_window = flush || call_works_on(kind, OBJECT_EPOCH) || call_arm(kind) == ARM_WINDOW;
    if (!of_window || call->handle == TRACE_NONE) return STATUS_OK;
    struct open_epochs *windows;
    TRY(epochs_of(routing->route, routing->copy.rank, &windows, routing->err));
    return route_window_call(routing, kind, &windows[call->handle]);
}

/* Messages that waited in an earlier round. */
static enum status route_late(struct routing *routing, uint32_t rank, bool *blocked, bool ended)
{
    const struct shards_route *route = routing->route;
    const struct trace_rank *calls = &route->trace->ranks[rank];
    uint64_t *next = &route->next_message[rank];
    for (size_t i = 0; !*blocked && *next < calls->first_event && i < calls->kept_count; i++) {
        const struct trace_call *call = &calls->calls[i];
        enum call_kind kind = call_kind(call->call);
        if (calls->kept[i].event < *next || !call_is_message(kind)) continue;
        *blocked = kind == CALL_IRECV && call->handle == TRACE_NONE && !ended;
        if (*blocked)
            *next = calls->kept[i].event;
        else
            TRY(take_call(routing, rank, i, true));
    }
    return STATUS_OK;
}

/* Sends a call that waited for progress to the shard of its target, which finds what served it; if it may have several
 * targets, to all shards. */
static enum status route_progress(struct routing *routing)
{
    struct call_copy *copy = &routing->copy;
    if (!routing->sim || routing->sim->progress_until_ps == TRACE_UNKNOWN_PS) return STATUS_OK;
    bool one = call_row((enum mpi_call)copy->function)->needed & F_TARGET && copy->call.peer != TRACE_NONE;
    copy->call = routing->route->trace->ranks[copy->rank].calls[routing->index];
    slice_leave_times(&copy->call);
    copy->flags = SLICE_LATE;
    if (one) return send_to_rank(routing, copy->call.peer);
    for (uint32_t p = 0; p < routing->route->count; p++) TRY(send_to_shard(routing, p));
    return STATUS_OK;
}

enum status shards_route_rank(struct shards_route *route, const struct shards_update *update, uint32_t rank, bool ended,
                              call_copy_taker *take, void *context, struct err *err)
{
    const struct trace_rank *calls = &route->trace->ranks[rank];
    struct routing routing = {.route = route, .update = update, .take = take, .context = context, .err = err};
    bool blocked = false;
    TRY(route_late(&routing, rank, &blocked, ended));
    for (size_t i = calls->kept_count; i < calls->count; i++) {
        const struct trace_call *call = &calls->calls[i];
        if (!blocked && call_kind(call->call) == CALL_IRECV && call->handle == TRACE_NONE && !ended) {
            blocked = true;
            route->next_message[rank] = calls->first_event + (i - calls->kept_count);
        }
        TRY(take_call(&routing, rank, i, !blocked));
        TRY(route_progress(&routing));
    }
    if (!blocked) route->next_message[rank] = calls->first_event + (calls->count - calls->kept_count);
    return STATUS_OK;
}
