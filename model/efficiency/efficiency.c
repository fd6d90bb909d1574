/* Sums and derives the characteristics of intervals; efficiency_slices.c collects them. */
#include "model/efficiency/efficiency_parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "model/waits/properties.h"

static const struct characteristic_row rows[CHARACTERISTIC_COUNT] = {
#define CHARACTERISTIC(ID, KEY, TITLE) {KEY, TITLE},
#include "model/efficiency/characteristics.def"
#undef CHARACTERISTIC
};

const struct characteristic_row *characteristic_row(enum characteristic characteristic)
{
    return &rows[characteristic];
}

void efficiency_free(struct efficiency *efficiency)
{
    if (!efficiency) return;
    for (size_t i = 0; i < efficiency->count; i++) {
        struct efficiency_interval *interval = &efficiency->intervals[i];
        free(interval->path);
        free(interval->file);
        free(interval->takes_part);
        free(interval->value_ps[0]);
    }
    free(efficiency->intervals);
    free(efficiency->processors);
    free(efficiency->parents);
    caused_clear(&efficiency->caused);
    free(efficiency);
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

void collector_add_call(const struct collector *collector, uint32_t interval, uint32_t location, enum mpi_call call,
                        enum mpi_call as, int64_t ps)
{
    collector_add(collector, interval, EFFICIENCY_TIME, location, ps);
    if (call_is_thread(call)) {
        collector_add(collector, interval, EFFICIENCY_THREADS, location, ps);
        return;
    }
    collector_add(collector, interval, EFFICIENCY_MPI, location, ps);
    collector_add(collector, interval, kind_of_communication(as), location, ps);
    if (call_makes_request(call) || property_of(call_kind(call)) == PROPERTY_RMA_COMMUNICATION)
        collector_add(collector, interval, EFFICIENCY_START, location, ps);
    if (collector->intervals->items[interval].sequential)
        collector_add(collector, interval, EFFICIENCY_SEQUENTIAL_MPI, location, ps);
}

void collector_add_computing(const struct collector *collector, uint32_t interval, uint32_t location, int64_t ps)
{
    collector_add(collector, interval, EFFICIENCY_TIME, location, ps);
    if (collector->intervals->items[interval].sequential)
        collector_add(collector, interval, EFFICIENCY_SEQUENTIAL_CPU, location, ps);
}

/* Only one-sided operations wait for their target's progress, also in a wait for their requests. */
static enum characteristic kind_of_wait(enum mpi_call call, enum pattern pattern)
{
    bool of_request = property_of(call_kind(call)) == PROPERTY_POINT_TO_POINT;
    if (pattern == PATTERN_WAIT_FOR_PROGRESS && of_request) return EFFICIENCY_RMA_TRANSFER;
    return kind_of_communication(call);
}

void collector_add_wait(const struct collector *collector, uint32_t interval, uint32_t location, enum mpi_call call,
                        enum pattern pattern, int64_t ps)
{
    _Static_assert(EFFICIENCY_REAL_OTHER - EFFICIENCY_REAL_SEND_RECEIVE ==
                       EFFICIENCY_OTHER - EFFICIENCY_SEND_RECEIVE,
                   "losses have the kinds of MPI time");
    int kind = (int)kind_of_wait(call, pattern) - EFFICIENCY_SEND_RECEIVE + EFFICIENCY_REAL_SEND_RECEIVE;
    collector_add(collector, interval, EFFICIENCY_REAL_SYNCHRONIZATION, location, ps);
    collector_add(collector, interval,
                  call_is_thread(call) ? EFFICIENCY_THREAD_SYNCHRONIZATION : (enum characteristic)kind, location, ps);
}

uint32_t collector_cause(const struct collector *collector, const struct wait *wait)
{
    if (wait->cause_call == FINDING_NO_CALL) return CAUSED_NOWHERE;
    return interval_at(collector->intervals, wait->cause_rank, wait->cause_call);
}

/* Adds the losses of a collective and their component, by the kind of its call. Calls that are neither all-to-all nor
 * on windows count as collective. */
static void add_losses(const struct collector *collector, uint32_t interval, uint32_t location, enum mpi_call call,
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
    collector_add(collector, interval, EFFICIENCY_POTENTIAL_SYNCHRONIZATION, location, potential_ps);
    collector_add(collector, interval, potential, location, potential_ps);
    collector_add(collector, interval, EFFICIENCY_TIME_VARIATION, location, variation_ps);
    collector_add(collector, interval, variation, location, variation_ps);
}

/* Adds the time that would be lost if every collective began with a barrier, and the time between its first and its
 * last end. */
void collector_walk_instances(const struct collector *collector)
{
    const struct relations *relations = collector->relations;
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
            uint32_t at = interval_at(collector->intervals, rank, index);
            uint32_t location = location_of_call(collector->locations, relations->trace, rank, index);
            const struct trace_call *call = relations_call(relations, rank, index);
            add_losses(collector, at, location, call->call, enter_ps - call->enter_ps, exit_ps - call->exit_ps);
        }
    }
}

