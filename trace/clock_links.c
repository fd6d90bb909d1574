#include "trace/clock_links.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* The n-th cause of a key belongs to the n-th effect of the same key. */
struct key {
    int32_t what;   /* enum side_kind */
    int32_t handle; /* communicator or window */
    int32_t from, to, tag;
    uint32_t number;
};

struct side {
    uint32_t key, rank; /* key: its number */
    size_t index;
    bool applies; /* an effect may only keep the count */
};

enum side_kind { SIDE_NONE, SIDE_MESSAGE, SIDE_COMPLETE, SIDE_POST, SIDE_NEIGHBOR };
enum { RECENT_KEYS = 256 };

struct sides {
    struct side *items;
    size_t count, capacity;
};

struct epoch {       /* of one rank and window */
    uint32_t group;  /* TRACE_NO_REF: none is open */
    struct map gets; /* targets of gets */
};

struct finder {
    const struct trace *trace;
    struct clock_links *links;
    struct sides causes, effects;
    struct key *keys; /* by number */
    size_t key_count, key_capacity;
    struct map key_index;            /* hash of a key to its number, chained by probing */
    struct key recent[RECENT_KEYS];  /* found last, by a cheaper hash; before the first one `what` is SIDE_NONE */
    struct map instances;            /* (window or communicator, sequence) to knot */
    struct map sequences;            /* of one rank: window or communicator to number of its collective calls */
    struct map receives;             /* of one rank: request to index in effects */
    struct epoch *access, *exposure; /* of one rank, by window */
    uint32_t rank;
    size_t index;
    const struct trace_call *call;
    struct err *err;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->what != y->what) return x->what < y->what ? -1 : 1;
    if (x->handle != y->handle) return x->handle < y->handle ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static bool same_key(const struct key *a, const struct key *b)
{
    return a->what == b->what && a->handle == b->handle && a->from == b->from && a->to == b->to && a->tag == b->tag;
}

