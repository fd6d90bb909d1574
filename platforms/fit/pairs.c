#include "platforms/fit/pairs.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "platforms/fit/size_curve.h"

/* One direction of a pair: a put from node `from` to node `to`. */
struct direction {
    int from, to;
    double relative, error; /* to the middle of all pairs: mean over sizes, its standard error */
    int sizes;
};

struct place_time {
    int64_t bytes;
    int from, to;
    double time_s, error_s;
};

struct times {
    struct place_time *items;
    size_t count, capacity;
};

struct directions {
    struct direction *items;
    size_t count, capacity;
};

static enum status collect_times(const struct bench_results *results, const char *spec, struct times *times, struct err *err)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct bench_series *series = &results->series[i];
        struct place_time one = {.bytes = series->bytes};
        struct fit_point point;
        if (strcmp(series->spec, spec) != 0 || series->demand.nodes != 2 || series->demand.ranks != 2) continue;
        if (sscanf(series->place, "%d+%d", &one.from, &one.to) != 2 || one.from < 0 || one.to < 0) continue;
        TRY(size_curve_series_point(series, &point, err));
        one.time_s = point.y;
        one.error_s = point.error;
        if (one.time_s > 0) ARRAY_PUSH(times->items, times->count, times->capacity, one, err);
    }
    return STATUS_OK;
}

ORDER(by_bytes_and_time, struct place_time, UP(bytes) UP(time_s))

static enum status find_direction(struct directions *directions, int from, int to, struct direction **found, struct err *err)
{
    for (size_t i = 0; i < directions->count; i++)
        if (directions->items[i].from == from && directions->items[i].to == to) {
            *found = &directions->items[i];
            return STATUS_OK;
        }
    ARRAY_PUSH(directions->items, directions->count, directions->capacity, ((struct direction){.from = from, .to = to}), err);
    *found = &directions->items[directions->count - 1];
    return STATUS_OK;
}

/* Sums over the sizes that several pairs have. With an even number of pairs the lower middle one is the middle. */
static enum status add_sizes(struct times *times, struct directions *directions, struct err *err)
{
    if (times->count > 0) qsort(times->items, times->count, sizeof *times->items, by_bytes_and_time);
    for (size_t first = 0, behind; first < times->count; first = behind) {
        for (behind = first; behind < times->count && times->items[behind].bytes == times->items[first].bytes; behind++) {}
        double middle_s = times->items[first + (behind - first - 1) / 2].time_s;
        for (size_t i = first; i < behind && behind - first > 1; i++) {
            struct direction *direction;
            TRY(find_direction(directions, times->items[i].from, times->items[i].to, &direction, err));
            direction->relative += times->items[i].time_s / middle_s;
            direction->error += pow(times->items[i].error_s / middle_s, 2);
            direction->sizes++;
        }
    }
    for (size_t i = 0; i < directions->count; i++) {
        struct direction *direction = &directions->items[i];
        direction->relative /= direction->sizes;
        direction->error = sqrt(direction->error) / direction->sizes;
    }
    return STATUS_OK;
}

/* --- what is noted --- */

static void note_pair(struct pair_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note_pair(struct pair_notes *notes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    notes->count++;
    if (notes->count <= PAIR_NOTES_MOST) vsnprintf(notes->text[notes->count - 1], PAIR_NOTE_BYTES, format, args);
    va_end(args);
}

static const char *host_of(const cJSON *nodes, int node)
{
    const char *host = cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(nodes, node), "host"));
    return host ? host : "an unknown node";
}

static bool is_slow(const struct direction *direction)
{
    return direction->relative - 1 > fmax(PAIR_DIFFERENCE_LEAST, 3 * direction->error);
}

/* The least relative time of a node all of whose directions are slow, with two neighbours or more. 0: the node is not slow. */
static double find_slow_node(const struct directions *directions, int node)
{
    int count = 0;
    double least = INFINITY;
    for (size_t i = 0; i < directions->count; i++) {
        const struct direction *direction = &directions->items[i];
        if (direction->from != node && direction->to != node) continue;
        if (!is_slow(direction)) return 0;
        least = fmin(least, direction->relative);
        count++;
    }
    return count > 2 ? least : 0;
}

static const struct direction *direction_back(const struct directions *directions, const struct direction *there)
{
    for (size_t i = 0; i < directions->count; i++)
        if (directions->items[i].from == there->to && directions->items[i].to == there->from) return &directions->items[i];
    return NULL;
}

static void note_nodes(const struct directions *directions, const char *spec, const cJSON *nodes, struct pair_notes *notes)
{
    for (int node = 0; node < cJSON_GetArraySize(nodes); node++) {
        double least = find_slow_node(directions, node);
        if (least > 0)
            note_pair(notes,
                      "%s is a slow node: %s takes %.2f times the middle of all pairs or more with each neighbour",
                      host_of(nodes, node), spec, least);
    }
}

static void note_directions(const struct directions *directions, const char *spec, const cJSON *nodes, struct pair_notes *notes)
{
    for (size_t i = 0; i < directions->count; i++) {
        const struct direction *there = &directions->items[i], *other = direction_back(directions, there);
        const char *from = host_of(nodes, there->from), *to = host_of(nodes, there->to);
        if (other && there->relative - other->relative >
                         fmax(PAIR_DIFFERENCE_LEAST, 3 * hypot(there->error, other->error)) * other->relative)
            note_pair(notes, "an asymmetric pair: %s takes %.2f times as long from %s to %s as back", spec,
                      there->relative / other->relative, from, to);
        else if (is_slow(there) && find_slow_node(directions, there->from) == 0 && find_slow_node(directions, there->to) == 0 &&
                 (!other || there->from < there->to))
            note_pair(notes, "a slow pair: %s takes %.2f times the middle of all pairs between %s and %s", spec,
                      there->relative, from, to);
    }
}

enum status pairs_compare(const struct bench_results *results, const char *spec, const cJSON *nodes, struct pair_notes *notes,
                          struct err *err)
{
    struct times times = {0};
    struct directions directions = {0};
    notes->count = 0;
    enum status status = collect_times(results, spec, &times, err);
    if (status == STATUS_OK) status = add_sizes(&times, &directions, err);
    if (status == STATUS_OK) {
        note_nodes(&directions, spec, nodes, notes);
        note_directions(&directions, spec, nodes, notes);
        if (notes->count > PAIR_NOTES_MOST) {
            snprintf(notes->text[PAIR_NOTES_MOST - 1], PAIR_NOTE_BYTES, "%d more nodes and pairs differ from the middle",
                     notes->count - PAIR_NOTES_MOST + 1);
            notes->count = PAIR_NOTES_MOST;
        }
    }
    FREE_ALL(times.items, directions.items);
    return status;
}
