/* The counter of a scope (the rank, a target, a window) has what is outstanding there. The counter of a pair, a target on a
 * window, has the operations that no call has completed yet, and knows the scopes that they count in ("up").
 *
 * Each counter has two sides. MOST falls when the completing call has returned. LEAST falls when the operation can be over, at
 * the latest then. A completing call takes all of a pair at once: it sets a side to 0 and begins a new era, so that operations of
 * older eras, which are still in the queue of arrivals, no longer count. A prediction needs LEAST only. A recording without
 * network needs MOST only: LEAST is then one operation at a time.
 *
 * Between two falls a counter only grows, so its peak is read before it falls, and at the end of a slice. Marks know their calls
 * by index until then. */
#include "model/transfers/in_flight.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/heap.h"
#include "common/units.h"
#include "trace/epoch_cursor.h"

enum side { LEAST, MOST, SIDES };
enum { NO_COUNTER = UINT32_MAX, ANY = UINT32_MAX /* window or target of a key */ };

struct amounts {
    uint64_t of[FLIGHT_MEASURES];
};

struct counter {
    struct amounts now[SIDES]; /* of a pair without requests: a request stays when its operation is complete */
    uint32_t era[SIDES];
    uint32_t up[FLIGHT_SCOPES]; /* counters of these scopes, NO_COUNTER: it has none */
    uint32_t pending;           /* of a window: the first of its pairs with operations; of a pair: the next one */
    bool is_pending, has_risen; /* has_risen: since its peak was read */
    int32_t window, target; /* TRACE_NONE: any */
    size_t raised_by[FLIGHT_MEASURES]; /* the last call that did, if the counter has risen */
};

struct flight { /* an operation or request that something has to find again */
    int64_t end_ps; /* earlier it is not over */
    uint64_t bytes;
    uint32_t counter, era[SIDES], next_free;
    bool operation, arrives, has_request; /* arrives: it is in the queue */
};

struct leaving { /* is over when the call that completes it returns, at exit_ps */
    int64_t exit_ps;
    struct amounts amounts[SIDES];
    uint32_t counter;
};

struct mark_place {
    int64_t enter_ps;
    uint64_t event;
    uint32_t node, site, thread;
    int32_t window, target;
    uint16_t call;
};

struct mark {
    uint64_t most[SIDES];
    size_t call; /* of this slice, plus 1; 0: the place is known */
    uint32_t counter;
    struct mark_place place;
};

struct rank_flights {
    struct counter *counters; /* the first is the rank's own */
    struct flight *flights;
    struct leaving *leaving;
    size_t counter_count, counter_capacity, flight_count, flight_capacity, leaving_count, leaving_capacity, heap_capacity;
    uint32_t free_flight; /* plus 1 */
    struct heap arrivals;
    struct map keys, requests;
    int64_t sent_ps; /* when the network has taken what was sent */
    uint64_t largest_bytes; /* of one operation */
    struct mark marks[FLIGHT_SCOPES][FLIGHT_MEASURES];
};

struct limits_found {
    struct limit_found {
        uint64_t calls[SIDES];
        uint32_t rank[SIDES];
        struct mark_place first[SIDES];
    } of[FLIGHT_SCOPES][FLIGHT_MEASURES];
};

enum status in_flight_init(struct in_flight *flights, uint32_t rank_count, struct err *err)
{
    *flights = (struct in_flight){.rank_count = rank_count};
    flights->ranks = calloc((size_t)rank_count + 1, sizeof *flights->ranks);
    flights->limits = calloc(1, sizeof *flights->limits);
    return flights->ranks && flights->limits ? STATUS_OK : err_memory(err);
}

void in_flight_clear(struct in_flight *flights)
{
    for (uint32_t r = 0; flights->ranks && r < flights->rank_count; r++) {
        struct rank_flights *own = &flights->ranks[r];
        FREE_ALL(own->counters, own->flights, own->leaving, own->arrivals.items);
        map_clear(&own->keys);
        map_clear(&own->requests);
    }
    FREE_ALL(flights->ranks, flights->limits);
    *flights = (struct in_flight){.rank_count = 0};
}

/* --- a rank's walk --- */

