/* Writes and frees a validation: as JSON (docs/results.md, Validation) and as tables for spreadsheets and scripts
 * (validate/validate.h). Seconds; a value that is not known is null, or an empty field. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/csv.h"
#include "common/json/field_rows.h"
#include "model/result/result_fields.h"
#include "validate/validate.h"

#define S struct validate_value
#define VALUE_COLUMNS "predicted_s,measured_s,measured_min_s,measured_max_s,error_s,relative"
static const struct field value_fields[] = {SAME(predicted_s),          SAME(measured_s),      SAME(measured_min_s),
                                            SAME(measured_max_s),       SAME(error_s, SIGNED), SAME(relative, IF_FINITE, SIGNED),
                                            SAME(deviation, IF_FINITE), SAME(within_spread),   {0}};
#undef S
#define S struct validate_pattern
static const struct field pattern_fields[] = {INLINE(NULL, total, value_fields), SAME(at_most),
                                              FIELD("predicted_known_s", known_s), PER_RANK("ranks", ranks, value_fields), {0}};
#undef S
#define S struct validate_property
static const struct field property_fields[] = {SAME(name), INLINE(NULL, value, value_fields), {0}};
#undef S
#define S struct sample_summary
static const struct field summary_fields[] = {SAME(median, IF_FINITE), SAME(p95, IF_FINITE), SAME(worst, IF_FINITE), {0}};
#undef S

/* --- calls and transfers --- */

#define S struct validate_place
static const struct field at_fields[] = {SAME(function), SAME(callpath), SAME(file, IF_THERE), SAME(line), {0}};
#undef S
#define S struct validate_call
static const struct field times_fields[] = {SAME(rank),       SAME(thread),         SAME(occurrence),     SAME(predicted_s),
                                            SAME(measured_s), SAME(measured_min_s), SAME(measured_max_s), {0}};
#undef S
#define S struct validate_call_group
static const struct field group_fields[] = {SAME(count), SAME(predicted_s), SAME(measured_s), SAME(error_s, SIGNED),
                                            SAME(predicted_median_s), SAME(measured_median_s),
                                            FIELD("absolute_error_s", absolute_s), SAME(spread_s), SAME(share), SAME(two_groups),
                                            FIELD("two_groups_error_s", two_groups_s), SAME(race), {0}};
#undef S

/* A call, or all of a place. */
struct placed {
    const struct validate_place *place;
    const struct validate_call *call;
    const struct validate_call_group *group;
};

#define S struct placed
static const struct field worst_fields[] = {
    INLINE(NULL, place, at_fields, POINTED), INLINE(NULL, call, times_fields, POINTED), {0}};
static const struct field groups_fields[] = {
    INLINE(NULL, place, at_fields, POINTED), INLINE(NULL, group, group_fields, POINTED), {0}};
#undef S

static bool has_worst(const void *validation)
{
    return ((const struct validation *)validation)->calls->count > 0;
}

static void make_worst(const void *validation, void *made)
{
    const struct validate_calls *calls = ((const struct validation *)validation)->calls;
    const struct validate_call *call = &calls->calls[calls->worst];
    *(struct placed *)made = (struct placed){.place = &calls->places[call->place], .call = call};
}

static enum field_each fill_callpath(const void *validation, size_t index, void *made)
{
    const struct validate_calls *calls = ((const struct validation *)validation)->calls;
    if (index == calls->place_count) return FIELD_END;
    const size_t place = calls->order[index];
    *(struct placed *)made = (struct placed){.place = &calls->places[place], .group = &calls->groups[place]};
    return calls->groups[place].count > 0 ? FIELD_ELEMENT : FIELD_SKIP;
}

struct other {
    const char *measured; /* the name of the run */
    const struct validate_place *place;
    struct validate_other other;
};

static bool has_other(const void *validation)
{
    return ((const struct validation *)validation)->calls->other_count > 0;
}

static void make_other(const void *item, void *made)
{
    const struct validation *validation = item;
    const struct validate_calls *calls = validation->calls;
    *(struct other *)made =
        (struct other){validation->measured[calls->other.run], &calls->places[calls->other.place], calls->other};
}

