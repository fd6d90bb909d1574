#include "predictors/scale/tags.h"

#include <stdlib.h>

#include "common/array.h"
#include "predictors/scale/statistics.h"

enum { FEW = 8 };
struct tags_site {
    int32_t tags[FEW]; /* the first ones */
    size_t count;      /* FEW + 1: there are more */
    uint64_t runs, of_tag[FEW]; /* bits of the runs that call the site, and that use each tag */
    bool has_none;     /* some call has none */
};

static void note_tag(struct tags_site *site, int32_t tag, uint64_t run)
{
    size_t i = 0;
    site->runs |= run;
    while (i < site->count && i < FEW && site->tags[i] != tag) i++;
    if (i < FEW) site->of_tag[i] |= run;
    if (i < site->count && i < FEW) return;
    if (i < FEW) site->tags[i] = tag;
    site->count = i + 1;
}

static bool are_one(const struct tags_site *site)
{
    if (site->count > FEW || (site->count > 1 && site->has_none)) return true;
    for (size_t i = 0; i < site->count; i++)
        if (site->of_tag[i] != site->runs) return true;
    return false;
}

static bool has_tag(const struct trace_call *call)
{
    return call_is_message(call_kind(call->call)) && call->site != TRACE_NO_SITE;
}

/* run is its bit; 0: the tags of sites where they are one are merged. Else the tags of each site are noted. */
static enum status learn_call(struct tags *tags, const struct trace *trace, const struct trace_call *call, uint64_t run,
                              struct err *err)
{
    uint64_t *at;
    bool both = call_kind(call->call) == CALL_SENDRECV;
    const int32_t of_call[] = {call->message.tag, both ? call->exchange.recv_tag : call->message.tag};
    TRY(map_put(&tags->by_site, misfit_hash(trace, call), tags->site_count, &at, err));
    size_t site = (size_t)*at;
    if (site == tags->site_count)
        ARRAY_PUSH(tags->sites, tags->site_count, tags->site_capacity, (struct tags_site){.count = 0}, err);
    for (size_t i = 0; i < sizeof of_call / sizeof *of_call; i++) {
        struct tags_site *of = &tags->sites[site];
        if (of_call[i] < 0) of->has_none = true;
        else if (run) note_tag(of, of_call[i], run);
        else if (are_one(of)) TRY(map_set(&tags->merged, (uint32_t)of_call[i], 0, err));
    }
    return STATUS_OK;
}

enum status tags_learn(const struct trace *const *traces, size_t count, struct tags *tags, struct err *err)
{
    *tags = (struct tags){.site_count = 0};
    for (int merging = 0; merging <= 1; merging++)
        for (size_t t = 0; t < count; t++)
            for (uint32_t rank = 0; rank < traces[t]->rank_count; rank++)
                for (size_t i = 0; i < traces[t]->ranks[rank].count; i++) {
                    const struct trace_call *call = &traces[t]->ranks[rank].calls[i];
                    if (has_tag(call)) TRY(learn_call(tags, traces[t], call, merging ? 0 : UINT64_C(1) << t % 64, err));
                }
    uint64_t least = 0;
    while (tags->merged.count > 0 && !map_find(&tags->merged, least)) least++;
    tags->one = (int32_t)least;
    return STATUS_OK;
}

void tags_clear(struct tags *tags)
{
    free(tags->sites);
    map_clear(&tags->by_site);
    map_clear(&tags->merged);
}

int32_t tags_find(const struct tags *tags, const struct trace *trace, const struct trace_call *call, int32_t tag)
{
    if (tag < 0 && call->site != TRACE_NO_SITE) {
        const uint64_t *site = map_find(&tags->by_site, misfit_hash(trace, call));
        if (site && tags->sites[*site].count > 0) tag = tags->sites[*site].tags[0];
    }
    return tag >= 0 && tags->merged.count > 0 && map_find(&tags->merged, (uint32_t)tag) ? tags->one : tag;
}
