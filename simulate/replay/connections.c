#include "simulate/replay/connections.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "simulate/replay/core.h"

/* The ranks to which a rank has ever sent something, ascending: mostly all of them need a request. */
struct connections {
    struct connection {
        uint32_t rank;
        bool used;   /* needs a request */
        bool joined; /* both have made a window */
    } *items;
    size_t count, capacity, used;
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
        free(core->connections[rank].items);
    free(core->connections);
}

/* Makes the connection if there is none. */
static enum status find_connection(struct connections *known, uint32_t rank, uint32_t *found, struct err *err)
{
    size_t place = 0;
    SEARCH_FIRST(place, known->count, at, known->items[at].rank < rank);
    *found = (uint32_t)place;
    if (place < known->count && known->items[place].rank == rank) return STATUS_OK;
    TRY(array_reserve((void **)&known->items, &known->capacity, known->count + 1, sizeof *known->items, err));
    memmove(known->items + place + 1, known->items + place, (known->count++ - place) * sizeof *known->items);
    known->items[place] = (struct connection){.rank = rank};
    return STATUS_OK;
}

enum status replay_note_connection(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination)
{
    struct connections *known = &core_of(replay)->connections[source];
    bool uses = type != MESSAGE_FLUSH_ASK;
    if (!uses && known->used == 0) return STATUS_OK;
    /* Its place where all ranks but those of the own node are connected. */
    uint32_t own = replay->trace->rank_count - (uint32_t)known->count, place = destination - (destination > source ? own : 0);
    if (place >= known->count || known->items[place].rank != destination)
        TRY(find_connection(known, destination, &place, replay->err));
    known->used += (size_t)uses - known->items[place].used;
    known->items[place].used = uses;
    return STATUS_OK;
}

enum status replay_connect_members(struct replay *replay, uint32_t rank, const struct trace_comm *comm)
{
    if (!core_of(replay)->connections) return STATUS_OK;
    struct connections *known = &core_of(replay)->connections[rank];
    for (uint32_t i = 0; i < comm->count; i++) {
        uint32_t place, other = (uint32_t)comm->members[i];
        if (replay->nodes[rank] == replay->nodes[other]) continue;
        TRY(find_connection(known, other, &place, replay->err));
        struct connection *connection = &known->items[place];
        if (connection->joined) continue;
        connection->joined = true;
        known->used += !connection->used;
        connection->used = true;
    }
    return STATUS_OK;
}

enum status replay_ask_connections(struct replay *replay, uint32_t rank, enum message_type answer, uint32_t ref,
                                   uint32_t *unanswered)
{
    if (!core_of(replay)->connections) return STATUS_OK;
    struct connections *known = &core_of(replay)->connections[rank];
    size_t asked = known->used;
    known->used = 0;
    for (size_t i = 0; asked > 0; i++) {
        if (!known->items[i].used) continue;
        known->items[i].used = false;
        asked--;
        ++*unanswered;
        TRY(replay_send_control(replay, MESSAGE_FLUSH_ASK, rank, known->items[i].rank, ref, answer));
    }
    return STATUS_OK;
}
