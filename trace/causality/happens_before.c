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
    return map_mix((uint64_t)(uint32_t)key->from << 32 | (uint32_t)key->to,
                   (uint64_t)(uint32_t)key->handle << 32 | (uint32_t)key->tag) +
           (uint64_t)key->what;
}

bool happens_before_key(const struct happens_before *finder, const struct clock_key *key, uint32_t *number)
{
    const uint64_t *slot;
    for (uint64_t hash = hash_key(key); (slot = map_find(&finder->key_index, hash)) != NULL; hash++) {
        if (!same_key(&finder->keys[*slot], key)) continue;
        *number = (uint32_t)*slot;
        return true;
    }
    return false;
}

static enum status number_new_key(struct happens_before *finder, const struct clock_key *key, uint32_t *number)
{
    for (uint64_t hash = hash_key(key);; hash++) {
        uint64_t *slot;
        TRY(map_put(&finder->key_index, hash, finder->key_count, &slot, finder->err));
        *number = (uint32_t)*slot;
        if (*slot == finder->key_count) break;
        if (same_key(&finder->keys[*slot], key)) return STATUS_OK;
    }
    ARRAY_PUSH(finder->keys, finder->key_count, finder->key_capacity, *key, finder->err);
    finder->keys[*number].number = *number;
    return STATUS_OK;
}

/* Looks into the recent keys first, since programs repeat few keys. */
static enum status number_key(struct happens_before *finder, const struct clock_key *key, uint32_t *number)
{
    uint32_t hash = (uint32_t)key->from * 31 + (uint32_t)key->to * 7 + (uint32_t)key->what * 64 + (uint32_t)key->tag;
    struct clock_key *recent = &finder->recent[hash % RECENT_KEYS];
    if (recent->what == SIDE_NONE || !same_key(recent, key)) {
        *recent = *key;
        TRY(number_new_key(finder, key, &recent->number));
    }
    *number = recent->number;
    return STATUS_OK;
}

static enum status add_tagged_side(struct happens_before *finder, struct clock_sides *sides,
                                   const struct clock_key *key, bool applies)
{
    struct clock_side side = {.rank = finder->rank, .index = finder->index, .applies = applies};
    TRY(number_key(finder, key, &side.key));
    ARRAY_PUSH(sides->items, sides->count, sides->capacity, side, finder->err);
    return STATUS_OK;
}

static enum status add_side(struct happens_before *finder, struct clock_sides *sides, enum side_kind what, int32_t from,
                            int32_t to, bool applies)
{
    int32_t tag = what == SIDE_MESSAGE ? finder->call->message.tag : 0;
    const struct clock_key key = {.what = what, .handle = finder->call->handle, .from = from, .to = to, .tag = tag};
    return add_tagged_side(finder, sides, &key, applies);
}

enum status happens_before_cause(struct happens_before *finder, size_t sync_group)
{
    struct clock_conditions *links = finder->links;
    struct clock_condition link = {finder->rank, finder->index, sync_group};
    ARRAY_PUSH(links->causes, links->cause_count, links->cause_capacity, link, finder->err);
    return STATUS_OK;
}

enum status happens_before_effect(struct happens_before *finder, size_t sync_group)
{
    struct clock_conditions *links = finder->links;
    struct clock_condition link = {finder->rank, finder->index, sync_group};
    ARRAY_PUSH(links->effects, links->effect_count, links->effect_capacity, link, finder->err);
    return STATUS_OK;
}

/* Whether the rank is in the second group of the call's intercommunicator. */
static bool is_in_second(const struct happens_before *finder)
{
    const struct trace_comm *comm = trace_call_comm(finder->trace, finder->call);
    return comm->first_group > 0 && trace_comm_rank(comm, (int32_t)finder->rank) >= (int32_t)comm->first_group;
}

/* The k-th collective call of a rank on a communicator (or window) belongs to the k-th of every member; in an
 * intercommunicator the members of one group depend on those of the other. */
static enum status collective(struct happens_before *finder, bool causes, bool effects)
{
    bool window = call_row(finder->call->call)->allowed & F_WIN;
    bool between = !window && finder->trace->definitions.comms[finder->call->handle].first_group > 0;
    uint64_t key = (uint64_t)(uint32_t)finder->call->handle << 1 | window, *sequence, *sync_group;
    TRY(map_put(&finder->sequences, key, 0, &sequence, finder->err));
    TRY(map_put(&finder->instances, clock_instance(key, (*sequence)++), finder->links->sync_groups, &sync_group,
                finder->err));
    if (*sync_group == finder->links->sync_groups) finder->links->sync_groups += 1 + between;
    size_t number = (size_t)*sync_group;
    bool second = is_in_second(finder);
    if (causes) TRY(happens_before_cause(finder, number + second));
    if (effects && !(finder->call->flags & TRACE_BREAK))
        TRY(happens_before_effect(finder, between ? number + !second : number));
    return STATUS_OK;
}

