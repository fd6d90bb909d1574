/* The JSON of predictors/comparison.h. */
#include <stdlib.h>

#include "model/result/result_fields.h"
#include "model/result/result_schema.h"
#include "predictors/comparison.h"
#include "predictors/comparison_draws.h"

struct document {
    const struct comparison *comparison;
    char **names; /* borrowed: of the rows with draws, the shortest median first */
    size_t *order, count;
    const struct warnings *warnings; /* of the comparison */
};

/* --- a row's result --- */

struct row {
    const struct result *result;
    const struct draws *draws; /* NULL: none */
    const char *name;
    cJSON *rewrites; /* borrowed; NULL: nothing was rewritten */
};

static enum field_each fill_row(const void *item, size_t index, void *made)
{
    const struct comparison *comparison = ((const struct document *)item)->comparison;
    if (index == comparison->count) return FIELD_END;
    *(struct row *)made = (struct row){comparison->results[index], comparison->draws ? &comparison->draws[index] : NULL,
                                       comparison->names[index], comparison->rewrites[index]};
    return comparison->results[index] ? FIELD_ELEMENT : FIELD_SKIP;
}

#define S struct row
static const struct field row_fields[] = {
    INLINE(NULL, result, result_fields, POINTED, RANKS_OF(struct result, rank_count)),
    FIELD("row", name),
    SAME(rewrites, IF_THERE, LEFT_OUT, .rows = transform_report_fields, .array = true),
    OBJECT("draws", draws, draws_fields, IF_THERE, LEFT_OUT, POINTED, RANKS_OF(struct draws, rank_count)),
    {0}};
#undef S

/* --- a row that failed --- */

struct failure {
    const char *row, *error;
};

static bool has_failures(const void *item)
{
    const struct comparison *comparison = ((const struct document *)item)->comparison;
    for (size_t i = 0; i < comparison->count; i++)
        if (!comparison->results[i]) return true;
    return false;
}

static void make_true(const void *item, void *made)
{
    (void)item;
    *(bool *)made = true;
}

static enum field_each fill_failure(const void *item, size_t index, void *made)
{
    const struct comparison *comparison = ((const struct document *)item)->comparison;
    if (index == comparison->count) return FIELD_END;
    *(struct failure *)made = (struct failure){comparison->names[index], comparison->failures[index]};
    return comparison->results[index] ? FIELD_SKIP : FIELD_ELEMENT;
}

#define S struct failure
static const struct field failure_fields[] = {SAME(row), SAME(error), {0}};
#undef S

/* --- a row against the first one --- */

struct difference {
    const char *row;
    double gain_s;
    struct uncertainty error;
    bool tells;
};

static enum field_each fill_difference(const void *item, size_t index, void *made)
{
    const struct comparison *comparison = ((const struct document *)item)->comparison;
    struct difference *one = made;
    if (index == comparison->count || !comparison->results[0]) return FIELD_END;
    if (index == 0 || !comparison->results[index]) return FIELD_SKIP;
    one->row = comparison->names[index];
    one->gain_s = comparison_gain(comparison, index, 0, &one->error);
    one->tells = uncertainty_tells(&one->error, one->gain_s);
    return FIELD_ELEMENT;
}

#define S struct difference
static const struct field difference_fields[] = {SAME(row), SAME(gain_s, SIGNED), SAME(tells),
                                                 INLINE(NULL, error, uncertainty_fields), {0}};
#undef S

/* --- the order of the rows with draws --- */

struct pair {
    const char *row, *other;
    struct draws_pair pair;
};

static enum field_each fill_pair(const void *item, size_t index, void *made)
{
    const struct document *document = item;
    const struct comparison *comparison = document->comparison;
    for (size_t i = 0; i < document->count; i++) {
        const size_t behind = document->count - i - 1, row = document->order[i];
        if (index < behind) {
            const size_t other = document->order[i + 1 + index];
            *(struct pair *)made = (struct pair){comparison->names[row], comparison->names[other],
                                                 draws_pair_of(&comparison->draws[row], &comparison->draws[other])};
            return FIELD_ELEMENT;
        }
        index -= behind;
    }
    return FIELD_END;
}

static void make_draws(const void *item, void *made)
{
    const struct document *document = item;
    *(struct draws *)made = document->comparison->draws[document->order[0]];
}

static bool has_draws(const void *document)
{
    return ((const struct document *)document)->count > 0;
}

#define S struct pair
static const struct field pair_fields_of_draws[] = {SAME(row), SAME(other), FIELD("faster", pair.faster), FIELD("same", pair.same),
                                                    FIELD("ranges_overlap", pair.overlap), {0}};
#undef S
#define S struct draws
static const struct field asked_fields[] = {SAME(count), SAME(seed), SAME(jitter_s), {0}};
#undef S

/* --- the whole --- */

static void make_matter(const void *warnings, void *made)
{
    *(bool *)made = ((const struct warnings *)warnings)->choice != CHOICE_NONE;
}

#define S struct warnings
static const struct field matter_fields[] = {COMPUTED("semantics_matter", FIELD_BOOL, make_matter),
                                             {.kind = FIELD_INLINE, .rows = warnings_fields}, {0}};
#undef S
#define S struct document
static const struct field order_fields[] = {MADE(NULL, struct draws, make_draws, asked_fields), TEXTS("order", names, count),
                                            EACH("pairs", struct pair, fill_pair, pair_fields_of_draws), {0}};
const struct field comparison_fields[] = {
    SCHEMA(RESULT_COMPARISON_SCHEMA),
    EACH("results", struct row, fill_row, row_fields),
    COMPUTED("incomplete", FIELD_BOOL, make_true, IF(has_failures), LEFT_OUT),
    EACH("failed", struct failure, fill_failure, failure_fields, IF(has_failures), LEFT_OUT),
    EACH("differences", struct difference, fill_difference, difference_fields),
    INLINE(NULL, warnings, matter_fields, IF_THERE, LEFT_OUT, POINTED),
    PART("draws", order_fields, IF(has_draws), LEFT_OUT),
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
    if (status == STATUS_OK) status = fields_to_json(comparison_fields, &document, 0, json, err);
    free(document.order);
    free(document.names);
    return status;
}
