#include "model/efficiency/intervals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/memory_text.h"

static const uint32_t NOWHERE = UINT32_MAX;

static const char sequential_prefix[] = "sequential";

void intervals_clear(struct intervals *intervals)
{
    free(intervals->items);
    map_clear(&intervals->index);
    free(intervals->changes);
    free(intervals->rank_first);
    free(intervals->began);
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

/* The state of walking one thread's calls. */
struct walk {
    const struct trace *trace;
    struct intervals *intervals;
    uint32_t *functions; /* per site: the first site in the same function, NOWHERE if unknown; NULL: not needed */
    size_t *entries;     /* per interval, of this processor */
    size_t entry_capacity;
    uint32_t at, rank, thread;
    struct err *err;
};

/* In slices ranks are walked in any order: the lowest rank's first entry counts, as in a whole trace. */
static void note_entry(const struct walk *walk, struct interval *interval, uint32_t site, uint64_t event)
{
    if (walk->rank >= interval->first_rank) return;
    interval->first_rank = walk->rank;
    interval->first_event = event;
    if (interval->placed_rank == NOWHERE) interval->site = site;
}

enum status intervals_child(struct intervals *intervals, uint32_t parent, enum interval_kind kind, uint32_t id,
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
                            .first_rank = NOWHERE,
                            .placed_rank = NOWHERE,
                            .sequential = intervals->items[parent].sequential || marked};
    ARRAY_PUSH(intervals->items, intervals->count, intervals->capacity, made, err);
    return STATUS_OK;
}

void interval_merge(struct interval *interval, const struct interval *elsewhere)
{
    bool earlier = elsewhere->first_rank < interval->first_rank;
    bool placed = elsewhere->placed_rank < interval->placed_rank;
    if (placed || earlier) interval->site = elsewhere->site;
    if (placed) interval->placed_rank = elsewhere->placed_rank;
    if (elsewhere->executions > interval->executions) interval->executions = elsewhere->executions;
    if (!earlier) return;
    interval->first_rank = elsewhere->first_rank;
    interval->first_event = elsewhere->first_event;
}

static enum status enter_interval(struct walk *walk, enum interval_kind kind, uint32_t id, uint32_t site,
                                  uint64_t event)
{
    struct intervals *intervals = walk->intervals;
    uint32_t interval;
    TRY(intervals_child(intervals, walk->at, kind, id, &interval, walk->err));
    size_t before = walk->entry_capacity;
    if (interval >= before) {
        TRY(array_reserve((void **)&walk->entries, &walk->entry_capacity, (size_t)interval + 1, sizeof *walk->entries,
                          walk->err));
        memset(walk->entries + before, 0, (walk->entry_capacity - before) * sizeof *walk->entries);
    }
    note_entry(walk, &intervals->items[interval], site, event);
    walk->entries[interval]++;
    if (walk->entries[interval] > intervals->items[interval].executions)
        intervals->items[interval].executions = walk->entries[interval];
    walk->at = interval;
    return STATUS_OK;
}

/* Leaves the innermost interval of this kind and id, and those inside it that were not ended; nothing if there is none.
 */
static void leave_interval(struct walk *walk, enum interval_kind kind, uint32_t id)
{
    const struct interval *items = walk->intervals->items;
    for (uint32_t i = walk->at; i != INTERVAL_ROOT; i = items[i].parent) {
        if (items[i].kind != kind || items[i].id != id) continue;
        walk->at = items[i].parent;
        return;
    }
}

/* A call that neither begins nor ends an interval is in a function. */
static enum status enter_function(struct walk *walk, uint32_t site, uint64_t event)
{
    const struct interval *items = walk->intervals->items;
    uint32_t around = interval_behind(walk->intervals, walk->at), function = walk->functions[site];
    if (walk->at != around && items[walk->at].id == function) return STATUS_OK;
    walk->at = around;
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
    for (uint32_t i = walk->at;; i = items[i].parent) {
        if (walk->rank >= items[i].placed_rank) return; /* then the intervals around it have places, too */
        items[i].site = site;
        items[i].placed_rank = walk->rank;
        if (i == INTERVAL_ROOT) return;
    }
}