struct flight_walk {
    struct in_flight *flights;
    struct rank_flights *own;
    const struct trace *trace;
    const struct callpaths *paths;
    const struct in_flight_options *options;
    uint32_t rank;
    enum side first, last; /* the sides that are counted */
    bool exact;            /* the trace says when data have arrived */
    bool limited;
    struct err *err;
};

static void choose_sides(const struct trace *trace, const struct in_flight_options *options, enum side *first, enum side *last)
{
    *first = trace->provenance.simulated || options->network_known ? LEAST : MOST;
    *last = trace->provenance.simulated ? LEAST : MOST;
}

static enum status find_counter(struct flight_walk *walk, uint32_t window, uint32_t target, uint32_t *found)
{
    struct rank_flights *own = walk->own;
    uint64_t *slot;
    TRY(map_put(&own->keys, map_pair(window, target), own->counter_count, &slot, walk->err));
    *found = (uint32_t)*slot;
    if (*found < own->counter_count) return STATUS_OK;
    struct counter made = {.up = {NO_COUNTER, NO_COUNTER, NO_COUNTER},
                           .pending = NO_COUNTER,
                           .window = (int32_t)window,
                           .target = (int32_t)target};
    if (window == ANY && target == ANY) made.up[FLIGHT_OF_RANK] = *found;
    if (window == ANY && target != ANY) made.up[FLIGHT_TO_TARGET] = *found;
    if (window != ANY && target == ANY) made.up[FLIGHT_ON_WINDOW] = *found;
    ARRAY_PUSH(own->counters, own->counter_count, own->counter_capacity, made, walk->err);
    if (window == ANY && target == ANY) return STATUS_OK;
    uint32_t up;
    TRY(find_counter(walk, ANY, ANY, &up));
    own->counters[*found].up[FLIGHT_OF_RANK] = up;
    if (window == ANY || target == ANY) return STATUS_OK;
    TRY(find_counter(walk, ANY, target, &up));
    own->counters[*found].up[FLIGHT_TO_TARGET] = up;
    TRY(find_counter(walk, window, ANY, &up));
    own->counters[*found].up[FLIGHT_ON_WINDOW] = up;
    return STATUS_OK;
}

static struct mark_place place_of(const struct flight_walk *walk, size_t index, const struct counter *counter)
{
    const struct trace_call *call = &walk->trace->ranks[walk->rank].calls[index];
    return (struct mark_place){.enter_ps = call->enter_ps,
                               .event = trace_event(walk->trace, walk->rank, index),
                               .node = callpath_at(walk->paths, walk->rank, index),
                               .site = call->site,
                               .thread = trace_call_thread(walk->trace, walk->rank, index),
                               .window = counter->window,
                               .target = counter->target,
                               .call = call->call};
}

/* Compares what has risen in a scope with the most before. The first call to reach the most is the mark's. */
static inline void read_peak(const struct flight_walk *walk, enum flight_scope scope, uint32_t at)
{
    struct counter *counter = &walk->own->counters[at];
    if (!counter->has_risen) return;
    counter->has_risen = false;
    for (int m = 0; m < FLIGHT_MEASURES; m++) {
        struct mark *mark = &walk->own->marks[scope][m];
        const size_t call = counter->raised_by[m] + 1;
        const uint64_t peak = counter->now[walk->last].of[m], most = mark->most[walk->last];
        if (peak > most || (peak == most && call < mark->call)) {
            mark->most[walk->last] = peak;
            mark->call = call;
            mark->counter = at;
        }
        if (walk->first < walk->last && counter->now[LEAST].of[m] > mark->most[LEAST])
            mark->most[LEAST] = counter->now[LEAST].of[m];
    }
}

static inline void raise_counter(struct counter *counter, enum side side, const struct amounts *by)
{
    for (int m = 0; m < FLIGHT_MEASURES; m++) counter->now[side].of[m] += by->of[m];
}

static inline void lower_counter(struct counter *counter, enum side side, const struct amounts *by)
{
    for (int m = 0; m < FLIGHT_MEASURES; m++) counter->now[side].of[m] -= by->of[m];
}

