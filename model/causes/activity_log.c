#include "model/causes/activity_log.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/match/request_makers.h"
#include "model/causes/backward_replay.h"

struct kind { /* the properties that calls are grouped by */
    struct time_activity of;
    uint32_t gap_interval, interval; /* of computing before it, and of it */
    uint32_t as;                     /* enum mpi_call: the function that the time counts for
                                        (model/match/request_makers.h) */
};

struct kind_times {          /* of one thread */
    int64_t call_ps, gap_ps; /* time in calls of the kind, and before them */
    uint64_t calls;
};

/* The position of a thread in one of the trees while its calls are walked. */
struct cursor {
    const struct change *next, *end;
    uint32_t node;
};

struct location_log { /* of one thread */
    int64_t from_ps, until_ps; /* time with transfers in progress that is not written yet; empty: none */
    struct map requests;       /* of messages: to the enter of the call that made them */
    struct thread_life life;   /* of the calls added */
    uint32_t creator;
    struct cursor path, interval;
    struct kind_times *kinds;
    size_t count, capacity; /* of these */
};

enum { WORLD_INIT, WORLD_FINALIZE, WORLD_CALLS };

struct world_call { /* of a rank: its first MPI_Init, its last MPI_Finalize */
    int64_t enter_ps, exit_ps;
    uint32_t location;
    bool any;
};

struct activity_log {
    const struct trace *trace;
    const struct locations *locations;
    int64_t begin_ps; /* of the trace */
    struct temp_file temp;
    struct call_log *call_log;
    struct external_sort *wait_log;
    struct location_log *of; /* by location */
    struct map *request_makers; /* of each rank: model/match/request_makers.h */
    struct world_call *world_calls[WORLD_CALLS]; /* of each rank */
    struct kind *kinds;
    size_t kind_count, kind_capacity;
    uint32_t *table;   /* open addressing: number of a kind, 0: free */
    size_t table_size; /* a power of two */
    struct processors processors;
    struct backward_location_sums *sums;
    wide_ps waited_ps;      /* time that root causes are shares of */
};

void activity_log_free(struct activity_log *log)
{
    if (!log) return;
    for (uint32_t r = 0; log->request_makers && r < log->trace->rank_count; r++) map_clear(&log->request_makers[r]);
    for (uint32_t l = 0; log->of && l < log->locations->count; l++) {
        map_clear(&log->of[l].requests);
        free(log->of[l].kinds);
    }
    backward_sums_free(log->sums, log->locations->count);
    processors_clear(&log->processors);
    call_log_free(log->call_log);
    external_sort_free(log->wait_log);
    temp_file_close(&log->temp);
    for (int i = 0; i < WORLD_CALLS; i++) free(log->world_calls[i]);
    FREE_ALL(log->of, log->request_makers, log->kinds, log->table, log);
}

static enum status open_logs(struct activity_log *log, struct err *err)
{
    enum { FIRST_TABLE = 1 << 10 };
    const struct kind begin = {.of = {CALLPATH_ROOT, TRACE_NO_SITE, ACTIVITY_COMPUTING}};
    _Static_assert(BACKWARD_BEGIN_KIND == 0, "the first kind is that before all calls");
    TRY(temp_file_open(&log->temp, err));
    TRY(call_log_new(log->locations->count, &log->temp, &log->call_log, err));
    TRY(wait_log_new(&log->temp, &log->wait_log, err));
    log->of = calloc((size_t)log->locations->count + 1, sizeof *log->of);
    log->request_makers = calloc((size_t)log->trace->rank_count + 1, sizeof *log->request_makers);
    log->table = calloc(FIRST_TABLE, sizeof *log->table);
    log->table_size = FIRST_TABLE;
    for (int i = 0; i < WORLD_CALLS; i++) {
        log->world_calls[i] = calloc((size_t)log->trace->rank_count + 1, sizeof *log->world_calls[i]);
        if (!log->world_calls[i]) return err_memory(err);
    }
    if (!log->of || !log->request_makers || !log->table) return err_memory(err);
    for (uint32_t l = 0; l < log->locations->count; l++) log->of[l].creator = BACKWARD_NOBODY;
    ARRAY_PUSH(log->kinds, log->kind_count, log->kind_capacity, begin, err);
    return STATUS_OK;
}

enum status activity_log_new(const struct trace *trace, const struct locations *locations, struct activity_log **log,
                             struct err *err)
{
    struct activity_log *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->trace = trace;
    made->locations = locations;
    made->temp.descriptor = -1;
    enum status status = open_logs(made, err);
    GIVE(status, *log = made, activity_log_free(made));
}

