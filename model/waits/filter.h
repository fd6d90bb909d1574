/* Selects the waits that are counted: by window, by rank, by time, by part of the program. */
#ifndef MODEL_WAITS_FILTER_H
#define MODEL_WAITS_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/callpaths/callpath.h"
#include "model/waits/finding.h"
#include "model/waits/section.h"
#include "trace/trace.h"

/* An all-zero filter passes every wait. */
struct filter {
    bool by_window, by_rank, by_time;
    int32_t window;
    uint32_t first_rank, last_rank; /* of the rank that waits */
    int64_t from_ps, to_ps;         /* since the trace's first event; calls that overlap this time pass */
    const struct section *section;  /* NULL: any. Borrowed */
    const char *callpath;           /* shell pattern (fnmatch) for the place of the wait; NULL: any. Borrowed */
};

/* paths may be NULL if filter->callpath is. */
enum status filter_passes(const struct filter *filter, const struct trace *trace, const struct callpaths *paths,
                          const struct finding *finding, bool *passes, struct err *err);

bool filter_is_set(const struct filter *filter);

#endif
