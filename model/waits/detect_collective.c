/* Wait states of collective calls: fences, window creation and freeing, barriers, collectives. */
#include "model/waits/detect.h"

/* What the calls of one complete instance have in common. */
struct meeting {
    const struct relations *relations;
    const struct instance *instance;
    const struct trace_comm *comm;
    int64_t last_enter_ps, first_exit_ps, first_sender_ps; /* first_sender: earliest enter among all but the root */
    uint32_t last, root, first_sender;                     /* members; NO_MEMBER: there is none */
};

/* The member whose enter another member waits for; NO_MEMBER if it waits for nobody. */
typedef uint32_t meeting_cause(const struct meeting *meeting, uint32_t member, const struct trace_call *call);

enum { NO_MEMBER = UINT32_MAX };

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

/* Of a gather with counts a member may bring nothing. */
static bool brings_something(const struct trace_call *call)
{
    return call->bytes > 0 || call_kind(call->call) != CALL_GATHERV;
}

static void meet(const struct relations *relations, const struct instance *instance, struct meeting *meeting)
{
    *meeting = (struct meeting){.relations = relations,
                                .instance = instance,
                                .comm = instance_comm(relations->trace, instance),
                                .last_enter_ps = INT64_MIN,
                                .first_exit_ps = INT64_MAX,
                                .first_sender_ps = INT64_MAX,
                                .last = NO_MEMBER,
                                .root = NO_MEMBER,
                                .first_sender = NO_MEMBER};
    for (uint32_t m = 0; m < instance->size; m++) {
        const struct trace_call *call = instance_call(relations->trace, &relations->instances, instance, m);
        meeting->first_exit_ps = smaller(meeting->first_exit_ps, call->exit_ps);
        if (call->enter_ps > meeting->last_enter_ps) {
            meeting->last_enter_ps = call->enter_ps;
            meeting->last = m;
        }
        if (is_root(meeting, m, call)) {
            meeting->root = m;
        } else if (call->enter_ps < meeting->first_sender_ps && brings_something(call)) {
            meeting->first_sender_ps = call->enter_ps;
            meeting->first_sender = m;
        }
    }
}

static size_t member_call(const struct relations *relations, const struct instance *instance, uint32_t member)
{
    return relations->instances.calls[instance->member_first + member];
}

static enum status find_members(struct detection *detection, enum pattern pattern, const struct meeting *meeting,
                                meeting_cause *cause)
{
    const struct relations *relations = detection->relations;
    const struct instance *instance = meeting->instance;
    for (uint32_t m = 0; m < instance->size; m++) {
        if (relations->trace->ranks[meeting->comm->members[m]].foreign) continue;
        uint32_t other = cause(meeting, m, instance_call(relations->trace, &relations->instances, instance, m));
        if (other == NO_MEMBER) continue;
        struct finding finding = finding_of_enter(
            relations, pattern, (uint32_t)meeting->comm->members[m], member_call(relations, instance, m),
            (uint32_t)meeting->comm->members[other], member_call(relations, instance, other));
        TRY(detect_found(detection, &finding));
    }
    return STATUS_OK;
}

static enum status for_instances(struct detection *detection, enum pattern pattern, uint64_t kinds,
                                 meeting_cause *cause)
{
    const struct instances *instances = &detection->relations->instances;
    for (size_t i = 0; i < instances->count; i++) {
        struct meeting meeting;
        if (!(kinds >> instances->items[i].kind & 1) || !instance_complete(&instances->items[i])) continue;
        meet(detection->relations, &instances->items[i], &meeting);
        TRY(find_members(detection, pattern, &meeting, cause));
    }
    return STATUS_OK;
}

static uint32_t until_last(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    (void)member;
    (void)call;
    return meeting->last;
}

/* The last one that brings something for the member. */
static uint32_t until_last_giver(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    const struct relations *relations = meeting->relations;
    uint32_t last = NO_MEMBER;
    int64_t last_ps = INT64_MIN;
    (void)call;
    for (uint32_t i = 0; i <= meeting->instance->size; i++) { /* the last of all first: it mostly does */
        uint32_t m = i == 0 ? meeting->last : i - 1;
        const struct trace_call *its = instance_call(relations->trace, &relations->instances, meeting->instance, m);
        if (its->enter_ps <= last_ps || !instance_gives(relations->trace, meeting->comm, its, m, member)) continue;
        if (i == 0) return m;
        last_ps = its->enter_ps;
        last = m;
    }
    return last;
}

/* A member that left before the last one came shows that nobody had to wait for it. */
static uint32_t until_last_if_synchronising(const struct meeting *meeting, uint32_t member,
                                            const struct trace_call *call)
{
    return meeting->first_exit_ps >= meeting->last_enter_ps ? until_last(meeting, member, call) : NO_MEMBER;
}

