/* Wait states of collective calls: fences, window creation and freeing, barriers, collectives. */
#include "common/units.h"
#include "model/waits/detect.h"

/* Figures of all calls of one complete instance. */
struct meeting {
    const struct relations *relations;
    const struct instance *instance;
    const struct trace_comm *comm;
    int64_t last_enter_ps, first_exit_ps, first_sender_ps; /* first_sender_ps: the earliest enter of all members but the
                                                              root */
    int64_t next_enter_ps;                                 /* the latest enter of all members but the last one */
    uint32_t last, next, root, first_sender;               /* members; NO_MEMBER: there is none */
};

enum { NO_MEMBER = UINT32_MAX };

/* The member whose enter another member waits for, and the enter that it would wait for otherwise. */
struct cause {
    uint32_t member; /* NO_MEMBER: it waits for no member */
    int64_t next_ps; /* INT64_MIN: for none */
};
static const struct cause nobody = {NO_MEMBER, INT64_MIN};

typedef struct cause meeting_cause(const struct meeting *meeting, uint32_t member, const struct trace_call *call);

static bool is_root(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    return meeting->comm->members[member] == call->peer;
}

/* Whether the member contributes data: in a gather with counts it may contribute none. */
static bool brings_something(const struct trace_call *call)
{
    return call->bytes > 0 || call_kind(call->call) != CALL_GATHERV;
}

