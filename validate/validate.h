/* Compares a prediction with real runs: run time, the time of each rank, every wait state and, for traces, every call
 * and transfer. It sees results and traces only and cannot know how a prediction was made.
 *
 * Errors are predicted minus measured: positive where the prediction is too long. Several measured results are
 * repetitions of one run. Each quantity is compared with their median, and their range is shown beside it: an error
 * inside the range of the real runs is neither good nor bad. Seconds.
 *
 * Order of calls: validate_open_* (or results of the caller's), validate_infer, validate_results, for a predicted trace
 * against recordings validate_inferred, for traces validate_traces, validation_to_json or validation_print,
 * validate_tolerance, validation_free. */
#ifndef VALIDATE_VALIDATE_H
#define VALIDATE_VALIDATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/json/fields.h"
#include "model/analyze.h"
#include "model/result/result.h"
#include "validate/calls.h"
#include "validate/transfers.h"

/* One quantity. */
struct validate_value {
    double predicted_s, measured_s;         /* measured_s: median of the repetitions */
    double measured_min_s, measured_max_s;  /* their range */
    double error_s;
    double relative;                        /* error / measured; NAN where measured is 0 */
    double deviation; /* compared with the tolerance; not negative; see validate_tolerance */
    bool within_spread;                     /* there are several repetitions, and the prediction is in their range */
};

struct validate_pattern {
    struct validate_value total;
    bool at_most;   /* some or all of a measured or predicted one may be no wait (struct result_pattern) */
    double known_s; /* predicted, as the simulation knows it; total's where that is not inferred */
    struct validate_value *ranks; /* owned, rank_count */
};

struct validate_property { /* of the property tree, inclusive, all ranks */
    char *name;            /* owned */
    struct validate_value value;
};

struct validation {
    char *predicted;        /* names for tables and JSON, owned */
    char **measured;
    size_t repetitions;
    char *platform, *semantics, *engine; /* of the prediction, NULL unknown */
    char **notes; /* owned: in what the runs differ that should be alike, as the library */
    size_t note_count;
    uint32_t rank_count;
    struct validate_value run_time;
    struct validate_value *rank_time; /* owned, rank_count */
    /* Of the ranks' |relative|, where it is known: the median, and the smallest value that at least 95 % of the ranks
     * do not exceed; the largest. NAN if there is none. */
    double rank_error_median, rank_error_p95, rank_error_worst;
    uint32_t worst_rank; /* the lowest one with that error */
    struct validate_pattern patterns[PATTERN_COUNT];
    bool inferred; /* the predicted wait states are those of validate_infer() */
    bool not_inferred[MPI_CALL_COUNT]; /* functions of which some run refutes Wait for Progress */
    struct result_disturbance *disturbance; /* of the measured runs, owned */
    struct result_section section;          /* of all of them; owned texts */
    double measured_total_s; /* sum over ranks of the measured medians */
    struct validate_property *properties; /* owned; none unless all results have a property tree */
    size_t property_count;
    struct validate_calls *calls; /* owned; NULL: some run is no trace, or other calls were made */
    char *difference;             /* owned; of the first other call; NULL: none, or some run is no trace */
    struct validate_transfers transfers; /* with calls */
    /* Per rank, with calls where some run has Lock Contention and some Wait for Progress: how long others waited for it
     * as their target, in both (validate/target_waits.h). Owned, else NULL. */
    struct validate_value *targets;
};

/* Opens one side of the comparison: a trace, which is analysed with options (NULL: defaults), or a result file. For a
 * comparison file (rmacast.comparison/1) row chooses one of its results, by the name of its row or by its semantics.
 * Elsewhere row, unless NULL or own_name, must equal the result's semantics. The caller owns *result and *trace, which is
 * NULL for a result file. */
enum status validate_open_run(const char *path, const char *row, bool own_name, const struct analyze_options *options,
                              struct trace **trace, struct result **result, struct err *err);