static void lower_scopes(const struct flight_walk *walk, uint32_t at, enum side side, const struct amounts *by)
{
    struct counter *counters = walk->own->counters;
    if ((by->of[FLIGHT_OPERATIONS] | by->of[FLIGHT_REQUESTS]) == 0) return;
    for (int s = 0; s < FLIGHT_SCOPES; s++) {
        const uint32_t up = counters[at].up[s];
        if (up == NO_COUNTER) continue;
        read_peak(walk, (enum flight_scope)s, up);
        lower_counter(&counters[up], side, by);
    }
}

static bool ends_earlier(const void *context, uint32_t one, uint32_t other)
{
    const struct flight *flights = context;
    return flights[one].end_ps < flights[other].end_ps;
}

static void free_flight(struct rank_flights *own, uint32_t index)
{
    struct flight *flight = &own->flights[index];
    if (flight->arrives || flight->has_request) return;
    flight->next_free = own->free_flight;
    own->free_flight = index + 1;
}

/* The operation as it still counts on a side. */
static struct amounts amounts_left(const struct rank_flights *own, const struct flight *flight, enum side side)
{
    bool counts = flight->operation && flight->era[side] == own->counters[flight->counter].era[side];
    return (struct amounts){{[FLIGHT_OPERATIONS] = counts, [FLIGHT_BYTES] = counts ? flight->bytes : 0}};
}

static void lower_leaving(const struct flight_walk *walk, const struct leaving *leaving)
{
    for (enum side side = walk->first; side <= walk->last; side++)
        lower_scopes(walk, leaving->counter, side, &leaving->amounts[side]);
}

/* Takes away what is over at now_ps. */
static void drop_ended(const struct flight_walk *walk, int64_t now_ps)
{
    struct rank_flights *own = walk->own;
    size_t kept = 0;
    for (size_t i = 0; i < own->leaving_count; i++) {
        const struct leaving *leaving = &own->leaving[i];
        if (leaving->exit_ps > now_ps) {
            own->leaving[kept++] = *leaving;
            continue;
        }
        lower_leaving(walk, leaving);
    }
    own->leaving_count = kept;
    while (own->arrivals.count > 0 && own->flights[own->arrivals.items[0]].end_ps <= now_ps) {
        uint32_t index = heap_pop(&own->arrivals, ends_earlier, own->flights);
        struct flight *flight = &own->flights[index];
        struct amounts left = amounts_left(own, flight, LEAST);
        lower_scopes(walk, flight->counter, LEAST, &left);
        lower_counter(&own->counters[flight->counter], LEAST, &left);
        flight->era[LEAST]--; /* of no era to come */
        flight->arrives = false;
        free_flight(own, index);
    }
}

/* --- completion --- */

/* No call of one thread comes before the end of the call before. */
static enum status add_leaving(struct flight_walk *walk, const struct leaving *leaving)
{
    struct rank_flights *own = walk->own;
    if (!walk->trace->ranks[walk->rank].thread) {
        lower_leaving(walk, leaving);
        return STATUS_OK;
    }
    ARRAY_PUSH(own->leaving, own->leaving_count, own->leaving_capacity, *leaving, walk->err);
    return STATUS_OK;
}

/* The operations of a pair leave with the call. What a prediction knows of their arrival stays, if the call waits for it. */
static enum status complete_pair(struct flight_walk *walk, uint32_t at, const struct trace_call *call, bool waits)
{
    struct counter *pair = &walk->own->counters[at];
    struct leaving leaving = {.exit_ps = call->exit_ps, .counter = at};
    if (walk->exact && waits) return STATUS_OK;
    for (enum side side = walk->first; side <= walk->last; side++) {
        leaving.amounts[side] = pair->now[side];
        pair->now[side] = (struct amounts){{0}};
        pair->era[side]++;
    }
    return add_leaving(walk, &leaving);
}

static enum status complete_window(struct flight_walk *walk, uint32_t window, const struct trace_call *call, bool waits)
{
    struct rank_flights *own = walk->own;
    struct counter *all = &own->counters[window];
    for (uint32_t at = all->pending; at != NO_COUNTER; at = own->counters[at].pending) {
        own->counters[at].is_pending = false;
        TRY(complete_pair(walk, at, call, waits));
    }
    own->counters[window].pending = NO_COUNTER;
    return STATUS_OK;
}

