/* Puts, gets and accumulates, the synchronisation of post, start, complete, wait, and locks. All of it is on the processor of the
 * program: LogGOPSim starts an operation when its processor is free, and does not let it wait for one of another processor. */
#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "export/goal/lowering.h"
#include "model/match/locks.h"

struct lowering {
    const struct relations *relations;
    struct goal_schedule *schedule;
    struct map locks; /* (epoch, target) to its grant's number in grants */
    struct grant {
        struct goal_id leaves, released; /* on the target: it is granted; it was let go */
        struct goal_id releases;         /* on the origin */
        bool closed;                     /* the last two are there */
    } *grants;
    size_t grant_count, grant_capacity;
    struct err *err;
};

static const struct trace_call *call_of(const struct lowering *lowering, uint32_t rank, size_t call)
{
    return relations_call(lowering->relations, rank, call);
}

static bool is_passive(const struct access_epoch *epoch)
{
    return epoch->kind == EPOCH_LOCK || epoch->kind == EPOCH_LOCK_ALL;
}

static enum status send_message(struct lowering *lowering, uint32_t from, uint32_t to, int64_t bytes,
                                struct goal_message *made)
{
    return goal_message(lowering->schedule, from, to, bytes, made, lowering->err);
}

static enum status ends_call(struct lowering *lowering, size_t call, struct goal_id operation)
{
    return call == EPOCH_NONE ? STATUS_OK : goal_ends(lowering->schedule, call, operation, lowering->err);
}

/* --- locks --- */

static struct grant *find_grant(const struct lowering *lowering, size_t epoch, uint32_t target)
{
    const uint64_t *slot = map_find(&lowering->locks, map_pair((uint32_t)epoch, target));
    return slot ? &lowering->grants[*slot] : NULL;
}

/* Adds request and grant of a lock, or release and its answer. */
static enum status lower_lock(struct lowering *lowering, size_t index, uint32_t target)
{
    const struct access_epoch *epoch = &lowering->relations->epochs.accesses[index];
    struct goal_message asks, is_granted, releases, is_released;
    struct grant grant = {.closed = epoch->close_call != EPOCH_NONE};
    uint64_t *slot;
    TRY(send_message(lowering, epoch->rank, target, 0, &asks));
    TRY(send_message(lowering, target, epoch->rank, 0, &is_granted));
    TRY(goal_begins(lowering->schedule, epoch->open_call, asks.send, lowering->err));
    TRY(goal_require(lowering->schedule, is_granted.send, asks.receive, lowering->err));
    TRY(ends_call(lowering, epoch->open_call, is_granted.receive));
    grant.leaves = is_granted.send;
    if (grant.closed) {
        TRY(send_message(lowering, epoch->rank, target, 0, &releases));
        TRY(send_message(lowering, target, epoch->rank, 0, &is_released));
        TRY(goal_begins(lowering->schedule, epoch->close_call, releases.send, lowering->err));
        TRY(goal_require(lowering->schedule, is_released.send, releases.receive, lowering->err));
        TRY(ends_call(lowering, epoch->close_call, is_released.receive));
        grant.releases = releases.send;
        grant.released = releases.receive;
    }
    TRY(map_put(&lowering->locks, map_pair((uint32_t)index, target), lowering->grant_count, &slot, lowering->err));
    ARRAY_PUSH(lowering->grants, lowering->grant_count, lowering->grant_capacity, grant, lowering->err);
    return STATUS_OK;
}

static enum status lower_locks(struct lowering *lowering, size_t index)
{
    const struct access_epoch *epoch = &lowering->relations->epochs.accesses[index];
    const struct trace *trace = lowering->relations->trace;
    if (call_of(lowering, epoch->rank, epoch->open_call)->flags & TRACE_NOCHECK) return STATUS_OK;
    if (epoch->kind == EPOCH_LOCK)
        return epoch->target == TRACE_NONE ? STATUS_OK : lower_lock(lowering, index, (uint32_t)epoch->target);
    const struct trace_comm *comm = &trace->definitions.comms[trace->definitions.windows[epoch->window].comm];
    for (uint32_t m = 0; m < comm->count; m++) TRY(lower_lock(lowering, index, (uint32_t)comm->members[m]));
    return STATUS_OK;
}

/* Orders a grant after the release of the holder before, as in the trace: only who releases is a holder. */
static enum status order_grants(void *context, const struct holding *holding, const struct holding *holder)
{
    struct lowering *lowering = context;
    const struct access_epoch *epochs = lowering->relations->epochs.accesses;
    if (!holder) return STATUS_OK;
    const struct grant *grant = find_grant(lowering, (size_t)(holding->epoch - epochs), (uint32_t)holding->target);
    const struct grant *before = find_grant(lowering, (size_t)(holder->epoch - epochs), (uint32_t)holding->target);
    if (!grant || !before) return STATUS_OK;
    return goal_require(lowering->schedule, grant->leaves, before->released, lowering->err);
}

/* --- operations --- */

