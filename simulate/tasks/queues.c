#include "simulate/tasks/queues.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "common/search.h"
#include "trace/epoch_cursor.h"

#define NO_CLAIM SIZE_MAX

/* One rank's calls in their order. */
struct walker {
    const struct trace *trace;
    struct task_queues *queues;
    struct epoch_cursor cursor;
    struct task_claim now; /* members that the next claim gets */
    size_t open;           /* the claim that does not know yet what it read */
    size_t round;          /* the first claim since the last collective call */
    int64_t left_ps;       /* the exit of the call before */
    int64_t computed_ps;   /* before all calls so far */
    struct map written;    /* places that other operations than claims of counters write in a round */
    uint64_t open_now;     /* the sum of the numbers of open epochs and user regions */
};

bool task_adds_to_counter(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_GET_ACCUMULATE && call->call != ID_Compare_and_swap && call->rma.op == TRACE_OP_SUM &&
           call->bytes <= 8 && call->rma.result_bytes <= 8 && call->rma.request == TRACE_NO_REF && call->peer >= 0 &&
           call->rma.disp >= 0;
}

/* Calls that all ranks of a communicator make. */
static bool is_collective(enum call_kind kind)
{
    enum call_arm arm = call_arm(kind);
    return arm == ARM_COLLECTIVE || arm == ARM_COMM || arm == ARM_WINDOW || kind == CALL_FENCE || kind == CALL_INIT ||
           kind == CALL_FINALIZE;
}

/* Whether another rank can make the call as well: an operation without a request, passive synchronisation (the kinds from
 * CALL_LOCK on), local calls and regions. */
static bool can_move(const struct trace_call *call)
{
    const enum call_kind kind = call_kind(call->call);
    const enum call_arm arm = call_arm(kind);
    if (arm == ARM_RMA) return call->rma.request == TRACE_NO_REF;
    return kind == CALL_LOCAL || arm == ARM_REGION || (arm == ARM_SYNC && kind >= CALL_LOCK);
}

static uint64_t number_epoch(const struct epoch *epoch)
{
    uint64_t what = (uint64_t)epoch->kind << 1 | (epoch->kind == EPOCH_LOCK && (epoch->flags & TRACE_EXCLUSIVE));
    return map_mix(map_pair((uint32_t)epoch->window, (uint32_t)epoch->target), what);
}

static uint64_t place_in_round(int32_t window, int32_t target, int64_t disp, uint32_t round)
{
    return map_mix(map_pair((uint32_t)window, (uint32_t)target), map_mix((uint64_t)disp, round));
}

static enum status begin_claim(struct walker *walker, const struct trace_call *call, size_t index, bool locked, struct err *err)
{
    struct task_queues *queues = walker->queues;
    struct task_claim claim = walker->now;
    claim.window = call->handle;
    claim.target = call->peer;
    claim.disp = call->rma.disp;
    claim.take = index;
    claim.end = NO_CLAIM;
    claim.begin_ps = call->enter_ps;
    claim.locked = locked;
    walker->open = queues->count;
    ARRAY_PUSH(queues->claims, queues->count, queues->capacity, claim, err);
    return STATUS_OK;
}

static void end_claim(struct walker *walker, const struct trace_call *call, size_t index)
{
    struct task_claim *claim = &walker->queues->claims[walker->open];
    claim->end = index;
    claim->end_ps = call->exit_ps;
    claim->computed_ps = walker->computed_ps;
    claim->open = walker->open_now;
    walker->open = NO_CLAIM;
    walker->now.stopped = false;
}

/* An operation in an epoch of an exclusive lock: the epoch's first get may be a claim, which takes a task if the epoch
 * writes where it read. */
