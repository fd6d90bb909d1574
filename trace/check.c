/* Checks a trace after reading. Model, replay, export and transforms rely on the following without further checks:
 *   every id exists; every rank named is a member of the call's window or communicator, which has it once
 *   a call that works on a window or communicator has one, also where the recording breaks off inside it
 *   at most one window is the heap of OpenSHMEM; OpenSHMEM's calls work on it, MPI's calls on other windows
 *   a request lives once, a region left was entered, threads begin and end once
 *   times of a thread rise; times and bytes are within trace/limits.h, so that no sum of a rank overflows */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "trace/faults.h"
#include "trace/limits.h"
#include "common/parallel.h"

/* One thread of the rank. */
struct thread_walk {
    uint32_t *regions; /* open user regions, the innermost last */
    size_t region_count, region_capacity;
    size_t last_index; /* of its last call */
    int64_t exit_ps;   /* of its call before */
    bool called, created, joined;
    int64_t joined_ps; /* exit of the call that joined it */
};

/* Limits that depend on the whole trace. */
struct trace_bounds {
    int64_t begin_ps;
    int64_t most_bytes; /* of the calls of one rank */
};

/* The state of checking a rank, kept from slice to slice. */
struct rank_state {
    int64_t bytes;     /* of the rank's calls */
    uint64_t lives_ps; /* of the rank's threads: thread 0 from begin_ps, others from a call on */
    struct map requests;          /* id to REQUEST_... */
    uint64_t made_from, made_end; /* consecutive ids; those of them that are not in requests are completed */
};

/* The walk along one rank. */
struct walk {
    const struct trace *trace;
    uint32_t rank;
    size_t index;
    const struct trace_call *call;
    const struct trace_bounds *bounds;
    struct rank_state so_far;
    struct thread_walk *threads, *thread; /* of the rank, of the call */
    uint32_t thread_count;
    size_t thread_capacity;
    struct map groups;            /* (group, communicator) that have been checked */
    struct map objects;           /* id to enum call_object */
    struct map parties;           /* barriers of threads to their number of threads */
    bool unfinished;              /* completions that state the senders of receives may follow */
    struct err *err;
};

#define TIME_LIMIT "6000000 s, expected less on either side of 0" /* TRACE_TIME_MAX_PS */
#define LIVES_LIMIT "9223372 s"                                    /* TRACE_LIVES_MAX_PS */

enum { REQUEST_NEVER, REQUEST_LIVE, REQUEST_DONE };

#define FAIL(walk, ...)                                                                                                \
    return trace_fail((walk)->err, (walk)->trace, (walk)->rank, (walk)->index, (walk)->call, __VA_ARGS__)

static enum status check_handle(const struct walk *walk)
{
    const struct trace *trace = walk->trace;
    const struct call_row *row = call_row(walk->call->call);
    int32_t handle = walk->call->handle;
    if (handle == TRACE_NONE) {
        if (row->needed & F_WIN) FAIL(walk, "no window, expected win");
        if (row->needed & F_COMM) FAIL(walk, "no communicator, expected comm");
        return STATUS_OK;
    }
    bool window = row->allowed & F_WIN;
    if (!window && !(row->allowed & F_COMM)) FAIL(walk, "handle %" PRId32 ", expected none", handle);
    if (window && (handle < 0 || (size_t)handle >= trace->definitions.window_count))
        FAIL(walk, "win=%" PRId32 " is not defined, expected one of %zu windows", handle,
             trace->definitions.window_count);
    if (!window && (handle < 0 || (size_t)handle >= trace->definitions.comm_count))
        FAIL(walk, "comm=%" PRId32 " is not defined, expected one of %zu communicators", handle,
             trace->definitions.comm_count);
    if (trace_comm_rank(trace_call_comm(trace, walk->call), (int32_t)walk->rank) == TRACE_NONE)
        FAIL(walk, "rank %" PRIu32 " is no member of %s %" PRId32, walk->rank, window ? "window" : "communicator",
             handle);
    if (!window) return STATUS_OK;
    bool heap = walk->trace->definitions.windows[walk->call->handle].flavor == 'h';
    if (heap && !call_is_shmem(walk->call->call))
        FAIL(walk, "window %" PRId32 " is the heap of OpenSHMEM, expected a window of MPI", walk->call->handle);
    if (!heap && call_is_shmem(walk->call->call))
        FAIL(walk, "window %" PRId32 " is a window of MPI, expected flavor=heap", walk->call->handle);
    return STATUS_OK;
}

/* Checks a world rank of the call's communicator; MPI_PROC_NULL if the key allows it. */
static enum status check_member(const struct walk *walk, const char *key, int32_t rank, bool null)
{
    const struct call_row *row = call_row(walk->call->call);
    if (rank == TRACE_NONE && null) return STATUS_OK;
    if (rank < 0 || (uint32_t)rank >= walk->trace->rank_count)
        FAIL(walk, "%s=%" PRId32 " is not a rank, expected 0 to %" PRIu32, key, rank, walk->trace->rank_count - 1);
    const struct trace_comm *comm = trace_call_comm(walk->trace, walk->call);
    if (comm && trace_comm_rank(comm, rank) == TRACE_NONE)
        FAIL(walk, "%s=%" PRId32 " is no member of %s %" PRId32, key, rank,
             row->allowed & F_WIN ? "window" : "communicator", walk->call->handle);
    return STATUS_OK;
}

