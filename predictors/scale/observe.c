#include "predictors/scale/observe.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "predictors/scale/program.h"

enum status keys_open(struct keys *keys, struct err *err)
{
    *keys = (struct keys){.count = 0};
    return trace_new("program", 1, &keys->names, err);
}

void keys_clear(struct keys *keys)
{
    trace_free(keys->names);
    free(keys->items);
    map_clear(&keys->index);
    *keys = (struct keys){.count = 0};
}

static uint64_t key_hash(const struct trace_call *key)
{
    uint64_t hash = map_mix(key->call, key->flags);
    hash = map_mix(hash, map_pair((uint32_t)key->handle, (uint32_t)key->any.third));
    return map_mix(hash, map_pair(key->site, key->ref) + (uint64_t)key->any.second);
}

static bool key_equal(const struct trace_call *a, const struct trace_call *b)
{
    return a->call == b->call && a->flags == b->flags && a->handle == b->handle && a->any.third == b->any.third &&
           a->site == b->site && a->ref == b->ref && a->any.second == b->any.second;
}

static enum status find_key(struct keys *keys, const struct trace_call *key, uint32_t *number, struct err *err)
{
    for (uint64_t hash = key_hash(key);; hash++) {
        uint64_t *found;
        TRY(map_put(&keys->index, hash, keys->count, &found, err));
        *number = (uint32_t)*found;
        if (*found < keys->count) {
            if (key_equal(&keys->items[*found], key)) return STATUS_OK;
            continue;
        }
        ARRAY_PUSH(keys->items, keys->count, keys->capacity, *key, err);
        return STATUS_OK;
    }
}

/* State of observing one rank's calls. */
struct observer {
    const struct trace *trace;
    struct run *run;
    struct keys *keys;
    uint32_t rank;
    size_t index;
    uint32_t *open; /* requests that no call has completed, in the order of their creation */
    size_t open_count, open_capacity;
    struct err *err;
};

static enum status refuse_call(const struct observer *observer, const char *why)
{
    char place[TRACE_PLACE_BYTES];
    return err_set(observer->err, STATUS_DATA, observer->trace->name,
                   trace_place(observer->trace, observer->rank, observer->index, place), "%s", why);
}

static bool result_decides(enum call_kind kind)
{
    switch (kind) {
    case CALL_WIN_TEST:
    case CALL_IPROBE:
    case CALL_REQUEST_TEST:
    case CALL_REQUEST_TESTALL:
    case CALL_REQUEST_QUERY:
    case CALL_SHMEM_TEST:
    case CALL_SHMEM_TEST_LOCK: return true;
    default: return false;
    }
}

static bool has_lists(enum call_kind kind)
{
    switch (kind) {
    case CALL_GATHERV:
    case CALL_SCATTERV:
    case CALL_ALLGATHERV:
    case CALL_ALLTOALLV:
    case CALL_NEIGHBOR: return true;
    default: return false;
    }
}

static bool has_all_ranks(const struct trace *trace, size_t number)
{
    const struct trace_comm *comm = &trace->definitions.comms[number];
    if (comm->first_group || comm->count != trace->rank_count) return false;
    for (uint32_t i = 0; i < comm->count; i++)
        if (comm->members[i] != (int32_t)i) return false;
    return true;
}

static bool makes_some(const struct trace *trace, enum call_kind kind)
{
    for (size_t i = 0; i < trace->ranks[0].count; i++)
        if (call_kind(trace->ranks[0].calls[i].call) == kind) return true;
    return false;
}

static bool is_given_comm(const struct trace *trace, size_t comm)
{
    return comm == 0 || (has_all_ranks(trace, comm) && !makes_some(trace, CALL_COMM_CREATE));
}

static bool is_given_window(const struct trace *trace, size_t window)
{
    return has_all_ranks(trace, (size_t)trace->definitions.windows[window].comm) && !makes_some(trace, CALL_WIN_CREATE);
}

static enum status check_call(const struct observer *observer, const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    if (result_decides(kind))
        return refuse_call(observer,
                           "how often a program tests depends on the time; no other scale can be predicted from it");
    if (has_lists(kind))
        return refuse_call(observer, "sizes that are given per rank are not predicted at another scale");
    if (call_arm(kind) == ARM_PRIMITIVE) return refuse_call(observer, "threads are not predicted at another scale");
    const struct trace_comm *comm = trace_call_comm(observer->trace, call);
    if ((comm && comm->first_group) ||
        (kind == CALL_COMM_CREATE && call->comm.newcomm != TRACE_NO_REF &&
         observer->trace->definitions.comms[call->comm.newcomm].first_group))
        return refuse_call(observer, "communicators between two groups are not predicted at another scale");
    if (kind == CALL_COMM_CREATE && call->comm.newcomm == TRACE_NO_REF)
        return refuse_call(observer, "the rank gets no communicator here; "
                                     "only those that every rank is in are predicted at another scale");
    return STATUS_OK;
}