static enum status walk_locked(struct walker *walker, struct epoch *epoch, const struct trace_call *call, size_t index,
                               struct err *err)
{
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_GET && epoch->item == EPOCH_NONE && walker->open == NO_CLAIM && call->rma.disp >= 0) {
        epoch->item = walker->queues->count;
        return begin_claim(walker, call, index, true, err);
    }
    if ((kind != CALL_PUT && kind != CALL_ACCUMULATE) || epoch->item == EPOCH_NONE) return STATUS_OK;
    struct task_claim *claim = &walker->queues->claims[epoch->item];
    int64_t behind = claim->disp + walker->trace->ranks[claim->rank].calls[claim->take].bytes;
    if (call->rma.disp >= claim->disp && call->rma.disp < behind) claim->takes = true;
    return STATUS_OK;
}

static void end_round(struct walker *walker)
{
    for (; walker->round < walker->queues->count; walker->round++)
        walker->queues->claims[walker->round].round_ps = walker->computed_ps;
    walker->now.round++;
    walker->now.began_ps = walker->computed_ps;
}

static enum status walk_call(struct walker *walker, const struct trace_call *call, size_t index, struct err *err)
{
    enum call_kind kind = call_kind(call->call);
    struct epoch_step step = {0};
    if (index > 0) walker->computed_ps += call->enter_ps - walker->left_ps;
    walker->left_ps = call->exit_ps;
    if (kind == CALL_REGION_ENTER) walker->open_now += map_mix(call->region.region, 1);
    if (kind == CALL_REGION_LEAVE) walker->open_now -= map_mix(call->region.region, 1);
    if (call_arm(kind) == ARM_RMA || call_arm(kind) == ARM_SYNC || call_arm(kind) == ARM_WINDOW)
        TRY(epoch_cursor_take(&walker->cursor, call, index, &step, err));
    if (step.opens) walker->open_now += number_epoch(step.opens);
    if (step.closes) walker->open_now -= number_epoch(step.closes);
    if (is_collective(kind)) {
        end_round(walker);
    } else if (!walker->now.stopped && !can_move(call)) {
        walker->now.stopped = true;
        walker->now.stop = index;
    }
    if (walker->open == NO_CLAIM && task_adds_to_counter(call)) return begin_claim(walker, call, index, false, err);
    if (kind == CALL_PUT || kind == CALL_ACCUMULATE)
        TRY(map_set(&walker->written, place_in_round(call->handle, call->peer, call->rma.disp, walker->now.round), 1, err));
    const bool locked = step.in && step.in->kind == EPOCH_LOCK && (step.in->flags & TRACE_EXCLUSIVE);
    if (locked && call_arm(kind) == ARM_RMA) return walk_locked(walker, step.in, call, index, err);
    if (walker->open == NO_CLAIM || call_arm(kind) != ARM_SYNC) return STATUS_OK;
    const struct task_claim *claim = &walker->queues->claims[walker->open];
    if (epoch_completion(call, claim->window, claim->target) != COMPLETE_NOWHERE) end_claim(walker, call, index);
    return STATUS_OK;
}

static enum status walk_rank(struct walker *walker, uint32_t rank, struct err *err)
{
    const struct trace_rank *process = &walker->trace->ranks[rank];
    epoch_cursor_restart(&walker->cursor);
    walker->now = (struct task_claim){.rank = rank};
    walker->open = NO_CLAIM;
    walker->computed_ps = 0;
    walker->open_now = 0;
    for (size_t i = 0; i < process->count; i++) TRY(walk_call(walker, &process->calls[i], i, err));
    if (walker->open != NO_CLAIM) walker->queues->count--; /* it is the last one */
    end_round(walker);
    walker->round = walker->queues->count;
    return STATUS_OK;
}

/* --- queues --- */

ORDER(compare_place, struct task_claim, UP(window) UP(target) UP(disp) UP(locked))

ORDER(by_place, struct task_claim, BY(compare_place) UP(round) UP(rank) UP(take))

bool task_claim_is_last(const struct task_queues *queues, const struct task_queue *queue, size_t claim)
{
    return claim + 1 == queue->first + queue->count || queues->claims[claim + 1].rank != queues->claims[claim].rank;
}

