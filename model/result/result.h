/* The result of one analysis or simulation (schema rmacast.result/1). model_analyze() and the predictors build it; it
 * is written as JSON or as a table, and validate and report read it back. Times are in seconds. */
#ifndef MODEL_RESULT_RESULT_H
#define MODEL_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/status.h"
#include "model/result/uncertainty.h"
#include "model/waits/rank_sums.h"
#include "model/waits/totals.h"
#include "model/efficiency/efficiency.h"
#include "trace/calls/calls.h"

struct result_who { /* a rank, its thread if it has several, and its node */
    int64_t rank;   /* -1: not known */
    int32_t thread; /* -1: the rank has one thread */
    char *node;     /* owned; NULL: not known */
};

struct result_place_rank { /* the figures of one rank, or thread, at a place */
    struct result_who who;
    double severity_s;
    uint64_t count;
};

struct result_moves {       /* the figures of an advice; 0: not stated */
    double other_earlier_s; /* how much earlier the other side's call should be */
    double own_later_s;     /* how much later the call that waits should be */
    double distance_s,
        advised_s; /* from the call that starts the awaited event to the call that waits, now and advised */
};

struct result_place {
    char *callpath, *file; /* owned; file NULL if unknown */
    char *advice;          /* owned: the advice for the longest single wait; NULL if there is none */
    char *rows;            /* owned: the rows of `compare` that predict the gain of the advice; NULL: there are none */
    struct result_moves moves;
    int32_t line;
    struct result_who who; /* the rank with the largest severity */
    double severity_s;
    uint64_t count;
    struct result_place_rank *ranks; /* owned, by rank and thread; only if requested */
    size_t rank_count;
};

struct result_pattern {
    double severity_s;
    uint64_t count;
    double *rank_severity_s; /* owned, rank_count */
    struct result_place *places;
    size_t place_count, place_capacity;
    bool at_most; /* some or all of it may be no wait: what the call takes by itself is not known. There is no advice */
};

struct result_distribution {   /* of a rate over all transfers; count 0: unknown, written as null */
    uint64_t count, unbounded; /* unbounded: transfers whose interval is empty */
    double min, median, mean, max;
};

struct result_rates { /* of a rate over the transfers of a group; count 0: unknown, written as null */
    uint64_t count, unbounded;
    double min, median, max;
    double overall; /* the sum of bytes divided by the sum of times */
};

enum transfer_grouping {
    TRANSFERS_OF_PAIR,   /* origin, target, kind */
    TRANSFERS_OF_WINDOW, /* window, name */
    TRANSFERS_OF_PLACE,  /* name: the call path; file, line, function */
    TRANSFERS_OF_SIZE,   /* from_bytes, to_bytes */
    TRANSFER_GROUPINGS
};

struct result_group { /* of transfers; members of other groupings are zero */
    int32_t origin, target, window, line;
    char kind[16];        /* put, get, accumulate */
    char *name, *file;    /* owned, NULL if unknown */
    const char *function; /* static */
    int64_t from_bytes, to_bytes;
    uint64_t count, bytes;
    struct result_rates lower_bound_Bps, upper_bound_Bps;
};

struct result_groups {
    struct result_group *items;
    size_t count, capacity;
};

/* Inclusive seconds summed over ranks, in tree order. */
struct result_property {
    char *name; /* "time_s", "mpi_s", "rma_synchronization_s", ... */
    int depth;
    double inclusive_s, exclusive_s;
};

struct result_check { /* of the figures, model/result/checks.h */
    const char *name;
    bool holds;
    uint64_t checked;
    char detail[200]; /* what was checked, or the first failure */
};
enum { RESULT_CHECKS_MAX = 8 };

struct result_left_out { /* a faulty part of the input, which the figures leave out */
    int64_t rank;        /* -1: it belongs to none */
    uint64_t event;      /* of the rank, from 1; this event and all later ones are left out */
    bool time_known;
    double time_s;       /* as the trace counts it */
    int64_t calls;       /* left out, -1 not known */
    char *reason;        /* owned: the error's line */
};

