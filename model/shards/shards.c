#include "model/shards/shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/match/shmem_writes.h"

/* What stands first in each part's bytes. */
struct head {
    int32_t failure;                   /* enum status */
    bool of_own;                       /* the failure is about no other part's rank */
    uint32_t new_nodes, new_intervals; /* call paths and intervals made since the last round */
    uint64_t marks;                    /* bytes of waits */
    struct parts_news news;
    char text[ERR_TEXT_BYTES];
};

struct parts {
    struct trace *trace;
    const struct parts_link *link;
    struct parts_route *route;
    struct bytes *to, *from;           /* per part */
    size_t nodes_sent, intervals_sent; /* of the own */
    struct parts_sender *senders;      /* per part */
    uint32_t *narrowed; /* per group of the archive: without the ranks of other parts; TRACE_NO_REF: not made yet */
    size_t group_count;
    size_t *coming;     /* per rank: copies of a round */
    struct head *heads; /* per part: of a round */
};

void parts_free(struct parts *parts)
{
    if (!parts) return;
    for (uint32_t p = 0; p < parts->link->count; p++) {
        if (parts->to) bytes_clear(&parts->to[p]);
        if (parts->from) bytes_clear(&parts->from[p]);
        if (parts->senders) {
            free(parts->senders[p].nodes.items);
            free(parts->senders[p].intervals.items);
        }
    }
    parts_route_free(parts->route);
    free(parts->to);
    free(parts->from);
    free(parts->senders);
    free(parts->narrowed);
    free(parts->coming);
    free(parts->heads);
    free(parts);
}

static void mark_foreign(struct trace *trace, const struct parts_link *link)
{
    trace->part = link->own;
    trace->part_count = link->count;
    uint32_t first = parts_first(trace->rank_count, link->own, link->count);
    uint32_t end = parts_first(trace->rank_count, link->own + 1, link->count);
    for (uint32_t r = 0; r < trace->rank_count; r++) trace->ranks[r].foreign = r < first || r >= end;
}

enum status parts_new(struct trace *trace, const struct parts_link *link, struct parts **parts, struct err *err)
{
    size_t count = (size_t)link->count + 1;
    struct parts *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct parts){
        .trace = trace, .link = link, .nodes_sent = 1, .intervals_sent = 1, .group_count = trace->group_count};
    made->to = calloc(count, sizeof *made->to);
    made->from = calloc(count, sizeof *made->from);
    made->senders = calloc(count, sizeof *made->senders);
    made->narrowed = malloc((trace->group_count + 1) * sizeof *made->narrowed);
    made->coming = calloc((size_t)trace->rank_count + 1, sizeof *made->coming);
    made->heads = calloc(count, sizeof *made->heads);
    bool all = made->to && made->from && made->senders && made->narrowed && made->coming && made->heads;
    enum status status = all ? parts_route_new(trace, link, &made->route, err) : err_memory(err);
    if (status != STATUS_OK) {
        parts_free(made);
        return status;
    }
    for (size_t g = 0; g < trace->group_count; g++) made->narrowed[g] = TRACE_NO_REF;
    mark_foreign(trace, link);
    *parts = made;
    return STATUS_OK;
}

const uint64_t *parts_unsent(const struct parts *parts)
{
    return parts->link->count > 1 ? parts_route_unsent(parts->route) : NULL;
}

/* Sending. */
static bool is_own(const struct parts *parts, const struct err *err)
{
    return err->stream == ERR_NOWHERE || !parts->trace->ranks[err->stream].foreign;
}

static enum status put_items(struct bytes *bytes, const void *items, size_t first, size_t count, size_t size,
                             struct err *err)
{
    return count == 0 ? STATUS_OK : bytes_put(bytes, (const char *)items + first * size, count * size, err);
}

static const struct intervals *intervals_of(const struct parts_told *told)
{
    return told->efficiency ? efficiency_slices_intervals(told->efficiency) : NULL;
}

