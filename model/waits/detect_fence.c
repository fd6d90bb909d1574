/* Early Fence: the part of Wait at Fence in which operations on the waiting rank's window were still in progress. */
#include <stdlib.h>

#include "model/waits/detect.h"
#include "model/match/fences.h"

/* The operation on one member that ends last before a fence: its origin and call. */
struct incoming {
    int64_t exit_ps, next_ps; /* next_ps: the latest exit of the others */
    uint32_t origin;
    size_t call;
};

static void note_operation(const struct relations *relations, const struct epoch_operation *operation,
                           struct incoming *incoming)
{
    const struct access_epoch *epoch = &relations->epochs.accesses[operation->epoch];
    const struct trace_call *call = relations_call(relations, operation->origin, operation->call);
    if (epoch->kind != EPOCH_FENCE || epoch->close_call == EPOCH_NONE || (uint32_t)call->peer == operation->origin)
        return;
    const struct instance *instance =
        instance_find(&relations->instances, CALL_FENCE, epoch->window, epoch->close_number);
    if (!instance || !instance_complete(instance)) return;
    int32_t member = trace_comm_rank(instance_comm(relations->trace, instance), call->peer);
    struct incoming *last = &incoming[instance->member_first + (size_t)member];
    if (call->exit_ps > last->exit_ps)
        *last = (struct incoming){call->exit_ps, last->exit_ps, operation->origin, operation->call};
    else if (call->exit_ps > last->next_ps)
        last->next_ps = call->exit_ps;
}

static enum status find_members(struct detection *detection, const struct instance *instance,
                                const struct incoming *incoming)
{
    const struct relations *relations = detection->relations;
    const struct trace_comm *comm = instance_comm(relations->trace, instance);
    for (uint32_t m = 0; m < instance->size; m++) {
        const struct incoming *last = &incoming[instance->member_first + m];
        size_t call = relations->instances.calls[instance->member_first + m];
        if (last->exit_ps == INT64_MIN) continue;
        struct finding finding = finding_of_enter(relations, PATTERN_EARLY_FENCE, (uint32_t)comm->members[m], call,
                                                  last->origin, last->call);
        finding.until_ps = last->exit_ps;
        finding.severity_ps = wait_until(relations_call(relations, finding.rank, call), last->exit_ps);
        finding.earlier_ps = finding.severity_ps;
        if (last->next_ps != INT64_MIN && last->exit_ps - last->next_ps < finding.earlier_ps)
            finding.earlier_ps = last->exit_ps - last->next_ps;
        TRY(detect_found(detection, &finding));
    }
    return STATUS_OK;
}

enum status detect_early_fence(struct detection *detection)
{
    const struct relations *relations = detection->relations;
    const struct instances *instances = &relations->instances;
    enum status status = STATUS_OK;
    if (relations->epochs.operation_count == 0) return STATUS_OK;
    struct incoming *incoming = malloc((instances->call_count + 1) * sizeof *incoming);
    if (!incoming) return err_memory(detection->err);
    for (size_t i = 0; i < instances->call_count; i++) incoming[i] = (struct incoming){INT64_MIN, INT64_MIN, 0, 0};
    for (size_t i = 0; i < relations->epochs.operation_count; i++)
        note_operation(relations, &relations->epochs.operations[i], incoming);
    for (size_t i = 0; status == STATUS_OK && i < instances->count; i++)
        if (instances->items[i].kind == CALL_FENCE && fence_synchronises(relations, &instances->items[i]))
            status = find_members(detection, &instances->items[i], incoming);
    free(incoming);
    return status;
}
