/* Makes calls from the records of one rank. */
#include <inttypes.h>
#include <stdio.h>

#include "common/array.h"
#include "common/units.h"
#include "trace/interval_marks.h"
#include "trace/limits.h"
#include "trace/spool/events.h"

static enum status look_up_id(struct events *events, const struct spool_ids *ids, uint32_t local, const char *what,
                              uint32_t *id)
{
    if (local >= ids->count) SPOOL_FAIL(events, "%s %" PRIu32 " is not defined", what, local);
    *id = ids->items[local];
    return STATUS_OK;
}

static int32_t world_rank(const struct events *events, int32_t peer)
{
    return peer < 0 || (uint32_t)peer >= events->spool->world ? TRACE_NONE : peer;
}

/* The recorder numbers operations otherwise than the trace. */
static enum status set_tag(struct events *events, const struct call_row *row, const struct spool_record *record)
{
    uint32_t id = 0;
    if (row->allowed & F_TAG) events->call.message.tag = record->tag;
    if (!(row->allowed & F_OP) || record->tag == 0) return STATUS_OK;
    TRY(look_up_id(events, &events->rank->ops, (uint32_t)record->tag - 1, "operation", &id));
    events->call.rma.op = (int32_t)id;
    return STATUS_OK;
}

static enum status set_handle(struct events *events, const struct call_row *row, const struct spool_record *record)
{
    uint32_t id = UINT32_MAX;
    if (row->kind == CALL_WIN_CREATE) return STATUS_OK;
    if ((row->allowed & F_WIN) && record->id != SPOOL_NO_ID)
        TRY(look_up_id(events, &events->rank->windows, record->id, "window", &id));
    if ((row->allowed & F_COMM) && record->id != SPOOL_NO_ID)
        TRY(look_up_id(events, &events->rank->comms, record->id, "communicator", &id));
    events->call.handle = id == UINT32_MAX ? TRACE_NONE : (int32_t)id;
    return STATUS_OK;
}

/* Displacements are recorded in the target's units. OpenSHMEM's are symmetric addresses. */
static void set_displacement(struct events *events, const struct call_row *row, const struct spool_record *record)
{
    if (!(row->allowed & F_DISP) || events->call.handle == TRACE_NONE) return;
    if (call_is_shmem((enum mpi_call)events->call.call)) {
        events->call.rma.disp = record->extra < 0 ? -1 : record->extra;
        return;
    }
    const struct trace_window *window = &events->trace->definitions.windows[events->call.handle];
    int32_t member = trace_comm_rank(&events->trace->definitions.comms[window->comm], events->call.peer);
    if (member != TRACE_NONE && window->disp_unit && record->extra >= 0)
        events->call.rma.disp = record->extra * window->disp_unit[member];
}

/* The entry has the counts' id plus 1. */
static enum status set_counts(struct events *events, const struct call_row *row, const struct spool_record *record)
{
    uint32_t id = 0;
    if (!(row->allowed & F_COUNTS) || record->extra == 0) return STATUS_OK;
    uint32_t local = record->extra > 0 && record->extra <= UINT32_MAX ? (uint32_t)(record->extra - 1) : UINT32_MAX;
    TRY(look_up_id(events, &events->rank->counts, local, "counts", &id));
    events->call.collective.counts = id;
    return STATUS_OK;
}

/* The tag is the list's id plus 1. */
static enum status set_neighbors(struct events *events, const struct call_row *row, const struct spool_record *record)
{
    uint32_t id = 0;
    if (!(row->allowed & F_NEIGHBORS)) return STATUS_OK;
    events->call.collective.neighbors = TRACE_NONE;
    if (record->tag == 0) return STATUS_OK;
    TRY(look_up_id(events, &events->rank->counts, (uint32_t)record->tag - 1, "list of neighbours", &id));
    events->call.collective.neighbors = (int32_t)id;
    return STATUS_OK;
}

/* OpenSHMEM's locks have addresses that all ranks know; they are numbered as they appear. */
static enum status set_lock(struct events *events, const struct call_row *row, const struct spool_record *record)
{
    if (!(row->allowed & F_OBJECT) || !call_is_shmem((enum mpi_call)events->call.call)) return STATUS_OK;
    return spool_block_lock(events->block, (uint64_t)record->extra, &events->call.shmem.lock, events->err);
}

