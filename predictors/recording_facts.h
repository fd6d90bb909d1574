/* What a prediction says of the calls of its recording. They are added once, whether all are in memory or a few at a time. */
#ifndef PREDICTORS_RECORDING_FACTS_H
#define PREDICTORS_RECORDING_FACTS_H

#include "predictors/steering.h"
#include "trace/polls.h"
#include "trace/steps.h"
#include "trace/trace.h"

/* recording_facts_add() rank after rank, then recording_facts_clear(). */
struct recording_facts {
    struct steering steering;
    struct trace_spread spread;
    uint64_t file_calls; /* of MPI-IO */
    double file_s;
    double ends_s[2]; /* of all ranks: in MPI_Init where a rank calls it before all else of a library, in MPI_Finalize where
                         behind all else */
    int64_t end_ps;   /* exit of the last call of any rank */
    bool called;      /* the rank has called a library */
    double last_s;    /* of the rank: if its last call of a library was MPI_Finalize, that one's time, else 0 */
    struct {          /* polls in rows (trace/polls.h) of POLLS_SYNCS_LEAST and more */
        uint64_t count, rows;
        uint32_t rank; /* of the first row, which is that of the call `poll` */
        struct trace_call poll, row; /* row: the first call of the rank's row so far */
        uint64_t in_row;             /* 0: no row */
    } polls;
};
#define RECORDING_FACTS_NONE {.spread = TRACE_SPREAD_NONE, .end_ps = INT64_MIN}

/* Adds the calls of a rank from index `first` on, with the times that the replay takes. last: the rank has no more. */
enum status recording_facts_add(struct recording_facts *facts, const struct trace *trace, uint32_t rank, size_t first, bool last,
                                struct err *err);
enum status recording_facts_add_all(struct recording_facts *facts, const struct trace *trace, struct err *err);
void recording_facts_clear(struct recording_facts *facts);

#endif