static enum status number_new_key(struct finder *finder, const struct key *key, uint32_t *number)
{
    uint64_t hash = map_mix((uint64_t)(uint32_t)key->from << 32 | (uint32_t)key->to,
                            (uint64_t)(uint32_t)key->handle << 32 | (uint32_t)key->tag) +
                    (uint64_t)key->what;
    for (;; hash++) {
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

/* Programs repeat their few keys. */
static enum status number_key(struct finder *finder, const struct key *key, uint32_t *number)
{
    uint32_t hash = (uint32_t)key->from * 31 + (uint32_t)key->to * 7 + (uint32_t)key->what * 64 + (uint32_t)key->tag;
    struct key *recent = &finder->recent[hash % RECENT_KEYS];
    if (recent->what == SIDE_NONE || !same_key(recent, key)) {
        *recent = *key;
        TRY(number_new_key(finder, key, &recent->number));
    }
    *number = recent->number;
    return STATUS_OK;
}

static enum status add_tagged_side(struct finder *finder, struct sides *sides, const struct key *key, bool applies)
{
    struct side side = {.rank = finder->rank, .index = finder->index, .applies = applies};
    TRY(number_key(finder, key, &side.key));
    ARRAY_PUSH(sides->items, sides->count, sides->capacity, side, finder->err);
    return STATUS_OK;
}

static enum status add_side(struct finder *finder, struct sides *sides, enum side_kind what, int32_t from, int32_t to,
                            bool applies)
{
    int32_t tag = what == SIDE_MESSAGE ? finder->call->tag : 0;
    const struct key key = {.what = what, .handle = finder->call->handle, .from = from, .to = to, .tag = tag};
    return add_tagged_side(finder, sides, &key, applies);
}

static enum status add_cause(struct finder *finder, size_t knot)
{
    struct clock_links *links = finder->links;
    struct clock_link link = {finder->rank, finder->index, knot};
    ARRAY_PUSH(links->causes, links->cause_count, links->cause_capacity, link, finder->err);
    return STATUS_OK;
}

static enum status add_effect(struct finder *finder, size_t knot)
{
    struct clock_links *links = finder->links;
    struct clock_link link = {finder->rank, finder->index, knot};
    ARRAY_PUSH(links->effects, links->effect_count, links->effect_capacity, link, finder->err);
    return STATUS_OK;
}

/* Of a communicator of two groups. */
static bool is_in_second(const struct finder *finder)
{
    const struct trace_comm *comm = trace_call_comm(finder->trace, finder->call);
    return comm->between > 0 && trace_comm_rank(comm, (int32_t)finder->rank) >= (int32_t)comm->between;
}

/* The k-th collective call of a rank on a communicator (or window) belongs to the k-th of every member;
 * between two groups those of one depend on those of the other. */
static enum status collective(struct finder *finder, bool causes, bool effects)
{
    bool window = call_row(finder->call->call)->allowed & F_WIN;
    bool between = !window && finder->trace->comms[finder->call->handle].between > 0;
    uint64_t key = (uint64_t)(uint32_t)finder->call->handle << 1 | window, *sequence, *knot;
    TRY(map_put(&finder->sequences, key, 0, &sequence, finder->err));
    TRY(map_put(&finder->instances, key << 31 ^ (*sequence)++, finder->links->knots, &knot, finder->err));
    if (*knot == finder->links->knots) finder->links->knots += 1 + between;
    size_t number = (size_t)*knot;
    bool second = is_in_second(finder);
    if (causes) TRY(add_cause(finder, number + second));
    if (effects && !(finder->call->flags & TRACE_BREAK)) TRY(add_effect(finder, between ? number + !second : number));
    return STATUS_OK;
}

static enum status request_done(struct finder *finder, uint32_t request)
{
    const uint64_t *effect = map_find(&finder->receives, request);
    if (!effect) return STATUS_OK;
    finder->effects.items[*effect].index = finder->index;
    finder->effects.items[*effect].applies = true;
    return STATUS_OK;
}

static enum status sendrecv(struct finder *finder)
{
    const struct trace_call *call = finder->call;
    int32_t own = (int32_t)finder->rank, source = trace_call_source(call);
    if (call->peer >= 0) TRY(add_side(finder, &finder->causes, SIDE_MESSAGE, own, call->peer, true));
    if (source < 0 || (call->flags & TRACE_BREAK)) return STATUS_OK;
    const struct key received = {
        .what = SIDE_MESSAGE, .handle = call->handle, .from = source, .to = own, .tag = trace_call_recv_tag(call)};
    return add_tagged_side(finder, &finder->effects, &received, true);
}

static enum status message_call(struct finder *finder, enum call_kind kind)
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
        TRY(map_put(&finder->receives, call->ref, finder->effects.count, &slot, finder->err));
        return add_side(finder, &finder->effects, SIDE_MESSAGE, call->peer, own, false);
    case CALL_SENDRECV: return sendrecv(finder);
    case CALL_REQUEST_WAIT: return broken ? STATUS_OK : request_done(finder, call->ref);
    case CALL_REQUEST_TEST: return call->flags & TRACE_FLAG ? request_done(finder, call->ref) : STATUS_OK;
    default: break;
    }
    const struct trace_list *list = &finder->trace->lists[call->ref];
    for (uint32_t i = 0; i < list->count && !broken; i++)
        TRY(request_done(finder, finder->trace->requests[list->first + i]));
    return STATUS_OK;
}

static enum status end_access(struct finder *finder)
{
    struct epoch *epoch = &finder->access[finder->call->handle];
    if (epoch->group == TRACE_NO_REF) return STATUS_OK;
    const struct trace_group *group = &finder->trace->groups[epoch->group];
    int32_t own = (int32_t)finder->rank;
    for (uint32_t i = 0; i < group->count; i++) {
        int32_t target = group->members[i];
        bool got = map_find(&epoch->gets, (uint64_t)target) && !(finder->call->flags & TRACE_BREAK);
        TRY(add_side(finder, &finder->causes, SIDE_COMPLETE, own, target, true));
        TRY(add_side(finder, &finder->effects, SIDE_POST, target, own, got));
    }
    epoch->group = TRACE_NO_REF;
    map_clear(&epoch->gets);
    return STATUS_OK;
}

