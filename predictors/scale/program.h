/* The program that several runs have in common: the calls of every rank as a function of its place and of the number of
 * ranks. A step is a call, a repetition of a body, or a body that is executed once with each partner of a series.
 *
 * The idea is that of regular section descriptors extrapolated over ranks: X. Wu, F. Mueller, ScalaExtrap: Trace-Based
 * Communication Extrapolation for SPMD Programs, PPoPP 2011, sections 3 and 4; here for one-sided calls, too. */
#ifndef PREDICTORS_SCALE_PROGRAM_H
#define PREDICTORS_SCALE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "predictors/scale/count_model.h"
#include "trace/program_model/executions.h"
#include "trace/program_model/grid.h"
#include "predictors/scale/time_model.h"
#include "predictors/scale/wait_sets.h"
#include "trace/trace.h"

/* The k-th partner of rank r among n, k from 0. Ranks are places in the communicator of the call. */
enum series {
    SERIES_UP,        /* (r + 1 + k) mod n, n - 1 of them */
    SERIES_DOWN,      /* (r - 1 - k) mod n, n - 1 of them */
    SERIES_ASCENDING, /* 0, 1, ... without r, n - 1 of them */
    SERIES_FROM_SELF, /* (r + k) mod n, n of them */
    SERIES_ALL,       /* 0, 1, ... with r, n of them */
    SERIES_EXCLUSIVE, /* r xor (1 + k), n - 1 of them, n a power of two */
    SERIES_CUBE,      /* r xor 2^k, log2 n of them, n a power of two */
    SERIES_DOUBLE_UP,   /* (r + 2^k) mod n while 2^k < n */
    SERIES_DOUBLE_DOWN, /* (r - 2^k) mod n while 2^k < n */
    SERIES_COUNT
};

/* The number of partners; 0: the series does not exist for so many ranks. */
uint32_t series_rounds(enum series series, int32_t ranks);
int32_t series_partner(enum series series, int32_t ranks, int32_t rank, uint32_t round);

enum partner_kind {
    PARTNER_NONE,   /* none, or MPI_PROC_NULL */
    PARTNER_FIRST,  /* place 0 of the communicator */
    PARTNER_LAST,   /* place n - 1 */
    PARTNER_RANK,   /* the same other place for all ranks */
    PARTNER_OFFSET, /* the neighbour at an offset in the grid; without a neighbour the call is left out or has
                       MPI_PROC_NULL */
    PARTNER_SERIES, /* the partner of the current round of the body */
    PARTNER_TURN,   /* a root that differs from call to call: place k mod n in round k of the repetition around the call */
};

struct partner {
    enum partner_kind kind;
    int32_t rank;
    struct grid_offset offset;
    enum series series;
};

/* The partner of a rank in a communicator that is this part of the grid. round is that of the series around the call.
 * TRACE_NONE: no partner, or outside the grid. */
int32_t partner_rank(const struct partner *partner, const struct grid *grid, unsigned shared, int32_t rank, uint32_t round);

/* The members of a group of MPI_Win_post or MPI_Win_start; MEMBERS_ALL: all ranks of the window's communicator. */
enum members_kind { MEMBERS_NONE, MEMBERS_LISTED, MEMBERS_OTHERS, MEMBERS_ALL };
struct members {
    enum members_kind kind;
    struct partner *listed; /* owned; neighbours outside the grid are left out */
    size_t count, capacity;
};

/* The request that a wait completes, as its position among the rank's requests that no wait has completed yet, in the
 * order of their creation. */
enum { WAIT_SOME = -3, WAIT_NONE = -2, WAIT_ALL = -1 }; /* some of several; other values are positions */

/* The ranks that take a step, by their positions in a part of the grid. */
enum takers {
    TAKERS_ALL,
    TAKERS_FIRST,
    TAKERS_NOT_FIRST,
    TAKERS_LAST,
    TAKERS_NOT_LAST,
    TAKERS_INNER, /* neither first nor last */
    TAKERS_ENDS,
    TAKERS_EVEN,
    TAKERS_ODD,
    TAKERS_COUNT
};

/* Computing at one place of the program. */
struct computing {
    struct time_model model;
    struct executions *executions; /* owned, per run of the program, that of the largest run last; NULL: no computing */
    size_t run_count;
};
const struct executions *computing_of_largest(const struct computing *computing);
enum {
    COMPUTING_BEFORE,
    COMPUTING_AFTER,
    COMPUTING_REGION, /* of a call that enters a region: the whole time of the region, up to the end of its last call */
    COMPUTING_PLACES
};

/* The sizes of a call in a series may double, or halve, as a butterfly's do. */
enum size_growth { SIZE_SAME, SIZE_DOUBLES, SIZE_HALVES };

/* Bytes of a call: a function that gives them exactly, or one of their means in the runs. */
struct size_model {
    enum size_growth growth; /* from round to round of the series around the call; the model is of round 0 */
    struct count_model exact;
    bool is_mean;
    struct time_model mean; /* bytes, not seconds */
    int64_t least, most;    /* of all calls */
};