/* marks: waits, may be NULL. */
static enum status put_told(const struct parts *parts, const struct head *head, const struct parts_told *told,
                            const struct bytes *marks, struct bytes *to, struct err *err)
{
    const struct intervals *intervals = intervals_of(told);
    TRY(put_items(to, told->paths->nodes, parts->nodes_sent, head->new_nodes, sizeof *told->paths->nodes, err));
    if (intervals)
        TRY(put_items(to, intervals->items, parts->intervals_sent, head->new_intervals, sizeof *intervals->items, err));
    return head->marks > 0 ? bytes_put(to, marks->data, marks->count, err) : STATUS_OK;
}

/* told NULL: of a failure. */
static enum status put_head(struct parts *parts, const struct head *head, const struct parts_told *told,
                            const struct bytes *marks, struct err *err)
{
    for (uint32_t p = 0; p < parts->link->count; p++) {
        bytes_empty(&parts->to[p]);
        bytes_empty(&parts->from[p]);
        if (p == parts->link->own) continue;
        TRY(bytes_put(&parts->to[p], head, sizeof *head, err));
        if (told) TRY(put_told(parts, head, told, marks, &parts->to[p], err));
    }
    return STATUS_OK;
}

/* What all messages of a part begin with: how far it is, its new call paths, intervals and waits. */
static enum status begin_messages(struct parts *parts, const struct parts_told *told, const struct parts_news *news,
                                  struct err *err)
{
    const struct intervals *intervals = intervals_of(told);
    struct bytes *marks = told->ledger ? ledger_told(told->ledger) : NULL;
    struct head head = {.news = *news,
                        .new_nodes = (uint32_t)(told->paths->node_count - parts->nodes_sent),
                        .new_intervals = intervals ? (uint32_t)(intervals->count - parts->intervals_sent) : 0,
                        .marks = marks ? marks->count : 0};
    TRY(put_head(parts, &head, told, marks, err));
    parts->nodes_sent += head.new_nodes;
    parts->intervals_sent += head.new_intervals;
    if (marks) bytes_empty(marks);
    return STATUS_OK;
}

static void put_failure(struct parts *parts, enum status failure, const struct err *why)
{
    struct head head = {.failure = (int32_t)failure, .of_own = is_own(parts, why)};
    struct err ignored;
    snprintf(head.text, sizeof head.text, "%s", why->text);
    put_head(parts, &head, NULL, NULL, &ignored);
}

/* Of a simulated trace: whether its struct trace_sim follows the copy: who served it, when the write took effect. */
static bool has_sim(const struct parts *parts, const struct ghost *ghost)
{
    bool write = shmem_is_write(call_kind(ghost->call.call));
    return ghost->flags & SETTLE_LATE || (parts->trace->simulated && write);
}

static enum status put_ghost(void *context, uint32_t part, const struct ghost *ghost, const struct trace_sim *sim,
                             struct err *err)
{
    struct parts *parts = context;
    TRY(bytes_put(&parts->to[part], ghost, sizeof *ghost, err));
    return has_sim(parts, ghost) ? bytes_put(&parts->to[part], sim, sizeof *sim, err) : STATUS_OK;
}

static enum status put_calls(struct parts *parts, const struct parts_told *told, const bool *ended, struct err *err)
{
    if (parts->link->count == 1) return STATUS_OK;
    for (uint32_t r = 0; r < parts->trace->rank_count; r++)
        if (!parts->trace->ranks[r].foreign)
            TRY(parts_route_rank(parts->route, told, r, ended[r], put_ghost, parts, err));
    return STATUS_OK;
}

/* Receiving. */
static void hear(struct parts_news *news, const struct parts_news *other)
{
    if (other->horizon_ps < news->horizon_ps) news->horizon_ps = other->horizon_ps;
    if (other->begin_ps < news->begin_ps) news->begin_ps = other->begin_ps;
    if (other->filled > news->filled) news->filled = other->filled;
    news->ended = news->ended && other->ended;
}

static bool counts_before(const struct head *one, const struct head *other)
{
    if (one->failure == STATUS_OK || other->failure == STATUS_OK) return other->failure == STATUS_OK && one->failure;
    return one->of_own && !other->of_own;
}

