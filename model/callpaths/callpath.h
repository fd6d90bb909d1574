/* The place of calls in the program: the user regions around them and their call sites. */
#ifndef MODEL_CALLPATHS_CALLPATH_H
#define MODEL_CALLPATHS_CALLPATH_H

#include <stddef.h>
#include <stdint.h>

#include "common/map.h"
#include "model/callpaths/changes.h"
#include "trace/trace.h"

enum { CALLPATH_ROOT = 0 };

struct callpath_node { /* a user region inside another one */
    uint32_t parent, region;
};

struct callpaths {
    struct callpath_node *nodes; /* nodes[CALLPATH_ROOT] is outside all regions */
    size_t node_count, node_capacity;
    struct map node_index;
    const struct trace *trace; /* borrowed until callpaths_clear */
    struct change *changes; /* by rank, then thread, then call */
    size_t change_count, change_capacity;
    size_t *rank_first; /* rank_count + 1 indices into changes */
    uint32_t *inside;   /* per rank: thread 0's innermost region after the calls walked so far */
};

/* Inits *paths from a trace that has passed trace_check(). */
enum status callpaths_build(const struct trace *trace, struct callpaths *paths, struct err *err);
/* The same in slices (model/slices/slices.h): callpaths_open() inits *paths, which the caller clears also on failure, and
 * callpaths_go_on() walks the calls of the next slice. The nodes remain; changes are those of the slice's calls. */
enum status callpaths_open(const struct trace *trace, struct callpaths *paths, struct err *err);
enum status callpaths_go_on(struct callpaths *paths, struct err *err);
void callpaths_clear(struct callpaths *paths);

/* The innermost user region around a call. */
uint32_t callpath_at(const struct callpaths *paths, uint32_t rank, size_t call);

/* "main/exchange": the regions from the outside, then the function of the call site if it is known and not the last
 * region; the MPI function's name if the call site is unknown. The caller frees *text. */
enum status callpath_text(const struct trace *trace, const struct callpaths *paths, uint32_t node, uint32_t site,
                          enum mpi_call call, char **text, struct err *err);

/* "main/exchange": the regions alone, "" outside all of them. The caller frees *text. */
enum status callpath_regions(const struct trace *trace, const struct callpaths *paths, uint32_t node, char **text,
                             struct err *err);

#endif
