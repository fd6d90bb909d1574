#include "platforms/fit/conditions.h"

#include <stdlib.h>

#include "common/search.h"

enum { BATCHES_LEAST = 20 };

/* The references of all batches, one each. Repetitions of a batch have the same one. */
static size_t collect_references(const struct bench_results *results, bool between, double *references)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct bench_series *series = &results->series[i];
        if ((series->demand.nodes > 1) != between) continue;
        for (size_t k = 0; k < series->count; k++) {
            const double reference_s = series->repetitions[k].reference_s;
            if (reference_s > 0 && (k == 0 || reference_s != series->repetitions[k - 1].reference_s))
                references[count++] = reference_s;
        }
    }
    return count;
}

enum status conditions_find(const struct bench_results *results, bool between, struct conditions *conditions, struct err *err)
{
    size_t all = 0, most = 0;
    for (size_t i = 0; i < results->count; i++) all += results->series[i].count;
    double *references = malloc(sizeof *references * (all + 1));
    if (!references) return err_memory(err);
    const size_t count = collect_references(results, between, references);
    qsort(references, count, sizeof *references, compare_doubles);
    *conditions = (struct conditions){0, 0, 0};
    for (size_t first = 0, behind = 0; first < count && count >= BATCHES_LEAST; first++) {
        while (behind < count && references[behind] <= CONDITIONS_WIDTH * references[first]) behind++;
        if (behind - first <= most) continue;
        if ((double)most >= CONDITIONS_SHARE * (double)count) break;
        most = behind - first;
        *conditions = (struct conditions){references[first], CONDITIONS_WIDTH * references[first], (double)most / (double)count};
    }
    free(references);
    return STATUS_OK;
}
