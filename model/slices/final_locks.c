/* Lock epochs. The order of releases determines which origin waited for which, so an epoch is final when no later
 * release can precede its own. Each lock keeps its last holders. Each rank keeps the times of the calls that a later
 * lock may have waited for. */
#include <stdlib.h>

#include "common/array.h"
#include "model/match/locks.h"
#include "model/match/relations.h"
#include "model/slices/final.h"

/* Locks that one rank holds on one window at the same time become final together, since one flush may complete
 * operations of several. */
struct cluster {
    uint32_t rank;
    size_t first; /* epoch, EPOCH_NONE: none yet */
    size_t end;   /* the last call that closes one of them, EPOCH_NONE: one is open */
};

struct work {
    struct slice_state *state;
    const struct relations *relations;
    int64_t watermark_ps;
    int64_t *release_ps; /* per access epoch: locks_first_releases(); for an open epoch, a time that the release cannot
                            precede */
    int64_t *final_ps;   /* per window: its releases up to this time are final */
    bool lazy;
    struct cluster *clusters; /* per window */
    size_t *first_of;         /* per access epoch: the first of its cluster */
    bool *late;               /* per access epoch: not final */
    bool *open;               /* per window: some epoch is not final */
};

static bool is_lock(const struct access_epoch *epoch)
{
    return epoch->kind == EPOCH_LOCK || epoch->kind == EPOCH_LOCK_ALL;
}

/* The earliest time at which an open epoch may release its lock. A simulated unlock releases inside the call. A
 * recorded one releases when an unlock returns that has not been read yet. Ranks with threads are not read in slices,
 * so that unlock is entered after everything final. */
static int64_t open_release_ps(const struct work *work, const struct access_epoch *epoch)
{
    const struct trace_rank *rank = &work->relations->trace->ranks[epoch->rank];
    return rank->sim ? rank->calls[rank->count - 1].exit_ps : INT64_MAX;
}

static enum status find_releases(struct work *work, struct err *err)
{
    const struct epochs *epochs = &work->relations->epochs;
    TRY(locks_first_releases(work->relations, work->release_ps, err));
    for (size_t a = 0; a < epochs->access_count; a++)
        if (epochs->accesses[a].close_call == EPOCH_NONE)
            work->release_ps[a] = open_release_ps(work, &epochs->accesses[a]);
    return STATUS_OK;
}

/* A lazy lock (in simulated traces) sends its request in an operation or a flush, so all calls of its epoch are
 * kept. */
static bool is_late(const struct work *work, const struct access_epoch *epoch)
{
    if (work->lazy || !epoch_closed(work->relations->trace, epoch->rank, epoch->close_call)) return true;
    return relations_release_ps(work->relations, epoch->rank, epoch->close_call) >= work->final_ps[epoch->window];
}

static void find_clusters(struct work *work)
{
    const struct epochs *epochs = &work->relations->epochs;
    for (size_t w = 0; w < work->relations->trace->definitions.window_count; w++) work->clusters[w].first = EPOCH_NONE;
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        struct cluster *cluster = &work->clusters[epoch->window];
        if (!is_lock(epoch)) continue;
        if (cluster->first == EPOCH_NONE || cluster->rank != epoch->rank || epoch->open_call > cluster->end)
            *cluster = (struct cluster){epoch->rank, a, epoch->close_call};
        if (epoch->close_call > cluster->end) cluster->end = epoch->close_call;
        work->first_of[a] = cluster->first;
        if (!is_late(work, epoch)) continue;
        work->late[cluster->first] = true;
        work->open[epoch->window] = true;
    }
}

/* Locks become final in the order of their releases: an epoch that is late with its cluster delays all later ones.
 * Returns whether another epoch became late. */
static bool is_held_up(struct work *work)
{
    const struct epochs *epochs = &work->relations->epochs;
    bool changed = false;
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        int64_t *final_ps = &work->final_ps[epoch->window];
        if (!is_lock(epoch) || !work->late[work->first_of[a]]) continue;
        if (work->release_ps[a] >= *final_ps) continue;
        *final_ps = work->release_ps[a];
        changed = true;
    }
    return changed;
}

