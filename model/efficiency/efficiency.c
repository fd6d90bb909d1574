/* Derives the characteristics of intervals from their sums; efficiency_slices.c adds these up. */
#include "model/efficiency/efficiency_parts.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/units.h"

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
        FREE_ALL(interval->path, interval->file, interval->takes_part, interval->value_ps[0]);
    }
    FREE_ALL(efficiency->intervals, efficiency->processors, efficiency->parents);
    caused_clear(&efficiency->caused);
    free(efficiency);
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
    FREE_ALL(by_location.takes_part, by_location.value_ps[0]);
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