/* Which call of the target waits until the operation is done there; EPOCH_NONE: none. */
static size_t call_of_target(const struct lowering *lowering, const struct epoch_operation *operation)
{
    const struct relations *relations = lowering->relations;
    const struct access_epoch *epoch = &relations->epochs.accesses[operation->epoch];
    uint32_t target = (uint32_t)call_of(lowering, operation->origin, operation->call)->peer;
    if (operation->pair != EPOCH_NONE) {
        size_t exposure = relations->epochs.pairs[operation->pair].exposure;
        return exposure == EPOCH_NONE ? EPOCH_NONE : relations->epochs.exposures[exposure].close_call;
    }
    if (epoch->kind != EPOCH_FENCE) return EPOCH_NONE;
    const struct instance *fence = instance_find(&relations->instances, CALL_FENCE, epoch->window, epoch->close_number);
    if (!fence) return EPOCH_NONE;
    int32_t member = trace_comm_rank(instance_comm(relations->trace, fence), (int32_t)target);
    size_t call = member == TRACE_NONE ? INSTANCE_NONE : relations->instances.calls[fence->member_first + (size_t)member];
    return call == INSTANCE_NONE ? EPOCH_NONE : call;
}

/* Adds an operation's messages. A get has a request and an answer. Under a lock a put has an answer, too, since no
 * other message confirms its arrival. */
static enum status lower_operation(struct lowering *lowering, const struct epoch_operation *operation)
{
    const struct trace_call *call = call_of(lowering, operation->origin, operation->call);
    const struct access_epoch *epoch = &lowering->relations->epochs.accesses[operation->epoch];
    enum call_kind kind = call_kind(call->call);
    bool fetches = kind == CALL_GET || kind == CALL_GET_ACCUMULATE, passive = is_passive(epoch);
    int64_t back = kind == CALL_GET ? call->bytes : kind == CALL_GET_ACCUMULATE ? call->rma.result_bytes : 0;
    uint32_t target = (uint32_t)call->peer;
    if (call->peer == TRACE_NONE) return STATUS_OK;
    struct goal_message there, answer;
    TRY(send_message(lowering, operation->origin, target, kind == CALL_GET ? 0 : call->bytes, &there));
    TRY(goal_begins(lowering->schedule, operation->call, there.send, lowering->err));
    struct goal_id done_here = there.send, done_there = there.receive;
    if (fetches || passive) {
        TRY(send_message(lowering, target, operation->origin, back, &answer));
        TRY(goal_require(lowering->schedule, answer.send, there.receive, lowering->err));
        done_here = answer.receive;
        done_there = answer.send;
    }
    size_t closes = passive && operation->done_call != EPOCH_NONE ? operation->done_call : epoch->close_call;
    TRY(ends_call(lowering, closes, done_here));
    const struct grant *grant = passive ? find_grant(lowering, operation->epoch, target) : NULL;
    if (grant && grant->closed) TRY(goal_require(lowering->schedule, grant->releases, done_here, lowering->err));
    if (call_makes_request(call->call))
        TRY(goal_requests(lowering->schedule, operation->call, fetches ? done_here : there.send, lowering->err));
    return ends_call(lowering, call_of_target(lowering, operation), done_there);
}

/* --- post, start, complete, wait --- */

static enum status lower_pair(struct lowering *lowering, const struct access_epoch *access, const struct epoch_pair *pair)
{
    if (pair->exposure == EPOCH_NONE) return STATUS_OK;
    const struct exposure_epoch *exposure = &lowering->relations->epochs.exposures[pair->exposure];
    struct goal_message message;
    if (!(call_of(lowering, access->rank, access->open_call)->flags & TRACE_NOCHECK)) {
        TRY(send_message(lowering, exposure->rank, access->rank, 0, &message));
        TRY(goal_begins(lowering->schedule, exposure->post_call, message.send, lowering->err));
        TRY(ends_call(lowering, access->open_call, message.receive));
    }
    if (access->close_call == EPOCH_NONE || exposure->close_call == EPOCH_NONE) return STATUS_OK;
    TRY(send_message(lowering, access->rank, exposure->rank, 0, &message));
    TRY(goal_begins(lowering->schedule, access->close_call, message.send, lowering->err));
    TRY(ends_call(lowering, access->close_call, message.send));
    return ends_call(lowering, exposure->close_call, message.receive);
}

/* --- the whole --- */

static enum status lower_calls(struct lowering *lowering)
{
    const struct epochs *epochs = &lowering->relations->epochs;
    for (size_t i = 0; i < epochs->access_count; i++) {
        const struct access_epoch *access = &epochs->accesses[i];
        if (is_passive(access)) TRY(lower_locks(lowering, i));
        for (uint32_t p = 0; access->kind == EPOCH_START && p < access->pair_count; p++)
            TRY(lower_pair(lowering, access, &epochs->pairs[access->pair_first + p]));
    }
    TRY(locks_visit(lowering->relations, order_grants, lowering, lowering->err));
    for (size_t i = 0; i < epochs->operation_count; i++) TRY(lower_operation(lowering, &epochs->operations[i]));
    return STATUS_OK;
}

enum status goal_lower_one_sided(const struct relations *relations, struct goal_schedule *schedule, struct err *err)
{
    struct lowering lowering = {.relations = relations, .schedule = schedule, .err = err};
    enum status status = lower_calls(&lowering);
    map_clear(&lowering.locks);
    free(lowering.grants);
    return status;
}
