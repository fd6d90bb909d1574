#include "model/shards/shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/match/shmem_writes.h"

/* The bytes that one shard sends to another begin with this. */
struct head {
    int32_t failure;                   /* enum status */
    bool of_own;                       /* the failure is about a rank of the shard itself */
    uint32_t new_nodes, new_intervals; /* call paths and intervals made since the last round */
    uint64_t waits;                    /* bytes of waits */
    struct shards_state state;
    char text[ERR_TEXT_BYTES];
};

struct shards {
    struct trace *trace;
    const struct shards_link *link;
    struct shards_route *route;
    struct bytes *to, *from;           /* per shard */
    size_t nodes_sent, intervals_sent; /* numbers of own entries sent */
    struct shards_sender *senders;     /* per shard */
    uint32_t *narrowed; /* per group of the archive: the group without the ranks of other shards; TRACE_NO_REF: not made
                           yet */
    size_t group_count;
    size_t *coming;     /* per rank: copies of a round */
    struct head *heads; /* per shard: of a round */
};

void shards_free(struct shards *shards)
{
    if (!shards) return;
    for (uint32_t p = 0; p < shards->link->count; p++) {
        if (shards->to) bytes_clear(&shards->to[p]);
        if (shards->from) bytes_clear(&shards->from[p]);
        if (shards->senders) {
            free(shards->senders[p].nodes.items);
            free(shards->senders[p].intervals.items);
        }
    }
    shards_route_free(shards->route);
    free(shards->to);
    free(shards->from);
    free(shards->senders);
    free(shards->narrowed);
    free(shards->coming);
    free(shards->heads);
    free(shards);
}

enum status shards_new(struct trace *trace, const struct shards_link *link, struct shards **shards, struct err *err)
{
    size_t count = (size_t)link->count + 1;
    struct shards *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct shards){.trace = trace,
                            .link = link,
                            .nodes_sent = 1,
                            .intervals_sent = 1,
                            .group_count = trace->definitions.group_count};
    made->to = calloc(count, sizeof *made->to);
    made->from = calloc(count, sizeof *made->from);
    made->senders = calloc(count, sizeof *made->senders);
    made->narrowed = malloc((trace->definitions.group_count + 1) * sizeof *made->narrowed);
    made->coming = calloc((size_t)trace->rank_count + 1, sizeof *made->coming);
    made->heads = calloc(count, sizeof *made->heads);
    bool all = made->to && made->from && made->senders && made->narrowed && made->coming && made->heads;
    enum status status = all ? shards_route_new(trace, link, &made->route, err) : err_memory(err);
    if (status != STATUS_OK) {
        shards_free(made);
        return status;
    }
    for (size_t g = 0; g < trace->definitions.group_count; g++) made->narrowed[g] = TRACE_NO_REF;
    uint32_t first = shards_first(trace->rank_count, link->own, link->count);
    uint32_t end = shards_first(trace->rank_count, link->own + 1, link->count);
    for (uint32_t r = 0; r < trace->rank_count; r++) trace->ranks[r].foreign = r < first || r >= end;
    *shards = made;
    return STATUS_OK;
}

const uint64_t *shards_unsent(const struct shards *shards)
{
    return shards->link->count > 1 ? shards_route_unsent(shards->route) : NULL;
}

/* Sending. */
static bool is_own(const struct shards *shards, const struct err *err)
{
    return err->list == ERR_NOWHERE || !shards->trace->ranks[err->list].foreign;
}

static enum status put_items(struct bytes *bytes, const void *items, size_t first, size_t count, size_t size,
                             struct err *err)
{
    return count == 0 ? STATUS_OK : bytes_put(bytes, (const char *)items + first * size, count * size, err);
}

static const struct intervals *intervals_of(const struct shards_update *update)
{
    return update->efficiency ? efficiency_slices_intervals(update->efficiency) : NULL;
}