static enum status complete_epoch(struct flight_walk *walk, const struct trace_call *call)
{
    enum epoch_completion completion = epoch_completion(call, call->handle, call->peer);
    bool frees = call_kind(call->call) == CALL_WIN_FREE;
    if (completion == COMPLETE_NOWHERE && !frees) return STATUS_OK;
    const bool one = call_row(call->call)->allowed & F_TARGET;
    if (one && call->peer == TRACE_NONE) return STATUS_OK; /* MPI_PROC_NULL */
    const uint64_t *at = map_find(&walk->own->keys, map_pair((uint32_t)call->handle, one ? (uint32_t)call->peer : ANY));
    if (!at) return STATUS_OK;
    if (!one) return complete_window(walk, (uint32_t)*at, call, completion == COMPLETE_AT_TARGET);
    return complete_pair(walk, (uint32_t)*at, call, completion == COMPLETE_AT_TARGET);
}

static enum status complete_shmem(struct flight_walk *walk, const struct trace_call *call)
{
    const struct trace_definitions *definitions = &walk->trace->definitions;
    for (size_t w = 0; w < definitions->window_count; w++) {
        const uint64_t *at = map_find(&walk->own->keys, map_pair((uint32_t)w, ANY));
        if (at && definitions->windows[w].flavor == 'h') TRY(complete_window(walk, (uint32_t)*at, call, true));
    }
    return STATUS_OK;
}

static enum status complete_requests(struct flight_walk *walk, const struct trace_call *call)
{
    struct rank_flights *own = walk->own;
    uint32_t count;
    const uint32_t *ids = trace_call_completed(walk->trace, call, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t index;
        if (!map_take(&own->requests, ids[i], &index)) continue;
        struct flight *flight = &own->flights[index];
        struct leaving leaving = {.exit_ps = call->exit_ps, .counter = flight->counter};
        for (enum side side = walk->first; side <= walk->last; side++) {
            leaving.amounts[side] = amounts_left(own, flight, side);
            lower_counter(&own->counters[flight->counter], side, &leaving.amounts[side]);
            leaving.amounts[side].of[FLIGHT_REQUESTS] = 1;
            flight->era[side]--;
        }
        flight->has_request = false;
        free_flight(own, (uint32_t)index);
        TRY(add_leaving(walk, &leaving));
    }
    return STATUS_OK;
}

static enum status complete_call(struct flight_walk *walk, const struct trace_call *call)
{
    if (call->flags & TRACE_BREAK) return STATUS_OK;
    switch (call_arm(call_kind(call->call))) {
    case ARM_COMPLETION: return complete_requests(walk, call);
    case ARM_SYNC: return complete_epoch(walk, call);
    case ARM_WINDOW: return call_kind(call->call) == CALL_WIN_FREE ? complete_epoch(walk, call) : STATUS_OK;
    default: return call_is_quiet((enum mpi_call)call->call) ? complete_shmem(walk, call) : STATUS_OK;
    }
}

/* --- issue --- */

/* When the operation can be over. A network takes what a rank sends one after the other. */
static int64_t least_end_ps(struct flight_walk *walk, size_t index, int64_t bytes)
{
    const struct trace_rank *process = &walk->trace->ranks[walk->rank];
    const struct trace_call *call = &process->calls[index];
    const struct in_flight_options *options = walk->options;
    if (walk->exact) {
        int64_t end_ps = process->sim ? process->sim[index].xfer_end_ps : TRACE_UNKNOWN_PS;
        return end_ps == TRACE_UNKNOWN_PS ? call->exit_ps : end_ps;
    }
    uint32_t node = walk->trace->ranks[call->peer].node;
    bool near = (uint32_t)call->peer == walk->rank || (node != 0 && node == process->node);
    if (!options->network_known || near) return call->enter_ps;
    int64_t moves_ps = units_ps((double)bytes / options->bandwidth_Bps), latency_ps = units_ps(options->latency_s);
    enum call_kind kind = call_operation(call_kind(call->call));
    if (kind == CALL_GET || kind == CALL_GET_ACCUMULATE) return call->enter_ps + 2 * latency_ps + moves_ps;
    walk->own->sent_ps = units_max_ps(walk->own->sent_ps, call->enter_ps) + moves_ps;
    return walk->own->sent_ps + latency_ps;
}