struct result_share {      /* of what ranks do */
    char *callpath, *file; /* owned; callpath "" outside all regions, file NULL if unknown */
    char *activity;        /* owned: an MPI function, or "computing" */
    int32_t line;
    struct result_who who; /* the rank with the largest time */
    bool stands_out;       /* that rank does (model/waits/rank_sums.h) */
    double time_s, share;
    /* Of calls only: */
    bool init;         /* like MPI_Init and MPI_Finalize, which no program may spare */
    double function_s; /* time_s of all calls of the function */
    uint64_t count;
    double wait_s, waits_s[PATTERN_COUNT]; /* in wait states; in each that is not part of another one */
    bool transfer_known;
    double transfer_s; /* outside wait states, as the replay spends it, at most the rest of time_s */
    double unexplained_s; /* of that rest, what is neither transfer nor without a core; only if transfer_known */
    bool without_core_known;
    double without_core_s; /* of time_s, also in wait states */
};

struct result_user { /* of the ranks' user code */
    double most_s, others_s; /* of the rank with most; the mean of the others */
    double unbalanced_s;     /* by which other ranks' is shorter than that of the rank with most, all ranks */
    uint32_t rank;           /* with most */
    bool stands_out;         /* it does (model/waits/rank_sums.h) */
};

struct result_shares {
    struct result_share *items; /* the largest first */
    size_t count;
    double total_s;
};

/* What a call of the recorded library waits for; HOLDER: the holder of a lock. */
enum result_waits { BEHAVES_UNSEEN, BEHAVES_NONE, BEHAVES_POST, BEHAVES_GROUP, BEHAVES_HOLDER, BEHAVES_COUNT };
enum result_content { OF_ALL, OF_NOTHING, OF_PUTS, OF_GETS, OF_COUNT }; /* complete: by the operations on its targets in
                                                                           the epoch */

struct result_node { /* of a predicted run's platform, with ranks (predictors/node_table.h) */
    int32_t node;
    uint32_t ranks;
    double speed, others_speed; /* others: the median of the other nodes */
    double computing_s, path_s; /* user code, the mean of its ranks; critical path on them */
    bool gain_known;
    double others_run_s, gain_s; /* run time with this node at the others' speed, and how much shorter that is */
};

struct result_behaviour { /* how the recorded library behaved in one function, of operations by size class */
    enum mpi_call call;
    enum result_content content;
    bool sized; /* the next four are set: the size class, and the smallest and largest size in it */
    int64_t from_bytes, to_bytes, least_bytes, most_bytes;
    enum result_waits waits;
    uint64_t seen, of, calls; /* seen: calls that show `waits`; of: calls that can show anything; calls: all */
    uint64_t for_group,
        not_for_group; /* operations: calls that waited for another target's post alone; returned before it */
};

struct result_creation { /* of windows, again and again at one place */
    enum mpi_call call;
    char *file; /* owned */
    int32_t line;
    uint64_t count, most; /* of all ranks; of the rank with the largest count */
    double time_s;        /* time in these calls, of all ranks */
};

struct result_buffer { /* the limited buffers of a simulation under semantics d, over all origins */
    bool known;
    uint64_t limit_bytes, waits, peak_bytes; /* the limit of one origin; puts that waited for room; most bytes that one
                                                origin buffered */
    double wait_s;
};

struct result_call { /* a call in the trace */
    uint32_t rank, thread;
    uint64_t event;       /* of the rank, from 1 */
    const char *function; /* static */
    char *callpath, *file; /* owned; file NULL if unknown */
    int32_t line;
    double time_s; /* when it was entered, since the first event */
};

/* What a rank has outstanding at once, and where that counts (model/transfers/in_flight.h). */
enum flight_measure { FLIGHT_OPERATIONS, FLIGHT_REQUESTS, FLIGHT_BYTES, FLIGHT_MEASURES };
enum flight_scope { FLIGHT_OF_RANK, FLIGHT_TO_TARGET, FLIGHT_ON_WINDOW, FLIGHT_SCOPES };
struct flight_limits { /* that a program is to keep; 0: none */
    uint64_t most[FLIGHT_SCOPES][FLIGHT_MEASURES];
};

struct result_flight { /* the highest mark of a rank, of all ranks unless each is asked for */
    enum flight_measure of;
    enum flight_scope per;
    int32_t target, window; /* -1: any */
    uint64_t at_least, at_most; /* the same in a prediction */
    struct result_call first;   /* that has made at_most */
};

struct result_limit { /* that was asked for */
    enum flight_measure of;
    enum flight_scope per;
    uint64_t most, calls, certain; /* calls: that may exceed it; certain: of these, those that surely do */
    int32_t target, window;   /* of the first; -1: any */
    struct result_call first; /* if calls > 0 */
};

