/* The JSON of predictors/comparison.h. */
#include <stdlib.h>

#include "common/array.h"
#include "common/json/field_rows.h"
#include "model/result/result_fields.h"
#include "model/result/result_schema.h"
#include "predictors/comparison.h"
#include "predictors/comparison_draws.h"

struct document {
    const struct comparison *comparison;
    const struct warnings *warnings; /* of the comparison */
    char **names;                    /* borrowed: of the rows with draws, the shortest median first */
    size_t *order, count;            /* of those rows */
    struct draws first;              /* of the first of them */
    bool incomplete, matters;        /* some row has failed; the choice of semantics does, or nothing is known of it */
};

/* --- a row --- */

struct row { /* all borrowed, and NULL where the row has none */
    const struct result *result;
    const char *name, *failure;
    cJSON *rewrites;
    const struct draws *draws;
    double gain_s; /* over the first row */
    struct uncertainty error;
    bool tells;
};

static enum field_each fill_row(const void *item, size_t index, void *made)
{
    const struct comparison *comparison = ((const struct document *)item)->comparison;
    if (index == comparison->count) return FIELD_END;
    *(struct row *)made = (struct row){.result = comparison->results[index],
                                       .name = comparison->names[index],
                                       .failure = comparison->failures[index],
                                       .rewrites = comparison->rewrites[index],
                                       .draws = comparison->draws ? &comparison->draws[index] : NULL};
    return comparison->results[index] ? FIELD_ELEMENT : FIELD_SKIP;
}

static enum field_each fill_failure(const void *item, size_t index, void *made)
{
    enum field_each each = fill_row(item, index, made);
    return each == FIELD_SKIP ? FIELD_ELEMENT : each == FIELD_ELEMENT ? FIELD_SKIP : each;
}

static enum field_each fill_difference(const void *item, size_t index, void *made)
{
    const struct comparison *comparison = ((const struct document *)item)->comparison;
    struct row *row = made;
    enum field_each each = fill_row(item, index, row);
    if (index == 0 || each != FIELD_ELEMENT || !comparison->results[0]) return each == FIELD_END ? each : FIELD_SKIP;
    row->gain_s = comparison_gain(comparison, index, 0, &row->error);
    row->tells = uncertainty_tells(&row->error, row->gain_s);
    return FIELD_ELEMENT;
}

#define S struct row
static const struct field row_fields[] = {
    INLINE(NULL, result, result_fields, POINTED, RANKS_OF(struct result, rank_count)), FIELD("row", name),
    SAME(rewrites, IF_THERE, LEFT_OUT, .rows = transform_report_fields, .array = true),
    OBJECT("draws", draws, draws_fields, IF_THERE, LEFT_OUT, POINTED, RANKS_OF(struct draws, rank_count)), {0}};
static const struct field failure_fields[] = {FIELD("row", name), FIELD("error", failure), {0}};
static const struct field difference_fields[] = {FIELD("row", name), SAME(gain_s, SIGNED), SAME(tells),
                                                 INLINE(NULL, error, uncertainty_fields), {0}};
#undef S

/* --- the order of the rows with draws --- */

struct pair {
    const char *row, *other;
    struct draws_pair draws;
};

static enum field_each fill_pair(const void *item, size_t index, void *made)
{
    const struct document *document = item;
    const struct comparison *comparison = document->comparison;
    for (size_t i = 0, behind; i < document->count; i++, index -= behind) {
        behind = document->count - i - 1; /* pairs with the i-th */
        if (index >= behind) continue;
        const size_t row = document->order[i], other = document->order[i + 1 + index];
        *(struct pair *)made = (struct pair){comparison->names[row], comparison->names[other],
                                             draws_pair_of(&comparison->draws[row], &comparison->draws[other])};
        return FIELD_ELEMENT;
    }
    return FIELD_END;
}

#define S struct pair
static const struct field pairs_fields[] = {SAME(row), SAME(other), FIELD("faster", draws.faster), FIELD("same", draws.same),
                                            FIELD("ranges_overlap", draws.overlap), {0}};
#undef S

/* --- the whole --- */

#define S struct document
static const struct field order_fields[] = {FIELD("count", first.count), FIELD("seed", first.seed),
                                            FIELD("jitter_s", first.jitter_s), TEXTS("order", names, count),
                                            EACH("pairs", struct pair, fill_pair, pairs_fields), {0}};
const struct field comparison_fields[] = {
    SCHEMA(RESULT_COMPARISON_SCHEMA),
    EACH("results", struct row, fill_row, row_fields),
    SAME(incomplete, IF_FLAG(incomplete), LEFT_OUT),
    EACH("failed", struct row, fill_failure, failure_fields, IF_FLAG(incomplete), LEFT_OUT),
    EACH("differences", struct row, fill_difference, difference_fields),
    FIELD("semantics_matter", matters, IF_FLAG(warnings), LEFT_OUT),
    INLINE(NULL, warnings, warnings_fields, IF_THERE, LEFT_OUT, POINTED),
    PART("draws", order_fields, IF_FLAG(count), LEFT_OUT),
    {0}};
#undef S

enum status comparison_to_json(const struct comparison *comparison, cJSON **json, struct err *err)
{
    struct document document = {.comparison = comparison, .warnings = comparison->warnings};
    document.order = calloc(comparison->count + 1, sizeof *document.order);
    document.names = calloc(comparison->count + 1, sizeof *document.names);
    enum status status = document.order && document.names ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK && comparison->draws) document.count = comparison_draws_order(comparison, document.order);
    for (size_t i = 0; i < document.count; i++) document.names[i] = comparison->names[document.order[i]];
    if (document.count > 0) document.first = comparison->draws[document.order[0]];
    for (size_t i = 0; i < comparison->count; i++) document.incomplete = document.incomplete || !comparison->results[i];
    document.matters = comparison->warnings && comparison->warnings->choice != CHOICE_NONE;
    if (status == STATUS_OK) status = fields_to_json(comparison_fields, &document, 0, json, err);
    FREE_ALL(document.order, document.names);
    return status;
}
