#include "model/efficiency/efficiency_slices.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "model/efficiency/efficiency_parts.h"

struct doubtful {    /* sums of waits in doubt */
    struct map sums; /* (interval, location) to their picoseconds */
    struct caused caused;
};

struct efficiency_slices {
    struct intervals intervals;
    struct intervals_walk *walk;
    const struct locations *locations;
    struct efficiency *efficiency; /* intervals in the order of their discovery */
    size_t capacity;
    struct doubtful *doubtful[DOUBT_COUNT]; /* owned; NULL: no wait depends on it */
};

void efficiency_slices_free(struct efficiency_slices *slices)
{
    if (!slices) return;
    efficiency_free(slices->efficiency);
    intervals_walk_free(slices->walk);
    intervals_clear(&slices->intervals);
    for (int d = 0; d < DOUBT_COUNT; d++) {
        if (!slices->doubtful[d]) continue;
        map_clear(&slices->doubtful[d]->sums);
        caused_clear(&slices->doubtful[d]->caused);
        free(slices->doubtful[d]);
    }
    free(slices);
}

static struct collector collector_of(struct efficiency_slices *slices, const struct relations *relations,
                                     struct err *err)
{
    return (struct collector){.relations = relations,
                              .intervals = &slices->intervals,
                              .locations = slices->locations,
                              .efficiency = slices->efficiency,
                              .err = err};
}

enum status efficiency_slices_new(const struct trace *trace, const struct locations *locations, enum interval_source source,
                                  bool lost_all, struct efficiency_slices **slices, struct err *err)
{
    struct efficiency_slices *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->locations = locations;
    made->efficiency = calloc(1, sizeof *made->efficiency);
    enum status status = made->efficiency ? intervals_walk_new(trace, locations, source, &made->intervals, &made->walk, err)
                                          : err_memory(err);
    if (made->efficiency) *made->efficiency = (struct efficiency){.source = source, .lost_all = lost_all};
    if (status == STATUS_OK)
        *slices = made;
    else
        efficiency_slices_free(made);
    return status;
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
    return intervals_go_on(slices->walk, err);
}

struct intervals *efficiency_slices_intervals(struct efficiency_slices *slices)
{
    return &slices->intervals;
}

static enum status add_wait(struct efficiency_slices *slices, const struct collector *collector,
                            const struct wait *wait)
{
    uint32_t interval = interval_at(&slices->intervals, wait->rank, wait->call);
    enum mpi_call function = trace_function(slices->intervals.trace, wait->rank, wait->call);
    uint32_t cause = collector_cause(collector, wait);
    uint32_t location = slices->locations->first[wait->rank] + wait->thread;
    uint64_t *sum;
    if (wait->doubt == FINDING_CERTAIN) {
        collector_add_wait(collector, interval, location, function, (enum pattern)wait->pattern, wait->severity_ps);
        return caused_add(&slices->efficiency->caused, interval, cause, wait->severity_ps, collector->err);
    }
    struct doubtful **doubtful = &slices->doubtful[wait->doubt];
    if (!*doubtful && !(*doubtful = calloc(1, sizeof **doubtful))) return err_memory(collector->err);
    TRY(map_put(&(*doubtful)->sums, map_pair(interval, location), 0, &sum, collector->err));
    *sum += (uint64_t)wait->severity_ps;
    return caused_add(&(*doubtful)->caused, interval, cause, wait->severity_ps, collector->err);
}

enum status efficiency_slices_add(struct efficiency_slices *slices, const struct relations *relations,
                                  const struct waits *waits, struct err *err)
{
    struct collector collector = collector_of(slices, relations, err);
    TRY(make_room(slices, err));
    for (size_t i = 0; i < waits->count; i++) TRY(add_wait(slices, &collector, &waits->items[i]));
    collector_walk_instances(&collector);
    collector_walk_messages(&collector);
    return STATUS_OK;
}

static enum status add_provisional(const struct collector *collector, const struct doubtful *doubtful,
                                   enum mpi_call call)
{
    const struct map *sums = &doubtful->sums;
    const struct caused *caused = &doubtful->caused;
    for (size_t i = 0; i < sums->capacity; i++)
        if (sums->used[i])
            collector_add_wait(collector, (uint32_t)(sums->keys[i] >> 32), (uint32_t)sums->keys[i], call,
                               PATTERN_EARLY_TRANSFER, (int64_t)sums->values[i]);
    for (size_t i = 0; i < caused->count; i++)
        TRY(caused_add(&collector->efficiency->caused, caused->rows[i].interval, caused->rows[i].cause,
                       caused->rows[i].time_ps, collector->err));
    return STATUS_OK;
}

static void add_row(const struct collector *collector, const struct activity_log_row *row)
{
    collector_add_computing(collector, row->gap_interval, row->location, row->gap_ps);
    collector_add(collector, row->gap_interval, EFFICIENCY_OVERLAP, row->location, row->gap_busy_ps);
    collector->efficiency->intervals[row->interval].takes_part[row->location] = true;
    if (!call_is_region(row->call)) {
        collector_add_call(collector, row->interval, row->location, row->call, row->as, row->call_ps);
        return;
    }
    collector_add_computing(collector, row->interval, row->location, row->call_ps);
    collector_add(collector, row->interval, EFFICIENCY_OVERLAP, row->location, row->call_busy_ps);
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

static enum status describe_intervals(struct efficiency_slices *slices, const struct collector *collector)
{
    struct efficiency *efficiency = slices->efficiency;
    size_t count = efficiency->count;
    efficiency->parents = calloc(count, sizeof *efficiency->parents);
    struct numbered *before = malloc(count * sizeof *before);
    uint32_t *now = malloc(count * sizeof *now);
    struct efficiency_interval *moved = malloc(count * sizeof *moved);
    enum status status = efficiency->parents && before && now && moved ? STATUS_OK : err_memory(collector->err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) status = collector_describe(collector, i);
    if (status == STATUS_OK) order_intervals(efficiency, &slices->intervals, before, now, moved);
    free(before);
    free(now);
    free(moved);
    return status;
}

enum status efficiency_slices_sum(struct efficiency_slices *slices, const struct activity_log *log,
                                  const struct provisional *provisional, struct err *err)
{
    struct collector collector = collector_of(slices, NULL, err);
    struct activity_log_row row = {0};
    TRY(make_room(slices, err));
    for (uint16_t d = DOUBT_PROGRESS; d < DOUBT_COUNT; d++)
        if (!provisional->refuted[d] && slices->doubtful[d])
            TRY(add_provisional(&collector, slices->doubtful[d], doubt_function(d)));
    while (activity_log_next_row(log, &row)) add_row(&collector, &row);
    return intervals_count(slices->walk, activity_log_processors(log), err);
}

enum status efficiency_slices_end(struct efficiency_slices *slices, const struct activity_log *log,
                                  struct efficiency **efficiency, struct err *err)
{
    struct collector collector = collector_of(slices, NULL, err);
    TRY(efficiency_fold(slices->efficiency, slices->intervals.trace->rank_count, slices->locations->count,
                        activity_log_processors(log), err));
    for (uint32_t p = 0; p < slices->efficiency->processor_count; p++)
        slices->efficiency->intervals[INTERVAL_ROOT].takes_part[p] = true;
    TRY(describe_intervals(slices, &collector));
    efficiency_conclude(slices->efficiency);
    *efficiency = slices->efficiency;
    slices->efficiency = NULL;
    return STATUS_OK;
}
