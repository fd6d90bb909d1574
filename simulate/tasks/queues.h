/* Finds queues of tasks: places in a window from which ranks take the number of their next task. A counter is read by a fetching
 * operation that adds to it; a place under a lock by a get in an epoch of an exclusive lock, which then writes there.
 *
 * Each read is a claim. The calls and computing of a rank from where it knows what it read up to the same point of its next claim
 * are a task, the next claim included. A rank's last claim found no task any more. A trace does not say what was read, so a place
 * is taken for a queue if everything agrees with it: its ranks make different numbers of claims, there are more tasks than ranks,
 * no last claim had returned before another one that is not a last one began, and no other operation writes a counter meanwhile.
 * Claims between the same collective calls of their ranks are of one queue: a program that empties a queue in each step has one
 * per step. */
#ifndef SIMULATE_TASKS_QUEUES_H
#define SIMULATE_TASKS_QUEUES_H

#include "trace/trace.h"

struct task_claim {
    int32_t window, target;
    int64_t disp;
    uint32_t rank;
    uint32_t round;   /* collective calls of the rank before */
    size_t take, end; /* calls of the rank: what reads the place; the one behind which it knows what it read */
    int64_t begin_ps, end_ps;
    /* The rank's computing up to the collective call before; up to `end`; up to the next collective call. */
    int64_t began_ps, computed_ps, round_ps;
    bool locked, takes;            /* takes: the epoch of the lock writes there, too */
    bool stopped;                  /* `stop` is set */
    size_t stop;                   /* the first call since the rank's claim before that only this rank can make */
    uint64_t open;                 /* equal for equal epochs and user regions that are open behind `end` */
};

enum { TASK_QUEUE_WHY_BYTES = 192 };

struct task_queue {
    size_t first, count; /* of claims: by rank, then call */
    uint32_t ranks;
    size_t tasks; /* count - ranks */
    int64_t begin_ps;
    char why[TASK_QUEUE_WHY_BYTES]; /* why its tasks stay on their ranks; empty: any of its ranks can do them */
};

struct task_queues {
    struct task_claim *claims;
    size_t count, capacity;
    struct task_queue *items; /* by the time at which they begin; none is inside a task of another one */
    size_t item_count, item_capacity;
};

/* Whether the call may be a claim of a counter. */
bool task_adds_to_counter(const struct trace_call *call);

/* Fills *queues; none in a simulated trace. A task stays on its rank if it has other calls than one-sided operations, passive
 * synchronisation and local ones, makes a request, or leaves other epochs or regions open than it found; if it uses a window that
 * not all ranks of the queue have; if only its rank works on memory of its own there, or each rank works on targets of its own;
 * if ranks compute between their last claim and the next collective call more than half of a task, in the mean, or, with what
 * is between the one before and their first claim, more than three quarters of one; if each rank makes as many claims in every
 * one of three or more queues of the place; in a trace with threads, that breaks off, or whose ranks were recorded at different
 * speeds. */
enum status task_queues_find(const struct trace *trace, struct task_queues *queues, struct err *err);
void task_queues_clear(struct task_queues *queues);
/* Whether it is the last claim of its rank at the queue. */
bool task_claim_is_last(const struct task_queues *queues, const struct task_queue *queue, size_t claim);

#endif