static enum status check_peer(const struct walk *walk)
{
    const struct call_row *row = call_row(walk->call->call);
    const char *key = row->allowed & F_TARGET ? "target" : row->allowed & F_PEER ? "peer" : "root";
    if (!(row->allowed & (F_TARGET | F_PEER | F_ROOT))) return STATUS_OK;
    bool may_be_nobody = !(row->allowed & F_ROOT) && !call_is_shmem(walk->call->call); /* MPI_PROC_NULL is MPI's */
    TRY(check_member(walk, key, walk->call->peer, may_be_nobody));
    return row->allowed & F_SOURCE ? check_member(walk, "source", walk->call->exchange.source, true) : STATUS_OK;
}

static enum status check_neighbors(const struct walk *walk)
{
    const struct trace *trace = walk->trace;
    int32_t id = walk->call->collective.neighbors;
    if (id == TRACE_NONE) return STATUS_OK;
    if (id < 0 || (size_t)id >= trace->definitions.counts_count)
        FAIL(walk, "neighbours %" PRId32 " are not defined", id);
    const struct trace_counts *list = &trace->definitions.counts[id];
    if (list->count == 0 || list->bytes[0] < 0 || list->bytes[0] >= list->count)
        FAIL(walk, "neighbours %" PRId32 " are no list of neighbours", id);
    for (uint32_t i = 1; i < list->count; i++) {
        if (list->bytes[i] < 0 || list->bytes[i] > INT32_MAX)
            FAIL(walk, "neighbour %" PRId64 " is no rank", list->bytes[i]);
        TRY(check_member(walk, "neighbours", (int32_t)list->bytes[i], false));
    }
    if (call_kind(walk->call->call) == CALL_COMM_CREATE && list->count != 1 + 2 * list->bytes[0])
        FAIL(walk, "edges begin at %" PRId64 " neighbours and end at %" PRId64 ", expected as many", list->bytes[0],
             list->count - 1 - list->bytes[0]);
    return STATUS_OK;
}

static enum status add_bytes(struct walk *walk, const char *key, int64_t bytes)
{
    if (bytes > walk->bounds->most_bytes - walk->so_far.bytes)
        FAIL(walk, "%s=%" PRId64 ", expected at most %" PRId64 " bytes in all calls of one of %" PRIu32 " ranks", key,
             bytes, walk->bounds->most_bytes, walk->trace->rank_count);
    walk->so_far.bytes += bytes;
    return STATUS_OK;
}

static enum status check_counts(struct walk *walk)
{
    const struct trace *trace = walk->trace;
    const struct trace_comm *comm = trace_call_comm(trace, walk->call);
    int64_t id = walk->call->collective.counts;
    if (id == -1 || !comm) return STATUS_OK;
    if ((uint64_t)id >= trace->definitions.counts_count) FAIL(walk, "counts %" PRId64 " are not defined", id);
    const struct trace_counts *counts = &trace->definitions.counts[id];
    struct trace_neighbors neighbors;
    bool few = trace_call_neighbors(trace, walk->call, &neighbors);
    uint32_t expected = few ? neighbors.destination_count : comm->count;
    if (counts->count != expected)
        FAIL(walk, "%" PRIu32 " counts, expected one for each of the %" PRIu32 " %s", counts->count, expected,
             few ? "destinations" : "members");
    for (uint32_t i = 0; i < counts->count; i++) {
        if (counts->bytes[i] < 0) FAIL(walk, "counts hold %" PRId64 ", expected 0 or more", counts->bytes[i]);
        TRY(add_bytes(walk, "counts", counts->bytes[i]));
    }
    return STATUS_OK;
}

static enum status check_group(struct walk *walk)
{
    const struct trace *trace = walk->trace;
    uint32_t id = walk->call->sync.group;
    if (id >= trace->definitions.group_count) FAIL(walk, "group %" PRIu32 " is not defined", id);
    if (walk->call->handle == TRACE_NONE) return STATUS_OK;
    int32_t comm = trace->definitions.windows[walk->call->handle].comm;
    uint64_t *seen, key = map_pair(id, (uint32_t)comm);
    if (map_find(&walk->groups, key)) return STATUS_OK;
    const struct trace_group *group = &trace->definitions.groups[id];
    for (uint32_t i = 0; i < group->count; i++)
        if (trace_comm_rank(&trace->definitions.comms[comm], group->members[i]) == TRACE_NONE)
            FAIL(walk, "group member %" PRId32 " is no member of window %" PRId32, group->members[i],
                 walk->call->handle);
    return map_put(&walk->groups, key, 1, &seen, walk->err);
}

static bool is_forgotten(const struct walk *walk, uint32_t id)
{
    return id >= walk->so_far.made_from && id < walk->so_far.made_end && !map_find(&walk->so_far.requests, id);
}

