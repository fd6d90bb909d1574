/* The tree of intervals of a run (docs/efficiency.md): the whole run, the user regions inside it, the intervals that
 * programs mark with messages to themselves and, if requested, the functions that call MPI. A path is one interval,
 * however often it is executed. */
#ifndef MODEL_EFFICIENCY_INTERVALS_H
#define MODEL_EFFICIENCY_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"
#include "model/callpaths/changes.h"
#include "model/efficiency/processors.h"
#include "trace/interval_marks.h"

enum { INTERVAL_ROOT = 0 };

enum interval_kind { INTERVAL_RUN, INTERVAL_REGION, INTERVAL_MARKED, INTERVAL_FUNCTION };

/* INTERVALS_OF_REGIONS has the program's regions and marks. INTERVALS_OF_CALLPATHS adds the functions that make the
 * calls, if they are known and are not the innermost region. A function is entered with the first of consecutive calls
 * in it and left with the exit of the last. */
enum interval_source { INTERVALS_OF_REGIONS, INTERVALS_OF_CALLPATHS };

struct interval {
    enum interval_kind kind;
    uint32_t parent; /* of the root: itself; else smaller than the interval's own number */
    uint32_t id;     /* region, the number in the marker's tag, or a site in the function */
    uint32_t level;
    uint32_t site;     /* of the first entry or, if that has none, of the first call inside that has one */
    bool sequential;   /* inside a region whose name begins with "sequential": code that every rank repeats */
    size_t executions; /* largest number of entries of one processor */
    uint32_t first_location, placed_location; /* the lowest thread that enters it; the lowest with a call site inside */
    uint64_t first_event;             /* number of the first entry of first_location */
};

struct intervals {
    const struct trace *trace; /* borrowed until intervals_clear; locations as well */
    const struct locations *locations;
    struct interval *items; /* items[INTERVAL_ROOT] is the run */
    size_t count, capacity;
    struct map index;
    struct change *changes; /* by rank, thread, then call */
    size_t change_count, change_capacity;
    size_t *rank_first; /* rank_count + 1 indices into changes */
    uint32_t *began;    /* by location: its interval before the slice */
    struct interval_thread *threads; /* by location: where its walk is */
    enum interval_source source;
    uint32_t *functions; /* of callpaths, per site: the first site in the same function, UINT32_MAX if unknown */
    size_t site_count;   /* of these functions */
};
void intervals_clear(struct intervals *intervals);

/* Finds the intervals of a trace in slices. Each thread begins in the run. An end mark without its begin is ignored. After each
 * intervals_go_on() the changes are those of the slice's new calls. Items are numbered in the order of their discovery. Sorted by
 * first_location, then first_event, after the root, their order does not depend on the slices. */
enum status intervals_open(const struct trace *trace, const struct locations *locations, enum interval_source source,
                           struct intervals *intervals, struct err *err);
enum status intervals_go_on(struct intervals *intervals, struct err *err);
/* After all slices: counts the executions. */
enum status intervals_count(struct intervals *intervals, const struct processors *processors, struct err *err);

/* The innermost interval of a call. A region's enter call and a begin mark belong to the interval that they open; a
 * leave call and an end mark belong to the one around it. */
uint32_t interval_at(const struct intervals *intervals, uint32_t rank, size_t call);

/* The interval to which the time after a call belongs if the next call is in another interval: the interval itself; for
 * a function the interval around it, since only a function's calls are known. */
uint32_t interval_behind(const struct intervals *intervals, uint32_t interval);

/* "main/exchange"; "run" for the root, "#17" for a marked interval. The caller frees *text. */
enum status interval_path(const struct trace *trace, const struct intervals *intervals, uint32_t interval, char **text,
                          struct err *err);

/* Whether a call marks an interval (trace/interval_marks.h): a message to oneself by its tag, or the region of a
 * refused one. */
bool interval_mark(const struct trace *trace, uint32_t rank, const struct trace_call *call, struct interval_mark *mark);

#endif
