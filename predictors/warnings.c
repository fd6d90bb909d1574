#include "predictors/warnings.h"

#include <stdlib.h>

#include "common/array.h"
#include "model/behaviour/behaviour.h"

struct uses {    /* of a trace */
    bool choice; /* a start with a post to wait for */
    bool locks;
};

static struct uses find_uses(const struct trace *trace)
{
    struct uses uses = {false, false};
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            enum call_kind kind = call_kind(call->call);
            if (kind == CALL_START && !(call->flags & TRACE_NOCHECK) && trace->groups[call->ref].count > 0)
                uses.choice = true;
            if (kind == CALL_LOCK) uses.locks = true;
        }
    return uses;
}

static bool kind_of(enum mpi_call call, enum rma_kind *kind)
{
    switch (call_kind(call)) {
    case CALL_PUT: *kind = RMA_PUT; return true;
    case CALL_ACCUMULATE: *kind = RMA_ACCUMULATE; return true;
    case CALL_GET:
    case CALL_GET_ACCUMULATE: *kind = RMA_GET; return true;
    default: return false;
    }
}

/* A rule that holds whatever the size; false: there is none. */
static bool same_for_all(const struct rma_semantics *semantics, enum rma_kind kind, enum rma_waits *waits)
{
    *waits = semantics->rules[kind][0].waits;
    for (const struct rma_rule *rule = semantics->rules[kind];; rule++) {
        if (rule->waits != *waits) return false;
        if (rule->upto_bytes == INT64_MAX) return true;
    }
}

/* Of a complete the sizes of its operations are not known: what holds for all of a kind is expected. Where operations
 * have waited before, and of targets that got nothing, nothing is. */
static enum result_waits expect_of_complete(const struct rma_semantics *semantics, enum result_content content)
{
    enum rma_waits puts, accumulates, gets;
    bool same = same_for_all(semantics, RMA_PUT, &puts) && same_for_all(semantics, RMA_ACCUMULATE, &accumulates);
    if (content == OF_GETS && same_for_all(semantics, RMA_GET, &gets) && gets >= WAITS_COMPLETE) return BEHAVES_POST;
    if (content != OF_PUTS || !same || puts != accumulates) return BEHAVES_UNSEEN;
    if (puts == WAITS_NEVER && semantics->buffer_bytes == INT64_MAX) return BEHAVES_NONE;
    return puts == WAITS_COMPLETE ? BEHAVES_POST : BEHAVES_UNSEEN;
}

/* What the platform says that the calls of a row do; BEHAVES_UNSEEN: nothing that a recording could show. */
static enum result_waits expect(const struct platform *platform, const struct result_behaviour *row)
{
    const struct rma_semantics *semantics = &platform->semantics;
    enum rma_kind kind;
    if (row->call == ID_Win_start) return semantics->start_waits ? BEHAVES_POST : BEHAVES_NONE;
    if (row->call == ID_Win_complete) return expect_of_complete(semantics, row->content);
    if (row->call == ID_Win_lock) return platform->lock == LOCK_BLOCKING ? BEHAVES_HOLDER : BEHAVES_NONE;
    if (!kind_of(row->call, &kind)) return BEHAVES_UNSEEN;
    enum rma_waits waits = semantics_waits(semantics, kind, row->least_bytes);
    if (waits != semantics_waits(semantics, kind, row->most_bytes)) return BEHAVES_UNSEEN;
    if (waits == WAITS_START) return BEHAVES_UNSEEN; /* start says it */
    return waits == WAITS_CALL ? BEHAVES_POST : BEHAVES_NONE;
}

static bool contradicts(enum result_waits seen, enum result_waits expected)
{
    return seen != BEHAVES_UNSEEN && expected != BEHAVES_UNSEEN && (seen == BEHAVES_NONE) != (expected == BEHAVES_NONE);
}

