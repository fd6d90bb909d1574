#include "model/causes/activity_log.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/match/collective_requests.h"
#include "model/causes/backward_replay.h"

struct kind { /* what calls can have in common */
    struct share_of of;
    uint32_t gap_interval, interval; /* of computing before it, and of it */
    uint32_t as;                     /* enum mpi_call: whose time it is (model/match/collective_requests.h) */
};

struct kind_times {          /* of one rank */
    int64_t call_ps, gap_ps; /* in calls of the kind, and before them */
    uint64_t calls;
};

struct rank_ledger {
    int64_t from_ps, until_ps; /* transfers are under way, not written yet; empty: none */
    struct map requests;       /* of messages: to the enter of the call that made them */
    struct map collectives;    /* model/match/collective_requests.h */
    int64_t exit_ps;           /* of the last call added, INT64_MIN: none was */
    struct kind_times *kinds;
    size_t count, capacity; /* of these */
};

struct ledger {
    const struct trace *trace;
    struct scratch scratch;
    struct spill *spill;
    struct marks *marks;
    struct rank_ledger *ranks;
    struct kind *kinds;
    size_t kind_count, kind_capacity;
    uint32_t *table;   /* open addressing: number of a kind, 0: free */
    size_t table_size; /* a power of two */
    struct sweep_rank_sums *sums;
    bool tells;
    wide_ps waited_ps; /* that root causes are shares of */
    struct bytes told; /* waits that other parts are to be told of */
};

void ledger_free(struct ledger *ledger)
{
    if (!ledger) return;
    for (uint32_t r = 0; ledger->ranks && r < ledger->trace->rank_count; r++) {
        map_clear(&ledger->ranks[r].requests);
        map_clear(&ledger->ranks[r].collectives);
        free(ledger->ranks[r].kinds);
    }
    sweep_sums_free(ledger->sums, ledger->trace->rank_count);
    spill_free(ledger->spill);
    marks_free(ledger->marks);
    scratch_close(&ledger->scratch);
    free(ledger->ranks);
    bytes_clear(&ledger->told);
    free(ledger->kinds);
    free(ledger->table);
    free(ledger);
}

static enum status start(struct ledger *ledger, struct err *err)
{
    enum { FIRST_TABLE = 1 << 10 };
    const struct kind begin = {.of = {CALLPATH_ROOT, TRACE_NO_SITE, SHARE_COMPUTING}};
    _Static_assert(SWEEP_BEGIN_KIND == 0, "the first kind is that before all calls");
    TRY(scratch_open(&ledger->scratch, err));
    TRY(spill_new(ledger->trace->rank_count, &ledger->scratch, &ledger->spill, err));
    TRY(marks_new(&ledger->scratch, &ledger->marks, err));
    ledger->ranks = calloc((size_t)ledger->trace->rank_count + 1, sizeof *ledger->ranks);
    ledger->table = calloc(FIRST_TABLE, sizeof *ledger->table);
    ledger->table_size = FIRST_TABLE;
    if (!ledger->ranks || !ledger->table) return err_memory(err);
    for (uint32_t r = 0; r < ledger->trace->rank_count; r++) ledger->ranks[r].exit_ps = INT64_MIN;
    ARRAY_PUSH(ledger->kinds, ledger->kind_count, ledger->kind_capacity, begin, err);
    return STATUS_OK;
}

enum status ledger_new(const struct trace *trace, struct ledger **ledger, struct err *err)
{
    struct ledger *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->trace = trace;
    made->scratch.descriptor = -1;
    enum status status = start(made, err);
    if (status == STATUS_OK)
        *ledger = made;
    else
        ledger_free(made);
    return status;
}

