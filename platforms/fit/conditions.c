#include "platforms/fit/conditions.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"

enum { BATCHES_LEAST = 20 };

/* Of one batch. */
struct references {
    double trip_s, work_s;
};

static bool same_references(const struct bench_repetition *a, const struct bench_repetition *b)
{
    return a->reference_s == b->reference_s && a->work_s == b->work_s;
}

/* The references of all batches. Repetitions of a batch have the same ones. */
static size_t collect_references(const struct bench_results *results, bool between, struct references *references)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct bench_series *series = &results->series[i];
        if ((series->demand.nodes > 1) != between) continue;
        for (size_t k = 0; k < series->count; k++) {
            const struct bench_repetition *own = &series->repetitions[k];
            if (own->reference_s > 0 && (k == 0 || !same_references(own, own - 1)))
                references[count++] = (struct references){own->reference_s, own->work_s};
        }
    }
    return count;
}

/* Of sorted values the fastest ones that are alike and CONDITIONS_SHARE of all, else the most frequent ones that are alike. */
static size_t find_alike(const double *values, size_t count, double *from, double *upto)
{
    size_t most = 0;
    for (size_t first = 0, behind = 0; first < count; first++) {
        while (behind < count && values[behind] <= CONDITIONS_WIDTH * values[first]) behind++;
        if (behind - first <= most) continue;
        if ((double)most >= CONDITIONS_SHARE * (double)count) break;
        most = behind - first;
        *from = values[first];
        *upto = CONDITIONS_WIDTH * values[first];
    }
    return most;
}

static void find_among(const struct references *references, size_t count, double *values, struct conditions *conditions)
{
    struct conditions found = {0, 0, 0, 0, 0};
    size_t left = 0;
    for (size_t i = 0; i < count; i++) values[i] = references[i].work_s;
    qsort(values, count, sizeof *values, compare_doubles);
    find_alike(values, count, &found.work_from_s, &found.work_upto_s);
    for (size_t i = 0; i < count; i++)
        if (references[i].work_s >= found.work_from_s && references[i].work_s <= found.work_upto_s)
            values[left++] = references[i].trip_s;
    qsort(values, left, sizeof *values, compare_doubles);
    found.share = (double)find_alike(values, left, &found.from_s, &found.upto_s) / (double)count;
    *conditions = found;
}

enum status conditions_find(const struct bench_results *results, bool between, struct conditions *conditions, struct err *err)
{
    size_t all = 0;
    for (size_t i = 0; i < results->count; i++) all += results->series[i].count;
    struct references *references = malloc(sizeof *references * (all + 1));
    double *values = malloc(sizeof *values * (all + 1));
    enum status status = references && values ? STATUS_OK : err_memory(err);
    *conditions = (struct conditions){0, 0, 0, 0, 0};
    const size_t count = status == STATUS_OK ? collect_references(results, between, references) : 0;
    if (count >= BATCHES_LEAST) find_among(references, count, values, conditions);
    FREE_ALL(references, values);
    return status;
}

bool conditions_hold(const struct conditions *conditions, const struct bench_repetition *repetition)
{
    return repetition->reference_s > 0 && repetition->reference_s >= conditions->from_s &&
           repetition->reference_s <= conditions->upto_s && repetition->work_s >= conditions->work_from_s &&
           repetition->work_s <= conditions->work_upto_s;
}

/* The same test and size in the same place: one of several passes. */
static bool same_size(const struct bench_series *a, const struct bench_series *b)
{
    return a->bytes == b->bytes && a->demand.nodes == b->demand.nodes && strcmp(a->spec, b->spec) == 0 &&
           strcmp(a->place, b->place) == 0;
}

/* A size with the numbers of its repetitions that have references, and of those under the conditions. */
struct size_counts {
    const struct bench_series *first;
    size_t referred, held;
};

static void add_series(const struct bench_series *series, const struct conditions *conditions, struct size_counts *counts)
{
    for (size_t i = 0; i < series->count; i++) {
        counts->referred += series->repetitions[i].reference_s > 0;
        counts->held += conditions_hold(conditions, &series->repetitions[i]);
    }
}

enum status conditions_count(const struct bench_results *results, bool between, const struct conditions *conditions,
                             size_t *sizes, size_t *missing, struct err *err)
{
    struct size_counts *counts = calloc(results->count + 1, sizeof *counts);
    size_t count = 0;
    if (!counts) return err_memory(err);
    for (size_t i = 0; i < results->count; i++) {
        const struct bench_series *series = &results->series[i];
        size_t at = 0;
        if ((series->demand.nodes > 1) != between) continue;
        while (at < count && !same_size(counts[at].first, series)) at++;
        if (at == count) counts[count++].first = series;
        add_series(series, conditions, &counts[at]);
    }
    *sizes = *missing = 0;
    for (size_t i = 0; i < count; i++) {
        *sizes += counts[i].referred > 0;
        *missing += counts[i].referred > 0 && counts[i].held < CONDITIONS_REPETITIONS_LEAST;
    }
    free(counts);
    return STATUS_OK;
}