/* Takes the claims from queue->first on that are of one queue. Returns whether they may be one; *unequal: its ranks made
 * different numbers of claims. A counter that others write while it is read is a flag. */
static bool take_round(const struct task_queues *queues, const struct map *written, struct task_queue *queue, bool *unequal)
{
    const struct task_claim *first = &queues->claims[queue->first];
    int64_t least_end_ps = INT64_MAX, latest_begin_ps = INT64_MIN;
    size_t own = 0, every = 0;
    double tasks_ps = 0, before_ps = 0, behind_ps = 0; /* computing in tasks; before first, behind last claims in the round */
    bool takes = first->locked || !map_find(written, place_in_round(first->window, first->target, first->disp, first->round));
    while (queue->first + queue->count < queues->count && compare_place(first, first + queue->count) == 0 &&
           first[queue->count].round == first->round)
        queue->count++;
    queue->begin_ps = INT64_MAX;
    for (size_t v = queue->first; v < queue->first + queue->count; v++) {
        const struct task_claim *claim = &queues->claims[v];
        if (claim->begin_ps < queue->begin_ps) queue->begin_ps = claim->begin_ps;
        if (own++ == 0) before_ps += (double)(claim->computed_ps - claim->began_ps);
        if (!task_claim_is_last(queues, queue, v)) {
            if (claim->begin_ps > latest_begin_ps) latest_begin_ps = claim->begin_ps;
            takes = takes && (!claim->locked || claim->takes);
            continue;
        }
        if (claim->end_ps < least_end_ps) least_end_ps = claim->end_ps;
        tasks_ps += (double)(claim->computed_ps - claim[1 - (ptrdiff_t)own].computed_ps);
        behind_ps += (double)(claim->round_ps - claim->computed_ps);
        if (every > 0 && own != every) *unequal = true;
        every = own;
        own = 0;
        queue->ranks++;
    }
    queue->tasks = queue->count - queue->ranks;
    const double task_ps = tasks_ps / (double)queue->tasks * queue->ranks; /* a task of the mean length on each rank */
    if (2 * behind_ps > task_ps)
        snprintf(queue->why, sizeof queue->why, "ranks compute behind their last claim, which may have found a task");
    else if (4 * (before_ps + behind_ps) > 3 * task_ps)
        snprintf(queue->why, sizeof queue->why, "ranks compute a task's time outside of tasks: claims may count what is done");
    return queue->ranks > 1 && queue->tasks > queue->ranks && takes && least_end_ps >= latest_begin_ps;
}

/* Whether each rank makes as many claims in every one of these queues: the program may have said so. */
static bool are_alike(const struct task_queues *queues, size_t first_queue)
{
    enum { LEAST_QUEUES = 3 };
    const struct task_queue *one = &queues->items[first_queue];
    bool alike = queues->item_count >= first_queue + LEAST_QUEUES;
    for (size_t q = first_queue + 1; q < queues->item_count && alike; q++) {
        alike = queues->items[q].count == one->count;
        for (size_t v = 0; v < one->count && alike; v++)
            alike = queues->claims[one->first + v].rank == queues->claims[queues->items[q].first + v].rank;
    }
    return alike;
}

ORDER(by_begin, struct task_queue, UP(begin_ps) UP(first))

static enum status find_rounds(struct task_queues *queues, const struct map *written, struct err *err)
{
    for (size_t v = 0; v < queues->count;) {
        const size_t items = queues->item_count, first = v;
        bool unequal = false;
        while (v < queues->count && compare_place(&queues->claims[first], &queues->claims[v]) == 0) {
            struct task_queue queue = {.first = v};
            bool is_queue = take_round(queues, written, &queue, &unequal);
            v += queue.count;
            if (is_queue) ARRAY_PUSH(queues->items, queues->item_count, queues->item_capacity, queue, err);
        }
        if (!unequal) queues->item_count = items;
        for (size_t i = items; are_alike(queues, items) && i < queues->item_count; i++)
            snprintf(queues->items[i].why, TASK_QUEUE_WHY_BYTES, "each rank makes as many claims in every one of %zu steps",
                     queues->item_count - items);
    }
    if (queues->item_count > 0) qsort(queues->items, queues->item_count, sizeof *queues->items, by_begin);
    return STATUS_OK;
}

