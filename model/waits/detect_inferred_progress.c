/* Wait for Progress in recorded traces. That a function needs its target inside MPI is inferred from its calls: they
 * return only when the target is inside (docs/patterns.md). */
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"
#include "model/match/locks.h"
#include "model/waits/detect.h"

/* A call that waited only for the target's next visit to MPI. */
struct visit_wait {
    uint32_t rank, target;
    size_t call, visit; /* of rank, of target */
    int64_t from_ps, until_ps;
};

struct progress {
    struct detection *detection;
    bool *refuted; /* by DOUBT_PROGRESS + enum mpi_call: functions that do not need their target, or wait for posts */
    int64_t *released_ps; /* per access epoch: when the holder before it released the lock; INT64_MIN: there was none */
    struct visit_wait *items;
    size_t count, capacity;
};

/* One call that may need its target. */
struct suspect {
    uint32_t rank, target;
    size_t call;
    int64_t sent_ps;   /* when the origin sent the request */
    int64_t issued_ps; /* when the operations that the target has to serve were issued */
    int64_t bytes;     /* of the data that travel with the request */
    int64_t from_ps;   /* from then on the call waits for nothing else */
    int64_t by_ps;     /* by then the request was served: the call's exit, or an earlier proof */
};

/* The last MPI call that the rank enters before the time; FINDING_NO_CALL if there is none. */
static size_t entered_before(const struct relations *relations, uint32_t rank, int64_t time_ps)
{
    const struct trace_rank *process = &relations->trace->ranks[rank];
    size_t i = 0;
    SEARCH_FIRST(i, process->count, k, process->calls[k].enter_ps < time_ps);
    while (i > 0 && !call_is_library(process->calls[i - 1].call)) i--;
    return i > 0 ? i - 1 : FINDING_NO_CALL;
}

/* When the threads of the rank had left the MPI calls that they entered before this one; INT64_MIN if there are none. */
static int64_t left_before(const struct relations *relations, uint32_t rank, size_t call)
{
    int64_t left_ps = INT64_MIN;
    for (uint32_t thread = 0; thread < trace_thread_count(relations->trace, rank); thread++) {
        struct timeline timeline = timeline_of(&relations->timelines, rank, thread);
        size_t k = 0;
        SEARCH_FIRST(k, timeline.count, i, timeline_index(&timeline, i) < call);
        while (k > 0 && !call_is_library(timeline_call(&timeline, k - 1)->call)) k--;
        if (k > 0 && timeline_call(&timeline, k - 1)->exit_ps > left_ps)
            left_ps = timeline_call(&timeline, k - 1)->exit_ps;
    }
    return left_ps;
}

/* Consecutive calls of a real program have microseconds between them. These gaps may sum to one GAPS_PART-th of the
 * suspect's time. */
enum { GAPS_PART = 20 };

/* A stay of a rank in MPI: calls with only small gaps between them. */
struct stay {
    size_t first; /* its first call */
    int64_t enter_ps, exit_ps;
    int64_t left_ps; /* when the rank had left MPI before; INT64_MIN: it was never there */
};

/* The last stay that begins before by_ps, followed back to since_ps at most. Its gaps sum to gaps_ps at most. Returns
 * false if there is none. */
static bool find_stay(const struct relations *relations, uint32_t rank, int64_t by_ps, int64_t since_ps,
                      int64_t gaps_ps, struct stay *stay)
{
    const struct trace_rank *process = &relations->trace->ranks[rank];
    size_t call = entered_before(relations, rank, by_ps);
    if (call == FINDING_NO_CALL) return false;
    *stay = (struct stay){.exit_ps = process->calls[call].exit_ps};
    for (;;) {
        stay->first = call;
        stay->enter_ps = process->calls[call].enter_ps;
        stay->left_ps = left_before(relations, rank, call);
        if (stay->left_ps < stay->enter_ps - gaps_ps || stay->enter_ps <= since_ps) return true;
        if (stay->left_ps < stay->enter_ps) gaps_ps -= stay->enter_ps - stay->left_ps;
        if (stay->left_ps > stay->exit_ps) stay->exit_ps = stay->left_ps;
        while (!call_is_library(process->calls[--call].call)) continue;
    }
}

/* How long the request was on its way. Without a described network it is taken to need the time that the answer needed
 * after the stay's begin. */
static int64_t way_ps(const struct progress *progress, const struct suspect *suspect, const struct stay *stay)
{
    const struct analyze_options *options = progress->detection->options;
    if (options->network_known)
        return units_ps(options->latency_s + (double)suspect->bytes / options->bandwidth_Bps);
    return relations_call(progress->detection->relations, suspect->rank, suspect->call)->exit_ps - stay->enter_ps;
}

/* Judges one suspect. If the target was outside MPI from the request to the call's return, the function does not need
 * the target. If the call returns during a stay of the target, or after the only stay that begins in the call, it was
 * served in that stay: it waited until the stay began, because the target was outside. */
