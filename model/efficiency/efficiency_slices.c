#include "model/efficiency/efficiency_slices.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"
#include "model/efficiency/efficiency_parts.h"
#include "model/waits/properties.h"

struct doubtful {    /* sums of waits in doubt */
    struct map sums; /* (interval, location) to their picoseconds */
    struct caused caused;
};

struct efficiency_slices {
    struct intervals intervals;
    const struct locations *locations;
    struct efficiency *efficiency; /* intervals in the order of their discovery */
    size_t capacity;
    struct doubtful *doubtful[DOUBT_COUNT]; /* owned; NULL: no wait depends on it */
};

void efficiency_slices_free(struct efficiency_slices *slices)
{
    if (!slices) return;
    efficiency_free(slices->efficiency);
    intervals_clear(&slices->intervals);
    for (int d = 0; d < DOUBT_COUNT; d++) {
        if (!slices->doubtful[d]) continue;
        map_clear(&slices->doubtful[d]->sums);
        caused_clear(&slices->doubtful[d]->caused);
        free(slices->doubtful[d]);
    }
    free(slices);
}

enum status efficiency_slices_new(const struct trace *trace, const struct locations *locations, enum interval_source source,
                                  bool lost_all, struct efficiency_slices **slices, struct err *err)
{
    struct efficiency_slices *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->locations = locations;
    made->efficiency = calloc(1, sizeof *made->efficiency);
    enum status status = made->efficiency ? intervals_open(trace, locations, source, &made->intervals, err)
                                          : err_memory(err);
    if (made->efficiency) *made->efficiency = (struct efficiency){.source = source, .lost_all = lost_all};
    GIVE(status, *slices = made, efficiency_slices_free(made));
}

/* Makes room for new intervals. */
static enum status make_room(struct efficiency_slices *slices, struct err *err)
{
    struct efficiency *efficiency = slices->efficiency;
    const struct efficiency_interval none = {0};
    while (efficiency->count < slices->intervals.count) {
        ARRAY_PUSH(efficiency->intervals, efficiency->count, slices->capacity, none, err);
        TRY(efficiency_make_values(&efficiency->intervals[efficiency->count - 1], slices->locations->count, err));
    }
    return STATUS_OK;
}

enum status efficiency_slices_go_on(struct efficiency_slices *slices, struct err *err)
{
    return intervals_go_on(&slices->intervals, err);
}

struct intervals *efficiency_slices_intervals(struct efficiency_slices *slices)
{
    return &slices->intervals;
}

static void add_time(struct efficiency_slices *slices, uint32_t interval, enum characteristic characteristic, uint32_t location,
                     int64_t ps)
{
    int64_t *value_ps = &slices->efficiency->intervals[interval].value_ps[characteristic][location];
    *value_ps = units_add_ps(*value_ps, ps); /* losses against the last rank may exceed the time that there is */
}

static enum characteristic kind_of_communication(enum mpi_call call)
{
    enum call_kind kind = call_kind(call);
    if (call_is_io(call)) return EFFICIENCY_IO;
    if (kind == CALL_ALLTOALL || kind == CALL_ALLTOALLV) return EFFICIENCY_ALL_TO_ALL;
    switch (property_of(kind)) {
    case PROPERTY_POINT_TO_POINT: return EFFICIENCY_SEND_RECEIVE;
    case PROPERTY_COLLECTIVE:
    case PROPERTY_BARRIER: return EFFICIENCY_COLLECTIVE;
    case PROPERTY_RMA_COMMUNICATION: return EFFICIENCY_RMA_TRANSFER;
    case PROPERTY_RMA_WINDOW_MANAGEMENT:
    case PROPERTY_RMA_FENCE:
    case PROPERTY_RMA_ACTIVE_TARGET:
    case PROPERTY_RMA_PASSIVE_TARGET: return EFFICIENCY_RMA_SYNCHRONIZATION;
    default: return EFFICIENCY_OTHER;
    }
}