/* Returns the failure of all parts together. */
static enum status swap(struct parts *parts, enum status own, struct parts_news *news, struct err *err)
{
    const struct parts_link *link = parts->link;
    struct head *heads = parts->heads, *first = &heads[link->count];
    heads[link->own] = (struct head){.failure = (int32_t)own, .of_own = own == STATUS_OK || is_own(parts, err)};
    if (own != STATUS_OK) {
        snprintf(heads[link->own].text, sizeof heads->text, "%s", err->text);
        put_failure(parts, own, err);
    }
    TRY(link->swap(link->state, parts->to, parts->from, err));
    *first = (struct head){.failure = STATUS_OK};
    for (uint32_t p = 0; p < link->count; p++) {
        if (p != link->own) {
            bytes_take(&parts->from[p], &heads[p], sizeof *heads);
            hear(news, &heads[p].news);
        }
        if (counts_before(&heads[p], first)) *first = heads[p];
    }
    if (first->failure == STATUS_OK) return STATUS_OK;
    *err = (struct err){.status = (enum status)first->failure, .stream = ERR_NOWHERE, .item = ERR_NOWHERE};
    snprintf(err->text, sizeof err->text, "%s", first->text);
    return (enum status)first->failure;
}

/* Number 0 is the root of both. */
static enum status add_number(struct parts_numbers *numbers, uint32_t number, struct err *err)
{
    ARRAY_PUSH(numbers->items, numbers->count, numbers->capacity, number, err);
    return STATUS_OK;
}

static enum status take_nodes(struct parts *parts, uint32_t part, struct callpaths *paths, struct err *err)
{
    struct parts_numbers *numbers = &parts->senders[part].nodes;
    if (numbers->count == 0) TRY(add_number(numbers, CALLPATH_ROOT, err));
    for (uint32_t i = 0; i < parts->heads[part].new_nodes; i++) {
        struct callpath_node node;
        uint32_t number;
        bytes_take(&parts->from[part], &node, sizeof node);
        TRY(callpaths_child(paths, numbers->items[node.parent], node.region, &number, err));
        TRY(add_number(numbers, number, err));
    }
    return STATUS_OK;
}

static enum status take_intervals(struct parts *parts, uint32_t part, struct efficiency_slices *efficiency,
                                  struct err *err)
{
    struct parts_numbers *numbers = &parts->senders[part].intervals;
    if (numbers->count == 0) TRY(add_number(numbers, INTERVAL_ROOT, err));
    for (uint32_t i = 0; i < parts->heads[part].new_intervals; i++) {
        struct interval interval;
        uint32_t number;
        bytes_take(&parts->from[part], &interval, sizeof interval);
        TRY(intervals_child(efficiency_slices_intervals(efficiency), numbers->items[interval.parent], interval.kind,
                            interval.id, &number, err));
        TRY(add_number(numbers, number, err));
    }
    return STATUS_OK;
}

static enum status take_marks(struct parts *parts, uint32_t part, struct ledger *ledger, struct err *err)
{
    for (uint64_t left = parts->heads[part].marks; left > 0; left -= sizeof(struct mark)) {
        struct mark mark;
        bytes_take(&parts->from[part], &mark, sizeof mark);
        TRY(ledger_add_mark(ledger, &mark, err));
    }
    return STATUS_OK;
}

static enum status take_beginnings(struct parts *parts, const struct parts_told *told, struct err *err)
{
    for (uint32_t p = 0; p < parts->link->count; p++) {
        if (p == parts->link->own) continue;
        TRY(take_nodes(parts, p, told->paths, err));
        TRY(take_intervals(parts, p, told->efficiency, err));
        TRY(take_marks(parts, p, told->ledger, err));
    }
    return STATUS_OK;
}

static enum status narrow(struct parts *parts, uint32_t *group, struct err *err)
{
    uint32_t *made = &parts->narrowed[*group], count = 0;
    if (*made == TRACE_NO_REF) {
        const struct trace_group *of = &parts->trace->groups[*group];
        int32_t *members = malloc(((size_t)of->count + 1) * sizeof *members);
        if (!members) return err_memory(err);
        for (uint32_t i = 0; i < of->count; i++)
            if (!parts->trace->ranks[of->members[i]].foreign) members[count++] = of->members[i];
        enum status status = trace_add_group(parts->trace, members, count, made, err);
        free(members);
        TRY(status);
    }
    *group = *made;
    return STATUS_OK;
}