/* Refuses a measured run that breaks off outside MPI_Finalize. A result (trace NULL) does not tell where its run broke off:
 * any that did is refused. */
enum status validate_check_ended(const char *path, const struct trace *trace, const struct result *result,
                                 struct err *err);

/* Compares. repetitions >= 1. STATUS_DATA if the numbers of ranks differ, if Late Post was counted in different ways, if the
 * sections of the runs differ, if they are empty in all runs, or if a measured one was generated or described: nobody measured
 * it. A simulated one, or one of another library or transport, is noted. names are used in messages. Borrows nothing; the
 * caller owns *validation. */
enum status validate_results(const struct result *predicted, const char *predicted_name,
                             const struct result *const *measured, const char *const *measured_names,
                             size_t repetitions, struct validation **validation, struct err *err);
void validation_free(struct validation *validation);

/* Makes what is inferred of the prediction (traces[0], results[0]) and of count - 1 measured runs comparable. Call it before
 * validate_results(). traces[i] is NULL for a result file, which stays as it is. options are those of the results; NULL:
 * defaults.
 *
 * A recording does not show what a simulation knows, as when a request arrived at its target. If a predicted trace is
 * compared with a recording, *inferred has the wait states that would be found of it if it were a recording, and the caller
 * owns it. Else it is NULL. A function of which some run refutes Wait for Progress (docs/patterns.md) has none in any run:
 * the results of the others are made again. */
enum status validate_infer(struct trace *const *traces, struct result **results, size_t count,
                           const struct analyze_options *options, struct result **inferred, struct err *err);
/* Adds the functions of which no Wait for Progress was inferred. */
void validate_add_refuted(const struct result *result, bool refuted[MPI_CALL_COUNT]);
/* Compares the wait states and properties of *inferred with the runs, in the place of the known ones. */
enum status validate_inferred(struct validation *validation, const struct result *inferred,
                              const struct result *const *measured, struct err *err);

/* Adds the comparisons that need traces: calls and transfers, matched one by one (validate/calls.h) unless the runs made
 * other calls, and waits for targets. options are those of the results, whose section holds for all of them; NULL: defaults. */
enum status validate_traces(struct validation *validation, const struct trace *predicted,
                            const struct trace *const *measured, const struct analyze_options *options,
                            struct err *err);

/* Whether a tolerance (0.05 = 5 %) holds for |relative| of the run time and of every rank's time, and for |error| of
 * every wait state's total as a share of its measured total. A wait state may be 0 or tiny in the measured run: below
 * VALIDATE_FLOOR of the run's total time (the sum of its rank times) it counts as that much. The waits for each target
 * replace Lock Contention and Wait for Progress where they are known. If the divisor is 0, the
 * error must be 0. STATUS_OK: it holds; else STATUS_DATA "NAME: tolerance 5% does not hold: ..." with the largest
 * deviation. */
#define VALIDATE_FLOOR 0.1
enum status validate_tolerance(const struct validation *validation, double tolerance, struct err *err);

/* Schema rmacast.validation/1 (docs/results.md). tolerance < 0: none was given. The caller owns the tree. */
extern const struct field validation_fields[];
enum status validation_to_json(const struct validation *validation, double tolerance, cJSON **json, struct err *err);

/* Prints a table. */
void validation_print(const struct validation *validation, FILE *out);
/* Prints the first `top` call paths by their share of the error. */
void validation_print_callpaths(const struct validation *validation, size_t top, FILE *out);

/* Writes tables with one line per quantity, per call path, per call. The last two have only a title if no calls are
 * known. */
void validation_write_quantities(const struct validation *validation, FILE *out);
void validation_write_callpaths(const struct validation *validation, FILE *out);
void validation_write_calls(const struct validation *validation, FILE *out);

/* Draws predicted against measured times on logarithmic axes: run time, rank times, wait states, call paths, each with
 * its measured range; the line of equality; around it the band of the measured runs' relative range of the run time. */
void validation_write_svg(const struct validation *validation, FILE *out);

#endif
