/* Options that the predicting commands share: rows for their struct argp, one parser for them.
 *
 * Order of calls: PREDICTION_OPTIONS (REPLAY_OPTIONS: without --keep-going) and ANALYZE_OPTIONS in the rows, the parse functions
 * from the command's parser (they return ARGP_ERR_UNKNOWN for what is not theirs), prediction_options_clear. */
#ifndef CLI_PREDICTION_OPTIONS_H
#define CLI_PREDICTION_OPTIONS_H

#include "cli/analysis.h"
#include "cli/cli.h"
#include "cli/files.h"
#include "model/analyze.h"
#include "platforms/platform.h"
#include "platforms/stated_errors.h"
#include "predictors/recorded_time.h"
#include "predictors/recording.h"
#include "predictors/scenes.h"
#include "predictors/transforms/transform.h"
#include "predictors/warnings.h"
#include "simulate/engine/engine.h"

enum {
    OPTION_PLATFORM = 2000,
    OPTION_LOCK,
    OPTION_PROGRESS,
    OPTION_FENCE,
    OPTION_DECIDE,
    OPTION_ENGINE,
    OPTION_SET,
    OPTION_REWRITE,
    OPTION_SCALE,
    OPTION_COMPUTE,
    OPTION_MEMORY_BOUND,
    OPTION_EPSILON,
    OPTION_LATE_POST,
    OPTION_EAGER,
    OPTION_EFFICIENCY,
    OPTION_PER_RANK,
    OPTION_LOST,
    OPTION_KEEP_GOING,
    OPTION_GROW,
    OPTION_CALLPATH,
    OPTION_FROM,
    OPTION_TO,
    OPTION_WITHOUT_INIT,
    OPTION_MEMORY,
};

#define REPLAY_OPTIONS(engines)                                                                                          \
    {"platform", OPTION_PLATFORM, "FILE", 0,                                                                           \
     "the described cluster (needed): a file, the name of an installed one as two-nodes, or ideal: no latency, "       \
     "no limit",                                                                                                       \
     0},                                                                                                               \
    {"lock", OPTION_LOCK, "MODE", 0,                                                                                   \
     "MPI_Win_lock waits for its grant (blocking), or returns and asks later (lazy); else as the platform says", 0},   \
    {"progress", OPTION_PROGRESS, "MODE", 0,                                                                           \
     "requests at a target are served at once (hardware), by a progress thread (thread), when the target is next "     \
     "inside MPI (call), or by K processes on cores of their own per node (ranks:K); else as the platform says", 0},   \
    {"fence", OPTION_FENCE, "MODE", 0,                                                                                 \
     "a fence waits for its own operations before its barrier (barrier), or for those and the ones that target it "    \
     "behind its barrier (notify); else as the platform says", 0},                                                     \
    {"decide", OPTION_DECIDE, "WHICH", 0,                                                                              \
     "the tasks of a counter or of a queue under a lock go to the ranks that come for them first (again, the default), " \
     "or to those that had them (recorded)", 0},                                                                       \
    {"engine", OPTION_ENGINE, "NAME", 0, engines, 0},                                                                  \
    {"set", OPTION_SET, "KEY=VALUE", 0, "replace a value of the platform file, as mpi.rma.control_bytes=64", 0},      \
    {"rewrite", OPTION_REWRITE, "NAME", 0,                                                                             \
     "rewrite the trace first, as post-early; the name list prints all; repeatable", 0},                               \
    {"scale", OPTION_SCALE, "CALLPATH=FACTOR", 0, "multiply computing inside a call path, as main/solve=0.5; repeatable", 0},   \
    {"grow", OPTION_GROW, NULL, 0, "add nodes, in the topology's own way, where the platform has too few for the ranks", 0}, \
    {"compute", OPTION_COMPUTE, "TIME", 0,                                                                             \
     "what counts as computing between calls: wall time, cpu time (recorded with --cpu-time), or undisturbed: wall "   \
     "time without waiting for a core (default where a node had more ranks than cores and this was recorded, else "    \
     "wall)",                                                                                                          \
     0},                                                                                                               \
    {"memory-bound", OPTION_MEMORY_BOUND, "SHARE", 0,                                                                  \
     "so much of the computing, 0.4 or 40%, is bound by memory on ranks whose share was not recorded: it takes longer " \
     "with more ranks on the node (nodes.memory_curve)", 0}

