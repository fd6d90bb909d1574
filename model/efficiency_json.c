/* Efficiency as JSON (docs/efficiency.md). */
#include "common/units.h"
#include "model/efficiency.h"

struct writer {
    bool failed;
};

static cJSON *keep(struct writer *writer, cJSON *item)
{
    if (!item) writer->failed = true;
    return item;
}

static void number(struct writer *writer, cJSON *object, const char *key, double value)
{
    keep(writer, cJSON_AddNumberToObject(object, key, value));
}

static void known(struct writer *writer, cJSON *object, const char *key, double value)
{
    keep(writer, value >= 0 ? cJSON_AddNumberToObject(object, key, value) : cJSON_AddNullToObject(object, key));
}

static void text(struct writer *writer, cJSON *object, const char *key, const char *value)
{
    keep(writer, value ? cJSON_AddStringToObject(object, key, value) : cJSON_AddNullToObject(object, key));
}

static void write_pop(struct writer *writer, cJSON *object, const struct efficiency_pop *pop)
{
    cJSON *made = keep(writer, cJSON_AddObjectToObject(object, "pop"));
    known(writer, made, "load_balance", pop->load_balance);
    known(writer, made, "communication_efficiency", pop->communication);
    known(writer, made, "serialization", pop->serialization);
    known(writer, made, "transfer", pop->transfer);
    known(writer, made, "parallel_efficiency", pop->parallel);
    known(writer, made, "computation_scaling", pop->computation_scaling);
    known(writer, made, "global_efficiency", pop->global);
}

static void write_characteristic(struct writer *writer, cJSON *object, const struct efficiency *efficiency,
                                 const struct efficiency_interval *interval, int c, bool per_rank)
{
    const struct efficiency_spread *spread = &interval->spread[c];
    cJSON *made = keep(writer, cJSON_AddObjectToObject(object, characteristic_row((enum characteristic)c)->key));
    number(writer, made, "sum", units_s(interval->sum_ps[c]));
    number(writer, made, "min", units_s(spread->min_ps));
    number(writer, made, "min_rank", spread->min_rank);
    number(writer, made, "max", units_s(spread->max_ps));
    number(writer, made, "max_rank", spread->max_rank);
    number(writer, made, "mean", spread->mean_s);
    if (!per_rank) return;
    cJSON *ranks = keep(writer, cJSON_AddArrayToObject(made, "ranks"));
    for (uint32_t r = 0; r < efficiency->rank_count; r++) {
        cJSON *value =
            interval->takes_part[r] ? cJSON_CreateNumber(units_s(interval->value_ps[c][r])) : cJSON_CreateNull();
        if (!keep(writer, value) || cJSON_AddItemToArray(ranks, value)) continue;
        cJSON_Delete(value);
        writer->failed = true;
    }
}

static void write_interval(struct writer *writer, cJSON *array, const struct efficiency *efficiency, size_t index,
                           bool per_rank)
{
    const struct efficiency_interval *interval = &efficiency->intervals[index];
    struct efficiency_pop pop = efficiency_pop(efficiency, index);
    cJSON *object = keep(writer, cJSON_CreateObject());
    if (!object || !cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        writer->failed = true;
        return;
    }
    text(writer, object, "path", interval->path);
    text(writer, object, "file", interval->file);
    known(writer, object, "line", interval->line > 0 ? interval->line : -1);
    number(writer, object, "level", interval->level);
    number(writer, object, "executions", (double)interval->executions);
    number(writer, object, "processors", interval->processors);
    number(writer, object, "useful_rank", interval->useful_rank);
    number(writer, object, "execution_s", units_s(interval->execution_ps));
    number(writer, object, "total_s", units_s(interval->total_ps));
    number(writer, object, "productive_s", units_s(interval->productive_ps));
    number(writer, object, "lost_s", units_s(interval->lost_ps));
    known(writer, object, "parallelization_efficiency",
          interval->total_ps > 0 ? units_s(interval->productive_ps) / units_s(interval->total_ps) : -1);
    write_pop(writer, object, &pop);
    cJSON *values = keep(writer, cJSON_AddObjectToObject(object, "characteristics"));
    for (int c = 0; c < CHARACTERISTIC_COUNT; c++)
        write_characteristic(writer, values, efficiency, interval, c, per_rank);
}

cJSON *efficiency_json(const struct efficiency *efficiency, bool per_rank)
{
    struct writer writer = {false};
    cJSON *root = cJSON_CreateObject();
    if (!root) return NULL;
    known(&writer, root, "ideal_run_time_s", efficiency->ideal_run_time_s > 0 ? efficiency->ideal_run_time_s : -1);
    text(&writer, root, "intervals_of", efficiency->source == INTERVALS_OF_CALLPATHS ? "callpaths" : "regions");
    keep(&writer, cJSON_AddBoolToObject(root, "holds", efficiency->holds));
    cJSON *array = keep(&writer, cJSON_AddArrayToObject(root, "intervals"));
    for (size_t i = 0; i < efficiency->count; i++) write_interval(&writer, array, efficiency, i, per_rank);
    if (!writer.failed) return root;
    cJSON_Delete(root);
    return NULL;
}
