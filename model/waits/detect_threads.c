/* Waits of a thread for other threads of its rank: at locks, barriers and semaphores, and in joins. The release that
 * ended a wait is inferred from the order in which the calls that got a lock or a unit returned. */
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "model/waits/detect.h"

/* One use of a lock, barrier or semaphore by a call. */
struct use {
    uint32_t object;
    bool shared; /* of a read-write lock: it reads */
    bool posts;  /* of a semaphore: it gives a unit */
    bool fails;  /* of a semaphore: it took none */
    bool waits;  /* the call may have waited for the object */
    size_t call;
    int64_t at_ps;      /* when the call got the object, gave a unit, or arrived */
    size_t release;     /* call that released it; FINDING_NO_CALL: not recorded */
    int64_t release_ps; /* when */
};

struct uses {
    struct use *items;
    size_t count, capacity;
};

ORDER(compare_uses, struct use, UP(object) UP(at_ps) UP(call))

static enum status add_use(struct uses *uses, struct use use, struct err *err)
{
    ARRAY_PUSH(uses->items, uses->count, uses->capacity, use, err);
    return STATUS_OK;
}

/* Whether the call may have waited. A simulated trace states which calls did not; a try call never does. */
static bool may_have_waited(const struct trace_rank *rank, size_t index)
{
    const struct trace_call *call = &rank->calls[index];
    enum call_kind kind = call_kind(call->call);
    if (rank->sim) return rank->sim[index].blocked_ps > 0;
    return kind != CALL_MUTEX_TRYLOCK && kind != CALL_TRYRDLOCK && kind != CALL_TRYWRLOCK && kind != CALL_SEM_TRYWAIT;
}

static bool has_failed(const struct trace_call *call)
{
    bool tries = call_row(call->call)->needed & F_FLAG;
    return (call->flags & TRACE_BREAK) || (tries && !(call->flags & TRACE_FLAG));
}

/* next_ps is the end of the wait without the cause; INT64_MIN: there would be no wait, or it is not known. */
static struct finding finding_until(const struct detection *detection, enum pattern pattern, uint32_t rank, size_t call,
                                    size_t cause, int64_t until_ps, int64_t next_ps)
{
    int64_t severity_ps = wait_until(relations_call(detection->relations, rank, call), until_ps);
    bool capped = next_ps != INT64_MIN && until_ps - next_ps < severity_ps;
    return (struct finding){.pattern = pattern,
                            .rank = rank,
                            .call = call,
                            .severity_ps = severity_ps,
                            .cause_rank = rank,
                            .cause_call = cause,
                            .from_ps = INT64_MIN,
                            .until_ps = until_ps,
                            .earlier_ps = capped ? until_ps - next_ps : severity_ps};
}

static enum status find_until(struct detection *detection, enum pattern pattern, uint32_t rank, size_t call,
                              size_t cause, int64_t until_ps, int64_t next_ps)
{
    const struct finding found = finding_until(detection, pattern, rank, call, cause, until_ps, next_ps);
    return detect_found(detection, &found);
}

typedef enum status rank_function(struct detection *detection, uint32_t rank, struct uses *uses);

/* Calls the function for every rank with thread primitives. */
static enum status each_rank(struct detection *detection, rank_function *find)
{
    const struct trace *trace = detection->relations->trace;
    struct uses uses = {0};
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; status == STATUS_OK && rank < trace->rank_count; rank++) {
        uses.count = 0;
        if (trace->ranks[rank].thread_count > 0) status = find(detection, rank, &uses);
    }
    free(uses.items);
    return status;
}

/* --- locks --- */

enum part { PART_NONE, PART_TAKES, PART_SHARES, PART_RELEASES };

static enum part part_of(enum call_kind kind)
{
    switch (kind) {
    case CALL_MUTEX_LOCK:
    case CALL_MUTEX_TRYLOCK:
    case CALL_MUTEX_TIMEDLOCK:
    case CALL_WRLOCK:
    case CALL_TRYWRLOCK:
    case CALL_TIMEDWRLOCK: return PART_TAKES;
    case CALL_RDLOCK:
    case CALL_TRYRDLOCK:
    case CALL_TIMEDRDLOCK: return PART_SHARES;
    case CALL_MUTEX_UNLOCK:
    case CALL_RW_UNLOCK: return PART_RELEASES;
    default: return PART_NONE;
    }
}

/* The locks that threads hold: (object, thread) to the index of the holding from 1, and to the number of recursive
 * locks. */
struct held {
    struct map open;
    struct uses *uses;
    struct err *err;
};

static enum status take_object(struct held *held, uint32_t thread, struct use use)
{
    uint64_t *slot;
    TRY(map_put(&held->open, (uint64_t)use.object << 16 | thread, 0, &slot, held->err));
    if ((uint32_t)*slot > 0) {
        *slot += (uint64_t)1 << 32; /* a recursive lock */
        return STATUS_OK;
    }
    *slot = held->uses->count + 1;
    return add_use(held->uses, use, held->err);
}