static bool is_before(const struct mark_place *place, uint32_t rank, const struct mark_place *other, uint32_t other_rank)
{
    if (place->enter_ps != other->enter_ps) return place->enter_ps < other->enter_ps;
    return rank != other_rank ? rank < other_rank : place->event < other->event;
}

static void check_limit(struct flight_walk *walk, enum flight_scope scope, int measure, const struct counter *counter,
                        const struct amounts *added, size_t index)
{
    const uint64_t limit = walk->options->limits->most[scope][measure];
    struct limit_found *found = &walk->flights->limits->of[scope][measure];
    for (enum side side = LEAST; side <= walk->last && limit > 0; side++) {
        const bool alone = side < walk->first && measure != FLIGHT_REQUESTS;
        if ((alone ? added : &counter->now[side < walk->first ? walk->first : side])->of[measure] <= limit) continue;
        const struct mark_place place = place_of(walk, index, counter);
        if (found->calls[side]++ > 0 && !is_before(&place, walk->rank, &found->first[side], found->rank[side])) continue;
        found->first[side] = place;
        found->rank[side] = walk->rank;
    }
}

/* Adds a call's operation or request to a scope. */
static inline void raise_scope(struct flight_walk *walk, enum flight_scope scope, struct counter *counter,
                               const struct amounts *added, size_t index)
{
    for (enum side side = walk->first; side <= walk->last; side++) raise_counter(counter, side, added);
    counter->has_risen = true;
    for (int m = 0; m < FLIGHT_MEASURES; m++) {
        if (added->of[m] == 0) continue;
        counter->raised_by[m] = index;
        if (walk->limited) check_limit(walk, scope, m, counter, added, index);
    }
}

static enum status add_flight(struct flight_walk *walk, const struct flight *made, const struct trace_call *call)
{
    struct rank_flights *own = walk->own;
    uint32_t index = own->free_flight - 1;
    if (own->free_flight > 0) {
        own->free_flight = own->flights[index].next_free;
        own->flights[index] = *made;
    } else {
        index = (uint32_t)own->flight_count;
        ARRAY_PUSH(own->flights, own->flight_count, own->flight_capacity, *made, walk->err);
    }
    if (made->has_request) TRY(map_set(&own->requests, call->ref, index, walk->err));
    if (!made->arrives) return STATUS_OK;
    TRY(array_reserve((void **)&own->arrivals.items, &own->heap_capacity, own->arrivals.count + (size_t)1,
                      sizeof *own->arrivals.items, walk->err));
    heap_push(&own->arrivals, index, ends_earlier, own->flights);
    return STATUS_OK;
}

/* Says when the operation leaves each side. */
static enum status expect_end(struct flight_walk *walk, const struct trace_call *call, struct flight *flight,
                              const struct amounts *operation)
{
    struct rank_flights *own = walk->own;
    struct counter *pair = &own->counters[flight->counter];
    enum call_kind kind = call_kind(call->call);
    flight->operation = true;
    flight->era[LEAST] = pair->era[LEAST];
    flight->era[MOST] = pair->era[MOST];
    flight->arrives = walk->first == LEAST && flight->end_ps > call->enter_ps;
    for (enum side side = walk->first; side <= walk->last; side++) raise_counter(pair, side, operation);
    if (walk->first == LEAST && !flight->arrives) {
        lower_counter(pair, LEAST, operation);
        lower_scopes(walk, flight->counter, LEAST, operation);
        flight->era[LEAST]--;
    }
    if (kind == CALL_SHMEM_GET || kind == CALL_SHMEM_FETCH) { /* their call completes them */
        if (walk->last == LEAST) return STATUS_OK;
        lower_counter(pair, MOST, operation);
        flight->era[MOST]--;
        return add_leaving(walk, &(struct leaving){call->exit_ps, {[MOST] = *operation}, flight->counter});
    }
    if (pair->is_pending) return STATUS_OK;
    struct counter *window = &own->counters[pair->up[FLIGHT_ON_WINDOW]];
    pair->is_pending = true;
    pair->pending = window->pending;
    window->pending = flight->counter;
    return STATUS_OK;
}

