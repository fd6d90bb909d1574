#include "model/efficiency/intervals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/memory_text.h"
#include "common/search.h"

static const uint32_t NOWHERE = UINT32_MAX;

static const char sequential_prefix[] = "sequential";

struct interval_thread {
    size_t *entries; /* per interval */
    size_t entry_capacity;
    uint32_t at; /* its interval */
};

void intervals_clear(struct intervals *intervals)
{
    for (uint32_t l = 0; intervals->threads && l < intervals->locations->count; l++) free(intervals->threads[l].entries);
    FREE_ALL(intervals->threads, intervals->functions, intervals->items);
    map_clear(&intervals->index);
    FREE_ALL(intervals->changes, intervals->rank_first, intervals->began);
    memset(intervals, 0, sizeof *intervals);
}

bool interval_mark(const struct trace *trace, uint32_t rank, const struct trace_call *call, struct interval_mark *mark)
{
    switch (call_kind(call->call)) {
    case CALL_SEND: return call->peer == (int32_t)rank && interval_mark_of_tag(call->message.tag, mark);
    case CALL_REGION_ENTER:
    case CALL_REGION_LEAVE: return interval_mark_of_region(trace->definitions.regions[call->region.region], mark);
    default: return false;
    }
}

/* The state of walking calls, now one of this thread. */
struct walk {
    const struct trace *trace;
    struct intervals *intervals;
    struct interval_thread *own;
    uint32_t location;
    struct err *err;
};

/* Threads are walked in any order: the first entry of the lowest one counts. */
static void note_entry(const struct walk *walk, struct interval *interval, uint32_t site, uint64_t event)
{
    if (walk->location >= interval->first_location) return;
    interval->first_location = walk->location;
    interval->first_event = event;
    if (interval->placed_location == NOWHERE) interval->site = site;
}

/* The interval of this kind and id inside another one, made if there is none, without an entry. */
static enum status interval_child(struct intervals *intervals, uint32_t parent, enum interval_kind kind, uint32_t id,
                                  uint32_t *interval, struct err *err)
{
    const struct trace *trace = intervals->trace;
    uint64_t *slot;
    TRY(map_put(&intervals->index, (uint64_t)parent << 32 | (uint64_t)kind << 30 | id, intervals->count, &slot, err));
    *interval = (uint32_t)*slot;
    if (*interval < intervals->count) return STATUS_OK;
    bool marked = kind == INTERVAL_REGION &&
                  strncmp(trace->definitions.regions[id], sequential_prefix, sizeof sequential_prefix - 1) == 0;
    struct interval made = {.kind = kind,
                            .parent = parent,
                            .id = id,
                            .level = intervals->items[parent].level + 1,
                            .first_location = NOWHERE,
                            .placed_location = NOWHERE,
                            .sequential = intervals->items[parent].sequential || marked};
    ARRAY_PUSH(intervals->items, intervals->count, intervals->capacity, made, err);
    return STATUS_OK;
}

static enum status enter_interval(struct walk *walk, enum interval_kind kind, uint32_t id, uint32_t site,
                                  uint64_t event)
{
    struct intervals *intervals = walk->intervals;
    struct interval_thread *own = walk->own;
    uint32_t interval;
    TRY(interval_child(intervals, own->at, kind, id, &interval, walk->err));
    size_t before = own->entry_capacity;
    if (interval >= before) {
        TRY(array_reserve((void **)&own->entries, &own->entry_capacity, (size_t)interval + 1, sizeof *own->entries,
                          walk->err));
        memset(own->entries + before, 0, (own->entry_capacity - before) * sizeof *own->entries);
    }
    note_entry(walk, &intervals->items[interval], site, event);
    own->entries[interval]++;
    own->at = interval;
    return STATUS_OK;
}

/* Leaves the innermost interval of this kind and id, and those inside it that were not ended; nothing if there is none.
 */
static void leave_interval(struct walk *walk, enum interval_kind kind, uint32_t id)
{
    const struct interval *items = walk->intervals->items;
    for (uint32_t i = walk->own->at; i != INTERVAL_ROOT; i = items[i].parent) {
        if (items[i].kind != kind || items[i].id != id) continue;
        walk->own->at = items[i].parent;
        return;
    }
}