/* Removes queues whose claims are inside the tasks of one that began before. */
static enum status remove_inner(const struct trace *trace, struct task_queues *queues, struct err *err)
{
    size_t kept = 0, *behind = calloc(trace->rank_count, sizeof *behind); /* per rank: the end of the last queue that is kept */
    if (!behind) return err_memory(err);
    for (size_t q = 0; q < queues->item_count; q++) {
        const struct task_queue queue = queues->items[q];
        const struct task_claim *claims = &queues->claims[queue.first];
        bool inner = false;
        for (size_t v = 0; v < queue.count; v++) inner = inner || claims[v].take < behind[claims[v].rank];
        if (inner) continue;
        for (size_t v = 0; v < queue.count; v++) behind[claims[v].rank] = claims[v].end + 1;
        queues->items[kept++] = queue;
    }
    queues->item_count = kept;
    free(behind);
    return STATUS_OK;
}

/* --- whether tasks may move --- */

/* Why no task of the trace may move; NULL: some may. */
static const char *explain_trace(const struct trace *trace)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        if (rank->incomplete) return "the recording breaks off";
        if (rank->thread_count > 0) return "ranks have threads";
        if (rank->speed != trace->ranks[0].speed) return "the ranks were recorded at different speeds";
    }
    for (size_t w = 0; w < trace->definitions.window_count; w++)
        if (trace->definitions.windows[w].flavor == 'h') return "the program uses OpenSHMEM";
    return NULL;
}

/* Who works on what in the tasks of a queue. */
struct uses {
    struct map users;   /* by window and target: the rank plus 1, or SHARED */
    struct map windows; /* by window: how many targets have one user each, or SHARED if some target has more */
};
#define SHARED UINT64_MAX

/* Whether all ranks of the queue are members of the window. */
static bool have_window(const struct trace *trace, const struct task_queues *queues, const struct task_queue *queue,
                        int32_t window)
{
    const struct trace_comm *comm = &trace->definitions.comms[trace->definitions.windows[window].comm];
    for (size_t v = queue->first; v < queue->first + queue->count; v++)
        if (trace_comm_rank(comm, (int32_t)queues->claims[v].rank) < 0) return false;
    return true;
}

/* The operations behind `from` up to `to`, but for those of the queue itself. */
static enum status note_task(const struct trace *trace, const struct task_queues *queues, struct task_queue *queue,
                             const struct task_claim *to, struct uses *uses, struct err *err)
{
    for (size_t i = to[-1].end + 1; i <= to->end; i++) {
        const struct trace_call *call = &trace->ranks[to->rank].calls[i];
        const enum call_arm arm = call_arm(call_kind(call->call));
        uint64_t *who, user = to->rank + 1;
        if (arm != ARM_RMA && arm != ARM_SYNC) continue;
        if (!map_find(&uses->windows, (uint64_t)call->handle) && !have_window(trace, queues, queue, call->handle)) {
            snprintf(queue->why, sizeof queue->why, "not all of its ranks have window %" PRId32, call->handle);
            return STATUS_OK;
        }
        TRY(map_put(&uses->windows, (uint64_t)call->handle, 0, &who, err));
        if (arm != ARM_RMA || call->peer < 0) continue;
        if (call->handle == to->window && call->peer == to->target && call->rma.disp == to->disp) continue;
        TRY(map_put(&uses->users, map_pair((uint32_t)call->handle, (uint32_t)call->peer), user, &who, err));
        if (*who != user) *who = SHARED;
    }
    return STATUS_OK;
}

/* A task may mean whatever rank makes it where it works on its own rank's memory and no other rank's task does, and where no
 * two ranks' tasks work on the same target. */