static enum status set_request_list(struct events *events)
{
    if (events->list.bytes % sizeof(uint32_t) != 0) SPOOL_FAIL(events, "a torn list of requests");
    const uint32_t *requests = (const uint32_t *)(const void *)events->list.data;
    return trace_add_list(events->trace, requests, (uint32_t)(events->list.bytes / sizeof *requests),
                          &events->call.completion.list, events->err);
}

static void note_extents(struct events *events, const struct spool_record *record)
{
    events->gaps_next = true;
    events->next_extents.of[TRACE_ORIGIN] = record->bytes;
    events->next_extents.of[TRACE_TARGET] = record->extra;
    events->next_extents.of[TRACE_RESULT] = (int64_t)((uint64_t)(uint32_t)record->tag << 32 | (uint32_t)record->peer);
}

static enum status take_extents(struct events *events, const struct call_row *row)
{
    events->extents = (struct trace_extents){{0}};
    if (!events->gaps_next) return STATUS_OK;
    events->extents = events->next_extents;
    events->gaps_next = false;
    if (trace_extents_fit(row->kind, &events->extents)) return STATUS_OK;
    const int64_t *of = events->extents.of;
    SPOOL_FAIL(events,
               "%s with extents %" PRId64 ", %" PRId64 ", %" PRId64
               " of origin or send buffer, target, result or receive buffer, expected those that it has",
               row->name, of[TRACE_ORIGIN], of[TRACE_TARGET], of[TRACE_RESULT]);
}

/* Sets all members of the call but its times and extents. */
static enum status describe_call(struct events *events, uint32_t call, const struct spool_record *record)
{
    const struct call_row *row = call_row((enum mpi_call)call);
    events->call = (struct trace_call){.bytes = record->bytes,
                                       .any = TRACE_NO_MEMBERS,
                                       .handle = TRACE_NONE,
                                       .peer = world_rank(events, record->peer),
                                       .site = TRACE_NO_SITE,
                                       .call = (uint16_t)call,
                                       .flags = record->flags & (TRACE_ASSERTIONS | TRACE_EXCLUSIVE)};
    if (row->kind == CALL_IRECV && record->peer == SPOOL_PEER_ANY) events->call.peer = SPOOL_PEER_ANY;
    TRY(set_tag(events, row, record));
    TRY(set_handle(events, row, record));
    set_displacement(events, row, record);
    if ((row->needed & F_GROUP) && (uint32_t)record->tag != SPOOL_NO_ID)
        TRY(look_up_id(events, &events->rank->groups, (uint32_t)record->tag, "group", &events->call.sync.group));
    TRY(set_counts(events, row, record));
    TRY(set_neighbors(events, row, record));
    TRY(set_lock(events, row, record));
    if (row->needed & F_REQS) events->call.bytes = 0;
    if (call_is_thread((enum mpi_call)call)) {
        /* id: thread or object; bytes: what else the primitive names. */
        events->call.bytes = 0;
        if (row->needed & (F_OBJECT | F_CHILD)) events->call.ref = record->id;
        if (row->allowed & F_VALUE)
            events->call.primitive.value = record->bytes;
        else if (row->allowed & (F_MUTEX | F_PARTIES))
            events->call.any.second = record->bytes;
    }
    if ((row->kind == CALL_ISEND || row->kind == CALL_IRECV) && (record->flags & SPOOL_STARTED))
        events->call.flags = TRACE_STARTED;
    if ((row->needed & F_REQ) && record->id != SPOOL_NO_ID && !call_makes_request((enum mpi_call)call))
        events->call.ref = record->id;
    return STATUS_OK;
}

/* A sum beyond what a trace takes stays beyond it, and trace_check() refuses it. */
static void add_before(struct events *events, enum trace_before what, int64_t ps)
{
    const int64_t most_ps = TRACE_TIME_MAX_PS + 1;
    int64_t known_ps = events->before_known[what] ? events->before_ps[what] : 0;
    events->before_ps[what] = ps > most_ps - known_ps ? most_ps : known_ps + ps;
    events->before_known[what] = true;
}

static enum status add_before_ns(struct events *events, enum trace_before what, int64_t ns)
{
    if (ns < 0 || ns > TRACE_TIME_MAX_PS / 1000)
        SPOOL_FAIL(events, "%s of %" PRId64 " ns, expected 0 to 6000000 s", trace_before_key(what), ns);
    add_before(events, what, ns * 1000);
    return STATUS_OK;
}

static enum status add_core_wait(struct events *events, int64_t ns)
{
    if (!events->enter) return add_before_ns(events, BEFORE_CORE_WAIT, ns);
    return trace_core_wait_is_known(&events->call) ? add_before_ns(events, BEFORE_CORE_WAIT_INSIDE, ns) : STATUS_OK;
}

