#include "trace/causality/happens_before.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static bool same_key(const struct clock_key *a, const struct clock_key *b)
{
    return a->what == b->what && a->handle == b->handle && a->from == b->from && a->to == b->to && a->tag == b->tag;
}

static uint64_t hash_key(const struct clock_key *key)
{
    return map_mix(map_pair((uint32_t)key->from, (uint32_t)key->to),
                   map_pair((uint32_t)key->handle, (uint32_t)key->tag)) +
           (uint64_t)key->what;
}

bool happens_before_key(const struct happens_before *relation, const struct clock_key *key, uint32_t *number)
{
    const uint64_t *slot;
    for (uint64_t hash = hash_key(key); (slot = map_find(&relation->key_index, hash)) != NULL; hash++) {
        if (!same_key(&relation->keys[*slot], key)) continue;
        *number = (uint32_t)*slot;
        return true;
    }
    return false;
}

static enum status number_new_key(struct happens_before *relation, const struct clock_key *key, uint32_t *number)
{
    for (uint64_t hash = hash_key(key);; hash++) {
        uint64_t *slot;
        TRY(map_put(&relation->key_index, hash, relation->key_count, &slot, relation->err));
        *number = (uint32_t)*slot;
        if (*slot == relation->key_count) break;
        if (same_key(&relation->keys[*slot], key)) return STATUS_OK;
    }
    ARRAY_PUSH(relation->keys, relation->key_count, relation->key_capacity, *key, relation->err);
    relation->keys[*number].number = *number;
    return STATUS_OK;
}

static enum status add_tagged_side(struct happens_before *relation, struct clock_sides *sides,
                                   const struct clock_key *key, bool applies)
{
    struct clock_side side = {.rank = relation->rank, .index = relation->index, .applies = applies};
    /* Looks into the recent keys first, since programs repeat few keys. */
    uint32_t hash = (uint32_t)key->from * 31 + (uint32_t)key->to * 7 + (uint32_t)key->what * 64 + (uint32_t)key->tag;
    struct clock_key *recent = &relation->recent[hash % RECENT_KEYS];
    if (recent->what == SIDE_NONE || !same_key(recent, key)) {
        *recent = *key;
        TRY(number_new_key(relation, key, &recent->number));
    }
    side.key = recent->number;
    ARRAY_PUSH(sides->items, sides->count, sides->capacity, side, relation->err);
    return STATUS_OK;
}

static enum status add_side(struct happens_before *relation, struct clock_sides *sides, enum side_kind what,
                            int32_t from, int32_t to, bool applies)
{
    int32_t tag = what == SIDE_MESSAGE ? relation->call->message.tag : 0;
    const struct clock_key key = {.what = what, .handle = relation->call->handle, .from = from, .to = to, .tag = tag};
    return add_tagged_side(relation, sides, &key, applies);
}

enum status happens_before_cause(struct happens_before *relation, size_t sync_group)
{
    struct clock_conditions *conditions = relation->conditions;
    struct clock_condition condition = {relation->rank, relation->index, sync_group};
    ARRAY_PUSH(conditions->causes, conditions->cause_count, conditions->cause_capacity, condition, relation->err);
    return STATUS_OK;
}

enum status happens_before_effect(struct happens_before *relation, size_t sync_group)
{
    struct clock_conditions *conditions = relation->conditions;
    struct clock_condition condition = {relation->rank, relation->index, sync_group};
    ARRAY_PUSH(conditions->effects, conditions->effect_count, conditions->effect_capacity, condition, relation->err);
    return STATUS_OK;
}

/* The k-th collective call of a rank on a communicator (or window) belongs to the k-th of every member; in an
 * intercommunicator the members of one group depend on those of the other. */
static enum status relate_collective(struct happens_before *relation, bool causes, bool effects)
{
    bool window = call_row(relation->call->call)->allowed & F_WIN;
    bool between = !window && relation->trace->definitions.comms[relation->call->handle].first_group > 0;
    uint64_t key = (uint64_t)(uint32_t)relation->call->handle << 1 | window, *sequence, *sync_group;
    TRY(map_put(&relation->sequences, key, 0, &sequence, relation->err));
    TRY(map_put(&relation->instances, clock_instance(key, (*sequence)++), relation->conditions->sync_groups,
                &sync_group, relation->err));
    if (*sync_group == relation->conditions->sync_groups) relation->conditions->sync_groups += 1 + between;
    size_t number = (size_t)*sync_group;
    const struct trace_comm *comm = trace_call_comm(relation->trace, relation->call);
    bool second = comm->first_group > 0 && trace_comm_rank(comm, (int32_t)relation->rank) >= (int32_t)comm->first_group;
    if (causes) TRY(happens_before_cause(relation, number + second));
    if (effects && !(relation->call->flags & TRACE_BREAK))
        TRY(happens_before_effect(relation, between ? number + !second : number));
    return STATUS_OK;
}