/* A call that neither begins nor ends an interval is in a function. */
static enum status enter_function(struct walk *walk, uint32_t site, uint64_t event)
{
    const struct interval *items = walk->intervals->items;
    uint32_t around = interval_behind(walk->intervals, walk->own->at), function = walk->intervals->functions[site];
    if (walk->own->at != around && items[walk->own->at].id == function) return STATUS_OK;
    walk->own->at = around;
    if (function == NOWHERE) return STATUS_OK;
    if (items[around].kind == INTERVAL_REGION && strcmp(walk->trace->definitions.regions[items[around].id],
                                                        walk->trace->definitions.sites[function].function) == 0)
        return STATUS_OK;
    return enter_interval(walk, INTERVAL_FUNCTION, function, site, event);
}

/* An interval whose entry has no known place takes the first known one inside it. */
static void set_place(struct walk *walk, uint32_t site)
{
    struct interval *items = walk->intervals->items;
    const struct trace_site *sites = walk->trace->definitions.sites;
    if (!sites[site].file) return;
    for (uint32_t i = walk->own->at;; i = items[i].parent) {
        if (walk->location >= items[i].placed_location) return; /* then the intervals around it have places, too */
        items[i].site = site;
        items[i].placed_location = walk->location;
        if (i == INTERVAL_ROOT) return;
    }
}

static enum status step_call(struct walk *walk, uint32_t rank, size_t index)
{
    const struct trace_call *call = &walk->trace->ranks[rank].calls[index];
    uint32_t before = walk->own->at;
    uint64_t event = trace_event(walk->trace, rank, index);
    struct interval_mark mark;
    bool marks = interval_mark(walk->trace, rank, call, &mark);
    if (marks && call->call == ID_region_leave) return STATUS_OK; /* its enter was the mark */
    if (marks || call_is_region(call->call))
        walk->own->at = interval_behind(walk->intervals, walk->own->at);
    else if (walk->intervals->functions)
        TRY(enter_function(walk, call->site, event));
    if (marks && mark.begins)
        TRY(enter_interval(walk, INTERVAL_MARKED, mark.number, call->site, event));
    else if (marks)
        leave_interval(walk, INTERVAL_MARKED, mark.number);
    else if (call->call == ID_region_enter)
        TRY(enter_interval(walk, INTERVAL_REGION, call->region.region, call->site, event));
    else if (call->call == ID_region_leave)
        leave_interval(walk, INTERVAL_REGION, call->region.region);
    set_place(walk, call->site);
    struct change change = {.call = index, .node = walk->own->at, .thread = trace_call_thread(walk->trace, rank, index)};
    if (walk->own->at != before)
        ARRAY_PUSH(walk->intervals->changes, walk->intervals->change_count, walk->intervals->change_capacity, change,
                   walk->err);
    return STATUS_OK;
}

struct named_site {
    const char *function;
    uint32_t site;
};

ORDER(by_function, struct named_site, BY_TEXT(function) UP(site))

static enum status find_functions(struct intervals *intervals, struct err *err)
{
    const struct trace_definitions *definitions = &intervals->trace->definitions;
    if (intervals->source != INTERVALS_OF_CALLPATHS || (intervals->functions && intervals->site_count == definitions->site_count))
        return STATUS_OK;
    free(intervals->functions);
    struct named_site *named = calloc(definitions->site_count + 1, sizeof *named);
    uint32_t *functions = intervals->functions = calloc(definitions->site_count + 1, sizeof *functions);
    if (!named || !functions) {
        free(named);
        return err_memory(err);
    }
    intervals->site_count = definitions->site_count;
    size_t count = 0;
    for (uint32_t s = 0; s < definitions->site_count; s++) {
        functions[s] = NOWHERE;
        if (definitions->sites[s].function) named[count++] = (struct named_site){definitions->sites[s].function, s};
    }
    qsort(named, count, sizeof *named, by_function);
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && strcmp(named[i].function, named[i - 1].function) == 0;
        functions[named[i].site] = same ? functions[named[i - 1].site] : named[i].site;
    }
    free(named);
    return STATUS_OK;
}

