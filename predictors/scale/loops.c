#include "predictors/scale/loops.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum {
    SERIES_BODY_MAX = 8,    /* calls per partner */
    SERIES_ROUNDS_MIN = 3,  /* with fewer rounds the partners are neighbours */
    REPEAT_BODY_MAX = 512,  /* nodes of a repeated body */
    DOUBLING = 1U << SERIES_CUBE | 1U << SERIES_DOUBLE_UP | 1U << SERIES_DOUBLE_DOWN,
};

void nodes_free(struct node *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) nodes_free(nodes[i].body, nodes[i].count);
    free(nodes);
}

static bool same_but_sizes(const struct observed *a, const struct observed *b)
{
    return a->key == b->key && a->completed == b->completed;
}

static bool same_but_group(const struct observed *a, const struct observed *b)
{
    return same_but_sizes(a, b) && (a->any_size || (a->bytes == b->bytes && a->aux == b->aux));
}

/* How a size of calls[0], calls[stride], ... changes; false: in another way. */
static bool find_growth(const struct observed *calls, size_t stride, uint32_t rounds, int size, enum size_growth *growth)
{
    bool same = true, doubles = true, halves = true;
    const int64_t first = size == SIZE_BYTES ? calls->bytes : calls->aux;
    for (uint32_t round = 0; round < rounds; round++) {
        const struct observed *call = &calls[round * stride];
        const int64_t value = size == SIZE_BYTES ? call->bytes : call->aux;
        same = same && value == first;
        doubles = doubles && round < 62 && (value >> round) == first && (first << round) == value;
        halves = halves && round < 62 && (first >> round) == value && (value << round) == first;
    }
    *growth = same || calls->any_size ? SIZE_SAME : doubles ? SIZE_DOUBLES : SIZE_HALVES;
    return same || doubles || halves || calls->any_size;
}

static int32_t of_slot(const struct observed *call, int slot)
{
    return slot == NODE_MEMBER ? call->member : call->peers[slot];
}

/* The same where a call with another value may be one more round of a repetition: of roots that take turns, none. */
static int32_t fixed_slot(const struct observed *call, int slot)
{
    return slot == 0 && call->turns ? TRACE_NONE : of_slot(call, slot);
}

/* The series that a slot of calls[0], calls[stride], ... may form. */
static uint16_t fitting_series(const struct run *run, uint32_t rank, const struct observed *calls, size_t stride,
                               uint32_t rounds, int slot)
{
    const struct trace_comm *comm = &run->trace->definitions.comms[calls->comm];
    int32_t ranks = (int32_t)comm->count, place = trace_comm_rank(comm, (int32_t)rank);
    uint16_t fitting = 0;
    for (enum series series = 0; series < SERIES_COUNT; series++) {
        if (series_rounds(series, ranks) != rounds) continue;
        uint32_t round = 0;
        while (round < rounds &&
               of_slot(&calls[round * stride], slot) == comm->members[series_partner(series, ranks, place, round)])
            round++;
        if (round == rounds) fitting |= (uint16_t)(1U << series);
    }
    return fitting;
}

static bool is_series_body(const struct run *run, uint32_t rank, const struct observed *calls, size_t body,
                           uint32_t rounds, struct node *nodes)
{
    for (size_t i = 0; i < body; i++) {
        bool same_group = true;
        for (uint32_t round = 1; round < rounds; round++) {
            if (!same_but_sizes(&calls[i], &calls[i + round * body])) return false;
            same_group = same_group && calls[i].group == calls[i + round * body].group;
        }
        nodes[i] = (struct node){.kind = STEP_CALL, .call = &calls[i]};
        for (int size = 0; size < SIZES; size++)
            if (!find_growth(&calls[i], body, rounds, size, &nodes[i].growth[size])) return false;
        for (int slot = 0; slot < NODE_SLOTS; slot++) {
            if (of_slot(&calls[i], slot) == TRACE_NONE) continue;
            if (slot == 0 && calls[i].turns && calls[i].partial) return false;
            nodes[i].series[slot] = fitting_series(run, rank, &calls[i], body, rounds, slot);
            if (!nodes[i].series[slot] && slot != NODE_MEMBER) return false;
        }
        if (!same_group && !nodes[i].series[NODE_MEMBER]) return false;
    }
    return true;
}