static enum status make_request(struct walk *walk)
{
    uint64_t *state;
    uint32_t id = walk->call->ref;
    if (id == TRACE_NO_REF && (walk->call->flags & TRACE_BREAK)) return STATUS_OK;
    if (id == TRACE_NO_REF) FAIL(walk, "no request, expected req");
    if (id > TRACE_REQUEST_MAX) FAIL(walk, "req=%" PRIu32 ", expected at most %d", id, TRACE_REQUEST_MAX);
    if (is_forgotten(walk, id)) FAIL(walk, "req=%" PRIu32 " was made before, expected a new request", id);
    TRY(map_put(&walk->so_far.requests, id, REQUEST_NEVER, &state, walk->err));
    if (*state != REQUEST_NEVER) FAIL(walk, "req=%" PRIu32 " was made before, expected a new request", id);
    *state = REQUEST_LIVE;
    if (walk->so_far.made_from == walk->so_far.made_end) walk->so_far.made_from = walk->so_far.made_end = id;
    if (id == walk->so_far.made_end) walk->so_far.made_end++;
    return STATUS_OK;
}

static enum status use_request(struct walk *walk, uint32_t id, bool done)
{
    uint64_t *state = map_find(&walk->so_far.requests, id);
    bool done_before = state ? *state == REQUEST_DONE : is_forgotten(walk, id);
    if (!state && !done_before) FAIL(walk, "req=%" PRIu32 " is used before it was made", id);
    if (done_before) FAIL(walk, "req=%" PRIu32 " was completed before, expected a live request", id);
    if (done) *state = REQUEST_DONE;
    return STATUS_OK;
}

static enum status check_requests(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    bool list = call_row(call->call)->needed & F_REQS;
    uint32_t count;
    if (call_makes_request(call->call)) return make_request(walk);
    if (call_arm(call_kind(call->call)) != ARM_COMPLETION) return STATUS_OK;
    if (list && call->completion.list >= walk->trace->definitions.list_count)
        FAIL(walk, "request list %" PRIu32 " is not defined", call->completion.list);
    const uint32_t *ids = trace_call_completed(walk->trace, call, &count);
    if (count > 0 && call_kind(call->call) == CALL_REQUEST_TESTALL && !(call->flags & (TRACE_FLAG | TRACE_BREAK)))
        FAIL(walk, "reqs of a call with flag=0, expected none: it completes no request");
    for (uint32_t i = 0; i < count; i++) TRY(use_request(walk, ids[i], list || !(call->flags & TRACE_BREAK)));
    return count > 0 || list || call->ref == TRACE_NO_REF ? STATUS_OK : use_request(walk, call->ref, false);
}

static enum status check_region(struct walk *walk)
{
    const struct trace *trace = walk->trace;
    uint32_t id = walk->call->ref;
    if (id >= trace->definitions.region_count) FAIL(walk, "region %" PRIu32 " is not defined", id);
    struct thread_walk *thread = walk->thread;
    if (walk->call->call == ID_region_enter) {
        ARRAY_PUSH(thread->regions, thread->region_count, thread->region_capacity, id, walk->err);
        return STATUS_OK;
    }
    if (thread->region_count == 0)
        FAIL(walk, "leave %s without enter, expected \"enter %s\" before it", trace->definitions.regions[id],
             trace->definitions.regions[id]);
    uint32_t open = thread->regions[--thread->region_count];
    if (open != id)
        FAIL(walk, "leave %s, expected \"leave %s\": the region entered last", trace->definitions.regions[id],
             trace->definitions.regions[open]);
    return STATUS_OK;
}

/* A buffer that moves no bytes has no extent. A receive's buffer may be larger than its message. */
static enum status check_gaps(const struct walk *walk)
{
    const struct trace_call *call = walk->call;
    switch (call_kind(call->call)) {
    case CALL_PUT:
    case CALL_GET:
    case CALL_ACCUMULATE:
    case CALL_SEND:
    case CALL_ISEND:
        if (call->bytes == 0) FAIL(walk, "the extent of a buffer with gaps, but bytes=0");
        return STATUS_OK;
    default: return STATUS_OK;
    }
}

/* The key of the arm's second member in the call's row. */
static const char *key_of_second(uint32_t allowed)
{
    enum call_field field = allowed & F_MUTEX     ? F_MUTEX_INDEX
                            : allowed & F_PARTIES ? F_PARTIES_INDEX
                                                  : F_RESULT_BYTES_INDEX;
    return call_field_key(field);
}

static enum status check_sizes(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    uint32_t allowed = call_row(call->call)->allowed;
    if (call->bytes < 0) FAIL(walk, "bytes=%" PRId64 ", expected 0 or more", call->bytes);
    if (call->any.first < -1 && !(allowed & F_SOURCE))
        FAIL(walk, "disp=%" PRId64 ", expected 0 or more", call->any.first);
    if (call->any.first > TRACE_DISP_MAX && !(allowed & F_SOURCE))
        FAIL(walk, "disp=%" PRId64 ", expected at most %" PRId64, call->any.first, TRACE_DISP_MAX);
    if (call->any.second < 0)
        FAIL(walk, "%s=%" PRId64 ", expected 0 or more", key_of_second(allowed), call->any.second);
    if (call_is_thread(call->call)) {
        /* Checks the numbers of semaphores and thread barriers, with which the replay counts. */
        if ((allowed & F_VALUE) && call->primitive.value > INT32_MAX)
            FAIL(walk, "value=%" PRId64 ", expected at most %d", call->primitive.value, INT32_MAX);
        if ((allowed & F_PARTIES) && call->primitive.parties > INT32_MAX)
            FAIL(walk, "parties=%" PRId64 ", expected at most %d", call->primitive.parties, INT32_MAX);
        return STATUS_OK;
    }
    TRY(add_bytes(walk, "bytes", call->bytes));
    return add_bytes(walk, "result_bytes", call->rma.result_bytes);
}

