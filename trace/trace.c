#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/huge_pages.h"
#include "common/units.h"
#include "trace/faults.h"

enum trace_origin trace_origin(const struct trace *trace)
{
    const struct trace_provenance *provenance = &trace->provenance;
    if (provenance->simulated) return TRACE_SIMULATED;
    if (!provenance->generator) return TRACE_RECORDED;
    return strcmp(provenance->generator, TRACE_GENERATOR_MODEL) == 0 ? TRACE_DESCRIBED : TRACE_GENERATED;
}

const char *trace_origin_name(enum trace_origin origin)
{
    static const char *const names[TRACE_ORIGIN_COUNT] = {"recorded", "simulated", "generated", "described"};
    return names[origin];
}

enum status trace_new(const char *name, uint32_t rank_count, struct trace **trace, struct err *err)
{
    struct trace *made = calloc(1, sizeof *made);
    int32_t *world = malloc(((size_t)rank_count + 1) * sizeof *world);
    if (made) {
        made->name = strdup(name);
        made->ranks = calloc((size_t)rank_count + 1, sizeof *made->ranks);
        made->rank_count = rank_count;
    }
    enum status status = STATUS_OK;
    if (!made || !world || !made->name || !made->ranks) status = err_memory(err);
    for (uint32_t i = 0; status == STATUS_OK && i < rank_count; i++) world[i] = (int32_t)i;
    int32_t comm;
    uint32_t site;
    if (status == STATUS_OK) status = trace_add_comm(made, world, rank_count, &comm, err);
    if (status == STATUS_OK) status = trace_add_site(made, NULL, NULL, 0, &site, err);
    free(world);
    GIVE(status, *trace = made, trace_free(made));
}

void trace_clear_tables(struct trace_definitions *definitions)
{
    for (size_t i = 0; i < definitions->group_count; i++) free(definitions->groups[i].members);
    for (size_t i = 0; i < definitions->counts_count; i++) free(definitions->counts[i].bytes);
    for (size_t i = 0; i < definitions->region_count; i++) free(definitions->regions[i]);
    for (size_t i = 0; i < definitions->site_count; i++) {
        FREE_ALL(definitions->sites[i].function, definitions->sites[i].file);
    }
    FREE_ALL(definitions->groups, definitions->counts, definitions->regions, definitions->sites, definitions->lists,
             definitions->requests, definitions->extents);
    map_clear(&definitions->group_index);
    map_clear(&definitions->counts_index);
    map_clear(&definitions->name_index);
    map_clear(&definitions->extents_index);
}

static void clear_provenance(struct trace_provenance *provenance)
{
#define PROVENANCE_TEXT(MEMBER, PROPERTY) free(provenance->MEMBER);
#include "trace/provenance.def"
#undef PROVENANCE_TEXT
    for (size_t i = 0; i < provenance->fault_count; i++) free(provenance->faults[i].text);
    free(provenance->faults);
    for (size_t i = 0; i < provenance->note_count; i++) free(provenance->notes[i]);
    free(provenance->notes);
}

void trace_free(struct trace *trace)
{
    if (!trace) return;
    for (uint32_t i = 0; trace->ranks && i < trace->rank_count; i++) {
        FREE_ALL(trace->ranks[i].calls, trace->ranks[i].sim);
        for (int b = 0; b < BEFORE_COUNT; b++) free(trace->ranks[i].before_ps[b]);
        FREE_ALL(trace->ranks[i].compute_ps, trace->ranks[i].extents, trace->ranks[i].thread, trace->ranks[i].thread_exit_ps,
                 trace->ranks[i].kept, trace->ranks[i].incomplete_why);
    }
    struct trace_definitions *definitions = &trace->definitions;
    for (size_t i = 0; i < definitions->comm_count; i++) {
        FREE_ALL(definitions->comms[i].members, definitions->comms[i].order);
    }
    for (size_t i = 0; i < definitions->window_count; i++) {
        FREE_ALL(definitions->windows[i].name, definitions->windows[i].bytes, definitions->windows[i].disp_unit);
    }
    trace_clear_tables(definitions);
    trace_clear_nodes(trace);
    FREE_ALL(definitions->comms, definitions->windows);
    clear_provenance(&trace->provenance);
    FREE_ALL(trace->ranks, trace->name, trace);
}

const struct trace_sim trace_sim_unknown = TRACE_SIM_UNKNOWN;

