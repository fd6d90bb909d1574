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

struct kind_times {          /* of one rank */
    int64_t call_ps, gap_ps; /* time in calls of the kind, and before them */
    uint64_t calls;
};

struct rank_log {
    int64_t from_ps, until_ps; /* time with transfers in progress that is not written yet; empty: none */
    struct map requests;       /* of messages: to the enter of the call that made them */
    struct map request_makers; /* model/match/request_makers.h */
    int64_t exit_ps;           /* of the last call added, INT64_MIN: none was */
    struct kind_times *kinds;
    size_t count, capacity; /* of these */
};

struct activity_log {
    const struct trace *trace;
    struct temp_file temp;
    struct call_log *call_log;
    struct wait_log *wait_log;
    struct rank_log *ranks;
    struct kind *kinds;
    size_t kind_count, kind_capacity;
    uint32_t *table;   /* open addressing: number of a kind, 0: free */
    size_t table_size; /* a power of two */
    struct backward_rank_sums *sums;
    bool keeps_new;
    wide_ps waited_ps;      /* time that root causes are shares of */
    struct bytes new_waits; /* to be sent to the other shards */
};

void activity_log_free(struct activity_log *log)
{
    if (!log) return;
    for (uint32_t r = 0; log->ranks && r < log->trace->rank_count; r++) {
        map_clear(&log->ranks[r].requests);
        map_clear(&log->ranks[r].request_makers);
        free(log->ranks[r].kinds);
    }
    backward_sums_free(log->sums, log->trace->rank_count);
    call_log_free(log->call_log);
    wait_log_free(log->wait_log);
    temp_file_close(&log->temp);
    free(log->ranks);
    bytes_clear(&log->new_waits);
    free(log->kinds);
    free(log->table);
    free(log);
}

static enum status open_logs(struct activity_log *log, struct err *err)
{
    enum { FIRST_TABLE = 1 << 10 };
    const struct kind begin = {.of = {CALLPATH_ROOT, TRACE_NO_SITE, ACTIVITY_COMPUTING}};
    _Static_assert(BACKWARD_BEGIN_KIND == 0, "the first kind is that before all calls");
    TRY(temp_file_open(&log->temp, err));
    TRY(call_log_new(log->trace->rank_count, &log->temp, &log->call_log, err));
    TRY(wait_log_new(&log->temp, &log->wait_log, err));
    log->ranks = calloc((size_t)log->trace->rank_count + 1, sizeof *log->ranks);
    log->table = calloc(FIRST_TABLE, sizeof *log->table);
    log->table_size = FIRST_TABLE;
    if (!log->ranks || !log->table) return err_memory(err);
    for (uint32_t r = 0; r < log->trace->rank_count; r++) log->ranks[r].exit_ps = INT64_MIN;
    ARRAY_PUSH(log->kinds, log->kind_count, log->kind_capacity, begin, err);
    return STATUS_OK;
}

enum status activity_log_new(const struct trace *trace, struct activity_log **log, struct err *err)
{
    struct activity_log *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->trace = trace;
    made->temp.descriptor = -1;
    enum status status = open_logs(made, err);
    if (status == STATUS_OK)
        *log = made;
    else
        activity_log_free(made);
    return status;
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

static enum status write_busy(struct activity_log *log, uint32_t rank, struct err *err)
{
    const struct rank_log *of = &log->ranks[rank];
    struct wait_log_row made = {.from_ps = of->from_ps, .until_ps = of->until_ps, .rank = rank, .flags = WAIT_LOG_BUSY};
    return made.from_ps < made.until_ps ? wait_log_add(log->wait_log, &made, err) : STATUS_OK;
}

/* Joins an interval with the one added before if they touch or overlap. */
static enum status add_busy(struct activity_log *log, uint32_t rank, int64_t from_ps, int64_t until_ps, struct err *err)
{
    struct rank_log *of = &log->ranks[rank];
    if (from_ps >= until_ps) return STATUS_OK;
    if (from_ps > of->until_ps || until_ps < of->from_ps) {
        TRY(write_busy(log, rank, err));
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
        TRY(add_busy(log, transfer->origin, transfer->start_ps,
                     true_ps != TRACE_UNKNOWN_PS ? true_ps : transfer->upper_end_ps, err));
    }
    return STATUS_OK;
}

static enum status end_requests(struct activity_log *log, uint32_t rank, const struct trace_call *call,
                                const uint32_t *ids, uint32_t count, struct err *err)
{
    struct map *requests = &log->ranks[rank].requests;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *began = map_find(requests, ids[i]);
        if (!began) continue;
        TRY(add_busy(log, rank, (int64_t)*began, call->exit_ps, err));
        map_remove(requests, ids[i]);
    }
    return STATUS_OK;
}