static void add_call(struct efficiency_slices *slices, uint32_t interval, uint32_t location, enum mpi_call call,
                        enum mpi_call as, int64_t ps)
{
    add_time(slices, interval, EFFICIENCY_TIME, location, ps);
    if (call_is_thread(call)) {
        add_time(slices, interval, EFFICIENCY_THREADS, location, ps);
        return;
    }
    add_time(slices, interval, EFFICIENCY_MPI, location, ps);
    add_time(slices, interval, kind_of_communication(as), location, ps);
    if (call_makes_request(call) || property_of(call_kind(call)) == PROPERTY_RMA_COMMUNICATION)
        add_time(slices, interval, EFFICIENCY_START, location, ps);
    if (slices->intervals.items[interval].sequential)
        add_time(slices, interval, EFFICIENCY_SEQUENTIAL_MPI, location, ps);
}

static void add_computing(struct efficiency_slices *slices, uint32_t interval, uint32_t location, int64_t ps)
{
    add_time(slices, interval, EFFICIENCY_TIME, location, ps);
    if (slices->intervals.items[interval].sequential)
        add_time(slices, interval, EFFICIENCY_SEQUENTIAL_CPU, location, ps);
}

/* Only one-sided operations wait for their target's progress, also in a wait for their requests. */
static enum characteristic kind_of_wait(enum mpi_call call, enum pattern pattern)
{
    bool of_request = property_of(call_kind(call)) == PROPERTY_POINT_TO_POINT;
    if (pattern == PATTERN_WAIT_FOR_PROGRESS && of_request) return EFFICIENCY_RMA_TRANSFER;
    return kind_of_communication(call);
}

static void add_certain_wait(struct efficiency_slices *slices, uint32_t interval, uint32_t location, enum mpi_call call,
                        enum pattern pattern, int64_t ps)
{
    _Static_assert(EFFICIENCY_REAL_OTHER - EFFICIENCY_REAL_SEND_RECEIVE ==
                       EFFICIENCY_OTHER - EFFICIENCY_SEND_RECEIVE,
                   "losses have the kinds of MPI time");
    int kind = (int)kind_of_wait(call, pattern) - EFFICIENCY_SEND_RECEIVE + EFFICIENCY_REAL_SEND_RECEIVE;
    add_time(slices, interval, EFFICIENCY_REAL_SYNCHRONIZATION, location, ps);
    add_time(slices, interval,
                  call_is_thread(call) ? EFFICIENCY_THREAD_SYNCHRONIZATION : (enum characteristic)kind, location, ps);
}

/* Adds the losses of a collective and their component, by the kind of its call. Calls that are neither all-to-all nor
 * on windows count as collective. */
static void add_losses(struct efficiency_slices *slices, uint32_t interval, uint32_t location, enum mpi_call call,
                       int64_t potential_ps, int64_t variation_ps)
{
    enum characteristic kind = kind_of_communication(call), potential = EFFICIENCY_POTENTIAL_COLLECTIVE,
                        variation = EFFICIENCY_VARIATION_COLLECTIVE;
    if (kind == EFFICIENCY_ALL_TO_ALL) {
        potential = EFFICIENCY_POTENTIAL_ALL_TO_ALL;
        variation = EFFICIENCY_VARIATION_ALL_TO_ALL;
    } else if (kind == EFFICIENCY_RMA_SYNCHRONIZATION) {
        potential = EFFICIENCY_POTENTIAL_RMA;
        variation = EFFICIENCY_VARIATION_RMA;
    }
    add_time(slices, interval, EFFICIENCY_POTENTIAL_SYNCHRONIZATION, location, potential_ps);
    add_time(slices, interval, potential, location, potential_ps);
    add_time(slices, interval, EFFICIENCY_TIME_VARIATION, location, variation_ps);
    add_time(slices, interval, variation, location, variation_ps);
}

/* Adds the time that would be lost if every collective began with a barrier, and the time between its first and its
 * last end. */
static void add_instances(struct efficiency_slices *slices, const struct relations *relations)
{
    for (size_t i = 0; i < relations->instances.count; i++) {
        const struct instance *instance = &relations->instances.items[i];
        const struct trace_comm *comm = instance_comm(relations->trace, instance);
        int64_t enter_ps = INT64_MIN, exit_ps = INT64_MIN;
        if (!instance_complete(instance)) continue;
        for (uint32_t m = 0; m < instance->size; m++) {
            const struct trace_call *call = instance_call(relations->trace, &relations->instances, instance, m);
            if (call->enter_ps > enter_ps) enter_ps = call->enter_ps;
            if (call->exit_ps > exit_ps) exit_ps = call->exit_ps;
        }
        for (uint32_t m = 0; m < instance->size; m++) {
            uint32_t rank = (uint32_t)comm->members[m];
            size_t index = relations->instances.calls[instance->member_first + m];
            if (!slice_state_counts(relations->state, rank, index)) continue;
            uint32_t at = interval_at(&slices->intervals, rank, index);
            uint32_t location = location_of_call(slices->locations, relations->trace, rank, index);
            const struct trace_call *call = relations_call(relations, rank, index);
            add_losses(slices, at, location, call->call, enter_ps - call->enter_ps, exit_ps - call->exit_ps);
        }
    }
}

