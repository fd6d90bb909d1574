#include "simulate/replay/connections.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "simulate/replay/core.h"

/* The ranks that need a request, ascending: few, since each flush of all empties the list. */
struct connections {
    uint32_t *ranks;
    size_t count, capacity;
};

enum status replay_prepare_connections(struct replay *replay)
{
    struct core *core = core_of(replay);
    if (replay->platform->protocol.flush != FLUSH_CONNECTIONS) return STATUS_OK;
    core->connections = calloc(replay->trace->rank_count, sizeof *core->connections);
    return core->connections ? STATUS_OK : err_memory(replay->err);
}

void replay_clear_connections(struct replay *replay)
{
    struct core *core = core_of(replay);
    for (uint32_t rank = 0; core->connections && rank < replay->trace->rank_count; rank++)
        free(core->connections[rank].ranks);
    free(core->connections);
}

/* The place of the first rank that is not below `rank`. */
static size_t find_place(const struct connections *used, uint32_t rank)
{
    size_t place = 0;
    SEARCH_FIRST(place, used->count, at, used->ranks[at] < rank);
    return place;
}

enum status replay_note_connection(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination)
{
    struct connections *used = &core_of(replay)->connections[source];
    if (used->count == 0 && type == MESSAGE_FLUSH_ASK) return STATUS_OK;
    if (replay->nodes[source] == replay->nodes[destination]) return STATUS_OK;
    size_t place = find_place(used, destination);
    bool known = place < used->count && used->ranks[place] == destination;
    if (type == MESSAGE_FLUSH_ASK) {
        if (!known) return STATUS_OK;
        used->count--;
        memmove(used->ranks + place, used->ranks + place + 1, (used->count - place) * sizeof *used->ranks);
        return STATUS_OK;
    }
    if (known) return STATUS_OK;
    TRY(array_reserve((void **)&used->ranks, &used->capacity, used->count + 1, sizeof *used->ranks, replay->err));
    memmove(used->ranks + place + 1, used->ranks + place, (used->count - place) * sizeof *used->ranks);
    used->ranks[place] = destination;
    used->count++;
    return STATUS_OK;
}

enum status replay_ask_connections(struct replay *replay, uint32_t rank, enum message_type answer, uint32_t ref,
                                   uint32_t *unanswered)
{
    if (!core_of(replay)->connections) return STATUS_OK;
    struct connections *used = &core_of(replay)->connections[rank];
    size_t count = used->count;
    used->count = 0;
    for (size_t i = 0; i < count; i++) {
        ++*unanswered;
        TRY(replay_send_control(replay, MESSAGE_FLUSH_ASK, rank, used->ranks[i], ref, answer));
    }
    return STATUS_OK;
}
