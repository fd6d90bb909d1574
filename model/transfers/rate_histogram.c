#include "model/transfers/rate_histogram.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"
#include "model/transfers/double_bits.h"

/* Five bits of the fraction are the class. Rates below 1 B/s, mostly of transfers without bytes, are one further
 * class. */
enum { CLASS_SHIFT = 52 - 5 };
_Static_assert(1 << (52 - CLASS_SHIFT) == RATE_HISTOGRAM_CLASSES, "classes of an octave");
static const uint64_t slow_class = (UINT64_C(0x3ff0000000000000) >> CLASS_SHIFT) - 1;

static uint64_t class_of(uint64_t bits)
{
    uint64_t number = bits >> CLASS_SHIFT;
    return number > slow_class ? number : slow_class;
}

void rate_histogram_clear(struct rate_histogram *histogram)
{
    free(histogram->cells);
    memset(histogram, 0, sizeof *histogram);
}

static bool is_exact(const struct rate_histogram *histogram)
{
    return histogram->count <= RATE_HISTOGRAM_EXACT_MAX;
}

/* Makes room for a class and the classes between it and the others. */
static enum status reach_class(struct rate_histogram *histogram, uint64_t number, struct err *err)
{
    uint64_t first = histogram->cell_count == 0 || number < histogram->first ? number : histogram->first;
    uint64_t end = histogram->cell_count == 0 ? number : histogram->first + histogram->cell_count;
    if (number >= end) end = number + 1;
    size_t before = histogram->cell_count == 0 ? 0 : (size_t)(histogram->first - first), count = (size_t)(end - first);
    if (count == histogram->cell_count) return STATUS_OK;
    TRY(array_reserve((void **)&histogram->cells, &histogram->cell_capacity, count, sizeof *histogram->cells, err));
    memmove(histogram->cells + before, histogram->cells, histogram->cell_count * sizeof *histogram->cells);
    memset(histogram->cells, 0, before * sizeof *histogram->cells);
    size_t filled = before + histogram->cell_count;
    memset(histogram->cells + filled, 0, (count - filled) * sizeof *histogram->cells);
    histogram->first = first;
    histogram->cell_count = count;
    return STATUS_OK;
}

static enum status add_to_class(struct rate_histogram *histogram, uint64_t number, uint64_t count, struct err *err)
{
    if (number < histogram->first || number - histogram->first >= histogram->cell_count)
        TRY(reach_class(histogram, number, err));
    histogram->cells[number - histogram->first] += count;
    return STATUS_OK;
}

static enum status make_classes(struct rate_histogram *histogram, struct err *err)
{
    uint64_t exact[RATE_HISTOGRAM_EXACT_MAX];
    size_t count = histogram->cell_count;
    if (count > 0) memcpy(exact, histogram->cells, count * sizeof *exact);
    histogram->cell_count = 0;
    for (size_t i = 0; i < count; i++) TRY(add_to_class(histogram, class_of(exact[i]), 1, err));
    return STATUS_OK;
}

static enum status add_bits(struct rate_histogram *histogram, uint64_t bits, struct err *err)
{
    if (histogram->count < RATE_HISTOGRAM_EXACT_MAX)
        ARRAY_PUSH(histogram->cells, histogram->cell_count, histogram->cell_capacity, bits, err);
    else if (histogram->count == RATE_HISTOGRAM_EXACT_MAX)
        TRY(make_classes(histogram, err));
    if (histogram->count >= RATE_HISTOGRAM_EXACT_MAX) TRY(add_to_class(histogram, class_of(bits), 1, err));
    histogram->count++;
    return STATUS_OK;
}

static void note_extremes(struct rate_histogram *histogram, double min, double max)
{
    if (histogram->count == 0 || min < histogram->min) histogram->min = min;
    if (histogram->count == 0 || max > histogram->max) histogram->max = max;
}

static void add_time(struct rate_histogram *histogram, uint64_t high, uint64_t low)
{
    histogram->time_low += low;
    histogram->time_high += high + (histogram->time_low < low);
}

struct rate_value rate_value(int64_t bytes, int64_t time_ps)
{
    return (struct rate_value){bytes, time_ps, time_ps > 0 ? (double)bytes / units_s(time_ps) : 0};
}

enum status rate_histogram_add(struct rate_histogram *histogram, const struct rate_value *value, struct err *err)
{
    if (value->time_ps <= 0) {
        histogram->unbounded++;
        return STATUS_OK;
    }
    note_extremes(histogram, value->rate_Bps, value->rate_Bps);
    histogram->bytes += (uint64_t)value->bytes;
    add_time(histogram, 0, (uint64_t)value->time_ps);
    return add_bits(histogram, double_bits(value->rate_Bps), err);
}

/* The middle of the class of the value with this rank in the order of values, from 0. */
static double value_at(const struct rate_histogram *histogram, uint64_t place)
{
    size_t i = 0;
    for (; place >= histogram->cells[i]; i++) place -= histogram->cells[i];
    if (histogram->first + i == slow_class) return histogram->min;
    uint64_t first = (histogram->first + i) << CLASS_SHIFT, next = (histogram->first + i + 1) << CLASS_SHIFT;
    double middle = (double_of_bits(first) + double_of_bits(next)) / 2;
    if (middle < histogram->min) return histogram->min;
    return middle > histogram->max ? histogram->max : middle;
}

static double exact_median(const struct rate_histogram *histogram)
{
    double values[RATE_HISTOGRAM_EXACT_MAX];
    size_t count = histogram->cell_count;
    for (size_t i = 0; i < count; i++) values[i] = double_of_bits(histogram->cells[i]);
    qsort(values, count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

struct result_rates rate_histogram_report(const struct rate_histogram *histogram)
{
    struct result_rates made = {.count = histogram->count, .unbounded = histogram->unbounded};
    if (histogram->count == 0) return made;
    double time_ps = (double)histogram->time_high * 0x1p64 + (double)histogram->time_low;
    made.min = histogram->min;
    made.max = histogram->max;
    made.overall = (double)histogram->bytes / (time_ps * 1e-12);
    made.median =
        is_exact(histogram)
            ? exact_median(histogram)
            : (value_at(histogram, (histogram->count - 1) / 2) + value_at(histogram, histogram->count / 2)) / 2;
    return made;
}