/* waits: waits, may be NULL. */
static enum status put_update(const struct shards *shards, const struct head *head, const struct shards_update *update,
                              const struct bytes *waits, struct bytes *to, struct err *err)
{
    const struct intervals *intervals = intervals_of(update);
    TRY(put_items(to, update->paths->nodes, shards->nodes_sent, head->new_nodes, sizeof *update->paths->nodes, err));
    if (intervals)
        TRY(put_items(to, intervals->items, shards->intervals_sent, head->new_intervals, sizeof *intervals->items,
                      err));
    return head->waits > 0 ? bytes_put(to, waits->data, waits->count, err) : STATUS_OK;
}

/* update NULL: the message reports a failure. */
static enum status put_head(struct shards *shards, const struct head *head, const struct shards_update *update,
                            const struct bytes *waits, struct err *err)
{
    for (uint32_t p = 0; p < shards->link->count; p++) {
        bytes_empty(&shards->to[p]);
        bytes_empty(&shards->from[p]);
        if (p == shards->link->own) continue;
        TRY(bytes_put(&shards->to[p], head, sizeof *head, err));
        if (update) TRY(put_update(shards, head, update, waits, &shards->to[p], err));
    }
    return STATUS_OK;
}

/* Every message begins with the update: how far the shard is, its new call paths, intervals and waits. */
static enum status begin_messages(struct shards *shards, const struct shards_update *update,
                                  const struct shards_state *state, struct err *err)
{
    const struct intervals *intervals = intervals_of(update);
    struct bytes *waits = update->log ? activity_log_new_waits(update->log) : NULL;
    struct head head = {.state = *state,
                        .new_nodes = (uint32_t)(update->paths->node_count - shards->nodes_sent),
                        .new_intervals = intervals ? (uint32_t)(intervals->count - shards->intervals_sent) : 0,
                        .waits = waits ? waits->count : 0};
    TRY(put_head(shards, &head, update, waits, err));
    shards->nodes_sent += head.new_nodes;
    shards->intervals_sent += head.new_intervals;
    if (waits) bytes_empty(waits);
    return STATUS_OK;
}

static void put_failure(struct shards *shards, enum status failure, const struct err *why)
{
    struct head head = {.failure = (int32_t)failure, .of_own = is_own(shards, why)};
    struct err ignored;
    snprintf(head.text, sizeof head.text, "%s", why->text);
    put_head(shards, &head, NULL, NULL, &ignored);
}

/* Whether the copy's struct trace_sim follows it. It does in a simulated trace where others need to know what served
 * the call, when its write took effect, or when it released the lock. */
static bool has_sim(const struct shards *shards, const struct call_copy *copy)
{
    enum call_kind kind = call_kind(copy->call.call);
    bool write = shmem_is_write(kind);
    bool unlocks = kind == CALL_UNLOCK || kind == CALL_UNLOCK_ALL; /* when they release */
    return copy->flags & SLICE_LATE || (shards->trace->provenance.simulated && (write || unlocks));
}

static enum status put_copy(void *context, uint32_t shard, const struct call_copy *copy, const struct trace_sim *sim,
                            struct err *err)
{
    struct shards *shards = context;
    TRY(bytes_put(&shards->to[shard], copy, sizeof *copy, err));
    return has_sim(shards, copy) ? bytes_put(&shards->to[shard], sim, sizeof *sim, err) : STATUS_OK;
}

static enum status put_calls(struct shards *shards, const struct shards_update *update, const bool *ended,
                             struct err *err)
{
    if (shards->link->count == 1) return STATUS_OK;
    for (uint32_t r = 0; r < shards->trace->rank_count; r++)
        if (!shards->trace->ranks[r].foreign)
            TRY(shards_route_rank(shards->route, update, r, ended[r], put_copy, shards, err));
    return STATUS_OK;
}

/* Receiving. */
static void merge_state(struct shards_state *state, const struct shards_state *other)
{
    if (other->watermark_ps < state->watermark_ps) state->watermark_ps = other->watermark_ps;
    if (other->begin_ps < state->begin_ps) state->begin_ps = other->begin_ps;
    if (other->filled > state->filled) state->filled = other->filled;
    state->ended = state->ended && other->ended;
}