/* The next one that a part sends. */
static void take_ghost(const struct parts *parts, struct bytes *from, struct ghost *ghost, struct trace_sim *sim)
{
    *sim = trace_sim_unknown;
    bytes_take(from, ghost, sizeof *ghost);
    if (has_sim(parts, ghost)) bytes_take(from, sim, sizeof *sim);
}

/* Requests of messages end in calls that this part does not know. */
static enum status add_ghost(struct parts *parts, uint32_t part, struct ghost *ghost, const struct trace_sim *sim,
                             struct err *err)
{
    struct trace_rank *stream = &parts->trace->ranks[ghost->rank];
    enum call_kind kind = call_kind(ghost->call.call);
    const struct parts_sender *sender = &parts->senders[part];
    struct trace_kept kept = {.event = ghost->event,
                              .node = sender->nodes.items[ghost->node],
                              .interval = sender->intervals.items[ghost->interval],
                              .call = ghost->function,
                              .flags = ghost->flags};
    if (kind == CALL_POST || kind == CALL_START) TRY(narrow(parts, &ghost->call.ref, err));
    if (kind == CALL_ISEND || kind == CALL_IRECV) kept.flags |= SETTLE_DONE;
    if (stream->sim) stream->sim[stream->count] = *sim;
    stream->calls[stream->count++] = ghost->call;
    stream->kept[stream->kept_count++] = kept;
    return STATUS_OK;
}

static enum status make_room(struct trace_rank *stream, size_t more, bool simulated, struct err *err)
{
    if (more == 0) return STATUS_OK;
    size_t capacity = stream->sim ? stream->capacity : 0;
    if (simulated) TRY(array_reserve((void **)&stream->sim, &capacity, stream->count + more, sizeof *stream->sim, err));
    capacity = stream->capacity;
    TRY(array_reserve((void **)&stream->calls, &capacity, stream->count + more, sizeof *stream->calls, err));
    stream->capacity = capacity;
    struct trace_kept *kept = realloc(stream->kept, (stream->count + more) * sizeof *kept);
    if (!kept) return err_memory(err);
    stream->kept = kept;
    return STATUS_OK;
}

struct placed {
    struct trace_call call;
    struct trace_kept kept;
    struct trace_sim sim;
};

static int by_event(const void *one, const void *other)
{
    const struct placed *a = one, *b = other;
    return (a->kept.event > b->kept.event) - (a->kept.event < b->kept.event);
}

/* Messages that waited come behind later calls. */
static enum status sort_copies(struct trace_rank *stream, struct err *err)
{
    size_t i = 1;
    while (i < stream->count && stream->kept[i - 1].event <= stream->kept[i].event) i++;
    if (i >= stream->count) return STATUS_OK;
    struct placed *placed = malloc(stream->count * sizeof *placed);
    if (!placed) return err_memory(err);
    for (i = 0; i < stream->count; i++)
        placed[i] = (struct placed){stream->calls[i], stream->kept[i],
                                    stream->sim ? stream->sim[i] : trace_sim_unknown};
    qsort(placed, stream->count, sizeof *placed, by_event);
    for (i = 0; i < stream->count; i++) {
        stream->calls[i] = placed[i].call;
        stream->kept[i] = placed[i].kept;
        if (stream->sim) stream->sim[i] = placed[i].sim;
    }
    free(placed);
    return STATUS_OK;
}

static void count_coming(struct parts *parts)
{
    struct ghost ghost;
    struct trace_sim sim;
    memset(parts->coming, 0, parts->trace->rank_count * sizeof *parts->coming);
    for (uint32_t p = 0; p < parts->link->count; p++) {
        struct bytes look = parts->from[p];
        while (look.taken < look.count) {
            take_ghost(parts, &look, &ghost, &sim);
            parts->coming[ghost.rank]++;
        }
    }
}