struct result_violation { /* of MPI, by the program */
    const char *kind, *section; /* static */
    char *sentence;             /* owned */
    struct result_call call, other;
    bool other_known;
};

struct result_violations {
    struct result_violation *items; /* by rank, then event */
    size_t count;
    uint64_t total; /* including those not among the items */
    bool known;     /* the check was made */
};

struct result_disturbance { /* how long the ranks waited for a core while the program was recorded */
    bool known;
    bool crowded; /* a node had more ranks than cores */
    double computing_s, waited_s; /* all ranks, with all their threads */
    double mpi_s, mpi_waited_s; /* of these: in MPI, without a core there */
    double worst_share;
    uint32_t worst_rank;
};

struct result_slice_wait {
    double severity_s;
    uint64_t count; /* of waits that begin in the slice */
};

#define RESULT_SLICE_OF_CALLS "calls"
#define RESULT_SLICE_OF_COMPUTING "computing"
struct result_slice { /* of the run's time, all ranks */
    double from_s, to_s; /* since the first event; of iterations, of any rank */
    uint64_t iteration, iterations; /* the first one's number, and how many; iterations 0: a slice of time */
    double longest_s; /* of a rank in it */
    double time_s, init_s, calls_s, waits_s; /* of the ranks; in calls like MPI_Init; in all calls; in waits that are not part of
                                                another one */
    double efficiency, load_balance; /* user code's share of the time without init_s; mean of the ranks' user code by that of
                                        the rank with most; -1: unknown */
    uint64_t calls, transfers, bytes; /* that begin in it */
    struct result_slice_wait waits[PATTERN_COUNT];
    const char *stands_out; /* static: the wait state, RESULT_SLICE_OF_CALLS or RESULT_SLICE_OF_COMPUTING, that it has more of
                               than other slices; NULL: it does not */
};

struct result_over_time {
    bool known, partial; /* partial: times are those of a section, or of the first threads. Not in the file */
    char *iterations; /* owned: where each begins: a region, MPI function, or line; NULL: they are slices of time */
    bool loop_sought; /* iterations are those of the main loop, which was looked for. Then the last slice is what is behind it */
    double width_s; /* of each slice of time but the last; 0: of iterations */
    struct result_slice *items; /* owned */
    size_t count;
};

struct result_section { /* the section of the run that times and waits are of (model/waits/section.h) */
    bool known, without_init; /* known false: they are of the whole run */
    bool empty;               /* nothing of the run is in it; false in a result read back */
    char *from, *to, *callpath; /* owned; NULL: not given */
};