/* The time of a record, on rank 0's clock. Only clocks of other machines may be before time zero, by their error. */
static enum status read_time(struct events *events, uint64_t time, int64_t *time_ps)
{
    const int64_t least_ps = -TRACE_TIME_MAX_PS / 4;
    *time_ps = spool_time_ps(events->spool, events->rank, time);
    if (*time_ps >= least_ps && *time_ps <= TRACE_TIME_MAX_PS) return STATUS_OK;
    SPOOL_FAIL(events, "a time of %s%.6g s, expected 0 to 6000000 s after the first event",
               *time_ps > TRACE_TIME_MAX_PS ? "more than " : "", units_s(*time_ps));
}

/* Returns how long recording has been stopped up to the thread's time. Records of the rank's threads come in order. */
static int64_t paused_ps(const struct events *events)
{
    const struct spool_shared *shared = events->shared;
    int64_t now_ps = shared->paused ? events->last_ps - shared->paused_from_ps : 0;
    return shared->paused_ps + (now_ps > 0 ? now_ps : 0);
}

static void take_pause(struct events *events, bool stops)
{
    struct spool_shared *shared = events->shared;
    shared->paused_ps = paused_ps(events);
    shared->paused = stops;
    shared->paused_from_ps = events->last_ps;
}

/* Adds how long recording was stopped before a thread's entry, or before an event without an end. */
static void end_gap(struct events *events)
{
    int64_t now_ps = paused_ps(events);
    if (now_ps > events->paused_ps) add_before(events, BEFORE_PAUSED, now_ps - events->paused_ps);
    events->paused_ps = now_ps;
}

static enum status take_new_enter(struct events *events, const struct spool_record *record)
{
    uint32_t call = 0;
    TRY(look_up_id(events, &events->rank->calls, record->call, "call", &call));
    if (call == SPOOL_NO_ID) SPOOL_FAIL(events, "a call that this rmacast does not know");
    TRY(take_extents(events, call_row((enum mpi_call)call)));
    return describe_call(events, call, record);
}

/* The meaning of an entry depends on its words and on definitions, which are all known. So an entry that repeats the
 * last one of its template is the same call. */
static enum status take_enter(struct events *events, const struct spool_record *record)
{
    unsigned pattern = events->cursor.pattern;
    if (events->enter) SPOOL_FAIL(events, "a call begins inside another one");
    if (events->cursor.repeated && events->is_known[pattern]) {
        events->call = events->known[pattern].call;
        TRY(take_extents(events, call_row((enum mpi_call)events->call.call)));
    } else {
        events->is_known[pattern] = false;
        TRY(take_new_enter(events, record));
        events->known[pattern].call = events->call;
        events->is_known[pattern] = true;
    }
    events->call.enter_ps = events->last_ps;
    end_gap(events);
    events->opened = *record;
    events->enter = &events->opened;
    return STATUS_OK;
}

/* Adds what the call returned. */
static enum status set_results(struct events *events, const struct spool_record *record)
{
    uint32_t id = 0;
    struct trace_call *call = &events->call;
    const struct call_row *row = call_row((enum mpi_call)call->call);
    bool says = !call_is_thread((enum mpi_call)call->call) || (row->needed & F_FLAG);
    if ((record->flags & SPOOL_FLAG) && says) call->flags |= TRACE_FLAG;
    if (row->needed & F_REQS) return set_request_list(events);
    if (row->kind == CALL_THREAD_JOIN) call->primitive.child = record->id; /* which may begin to be recorded meanwhile */
    if (call_makes_request((enum mpi_call)call->call)) {
        uint64_t *slot;
        events->call.ref = record->id;
        if (record->id >= events->shared->next_request) events->shared->next_request = record->id + 1;
        TRY(map_put(&events->shared->made, record->id, events->trace->ranks[events->number].count, &slot, events->err));
    }
    if ((row->needed & F_RESULT_BYTES) || row->kind == CALL_ALLTOALLV || row->kind == CALL_NEIGHBOR)
        call->any.second = record->bytes;
    switch (call_kind((enum mpi_call)call->call)) {
    case CALL_WIN_CREATE:
        if (record->id == SPOOL_NO_ID) return STATUS_OK;
        TRY(look_up_id(events, &events->rank->windows, record->id, "window", &id));
        call->handle = (int32_t)id;
        return STATUS_OK;
    case CALL_POST:
    case CALL_START: /* Open MPI 4.1 takes MPI_GROUP_NULL for an empty group */
        if (call->ref != TRACE_NO_REF) return STATUS_OK;
        call->sync.group = events->block->empty_group;
        events->block->uses_empty_group = true;
        return STATUS_OK;
    case CALL_COMM_CREATE:
        if (record->id != SPOOL_NO_ID)
            TRY(look_up_id(events, &events->rank->comms, record->id, "communicator", &call->comm.newcomm));
        if (call_makes_own_comm((enum mpi_call)call->call)) call->handle = (int32_t)call->comm.newcomm;
        return STATUS_OK;
    case CALL_SENDRECV:
        call->exchange.source = world_rank(events, record->peer);
        call->exchange.recv_tag = record->tag;
        call->exchange.recv_bytes = record->bytes;
        return STATUS_OK;
    case CALL_IPROBE:
        if (!(call->flags & TRACE_FLAG)) return STATUS_OK;
        /* fall through */
    case CALL_PROBE:
    case CALL_RECV:
        call->peer = world_rank(events, record->peer);
        call->message.tag = record->tag;
        call->bytes = record->bytes;
        return STATUS_OK;
    default: return STATUS_OK;
    }
}

