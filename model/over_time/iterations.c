#include "model/over_time/iterations.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct rank_iterations {
    uint32_t *numbers; /* owned: of the slice's calls */
    size_t capacity;
    uint32_t now, count; /* its number; how many have begun, with iteration 0 */
    uint64_t seen;       /* calls that a loop's iterations begin with */
    int64_t since_ps, left_ps; /* when it began; when the call before ended */
    bool begun;
};

struct iterations {
    const struct main_loop *loop; /* NULL: of the name */
    const char *name;
    enum mpi_call function; /* of that name; ID_none: it names a region */
    uint32_t rank_count;
    struct rank_iterations *ranks;
};

void iterations_free(struct iterations *iterations)
{
    for (uint32_t r = 0; iterations && iterations->ranks && r < iterations->rank_count; r++) free(iterations->ranks[r].numbers);
    if (iterations) free(iterations->ranks);
    free(iterations);
}

enum status iterations_new(uint32_t rank_count, const char *name, const struct main_loop *loop, struct iterations **iterations,
                           struct err *err)
{
    struct iterations *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct iterations){loop, name, ID_none, rank_count, calloc((size_t)rank_count + 1, sizeof *made->ranks)};
    if (loop || !call_by_name(name, &made->function)) made->function = ID_none;
    GIVE(made->ranks ? STATUS_OK : err_memory(err), *iterations = made, iterations_free(made));
}

static void end_iteration(struct rank_iterations *of, uint32_t rank, uint32_t next, int64_t at_ps, iteration_ended *ended,
                          void *context)
{
    ended(context, rank, of->now, of->since_ps, at_ps);
    if (next == of->count) of->count++;
    of->now = next;
    of->since_ps = at_ps;
}

/* The number of the iteration that the call is in, of which it may be the first. */
static uint32_t number_at(const struct iterations *iterations, const struct trace *trace, struct rank_iterations *of,
                          const struct trace_call *call)
{
    if (!iterations->loop) {
        const char *const *regions = (const char *const *)trace->definitions.regions;
        return call->call == ID_region_enter && strcmp(regions[call->region.region], iterations->name) == 0 ? of->count : of->now;
    }
    const uint64_t key = main_loop_key(call);
    if (key == iterations->loop->begins) return of->seen++ % iterations->loop->every == 0 ? of->count : of->now;
    const bool outside = call_kind(call->call) == CALL_FINALIZE || map_find(&iterations->loop->outside, key);
    return outside && of->now > 0 ? ITERATION_BEHIND : of->now;
}

static enum status number_rank(struct iterations *iterations, const struct trace *trace, uint32_t rank, iteration_ended *ended,
                               void *context, struct err *err)
{
    struct rank_iterations *of = &iterations->ranks[rank];
    const struct trace_rank *process = &trace->ranks[rank];
    TRY(array_reserve((void **)&of->numbers, &of->capacity, process->count, sizeof *of->numbers, err));
    if (!of->begun) of->since_ps = of->left_ps = trace_begin_ps(trace);
    if (!of->begun) of->count = 1;
    of->begun = true;
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        const bool counts = i >= process->kept_count && trace_call_thread(trace, rank, i) == 0;
        const uint32_t number = counts ? number_at(iterations, trace, of, call) : of->now;
        const bool enters = call->call == ID_region_enter;
        if (number != of->now) end_iteration(of, rank, number, enters ? call->enter_ps : of->left_ps, ended, context);
        of->numbers[i] = i < process->kept_count ? process->kept[i].iteration : of->now;
        if (counts) of->left_ps = call->exit_ps;
        if (counts && call->call == iterations->function) end_iteration(of, rank, of->count, call->exit_ps, ended, context);
    }
    return STATUS_OK;
}

enum status iterations_go_on(struct iterations *iterations, const struct trace *trace, iteration_ended *ended, void *context,
                             struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) TRY(number_rank(iterations, trace, r, ended, context, err));
    return STATUS_OK;
}

uint32_t iterations_at(const struct iterations *iterations, uint32_t rank, size_t index)
{
    return iterations->ranks[rank].numbers[index];
}

enum status iterations_end(struct iterations *iterations, const struct trace *trace, iteration_ended *ended, void *context,
                           uint32_t *count, struct err *err)
{
    *count = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        struct rank_iterations *of = &iterations->ranks[r];
        if (trace->ranks[r].count == 0) continue;
        if (*count < of->count) *count = of->count;
        ended(context, r, of->now, of->since_ps, trace_rank_end_ps(trace, r));
    }
    if (*count > 1) return STATUS_OK;
    return err_set(err, STATUS_DATA, trace->name, NULL,
                   "--over-time %s: no rank has it, expected a user region or an MPI function of the trace", iterations->name);
}