/* A non-blocking message is in progress from its call to the wait that completes it. */
static enum status add_message(struct activity_log *log, uint32_t rank, const struct trace_call *call, struct err *err)
{
    enum call_kind kind = call_kind(call->call);
    uint32_t count;
    uint64_t *slot;
    if (kind == CALL_ISEND || kind == CALL_IRECV)
        return map_put(&log->ranks[rank].requests, call->ref, (uint64_t)call->enter_ps, &slot, err);
    const uint32_t *ids = trace_call_completed(log->trace, call, &count);
    return count > 0 ? end_requests(log, rank, call, ids, count, err) : STATUS_OK;
}

static enum status add_times(struct activity_log *log, uint32_t rank, const struct call_log_row *call, struct err *err)
{
    struct rank_log *of = &log->ranks[rank];
    if (call->kind >= of->count) {
        TRY(array_reserve((void **)&of->kinds, &of->capacity, (size_t)call->kind + 1, sizeof *of->kinds, err));
        memset(of->kinds + of->count, 0, (of->capacity - of->count) * sizeof *of->kinds);
        of->count = of->capacity;
    }
    int64_t before_ps = of->exit_ps != INT64_MIN ? of->exit_ps : trace_begin_ps(log->trace);
    of->kinds[call->kind].call_ps += call->exit_ps - call->enter_ps;
    of->kinds[call->kind].gap_ps += call->enter_ps - before_ps;
    of->kinds[call->kind].calls++;
    of->exit_ps = call->exit_ps;
    return STATUS_OK;
}

/* The position of a rank in one of the trees while its calls are walked. */
struct cursor {
    const struct change *next, *end;
    uint32_t node;
};

static struct cursor cursor_at(const struct change *changes, const size_t *rank_first, uint32_t rank, uint32_t node)
{
    return (struct cursor){changes + rank_first[rank], changes + rank_first[rank + 1], node};
}

static void cursor_go_to(struct cursor *cursor, size_t call)
{
    for (; cursor->next < cursor->end && cursor->next->call <= call; cursor->next++) cursor->node = cursor->next->node;
}

static enum status add_calls_of(struct activity_log *log, const struct callpaths *paths,
                                const struct intervals *intervals, uint32_t rank, struct err *err)
{
    const struct trace_rank *process = &log->trace->ranks[rank];
    struct cursor path = cursor_at(paths->changes, paths->rank_first, rank, CALLPATH_ROOT);
    struct cursor interval = {0};
    if (intervals) interval = cursor_at(intervals->changes, intervals->rank_first, rank, intervals->began[rank]);
    for (size_t i = process->kept_count; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        struct call_log_row made = {.enter_ps = call->enter_ps, .exit_ps = call->exit_ps};
        uint32_t before = interval.node;
        enum mpi_call as;
        TRY(request_makers_look(&log->ranks[rank].request_makers, log->trace, call, &as, err));
        cursor_go_to(&path, i);
        cursor_go_to(&interval, i);
        struct kind kind = {
            .of = {.node = path.node, .site = call->site, .activity = call->call},
            .gap_interval = interval.node != before ? interval_behind(intervals, before) : before,
            .interval = interval.node,
            .as = as,
        };
        TRY(number_of(log, &kind, &made.kind, err));
        TRY(add_times(log, rank, &made, err));
        TRY(call_log_add(log->call_log, rank, &made, err));
        TRY(add_message(log, rank, call, err));
    }
    return STATUS_OK;
}

