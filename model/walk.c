#include "model/walk.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/heap.h"

/* An event of one thread's line. Its place in the line: of the rank's call i enter 4i, what begins 4i + 1, what ends
 * 4i + 2, exit 4i + 3; a transfer of another rank stands where its time falls. */
struct item {
    int64_t time_ps;
    size_t place;
    uint32_t index; /* of the transfer; enter, exit: 0 */
    uint32_t kind;
};

struct line {
    uint32_t rank, thread;
    struct item *items;
    size_t count, capacity, next;
    size_t *inside; /* enter events that are open */
    size_t depth, depth_capacity;
};

struct link {
    size_t origin, start; /* numbers of a transfer's events, WALK_NONE until they have been */
};

struct walk {
    const struct trace *trace;
    const struct lanes *lanes;
    struct transfers transfers;
    struct link *links;       /* per transfer */
    struct line *lines;       /* per thread of all ranks */
    uint32_t *first_line;     /* rank_count + 1; thread t of rank r has line first_line[r] + t */
    struct heap heap;   /* lines by the time of their next event */
    uint32_t *waiting; /* lines whose event waits for its cause */
    uint32_t waiting_count;
    size_t number, under_way;
};

static int compare_items(const void *one, const void *other)
{
    const struct item *a = one, *b = other;
    if (a->time_ps != b->time_ps) return a->time_ps < b->time_ps ? -1 : 1;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static enum status add(struct walk *walk, uint32_t at, enum walk_kind kind, int64_t time_ps, size_t place,
                       size_t transfer, struct err *err)
{
    struct line *line = &walk->lines[at];
    struct item made = {time_ps, place, (uint32_t)transfer, kind};
    ARRAY_PUSH(line->items, line->count, line->capacity, made, err);
    return STATUS_OK;
}

static uint32_t line_of(const struct walk *walk, uint32_t rank, size_t call)
{
    return walk->first_line[rank] + trace_call_thread(walk->trace, rank, call);
}

static uint32_t line_ending(const struct walk *walk, uint32_t rank, int64_t time_ps)
{
    return walk->first_line[rank] + lanes_thread_ending(walk->lanes, rank, time_ps);
}

static struct lane lane_at(const struct walk *walk, uint32_t line)
{
    return lane_of(walk->lanes, walk->lines[line].rank, walk->lines[line].thread);
}

/* Before the exit of the last call that ends just then and may complete something, else inside the call that goes on,
 * else behind everything of the line up to then. */
static size_t place_of_end(const struct lane *lane, int64_t time_ps)
{
    size_t low = 0, high = lane->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lane_call(lane, middle)->enter_ps <= time_ps)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return 0;
    for (size_t k = low; k-- > 0 && lane_call(lane, k)->exit_ps == time_ps;)
        if (lane_completes(lane_call(lane, k))) return 4 * lane_index(lane, k) + 2;
    return 4 * lane_index(lane, low - 1) + (lane_call(lane, low - 1)->exit_ps >= time_ps ? 2 : 3);
}

static enum status add_calls(struct walk *walk, uint32_t rank, struct err *err)
{
    const struct trace_rank *stream = &walk->trace->ranks[rank];
    for (size_t i = 0; i < stream->count; i++) {
        enum call_kind kind = call_kind(stream->calls[i].call);
        uint32_t line = line_of(walk, rank, i);
        if (kind != CALL_REGION_LEAVE) TRY(add(walk, line, WALK_ENTER, stream->calls[i].enter_ps, 4 * i, 0, err));
        if (kind != CALL_REGION_ENTER) TRY(add(walk, line, WALK_EXIT, stream->calls[i].exit_ps, 4 * i + 3, 0, err));
    }
    return STATUS_OK;
}

