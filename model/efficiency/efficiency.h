/* Efficiency of a run by interval: the characteristics of the DVM analyser and POP's metrics (docs/efficiency.md). */
#ifndef MODEL_EFFICIENCY_EFFICIENCY_H
#define MODEL_EFFICIENCY_EFFICIENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/json/fields.h"
#include "common/wide.h"
#include "model/transfers/bounds.h"
#include "model/efficiency/caused.h"
#include "model/efficiency/intervals.h"
#include "model/match/relations.h"
#include "model/waits/waits.h"

enum characteristic {
#define CHARACTERISTIC(ID, KEY, TITLE) EFFICIENCY_##ID,
#include "model/efficiency/characteristics.def"
#undef CHARACTERISTIC
    CHARACTERISTIC_COUNT
};

struct characteristic_row {
    const char *key, *title;
};
const struct characteristic_row *characteristic_row(enum characteristic characteristic);

struct efficiency_range { /* over the processors that enter the interval */
    int64_t min_ps, max_ps;
    uint32_t min_processor, max_processor; /* the lowest of several */
    double mean_s;
};

struct efficiency_interval {
    char *path, *file; /* owned; file NULL if unknown */
    int32_t line;
    uint32_t level, processors; /* processors: that take part */
    uint32_t useful_rank;       /* whose MPI time counts as useful */
    int64_t useful_mpi_ps;      /* that time */
    size_t executions;
    bool *takes_part;                        /* per processor */
    int64_t *value_ps[CHARACTERISTIC_COUNT]; /* per processor */
    wide_ps sum_ps[CHARACTERISTIC_COUNT];    /* over processors */
    struct efficiency_range range[CHARACTERISTIC_COUNT];
    int64_t execution_ps;
    wide_ps total_ps, productive_ps, lost_ps;
};

struct efficiency_processor {
    uint32_t rank, index; /* index: of the rank's processors, from 0 */
};

struct efficiency {
    struct efficiency_processor *processors; /* by rank, then index: model/efficiency/processors.h */
    uint32_t processor_count, rank_count;
    bool lost_all; /* the MPI time of every rank counts as lost, else that of all ranks but one */
    bool several; /* some rank has more than one */
    enum interval_source source;
    struct efficiency_interval *intervals; /* parents before children; [0] is the run */
    uint32_t *parents;
    size_t count;
    struct caused caused; /* after efficiency_conclude: the longest first */
    double ideal_run_time_s, reference_user_s; /* 0: unknown */
    bool holds;                                /* the identities below */
    char broken[160];                          /* the first that does not hold */
};

/* model/efficiency/efficiency_slices.h makes it. Its owner may set ideal_run_time_s, the run time on a network that costs
 * nothing, and reference_user_s, the computing time of a reference run; 0: unknown. */
void efficiency_free(struct efficiency *efficiency);

/* POP's metrics of one interval; negative if unknown. Metrics that need the ideal or the reference run are known for
 * the whole run only. */
struct efficiency_pop {
    double load_balance, communication, serialization, transfer, parallel, computation_scaling, global;
};
struct efficiency_pop efficiency_pop(const struct efficiency *efficiency, size_t interval);

/* Checks these identities and sets holds and broken. Lost time is the sum of its parts. CPU, MPI, thread primitives and
 * idle time, summed over processors, are the total time. Kinds of communication add up to the MPI time. Waits by
 * interval and cause add up to those of the run. On each processor children take no more time than their parent. */
void efficiency_check(struct efficiency *efficiency);

/* Prints the layout of the DVM analyser's thesis. per_rank: also all characteristics of every processor. */
void efficiency_print(const struct efficiency *efficiency, bool per_rank, FILE *out);
/* The caller owns the tree; NULL if memory runs out. */
extern const struct field efficiency_fields[];
cJSON *efficiency_json(const struct efficiency *efficiency, bool per_rank);
/* Reads POP's metrics of the run from such a tree; all are negative if it has none. */
struct efficiency_pop efficiency_pop_read(const cJSON *efficiency);

#endif
