/* The content of a Cube4 report on a trace: time by property, waits by pattern, visits and bytes, each by call path and
 * thread.
 *
 * A call path has the user regions around a call, the function of its call site if that is no region, and the call.
 * Values are exclusive along call paths: they leave out the paths below. They are inclusive along metrics: they contain
 * the metrics below. */
#ifndef EXPORT_CUBE_H
#define EXPORT_CUBE_H

#include "common/map.h"
#include "model/waits/properties.h"
#include "trace/trace.h"

enum cube_metric {
    CUBE_VISITS,
    CUBE_BYTES,
    CUBE_TIMES, /* + enum property */
    CUBE_WAITS = CUBE_TIMES + PROPERTY_COUNT, /* all waits that are not part of others */
    CUBE_PATTERNS, /* + enum pattern */
    CUBE_METRICS = CUBE_PATTERNS + PATTERN_COUNT
};

/* The possible last elements of a call path, by number: the program, then the trace's user regions, functions of call
 * sites, calls. */
struct cube_regions {
    uint32_t functions, calls, count; /* where these begin, and the end */
    const char **function_names;      /* by region - functions, borrowed from the trace */
    uint32_t *function_of_site;       /* region, by site; 0: the site has none */
    bool *used;
};

enum { CUBE_ROOT = 0, CUBE_NO_NODE = 0 }; /* the root is no node's child */

struct cube_node {
    uint32_t parent, region, site;
    uint32_t first_child, last_child, next;
    uint32_t id; /* parents before children, children in their order */
    uint32_t depth;
};

struct cube_location {
    uint32_t rank, thread;
};

struct cube {
    const struct trace *trace; /* borrowed until cube_clear */
    struct cube_regions regions;
    struct cube_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *order; /* nodes by id */
    struct map pairs, node_index;
    struct cube_location *locations; /* by node of the machine, rank, thread */
    uint32_t location_count;
    uint32_t *first_location; /* by rank */
    struct map rows; /* (metric, node) to the row */
    int64_t *cells;  /* by row, then location; picoseconds, bytes or numbers */
    size_t row_count, cell_capacity;
};

/* Inits *cube from a trace that has passed trace_check(). */
enum status cube_build(const struct trace *trace, struct cube *cube, struct err *err);
void cube_clear(struct cube *cube);

/* The values of a call path, location_count of them; NULL: all are 0. */
const int64_t *cube_row(const struct cube *cube, enum cube_metric metric, uint32_t node);

#endif
