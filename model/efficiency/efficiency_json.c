/* Efficiency as JSON (docs/efficiency.md). */
#include "common/units.h"
#include "model/efficiency/efficiency.h"

struct writer {
    bool failed;
};

static cJSON *keep_item(struct writer *writer, cJSON *item)
{
    if (!item) writer->failed = true;
    return item;
}

static void write_number(struct writer *writer, cJSON *object, const char *key, double value)
{
    keep_item(writer, cJSON_AddNumberToObject(object, key, value));
}

static void write_known(struct writer *writer, cJSON *object, const char *key, double value)
{
    keep_item(writer, value >= 0 ? cJSON_AddNumberToObject(object, key, value) : cJSON_AddNullToObject(object, key));
}

static void write_text(struct writer *writer, cJSON *object, const char *key, const char *value)
{
    keep_item(writer, value ? cJSON_AddStringToObject(object, key, value) : cJSON_AddNullToObject(object, key));
}

static void write_pop(struct writer *writer, cJSON *object, const struct efficiency_pop *pop)
{
    cJSON *made = keep_item(writer, cJSON_AddObjectToObject(object, "pop"));
    write_known(writer, made, "load_balance", pop->load_balance);
    write_known(writer, made, "communication_efficiency", pop->communication);
    write_known(writer, made, "serialization", pop->serialization);
    write_known(writer, made, "transfer", pop->transfer);
    write_known(writer, made, "parallel_efficiency", pop->parallel);
    write_known(writer, made, "computation_scaling", pop->computation_scaling);
    write_known(writer, made, "global_efficiency", pop->global);
}

static void value_or_null(struct writer *writer, cJSON *array, bool known_value, int64_t ps)
{
    cJSON *value = known_value ? cJSON_CreateNumber(units_s(ps)) : cJSON_CreateNull();
    if (!keep_item(writer, value) || cJSON_AddItemToArray(array, value)) return;
    cJSON_Delete(value);
    writer->failed = true;
}

/* Writes the values of ranks, each the sum over its processors. */
static void write_values(struct writer *writer, cJSON *object, const struct efficiency *efficiency,
                         const struct efficiency_interval *interval, int c)
{
    cJSON *ranks = keep_item(writer, cJSON_AddArrayToObject(object, "ranks"));
    for (uint32_t p = 0; p < efficiency->processor_count;) {
        uint32_t rank = efficiency->processors[p].rank;
        int64_t sum_ps = 0;
        bool any = false;
        for (; p < efficiency->processor_count && efficiency->processors[p].rank == rank; p++) {
            any = any || interval->takes_part[p];
            if (interval->takes_part[p]) sum_ps = units_add_ps(sum_ps, interval->value_ps[c][p]);
        }
        value_or_null(writer, ranks, any, sum_ps);
    }
    if (!efficiency->several) return;
    cJSON *processors = keep_item(writer, cJSON_AddArrayToObject(object, "processors"));
    for (uint32_t p = 0; p < efficiency->processor_count; p++)
        value_or_null(writer, processors, interval->takes_part[p], interval->value_ps[c][p]);
}

static void write_characteristic(struct writer *writer, cJSON *object, const struct efficiency *efficiency,
                                 const struct efficiency_interval *interval, int c, bool per_rank)
{
    const struct efficiency_range *range = &interval->range[c];
    const struct efficiency_processor *min = &efficiency->processors[range->min_processor];
    const struct efficiency_processor *max = &efficiency->processors[range->max_processor];
    cJSON *made = keep_item(writer, cJSON_AddObjectToObject(object, characteristic_row((enum characteristic)c)->key));
    write_number(writer, made, "sum", wide_s(interval->sum_ps[c]));
    write_number(writer, made, "min", units_s(range->min_ps));
    write_number(writer, made, "min_rank", min->rank);
    if (efficiency->several) write_number(writer, made, "min_processor", min->index);
    write_number(writer, made, "max", units_s(range->max_ps));
    write_number(writer, made, "max_rank", max->rank);
    if (efficiency->several) write_number(writer, made, "max_processor", max->index);
    write_number(writer, made, "mean", range->mean_s);
    if (per_rank) write_values(writer, made, efficiency, interval, c);
}