static enum status check_values(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    TRY(check_sizes(walk));
    if (call->site >= walk->trace->definitions.site_count) FAIL(walk, "site %" PRIu32 " is not defined", call->site);
    if (call->flags & TRACE_GAPS) TRY(check_gaps(walk));
    if ((call->flags & TRACE_BREAK) && walk->index != walk->thread->last_index)
        FAIL(walk, "the recording breaks off here, expected no event after it");
    if (call_kind(call->call) != CALL_COMM_CREATE || call->comm.newcomm == TRACE_NO_REF) return STATUS_OK;
    if (call->comm.newcomm >= walk->trace->definitions.comm_count)
        FAIL(walk, "newcomm=%" PRIu32 " is not defined", call->comm.newcomm);
    if (trace_comm_rank(&walk->trace->definitions.comms[call->comm.newcomm], (int32_t)walk->rank) == TRACE_NONE)
        FAIL(walk, "rank %" PRIu32 " is no member of newcomm=%" PRIu32, walk->rank, call->comm.newcomm);
    return STATUS_OK;
}

static enum status check_child(struct walk *walk, bool create)
{
    uint32_t child = walk->call->primitive.child, self = (uint32_t)(walk->thread - walk->threads);
    if (child == TRACE_NO_REF) return STATUS_OK;
    if (child >= walk->thread_count || child == self || (create && child == 0))
        FAIL(walk, "child=%" PRIu32 " of thread %" PRIu32 ", expected another thread of the rank", child, self);
    struct thread_walk *of = &walk->threads[child];
    if (create && of->created) FAIL(walk, "thread %" PRIu32 " was created before, expected a new thread", child);
    if (create && of->called) FAIL(walk, "thread %" PRIu32 " has called before, expected its creation first", child);
    of->created = of->created || create;
    if (create || (walk->call->flags & TRACE_BREAK)) return STATUS_OK;
    if (of->joined) FAIL(walk, "thread %" PRIu32 " was joined before, expected once", child);
    if (of->called && of->exit_ps > walk->call->exit_ps)
        FAIL(walk, "thread %" PRIu32 " is joined while it is inside a call, expected its end before", child);
    of->joined = true;
    of->joined_ps = walk->call->exit_ps;
    return STATUS_OK;
}

static enum status check_object(struct walk *walk, const char *key, int64_t id, enum call_object object)
{
    static const char *const names[] = {"nothing", "epoch",     "mutex",          "condition",
                                        "barrier", "semaphore", "read-write lock"};
    uint64_t *known;
    if (id == TRACE_NO_REF) FAIL(walk, "no %s, expected %s", names[object], key);
    if (id > TRACE_NO_REF) FAIL(walk, "%s=%" PRId64 ", expected at most %" PRIu32, key, id, TRACE_NO_REF - 1);
    TRY(map_put(&walk->objects, (uint64_t)id, object, &known, walk->err));
    if (*known != (uint64_t)object)
        FAIL(walk, "%s=%" PRId64 " is a %s, expected a %s", key, id, names[*known], names[object]);
    return STATUS_OK;
}

static enum status check_primitive(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    const struct call_row *row = call_row(call->call);
    if (row->needed & F_CHILD) return check_child(walk, row->kind == CALL_THREAD_CREATE);
    if (row->kind == CALL_THREAD_BEGIN && walk->thread->called)
        FAIL(walk, "the thread has called before, expected its begin first");
    if (row->kind == CALL_THREAD_END && walk->index != walk->thread->last_index)
        FAIL(walk, "the thread ends, expected no event after it");
    if (!(row->needed & F_OBJECT)) return STATUS_OK;
    TRY(check_object(walk, "object", call->primitive.object, call_kind_rows[row->kind].works_on));
    if (row->needed & F_MUTEX) TRY(check_object(walk, "mutex", call->primitive.mutex, OBJECT_MUTEX));
    if (!(row->needed & F_PARTIES)) return STATUS_OK;
    uint64_t *known;
    if (call->primitive.parties < 1)
        FAIL(walk, "parties=%" PRId64 ", expected at least one thread", call->primitive.parties);
    TRY(map_put(&walk->parties, call->primitive.object, (uint64_t)call->primitive.parties, &known, walk->err));
    if (*known != (uint64_t)call->primitive.parties)
        FAIL(walk, "parties=%" PRId64 ", expected %" PRIu64 " as in the barrier's calls before",
             call->primitive.parties, *known);
    return STATUS_OK;
}