static enum status add_transfer(struct walk *walk, size_t index, enum walk_model model, struct err *err)
{
    const struct transfer *transfer = &walk->transfers.items[index];
    enum call_kind kind = call_kind(walk->trace->ranks[transfer->origin].calls[transfer->call].call);
    bool get = kind == CALL_GET || kind == CALL_GET_ACCUMULATE;
    uint32_t asked = line_of(walk, transfer->origin, transfer->call), from = asked, to;
    size_t own = 4 * transfer->call + 1, start = own, end = own + 1;
    if (get) {
        TRY(add(walk, asked, WALK_ORIGIN, transfer->start_ps, own, index, err));
        from = line_ending(walk, transfer->target, transfer->start_ps);
        struct lane lane = lane_at(walk, from);
        start = place_of_end(&lane, transfer->start_ps);
    }
    TRY(add(walk, from, WALK_START, transfer->start_ps, start, index, err));
    int64_t end_ps = model == WALK_BASE ? transfer->lower_end_ps : transfer->upper_end_ps;
    if (end_ps == TRACE_UNKNOWN_PS) return STATUS_OK;
    if (get && model == WALK_BASE) return add(walk, asked, WALK_END, end_ps, end, index, err);
    to = line_ending(walk, get ? transfer->origin : transfer->target, end_ps);
    struct lane lane = lane_at(walk, to);
    return add(walk, to, WALK_END, end_ps, place_of_end(&lane, end_ps), index, err);
}

static int64_t next_ps(const struct walk *walk, uint32_t line)
{
    return walk->lines[line].items[walk->lines[line].next].time_ps;
}

static bool earlier(const void *of, uint32_t a, uint32_t b)
{
    const struct walk *walk = of;
    int64_t x = next_ps(walk, a), y = next_ps(walk, b);
    return x != y ? x < y : a < b;
}

static enum status make_lines(struct walk *walk, struct err *err)
{
    uint32_t ranks = walk->trace->rank_count, lines = 0;
    walk->first_line = calloc((size_t)ranks + 1, sizeof *walk->first_line);
    if (!walk->first_line) return err_memory(err);
    for (uint32_t r = 0; r < ranks; r++) walk->first_line[r + 1] = lines += trace_thread_count(walk->trace, r);
    walk->lines = calloc((size_t)lines + 1, sizeof *walk->lines);
    walk->heap.items = calloc((size_t)lines + 1, sizeof *walk->heap.items);
    walk->waiting = calloc((size_t)lines + 1, sizeof *walk->waiting);
    walk->links = malloc((walk->transfers.count + 1) * sizeof *walk->links);
    if (!walk->lines || !walk->heap.items || !walk->waiting || !walk->links) return err_memory(err);
    for (uint32_t r = 0; r < ranks; r++)
        for (uint32_t line = walk->first_line[r]; line < walk->first_line[r + 1]; line++) {
            walk->lines[line].rank = r;
            walk->lines[line].thread = line - walk->first_line[r];
        }
    return STATUS_OK;
}

static enum status build(struct walk *walk, const struct relations *relations, enum walk_model model, struct err *err)
{
    uint32_t ranks = walk->trace->rank_count;
    TRY(bounds_from_relations(relations, &walk->transfers, err));
    if (walk->transfers.count > UINT32_MAX)
        return err_set(err, STATUS_DATA, walk->trace->name, NULL, "too many transfers");
    TRY(make_lines(walk, err));
    for (size_t i = 0; i < walk->transfers.count; i++) walk->links[i] = (struct link){WALK_NONE, WALK_NONE};
    for (uint32_t r = 0; r < ranks; r++) TRY(add_calls(walk, r, err));
    for (size_t i = 0; i < walk->transfers.count; i++) TRY(add_transfer(walk, i, model, err));
    for (uint32_t at = 0; at < walk->first_line[ranks]; at++) {
        struct line *line = &walk->lines[at];
        TRY(array_reserve((void **)&line->inside, &line->depth_capacity, line->count + 1, sizeof *line->inside, err));
        if (line->count == 0) continue;
        qsort(line->items, line->count, sizeof *line->items, compare_items);
        heap_push(&walk->heap, at, earlier, walk);
    }
    return STATUS_OK;
}

enum status walk_open(const struct relations *relations, enum walk_model model, struct walk **walk, struct err *err)
{
    struct walk *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->trace = relations->trace;
    made->lanes = &relations->lanes;
    enum status status = build(made, relations, model, err);
    if (status == STATUS_OK)
        *walk = made;
    else
        walk_close(made);
    return status;
}

void walk_close(struct walk *walk)
{
    if (!walk) return;
    for (uint32_t at = 0; walk->lines && at < walk->first_line[walk->trace->rank_count]; at++) {
        free(walk->lines[at].items);
        free(walk->lines[at].inside);
    }
    transfers_clear(&walk->transfers);
    free(walk->lines);
    free(walk->first_line);
    free(walk->links);
    free(walk->heap.items);
    free(walk->waiting);
    free(walk);
}