static enum status step_call(struct walk *walk, uint32_t rank, size_t index)
{
    const struct trace_call *call = &walk->trace->ranks[rank].calls[index];
    uint32_t before = walk->at;
    uint64_t event = trace_event(walk->trace, rank, index);
    struct interval_mark mark;
    bool marks = interval_mark(walk->trace, rank, call, &mark);
    if (marks && call->call == ID_region_leave) return STATUS_OK; /* its enter was the mark */
    if (marks || call_is_region(call->call))
        walk->at = interval_behind(walk->intervals, walk->at);
    else if (walk->functions)
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
    struct change change = {.call = index, .node = walk->at, .thread = walk->thread};
    if (walk->at != before)
        ARRAY_PUSH(walk->intervals->changes, walk->intervals->change_count, walk->intervals->change_capacity, change,
                   walk->err);
    return STATUS_OK;
}

static enum status walk_processor(struct walk *walk, const struct processors *processors,
                                  const struct processor *processor)
{
    walk->rank = processor->rank;
    if (walk->entries) memset(walk->entries, 0, walk->entry_capacity * sizeof *walk->entries);
    for (uint32_t i = 0; i < processor->count; i++) {
        walk->thread = processors->threads[processor->first + i];
        walk->at = INTERVAL_ROOT;
        struct timeline timeline = timeline_of(processors->timelines, processor->rank, walk->thread);
        for (size_t k = 0; k < timeline.count; k++) TRY(step_call(walk, processor->rank, timeline_index(&timeline, k)));
    }
    return STATUS_OK;
}

static enum status make_root(struct intervals *intervals, struct err *err)
{
    struct interval root = {.kind = INTERVAL_RUN, .executions = 1, .placed_rank = NOWHERE};
    ARRAY_PUSH(intervals->items, intervals->count, intervals->capacity, root, err);
    intervals->rank_first = calloc((size_t)intervals->trace->rank_count + 1, sizeof *intervals->rank_first);
    return intervals->rank_first ? STATUS_OK : err_memory(err);
}

static enum status build_intervals(struct walk *walk, const struct processors *processors)
{
    struct intervals *intervals = walk->intervals;
    uint32_t ranks = walk->trace->rank_count;
    TRY(make_root(intervals, walk->err));
    for (uint32_t r = 0; r < ranks; r++) {
        size_t first = intervals->rank_first[r];
        for (uint32_t p = processors->rank_first[r]; p < processors->rank_first[r + 1]; p++)
            TRY(walk_processor(walk, processors, &processors->items[p]));
        size_t count = intervals->change_count - first;
        if (trace_thread_count(walk->trace, r) > 1 && count > 1)
            qsort(intervals->changes + first, count, sizeof *intervals->changes, changes_compare);
        intervals->rank_first[r + 1] = intervals->change_count;
    }
    return STATUS_OK;
}

struct named_site {
    const char *function;
    uint32_t site;
};

static int by_function(const void *one, const void *other)
{
    const struct named_site *a = one, *b = other;
    int order = strcmp(a->function, b->function);
    return order != 0 ? order : (a->site > b->site) - (a->site < b->site);
}

static enum status find_functions(struct walk *walk)
{
    const struct trace *trace = walk->trace;
    struct named_site *named = calloc(trace->definitions.site_count + 1, sizeof *named);
    walk->functions = calloc(trace->definitions.site_count + 1, sizeof *walk->functions);
    if (!named || !walk->functions) {
        free(named);
        return err_memory(walk->err);
    }
    size_t count = 0;
    for (uint32_t s = 0; s < trace->definitions.site_count; s++) {
        walk->functions[s] = NOWHERE;
        if (trace->definitions.sites[s].function)
            named[count++] = (struct named_site){trace->definitions.sites[s].function, s};
    }
    qsort(named, count, sizeof *named, by_function);
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && strcmp(named[i].function, named[i - 1].function) == 0;
        walk->functions[named[i].site] = same ? walk->functions[named[i - 1].site] : named[i].site;
    }
    free(named);
    return STATUS_OK;
}

