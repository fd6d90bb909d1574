#include "model/violations/violations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"
#include "model/callpaths/callpath.h"
#include "model/violations/finder.h"

static const struct violation_row rows[VIOLATION_KIND_COUNT] = {
#define VIOLATION(NAME, SECTION, GATE, SENTENCE) {VIOLATION_##GATE, #NAME, SECTION, SENTENCE},
#include "model/violations/violations.def"
#undef VIOLATION
};

const struct violation_row *violation_row(enum violation_kind kind)
{
    return &rows[kind];
}

static bool is_aborted(const struct trace *trace)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        size_t count = trace->ranks[r].count;
        for (size_t i = 0; i < count; i++)
            if (trace->ranks[r].calls[i].call == ID_Abort) return true;
    }
    return false;
}

static enum status prepare_finder(struct finder *finder)
{
    const struct trace *trace = finder->trace;
    bool aborted = is_aborted(trace);
    finder->complete = calloc((size_t)trace->rank_count + 1, sizeof *finder->complete);
    if (!finder->complete) return err_memory(finder->err);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        finder->complete[r] = !aborted && !rank->incomplete;
        for (size_t i = 0; i < rank->count; i++) {
            const struct trace_call *call = &rank->calls[i];
            enum call_kind kind = call_kind(call->call);
            if (call->flags & TRACE_BREAK) finder->complete[r] = false;
            if (kind == CALL_FENCE || kind == CALL_POST) finder->assertions |= call->flags & TRACE_ASSERTIONS;
        }
    }
    return STATUS_OK;
}

ORDER(by_place, struct violation, UP(at.rank) UP(at.call) UP(kind) UP(other.rank) UP(other.call))

static enum status describe_call(const struct finder *finder, const struct callpaths *paths, struct call_at at,
                                 struct result_call *made)
{
    const struct trace *trace = finder->trace;
    const struct trace_call *call = finder_call(finder, at);
    const struct trace_site *site = &trace->definitions.sites[call->site];
    *made = (struct result_call){.rank = at.rank,
                                 .thread = trace_call_thread(trace, at.rank, at.call),
                                 .event = trace_event(trace, at.rank, at.call),
                                 .function = call_name(call->call),
                                 .time_s = units_s(call->enter_ps - trace_begin_ps(trace)),
                                 .line = site->line};
    TRY(callpath_text(trace, paths, callpath_at(paths, at.rank, at.call), call->site, call->call, &made->callpath,
                      finder->err));
    if (!site->file) return STATUS_OK;
    made->file = strdup(site->file);
    return made->file ? STATUS_OK : err_memory(finder->err);
}

static enum status report_violation(const struct finder *finder, const struct callpaths *paths, const struct violation *found,
                        struct result_violation *made)
{
    const struct violation_row *row = &rows[found->kind];
    const char *colon = *found->detail ? ": " : "";
    *made = (struct result_violation){.kind = row->name, .section = row->section};
    if (asprintf(&made->sentence, "%s%s%s", row->sentence, colon, found->detail) < 0) {
        made->sentence = NULL;
        return err_memory(finder->err);
    }
    TRY(describe_call(finder, paths, found->at, &made->call));
    made->other_known = found->other.call != NO_CALL;
    return made->other_known ? describe_call(finder, paths, found->other, &made->other) : STATUS_OK;
}

static enum status tell_all(struct finder *finder, struct result_violations *violations)
{
    struct callpaths paths;
    violations->known = true;
    for (int k = 0; k < VIOLATION_KIND_COUNT; k++) violations->total += finder->counts[k];
    if (finder->count == 0) return STATUS_OK;
    qsort(finder->items, finder->count, sizeof *finder->items, by_place);
    violations->items = calloc(finder->count, sizeof *violations->items);
    if (!violations->items) return err_memory(finder->err);
    TRY(callpaths_build(finder->trace, &paths, finder->err));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < finder->count; i++)
        status = report_violation(finder, &paths, &finder->items[i], &violations->items[violations->count++]);
    callpaths_clear(&paths);
    return status;
}

static void clear_finder(struct finder *finder)
{
    for (size_t i = 0; i < finder->count; i++) free(finder->items[i].detail);
    FREE_ALL(finder->items, finder->complete, finder->starts.items, finder->posts.items, finder->updates, finder->holdings);
    map_clear(&finder->noput);
    map_clear(&finder->open_requests);
}

enum status violations_find(const struct trace *trace, struct result_violations *violations, struct err *err)
{
    static enum status (*const rules[])(struct finder *) = {find_in_ranks, find_in_epochs, find_in_locks,
                                                            find_in_collectives, find_in_messages};
    struct finder finder = {.trace = trace, .err = err};
    struct result_violations made = {.known = false};
    enum status status = prepare_finder(&finder);
    for (size_t i = 0; status == STATUS_OK && i < sizeof rules / sizeof *rules; i++) status = rules[i](&finder);
    if (status == STATUS_OK) status = tell_all(&finder, &made);
    clear_finder(&finder);
    GIVE(status, *violations = made, result_violations_clear(&made));
}

enum status violations_report(struct result_violations *from, struct result *result, struct err *err)
{
    result->violations = *from;
    *from = (struct result_violations){.known = false};
    const struct result_violations *all = &result->violations;
    if (all->total == 0) return STATUS_OK;
    const struct result_violation *first = &all->items[0];
    return result_add_note(result, err,
                           "the program contradicts MPI in %" PRIu64
                           " place%s (rmacast analyze --check lists them), first "
                           "rank %" PRIu32 ", event %" PRIu64 " (%s): %s",
                           all->total, units_plural(all->total), first->call.rank, first->call.event,
                           first->call.function, first->sentence);
}

static bool is_refused(const struct result_violation *violation)
{
    int k = 0;
    while (strcmp(rows[k].name, violation->kind) != 0) k++;
    return rows[k].gate == VIOLATION_REFUSED;
}

enum status violations_expect(const struct result_violations *violations, const char *file, struct err *err)
{
    for (size_t i = 0; i < violations->count; i++) {
        const struct result_violation *item = &violations->items[i];
        if (!is_refused(item)) continue;
        char place[TRACE_PLACE_BYTES];
        snprintf(place, sizeof place, "rank %" PRIu32 ", event %" PRIu64 " (%s)", item->call.rank, item->call.event,
                 item->call.function);
        return err_set(err, STATUS_DATA, file, place, "%s, which no replay takes (%s)", item->sentence, item->section);
    }
    return STATUS_OK;
}