enum step_kind { STEP_CALL, STEP_REPEAT, STEP_SERIES, STEP_COMPUTE /* places.h: between calls of any ranks */ };
enum { STEP_PARTNERS = 2 }; /* target, destination or root; source of a sendrecv */

/* Displacement of a one-sided call: the same for all ranks, or a number times the rank's or the target's place in the
 * window's communicator. */
enum displacement { DISPLACEMENT_UNKNOWN, DISPLACEMENT_FIXED, DISPLACEMENT_BY_RANK, DISPLACEMENT_BY_TARGET };

struct step {
    enum step_kind kind;
    enum takers takers;
    unsigned takers_shared; /* in which part */
    unsigned shared;        /* the communicator is that part of the grid (grid_part_count()) */
    struct computing computing[COMPUTING_PLACES];
    /* STEP_CALL */
    struct trace_call call; /* members that are equal on all ranks at all scales; site and ref (region) refer to struct
                               program */
    struct partner partners[STEP_PARTNERS];
    bool null_outside; /* calls with MPI_PROC_NULL where the neighbour is missing */
    struct members members;
    int32_t waits;      /* WAIT_SOME: the requests of a set of the learner's keys, */
    uint32_t completed; /* which is this one, */
    uint32_t key;       /* and which has keys of the calls that make requests, like this one's */
    struct size_model bytes, aux;
    struct count_model disp;
    enum displacement displacement;
    struct time_model duration;
    /* STEP_COMPUTE */
    double weight; /* computing between two calls in which a rank comes by several of these is divided among them so */
    /* STEP_REPEAT, STEP_SERIES */
    struct step *body; /* owned */
    size_t count;
    struct count_model rounds; /* of STEP_REPEAT; until it is fitted, those of the largest run */
    enum series series;        /* of STEP_SERIES: that of its first call with a partner */
    uint32_t number;           /* of all steps of a program, from 0 */
    uint32_t pair;             /* of a call that enters a region: 1 + number of the step that leaves it, and vice versa;
                                  0: not in the same body, or not of all ranks */
};

struct program_window {
    size_t comm;
    char flavor;
    bool sized;
    struct count_model bytes;
    int32_t disp_unit; /* 0: not known */
};

/* A run that the program was made from. */
struct program_run_scale {
    int32_t ranks;
    int64_t n; /* the parameter; 0: there is none */
};

/* A number for which several functions hold in all runs. */
struct program_doubt {
    const char *what; /* "bytes" */
    uint16_t call;    /* CALL_COUNT: none */
    uint32_t site;
    struct count_model models[COUNT_FITS_MAX]; /* the first one is used */
    size_t count;
};

struct program {
    char *parameter; /* owned: its name; NULL: there is none */
    struct program_run_scale *runs; /* owned; by rising ranks and parameters */
    size_t run_count;
    struct program_doubt *doubts; /* owned */
    size_t doubt_count, doubt_capacity;
    bool two_rounds;   /* neighbours on a grid may be partners of a hypercube: loops_two_rounds(), */
    uint16_t of_call;  /* of this call */
    struct trace *names; /* owned: call sites and regions */
    struct wait_sets waits;
    struct trace_memory memory; /* of the largest run */
    struct grid_shape shape;
    struct step *steps; /* owned, like the calls of a STEP_REPEAT */
    size_t count;
    uint32_t step_count; /* all steps, bodies included */
    bool lenient; /* sizes may have means, and even or odd ranks may take a step, since no grid does without */
    bool shifts; /* on periodic sides of two ranks, where both neighbours are one rank, messages go one way: see merge.c */
    bool has_statistical_steps;
    char *statistics; /* owned: lines that say what is modelled by its statistics, and why; NULL: nothing */
    struct program_window *windows; /* owned */
    size_t window_count;
    unsigned *comms; /* owned: which part of the grid each is */
    size_t comm_count;
};

/* Assigns the computing between two calls to a step that is the same on all ranks: to a repetition or a series that
 * begins there; else to the following call if all ranks make it; else to the preceding call if all ranks make that. */
struct program_place {
    const struct step *entered;  /* the outermost step with a body that has begun since the last call */
    const struct step *previous; /* the last step that was taken, */
    const struct step *body;     /* and the first step of the body that it is in */
};
/* The step that the computing belongs to; *place is COMPUTING_BEFORE or COMPUTING_AFTER that step. */
const struct step *program_computing(const struct program_place *at, const struct step *body, const struct step *next,
                                     int *place);

/* Whether the rank takes the step: it is one of the takers, and its neighbours exist or are not needed. */
bool step_taken(const struct step *step, const struct grid *grid, int32_t rank);

/* The largest run that the program was made from. */
const struct program_run_scale *program_largest(const struct program *program);

/* Numbers the steps from `next` on. Returns the next number. */
uint32_t program_number_steps(struct step *steps, size_t count, uint32_t next);

/* Sets the pairs of all steps, which are numbered. */
void program_pair_regions(struct step *steps, size_t count);

void steps_free(struct step *steps, size_t count);
void program_free(struct program *program);

#endif
