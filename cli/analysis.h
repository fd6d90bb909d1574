/* Options and output that `rmacast analyze` and `rmacast-analyze-mpi` share.
 *
 * Order of calls: ANALYSIS_OPTIONS in the rows, analysis_parse from the parser (ARGP_ERR_UNKNOWN for what is not
 * here), analysis_claim_outputs, analysis_read_runs, analysis_check once the trace is open, analysis_write. */
#ifndef CLI_ANALYSIS_H
#define CLI_ANALYSIS_H

#include "cli/cli.h"
#include "model/analyze.h"
#include "model/over_time/main_loop.h"
#include "trace/source.h"

enum {
    ANALYSIS_EPSILON = 1000,
    ANALYSIS_LATE_POST,
    ANALYSIS_EAGER,
    ANALYSIS_CLOSE,
    ANALYSIS_LATENCY,
    ANALYSIS_BANDWIDTH,
    ANALYSIS_EFFICIENCY,
    ANALYSIS_PER_RANK,
    ANALYSIS_OVER_TIME,
    ANALYSIS_LOST,
    ANALYSIS_IDEAL,
    ANALYSIS_REFERENCE,
    ANALYSIS_REPLAY,
    ANALYSIS_LIMIT,
    ANALYSIS_TOP,
    ANALYSIS_WINDOW,
    ANALYSIS_RANKS,
    ANALYSIS_FROM,
    ANALYSIS_TO,
    ANALYSIS_CALLPATH,
    ANALYSIS_WITHOUT_INIT,
    ANALYSIS_JSON,
    ANALYSIS_CSV,
    ANALYSIS_OPTIONS_END
};

/* The argument of --efficiency, which may be left out. */
#define INTERVALS_HELP                                                                                                 \
    "intervals are regions (default: what the program marks) or callpaths (and the functions that call MPI)"

#define LOST_HELP                                                                                                      \
    "efficiency: MPI time counts as lost of all ranks but one (parallel, default), or of all"

#define LIMIT_HELP                                                                                                     \
    "name the first call with which more than N operations, requests or bytes of a rank are in flight at once, as "      \
    "operations=254, and exit with 1; target.WHAT=N, window.WHAT=N: towards one target, on one window"

enum { OVER_TIME_DEFAULT = 50, OVER_TIME_MOST = 1000 };
#define OVER_TIME_HELP                                                                                                 \
    "print user code, waits, calls and transfers in slices instead of the wait states, and name slices that stand out: "   \
    "iterations of the main loop if there is one; N: at most so many slices of the run's time (50); NAME or NAME,N: "       \
    "iterations of which one begins at each entry of the region or return of the MPI function of that name"

#define ANALYSIS_OPTIONS                                                                                               \
    {"epsilon", ANALYSIS_EPSILON, "TIME", 0, "waits below TIME count as zero (default 0)", 0},                         \
    {"late-post", ANALYSIS_LATE_POST, "WHICH", 0,                                                                      \
     "count Late Post up to the latest (default) or the earliest post of an epoch", 0},                                \
    {"eager", ANALYSIS_EAGER, "BYTES", 0, "sends up to BYTES do not wait for their receive (default 64K)", 0},         \
    {"close", ANALYSIS_CLOSE, "TIME", 0,                                                                               \
     "a receive less than TIME after a send to the same rank is close to it (default 10us)", 0},                       \
    {"latency", ANALYSIS_LATENCY, "TIME", 0,                                                                           \
     "with --bandwidth: latency of the network that advised distances are worked out for (default: what the trace "    \
     "shows)", 0},                                                                                                     \
    {"bandwidth", ANALYSIS_BANDWIDTH, "RATE", 0, "rate of the network of --latency, as 12.5GB/s", 0},                   \
    {"efficiency", ANALYSIS_EFFICIENCY, "INTERVALS", OPTION_ARG_OPTIONAL,                                              \
     "print the efficiency of every interval instead of the wait states; " INTERVALS_HELP, 0},                         \
    {"per-rank", ANALYSIS_PER_RANK, NULL, 0, "give efficiency and places with the values of every rank", 0},           \
    {"over-time", ANALYSIS_OVER_TIME, "SLICES", OPTION_ARG_OPTIONAL, OVER_TIME_HELP, 0},                               \
    {"lost", ANALYSIS_LOST, "WHICH", 0, LOST_HELP, 0},                                                                 \
    {"ideal", ANALYSIS_IDEAL, "RESULT", 0,                                                                             \
     "for POP's metrics: result of a simulation on a network that costs nothing", 0},                                  \
    {"reference", ANALYSIS_REFERENCE, "RESULT", 0, "for computation scaling: result of the run to compare with", 0},   \
    {"replay", ANALYSIS_REPLAY, "RESULT", 0,                                                                           \
     "result of simulate on a platform file of the trace's machine: says which part of the calls is transfer, and what " \
     "stays unexplained", 0},                                                                                          \
    {"limit", ANALYSIS_LIMIT, "WHAT=N", 0, LIMIT_HELP, 0},                                                            \
    {"top", ANALYSIS_TOP, "N", 0,                                                                                      \
     "print only the N largest calls, wait states, root causes and parts of the critical path", 0},                    \
    {"window", ANALYSIS_WINDOW, "WINDOW", 0,                                                                           \
     "count only waits and transfers on this window, with its number in rmacast info", 0},                             \
    {"ranks", ANALYSIS_RANKS, "A-B", 0,                                                                                \
     "count only waits of ranks A to B, or of rank A, and what they transfer; N of a program model: for N ranks", 0},  \
    {"from", ANALYSIS_FROM, "TIME", 0,                                                                                 \
     "count only waits and transfers in calls that end at TIME or later, since the first event; with the name of a "   \
     "region or MPI function, as loop or MPI_Barrier#2, times and waits are those of a section, as with simulate --from", 0},   \
    {"to", ANALYSIS_TO, "TIME", 0,                                                                                     \
     "count only waits and transfers in calls that begin at TIME or earlier; or a name, as with --from", 0},           \
    {"callpath", ANALYSIS_CALLPATH, "PATTERN", 0,                                                                      \
     "count only waits and transfers at call paths like 'main/exchange*'", 0},                                         \
    {"without-init", ANALYSIS_WITHOUT_INIT, NULL, 0,                                                                   \
     "a section without MPI_Init and MPI_Finalize and what is outside them", 0},                                       \
    {"json", ANALYSIS_JSON, "FILE", 0, "write the result as JSON; - is standard output, without the table", 0},        \
    {"csv", ANALYSIS_CSV, "DIR", 0,                                                                                    \
     "write calls, patterns, places, properties, slices of time, transfers, their groups and the matrix of bytes as "  \
     "tables into DIR", 0}