#define S struct other
static const struct field first_fields[] = {SAME(measured, IF_THERE), INLINE(NULL, place, at_fields, POINTED),
                                            FIELD("rank", other.rank), FIELD("event", other.event), FIELD("bytes", other.bytes),
                                            FIELD("predicted_bytes", other.predicted_bytes), FIELD("peer", other.peer, SIGNED),
                                            FIELD("predicted_peer", other.predicted_peer, SIGNED), {0}};
#undef S
#define S struct validate_calls
static const struct field sums_fields[] = {SAME(count), SAME(within_spread), FIELD("absolute_error_s", absolute_s),
                                           SAME(computing_error_s, SIGNED), SAME(calls_error_s, SIGNED),
                                           OBJECT("error_s", error_s, summary_fields),
                                           OBJECT("relative", relative, summary_fields), {0}};
static const struct field other_count_fields[] = {FIELD("count", other_count), {0}};
#undef S

static void make_within(const void *item, void *made)
{
    const struct validate_transfers *transfers = item;
    *(double *)made = transfers->count > 0 ? (double)transfers->within / (double)transfers->count : (double)NAN;
}

#define S struct validate_transfers
static const struct field transfers_fields[] = {SAME(count), SAME(ends_known), FIELD("within_bounds", within),
                                                SAME(within_spread), COMPUTED("share", FIELD_DOUBLE, make_within, IF_FINITE),
                                                SAME(between_nodes), SAME(between_nodes_within),
                                                OBJECT("width", width, summary_fields),
                                                OBJECT("error_s", error_s, summary_fields),
                                                OBJECT("relative", relative, summary_fields), SAME(worst_rank), SAME(worst_event),
                                                {0}};
#undef S

/* --- the whole --- */

static enum field_each fill_disturbance(const void *item, size_t index, void *made)
{
    const struct validation *validation = item;
    if (index == validation->repetitions) return FIELD_END;
    *(struct result_disturbance *)made = validation->disturbance[index];
    return validation->disturbance[index].known ? FIELD_ELEMENT : FIELD_NULL;
}

#define S struct validation
static const struct field predicted_fields[] = {
    FIELD("file", predicted, IF_THERE), SAME(platform, IF_THERE), SAME(semantics, IF_THERE), SAME(engine, IF_THERE), {0}};
static const struct field rank_error_fields[] = {FIELD("median", rank_error_median, IF_FINITE),
                                                 FIELD("p95", rank_error_p95, IF_FINITE),
                                                 FIELD("worst", rank_error_worst, IF_FINITE), SAME(worst_rank), {0}};
static const struct field other_fields[] = {
    INLINE(NULL, calls, other_count_fields, POINTED), MADE("first", struct other, make_other, first_fields, IF(has_other)), {0}};
static const struct field calls_fields[] = {INLINE(NULL, calls, sums_fields, POINTED),
                                            MADE("worst", struct placed, make_worst, worst_fields, IF(has_worst)),
                                            PART("other_arguments", other_fields),
                                            EACH("callpaths", struct placed, fill_callpath, groups_fields), {0}};
static const struct field members_fields[] = {
    PART("predicted", predicted_fields), TEXTS("measured", measured, repetitions), FIELD("ranks", rank_count),
    TEXTS("notes", notes, note_count), OBJECT("section", section, result_section_fields, IF_FLAG(section.known)),
    EACH("disturbance", struct result_disturbance, fill_disturbance, disturbance_fields, .nulls = true),
    FIELD("waits_inferred", inferred), FLAGS("not_inferred", not_inferred, name_function),
    OBJECT("run_time", run_time, value_fields), PART("rank_error", rank_error_fields),
    PER_RANK("rank_time", rank_time, value_fields), TABLE("patterns", patterns, name_pattern, pattern_fields),
    ARRAY("properties", properties, property_count, property_fields), PER_RANK("target_waits", targets, value_fields, IF_THERE),
    PART("calls", calls_fields, IF_FLAG(calls)), OBJECT("transfers", transfers, transfers_fields, IF_FLAG(calls)),
    FIELD("other_control_flow", difference, IF_THERE), {0}};
#undef S

struct judged { /* a validation, and whether a tolerance holds */
    const struct validation *validation;
    double tolerance; /* negative: none was given */
    bool holds;
    const char *worst;
};