struct result {
    char *trace, *platform, *semantics, *engine; /* NULL where they do not apply */
    char *library, *transport; /* of the run, of a prediction the platform's (trace/calls/libraries.h); NULL: not known */
    enum trace_origin origin;
    bool incomplete;
    double epsilon_s;   /* the threshold used */
    char late_post[12]; /* "latest" or "earliest": the post that Late Post was counted to */
    uint32_t rank_count;
    bool not_inferred[MPI_CALL_COUNT]; /* by enum mpi_call: no Wait for Progress was inferred of the function
                                          (docs/patterns.md); all false in a result read back */
    double run_time_s, *rank_time_s;
    struct uncertainty uncertainty; /* of run_time_s, where it is predicted */
    struct result_section section;
    struct result_disturbance disturbance;
    struct result_pattern patterns[PATTERN_COUNT];
    struct result_property *properties;
    size_t property_count, property_capacity;
    uint64_t transfer_count, transfer_bytes;
    uint64_t gap_count, gap_bytes; /* of transfers with buffers that are not contiguous */
    bool within_known; /* the true intervals are known (simulated traces) */
    uint64_t within_bounds;
    struct result_distribution lower_bound_Bps, upper_bound_Bps;
    struct result_distribution platform_bound_Bps; /* of a prediction: the least end on the platform bounds it, too */
    struct result_groups transfer_groups[TRANSFER_GROUPINGS];
    bool flights_known; /* flights and limits were counted */
    struct result_flight *flights; /* owned */
    size_t flight_count, flight_capacity;
    struct result_limit limits[FLIGHT_SCOPES * FLIGHT_MEASURES]; /* that were asked for */
    size_t limit_count;
    bool fences_known;                          /* the next five were counted */
    uint64_t fence_pairs, unneeded_fence_pairs; /* pairs of ranks that fences synchronised; those without need */
    double fence_saved_s;                       /* time that narrower synchronisation would save, all ranks */
    uint64_t empty_fences;                      /* fences without MPI_MODE_NOPRECEDE that close no operation of any
                                                   rank */
    double empty_fence_s;                       /* waiting in them, all ranks */
    struct result_creation *creations; /* owned: windows created in a loop, the longest time first */
    size_t creation_count, creation_capacity;
    bool behaviour_known; /* behaviour and creations were counted */
    struct result_behaviour *behaviour; /* owned */
    size_t behaviour_count, behaviour_capacity;
    bool calls_known;           /* in a result read back: its file has them */
    struct result_shares calls; /* by function and place */
    double init_s;              /* of these in calls like MPI_Init and MPI_Finalize */
    struct result_user user;
    struct result_over_time over_time;
    char *replay;               /* owned: the platform of calls' transfer_s; NULL: they are of no replay */
    bool causes_known;                          /* causes and critical_path were computed */
    struct result_shares causes, critical_path;
    struct result_node *nodes; /* owned: of a prediction with causes, the one that holds the run back most first */
    size_t node_count;
    double *rank_user_s, *rank_path_s; /* owned, rank_count: time in user code, of the critical path. Not in the file */
    struct result_check checks[RESULT_CHECKS_MAX];
    size_t check_count;            /* 0: not requested */
    struct efficiency *efficiency; /* owned; NULL: not requested */
    bool per_rank;                 /* efficiency and places are written with the values of every rank */
    cJSON *efficiency_read, *behaviour_read; /* owned; in a result read back: these as they were written; NULL: none */
    struct result_violations violations; /* model/violations/violations.h */
    struct result_left_out *left_out; /* owned; with --keep-going: the parts of the trace that the analysis left out */
    size_t left_out_count, left_out_capacity;
    char **notes;                  /* sentences for the reader: assumed defaults, epochs without partner */
    size_t note_count, note_capacity;
    struct result_buffer buffer;
    uint64_t events, peak_bytes; /* engine_stats; 0 where they do not apply */
    double wall_s;
};

enum status result_new(uint32_t rank_count, struct result **result, struct err *err);
void result_free(struct result *result);
void result_place_clear(struct result_place *place);
struct trace;
/* Fills an empty *who with rank, thread and node of the trace. */
enum status result_who_set(const struct trace *trace, uint32_t rank, uint32_t thread, struct result_who *who,
                           struct err *err);
void result_group_clear(struct result_group *group);
void result_violations_clear(struct result_violations *violations);
enum status result_add_left_out(struct result *result, const struct result_left_out *made, struct err *err);
enum status result_add_behaviour(struct result *result, const struct result_behaviour *made, struct err *err);
/* Writes "put of 64 KiB waited for its target's post in 38 of 38 calls that show it", or "... not seen". Returns
 * text. */