/* Of two rounds sizes that double, or halve, tell a butterfly from neighbours on a grid. */
static bool is_butterfly(const struct node *nodes, size_t body)
{
    bool grows = false;
    for (size_t i = 0; i < body; i++) {
        for (int slot = 0; slot < NODE_SLOTS; slot++)
            if (nodes[i].series[slot] && !(nodes[i].series[slot] & DOUBLING)) return false;
        for (int size = 0; size < SIZES; size++) grows = grows || nodes[i].growth[size] != SIZE_SAME;
    }
    return grows;
}

static bool has_partner(const struct observed *call)
{
    return call->peers[0] != TRACE_NONE || call->member != TRACE_NONE;
}

/* Finds a series whose body begins with a call of the rank, and has at least so many calls. *length is its number of calls; 0:
 * there is none. */
static enum status find_body(const struct run *run, uint32_t rank, size_t first, size_t least, int32_t ranks, struct node *node,
                             size_t *length, struct err *err)
{
    const struct observed_rank *all = &run->ranks[rank];
    struct node nodes[SERIES_BODY_MAX];
    uint32_t rounds[SERIES_COUNT];
    /* The numbers of rounds that a series can have. */
    size_t possible = 0;
    *length = 0;
    for (enum series series = 0; series < SERIES_COUNT; series++) {
        uint32_t of_series = series_rounds(series, ranks);
        bool known = of_series < (DOUBLING >> series & 1 ? 2 : SERIES_ROUNDS_MIN);
        for (size_t i = 0; i < possible; i++) known = known || rounds[i] == of_series;
        if (!known) rounds[possible++] = of_series;
    }
    for (size_t i = 0; i < possible; i++) {
        for (size_t body = least; body <= SERIES_BODY_MAX && first + body * rounds[i] <= all->count; body++) {
            if (!is_series_body(run, rank, &all->calls[first], body, rounds[i], nodes)) continue;
            if (rounds[i] < SERIES_ROUNDS_MIN && !is_butterfly(nodes, body)) continue;
            *node = (struct node){.kind = STEP_SERIES, .rounds = rounds[i], .count = body};
            node->body = malloc(body * sizeof *node->body);
            if (!node->body) return err_memory(err);
            memcpy(node->body, nodes, body * sizeof *nodes);
            *length = body * rounds[i];
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

/* The same; calls without a partner, as a fence, may come first. */
static enum status find_series(const struct run *run, uint32_t rank, size_t first, struct node *node, size_t *length,
                               struct err *err)
{
    const struct observed_rank *all = &run->ranks[rank];
    size_t partner = first;
    *length = 0;
    while (partner < all->count && partner - first < SERIES_BODY_MAX && !has_partner(&all->calls[partner])) partner++;
    if (partner == all->count || partner - first == SERIES_BODY_MAX) return STATUS_OK;
    const int32_t ranks = (int32_t)run->trace->definitions.comms[all->calls[partner].comm].count;
    return find_body(run, rank, first, partner - first + 1, ranks, node, length, err);
}

static uint64_t hash_node(const struct node *node)
{
    uint64_t hash = map_mix(node->kind, node->rounds);
    if (node->kind == STEP_CALL) {
        const struct observed *call = node->call;
        hash = map_mix(call->key, call->any_size ? 0 : (uint64_t)call->bytes);
        hash = map_mix(hash, call->any_size ? 0 : (uint64_t)call->aux);
        uint32_t group = node->series[NODE_MEMBER] ? node->series[NODE_MEMBER] : call->group;
        hash = map_mix(hash, map_pair(group, call->completed));
        hash = map_mix(hash, map_pair(node->growth[SIZE_BYTES], node->growth[SIZE_AUX]));
        for (int i = 0; i < STEP_PARTNERS; i++)
            hash = map_mix(hash, node->series[i] ? (uint64_t)node->series[i] << 32 : (uint32_t)fixed_slot(call, i));
    }
    for (size_t i = 0; i < node->count; i++) hash = map_mix(hash, hash_node(&node->body[i]));
    return hash;
}

static bool nodes_equal(const struct node *a, const struct node *b, size_t count);

static bool node_equal(const struct node *a, const struct node *b)
{
    if (a->hash != b->hash || a->kind != b->kind || a->rounds != b->rounds || a->count != b->count) return false;
    if (a->kind != STEP_CALL) return nodes_equal(a->body, b->body, a->count);
    if (!same_but_group(a->call, b->call) || memcmp(a->growth, b->growth, sizeof a->growth) != 0) return false;
    for (int i = 0; i < NODE_SLOTS; i++)
        if (a->series[i] != b->series[i] || (!a->series[i] && fixed_slot(a->call, i) != fixed_slot(b->call, i))) return false;
    return a->series[NODE_MEMBER] || a->call->group == b->call->group;
}

static bool nodes_equal(const struct node *a, const struct node *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!node_equal(&a[i], &b[i])) return false;
    return true;
}

static void drop_last(struct nodes *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct node *last = &nodes->items[--nodes->count];
        nodes_free(last->body, last->count);
    }
}

/* Whether the last `body` nodes are one more round of the repetition before them, which then gets it. */
static bool extend_repeat(struct nodes *nodes, size_t body)
{
    if (nodes->count <= body) return false;
    struct node *before = &nodes->items[nodes->count - body - 1];
    if (before->kind != STEP_REPEAT || before->count != body) return false;
    if (!nodes_equal(before->body, before + 1, body)) return false;
    before->rounds++;
    before->hash = hash_node(before);
    drop_last(nodes, body);
    return true;
}

/* If the last `body` nodes equal the ones before them, both become a repetition. */
static enum status begin_repeat(struct nodes *nodes, size_t body, bool *done, struct err *err)
{
    *done = nodes->count >= 2 * body &&
            nodes_equal(&nodes->items[nodes->count - 2 * body], &nodes->items[nodes->count - body], body);
    if (!*done) return STATUS_OK;
    struct node repeat = {.kind = STEP_REPEAT, .rounds = 2, .count = body};
    repeat.body = malloc(body * sizeof *repeat.body);
    if (!repeat.body) return err_memory(err);
    drop_last(nodes, body);
    nodes->count -= body;
    memcpy(repeat.body, &nodes->items[nodes->count], body * sizeof *repeat.body);
    repeat.hash = hash_node(&repeat);
    nodes->items[nodes->count++] = repeat;
    return STATUS_OK;
}

static enum status fold_last(struct nodes *nodes, bool *folded, struct err *err)
{
    *folded = false;
    uint64_t hash = nodes->items[nodes->count - 1].hash;
    for (size_t body = 1; !*folded && body <= REPEAT_BODY_MAX && body < nodes->count; body++) {
        *folded = extend_repeat(nodes, body);
        if (*folded || nodes->items[nodes->count - 1 - body].hash != hash) continue;
        TRY(begin_repeat(nodes, body, folded, err));
    }
    return STATUS_OK;
}

static enum status add_node(struct nodes *nodes, struct node node, struct err *err)
{
    bool folded = true;
    node.hash = hash_node(&node);
    ARRAY_PUSH(nodes->items, nodes->count, nodes->capacity, node, err);
    while (folded) TRY(fold_last(nodes, &folded, err));
    return STATUS_OK;
}

static enum status find_loops(const struct run *run, uint32_t rank, struct nodes *nodes, struct err *err)
{
    const struct observed_rank *all = &run->ranks[rank];
    for (size_t i = 0; i < all->count;) {
        struct node node;
        size_t length;
        TRY(find_series(run, rank, i, &node, &length, err));
        if (length == 0) node = (struct node){.kind = STEP_CALL, .call = &all->calls[i]};
        i += length ? length : 1;
        TRY(add_node(nodes, node, err));
    }
    return STATUS_OK;
}

/* The doubling series that two rounds of a body follow which begins with this call; bits. */
static uint16_t fit_two_rounds(const struct run *run, uint32_t rank, size_t first)
{
    enum { RANKS = 4, ROUNDS = 2 };
    const struct observed_rank *all = &run->ranks[rank];
    const struct observed *call = &all->calls[first];
    struct node nodes[SERIES_BODY_MAX];
    if (!has_partner(call)) return 0;
    if (run->trace->definitions.comms[call->comm].count != RANKS) return 0;
    for (size_t body = 1; body <= SERIES_BODY_MAX && first + body * ROUNDS <= all->count; body++) {
        uint16_t fitting = 0;
        if (!is_series_body(run, rank, call, body, ROUNDS, nodes)) continue;
        for (int slot = 0; slot < NODE_SLOTS; slot++) fitting |= nodes[0].series[slot] & DOUBLING;
        if (fitting) return fitting;
    }
    return 0;
}

/* The call of which all that the rank makes are of bodies of two rounds; of calls with random partners, some are by chance. calls
 * has twice the number of bodies of each call. */
static bool find_all_rounds(const struct observed_rank *all, struct map *calls, uint32_t *key)
{
    for (size_t i = 0; i < all->count; i++) {
        uint64_t *left = map_find(calls, all->calls[i].key);
        if (left) --*left;
    }
    for (size_t i = 0; i < all->count; i++) {
        const uint64_t *left = map_find(calls, all->calls[i].key);
        if (!left || *left != 0) continue;
        *key = all->calls[i].key;
        return true;
    }
    return false;
}

static enum status note_bodies(const struct run *run, uint32_t rank, uint16_t *fitting, struct map *calls, struct err *err)
{
    const struct observed_rank *all = &run->ranks[rank];
    for (size_t i = 0; i < all->count;) {
        struct node node;
        uint64_t *count;
        size_t length = 0;
        TRY(find_series(run, rank, i, &node, &length, err));
        if (length > 0) free(node.body);
        uint16_t here = length > 0 ? 0 : fit_two_rounds(run, rank, i);
        if (here) TRY(map_put(calls, all->calls[i].key, 0, &count, err));
        if (here) *count += 2;
        *fitting |= here;
        i += length > 0 ? length : 1;
    }
    return STATUS_OK;
}

static enum status find_two_rounds(const struct run *run, uint32_t rank, uint16_t *found, uint32_t *key, struct err *err)
{
    struct map calls = {.count = 0};
    *found = 0;
    enum status status = note_bodies(run, rank, found, &calls, err);
    if (status == STATUS_OK && !find_all_rounds(&run->ranks[rank], &calls, key)) *found = 0;
    map_clear(&calls);
    return status;
}

enum status loops_two_rounds(const struct run *run, bool *found, uint32_t *key, struct err *err)
{
    uint16_t fitting = UINT16_MAX, own;
    for (uint32_t rank = 0; fitting && rank < run->trace->rank_count; rank++) {
        TRY(find_two_rounds(run, rank, &own, key, err));
        fitting &= own;
    }
    *found = fitting != 0;
    return STATUS_OK;
}

enum status loops_find(const struct run *run, uint32_t rank, struct nodes *nodes, struct err *err)
{
    *nodes = (struct nodes){.count = 0};
    enum status status = find_loops(run, rank, nodes, err);
    if (status == STATUS_OK) return status;
    nodes_free(nodes->items, nodes->count);
    *nodes = (struct nodes){.count = 0};
    return status;
}
