#include "predictors/scale/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0;
    for (; text && *text; text++) hash = map_mix(hash, (unsigned char)*text);
    return hash;
}

uint64_t misfit_hash(const struct trace *definitions, const struct trace_call *call)
{
    const struct trace_site *site = &definitions->definitions.sites[call->site];
    enum call_kind kind = call_kind(call->call);
    uint64_t hash = call_arm(kind) == ARM_COMPLETION ? ID_Wait : call->call;
    if (call_is_region(call->call)) return map_mix(hash, hash_text(definitions->definitions.regions[call->region.region]));
    if (call->site == TRACE_NO_SITE) return call_is_message(kind) ? map_mix(hash, (uint64_t)call->any.third) : map_mix(hash, 0);
    hash = map_mix(hash, hash_text(site->function));
    return map_mix(map_mix(hash, hash_text(site->file)), (uint64_t)site->line);
}

void misfit_set(struct misfit *misfit, const struct trace *definitions, const struct trace_call *call)
{
    const struct trace_site *site = &definitions->definitions.sites[call->site];
    *misfit = (struct misfit){.known = true, .hash = misfit_hash(definitions, call)};
    if (call_is_region(call->call))
        snprintf(misfit->name, sizeof misfit->name, "%.100s", definitions->definitions.regions[call->region.region]);
    else if (site->file)
        snprintf(misfit->name, sizeof misfit->name, "%s in %.40s, %.60s:%d", call_name(call->call),
                 site->function ? site->function : "?", site->file, site->line);
    else snprintf(misfit->name, sizeof misfit->name, "%s", call_name(call->call));
}

/* --- parts --- */

struct finder {
    const struct statistics *statistics;
    const struct trace *trace;
    bool whole;              /* all calls behind MPI_Init are one step */
    bool *bad_comm;          /* per communicator: a call that does not fit makes it */
    bool *boundary;          /* per anchor of every rank */
    uint32_t *steps;         /* per part, one more than boundaries: its step; UINT32_MAX: none */
    size_t anchors;
};

static uint32_t find_step(const struct finder *finder, const struct trace_call *call)
{
    uint64_t hash = misfit_hash(finder->trace, call);
    for (uint32_t i = 0; i < finder->statistics->count; i++)
        if (finder->statistics->of[i].hash == hash) return i;
    return UINT32_MAX;
}

static const struct trace_comm *comm_of(const struct finder *finder, const struct trace_call *call)
{
    return trace_call_comm(finder->trace, call);
}

/* The step of a call that does not fit, or works on a communicator that such a call makes; UINT32_MAX: it fits. */
static uint32_t misfit_of(const struct finder *finder, const struct trace_call *call)
{
    uint32_t step = finder->whole ? (uint32_t)finder->statistics->count - 1 : find_step(finder, call);
    const struct trace_comm *comm = comm_of(finder, call);
    if (step == UINT32_MAX && comm && finder->bad_comm[comm - finder->trace->definitions.comms])
        step = (uint32_t)finder->statistics->count - 1;
    return step;
}

static bool is_anchor(const struct finder *finder, const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    const struct trace_comm *comm = comm_of(finder, call);
    if (kind == CALL_INIT) return true;
    if (finder->whole) return false;
    bool collective = (call_arm(kind) == ARM_COLLECTIVE && !call_makes_request(call->call)) || kind == CALL_COMM_CREATE ||
                      kind == CALL_WIN_CREATE || kind == CALL_WIN_FREE || kind == CALL_FENCE;
    if (!collective || !comm || comm->first_group || comm->count != finder->trace->rank_count) return false;
    return misfit_of(finder, call) == UINT32_MAX;
}

/* What a rank has open: requests, epochs, locks, regions. */
static int change_open(const struct finder *finder, const struct trace_call *call)
{
    const struct trace_list *lists = finder->trace->definitions.lists;
    switch (call_kind(call->call)) {
    case CALL_POST:
    case CALL_START:
    case CALL_LOCK:
    case CALL_LOCK_ALL:
    case CALL_REGION_ENTER: return 1;
    case CALL_WIN_WAIT:
    case CALL_COMPLETE:
    case CALL_UNLOCK:
    case CALL_UNLOCK_ALL:
    case CALL_REGION_LEAVE: return -1;
    case CALL_WIN_TEST: return call->flags & TRACE_FLAG ? -1 : 0;
    case CALL_REQUEST_WAIT: return call->ref != TRACE_NO_REF ? -1 : 0;
    case CALL_REQUEST_TEST: return call->ref != TRACE_NO_REF && call->flags & TRACE_FLAG ? -1 : 0;
    case CALL_REQUEST_WAITALL: return call->ref != TRACE_NO_REF ? -(int)lists[call->completion.list].count : 0;
    case CALL_REQUEST_TESTALL:
        return call->ref != TRACE_NO_REF && call->flags & TRACE_FLAG ? -(int)lists[call->completion.list].count : 0;
    default: return call_makes_request(call->call) && call->ref != TRACE_NO_REF ? 1 : 0;
    }
}

