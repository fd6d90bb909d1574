#include "validate/as_recorded.h"

#include <stdlib.h>
#include <string.h>

enum status as_recorded_init(struct trace *view, const struct trace *trace, struct err *err)
{
    *view = *trace;
    view->provenance.simulated = false;
    view->ranks = calloc((size_t)trace->rank_count + 1, sizeof *view->ranks);
    if (!view->ranks) return err_memory(err);
    memcpy(view->ranks, trace->ranks, trace->rank_count * sizeof *view->ranks);
    for (uint32_t r = 0; r < view->rank_count; r++) view->ranks[r].sim = NULL;
    return STATUS_OK;
}

void as_recorded_clear(struct trace *view)
{
    free(view->ranks);
    view->ranks = NULL;
}