static size_t place_of(const struct activity_log *log, const struct kind *kind)
{
    size_t last = log->table_size - 1;
    size_t i =
        (size_t)map_mix(map_pair(kind->of.node, kind->of.site),
                        (uint64_t)kind->gap_interval << 40 ^ (uint64_t)kind->interval << 16 ^ kind->of.activity) &
        last;
    while (log->table[i] != 0 && memcmp(&log->kinds[log->table[i]], kind, sizeof *kind) != 0) i = (i + 1) & last;
    return i;
}

static enum status grow_table(struct activity_log *log, struct err *err)
{
    uint32_t *bigger = calloc(2 * log->table_size, sizeof *bigger);
    if (!bigger) return err_memory(err);
    free(log->table);
    log->table = bigger;
    log->table_size *= 2;
    for (size_t k = 1; k < log->kind_count; k++) log->table[place_of(log, &log->kinds[k])] = (uint32_t)k;
    return STATUS_OK;
}

static enum status number_of(struct activity_log *log, const struct kind *kind, uint32_t *number, struct err *err)
{
    uint32_t *place = &log->table[place_of(log, kind)];
    if (*place == 0) {
        if (2 * log->kind_count >= log->table_size) TRY(grow_table(log, err));
        place = &log->table[place_of(log, kind)];
        *place = (uint32_t)log->kind_count;
        ARRAY_PUSH(log->kinds, log->kind_count, log->kind_capacity, *kind, err);
    }
    *number = *place;
    return STATUS_OK;
}

static enum status write_busy(struct activity_log *log, uint32_t location, struct err *err)
{
    const struct location_log *of = &log->of[location];
    struct wait_log_row made = {.from_ps = of->from_ps, .until_ps = of->until_ps, .location = location, .flags = WAIT_LOG_BUSY};
    return made.from_ps < made.until_ps ? external_sort_add(log->wait_log, &made, err) : STATUS_OK;
}

/* Joins an interval with the one added before if they touch or overlap. */
static enum status add_busy(struct activity_log *log, uint32_t location, int64_t from_ps, int64_t until_ps, struct err *err)
{
    struct location_log *of = &log->of[location];
    if (from_ps >= until_ps) return STATUS_OK;
    if (from_ps > of->until_ps || until_ps < of->from_ps) {
        TRY(write_busy(log, location, err));
        of->from_ps = from_ps;
        of->until_ps = until_ps;
    }
    if (from_ps < of->from_ps) of->from_ps = from_ps;
    if (until_ps > of->until_ps) of->until_ps = until_ps;
    return STATUS_OK;
}

enum status activity_log_add_transfers(struct activity_log *log, const struct transfers *transfers, struct err *err)
{
    for (size_t i = 0; i < transfers->count; i++) {
        const struct transfer *transfer = &transfers->items[i];
        int64_t true_ps = transfer_true_end_ps(log->trace, transfer);
        TRY(add_busy(log, location_of_call(log->locations, log->trace, transfer->origin, transfer->call), transfer->start_ps,
                     true_ps != TRACE_UNKNOWN_PS ? true_ps : transfer->upper_end_ps, err));
    }
    return STATUS_OK;
}

/* A thread may complete what another one of its rank began. */
static enum status end_requests(struct activity_log *log, uint32_t rank, const struct trace_call *call,
                                const uint32_t *ids, uint32_t count, struct err *err)
{
    for (uint32_t location = log->locations->first[rank]; location < log->locations->first[rank + 1]; location++) {
        struct map *requests = &log->of[location].requests;
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t *began = map_find(requests, ids[i]);
            if (!began) continue;
            TRY(add_busy(log, location, (int64_t)*began, call->exit_ps, err));
            map_remove(requests, ids[i]);
        }
    }
    return STATUS_OK;
}

static enum status add_message(struct activity_log *log, uint32_t rank, uint32_t location, const struct trace_call *call,
                               struct err *err)
{
    enum call_kind kind = call_kind(call->call);
    uint32_t count;
    uint64_t *slot;
    if (kind == CALL_ISEND || kind == CALL_IRECV)
        return map_put(&log->of[location].requests, call->ref, (uint64_t)call->enter_ps, &slot, err);
    const uint32_t *ids = trace_call_completed(log->trace, call, &count);
    return count > 0 ? end_requests(log, rank, call, ids, count, err) : STATUS_OK;
}