static size_t count_anchors(const struct finder *finder, uint32_t rank)
{
    size_t count = 0;
    const struct trace_rank *of = &finder->trace->ranks[rank];
    for (size_t i = 0; i < of->count; i++) count += is_anchor(finder, &of->calls[i]);
    return count;
}

/* An anchor of all ranks divides parts where no rank has anything open. Returns false if ranks have different numbers of them. */
static bool find_boundaries(struct finder *finder)
{
    for (size_t k = 0; k < finder->anchors; k++) finder->boundary[k] = true;
    for (uint32_t rank = 0; rank < finder->trace->rank_count; rank++) {
        const struct trace_rank *of = &finder->trace->ranks[rank];
        size_t anchor = 0;
        int64_t open = 0;
        if (count_anchors(finder, rank) != finder->anchors) return false;
        for (size_t i = 0; i < of->count; i++) {
            open += change_open(finder, &of->calls[i]);
            if (is_anchor(finder, &of->calls[i]) && open != 0) finder->boundary[anchor] = false;
            anchor += is_anchor(finder, &of->calls[i]);
        }
    }
    return true;
}

/* Walks a rank's parts. With `blocks` it adds those that are steps; else it finds which ones are. */
static enum status walk_parts(struct finder *finder, uint32_t rank, struct statistics_blocks *blocks, struct err *err)
{
    const struct trace_rank *of = &finder->trace->ranks[rank];
    size_t part = 0, anchor = 0, begin = 0;
    for (size_t i = 0; i <= of->count; i++) {
        bool ends = i == of->count || (is_anchor(finder, &of->calls[i]) && finder->boundary[anchor++]);
        uint32_t step = ends ? UINT32_MAX : misfit_of(finder, &of->calls[i]);
        if (!blocks && step < finder->steps[part]) finder->steps[part] = step;
        if (!ends) continue;
        const struct statistics_block block = {begin, i, finder->steps[part]};
        if (blocks && block.step != UINT32_MAX) ARRAY_PUSH(blocks->items, blocks->count, blocks->capacity, block, err);
        begin = i + 1;
        part++;
    }
    return STATUS_OK;
}

static void find_bad_comms(struct finder *finder)
{
    for (uint32_t rank = 0; rank < finder->trace->rank_count; rank++)
        for (size_t i = 0; i < finder->trace->ranks[rank].count; i++) {
            const struct trace_call *call = &finder->trace->ranks[rank].calls[i];
            if (call_kind(call->call) != CALL_COMM_CREATE || call->comm.newcomm == TRACE_NO_REF) continue;
            if (find_step(finder, call) != UINT32_MAX) finder->bad_comm[call->comm.newcomm] = true;
        }
}

static enum status find_parts(struct finder *finder, struct statistics_blocks *blocks, struct err *err)
{
    const struct trace *trace = finder->trace;
    finder->whole = finder->statistics->whole;
    if (!finder->whole) find_bad_comms(finder);
    finder->anchors = count_anchors(finder, 0);
    finder->boundary = calloc(finder->anchors + 1, sizeof *finder->boundary);
    finder->steps = malloc((finder->anchors + 2) * sizeof *finder->steps);
    if (!finder->boundary || !finder->steps) return err_memory(err);
    memset(finder->steps, 0xff, (finder->anchors + 2) * sizeof *finder->steps);
    bool divided = find_boundaries(finder);
    if (!divided) { /* ranks differ in their collective calls */
        finder->whole = true;
        finder->anchors = count_anchors(finder, 0);
        divided = find_boundaries(finder);
    }
    for (uint32_t rank = 0; divided && rank < trace->rank_count; rank++) TRY(walk_parts(finder, rank, NULL, err));
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        const struct statistics_block all = {0, trace->ranks[rank].count, (uint32_t)finder->statistics->count - 1};
        if (divided) TRY(walk_parts(finder, rank, &blocks[rank], err));
        else ARRAY_PUSH(blocks[rank].items, blocks[rank].count, blocks[rank].capacity, all, err);
    }
    return STATUS_OK;
}

enum status statistics_find(const struct statistics *statistics, const struct trace *trace, struct statistics_blocks **blocks,
                            struct err *err)
{
    struct finder finder = {.statistics = statistics, .trace = trace};
    *blocks = calloc(trace->rank_count + 1, sizeof **blocks);
    finder.bad_comm = calloc(trace->definitions.comm_count + 1, sizeof *finder.bad_comm);
    enum status status = *blocks && finder.bad_comm ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK && statistics->count > 0) status = find_parts(&finder, *blocks, err);
    FREE_ALL(finder.bad_comm, finder.boundary, finder.steps);
    return status;
}

void statistics_blocks_free(struct statistics_blocks *blocks, uint32_t ranks)
{
    for (uint32_t rank = 0; blocks && rank < ranks; rank++) free(blocks[rank].items);
    free(blocks);
}
