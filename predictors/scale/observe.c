#include "predictors/scale/observe.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "predictors/scale/program.h"

enum status keys_open(struct keys *keys, struct err *err)
{
    *keys = (struct keys){.count = 0};
    TRY(trace_new("program", 1, &keys->names, err));
    return wait_sets_open(&keys->waits, err);
}

void keys_clear(struct keys *keys)
{
    trace_free(keys->names);
    free(keys->items);
    wait_sets_clear(&keys->waits);
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

/* --- one rank --- */

struct open_request {
    uint32_t request, key;
};

/* State of observing one rank's calls. */
struct observer {
    const struct trace *trace;
    struct run *run;
    struct keys *keys;
    const struct statistics *statistics;
    const struct statistics_blocks *blocks; /* per rank */
    const bool *alone; /* per communicator: it has the rank only, and no call of others made it */
    uint32_t rank;
    size_t index;
    struct open_request *open; /* those that no call has completed, in the order of their creation */
    size_t open_count, open_capacity;
    struct wait_item *items; /* of the set that is being made */
    size_t item_capacity;
    int64_t left_out_ps, left_out_waited_ps, left_out_slept_ps; /* since the last call that is kept */
    size_t taken; /* the call whose computing a statistical step has taken */
    struct err *err;
};

static enum status refuse_call(const struct observer *observer, const char *why)
{
    char place[TRACE_PLACE_BYTES];
    const struct trace_call *call = &observer->trace->ranks[observer->rank].calls[observer->index];
    if (observer->keys->misfit) misfit_set(observer->keys->misfit, observer->trace, call);
    return err_set(observer->err, STATUS_DATA, observer->trace->name,
                   trace_place(observer->trace, observer->rank, observer->index, place), "%s", why);
}

/* How a call is made that may fail, completes some of several requests, or needs what a model lacks; ID_none: not at all. */
static enum mpi_call made_certain(const struct trace_call *call)
{
    bool found = call->flags & TRACE_FLAG;
    switch (call_kind(call->call)) {
    case CALL_LOCAL:
    case CALL_IPROBE:
    case CALL_REQUEST_QUERY:
    case CALL_SHMEM_TEST: return ID_none;
    case CALL_REQUEST_TEST: return found ? ID_Wait : ID_none;
    case CALL_REQUEST_TESTALL: return !found ? ID_none : call->call == ID_Testall ? ID_Waitall : ID_Wait;
    case CALL_REQUEST_WAITALL: return call->call == ID_Waitall ? ID_Waitall : ID_Wait;
    case CALL_WIN_TEST: return found ? ID_Win_wait : ID_none;
    case CALL_SHMEM_TEST_LOCK: return found ? ID_shmem_set_lock : ID_none;
    case CALL_SCATTERV: return call_makes_request(call->call) ? ID_Iscatter : ID_Scatter; /* a model has no counts of the root */
    default: return call->call;
    }
}

bool observe_has_sizes(const struct trace_call *call)
{
    switch (call_kind(call->call)) {
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
    if (kind == CALL_NEIGHBOR) return refuse_call(observer, "neighbours of a topology are not predicted at another scale");
    if (call_arm(kind) == ARM_PRIMITIVE) return refuse_call(observer, "threads are not predicted at another scale");
    const struct trace_comm *comm = trace_call_comm(observer->trace, call);
    if ((comm && comm->first_group) ||
        (kind == CALL_COMM_CREATE && call->comm.newcomm != TRACE_NO_REF &&
         observer->trace->definitions.comms[call->comm.newcomm].first_group))
        return refuse_call(observer, "communicators between two groups are not predicted at another scale");
    return STATUS_OK;
}

static size_t count_of_key(const struct observer *observer, size_t end, uint32_t key)
{
    size_t count = 0;
    for (size_t i = 0; i < end; i++) count += observer->open[i].key == key;
    return count;
}

static size_t find_request(const struct observer *observer, uint32_t request)
{
    size_t i = 0;
    while (i < observer->open_count && observer->open[i].request != request) i++;
    return i;
}

static void remove_request(struct observer *observer, size_t place)
{
    struct open_request *at = &observer->open[place];
    memmove(at, at + 1, (--observer->open_count - place) * sizeof *at);
}

static enum status set_left(struct observer *observer, struct observed *made)
{
    for (size_t i = 0; i < observer->open_count; i++)
        observer->items[i] = (struct wait_item){observer->open[i].key, PLACE_ALL};
    return wait_sets_add(&observer->keys->waits, observer->items, observer->open_count, &made->left, observer->err);
}

static enum status reserve_items(struct observer *observer)
{
    return array_reserve((void **)&observer->items, &observer->item_capacity, observer->open_count + 1, sizeof *observer->items,
                         observer->err);
}

/* Completes one request. One that is not open belongs to a call that is left out. */
static enum status complete_one(struct observer *observer, uint32_t request, struct observed *made)
{
    size_t place = request == TRACE_NO_REF ? observer->open_count : find_request(observer, request), count = 0;
    TRY(reserve_items(observer));
    made->waits = WAIT_SOME;
    if (place < observer->open_count) {
        uint32_t key = observer->open[place].key;
        made->waits = (int32_t)place;
        observer->items[count++] = (struct wait_item){key, (int32_t)count_of_key(observer, place, key)};
        remove_request(observer, place);
    }
    TRY(wait_sets_add(&observer->keys->waits, observer->items, count, &made->completed, observer->err));
    return set_left(observer, made);
}

/* Completes the listed requests at once. A key of which none is left open is in the set as a whole. */
static enum status complete_list(struct observer *observer, const struct trace_list *list, struct observed *made)
{
    const uint32_t *requests = observer->trace->definitions.requests + list->first;
    size_t open = observer->open_count, count = 0, removed = 0;
    TRY(reserve_items(observer));
    for (uint32_t i = 0; i < list->count; i++) {
        size_t place = find_request(observer, requests[i]);
        if (place == observer->open_count) continue;
        uint32_t key = observer->open[place].key;
        int32_t of_key = (int32_t)count_of_key(observer, place, key);
        for (size_t k = 0; k < count; k++) of_key += observer->items[k].key == key && observer->items[k].place <= of_key;
        observer->items[count++] = (struct wait_item){key, of_key};
        made->waits = (int32_t)place;
        remove_request(observer, place);
        removed++;
    }
    if (removed == open) made->waits = WAIT_ALL;
    else if (removed != 1) made->waits = WAIT_SOME;
    for (size_t i = 0; i < count; i++)
        if (count_of_key(observer, observer->open_count, observer->items[i].key) == 0) observer->items[i].place = PLACE_ALL;
    TRY(wait_sets_add(&observer->keys->waits, observer->items, count, &made->completed, observer->err));
    return set_left(observer, made);
}

static enum status observe_requests(struct observer *observer, const struct trace_call *call, struct observed *made)
{
    const struct open_request request = {call->ref, made->key};
    made->waits = WAIT_NONE;
    if (call_makes_request(call->call) && call->ref != TRACE_NO_REF)
        ARRAY_PUSH(observer->open, observer->open_count, observer->open_capacity, request, observer->err);
    if (call->call == ID_Wait) return complete_one(observer, call->ref, made);
    if (call->call == ID_Waitall && call->ref != TRACE_NO_REF)
        return complete_list(observer, &observer->trace->definitions.lists[call->completion.list], made);
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
    if (call_is_message(kind)) key->any.third = tags_find(observer->keys->tags, trace, call, call->any.third);
    TRY(number_handle(observer, call, &key->handle, comm));
    if (call->site != TRACE_NO_SITE)
        TRY(trace_add_site(observer->keys->names, site->function, site->file, site->line, &key->site, observer->err));
    if (call_is_region(call->call))
        TRY(trace_add_region(observer->keys->names, trace->definitions.regions[call->region.region], &key->region.region,
                             observer->err));
    if (kind == CALL_SENDRECV) key->any.second = tags_find(observer->keys->tags, trace, call, call->exchange.recv_tag);
    if (kind != CALL_COMM_CREATE) return STATUS_OK;
    int32_t made;
    if (call->comm.newcomm == TRACE_NO_REF) TRY(numbers_skip(&observer->run->comms, observer->rank, &made, observer->err));
    else TRY(find_number(observer, &observer->run->comms, (int32_t)call->comm.newcomm, &made));
    key->comm.newcomm = (uint32_t)made;
    return STATUS_OK;
}

int64_t observe_computed_ps(const struct trace *trace, uint32_t rank, size_t call)
{
    const struct trace_rank *of = &trace->ranks[rank];
    int64_t before = call > 0 ? of->calls[call - 1].exit_ps + trace->provenance.record_cost_ps : trace_begin_ps(trace);
    int64_t gap_ps = trace_compute_ps(of, call, of->calls[call].enter_ps - before);
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

static void set_times(struct observer *observer, const struct trace_call *call, struct observed *made)
{
    bool taken = observer->index == observer->taken;
    int64_t computed_ps = taken ? 0 : observe_computed_ps(observer->trace, observer->rank, observer->index);
    int64_t slept_ps = trace_slept_ps(&observer->trace->ranks[observer->rank], observer->index, computed_ps);
    made->compute_ps = observer->left_out_ps + computed_ps;
    made->waited_ps = observer->left_out_waited_ps + (taken ? 0 : waited_ps(observer));
    made->slept_ps = observer->left_out_slept_ps + slept_ps;
    made->duration_ps = call->exit_ps - call->enter_ps;
    observer->run->all_ps += observer->index > 0 ? computed_ps + made->duration_ps : made->duration_ps;
    observer->left_out_ps = observer->left_out_waited_ps = observer->left_out_slept_ps = 0;
}

static void leave_out(struct observer *observer, const struct trace_call *call)
{
    struct observed made;
    set_times(observer, call, &made);
    observer->left_out_ps = made.compute_ps + made.duration_ps;
    observer->left_out_waited_ps = made.waited_ps;
    observer->left_out_slept_ps = made.slept_ps;
}

static enum status observe_call(struct observer *observer, const struct trace_call *call)
{
    struct observed_rank *rank = &observer->run->ranks[observer->rank];
    struct observed made = {.at = (uint32_t)observer->index};
    struct trace_call key;
    TRY(check_call(observer, call));
    TRY(make_key(observer, call, &key, &made.comm));
    TRY(find_key(observer->keys, &key, &made.key, observer->err));
    made.peers[0] = call->peer;
    made.peers[1] = call_kind(call->call) == CALL_SENDRECV ? call->exchange.source : TRACE_NONE;
    made.group = call_kind(call->call) == CALL_POST || call_kind(call->call) == CALL_START ? call->sync.group : TRACE_NO_REF;
    made.member = only_member(observer->trace, made.group);
    made.bytes = call->bytes;
    made.aux = call->any.second;
    bool has_disp = call_arm(call_kind(call->call)) != ARM_COLLECTIVE; /* there it is a place among the counts */
    made.disp = has_disp ? call->any.first : -1;
    set_times(observer, call, &made);
    TRY(observe_requests(observer, call, &made));
    ARRAY_PUSH(rank->calls, rank->count, rank->capacity, made, observer->err);
    return STATUS_OK;
}

/* The first open request of the call's kind. Requests that are completed in the order in which they are found change places. */
static uint32_t first_alike(const struct observer *observer, uint32_t request)
{
    size_t place = find_request(observer, request), first = 0;
    if (place == observer->open_count) return request;
    enum call_kind kind = call_kind(observer->keys->items[observer->open[place].key].call);
    while (call_kind(observer->keys->items[observer->open[first].key].call) != kind) first++;
    uint32_t found = observer->open[first].request;
    observer->open[place].request = found;
    observer->open[first].request = request;
    return request;
}

/* A wait for each request of a call that completes some of several. */
static enum status observe_some(struct observer *observer, const struct trace_call *call)
{
    const struct trace_list *list = &observer->trace->definitions.lists[call->completion.list];
    struct trace_call one = *call;
    if (list->count == 0) leave_out(observer, call);
    one.call = ID_Wait;
    for (uint32_t i = 0; i < list->count; i++) {
        one.completion.request = first_alike(observer, observer->trace->definitions.requests[list->first + i]);
        TRY(observe_call(observer, &one));
        one.enter_ps = one.exit_ps;
        struct observed *made = &observer->run->ranks[observer->rank].calls[observer->run->ranks[observer->rank].count - 1];
        if (i > 0) made->compute_ps = made->waited_ps = made->slept_ps = 0; /* the recorded call had it once */
    }
    return STATUS_OK;
}

static enum status observe_recorded(struct observer *observer)
{
    struct trace_call call = observer->trace->ranks[observer->rank].calls[observer->index];
    bool lists = call_kind(call.call) == CALL_REQUEST_WAITALL || call_kind(call.call) == CALL_REQUEST_TESTALL;
    const struct trace_comm *comm = trace_call_comm(observer->trace, &call);
    enum mpi_call certain = made_certain(&call);
    if (comm && observer->alone[comm - observer->trace->definitions.comms]) certain = ID_none;
    call.call = (uint16_t)certain;
    if (certain == ID_none) leave_out(observer, &call);
    else if (lists && certain == ID_Wait) return observe_some(observer, &call);
    return certain == ID_none ? STATUS_OK : observe_call(observer, &call);
}

/* One end of a statistical step. Leaving takes the time of what was left out. */
static enum status observe_end(struct observer *observer, enum mpi_call end, const char *name)
{
    struct observed_rank *rank = &observer->run->ranks[observer->rank];
    struct observed made = {.at = (uint32_t)observer->index, .peers = {TRACE_NONE, TRACE_NONE}, .group = TRACE_NO_REF,
                            .member = TRACE_NONE, .waits = WAIT_NONE};
    struct trace_call key = {.call = (uint16_t)end, .handle = TRACE_NONE, .any = TRACE_NO_MEMBERS, .peer = TRACE_NONE};
    TRY(trace_add_region(observer->keys->names, name, &key.region.region, observer->err));
    TRY(find_key(observer->keys, &key, &made.key, observer->err));
    made.aux = key.any.second;
    made.disp = key.any.first;
    if (end == ID_region_leave) {
        made.compute_ps = observer->left_out_ps;
        made.waited_ps = observer->left_out_waited_ps;
        made.slept_ps = observer->left_out_slept_ps;
        observer->left_out_ps = observer->left_out_waited_ps = observer->left_out_slept_ps = 0;
    }
    ARRAY_PUSH(rank->calls, rank->count, rank->capacity, made, observer->err);
    return STATUS_OK;
}

/* How long the fence behind a step waits for the operations that the step does not make. The fence itself stays. */
static int64_t transfer_time_ps(const struct trace_rank *rank, const struct statistics_block *block)
{
    const struct trace_call *end = &rank->calls[block->end];
    if (call_kind(end->call) != CALL_FENCE) return 0;
    for (size_t i = block->begin; i < block->end; i++)
        if (call_arm(call_kind(rank->calls[i].call)) == ARM_RMA) return end->exit_ps - end->enter_ps;
    return 0;
}

/* A statistical step. Continues behind it. */
static enum status observe_block(struct observer *observer, const struct statistics_block *block)
{
    const struct trace_rank *rank = &observer->trace->ranks[observer->rank];
    const char *name = observer->statistics->of[block->step].name;
    TRY(observe_end(observer, ID_region_enter, name));
    int64_t before_ps = observer->left_out_ps;
    for (; observer->index < block->end; observer->index++) leave_out(observer, &rank->calls[observer->index]);
    if (block->end < rank->count) { /* a rank without calls in the step computes there, too */
        struct observed next;
        const struct trace_call none = {.call = ID_none};
        set_times(observer, &none, &next);
        observer->left_out_ps = next.compute_ps + transfer_time_ps(rank, block);
        observer->left_out_waited_ps = next.waited_ps;
        observer->left_out_slept_ps = next.slept_ps;
        observer->taken = block->end;
    }
    observer->run->step_ps[block->step] += observer->left_out_ps - before_ps;
    return observe_end(observer, ID_region_leave, name);
}

/* --- what differs from call to call --- */

enum { SIZES_KNOWN = 16 };
struct variety {
    size_t calls, others; /* others: of sizes beyond the first SIZES_KNOWN */
    int64_t sizes[SIZES_KNOWN][2];
    size_t size_count;
    int32_t root;
    bool turns;
};

static void note_variety(const struct observer *observer, const struct observed *call, struct variety *variety)
{
    size_t i = 0;
    bool rooted = call_row(observer->keys->items[call->key].call)->allowed & F_ROOT;
    variety->turns = variety->turns || (rooted && variety->calls > 0 && variety->root != call->peers[0]);
    variety->root = call->peers[0];
    variety->calls++;
    while (i < variety->size_count && (variety->sizes[i][0] != call->bytes || variety->sizes[i][1] != call->aux)) i++;
    if (i == SIZES_KNOWN) variety->others++;
    if (i < variety->size_count || i == SIZES_KNOWN) return;
    variety->sizes[i][0] = call->bytes;
    variety->sizes[i][1] = call->aux;
    variety->size_count++;
}

/* A few sizes may take turns, as those of a program's levels do. */
static bool has_any_size(const struct variety *variety)
{
    const size_t few = 4;
    return variety->size_count > few && (variety->others > variety->calls / 2 || variety->calls <= few * variety->size_count);
}

static enum status find_variety(struct observer *observer)
{
    struct observed_rank *rank = &observer->run->ranks[observer->rank];
    struct variety *varieties = calloc(observer->keys->count + 1, sizeof *varieties);
    if (!varieties) return err_memory(observer->err);
    for (size_t i = 0; i < rank->count; i++) note_variety(observer, &rank->calls[i], &varieties[rank->calls[i].key]);
    for (size_t i = 0; i < rank->count; i++) {
        const struct variety *variety = &varieties[rank->calls[i].key];
        rank->calls[i].turns = variety->turns;
        rank->calls[i].partial = variety->calls % observer->trace->definitions.comms[rank->calls[i].comm].count != 0;
        rank->calls[i].any_size = has_any_size(variety);
    }
    free(varieties);
    return STATUS_OK;
}

static enum status observe_rank(struct observer *observer)
{
    const struct trace_rank *rank = &observer->trace->ranks[observer->rank];
    const struct statistics_blocks *blocks = &observer->blocks[observer->rank];
    size_t next = 0;
    observer->open_count = 0;
    observer->left_out_ps = observer->left_out_waited_ps = observer->left_out_slept_ps = 0;
    observer->taken = SIZE_MAX;
    for (observer->index = 0;; observer->index++) {
        if (next < blocks->count && blocks->items[next].begin == observer->index)
            TRY(observe_block(observer, &blocks->items[next++]));
        if (observer->index == rank->count) return find_variety(observer);
        TRY(observe_recorded(observer));
    }
}

/* --- all ranks --- */

/* Whether a rank makes a communicator from one with others, and where. */
static bool is_made_from_others(const struct trace *trace, uint32_t rank, uint32_t comm)
{
    const struct trace_rank *of = &trace->ranks[rank];
    for (size_t i = 0; i < of->count; i++) {
        const struct trace_call *call = &of->calls[i];
        if (call_kind(call->call) != CALL_COMM_CREATE || call->comm.newcomm != comm) continue;
        const struct trace_comm *from = trace_call_comm(trace, call);
        return !from || from->count > 1;
    }
    return false;
}

static enum status find_alone(const struct trace *trace, bool **alone, struct err *err)
{
    *alone = calloc(trace->definitions.comm_count + 1, sizeof **alone);
    if (!*alone) return err_memory(err);
    for (size_t i = 1; i < trace->definitions.comm_count; i++) {
        const struct trace_comm *comm = &trace->definitions.comms[i];
        (*alone)[i] = comm->count == 1 && !comm->first_group &&
                      !is_made_from_others(trace, (uint32_t)comm->members[0], (uint32_t)i);
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

enum status run_observe(const struct trace *trace, const struct statistics *statistics, struct keys *keys, struct run *run,
                        struct err *err)
{
    struct observer observer = {.trace = trace, .run = run, .keys = keys, .statistics = statistics, .err = err};
    struct statistics_blocks *blocks = NULL;
    TRY(trace_check_one_thread(trace, "prediction at another scale, or --threads N", err));
    *run = (struct run){.trace = trace, .ranks = calloc(trace->rank_count, sizeof *run->ranks)};
    bool *alone = NULL;
    enum status status = run->ranks ? find_alone(trace, &alone, err) : err_memory(err);
    observer.alone = alone;
    if (status == STATUS_OK) status = statistics_find(statistics, trace, &blocks, err);
    observer.blocks = blocks;
    if (status == STATUS_OK) status = numbers_open(trace, trace->definitions.comm_count, is_given_comm, &run->comms, err);
    if (status == STATUS_OK) status = numbers_open(trace, trace->definitions.window_count, is_given_window, &run->windows, err);
    for (uint32_t i = 0; status == STATUS_OK && i < trace->rank_count; i++) {
        observer.rank = i;
        if (trace->ranks[i].incomplete)
            status = err_set(err, STATUS_DATA, trace->name, NULL, "rank %u is incomplete, expected a whole run", i);
        else status = observe_rank(&observer);
    }
    free(alone);
    statistics_blocks_free(blocks, trace->rank_count);
    FREE_ALL(observer.open, observer.items);
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