static enum status end_exposure(struct finder *finder)
{
    struct epoch *epoch = &finder->exposure[finder->call->handle];
    if (epoch->group == TRACE_NO_REF) return STATUS_OK;
    const struct trace_group *group = &finder->trace->groups[epoch->group];
    bool broken = finder->call->flags & TRACE_BREAK;
    for (uint32_t i = 0; i < group->count; i++)
        TRY(add_side(finder, &finder->effects, SIDE_COMPLETE, group->members[i], (int32_t)finder->rank, !broken));
    epoch->group = TRACE_NO_REF;
    return STATUS_OK;
}

static enum status begin_exposure(struct finder *finder)
{
    const struct trace_group *group = &finder->trace->groups[finder->call->ref];
    finder->exposure[finder->call->handle].group = finder->call->ref;
    for (uint32_t i = 0; i < group->count; i++)
        TRY(add_side(finder, &finder->causes, SIDE_POST, (int32_t)finder->rank, group->members[i], true));
    return STATUS_OK;
}

static enum status window_call(struct finder *finder, enum call_kind kind)
{
    const struct trace_call *call = finder->call;
    uint64_t *slot;
    switch (kind) {
    case CALL_FENCE: return collective(finder, !(call->flags & TRACE_NOPRECEDE), !(call->flags & TRACE_NOPRECEDE));
    case CALL_WIN_FREE: return collective(finder, true, true);
    case CALL_POST: return begin_exposure(finder);
    case CALL_START: finder->access[call->handle].group = call->ref; return STATUS_OK;
    case CALL_GET:
        if (call->peer < 0 || call->bytes == 0 || finder->access[call->handle].group == TRACE_NO_REF) return STATUS_OK;
        return map_put(&finder->access[call->handle].gets, (uint64_t)call->peer, 1, &slot, finder->err);
    case CALL_COMPLETE: return end_access(finder);
    case CALL_WIN_TEST: return call->flags & TRACE_FLAG ? end_exposure(finder) : STATUS_OK;
    default: return end_exposure(finder);
    }
}

static enum status neighbor_call(struct finder *finder)
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

