#include "model/violations/violations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"
#include "model/callpaths/callpath.h"
#include "model/match/relations.h"
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

static enum status describe_call(const struct violation_finder *finder, struct place at, struct result_call *made)
{
    const struct trace *trace = finder->trace;
    const struct trace_site *site = &trace->definitions.sites[at.site];
    *made = (struct result_call){.rank = at.rank,
                                 .thread = at.thread,
                                 .event = at.event,
                                 .function = call_name(at.call),
                                 .time_s = units_s(at.enter_ps - trace_begin_ps(trace)),
                                 .line = site->line};
    TRY(callpath_text(trace, finder->paths, at.node, at.site, at.call, &made->callpath, finder->err));
    if (!site->file) return STATUS_OK;
    made->file = strdup(site->file);
    return made->file ? STATUS_OK : err_memory(finder->err);
}

static enum status report_violation(const struct violation_finder *finder, const struct violation *found,
                                    struct result_violation *made)
{
    const struct violation_row *row = &rows[found->kind];
    const char *colon = *found->detail ? ": " : "";
    *made = (struct result_violation){.kind = row->name, .section = row->section};
    if (asprintf(&made->sentence, "%s%s%s", row->sentence, colon, found->detail) < 0) {
        made->sentence = NULL;
        return err_memory(finder->err);
    }
    TRY(describe_call(finder, found->at, &made->call));
    made->other_known = found->other.event > 0;
    return made->other_known ? describe_call(finder, found->other, &made->other) : STATUS_OK;
}

ORDER(by_place, struct violation, UP(at.rank) UP(at.event) UP(kind)) /* of one kind they are in order */

static enum status report_all(struct violation_finder *finder, struct result_violations *violations)
{
    struct violation *all;
    size_t count = 0;
    violations->known = true;
    for (int k = 0; k < VIOLATION_KIND_COUNT; k++) {
        violations->total += finder->kinds[k].total;
        count += finder->kinds[k].count;
    }
    if (count == 0) return STATUS_OK;
    all = malloc(count * sizeof *all);
    violations->items = calloc(count, sizeof *violations->items);
    enum status status = all && violations->items ? STATUS_OK : err_memory(finder->err);
    count = 0;
    for (int k = 0; all && k < VIOLATION_KIND_COUNT; k++)
        for (size_t i = 0; i < finder->kinds[k].count; i++) all[count++] = finder->kinds[k].items[i];
    if (all) qsort(all, count, sizeof *all, by_place);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = report_violation(finder, &all[i], &violations->items[violations->count++]);
    free(all);
    return status;
}

enum status violations_new(struct violation_finder **finder, struct err *err)
{
    struct violation_finder *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->temp.descriptor = -1;
    *finder = made;
    return STATUS_OK;
}

void violations_free(struct violation_finder *finder)
{
    if (!finder) return;
    for (int k = 0; k < VIOLATION_KIND_COUNT; k++) kind_list_clear(&finder->kinds[k]);
    if (finder->trace) {
        ranks_clear(finder);
        epochs_clear_all(finder);
        collectives_clear(finder);
    }
    external_sort_free(finder->holdings);
    temp_file_close(&finder->temp);
    FREE_ALL(finder->complete, finder->places, finder->truncated, finder);
}

static enum status begin_finder(struct violation_finder *finder, const struct trace *trace, const struct callpaths *paths)
{
    finder->trace = trace;
    finder->paths = paths;
    finder->complete = calloc((size_t)trace->rank_count + 1, sizeof *finder->complete);
    if (!finder->complete) return err_memory(finder->err);
    TRY(ranks_begin(finder));
    return collectives_begin(finder);
}

enum status violations_take(struct violation_finder *finder, const struct trace *trace, const struct callpaths *paths,
                            struct err *err)
{
    finder->err = err;
    if (!finder->trace) TRY(begin_finder(finder, trace, paths));
    for (uint32_t r = 0; r < trace->rank_count; r++) TRY(ranks_take(finder, r));
    return ranks_took(finder);
}

enum status violations_match(struct violation_finder *finder, const struct relations *relations, bool last, struct err *err)
{
    finder->err = err;
    for (uint32_t r = 0; last && r < finder->trace->rank_count; r++)
        finder->complete[r] = !finder->aborted && !finder->trace->ranks[r].incomplete && !ranks_are_cut(finder, r);
    return messages_match(finder, relations, last);
}

enum status violations_end(struct violation_finder *finder, struct result_violations *violations, struct err *err)
{
    static enum status (*const ends[])(struct violation_finder *) = {ranks_end, epochs_end, locks_end, collectives_end,
                                                                     messages_end};
    struct result_violations made = {.known = false};
    enum status status = STATUS_OK;
    finder->err = err;
    for (size_t i = 0; status == STATUS_OK && i < sizeof ends / sizeof *ends; i++) status = ends[i](finder);
    if (status == STATUS_OK) status = report_all(finder, &made);
    GIVE(status, *violations = made, result_violations_clear(&made));
}

static enum status find_whole(struct violation_finder *finder, const struct trace *trace, const struct callpaths *paths,
                              struct err *err)
{
    struct relations relations = {.trace = trace};
    TRY(violations_take(finder, trace, paths, err));
    TRY(messages_build(trace, &relations.messages, err));
    enum status status = violations_match(finder, &relations, true, err);
    messages_clear(&relations.messages);
    return status;
}

enum status violations_find(const struct trace *trace, struct result_violations *violations, struct err *err)
{
    struct violation_finder *finder = NULL;
    struct callpaths paths;
    TRY(callpaths_build(trace, &paths, err));
    enum status status = violations_new(&finder, err);
    if (status == STATUS_OK) {
        status = find_whole(finder, trace, &paths, err);
        if (status == STATUS_OK) status = violations_end(finder, violations, err);
        violations_free(finder);
    }
    callpaths_clear(&paths);
    return status;
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
