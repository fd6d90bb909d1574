/* The result of analysing one trace (schema rmacast.result/1): built by model_analyze or predictors, written as JSON or
 * as a table, read back by validate and report. Times in seconds. */
#ifndef MODEL_RESULT_RESULT_H
#define MODEL_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/status.h"
#include "model/waits/totals.h"
#include "model/efficiency/efficiency.h"
#include "trace/calls/calls.h"

struct result_who { /* a rank, and of several threads which; where it ran */
    int64_t rank;   /* -1: not known */
    int32_t thread; /* -1: the rank has one thread */
    char *node;     /* owned; NULL: not known */
};

struct result_place_rank { /* what one rank, or thread, has of a place */
    struct result_who who;
    double severity_s;
    uint64_t count;
};

struct result_moves {       /* what an advice says in figures; 0: it does not say that */
    double other_earlier_s; /* how much earlier the other side's call is of use */
    double own_later_s;     /* how much later the call that waits */
    double distance_s,
        advised_s; /* from the call that starts what is waited for to the call that waits, now and advised */
};

struct result_place {
    char *callpath, *file; /* owned; file NULL if unknown */
    char *advice;          /* owned: what to move where, for the longest single wait; NULL if there is none to give */
    char *rows;            /* owned: of `compare`, which show what the advice is worth; NULL: none do */
    struct result_moves moves;
    int32_t line;
    struct result_who who; /* that has most of it */
    double severity_s;
    uint64_t count;
    struct result_place_rank *ranks; /* owned, by rank and thread; none unless they were asked for */
    size_t rank_count;
};

struct result_pattern {
    double severity_s;
    uint64_t count;
    double *rank_severity_s; /* owned, rank_count */
    struct result_place *places;
    size_t place_count, place_capacity;
};

struct result_distribution {   /* of a rate over the transfers; count 0: nothing known, written as null */
    uint64_t count, unbounded; /* unbounded: transfers whose interval is empty */
    double min, median, mean, max;
};

struct result_rates { /* of a rate over the transfers of a group; count 0: nothing known, written as null */
    uint64_t count, unbounded;
    double min, median, max;
    double overall; /* bytes of all by the time of all */
};

enum transfer_grouping {
    TRANSFERS_OF_PAIR,   /* origin, target, kind */
    TRANSFERS_OF_WINDOW, /* window, name */
    TRANSFERS_OF_PLACE,  /* name: the call path; file, line, function */
    TRANSFERS_OF_SIZE,   /* from_bytes, to_bytes */
    TRANSFER_GROUPINGS
};

struct result_group { /* of transfers; what is not of its grouping is zero */
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
    char detail[200]; /* what was looked at, or the first breach */
};
enum { RESULT_CHECKS_MAX = 8 };

struct result_left_out { /* a part of the input that was at fault and is not in the figures */
    int64_t rank;        /* -1: it belongs to none */
    uint64_t event;      /* of the rank, from 1; it and what follows is left out */
    bool time_known;
    double time_s;       /* as the trace counts it */
    int64_t calls;       /* left out, -1 not known */
    char *reason;        /* owned: the error's line */
};

struct result_share {      /* of what ranks do */
    char *callpath, *file; /* owned; callpath "" outside all regions, file NULL if unknown */
    char *activity;        /* owned: an MPI function, or "computing" */
    int32_t line;
    struct result_who who; /* that has most of it */
    double time_s, share;
};

struct result_shares {
    struct result_share *items; /* the largest first */
    size_t count;
    double total_s;
};

/* What a call of the recorded library waits for; HOLDER: a lock for who has it. */
enum result_waits { BEHAVES_UNSEEN, BEHAVES_NONE, BEHAVES_POST, BEHAVES_GROUP, BEHAVES_HOLDER, BEHAVES_COUNT };
enum result_content { OF_ALL, OF_NOTHING, OF_PUTS, OF_GETS, OF_COUNT }; /* complete: by what targets got in the epoch */

struct result_behaviour { /* how the recorded library behaved in one function, of operations by size class */
    enum mpi_call call;
    enum result_content content;
    bool sized; /* the next four hold: the class, and what there was of it */
    int64_t from_bytes, to_bytes, least_bytes, most_bytes;
    enum result_waits waits;
    uint64_t seen, of, calls; /* seen: calls that show it, of those that can show anything, of all */
    uint64_t for_group,
        not_for_group; /* operations: calls that waited for another target's post alone; returned before it */
};

struct result_creation { /* of windows, again and again at one place */
    enum mpi_call call;
    char *file; /* owned */
    int32_t line;
    uint64_t count, most; /* of all ranks; of the rank that has most of them */
    double time_s;        /* in these calls, all ranks */
};