static bool is_judged(const void *item)
{
    return ((const struct judged *)item)->tolerance >= 0;
}

#define S struct judged
static const struct field tolerance_fields[] = {SAME(tolerance), SAME(holds), SAME(worst, IF_THERE), {0}};
const struct field validation_fields[] = {
    SCHEMA("rmacast.validation/1"),
    INLINE(NULL, validation, members_fields, POINTED, RANKS_OF(struct validation, rank_count)),
    {.key = "tolerance", .kind = FIELD_INLINE, .rows = tolerance_fields, IF(is_judged)},
    {0}};
#undef S

enum status validation_to_json(const struct validation *validation, double tolerance, cJSON **json, struct err *err)
{
    struct err broken = {.status = STATUS_OK};
    struct judged judged = {.validation = validation, .tolerance = tolerance};
    if (tolerance >= 0) judged.holds = validate_tolerance(validation, tolerance, &broken) == STATUS_OK;
    judged.worst = judged.holds ? NULL : broken.text;
    return fields_to_json(validation_fields, &judged, 0, json, err);
}

void validation_free(struct validation *validation)
{
    if (!validation) return;
    fields_clear(members_fields, validation);
    validate_calls_free(validation->calls);
    FREE_ALL(validation->disturbance, validation);
}

/* --- tables --- */

static void write_quantity(const char *quantity, const char *name, int64_t rank, const struct validate_value *value, bool at_most,
                           FILE *out)
{
    fprintf(out, "%s,%s,", quantity, name);
    if (rank >= 0) fprintf(out, "%" PRId64, rank);
    fputc(',', out);
    fields_write_csv(value_fields, VALUE_COLUMNS, value, out);
    fprintf(out, ",%d\n", at_most);
}

void validation_write_quantities(const struct validation *v, FILE *out)
{
    fprintf(out, "quantity,name,rank," VALUE_COLUMNS ",at_most\n");
    write_quantity("run_time", "", -1, &v->run_time, false, out);
    for (uint32_t r = 0; r < v->rank_count; r++)
        write_quantity("rank_time", "", r, &v->rank_time[r], false, out);
    for (int p = 0; p < PATTERN_COUNT; p++) {
        const struct validate_pattern *pattern = &v->patterns[p];
        write_quantity("pattern", name_pattern(p), -1, &pattern->total, pattern->at_most, out);
        for (uint32_t r = 0; r < v->rank_count; r++)
            write_quantity("pattern", name_pattern(p), r, &pattern->ranks[r], pattern->at_most, out);
    }
    for (size_t i = 0; i < v->property_count; i++)
        write_quantity("property", v->properties[i].name, -1, &v->properties[i].value, false, out);
}

static void write_line(const struct validate_place *place, const struct field *rows, const char *columns, const void *item,
                       FILE *out)
{
    fprintf(out, "%s,", place->function);
    csv_write_quoted(out, "", place->callpath);
    fputc(',', out);
    csv_write_quoted(out, "", place->file);
    fputc(',', out);
    if (place->line > 0) fprintf(out, "%" PRId32, place->line);
    fputc(',', out);
    fields_write_csv(rows, columns, item, out);
    fputc('\n', out);
}

void validation_write_callpaths(const struct validation *v, FILE *out)
{
    static const char columns[] = "count,predicted_s,measured_s,error_s,predicted_median_s,measured_median_s,absolute_error_s,"
                                  "spread_s,share";
    fprintf(out, "function,callpath,file,line,%s\n", columns);
    for (size_t i = 0; v->calls && i < v->calls->place_count; i++) {
        const struct validate_call_group *group = &v->calls->groups[v->calls->order[i]];
        if (group->count > 0) write_line(&v->calls->places[v->calls->order[i]], group_fields, columns, group, out);
    }
}

void validation_write_calls(const struct validation *v, FILE *out)
{
    static const char columns[] = "rank,thread,occurrence,predicted_s,measured_s,measured_min_s,measured_max_s";
    fprintf(out, "function,callpath,file,line,%s\n", columns);
    for (size_t i = 0; v->calls && i < v->calls->count; i++) {
        const struct validate_call *call = &v->calls->calls[i];
        write_line(&v->calls->places[call->place], times_fields, columns, call, out);
    }
}