struct analysis {
    const char *trace, *json, *csv, *ideal, *reference, *replay;
    struct result *replayed; /* owned: of replay; NULL: none */
    bool efficiency;
    int64_t top;
    struct analyze_options options;
};
#define ANALYSIS_DEFAULTS                                                                                              \
    {                                                                                                                  \
        .options = ANALYZE_DEFAULTS                                                                                    \
    }

/* rmacast analyze, whose archives come from such a function: trace_open_source(), or one for which other processes read. */
typedef enum status analyze_source(const char *path, struct trace_source *source, bool *possible, uint64_t *records,
                                   struct err *err);
enum status analyze_command(int argc, char **argv, analyze_source *open_source, struct err *err);

/* Reports the trace's faults on standard error. */
void analysis_tell_faults(const struct trace *trace);
/* Cuts ranks where the analysis cannot continue; reports each on standard error. */
enum status analysis_keep_going(struct trace *trace, struct err *err);
/* Opens a faulty trace with --keep-going: each rank up to its first fault. Reports each fault on standard error. */
enum status analysis_open_partly(const char *path, struct trace **trace, struct err *err);

error_t analysis_parse(int key, char *argument, struct argp_state *state, struct analysis *analysis);
error_t intervals_option_parse(const struct argp_state *state, const char *text, struct analyze_options *options);
/* Looks for the main loop in an archive that is read in slices, if that is asked for and was not done. What is wrong with the
 * archive is told by who reads it next. The caller clears *loop. */
enum status analysis_find_loop(const char *path, bool keep_going, struct analyze_options *options, struct main_loop *loop,
                               struct err *err);
error_t over_time_option_parse(const struct argp_state *state, char *text, struct analyze_options *options);
error_t bandwidth_option_parse(const struct argp_state *state, const char *text, struct analyze_options *options);
error_t limit_option_parse(const struct argp_state *state, const char *text, struct flight_limits *limits);
error_t lost_option_parse(const struct argp_state *state, const char *text, struct analyze_options *options);

/* No output may replace what is read, nor another output; STATUS_USAGE. Comes first. json, csv: NULL: not asked for. */
enum status analysis_claim_outputs(const char *json, const char *csv, struct err *err);
/* Writes the tables of CSV but that of transfers into a directory. */
enum status analysis_write_tables(const char *csv, const struct result *result, struct err *err);

/* Reads the results of other runs: those that POP's metrics need and that of --replay. Says whether --ranks are the ranks of a
 * program model. */
enum status analysis_read_runs(struct analysis *analysis, struct err *err);
/* Frees what was read, and options.transfers. */
void analysis_clear(struct analysis *analysis);
/* Returns STATUS_USAGE if the trace lacks a requested window, rank or mark. */
enum status analysis_check(const struct analysis *analysis, const struct trace *trace, struct err *err);

/* Explains the calls by --replay, and writes table, JSON, and the tables of CSV: those need the trace and options.transfers, the
 * log of all transfers, which they empty. */
enum status analysis_write(const struct analysis *analysis, const struct trace *trace, struct result *result,
                           struct err *err);

#endif
