/* A section of a run is, on each rank, the time between two marks; a pattern of call paths may restrict it further. A
 * result of a section has the section's times and waits, so that a predicted section can be compared with the same
 * section of a real run. */
#ifndef MODEL_WAITS_SECTION_H
#define MODEL_WAITS_SECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/callpaths/callpath.h"
#include "trace/trace.h"

struct result;

/* The requested section; all-zero is the whole run. A mark is a time since the first event ("10ms") or a name; "#3"
 * after the name selects its third occurrence on the rank. The name of a user region begins a section at its enter and
 * ends one at its exit. The name of an MPI function does both at its exit. Without a number the first occurrence begins
 * the section and the last one ends it. Texts are borrowed. */
struct section_marks {
    const char *from, *to;
    const char *callpath; /* shell pattern (fnmatch), also of struct filter */
    bool without_init;    /* from the end of MPI_Init on, up to the begin of MPI_Finalize */
};

struct section { /* per rank; from_ps == to_ps: the rank has no section */
    int64_t *from_ps, *to_ps;
};

bool section_is_set(const struct section_marks *marks);

/* Finds the section of each rank in its calls, which are added in their order: section_search_new, section_search_add,
 * section_search_end, section_search_free. Trace and marks are borrowed until section_search_free(), which takes NULL. */
struct section_search;
enum status section_search_new(const struct trace *trace, const struct section_marks *marks, struct section_search **search,
                               struct err *err);
void section_search_add(struct section_search *search, uint32_t rank, const struct trace_call *call);
/* A rank without a mark has no section. Returns STATUS_DATA if no rank has a mark, or a rank has the marks in the wrong
 * order. The caller clears *section. */
enum status section_search_end(const struct section_search *search, struct section *section, struct err *err);
void section_search_free(struct section_search *search);

/* The same for a trace in memory. */
enum status section_find(const struct trace *trace, const struct section_marks *marks, struct section *section,
                         struct err *err);
void section_clear(struct section *section);
/* The same where a run may be asked for as a whole: *section is room, or NULL if marks is NULL or none is set. The caller
 * clears *room in any case. */
enum status section_find_asked(const struct trace *trace, const struct section_marks *marks, struct section *room,
                               const struct section **section, struct err *err);

/* Whether the call begins in its rank's section. */
static inline bool section_has(const struct section *section, uint32_t rank, const struct trace_call *call)
{
    return call->enter_ps >= section->from_ps[rank] && call->enter_ps < section->to_ps[rank];
}

/* Time of thread 0 of each rank in a section, at the call paths that its pattern names. */
struct section_times {
    struct map matches; /* place to whether it matches */
    bool any;           /* some place matches */
    struct section_time *ranks; /* owned, as matches; NULL: nothing was added */
};
void section_times_clear(struct section_times *times);
/* Adds the new calls of all ranks. */
enum status section_times_add(struct section_times *times, const struct callpaths *paths, const char *pattern,
                              const struct section *section, struct err *err);

/* Replaces the rank times by those of the section, and the run time by the largest of them. The result names the section.
 * times: needed if the marks have a pattern. */
enum status section_report(const struct section_times *times, const struct section_marks *marks,
                           const struct section *section, struct result *result, struct err *err);

#endif
