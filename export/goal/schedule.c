#include "export/goal/schedule.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"

enum status goal_new(const struct trace *trace, struct goal_schedule *schedule, struct err *err)
{
    struct goal_rank *ranks = calloc(trace->rank_count, sizeof *ranks);
    if (!ranks) return err_memory(err);
    *schedule = (struct goal_schedule){.trace = trace, .ranks = ranks};
    return STATUS_OK;
}

void goal_clear(struct goal_schedule *schedule)
{
    for (uint32_t r = 0; r < schedule->trace->rank_count; r++) {
        FREE_ALL(schedule->ranks[r].operations, schedule->ranks[r].dependencies);
    }
    FREE_ALL(schedule->ranks, schedule->parts);
    *schedule = (struct goal_schedule){.trace = NULL};
}

enum status goal_calc(struct goal_schedule *schedule, uint32_t rank, uint64_t ns, struct goal_id *made, struct err *err)
{
    struct goal_rank *own = &schedule->ranks[rank];
    struct goal_operation operation = {.kind = GOAL_CALC, .amount = ns};
    if (own->count == UINT32_MAX)
        return err_set(err, STATUS_DATA, schedule->trace->name, NULL,
                       "rank %" PRIu32 " has more than %" PRIu32 " operations", rank, UINT32_MAX);
    *made = (struct goal_id){rank, (uint32_t)own->count};
    ARRAY_PUSH(own->operations, own->count, own->capacity, operation, err);
    return STATUS_OK;
}

static enum status add_dependency(struct goal_schedule *schedule, struct goal_id operation, struct goal_id before, bool begun,
                                  struct err *err)
{
    struct goal_rank *own = &schedule->ranks[operation.rank];
    struct goal_dependency made = {operation.number, before.number, begun};
    ARRAY_PUSH(own->dependencies, own->dependency_count, own->dependency_capacity, made, err);
    return STATUS_OK;
}

enum status goal_require(struct goal_schedule *schedule, struct goal_id operation, struct goal_id before, struct err *err)
{
    return add_dependency(schedule, operation, before, false, err);
}

enum status goal_require_begun(struct goal_schedule *schedule, struct goal_id operation, struct goal_id before, struct err *err)
{
    return add_dependency(schedule, operation, before, true, err);
}

enum status goal_join(struct goal_schedule *schedule, struct goal_id send, struct goal_id receive, int64_t bytes,
                      struct err *err)
{
    if (send.rank == receive.rank) return goal_require(schedule, receive, send, err);
    if (schedule->messages == UINT32_MAX)
        return err_set(err, STATUS_DATA, schedule->trace->name, NULL,
                       "more messages than GOAL has tags, expected less than %" PRIu32, UINT32_MAX);
    struct goal_operation end = {.tag = schedule->messages++, .amount = bytes > 0 ? (uint64_t)bytes : 1};
    struct goal_operation *from = &schedule->ranks[send.rank].operations[send.number];
    struct goal_operation *to = &schedule->ranks[receive.rank].operations[receive.number];
    *from = *to = end;
    from->kind = GOAL_SEND;
    from->peer = receive.rank;
    to->kind = GOAL_RECEIVE;
    to->peer = send.rank;
    return STATUS_OK;
}

enum status goal_message(struct goal_schedule *schedule, uint32_t from, uint32_t to, int64_t bytes,
                         struct goal_message *made, struct err *err)
{
    TRY(goal_calc(schedule, from, 0, &made->send, err));
    TRY(goal_calc(schedule, to, 0, &made->receive, err));
    return goal_join(schedule, made->send, made->receive, bytes, err);
}

static enum status add_part(struct goal_schedule *schedule, struct goal_part made, struct err *err)
{
    ARRAY_PUSH(schedule->parts, schedule->part_count, schedule->part_capacity, made, err);
    return STATUS_OK;
}

enum status goal_begins(struct goal_schedule *schedule, size_t call, struct goal_id operation, struct err *err)
{
    return add_part(schedule, (struct goal_part){operation, GOAL_BEGINS, call}, err);
}

enum status goal_ends(struct goal_schedule *schedule, size_t call, struct goal_id operation, struct err *err)
{
    return add_part(schedule, (struct goal_part){operation, GOAL_ENDS, call}, err);
}

enum status goal_requests(struct goal_schedule *schedule, size_t call, struct goal_id operation, struct err *err)
{
    return add_part(schedule, (struct goal_part){operation, GOAL_REQUEST, call}, err);
}

static void write_operation(const struct goal_operation *operation, size_t label, FILE *out)
{
    if (operation->kind == GOAL_CALC) {
        fprintf(out, "l%zu: calc %" PRIu64 "\n", label, operation->amount);
        return;
    }
    fprintf(out, "l%zu: %s %" PRIu64 "b %s %" PRIu32 " tag %" PRIu32 "\n", label, operation->kind == GOAL_SEND ? "send" : "recv",
            operation->amount, operation->kind == GOAL_SEND ? "to" : "from", operation->peer, operation->tag);
}

void goal_write(const struct goal_schedule *schedule, FILE *out)
{
    fprintf(out, "num_ranks %" PRIu32 "\n", schedule->trace->rank_count);
    for (uint32_t r = 0; r < schedule->trace->rank_count; r++) {
        const struct goal_rank *rank = &schedule->ranks[r];
        fprintf(out, "\nrank %" PRIu32 " {\n", r);
        for (size_t i = 0; i < rank->count; i++) write_operation(&rank->operations[i], i + 1, out);
        for (size_t i = 0; i < rank->dependency_count; i++) {
            const struct goal_dependency *dependency = &rank->dependencies[i];
            fprintf(out, "l%" PRIu64 " %s l%" PRIu64 "\n", (uint64_t)dependency->operation + 1,
                    dependency->begun ? "irequires" : "requires", (uint64_t)dependency->before + 1);
        }
        fputs("}\n", out);
    }
}