enum status intervals_build(const struct processors *processors, enum interval_source source,
                            struct intervals *intervals, struct err *err)
{
    const struct trace *trace = processors->timelines->trace;
    struct intervals made = {.trace = trace};
    struct walk walk = {.trace = trace, .intervals = &made, .err = err};
    enum status status = source == INTERVALS_OF_CALLPATHS ? find_functions(&walk) : STATUS_OK;
    if (status == STATUS_OK) status = build_intervals(&walk, processors);
    free(walk.entries);
    free(walk.functions);
    if (status == STATUS_OK)
        *intervals = made;
    else
        intervals_clear(&made);
    return status;
}

struct rank_walk { /* the state of a rank at the end of a slice */
    size_t *entries;
    size_t entry_capacity;
    uint32_t at;
};

struct intervals_walk {
    struct intervals *intervals;
    struct rank_walk *ranks;
    enum interval_source source;
    uint32_t *functions;
    size_t site_count; /* of these functions */
};

void intervals_walk_free(struct intervals_walk *walk)
{
    if (!walk) return;
    for (uint32_t r = 0; walk->ranks && r < walk->intervals->trace->rank_count; r++) free(walk->ranks[r].entries);
    free(walk->ranks);
    free(walk->functions);
    free(walk);
}

enum status intervals_walk_new(const struct trace *trace, enum interval_source source, struct intervals *intervals,
                               struct intervals_walk **walk, struct err *err)
{
    struct intervals_walk *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct intervals_walk){.intervals = intervals, .source = source};
    intervals->trace = trace;
    made->ranks = calloc((size_t)trace->rank_count + 1, sizeof *made->ranks);
    intervals->began = calloc((size_t)trace->rank_count + 1, sizeof *intervals->began);
    _Static_assert(INTERVAL_ROOT == 0, "ranks begin in the run");
    enum status status = made->ranks && intervals->began ? make_root(intervals, err) : err_memory(err);
    if (status == STATUS_OK)
        *walk = made;
    else
        intervals_walk_free(made);
    return status;
}

static enum status go_on(struct intervals_walk *intervals, struct walk *walk)
{
    struct intervals *of = intervals->intervals;
    enum status status = STATUS_OK;
    for (uint32_t r = 0; status == STATUS_OK && r < of->trace->rank_count; r++) {
        const struct trace_rank *process = &of->trace->ranks[r];
        struct rank_walk *rank = &intervals->ranks[r];
        walk->rank = r;
        walk->entries = rank->entries;
        walk->entry_capacity = rank->entry_capacity;
        walk->at = of->began[r] = rank->at;
        for (size_t i = process->kept_count; status == STATUS_OK && i < process->count; i++) status = step_call(walk, r, i);
        *rank = (struct rank_walk){walk->entries, walk->entry_capacity, walk->at};
        of->rank_first[r + 1] = of->change_count;
    }
    return status;
}

enum status intervals_go_on(struct intervals_walk *intervals, struct err *err)
{
    const struct trace *trace = intervals->intervals->trace;
    struct walk walk = {
        .trace = trace, .intervals = intervals->intervals, .functions = intervals->functions, .err = err};
    if (intervals->source == INTERVALS_OF_CALLPATHS &&
        (!walk.functions || intervals->site_count != trace->definitions.site_count)) {
        free(intervals->functions);
        enum status status = find_functions(&walk);
        intervals->functions = walk.functions;
        intervals->site_count = trace->definitions.site_count;
        TRY(status);
    }
    intervals->intervals->change_count = 0;
    return go_on(intervals, &walk);
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
    uint32_t began = intervals->began ? intervals->began[rank] : INTERVAL_ROOT;
    uint32_t thread = trace_call_thread(intervals->trace, rank, call);
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