static void add_messages(struct efficiency_slices *slices, const struct relations *relations)
{
    for (size_t i = 0; i < relations->messages.count; i++) {
        const struct message *message = &relations->messages.items[i];
        const struct trace_call *receive = relations_call(relations, message->receiver, message->receive_call);
        const struct trace_call *send = relations_call(relations, message->sender, message->send_call);
        if ((call_kind(receive->call) != CALL_RECV && call_kind(receive->call) != CALL_SENDRECV) ||
            send->enter_ps <= receive->enter_ps ||
            !slice_state_counts(relations->state, message->receiver, message->receive_call))
            continue;
        uint32_t at = interval_at(&slices->intervals, message->receiver, message->receive_call);
        uint32_t location = location_of_call(slices->locations, relations->trace, message->receiver, message->receive_call);
        int64_t ps = send->enter_ps - receive->enter_ps;
        add_time(slices, at, EFFICIENCY_POTENTIAL_SYNCHRONIZATION, location, ps);
        add_time(slices, at, EFFICIENCY_POTENTIAL_SEND_RECEIVE, location, ps);
    }
}

static enum status add_wait(struct efficiency_slices *slices, const struct wait *wait, struct err *err)
{
    uint32_t interval = interval_at(&slices->intervals, wait->rank, wait->call);
    enum mpi_call function = trace_function(slices->intervals.trace, wait->rank, wait->call);
    uint32_t cause = wait->cause_call == FINDING_NO_CALL
                         ? CAUSED_NOWHERE
                         : interval_at(&slices->intervals, wait->cause_rank, wait->cause_call);
    uint32_t location = slices->locations->first[wait->rank] + wait->thread;
    uint64_t *sum;
    if (wait->doubt == FINDING_CERTAIN) {
        add_certain_wait(slices, interval, location, function, (enum pattern)wait->pattern, wait->severity_ps);
        return caused_add(&slices->efficiency->caused, interval, cause, wait->severity_ps, err);
    }
    struct doubtful **doubtful = &slices->doubtful[wait->doubt];
    if (!*doubtful && !(*doubtful = calloc(1, sizeof **doubtful))) return err_memory(err);
    TRY(map_put(&(*doubtful)->sums, map_pair(interval, location), 0, &sum, err));
    *sum += (uint64_t)wait->severity_ps;
    return caused_add(&(*doubtful)->caused, interval, cause, wait->severity_ps, err);
}

enum status efficiency_slices_add(struct efficiency_slices *slices, const struct relations *relations,
                                  const struct waits *waits, struct err *err)
{
    TRY(make_room(slices, err));
    for (size_t i = 0; i < waits->count; i++) TRY(add_wait(slices, &waits->items[i], err));
    add_instances(slices, relations);
    add_messages(slices, relations);
    return STATUS_OK;
}

static enum status add_provisional(struct efficiency_slices *slices, const struct doubtful *doubtful, enum mpi_call call,
                                   struct err *err)
{
    const struct map *sums = &doubtful->sums;
    const struct caused *caused = &doubtful->caused;
    for (size_t i = 0; i < sums->capacity; i++)
        if (sums->used[i])
            add_certain_wait(slices, (uint32_t)(sums->keys[i] >> 32), (uint32_t)sums->keys[i], call,
                               PATTERN_EARLY_TRANSFER, (int64_t)sums->values[i]);
    for (size_t i = 0; i < caused->count; i++)
        TRY(caused_add(&slices->efficiency->caused, caused->rows[i].interval, caused->rows[i].cause,
                       caused->rows[i].time_ps, err));
    return STATUS_OK;
}

