#include "model/causes/backward_replay.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/heap.h"
#include "common/units.h"

static const uint32_t NOBODY = BACKWARD_NOBODY;

struct location {
    int64_t at_ps; /* its sums cover the time after this */
    struct call_log_row call;
    bool any;           /* call is valid: the last one that begins or ends before at_ps */
    uint32_t next_kind; /* of the call after it */
    int64_t busy_ps;    /* transfers are in progress from here to at_ps; at_ps or more: none are */
    uint64_t weight;    /* number of waits that it carries */
    bool on_path;
    /* While it waits. */
    uint32_t cause;   /* NOBODY: it does not wait */
    uint32_t carrier; /* the location that carries its wait, if that is counted */
    bool counted;
    int64_t from_ps;
    uint32_t first_waiter, next_waiter, waiter_before; /* list of the locations that wait for it; its neighbours in such a
                                                          list */
    int64_t ended_ps;                                  /* end of its wait handled last */
    uint32_t ended_cause;
    uint64_t visited; /* the search that visited it last, and its number of hops */
    int hops;
};

struct work {
    const struct backward_replay *replay;
    struct location *locations;
    struct backward_location_sums *sums;
    struct heap heap; /* locations that wait, the one with the latest begin of its wait first */
    uint32_t *waiters;    /* of find_waiters() */
    struct wait_log_row *pending; /* waits of locations whose later wait is still being handled */
    size_t pending_count, pending_capacity;
    uint64_t visit;
    wide_ps waited_ps; /* total time of counted waits whose begin has been passed */
    uint32_t path; /* the location that the critical path is on */
    int64_t path_ps; /* up to where */
    struct err *err;
};

static enum status sums_of(struct work *work, uint32_t location, uint32_t kind, struct backward_sums **sums)
{
    struct backward_location_sums *of = &work->sums[location];
    if (kind >= of->count) {
        TRY(array_reserve((void **)&of->kinds, &of->capacity, (size_t)kind + 1, sizeof *of->kinds, work->err));
        memset(of->kinds + of->count, 0, (of->capacity - of->count) * sizeof *of->kinds);
        of->count = of->capacity;
    }
    *sums = &of->kinds[kind];
    return STATUS_OK;
}

/* Adds the time of one activity of the location, from low_ps to at_ps. */
static enum status add_span(struct work *work, uint32_t location, enum backward_part part, int64_t low_ps)
{
    struct location *at = &work->locations[location];
    struct backward_sums *sums;
    int64_t ps = at->at_ps - low_ps, busy_ps = at->at_ps - units_max_ps(low_ps, at->busy_ps);
    uint32_t kind = at->any ? at->call.kind : BACKWARD_BEGIN_KIND;
    if (at->weight > 0 || at->on_path) {
        TRY(sums_of(work, location, kind, &sums));
        sums->cause_ps[part] += (wide_ps)ps * at->weight;
        if (at->on_path) sums->path_ps[part] += ps;
    }
    if (busy_ps > 0 && (at->any || !work->replay->locations[location].starts_late)) {
        TRY(sums_of(work, location, part == BACKWARD_GAP ? at->next_kind : kind, &sums));
        sums->busy_ps[part] += busy_ps;
    }
    at->at_ps = low_ps;
    return STATUS_OK;
}

/* Moves a location back to a time, before the set of waits that it carries changes. */
static enum status advance_location(struct work *work, uint32_t location, int64_t to_ps)
{
    struct location *at = &work->locations[location];
    while (at->at_ps > to_ps) {
        if (!at->any || at->at_ps > at->call.exit_ps) {
            TRY(add_span(work, location, BACKWARD_GAP, at->any ? units_max_ps(to_ps, at->call.exit_ps) : to_ps));
        } else if (at->at_ps > at->call.enter_ps) {
            TRY(add_span(work, location, BACKWARD_CALL, units_max_ps(to_ps, at->call.enter_ps)));
        } else {
            at->next_kind = at->call.kind;
            TRY(call_log_back(work->replay->call_log, location, &at->call, &at->any, work->err));
        }
    }
    return STATUS_OK;
}

static enum status carry_waits(struct work *work, uint32_t location, int64_t now_ps, int change)
{
    TRY(advance_location(work, location, now_ps));
    work->locations[location].weight += (uint64_t)(int64_t)change;
    return STATUS_OK;
}

static enum status let_go(struct work *work, uint32_t waiter, int64_t now_ps)
{
    return carry_waits(work, work->locations[waiter].carrier, now_ps, -1);
}

static enum status find_carrier(struct work *work, uint32_t waiter, int64_t now_ps)
{
    uint32_t carrier = work->locations[waiter].cause;
    for (int hops = 0; hops < CAUSES_MOST_HOPS && work->locations[carrier].cause != NOBODY; hops++)
        carrier = work->locations[carrier].cause;
    work->locations[waiter].carrier = carrier;
    return carry_waits(work, carrier, now_ps, 1);
}