/* Exit of the thread's call added last. */
static int64_t last_exit_ps(const struct trace_rank *rank, uint32_t thread)
{
    if (rank->thread) return thread < rank->thread_count ? rank->thread_exit_ps[thread] : INT64_MIN;
    return thread == 0 && rank->count > 0 ? rank->calls[rank->count - 1].exit_ps : INT64_MIN;
}

static enum status check_order(const struct trace *trace, uint32_t rank, uint32_t thread, const struct trace_call *call,
                               struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    int64_t before = last_exit_ps(process, thread);
    if (call->exit_ps >= call->enter_ps && call->enter_ps >= before) return STATUS_OK;
    char one[UNITS_TEXT_BYTES], two[UNITS_TEXT_BYTES];
    if (call->exit_ps < call->enter_ps)
        return trace_fail(err, trace, rank, process->count, call,
                          "exit at %s s is before enter at %s s, expected enter <= exit",
                          units_format_ps(call->exit_ps, one), units_format_ps(call->enter_ps, two));
    return trace_fail(
        err, trace, rank, process->count, call,
        "time runs backwards: enter at %s s, expected no earlier than the exit of the call before at %s s",
        units_format_ps(call->enter_ps, one), units_format_ps(before, two));
}

/* Stores the thread of each call, from the first call of a thread other than 0 on. */
static enum status note_thread(struct trace_rank *rank, uint32_t thread, const struct trace_call *call, struct err *err)
{
    bool names_child = call_row(call->call)->needed & F_CHILD;
    uint32_t child = names_child && call->primitive.child < TRACE_THREADS_MAX ? call->primitive.child : 0;
    uint32_t largest = child > thread ? child : thread;
    if (!rank->thread && thread == 0) {
        if (call_is_thread(call->call) && child >= rank->thread_count) rank->thread_count = child + 1;
        return STATUS_OK;
    }
    uint32_t known = rank->thread ? rank->thread_count : 0;
    uint32_t count = largest >= rank->thread_count ? largest + 1 : rank->thread_count;
    TRY(array_reserve((void **)&rank->thread_exit_ps, &rank->thread_exit_capacity, count, sizeof *rank->thread_exit_ps,
                      err));
    int64_t first_ps = last_exit_ps(rank, 0);
    for (uint32_t i = known; i < count; i++) rank->thread_exit_ps[i] = i == 0 ? first_ps : INT64_MIN;
    size_t room = rank->capacity > rank->count ? rank->capacity : rank->count + 1;
    bool first = !rank->thread;
    TRY(array_reserve((void **)&rank->thread, &rank->thread_capacity, room, sizeof *rank->thread, err));
    for (size_t i = 0; first && i < rank->count; i++) rank->thread[i] = 0;
    rank->thread_count = count;
    rank->thread[rank->count] = (uint16_t)thread;
    rank->thread_exit_ps[thread] = call->exit_ps;
    return STATUS_OK;
}

enum status trace_reserve_calls(struct trace *trace, uint32_t rank, size_t more, struct err *err)
{
    struct trace_rank *process = &trace->ranks[rank];
    size_t need = process->count + more, sim_capacity = process->sim ? process->capacity : 0;
    if (need <= process->capacity) return STATUS_OK;
    if (trace->provenance.simulated)
        TRY(array_reserve((void **)&process->sim, &sim_capacity, need, sizeof *process->sim, err));
    TRY(array_reserve((void **)&process->calls, &process->capacity, need, sizeof *process->calls, err));
    huge_pages_wish(process->calls + process->count, (process->capacity - process->count) * sizeof *process->calls);
    return process->extents ? trace_reserve_extents(process, err) : STATUS_OK;
}

/* If memory runs out, the larger block is kept. */
static void trim_array(void **data, size_t count, size_t item_bytes)
{
    void *smaller = realloc(*data, count * item_bytes);
    if (smaller) *data = smaller;
}

void trace_trim_calls(struct trace *trace, uint32_t rank)
{
    struct trace_rank *process = &trace->ranks[rank];
    if (process->count == 0 || process->count == process->capacity) return;
    if (process->sim) trim_array((void **)&process->sim, process->count, sizeof *process->sim);
    trim_array((void **)&process->calls, process->count, sizeof *process->calls);
    process->capacity = process->count;
}

enum status trace_add_call(struct trace *trace, uint32_t rank, const struct trace_call *call, struct err *err)
{
    return trace_add_thread_call(trace, rank, 0, call, err);
}