enum { RESULT_BEHAVIOUR_BYTES = 256 };
char *result_behaviour_text(const struct result_behaviour *row, char text[RESULT_BEHAVIOUR_BYTES]);
/* Elements of behaviour[] (model/behaviour/report.c); NULL: no memory. */
cJSON *result_behaviour_json(const struct result *result);
void result_print_behaviour(const struct result *result, FILE *out);
enum status result_add_note(struct result *result, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Hands the notes over, which the caller then owns. */
void result_give_notes(struct result *result, char ***notes, size_t *count);
bool result_has_note(char *const *notes, size_t count, const char *note);

/* Time in MPI, mean of the ranks; at most the run time. */
double result_in_mpi_s(const struct result *result);

/* Bytes and number of all transfers of a rank to another, or itself. */
uint64_t result_matrix_bytes(const struct result *result, uint32_t origin, uint32_t target, uint64_t *count);

/* "computing waited 1.2 s for a core, 20.0 % of it; rank 3 35.0 %; of 3.7 s in MPI 3.6 s without a core". Gives text. */
enum { RESULT_DISTURBANCE_BYTES = 240 };
char *result_disturbance_text(const struct result_disturbance *disturbance, char text[RESULT_DISTURBANCE_BYTES]);
/* Whose behaviour a prediction has, as "Open MPI 4.1.4 over TCP". Of a platform without a library (NULL) that is
 * RESULT_IDEAL_LIBRARY. transport may be NULL. Gives text. */
enum { RESULT_LIBRARY_BYTES = 400 };
#define RESULT_IDEAL_LIBRARY "ideal library"
char *result_library_text(const char *library, const char *transport, char text[RESULT_LIBRARY_BYTES]);

/* "from MPI_Barrier#2 to MPI_Barrier#3 at main* without MPI_Init and MPI_Finalize"; "the whole run". Gives text. */
enum { RESULT_SECTION_BYTES = 400 };
char *result_section_text(const struct result_section *section, char text[RESULT_SECTION_BYTES]);

/* JSON: the caller owns the tree (cJSON_Delete). result_from_json takes one object; messages name file. */
enum status result_to_json(const struct result *result, cJSON **json, struct err *err);
enum status result_from_json(const cJSON *json, const char *file, struct result **result, struct err *err);
/* Reads a result file. */
enum status result_open(const char *file, struct result **result, struct err *err);

/* "3 puts waited 2 ms for room in the 64 KiB buffer of their rank, of which at most 64 KiB were taken". Gives text. */
enum { RESULT_BUFFER_TEXT_BYTES = 160 };
char *result_buffer_text(const struct result_buffer *buffer, char text[RESULT_BUFFER_TEXT_BYTES]);

/* In every text that tables show, C++ functions lose their arguments and files their folders where that names one of them alone.
 * After it the result is for people. */
enum status result_shorten_names(struct result *result, struct err *err);

/* All ranks' time, with that of their threads, without MPI_Init and MPI_Finalize, which no program can spare; the section's, if
 * the result is of one. Shares in tables are of it. */
double result_total_s(const struct result *result);
/* MPI's share of all ranks' time; 0 where there is no time. */
double result_mpi_share(const struct result *result);
/* The least share of all ranks' time that is worth advice: runs differ by more. */
#define RESULT_WORTH_ADVICE 0.01

/* The part of a call's time that is no wait state. */
double result_rest_s(const struct result_share *call);
/* Sets transfer_s and unexplained_s from what a replay spends outside wait states. */
void result_explain_call(struct result_share *call, double replay_s);
/* Does so for the calls of a recorded run from a replay of it. Calls that the replay lacks stay unknown. STATUS_DATA if
 * replayed is no result of a replay with calls and with so many ranks. */
enum status result_explain(struct result *result, const struct result *replayed, const char *file, struct err *err);
/* Sets the calls' shares of all ranks' time. */
void result_share_calls(struct result *result);
/* Prints MPI's share and user code; calls by time, the first `top` of them (0: those that matter). Nothing of a run whose
 * calls take no time. */
void result_print_share(const struct result *result, FILE *out);
void result_print_calls(const struct result *result, size_t top, FILE *out);

/* The table for people: run time, ranks, findings by severity, property tree, transfers, notes. */
void result_print(const struct result *result, FILE *out);
/* Prints the line of a node under what heads it. */
void result_print_nodes_head(FILE *out);
/* Notes under their heading; nothing if there are none. */
void result_print_notes(char *const *notes, size_t count, FILE *out);
void result_print_node(const struct result *result, const struct result_node *node, FILE *out);
/* The same with the first `top` findings and places of each list; 0: as result_print. Of a result with slices of time these
 * instead of findings. */
void result_print_top(const struct result *result, size_t top, FILE *out);
/* "rank 3, event 17 (MPI_Put) at 0.001000 s, main/exchange (halo.c:40)" and the end of a line. */
void result_print_call(const struct result_call *call, FILE *out);
/* Prints every call that contradicts MPI, or that there is none. */
void result_print_violations(const struct result_violations *violations, FILE *out);
/* Prints the slices of time, and those that stand out. */
void result_print_over_time(const struct result_over_time *over_time, FILE *out);
/* Prints the part about transfers. */
void result_print_transfers(const struct result *result, size_t top, FILE *out);

/* "operations", "requests", "bytes"; "rank", "target", "window". */
const char *flight_measure_name(int measure);
const char *flight_scope_name(int scope);
/* Prints the highest marks, and of each limit the first call that exceeds it. */
void result_print_flights(const struct result *result, FILE *out);
/* Some limit may be exceeded. */
bool result_exceeds(const struct result *result);

#endif
