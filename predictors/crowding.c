#include "predictors/crowding.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "simulate/computing/memory_bound.h"

/* How many times as long computing takes on the node as on cores of its ranks' own. */
static double crowding_of(const struct platform *platform, const uint32_t *ranks, int32_t node)
{
    return fmax(1, (double)ranks[node] / platform_rank_cores(platform, platform_group_of(platform, node)));
}

static enum status note_crowded(const struct platform *platform, const uint32_t *ranks, struct result *result, struct err *err)
{
    uint32_t crowded = 0;
    int32_t fullest = 0;
    for (int32_t node = 0; node < platform->node_count; node++) {
        const double crowding = ranks[node] > 0 ? crowding_of(platform, ranks, node) : 1;
        crowded += crowding > 1;
        if (crowding > crowding_of(platform, ranks, fullest)) fullest = node;
    }
    if (crowded == 0) return STATUS_OK;
    const int32_t cores = platform_rank_cores(platform, platform_group_of(platform, fullest));
    return result_add_note(result, err,
                           "more ranks than cores on %u node%s: %u ranks share the %d core%s of node %d, so that computing "
                           "takes %.3g times as long there (nodes.cores, mapping)",
                           crowded, units_plural(crowded), ranks[fullest], cores, units_plural((uint64_t)cores), fullest,
                           crowding_of(platform, ranks, fullest));
}

static bool is_alike(const struct node_group *a, const struct node_group *b)
{
    const bool same_name = a->name && b->name ? strcmp(a->name, b->name) == 0 : a->name == b->name;
    return same_name && a->speed == b->speed && a->cores == b->cores;
}

/* Whether a node with ranks is as those of the group: an override may have split a group, whose parts are not farther apart. */
static bool is_used(const struct platform *platform, size_t group, const bool *used)
{
    bool found = false;
    for (size_t i = group < 2 ? 0 : group - 2; i < platform->group_count && i <= group + 2; i++)
        found = found || (used[i] && is_alike(&platform->groups[i], &platform->groups[group]));
    return found;
}

/* "2 to 5 (fat)", "7" */
static int print_group(char *text, size_t room, const struct node_group *group, int32_t first)
{
    char name[64] = "", to[32] = "";
    if (group->name) snprintf(name, sizeof name, " (%.50s)", group->name);
    if (group->count > 1) snprintf(to, sizeof to, " to %" PRId32, first + group->count - 1);
    return snprintf(text, room, "%" PRId32 "%s%s", first, to, name);
}

/* What groups without a rank say changes nothing: one line that lists the first of them. */
static enum status note_groups(const struct platform *platform, const bool *used, struct result *result, struct err *err)
{
    enum { LISTED = 8, GROUP_BYTES = 128 };
    char list[LISTED * GROUP_BYTES] = "", more[48] = "";
    size_t length = 0, listed = 0;
    int32_t first = 0, nodes = 0, behind = 0;
    for (size_t i = 0; i < platform->group_count; first += platform->groups[i++].count) {
        const struct node_group *group = &platform->groups[i];
        if (is_used(platform, i, used)) continue;
        nodes += group->count;
        if (listed++ < LISTED) {
            if (listed > 1) length += (size_t)snprintf(list + length, 3, ", ");
            length += (size_t)print_group(list + length, GROUP_BYTES - 2, group, first);
        } else {
            behind += group->count;
        }
    }
    if (nodes == 0) return STATUS_OK;
    if (behind > 0) snprintf(more, sizeof more, " and %" PRId32 " more", behind);
    return result_add_note(result, err, "no rank is on node%s %s%s, whose speed and cores change nothing (mapping)",
                           units_plural((uint64_t)nodes), list, more);
}

