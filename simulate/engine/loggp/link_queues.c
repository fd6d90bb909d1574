#include "simulate/engine/loggp/link_queues.h"

#include <stdlib.h>

#include "common/array.h"
#include "simulate/engine/lines.h"

enum { BITS_LEAST = 8 };

void link_queues_init(struct link_queues *queues, const struct platform *platform)
{
    *queues = (struct link_queues){.platform = platform, .path_count = LINK_NO_PATH + 1, .free_path = LINK_NO_PATH};
    queues->used = platform->links == LINKS_QUEUE && platform->contention && platform_has_inner_links(platform);
}

void link_queues_clear(struct link_queues *queues)
{
    FREE_ALL(queues->paths, queues->queues);
}

/* --- the queues, by their links --- */

/* Multiplicative hashing (D. Knuth, The Art of Computer Programming 3, 6.4) with linear probing. */
static size_t slot_of(unsigned bits, uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits));
}

static struct link_queue *find_queue(struct link_queue *queues, unsigned bits, uint64_t id)
{
    size_t slot = slot_of(bits, id), last = ((size_t)1 << bits) - 1;
    while (queues[slot].id != 0 && queues[slot].id != id) slot = (slot + 1) & last;
    return &queues[slot];
}

const struct link_queue *link_queues_first(const struct link_queues *queues, const struct link_path *path)
{
    return queues->bits ? &queues->queues[slot_of(queues->bits, path->known[path->link % LINKS_KNOWN].id + 1)] : NULL;
}

/* --- messages --- */

static int32_t find_links(const struct link_queues *queues, struct link_path *path)
{
    const struct topology_part part = {path->link, LINKS_KNOWN, path->known};
    return topology_inner_route(queues->platform->topology, path->src_node, path->dst_node, &part);
}

static enum status take_path(struct link_queues *queues, uint32_t *index, struct err *err)
{
    *index = queues->free_path;
    if (*index != LINK_NO_PATH) {
        queues->free_path = queues->paths[*index].message;
        return STATUS_OK;
    }
    TRY(lines_reserve((void **)&queues->paths, &queues->path_capacity, queues->path_count + 1, sizeof *queues->paths, err));
    *index = (uint32_t)queues->path_count++;
    return STATUS_OK;
}

enum status link_queues_enter(struct link_queues *queues, const struct link_entry *entry, uint32_t *index, struct err *err)
{
    TRY(take_path(queues, index, err));
    struct link_path *path = &queues->paths[*index];
    path->message = entry->message;
    path->key = entry->key;
    path->src_node = entry->src_node;
    path->dst_node = entry->dst_node;
    path->transmit_ps = entry->transmit_ps;
    path->head_ps = entry->head_ps;
    path->link = 0;
    path->links = find_links(queues, path);
    path->part_ps = entry->latency_ps / (path->links + 1);
    path->longer = entry->latency_ps % (path->links + 1);
    return STATUS_OK;
}

bool link_queues_next(const struct link_queues *queues, uint32_t index, int64_t *head_ps)
{
    const struct link_path *path = &queues->paths[index];
    *head_ps = path->head_ps + path->part_ps + (path->link < path->longer);
    return path->link < path->links;
}

static enum status grow_queues(struct link_queues *queues, struct err *err)
{
    unsigned bits = queues->bits ? queues->bits + 1 : BITS_LEAST;
    struct link_queue *grown = lines_new((size_t)1 << bits, sizeof *grown);
    if (!grown) return err_memory(err);
    for (size_t i = 0; queues->queues && i < (size_t)1 << queues->bits; i++)
        if (queues->queues[i].id != 0) *find_queue(grown, bits, queues->queues[i].id) = queues->queues[i];
    free(queues->queues);
    queues->queues = grown;
    queues->bits = bits;
    return STATUS_OK;
}

enum status link_queues_pass(struct link_queues *queues, uint32_t index, int64_t now_ps, struct err *err)
{
    struct link_path *path = &queues->paths[index];
    const struct topology_link *link = &path->known[path->link % LINKS_KNOWN];
    if (2 * queues->count >= (queues->bits ? (size_t)1 << queues->bits : 0)) TRY(grow_queues(queues, err));
    struct link_queue *queue = find_queue(queues->queues, queues->bits, link->id + 1);
    queues->count += queue->id == 0;
    queue->id = link->id + 1;
    path->head_ps = queue->free_ps > now_ps ? queue->free_ps : now_ps;
    queue->free_ps = path->head_ps + (link->width == 1 ? path->transmit_ps : path->transmit_ps / link->width);
    if (++path->link < path->links && path->link % LINKS_KNOWN == 0) find_links(queues, path);
    return STATUS_OK;
}

uint32_t link_queues_leave(struct link_queues *queues, uint32_t index)
{
    struct link_path *path = &queues->paths[index];
    uint32_t message = path->message;
    path->message = queues->free_path;
    queues->free_path = index;
    return message;
}