static enum status request_done(struct happens_before *finder, uint32_t request)
{
    const uint64_t *effect = map_find(&finder->receives, request);
    if (!effect) return STATUS_OK;
    finder->effects.items[*effect].index = finder->index;
    finder->effects.items[*effect].applies = true;
    return STATUS_OK;
}

static enum status sendrecv(struct happens_before *finder)
{
    const struct trace_call *call = finder->call;
    int32_t own = (int32_t)finder->rank, source = call->exchange.source;
    if (call->peer >= 0) TRY(add_side(finder, &finder->causes, SIDE_MESSAGE, own, call->peer, true));
    if (source < 0 || (call->flags & TRACE_BREAK)) return STATUS_OK;
    const struct clock_key received = {
        .what = SIDE_MESSAGE, .handle = call->handle, .from = source, .to = own, .tag = call->exchange.recv_tag};
    return add_tagged_side(finder, &finder->effects, &received, true);
}

static enum status message_call(struct happens_before *finder, enum call_kind kind)
{
    const struct trace_call *call = finder->call;
    int32_t own = (int32_t)finder->rank;
    uint64_t *slot;
    bool broken = call->flags & TRACE_BREAK;
    switch (kind) {
    case CALL_SEND:
    case CALL_ISEND:
        return call->peer < 0 ? STATUS_OK : add_side(finder, &finder->causes, SIDE_MESSAGE, own, call->peer, true);
    case CALL_RECV:
        return call->peer < 0 || broken ? STATUS_OK
                                        : add_side(finder, &finder->effects, SIDE_MESSAGE, call->peer, own, true);
    case CALL_IRECV:
        if (call->peer < 0) return STATUS_OK;
        TRY(map_put(&finder->receives, call->message.request, finder->effects.count, &slot, finder->err));
        return add_side(finder, &finder->effects, SIDE_MESSAGE, call->peer, own, false);
    case CALL_SENDRECV: return sendrecv(finder);
    default: break;
    }
    uint32_t count;
    const uint32_t *ids = trace_call_completed(finder->trace, call, &count);
    for (uint32_t i = 0; i < count && !broken; i++) TRY(request_done(finder, ids[i]));
    return STATUS_OK;
}

static enum status end_access(struct happens_before *finder, const struct epoch *closed)
{
    struct map *gets = &finder->gets[finder->call->handle];
    const struct trace_group *group = &finder->trace->definitions.groups[closed->group];
    int32_t own = (int32_t)finder->rank;
    for (uint32_t i = 0; i < group->count; i++) {
        int32_t target = group->members[i];
        bool got = map_find(gets, (uint64_t)target) && !(finder->call->flags & TRACE_BREAK);
        TRY(add_side(finder, &finder->causes, SIDE_COMPLETE, own, target, true));
        TRY(add_side(finder, &finder->effects, SIDE_POST, target, own, got));
    }
    map_clear(gets);
    return STATUS_OK;
}

static enum status end_exposure(struct happens_before *finder, const struct epoch *closed)
{
    const struct trace_group *group = &finder->trace->definitions.groups[closed->group];
    bool broken = finder->call->flags & TRACE_BREAK;
    for (uint32_t i = 0; i < group->count; i++)
        TRY(add_side(finder, &finder->effects, SIDE_COMPLETE, group->members[i], (int32_t)finder->rank, !broken));
    return STATUS_OK;
}

static enum status begin_exposure(struct happens_before *finder)
{
    const struct trace_group *group = &finder->trace->definitions.groups[finder->call->sync.group];
    for (uint32_t i = 0; i < group->count; i++)
        TRY(add_side(finder, &finder->causes, SIDE_POST, (int32_t)finder->rank, group->members[i], true));
    return STATUS_OK;
}

static enum status window_call(struct happens_before *finder, enum call_kind kind)
{
    const struct trace_call *call = finder->call;
    struct epoch_step step;
    uint64_t *slot;
    switch (kind) {
    case CALL_FENCE: return collective(finder, !(call->flags & TRACE_NOPRECEDE), !(call->flags & TRACE_NOPRECEDE));
    case CALL_WIN_FREE: return collective(finder, true, true);
    case CALL_GET:
        if (call->peer < 0 || call->bytes == 0 || !epoch_cursor_open(&finder->cursor, call->handle, EPOCH_START))
            return STATUS_OK;
        return map_put(&finder->gets[call->handle], (uint64_t)call->peer, 1, &slot, finder->err);
    default: break;
    }
    TRY(epoch_cursor_take(&finder->cursor, call, finder->index, &step, finder->err));
    if (kind == CALL_POST) return begin_exposure(finder);
    if (!step.closes) return STATUS_OK;
    return kind == CALL_COMPLETE ? end_access(finder, step.closes) : end_exposure(finder, step.closes);
}