static enum status note_unused(const struct platform *platform, const uint32_t *ranks, struct result *result, struct err *err)
{
    if (platform->group_count < 2) return STATUS_OK;
    bool *used = calloc(platform->group_count, sizeof *used);
    if (!used) return err_memory(err);
    size_t group = 0;
    for (int32_t node = 0, end = platform->groups[0].count; node < platform->node_count; node++) {
        if (node == end) end += platform->groups[++group].count;
        used[group] = used[group] || ranks[node] > 0;
    }
    enum status status = note_groups(platform, used, result, err);
    free(used);
    return status;
}

enum status crowding_note(const struct platform *platform, uint32_t rank_count, struct result *result, struct err *err)
{
    uint32_t *ranks = calloc((size_t)platform->node_count, sizeof *ranks); /* of each node */
    if (!ranks) return err_memory(err);
    for (uint32_t rank = 0; rank < rank_count; rank++) ranks[platform_node_of(platform, rank)]++;
    int32_t first = rank_count > 0 ? platform_node_of(platform, 0) : 0;
    bool together = platform->node_count > 1 && rank_count > 1 && ranks[first] == rank_count;
    enum status status = STATUS_OK;
    if (together)
        status =
            result_add_note(result, err,
                            "all %u ranks are on one of %d nodes, so no message crosses the network (mapping.ranks_per_node)",
                            rank_count, platform->node_count);
    if (status == STATUS_OK && platform->rank_nodes && platform->rank_node_count > rank_count)
        status = result_add_note(result, err, "mapping.ranks has %zu nodes for %u ranks: those behind change nothing",
                                 platform->rank_node_count, rank_count);
    if (status == STATUS_OK) status = note_crowded(platform, ranks, result, err);
    if (status == STATUS_OK) status = note_unused(platform, ranks, result, err);
    free(ranks);
    return status;
}

static uint32_t most_of(const uint32_t *counts, size_t count)
{
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++)
        if (counts[i] > most) most = counts[i];
    return most;
}

/* The rank whose factor is farthest from 1; that of rank 0 is 1 where all are. */
static uint32_t farthest_of(const struct memory_bound *bound, uint32_t rank_count)
{
    uint32_t farthest = 0;
    for (uint32_t r = 1; r < rank_count; r++)
        if (fabs(log(bound->factors[r])) > fabs(log(bound->factors[farthest]))) farthest = r;
    return farthest;
}

/* *done: nothing else is to be said, since a factor is not 1, or all are known. */
static enum status note_factors(const struct trace *trace, const struct platform *platform, struct result *result, bool *done,
                                struct err *err)
{
    struct memory_bound bound;
    char nowhere[64] = "", unknown[80] = "", beyond[64] = "";
    TRY(memory_bound_find(trace, platform, &bound, err));
    const uint32_t rank = bound.factors ? farthest_of(&bound, trace->rank_count) : 0;
    const bool differs = bound.factors && bound.factors[rank] != 1;
    enum status status = STATUS_OK;
    *done = bound.factors && (differs || bound.unknown == 0);
    if (differs) {
        const struct node_group *group = platform_group_of(platform, platform_node_of(platform, rank));
        const int32_t last = group->memory_rows > 0 ? group->memory_curve[group->memory_rows - 1].ranks : 0;
        if (trace->ranks[rank].node == 0) snprintf(nowhere, sizeof nowhere, ", as is assumed, since it does not say where");
        if (bound.predicted[rank] > (uint32_t)last) snprintf(beyond, sizeof beyond, ", as with %" PRId32 ", the last row,", last);
        if (bound.unknown > 0)
            snprintf(unknown, sizeof unknown, "; of %" PRIu32 " rank%s the share is not known", bound.unknown,
                     units_plural(bound.unknown));
        status = result_add_note(
            result, err,
            "computing takes %.4g times as long on rank %" PRIu32 ", as %.3g %% of it is bound by memory, which takes %.4g "
            "times as long with %" PRIu32 " rank%s on its node%s as with %" PRIu32 " in the recording%s%s (nodes.memory_curve)",
            bound.factors[rank], rank, 100 * trace->ranks[rank].memory_bound,
            platform_memory_slowdown(group, bound.predicted[rank]) / platform_memory_slowdown(group, bound.recorded[rank]),
            bound.predicted[rank], units_plural(bound.predicted[rank]), beyond, bound.recorded[rank], nowhere, unknown);
    }
    if (status == STATUS_OK && *done && bound.uncurved > 0)
        status = result_add_note(result, err,
                                 "%" PRIu32 " rank%s, as rank %" PRIu32 ", on nodes without a curve: computing that is bound by "
                                 "memory takes as long as recorded there (nodes.memory_curve)",
                                 bound.uncurved, units_plural(bound.uncurved), bound.uncurved_rank);
    memory_bound_clear(&bound);
    return status;
}