static size_t place_of(const struct ledger *ledger, const struct kind *kind)
{
    size_t last = ledger->table_size - 1;
    size_t i =
        (size_t)map_mix((uint64_t)kind->of.node << 32 | kind->of.site,
                        (uint64_t)kind->gap_interval << 40 ^ (uint64_t)kind->interval << 16 ^ kind->of.activity) &
        last;
    while (ledger->table[i] != 0 && memcmp(&ledger->kinds[ledger->table[i]], kind, sizeof *kind) != 0)
        i = (i + 1) & last;
    return i;
}

static enum status grow_table(struct ledger *ledger, struct err *err)
{
    uint32_t *bigger = calloc(2 * ledger->table_size, sizeof *bigger);
    if (!bigger) return err_memory(err);
    free(ledger->table);
    ledger->table = bigger;
    ledger->table_size *= 2;
    for (size_t k = 1; k < ledger->kind_count; k++) ledger->table[place_of(ledger, &ledger->kinds[k])] = (uint32_t)k;
    return STATUS_OK;
}

static enum status number_of(struct ledger *ledger, const struct kind *kind, uint32_t *number, struct err *err)
{
    uint32_t *place = &ledger->table[place_of(ledger, kind)];
    if (*place == 0) {
        if (2 * ledger->kind_count >= ledger->table_size) TRY(grow_table(ledger, err));
        place = &ledger->table[place_of(ledger, kind)];
        *place = (uint32_t)ledger->kind_count;
        ARRAY_PUSH(ledger->kinds, ledger->kind_count, ledger->kind_capacity, *kind, err);
    }
    *number = *place;
    return STATUS_OK;
}

static enum status write_busy(struct ledger *ledger, uint32_t rank, struct err *err)
{
    const struct rank_ledger *of = &ledger->ranks[rank];
    struct mark made = {.from_ps = of->from_ps, .until_ps = of->until_ps, .rank = rank, .flags = MARK_BUSY};
    return made.from_ps < made.until_ps ? marks_add(ledger->marks, &made, err) : STATUS_OK;
}

/* Intervals that meet the one added before become one with it. */
static enum status add_busy(struct ledger *ledger, uint32_t rank, int64_t from_ps, int64_t until_ps, struct err *err)
{
    struct rank_ledger *of = &ledger->ranks[rank];
    if (from_ps >= until_ps) return STATUS_OK;
    if (from_ps > of->until_ps || until_ps < of->from_ps) {
        TRY(write_busy(ledger, rank, err));
        of->from_ps = from_ps;
        of->until_ps = until_ps;
    }
    if (from_ps < of->from_ps) of->from_ps = from_ps;
    if (until_ps > of->until_ps) of->until_ps = until_ps;
    return STATUS_OK;
}

enum status ledger_add_transfers(struct ledger *ledger, const struct transfers *transfers, struct err *err)
{
    for (size_t i = 0; i < transfers->count; i++) {
        const struct transfer *transfer = &transfers->items[i];
        int64_t true_ps = transfer_true_end_ps(ledger->trace, transfer);
        TRY(add_busy(ledger, transfer->origin, transfer->start_ps,
                     true_ps != TRACE_UNKNOWN_PS ? true_ps : transfer->upper_end_ps, err));
    }
    return STATUS_OK;
}

static enum status end_requests(struct ledger *ledger, uint32_t rank, const struct trace_call *call,
                                const uint32_t *ids, uint32_t count, struct err *err)
{
    struct map *requests = &ledger->ranks[rank].requests;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *began = map_find(requests, ids[i]);
        if (!began) continue;
        TRY(add_busy(ledger, rank, (int64_t)*began, call->exit_ps, err));
        map_remove(requests, ids[i]);
    }
    return STATUS_OK;
}