static enum status find(const struct relations *relations, const struct platform *platform, struct result *result,
                        struct warnings *warnings, struct err *err)
{
    struct behaviour *behaviour = calloc(1, sizeof *behaviour);
    enum status status = behaviour ? behaviour_add(behaviour, relations, err) : err_memory(err);
    if (status == STATUS_OK) status = behaviour_report(behaviour, result, err);
    free(behaviour);
    TRY(status);
    for (size_t i = 0; i < result->behaviour_count; i++) {
        struct contradiction found = {result->behaviour[i], expect(platform, &result->behaviour[i])};
        if (contradicts(found.row.waits, found.expected))
            ARRAY_PUSH(warnings->items, warnings->count, warnings->capacity, found, err);
    }
    return STATUS_OK;
}

enum status warnings_find(const struct trace *trace, const struct platform *platform, struct warnings *warnings,
                          struct err *err)
{
    struct relations relations;
    struct result *result;
    struct err fault;
    struct uses uses = find_uses(trace);
    *warnings = (struct warnings){.choice = uses.choice};
    if (trace->simulated || platform->window_rule_count > 0 || (!uses.choice && !uses.locks)) return STATUS_OK;
    if (relations_build(trace, &relations, &fault) != STATUS_OK) return STATUS_OK;
    enum status status = result_new(0, &result, err);
    if (status == STATUS_OK) {
        status = find(&relations, platform, result, warnings, err);
        result_free(result);
    }
    relations_clear(&relations);
    return status;
}

void warnings_clear(struct warnings *warnings)
{
    free(warnings->items);
    *warnings = (struct warnings){0};
}

static const char *expected_text(enum result_waits expected)
{
    switch (expected) {
    case BEHAVES_NONE: return "returns at once";
    case BEHAVES_HOLDER: return "waits for the holder";
    default: return "waits for the post";
    }
}

void warnings_print_contradictions(const struct warnings *warnings, FILE *out)
{
    char text[RESULT_BEHAVIOUR_BYTES];
    for (size_t i = 0; i < warnings->count; i++)
        fprintf(out, "%s%s; on this platform it %s%s",
                i == 0 ? "Warning: the recording contradicts the platform's semantics: " : "; ",
                result_behaviour_text(&warnings->items[i].row, text), expected_text(warnings->items[i].expected),
                i + 1 == warnings->count ? ".\n" : "");
}

void warnings_print_choice(const struct warnings *warnings, FILE *out)
{
    if (!warnings->choice)
        fputs("No call of this trace can differ under a to d: no MPI_Win_start of it has a post to wait for.\n", out);
}

static bool add_contradiction(cJSON *object, const struct contradiction *one)
{
    static const char *const names[BEHAVES_COUNT] = {
        [BEHAVES_NONE] = "none", [BEHAVES_POST] = "post", [BEHAVES_GROUP] = "group", [BEHAVES_HOLDER] = "holder"};
    char text[RESULT_BEHAVIOUR_BYTES];
    return cJSON_AddStringToObject(object, "call", call_name(one->row.call)) &&
           cJSON_AddStringToObject(object, "waits", names[one->row.waits]) &&
           cJSON_AddStringToObject(object, "expected", names[one->expected]) &&
           cJSON_AddNumberToObject(object, "seen", (double)one->row.seen) &&
           cJSON_AddNumberToObject(object, "of", (double)one->row.of) &&
           cJSON_AddStringToObject(object, "text", result_behaviour_text(&one->row, text));
}

enum status warnings_to_json(const struct warnings *warnings, cJSON *object, struct err *err)
{
    cJSON *array = cJSON_AddArrayToObject(object, "contradictions");
    for (size_t i = 0; array && i < warnings->count; i++) {
        cJSON *one = cJSON_CreateObject();
        if (one && cJSON_AddItemToArray(array, one) && add_contradiction(one, &warnings->items[i])) continue;
        return err_memory(err);
    }
    return array ? STATUS_OK : err_memory(err);
}
