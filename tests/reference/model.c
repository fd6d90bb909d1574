#include "tests/reference/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/operation.h"
#include "tests/reference/passive.h"

static void *checked(void *block)
{
    if (block) return block;
    fputs("reference model: out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

void *model_new(struct model *model, size_t bytes)
{
    if (model->block_count == model->block_capacity) {
        model->block_capacity = 2 * model->block_capacity + 64;
        model->blocks = checked(realloc(model->blocks, model->block_capacity * sizeof *model->blocks));
    }
    return model->blocks[model->block_count++] = checked(calloc(1, bytes + 1));
}

void *model_grow(struct model *model, void *list, size_t count, size_t *capacity, size_t item_bytes)
{
    if (count < *capacity) return list;
    *capacity = 2 * count + 8;
    void *grown = model_new(model, *capacity * item_bytes);
    if (count > 0) memcpy(grown, list, count * item_bytes);
    return grown;
}

struct pair *pair_of(const struct model *model, int32_t window, uint32_t origin, uint32_t target)
{
    return &model->pairs[((size_t)window * model->rank_count + origin) * model->rank_count + target];
}

struct fences *fences_of(const struct model *model, int32_t window, uint32_t rank)
{
    return &model->fences[(size_t)window * model->rank_count + rank];
}

struct epoch *epoch_new(struct model *model, enum epoch_kind kind, int32_t window, uint32_t origin,
                        const int32_t *targets, uint32_t count)
{
    struct epoch *epoch = model_new(model, sizeof *epoch);
    *epoch = (struct epoch){.kind = kind, .window = window, .origin = origin, .access_count = 0};
    epoch->accesses = model_new(model, count * sizeof *epoch->accesses);
    for (uint32_t rank = 0; rank < model->rank_count; rank++)
        for (uint32_t i = 0; i < count; i++)
            if (targets[i] == (int32_t)rank)
                epoch->accesses[epoch->access_count++] =
                    (struct access){.epoch = epoch, .target = rank, .open = kind == EPOCH_FENCE};
    return epoch;
}

static const struct window_rule *rule_of(const struct model *model, int32_t window)
{
    const char *name = model->trace->definitions.windows[window].name;
    char number[16];
    snprintf(number, sizeof number, "%d", window);
    for (size_t i = 0; i < model->platform->window_rule_count; i++) {
        const struct window_rule *rule = &model->platform->window_rules[i];
        if (strcmp(rule->window, number) == 0 || (name && strcmp(rule->window, name) == 0)) return rule;
    }
    return NULL;
}

const struct rma_semantics *semantics_of(const struct model *model, int32_t window)
{
    const struct window_rule *rule = rule_of(model, window);
    return rule && rule->has_semantics ? &rule->semantics : &model->platform->semantics;
}

enum steps_form lock_of(const struct model *model, int32_t window)
{
    const struct window_rule *rule = rule_of(model, window);
    return (rule && rule->has_lock ? rule->lock : model->platform->protocol.calls[STEPS_LOCK]).form;
}

struct call_steps fence_of(const struct model *model, int32_t window)
{
    const struct window_rule *rule = rule_of(model, window);
    return rule && rule->has_fence ? rule->fence : model->platform->protocol.calls[STEPS_FENCE];
}

bool fence_exchanges_counts(const struct model *model, int32_t window)
{
    return fence_of(model, window).form == FORM_FENCE_COUNTS;
}

bool lock_is_asked_early(const struct model *model, int32_t window)
{
    return lock_of(model, window) == FORM_LOCK_ASK;
}

/* docs/simulation.md, Computing: f of so many ranks. */
static double curve_at(const struct node_group *group, double ranks)
{
    double left = 1, f = 1;
    for (int32_t i = 0; i < group->memory_rows; i++) {
        const double right = group->memory_curve[i].ranks, to = group->memory_curve[i].slowdown;
        if (right > left && ranks > left) f += (to - f) * (ranks < right ? (ranks - left) / (right - left) : 1);
        left = right;
    }
    return f;
}

/* Times the memory-bound share is multiplied by. */
static double memory_pace(const struct model *model, uint32_t rank)
{
    const struct trace_rank *recorded = &model->trace->ranks[rank];
    const int32_t node = platform_node_of(model->platform, rank);
    const struct node_group *group = platform_group_of(model->platform, node);
    uint32_t before = 0, now = 0;
    if (!recorded->memory_known) return 1;
    for (uint32_t r = 0; r < model->rank_count; r++) {
        before += r == rank || (recorded->node > 0 && model->trace->ranks[r].node == recorded->node);
        now += platform_node_of(model->platform, r) == node;
    }
    const double m = recorded->memory_bound;
    return 1 - m + m * curve_at(group, now) / curve_at(group, before);
}

/* Computing time here per recorded time: ranks share a node's cores and memory. */
static double pace(const struct model *model, uint32_t rank)
{
    const struct platform *platform = model->platform;
    int32_t node = platform_node_of(platform, rank), sharing = 0;
    if (model->crowds[node].sleeps) sharing = -(int32_t)model->rank_count; /* compute_in_crowd() shares them */
    double speed = model->trace->ranks[rank].speed > 0 ? model->trace->ranks[rank].speed : 1.0;
    for (uint32_t r = 0; r < model->rank_count; r++) sharing += platform_node_of(platform, r) == node;
    const struct node_group *group = platform_group_of(platform, node);
    const int32_t cores = group->cores - platform->progress_ranks;
    int32_t crowd = sharing > cores ? sharing : cores;
    return speed * crowd / (group->speed * cores) * memory_pace(model, rank);
}

static bool sleeps(const struct trace_rank *rank)
{
    for (size_t i = 0; rank->before_ps[BEFORE_SLEPT] && i < rank->count; i++)
        if (rank->before_ps[BEFORE_SLEPT][i] > 0) return true;
    return false;
}

static void make_crowds(struct model *model)
{
    model->crowds = model_new(model, (size_t)model->platform->node_count * sizeof *model->crowds);
    for (uint32_t r = 0; r < model->rank_count; r++) model->crowds[platform_node_of(model->platform, r)].ranks++;
    for (uint32_t r = 0; r < model->rank_count; r++) {
        const int32_t node = platform_node_of(model->platform, r);
        struct crowd *crowd = &model->crowds[node];
        crowd->cores = (uint32_t)(platform_group_of(model->platform, node)->cores - model->platform->progress_ranks);
        if (crowd->ranks > crowd->cores && sleeps(&model->trace->ranks[r])) crowd->sleeps = true;
    }
}

static void make_ranks(struct model *model, struct reference_times *times)
{
    size_t channels = model->trace->definitions.window_count + model->trace->definitions.comm_count;
    model->ranks = model_new(model, model->rank_count * sizeof *model->ranks);
    for (uint32_t r = 0; r < model->rank_count; r++) {
        struct rank *rank = &model->ranks[r];
        rank->number = r;
        rank->node = platform_node_of(model->platform, r);
        rank->pace = pace(model, r);
        rank->recorded = &model->trace->ranks[r];
        rank->times = times[r];
        rank->instances = model_new(model, channels * sizeof *rank->instances);
        uint32_t requests = 0;
        for (size_t i = 0; i < rank->recorded->count; i++)
            if (call_makes_request(rank->recorded->calls[i].call) && rank->recorded->calls[i].ref >= requests)
                requests = rank->recorded->calls[i].ref + 1;
        rank->heap_ops = model_new(model, rank->recorded->count * sizeof *rank->heap_ops);
        rank->requests = model_new(model, requests * sizeof *rank->requests);
        rank->request_count = requests;
        rank_start(model, rank, rank_walk, NULL);
    }
}

static void make_model(struct model *model, struct reference_times *times)
{
    size_t n = model->rank_count, windows = model->trace->definitions.window_count;
    model->unflushed = model_new(model, n * n * sizeof *model->unflushed);
    model->joined = model_new(model, n * n * sizeof *model->joined);
    model->nics = model_new(model, (size_t)model->platform->node_count * sizeof *model->nics);
    model->pairs = model_new(model, windows * n * n * sizeof *model->pairs);
    model->fences = model_new(model, windows * n * sizeof *model->fences);
    model->servers = model_new(model, windows * n * sizeof *model->servers);
    model->starts = model_new(model, windows * n * sizeof *model->starts);
    model->posted = model_new(model, windows * n * sizeof *model->posted);
    model->called = model_new(model, windows * n * n * sizeof *model->called);
    model->unread = model_new(model, windows * n * sizeof *model->unread);
    shmem_open_heaps(model);
    make_crowds(model);
    make_ranks(model, times);
}

/* Nobody is stuck, and no epoch waits for its post in the background. */
static bool is_over(const struct model *model)
{
    size_t pairs = model->trace->definitions.window_count * model->rank_count * model->rank_count;
    for (uint32_t r = 0; r < model->rank_count; r++)
        if (!model->ranks[r].ended) return false;
    for (size_t i = 0; i < pairs; i++)
        for (uint32_t k = 0; k < model->pairs[i].starts; k++)
            if (!model->pairs[i].started[k]->heard) return false;
    return true;
}

bool reference_run(const struct trace *trace, const struct platform *platform, struct reference_times *times,
                   uint64_t *link_waits)
{
    struct model model = {.trace = trace, .platform = platform, .rank_count = trace->rank_count};
    struct event event;
    make_model(&model, times);
    ranks_go_on(&model);
    while (event_take(&model, &event)) {
        model.now_ps = event.time_ps;
        event.act(&model, event.what);
        requests_note_done(&model);
        ranks_go_on(&model);
        requests_note_done(&model);
    }
    bool over = is_over(&model);
    *link_waits = model.link_waits;
    for (size_t i = 0; i < model.block_count; i++) free(model.blocks[i]);
    free(model.blocks);
    return over;
}