enum status trace_add_thread_call(struct trace *trace, uint32_t rank, uint32_t thread, const struct trace_call *call,
                                  struct err *err)
{
    struct trace_rank *process = &trace->ranks[rank];
    TRY(check_order(trace, rank, thread, call, err));
    TRY(trace_reserve_calls(trace, rank, 1, err));
    for (int b = 0; b < BEFORE_COUNT; b++)
        if (process->before_ps[b])
            TRY(trace_set_before(trace, rank, process->count, (enum trace_before)b, TRACE_UNKNOWN_PS, err));
    if (process->compute_ps) TRY(trace_set_compute(trace, rank, process->count, TRACE_UNKNOWN_PS, err));
    TRY(note_thread(process, thread, call, err));
    if (process->count > 0 && call->enter_ps < process->calls[process->count - 1].enter_ps) process->unsorted = true;
    if (trace->provenance.simulated) process->sim[process->count] = trace_sim_unknown;
    if (call->flags & TRACE_BREAK) process->incomplete = true;
    process->calls[process->count++] = *call;
    if (call->flags & TRACE_NOCHECK) trace->skips_checks = true;
    return STATUS_OK;
}

uint64_t trace_all_calls(const struct trace *trace)
{
    uint64_t calls = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++) calls += trace->ranks[r].count;
    return calls;
}

int64_t trace_begin_ps(const struct trace *trace)
{
    int64_t first = 0;
    bool found = false;
    if (trace->begin_known) return trace->begin_ps;
    for (uint32_t i = 0; i < trace->rank_count; i++) {
        const struct trace_rank *rank = &trace->ranks[i];
        if (rank->count == 0 || (found && rank->calls[0].enter_ps >= first)) continue;
        first = rank->calls[0].enter_ps;
        found = true;
    }
    return first;
}

int64_t trace_rank_end_ps(const struct trace *trace, uint32_t rank)
{
    const struct trace_rank *process = &trace->ranks[rank];
    if (process->count == 0) return 0;
    int64_t end_ps = process->calls[process->count - 1].exit_ps;
    for (size_t i = 0; process->thread && i < process->count; i++)
        if (process->calls[i].exit_ps > end_ps) end_ps = process->calls[i].exit_ps;
    return end_ps;
}

const struct trace_comm *trace_call_comm(const struct trace *trace, const struct trace_call *call)
{
    uint32_t fields = call_row(call->call)->allowed;
    if (call->handle < 0) return NULL;
    if (fields & F_WIN) return &trace->definitions.comms[trace->definitions.windows[call->handle].comm];
    return fields & F_COMM ? &trace->definitions.comms[call->handle] : NULL;
}