static enum status judge_suspect(struct progress *progress, const struct suspect *suspect)
{
    const struct relations *relations = progress->detection->relations;
    const struct trace_call *at = relations_call(relations, suspect->rank, suspect->call);
    bool *refuted = &progress->refuted[DOUBT_PROGRESS + at->call];
    struct stay stay;
    if (suspect->from_ps >= suspect->by_ps || *refuted) return STATUS_OK;
    int64_t gaps_ps = (suspect->by_ps - suspect->from_ps) / GAPS_PART;
    if (!find_stay(relations, suspect->target, suspect->by_ps, suspect->from_ps, gaps_ps, &stay)) {
        *refuted = true;
        return STATUS_OK;
    }
    int64_t in_mpi_ps = stay.exit_ps > stay.left_ps ? stay.exit_ps : stay.left_ps;
    if (in_mpi_ps < suspect->from_ps) {
        *refuted = in_mpi_ps < suspect->issued_ps;
        return STATUS_OK;
    }
    bool was_inside = stay.left_ps > suspect->from_ps;
    int64_t from_ps = was_inside ? stay.left_ps : suspect->from_ps;
    int64_t arrived_ps = suspect->sent_ps + way_ps(progress, suspect, &stay);
    if (arrived_ps > from_ps) from_ps = arrived_ps;
    if (stay.enter_ps <= from_ps || (suspect->by_ps > stay.exit_ps && was_inside)) return STATUS_OK;
    struct visit_wait made = {suspect->rank, suspect->target, suspect->call, stay.first, from_ps, stay.enter_ps};
    ARRAY_PUSH(progress->items, progress->count, progress->capacity, made, progress->detection->err);
    return STATUS_OK;
}

static enum status examine_lock(struct progress *progress, const struct holding *holding, size_t call,
                                const struct holding *holder)
{
    const struct trace_call *at = relations_call(progress->detection->relations, holding->origin, call);
    int64_t from_ps = holder && holder->release_ps > at->enter_ps ? holder->release_ps : at->enter_ps;
    return judge_suspect(progress, &(struct suspect){.rank = holding->origin,
                                               .target = (uint32_t)holding->target,
                                               .call = call,
                                               .sent_ps = at->enter_ps,
                                               .issued_ps = from_ps,
                                               .from_ps = from_ps,
                                               .by_ps = at->exit_ps});
}

/* Examines lock and unlock, which send requests to the target. A lock without operations may be granted and released
 * without the target. */
static enum status visit_lock(void *context, const struct holding *holding, const struct holding *holder)
{
    struct progress *progress = context;
    const struct epochs *epochs = &progress->detection->relations->epochs;
    bool alone = holding->epoch->kind == EPOCH_LOCK; /* under lock_all the operations on other targets count, too */
    if ((uint32_t)holding->target == holding->origin || !alone || holding->epoch->operation_count == 0)
        return STATUS_OK;
    if (holder) progress->released_ps[holding->epoch - epochs->accesses] = holder->release_ps;
    TRY(examine_lock(progress, holding, holding->epoch->open_call, holder));
    return examine_lock(progress, holding, holding->epoch->close_call, holder);
}

static bool counts_now(const struct relations *relations, uint32_t rank, size_t call)
{
    return epoch_closed(relations->trace, rank, call) && slice_state_counts(relations->state, rank, call);
}

/* The call that waits for an operation on another rank to be complete, unless visit_lock() examines it; EPOCH_NONE:
 * there is none. A flush of all targets counts only where no single lock is held, since each of these locks waits for
 * its own holder. */
static size_t completing_call(const struct relations *relations, const struct epoch_operation *operation)
{
    const struct access_epoch *epoch = &relations->epochs.accesses[operation->epoch];
    size_t done = operation->done_call;
    if (epoch->kind == EPOCH_START) {
        bool posted = relations->epochs.pairs[operation->pair].exposure != EPOCH_NONE;
        return posted && counts_now(relations, epoch->rank, epoch->close_call) ? epoch->close_call : EPOCH_NONE;
    }
    if (done == EPOCH_NONE || epoch->kind == EPOCH_FENCE) return EPOCH_NONE;
    enum mpi_call function = trace_function(relations->trace, epoch->rank, done);
    enum call_kind kind = call_kind(function);
    if (kind != CALL_FLUSH && kind != CALL_FLUSH_LOCAL && kind != CALL_UNLOCK_ALL) return EPOCH_NONE;
    bool single = epoch->kind == EPOCH_LOCK;
    if (single && !(call_row(function)->needed & F_TARGET)) return EPOCH_NONE;
    return counts_now(relations, epoch->rank, single ? epoch->close_call : done) ? done : EPOCH_NONE;
}

/* The exit of the target's wait, by which the complete must have been served; INT64_MAX: not known. */
static int64_t heard_ps(const struct relations *relations, size_t pair)
{
    if (pair == EPOCH_NONE) return INT64_MAX;
    const struct exposure_epoch *exposure = &relations->epochs.exposures[relations->epochs.pairs[pair].exposure];
    if (!epoch_closed(relations->trace, exposure->rank, exposure->close_call)) return INT64_MAX;
    return relations_call(relations, exposure->rank, exposure->close_call)->exit_ps;
}

