#include "trace/program_model/executions.h"

#include <math.h>
#include <stdlib.h>

#include "common/array.h"

enum status executions_open(struct executions *executions, uint32_t ranks, struct err *err)
{
    *executions = (struct executions){.first = calloc((size_t)ranks + 1, sizeof *executions->first)};
    return executions->first ? STATUS_OK : err_memory(err);
}

enum status executions_add(struct executions *executions, double seconds, struct err *err)
{
    ARRAY_PUSH(executions->values, executions->count, executions->capacity, (float)seconds, err);
    return STATUS_OK;
}

void executions_clear(struct executions *executions)
{
    FREE_ALL(executions->values, executions->first, executions->by_rank, executions->by_execution);
    *executions = (struct executions){.count = 0};
}

static void divide_all(struct executions *executions, double by)
{
    for (size_t i = 0; i < executions->count; i++)
        executions->values[i] = by > 0 ? (float)(executions->values[i] / by) : 1;
}

static double mean_of_all(const struct executions *executions)
{
    double sum = 0;
    for (size_t i = 0; i < executions->count; i++) sum += executions->values[i];
    return executions->count ? sum / (double)executions->count : 0;
}

/* Divides each rank's executions by their mean. */
static void split_ranks(struct executions *executions, uint32_t ranks)
{
    for (uint32_t r = 0; r < ranks; r++) {
        double sum = 0;
        size_t begin = executions->first[r], end = executions->first[r + 1];
        for (size_t i = begin; i < end; i++) sum += executions->values[i];
        double mean = end > begin ? sum / (double)(end - begin) : 1;
        executions->by_rank[r] = (float)mean;
        for (size_t i = begin; i < end; i++) executions->values[i] = mean > 0 ? (float)(executions->values[i] / mean) : 1;
    }
}

/* Divides the i-th executions of all ranks by their mean. */
static void split_executions(struct executions *executions, uint32_t ranks)
{
    for (size_t k = 0; k < executions->most; k++) {
        double sum = 0;
        size_t count = 0;
        for (uint32_t r = 0; r < ranks; r++) {
            if (executions->first[r] + k >= executions->first[r + 1]) continue;
            sum += executions->values[executions->first[r] + k];
            count++;
        }
        double mean = count > 0 ? sum / (double)count : 1;
        executions->by_execution[k] = (float)mean;
        for (uint32_t r = 0; r < ranks; r++) {
            size_t at = executions->first[r] + k;
            if (at < executions->first[r + 1])
                executions->values[at] = mean > 0 ? (float)(executions->values[at] / mean) : 1;
        }
    }
}

/* The least relative deviation that ranks are said to share. */
static const double SHARE_LEAST = 1e-4;

/* Whether the i-th executions of all ranks have something in common: their means differ four times as much as they would by
 * chance (an analysis of variance). */
static bool has_common_executions(const struct executions *executions, uint32_t ranks)
{
    double between = 0, within = 0;
    size_t means = 0, rest = 0;
    for (size_t k = 0; k < executions->most; k++) {
        double sum = 0, squares = 0;
        size_t count = 0;
        for (uint32_t r = 0; r < ranks; r++) {
            if (executions->first[r] + k >= executions->first[r + 1]) continue;
            const double off = (double)executions->values[executions->first[r] + k] - 1; /* the mean of all is 1 */
            sum += off;
            squares += off * off;
            count++;
        }
        if (count < 2) continue;
        between += sum * sum / (double)count;
        within += squares - sum * sum / (double)count;
        means++;
        rest += count - 1;
    }
    return means > 1 && between / (double)(means - 1) > fmax(4 * within / (double)rest, SHARE_LEAST * SHARE_LEAST);
}

enum status executions_split(struct executions *executions, uint32_t ranks, bool alike, struct err *err)
{
    executions->most = 0;
    for (uint32_t r = 0; r < ranks; r++) {
        size_t count = executions->first[r + 1] - executions->first[r];
        if (count > executions->most) executions->most = count;
    }
    executions->by_rank = malloc((ranks + 1) * sizeof *executions->by_rank);
    executions->by_execution = malloc((executions->most + 1) * sizeof *executions->by_execution);
    if (!executions->by_rank || !executions->by_execution) return err_memory(err);
    for (uint32_t r = 0; r < ranks; r++) executions->by_rank[r] = 1;
    for (size_t k = 0; k < executions->most; k++) executions->by_execution[k] = 1;
    divide_all(executions, mean_of_all(executions));
    if (!alike) split_ranks(executions, ranks);
    if (!alike || has_common_executions(executions, ranks)) split_executions(executions, ranks);
    return STATUS_OK;
}

double executions_observed(const struct executions *executions, uint32_t rank, size_t execution)
{
    if (!executions->first) return 1;
    size_t at = executions->first[rank] + execution;
    if (at >= executions->first[rank + 1]) return 1;
    return (double)executions->by_rank[rank] * executions->by_execution[execution] * executions->values[at];
}

double executions_drawn(const struct executions *executions, uint32_t like, size_t execution, uint64_t random)
{
    double factor = 1;
    if (executions->by_rank) factor *= executions->by_rank[like];
    if (executions->by_execution && executions->most > 0) factor *= executions->by_execution[execution % executions->most];
    if (executions->count > 0) factor *= executions->values[random % executions->count];
    return factor;
}