/* A field that several arms have is in the same place in all of them: trace/calls/call_fields.def names one. */
#define SAME_PLACE(ONE, OTHER)                                                                                         \
    _Static_assert(offsetof(struct trace_call, ONE) == offsetof(struct trace_call, OTHER), #ONE " and " #OTHER)
SAME_PLACE(rma.disp, shmem.disp);
SAME_PLACE(rma.op, collective.op);
SAME_PLACE(message.tag, exchange.tag);
SAME_PLACE(collective.neighbors, comm.neighbors);
SAME_PLACE(collective.recv_bytes, exchange.recv_bytes);
SAME_PLACE(primitive.object, shmem.lock);
SAME_PLACE(completion.request, rma.request);
SAME_PLACE(completion.request, message.request);
SAME_PLACE(completion.request, collective.request);
SAME_PLACE(completion.request, ref);
SAME_PLACE(completion.request, any.ref);

void trace_call_clear_others(struct trace_call *call)
{
    uint32_t allowed = call_row(call->call)->allowed;
    if (!(allowed & (F_DISP | F_COUNTS | F_SOURCE | F_RECVTAG | F_VALUE))) call->any.first = -1;
    if (!(allowed & (F_RESULT_BYTES | F_RECEIVED | F_MUTEX | F_PARTIES))) call->any.second = 0;
    if (!(allowed & (F_TAG | F_OP | F_NEIGHBORS))) call->any.third = 0;
    if (!(allowed & (F_GROUP | F_REQ | F_REQS | F_REGION | F_NEWCOMM | F_CHILD | F_OBJECT))) call->ref = TRACE_NO_REF;
}

/* A list of neighbours: how many sources, the sources, the destinations. */
bool trace_call_neighbors(const struct trace *trace, const struct trace_call *call, struct trace_neighbors *neighbors)
{
    if (!(call_row(call->call)->allowed & F_NEIGHBORS) || call->collective.neighbors < 0) return false;
    const struct trace_counts *list = &trace->definitions.counts[call->collective.neighbors];
    uint32_t sources = (uint32_t)list->bytes[0];
    *neighbors =
        (struct trace_neighbors){sources, list->count - 1 - sources, list->bytes + 1, list->bytes + 1 + sources};
    return true;
}

const int64_t *trace_call_counts(const struct trace *trace, const struct trace_call *call)
{
    bool has = (call_row(call->call)->allowed & F_COUNTS) && call->collective.counts >= 0;
    return has ? trace->definitions.counts[call->collective.counts].bytes : NULL;
}

const char *trace_fence_ends(uint32_t flags)
{
    static const char *const names[] = {"neither NOPRECEDE nor NOSUCCEED", "NOPRECEDE", "NOSUCCEED",
                                        "NOPRECEDE|NOSUCCEED"};
    return names[(flags & TRACE_NOPRECEDE ? 1 : 0) + (flags & TRACE_NOSUCCEED ? 2 : 0)];
}

static const char *const op_names[TRACE_OP_COUNT] = {
    "?",
#define TRACE_OP(NAME) "MPI_" #NAME,
#include "trace/calls/ops.def"
#undef TRACE_OP
};

const char *trace_op_name(int32_t op)
{
    return op > 0 && op < TRACE_OP_COUNT ? op_names[op] : op_names[0];
}

int32_t trace_op_by_name(const char *name)
{
    const char *bare = strncmp(name, "MPI_", 4) == 0 ? name + 4 : name;
    for (int32_t i = 1; i < TRACE_OP_COUNT; i++)
        if (strcmp(op_names[i] + 4, bare) == 0) return i;
    return TRACE_OP_UNKNOWN;
}

/* A flavor is its name's first letter. */
static const char *const flavor_names[] = {"create", "allocate", "shared", "dynamic", "heap"};
enum { FLAVORS = sizeof flavor_names / sizeof *flavor_names };

const char *trace_flavor_name(char flavor)
{
    for (int i = 0; i < FLAVORS; i++)
        if (flavor_names[i][0] == flavor) return flavor_names[i];
    return NULL;
}

char trace_flavor_by_name(const char *name)
{
    for (int i = 0; i < FLAVORS; i++)
        if (strcmp(flavor_names[i], name) == 0) return *name;
    return '?';
}

static const char *const source_names[] = {
    [TRACE_CLOCK_MONOTONIC] = "monotonic", [TRACE_CLOCK_TSC] = "tsc", [TRACE_CLOCK_MIXED] = "mixed"};
enum { SOURCES = sizeof source_names / sizeof *source_names };

const char *trace_clock_source_name(enum trace_clock_source source)
{
    return source_names[source];
}

bool trace_clock_source_by_name(const char *name, enum trace_clock_source *source)
{
    for (int i = TRACE_CLOCK_UNKNOWN + 1; i < SOURCES; i++) {
        if (strcmp(source_names[i], name) != 0) continue;
        *source = (enum trace_clock_source)i;
        return true;
    }
    return false;
}

uint64_t trace_event(const struct trace *trace, uint32_t rank, size_t index)
{
    const struct trace_rank *process = &trace->ranks[rank];
    return 1 + (index < process->kept_count ? process->kept[index].event
                                            : process->first_event + (index - process->kept_count));
}

enum mpi_call trace_function(const struct trace *trace, uint32_t rank, size_t index)
{
    const struct trace_rank *process = &trace->ranks[rank];
    return index < process->kept_count ? process->kept[index].call : process->calls[index].call;
}

char *trace_place(const struct trace *trace, uint32_t rank, size_t index, char buffer[TRACE_PLACE_BYTES])
{
    snprintf(buffer, TRACE_PLACE_BYTES, "rank %" PRIu32 ", event %" PRIu64 " (%s)", rank,
             trace_event(trace, rank, index), call_name(trace_function(trace, rank, index)));
    return buffer;
}

void trace_pass_memory(struct trace *trace, struct trace_rank *from, struct trace_rank *to)
{
    if (from) {
        to->calls = from->calls;
        to->capacity = from->capacity;
        for (int b = 0; b < BEFORE_COUNT; b++) {
            to->before_ps[b] = from->before_ps[b];
            to->before_capacity[b] = from->before_capacity[b];
            from->before_ps[b] = NULL;
            from->before_capacity[b] = 0;
        }
        from->calls = NULL;
        from->count = from->capacity = 0;
    }
    trace->definitions.list_count = trace->definitions.request_count = 0;
}