enum status intervals_open(const struct trace *trace, const struct locations *locations, enum interval_source source,
                           struct intervals *intervals, struct err *err)
{
    const struct interval root = {.kind = INTERVAL_RUN, .executions = 1, .placed_location = NOWHERE};
    _Static_assert(INTERVAL_ROOT == 0, "threads begin in the run");
    *intervals = (struct intervals){.trace = trace, .locations = locations, .source = source};
    intervals->threads = calloc((size_t)locations->count + 1, sizeof *intervals->threads);
    intervals->began = calloc((size_t)locations->count + 1, sizeof *intervals->began);
    intervals->rank_first = calloc((size_t)trace->rank_count + 1, sizeof *intervals->rank_first);
    if (!intervals->threads || !intervals->began || !intervals->rank_first) return err_memory(err);
    ARRAY_PUSH(intervals->items, intervals->count, intervals->capacity, root, err);
    return STATUS_OK;
}

static enum status walk_rank(struct walk *walk, uint32_t rank)
{
    struct intervals *of = walk->intervals;
    const struct trace_rank *process = &of->trace->ranks[rank];
    size_t first = of->change_count;
    for (size_t i = process->kept_count; i < process->count; i++) {
        walk->location = location_of_call(of->locations, of->trace, rank, i);
        walk->own = &of->threads[walk->location];
        TRY(step_call(walk, rank, i));
    }
    if (trace_thread_count(of->trace, rank) > 1 && of->change_count > first)
        qsort(of->changes + first, of->change_count - first, sizeof *of->changes, changes_compare);
    of->rank_first[rank + 1] = of->change_count;
    return STATUS_OK;
}

enum status intervals_go_on(struct intervals *intervals, struct err *err)
{
    struct walk walk = {.trace = intervals->trace, .intervals = intervals, .err = err};
    TRY(find_functions(intervals, err));
    intervals->change_count = 0;
    for (uint32_t l = 0; l < intervals->locations->count; l++) intervals->began[l] = intervals->threads[l].at;
    for (uint32_t r = 0; r < intervals->trace->rank_count; r++) TRY(walk_rank(&walk, r));
    return STATUS_OK;
}

enum status intervals_count(struct intervals *of, const struct processors *processors, struct err *err)
{
    size_t *entries = malloc(((size_t)processors->count + 1) * sizeof *entries);
    if (!entries) return err_memory(err);
    for (size_t i = INTERVAL_ROOT + 1; i < of->count; i++) {
        struct interval *interval = &of->items[i];
        memset(entries, 0, processors->count * sizeof *entries);
        for (uint32_t l = 0; l < of->locations->count; l++) {
            const struct interval_thread *thread = &of->threads[l];
            size_t *sum = &entries[processors->of[l]];
            if (i < thread->entry_capacity) *sum += thread->entries[i];
            if (*sum > interval->executions) interval->executions = *sum;
        }
    }
    free(entries);
    return STATUS_OK;
}

uint32_t interval_behind(const struct intervals *intervals, uint32_t interval)
{
    const struct interval *item = &intervals->items[interval];
    return item->kind == INTERVAL_FUNCTION ? item->parent : interval;
}

uint32_t interval_at(const struct intervals *intervals, uint32_t rank, size_t call)
{
    const struct trace_rank *process = &intervals->trace->ranks[rank];
    if (call < process->kept_count) return process->kept[call].interval;
    const size_t *first = &intervals->rank_first[rank];
    uint32_t thread = trace_call_thread(intervals->trace, rank, call);
    uint32_t began = intervals->began[intervals->locations->first[rank] + thread];
    return changes_at(intervals->changes, first[0], first[1], thread, call, began);
}

static void write_path(const struct trace *trace, const struct intervals *intervals, uint32_t interval, FILE *out)
{
    const struct interval *item = &intervals->items[interval];
    if (item->parent != INTERVAL_ROOT) {
        write_path(trace, intervals, item->parent, out);
        fputc('/', out);
    }
    if (item->kind == INTERVAL_REGION)
        fputs(trace->definitions.regions[item->id], out);
    else if (item->kind == INTERVAL_FUNCTION)
        fputs(trace->definitions.sites[item->id].function, out);
    else
        fprintf(out, "#%" PRIu32, item->id);
}

enum status interval_path(const struct trace *trace, const struct intervals *intervals, uint32_t interval, char **text,
                          struct err *err)
{
    struct memory_text made;
    TRY(memory_text_open(&made, err));
    if (interval == INTERVAL_ROOT)
        fputs("run", made.out);
    else
        write_path(trace, intervals, interval, made.out);
    TRY(memory_text_close(&made, STATUS_OK, err));
    *text = made.text;
    return STATUS_OK;
}