static enum status request_done(struct happens_before *relation, uint32_t request)
{
    const uint64_t *effect = map_find(&relation->receives, request);
    if (!effect) return STATUS_OK;
    relation->effects.items[*effect].index = relation->index;
    relation->effects.items[*effect].applies = true;
    return STATUS_OK;
}

static enum status relate_sendrecv(struct happens_before *relation)
{
    const struct trace_call *call = relation->call;
    int32_t own = (int32_t)relation->rank, source = call->exchange.source;
    if (call->peer >= 0) TRY(add_side(relation, &relation->causes, SIDE_MESSAGE, own, call->peer, true));
    if (source < 0 || (call->flags & TRACE_BREAK)) return STATUS_OK;
    const struct clock_key received = {
        .what = SIDE_MESSAGE, .handle = call->handle, .from = source, .to = own, .tag = call->exchange.recv_tag};
    return add_tagged_side(relation, &relation->effects, &received, true);
}

static enum status message_call(struct happens_before *relation, enum call_kind kind)
{
    const struct trace_call *call = relation->call;
    int32_t own = (int32_t)relation->rank;
    uint64_t *slot;
    bool broken = call->flags & TRACE_BREAK;
    switch (kind) {
    case CALL_SEND:
    case CALL_ISEND:
        return call->peer < 0 ? STATUS_OK : add_side(relation, &relation->causes, SIDE_MESSAGE, own, call->peer, true);
    case CALL_RECV:
        return call->peer < 0 || broken ? STATUS_OK
                                        : add_side(relation, &relation->effects, SIDE_MESSAGE, call->peer, own, true);
    case CALL_IRECV:
        if (call->peer < 0) return STATUS_OK;
        TRY(map_put(&relation->receives, call->message.request, relation->effects.count, &slot, relation->err));
        return add_side(relation, &relation->effects, SIDE_MESSAGE, call->peer, own, false);
    case CALL_SENDRECV: return relate_sendrecv(relation);
    default: break;
    }
    uint32_t count;
    const uint32_t *ids = trace_call_completed(relation->trace, call, &count);
    for (uint32_t i = 0; i < count && !broken; i++) TRY(request_done(relation, ids[i]));
    return STATUS_OK;
}

static enum status end_access(struct happens_before *relation, const struct epoch *closed)
{
    struct map *gets = &relation->gets[relation->call->handle];
    const struct trace_group *group = &relation->trace->definitions.groups[closed->group];
    int32_t own = (int32_t)relation->rank;
    for (uint32_t i = 0; i < group->count; i++) {
        int32_t target = group->members[i];
        bool got = map_find(gets, (uint64_t)target) && !(relation->call->flags & TRACE_BREAK);
        TRY(add_side(relation, &relation->causes, SIDE_COMPLETE, own, target, true));
        TRY(add_side(relation, &relation->effects, SIDE_POST, target, own, got));
    }
    map_clear(gets);
    return STATUS_OK;
}

static enum status begin_exposure(struct happens_before *relation)
{
    const struct trace_group *group = &relation->trace->definitions.groups[relation->call->sync.group];
    for (uint32_t i = 0; i < group->count; i++)
        TRY(add_side(relation, &relation->causes, SIDE_POST, (int32_t)relation->rank, group->members[i], true));
    return STATUS_OK;
}

static enum status window_call(struct happens_before *relation, enum call_kind kind)
{
    const struct trace_call *call = relation->call;
    struct epoch_step step;
    uint64_t *slot;
    switch (kind) {
    case CALL_FENCE:
        return relate_collective(relation, !(call->flags & TRACE_NOPRECEDE), !(call->flags & TRACE_NOPRECEDE));
    case CALL_WIN_FREE: return relate_collective(relation, true, true);
    case CALL_GET:
        if (call->peer < 0 || call->bytes == 0 || !epoch_cursor_open(&relation->cursor, call->handle, EPOCH_START))
            return STATUS_OK;
        return map_put(&relation->gets[call->handle], (uint64_t)call->peer, 1, &slot, relation->err);
    default: break;
    }
    TRY(epoch_cursor_take(&relation->cursor, call, relation->index, &step, relation->err));
    if (kind == CALL_POST) return begin_exposure(relation);
    if (!step.closes) return STATUS_OK;
    if (kind == CALL_COMPLETE) return end_access(relation, step.closes);
    const struct trace_group *group = &relation->trace->definitions.groups[step.closes->group];
    bool broken = relation->call->flags & TRACE_BREAK;
    for (uint32_t i = 0; i < group->count; i++)
        TRY(add_side(relation, &relation->effects, SIDE_COMPLETE, group->members[i], (int32_t)relation->rank, !broken));
    return STATUS_OK;
}

