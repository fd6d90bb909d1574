#include "simulate/tasks/decide.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "simulate/tasks/queues.h"

#define NO_TICKET SIZE_MAX
#define NO_CALL   SIZE_MAX

struct queue {
    size_t next; /* ticket */
    size_t tasks;
    const struct task_claim **order; /* owned: by ticket, the claim that took this task when recorded; the task is behind it */
};

/* A rank's claims at one queue. */
struct part {
    uint32_t rank;
    size_t queue, first, last; /* claims */
    size_t take;               /* call of the first one */
};

struct rank {
    size_t part, end; /* parts[part]: the queue that it is at; from parts[end] on they are of the next rank */
    size_t take;      /* the call that claims next, of the trace that grows */
    size_t ticket;
};

struct decisions {
    const struct trace *recorded;
    struct trace *grown;
    struct task_queues found;
    struct queue *queues; /* by found.items; without order: its tasks stay */
    struct part *parts;   /* by rank, then call */
    size_t part_count, part_capacity;
    struct rank *ranks;
};

static int by_end(const void *a, const void *b)
{
    const struct task_claim *x = *(const struct task_claim *const *)a, *y = *(const struct task_claim *const *)b;
    if (x->end_ps != y->end_ps) return x->end_ps < y->end_ps ? -1 : 1;
    return x < y ? -1 : x > y;
}

ORDER(by_call, struct part, UP(rank) UP(take))

static enum status add_queue(struct decisions *decisions, size_t index, struct err *err)
{
    const struct task_queue *found = &decisions->found.items[index];
    const struct task_claim *claims = decisions->found.claims;
    struct queue *queue = &decisions->queues[index];
    struct part part = {.queue = index, .first = found->first};
    queue->order = calloc(found->tasks, sizeof(struct task_claim *));
    if (!queue->order) return err_memory(err);
    for (size_t c = found->first; c < found->first + found->count; c++) {
        if (!task_claim_is_last(&decisions->found, found, c)) {
            queue->order[queue->tasks++] = &claims[c];
            continue;
        }
        part.rank = claims[c].rank;
        part.last = c;
        part.take = claims[part.first].take;
        ARRAY_PUSH(decisions->parts, decisions->part_count, decisions->part_capacity, part, err);
        part.first = c + 1;
    }
    qsort(queue->order, queue->tasks, sizeof *queue->order, by_end);
    return STATUS_OK;
}

/* Adds the recorded calls of `from`, first up to before `behind`, to the rank's. Calls behind others keep the time
 * since them. */
static enum status append_calls(struct decisions *decisions, uint32_t rank, uint32_t from, size_t first, size_t behind,
                                struct err *err)
{
    const struct trace_rank *source = &decisions->recorded->ranks[from];
    struct trace *grown = decisions->grown;
    struct trace_rank *made = &grown->ranks[rank];
    int64_t later_ps = made->count > 0 ? made->calls[made->count - 1].exit_ps - source->calls[first - 1].exit_ps : 0;
    for (size_t i = first; i < behind; i++) {
        struct trace_call call = source->calls[i];
        const struct trace_extents extents = trace_call_extents(decisions->recorded, from, i);
        call.enter_ps += later_ps;
        call.exit_ps += later_ps;
        TRY(trace_add_call(grown, rank, &call, err));
        const size_t index = made->count - 1;
        TRY(trace_set_extents(grown, rank, index, &extents, err));
        for (int b = 0; b < BEFORE_COUNT; b++)
            if (source->before_ps[b])
                TRY(trace_set_before(grown, rank, index, (enum trace_before)b, source->before_ps[b][i], err));
        if (source->compute_ps) TRY(trace_set_compute(grown, rank, index, source->compute_ps[i], err));
    }
    return STATUS_OK;
}

