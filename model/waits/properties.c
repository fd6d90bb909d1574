#include "model/waits/properties.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "model/match/request_makers.h"

static const struct property_row rows[PROPERTY_COUNT] = {
#define PROPERTY(ID, NAME, TITLE, PARENT) {NAME, TITLE, PROPERTY_##PARENT},
#include "model/waits/properties.def"
#undef PROPERTY
};

const struct property_row *property_row(enum property property)
{
    return &rows[property];
}

const struct property_row *property_by_name(const char *name)
{
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (strcmp(rows[p].name, name) == 0) return &rows[p];
    return NULL;
}

/* Kinds without an entry have PROPERTY_TIME, which property_of() turns into "other". */
static const enum property of_kind[CALL_KIND_COUNT] = {
    [CALL_WIN_CREATE] = PROPERTY_RMA_WINDOW_MANAGEMENT,
    [CALL_WIN_FREE] = PROPERTY_RMA_WINDOW_MANAGEMENT,
    [CALL_PUT] = PROPERTY_RMA_COMMUNICATION,
    [CALL_GET] = PROPERTY_RMA_COMMUNICATION,
    [CALL_ACCUMULATE] = PROPERTY_RMA_COMMUNICATION,
    [CALL_GET_ACCUMULATE] = PROPERTY_RMA_COMMUNICATION,
    [CALL_SHMEM_PUT] = PROPERTY_RMA_COMMUNICATION,
    [CALL_SHMEM_PUT_NBI] = PROPERTY_RMA_COMMUNICATION,
    [CALL_SHMEM_GET] = PROPERTY_RMA_COMMUNICATION,
    [CALL_SHMEM_GET_NBI] = PROPERTY_RMA_COMMUNICATION,
    [CALL_SHMEM_ATOMIC] = PROPERTY_RMA_COMMUNICATION,
    [CALL_SHMEM_FETCH] = PROPERTY_RMA_COMMUNICATION,
    [CALL_FENCE] = PROPERTY_RMA_FENCE,
    [CALL_POST] = PROPERTY_RMA_ACTIVE_TARGET,
    [CALL_START] = PROPERTY_RMA_ACTIVE_TARGET,
    [CALL_COMPLETE] = PROPERTY_RMA_ACTIVE_TARGET,
    [CALL_WIN_WAIT] = PROPERTY_RMA_ACTIVE_TARGET,
    [CALL_WIN_TEST] = PROPERTY_RMA_ACTIVE_TARGET,
    [CALL_LOCK] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_UNLOCK] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_LOCK_ALL] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_UNLOCK_ALL] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_FLUSH] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_FLUSH_LOCAL] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_SYNC] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_SHMEM_QUIET] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_SHMEM_FENCE] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_SHMEM_WAIT] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_SHMEM_TEST] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_SHMEM_SET_LOCK] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_SHMEM_TEST_LOCK] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_SHMEM_CLEAR_LOCK] = PROPERTY_RMA_PASSIVE_TARGET,
    [CALL_SEND] = PROPERTY_POINT_TO_POINT,
    [CALL_ISEND] = PROPERTY_POINT_TO_POINT,
    [CALL_RECV] = PROPERTY_POINT_TO_POINT,
    [CALL_IRECV] = PROPERTY_POINT_TO_POINT,
    [CALL_REQUEST_WAIT] = PROPERTY_POINT_TO_POINT,
    [CALL_REQUEST_WAITALL] = PROPERTY_POINT_TO_POINT,
    [CALL_REQUEST_TEST] = PROPERTY_POINT_TO_POINT,
    [CALL_REQUEST_QUERY] = PROPERTY_POINT_TO_POINT,
    [CALL_REQUEST_TESTALL] = PROPERTY_POINT_TO_POINT,
    [CALL_SENDRECV] = PROPERTY_POINT_TO_POINT,
    [CALL_PROBE] = PROPERTY_POINT_TO_POINT,
    [CALL_IPROBE] = PROPERTY_POINT_TO_POINT,
    [CALL_BARRIER] = PROPERTY_BARRIER,
    [CALL_SHMEM_BARRIER] = PROPERTY_BARRIER,
    [CALL_BCAST] = PROPERTY_COLLECTIVE,
    [CALL_REDUCE] = PROPERTY_COLLECTIVE,
    [CALL_ALLREDUCE] = PROPERTY_COLLECTIVE,
    [CALL_GATHER] = PROPERTY_COLLECTIVE,
    [CALL_SCATTER] = PROPERTY_COLLECTIVE,
    [CALL_ALLGATHER] = PROPERTY_COLLECTIVE,
    [CALL_ALLTOALL] = PROPERTY_COLLECTIVE,
    [CALL_GATHERV] = PROPERTY_COLLECTIVE,
    [CALL_SCATTERV] = PROPERTY_COLLECTIVE,
    [CALL_ALLGATHERV] = PROPERTY_COLLECTIVE,
    [CALL_ALLTOALLV] = PROPERTY_COLLECTIVE,
    [CALL_REDUCE_SCATTER] = PROPERTY_COLLECTIVE,
    [CALL_SCAN] = PROPERTY_COLLECTIVE,
    [CALL_EXSCAN] = PROPERTY_COLLECTIVE,
    [CALL_NEIGHBOR] = PROPERTY_COLLECTIVE,
    [CALL_THREAD_BEGIN] = PROPERTY_THREADS,
    [CALL_THREAD_END] = PROPERTY_THREADS,
    [CALL_THREAD_CREATE] = PROPERTY_THREADS,
    [CALL_THREAD_JOIN] = PROPERTY_THREADS,
    [CALL_MUTEX_LOCK] = PROPERTY_THREADS,
    [CALL_MUTEX_TRYLOCK] = PROPERTY_THREADS,
    [CALL_MUTEX_TIMEDLOCK] = PROPERTY_THREADS,
    [CALL_MUTEX_UNLOCK] = PROPERTY_THREADS,
    [CALL_COND_WAIT] = PROPERTY_THREADS,
    [CALL_COND_TIMEDWAIT] = PROPERTY_THREADS,
    [CALL_COND_SIGNAL] = PROPERTY_THREADS,
    [CALL_COND_BROADCAST] = PROPERTY_THREADS,
    [CALL_THREAD_BARRIER] = PROPERTY_THREADS,
    [CALL_RDLOCK] = PROPERTY_THREADS,
    [CALL_TRYRDLOCK] = PROPERTY_THREADS,
    [CALL_TIMEDRDLOCK] = PROPERTY_THREADS,
    [CALL_WRLOCK] = PROPERTY_THREADS,
    [CALL_TRYWRLOCK] = PROPERTY_THREADS,
    [CALL_TIMEDWRLOCK] = PROPERTY_THREADS,
    [CALL_RW_UNLOCK] = PROPERTY_THREADS,
    [CALL_SEM_WAIT] = PROPERTY_THREADS,
    [CALL_SEM_TRYWAIT] = PROPERTY_THREADS,
    [CALL_SEM_TIMEDWAIT] = PROPERTY_THREADS,
    [CALL_SEM_POST] = PROPERTY_THREADS,
};

