/* Shared by rmacast sweep and rmacast-sweep (mpi/sweep_mpi.c): options, files, a line of progress, outputs.
 *
 * Order of calls: sweep_options_parse from the parser, sweep_options_open, points run with sweep_options_progress(),
 * sweep_options_write, sweep_close. */
#ifndef CLI_SWEEP_OPTIONS_H
#define CLI_SWEEP_OPTIONS_H

#include "cli/cli.h"
#include "predictors/sweep/run.h"
#include "predictors/sweep/sweep.h"

enum { SWEEP_JSON = 3000, SWEEP_CSV, SWEEP_OPTIONS_END };

#define SWEEP_OPTIONS                                                                                                  \
    {"output", 'o', "RESULT", 0, "keep points as they end, and take those that are in the file already", 0},          \
    {"json", SWEEP_JSON, "FILE", 0, "write all points as JSON; - is standard output, without the table", 0},           \
    {"csv", SWEEP_CSV, "FILE", 0, "write all points as comma-separated values; - is standard output, without the table", 0}

struct sweep_options {
    const char *config, *output, *json, *csv;
};

error_t sweep_options_parse(int key, char *argument, struct argp_state *state, struct sweep_options *options);

/* No output may replace what is read. Opens the sweep, takes what the output has, and says so on standard error. */
enum status sweep_options_open(const struct sweep_options *options, struct sweep *sweep, struct err *err);

/* Shows how far the sweep is, where standard error is a terminal. */
struct sweep_observer sweep_options_progress(void);
void sweep_options_progress_end(void);

/* The kept file, table, JSON and CSV. STATUS_DATA names the first point that failed. */
enum status sweep_options_write(const struct sweep_options *options, struct sweep *sweep, struct err *err);

#endif
