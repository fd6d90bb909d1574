/* Fence epochs. Whether a fence was needed depends on the operations before and after it, so a fence is final when
 * every member has made the next one. Fences are matched by counting, so a fence is kept for all members or for
 * none. */
#include <stdlib.h>

#include "model/match/relations.h"
#include "model/slices/final.h"

struct window_fences {
    size_t complete; /* number of fences, from the first on, that are complete */
    size_t final_count;
    size_t stay; /* the first fence that is kept */
};

static void look_at_fences(const struct relations *relations, int32_t window, struct window_fences *fences)
{
    const struct instances *instances = &relations->instances;
    const struct instance *fence, *freed = instance_find(instances, CALL_WIN_FREE, window, 0);
    size_t count = 0;
    while ((fence = instance_find(instances, CALL_FENCE, window, count)) && instance_complete(fence)) count++;
    fences->complete = count;
    fences->final_count = count > 0 ? count - 1 : 0;
    if (!fence && freed && instance_complete(freed)) fences->final_count = count;
}

static void look_at_epochs(const struct epochs *epochs, struct window_fences *fences)
{
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        struct window_fences *of = &fences[epoch->window];
        if (epoch->kind == EPOCH_FENCE && epoch->close_call == EPOCH_NONE && epoch->open_number < of->final_count)
            of->final_count = epoch->open_number;
    }
}

static void mark_operations(struct slice_state *state, const struct epochs *epochs, struct window_fences *fences)
{
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        const struct access_epoch *epoch = &epochs->accesses[operation->epoch];
        struct window_fences *of = &fences[epoch->window];
        bool closed = epoch->close_call != EPOCH_NONE;
        if (epoch->kind != EPOCH_FENCE || (closed && epoch->close_number < of->final_count)) continue;
        slice_state_mark(state, operation->origin, operation->call,
                         closed && epoch->close_number < of->complete ? SLICE_KEEP : SLICE_OPEN);
        if (epoch->open_number < of->stay) of->stay = epoch->open_number;
    }
}

static void mark_fences(struct slice_state *state, const struct relations *relations, int32_t window, size_t first)
{
    const struct instance *fence;
    const struct trace_comm *comm =
        &relations->trace->definitions.comms[relations->trace->definitions.windows[window].comm];
    for (size_t i = first; (fence = instance_find(&relations->instances, CALL_FENCE, window, i)); i++)
        for (uint32_t m = 0; m < fence->size; m++) {
            size_t call = relations->instances.calls[fence->member_first + m];
            if (call != INSTANCE_NONE) slice_state_mark(state, (uint32_t)comm->members[m], call, SLICE_KEEP);
        }
}

enum status mark_final_fences(struct slice_state *state, const struct relations *relations, struct err *err)
{
    size_t windows = relations->trace->definitions.window_count;
    struct window_fences *fences = calloc(windows + 1, sizeof *fences);
    if (!fences) return err_memory(err);
    for (size_t w = 0; w < windows; w++) look_at_fences(relations, (int32_t)w, &fences[w]);
    look_at_epochs(&relations->epochs, fences);
    for (size_t w = 0; w < windows; w++) fences[w].stay = fences[w].final_count;
    mark_operations(state, &relations->epochs, fences);
    for (size_t w = 0; w < windows; w++) {
        mark_fences(state, relations, (int32_t)w, fences[w].stay);
        state->pairs_now[w] = fences[w].final_count;
        state->pairs_next[w] = fences[w].final_count - fences[w].stay;
    }
    free(fences);
    return STATUS_OK;
}
