#include "model/efficiency.h"

#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "model/busy.h"
#include "model/properties.h"

enum { ADDED = EFFICIENCY_SEQUENTIAL_MPI + 1 }; /* characteristics that are added up over the events */

static const struct characteristic_row rows[CHARACTERISTIC_COUNT] = {
#define CHARACTERISTIC(ID, KEY, TITLE) {KEY, TITLE},
#include "model/characteristics.def"
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
    free(efficiency->parents);
    free(efficiency);
}

struct collector {
    const struct relations *relations;
    const struct waits *waits;
    const struct intervals *intervals;
    struct busy busy;
    struct efficiency *efficiency;
    struct err *err;
};

static void add(struct collector *collector, uint32_t interval, enum characteristic characteristic, uint32_t rank,
                int64_t ps)
{
    collector->efficiency->intervals[interval].value_ps[characteristic][rank] += ps;
}

static enum characteristic kind_of_communication(enum call_kind kind)
{
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

static bool starts_only(const struct trace_call *call)
{
    return call_makes_request(call->call) || property_of(call_kind(call->call)) == PROPERTY_RMA_COMMUNICATION;
}

static void add_call(struct collector *collector, uint32_t interval, uint32_t rank, const struct trace_call *call)
{
    int64_t ps = call->exit_ps - call->enter_ps;
    enum call_kind kind = call_kind(call->call);
    add(collector, interval, EFFICIENCY_TIME, rank, ps);
    add(collector, interval, EFFICIENCY_MPI, rank, ps);
    add(collector, interval, kind_of_communication(kind), rank, ps);
    if (starts_only(call)) add(collector, interval, EFFICIENCY_START, rank, ps);
    if (collector->intervals->items[interval].sequential) add(collector, interval, EFFICIENCY_SEQUENTIAL_MPI, rank, ps);
}

static void add_computing(struct collector *collector, uint32_t interval, uint32_t rank, int64_t from_ps, int64_t to_ps)
{
    add(collector, interval, EFFICIENCY_TIME, rank, to_ps - from_ps);
    add(collector, interval, EFFICIENCY_OVERLAP, rank, busy_within(&collector->busy, from_ps, to_ps));
    if (collector->intervals->items[interval].sequential)
        add(collector, interval, EFFICIENCY_SEQUENTIAL_CPU, rank, to_ps - from_ps);
}

static void walk_rank(struct collector *collector, uint32_t rank)
{
    const struct trace *trace = collector->relations->trace;
    const struct waits *waits = collector->waits;
    const struct intervals *intervals = collector->intervals;
    size_t change = intervals->rank_first[rank], wait = waits->rank_first[rank];
    int64_t now_ps = trace_begin_ps(trace);
    uint32_t at = INTERVAL_ROOT;
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        const struct trace_call *call = &trace->ranks[rank].calls[i];
        enum call_kind kind = call_kind(call->call);
        bool changes = change < intervals->rank_first[rank + 1] && intervals->changes[change].call == i;
        add_computing(collector, changes ? interval_behind(intervals, at) : at, rank, now_ps, call->enter_ps);
        if (changes) {
            at = intervals->changes[change++].node;
            collector->efficiency->intervals[at].takes_part[rank] = true;
        }
        if (kind == CALL_REGION_ENTER || kind == CALL_REGION_LEAVE)
            add_computing(collector, at, rank, call->enter_ps, call->exit_ps);
        else
            add_call(collector, at, rank, call);
        for (; wait < waits->rank_first[rank + 1] && waits->items[wait].call == i; wait++)
            add(collector, at, EFFICIENCY_REAL_SYNCHRONIZATION, rank, waits->items[wait].severity_ps);
        now_ps = call->exit_ps;
    }
}

/* What would be lost if every collective began with a barrier, and how far its ends lie apart. */
static void walk_instances(struct collector *collector)
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
            uint32_t at = interval_at(collector->intervals, rank, index);
            const struct trace_call *call = relations_call(relations, rank, index);
            add(collector, at, EFFICIENCY_POTENTIAL_SYNCHRONIZATION, rank, enter_ps - call->enter_ps);
            add(collector, at, EFFICIENCY_TIME_VARIATION, rank, exit_ps - call->exit_ps);
        }
    }
}