static enum status add_call(struct events *events)
{
    const struct trace_rank *made = &events->trace->ranks[events->number];
    TRY(trace_add_thread_call(events->trace, events->number, events->thread, &events->call, events->err));
    return trace_set_extents(events->trace, events->number, made->count - 1, &events->extents, events->err);
}

static enum status mark_region(struct events *events, int64_t time_ps, bool enter, uint32_t id, uint32_t site)
{
    struct trace_call call = {.enter_ps = time_ps,
                              .exit_ps = time_ps,
                              .any = {.first = -1, .ref = id},
                              .handle = TRACE_NONE,
                              .peer = TRACE_NONE,
                              .site = site,
                              .call = enter ? ID_region_enter : ID_region_leave};
    if (enter) ARRAY_PUSH(events->regions, events->region_count, events->region_capacity, id, events->err);
    if (!enter) events->region_count--;
    return trace_add_thread_call(events->trace, events->number, events->thread, &call, events->err);
}

/* Keeps the time of the call and nothing else. */
static enum status add_as_region(struct events *events, const char *remark, uint32_t site)
{
    char name[128];
    uint32_t id;
    snprintf(name, sizeof name, "%s%s", call_name((enum mpi_call)events->call.call), remark);
    TRY(spool_block_region(events->block, name, &id, events->err));
    TRY(mark_region(events, events->call.enter_ps, true, id, site));
    return mark_region(events, events->last_ps, false, id, TRACE_NO_SITE);
}

/* Finds the site of the call that returns to an address of the rank. */
static enum status find_site(struct events *events, uint64_t address, uint32_t *site)
{
    const struct spool_place *place;
    const uint64_t *known = map_find(&events->shared->sites, address);
    uint64_t *slot;
    *site = TRACE_NO_SITE;
    if (known) *site = (uint32_t)*known;
    if (known) return STATUS_OK;
    TRY(spool_site(events->sites, events->rank, address, &place, events->err));
    if (place) TRY(trace_add_site(events->trace, place->function, place->file, place->line, site, events->err));
    return map_put(&events->shared->sites, address, *site, &slot, events->err);
}

static bool is_mark(const struct events *events, struct interval_mark *mark)
{
    enum call_kind kind = call_kind(events->call.call);
    return (kind == CALL_SEND || kind == CALL_RECV) && events->call.peer == (int32_t)events->number &&
           interval_mark_of_tag(events->call.message.tag, mark);
}

/* The call returned an error and did nothing. It takes part in no matching. */
static enum status add_failed(struct events *events, const struct spool_record *record)
{
    uint32_t site;
    struct interval_mark mark;
    TRY(find_site(events, (uint64_t)record->extra, &site));
    if (is_mark(events, &mark)) {
        /* A message to oneself that marks an interval: libraries refuse its tag. The send is the mark, the receive says
         * nothing. */
        char name[INTERVAL_MARK_BYTES];
        uint32_t id;
        if (call_kind(events->call.call) != CALL_SEND) return STATUS_OK;
        interval_mark_region(&mark, name);
        TRY(spool_block_region(events->block, name, &id, events->err));
        TRY(mark_region(events, events->call.enter_ps, true, id, site));
        return mark_region(events, events->last_ps, false, id, TRACE_NO_SITE);
    }
    events->block->failed++;
    return add_as_region(events, "(failed)", site);
}