static void keep_call(struct work *work, uint32_t rank, size_t call)
{
    if (call != EPOCH_NONE) slice_state_mark(work->state, rank, call, SLICE_KEEP);
}

/* Returns the enter of the first lock that is not final. */
static int64_t mark_epochs(struct work *work)
{
    const struct epochs *epochs = &work->relations->epochs;
    int64_t first_ps = INT64_MAX;
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (!is_lock(epoch) || !work->late[work->first_of[a]]) continue;
        int64_t enter_ps = relations_call(work->relations, epoch->rank, epoch->open_call)->enter_ps;
        if (epoch->kind == EPOCH_LOCK && enter_ps < first_ps) first_ps = enter_ps;
        slice_state_mark(work->state, epoch->rank, epoch->open_call, SLICE_OPEN);
        if (epoch->close_call != EPOCH_NONE) slice_state_mark(work->state, epoch->rank, epoch->close_call, SLICE_OPEN);
        if (epoch->kind == EPOCH_LOCK) keep_call(work, epoch->rank, epoch->flush_call);
    }
    return first_ps;
}

/* Whether an operation is final. In a recorded trace the detector needs the target's calls up to the operation's
 * completion, so the watermark must be past it. The end of an epoch that is kept is examined with the epoch. */
static bool is_done(const struct work *work, const struct epoch_operation *operation)
{
    size_t end = work->relations->epochs.accesses[operation->epoch].close_call;
    if (operation->done_call == EPOCH_NONE || operation->done_call == end) return false;
    return work->relations->trace->provenance.simulated ||
           relations_call(work->relations, operation->origin, operation->done_call)->exit_ps < work->watermark_ps;
}

/* A complete operation under lock_all is released even if the epoch lasts on. Returns the enter of the first call that
 * completes an operation that is kept. */
static int64_t mark_operations(struct work *work)
{
    const struct epochs *epochs = &work->relations->epochs;
    int64_t first_ps = INT64_MAX;
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        const struct access_epoch *epoch = &epochs->accesses[operation->epoch];
        if (!is_lock(epoch) || !work->late[work->first_of[operation->epoch]]) continue;
        if (epoch->kind == EPOCH_LOCK_ALL && !work->lazy && is_done(work, operation)) continue;
        slice_state_mark(work->state, operation->origin, operation->call, SLICE_OPEN);
        keep_call(work, operation->origin, operation->first_flush);
        keep_call(work, operation->origin, operation->done_call);
        if (epoch->kind != EPOCH_LOCK_ALL || operation->done_call == EPOCH_NONE) continue;
        slice_state_mark(work->state, operation->origin, operation->done_call, SLICE_OPEN);
        int64_t enter_ps = relations_call(work->relations, operation->origin, operation->done_call)->enter_ps;
        if (enter_ps < first_ps) first_ps = enter_ps;
    }
    return first_ps;
}

/* Returns the enter of the first complete that is not final. */
static int64_t first_complete_ps(const struct work *work)
{
    const struct epochs *epochs = &work->relations->epochs;
    int64_t first_ps = INT64_MAX;
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (epoch->kind != EPOCH_START || epoch->close_call == EPOCH_NONE) continue;
        if (!(work->state->flags[epoch->rank][epoch->close_call] & SLICE_OPEN)) continue;
        int64_t enter_ps = relations_call(work->relations, epoch->rank, epoch->close_call)->enter_ps;
        if (enter_ps < first_ps) first_ps = enter_ps;
    }
    return first_ps;
}

/* Simulated traces say when a call's wait for progress ended. The detector finds the rank that entered MPI then, once
 * the watermark is past that time. Returns the earliest such time that is still to come. */
static int64_t mark_progress(struct work *work)
{
    const struct trace *trace = work->relations->trace;
    int64_t first_ps = INT64_MAX;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        for (size_t i = 0; rank->sim && i < rank->count; i++) {
            int64_t until_ps = rank->sim[i].progress_until_ps;
            if (until_ps == TRACE_UNKNOWN_PS || until_ps < work->watermark_ps) continue;
            if (!slice_state_served(NULL, trace, r, i)) continue;
            slice_state_mark(work->state, r, i, SLICE_TIMES | SLICE_LATE);
            if (until_ps < first_ps) first_ps = until_ps;
        }
    }
    return first_ps;
}