static void walk_messages(struct collector *collector)
{
    const struct relations *relations = collector->relations;
    for (size_t i = 0; i < relations->messages.count; i++) {
        const struct message *message = &relations->messages.items[i];
        const struct trace_call *receive = relations_call(relations, message->receiver, message->receive_call);
        const struct trace_call *send = relations_call(relations, message->sender, message->send_call);
        if ((call_kind(receive->call) != CALL_RECV && call_kind(receive->call) != CALL_SENDRECV) ||
            send->enter_ps <= receive->enter_ps)
            continue;
        add(collector, interval_at(collector->intervals, message->receiver, message->receive_call),
            EFFICIENCY_POTENTIAL_SYNCHRONIZATION, message->receiver, send->enter_ps - receive->enter_ps);
    }
}

/* An interval holds what the intervals inside it hold. */
static void add_children(struct efficiency *efficiency)
{
    for (size_t i = efficiency->count; i-- > 1;) {
        const struct efficiency_interval *child = &efficiency->intervals[i];
        struct efficiency_interval *parent = &efficiency->intervals[efficiency->parents[i]];
        for (uint32_t r = 0; r < efficiency->rank_count; r++) {
            parent->takes_part[r] = parent->takes_part[r] || child->takes_part[r];
            for (int c = 0; c < ADDED; c++) parent->value_ps[c][r] += child->value_ps[c][r];
        }
    }
}

static void spread_values(struct efficiency_interval *interval, uint32_t rank_count, int c)
{
    struct efficiency_spread *spread = &interval->spread[c];
    bool first = true;
    for (uint32_t r = 0; r < rank_count; r++) {
        if (!interval->takes_part[r]) continue;
        int64_t ps = interval->value_ps[c][r];
        interval->sum_ps[c] += ps;
        if (first || ps < spread->min_ps) spread->min_ps = ps, spread->min_rank = r;
        if (first || ps > spread->max_ps) spread->max_ps = ps, spread->max_rank = r;
        first = false;
    }
    if (interval->processors > 0) spread->mean_s = units_s(interval->sum_ps[c]) / interval->processors;
}

/* The rank with the least MPI time: its MPI time and its sequential share count as useful, those of the others as lost.
 */
static void choose_useful_rank(struct efficiency_interval *interval, uint32_t rank_count)
{
    for (uint32_t r = 0; r < rank_count; r++) {
        if (!interval->takes_part[r]) continue;
        if (interval->processors++ == 0 ||
            interval->value_ps[EFFICIENCY_MPI][r] < interval->value_ps[EFFICIENCY_MPI][interval->useful_rank])
            interval->useful_rank = r;
        if (interval->value_ps[EFFICIENCY_TIME][r] > interval->execution_ps)
            interval->execution_ps = interval->value_ps[EFFICIENCY_TIME][r];
    }
}

static void derive(struct efficiency_interval *interval, uint32_t rank_count)
{
    int64_t **value_ps = interval->value_ps, most_ps = 0;
    choose_useful_rank(interval, rank_count);
    for (uint32_t r = 0; r < rank_count; r++) {
        if (!interval->takes_part[r]) continue;
        bool useful = r == interval->useful_rank;
        value_ps[EFFICIENCY_CPU][r] = value_ps[EFFICIENCY_TIME][r] - value_ps[EFFICIENCY_MPI][r];
        value_ps[EFFICIENCY_INSUFFICIENT_USER][r] = useful ? 0 : value_ps[EFFICIENCY_SEQUENTIAL_CPU][r];
        value_ps[EFFICIENCY_INSUFFICIENT_SYSTEM][r] = useful ? 0 : value_ps[EFFICIENCY_SEQUENTIAL_MPI][r];
        value_ps[EFFICIENCY_COMMUNICATION][r] =
            useful ? 0 : value_ps[EFFICIENCY_MPI][r] - value_ps[EFFICIENCY_SEQUENTIAL_MPI][r];
        value_ps[EFFICIENCY_IDLE][r] = interval->execution_ps - value_ps[EFFICIENCY_TIME][r];
        value_ps[EFFICIENCY_LOST][r] = value_ps[EFFICIENCY_INSUFFICIENT_USER][r] +
                                       value_ps[EFFICIENCY_INSUFFICIENT_SYSTEM][r] +
                                       value_ps[EFFICIENCY_COMMUNICATION][r] + value_ps[EFFICIENCY_IDLE][r];
        int64_t busy_ps = value_ps[EFFICIENCY_TIME][r] - value_ps[EFFICIENCY_REAL_SYNCHRONIZATION][r];
        value_ps[EFFICIENCY_LOAD_IMBALANCE][r] = -busy_ps;
        if (busy_ps > most_ps) most_ps = busy_ps;
    }
    for (uint32_t r = 0; r < rank_count; r++)
        if (interval->takes_part[r]) value_ps[EFFICIENCY_LOAD_IMBALANCE][r] += most_ps;
    for (int c = 0; c < CHARACTERISTIC_COUNT; c++) spread_values(interval, rank_count, c);
    interval->total_ps = interval->execution_ps * interval->processors;
    interval->productive_ps = interval->sum_ps[EFFICIENCY_CPU] - interval->sum_ps[EFFICIENCY_INSUFFICIENT_USER];
    if (interval->processors > 0) interval->productive_ps += value_ps[EFFICIENCY_MPI][interval->useful_rank];
    interval->lost_ps = interval->total_ps - interval->productive_ps;
}