/* Thread 0 computes from the begin of the trace on, others from their first call on. */
static enum status add_times(struct activity_log *log, uint32_t rank, uint32_t location, const struct call_log_row *call,
                             struct err *err)
{
    struct location_log *of = &log->of[location];
    if (call->kind >= of->count) {
        TRY(array_reserve((void **)&of->kinds, &of->capacity, (size_t)call->kind + 1, sizeof *of->kinds, err));
        memset(of->kinds + of->count, 0, (of->capacity - of->count) * sizeof *of->kinds);
        of->count = of->capacity;
    }
    if (!of->life.any) {
        of->life = (struct thread_life){.begin_ps = call->enter_ps, .any = true};
        of->life.end_ps = location == log->locations->first[rank] ? log->begin_ps : call->enter_ps;
    }
    of->kinds[call->kind].call_ps += call->exit_ps - call->enter_ps;
    of->kinds[call->kind].gap_ps += call->enter_ps - of->life.end_ps;
    of->kinds[call->kind].calls++;
    of->life.end_ps = call->exit_ps;
    return STATUS_OK;
}

static void cursor_go_to(struct cursor *cursor, uint32_t thread, size_t call)
{
    for (; cursor->next < cursor->end && cursor->next->thread == thread && cursor->next->call <= call; cursor->next++)
        cursor->node = cursor->next->node;
}

/* Puts the cursors of a rank's threads before its new calls. */
static void start_cursors(struct activity_log *log, const struct callpaths *paths, const struct intervals *intervals,
                          uint32_t rank)
{
    struct location_log *of = &log->of[log->locations->first[rank]];
    const struct change *end = paths->changes + paths->rank_first[rank + 1];
    const struct change *last = intervals->changes + intervals->rank_first[rank + 1];
    for (uint32_t t = 0; t < trace_thread_count(log->trace, rank); t++) {
        of[t].path = (struct cursor){end, end, CALLPATH_ROOT};
        of[t].interval = (struct cursor){last, last, intervals->began[log->locations->first[rank] + t]};
    }
    for (size_t c = paths->rank_first[rank + 1]; c-- > paths->rank_first[rank];)
        of[paths->changes[c].thread].path.next = &paths->changes[c];
    for (size_t c = intervals->rank_first[rank + 1]; c-- > intervals->rank_first[rank];)
        of[intervals->changes[c].thread].interval.next = &intervals->changes[c];
}

static void note_world_call(struct activity_log *log, uint32_t rank, uint32_t location, const struct trace_call *call)
{
    const enum call_kind kind = call_kind(call->call);
    if (kind != CALL_INIT && kind != CALL_FINALIZE) return;
    struct world_call *of = &log->world_calls[kind == CALL_INIT ? WORLD_INIT : WORLD_FINALIZE][rank];
    if (kind == CALL_INIT && of->any) return;
    *of = (struct world_call){call->enter_ps, call->exit_ps, location, true};
}

static enum status add_call(struct activity_log *log, const struct intervals *intervals, uint32_t rank, size_t index,
                            struct err *err)
{
    const struct trace_call *call = &log->trace->ranks[rank].calls[index];
    struct call_log_row made = {.enter_ps = call->enter_ps, .exit_ps = call->exit_ps};
    uint32_t thread = trace_call_thread(log->trace, rank, index), location = log->locations->first[rank] + thread;
    struct location_log *of = &log->of[location];
    uint32_t before = of->interval.node;
    enum mpi_call as;
    TRY(request_makers_look(&log->request_makers[rank], log->trace, call, &as, err));
    cursor_go_to(&of->path, thread, index);
    cursor_go_to(&of->interval, thread, index);
    struct kind kind = {
        .of = {.node = of->path.node, .site = call->site, .activity = call->call},
        .gap_interval = of->interval.node != before ? interval_behind(intervals, before) : before,
        .interval = of->interval.node,
        .as = as,
    };
    TRY(number_of(log, &kind, &made.kind, err));
    TRY(add_times(log, rank, location, &made, err));
    note_world_call(log, rank, location, call);
    TRY(call_log_add(log->call_log, location, &made, err));
    if (call_kind(call->call) == CALL_THREAD_CREATE && call->primitive.child < trace_thread_count(log->trace, rank))
        log->of[log->locations->first[rank] + call->primitive.child].creator = location;
    return add_message(log, rank, location, call, err);
}

enum status activity_log_add_calls(struct activity_log *log, const struct callpaths *paths,
                                   const struct intervals *intervals, struct err *err)
{
    log->begin_ps = trace_begin_ps(log->trace);
    for (uint32_t r = 0; r < log->trace->rank_count; r++) {
        const struct trace_rank *process = &log->trace->ranks[r];
        start_cursors(log, paths, intervals, r);
        for (size_t i = process->kept_count; i < process->count; i++) TRY(add_call(log, intervals, r, i, err));
    }
    return STATUS_OK;
}

