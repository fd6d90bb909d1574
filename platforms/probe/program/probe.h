/* rmacast-probe: the MPI program of `rmacast probe`. Rank 0, the origin, decides what is tried next and sends it to
 * rank 1, the partner, which acts and reports. Rank 2, if there is one, sleeps until a question needs it. Other ranks wait
 * for the end. Rank 0 prints each finding as a line at
 * once (platforms/probe/record.h): findings remain even if the MPI library hangs or crashes later. The program probes
 * the library that it is compiled for. */
#ifndef PLATFORMS_PROBE_PROGRAM_PROBE_H
#define PLATFORMS_PROBE_PROGRAM_PROBE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "platforms/probe/votes.h"

enum { ORIGIN, PARTNER, THIRD };
enum { BYTES_MAX = 4 << 20, WIDE_BYTES = 1 << 20 };
enum tag { TAG_STEP = 1, TAG_REPORT, TAG_READY, TAG_LEAVING, TAG_DATA, TAG_ANSWER, TAG_NOTHING /* is never sent */ };

/* A request of rank 0 to rank 1. */
enum step_kind { STEP_END, STEP_CLOCK, STEP_NOISE, STEP_CASE, STEP_SERIES, STEP_LINGER, STEP_WIDE, STEP_REST };
struct step {
    int kind, id; /* id: enum probe_case, or the row of a series */
    int variant, count;
    int64_t bytes;
    double delay_s;
};

/* The times of a case on each side, by its own clock. */
struct marks {
    double begin_s, end_s[PROBE_CALLS_MAX];
    double event_s; /* where the partner was late, or, of PROBE_ISSUE and PROBE_SEND_LEFT, the origin */
    double left_s;  /* when it left MPI; 0: it did not */
    double helper;
    double lost_share; /* of STEP_NOISE */
};

/* program/pair.c: shared by the two ranks. */
extern int my_rank;      /* in pair; of rank 2 in trio */
extern MPI_Comm pair;    /* ranks 0 and 1; of the others: themselves */
extern MPI_Comm trio;    /* ranks 0, 1 and 2; MPI_COMM_NULL: there are only two */
MPI_Comm comm_with(int rank); /* of the origin and that rank */
extern MPI_Group partner_group, origin_group;
extern MPI_Win window, fence_window; /* of BYTES_MAX; of a page, made by MPI_Win_create */
extern char *base;       /* of window */
extern MPI_Aint place[2];   /* of window on each rank: displacement of its memory */
extern char *source, *result;
/* Of all ranks; only the two have windows. flavour: create, allocate, dynamic. False: out of memory. */
bool pair_open(int world_rank, int world, const char *flavour);
void pair_close(void);
/* Collective on a communicator; places: of its ranks. */
void make_window(MPI_Comm comm, MPI_Aint bytes, MPI_Win *made, char **memory, MPI_Aint *places);

/* program/steps.c: time, waiting, and the actions of both sides around a step. */
double now_s(void);
void sleep_until(double time_s); /* outside MPI */
void poll_until(double time_s);  /* inside MPI */
void spin(double seconds);       /* outside MPI */
void ask(int rank, const struct step *step);
void report(const struct marks *marks);
void await_report(int rank, struct marks *marks);
/* The rank's clock minus rank 0's, on rank 0, and its error. A larger error than wanted is tried to be avoided. */
enum { CLOCK_ROUNDS = 20 }; /* round trips of a comparison */
struct clock_offset {
    double value_s, error_s;
};
struct clock_offset clock_offset_of(int rank, double wanted_s);
void clock_answer(void); /* of that rank */
/* A try begins: the rank has prepared, and leaves MPI or waits inside it. The origin waits for that. */
void rank_prepared(int rank);
void await_origin(void);
void leave_window(void);
void be_outside(const struct step *step, struct marks *marks);
#define BEGIN()        (marks->begin_s = now_s())
#define TIMED(I, CALL) ((CALL), marks->end_s[I] = now_s())
/* What other processes took of this core between two polls inside MPI: the longest gap, and the share of time in
 * gaps. */
struct noise {
    double longest_s, share;
};
struct noise noise_of_both(void); /* the larger values of both ranks */
void noise_answer(void);

/* program/operations.c: one-sided calls towards rank 1. */
void issue_operation(enum probe_variant variant, int64_t bytes);
void issue_into(MPI_Win into, MPI_Aint disp, enum probe_variant variant, int64_t bytes);
void hold_window(void); /* takes a shared lock and makes sure that it is granted, whatever a lock does */

/* program/delays.c: one try of a case. */
void delay_origin(const struct step *step, struct marks *marks);
void delay_partner(const struct step *step, struct marks *marks);

/* program/try.c: tries on rank 0 until a vote is decided. */
struct settings {
    double delay_s;  /* the least one */
    bool loaded;     /* somebody else uses the cores */
    bool few;        /* tries, as each takes long */
    double ends_s;   /* no try begins after this time */
    bool thorough;   /* --long */
};
extern struct settings settings;
extern bool helper_ran; /* in the last case the partner's other threads ran while it slept */
/* False: the votes are not clear, or there are too few; then a printed line says why. */
bool try_case(enum probe_case id, enum probe_variant variant, int64_t bytes, struct probe_votes *votes);
/* Tries the sizes in ascending order, and finds the limits between those that differ. Returns the first size above the
 * first limit; 0: none. winners: of each size; NULL: nobody wants to know. */
int64_t try_sizes(enum probe_case id, enum probe_variant variant, const int64_t *sizes, int count, int *winners);

/* program/three.c: cases with a third rank. */
bool three_wake(void); /* on the origin: rank 2 takes part from now on; false: there is none */
void three_rest(void); /* until now */
bool three_awake(void);
void three_widen(void); /* each of the three: makes their window, once */
void three_run(void);  /* of rank 2: until the end */
void three_close(void); /* each of the three */
bool is_of_three(enum probe_case id);
void three_origin(const struct step *step, struct marks *marks);
void three_partner(const struct step *step, struct marks *marks);

/* program/linger.c. tries: those at the two delays between which linger_s is. False: a put is not served by a call, was served
 * however late it came, or others use the cores. */
bool linger_measure(double *linger_s, double *error_s, int *tries);
void linger_answer(const struct step *step);

/* program/series.c: times of calls while both ranks poll. */
void series_run(const char *name, int64_t bytes);
void series_partner(const struct step *step);

#endif