enum status activity_log_add_calls(struct activity_log *log, const struct callpaths *paths,
                                   const struct intervals *intervals, struct err *err)
{
    for (uint32_t r = 0; r < log->trace->rank_count; r++) TRY(add_calls_of(log, paths, intervals, r, err));
    return STATUS_OK;
}

enum status activity_log_add_waits(struct activity_log *log, const struct waits *waits, struct err *err)
{
    for (size_t i = 0; i < waits->count; i++) {
        const struct wait *wait = &waits->items[i];
        struct wait_log_row made = {.from_ps = wait->from_ps,
                                    .until_ps = wait->until_ps,
                                    .rank = wait->rank,
                                    .cause = wait->cause_rank,
                                    .pattern = wait->pattern,
                                    .doubt = wait->doubt,
                                    .flags = wait->counted ? WAIT_LOG_COUNTED : 0};
        if (made.from_ps >= made.until_ps) continue;
        if (log->keeps_new) TRY(bytes_put(&log->new_waits, &made, sizeof made, err));
        TRY(activity_log_add_wait(log, &made, err));
    }
    return STATUS_OK;
}

void activity_log_keep_new_waits(struct activity_log *log)
{
    log->keeps_new = true;
}

struct bytes *activity_log_new_waits(struct activity_log *log)
{
    return &log->new_waits;
}

enum status activity_log_add_wait(struct activity_log *log, const struct wait_log_row *row, struct err *err)
{
    return wait_log_add(log->wait_log, row, err);
}

enum status activity_log_sum(struct activity_log *log, const struct provisional *provisional, const int64_t *end_ps,
                             struct err *err)
{
    for (uint32_t r = 0; r < log->trace->rank_count; r++) TRY(write_busy(log, r, err));
    struct backward_replay replay = {.trace = log->trace,
                                     .rank_count = log->trace->rank_count,
                                     .call_log = log->call_log,
                                     .wait_log = log->wait_log,
                                     .refuted = provisional->refuted,
                                     .begin_ps = trace_begin_ps(log->trace),
                                     .end_ps = end_ps};
    return backward_replay_run(&replay, &log->sums, &log->waited_ps, err);
}

wide_ps activity_log_waited_ps(const struct activity_log *log)
{
    return log->waited_ps;
}

static enum status report_kind(const struct kind *kind, uint32_t rank, wide_ps call_ps, wide_ps gap_ps,
                               struct time_profile *profile, struct err *err)
{
    const struct time_activity computing = {kind->of.node, TRACE_NO_SITE, ACTIVITY_COMPUTING};
    TRY(time_profile_add(profile, &kind->of, &(struct rank_sum){.rank = rank, .ps = call_ps}, err));
    return time_profile_add(profile, &computing, &(struct rank_sum){.rank = rank, .ps = gap_ps}, err);
}

enum status activity_log_report_causes(struct activity_log *log, struct time_profile *causes, struct time_profile *path,
                                       struct err *err)
{
    for (uint32_t r = 0; r < log->trace->rank_count; r++)
        for (size_t k = 0; k < log->sums[r].count && k < log->kind_count; k++) {
            const struct backward_sums *sums = &log->sums[r].kinds[k];
            TRY(report_kind(&log->kinds[k], r, sums->cause_ps[BACKWARD_CALL], sums->cause_ps[BACKWARD_GAP], causes,
                            err));
            TRY(report_kind(&log->kinds[k], r, sums->path_ps[BACKWARD_CALL], sums->path_ps[BACKWARD_GAP], path, err));
        }
    return STATUS_OK;
}

/* The kind before all calls has no row. */
bool activity_log_next_row(const struct activity_log *log, struct activity_log_row *row)
{
    const struct backward_sums none = {{0}, {0}, {0}};
    for (; row->rank < log->trace->rank_count; row->rank++, row->kind = BACKWARD_BEGIN_KIND) {
        const struct rank_log *of = &log->ranks[row->rank];
        for (row->kind++; row->kind < of->count; row->kind++) {
            const struct kind_times *times = &of->kinds[row->kind];
            const struct backward_rank_sums *sums_of_rank = &log->sums[row->rank];
            const struct backward_sums *sums =
                row->kind < sums_of_rank->count ? &sums_of_rank->kinds[row->kind] : &none;
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
