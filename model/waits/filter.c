#include "model/waits/filter.h"

#include <fnmatch.h>
#include <stdlib.h>

bool filter_is_set(const struct filter *filter)
{
    return filter->by_window || filter->by_rank || filter->by_time || filter->section || filter->callpath;
}

static bool passes_window(const struct filter *filter, const struct trace_call *call, enum mpi_call function)
{
    return call_row(function)->allowed & F_WIN && call->handle == filter->window;
}

static bool passes_time(const struct filter *filter, const struct trace *trace, const struct trace_call *call)
{
    int64_t begin_ps = trace_begin_ps(trace);
    return call->exit_ps - begin_ps >= filter->from_ps && call->enter_ps - begin_ps <= filter->to_ps;
}

enum status filter_passes(const struct filter *filter, const struct trace *trace, const struct callpaths *paths,
                          const struct finding *finding, bool *passes, struct err *err)
{
    const struct trace_call *call = &trace->ranks[finding->rank].calls[finding->call];
    enum mpi_call function = trace_function(trace, finding->rank, finding->call);
    char *text;
    *passes = (!filter->by_window || passes_window(filter, call, function)) &&
              (!filter->by_rank || (finding->rank >= filter->first_rank && finding->rank <= filter->last_rank)) &&
              (!filter->by_time || passes_time(filter, trace, call)) &&
              (!filter->section || section_has(filter->section, finding->rank, call));
    if (!*passes || !filter->callpath) return STATUS_OK;
    uint32_t node = callpath_at(paths, finding->rank, finding->call);
    TRY(callpath_text(trace, paths, node, call->site, function, &text, err));
    *passes = fnmatch(filter->callpath, text, 0) == 0;
    free(text);
    return STATUS_OK;
}