static bool is_apart(const struct events *events)
{
    const struct call_row *row = call_row((enum mpi_call)events->call.call);
    return (row->needed & (F_COMM | F_WIN)) && events->call.handle == TRACE_NONE;
}

/* An error handler jumped out of the call, or threw an exception. The handler may not have been recorded. */
static enum status take_abandoned(struct events *events, bool left_out)
{
    if (left_out) events->enter = NULL;
    if (!events->enter) return STATUS_OK;
    bool site = !(call_row((enum mpi_call)events->call.call)->allowed & (F_DISP | F_COUNTS | F_OBJECT));
    struct spool_record where = {.extra = site ? events->enter->extra : 0};
    events->enter = NULL;
    events->list.bytes = 0;
    return add_failed(events, &where);
}

static enum status take_exit(struct events *events, const struct spool_record *record)
{
    if (!events->cursor.repeated) events->is_known[events->cursor.pattern] = false;
    if (!events->enter || events->enter->call != record->call) SPOOL_FAIL(events, "a call ends that has not begun");
    events->enter = NULL;
    events->paused_ps = paused_ps(events);
    if (record->flags & SPOOL_FAILED) {
        events->list.bytes = 0;
        return add_failed(events, record);
    }
    events->call.exit_ps = events->last_ps;
    TRY(set_results(events, record));
    events->list.bytes = 0;
    if (is_apart(events)) {
        /* The call is on a communicator that a trace cannot hold, or on a window of one. */
        uint32_t site;
        events->block->apart++;
        TRY(find_site(events, (uint64_t)record->extra, &site));
        return add_as_region(events, "", site);
    }
    if (spool_is_unmatched(&events->call)) events->block->unmatched++;
    unsigned pattern = events->cursor.pattern;
    if (!events->cursor.repeated || !events->is_known[pattern]) {
        TRY(find_site(events, (uint64_t)record->extra, &events->known[pattern].site));
        events->is_known[pattern] = true;
    }
    events->call.site = events->known[pattern].site;
    return add_call(events);
}

/* The receive that made the request is the call that says what arrived. */
static enum status take_match(struct events *events, const struct spool_record *record)
{
    const uint64_t *made = map_find(&events->shared->made, record->id);
    if (!made) SPOOL_FAIL(events, "request %" PRIu32 " was not made", record->id);
    struct trace_call *call = &events->trace->ranks[events->number].calls[*made];
    if (spool_is_unmatched(call)) events->block->unmatched--;
    call->peer = world_rank(events, record->peer);
    call->message.tag = record->tag;
    if (!(record->flags & SPOOL_TRUNCATED)) call->bytes = record->bytes;
    return STATUS_OK;
}

/* Regions nest; a leave that closes none is the program's slip and has no meaning. */
static enum status take_region(struct events *events, const struct spool_record *record)
{
    uint32_t id = 0;
    bool enter = record->kind == SPOOL_REGION_ENTER;
    TRY(look_up_id(events, &events->rank->regions, record->id, "region", &id));
    end_gap(events);
    if (!enter && (events->region_count == 0 || events->regions[events->region_count - 1] != id)) return STATUS_OK;
    return mark_region(events, events->last_ps, enter, id, TRACE_NO_SITE);
}

/* A function has the name of its symbol. Leaving it leaves what is still open inside it: recording was stopped there,
 * or a longjmp went past. */
static enum status take_function(struct events *events, const struct spool_record *record)
{
    uint32_t id, site;
    char address[32];
    end_gap(events);
    TRY(find_site(events, (uint64_t)record->extra + 1, &site));
    snprintf(address, sizeof address, "%#" PRIx64, (uint64_t)record->extra);
    const char *name = events->trace->definitions.sites[site].function;
    TRY(spool_block_region(events->block, name ? name : address, &id, events->err));
    if (record->kind == SPOOL_FUNCTION_ENTER) return mark_region(events, events->last_ps, true, id, site);
    size_t depth = events->region_count;
    while (depth > 0 && events->regions[depth - 1] != id) depth--;
    if (depth == 0) return STATUS_OK;
    while (events->region_count >= depth)
        TRY(mark_region(events, events->last_ps, false, events->regions[events->region_count - 1], TRACE_NO_SITE));
    return STATUS_OK;
}