static void explain_uses(struct uses *uses, struct task_queue *queue)
{
    for (size_t i = 0; i < uses->users.capacity; i++) {
        if (!uses->users.used[i]) continue;
        const uint64_t key = uses->users.keys[i], user = uses->users.values[i], window = key >> 32;
        uint64_t *targets = map_find(&uses->windows, window);
        if (user == (key & UINT32_MAX) + 1)
            snprintf(queue->why, sizeof queue->why,
                     "of its ranks, only rank %" PRIu64 " works on memory of its own (window %" PRIu64 ")", user - 1, window);
        if (*targets != SHARED) *targets = user == SHARED ? SHARED : *targets + 1;
    }
    for (size_t i = 0; i < uses->windows.capacity && !*queue->why; i++)
        if (uses->windows.used[i] && uses->windows.values[i] != SHARED && uses->windows.values[i] > 1)
            snprintf(queue->why, sizeof queue->why, "each of its ranks works on other targets (window %" PRIu64 ")",
                     uses->windows.keys[i]);
}

static enum status explain_tasks(const struct trace *trace, const struct task_queues *queues, struct task_queue *queue,
                                 struct err *err)
{
    const char *why = explain_trace(trace);
    if (*queue->why) return STATUS_OK;
    if (why) return snprintf(queue->why, sizeof queue->why, "%s", why), STATUS_OK;
    struct uses uses = {0};
    enum status status = STATUS_OK;
    const struct task_claim *first = &queues->claims[queue->first];
    for (size_t v = 0; status == STATUS_OK && v < queue->count && !*queue->why; v++) {
        const struct task_claim *claim = &first[v];
        char place[TRACE_PLACE_BYTES];
        bool task = v > 0 && first[v - 1].rank == claim->rank;
        if (task && claim->stopped)
            snprintf(queue->why, sizeof queue->why, "a task has a call that no other rank can make: %s",
                     trace_place(trace, claim->rank, claim->stop, place));
        else if (claim->open != first->open)
            snprintf(queue->why, sizeof queue->why,
                     "epochs or regions that are open behind %s are not those at the begin of other tasks",
                     trace_place(trace, claim->rank, claim->end, place));
        else if (task)
            status = note_task(trace, queues, queue, claim, &uses, err);
    }
    if (status == STATUS_OK && !*queue->why) explain_uses(&uses, queue);
    map_clear(&uses.users);
    map_clear(&uses.windows);
    return status;
}

/* Whether some call may be a claim: most traces have none, and are not walked. */
static bool may_have_claims(const struct trace *trace)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            if (task_adds_to_counter(call)) return true;
            if (call_kind(call->call) == CALL_LOCK && (call->flags & TRACE_EXCLUSIVE)) return true;
        }
    return false;
}

enum status task_queues_find(const struct trace *trace, struct task_queues *queues, struct err *err)
{
    *queues = (struct task_queues){0};
    if (trace->provenance.simulated || !may_have_claims(trace)) return STATUS_OK;
    struct walker walker = {.trace = trace, .queues = queues};
    enum status status = epoch_cursor_init(&walker.cursor, trace, err);
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++) status = walk_rank(&walker, r, err);
    epoch_cursor_clear(&walker.cursor);
    if (status == STATUS_OK && queues->count > 0) qsort(queues->claims, queues->count, sizeof *queues->claims, by_place);
    if (status == STATUS_OK) status = find_rounds(queues, &walker.written, err);
    map_clear(&walker.written);
    if (status == STATUS_OK) status = remove_inner(trace, queues, err);
    for (size_t q = 0; status == STATUS_OK && q < queues->item_count; q++)
        status = explain_tasks(trace, queues, &queues->items[q], err);
    if (status != STATUS_OK) task_queues_clear(queues);
    return status;
}

void task_queues_clear(struct task_queues *queues)
{
    FREE_ALL(queues->claims, queues->items);
    *queues = (struct task_queues){0};
}