static void release_object(struct held *held, uint32_t thread, uint32_t object, size_t call, int64_t at_ps)
{
    uint64_t *slot = map_find(&held->open, (uint64_t)object << 16 | thread);
    if (!slot || *slot == 0) return; /* taken before recording began */
    if (*slot >> 32 > 0) {
        *slot -= (uint64_t)1 << 32;
        return;
    }
    struct use *use = &held->uses->items[*slot - 1];
    use->release = call;
    use->release_ps = at_ps;
    *slot = 0;
}

/* A wait on a condition releases the mutex at its begin and has it again at its end. */
static enum status note_lock(struct held *held, const struct trace *trace, uint32_t rank, size_t index)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    enum call_kind kind = call_kind(call->call);
    enum part part = part_of(kind);
    uint32_t thread = trace_call_thread(trace, rank, index);
    struct use use = {
        .object = call->primitive.object, .call = index, .at_ps = call->exit_ps, .release = FINDING_NO_CALL};
    if (kind == CALL_COND_WAIT || kind == CALL_COND_TIMEDWAIT) {
        use.object = (uint32_t)call->primitive.mutex;
        release_object(held, thread, use.object, index, call->enter_ps);
        return call->flags & TRACE_BREAK ? STATUS_OK : take_object(held, thread, use);
    }
    if (part == PART_RELEASES && !(call->flags & TRACE_BREAK))
        release_object(held, thread, call->primitive.object, index, call->exit_ps);
    if ((part != PART_TAKES && part != PART_SHARES) || has_failed(call)) return STATUS_OK;
    use.shared = part == PART_SHARES;
    use.waits = may_have_waited(&trace->ranks[rank], index);
    return take_object(held, thread, use);
}

/* Each use waits for the last earlier use that excludes it. */
static enum status find_contention(struct detection *detection, uint32_t rank, const struct uses *uses)
{
    const struct use *alone = NULL, *together = NULL; /* the last releases of the object, by writers and by readers */
    int64_t next_ps = INT64_MIN;                      /* the latest release by readers other than the last one */
    for (size_t i = 0; i < uses->count; i++) {
        const struct use *use = &uses->items[i], *before = alone;
        if (i > 0 && uses->items[i - 1].object != use->object) before = alone = together = NULL, next_ps = INT64_MIN;
        if (!use->shared && together && (!before || together->release_ps > before->release_ps)) before = together;
        if (use->waits && before)
            TRY(find_until(detection, PATTERN_THREAD_LOCK_CONTENTION, rank, use->call, before->release,
                           before->release_ps, !use->shared && before == together ? next_ps : INT64_MIN));
        const struct use **last = use->shared ? &together : &alone;
        if (use->shared && use->release != FINDING_NO_CALL && together) {
            int64_t less_ps = use->release_ps > together->release_ps ? together->release_ps : use->release_ps;
            if (less_ps > next_ps) next_ps = less_ps;
        }
        if (use->release != FINDING_NO_CALL && (!*last || use->release_ps > (*last)->release_ps)) *last = use;
    }
    return STATUS_OK;
}

static enum status find_locks(struct detection *detection, uint32_t rank, struct uses *uses)
{
    const struct trace *trace = detection->relations->trace;
    struct held held = {.uses = uses, .err = detection->err};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < trace->ranks[rank].count; i++)
        status = note_lock(&held, trace, rank, i);
    map_clear(&held.open);
    TRY(status);
    if (uses->count > 1) qsort(uses->items, uses->count, sizeof *uses->items, compare_uses);
    return find_contention(detection, rank, uses);
}

enum status detect_thread_lock_contention(struct detection *detection)
{
    return each_rank(detection, find_locks);
}

/* --- barriers: the calls on one, in the order of their enters, meet in groups of its number of threads --- */

static enum status find_barriers(struct detection *detection, uint32_t rank, struct uses *uses)
{
    const struct trace_rank *process = &detection->relations->trace->ranks[rank];
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        if (call_kind(call->call) != CALL_THREAD_BARRIER) continue;
        TRY(add_use(uses, (struct use){.object = call->primitive.object, .call = i, .at_ps = call->enter_ps},
                    detection->err));
    }
    if (uses->count > 1) qsort(uses->items, uses->count, sizeof *uses->items, compare_uses);
    for (size_t first = 0, end; first < uses->count; first = end) {
        const struct use *items = &uses->items[first];
        size_t parties = (size_t)process->calls[items->call].primitive.parties;
        end = first + parties;
        if (end > uses->count || items[parties - 1].object != items->object) { /* the group is not complete */
            for (end = first; end < uses->count && uses->items[end].object == items->object;) end++;
            continue;
        }
        const struct use *last = &items[parties - 1];
        for (size_t k = 0; k + 1 < parties; k++)
            TRY(find_until(detection, PATTERN_THREAD_BARRIER_WAIT, rank, items[k].call, last->call, last->at_ps,
                           parties > 1 ? last[-1].at_ps : INT64_MIN));
    }
    return STATUS_OK;
}