enum status activity_log_add_waits(struct activity_log *log, const struct waits *waits, struct err *err)
{
    for (size_t i = 0; i < waits->count; i++) {
        const struct wait *wait = &waits->items[i];
        struct wait_log_row made = {.from_ps = wait->from_ps,
                                    .until_ps = wait->until_ps,
                                    .location = log->locations->first[wait->rank] + wait->thread,
                                    .cause = log->locations->first[wait->cause_rank] + wait->cause_thread,
                                    .pattern = wait->pattern,
                                    .doubt = wait->doubt,
                                    .flags = wait->counted ? WAIT_LOG_COUNTED : 0};
        if (made.from_ps >= made.until_ps) continue;
        TRY(external_sort_add(log->wait_log, &made, err));
    }
    return STATUS_OK;
}

/* MPI_Init and MPI_Finalize are collective over all processes (MPI-3.1 8.7). They have no wait state. But where no rank left
 * before the last one came, the critical path was on that one. */
static enum status add_world_waits(struct activity_log *log, const struct world_call *of, struct err *err)
{
    const uint32_t ranks = log->trace->rank_count;
    const struct world_call *last = of;
    int64_t first_exit_ps = INT64_MAX;
    for (uint32_t r = 0; r < ranks; r++) {
        if (!of[r].any) return STATUS_OK;
        if (of[r].enter_ps > last->enter_ps) last = &of[r];
        first_exit_ps = units_min_ps(first_exit_ps, of[r].exit_ps);
    }
    for (uint32_t r = 0; r < ranks && first_exit_ps >= last->enter_ps; r++) {
        const struct wait_log_row made = {
            .from_ps = of[r].enter_ps, .until_ps = last->enter_ps, .location = of[r].location, .cause = last->location};
        if (made.from_ps < made.until_ps) TRY(external_sort_add(log->wait_log, &made, err));
    }
    return STATUS_OK;
}

/* Puts the locations of each processor into a ring. */
static void link_locations(const struct processors *processors, struct backward_location *locations, uint32_t count,
                           uint32_t *last)
{
    for (uint32_t p = 0; p < processors->count; p++) last[p] = BACKWARD_NOBODY;
    for (uint32_t l = 0; l < count; l++) {
        uint32_t *before = &last[processors->of[l]];
        locations[l].next = l;
        if (*before != BACKWARD_NOBODY) {
            locations[l].next = locations[*before].next;
            locations[*before].next = l;
        }
        *before = l;
    }
}

/* Describes a rank's threads for the backward replay. */
static enum status describe_locations(struct activity_log *log, uint32_t rank, struct backward_location *locations,
                                  struct thread_life *lives, int64_t *end_ps, struct err *err)
{
    for (uint32_t l = log->locations->first[rank]; l < log->locations->first[rank + 1]; l++) {
        const struct location_log *of = &log->of[l];
        lives[l] = of->life;
        end_ps[l] = of->life.any ? of->life.end_ps : INT64_MIN;
        locations[l] = (struct backward_location){.starts_late = l > log->locations->first[rank],
                                          .creator = of->life.any ? of->creator : BACKWARD_NOBODY,
                                          .first_ps = of->life.begin_ps};
        struct wait_log_row first = {
            .from_ps = of->life.begin_ps, .until_ps = of->life.begin_ps, .location = l, .flags = WAIT_LOG_FIRST};
        if (locations[l].creator != BACKWARD_NOBODY) TRY(external_sort_add(log->wait_log, &first, err));
        TRY(write_busy(log, l, err));
    }
    return STATUS_OK;
}

static enum status sum_back(struct activity_log *log, const struct provisional *provisional, struct backward_location *locations,
                            struct thread_life *lives, int64_t *end_ps, struct critical_path *path, struct err *err)
{
    struct backward_replay replay = {.location_count = log->locations->count,
                                     .locations = locations,
                                     .call_log = log->call_log,
                                     .wait_log = log->wait_log,
                                     .refuted = provisional->refuted,
                                     .path = path,
                                     .begin_ps = trace_begin_ps(log->trace),
                                     .end_ps = end_ps};
    for (int i = 0; i < WORLD_CALLS; i++) TRY(add_world_waits(log, log->world_calls[i], err));
    for (uint32_t r = 0; r < log->trace->rank_count; r++) TRY(describe_locations(log, r, locations, lives, end_ps, err));
    TRY(processors_build(log->trace->rank_count, log->locations, lives, &log->processors, err));
    uint32_t *last = malloc(((size_t)log->processors.count + 1) * sizeof *last);
    if (!last) return err_memory(err);
    link_locations(&log->processors, locations, log->locations->count, last);
    free(last);
    return backward_replay_run(&replay, &log->sums, &log->waited_ps, err);
}

