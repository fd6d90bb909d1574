/* Efficiency as JSON (docs/efficiency.md). */
#include <math.h>
#include <stdlib.h>

#include "common/json/field_rows.h"
#include "common/units.h"
#include "model/efficiency/efficiency.h"

struct document {
    struct efficiency of; /* a copy, borrowed */
    size_t processor_count;
    bool per_rank;
};

/* --- a characteristic of an interval --- */

struct interval_row {
    const struct document *document;
    struct efficiency_interval at; /* a copy, borrowed */
    struct efficiency_pop pop;
    double parallelization_efficiency; /* -1: not known */
};

struct values {
    wide_ps sum;
    struct efficiency_range range;
    struct efficiency_processor min, max;
    bool several, per_rank, per_processor;
    double *ranks, *processors; /* owned; NAN: takes no part */
    size_t rank_count, processor_count;
};

static enum field_each fill_values(const void *item, size_t c, void *made)
{
    const struct interval_row *interval = item;
    const struct efficiency *efficiency = &interval->document->of;
    struct values *values = made;
    if (c == CHARACTERISTIC_COUNT) return FIELD_END;
    values->sum = interval->at.sum_ps[c];
    values->range = interval->at.range[c];
    values->min = efficiency->processors[values->range.min_processor];
    values->max = efficiency->processors[values->range.max_processor];
    values->several = efficiency->several;
    values->per_rank = interval->document->per_rank;
    values->per_processor = values->per_rank && efficiency->several;
    values->processor_count = efficiency->processor_count;
    if (!values->per_rank) return FIELD_ELEMENT;
    values->ranks = malloc((values->processor_count + 1) * sizeof *values->ranks);
    values->processors = malloc((values->processor_count + 1) * sizeof *values->processors);
    if (values->ranks && values->processors) {
        /* The value of a rank is the sum over its processors. */
        for (uint32_t p = 0; p < efficiency->processor_count; values->rank_count++) {
            uint32_t rank = efficiency->processors[p].rank;
            int64_t sum_ps = 0;
            bool any = false;
            for (; p < efficiency->processor_count && efficiency->processors[p].rank == rank; p++) {
                any = any || interval->at.takes_part[p];
                if (interval->at.takes_part[p]) sum_ps = units_add_ps(sum_ps, interval->at.value_ps[c][p]);
                values->processors[p] = interval->at.takes_part[p] ? units_s(interval->at.value_ps[c][p]) : (double)NAN;
            }
            values->ranks[values->rank_count] = any ? units_s(sum_ps) : (double)NAN;
        }
    } else { /* no numbers spoil the document */
        free(values->ranks);
        values->ranks = NULL;
    }
    return FIELD_ELEMENT;
}

#define S struct values
static const struct field values_fields[] = {
    SAME(sum), PS("min", range.min_ps), FIELD("min_rank", min.rank),
    FIELD("min_processor", min.index, IF_FLAG(several), LEFT_OUT), PS("max", range.max_ps), FIELD("max_rank", max.rank),
    FIELD("max_processor", max.index, IF_FLAG(several), LEFT_OUT), FIELD("mean", range.mean_s),
    NUMBERS("ranks", ranks, rank_count, IF_FLAG(per_rank), LEFT_OUT),
    NUMBERS("processors", processors, processor_count, IF_FLAG(per_processor), LEFT_OUT), {0}};
#undef S

/* --- an interval --- */

static const char *name_characteristic(int c)
{
    return characteristic_row((enum characteristic)c)->key;
}

static enum field_each fill_interval(const void *item, size_t index, void *made)
{
    const struct document *document = item;
    struct interval_row *interval = made;
    if (index == document->of.count) return FIELD_END;
    *interval = (struct interval_row){document, document->of.intervals[index], efficiency_pop(&document->of, index), -1};
    if (interval->at.total_ps > 0)
        interval->parallelization_efficiency = wide_s(interval->at.productive_ps) / wide_s(interval->at.total_ps);
    return FIELD_ELEMENT;
}

