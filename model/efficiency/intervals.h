/* The tree of intervals of a run (docs/efficiency.md): the whole run, the user regions inside it, the intervals that
 * programs mark with messages to themselves, and, where asked for, the functions that call MPI.
 * An interval is its path: executed several times it stays one. */
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

/* Regions and marks are what the program says. Call paths add the functions that calls are in, where they are known
 * and are not the innermost region: a function is entered with the first of consecutive calls in it and left with the
 * exit of the last. */
enum interval_source { INTERVALS_OF_REGIONS, INTERVALS_OF_CALLPATHS };

struct interval {
    enum interval_kind kind;
    uint32_t parent; /* of the root: itself; else smaller than the interval's own number */
    uint32_t id;     /* region, the number in the marker's tag, or a site in the function */
    uint32_t level;
    uint32_t site;     /* of the first entry, or, if that has no place, of the first call inside with one */
    bool sequential;   /* inside a region whose name begins with "sequential": code that every rank repeats */
    size_t executions; /* largest number of entries of one processor */
    uint32_t first_rank, placed_rank; /* the lowest that enters it; with a call of known place inside */
    uint64_t first_event;             /* number of the first entry of first_rank */
};

struct intervals {
    const struct trace *trace; /* borrowed until intervals_clear */
    struct interval *items; /* items[INTERVAL_ROOT] is the run */
    size_t count, capacity;
    struct map index;
    struct change *changes; /* by rank, thread, then call */
    size_t change_count, change_capacity;
    size_t *rank_first; /* rank_count + 1 indices into changes */
    uint32_t *began;    /* of slices: per rank, where it is before the slice; NULL: in the run */
};

/* The trace is that of the processors' timelines. Inits *intervals. Each thread begins in the run. An end mark without
 * its begin is passed over. */
enum status intervals_build(const struct processors *processors, enum interval_source source,
                            struct intervals *intervals, struct err *err);
void intervals_clear(struct intervals *intervals);

/* The intervals of a trace in slices: intervals is all-zero; after each intervals_go_on its changes are those of the
 * slice's new calls. Its items are numbered as they come: ordered by first_rank, then first_event, behind the root, they stand
 * as in a whole trace. */
struct intervals_walk;
enum status intervals_walk_new(const struct trace *trace, enum interval_source source, struct intervals *intervals,
                               struct intervals_walk **walk, struct err *err);
void intervals_walk_free(struct intervals_walk *walk);
enum status intervals_go_on(struct intervals_walk *walk, struct err *err);

/* The interval of this kind and id inside another one, made if there is none, without an entry. */
enum status intervals_child(struct intervals *intervals, uint32_t parent, enum interval_kind kind, uint32_t id,
                            uint32_t *interval, struct err *err);
/* Adds what was seen of an interval on other ranks than those walked here. */
void interval_merge(struct interval *interval, const struct interval *elsewhere);

/* The innermost interval that a call belongs to: a region's enter call and a begin mark to the interval that they open,
 * a leave call and an end mark to the one around it. */
uint32_t interval_at(const struct intervals *intervals, uint32_t rank, size_t call);

/* Where the time behind a call of an interval belongs if the next call is not of the same one: of a function no more is
 * known than its calls, so to the interval around it. */
uint32_t interval_behind(const struct intervals *intervals, uint32_t interval);

/* "main/exchange"; "run" for the root, "#17" for a marked interval. The caller frees *text. */
enum status interval_path(const struct trace *trace, const struct intervals *intervals, uint32_t interval, char **text,
                          struct err *err);

/* Whether a call marks an interval (trace/interval_marks.h): a message to oneself by its tag, or the region of a
 * refused one. */
bool interval_mark(const struct trace *trace, uint32_t rank, const struct trace_call *call, struct interval_mark *mark);

#endif
