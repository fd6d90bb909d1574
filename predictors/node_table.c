#include "predictors/node_table.h"

#include <stdlib.h>

#include "common/search.h"
#include "simulate/verify/child_replay.h"

enum { REPLAYS_MOST = 8 };

/* others_speed is the median of the other nodes' speeds, the lower one of two. */
static enum status find_others(struct node_table *table, struct err *err)
{
    double *speeds = malloc((table->count + 1) * sizeof *speeds);
    if (!speeds) return err_memory(err);
    for (size_t i = 0; i < table->count; i++) speeds[i] = table->nodes[i].speed;
    qsort(speeds, table->count, sizeof *speeds, compare_doubles);
    for (size_t i = 0; i < table->count; i++) {
        const double *own = bsearch(&table->nodes[i].speed, speeds, table->count, sizeof *speeds, compare_doubles);
        const size_t middle = table->count > 1 ? (table->count - 2) / 2 : 0;
        table->nodes[i].others_speed = table->count == 1 ? table->nodes[i].speed
                                       : own && (size_t)(own - speeds) <= middle ? speeds[middle + 1]
                                                                                 : speeds[middle];
    }
    free(speeds);
    return STATUS_OK;
}

static enum status find_nodes(const struct prediction *prediction, struct node_table *table, struct err *err)
{
    const struct platform *platform = prediction->platform;
    const uint32_t rank_count = prediction->trace->rank_count;
    table->nodes = calloc((size_t)platform->node_count + 1, sizeof *table->nodes);
    if (!table->nodes) return err_memory(err);
    for (uint32_t rank = 0; rank < rank_count; rank++) table->nodes[platform_node_of(platform, rank)].ranks++;
    for (int32_t node = 0; node < platform->node_count; node++) {
        if (table->nodes[node].ranks == 0) continue;
        struct result_node made = {
            .node = node, .ranks = table->nodes[node].ranks, .speed = platform_group_of(platform, node)->speed};
        table->nodes[table->count++] = made;
    }
    return find_others(table, err);
}

/* The groups with one node of its own group at another speed. */
static struct node_group *changed_groups(const struct platform *platform, int32_t node, double speed, size_t *count)
{
    struct node_group *made = calloc(platform->group_count + 2, sizeof *made);
    *count = 0;
    for (size_t i = 0; made && i < platform->group_count; i++) {
        const struct node_group *group = &platform->groups[i];
        const int32_t parts[] = {node, 1, group->count - node - 1};
        const bool inside = node >= 0 && node < group->count;
        for (int part = 0; part < 3; part++) {
            if (inside ? parts[part] == 0 : part != 0) continue;
            made[*count] = *group;
            if (inside) made[*count].count = parts[part];
            if (inside && part == 1) made[*count].speed = speed;
            ++*count;
        }
        node -= group->count;
    }
    return made;
}

static enum status replay_changed(const struct prediction *prediction, struct result_node *node, struct err *err)
{
    struct platform changed = *prediction->platform;
    struct replay_options options = {.engine = prediction->engine};
    struct replay_outcome outcome;
    TRY(prediction_begin_calls(prediction, &options, err));
    struct node_group *groups =
        changed_groups(prediction->platform, node->node, node->others_speed, &changed.group_count);
    if (!groups) return err_memory(err);
    changed.groups = groups;
    enum status status = (prediction->engine->once_per_process ? child_replay : replay_run)(prediction->trace, &changed,
                                                                                             &options, &outcome, err);
    free(groups);
    node->gain_known = status == STATUS_OK;
    if (status != STATUS_OK) return status == STATUS_DATA ? STATUS_OK : status;
    node->others_run_s = outcome.run_time_s;
    replay_outcome_clear(&outcome);
    return STATUS_OK;
}

/* The slowest first, in relation to the others. */
static int compare_slowness(const void *one, const void *two)
{
    const struct result_node *a = one, *b = two;
    const double of_a = a->speed / a->others_speed, of_b = b->speed / b->others_speed;
    if (of_a != of_b) return of_a < of_b ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

enum status node_table_replay(const struct prediction *prediction, struct node_table *table, struct err *err)
{
    TRY(find_nodes(prediction, table, err));
    if (table->count > 1) qsort(table->nodes, table->count, sizeof *table->nodes, compare_slowness);
    for (size_t i = 0; i < table->count && i < REPLAYS_MOST && table->nodes[i].speed < table->nodes[i].others_speed; i++)
        TRY(replay_changed(prediction, &table->nodes[i], err));
    return STATUS_OK;
}

static int compare_gain(const void *one, const void *two)
{
    const struct result_node *a = one, *b = two;
    const double gain_a = a->gain_known ? a->gain_s : 0, gain_b = b->gain_known ? b->gain_s : 0;
    if (gain_a != gain_b) return gain_a > gain_b ? -1 : 1;
    if (a->path_s != b->path_s) return a->path_s > b->path_s ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

void node_table_report(struct node_table *table, struct prediction *prediction)
{
    struct result *result = prediction->result;
    for (size_t i = 0; i < table->count; i++) {
        struct result_node *node = &table->nodes[i];
        for (uint32_t rank = 0; rank < result->rank_count; rank++) {
            if (platform_node_of(prediction->platform, rank) != node->node) continue;
            node->computing_s += result->rank_user_s[rank] / node->ranks;
            node->path_s += result->rank_path_s[rank];
        }
        if (node->gain_known) node->gain_s = prediction->outcome.run_time_s - node->others_run_s;
    }
    if (table->count > 1) qsort(table->nodes, table->count, sizeof *table->nodes, compare_gain);
    result->nodes = table->nodes;
    result->node_count = table->count;
    *table = (struct node_table){.nodes = NULL};
}
