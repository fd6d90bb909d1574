#include "predictors/sensitivity/stretched.h"

#include <stdlib.h>

#include "common/array.h"

static enum status copy_times(const int64_t *ps, size_t count, int64_t factor, int64_t **made, struct err *err)
{
    *made = NULL;
    if (!ps) return STATUS_OK;
    *made = malloc((count + 1) * sizeof **made);
    if (!*made) return err_memory(err);
    for (size_t i = 0; i < count; i++) (*made)[i] = ps[i] == TRACE_UNKNOWN_PS ? ps[i] : ps[i] * factor;
    return STATUS_OK;
}

static enum status stretch_rank(const struct trace_rank *rank, int64_t factor, struct trace_rank *made, struct err *err)
{
    made->calls = malloc((rank->count + 1) * sizeof *made->calls);
    if (!made->calls) return err_memory(err);
    for (size_t i = 0; i < rank->count; i++) {
        made->calls[i] = rank->calls[i];
        made->calls[i].enter_ps *= factor;
        made->calls[i].exit_ps *= factor;
    }
    for (int what = 0; what < BEFORE_COUNT; what++)
        TRY(copy_times(rank->before_ps[what], rank->count, factor, &made->before_ps[what], err));
    return copy_times(rank->compute_ps, rank->count, factor, &made->compute_ps, err);
}

enum status stretched_new(const struct trace *trace, int64_t factor, struct trace **made, struct err *err)
{
    struct trace *view = malloc(sizeof *view);
    if (!view) return err_memory(err);
    *view = *trace;
    view->ranks = calloc((size_t)trace->rank_count + 1, sizeof *view->ranks);
    enum status status = view->ranks ? STATUS_OK : err_memory(err);
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++) {
        view->ranks[r] = trace->ranks[r];
        view->ranks[r].calls = NULL;
        view->ranks[r].compute_ps = NULL;
        for (int what = 0; what < BEFORE_COUNT; what++) view->ranks[r].before_ps[what] = NULL;
        status = stretch_rank(&trace->ranks[r], factor, &view->ranks[r], err);
    }
    view->begin_ps *= factor;
    view->provenance.record_cost_ps *= factor;
    GIVE(status, *made = view, stretched_free(view));
}

void stretched_free(struct trace *made)
{
    for (uint32_t r = 0; made && made->ranks && r < made->rank_count; r++) {
        FREE_ALL(made->ranks[r].calls, made->ranks[r].compute_ps);
        for (int what = 0; what < BEFORE_COUNT; what++) free(made->ranks[r].before_ps[what]);
    }
    if (made) free(made->ranks);
    free(made);
}