enum status activity_log_sum(struct activity_log *log, const struct provisional *provisional, struct critical_path *path,
                             struct err *err)
{
    size_t count = (size_t)log->locations->count + 1;
    struct backward_location *locations = malloc(count * sizeof *locations);
    struct thread_life *lives = malloc(count * sizeof *lives);
    int64_t *ends_ps = malloc(count * sizeof *ends_ps);
    enum status status =
        locations && lives && ends_ps ? sum_back(log, provisional, locations, lives, ends_ps, path, err) : err_memory(err);
    FREE_ALL(locations, lives, ends_ps);
    return status;
}

const struct processors *activity_log_processors(const struct activity_log *log)
{
    return &log->processors;
}

wide_ps activity_log_waited_ps(const struct activity_log *log)
{
    return log->waited_ps;
}

static enum status report_kind(const struct kind *kind, struct rank_sum sum, wide_ps call_ps, wide_ps gap_ps,
                               struct time_profile *profile, struct err *err)
{
    const struct time_activity computing = {kind->of.node, TRACE_NO_SITE, ACTIVITY_COMPUTING};
    sum.ps = call_ps;
    TRY(time_profile_add(profile, &kind->of, &sum, err));
    sum.ps = gap_ps;
    return time_profile_add(profile, &computing, &sum, err);
}

static enum status report_location(struct activity_log *log, uint32_t rank, uint32_t location, struct time_profile *causes,
                               struct time_profile *path, struct err *err)
{
    const struct rank_sum sum = {.rank = rank, .thread = location - log->locations->first[rank]};
    for (size_t k = 0; k < log->sums[location].count && k < log->kind_count; k++) {
        const struct backward_sums *sums = &log->sums[location].kinds[k];
        TRY(report_kind(&log->kinds[k], sum, sums->cause_ps[BACKWARD_CALL], sums->cause_ps[BACKWARD_GAP], causes, err));
        TRY(report_kind(&log->kinds[k], sum, sums->path_ps[BACKWARD_CALL], sums->path_ps[BACKWARD_GAP], path, err));
    }
    return STATUS_OK;
}

double activity_log_path_s(const struct activity_log *log, uint32_t rank)
{
    wide_ps path_ps = 0;
    for (uint32_t l = log->locations->first[rank]; l < log->locations->first[rank + 1]; l++)
        for (size_t k = 0; k < log->sums[l].count && k < log->kind_count; k++)
            for (int part = 0; part < BACKWARD_PARTS; part++) path_ps += log->sums[l].kinds[k].path_ps[part];
    return wide_s(path_ps);
}

enum status activity_log_report_causes(struct activity_log *log, struct time_profile *causes, struct time_profile *path,
                                       struct err *err)
{
    for (uint32_t r = 0; r < log->trace->rank_count; r++)
        for (uint32_t l = log->locations->first[r]; l < log->locations->first[r + 1]; l++)
            TRY(report_location(log, r, l, causes, path, err));
    return STATUS_OK;
}

/* The kind before all calls has no row. */
bool activity_log_next_row(const struct activity_log *log, struct activity_log_row *row)
{
    const struct backward_sums none = {{0}, {0}, {0}};
    for (; row->location < log->locations->count; row->location++, row->kind = BACKWARD_BEGIN_KIND) {
        const struct location_log *of = &log->of[row->location];
        for (row->kind++; row->kind < of->count; row->kind++) {
            const struct kind_times *times = &of->kinds[row->kind];
            const struct backward_location_sums *sums_of_location = &log->sums[row->location];
            const struct backward_sums *sums =
                row->kind < sums_of_location->count ? &sums_of_location->kinds[row->kind] : &none;
            if (times->calls == 0) continue;
            row->call = (enum mpi_call)log->kinds[row->kind].of.activity;
            row->as = (enum mpi_call)log->kinds[row->kind].as;
            row->gap_interval = log->kinds[row->kind].gap_interval;
            row->interval = log->kinds[row->kind].interval;
            row->call_ps = times->call_ps;
            row->gap_ps = times->gap_ps;
            row->call_busy_ps = sums->busy_ps[BACKWARD_CALL];
            row->gap_busy_ps = sums->busy_ps[BACKWARD_GAP];
            return true;
        }
    }
    return false;
}