static enum status take_calls(struct parts *parts, struct err *err)
{
    struct trace *trace = parts->trace;
    struct ghost ghost;
    struct trace_sim sim;
    count_coming(parts);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        TRY(make_room(&trace->ranks[r], parts->coming[r], trace->simulated, err));
    for (uint32_t p = 0; p < parts->link->count; p++)
        while (parts->from[p].taken < parts->from[p].count) {
            take_ghost(parts, &parts->from[p], &ghost, &sim);
            TRY(add_ghost(parts, p, &ghost, &sim, err));
        }
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (parts->coming[r] > 0) TRY(sort_copies(&trace->ranks[r], err));
    return STATUS_OK;
}

enum status parts_meet(struct parts *parts, const struct parts_told *told, enum status *own, const bool *ended,
                       struct parts_news *news, struct err *err)
{
    if (*own == STATUS_OK) *own = begin_messages(parts, told, news, err);
    if (*own == STATUS_OK) *own = put_calls(parts, told, ended, err);
    TRY(swap(parts, *own, news, err));
    *own = take_beginnings(parts, told, err);
    if (*own == STATUS_OK) *own = take_calls(parts, err);
    return STATUS_OK;
}

/* Of calls that wait for several targets the longest waits: of all ranks for looking backwards, of the own ones they
 * count. */
static enum status count_several(struct parts *parts, const struct parts_told *told, struct several *several,
                                 struct tally *tally, struct err *err)
{
    TRY(several_choose(several, err));
    for (size_t i = 0; i < several->count; i++) {
        const struct several_wait *wait = &several->items[i];
        const struct place *place = &wait->place;
        struct mark mark = {.from_ps = wait->from_ps,
                            .until_ps = wait->release_ps < wait->exit_ps ? wait->release_ps : wait->exit_ps,
                            .rank = place->worst.rank,
                            .cause = wait->holder,
                            .pattern = place->pattern,
                            .flags = wait->counted ? MARK_COUNTED : 0};
        int64_t severity_ps = (int64_t)place->severity_ps; /* of one wait */
        if (severity_ps <= 0 || severity_ps < tally->options->epsilon_ps) continue;
        if (told->ledger && mark.from_ps < mark.until_ps) TRY(ledger_add_mark(told->ledger, &mark, err));
        if (parts->trace->ranks[mark.rank].foreign) continue;
        if (told->efficiency)
            TRY(efficiency_slices_add_wait(told->efficiency, wait->interval, wait->cause, mark.rank,
                                           (enum mpi_call)place->call, severity_ps, err));
        if (!wait->counted) continue;
        account_add(&tally->account, (enum pattern)place->pattern, mark.rank, severity_ps);
        tally->account.in_kind_ps[call_kind((enum mpi_call)place->call)] += severity_ps;
        TRY(places_add_one(&tally->places, place, err));
    }
    return STATUS_OK;
}

/* In the order of parts: of equal waits the first counts. */
static enum status take_ends(struct parts *parts, struct several *several, struct tally *tally, int64_t *end_ps,
                             struct err *err)
{
    for (uint32_t p = 0; p < parts->link->count; p++) {
        if (p != parts->link->own) {
            TRY(parts_take_end(tally, parts->trace, end_ps, &parts->from[p], &parts->senders[p], several, err));
            continue;
        }
        for (size_t i = 0; i < tally->several.count; i++)
            ARRAY_PUSH(several->items, several->count, several->capacity, tally->several.items[i], err);
    }
    return STATUS_OK;
}

enum status parts_end(struct parts *parts, const struct parts_told *told, struct tally *tally, int64_t *end_ps,
                      enum status *own, struct err *err)
{
    struct parts_news news = {0};
    struct several several = {0};
    if (*own == STATUS_OK) *own = begin_messages(parts, told, &news, err);
    for (uint32_t p = 0; *own == STATUS_OK && p < parts->link->count; p++)
        if (p != parts->link->own) *own = parts_put_end(tally, parts->trace, &parts->to[p], err);
    TRY(swap(parts, *own, &news, err));
    *own = take_beginnings(parts, told, err);
    if (*own == STATUS_OK) *own = take_ends(parts, &several, tally, end_ps, err);
    if (*own == STATUS_OK) *own = count_several(parts, told, &several, tally, err);
    several_clear(&several);
    return STATUS_OK;
}

