/* Efficiency as JSON (docs/efficiency.md). */
#include <math.h>
#include <stdlib.h>

#include "common/json/json_write.h"
#include "common/units.h"
#include "model/efficiency/efficiency.h"

static void write_known(cJSON *object, const char *key, double value)
{
    json_add_known(object, key, value >= 0, value);
}

static void write_pop(cJSON *object, const struct efficiency_pop *pop)
{
    cJSON *made = json_add_object(object, "pop");
    write_known(made, "load_balance", pop->load_balance);
    write_known(made, "communication_efficiency", pop->communication);
    write_known(made, "serialization", pop->serialization);
    write_known(made, "transfer", pop->transfer);
    write_known(made, "parallel_efficiency", pop->parallel);
    write_known(made, "computation_scaling", pop->computation_scaling);
    write_known(made, "global_efficiency", pop->global);
}

/* Writes the values of ranks, each the sum over its processors. */
static void write_values(cJSON *object, const struct efficiency *efficiency, const struct efficiency_interval *interval, int c)
{
    size_t ranks = 0;
    double *values = malloc((efficiency->processor_count + 1) * sizeof *values);
    for (uint32_t p = 0; values && p < efficiency->processor_count; ranks++) {
        uint32_t rank = efficiency->processors[p].rank;
        int64_t sum_ps = 0;
        bool any = false;
        for (; p < efficiency->processor_count && efficiency->processors[p].rank == rank; p++) {
            any = any || interval->takes_part[p];
            if (interval->takes_part[p]) sum_ps = units_add_ps(sum_ps, interval->value_ps[c][p]);
        }
        values[ranks] = any ? units_s(sum_ps) : (double)NAN;
    }
    json_add_numbers(object, "ranks", values, ranks);
    for (uint32_t p = 0; values && efficiency->several && p < efficiency->processor_count; p++)
        values[p] = interval->takes_part[p] ? units_s(interval->value_ps[c][p]) : (double)NAN;
    if (efficiency->several) json_add_numbers(object, "processors", values, efficiency->processor_count);
    free(values);
}

static void write_characteristic(cJSON *object, const struct efficiency *efficiency,
                                 const struct efficiency_interval *interval, int c, bool per_rank)
{
    const struct efficiency_range *range = &interval->range[c];
    const struct efficiency_processor *min = &efficiency->processors[range->min_processor];
    const struct efficiency_processor *max = &efficiency->processors[range->max_processor];
    cJSON *made = json_add_object(object, characteristic_row((enum characteristic)c)->key);
    json_add_number(made, "sum", wide_s(interval->sum_ps[c]));
    json_add_number(made, "min", units_s(range->min_ps));
    json_add_number(made, "min_rank", min->rank);
    if (efficiency->several) json_add_number(made, "min_processor", min->index);
    json_add_number(made, "max", units_s(range->max_ps));
    json_add_number(made, "max_rank", max->rank);
    if (efficiency->several) json_add_number(made, "max_processor", max->index);
    json_add_number(made, "mean", range->mean_s);
    if (per_rank) write_values(made, efficiency, interval, c);
}

static void write_processors(cJSON *root, const struct efficiency *efficiency)
{
    cJSON *array = json_add_array(root, "processors");
    for (uint32_t p = 0; p < efficiency->processor_count; p++) {
        cJSON *made = json_append_object(array);
        json_add_number(made, "rank", efficiency->processors[p].rank);
        json_add_number(made, "processor", efficiency->processors[p].index);
    }
}

static void write_interval(cJSON *array, const struct efficiency *efficiency, size_t index,
                           bool per_rank)
{
    const struct efficiency_interval *interval = &efficiency->intervals[index];
    struct efficiency_pop pop = efficiency_pop(efficiency, index);
    cJSON *object = json_append_object(array);
    json_add_text(object, "path", interval->path);
    json_add_text(object, "file", interval->file);
    write_known(object, "line", interval->line > 0 ? interval->line : -1);
    json_add_number(object, "level", interval->level);
    json_add_number(object, "executions", (double)interval->executions);
    json_add_number(object, "processors", interval->processors);
    json_add_number(object, "useful_rank", interval->useful_rank);
    json_add_number(object, "execution_s", units_s(interval->execution_ps));
    json_add_number(object, "total_s", wide_s(interval->total_ps));
    json_add_number(object, "productive_s", wide_s(interval->productive_ps));
    json_add_number(object, "lost_s", wide_s(interval->lost_ps));
    write_known(object, "parallelization_efficiency",
                interval->total_ps > 0 ? wide_s(interval->productive_ps) / wide_s(interval->total_ps) : -1);
    write_pop(object, &pop);
    cJSON *values = json_add_object(object, "characteristics");
    for (int c = 0; c < CHARACTERISTIC_COUNT; c++)
        write_characteristic(values, efficiency, interval, c, per_rank);
}

static void write_caused(cJSON *root, const struct efficiency *efficiency)
{
    cJSON *array = json_add_array(root, "waits_by_cause");
    for (size_t i = 0; i < efficiency->caused.count; i++) {
        const struct caused_row *row = &efficiency->caused.rows[i];
        cJSON *made = json_append_object(array);
        json_add_text(made, "waits_in", efficiency->intervals[row->interval].path);
        json_add_text(made, "caused_in",
                   row->cause == CAUSED_NOWHERE ? NULL : efficiency->intervals[row->cause].path);
        json_add_number(made, "time_s", wide_s(row->time_ps));
    }
}

cJSON *efficiency_json(const struct efficiency *efficiency, bool per_rank)
{
    cJSON *root = cJSON_CreateObject();
    write_known(root, "ideal_run_time_s",
                efficiency->ideal_run_time_s > 0 ? efficiency->ideal_run_time_s : -1);
    json_add_text(root, "intervals_of", efficiency->source == INTERVALS_OF_CALLPATHS ? "callpaths" : "regions");
    json_add_text(root, "lost", efficiency->lost_all ? "all" : "parallel");
    json_add_bool(root, "holds", efficiency->holds);
    if (efficiency->several) write_processors(root, efficiency);
    cJSON *array = json_add_array(root, "intervals");
    for (size_t i = 0; i < efficiency->count; i++) write_interval(array, efficiency, i, per_rank);
    write_caused(root, efficiency);
    return root;
}

static double read_metric(const cJSON *pop, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(pop, key);
    return cJSON_IsNumber(value) ? value->valuedouble : -1;
}

struct efficiency_pop efficiency_pop_read(const cJSON *efficiency)
{
    const cJSON *run = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(efficiency, "intervals"), 0);
    const cJSON *pop = cJSON_GetObjectItemCaseSensitive(run, "pop");
    return (struct efficiency_pop){
        .load_balance = read_metric(pop, "load_balance"),
        .communication = read_metric(pop, "communication_efficiency"),
        .serialization = read_metric(pop, "serialization"),
        .transfer = read_metric(pop, "transfer"),
        .parallel = read_metric(pop, "parallel_efficiency"),
        .computation_scaling = read_metric(pop, "computation_scaling"),
        .global = read_metric(pop, "global_efficiency"),
    };
}