/* A non-blocking message is under way from its call to the wait that ends it. */
static enum status add_message(struct ledger *ledger, uint32_t rank, const struct trace_call *call, struct err *err)
{
    const struct trace *trace = ledger->trace;
    uint64_t *slot;
    switch (call_kind(call->call)) {
    case CALL_ISEND:
    case CALL_IRECV: return map_put(&ledger->ranks[rank].requests, call->ref, (uint64_t)call->enter_ps, &slot, err);
    case CALL_REQUEST_TEST:
        if (!(call->flags & TRACE_FLAG)) return STATUS_OK;
        /* fallthrough */
    case CALL_REQUEST_WAIT: return end_requests(ledger, rank, call, &call->ref, 1, err);
    case CALL_REQUEST_WAITALL:
    case CALL_REQUEST_TESTALL:
        return end_requests(ledger, rank, call, trace->requests + trace->lists[call->ref].first,
                            trace->lists[call->ref].count, err);
    default: return STATUS_OK;
    }
}

static enum status add_times(struct ledger *ledger, uint32_t rank, const struct spill_call *call, struct err *err)
{
    struct rank_ledger *of = &ledger->ranks[rank];
    if (call->kind >= of->count) {
        TRY(array_reserve((void **)&of->kinds, &of->capacity, (size_t)call->kind + 1, sizeof *of->kinds, err));
        memset(of->kinds + of->count, 0, (of->capacity - of->count) * sizeof *of->kinds);
        of->count = of->capacity;
    }
    int64_t before_ps = of->exit_ps != INT64_MIN ? of->exit_ps : trace_begin_ps(ledger->trace);
    of->kinds[call->kind].call_ps += call->exit_ps - call->enter_ps;
    of->kinds[call->kind].gap_ps += call->enter_ps - before_ps;
    of->kinds[call->kind].calls++;
    of->exit_ps = call->exit_ps;
    return STATUS_OK;
}

/* Where a rank is in one of the trees while its calls are walked. */
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

static enum status add_calls_of(struct ledger *ledger, const struct callpaths *paths, const struct intervals *intervals,
                                uint32_t rank, struct err *err)
{
    const struct trace_rank *stream = &ledger->trace->ranks[rank];
    struct cursor path = cursor_at(paths->changes, paths->rank_first, rank, CALLPATH_ROOT);
    struct cursor interval = {0};
    if (intervals) interval = cursor_at(intervals->changes, intervals->rank_first, rank, intervals->began[rank]);
    for (size_t i = stream->kept_count; i < stream->count; i++) {
        const struct trace_call *call = &stream->calls[i];
        struct spill_call made = {.enter_ps = call->enter_ps, .exit_ps = call->exit_ps};
        uint32_t before = interval.node;
        enum mpi_call as;
        TRY(collective_requests_look(&ledger->ranks[rank].collectives, ledger->trace, call, &as, err));
        cursor_go_to(&path, i);
        cursor_go_to(&interval, i);
        struct kind kind = {
            .of = {.node = path.node, .site = call->site, .activity = call->call},
            .gap_interval = interval.node != before ? interval_behind(intervals, before) : before,
            .interval = interval.node,
            .as = as,
        };
        TRY(number_of(ledger, &kind, &made.kind, err));
        TRY(add_times(ledger, rank, &made, err));
        TRY(spill_add(ledger->spill, rank, &made, err));
        TRY(add_message(ledger, rank, call, err));
    }
    return STATUS_OK;
}

enum status ledger_add_calls(struct ledger *ledger, const struct callpaths *paths, const struct intervals *intervals,
                             struct err *err)
{
    for (uint32_t r = 0; r < ledger->trace->rank_count; r++) TRY(add_calls_of(ledger, paths, intervals, r, err));
    return STATUS_OK;
}

enum status ledger_add_waits(struct ledger *ledger, const struct waits *waits, struct err *err)
{
    for (size_t i = 0; i < waits->count; i++) {
        const struct wait *wait = &waits->items[i];
        struct mark made = {.from_ps = wait->from_ps,
                            .until_ps = wait->until_ps,
                            .rank = wait->rank,
                            .cause = wait->cause_rank,
                            .pattern = wait->pattern,
                            .flags = wait->counted ? MARK_COUNTED : 0};
        if (wait->pattern == PATTERN_WAIT_FOR_PROGRESS)
            made.function = (uint16_t)(trace_function(ledger->trace, wait->rank, wait->call) + 1);
        if (made.from_ps >= made.until_ps) continue;
        if (ledger->tells) TRY(bytes_put(&ledger->told, &made, sizeof made, err));
        TRY(ledger_add_mark(ledger, &made, err));
    }
    return STATUS_OK;
}