static enum status neighbor_call(struct happens_before *relation)
{
    struct trace_neighbors neighbors;
    int32_t own = (int32_t)relation->rank;
    bool waits = !call_makes_request(relation->call->call) && !(relation->call->flags & TRACE_BREAK);
    if (!trace_call_neighbors(relation->trace, relation->call, &neighbors)) return STATUS_OK;
    for (uint32_t i = 0; i < neighbors.destination_count; i++)
        TRY(add_side(relation, &relation->causes, SIDE_NEIGHBOR, own, (int32_t)neighbors.destinations[i], true));
    for (uint32_t i = 0; i < neighbors.source_count; i++)
        TRY(add_side(relation, &relation->effects, SIDE_NEIGHBOR, (int32_t)neighbors.sources[i], own, waits));
    return STATUS_OK;
}

static enum status take_call(struct happens_before *relation)
{
    const struct trace_call *call = relation->call;
    enum call_kind kind = call_kind((enum mpi_call)call->call);
    bool data = call->bytes > 0, root = call->peer == (int32_t)relation->rank;
    if (call_is_message(kind) || call_arm(kind) == ARM_COMPLETION) return message_call(relation, kind);
    switch (kind) {
    case CALL_FENCE:
    case CALL_WIN_FREE:
    case CALL_POST:
    case CALL_START:
    case CALL_GET:
    case CALL_COMPLETE:
    case CALL_WIN_TEST:
    case CALL_WIN_WAIT: return window_call(relation, kind);
    case CALL_NEIGHBOR: return neighbor_call(relation);
    default: break;
    }
    if (call_makes_request((enum mpi_call)call->call)) return STATUS_OK; /* its wait depends on the others */
    switch (kind) {
    case CALL_BARRIER:
    case CALL_SHMEM_BARRIER: return relate_collective(relation, true, true);
    case CALL_ALLREDUCE:
    case CALL_ALLGATHER:
    case CALL_ALLTOALL: return relate_collective(relation, data, data);
    case CALL_BCAST:
    case CALL_SCATTER: return relate_collective(relation, data && root, data);
    case CALL_REDUCE:
    case CALL_GATHER: return relate_collective(relation, data, data && root);
    default: return STATUS_OK;
    }
}

static enum status walk_rank(struct happens_before *relation)
{
    const struct trace_rank *rank = &relation->trace->ranks[relation->rank];
    epoch_cursor_restart(&relation->cursor);
    for (relation->index = 0; relation->index < rank->count; relation->index++) {
        relation->call = &rank->calls[relation->index];
        TRY(take_call(relation));
    }
    return STATUS_OK;
}

enum status happens_before_walk(struct happens_before *relation, uint32_t first, uint32_t end)
{
    relation->gets = calloc(relation->trace->definitions.window_count + 1, sizeof *relation->gets);
    if (!relation->gets) return err_memory(relation->err);
    TRY(epoch_cursor_init(&relation->cursor, relation->trace, relation->err));
    for (relation->rank = first; relation->rank < end; relation->rank++) {
        enum status status = walk_rank(relation);
        map_clear(&relation->sequences);
        map_clear(&relation->receives);
        for (size_t i = 0; i < relation->trace->definitions.window_count; i++) map_clear(&relation->gets[i]);
        TRY(status);
    }
    return STATUS_OK;
}

enum status happens_before_order(struct happens_before *relation, struct clock_sides *sides, size_t **starts)
{
    size_t *ends = calloc(relation->key_count + 1, sizeof *ends);
    struct clock_side *ordered = malloc((sides->count + 1) * sizeof *ordered);
    *starts = ends;
    if (!ends || !ordered) {
        free(ordered);
        return err_memory(relation->err);
    }
    for (size_t i = 0; i < sides->count; i++) ends[sides->items[i].key + 1]++;
    for (size_t i = 0; i < relation->key_count; i++) ends[i + 1] += ends[i];
    for (size_t i = 0; i < sides->count; i++) ordered[ends[sides->items[i].key]++] = sides->items[i];
    memmove(ends + 1, ends, relation->key_count * sizeof *ends);
    ends[0] = 0;
    free(sides->items);
    sides->items = ordered;
    sides->capacity = sides->count + 1;
    return STATUS_OK;
}

void happens_before_clear(struct happens_before *relation)
{
    map_clear(&relation->instances);
    free(relation->gets);
    epoch_cursor_clear(&relation->cursor);
    map_clear(&relation->key_index);
    FREE_ALL(relation->keys, relation->causes.items, relation->effects.items);
}