static void add_row(struct efficiency_slices *slices, const struct activity_log_row *row)
{
    add_computing(slices, row->gap_interval, row->location, row->gap_ps);
    add_time(slices, row->gap_interval, EFFICIENCY_OVERLAP, row->location, row->gap_busy_ps);
    slices->efficiency->intervals[row->interval].takes_part[row->location] = true;
    if (!call_is_region(row->call)) {
        add_call(slices, row->interval, row->location, row->call, row->as, row->call_ps);
        return;
    }
    add_computing(slices, row->interval, row->location, row->call_ps);
    add_time(slices, row->interval, EFFICIENCY_OVERLAP, row->location, row->call_busy_ps);
}

struct numbered {
    uint32_t number, first_location;
    uint64_t first_event;
};

ORDER(by_first_entry, struct numbered, UP(first_location) UP(first_event))

/* Sorts the intervals into an order that does not depend on the slices; before[i] is the old number of interval i. */
static void order_intervals(struct efficiency *efficiency, const struct intervals *intervals, struct numbered *before,
                            uint32_t *now, struct efficiency_interval *moved)
{
    for (uint32_t i = 0; i < efficiency->count; i++)
        before[i] = (struct numbered){i, intervals->items[i].first_location, intervals->items[i].first_event};
    if (efficiency->count > 2) qsort(before + 1, efficiency->count - 1, sizeof *before, by_first_entry);
    for (uint32_t i = 0; i < efficiency->count; i++) now[before[i].number] = i;
    for (size_t i = 0; i < efficiency->count; i++) {
        moved[i] = efficiency->intervals[before[i].number];
        efficiency->parents[i] = now[intervals->items[before[i].number].parent];
    }
    caused_renumber(&efficiency->caused, now);
    memcpy(efficiency->intervals, moved, efficiency->count * sizeof *moved);
}

static enum status describe_interval(struct efficiency_slices *slices, size_t index, struct err *err)
{
    const struct trace *trace = slices->intervals.trace;
    const struct interval *from = &slices->intervals.items[index];
    struct efficiency_interval *interval = &slices->efficiency->intervals[index];
    slices->efficiency->parents[index] = from->parent;
    interval->level = from->level;
    interval->executions = from->executions;
    interval->line = trace->definitions.sites[from->site].line;
    if (trace->definitions.sites[from->site].file &&
        !(interval->file = strdup(trace->definitions.sites[from->site].file)))
        return err_memory(err);
    return interval_path(trace, &slices->intervals, (uint32_t)index, &interval->path, err);
}

static enum status describe_intervals(struct efficiency_slices *slices, struct err *err)
{
    struct efficiency *efficiency = slices->efficiency;
    size_t count = efficiency->count;
    efficiency->parents = calloc(count, sizeof *efficiency->parents);
    struct numbered *before = malloc(count * sizeof *before);
    uint32_t *now = malloc(count * sizeof *now);
    struct efficiency_interval *moved = malloc(count * sizeof *moved);
    enum status status = efficiency->parents && before && now && moved ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) status = describe_interval(slices, i, err);
    if (status == STATUS_OK) order_intervals(efficiency, &slices->intervals, before, now, moved);
    FREE_ALL(before, now, moved);
    return status;
}

enum status efficiency_slices_sum(struct efficiency_slices *slices, const struct activity_log *log,
                                  const struct provisional *provisional, struct err *err)
{
    struct activity_log_row row = {0};
    TRY(make_room(slices, err));
    for (uint16_t d = DOUBT_PROGRESS; d < DOUBT_COUNT; d++)
        if (!provisional->refuted[d] && slices->doubtful[d])
            TRY(add_provisional(slices, slices->doubtful[d], doubt_function(d), err));
    while (activity_log_next_row(log, &row)) add_row(slices, &row);
    return intervals_count(&slices->intervals, activity_log_processors(log), err);
}

enum status efficiency_slices_end(struct efficiency_slices *slices, const struct activity_log *log,
                                  struct efficiency **efficiency, struct err *err)
{
    TRY(efficiency_fold(slices->efficiency, slices->intervals.trace->rank_count, slices->locations->count,
                        activity_log_processors(log), err));
    for (uint32_t p = 0; p < slices->efficiency->processor_count; p++)
        slices->efficiency->intervals[INTERVAL_ROOT].takes_part[p] = true;
    TRY(describe_intervals(slices, err));
    efficiency_conclude(slices->efficiency);
    *efficiency = slices->efficiency;
    slices->efficiency = NULL;
    return STATUS_OK;
}