enum property property_of(enum call_kind kind)
{
    return of_kind[kind] == PROPERTY_TIME ? PROPERTY_INIT_FINALIZE : of_kind[kind];
}

int property_depth(enum property property)
{
    int depth = 0;
    for (; rows[property].parent != property; property = rows[property].parent) depth++;
    return depth;
}

int64_t properties_progress_ps(const struct trace_rank *rank, size_t index)
{
    const struct trace_call *call = &rank->calls[index];
    const struct trace_sim *sim = rank->sim ? &rank->sim[index] : NULL;
    if (!sim || sim->progress_until_ps == TRACE_UNKNOWN_PS) return 0;
    int64_t from_ps = units_max_ps(sim->progress_from_ps, call->enter_ps);
    return units_max_ps(units_min_ps(sim->progress_until_ps, call->exit_ps) - from_ps, 0);
}

enum status properties_of_call(struct map *makers, const struct trace *trace, uint32_t rank, size_t index,
                               struct property_part parts[PROPERTY_PARTS], struct err *err)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    enum mpi_call as;
    TRY(request_makers_look(makers, trace, call, &as, err));
    const bool completes = call_arm(call_kind(call->call)) == ARM_COMPLETION;
    const int64_t apart_ps = completes ? properties_progress_ps(&trace->ranks[rank], index) : 0;
    parts[0] = (struct property_part){property_of(call_kind(as)), call->exit_ps - call->enter_ps - apart_ps};
    parts[1] = (struct property_part){PROPERTY_RMA_COMMUNICATION, apart_ps};
    return STATUS_OK;
}