static bool counts_before(const struct head *one, const struct head *other)
{
    if (one->failure == STATUS_OK || other->failure == STATUS_OK) return other->failure == STATUS_OK && one->failure;
    return one->of_own && !other->of_own;
}

/* Returns the first failure among all shards. */
static enum status swap_messages(struct shards *shards, enum status own, struct shards_state *state, struct err *err)
{
    const struct shards_link *link = shards->link;
    struct head *heads = shards->heads, *first = &heads[link->count];
    heads[link->own] = (struct head){.failure = (int32_t)own, .of_own = own == STATUS_OK || is_own(shards, err)};
    if (own != STATUS_OK) {
        snprintf(heads[link->own].text, sizeof heads->text, "%s", err->text);
        put_failure(shards, own, err);
    }
    TRY(link->swap(link->state, shards->to, shards->from, err));
    *first = (struct head){.failure = STATUS_OK};
    for (uint32_t p = 0; p < link->count; p++) {
        if (p != link->own) {
            bytes_take(&shards->from[p], &heads[p], sizeof *heads);
            merge_state(state, &heads[p].state);
        }
        if (counts_before(&heads[p], first)) *first = heads[p];
    }
    if (first->failure == STATUS_OK) return STATUS_OK;
    *err = (struct err){.status = (enum status)first->failure, .list = ERR_NOWHERE, .item = ERR_NOWHERE};
    snprintf(err->text, sizeof err->text, "%s", first->text);
    return (enum status)first->failure;
}

/* Number 0 is the root of both. */
static enum status add_number(struct shards_numbers *numbers, uint32_t number, struct err *err)
{
    ARRAY_PUSH(numbers->items, numbers->count, numbers->capacity, number, err);
    return STATUS_OK;
}

static enum status take_nodes(struct shards *shards, uint32_t shard, struct callpaths *paths, struct err *err)
{
    struct shards_numbers *numbers = &shards->senders[shard].nodes;
    if (numbers->count == 0) TRY(add_number(numbers, CALLPATH_ROOT, err));
    for (uint32_t i = 0; i < shards->heads[shard].new_nodes; i++) {
        struct callpath_node node;
        uint32_t number;
        bytes_take(&shards->from[shard], &node, sizeof node);
        TRY(callpaths_child(paths, numbers->items[node.parent], node.region, &number, err));
        TRY(add_number(numbers, number, err));
    }
    return STATUS_OK;
}

static enum status take_intervals(struct shards *shards, uint32_t shard, struct efficiency_slices *efficiency,
                                  struct err *err)
{
    struct shards_numbers *numbers = &shards->senders[shard].intervals;
    if (numbers->count == 0) TRY(add_number(numbers, INTERVAL_ROOT, err));
    for (uint32_t i = 0; i < shards->heads[shard].new_intervals; i++) {
        struct interval interval;
        uint32_t number;
        bytes_take(&shards->from[shard], &interval, sizeof interval);
        TRY(intervals_child(efficiency_slices_intervals(efficiency), numbers->items[interval.parent], interval.kind,
                            interval.id, &number, err));
        TRY(add_number(numbers, number, err));
    }
    return STATUS_OK;
}

static enum status take_waits(struct shards *shards, uint32_t shard, struct activity_log *log, struct err *err)
{
    for (uint64_t left = shards->heads[shard].waits; left > 0; left -= sizeof(struct wait_log_row)) {
        struct wait_log_row row;
        bytes_take(&shards->from[shard], &row, sizeof row);
        TRY(activity_log_add_wait(log, &row, err));
    }
    return STATUS_OK;
}

static enum status take_beginnings(struct shards *shards, const struct shards_update *update, struct err *err)
{
    for (uint32_t p = 0; p < shards->link->count; p++) {
        if (p == shards->link->own) continue;
        TRY(take_nodes(shards, p, update->paths, err));
        TRY(take_intervals(shards, p, update->efficiency, err));
        TRY(take_waits(shards, p, update->log, err));
    }
    return STATUS_OK;
}