/* The last source of a neighbourhood collective. */
static uint32_t until_last_source(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    (void)member;
    const struct relations *relations = meeting->relations;
    struct trace_neighbors neighbors;
    uint32_t last = NO_MEMBER;
    int64_t last_ps = INT64_MIN;
    if (!trace_call_neighbors(relations->trace, call, &neighbors)) return NO_MEMBER;
    for (uint32_t i = 0; i < neighbors.source_count; i++) {
        uint32_t source = (uint32_t)trace_comm_rank(meeting->comm, (int32_t)neighbors.sources[i]);
        const struct trace_call *its =
            instance_call(relations->trace, &relations->instances, meeting->instance, source);
        if (its->enter_ps <= last_ps) continue;
        last_ps = its->enter_ps;
        last = source;
    }
    return last;
}

static uint32_t until_root(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    bool gets_nothing = call_kind(call->call) == CALL_SCATTERV && call->bytes == 0;
    return is_root(meeting, member, call) || gets_nothing ? NO_MEMBER : meeting->root;
}

static uint32_t root_until_first(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    return is_root(meeting, member, call) ? meeting->first_sender : NO_MEMBER;
}

_Static_assert(CALL_COMM_FREE < 64, "a set of kinds is one word");
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
    return for_instances(detection, PATTERN_WAIT_AT_BARRIER, KIND(BARRIER) | KIND(SHMEM_BARRIER), until_last_giver);
}

/* Begins where Wait at Barrier ends, so that the two never count the same time. */
static enum status find_completion(struct detection *detection, const struct meeting *meeting)
{
    const struct relations *relations = detection->relations;
    for (uint32_t m = 0; m < meeting->instance->size; m++) {
        const struct trace_call *call = instance_call(relations->trace, &relations->instances, meeting->instance, m);
        int64_t from_ps = larger(call->enter_ps, larger(meeting->first_exit_ps, meeting->last_enter_ps));
        TRY(detect_found(detection, &(struct finding){.pattern = PATTERN_BARRIER_COMPLETION,
                                                      .rank = (uint32_t)meeting->comm->members[m],
                                                      .call = member_call(relations, meeting->instance, m),
                                                      .severity_ps = call->exit_ps - from_ps,
                                                      .cause_call = FINDING_NO_CALL}));
    }
    return STATUS_OK;
}

enum status detect_barrier_completion(struct detection *detection)
{
    const struct instances *instances = &detection->relations->instances;
    for (size_t i = 0; i < instances->count; i++) {
        struct meeting meeting;
        bool barrier = instances->items[i].kind == CALL_BARRIER || instances->items[i].kind == CALL_SHMEM_BARRIER;
        if (!barrier || !instance_complete(&instances->items[i])) continue;
        meet(detection->relations, &instances->items[i], &meeting);
        TRY(find_completion(detection, &meeting));
    }
    return STATUS_OK;
}

enum status detect_wait_at_nxn(struct detection *detection)
{
    TRY(for_instances(detection, PATTERN_WAIT_AT_NXN, KIND(NEIGHBOR), until_last_source));
    return for_instances(detection, PATTERN_WAIT_AT_NXN,
                         KIND(ALLREDUCE) | KIND(ALLGATHER) | KIND(ALLTOALL) | KIND(ALLGATHERV) | KIND(ALLTOALLV) |
                             KIND(REDUCE_SCATTER),
                         until_last_giver);
}

/* A member needs the values of all members before it. */
static enum status find_prefixes(struct detection *detection, const struct instance *instance)
{
    const struct relations *relations = detection->relations;
    const struct trace_comm *comm = instance_comm(relations->trace, instance);
    uint32_t last = 0;
    for (uint32_t m = 1; m < instance->size; m++) {
        const struct trace_call *before = instance_call(relations->trace, &relations->instances, instance, m - 1);
        if (before->enter_ps > instance_call(relations->trace, &relations->instances, instance, last)->enter_ps)
            last = m - 1;
        struct finding finding = finding_of_enter(
            relations, PATTERN_EARLY_SCAN, (uint32_t)comm->members[m], member_call(relations, instance, m),
            (uint32_t)comm->members[last], member_call(relations, instance, last));
        TRY(detect_found(detection, &finding));
    }
    return STATUS_OK;
}

enum status detect_early_scan(struct detection *detection)
{
    const struct instances *instances = &detection->relations->instances;
    for (size_t i = 0; i < instances->count; i++) {
        const struct instance *instance = &instances->items[i];
        bool scan = instance->kind == CALL_SCAN || instance->kind == CALL_EXSCAN;
        if (scan && instance_complete(instance)) TRY(find_prefixes(detection, instance));
    }
    return STATUS_OK;
}

enum status detect_late_broadcast(struct detection *detection)
{
    return for_instances(detection, PATTERN_LATE_BROADCAST, KIND(BCAST) | KIND(SCATTER) | KIND(SCATTERV), until_root);
}

enum status detect_early_reduce(struct detection *detection)
{
    return for_instances(detection, PATTERN_EARLY_REDUCE, KIND(REDUCE) | KIND(GATHER) | KIND(GATHERV),
                         root_until_first);
}
