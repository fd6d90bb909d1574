/* Which ranks need a query of a flush of all: a bit for each. Ranks come in blocks. A block has bits once its ranks differ:
 * most programs send to few of the ranks with which the making of a window connects them, or query all of them. */
#include "simulate/replay/connections.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "simulate/replay/core.h"

enum { WORD_RANKS = 64, BLOCK_WORDS = 64, BLOCK_RANKS = WORD_RANKS * BLOCK_WORDS };

struct connections {
    size_t blocks_per_rank;
    /* By rank, then by other rank / BLOCK_RANKS: the bits of other ranks that need a query; NULL: see all. Bits of ranks of the
     * own node mean nothing. */
    uint64_t **blocks;
    struct rank_connections {
        bool all; /* all ranks of blocks that are NULL need a query; else none of them */
        uint32_t unanswered; /* puts and gets to other nodes that are not known to be complete */
        int32_t *window_comms; /* of the rank's windows with memory of their own, each once */
        size_t window_comm_count, window_comm_capacity;
    } *ranks;
};

enum status replay_prepare_connections(struct replay *replay)
{
    const size_t count = replay->trace->rank_count, per_rank = (count + BLOCK_RANKS - 1) / BLOCK_RANKS;
    if (!protocol_queries(&replay->platform->protocol, QUERY_CONNECTED)) return STATUS_OK;
    struct connections *made = core_of(replay)->connections = calloc(1, sizeof *made);
    if (!made) return err_memory(replay->err);
    made->blocks_per_rank = per_rank;
    made->ranks = calloc(count, sizeof *made->ranks);
    made->blocks = calloc(count * per_rank, sizeof *made->blocks);
    return made->ranks && made->blocks ? STATUS_OK : err_memory(replay->err);
}

void replay_clear_connections(struct replay *replay)
{
    struct connections *known = core_of(replay)->connections;
    if (!known) return;
    const size_t count = replay->trace->rank_count;
    for (size_t i = 0; known->blocks && i < count * known->blocks_per_rank; i++) free(known->blocks[i]);
    for (size_t i = 0; known->ranks && i < count; i++) free(known->ranks[i].window_comms);
    FREE_ALL(known->blocks, known->ranks, known);
}

static uint64_t **blocks_of(const struct connections *known, uint32_t rank)
{
    return &known->blocks[rank * known->blocks_per_rank];
}

/* The word of a rank whose block has bits. */
static inline uint64_t *word_of(uint64_t *const *blocks, uint32_t other)
{
    return &blocks[other / BLOCK_RANKS][other % BLOCK_RANKS / WORD_RANKS];
}

/* The first one of a block that differs from the others. */
static __attribute__((noinline)) enum status set_first(struct replay *replay, uint32_t rank, uint32_t other, bool needed)
{
    const struct connections *known = core_of(replay)->connections;
    const bool all = known->ranks[rank].all;
    if (needed == all) return STATUS_OK;
    uint64_t *made = malloc(BLOCK_WORDS * sizeof *made);
    if (!made) return err_memory(replay->err);
    memset(made, all ? 0xff : 0, BLOCK_WORDS * sizeof *made);
    uint64_t **blocks = blocks_of(known, rank);
    blocks[other / BLOCK_RANKS] = made;
    *word_of(blocks, other) ^= UINT64_C(1) << other % WORD_RANKS;
    return STATUS_OK;
}

static inline enum status set_needed(struct replay *replay, uint32_t rank, uint32_t other, bool needed)
{
    uint64_t **blocks = blocks_of(core_of(replay)->connections, rank);
    if (!blocks[other / BLOCK_RANKS]) return set_first(replay, rank, other, needed);
    uint64_t *word = word_of(blocks, other), bit = UINT64_C(1) << other % WORD_RANKS;
    *word = needed ? *word | bit : *word & ~bit;
    return STATUS_OK;
}