/* Adds the rank's own calls from `first` on: up to the end of its first claim at the next queue, or all. */
static enum status append_own(struct decisions *decisions, uint32_t rank, size_t first, struct err *err)
{
    struct rank *of = &decisions->ranks[rank];
    const bool claims = of->part < of->end;
    const struct task_claim *next = claims ? &decisions->found.claims[decisions->parts[of->part].first] : NULL;
    of->take = claims ? decisions->grown->ranks[rank].count + next->take - first : NO_CALL;
    return append_calls(decisions, rank, rank, first, claims ? next->end + 1 : decisions->recorded->ranks[rank].count, err);
}

static enum status plan_ranks(struct decisions *decisions, struct err *err)
{
    const struct trace *recorded = decisions->recorded;
    decisions->queues = calloc(decisions->found.item_count + 1, sizeof *decisions->queues);
    decisions->ranks = calloc(recorded->rank_count + 1, sizeof *decisions->ranks);
    if (!decisions->queues || !decisions->ranks) return err_memory(err);
    for (size_t q = 0; q < decisions->found.item_count; q++)
        if (!*decisions->found.items[q].why) TRY(add_queue(decisions, q, err));
    if (decisions->part_count == 0) return STATUS_OK;
    qsort(decisions->parts, decisions->part_count, sizeof *decisions->parts, by_call);
    TRY(trace_new_like(recorded, &decisions->grown, err));
    decisions->grown->begin_known = true;
    decisions->grown->begin_ps = trace_begin_ps(recorded);
    size_t part = 0;
    for (uint32_t r = 0; r < recorded->rank_count; r++) {
        struct rank *rank = &decisions->ranks[r];
        *rank = (struct rank){.part = part, .ticket = NO_TICKET};
        while (part < decisions->part_count && decisions->parts[part].rank == r) part++;
        rank->end = part;
        trace_copy_pace(&decisions->grown->ranks[r], &recorded->ranks[r]);
        TRY(append_own(decisions, r, 0, err));
    }
    return STATUS_OK;
}

enum status decisions_new(const struct trace *trace, struct decisions **decisions, struct err *err)
{
    *decisions = NULL;
    struct decisions *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->recorded = trace;
    enum status status = task_queues_find(trace, &made->found, err);
    if (status == STATUS_OK && made->found.item_count > 0) status = plan_ranks(made, err);
    if (status == STATUS_OK && made->grown)
        *decisions = made;
    else
        decisions_free(made);
    return status;
}

void decisions_free(struct decisions *decisions)
{
    if (!decisions) return;
    for (size_t q = 0; decisions->queues && q < decisions->found.item_count; q++) free(decisions->queues[q].order);
    trace_free(decisions->grown);
    task_queues_clear(&decisions->found);
    FREE_ALL(decisions->queues, decisions->parts, decisions->ranks, decisions);
}

struct trace **decisions_trace(struct decisions *decisions)
{
    return &decisions->grown;
}

static struct queue *queue_of(struct decisions *decisions, const struct rank *rank)
{
    return &decisions->queues[decisions->parts[rank->part].queue];
}

void decisions_grant(struct decisions *decisions, uint32_t rank, size_t call)
{
    struct rank *of = &decisions->ranks[rank];
    if (of->take != call || of->ticket != NO_TICKET) return;
    of->ticket = queue_of(decisions, of)->next++;
}

enum status decisions_next(struct decisions *decisions, uint32_t rank, struct err *err)
{
    struct rank *of = &decisions->ranks[rank];
    if (of->part == of->end) return STATUS_OK;
    const struct queue *queue = queue_of(decisions, of);
    const struct task_claim *claims = decisions->found.claims;
    decisions_grant(decisions, rank, of->take);
    const size_t ticket = of->ticket;
    of->ticket = NO_TICKET;
    if (ticket >= queue->tasks) return append_own(decisions, rank, claims[decisions->parts[of->part++].last].end + 1, err);
    const struct task_claim *task = queue->order[ticket];
    of->take = decisions->grown->ranks[rank].count + task[1].take - task->end - 1;
    return append_calls(decisions, rank, task->rank, task->end + 1, task[1].end + 1, err);
}
