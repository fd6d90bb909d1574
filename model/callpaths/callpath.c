#include "model/callpaths/callpath.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void callpaths_clear(struct callpaths *paths)
{
    free(paths->nodes);
    map_clear(&paths->node_index);
    FREE_ALL(paths->changes, paths->rank_first, paths->inside);
    memset(paths, 0, sizeof *paths);
}

/* The node of a region inside another node, made if there is none. */
static enum status child_of(struct callpaths *paths, uint32_t parent, uint32_t region, uint32_t *node,
                            struct err *err)
{
    uint64_t *slot;
    TRY(map_put(&paths->node_index, map_pair(parent, region), paths->node_count, &slot, err));
    *node = (uint32_t)*slot;
    struct callpath_node made = {.parent = parent, .region = region};
    if (*slot == paths->node_count) ARRAY_PUSH(paths->nodes, paths->node_count, paths->node_capacity, made, err);
    return STATUS_OK;
}

static enum status add_change(struct callpaths *paths, struct change change, struct err *err)
{
    ARRAY_PUSH(paths->changes, paths->change_count, paths->change_capacity, change, err);
    return STATUS_OK;
}

/* nodes has the current node of each thread. */
static enum status walk_calls(const struct trace *trace, uint32_t rank, uint32_t *nodes, struct callpaths *paths,
                              struct err *err)
{
    for (size_t i = trace->ranks[rank].kept_count; i < trace->ranks[rank].count; i++) {
        const struct trace_call *call = &trace->ranks[rank].calls[i];
        uint32_t thread = trace_call_thread(trace, rank, i), *node = &nodes[thread];
        if (call->call == ID_region_enter)
            TRY(child_of(paths, *node, call->region.region, node, err));
        else if (call->call == ID_region_leave)
            *node = paths->nodes[*node].parent; /* trace_check: regions nest */
        else
            continue;
        TRY(add_change(paths, (struct change){.call = i, .node = *node, .thread = thread}, err));
    }
    return STATUS_OK;
}

static enum status walk_rank(const struct trace *trace, uint32_t rank, struct callpaths *paths, struct err *err)
{
    size_t first = paths->change_count;
    uint32_t threads = trace_thread_count(trace, rank), *nodes = calloc(threads, sizeof *nodes);
    _Static_assert(CALLPATH_ROOT == 0, "threads begin at the root");
    if (!nodes) return err_memory(err);
    struct change inside = {.call = trace->ranks[rank].kept_count, .node = nodes[0] = paths->inside[rank]};
    enum status status = STATUS_OK;
    if (inside.node != CALLPATH_ROOT) status = add_change(paths, inside, err);
    if (status == STATUS_OK) status = walk_calls(trace, rank, nodes, paths, err);
    paths->inside[rank] = nodes[0];
    free(nodes);
    if (status == STATUS_OK && threads > 1 && paths->change_count > first)
        qsort(paths->changes + first, paths->change_count - first, sizeof *paths->changes, changes_compare);
    return status;
}

enum status callpaths_go_on(struct callpaths *paths, struct err *err)
{
    paths->change_count = 0;
    for (uint32_t r = 0; r < paths->trace->rank_count; r++) {
        TRY(walk_rank(paths->trace, r, paths, err));
        paths->rank_first[r + 1] = paths->change_count;
    }
    return STATUS_OK;
}

enum status callpaths_open(const struct trace *trace, struct callpaths *paths, struct err *err)
{
    struct callpath_node root = {CALLPATH_ROOT, TRACE_NO_REF};
    *paths = (struct callpaths){.trace = trace};
    paths->rank_first = calloc((size_t)trace->rank_count + 1, sizeof *paths->rank_first);
    paths->inside = calloc((size_t)trace->rank_count + 1, sizeof *paths->inside);
    if (!paths->rank_first || !paths->inside) return err_memory(err);
    ARRAY_PUSH(paths->nodes, paths->node_count, paths->node_capacity, root, err);
    return STATUS_OK;
}

enum status callpaths_build(const struct trace *trace, struct callpaths *paths, struct err *err)
{
    enum status status = callpaths_open(trace, paths, err);
    if (status == STATUS_OK) status = callpaths_go_on(paths, err);
    if (status != STATUS_OK) callpaths_clear(paths);
    return status;
}

uint32_t callpath_at(const struct callpaths *paths, uint32_t rank, size_t call)
{
    const struct trace_rank *process = &paths->trace->ranks[rank];
    if (call < process->kept_count) return process->kept[call].node;
    const size_t *first = &paths->rank_first[rank];
    return changes_at(paths->changes, first[0], first[1], trace_call_thread(paths->trace, rank, call), call,
                      CALLPATH_ROOT);
}

/* "REGION/REGION/tail" */
static enum status join_path(const struct trace *trace, const struct callpaths *paths, uint32_t node, const char *tail,
                             char **text, struct err *err)
{
    size_t bytes = strlen(tail);
    for (uint32_t n = node; n != CALLPATH_ROOT; n = paths->nodes[n].parent)
        bytes += strlen(trace->definitions.regions[paths->nodes[n].region]) + 1;
    char *buffer = calloc(bytes + 1, 1), *begin = buffer ? strcpy(buffer + bytes - strlen(tail), tail) : NULL;
    if (!buffer) return err_memory(err);
    for (; node != CALLPATH_ROOT; node = paths->nodes[node].parent) {
        const char *name = trace->definitions.regions[paths->nodes[node].region];
        if (*begin) *--begin = '/';
        begin -= strlen(name);
        memcpy(begin, name, strlen(name));
    }
    memmove(buffer, begin, strlen(begin) + 1);
    *text = buffer;
    return STATUS_OK;
}

enum status callpath_text(const struct trace *trace, const struct callpaths *paths, uint32_t node, uint32_t site,
                          enum mpi_call call, char **text, struct err *err)
{
    const char *function = trace->definitions.sites[site].function, *tail = function ? function : call_name(call);
    const char *last = node == CALLPATH_ROOT ? "" : trace->definitions.regions[paths->nodes[node].region];
    return join_path(trace, paths, node, strcmp(tail, last) == 0 ? "" : tail, text, err);
}

enum status callpath_regions(const struct trace *trace, const struct callpaths *paths, uint32_t node, char **text,
                             struct err *err)
{
    return join_path(trace, paths, node, "", text, err);
}
