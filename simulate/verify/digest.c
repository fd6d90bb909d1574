#include "simulate/verify/digest.h"

#include <stdlib.h>

#include "common/array.h"

/* Ids are replaced by the order of their first use, groups, regions and sites by their content. */
struct naming {
    const struct trace *trace;
    struct map windows, comms, requests;
    uint64_t *groups, *regions, *sites; /* hashes, by id */
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++) hash = map_mix(hash, (unsigned char)*text);
    return map_mix(hash, 256);
}

static void naming_clear(struct naming *naming)
{
    map_clear(&naming->windows);
    map_clear(&naming->comms);
    map_clear(&naming->requests);
    FREE_ALL(naming->groups, naming->regions, naming->sites);
}

static enum status number_id(struct map *map, uint64_t id, uint64_t *name, struct err *err)
{
    uint64_t *slot;
    TRY(map_put(map, id, map->count, &slot, err));
    *name = *slot;
    return STATUS_OK;
}

static enum status name_of_handle(struct naming *naming, const struct trace_call *call, uint64_t *name, struct err *err)
{
    *name = UINT64_MAX;
    if (call->handle == TRACE_NONE) return STATUS_OK;
    bool window = (call_row(call->call)->allowed & F_WIN) != 0;
    return number_id(window ? &naming->windows : &naming->comms, (uint64_t)call->handle, name, err);
}

static enum status hash_requests(struct naming *naming, uint32_t list, uint64_t *hash, struct err *err)
{
    const struct trace_list *requests = &naming->trace->definitions.lists[list];
    *hash = requests->count;
    for (uint32_t i = 0; i < requests->count; i++) {
        uint64_t name;
        TRY(number_id(&naming->requests, naming->trace->definitions.requests[requests->first + i], &name, err));
        *hash = map_mix(*hash, name);
    }
    return STATUS_OK;
}

static enum status name_of_ref(struct naming *naming, const struct trace_call *call, uint64_t *name, struct err *err)
{
    *name = UINT64_MAX;
    if (call->ref == TRACE_NO_REF) return STATUS_OK;
    uint32_t fields = call_row(call->call)->allowed;
    if (fields & F_GROUP) *name = naming->groups[call->ref];
    else if (fields & F_REQS) return hash_requests(naming, call->ref, name, err);
    else if (fields & F_REQ)
        return number_id(&naming->requests, call->ref, name, err);
    else if (fields & F_NEWCOMM)
        return number_id(&naming->comms, call->ref, name, err);
    else if (fields & F_REGION) *name = naming->regions[call->ref];
    return STATUS_OK;
}

/* Of a list of numbers: their ids are names. */
static uint64_t hash_numbers(const struct trace_counts *list)
{
    uint64_t hash = list->count;
    for (uint32_t i = 0; i < list->count; i++) hash = map_mix(hash, (uint64_t)list->bytes[i]);
    return hash;
}

/* The displacement, or the counts themselves. */
static uint64_t name_of_disp(const struct naming *naming, const struct trace_call *call)
{
    bool counts = trace_call_counts(naming->trace, call) != NULL;
    return counts ? hash_numbers(&naming->trace->definitions.counts[call->collective.counts])
                  : (uint64_t)call->any.first;
}

/* The tag, or the neighbours themselves. */
static uint64_t name_of_tag(const struct naming *naming, const struct trace_call *call)
{
    bool neighbors = (call_row(call->call)->allowed & F_NEIGHBORS) && call->collective.neighbors >= 0;
    return neighbors ? hash_numbers(&naming->trace->definitions.counts[call->collective.neighbors])
                     : (uint64_t)call->any.third;
}

static enum status add_call(struct naming *naming, const struct trace_call *call, uint64_t *hash, struct err *err)
{
    uint64_t handle, ref;
    TRY(name_of_handle(naming, call, &handle, err));
    TRY(name_of_ref(naming, call, &ref, err));
    const uint64_t words[] = {
        call->call, call->flags, handle, ref, (uint64_t)call->peer, name_of_tag(naming, call), (uint64_t)call->bytes,
        name_of_disp(naming, call), (uint64_t)call->any.second, naming->sites[call->site], (uint64_t)call->enter_ps,
        (uint64_t)call->exit_ps,
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) *hash = map_mix(*hash, words[i]);
    return STATUS_OK;
}

static void add_sim(const struct trace_sim *sim, uint64_t *hash)
{
    const int64_t words[] = {sim->xfer_start_ps, sim->xfer_end_ps, sim->base_end_ps, sim->extended_end_ps,
                             sim->xfer_least_ps, sim->blocked_ps,  sim->progress_from_ps, sim->progress_until_ps,
                             sim->awaited_post_ps, sim->released_ps};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) *hash = map_mix(*hash, (uint64_t)words[i]);
}

static enum status add_rank(struct naming *naming, uint32_t number, uint64_t *hash, struct err *err)
{
    const struct trace_rank *rank = &naming->trace->ranks[number];
    map_clear(&naming->requests);
    *hash = map_mix(*hash, rank->count);
    for (size_t i = 0; i < rank->count; i++) {
        TRY(add_call(naming, &rank->calls[i], hash, err));
        struct trace_extents extents = trace_call_extents(naming->trace, number, i);
        for (int k = 0; (rank->calls[i].flags & TRACE_GAPS) && k < TRACE_BUFFERS; k++)
            *hash = map_mix(*hash, (uint64_t)extents.of[k]);
        if (rank->thread && rank->thread[i] != 0) *hash = map_mix(*hash, rank->thread[i]);
        if (rank->sim) add_sim(&rank->sim[i], hash);
        if (rank->before_ps[BEFORE_SLEPT]) *hash = map_mix(*hash, (uint64_t)rank->before_ps[BEFORE_SLEPT][i]);
        if (rank->before_ps[BEFORE_CORE_WAIT]) *hash = map_mix(*hash, (uint64_t)rank->before_ps[BEFORE_CORE_WAIT][i]);
    }
    return STATUS_OK;
}

enum status verify_digest(const struct trace *trace, uint64_t *digest, struct err *err)
{
    struct naming naming = {.trace = trace};
    naming.groups = calloc(trace->definitions.group_count + 1, sizeof *naming.groups);
    naming.regions = calloc(trace->definitions.region_count + 1, sizeof *naming.regions);
    naming.sites = calloc(trace->definitions.site_count + 1, sizeof *naming.sites);
    if (!naming.groups || !naming.regions || !naming.sites) {
        naming_clear(&naming);
        return err_memory(err);
    }
    for (size_t i = 0; i < trace->definitions.group_count; i++)
        for (uint32_t m = 0; m < trace->definitions.groups[i].count; m++)
            naming.groups[i] = map_mix(naming.groups[i], (uint64_t)trace->definitions.groups[i].members[m]);
    for (size_t i = 0; i < trace->definitions.region_count; i++)
        naming.regions[i] = hash_text(0, trace->definitions.regions[i]);
    for (size_t i = 0; i < trace->definitions.site_count; i++) {
        const struct trace_site *site = &trace->definitions.sites[i];
        naming.sites[i] = map_mix(hash_text(hash_text(0, site->function), site->file), (uint64_t)site->line);
    }
    uint64_t hash = trace->rank_count;
    enum status status = STATUS_OK;
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++)
        status = add_rank(&naming, r, &hash, err);
    naming_clear(&naming);
    if (status == STATUS_OK) *digest = hash;
    return status;
}