static enum status narrow_group(struct shards *shards, uint32_t *group, struct err *err)
{
    uint32_t *made = &shards->narrowed[*group], count = 0;
    if (*made == TRACE_NO_REF) {
        const struct trace_group *of = &shards->trace->definitions.groups[*group];
        int32_t *members = malloc(((size_t)of->count + 1) * sizeof *members);
        if (!members) return err_memory(err);
        for (uint32_t i = 0; i < of->count; i++)
            if (!shards->trace->ranks[of->members[i]].foreign) members[count++] = of->members[i];
        enum status status = trace_add_group(shards->trace, members, count, made, err);
        free(members);
        TRY(status);
    }
    *group = *made;
    return STATUS_OK;
}

/* Reads the next copy that a shard has sent. */
static void take_copy(const struct shards *shards, struct bytes *from, struct call_copy *copy, struct trace_sim *sim)
{
    *sim = trace_sim_unknown;
    bytes_take(from, copy, sizeof *copy);
    if (has_sim(shards, copy)) bytes_take(from, sim, sizeof *sim);
}

/* Adds a copy to its rank. This shard does not have the calls that complete that rank's requests. */
static enum status add_copy(struct shards *shards, uint32_t shard, struct call_copy *copy, const struct trace_sim *sim,
                            struct err *err)
{
    struct trace_rank *rank = &shards->trace->ranks[copy->rank];
    enum call_kind kind = call_kind(copy->call.call);
    const struct shards_sender *sender = &shards->senders[shard];
    struct trace_kept kept = {.event = copy->event,
                              .node = sender->nodes.items[copy->node],
                              .interval = sender->intervals.items[copy->interval],
                              .call = copy->function,
                              .flags = copy->flags};
    if (kind == CALL_POST || kind == CALL_START) TRY(narrow_group(shards, &copy->call.sync.group, err));
    if (kind == CALL_ISEND || kind == CALL_IRECV) kept.flags |= SLICE_DONE;
    if (rank->sim) rank->sim[rank->count] = *sim;
    rank->calls[rank->count++] = copy->call;
    rank->kept[rank->kept_count++] = kept;
    return STATUS_OK;
}

