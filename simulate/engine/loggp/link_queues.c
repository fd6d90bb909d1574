#include "simulate/engine/loggp/link_queues.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void link_queues_init(struct link_queues *queues, const struct platform *platform)
{
    *queues = (struct link_queues){.platform = platform};
    queues->used = platform->links == LINKS_QUEUE && platform->contention && platform_has_inner_links(platform);
}

void link_queues_clear(struct link_queues *queues)
{
    free(queues->paths);
    map_clear(&queues->free_ps);
}

enum status link_queues_enter(struct link_queues *queues, uint32_t message, const struct link_path *path,
                              struct err *err)
{
    TRY(array_reserve((void **)&queues->paths, &queues->capacity, (size_t)message + 1, sizeof *queues->paths, err));
    struct link_path *made = &queues->paths[message];
    *made = *path;
    made->link = 0;
    made->links = topology_inner_route(queues->platform->topology, path->src_node, path->dst_node, 0, &made->next);
    return STATUS_OK;
}

/* The part of the latency before the link: whole picoseconds that add up. */
static int64_t latency_before_ps(const struct link_path *path)
{
    int64_t parts = path->links + 1, part = path->latency_ps / parts, rest = path->latency_ps % parts;
    return part + (path->link < rest);
}

bool link_queues_next(const struct link_queues *queues, uint32_t message, int64_t *head_ps)
{
    const struct link_path *path = &queues->paths[message];
    *head_ps = path->head_ps + latency_before_ps(path);
    return path->link < path->links;
}

enum status link_queues_pass(struct link_queues *queues, uint32_t message, int64_t now_ps, struct err *err)
{
    struct link_path *path = &queues->paths[message];
    uint64_t *free_ps;
    TRY(map_put(&queues->free_ps, path->next.id, 0, &free_ps, err));
    path->head_ps = (int64_t)*free_ps > now_ps ? (int64_t)*free_ps : now_ps;
    *free_ps = (uint64_t)(path->head_ps + path->transmit_ps / path->next.width);
    if (++path->link < path->links)
        topology_inner_route(queues->platform->topology, path->src_node, path->dst_node, path->link, &path->next);
    return STATUS_OK;
}