#ifndef NDEBUG
static bool keeps_to_arm(const struct trace_call *call)
{
    struct trace_call own = *call;
    trace_call_clear_others(&own);
    return memcmp(&own.any, &call->any, sizeof own.any) == 0;
}
#endif

static enum status check_call(struct walk *walk)
{
    assert(keeps_to_arm(walk->call)); /* readers and transforms set nothing outside it */
    uint32_t needed = call_row(walk->call->call)->needed;
    TRY(check_handle(walk));
    TRY(check_peer(walk));
    TRY(check_values(walk));
    if (needed & F_GROUP) TRY(check_group(walk));
    if (call_row(walk->call->call)->allowed & F_NEIGHBORS) TRY(check_neighbors(walk));
    if (call_row(walk->call->call)->allowed & F_COUNTS) TRY(check_counts(walk));
    if (needed & F_REGION) TRY(check_region(walk));
    if (call_is_thread(walk->call->call)) TRY(check_primitive(walk));
    if (call_is_shmem(walk->call->call) && (needed & F_OBJECT) && walk->call->ref == TRACE_NO_REF)
        FAIL(walk, "no lock, expected object");
    return check_requests(walk);
}

/* Whether the receive's communicator and sender are known only from its completion. */
static bool is_unknown(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_IRECV && call->handle == TRACE_NONE;
}

static enum status open_threads(struct walk *walk)
{
    const struct trace_rank *rank = &walk->trace->ranks[walk->rank];
    walk->thread_count = trace_thread_count(walk->trace, walk->rank);
    size_t known = walk->thread_capacity;
    TRY(array_reserve((void **)&walk->threads, &walk->thread_capacity, walk->thread_count, sizeof *walk->threads,
                      walk->err));
    memset(walk->threads + known, 0, (walk->thread_capacity - known) * sizeof *walk->threads);
    for (uint32_t i = 0; i < walk->thread_count; i++) {
        struct thread_walk *thread = &walk->threads[i];
        *thread = (struct thread_walk){.regions = thread->regions, .region_capacity = thread->region_capacity};
        thread->last_index = rank->count - 1;
        thread->exit_ps = INT64_MIN;
    }
    for (size_t i = 0; rank->thread && i < rank->count; i++) {
        if (rank->thread[i] < walk->thread_count) {
            walk->threads[rank->thread[i]].last_index = i;
            continue;
        }
        walk->index = i;
        walk->call = &rank->calls[i];
        FAIL(walk, "thread %u, expected 0 to %" PRIu32, rank->thread[i], walk->thread_count - 1);
    }
    return STATUS_OK;
}

static bool is_time(int64_t ps)
{
    return ps >= -TRACE_TIME_MAX_PS && ps <= TRACE_TIME_MAX_PS;
}

/* Sleep is part of the time since the thread's call before, without what was something else. */
enum status trace_check_before(const struct trace *trace, uint32_t rank, size_t index, const struct trace_call *call,
                               const int64_t before_ps[BEFORE_COUNT], int64_t since_ps, struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    bool whole = !trace->provenance.uses_computing;
    for (int b = 0; b < BEFORE_COUNT; b++) {
        if (before_ps[b] == TRACE_UNKNOWN_PS) continue;
        const char *key = trace_before_key((enum trace_before)b);
        if (!is_time(before_ps[b])) return trace_fail(err, trace, rank, index, call, "%s= is beyond " TIME_LIMIT, key);
        if (before_ps[b] < 0 && b != BEFORE_SLEPT)
            return trace_fail(err, trace, rank, index, call, "%s= is negative, expected 0 or more", key);
    }
    if (before_ps[BEFORE_SLEPT] == TRACE_UNKNOWN_PS) return STATUS_OK;
    if (whole && before_ps[BEFORE_PAUSED] > 0) since_ps -= before_ps[BEFORE_PAUSED];
    if ((whole || process->sim) && before_ps[BEFORE_CORE_WAIT] > 0) since_ps -= before_ps[BEFORE_CORE_WAIT];
    bool computes = process->compute_ps && process->compute_ps[index] != TRACE_UNKNOWN_PS;
    int64_t most_ps = computes ? process->compute_ps[index] : since_ps > 0 ? since_ps : 0;
    if (before_ps[BEFORE_SLEPT] >= 0 && before_ps[BEFORE_SLEPT] <= most_ps) return STATUS_OK;
    return trace_fail(err, trace, rank, index, call,
                      "slept=%.9f is no part of the gap before the call, expected 0 to %.9f s, without core_wait= and paused=",
                      units_s(before_ps[BEFORE_SLEPT]), units_s(most_ps));
}

/* Adds the time by which this call prolongs the lives of the rank's threads. Differences may exceed INT64_MAX, but not
 * UINT64_MAX. */