void collector_walk_messages(const struct collector *collector)
{
    const struct relations *relations = collector->relations;
    for (size_t i = 0; i < relations->messages.count; i++) {
        const struct message *message = &relations->messages.items[i];
        const struct trace_call *receive = relations_call(relations, message->receiver, message->receive_call);
        const struct trace_call *send = relations_call(relations, message->sender, message->send_call);
        if ((call_kind(receive->call) != CALL_RECV && call_kind(receive->call) != CALL_SENDRECV) ||
            send->enter_ps <= receive->enter_ps ||
            !slice_state_counts(relations->state, message->receiver, message->receive_call))
            continue;
        uint32_t at = interval_at(collector->intervals, message->receiver, message->receive_call);
        uint32_t location = location_of_call(collector->locations, relations->trace, message->receiver, message->receive_call);
        int64_t ps = send->enter_ps - receive->enter_ps;
        collector_add(collector, at, EFFICIENCY_POTENTIAL_SYNCHRONIZATION, location, ps);
        collector_add(collector, at, EFFICIENCY_POTENTIAL_SEND_RECEIVE, location, ps);
    }
}

/* Adds the figures of inner intervals to the outer ones. */
static void add_children(struct efficiency *efficiency)
{
    for (size_t i = efficiency->count; i-- > 1;) {
        const struct efficiency_interval *child = &efficiency->intervals[i];
        struct efficiency_interval *parent = &efficiency->intervals[efficiency->parents[i]];
        for (uint32_t p = 0; p < efficiency->processor_count; p++) {
            parent->takes_part[p] = parent->takes_part[p] || child->takes_part[p];
            for (int c = 0; c < EFFICIENCY_ADDED; c++)
                parent->value_ps[c][p] = units_add_ps(parent->value_ps[c][p], child->value_ps[c][p]);
        }
    }
}

static void summarize_values(struct efficiency_interval *interval, uint32_t processor_count, int c)
{
    struct efficiency_range *range = &interval->range[c];
    bool first = true;
    for (uint32_t p = 0; p < processor_count; p++) {
        if (!interval->takes_part[p]) continue;
        int64_t ps = interval->value_ps[c][p];
        interval->sum_ps[c] += ps;
        if (first || ps < range->min_ps) range->min_ps = ps, range->min_processor = p;
        if (first || ps > range->max_ps) range->max_ps = ps, range->max_processor = p;
        first = false;
    }
    if (interval->processors > 0) range->mean_s = wide_s(interval->sum_ps[c]) / interval->processors;
}

/* The MPI time and the sequential share of one rank count as useful, those of the others as lost. It is the rank of the interval
 * around, so that losses of the intervals inside are parts of its own; the one with the least MPI time where there is none, or it
 * does not take part. */
static void choose_useful_rank(const struct efficiency *efficiency, const struct efficiency_interval *around,
                               struct efficiency_interval *interval)
{
    bool any = false, fixed = false;
    for (uint32_t p = 0; p < efficiency->processor_count;) {
        uint32_t rank = efficiency->processors[p].rank, before = interval->processors;
        int64_t mpi_ps = 0;
        for (; p < efficiency->processor_count && efficiency->processors[p].rank == rank; p++) {
            if (!interval->takes_part[p]) continue;
            interval->processors++;
            mpi_ps += interval->value_ps[EFFICIENCY_MPI][p];
            if (interval->value_ps[EFFICIENCY_TIME][p] > interval->execution_ps)
                interval->execution_ps = interval->value_ps[EFFICIENCY_TIME][p];
        }
        bool same = around && around->useful_rank == rank;
        if (interval->processors == before || fixed || (any && !same && mpi_ps >= interval->useful_mpi_ps)) continue;
        fixed = same;
        interval->useful_rank = rank;
        interval->useful_mpi_ps = mpi_ps;
        any = true;
    }
}

/* useful: the processor belongs to the rank whose MPI time counts as useful; false for all if all MPI time counts as
 * lost. */
static void derive_processor(struct efficiency_interval *interval, uint32_t p, bool useful, bool lost_all)
{
    int64_t **value_ps = interval->value_ps;
    value_ps[EFFICIENCY_CPU][p] =
        value_ps[EFFICIENCY_TIME][p] - value_ps[EFFICIENCY_MPI][p] - value_ps[EFFICIENCY_THREADS][p];
    value_ps[EFFICIENCY_INSUFFICIENT_USER][p] = useful ? 0 : value_ps[EFFICIENCY_SEQUENTIAL_CPU][p];
    value_ps[EFFICIENCY_INSUFFICIENT_SYSTEM][p] = useful && !lost_all ? 0 : value_ps[EFFICIENCY_SEQUENTIAL_MPI][p];
    value_ps[EFFICIENCY_COMMUNICATION][p] =
        useful && !lost_all ? 0 : value_ps[EFFICIENCY_MPI][p] - value_ps[EFFICIENCY_SEQUENTIAL_MPI][p];
    value_ps[EFFICIENCY_IDLE][p] = interval->execution_ps - value_ps[EFFICIENCY_TIME][p];
    value_ps[EFFICIENCY_LOST][p] = value_ps[EFFICIENCY_INSUFFICIENT_USER][p] +
                                   value_ps[EFFICIENCY_INSUFFICIENT_SYSTEM][p] + value_ps[EFFICIENCY_COMMUNICATION][p] +
                                   value_ps[EFFICIENCY_THREADS][p] + value_ps[EFFICIENCY_IDLE][p];
}

