#include "model/transfers/rate_histogram.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "model/transfers/double_bits.h"

/* Five bits of the fraction tell the class. What is below 1 B/s, a transfer of nothing above all, is one class more. */
enum { CLASS_SHIFT = 52 - 5 };
_Static_assert(1 << (52 - CLASS_SHIFT) == SPREAD_CLASSES, "classes of an octave");
static const uint64_t slow_class = (UINT64_C(0x3ff0000000000000) >> CLASS_SHIFT) - 1;

static uint64_t class_of(uint64_t bits)
{
    uint64_t number = bits >> CLASS_SHIFT;
    return number > slow_class ? number : slow_class;
}

void spread_clear(struct spread *spread)
{
    free(spread->cells);
    memset(spread, 0, sizeof *spread);
}

static bool is_exact(const struct spread *spread)
{
    return spread->count <= SPREAD_EXACT_MAX;
}

/* Room for a class, with those between it and the others. */
static enum status reach(struct spread *spread, uint64_t number, struct err *err)
{
    uint64_t first = spread->cell_count == 0 || number < spread->first ? number : spread->first;
    uint64_t end = spread->cell_count == 0 ? number : spread->first + spread->cell_count;
    if (number >= end) end = number + 1;
    size_t before = spread->cell_count == 0 ? 0 : (size_t)(spread->first - first), count = (size_t)(end - first);
    if (count == spread->cell_count) return STATUS_OK;
    TRY(array_reserve((void **)&spread->cells, &spread->cell_capacity, count, sizeof *spread->cells, err));
    memmove(spread->cells + before, spread->cells, spread->cell_count * sizeof *spread->cells);
    memset(spread->cells, 0, before * sizeof *spread->cells);
    size_t filled = before + spread->cell_count;
    memset(spread->cells + filled, 0, (count - filled) * sizeof *spread->cells);
    spread->first = first;
    spread->cell_count = count;
    return STATUS_OK;
}

static enum status add_to_class(struct spread *spread, uint64_t number, uint64_t count, struct err *err)
{
    if (number < spread->first || number - spread->first >= spread->cell_count) TRY(reach(spread, number, err));
    spread->cells[number - spread->first] += count;
    return STATUS_OK;
}

static enum status make_classes(struct spread *spread, struct err *err)
{
    uint64_t exact[SPREAD_EXACT_MAX];
    size_t count = spread->cell_count;
    if (count > 0) memcpy(exact, spread->cells, count * sizeof *exact);
    spread->cell_count = 0;
    for (size_t i = 0; i < count; i++) TRY(add_to_class(spread, class_of(exact[i]), 1, err));
    return STATUS_OK;
}

static enum status add_bits(struct spread *spread, uint64_t bits, struct err *err)
{
    if (spread->count < SPREAD_EXACT_MAX)
        ARRAY_PUSH(spread->cells, spread->cell_count, spread->cell_capacity, bits, err);
    else if (spread->count == SPREAD_EXACT_MAX)
        TRY(make_classes(spread, err));
    if (spread->count >= SPREAD_EXACT_MAX) TRY(add_to_class(spread, class_of(bits), 1, err));
    spread->count++;
    return STATUS_OK;
}

static void note_extremes(struct spread *spread, double min, double max)
{
    if (spread->count == 0 || min < spread->min) spread->min = min;
    if (spread->count == 0 || max > spread->max) spread->max = max;
}

static void add_time(struct spread *spread, uint64_t high, uint64_t low)
{
    spread->time_low += low;
    spread->time_high += high + (spread->time_low < low);
}

struct spread_value spread_value(int64_t bytes, int64_t time_ps)
{
    return (struct spread_value){bytes, time_ps, time_ps > 0 ? (double)bytes / units_s(time_ps) : 0};
}

enum status spread_add(struct spread *spread, const struct spread_value *value, struct err *err)
{
    if (value->time_ps <= 0) {
        spread->unbounded++;
        return STATUS_OK;
    }
    note_extremes(spread, value->rate_Bps, value->rate_Bps);
    spread->bytes += (uint64_t)value->bytes;
    add_time(spread, 0, (uint64_t)value->time_ps);
    return add_bits(spread, double_bits(value->rate_Bps), err);
}

static enum status merge_cells(struct spread *into, const struct spread *from, struct err *err)
{
    if (is_exact(from)) {
        for (size_t i = 0; i < from->cell_count; i++) TRY(add_bits(into, from->cells[i], err));
        return STATUS_OK;
    }
    if (is_exact(into)) TRY(make_classes(into, err));
    for (size_t i = 0; i < from->cell_count; i++)
        if (from->cells[i] > 0) TRY(add_to_class(into, from->first + i, from->cells[i], err));
    into->count += from->count;
    return STATUS_OK;
}

enum status spread_merge(struct spread *into, const struct spread *from, struct err *err)
{
    into->unbounded += from->unbounded;
    if (from->count == 0) return STATUS_OK;
    note_extremes(into, from->min, from->max);
    into->bytes += from->bytes;
    add_time(into, from->time_high, from->time_low);
    return merge_cells(into, from, err);
}

/* The middle of the class that holds the value of this place, from 0. */
static double value_at(const struct spread *spread, uint64_t place)
{
    size_t i = 0;
    for (; place >= spread->cells[i]; i++) place -= spread->cells[i];
    if (spread->first + i == slow_class) return spread->min;
    uint64_t first = (spread->first + i) << CLASS_SHIFT, next = (spread->first + i + 1) << CLASS_SHIFT;
    double middle = (double_of_bits(first) + double_of_bits(next)) / 2;
    if (middle < spread->min) return spread->min;
    return middle > spread->max ? spread->max : middle;
}

static int compare(const void *one, const void *other)
{
    const double *a = one, *b = other;
    return (*a > *b) - (*a < *b);
}

static double exact_median(const struct spread *spread)
{
    double values[SPREAD_EXACT_MAX];
    size_t count = spread->cell_count;
    for (size_t i = 0; i < count; i++) values[i] = double_of_bits(spread->cells[i]);
    qsort(values, count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

struct result_spread spread_report(const struct spread *spread)
{
    struct result_spread made = {.count = spread->count, .unbounded = spread->unbounded};
    if (spread->count == 0) return made;
    double time_ps = (double)spread->time_high * 0x1p64 + (double)spread->time_low;
    made.min = spread->min;
    made.max = spread->max;
    made.overall = (double)spread->bytes / (time_ps * 1e-12);
    made.median = is_exact(spread)
                      ? exact_median(spread)
                      : (value_at(spread, (spread->count - 1) / 2) + value_at(spread, spread->count / 2)) / 2;
    return made;
}

enum status spread_put(const struct spread *spread, struct bytes *bytes, struct err *err)
{
    TRY(bytes_put(bytes, spread, sizeof *spread, err));
    return bytes_put(bytes, spread->cells, spread->cell_count * sizeof *spread->cells, err);
}

enum status spread_take(struct spread *spread, struct bytes *bytes, struct err *err)
{
    void *cells;
    bytes_take(bytes, spread, sizeof *spread);
    spread->cells = NULL;
    TRY(bytes_take_array(bytes, spread->cell_count, sizeof *spread->cells, &cells, err));
    spread->cells = cells;
    spread->cell_capacity = spread->cell_count;
    return STATUS_OK;
}