static enum status check_lives(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    const struct thread_walk *thread = walk->thread;
    int64_t begin_ps = walk->bounds->begin_ps, from_ps = thread == walk->threads ? begin_ps : call->enter_ps;
    uint64_t since_ps = (uint64_t)call->exit_ps - (uint64_t)begin_ps;
    if (since_ps > TRACE_LIVES_MAX_PS)
        FAIL(walk, "the call ends %.0f s behind the trace's begin, expected at most " LIVES_LIMIT,
             (double)since_ps * 1e-12);
    walk->so_far.lives_ps += (uint64_t)call->exit_ps - (uint64_t)(thread->called ? thread->exit_ps : from_ps);
    if (walk->so_far.lives_ps > TRACE_LIVES_MAX_PS)
        FAIL(walk, "the rank's threads last %.0f s together, expected at most " LIVES_LIMIT,
             (double)walk->so_far.lives_ps * 1e-12);
    return STATUS_OK;
}

static enum status check_time(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    struct thread_walk *thread = walk->thread;
    if (call->enter_ps < thread->exit_ps || call->exit_ps < call->enter_ps ||
        (walk->index > 0 && call->enter_ps < call[-1].enter_ps))
        FAIL(walk, "time runs backwards");
    if (thread->joined && call->exit_ps > thread->joined_ps)
        FAIL(walk, "thread %td calls after it was joined, expected no event", thread - walk->threads);
    if (!is_time(call->enter_ps) || !is_time(call->exit_ps)) FAIL(walk, "time is beyond " TIME_LIMIT);
    TRY(check_lives(walk));
    /* Checks the times beside enter and exit, each where it is known. */
    const struct trace_rank *rank = &walk->trace->ranks[walk->rank];
    const int64_t lasts_ps = walk->call->exit_ps - walk->call->enter_ps;
    int64_t compute_ps = rank->compute_ps ? rank->compute_ps[walk->index] : 0;
    if (compute_ps != TRACE_UNKNOWN_PS && !is_time(compute_ps)) FAIL(walk, "computing is beyond " TIME_LIMIT);
    int64_t before_ps[BEFORE_COUNT], left_ps = walk->thread->called ? walk->thread->exit_ps : walk->bounds->begin_ps;
    bool any = false;
    for (int b = 0; b < BEFORE_COUNT; b++) {
        before_ps[b] = rank->before_ps[b] ? rank->before_ps[b][walk->index] : TRACE_UNKNOWN_PS;
        any = any || before_ps[b] != TRACE_UNKNOWN_PS;
    }
    if (any)
        TRY(trace_check_before(walk->trace, walk->rank, walk->index, walk->call, before_ps, walk->call->enter_ps - left_ps,
                               walk->err));
    if (!rank->sim) return STATUS_OK;
    const struct trace_sim *sim = &rank->sim[walk->index];
    const int64_t known[] = {sim->xfer_start_ps,     sim->xfer_end_ps,     sim->base_end_ps,
                             sim->extended_end_ps,   sim->xfer_least_ps,   sim->progress_from_ps,
                             sim->progress_until_ps, sim->awaited_post_ps, sim->released_ps};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] != TRACE_UNKNOWN_PS && !is_time(known[i])) FAIL(walk, "a simulated time is beyond " TIME_LIMIT);
    if (sim->blocked_ps < 0 || sim->blocked_ps > lasts_ps)
        FAIL(walk, "blocked= is no part of the call's time, expected 0 to exit - enter");
    return STATUS_OK;
}

/* Checks the calls from first on. */
static enum status check_calls(struct walk *walk, size_t first)
{
    const struct trace_rank *rank = &walk->trace->ranks[walk->rank];
    for (walk->index = first; walk->index < rank->count; walk->index++) {
        walk->call = &rank->calls[walk->index];
        if (walk->call->call >= MPI_CALL_COUNT) FAIL(walk, "unknown call number %u", walk->call->call);
        walk->thread = &walk->threads[trace_call_thread(walk->trace, walk->rank, walk->index)];
        TRY(check_time(walk));
        TRY(walk->unfinished && is_unknown(walk->call) ? check_requests(walk) : check_call(walk));
        walk->thread->exit_ps = walk->call->exit_ps;
        walk->thread->called = true;
    }
    return STATUS_OK;
}

static enum status check_heaps(const struct trace *trace, struct err *err)
{
    size_t heap = trace->definitions.window_count;
    for (size_t i = 0; i < trace->definitions.window_count; i++) {
        if (trace->definitions.windows[i].flavor != 'h') continue;
        char place[TRACE_PLACE_BYTES];
        snprintf(place, sizeof place, "window %zu", i);
        if (heap < trace->definitions.window_count)
            return err_set(err, STATUS_DATA, trace->name, place,
                           "flavor=heap, which window %zu is, expected one symmetric memory of OpenSHMEM", heap);
        if (trace->definitions.comms[trace->definitions.windows[i].comm].count == 0)
            return err_set(err, STATUS_DATA, trace->name, place, "flavor=heap without a rank, expected one or more");
        heap = i;
    }
    return STATUS_OK;
}