static enum status neighbor_call(struct happens_before *finder)
{
    struct trace_neighbors neighbors;
    int32_t own = (int32_t)finder->rank;
    bool waits = !call_makes_request(finder->call->call) && !(finder->call->flags & TRACE_BREAK);
    if (!trace_call_neighbors(finder->trace, finder->call, &neighbors)) return STATUS_OK;
    for (uint32_t i = 0; i < neighbors.destination_count; i++)
        TRY(add_side(finder, &finder->causes, SIDE_NEIGHBOR, own, (int32_t)neighbors.destinations[i], true));
    for (uint32_t i = 0; i < neighbors.source_count; i++)
        TRY(add_side(finder, &finder->effects, SIDE_NEIGHBOR, (int32_t)neighbors.sources[i], own, waits));
    return STATUS_OK;
}

static enum status take_call(struct happens_before *finder)
{
    const struct trace_call *call = finder->call;
    enum call_kind kind = call_kind((enum mpi_call)call->call);
    bool data = call->bytes > 0, root = call->peer == (int32_t)finder->rank;
    if (call_is_message(kind) || call_arm(kind) == ARM_COMPLETION) return message_call(finder, kind);
    switch (kind) {
    case CALL_FENCE:
    case CALL_WIN_FREE:
    case CALL_POST:
    case CALL_START:
    case CALL_GET:
    case CALL_COMPLETE:
    case CALL_WIN_TEST:
    case CALL_WIN_WAIT: return window_call(finder, kind);
    case CALL_NEIGHBOR: return neighbor_call(finder);
    default: break;
    }
    if (call_makes_request((enum mpi_call)call->call)) return STATUS_OK; /* its wait depends on the others */
    switch (kind) {
    case CALL_BARRIER:
    case CALL_SHMEM_BARRIER: return collective(finder, true, true);
    case CALL_ALLREDUCE:
    case CALL_ALLGATHER:
    case CALL_ALLTOALL: return collective(finder, data, data);
    case CALL_BCAST:
    case CALL_SCATTER: return collective(finder, data && root, data);
    case CALL_REDUCE:
    case CALL_GATHER: return collective(finder, data, data && root);
    default: return STATUS_OK;
    }
}

static enum status walk_rank(struct happens_before *finder)
{
    const struct trace_rank *rank = &finder->trace->ranks[finder->rank];
    epoch_cursor_restart(&finder->cursor);
    for (finder->index = 0; finder->index < rank->count; finder->index++) {
        finder->call = &rank->calls[finder->index];
        TRY(take_call(finder));
    }
    return STATUS_OK;
}

static void end_rank(struct happens_before *finder)
{
    map_clear(&finder->sequences);
    map_clear(&finder->receives);
    for (size_t i = 0; i < finder->trace->definitions.window_count; i++) map_clear(&finder->gets[i]);
}

enum status happens_before_walk(struct happens_before *finder, uint32_t first, uint32_t end)
{
    finder->gets = calloc(finder->trace->definitions.window_count + 1, sizeof *finder->gets);
    if (!finder->gets) return err_memory(finder->err);
    TRY(epoch_cursor_init(&finder->cursor, finder->trace, finder->err));
    for (finder->rank = first; finder->rank < end; finder->rank++) {
        enum status status = walk_rank(finder);
        end_rank(finder);
        TRY(status);
    }
    return STATUS_OK;
}

enum status happens_before_order(struct happens_before *finder, struct clock_sides *sides, size_t **starts)
{
    size_t *ends = calloc(finder->key_count + 1, sizeof *ends);
    struct clock_side *ordered = malloc((sides->count + 1) * sizeof *ordered);
    *starts = ends;
    if (!ends || !ordered) {
        free(ordered);
        return err_memory(finder->err);
    }
    for (size_t i = 0; i < sides->count; i++) ends[sides->items[i].key + 1]++;
    for (size_t i = 0; i < finder->key_count; i++) ends[i + 1] += ends[i];
    for (size_t i = 0; i < sides->count; i++) ordered[ends[sides->items[i].key]++] = sides->items[i];
    memmove(ends + 1, ends, finder->key_count * sizeof *ends);
    ends[0] = 0;
    free(sides->items);
    sides->items = ordered;
    sides->capacity = sides->count + 1;
    return STATUS_OK;
}

void happens_before_clear(struct happens_before *finder)
{
    map_clear(&finder->instances);
    free(finder->gets);
    epoch_cursor_clear(&finder->cursor);
    map_clear(&finder->key_index);
    free(finder->keys);
    free(finder->causes.items);
    free(finder->effects.items);
}