static enum status issue_call(struct flight_walk *walk, size_t index)
{
    struct rank_flights *own = walk->own;
    const struct trace_call *call = &walk->trace->ranks[walk->rank].calls[index];
    const bool operation = call_moves(call->call) && call->peer != TRACE_NONE;
    const bool sends = call_is_message(call_kind(call->call)) && (call_kind_rows[call_kind(call->call)].buffers & BUFFERS_SEND);
    const bool partner = call->peer != TRACE_NONE && (operation || sends); /* a receive may learn its sender at its end */
    struct flight flight = {.has_request = call_makes_request(call->call) && call->ref != TRACE_NO_REF};
    if (!operation && !flight.has_request) return STATUS_OK;
    drop_ended(walk, call->enter_ps);
    TRY(find_counter(walk, operation ? (uint32_t)call->handle : ANY, partner ? (uint32_t)call->peer : ANY, &flight.counter));
    int64_t answer_bytes = operation && call->rma.result_bytes > 0 ? call->rma.result_bytes : 0;
    if (operation) flight.bytes = (uint64_t)(call->bytes + answer_bytes);
    const struct amounts moved = {{[FLIGHT_OPERATIONS] = operation, [FLIGHT_BYTES] = flight.bytes}};
    struct amounts added = moved;
    added.of[FLIGHT_REQUESTS] = flight.has_request;
    if (flight.bytes > own->largest_bytes) own->largest_bytes = flight.bytes;
    for (int s = 0; s < FLIGHT_SCOPES; s++) {
        const uint32_t up = own->counters[flight.counter].up[s];
        if (up != NO_COUNTER) raise_scope(walk, (enum flight_scope)s, &own->counters[up], &added, index);
    }
    if (operation) {
        flight.end_ps = least_end_ps(walk, index, (int64_t)flight.bytes);
        TRY(expect_end(walk, call, &flight, &moved));
    }
    return flight.arrives || flight.has_request ? add_flight(walk, &flight, call) : STATUS_OK;
}

/* Calls have no index behind the end of their slice. */
static void place_marks(struct flight_walk *walk)
{
    struct rank_flights *own = walk->own;
    for (int s = 0; s < FLIGHT_SCOPES; s++) {
        for (uint32_t i = 0; i < own->counter_count; i++)
            if (own->counters[i].up[s] == i) read_peak(walk, (enum flight_scope)s, i);
        for (int m = 0; m < FLIGHT_MEASURES; m++) {
            struct mark *mark = &own->marks[s][m];
            if (mark->call > 0) mark->place = place_of(walk, mark->call - 1, &own->counters[mark->counter]);
            mark->call = 0;
        }
    }
}

static enum status walk_rank(struct flight_walk *walk)
{
    const struct trace_rank *process = &walk->trace->ranks[walk->rank];
    const bool selects = filter_is_set(walk->options->filter);
    for (size_t i = process->kept_count; i < process->count; i++) {
        bool passes = true;
        TRY(complete_call(walk, &process->calls[i]));
        if (selects)
            TRY(filter_passes(walk->options->filter, walk->trace, walk->paths, &(struct finding){.rank = walk->rank, .call = i},
                              &passes, walk->err));
        if (passes) TRY(issue_call(walk, i));
    }
    place_marks(walk);
    return STATUS_OK;
}

enum status in_flight_add(struct in_flight *flights, const struct trace *trace, const struct callpaths *paths,
                          const struct in_flight_options *options, struct err *err)
{
    static const struct flight_limits none;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        struct flight_walk walk = {.flights = flights, .own = &flights->ranks[r], .trace = trace, .paths = paths,
                                   .options = options, .rank = r, .exact = trace->provenance.simulated, .err = err};
        choose_sides(trace, options, &walk.first, &walk.last);
        walk.limited = memcmp(options->limits, &none, sizeof none) != 0;
        TRY(walk_rank(&walk));
    }
    return STATUS_OK;
}

/* --- the result --- */

static enum status describe_place(const struct trace *trace, const struct callpaths *paths, uint32_t rank,
                                  const struct mark_place *place, struct result_call *made, struct err *err)
{
    const struct trace_site *site = &trace->definitions.sites[place->site];
    *made = (struct result_call){.rank = rank,
                                 .thread = place->thread,
                                 .event = place->event,
                                 .function = call_name((enum mpi_call)place->call),
                                 .line = site->line,
                                 .time_s = units_s(place->enter_ps - trace_begin_ps(trace))};
    TRY(callpath_text(trace, paths, place->node, place->site, (enum mpi_call)place->call, &made->callpath, err));
    if (site->file && !(made->file = strdup(site->file))) return err_memory(err);
    return STATUS_OK;
}