/* around: the interval's parent, which is derived; NULL: it is the run. */
static void derive_interval(const struct efficiency *efficiency, const struct efficiency_interval *around,
                            struct efficiency_interval *interval)
{
    int64_t **value_ps = interval->value_ps, most_ps = 0;
    choose_useful_rank(efficiency, around, interval);
    if (efficiency->lost_all) interval->useful_mpi_ps = 0;
    for (uint32_t p = 0; p < efficiency->processor_count; p++) {
        if (!interval->takes_part[p]) continue;
        bool useful = efficiency->processors[p].rank == interval->useful_rank;
        derive_processor(interval, p, useful, efficiency->lost_all);
        int64_t busy_ps = value_ps[EFFICIENCY_TIME][p] - value_ps[EFFICIENCY_REAL_SYNCHRONIZATION][p];
        value_ps[EFFICIENCY_LOAD_IMBALANCE][p] = -busy_ps;
        if (busy_ps > most_ps) most_ps = busy_ps;
    }
    for (uint32_t p = 0; p < efficiency->processor_count; p++)
        if (interval->takes_part[p]) value_ps[EFFICIENCY_LOAD_IMBALANCE][p] += most_ps;
    for (int c = 0; c < CHARACTERISTIC_COUNT; c++) summarize_values(interval, efficiency->processor_count, c);
    interval->total_ps = (wide_ps)interval->execution_ps * interval->processors;
    interval->productive_ps = interval->sum_ps[EFFICIENCY_CPU] - interval->sum_ps[EFFICIENCY_INSUFFICIENT_USER];
    interval->productive_ps += interval->useful_mpi_ps;
    interval->lost_ps = interval->total_ps - interval->productive_ps;
}

enum status efficiency_make_values(struct efficiency_interval *interval, size_t columns, struct err *err)
{
    interval->takes_part = calloc(columns, sizeof *interval->takes_part);
    int64_t *values = calloc(columns * CHARACTERISTIC_COUNT, sizeof *values);
    if (values)
        for (size_t c = 0; c < CHARACTERISTIC_COUNT; c++) interval->value_ps[c] = values + c * columns;
    return interval->takes_part && values ? STATUS_OK : err_memory(err);
}

enum status collector_describe(const struct collector *collector, size_t index)
{
    const struct trace *trace = collector->intervals->trace;
    const struct interval *from = &collector->intervals->items[index];
    struct efficiency_interval *interval = &collector->efficiency->intervals[index];
    collector->efficiency->parents[index] = from->parent;
    interval->level = from->level;
    interval->executions = from->executions;
    interval->line = trace->definitions.sites[from->site].line;
    if (trace->definitions.sites[from->site].file &&
        !(interval->file = strdup(trace->definitions.sites[from->site].file)))
        return err_memory(collector->err);
    return interval_path(trace, collector->intervals, (uint32_t)index, &interval->path, collector->err);
}

static enum status fold_interval(struct efficiency_interval *interval, uint32_t location_count,
                                 const struct processors *processors, struct err *err)
{
    const struct efficiency_interval by_location = *interval;
    interval->value_ps[0] = NULL;
    enum status status = efficiency_make_values(interval, processors->count, err);
    for (uint32_t l = 0; status == STATUS_OK && l < location_count; l++) {
        uint32_t p = processors->of[l];
        interval->takes_part[p] = interval->takes_part[p] || by_location.takes_part[l];
        for (int c = 0; c < EFFICIENCY_ADDED; c++)
            interval->value_ps[c][p] = units_add_ps(interval->value_ps[c][p], by_location.value_ps[c][l]);
    }
    free(by_location.takes_part);
    free(by_location.value_ps[0]);
    return status;
}

enum status efficiency_fold(struct efficiency *efficiency, uint32_t rank_count, uint32_t location_count,
                            const struct processors *processors, struct err *err)
{
    efficiency->processors = calloc((size_t)processors->count + 1, sizeof *efficiency->processors);
    if (!efficiency->processors) return err_memory(err);
    efficiency->rank_count = rank_count;
    efficiency->processor_count = processors->count;
    efficiency->several = processors->several;
    for (uint32_t p = 0; p < processors->count; p++)
        efficiency->processors[p] =
            (struct efficiency_processor){processors->items[p].rank, processors->items[p].index};
    for (size_t i = 0; processors->count < location_count && i < efficiency->count; i++)
        TRY(fold_interval(&efficiency->intervals[i], location_count, processors, err));
    return STATUS_OK;
}

void efficiency_conclude(struct efficiency *efficiency)
{
    add_children(efficiency);
    struct efficiency_interval *of = efficiency->intervals;
    for (size_t i = 0; i < efficiency->count; i++)
        derive_interval(efficiency, i > 0 ? &of[efficiency->parents[i]] : NULL, &of[i]);
    caused_sort(&efficiency->caused);
    efficiency_check(efficiency);
}