static enum status make_room(struct trace_rank *rank, size_t more, bool simulated, struct err *err)
{
    if (more == 0) return STATUS_OK;
    size_t capacity = rank->sim ? rank->capacity : 0;
    if (simulated) TRY(array_reserve((void **)&rank->sim, &capacity, rank->count + more, sizeof *rank->sim, err));
    capacity = rank->capacity;
    TRY(array_reserve((void **)&rank->calls, &capacity, rank->count + more, sizeof *rank->calls, err));
    rank->capacity = capacity;
    struct trace_kept *kept = realloc(rank->kept, (rank->count + more) * sizeof *kept);
    if (!kept) return err_memory(err);
    rank->kept = kept;
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

/* Sorts the copies of a rank: held-back messages arrive after later calls. */
static enum status sort_copies(struct trace_rank *rank, struct err *err)
{
    size_t i = 1;
    while (i < rank->count && rank->kept[i - 1].event <= rank->kept[i].event) i++;
    if (i >= rank->count) return STATUS_OK;
    struct placed *placed = malloc(rank->count * sizeof *placed);
    if (!placed) return err_memory(err);
    for (i = 0; i < rank->count; i++)
        placed[i] = (struct placed){rank->calls[i], rank->kept[i], rank->sim ? rank->sim[i] : trace_sim_unknown};
    qsort(placed, rank->count, sizeof *placed, by_event);
    for (i = 0; i < rank->count; i++) {
        rank->calls[i] = placed[i].call;
        rank->kept[i] = placed[i].kept;
        if (rank->sim) rank->sim[i] = placed[i].sim;
    }
    free(placed);
    return STATUS_OK;
}

static void count_coming(struct shards *shards)
{
    struct call_copy copy;
    struct trace_sim sim;
    memset(shards->coming, 0, shards->trace->rank_count * sizeof *shards->coming);
    for (uint32_t p = 0; p < shards->link->count; p++) {
        struct bytes look = shards->from[p];
        while (look.taken < look.count) {
            take_copy(shards, &look, &copy, &sim);
            shards->coming[copy.rank]++;
        }
    }
}

static enum status take_calls(struct shards *shards, struct err *err)
{
    struct trace *trace = shards->trace;
    struct call_copy copy;
    struct trace_sim sim;
    count_coming(shards);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        TRY(make_room(&trace->ranks[r], shards->coming[r], trace->provenance.simulated, err));
    for (uint32_t p = 0; p < shards->link->count; p++)
        while (shards->from[p].taken < shards->from[p].count) {
            take_copy(shards, &shards->from[p], &copy, &sim);
            TRY(add_copy(shards, p, &copy, &sim, err));
        }
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (shards->coming[r] > 0) TRY(sort_copies(&trace->ranks[r], err));
    return STATUS_OK;
}

enum status shards_exchange(struct shards *shards, const struct shards_update *update, enum status *own,
                            const bool *ended, struct shards_state *state, struct err *err)
{
    if (*own == STATUS_OK) *own = begin_messages(shards, update, state, err);
    if (*own == STATUS_OK) *own = put_calls(shards, update, ended, err);
    TRY(swap_messages(shards, *own, state, err));
    *own = take_beginnings(shards, update, err);
    if (*own == STATUS_OK) *own = take_calls(shards, err);
    return STATUS_OK;
}

/* Counts the longest wait of each call that waits for several targets. The backward replay gets those of all ranks;
 * only those of own ranks are added to the totals. */
static enum status count_several(struct shards *shards, const struct shards_update *update, struct several *several,
                                 struct severity *severity, struct err *err)
{
    TRY(several_choose(several, err));
    for (size_t i = 0; i < several->count; i++) {
        const struct several_wait *wait = &several->items[i];
        struct wait_place certain = wait->place, *place = &certain;
        struct wait_log_row row = {.from_ps = wait->from_ps,
                                   .until_ps = wait->release_ps < wait->exit_ps ? wait->release_ps : wait->exit_ps,
                                   .location = place->worst.rank,
                                   .cause = wait->holder,
                                   .pattern = place->pattern,
                                   .flags = wait->counted ? WAIT_LOG_COUNTED : 0};
        int64_t severity_ps = (int64_t)place->severity_ps; /* of one wait */
        if (severity->provisional.refuted[place->doubt]) continue;
        if (severity_ps <= 0 || severity_ps < severity->options->epsilon_ps) continue;
        if (update->log && row.from_ps < row.until_ps) TRY(activity_log_add_wait(update->log, &row, err));
        if (shards->trace->ranks[place->worst.rank].foreign) continue;
        if (update->efficiency)
            TRY(efficiency_slices_add_wait(update->efficiency, wait->interval, wait->cause, place->worst.rank,
                                           (enum mpi_call)place->call, (enum pattern)place->pattern, severity_ps, err));
        if (!wait->counted) continue;
        totals_add(&severity->totals, (enum pattern)place->pattern, place->worst.rank, severity_ps);
        totals_add_in_kind(&severity->totals, call_kind((enum mpi_call)place->call), (enum pattern)place->pattern, severity_ps);
        certain.doubt = FINDING_CERTAIN;
        TRY(wait_profile_add_one(&severity->profile, place, err));
    }
    return STATUS_OK;
}

/* Reads the messages in the order of shards: of equal waits the first one counts. */
static enum status take_ends(struct shards *shards, struct several *several, struct severity *severity, int64_t *end_ps,
                             struct err *err)
{
    for (uint32_t p = 0; p < shards->link->count; p++) {
        if (p != shards->link->own) {
            TRY(shards_take_end(severity, shards->trace, end_ps, &shards->from[p], &shards->senders[p], several, err));
            continue;
        }
        for (size_t i = 0; i < severity->several.count; i++)
            ARRAY_PUSH(several->items, several->count, several->capacity, severity->several.items[i], err);
    }
    return STATUS_OK;
}

enum status shards_end(struct shards *shards, const struct shards_update *update, struct severity *severity,
                       int64_t *end_ps, enum status *own, struct err *err)
{
    struct shards_state state = {0};
    struct several several = {0};
    if (*own == STATUS_OK) *own = begin_messages(shards, update, &state, err);
    for (uint32_t p = 0; *own == STATUS_OK && p < shards->link->count; p++)
        if (p != shards->link->own) *own = shards_put_end(severity, shards->trace, &shards->to[p], err);
    TRY(swap_messages(shards, *own, &state, err));
    *own = take_beginnings(shards, update, err);
    if (*own == STATUS_OK) *own = take_ends(shards, &several, severity, end_ps, err);
    if (*own == STATUS_OK) *own = count_several(shards, update, &several, severity, err);
    several_clear(&several);
    return STATUS_OK;
}

static enum status put_sums(const struct shards *shards, const struct shards_update *update,
                            const struct severity *severity, const struct time_profile *causes,
                            const struct time_profile *path, struct err *err)
{
    struct bytes *to = &shards->to[0];
    TRY(shards_put_severity(severity, to, err));
    TRY(shards_put_time_profile(causes, to, err));
    TRY(shards_put_time_profile(path, to, err));
    return update->efficiency ? efficiency_slices_put(update->efficiency, to, err) : STATUS_OK;
}

static enum status take_sums(struct shards *shards, uint32_t shard, const struct shards_update *update,
                             struct severity *severity, struct time_profile *causes, struct time_profile *path,
                             struct err *err)
{
    struct bytes *from = &shards->from[shard];
    const struct shards_sender *sender = &shards->senders[shard];
    TRY(shards_take_severity(severity, shards->trace->rank_count, from, sender, err));
    TRY(shards_take_time_profile(causes, from, sender, err));
    TRY(shards_take_time_profile(path, from, sender, err));
    if (!update->efficiency) return STATUS_OK;
    return efficiency_slices_take(update->efficiency, from, sender->intervals.items, err);
}

enum status shards_gather(struct shards *shards, const struct shards_update *update, struct severity *severity,
                          struct time_profile *causes, struct time_profile *path, enum status own, struct err *err)
{
    struct shards_state state = {0};
    const struct shards_link *link = shards->link;
    if (own == STATUS_OK) own = begin_messages(shards, update, &state, err);
    if (own == STATUS_OK && link->own > 0) own = put_sums(shards, update, severity, causes, path, err);
    TRY(swap_messages(shards, own, &state, err));
    TRY(take_beginnings(shards, update, err));
    for (uint32_t p = 1; link->own == 0 && p < link->count; p++)
        TRY(take_sums(shards, p, update, severity, causes, path, err));
    return STATUS_OK;
}

/* Puts the next rows of the log for shard 0. *left false: the log has no more. */
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

static enum status swap_rows(struct shards *shards, const struct shards_update *update, struct transfer_log *log,
                             struct bytes *rows, bool *left, struct err *err)
{
    enum status own = put_rows(log, rows, left, err);
    struct shards_state state = {.ended = !*left};
    if (own == STATUS_OK) own = begin_messages(shards, update, &state, err);
    if (own == STATUS_OK && rows->count > 0) own = bytes_put(&shards->to[0], rows->data, rows->count, err);
    TRY(swap_messages(shards, own, &state, err));
    TRY(take_beginnings(shards, update, err));
    for (uint32_t p = 1; shards->link->own == 0 && p < shards->link->count; p++)
        TRY(take_rows(log, &shards->from[p], err));
    *left = *left || !state.ended;
    return STATUS_OK;
}

enum status shards_gather_transfers(struct shards *shards, const struct shards_update *update, struct transfer_log *log,
                                    struct err *err)
{
    struct bytes rows = {0};
    bool own = shards->link->own > 0, all = false;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !all) {
        bool left = own;
        status = swap_rows(shards, update, log, &rows, &left, err);
        all = !left;
    }
    bytes_clear(&rows);
    return status;
}