/* What a rank has at least where only MOST is counted: one operation after the other, and its requests. */
static uint64_t least_of(const struct rank_flights *own, enum flight_measure measure, uint64_t most)
{
    switch (measure) {
    case FLIGHT_OPERATIONS: return most > 0;
    case FLIGHT_BYTES: return own->largest_bytes;
    default: return most;
    }
}

struct flight_report {
    const struct in_flight *flights;
    const struct trace *trace;
    const struct callpaths *paths;
    enum side first, shown;
    struct result *result;
    struct err *err;
};

static enum status add_mark(const struct flight_report *report, uint32_t rank, enum flight_scope scope,
                            enum flight_measure measure)
{
    const struct rank_flights *own = &report->flights->ranks[rank];
    const struct mark *mark = &own->marks[scope][measure];
    struct result *result = report->result;
    const uint64_t most = mark->most[report->shown];
    struct result_flight made = {.of = measure,
                                 .per = scope,
                                 .target = mark->place.target,
                                 .window = mark->place.window,
                                 .at_least = report->first == LEAST ? mark->most[LEAST] : least_of(own, measure, most),
                                 .at_most = most};
    ARRAY_PUSH(result->flights, result->flight_count, result->flight_capacity, made, report->err);
    return describe_place(report->trace, report->paths, rank, &mark->place, &result->flights[result->flight_count - 1].first,
                          report->err);
}

static uint64_t most_of(const struct flight_report *report, uint32_t rank, int scope, int measure)
{
    return report->flights->ranks[rank].marks[scope][measure].most[report->shown];
}

static enum status report_marks(const struct flight_report *report, bool per_rank)
{
    const uint32_t ranks = report->flights->rank_count;
    for (int m = 0; m < FLIGHT_MEASURES; m++)
        for (int s = 0; s < FLIGHT_SCOPES; s++) {
            uint32_t best = 0;
            for (uint32_t r = 0; r < ranks; r++) {
                uint64_t most = most_of(report, r, s, m);
                if (most > most_of(report, best, s, m)) best = r;
                if (per_rank && most > 0) TRY(add_mark(report, r, (enum flight_scope)s, (enum flight_measure)m));
            }
            if (!per_rank && ranks > 0 && most_of(report, best, s, m) > 0)
                TRY(add_mark(report, best, (enum flight_scope)s, (enum flight_measure)m));
        }
    return STATUS_OK;
}

static enum status report_limit(const struct flight_report *report, enum flight_scope scope, enum flight_measure measure,
                                uint64_t limit)
{
    const struct limit_found *found = &report->flights->limits->of[scope][measure];
    const struct mark_place *first = &found->first[report->shown];
    struct result *result = report->result;
    struct result_limit made = {.of = measure,
                                .per = scope,
                                .most = limit,
                                .calls = found->calls[report->shown],
                                .certain = found->calls[LEAST],
                                .target = TRACE_NONE,
                                .window = TRACE_NONE};
    const size_t number = result->limit_count++;
    if (made.calls > 0) {
        made.target = first->target;
        made.window = first->window;
    }
    result->limits[number] = made;
    if (made.calls == 0) return STATUS_OK;
    return describe_place(report->trace, report->paths, found->rank[report->shown], first, &result->limits[number].first,
                          report->err);
}

enum status in_flight_report(const struct in_flight *flights, const struct trace *trace, const struct callpaths *paths,
                             const struct in_flight_options *options, bool per_rank, struct result *result, struct err *err)
{
    struct flight_report report = {.flights = flights, .trace = trace, .paths = paths, .result = result, .err = err};
    choose_sides(trace, options, &report.first, &report.shown);
    result->flights_known = true;
    TRY(report_marks(&report, per_rank));
    for (int s = 0; s < FLIGHT_SCOPES; s++)
        for (int m = 0; m < FLIGHT_MEASURES; m++)
            if (options->limits->most[s][m] > 0)
                TRY(report_limit(&report, (enum flight_scope)s, (enum flight_measure)m, options->limits->most[s][m]));
    return STATUS_OK;
}