static enum status check_comm(const struct trace *trace, size_t id, struct err *err)
{
    const struct trace_comm *comm = &trace->definitions.comms[id];
    char place[TRACE_PLACE_BYTES];
    snprintf(place, sizeof place, "comm %zu", id);
    for (uint32_t k = 0; k < comm->count; k++) {
        int32_t member = comm->members[k];
        if (member < 0 || (uint32_t)member >= trace->rank_count)
            return err_set(err, STATUS_DATA, trace->name, place,
                           "member %" PRId32 " is not a rank, expected 0 to %" PRIu32, member, trace->rank_count - 1);
    }
    for (uint32_t k = 1; comm->order && k < comm->count; k++) {
        int32_t member = comm->members[comm->order[k]];
        if (member == comm->members[comm->order[k - 1]])
            return err_set(err, STATUS_DATA, trace->name, place, "rank %" PRId32 " is a member twice, expected once",
                           member);
    }
    return STATUS_OK;
}

/* Checks the sizes of a window. */
static enum status check_window(const struct trace *trace, size_t id, struct err *err)
{
    const struct trace_window *window = &trace->definitions.windows[id];
    char place[TRACE_PLACE_BYTES];
    snprintf(place, sizeof place, "window %zu", id);
    for (uint32_t k = 0; k < trace->definitions.comms[window->comm].count; k++) {
        if (window->bytes && (window->bytes[k] < 0 || window->bytes[k] > TRACE_DISP_MAX))
            return err_set(err, STATUS_DATA, trace->name, place, "%" PRId64 " bytes, expected 0 to %" PRId64,
                           window->bytes[k], TRACE_DISP_MAX);
        if (window->disp_unit && window->disp_unit[k] < 1)
            return err_set(err, STATUS_DATA, trace->name, place, "displacement unit %" PRId32 ", expected 1 or more",
                           window->disp_unit[k]);
    }
    return STATUS_OK;
}

enum status trace_check_definitions(const struct trace *trace, struct err *err)
{
    if (trace->provenance.record_cost_ps < 0 || trace->provenance.record_cost_ps > TRACE_TIME_MAX_PS)
        return err_set(err, STATUS_DATA, trace->name, "record_cost", "expected 0 to 6000000 s");
    for (size_t i = 0; i < trace->definitions.comm_count; i++) TRY(check_comm(trace, i, err));
    for (size_t i = 0; i < trace->definitions.window_count; i++) TRY(check_window(trace, i, err));
    return check_heaps(trace, err);
}

/* A first call beyond the limits does not count as the begin: check_time() refuses it. */
static struct trace_bounds bounds_of(const struct trace *trace)
{
    struct trace_bounds bounds = {.begin_ps = TRACE_TIME_MAX_PS, .most_bytes = TRACE_BYTES_MAX / trace->rank_count};
    for (uint32_t r = 0; !trace->begin_known && r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        if (rank->count > 0 && is_time(rank->calls[0].enter_ps) && rank->calls[0].enter_ps < bounds.begin_ps)
            bounds.begin_ps = rank->calls[0].enter_ps;
    }
    if (trace->begin_known) bounds.begin_ps = trace->begin_ps;
    return bounds;
}

struct ranks {
    const struct trace *trace;
    struct trace_bounds bounds;
    struct trace *cut; /* the same trace if ranks are cut at their first fault; NULL: a fault is an error */
    uint32_t per_block;
};

static enum status check_block(void *context, size_t block, struct err *err)
{
    const struct ranks *ranks = context;
    uint32_t count = ranks->trace->rank_count, first = (uint32_t)block * ranks->per_block;
    uint32_t end = count - first > ranks->per_block ? first + ranks->per_block : count;
    struct walk walk = {.trace = ranks->trace, .bounds = &ranks->bounds, .err = err};
    enum status status = STATUS_OK;
    for (walk.rank = first; status == STATUS_OK && walk.rank < end; walk.rank++) {
        status = open_threads(&walk);
        if (status == STATUS_OK) status = check_calls(&walk, 0);
        if (status == STATUS_DATA && ranks->cut) status = trace_cut(ranks->cut, walk.rank, walk.index, err, err);
        map_clear(&walk.so_far.requests);
        walk.so_far = (struct rank_state){.bytes = 0};
        map_clear(&walk.objects);
        map_clear(&walk.parties);
    }
    map_clear(&walk.groups);
    for (size_t i = 0; i < walk.thread_capacity; i++) free(walk.threads[i].regions);
    free(walk.threads);
    return status;
}

static enum status check_trace(const struct trace *trace, struct trace *cut, struct err *err)
{
    if (trace->rank_count == 0) return err_set(err, STATUS_DATA, trace->name, NULL, "no ranks, expected at least one");
    TRY(trace_check_definitions(trace, err));
    /* Cuts change shared data, so one thread checks all ranks then. */
    enum { BLOCKS = 64, THREAD_CALLS = 1 << 16 };
    struct ranks ranks = {trace, bounds_of(trace), cut, trace->rank_count / BLOCKS + 1};
    unsigned threads = cut ? 1 : parallel_threads(trace_all_calls(trace), THREAD_CALLS);
    size_t blocks = (trace->rank_count + ranks.per_block - 1) / ranks.per_block;
    return parallel_run(blocks, threads, check_block, &ranks, err);
}

enum status trace_check(const struct trace *trace, struct err *err)
{
    return check_trace(trace, NULL, err);
}

enum status trace_check_partly(struct trace *trace, struct err *err)
{
    return check_trace(trace, trace, err);
}