static enum status make_interval(struct collector *collector, size_t index)
{
    const struct trace *trace = collector->relations->trace;
    const struct interval *from = &collector->intervals->items[index];
    struct efficiency_interval *interval = &collector->efficiency->intervals[index];
    size_t ranks = trace->rank_count;
    collector->efficiency->parents[index] = from->parent;
    interval->level = from->level;
    interval->executions = from->executions;
    interval->line = trace->sites[from->site].line;
    interval->takes_part = calloc(ranks, sizeof *interval->takes_part);
    int64_t *values = calloc(ranks * CHARACTERISTIC_COUNT, sizeof *values);
    if (values)
        for (size_t c = 0; c < CHARACTERISTIC_COUNT; c++) interval->value_ps[c] = values + c * ranks;
    if (!interval->takes_part || !values) return err_memory(collector->err);
    if (trace->sites[from->site].file && !(interval->file = strdup(trace->sites[from->site].file)))
        return err_memory(collector->err);
    return interval_path(trace, collector->intervals, (uint32_t)index, &interval->path, collector->err);
}

static enum status collect(struct collector *collector, const struct transfers *transfers)
{
    struct efficiency *efficiency = collector->efficiency;
    const struct trace *trace = collector->relations->trace;
    efficiency->rank_count = trace->rank_count;
    efficiency->intervals = calloc(collector->intervals->count, sizeof *efficiency->intervals);
    efficiency->parents = calloc(collector->intervals->count, sizeof *efficiency->parents);
    if (!efficiency->intervals || !efficiency->parents) return err_memory(collector->err);
    efficiency->count = collector->intervals->count;
    for (size_t i = 0; i < efficiency->count; i++) TRY(make_interval(collector, i));
    TRY(busy_build(collector->relations, transfers, &collector->busy, collector->err));
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        efficiency->intervals[INTERVAL_ROOT].takes_part[r] = true;
        busy_of_rank(&collector->busy, r);
        if (trace->ranks[r].count > 0) walk_rank(collector, r);
    }
    walk_instances(collector);
    walk_messages(collector);
    add_children(efficiency);
    for (size_t i = 0; i < efficiency->count; i++) derive(&efficiency->intervals[i], efficiency->rank_count);
    efficiency_check(efficiency);
    return STATUS_OK;
}

enum status efficiency_new(const struct relations *relations, const struct waits *waits,
                           const struct transfers *transfers, enum interval_source source,
                           struct efficiency **efficiency, struct err *err)
{
    struct intervals intervals;
    struct efficiency *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->source = source;
    struct collector collector = {
        .relations = relations, .waits = waits, .intervals = &intervals, .efficiency = made, .err = err};
    enum status status = intervals_build(relations->trace, source, &intervals, err);
    if (status == STATUS_OK) {
        status = collect(&collector, transfers);
        busy_clear(&collector.busy);
        intervals_clear(&intervals);
    }
    if (status == STATUS_OK)
        *efficiency = made;
    else
        efficiency_free(made);
    return status;
}