static enum status put_sums(const struct parts *parts, const struct parts_told *told, const struct tally *tally,
                            const struct shares *causes, const struct shares *path, struct err *err)
{
    struct bytes *to = &parts->to[0];
    TRY(parts_put_tally(tally, to, err));
    TRY(parts_put_shares(causes, to, err));
    TRY(parts_put_shares(path, to, err));
    return told->efficiency ? efficiency_slices_put(told->efficiency, to, err) : STATUS_OK;
}

static enum status take_sums(struct parts *parts, uint32_t part, const struct parts_told *told, struct tally *tally,
                             struct shares *causes, struct shares *path, struct err *err)
{
    struct bytes *from = &parts->from[part];
    const struct parts_sender *sender = &parts->senders[part];
    TRY(parts_take_tally(tally, parts->trace->rank_count, from, sender, err));
    TRY(parts_take_shares(causes, from, sender, err));
    TRY(parts_take_shares(path, from, sender, err));
    if (!told->efficiency) return STATUS_OK;
    return efficiency_slices_take(told->efficiency, from, sender->intervals.items, err);
}

enum status parts_gather(struct parts *parts, const struct parts_told *told, struct tally *tally, struct shares *causes,
                         struct shares *path, enum status own, struct err *err)
{
    struct parts_news news = {0};
    const struct parts_link *link = parts->link;
    if (own == STATUS_OK) own = begin_messages(parts, told, &news, err);
    if (own == STATUS_OK && link->own > 0) own = put_sums(parts, told, tally, causes, path, err);
    TRY(swap(parts, own, &news, err));
    TRY(take_beginnings(parts, told, err));
    for (uint32_t p = 1; link->own == 0 && p < link->count; p++)
        TRY(take_sums(parts, p, told, tally, causes, path, err));
    return STATUS_OK;
}

/* Some rows of the log for part 0; *left false: these are the last ones. */
static enum status put_rows(struct transfer_log *log, struct bytes *rows, bool *left, struct err *err)
{
    enum { ROWS = 1 << 16 };
    bytes_empty(rows);
    for (size_t i = 0; *left && i < ROWS; i++) {
        struct transfer_row row;
        TRY(transfer_log_next(log, &row, left, err));
        if (!*left) break;
        TRY(bytes_put(rows, &row, sizeof row, err));
        TRY(bytes_put_text(rows, row.kind, err));
    }
    return STATUS_OK;
}

static enum status take_rows(struct transfer_log *log, struct bytes *rows, struct err *err)
{
    while (rows->taken < rows->count) {
        struct transfer_row row;
        char *kind;
        bytes_take(rows, &row, sizeof row);
        TRY(bytes_take_text(rows, &kind, err));
        enum status status = transfer_log_take(log, row, kind, err);
        free(kind);
        TRY(status);
    }
    return STATUS_OK;
}

static enum status swap_rows(struct parts *parts, const struct parts_told *told, struct transfer_log *log,
                             struct bytes *rows, bool *left, struct err *err)
{
    enum status own = put_rows(log, rows, left, err);
    struct parts_news news = {.ended = !*left};
    if (own == STATUS_OK) own = begin_messages(parts, told, &news, err);
    if (own == STATUS_OK && rows->count > 0) own = bytes_put(&parts->to[0], rows->data, rows->count, err);
    TRY(swap(parts, own, &news, err));
    TRY(take_beginnings(parts, told, err));
    for (uint32_t p = 1; parts->link->own == 0 && p < parts->link->count; p++)
        TRY(take_rows(log, &parts->from[p], err));
    *left = *left || !news.ended;
    return STATUS_OK;
}

enum status parts_gather_transfers(struct parts *parts, const struct parts_told *told, struct transfer_log *log,
                                   struct err *err)
{
    struct bytes rows = {0};
    bool own = parts->link->own > 0, all = false;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !all) {
        bool left = own;
        status = swap_rows(parts, told, log, &rows, &left, err);
        all = !left;
    }
    bytes_clear(&rows);
    return status;
}