enum status trace_check_whole_rank(const struct trace *trace, uint32_t rank, struct err *err)
{
    struct ranks ranks = {.trace = trace, .bounds = bounds_of(trace), .per_block = 1};
    return check_block(&ranks, rank, err);
}

struct checked_rank { /* between two slices */
    struct rank_state so_far;
    struct thread_walk thread;
};

struct trace_checker {
    struct checked_rank *ranks;
    uint32_t rank_count;
    bool bounded; /* the bounds are those of the first slice */
    struct trace_bounds bounds;
    struct map groups;
};

enum status trace_checker_new(const struct trace *trace, struct trace_checker **checker, struct err *err)
{
    TRY(trace_check_definitions(trace, err));
    struct trace_checker *made = calloc(1, sizeof *made);
    if (made) made->ranks = calloc((size_t)trace->rank_count + 1, sizeof *made->ranks);
    if (!made || !made->ranks) {
        free(made);
        return err_memory(err);
    }
    made->rank_count = trace->rank_count;
    for (uint32_t r = 0; r < made->rank_count; r++) made->ranks[r].thread.exit_ps = INT64_MIN;
    *checker = made;
    return STATUS_OK;
}

void trace_checker_free(struct trace_checker *checker)
{
    if (!checker) return;
    for (uint32_t r = 0; r < checker->rank_count; r++) {
        map_clear(&checker->ranks[r].so_far.requests);
        free(checker->ranks[r].thread.regions);
    }
    map_clear(&checker->groups);
    FREE_ALL(checker->ranks, checker);
}

/* Completed requests are forgotten from time to time, if their ids are in the range of consecutive ones. */
static bool may_forget(const struct walk *walk, size_t i)
{
    const struct map *requests = &walk->so_far.requests;
    return requests->used[i] && requests->values[i] == REQUEST_DONE && requests->keys[i] >= walk->so_far.made_from &&
           requests->keys[i] < walk->so_far.made_end;
}

static enum status forget_requests(struct walk *walk)
{
    struct map *requests = &walk->so_far.requests;
    enum { FEW = 1024 };
    struct map live = {0};
    size_t done = 0;
    for (size_t i = 0; i < requests->capacity; i++) done += may_forget(walk, i);
    if (done < FEW) return STATUS_OK;
    for (size_t i = 0; i < requests->capacity; i++) {
        uint64_t *slot;
        if (!requests->used[i] || may_forget(walk, i)) continue;
        enum status status = map_put(&live, requests->keys[i], requests->values[i], &slot, walk->err);
        if (status == STATUS_OK) continue;
        map_clear(&live);
        return status;
    }
    map_clear(requests);
    *requests = live;
    return STATUS_OK;
}

/* Checks receives of earlier slices whose senders have become known. */
static enum status check_kept(struct walk *walk)
{
    const struct trace_rank *rank = &walk->trace->ranks[walk->rank];
    for (walk->index = 0; walk->index < rank->kept_count; walk->index++) {
        walk->call = &rank->calls[walk->index];
        if (call_kind(walk->call->call) != CALL_IRECV || (walk->unfinished && is_unknown(walk->call))) continue;
        TRY(check_handle(walk));
        TRY(check_peer(walk));
    }
    return STATUS_OK;
}

static enum status check_slice_of_rank(struct walk *walk, struct checked_rank *rank)
{
    rank->thread.last_index = walk->trace->ranks[walk->rank].count - 1;
    walk->threads = &rank->thread;
    walk->thread_count = 1;
    walk->so_far = rank->so_far;
    enum status status = check_kept(walk);
    if (status == STATUS_OK) status = check_calls(walk, walk->trace->ranks[walk->rank].kept_count);
    if (status == STATUS_OK) status = forget_requests(walk);
    rank->so_far = walk->so_far;
    return status;
}

static enum status check_ranks_of_slice(struct trace_checker *checker, struct walk *walk, uint32_t end)
{
    enum status status = STATUS_OK;
    if (!checker->bounded) checker->bounds = bounds_of(walk->trace);
    checker->bounded = true;
    walk->bounds = &checker->bounds;
    walk->groups = checker->groups;
    for (; status == STATUS_OK && walk->rank < end; walk->rank++)
        status = check_slice_of_rank(walk, &checker->ranks[walk->rank]);
    checker->groups = walk->groups;
    return status;
}

enum status trace_check_slice(struct trace_checker *checker, const struct trace *trace, bool last, struct err *err)
{
    struct walk walk = {.trace = trace, .unfinished = !last, .err = err};
    TRY(check_heaps(trace, err));
    return check_ranks_of_slice(checker, &walk, trace->rank_count);
}

enum status trace_check_rank(struct trace_checker *checker, const struct trace *trace, uint32_t rank, bool last, struct err *err)
{
    struct walk walk = {.trace = trace, .rank = rank, .unfinished = !last, .err = err};
    const struct trace_rank *process = &trace->ranks[rank];
    if (!trace->begin_known && process->first_event == 0 && process->count > 0) {
        checker->bounds = (struct trace_bounds){process->calls[0].enter_ps, TRACE_BYTES_MAX / trace->rank_count};
        checker->bounded = true;
    }
    return check_ranks_of_slice(checker, &walk, rank + 1);
}