static enum status examine_operation(struct progress *progress, const struct epoch_operation *operation, size_t call)
{
    const struct relations *relations = progress->detection->relations;
    const struct trace_call *at = relations_call(relations, operation->origin, call);
    const struct trace_call *operates = relations_call(relations, operation->origin, operation->call);
    int64_t released_ps = progress->released_ps[operation->epoch], known_ps = heard_ps(relations, operation->pair);
    return judge_suspect(progress,
                         &(struct suspect){.rank = operation->origin,
                                           .target = (uint32_t)operates->peer,
                                           .call = call,
                                           .sent_ps = operates->enter_ps,
                                           .issued_ps = operates->enter_ps,
                                           .bytes = call_kind(operates->call) == CALL_GET ? 0 : operates->bytes,
                                           .from_ps = released_ps > at->enter_ps ? released_ps : at->enter_ps,
                                           .by_ps = known_ps < at->exit_ps ? known_ps : at->exit_ps});
}

/* Operations with a request may be complete before the call; operations without bytes may need no message. Neither is
 * examined. */
static enum status examine_operations(struct progress *progress)
{
    const struct relations *relations = progress->detection->relations;
    const struct epochs *epochs = &relations->epochs;
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        const struct trace_call *call = relations_call(relations, operation->origin, operation->call);
        if ((uint32_t)call->peer == operation->origin) continue;
        if (call->rma.request != TRACE_NO_REF || (call->bytes == 0 && call->rma.result_bytes == 0)) continue;
        size_t completes = completing_call(relations, operation);
        if (completes != EPOCH_NONE) TRY(examine_operation(progress, operation, completes));
    }
    return STATUS_OK;
}

/* If a post lies inside a complete, this library waits for posts in complete. Other waits in complete cannot be
 * distinguished from that, so they are not counted. */
static void examine_posts(struct progress *progress)
{
    const struct relations *relations = progress->detection->relations;
    const struct epochs *epochs = &relations->epochs;
    for (size_t p = 0; p < epochs->pair_count; p++) {
        const struct epoch_pair *pair = &epochs->pairs[p];
        const struct access_epoch *epoch = &epochs->accesses[pair->access];
        if (pair->exposure == EPOCH_NONE || !counts_now(relations, epoch->rank, epoch->close_call)) continue;
        const struct exposure_epoch *exposure = &epochs->exposures[pair->exposure];
        const struct trace_call *complete = relations_call(relations, epoch->rank, epoch->close_call);
        int64_t post_ps = relations_call(relations, exposure->rank, exposure->post_call)->enter_ps;
        if (post_ps > complete->enter_ps && post_ps <= complete->exit_ps)
            progress->refuted[DOUBT_PROGRESS + complete->call] = true;
    }
}

ORDER(compare_waits, struct visit_wait, UP(rank) UP(call) DOWN(until_ps) DOWN(from_ps) UP(target))

/* A call that completes operations on several targets waits for them together: the latest visit counts. */
static enum status count_waits(struct progress *progress)
{
    struct detection *detection = progress->detection;
    if (progress->count > 1) qsort(progress->items, progress->count, sizeof *progress->items, compare_waits);
    for (size_t i = 0; i < progress->count; i++) {
        const struct visit_wait *wait = &progress->items[i];
        enum mpi_call function = relations_call(detection->relations, wait->rank, wait->call)->call;
        if (i > 0 && wait[-1].rank == wait->rank && wait[-1].call == wait->call) continue;
        if (progress->refuted[DOUBT_PROGRESS + function]) continue;
        struct finding finding = {.pattern = PATTERN_WAIT_FOR_PROGRESS,
                                  .rank = wait->rank,
                                  .call = wait->call,
                                  .severity_ps = wait->until_ps - wait->from_ps,
                                  .cause_rank = wait->target,
                                  .cause_call = wait->visit,
                                  .from_ps = wait->from_ps,
                                  .until_ps = wait->until_ps,
                                  .earlier_ps = wait->until_ps - wait->from_ps};
        if (detection->provisional) finding.doubt = (uint16_t)(DOUBT_PROGRESS + function);
        TRY(detect_found(detection, &finding));
    }
    return STATUS_OK;
}

static enum status infer_waits(struct progress *progress)
{
    const struct relations *relations = progress->detection->relations;
    for (size_t a = 0; a < relations->epochs.access_count; a++) progress->released_ps[a] = INT64_MIN;
    TRY(locks_visit(relations, visit_lock, progress, progress->detection->err));
    TRY(examine_operations(progress));
    examine_posts(progress);
    return count_waits(progress);
}

enum status detect_wait_for_progress(struct detection *detection)
{
    bool refuted[DOUBT_COUNT] = {false};
    struct progress progress = {.detection = detection, .refuted = detection->refuted ? detection->refuted : refuted};
    if (detection->relations->trace->provenance.simulated) return detect_known_progress(detection);
    progress.released_ps = malloc((detection->relations->epochs.access_count + 1) * sizeof *progress.released_ps);
    enum status status = progress.released_ps ? infer_waits(&progress) : err_memory(detection->err);
    FREE_ALL(progress.released_ps, progress.items);
    return status;
}