static enum status complete_request(struct observer *observer, uint32_t request, int32_t *place)
{
    for (size_t i = 0; i < observer->open_count; i++) {
        if (observer->open[i] != request) continue;
        *place = (int32_t)i;
        memmove(&observer->open[i], &observer->open[i + 1], (--observer->open_count - i) * sizeof *observer->open);
        return STATUS_OK;
    }
    return refuse_call(observer, "the request was completed before");
}

static enum status complete_list(struct observer *observer, const struct trace_list *list, int32_t *waits)
{
    size_t open = observer->open_count;
    *waits = WAIT_ALL;
    for (uint32_t i = 0; i < list->count; i++)
        TRY(complete_request(observer, observer->trace->definitions.requests[list->first + i], waits));
    if (list->count == open) *waits = WAIT_ALL;
    else if (list->count != 1)
        return refuse_call(observer, "a wait for some of several requests is not predicted at another scale");
    return STATUS_OK;
}

static enum status observe_requests(struct observer *observer, const struct trace_call *call, int32_t *waits)
{
    enum call_kind kind = call_kind(call->call);
    *waits = WAIT_NONE;
    if (call_makes_request(call->call) && call->ref != TRACE_NO_REF)
        ARRAY_PUSH(observer->open, observer->open_count, observer->open_capacity, call->ref, observer->err);
    if (call->ref == TRACE_NO_REF) return STATUS_OK;
    if (kind == CALL_REQUEST_WAIT) return complete_request(observer, call->ref, waits);
    if (kind == CALL_REQUEST_WAITALL)
        return complete_list(observer, &observer->trace->definitions.lists[call->completion.list], waits);
    return STATUS_OK;
}

static bool tag_is_same_everywhere(enum call_kind kind)
{
    return kind != CALL_NEIGHBOR && kind != CALL_COMM_CREATE;
}

static enum status find_number(struct observer *observer, struct numbers *numbers, int32_t object, int32_t *number)
{
    bool found;
    TRY(numbers_find(numbers, observer->rank, object, number, &found, observer->err));
    return found ? STATUS_OK
                 : refuse_call(observer, "ranks have named its communicator or window in another order; "
                                         "which ranks belong together cannot be told at another scale");
}

/* *handle is the number of the object; *comm its communicator in the trace. */
static enum status number_handle(struct observer *observer, const struct trace_call *call, int32_t *handle, int32_t *comm)
{
    bool on_window = call_row(call->call)->allowed & F_WIN;
    struct run *run = observer->run;
    int32_t of_window;
    *comm = 0;
    if (call->handle < 0) return STATUS_OK;
    *comm = on_window ? observer->trace->definitions.windows[call->handle].comm : call->handle;
    TRY(find_number(observer, &run->comms, *comm, on_window ? &of_window : handle));
    return on_window ? find_number(observer, &run->windows, call->handle, handle) : STATUS_OK;
}

/* The key's members; those of sites and regions by the keys' own numbers. */
static enum status make_key(struct observer *observer, const struct trace_call *call, struct trace_call *key, int32_t *comm)
{
    const struct trace *trace = observer->trace;
    const struct trace_site *site = &trace->definitions.sites[call->site];
    enum call_kind kind = call_kind(call->call);
    *key = (struct trace_call){.call = call->call,
                               .flags = call->flags & (uint16_t)~(TRACE_FLAG | TRACE_BREAK | TRACE_GAPS),
                               .handle = call->handle,
                               .any = TRACE_NO_MEMBERS,
                               .peer = TRACE_NONE};
    if (tag_is_same_everywhere(kind)) key->any.third = call->any.third;
    TRY(number_handle(observer, call, &key->handle, comm));
    if (call->site != TRACE_NO_SITE)
        TRY(trace_add_site(observer->keys->names, site->function, site->file, site->line, &key->site, observer->err));
    if (call_is_region(call->call))
        TRY(trace_add_region(observer->keys->names, trace->definitions.regions[call->region.region], &key->region.region,
                             observer->err));
    if (kind == CALL_SENDRECV) key->any.second = call->exchange.recv_tag;
    if (kind != CALL_COMM_CREATE) return STATUS_OK;
    int32_t made;
    TRY(find_number(observer, &observer->run->comms, (int32_t)call->comm.newcomm, &made));
    key->comm.newcomm = (uint32_t)made;
    return STATUS_OK;
}

