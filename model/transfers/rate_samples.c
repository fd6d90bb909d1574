#include "model/transfers/rate_samples.h"

#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "common/array.h"
#include "common/search.h"
#include "model/transfers/double_bits.h"

/* Ten bits of the fraction are the class. */
enum { CLASS_SHIFT = 42 };

void distribution_clear(struct distribution *distribution)
{
    FREE_ALL(distribution->exact, distribution->classes);
    map_clear(&distribution->index);
    memset(distribution, 0, sizeof *distribution);
}

static enum status class_of(struct distribution *distribution, uint64_t number, struct distribution_class **found,
                            struct err *err)
{
    uint64_t *slot;
    if (distribution->class_count == 0 || distribution->classes[distribution->last].number != number) {
        struct distribution_class made = {.number = number};
        TRY(map_put(&distribution->index, number, distribution->class_count, &slot, err));
        distribution->last = (size_t)*slot;
        if (distribution->last == distribution->class_count)
            ARRAY_PUSH(distribution->classes, distribution->class_count, distribution->class_capacity, made, err);
    }
    *found = &distribution->classes[distribution->last];
    return STATUS_OK;
}

static void add_sum(struct distribution_class *into, uint64_t high, uint64_t low)
{
    into->sum_low += low;
    into->sum_high += high + (into->sum_low < low);
}

static enum status add_to_class(struct distribution *distribution, double value, struct err *err)
{
    uint64_t bits = double_bits(value);
    struct distribution_class *found;
    TRY(class_of(distribution, bits >> CLASS_SHIFT, &found, err));
    found->count++;
    add_sum(found, 0, bits & ((UINT64_C(1) << CLASS_SHIFT) - 1));
    return STATUS_OK;
}

static void note_extremes(struct distribution *distribution, double min, double max)
{
    if (distribution->count == 0 || min < distribution->min) distribution->min = min;
    if (distribution->count == 0 || max > distribution->max) distribution->max = max;
}

/* Replaces the exact values by classes when there are too many. */
static enum status make_classes(struct distribution *distribution, struct err *err)
{
    if (!distribution->exact) return STATUS_OK;
    for (uint64_t i = 0; i < distribution->count; i++) TRY(add_to_class(distribution, distribution->exact[i], err));
    free(distribution->exact);
    distribution->exact = NULL;
    distribution->exact_capacity = 0;
    return STATUS_OK;
}

enum status distribution_add(struct distribution *distribution, double value, struct err *err)
{
    if (distribution->count >= DISTRIBUTION_EXACT_MAX) {
        TRY(make_classes(distribution, err));
        TRY(add_to_class(distribution, value, err));
    } else {
        if (distribution->count == distribution->exact_capacity)
            TRY(array_reserve((void **)&distribution->exact, &distribution->exact_capacity,
                              (size_t)distribution->count + 1, sizeof value, err));
        distribution->exact[distribution->count] = value;
    }
    note_extremes(distribution, value, value);
    distribution->count++;
    return STATUS_OK;
}

ORDER(by_number, struct distribution_class, UP(number))

/* The mean of a class, in which values grow linearly with their bits. */
static double class_mean(const struct distribution_class *of)
{
    uint64_t first = of->number << CLASS_SHIFT;
    double base = double_of_bits(first), step = double_of_bits(first + 1) - base;
    double bits = ((double)of->sum_high * 0x1p64 + (double)of->sum_low) / (double)of->count;
    return base + bits * step;
}

/* The mean of the class of the value with this rank in the order of values, from 0. */
static double value_at(const struct distribution *distribution, uint64_t place)
{
    size_t i = 0;
    for (; place >= distribution->classes[i].count; i++) place -= distribution->classes[i].count;
    return class_mean(&distribution->classes[i]);
}

static void report_classes(struct distribution *distribution, struct result_distribution *made)
{
    uint64_t count = distribution->count;
    qsort(distribution->classes, distribution->class_count, sizeof *distribution->classes, by_number);
    map_clear(&distribution->index); /* its positions are no longer valid */
    made->median = (value_at(distribution, (count - 1) / 2) + value_at(distribution, count / 2)) / 2;
    for (size_t i = 0; i < distribution->class_count; i++)
        made->mean += class_mean(&distribution->classes[i]) *
                      ((double)distribution->classes[i].count / (double)count);
}

struct result_distribution distribution_report(struct distribution *distribution)
{
    struct result_distribution made = {.count = distribution->count, .unbounded = distribution->unbounded};
    if (distribution->count == 0) return made;
    made.min = distribution->min;
    made.max = distribution->max;
    if (distribution->exact) {
        gsl_sort(distribution->exact, 1, (size_t)distribution->count);
        made.mean = gsl_stats_mean(distribution->exact, 1, (size_t)distribution->count);
        made.median = gsl_stats_median_from_sorted_data(distribution->exact, 1, (size_t)distribution->count);
    } else {
        report_classes(distribution, &made);
    }
    return made;
}
