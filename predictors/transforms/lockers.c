#include "predictors/transforms/lockers.h"

#include <stdlib.h>

static uint64_t key_of(int32_t window, uint32_t target)
{
    return map_pair((uint32_t)window, target);
}

static enum status read_rank(const struct trace *trace, uint32_t rank, struct lockers *lockers, struct err *err)
{
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        const struct trace_call *call = &trace->ranks[rank].calls[i];
        enum call_kind kind = call_kind(call->call);
        uint64_t *slot;
        if (kind == CALL_LOCK_ALL) {
            struct locker_all *all = &lockers->all[call->handle];
            if (all->first < 0)
                all->first = rank;
            else if (all->second < 0 && all->first != rank)
                all->second = rank;
        }
        if (kind != CALL_LOCK || call->peer == TRACE_NONE || (uint32_t)call->peer == rank) continue;
        TRY(map_put(&lockers->single, key_of(call->handle, (uint32_t)call->peer), rank, &slot, err));
    }
    return STATUS_OK;
}

enum status lockers_read(const struct trace *trace, struct lockers *lockers, struct err *err)
{
    *lockers = (struct lockers){.all = calloc(trace->definitions.window_count + 1, sizeof *lockers->all)};
    if (!lockers->all) return err_memory(err);
    for (size_t w = 0; w < trace->definitions.window_count; w++) lockers->all[w] = (struct locker_all){-1, -1};
    for (uint32_t r = 0; r < trace->rank_count; r++) TRY(read_rank(trace, r, lockers, err));
    return STATUS_OK;
}

void lockers_clear(struct lockers *lockers)
{
    map_clear(&lockers->single);
    free(lockers->all);
    lockers->all = NULL;
}

bool lockers_find(const struct lockers *lockers, int32_t window, uint32_t rank, uint32_t *by)
{
    const struct locker_all *all = &lockers->all[window];
    const uint64_t *single = map_find(&lockers->single, key_of(window, rank));
    int64_t found = single ? (int64_t)*single : all->first != rank ? all->first : all->second;
    if (found >= 0) *by = (uint32_t)found;
    return found >= 0;
}