/* What the recording says of its nodes. *most: ranks on the fullest, 0: it does not. */
static enum status describe_recorded(const struct trace *trace, char text[48], uint32_t *most, bool *shares, struct err *err)
{
    struct trace_memory memory = {.shares = NULL};
    TRY(trace_find_memory(trace, &memory, err));
    *most = memory.ranks_per_node;
    *shares = memory.count > 0;
    if (memory.ranks_per_node > 0) snprintf(text, 48, "%" PRIu32 " in the recording", *most);
    else snprintf(text, 48, "an unknown number in the recording");
    trace_memory_clear(&memory);
    return STATUS_OK;
}

enum status crowding_memory_note(const struct trace *trace, const struct platform *platform, struct result *result,
                                 struct err *err)
{
    bool done, shares;
    uint32_t before;
    char recorded[48];
    TRY(note_factors(trace, platform, result, &done, err));
    const enum trace_origin origin = trace_origin(trace);
    if (done || (origin != TRACE_RECORDED && origin != TRACE_DESCRIBED)) return STATUS_OK;
    TRY(describe_recorded(trace, recorded, &before, &shares, err));
    if (before == 0 && origin == TRACE_DESCRIBED) return STATUS_OK; /* a program that was not learned from recordings */
    uint32_t *predicted = calloc((size_t)platform->node_count + 1, sizeof *predicted);
    if (!predicted) return err_memory(err);
    for (uint32_t r = 0; r < trace->rank_count; r++) predicted[platform_node_of(platform, r)]++;
    const uint32_t now = most_of(predicted, (size_t)platform->node_count);
    free(predicted);
    if ((before > 0 ? before : 1) == now) return STATUS_OK; /* one is assumed */
    return result_add_note(result, err,
                           "up to %u rank%s on a node, %s: messages and cores change, but computing that is bound by memory "
                           "takes as long as recorded (mapping)%s",
                           now, units_plural(now), recorded, shares ? ", since the platform has no nodes.memory_curve" : "");
}

/* A member on another node than the first one; -1: there is none. */
static int32_t member_apart(const struct trace_comm *comm, const struct platform *platform)
{
    for (uint32_t i = 1; i < comm->count; i++)
        if (platform_node_of(platform, (uint32_t)comm->members[i]) != platform_node_of(platform, (uint32_t)comm->members[0]))
            return comm->members[i];
    return -1;
}

bool crowding_parts_window(const struct trace *trace, const struct platform *platform, char text[CROWDING_TEXT_BYTES])
{
    for (size_t w = 0; w < trace->definitions.window_count; w++) {
        const struct trace_window *window = &trace->definitions.windows[w];
        const struct trace_comm *comm = &trace->definitions.comms[window->comm];
        const int32_t apart = window->flavor == 's' ? member_apart(comm, platform) : -1;
        if (apart < 0) continue;
        snprintf(text, CROWDING_TEXT_BYTES,
                 "window %zu is shared memory (MPI_Win_allocate_shared) of ranks on several nodes, rank %" PRId32
                 " on node %" PRId32 " and rank %" PRId32 " on node %" PRId32 ": the program cannot run so (mapping)",
                 w, comm->members[0], platform_node_of(platform, (uint32_t)comm->members[0]), apart,
                 platform_node_of(platform, (uint32_t)apart));
        return true;
    }
    return false;
}