enum status replay_note_connection(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination)
{
    return set_needed(replay, source, destination, type != MESSAGE_FLUSH_QUERY);
}

enum status replay_note_answers(struct replay *replay, const struct engine_query *queries, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) TRY(set_needed(replay, queries[i].destination, queries[i].source, true));
    return STATUS_OK;
}

void replay_count_unanswered(struct replay *replay, uint32_t rank, int change)
{
    if (core_of(replay)->connections) core_of(replay)->connections->ranks[rank].unanswered += (uint32_t)change;
}

bool replay_has_unanswered(const struct replay *replay, uint32_t rank)
{
    return core_of(replay)->connections && core_of(replay)->connections->ranks[rank].unanswered > 0;
}

static void drop_blocks(const struct connections *known, uint32_t rank)
{
    uint64_t **blocks = blocks_of(known, rank);
    for (size_t i = 0; i < known->blocks_per_rank; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
}

/* Whether the other rank is a member of an earlier window of the rank. */
static bool has_joined(const struct replay *replay, const struct rank_connections *known, int32_t other)
{
    for (size_t i = 0; i < known->window_comm_count; i++)
        if (trace_comm_rank(&replay->trace->definitions.comms[known->window_comms[i]], other) != TRACE_NONE) return true;
    return false;
}

enum status replay_connect_members(struct replay *replay, uint32_t rank, int32_t comm)
{
    if (!core_of(replay)->connections) return STATUS_OK;
    struct rank_connections *known = &core_of(replay)->connections->ranks[rank];
    const struct trace_comm *members = &replay->trace->definitions.comms[comm];
    for (size_t i = 0; i < known->window_comm_count; i++) {
        uint32_t count = replay->trace->definitions.comms[known->window_comms[i]].count;
        if (known->window_comms[i] == comm || count == replay->trace->rank_count) return STATUS_OK;
    }
    if (known->window_comm_count == 0 && members->count == replay->trace->rank_count) {
        drop_blocks(core_of(replay)->connections, rank);
        known->all = true;
    } else {
        for (uint32_t i = 0; i < members->count; i++)
            if (!has_joined(replay, known, members->members[i]))
                TRY(set_needed(replay, rank, (uint32_t)members->members[i], true));
    }
    ARRAY_PUSH(known->window_comms, known->window_comm_count, known->window_comm_capacity, comm, replay->err);
    return STATUS_OK;
}

/* Those ranks of a word, whose first one is `first`, that are in `needed` and on other nodes than `rank`. Returns how many. */
static uint32_t list_needed(const struct replay *replay, uint32_t rank, uint32_t first, uint64_t needed,
                            uint32_t list[WORD_RANKS])
{
    uint32_t count = 0;
    for (; needed; needed &= needed - 1) {
        uint32_t other = first + (uint32_t)__builtin_ctzll(needed);
        if (other >= replay->trace->rank_count) break;
        if (replay->nodes[other] != replay->nodes[rank]) list[count++] = other;
    }
    return count;
}

enum status replay_query_connections(struct replay *replay, uint32_t rank, uint32_t ref, uint32_t *unanswered)
{
    if (!core_of(replay)->connections) return STATUS_OK;
    struct connections *known = core_of(replay)->connections;
    uint64_t **blocks = blocks_of(known, rank);
    const bool all = known->ranks[rank].all;
    known->ranks[rank].all = false;
    for (uint32_t first = 0; first < replay->trace->rank_count; first += WORD_RANKS) {
        uint64_t *word = blocks[first / BLOCK_RANKS] ? word_of(blocks, first) : NULL;
        const uint64_t needed = word ? *word : all ? UINT64_MAX : 0;
        if (needed == 0) continue;
        if (word) *word = 0;
        uint32_t queried[WORD_RANKS], count = list_needed(replay, rank, first, needed, queried);
        *unanswered += count;
        TRY(replay_send_queries(replay, rank, queried, count, ref));
    }
    return STATUS_OK;
}
