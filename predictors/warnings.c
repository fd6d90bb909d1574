#include "predictors/warnings.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json/field_rows.h"
#include "common/text/text.h"
#include "model/behaviour/behaviour.h"
#include "model/result/result_fields.h"

/* Of one rank on a window. */
struct window_epochs {
    bool started;
    uint32_t starts, posts; /* starts and posts whose group contains the rank itself */
};

static void add_choice(struct synchronisation *uses, enum semantics_choice choice)
{
    if (choice > uses->choice) uses->choice = choice;
}

/* A rank that posts to itself before it starts does not wait for that post if one thread makes both calls. */
static void add_start(const struct trace *trace, uint32_t rank, const struct trace_call *call,
                      struct window_epochs *window, struct synchronisation *uses)
{
    const struct trace_group *group = &trace->definitions.groups[call->sync.group];
    bool itself = trace_group_rank(group, (int32_t)rank) != TRACE_NONE;
    window->started = group->count > 0;
    if (itself) window->starts++;
    if ((call->flags & TRACE_NOCHECK) || group->count == 0) return;
    uses->starts = true;
    bool posted = itself && window->posts >= window->starts && trace->ranks[rank].thread_count <= 1;
    if (group->count > 1 || !posted) add_choice(uses, CHOICE_WAITS);
}

static void add_call(const struct trace *trace, uint32_t rank, const struct trace_call *call,
                     struct window_epochs *windows, struct synchronisation *uses)
{
    enum call_kind kind = call_kind(call->call);
    switch (kind) {
    case CALL_LOCK: uses->locks = true; break;
    case CALL_START: add_start(trace, rank, call, &windows[call->handle], uses); break;
    case CALL_COMPLETE: windows[call->handle].started = false; break;
    case CALL_POST:
        if (trace_group_rank(&trace->definitions.groups[call->sync.group], (int32_t)rank) != TRACE_NONE)
            windows[call->handle].posts++;
        break;
    case CALL_PUT:
    case CALL_ACCUMULATE:
        if (windows[call->handle].started && call->peer != TRACE_NONE) add_choice(uses, CHOICE_COPIES);
        break;
    default: break;
    }
}

enum status synchronisation_add(struct synchronisation *found, const struct trace *trace, uint32_t rank, size_t first,
                                bool begins, struct err *err)
{
    const size_t windows = trace->definitions.window_count + 1;
    if (!found->windows) found->windows = malloc(windows * sizeof *found->windows);
    if (!found->windows) return err_memory(err);
    if (begins) memset(found->windows, 0, windows * sizeof *found->windows);
    for (size_t i = first; i < trace->ranks[rank].count; i++)
        add_call(trace, rank, &trace->ranks[rank].calls[i], found->windows, found);
    return STATUS_OK;
}