static enum status take_call(struct finder *finder)
{
    const struct trace_call *call = finder->call;
    enum call_kind kind = call_kind((enum mpi_call)call->call);
    bool data = call->bytes > 0, root = call->peer == (int32_t)finder->rank;
    switch (kind) {
    case CALL_SEND:
    case CALL_ISEND:
    case CALL_RECV:
    case CALL_IRECV:
    case CALL_SENDRECV:
    case CALL_REQUEST_WAIT:
    case CALL_REQUEST_TEST:
    case CALL_REQUEST_WAITALL:
    case CALL_REQUEST_TESTALL: return message_call(finder, kind);
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

static enum status walk_rank(struct finder *finder)
{
    const struct trace_rank *rank = &finder->trace->ranks[finder->rank];
    for (size_t i = 0; i < finder->trace->window_count; i++)
        finder->access[i].group = finder->exposure[i].group = TRACE_NO_REF;
    for (finder->index = 0; finder->index < rank->count; finder->index++) {
        finder->call = &rank->calls[finder->index];
        TRY(take_call(finder));
    }
    return STATUS_OK;
}

static enum status add_pair(struct finder *finder, const struct side *cause, const struct side *effect)
{
    size_t knot = finder->links->knots++;
    finder->rank = cause->rank;
    finder->index = cause->index;
    TRY(add_cause(finder, knot));
    finder->rank = effect->rank;
    finder->index = effect->index;
    return add_effect(finder, knot);
}

/* Sorting by numbers below `numbers` in their order of making takes time by their count: starts[i] is how many items
 * have a number below i. */
static size_t *count_starts(size_t numbers)
{
    return calloc(numbers + 1, sizeof(size_t));
}

static void sum_up(size_t *starts, size_t numbers)
{
    for (size_t i = 0; i < numbers; i++) starts[i + 1] += starts[i];
}

/* Sides by key, in the order of their making: a key's are of one rank, so that it is its order of calls (of posting, for
 * receives: MPI-3.1 3.5). *starts: where each key begins. */
static enum status order_sides(struct finder *finder, struct sides *sides, size_t **starts)
{
    size_t *ends = count_starts(finder->key_count);
    struct side *ordered = malloc((sides->count + 1) * sizeof *ordered);
    *starts = ends;
    if (!ends || !ordered) {
        free(ordered);
        return err_memory(finder->err);
    }
    for (size_t i = 0; i < sides->count; i++) ends[sides->items[i].key + 1]++;
    sum_up(ends, finder->key_count);
    for (size_t i = 0; i < sides->count; i++) ordered[ends[sides->items[i].key]++] = sides->items[i];
    memmove(ends + 1, ends, finder->key_count * sizeof *ends);
    ends[0] = 0;
    free(sides->items);
    sides->items = ordered;
    sides->capacity = sides->count + 1;
    return STATUS_OK;
}

/* By rank and index, those of one call in the order of their making, which is that of their knots. */
static enum status order_links(struct finder *finder, const size_t *first_calls, struct clock_link **links,
                               size_t count, size_t *capacity)
{
    size_t calls = first_calls[finder->trace->rank_count];
    size_t *ends = count_starts(calls);
    struct clock_link *ordered = malloc((count + 1) * sizeof *ordered);
    if (!ends || !ordered) {
        free(ends);
        free(ordered);
        return err_memory(finder->err);
    }
    for (size_t i = 0; i < count; i++) ends[first_calls[(*links)[i].rank] + (*links)[i].index + 1]++;
    sum_up(ends, calls);
    for (size_t i = 0; i < count; i++) ordered[ends[first_calls[(*links)[i].rank] + (*links)[i].index]++] = (*links)[i];
    free(ends);
    free(*links);
    *links = ordered;
    *capacity = count + 1;
    return STATUS_OK;
}

static enum status order_all_links(struct finder *finder)
{
    struct clock_links *links = finder->links;
    uint32_t ranks = finder->trace->rank_count;
    size_t *first_calls = count_starts(ranks);
    if (!first_calls) return err_memory(finder->err);
    for (uint32_t r = 0; r < ranks; r++) first_calls[r + 1] = first_calls[r] + finder->trace->ranks[r].count;
    enum status status = order_links(finder, first_calls, &links->causes, links->cause_count, &links->cause_capacity);
    if (status == STATUS_OK)
        status = order_links(finder, first_calls, &links->effects, links->effect_count, &links->effect_capacity);
    free(first_calls);
    return status;
}

struct pairs { /* where each key's causes and effects begin, in their orders */
    size_t *causes, *effects;
};

static enum status join_ordered(struct finder *finder, const struct pairs *pairs)
{
    for (size_t k = 0; k < finder->key_count; k++) { /* in the order of keys, since pairs are numbered by it */
        uint32_t key = finder->keys[k].number;
        size_t c = pairs->causes[key], e = pairs->effects[key];
        for (; c < pairs->causes[key + 1] && e < pairs->effects[key + 1]; c++, e++)
            if (finder->effects.items[e].applies)
                TRY(add_pair(finder, &finder->causes.items[c], &finder->effects.items[e]));
    }
    return STATUS_OK;
}

static const struct trace_call *call_at(const struct finder *finder, uint32_t rank, size_t index)
{
    return &finder->trace->ranks[rank].calls[index];
}

/* Of messages and epochs: effects that end before their cause began. */
static uint64_t count_pairs(const struct finder *finder, const struct pairs *pairs)
{
    uint64_t violations = 0;
    for (size_t key = 0; key < finder->key_count; key++) {
        const struct side *cause = finder->causes.items + pairs->causes[key];
        const struct side *last = finder->causes.items + pairs->causes[key + 1];
        const struct side *effect = finder->effects.items + pairs->effects[key];
        const struct side *end = finder->effects.items + pairs->effects[key + 1];
        for (; cause < last && effect < end; cause++, effect++)
            violations += effect->applies && call_at(finder, effect->rank, effect->index)->exit_ps <
                                                 call_at(finder, cause->rank, cause->index)->enter_ps;
    }
    return violations;
}

/* Of collectives, which are linked already. */
static enum status count_collectives(const struct finder *finder, uint64_t *violations)
{
    const struct clock_links *links = finder->links;
    int64_t *latest_ps = malloc((links->knots + 1) * sizeof *latest_ps);
    if (!latest_ps) return err_memory(finder->err);
    for (size_t i = 0; i < links->knots; i++) latest_ps[i] = INT64_MIN;
    for (size_t i = 0; i < links->cause_count; i++) {
        const struct clock_link *cause = &links->causes[i];
        int64_t ps = call_at(finder, cause->rank, cause->index)->enter_ps;
        if (ps > latest_ps[cause->knot]) latest_ps[cause->knot] = ps;
    }
    for (size_t i = 0; i < links->effect_count; i++) {
        const struct clock_link *effect = &links->effects[i];
        *violations += call_at(finder, effect->rank, effect->index)->exit_ps < latest_ps[effect->knot];
    }
    free(latest_ps);
    return STATUS_OK;
}

/* Links cost more than to see that none is needed. */
static enum status join_pairs(struct finder *finder, const struct pairs *pairs)
{
    uint64_t violations = count_pairs(finder, pairs);
    TRY(count_collectives(finder, &violations));
    finder->links->violations = violations;
    if (violations == 0) return STATUS_OK;
    if (finder->key_count > 0) qsort(finder->keys, finder->key_count, sizeof *finder->keys, compare_keys);
    TRY(join_ordered(finder, pairs));
    return order_all_links(finder);
}

static enum status join_sides(struct finder *finder)
{
    struct pairs pairs = {NULL, NULL};
    enum status status = order_sides(finder, &finder->causes, &pairs.causes);
    if (status == STATUS_OK) status = order_sides(finder, &finder->effects, &pairs.effects);
    if (status == STATUS_OK) status = join_pairs(finder, &pairs);
    free(pairs.causes);
    free(pairs.effects);
    return status;
}

static enum status find_all(struct finder *finder)
{
    size_t windows = finder->trace->window_count + 1;
    finder->access = calloc(windows, sizeof *finder->access);
    finder->exposure = calloc(windows, sizeof *finder->exposure);
    if (!finder->access || !finder->exposure) return err_memory(finder->err);
    for (finder->rank = 0; finder->rank < finder->trace->rank_count; finder->rank++) {
        enum status status = walk_rank(finder);
        map_clear(&finder->sequences);
        map_clear(&finder->receives);
        for (size_t i = 0; i < windows; i++) map_clear(&finder->access[i].gets);
        TRY(status);
    }
    return join_sides(finder);
}

enum status clock_links_find(const struct trace *trace, struct clock_links *links, struct err *err)
{
    struct finder finder = {.trace = trace, .links = links, .err = err};
    enum status status = find_all(&finder);
    map_clear(&finder.instances);
    free(finder.access);
    free(finder.exposure);
    map_clear(&finder.key_index);
    free(finder.keys);
    free(finder.causes.items);
    free(finder.effects.items);
    return status;
}

void clock_links_clear(struct clock_links *links)
{
    free(links->causes);
    free(links->effects);
    *links = (struct clock_links){0};
}