struct result_buffer { /* the limited buffers of a simulation under semantics d, over all origins */
    bool known;
    uint64_t limit_bytes, waits, peak_bytes; /* of one origin; puts that waited for room; most that one origin held */
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

struct result_violation { /* of MPI, by the program */
    const char *kind, *section; /* static */
    char *sentence;             /* owned */
    struct result_call call, other;
    bool other_known;
};

struct result_violations {
    struct result_violation *items; /* by rank, then event */
    size_t count;
    uint64_t total; /* with those that are not among the items */
    bool known;     /* they were looked for */
};

struct result_disturbance { /* how long computing waited for a core while the program was recorded */
    bool known;
    bool crowded; /* a node had more ranks than cores */
    double computing_s, waited_s; /* all ranks, with all their threads */
    double worst_share;
    uint32_t worst_rank;
};

struct result_section { /* of the run: which one the times and waits are of (model/waits/section.h) */
    bool known, without_init; /* known false: they are of the whole run */
    char *from, *to, *callpath; /* owned; NULL: not given */
};

struct result {
    char *trace, *platform, *semantics, *engine; /* NULL where they do not apply */
    bool simulated, incomplete;
    double epsilon_s;   /* the threshold used */
    char late_post[12]; /* "latest" or "earliest": how Late Post was counted */
    uint32_t rank_count;
    double run_time_s, *rank_time_s;
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
    struct result_groups transfer_groups[TRANSFER_GROUPINGS]; /* of a result read back: pairs alone */
    bool fences_known;                          /* the next five were counted */
    uint64_t fence_pairs, unneeded_fence_pairs; /* pairs of ranks that fences synchronised, and without need */
    double fence_saved_s;                       /* that narrower synchronisation would save, all ranks */
    uint64_t empty_fences;                      /* that close no operation of any rank, without MPI_MODE_NOPRECEDE */
    double empty_fence_s;                       /* waiting in them, all ranks */
    struct result_creation *creations; /* owned: windows created in a loop, the dearest first */
    size_t creation_count, creation_capacity;
    bool behaviour_known; /* it was counted, and creations were */
    struct result_behaviour *behaviour; /* owned */
    size_t behaviour_count, behaviour_capacity;
    bool causes_known;                          /* causes and critical_path were looked for */
    struct result_shares causes, critical_path;
    struct result_check checks[RESULT_CHECKS_MAX];
    size_t check_count;            /* 0: not wanted */
    struct efficiency *efficiency; /* owned; NULL: not wanted */
    bool per_rank;                 /* efficiency and places are written with the values of every rank */
    cJSON *carried; /* owned; of a result read back: its efficiency, causes, critical path and groups of transfers, which
                     * are written again as they were; NULL: none */
    struct result_violations violations; /* model/violations/violations.h */
    struct result_left_out *left_out; /* owned; an analysis that keeps going says here what it does without */
    size_t left_out_count, left_out_capacity;
    char **notes;                  /* sentences to show: defaults taken, epochs without partner */
    size_t note_count, note_capacity;
    struct result_buffer buffer;
    uint64_t events, wall_ns, peak_bytes; /* engine_stats; 0 where they do not apply */
};

enum status result_new(uint32_t rank_count, struct result **result, struct err *err);
void result_free(struct result *result);
void result_place_clear(struct result_place *place);
struct trace;
/* Who that is in the trace, for an empty *who. */
enum status result_who_set(const struct trace *trace, uint32_t rank, uint32_t thread, struct result_who *who,
                           struct err *err);
void result_group_clear(struct result_group *group);
void result_violations_clear(struct result_violations *violations);
enum status result_add_left_out(struct result *result, const struct result_left_out *made, struct err *err);
enum status result_add_behaviour(struct result *result, const struct result_behaviour *made, struct err *err);
/* "put of 64 KiB waited for its target's post in 38 of 38 calls that show it", without what follows "not seen". */
enum { RESULT_BEHAVIOUR_BYTES = 256 };
char *result_behaviour_text(const struct result_behaviour *row, char text[RESULT_BEHAVIOUR_BYTES]);
/* Elements of behaviour[] (model/behaviour/report.c); NULL: no memory. */
cJSON *result_behaviour_json(const struct result *result);
void result_print_behaviour(const struct result *result, FILE *out);
enum status result_add_note(struct result *result, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Bytes and number of all transfers of a rank to another, or itself. */
uint64_t result_matrix_bytes(const struct result *result, uint32_t origin, uint32_t target, uint64_t *count);

/* "computing waited 1.2 s for a core, 20.0 % of it; rank 3 35.0 %". Gives text. */
enum { RESULT_DISTURBANCE_BYTES = 160 };
char *result_disturbance_text(const struct result_disturbance *disturbance, char text[RESULT_DISTURBANCE_BYTES]);
/* NULL: no memory. */
cJSON *result_disturbance_json(const struct result_disturbance *disturbance);

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

/* The table for people: run time, ranks, findings by severity, property tree, transfers, notes. */
void result_print(const struct result *result, FILE *out);
/* The same with the first `top` findings and places of each list; 0: as result_print. */
void result_print_top(const struct result *result, size_t top, FILE *out);
/* What contradicts MPI: every call, or that there is none. */
void result_print_violations(const struct result_violations *violations, FILE *out);
/* Of that the part about transfers. */
void result_print_transfers(const struct result *result, size_t top, FILE *out);

#endif
