/* A sweep knows the points of a configuration, the next one to run, and the outcome of each. The caller runs them: in
 * children of this process (run.h), or in processes elsewhere (mpi/sweep_mpi.c).
 *
 * Order of calls: sweep_open, sweep_keep if results are kept in a file, sweep_next and sweep_answer until
 * sweep_finished, sweep_end, sweep_close. */
#ifndef PREDICTORS_SWEEP_SWEEP_H
#define PREDICTORS_SWEEP_SWEEP_H

#include <stdio.h>

#include "common/json/fields.h"
#include "model/result/uncertainty.h"
#include "model/waits/properties.h"
#include "predictors/sweep/config.h"

enum sweep_state { SWEEP_WAITING, SWEEP_RUNNING, SWEEP_FAILED_ONCE, SWEEP_DONE, SWEEP_FAILED };

struct sweep_point {
    enum sweep_state state;
    bool again;      /* it has failed before */
    size_t worker;   /* the worker that runs it, or ran it last */
    uint64_t inputs; /* a digest of all its inputs */
    char *line;      /* owned: of SWEEP_DONE and SWEEP_FAILED, a JSON object on one line */
};

struct sweep {
    struct sweep_config config;
    struct sweep_point *points; /* owned, in the order of the axes */
    size_t count, first_waiting;
    size_t done, failed_once, failed, taken; /* points in these states; taken: reused from an earlier sweep */
    size_t damaged, damaged_line;            /* lines of that file that are none; the number of the first */
    char *kept;                              /* owned: the result file; NULL: none */
    int kept_fd;
};

/* Reads the configuration, and the bytes of traces and platforms for the points' digests. */
enum status sweep_open(const char *config, struct sweep *sweep, struct err *err);
void sweep_close(struct sweep *sweep);

/* From now on points are written to a file when they end. Points that the file already has are reused if their inputs
 * are the same and the line is as it was written; others run again, and sweep->damaged counts lines that have changed.
 * *cut says that the file is incomplete; it then has the points of its whole lines. Returns STATUS_DATA if the file is of
 * another kind, has points that are done and none of this sweep's, or another sweep writes it. */
enum status sweep_keep(struct sweep *sweep, const char *file, bool *cut, struct err *err);

/* Gives the next point to a worker. A point that failed is given once more, to another worker if there is one. Returns
 * false if there is no point at present. */
bool sweep_next(struct sweep *sweep, size_t worker, size_t workers, size_t *point);
/* Stores the outcome of a point: its line, or the reason of its failure. */
enum status sweep_answer(struct sweep *sweep, size_t point, const char *line, const char *reason, struct err *err);
bool sweep_finished(const struct sweep *sweep);

/* Writes the complete result file, its points in their order. */
enum status sweep_end(struct sweep *sweep, struct err *err);

/* All points that have ended, in their order; schema rmacast.sweep/1. */
void sweep_write(const struct sweep *sweep, FILE *out);

/* The value of a point on an axis. */
const struct sweep_value *sweep_value_of(const struct sweep_config *config, size_t point, enum sweep_axis axis);

/* The object of a point with its place on the axes and its digest; ranks 0: not known. NULL: no memory. The caller owns
 * it. */
cJSON *sweep_point_json(const struct sweep *sweep, size_t point, uint32_t ranks);

/* What a point that was done has besides. */
struct sweep_figures {
    double run_time_s;
    uint64_t transfers, bytes;
    bool incomplete;
    double waits_s[PATTERN_COUNT], properties_s[PROPERTY_COUNT]; /* NAN: none */
    struct uncertainty error;
    char **notes; /* as a result has them; owned where they were read */
    size_t note_count;
};
extern const struct field sweep_figures_fields[], sweep_fields[]; /* sweep_fields: of the schema */

#endif