enum status properties_add(const struct trace *trace, struct map *makers, wide_ps times_ps[PROPERTY_COUNT], struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        for (size_t i = rank->kept_count; i < rank->count; i++) {
            struct property_part parts[PROPERTY_PARTS];
            if (call_is_region(rank->calls[i].call)) continue;
            TRY(properties_of_call(&makers[r], trace, r, i, parts, err));
            for (int p = 0; p < PROPERTY_PARTS; p++) times_ps[parts[p].property] += parts[p].ps;
        }
    }
    return STATUS_OK;
}

int64_t properties_life_ps(const struct timelines *timelines, uint32_t rank, int64_t zero_ps)
{
    int64_t sum_ps = 0;
    for (uint32_t t = 0; t < trace_thread_count(timelines->trace, rank); t++) {
        struct timeline timeline = timeline_of(timelines, rank, t);
        if (timeline.count == 0) continue;
        int64_t begin_ps = t == 0 ? zero_ps : timeline_call(&timeline, 0)->enter_ps;
        sum_ps += timeline_call(&timeline, timeline.count - 1)->exit_ps - begin_ps;
    }
    return sum_ps;
}

enum status properties_report(const struct timelines *timelines, const wide_ps leaves_ps[PROPERTY_COUNT],
                              const struct totals *totals, struct result *result, struct err *err)
{
    wide_ps times_ps[PROPERTY_COUNT], children_ps[PROPERTY_COUNT] = {0};
    memcpy(times_ps, leaves_ps, sizeof times_ps);
    /* Sums the inner nodes bottom-up; user code is the rest of the time. */
    int64_t zero_ps = trace_begin_ps(timelines->trace);
    wide_ps total_ps = 0;
    for (uint32_t r = 0; r < timelines->trace->rank_count; r++) total_ps += properties_life_ps(timelines, r, zero_ps);
    for (int p = PROPERTY_COUNT - 1; p > PROPERTY_EXECUTION; p--) times_ps[rows[p].parent] += times_ps[p];
    times_ps[PROPERTY_USER] = total_ps - times_ps[PROPERTY_MPI] - times_ps[PROPERTY_THREADS];
    times_ps[PROPERTY_EXECUTION] = times_ps[PROPERTY_TIME] = total_ps;
    for (int p = 1; p < PROPERTY_COUNT; p++) children_ps[rows[p].parent] += times_ps[p];
    for (int k = 0; k < CALL_KIND_COUNT; k++) children_ps[property_of((enum call_kind)k)] += totals->in_kind_ps[k];
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        struct result_property made = {.depth = property_depth((enum property)p),
                                       .inclusive_s = wide_s(times_ps[p]),
                                       .exclusive_s = wide_s(times_ps[p] - children_ps[p])};
        TRY(array_reserve((void **)&result->properties, &result->property_capacity, result->property_count + 1,
                          sizeof *result->properties, err));
        made.name = strdup(rows[p].name);
        if (!made.name) return err_memory(err);
        result->properties[result->property_count++] = made;
    }
    return STATUS_OK;
}