#define S struct efficiency_pop
static const struct field pop_fields[] = {
    SAME(load_balance, IF_NOT_NEGATIVE), FIELD("communication_efficiency", communication, IF_NOT_NEGATIVE),
    SAME(serialization, IF_NOT_NEGATIVE), SAME(transfer, IF_NOT_NEGATIVE),
    FIELD("parallel_efficiency", parallel, IF_NOT_NEGATIVE), SAME(computation_scaling, IF_NOT_NEGATIVE),
    FIELD("global_efficiency", global, IF_NOT_NEGATIVE), {0}};
#undef S
#define S struct interval_row
static const struct field interval_fields[] = {
    FIELD("path", at.path), FIELD("file", at.file, IF_THERE), FIELD("line", at.line, IF_POSITIVE), FIELD("level", at.level),
    FIELD("executions", at.executions), FIELD("processors", at.processors), FIELD("useful_rank", at.useful_rank),
    PS("execution_s", at.execution_ps), FIELD("total_s", at.total_ps), FIELD("productive_s", at.productive_ps),
    FIELD("lost_s", at.lost_ps), SAME(parallelization_efficiency, IF_NOT_NEGATIVE), OBJECT("pop", pop, pop_fields),
    EACH("characteristics", struct values, fill_values, values_fields, .name = name_characteristic,
         .count = CHARACTERISTIC_COUNT, .owned = true), {0}};
#undef S

/* --- the whole --- */

struct caused_wait {
    const char *waits_in, *caused_in; /* caused_in NULL: no single call */
    wide_ps time_s;
};

static enum field_each fill_caused(const void *item, size_t index, void *made)
{
    const struct efficiency *efficiency = &((const struct document *)item)->of;
    if (index == efficiency->caused.count) return FIELD_END;
    const struct caused_row *row = &efficiency->caused.rows[index];
    *(struct caused_wait *)made =
        (struct caused_wait){efficiency->intervals[row->interval].path,
                             row->cause == CAUSED_NOWHERE ? NULL : efficiency->intervals[row->cause].path, row->time_ps};
    return FIELD_ELEMENT;
}

static const char *name_source(int source)
{
    return source == INTERVALS_OF_CALLPATHS ? "callpaths" : "regions";
}

static const char *name_lost(int all)
{
    return all ? "all" : "parallel";
}

#define S struct efficiency_processor
static const struct field processor_fields[] = {SAME(rank), FIELD("processor", index), {0}};
#undef S
#define S struct caused_wait
static const struct field caused_fields[] = {SAME(waits_in), SAME(caused_in, IF_THERE), SAME(time_s), {0}};
#undef S
#define S struct document
const struct field efficiency_fields[] = {
    FIELD("ideal_run_time_s", of.ideal_run_time_s, IF_POSITIVE),
    NAME_OF("intervals_of", of.source, name_source, 2),
    FIELD("lost", of.lost_all, .name = name_lost),
    FIELD("holds", of.holds),
    ARRAY("processors", of.processors, processor_count, processor_fields, IF_FLAG(of.several), LEFT_OUT),
    EACH("intervals", struct interval_row, fill_interval, interval_fields),
    EACH("waits_by_cause", struct caused_wait, fill_caused, caused_fields),
    {0}};
#undef S

cJSON *efficiency_json(const struct efficiency *efficiency, bool per_rank)
{
    const struct document document = {*efficiency, efficiency->processor_count, per_rank};
    cJSON *root = cJSON_CreateObject();
    fields_write(efficiency_fields, &document, 0, root);
    return root;
}

struct efficiency_pop efficiency_pop_read(const cJSON *efficiency)
{
    char file[] = "";
    const cJSON *intervals = cJSON_GetObjectItemCaseSensitive(efficiency, "intervals");
    const struct json_document document = {.file = file, .root = cJSON_GetArrayItem(intervals, 0)};
    const struct json_node run = json_root(&document), pop = json_member(&run, "pop");
    struct efficiency_pop read = {-1, -1, -1, -1, -1, -1, -1};
    (void)fields_read(pop_fields, &pop, 0, &read, NULL); /* what is no number stays unknown */
    return read;
}