void ledger_tell(struct ledger *ledger)
{
    ledger->tells = true;
}

struct bytes *ledger_told(struct ledger *ledger)
{
    return &ledger->told;
}

enum status ledger_add_mark(struct ledger *ledger, const struct mark *mark, struct err *err)
{
    return marks_add(ledger->marks, mark, err);
}

enum status ledger_sum(struct ledger *ledger, const struct provisional *provisional, const int64_t *end_ps,
                       struct err *err)
{
    for (uint32_t r = 0; r < ledger->trace->rank_count; r++) TRY(write_busy(ledger, r, err));
    struct sweep sweep = {.trace = ledger->trace,
                          .rank_count = ledger->trace->rank_count,
                          .spill = ledger->spill,
                          .marks = ledger->marks,
                          .refuted = provisional->refuted,
                          .begin_ps = trace_begin_ps(ledger->trace),
                          .end_ps = end_ps};
    return sweep_run(&sweep, &ledger->sums, &ledger->waited_ps, err);
}

wide_ps ledger_waited_ps(const struct ledger *ledger)
{
    return ledger->waited_ps;
}

static enum status report(const struct kind *kind, uint32_t rank, wide_ps call_ps, wide_ps gap_ps,
                          struct shares *shares, struct err *err)
{
    const struct share_of computing = {kind->of.node, TRACE_NO_SITE, SHARE_COMPUTING};
    TRY(shares_add(shares, &kind->of, rank, 0, call_ps, err));
    return shares_add(shares, &computing, rank, 0, gap_ps, err);
}

enum status ledger_report_causes(struct ledger *ledger, struct shares *causes, struct shares *path, struct err *err)
{
    for (uint32_t r = 0; r < ledger->trace->rank_count; r++)
        for (size_t k = 0; k < ledger->sums[r].count && k < ledger->kind_count; k++) {
            const struct sweep_sums *sums = &ledger->sums[r].kinds[k];
            TRY(report(&ledger->kinds[k], r, sums->cause_ps[SWEEP_CALL], sums->cause_ps[SWEEP_GAP], causes, err));
            TRY(report(&ledger->kinds[k], r, sums->path_ps[SWEEP_CALL], sums->path_ps[SWEEP_GAP], path, err));
        }
    return STATUS_OK;
}

/* The kind before all calls has no row. */
bool ledger_next_row(const struct ledger *ledger, struct ledger_row *row)
{
    const struct sweep_sums none = {{0}, {0}, {0}};
    for (; row->rank < ledger->trace->rank_count; row->rank++, row->kind = SWEEP_BEGIN_KIND) {
        const struct rank_ledger *of = &ledger->ranks[row->rank];
        for (row->kind++; row->kind < of->count; row->kind++) {
            const struct kind_times *times = &of->kinds[row->kind];
            const struct sweep_rank_sums *swept = &ledger->sums[row->rank];
            const struct sweep_sums *sums = row->kind < swept->count ? &swept->kinds[row->kind] : &none;
            if (times->calls == 0) continue;
            row->call = (enum mpi_call)ledger->kinds[row->kind].of.activity;
            row->as = (enum mpi_call)ledger->kinds[row->kind].as;
            row->gap_interval = ledger->kinds[row->kind].gap_interval;
            row->interval = ledger->kinds[row->kind].interval;
            row->call_ps = times->call_ps;
            row->gap_ps = times->gap_ps;
            row->call_busy_ps = sums->busy_ps[SWEEP_CALL];
            row->gap_busy_ps = sums->busy_ps[SWEEP_GAP];
            return true;
        }
    }
    return false;
}