static void write_processors(struct writer *writer, cJSON *root, const struct efficiency *efficiency)
{
    cJSON *array = keep_item(writer, cJSON_AddArrayToObject(root, "processors"));
    for (uint32_t p = 0; p < efficiency->processor_count; p++) {
        cJSON *made = keep_item(writer, cJSON_CreateObject());
        write_number(writer, made, "rank", efficiency->processors[p].rank);
        write_number(writer, made, "processor", efficiency->processors[p].index);
        if (!made || cJSON_AddItemToArray(array, made)) continue;
        cJSON_Delete(made);
        writer->failed = true;
    }
}

static void write_interval(struct writer *writer, cJSON *array, const struct efficiency *efficiency, size_t index,
                           bool per_rank)
{
    const struct efficiency_interval *interval = &efficiency->intervals[index];
    struct efficiency_pop pop = efficiency_pop(efficiency, index);
    cJSON *object = keep_item(writer, cJSON_CreateObject());
    if (!object || !cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        writer->failed = true;
        return;
    }
    write_text(writer, object, "path", interval->path);
    write_text(writer, object, "file", interval->file);
    write_known(writer, object, "line", interval->line > 0 ? interval->line : -1);
    write_number(writer, object, "level", interval->level);
    write_number(writer, object, "executions", (double)interval->executions);
    write_number(writer, object, "processors", interval->processors);
    write_number(writer, object, "useful_rank", interval->useful_rank);
    write_number(writer, object, "execution_s", units_s(interval->execution_ps));
    write_number(writer, object, "total_s", wide_s(interval->total_ps));
    write_number(writer, object, "productive_s", wide_s(interval->productive_ps));
    write_number(writer, object, "lost_s", wide_s(interval->lost_ps));
    write_known(writer, object, "parallelization_efficiency",
                interval->total_ps > 0 ? wide_s(interval->productive_ps) / wide_s(interval->total_ps) : -1);
    write_pop(writer, object, &pop);
    cJSON *values = keep_item(writer, cJSON_AddObjectToObject(object, "characteristics"));
    for (int c = 0; c < CHARACTERISTIC_COUNT; c++)
        write_characteristic(writer, values, efficiency, interval, c, per_rank);
}

static void write_caused(struct writer *writer, cJSON *root, const struct efficiency *efficiency)
{
    cJSON *array = keep_item(writer, cJSON_AddArrayToObject(root, "waits_by_cause"));
    for (size_t i = 0; i < efficiency->caused.count; i++) {
        const struct caused_row *row = &efficiency->caused.rows[i];
        cJSON *made = keep_item(writer, cJSON_CreateObject());
        write_text(writer, made, "waits_in", efficiency->intervals[row->interval].path);
        write_text(writer, made, "caused_in",
                   row->cause == CAUSED_NOWHERE ? NULL : efficiency->intervals[row->cause].path);
        write_number(writer, made, "time_s", wide_s(row->time_ps));
        if (!made || cJSON_AddItemToArray(array, made)) continue;
        cJSON_Delete(made);
        writer->failed = true;
    }
}

cJSON *efficiency_json(const struct efficiency *efficiency, bool per_rank)
{
    struct writer writer = {false};
    cJSON *root = cJSON_CreateObject();
    if (!root) return NULL;
    write_known(&writer, root, "ideal_run_time_s",
                efficiency->ideal_run_time_s > 0 ? efficiency->ideal_run_time_s : -1);
    write_text(&writer, root, "intervals_of", efficiency->source == INTERVALS_OF_CALLPATHS ? "callpaths" : "regions");
    write_text(&writer, root, "lost", efficiency->lost_all ? "all" : "parallel");
    keep_item(&writer, cJSON_AddBoolToObject(root, "holds", efficiency->holds));
    if (efficiency->several) write_processors(&writer, root, efficiency);
    cJSON *array = keep_item(&writer, cJSON_AddArrayToObject(root, "intervals"));
    for (size_t i = 0; i < efficiency->count; i++) write_interval(&writer, array, efficiency, i, per_rank);
    write_caused(&writer, root, efficiency);
    if (!writer.failed) return root;
    cJSON_Delete(root);
    return NULL;
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