/* A start needs the get's origin event before it, an end its start. */
static bool lacks_cause(const struct walk *walk, uint32_t line)
{
    const struct item *item = &walk->lines[line].items[walk->lines[line].next];
    const struct transfer *transfer = &walk->transfers.items[item->index];
    if (item->kind == WALK_END) return walk->links[item->index].start == WALK_NONE;
    bool elsewhere = line != line_of(walk, transfer->origin, transfer->call);
    return item->kind == WALK_START && elsewhere && walk->links[item->index].origin == WALK_NONE;
}

/* The line whose event comes next; UINT32_MAX: none. Where times contradict each other, so that nothing of this moment
 * has its cause before it, the first that waited goes. */
static uint32_t take_line(struct walk *walk)
{
    while (walk->heap.count > 0) {
        if (walk->waiting_count > 0 && next_ps(walk, walk->heap.items[0]) > next_ps(walk, walk->waiting[0])) break;
        uint32_t line = heap_pop(&walk->heap, earlier, walk);
        if (!lacks_cause(walk, line)) return line;
        walk->waiting[walk->waiting_count++] = line;
    }
    if (walk->waiting_count == 0) return UINT32_MAX;
    uint32_t first = walk->waiting[0];
    memmove(walk->waiting, walk->waiting + 1, --walk->waiting_count * sizeof *walk->waiting);
    return first;
}

static void follow(struct walk *walk, const struct item *item, struct line *line, struct walk_event *event)
{
    struct link *link = item->kind == WALK_ENTER || item->kind == WALK_EXIT ? NULL : &walk->links[item->index];
    if (line->depth > 0) event->enterptr = line->inside[line->depth - 1];
    switch (event->kind) {
    case WALK_ENTER: line->inside[line->depth++] = event->number; break;
    case WALK_EXIT: line->depth -= line->depth > 0; break;
    case WALK_ORIGIN: link->origin = event->number; break;
    case WALK_START:
        event->originptr = link->origin;
        link->start = event->number;
        walk->under_way++;
        break;
    case WALK_END:
        event->startptr = link->start;
        walk->under_way -= link->start != WALK_NONE;
        break;
    }
}

bool walk_next(struct walk *walk, struct walk_event *event)
{
    uint32_t at = take_line(walk);
    if (at == UINT32_MAX) return false;
    struct line *line = &walk->lines[at];
    const struct item *item = &line->items[line->next++];
    bool of_call = item->kind == WALK_ENTER || item->kind == WALK_EXIT;
    *event = (struct walk_event){.kind = (enum walk_kind)item->kind,
                                 .number = walk->number++,
                                 .rank = line->rank,
                                 .thread = line->thread,
                                 .time_ps = item->time_ps,
                                 .call = of_call ? item->place / 4 : WALK_NONE,
                                 .transfer = of_call ? WALK_NONE : item->index,
                                 .enterptr = WALK_NONE,
                                 .startptr = WALK_NONE,
                                 .originptr = WALK_NONE};
    follow(walk, item, line, event);
    if (line->next < line->count) heap_push(&walk->heap, at, earlier, walk);
    while (walk->waiting_count > 0) heap_push(&walk->heap, walk->waiting[--walk->waiting_count], earlier, walk);
    return true;
}

const struct transfers *walk_transfers(const struct walk *walk)
{
    return &walk->transfers;
}

size_t walk_depth(const struct walk *walk, uint32_t rank)
{
    return walk_thread_depth(walk, rank, 0);
}

size_t walk_inside(const struct walk *walk, uint32_t rank, size_t depth)
{
    return walk_thread_inside(walk, rank, 0, depth);
}

size_t walk_thread_depth(const struct walk *walk, uint32_t rank, uint32_t thread)
{
    return walk->lines[walk->first_line[rank] + thread].depth;
}

size_t walk_thread_inside(const struct walk *walk, uint32_t rank, uint32_t thread, size_t depth)
{
    return walk->lines[walk->first_line[rank] + thread].inside[depth];
}

size_t walk_under_way(const struct walk *walk)
{
    return walk->under_way;
}