enum status spool_events_take(struct events *events)
{
    const struct spool_record *record = &events->cursor.record;
    bool function = record->kind == SPOOL_FUNCTION_ENTER || record->kind == SPOOL_FUNCTION_LEAVE;
    bool rare = record->kind == SPOOL_ABANDONED || record->kind == SPOOL_PAUSE;
    if (record->kind < SPOOL_NAMES || function || rare) {
        /* The counter may be read a few ticks before an earlier reading of the same thread
         * (trace/record/output/ticks.h). */
        int64_t time_ps;
        TRY(read_time(events, record->time, &time_ps));
        bool earlier = spool_ticks(events->rank->header) && time_ps < events->last_ps;
        if (!earlier) events->last_ps = time_ps;
    }
    switch (record->kind) {
    case SPOOL_ENTER: return take_enter(events, record);
    case SPOOL_EXIT: return take_exit(events, record);
    case SPOOL_MATCH: return take_match(events, record);
    case SPOOL_REGION_ENTER:
    case SPOOL_REGION_LEAVE: return take_region(events, record);
    case SPOOL_FUNCTION_ENTER:
    case SPOOL_FUNCTION_LEAVE: return take_function(events, record);
    case SPOOL_ABANDONED: return take_abandoned(events, record->flags & SPOOL_LEFT_OUT);
    case SPOOL_CPU: return add_before_ns(events, BEFORE_CPU, record->extra);
    case SPOOL_CORE_WAIT: return add_core_wait(events, record->extra);
    case SPOOL_SLEPT: return add_before_ns(events, BEFORE_SLEPT, record->extra);
    case SPOOL_PAUSE: take_pause(events, record->flags & SPOOL_STOPS); return STATUS_OK;
    case SPOOL_EXTENTS: note_extents(events, record); return STATUS_OK;
    case SPOOL_LIST: return spool_content(&events->cursor, &events->list, events->err);
    default: return STATUS_OK;
    }
}

enum status spool_events_add_creation(struct events *creator, const struct spool_record *creation, uint32_t child)
{
    bool forked = creation->kind == SPOOL_FORKED; /* then the member's omp_begin, which comes next, has the same object */
    int64_t time_ps;
    TRY(read_time(creator, (uint64_t)creation->bytes, &time_ps));
    if (time_ps > creator->last_ps) creator->last_ps = time_ps;
    struct trace_call call = {.enter_ps = creator->last_ps,
                              .exit_ps = creator->last_ps,
                              .any = {.first = forked ? 0 : -1, .ref = forked ? SPOOL_TEAM_OBJECTS + 2 * child : child},
                              .handle = TRACE_NONE,
                              .peer = TRACE_NONE,
                              .call = forked ? ID_omp_fork : ID_pthread_create};
    TRY(find_site(creator, (uint64_t)creation->extra, &call.site));
    return trace_add_thread_call(creator->trace, creator->number, creator->thread, &call, creator->err);
}

/* Wrong arguments are a usual reason why MPI ends a program inside a call. */
static bool has_legal_arguments(const struct events *events)
{
    const struct trace_call *call = &events->call;
    const struct call_row *row = call_row(call->call);
    if ((row->allowed & F_ROOT) && call->peer == TRACE_NONE) return false;
    if ((row->needed & F_GROUP) && call->sync.group == TRACE_NO_REF) return false;
    if ((row->allowed & F_COUNTS) && call->collective.counts >= 0) {
        const struct trace_counts *counts = &events->trace->definitions.counts[call->collective.counts];
        for (uint32_t i = 0; i < counts->count; i++)
            if (counts->bytes[i] < 0) return false;
    }
    return call->bytes >= 0 && call->any.second >= 0 && (call->any.first >= -1 || (row->allowed & F_SOURCE));
}

enum status spool_events_break_off(struct events *events)
{
    enum mpi_call call = (enum mpi_call)events->call.call;
    enum call_kind kind = call_kind(call);
    if (kind != CALL_WIN_CREATE && is_apart(events)) return add_as_region(events, "", TRACE_NO_SITE);
    if (kind == CALL_WIN_CREATE || !has_legal_arguments(events)) return STATUS_OK;
    if (call_row(call)->needed & F_REQS) TRY(set_request_list(events));
    if (call_makes_request(call)) events->call.ref = events->shared->next_request++;
    events->call.exit_ps = events->last_ps;
    events->call.flags |= TRACE_BREAK;
    if (spool_is_unmatched(&events->call)) events->block->unmatched++;
    if (!(call_row(call)->allowed & (F_DISP | F_COUNTS | F_OBJECT)))
        TRY(find_site(events, (uint64_t)events->enter->extra, &events->call.site));
    return add_call(events);
}
