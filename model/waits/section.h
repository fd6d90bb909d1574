/* A section of a run: on each rank the time between two marks, of which a pattern of call paths may choose parts. A result
 * of a section has its times and its waits: so a predicted section is compared with the same one of a real run. */
#ifndef MODEL_WAITS_SECTION_H
#define MODEL_WAITS_SECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/callpaths/callpath.h"
#include "trace/trace.h"

struct result;

/* What is asked for; all-zero is the whole run. A mark is a time since the first event ("10ms"), or a name with "#3" behind
 * it for its third occurrence on the rank. A name is a user region, which begins a section as it is entered and ends one
 * as it is left, or an MPI function, which does both as it returns. Without a number the first one begins and the last one
 * ends a section. Texts are borrowed. */
struct section_marks {
    const char *from, *to;
    const char *callpath; /* shell pattern (fnmatch), also of struct filter */
    bool without_init;    /* from the end of MPI_Init on, up to the begin of MPI_Finalize */
};

struct section { /* per rank; from_ps == to_ps: none of it */
    int64_t *from_ps, *to_ps;
};

bool section_is_set(const struct section_marks *marks);

/* STATUS_DATA if no rank has a mark, or a rank has them in the wrong order. A rank without a mark has no section. The
 * caller clears *section. */
enum status section_find(const struct trace *trace, const struct section_marks *marks, struct section *section,
                         struct err *err);
void section_clear(struct section *section);

/* The call belongs to the section in which it begins. */
static inline bool section_has(const struct section *section, uint32_t rank, const struct trace_call *call)
{
    return call->enter_ps >= section->from_ps[rank] && call->enter_ps < section->to_ps[rank];
}

/* Rank times and run time, the largest of them, become those of the section; the result says which it is. */
enum status section_report(const struct trace *trace, const struct callpaths *paths, const struct section_marks *marks,
                           const struct section *section, struct result *result, struct err *err);

#endif