/* Finds the other locations whose chains of waits lead through this one. Returns their number. */
static size_t find_waiters(struct work *work, uint32_t location)
{
    struct location *locations = work->locations;
    size_t count = 0;
    locations[location].visited = ++work->visit;
    locations[location].hops = 0;
    for (size_t i = 0;; i++) {
        uint32_t of = i == 0 ? location : work->waiters[i - 1];
        uint32_t w = locations[of].hops < CAUSES_MOST_HOPS ? locations[of].first_waiter : NOBODY;
        for (; w != NOBODY; w = locations[w].next_waiter) {
            if (locations[w].visited == work->visit) continue;
            locations[w].visited = work->visit;
            locations[w].hops = locations[of].hops + 1;
            work->waiters[count++] = w;
        }
        if (i == count) return count;
    }
}

static void link_waiter(struct location *locations, uint32_t waiter, uint32_t cause)
{
    uint32_t next = locations[cause].first_waiter;
    locations[waiter].cause = cause;
    locations[waiter].next_waiter = next;
    locations[waiter].waiter_before = NOBODY;
    if (next != NOBODY) locations[next].waiter_before = waiter;
    locations[cause].first_waiter = waiter;
}

static void unlink_waiter(struct location *locations, uint32_t waiter)
{
    uint32_t next = locations[waiter].next_waiter, before = locations[waiter].waiter_before;
    if (next != NOBODY) locations[next].waiter_before = before;
    if (before != NOBODY)
        locations[before].next_waiter = next;
    else
        locations[locations[waiter].cause].first_waiter = next;
    locations[waiter].cause = NOBODY;
}

/* Before now_ps the location waits as mark says; NULL: it does not wait. */
static enum status change_wait(struct work *work, uint32_t location, int64_t now_ps, const struct wait_log_row *row)
{
    struct location *locations = work->locations;
    size_t count = find_waiters(work, location);
    for (size_t i = 0; i < count; i++)
        if (locations[work->waiters[i]].counted) TRY(let_go(work, work->waiters[i], now_ps));
    if (row) {
        link_waiter(locations, location, row->cause);
        locations[location].from_ps = row->from_ps;
        locations[location].counted = row->flags & WAIT_LOG_COUNTED;
        if (locations[location].counted) TRY(find_carrier(work, location, now_ps));
    } else {
        if (locations[location].counted) TRY(let_go(work, location, now_ps));
        unlink_waiter(locations, location);
    }
    for (size_t i = 0; i < count; i++)
        if (locations[work->waiters[i]].counted) TRY(find_carrier(work, work->waiters[i], now_ps));
    return STATUS_OK;
}

static bool begins_later(const void *of, uint32_t one, uint32_t other)
{
    const struct work *work = of;
    return work->locations[one].from_ps > work->locations[other].from_ps;
}

static enum status begin_wait(struct work *work, int64_t now_ps, const struct wait_log_row *row)
{
    struct location *location = &work->locations[row->location];
    TRY(change_wait(work, row->location, now_ps, row));
    heap_push(&work->heap, row->location, begins_later, work);
    location->ended_ps = now_ps;
    location->ended_cause = row->cause;
    return STATUS_OK;
}

/* Takes the pending waits of a location whose wait has begun, up to the first one that includes that time. */
static enum status take_pending(struct work *work, uint32_t location, int64_t now_ps)
{
    size_t left = 0;
    struct wait_log_row taken = {.from_ps = now_ps};
    for (size_t i = 0; i < work->pending_count; i++) {
        const struct wait_log_row *row = &work->pending[i];
        bool passed = row->location == location && taken.from_ps == now_ps;
        if (!passed)
            work->pending[left++] = *row;
        else if (row->from_ps < now_ps)
            taken = *row;
    }
    work->pending_count = left;
    return taken.from_ps < now_ps ? begin_wait(work, now_ps, &taken) : STATUS_OK;
}

static enum status take_busy(struct work *work, const struct wait_log_row *row)
{
    uint32_t l = row->location;
    do {
        struct location *location = &work->locations[l];
        TRY(advance_location(work, l, row->until_ps));
        if (location->busy_ps > row->from_ps) location->busy_ps = row->from_ps;
        l = work->replay->locations[l].next;
    } while (l != row->location);
    return STATUS_OK;
}

static enum status take_wait(struct work *work, const struct wait_log_row *row)
{
    if (work->replay->refuted[row->doubt]) return STATUS_OK;
    if (work->locations[row->location].cause == NOBODY) return begin_wait(work, row->until_ps, row);
    ARRAY_PUSH(work->pending, work->pending_count, work->pending_capacity, *row, work->err);
    return STATUS_OK;
}

static enum status take_row(struct work *work, const struct wait_log_row *row)
{
    if (row->flags & WAIT_LOG_FIRST) return STATUS_OK;
    return row->flags & WAIT_LOG_BUSY ? take_busy(work, row) : take_wait(work, row);
}

