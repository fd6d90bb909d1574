/* clock_check(): counts effects before their causes in a recording, and moves times until there are none. */
#include <stdlib.h>

#include "common/array.h"
#include "trace/causality/clock_conditions.h"
#include "trace/spool/reader.h"

struct sync_group {
    int64_t ps;       /* latest cause so far */
    size_t missing;   /* causes that have not been reached */
    uint32_t waiting; /* first rank that waits for them, NOBODY */
};

struct mover {                   /* of one rank */
    size_t index, cause, effect; /* of the next call and its conditions */
    int64_t shift_ps;
    bool entered;
    uint32_t next; /* rank waiting for the same sync_group, or ready */
};

#define NOBODY UINT32_MAX
enum { AMORTISE = 10 }; /* after a shift, one AMORTISE-th of the computing reduces the shift */

struct repair {
    struct trace *trace;
    const struct clock_conditions *conditions;
    struct sync_group *sync_groups;
    struct mover *movers;
    uint32_t ready; /* list of ranks */
};

static int64_t enter_ps(const struct trace *trace, const struct clock_condition *condition)
{
    return trace->ranks[condition->rank].calls[condition->index].enter_ps;
}

static void join_sync_groups(const struct trace *trace, const struct clock_conditions *conditions,
                             struct sync_group *sync_groups)
{
    for (size_t i = 0; i < conditions->sync_groups; i++)
        sync_groups[i] = (struct sync_group){.ps = INT64_MIN, .waiting = NOBODY};
    for (size_t i = 0; i < conditions->cause_count; i++) {
        struct sync_group *sync_group = &sync_groups[conditions->causes[i].sync_group];
        int64_t ps = enter_ps(trace, &conditions->causes[i]);
        if (ps > sync_group->ps) sync_group->ps = ps;
        sync_group->missing++;
    }
}

static void wake_ranks(struct repair *repair, struct sync_group *sync_group)
{
    while (sync_group->waiting != NOBODY) {
        uint32_t rank = sync_group->waiting;
        sync_group->waiting = repair->movers[rank].next;
        repair->movers[rank].next = repair->ready;
        repair->ready = rank;
    }
}

/* Returns false if the rank has to wait for a cause. */
static bool exit_call(struct repair *repair, uint32_t rank, struct trace_call *call)
{
    struct mover *mover = &repair->movers[rank];
    const struct clock_conditions *conditions = repair->conditions;
    for (; mover->effect < conditions->effect_count; mover->effect++) {
        const struct clock_condition *condition = &conditions->effects[mover->effect];
        if (condition->rank != rank || condition->index != mover->index) break;
        struct sync_group *sync_group = &repair->sync_groups[condition->sync_group];
        if (sync_group->missing > 0) {
            mover->next = sync_group->waiting;
            sync_group->waiting = rank;
            return false;
        }
        if (sync_group->ps > call->exit_ps + mover->shift_ps) mover->shift_ps = sync_group->ps - call->exit_ps;
    }
    call->exit_ps += mover->shift_ps;
    mover->entered = false;
    return true;
}

/* *old_exit_ps is the recorded exit of the call before, which has been shifted already. */
static void move_rank(struct repair *repair, uint32_t rank, int64_t *old_exit_ps)
{
    struct trace_rank *process = &repair->trace->ranks[rank];
    struct mover *mover = &repair->movers[rank];
    for (; mover->index < process->count; mover->index++) {
        struct trace_call *call = &process->calls[mover->index];
        int64_t recorded_exit_ps = call->exit_ps;
        if (!mover->entered) {
            /* The shift shrinks by a share of the computing before the call. */
            const struct clock_conditions *conditions = repair->conditions;
            int64_t back = (mover->index > 0 ? call->enter_ps - *old_exit_ps : 0) / AMORTISE;
            mover->shift_ps -= back < mover->shift_ps ? back : mover->shift_ps;
            call->enter_ps += mover->shift_ps;
            for (; mover->cause < conditions->cause_count; mover->cause++) {
                const struct clock_condition *condition = &conditions->causes[mover->cause];
                if (condition->rank != rank || condition->index != mover->index) break;
                struct sync_group *sync_group = &repair->sync_groups[condition->sync_group];
                if (call->enter_ps > sync_group->ps) sync_group->ps = call->enter_ps;
                if (sync_group->missing > 0 && --sync_group->missing == 0) wake_ranks(repair, sync_group);
            }
            mover->entered = true;
        }
        if (!exit_call(repair, rank, call)) return;
        *old_exit_ps = recorded_exit_ps;
    }
}

/* Releases a rank of a circle: it waits for a cause that waits for it, by a wrongly matched call. Its call is not
 * moved. */
static bool force_one(struct repair *repair)
{
    for (size_t i = 0; i < repair->conditions->sync_groups; i++) {
        struct sync_group *sync_group = &repair->sync_groups[i];
        if (sync_group->waiting == NOBODY) continue;
        sync_group->missing = 0;
        sync_group->ps = INT64_MIN;
        wake_ranks(repair, sync_group);
        return true;
    }
    return false;
}

static enum status move_all(struct trace *trace, const struct clock_conditions *conditions,
                            struct sync_group *sync_groups, struct err *err)
{
    struct repair repair = {.trace = trace, .conditions = conditions, .sync_groups = sync_groups, .ready = NOBODY};
    int64_t *old_exit_ps = calloc(trace->rank_count, sizeof *old_exit_ps);
    repair.movers = calloc(trace->rank_count, sizeof *repair.movers);
    if (!old_exit_ps || !repair.movers) {
        FREE_ALL(old_exit_ps, repair.movers);
        return err_memory(err);
    }
    for (size_t i = 0; i < conditions->sync_groups; i++) sync_groups[i].ps = INT64_MIN;
    size_t cause = 0, effect = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        while (cause < conditions->cause_count && conditions->causes[cause].rank < rank) cause++;
        while (effect < conditions->effect_count && conditions->effects[effect].rank < rank) effect++;
        repair.movers[rank] = (struct mover){.cause = cause, .effect = effect, .next = repair.ready};
        repair.ready = rank;
    }
    do {
        while (repair.ready != NOBODY) {
            uint32_t rank = repair.ready;
            repair.ready = repair.movers[rank].next;
            move_rank(&repair, rank, &old_exit_ps[rank]);
        }
    } while (force_one(&repair));
    FREE_ALL(old_exit_ps, repair.movers);
    return STATUS_OK;
}

/* Calls of several threads overlap, so moving one call would move those at the same time. */
static bool can_move(const struct trace *trace)
{
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        if (trace_thread_count(trace, rank) > 1) return false;
    return true;
}

static enum status repair_trace(struct trace *trace, const struct clock_conditions *conditions, struct err *err)
{
    trace->provenance.clock.violations = conditions->violations;
    if (conditions->violations == 0) return STATUS_OK;
    if (!can_move(trace))
        return trace_add_note(trace, err,
                              "effects before their causes are counted, not repaired: ranks have several "
                              "threads");
    struct sync_group *sync_groups = calloc(conditions->sync_groups + 1, sizeof *sync_groups);
    if (!sync_groups) return err_memory(err);
    join_sync_groups(trace, conditions, sync_groups);
    enum status status = move_all(trace, conditions, sync_groups, err);
    free(sync_groups);
    return status;
}

enum status clock_check(struct trace *trace, unsigned threads, struct err *err)
{
    struct clock_conditions conditions = {0};
    enum status status = clock_conditions_find(trace, threads, &conditions, err);
    if (status == STATUS_OK) status = repair_trace(trace, &conditions, err);
    clock_conditions_clear(&conditions);
    return status;
}