#define PREDICTION_OPTIONS                                                                                             \
    REPLAY_OPTIONS("simgrid (default): links are shared flows; loggp: links are queues, faster"),                      \
    {"keep-going", OPTION_KEEP_GOING, NULL, 0,                                                                         \
     "replay a faulty trace, or one that breaks off: each rank up to its first fault or up to a call that never returns; " \
     "the result says what is left out", 0},                                                                           \
    {"memory", OPTION_MEMORY, "SIZE", 0, "say before the replay if it needs more memory than SIZE, as 2G", 0}

/* Which waits count. */
#define WAIT_OPTIONS                                                                                                   \
    {"epsilon", OPTION_EPSILON, "TIME", 0, "waits below TIME count as zero (default 0)", 0},                           \
    {"late-post", OPTION_LATE_POST, "WHICH", 0, "count Late Post up to the latest (default) or the earliest post", 0}, \
    {"eager", OPTION_EAGER, "BYTES", 0,                                                                                \
     "sends up to BYTES do not wait for their receive (default: mpi.eager_bytes of the platform; of a recording 64K)",  \
     0},                                                                                                               \
    {"from", OPTION_FROM, "MARK", 0,                                                                                   \
     "times and waits of a section only: from a time of the run, the entry of a user region or the return of an MPI "  \
     "function on, as 10ms, loop or MPI_Barrier#2 (the second; default the first)",                                    \
     0},                                                                                                               \
    {"to", OPTION_TO, "MARK", 0,                                                                                       \
     "end of the section: a time, the end of a region, or the return of a function (default the last)", 0}, \
    {"callpath", OPTION_CALLPATH, "PATTERN", 0, "times and waits only of call paths like 'main/exchange*'", 0},        \
    {"without-init", OPTION_WITHOUT_INIT, NULL, 0, "a section without MPI_Init and MPI_Finalize and what is outside them", 0}

#define ANALYZE_OPTIONS                                                                                                \
    WAIT_OPTIONS,                                                                                                      \
    {"efficiency", OPTION_EFFICIENCY, "INTERVALS", OPTION_ARG_OPTIONAL,                                                \
     "add the efficiency of every interval with POP's metrics, root causes and the critical path to the result; "      \
     INTERVALS_HELP,                                                                                                   \
     0},                                                                                                               \
    {"per-rank", OPTION_PER_RANK, NULL, 0, "give efficiency and places with the values of every rank", 0},             \
    {"lost", OPTION_LOST, "WHICH", 0, LOST_HELP, 0}

enum { PREDICTION_OUTPUTS = 5 };

struct prediction_options {
    const char *platform;
    const struct engine_descriptor *engine;
    struct cli_output outputs[PREDICTION_OUTPUTS]; /* of the command, for prediction_options_claim_outputs() */
    char **overrides; /* owned: "mpi.rma.lock=lazy", in the order of the command line */
    size_t override_count, override_capacity;
    enum trace_computing computing;
    double memory_bound; /* --memory-bound */
    bool memory_stated;
    struct cli_strings again; /* further recordings of the same program (trace/recordings.h) */
    const char *semantics_option; /* that named the semantics; NULL: --semantics */
    bool keep_going; /* leave out faulty calls, and those that never return */
    bool grow;       /* platforms/grow.h */
    int64_t memory;  /* bytes that the user grants (trace/memory.h); 0: what is available */
    bool keeps;      /* the command keeps another trace beside the recorded one, or as much */
    enum platform_errors errors; /* platforms/stated_errors.h */
    struct recorded_time *recorded_time; /* prediction_options_trace() sets it; NULL: not needed */
    struct result **recorded; /* prediction_options_trace() sets it to the analysis of the trace as recorded; NULL: not needed */
    char **rewrites; /* owned: specs (predictors/transforms/transform.h), in the order of the command line */
    size_t rewrite_count, rewrite_capacity;
};