enum status detect_thread_barrier_wait(struct detection *detection)
{
    return each_rank(detection, find_barriers);
}

/* --- the end of threads --- */

static enum status find_joins(struct detection *detection, uint32_t rank, struct uses *uses)
{
    const struct trace *trace = detection->relations->trace;
    const struct trace_rank *process = &trace->ranks[rank];
    (void)uses;
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        if (call_kind(call->call) != CALL_THREAD_JOIN || (call->flags & TRACE_BREAK)) continue;
        if (call->primitive.child >= trace_thread_count(trace, rank)) continue; /* the thread was not recorded */
        struct timeline timeline = timeline_of(&detection->relations->timelines, rank, call->primitive.child);
        if (timeline.count == 0) continue;
        size_t last = timeline_index(&timeline, timeline.count - 1);
        TRY(find_until(detection, PATTERN_JOIN_WAIT, rank, i, last, process->calls[last].exit_ps, INT64_MIN));
    }
    return STATUS_OK;
}

enum status detect_join_wait(struct detection *detection)
{
    return each_rank(detection, find_joins);
}

/* --- semaphores: with the value v at the beginning, the n-th unit that is taken is the (n - v)-th that is posted --- */

/* The semaphore's value before the first call on it; negative: not known. */
static int64_t value_of(const struct trace_rank *rank, const struct use *items, size_t count)
{
    size_t first = items[0].call;
    for (size_t i = 1; i < count; i++)
        if (items[i].call < first) first = items[i].call;
    return rank->calls[first].primitive.value;
}

ORDER(compare_times, int64_t, UP_ITSELF)

/* The times at which threads arrived at the semaphore to take a unit. The caller frees them. */
static enum status collect_takers(const struct trace_rank *rank, const struct use *items, size_t count,
                                  int64_t **came_ps, size_t *came_count, struct err *err)
{
    *came_ps = malloc(count * sizeof **came_ps);
    *came_count = 0;
    if (!*came_ps) return err_memory(err);
    for (size_t i = 0; i < count; i++)
        if (!items[i].posts) (*came_ps)[(*came_count)++] = rank->calls[items[i].call].enter_ps;
    qsort(*came_ps, *came_count, sizeof **came_ps, compare_times);
    return STATUS_OK;
}

/* Finds the waits at one semaphore, whose uses are ordered by time. A wait queues if other threads arrive during it: if
 * it came later, they would be served first. */
static enum status find_units(struct detection *detection, uint32_t rank, const struct use *items, size_t count)
{
    const struct trace_rank *process = &detection->relations->trace->ranks[rank];
    int64_t left = value_of(process, items, count), before_ps = INT64_MIN, *came_ps; /* before: the post before */
    size_t came;
    if (left < 0) return STATUS_OK;
    TRY(collect_takers(process, items, count, &came_ps, &came, detection->err));
    enum status status = STATUS_OK;
    for (size_t i = 0, post = 0; status == STATUS_OK && i < count; i++) {
        if (items[i].posts || items[i].fails || left-- > 0) continue;
        while (post < count && !items[post].posts) post++;
        if (post == count) break;
        if (items[i].waits) {
            struct finding found = finding_until(detection, PATTERN_SEMAPHORE_WAIT, rank, items[i].call,
                                                 items[post].call, items[post].at_ps, before_ps);
            size_t own = 0;
            SEARCH_FIRST(own, came, k, came_ps[k] < process->calls[items[i].call].enter_ps);
            found.queues = own + 1 < came && came_ps[own + 1] <= items[post].at_ps;
            status = detect_found(detection, &found);
        }
        before_ps = items[post].at_ps;
        post++;
    }
    free(came_ps);
    return status;
}

static enum status find_semaphores(struct detection *detection, uint32_t rank, struct uses *uses)
{
    const struct trace_rank *process = &detection->relations->trace->ranks[rank];
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        enum call_kind kind = call_kind(call->call);
        if (!call_works_on(kind, OBJECT_SEMAPHORE)) continue;
        struct use use = {.object = call->primitive.object, .call = i, .at_ps = call->exit_ps, .fails = has_failed(call)};
        use.posts = kind == CALL_SEM_POST && !use.fails;
        use.waits = !use.posts && may_have_waited(process, i);
        TRY(add_use(uses, use, detection->err));
    }
    if (uses->count > 1) qsort(uses->items, uses->count, sizeof *uses->items, compare_uses);
    for (size_t first = 0, end; first < uses->count; first = end) {
        for (end = first; end < uses->count && uses->items[end].object == uses->items[first].object;) end++;
        TRY(find_units(detection, rank, &uses->items[first], end - first));
    }
    return STATUS_OK;
}

enum status detect_semaphore_wait(struct detection *detection)
{
    return each_rank(detection, find_semaphores);
}