static void find_meeting(const struct relations *relations, const struct instance *instance, struct meeting *meeting)
{
    *meeting = (struct meeting){.relations = relations,
                                .instance = instance,
                                .comm = instance_comm(relations->trace, instance),
                                .last_enter_ps = INT64_MIN,
                                .next_enter_ps = INT64_MIN,
                                .first_exit_ps = INT64_MAX,
                                .first_sender_ps = INT64_MAX,
                                .last = NO_MEMBER,
                                .next = NO_MEMBER,
                                .root = NO_MEMBER,
                                .first_sender = NO_MEMBER};
    for (uint32_t m = 0; m < instance->size; m++) {
        const struct trace_call *call = instance_call(relations->trace, &relations->instances, instance, m);
        meeting->first_exit_ps = units_min_ps(meeting->first_exit_ps, call->exit_ps);
        if (call->enter_ps > meeting->last_enter_ps) {
            meeting->next_enter_ps = meeting->last_enter_ps;
            meeting->next = meeting->last;
            meeting->last_enter_ps = call->enter_ps;
            meeting->last = m;
        } else if (call->enter_ps > meeting->next_enter_ps) {
            meeting->next_enter_ps = call->enter_ps;
            meeting->next = m;
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

/* How much earlier the cause can usefully enter: until the member waits for another one. */
static int64_t earlier_ps(const struct relations *relations, const struct finding *finding, int64_t next_ps)
{
    int64_t cause_ps = relations_call(relations, finding->cause_rank, finding->cause_call)->enter_ps;
    bool capped = next_ps != INT64_MIN && cause_ps - next_ps < finding->severity_ps;
    return capped ? cause_ps - next_ps : finding->severity_ps;
}

static enum status find_members(struct detection *detection, enum pattern pattern, const struct meeting *meeting,
                                meeting_cause *cause)
{
    const struct relations *relations = detection->relations;
    const struct instance *instance = meeting->instance;
    for (uint32_t m = 0; m < instance->size; m++) {
        struct cause other = cause(meeting, m, instance_call(relations->trace, &relations->instances, instance, m));
        if (other.member == NO_MEMBER) continue;
        struct finding finding = finding_of_enter(
            relations, pattern, (uint32_t)meeting->comm->members[m], member_call(relations, instance, m),
            (uint32_t)meeting->comm->members[other.member], member_call(relations, instance, other.member));
        finding.earlier_ps = earlier_ps(relations, &finding, other.next_ps);
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
        find_meeting(detection->relations, &instances->items[i], &meeting);
        TRY(find_members(detection, pattern, &meeting, cause));
    }
    return STATUS_OK;
}

static struct cause until_last(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    (void)member;
    (void)call;
    return (struct cause){meeting->last, meeting->next_enter_ps};
}

/* Adds a member to those that another one waits for. */
static void wait_for(const struct meeting *meeting, uint32_t member, struct cause *cause, int64_t *last_ps)
{
    const struct relations *relations = meeting->relations;
    int64_t enter_ps = instance_call(relations->trace, &relations->instances, meeting->instance, member)->enter_ps;
    if (member == cause->member) return; /* a neighbour twice */
    if (cause->member == NO_MEMBER || enter_ps > *last_ps) {
        if (cause->member != NO_MEMBER) cause->next_ps = *last_ps;
        *last_ps = enter_ps;
        cause->member = member;
    } else if (enter_ps > cause->next_ps) {
        cause->next_ps = enter_ps;
    }
}

/* Whether the member receives no block. All members of a reduce-scatter pass the same counts (MPI-3.1 5.10), so the
 * member's own counts answer that. */
static bool gets_nothing_of_all(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    if (call_kind(call->call) != CALL_REDUCE_SCATTER || meeting->comm->first_group > 0) return false;
    const int64_t *counts = trace_call_counts(meeting->relations->trace, call);
    return counts && counts[member] == 0;
}

/* Waits for the last member whose data this member needs. */
static struct cause until_last_giver(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    const struct relations *relations = meeting->relations;
    const uint32_t last[] = {meeting->last, meeting->next};
    struct cause cause = nobody;
    int64_t last_ps = INT64_MIN;
    bool both = true;
    if (gets_nothing_of_all(meeting, member, call)) return nobody;
    for (int i = 0; i < 2 && both && last[i] != NO_MEMBER; i++) { /* try the last two of all first: usually they
                                                                     contribute */
        const struct trace_call *its =
            instance_call(relations->trace, &relations->instances, meeting->instance, last[i]);
        both = instance_gives(relations->trace, meeting->comm, its, last[i], member);
    }
    if (both) return (struct cause){meeting->last, meeting->next_enter_ps};
    for (uint32_t m = 0; m < meeting->instance->size; m++) {
        const struct trace_call *its = instance_call(relations->trace, &relations->instances, meeting->instance, m);
        if (instance_gives(relations->trace, meeting->comm, its, m, member)) wait_for(meeting, m, &cause, &last_ps);
    }
    return cause;
}

/* Waits for the last member, unless some member left before it entered: then no member had to wait for it. */
static struct cause until_last_if_synchronising(const struct meeting *meeting, uint32_t member,
                                                const struct trace_call *call)
{
    return meeting->first_exit_ps >= meeting->last_enter_ps ? until_last(meeting, member, call) : nobody;
}

/* The last source of a neighbourhood collective. */
static struct cause until_last_source(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    (void)member;
    struct trace_neighbors neighbors;
    struct cause cause = nobody;
    int64_t last_ps = INT64_MIN;
    if (!trace_call_neighbors(meeting->relations->trace, call, &neighbors)) return nobody;
    for (uint32_t i = 0; i < neighbors.source_count; i++)
        wait_for(meeting, (uint32_t)trace_comm_rank(meeting->comm, (int32_t)neighbors.sources[i]), &cause, &last_ps);
    return cause;
}

static struct cause until_root(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    bool gets_nothing = call_kind(call->call) == CALL_SCATTERV && call->bytes == 0;
    return is_root(meeting, member, call) || gets_nothing ? nobody : (struct cause){meeting->root, INT64_MIN};
}

static struct cause root_until_first(const struct meeting *meeting, uint32_t member, const struct trace_call *call)
{
    return is_root(meeting, member, call) ? (struct cause){meeting->first_sender, INT64_MIN} : nobody;
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

enum status detect_barrier_completion(struct detection *detection)
{
    const struct instances *instances = &detection->relations->instances;
    for (size_t i = 0; i < instances->count; i++) {
        struct meeting meeting;
        bool barrier = instances->items[i].kind == CALL_BARRIER || instances->items[i].kind == CALL_SHMEM_BARRIER;
        if (!barrier || !instance_complete(&instances->items[i])) continue;
        find_meeting(detection->relations, &instances->items[i], &meeting);
        /* Barrier Completion begins where Wait at Barrier ends, so the two never count the same time. */
        const struct relations *relations = detection->relations;
        for (uint32_t m = 0; m < meeting.instance->size; m++) {
            const struct trace_call *call = instance_call(relations->trace, &relations->instances, meeting.instance, m);
            int64_t from_ps = units_max_ps(call->enter_ps, units_max_ps(meeting.first_exit_ps, meeting.last_enter_ps));
            TRY(detect_found(detection, &(struct finding){.pattern = PATTERN_BARRIER_COMPLETION,
                                                          .rank = (uint32_t)meeting.comm->members[m],
                                                          .call = member_call(relations, meeting.instance, m),
                                                          .severity_ps = call->exit_ps - from_ps,
                                                          .cause_call = FINDING_NO_CALL}));
        }
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
    const struct meeting meeting = {.relations = relations, .instance = instance, .comm = comm};
    struct cause cause = nobody;
    int64_t last_ps = INT64_MIN;
    for (uint32_t m = 1; m < instance->size; m++) {
        wait_for(&meeting, m - 1, &cause, &last_ps);
        struct finding finding = finding_of_enter(
            relations, PATTERN_EARLY_SCAN, (uint32_t)comm->members[m], member_call(relations, instance, m),
            (uint32_t)comm->members[cause.member], member_call(relations, instance, cause.member));
        finding.earlier_ps = earlier_ps(relations, &finding, cause.next_ps);
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
