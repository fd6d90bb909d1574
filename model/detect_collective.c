/* Wait states of collective calls: fences, window creation and freeing, barriers, collectives. */
#include "model/detect.h"

/* What the calls of one complete instance have in common. */
struct meeting {
    const struct instance *instance;
    const struct trace_comm *comm;
    int64_t last_enter_ps, first_exit_ps;
    int64_t root_enter_ps;        /* of calls with a root */
    int64_t first_sender_ps;      /* earliest enter among the others */
};

typedef int64_t meeting_severity(const struct meeting *meeting, uint32_t member, const struct trace_call *call);

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool is_root(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    return meeting->comm->members[member] == call->peer;
}

static void meet(const struct relations *relations, const struct instance *instance, struct meeting *meeting)
{
    *meeting = (struct meeting){.instance = instance,
                                .comm = instance_comm(relations->trace, instance),
                                .last_enter_ps = INT64_MIN,
                                .first_exit_ps = INT64_MAX,
                                .root_enter_ps = INT64_MIN,
                                .first_sender_ps = INT64_MAX};
    for (uint32_t m = 0; m < instance->size; m++) {
        const struct trace_call *call = instance_call(relations->trace, &relations->instances, instance, m);
        meeting->last_enter_ps = larger(meeting->last_enter_ps, call->enter_ps);
        meeting->first_exit_ps = smaller(meeting->first_exit_ps, call->exit_ps);
        if (is_root(meeting, m, call))
            meeting->root_enter_ps = call->enter_ps;
        else
            meeting->first_sender_ps = smaller(meeting->first_sender_ps, call->enter_ps);
    }
}

static enum status for_instances(struct detection *detection, enum pattern pattern, uint64_t kinds,
                                 meeting_severity *severity)
{
    const struct relations *relations = detection->relations;
    const struct instances *instances = &relations->instances;
    for (size_t i = 0; i < instances->count; i++) {
        const struct instance *instance = &instances->items[i];
        struct meeting meeting;
        if (!(kinds >> instance->kind & 1) || !instance_complete(instance)) continue;
        meet(relations, instance, &meeting);
        for (uint32_t m = 0; m < instance->size; m++) {
            const struct trace_call *call = instance_call(relations->trace, instances, instance, m);
            TRY(detect_wait(detection, pattern, (uint32_t)meeting.comm->members[m],
                            instances->calls[instance->member_first + m], severity(&meeting, m, call)));
        }
    }
    return STATUS_OK;
}

static int64_t until_last(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    (void)member;
    return wait_until(call, meeting->last_enter_ps);
}

/* A member that left before the last one came shows that nobody had to wait for it. */
static int64_t until_last_if_synchronising(const struct meeting *meeting, uint32_t member,
                                           const struct trace_call *call)
{
    return meeting->first_exit_ps >= meeting->last_enter_ps ? until_last(meeting, member, call) : 0;
}

/* Begins where Wait at Barrier ends, so that the two never count the same time. */
static int64_t after_first_exit(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    (void)member;
    return call->exit_ps - larger(call->enter_ps, larger(meeting->first_exit_ps, meeting->last_enter_ps));
}

static int64_t until_root(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    return is_root(meeting, member, call) ? 0 : wait_until(call, meeting->root_enter_ps);
}

static int64_t root_until_first(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    if (!is_root(meeting, member, call) || meeting->instance->size == 1) return 0;
    return wait_until(call, meeting->first_sender_ps);
}

#define KIND(NAME) (UINT64_C(1) << CALL_##NAME)

enum status detect_wait_at_fence(struct detection *detection)
{
    return for_instances(detection, PATTERN_WAIT_AT_FENCE, KIND(FENCE), until_last_if_synchronising);
}

enum status detect_wait_at_create(struct detection *detection)
{
    return for_instances(detection, PATTERN_WAIT_AT_CREATE, KIND(WIN_CREATE), until_last);
}

enum status detect_wait_at_free(struct detection *detection)
{
    return for_instances(detection, PATTERN_WAIT_AT_FREE, KIND(WIN_FREE), until_last);
}

enum status detect_wait_at_barrier(struct detection *detection)
{
    return for_instances(detection, PATTERN_WAIT_AT_BARRIER, KIND(BARRIER), until_last);
}

enum status detect_barrier_completion(struct detection *detection)
{
    return for_instances(detection, PATTERN_BARRIER_COMPLETION, KIND(BARRIER), after_first_exit);
}

enum status detect_wait_at_nxn(struct detection *detection)
{
    return for_instances(detection, PATTERN_WAIT_AT_NXN, KIND(ALLREDUCE) | KIND(ALLGATHER) | KIND(ALLTOALL),
                         until_last);
}

enum status detect_late_broadcast(struct detection *detection)
{
    return for_instances(detection, PATTERN_LATE_BROADCAST, KIND(BCAST) | KIND(SCATTER), until_root);
}

enum status detect_early_reduce(struct detection *detection)
{
    return for_instances(detection, PATTERN_EARLY_REDUCE, KIND(REDUCE) | KIND(GATHER), root_until_first);
}