/* Keeps the times that the search for Wait for Progress may need: of the targets' calls that end at from_ps or later,
 * and of the last MPI call before. */
static void mark_times(struct work *work, int64_t from_ps)
{
    const struct trace *trace = work->relations->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        size_t i = rank->count;
        for (; i > 0 && rank->calls[i - 1].exit_ps >= from_ps; i--) slice_state_mark(work->state, r, i - 1, SLICE_TIMES);
        while (i > 0 && !call_is_library(rank->calls[i - 1].call)) i--;
        if (i > 0) slice_state_mark(work->state, r, i - 1, SLICE_TIMES);
    }
}

/* The complete freeing of a window, NULL if there is none yet. */
static const struct instance *find_freeing(const struct work *work, int32_t window)
{
    const struct instance *instance = instance_find(&work->relations->instances, CALL_WIN_FREE, window, 0);
    return instance && instance_complete(instance) ? instance : NULL;
}

/* No later lock needs the holders of a freed window once all epochs of the window are final. */
static void keep_holder(void *context, const struct access_epoch *epoch)
{
    struct work *work = context;
    if (find_freeing(work, epoch->window) && !work->open[epoch->window]) return;
    keep_call(work, epoch->rank, epoch->open_call);
    keep_call(work, epoch->rank, epoch->close_call);
}

/* Until then the freeing of the window is kept. */
static void keep_freeing(struct work *work)
{
    const struct trace *trace = work->relations->trace;
    for (size_t w = 0; w < trace->definitions.window_count; w++) {
        const struct instance *instance = work->open[w] ? find_freeing(work, (int32_t)w) : NULL;
        const struct trace_comm *comm = &trace->definitions.comms[trace->definitions.windows[w].comm];
        for (uint32_t m = 0; instance && m < instance->size; m++)
            keep_call(work, (uint32_t)comm->members[m], work->relations->instances.calls[instance->member_first + m]);
    }
}

static enum status mark_all(struct work *work, struct err *err)
{
    const struct trace *trace = work->relations->trace;
    TRY(find_releases(work, err));
    do find_clusters(work);
    while (is_held_up(work));
    int64_t first_ps[] = {work->watermark_ps, mark_epochs(work), mark_operations(work), first_complete_ps(work)};
    size_t count = sizeof first_ps / sizeof *first_ps;
    keep_freeing(work);
    if (trace->provenance.simulated) {
        first_ps[1] = mark_progress(work);
        count = 2;
    }
    for (size_t i = 1; i < count; i++)
        if (first_ps[i] < first_ps[0]) first_ps[0] = first_ps[i];
    if (trace->definitions.window_count > 0) mark_times(work, first_ps[0]);
    return locks_last_holders(work->relations, keep_holder, work, err);
}

enum status mark_final_locks(struct slice_state *state, const struct relations *relations, int64_t watermark_ps,
                             struct err *err)
{
    struct work work = {
        .state = state, .relations = relations, .watermark_ps = watermark_ps, .lazy = trace_is_lazy(relations->trace)};
    work.clusters = malloc((relations->trace->definitions.window_count + 1) * sizeof *work.clusters);
    work.first_of = malloc((relations->epochs.access_count + 1) * sizeof *work.first_of);
    work.late = calloc(relations->epochs.access_count + 1, sizeof *work.late);
    work.open = calloc(relations->trace->definitions.window_count + 1, sizeof *work.open);
    work.release_ps = malloc((relations->epochs.access_count + 1) * sizeof *work.release_ps);
    work.final_ps = malloc((relations->trace->definitions.window_count + 1) * sizeof *work.final_ps);
    bool made = work.clusters && work.first_of && work.late && work.open && work.release_ps && work.final_ps;
    for (size_t w = 0; made && w < relations->trace->definitions.window_count; w++) work.final_ps[w] = watermark_ps;
    enum status status = made ? mark_all(&work, err) : err_memory(err);
    FREE_ALL(work.clusters, work.first_of, work.late, work.open, work.release_ps, work.final_ps);
    return status;
}