error_t prediction_options_parse(int key, char *argument, const struct argp_state *state,
                                 struct prediction_options *options);
error_t analyze_options_parse(int key, char *argument, const struct argp_state *state, struct analyze_options *options);
/* For ARGP_KEY_ARG: the first argument is *trace, the others are further recordings. */
error_t prediction_options_argument(const struct argp_state *state, char *argument, const char **trace,
                                    struct prediction_options *options);
/* For ARGP_KEY_END. */
error_t prediction_options_end(const struct argp_state *state, struct prediction_options *options);
void prediction_options_clear(struct prediction_options *options);

/* Inside a parser: "a", or "platform" for what the platform file says; with windows of their own "a@3=c@halo=d" (by
 * number or name). */
error_t prediction_semantics_check(const struct argp_state *state, const char *option, const char *text);

/* cli_claim_outputs(), and whether there is such a platform. */
enum status prediction_options_claim_outputs(const struct prediction_options *options, struct err *err);

/* Whether the platform fits a long archive, by its definitions: before the calls are read, which may take minutes. Nothing is
 * said of other traces, nor of a trace that cannot be opened: who reads it says what is wrong. */
enum status prediction_options_check(const struct prediction_options *options, const char *semantics, const char *file,
                                     struct err *err);

/* Opens a trace with the requested computing times, the medians of those of further recordings. The caller owns *trace.
 * warnings, unless NULL, gets the contradictions of the platform's own semantics with the trace as recorded, since other
 * computing times move the calls of each rank separately. It is empty if the platform cannot be opened; the caller clears it. */
enum status prediction_options_trace(const struct prediction_options *options, const char *file, struct trace **trace,
                                     struct warnings *warnings, struct err *err);

/* The same for an archive that is long, where the prediction of its rows needs no whole trace: *recording is NULL if there is
 * none, or none that is possible (predictors/recording.h), and then warnings are empty. Who gets a failure of STATUS_DATA from a
 * prediction of it repeats that with the whole trace, whose error says more. */
enum status prediction_options_recording(const struct prediction_options *options, const char *file,
                                         const struct analyze_options *analyze, struct recording **recording,
                                         struct warnings *warnings, struct err *err);

/* prediction_options_trace() behind a prediction of such a recording that failed; STATUS_OK: there was none. If the whole trace
 * cannot be opened, that failure is the answer, and *err stays. */
enum status prediction_options_trace_behind(const struct prediction_options *options, const char *file, enum status failed,
                                            struct trace **trace, struct warnings *warnings, struct err *err);

/* Counts the measured values of the platform whose errors its shifts take into account. */
enum status prediction_options_measured(const struct prediction_options *options, size_t *values, struct err *err);

/* A window that an option names and the trace has not is the option's fault: STATUS_USAGE. That of the platform file is reported
 * by the replay. semantics: as given, or NULL. */
enum status prediction_options_check_windows(const struct prediction_options *options, const char *semantics,
                                             const struct trace *trace, const struct platform *platform, struct err *err);

/* The platform with all overrides, then semantics unless NULL, fit for the trace. The caller owns *platform. */
enum status prediction_options_open(const struct prediction_options *options, const char *semantics,
                                    const struct trace *trace, struct platform **platform, struct err *err);

/* The same for rows, with the platform settings of their rewrites. Borrows options. */
struct scene_options prediction_options_scenes(const struct prediction_options *options);

#endif