/* The location on which the path continues before now_ps; NOBODY: it stays. */
static uint32_t step_back(const struct work *work, int64_t now_ps)
{
    const struct location *location = &work->locations[work->path];
    const struct backward_location *of = &work->replay->locations[work->path];
    if (location->ended_ps == now_ps) return location->ended_cause;
    return of->creator != NOBODY && now_ps <= of->first_ps ? of->creator : NOBODY;
}

static enum status end_part(struct work *work, int64_t from_ps)
{
    struct critical_path *path = work->replay->path;
    const struct path_part part = {work->path, from_ps, work->path_ps};
    if (path) ARRAY_PUSH(path->parts, path->count, path->capacity, part, work->err);
    work->path_ps = from_ps;
    return STATUS_OK;
}

/* If the location on the path waited up to now_ps, the path continues on the location that it waited for; if it began, on its
 * creator. hops counts such steps at one moment. */
static enum status follow_path(struct work *work, int64_t now_ps, uint64_t hops)
{
    uint32_t next;
    for (; hops > 0 && (next = step_back(work, now_ps)) != NOBODY; hops--) {
        TRY(advance_location(work, work->path, now_ps));
        TRY(advance_location(work, next, now_ps));
        TRY(end_part(work, now_ps));
        work->locations[work->path].on_path = false;
        work->locations[next].on_path = true;
        work->path = next;
    }
    return STATUS_OK;
}

/* At one moment the path visits no location twice, except the one on which it arrives. */
static enum status go_back(struct work *work, int64_t end_ps)
{
    struct wait_log_row row;
    bool any;
    TRY(external_sort_next(work->replay->wait_log, &row, &any, work->err));
    while (any || work->heap.count > 0) {
        int64_t now_ps = any ? row.until_ps : INT64_MIN;
        if (work->heap.count > 0) now_ps = units_max_ps(now_ps, work->locations[work->heap.items[0]].from_ps);
        /* Ends the waits that begin at now_ps. */
        while (work->heap.count > 0 && work->locations[work->heap.items[0]].from_ps == now_ps) {
            uint32_t location = heap_pop(&work->heap, begins_later, work);
            if (work->locations[location].counted) work->waited_ps += work->locations[location].ended_ps - now_ps;
            TRY(change_wait(work, location, now_ps, NULL));
            if (work->pending_count > 0) TRY(take_pending(work, location, now_ps));
        }
        while (any && row.until_ps == now_ps) {
            TRY(take_row(work, &row));
            TRY(external_sort_next(work->replay->wait_log, &row, &any, work->err));
        }
        if (now_ps > work->replay->begin_ps)
            TRY(follow_path(work, now_ps, (uint64_t)work->replay->location_count + (now_ps < end_ps)));
    }
    for (uint32_t r = 0; r < work->replay->location_count; r++) TRY(advance_location(work, r, work->replay->begin_ps));
    return end_part(work, work->replay->begin_ps);
}

static enum status start_locations(struct work *work)
{
    const struct backward_replay *replay = work->replay;
    int64_t end_ps = replay->begin_ps;
    for (uint32_t r = 0; r < replay->location_count; r++) {
        if (replay->end_ps[r] <= end_ps) continue;
        end_ps = replay->end_ps[r];
        work->path = r;
    }
    for (uint32_t r = 0; r < replay->location_count; r++) {
        work->locations[r] = (struct location){.at_ps = end_ps,
                                       .busy_ps = end_ps,
                                       .on_path = r == work->path,
                                       .cause = NOBODY,
                                       .first_waiter = NOBODY,
                                       .ended_ps = INT64_MIN};
        TRY(call_log_back(replay->call_log, r, &work->locations[r].call, &work->locations[r].any, work->err));
    }
    work->path_ps = end_ps;
    TRY(external_sort_turn(replay->wait_log, work->err));
    return go_back(work, end_ps);
}

enum status backward_replay_run(const struct backward_replay *replay, struct backward_location_sums **sums,
                                wide_ps *waited_ps, struct err *err)
{
    size_t locations = (size_t)replay->location_count + 1;
    struct work work = {.replay = replay, .err = err};
    work.locations = malloc(locations * sizeof *work.locations);
    work.sums = calloc(locations, sizeof *work.sums);
    work.heap.items = malloc(locations * sizeof *work.heap.items);
    work.waiters = malloc(locations * sizeof *work.waiters);
    bool ready = work.locations && work.sums && work.heap.items && work.waiters;
    enum status status = ready ? start_locations(&work) : err_memory(err);
    FREE_ALL(work.locations, work.heap.items, work.waiters, work.pending);
    if (status == STATUS_OK && waited_ps) *waited_ps = work.waited_ps;
    if (status == STATUS_OK)
        *sums = work.sums;
    else
        backward_sums_free(work.sums, replay->location_count);
    return status;
}

void backward_sums_free(struct backward_location_sums *sums, uint32_t location_count)
{
    for (uint32_t r = 0; sums && r < location_count; r++) free(sums[r].kinds);
    free(sums);
}