static int64_t computed_ps(const struct observer *observer)
{
    const struct trace *trace = observer->trace;
    const struct trace_rank *rank = &trace->ranks[observer->rank];
    size_t i = observer->index;
    int64_t before = i > 0 ? rank->calls[i - 1].exit_ps + trace->provenance.record_cost_ps : trace_begin_ps(trace);
    int64_t gap_ps = trace_compute_ps(rank, i, rank->calls[i].enter_ps - before);
    return gap_ps > 0 ? gap_ps : 0;
}

/* A call has one of at least 0 where the recorder saw one. */
static int64_t waited_ps(const struct observer *observer)
{
    const int64_t *waits_ps = observer->trace->ranks[observer->rank].before_ps[BEFORE_CORE_WAIT];
    return waits_ps && waits_ps[observer->index] > 0 ? waits_ps[observer->index] : 0;
}

static int32_t only_member(const struct trace *trace, uint32_t group)
{
    if (group == TRACE_NO_REF || trace->definitions.groups[group].count != 1) return TRACE_NONE;
    return trace->definitions.groups[group].members[0];
}

static enum status observe_call(struct observer *observer, struct observed *made)
{
    const struct trace_call *call = &observer->trace->ranks[observer->rank].calls[observer->index];
    enum call_kind kind = call_kind(call->call);
    struct trace_call key;
    TRY(check_call(observer, call));
    TRY(make_key(observer, call, &key, &made->comm));
    TRY(find_key(observer->keys, &key, &made->key, observer->err));
    made->peers[0] = call->peer;
    made->peers[1] = kind == CALL_SENDRECV ? call->exchange.source : TRACE_NONE;
    made->group = kind == CALL_POST || kind == CALL_START ? call->sync.group : TRACE_NO_REF;
    made->member = only_member(observer->trace, made->group);
    made->bytes = call->bytes;
    made->aux = call->any.second;
    made->disp = call->any.first;
    made->compute_ps = computed_ps(observer);
    made->waited_ps = waited_ps(observer);
    made->slept_ps = trace_slept_ps(&observer->trace->ranks[observer->rank], observer->index, made->compute_ps);
    made->duration_ps = call->exit_ps - call->enter_ps;
    made->local = kind == CALL_LOCAL;
    return observe_requests(observer, call, &made->waits);
}

static enum status observe_rank(struct observer *observer, struct observed_rank *rank)
{
    size_t count = observer->trace->ranks[observer->rank].count;
    observer->open_count = 0;
    TRY(array_reserve((void **)&rank->calls, &rank->capacity, count + 1, sizeof *rank->calls, observer->err));
    for (observer->index = 0; observer->index < count; observer->index++) {
        TRY(observe_call(observer, &rank->calls[observer->index]));
        rank->count++;
    }
    return STATUS_OK;
}

static enum status check_numbers(const struct run *run, const struct numbers *numbers, const char *what, struct err *err)
{
    uint32_t rank;
    if (numbers_check(numbers, &rank)) return STATUS_OK;
    return err_set(err, STATUS_DATA, run->trace->name, NULL,
                   "rank %u has %u %s, another one %zu; only what every rank has is predicted at another scale",
                   rank, numbers->named[rank], what, numbers->count);
}

enum status run_observe(const struct trace *trace, struct keys *keys, struct run *run, struct err *err)
{
    struct observer observer = {.trace = trace, .run = run, .keys = keys, .err = err};
    TRY(trace_check_one_thread(trace, "prediction at another scale", err));
    *run = (struct run){.trace = trace, .ranks = calloc(trace->rank_count, sizeof *run->ranks)};
    enum status status = run->ranks ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK) status = numbers_open(trace, trace->definitions.comm_count, is_given_comm, &run->comms, err);
    if (status == STATUS_OK) status = numbers_open(trace, trace->definitions.window_count, is_given_window, &run->windows, err);
    for (uint32_t i = 0; status == STATUS_OK && i < trace->rank_count; i++) {
        observer.rank = i;
        if (trace->ranks[i].incomplete)
            status = err_set(err, STATUS_DATA, trace->name, NULL, "rank %u is incomplete, expected a whole run", i);
        else status = observe_rank(&observer, &run->ranks[i]);
    }
    free(observer.open);
    if (status == STATUS_OK) status = check_numbers(run, &run->comms, "communicators", err);
    if (status == STATUS_OK) status = check_numbers(run, &run->windows, "windows", err);
    if (status != STATUS_OK) run_clear(run);
    return status;
}

void run_clear(struct run *run)
{
    for (uint32_t i = 0; run->ranks && i < run->trace->rank_count; i++) free(run->ranks[i].calls);
    free(run->ranks);
    numbers_clear(&run->comms);
    numbers_clear(&run->windows);
    run->ranks = NULL;
}