void synchronisation_clear(struct synchronisation *found)
{
    free(found->windows);
    found->windows = NULL;
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

/* The rule that holds for all sizes; false if there is none. */
static bool same_for_all(const struct rma_semantics *semantics, enum rma_kind kind, enum rma_waits *waits)
{
    *waits = semantics->rules[kind][0].waits;
    for (const struct rma_rule *rule = semantics->rules[kind];; rule++) {
        if (rule->waits != *waits) return false;
        if (rule->upto_bytes == INT64_MAX) return true;
    }
}

/* What a complete should wait for. The sizes of its operations are not known, so only a rule for all sizes of a kind
 * gives an expectation. There is none if operations have waited before, or for targets without operations. */
static enum result_waits expect_of_complete(const struct rma_semantics *semantics, enum result_content content)
{
    enum rma_waits puts, accumulates, gets;
    bool same = same_for_all(semantics, RMA_PUT, &puts) && same_for_all(semantics, RMA_ACCUMULATE, &accumulates);
    if (content == OF_GETS && same_for_all(semantics, RMA_GET, &gets) && gets >= WAITS_COMPLETE) return BEHAVES_POST;
    if (content != OF_PUTS || !same || puts != accumulates) return BEHAVES_UNSEEN;
    if (puts == WAITS_NEVER && semantics->buffer_bytes == INT64_MAX) return BEHAVES_NONE;
    return puts == WAITS_COMPLETE ? BEHAVES_POST : BEHAVES_UNSEEN;
}

/* What the calls of a row should wait for by the platform; BEHAVES_UNSEEN: a recording cannot show it. */
static enum result_waits expected_waits(const struct platform *platform, const struct result_behaviour *row)
{
    const struct rma_semantics *semantics = &platform->semantics;
    enum rma_kind kind;
    if (row->call == ID_Win_start) return semantics->start_waits ? BEHAVES_POST : BEHAVES_NONE;
    if (row->call == ID_Win_complete) return expect_of_complete(semantics, row->content);
    if (row->call == ID_Win_lock)
        return platform->protocol.calls[STEPS_LOCK].form == FORM_LOCK_GRANT ? BEHAVES_HOLDER : BEHAVES_NONE;
    if (!kind_of(row->call, &kind)) return BEHAVES_UNSEEN;
    enum rma_waits waits = semantics_waits(semantics, kind, row->least_bytes);
    if (waits != semantics_waits(semantics, kind, row->most_bytes)) return BEHAVES_UNSEEN;
    if (waits == WAITS_START) return BEHAVES_UNSEEN; /* the row of start shows it */
    if (waits != WAITS_CALL) return BEHAVES_NONE;
    bool group = semantics_waits_for_group(semantics, kind, row->least_bytes);
    if (group != semantics_waits_for_group(semantics, kind, row->most_bytes)) group = row->waits == BEHAVES_GROUP;
    return group ? BEHAVES_GROUP : BEHAVES_POST;
}

/* An operation that waited for its target's post may have waited for others, too. Only an operation that returned
 * before another target's post proves the contrary. */
static bool contradicts_measured(const struct result_behaviour *row, enum result_waits expected)
{
    if (row->waits == BEHAVES_UNSEEN || expected == BEHAVES_UNSEEN) return false;
    if ((row->waits == BEHAVES_NONE) != (expected == BEHAVES_NONE)) return true;
    if (row->waits == BEHAVES_GROUP) return expected == BEHAVES_POST;
    return expected == BEHAVES_GROUP && row->waits == BEHAVES_POST && row->not_for_group > 0;
}

static enum status report_behaviour(const struct relations *relations, struct result *result, struct err *err)
{
    struct behaviour *behaviour = calloc(1, sizeof *behaviour);
    enum status status = behaviour ? behaviour_add(behaviour, relations, err) : err_memory(err);
    if (status == STATUS_OK) status = behaviour_report(behaviour, result, err);
    free(behaviour);
    return status;
}

enum status warnings_add_contradictions(const struct result *result, const struct platform *platform,
                                        struct warnings *warnings, struct err *err)
{
    for (size_t i = 0; i < result->behaviour_count; i++) {
        struct contradiction found = {result->behaviour[i], expected_waits(platform, &result->behaviour[i])};
        if (contradicts_measured(&found.row, found.expected))
            ARRAY_PUSH(warnings->items, warnings->count, warnings->capacity, found, err);
    }
    return STATUS_OK;
}

void warnings_begin(const struct trace *trace, const struct synchronisation *found, const struct platform *platform,
                    struct warnings *warnings, bool *wanted)
{
    *warnings = (struct warnings){.choice = found->choice};
    *wanted = trace_origin(trace) == TRACE_RECORDED && platform->window_rule_count == 0 && (found->starts || found->locks);
}

enum status warnings_find(const struct trace *trace, const struct platform *platform, struct warnings *warnings,
                          struct err *err)
{
    struct relations relations;
    struct result *result;
    struct err fault;
    struct synchronisation found = {.choice = CHOICE_NONE};
    enum status counted = STATUS_OK;
    bool wanted;
    *warnings = (struct warnings){.choice = CHOICE_WAITS};
    for (uint32_t r = 0; r < trace->rank_count && counted == STATUS_OK; r++)
        counted = synchronisation_add(&found, trace, r, 0, true, err);
    synchronisation_clear(&found);
    TRY(counted);
    warnings_begin(trace, &found, platform, warnings, &wanted);
    if (!wanted) return STATUS_OK;
    enum status status = relations_build(trace, &relations, &fault);
    if (status == STATUS_SYSTEM && err) *err = fault;
    if (status != STATUS_OK) return status == STATUS_SYSTEM ? status : STATUS_OK;
    status = result_new(0, &result, err);
    if (status == STATUS_OK) {
        status = report_behaviour(&relations, result, err);
        if (status == STATUS_OK) status = warnings_add_contradictions(result, platform, warnings, err);
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

static const char *expected_text(const struct contradiction *found)
{
    if (found->row.waits == BEHAVES_GROUP && found->expected == BEHAVES_POST)
        return "waits for its target's post alone";
    switch (found->expected) {
    case BEHAVES_NONE: return "returns at once";
    case BEHAVES_HOLDER: return "waits for the holder";
    case BEHAVES_GROUP: return "waits for the posts of the whole group";
    default: return "waits for the post";
    }
}

void warnings_print_contradictions(const struct warnings *warnings, FILE *out)
{
    char text[RESULT_BEHAVIOUR_BYTES];
    for (size_t i = 0; i < warnings->count; i++)
        text_print(out, "%s%s; on this platform it %s",
                   i == 0 ? "Warning: the recording contradicts the platform's semantics: " : "; ",
                   result_behaviour_text(&warnings->items[i].row, text), expected_text(&warnings->items[i]));
    if (warnings->count > 0) fputs(".\n", out);
}

void warnings_print_choice(const struct warnings *warnings, FILE *out)
{
    if (warnings->choice == CHOICE_NONE)
        fputs("No call of this trace can differ under a to d: no MPI_Win_start of it has a post to wait for.\n", out);
    if (warnings->choice == CHOICE_COPIES)
        fputs("No call of this trace can differ under a to c, and under d only by the copies of puts: no MPI_Win_start "
              "of it "
              "has a post to wait for.\n",
              out);
}

struct contradicted {
    struct contradiction found;
    char text[RESULT_BEHAVIOUR_BYTES];
};

static const char *name_waits(int waits)
{
    static const char *const names[BEHAVES_COUNT] = {
        [BEHAVES_NONE] = "none", [BEHAVES_POST] = "post", [BEHAVES_GROUP] = "group", [BEHAVES_HOLDER] = "holder"};
    return names[waits];
}

static enum field_each fill_contradiction(const void *item, size_t index, void *made)
{
    const struct warnings *warnings = item;
    struct contradicted *one = made;
    if (index == warnings->count) return FIELD_END;
    one->found = warnings->items[index];
    result_behaviour_text(&one->found.row, one->text);
    return FIELD_ELEMENT;
}

#define S struct contradicted
static const struct field contradicted_fields[] = {NAME_OF("call", found.row.call, name_function, MPI_CALL_COUNT),
                                                   NAME_OF("waits", found.row.waits, name_waits, BEHAVES_COUNT),
                                                   NAME_OF("expected", found.expected, name_waits, BEHAVES_COUNT),
                                                   FIELD("seen", found.row.seen), FIELD("of", found.row.of), SAME(text), {0}};
#undef S
const struct field warnings_fields[] = {
    EACH("contradictions", struct contradicted, fill_contradiction, contradicted_fields), {0}};
