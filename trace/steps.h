/* How much the computing of equal steps differs. A step is the gap between two calls; steps of one thread between the same two
 * places of the program are taken for equal. A prediction takes the computing of each step as it was recorded, so a step that was
 * recorded too slow is predicted too slow. Core waits, sleep, pauses of recording and the recorder's cost are not computing. */
#ifndef TRACE_STEPS_H
#define TRACE_STEPS_H

#include "trace/trace.h"

struct trace_steps {
    bool known;      /* a recording that has equal steps */
    double share;    /* of their computing: what they took longer than the fastest quarter of their equals */
    bool notable;    /* more than 5 %, and 1 % of the ranks' time */
    uint32_t rank;   /* the thread's rank and the end of the steps that took the most of it, */
    uint16_t call;
    uint32_t site;
    uint64_t count;  /* their number, */
    double low_s, high_s; /* and their 10th and 90th percentile */
};

/* Looks at all calls. Steps shorter than 20 us, and those with less than ten equals, are left out. */
enum status trace_steps_find(const struct trace *trace, struct trace_steps *steps, struct err *err);

/* The same for a trace that is read in slices: calls of a rank from index `first` on, as often as there are more, with their
 * before_ps; memory of 8 bytes per step between the two places that have the most. */
struct steps_finder;
bool trace_steps_are_known(const struct trace *trace);
enum status steps_finder_new(const struct trace *trace, struct steps_finder **finder, struct err *err);
enum status steps_finder_add(struct steps_finder *finder, uint32_t rank, size_t first, struct err *err);
enum status steps_finder_end(struct steps_finder *finder, struct trace_steps *steps, struct err *err);
void steps_finder_free(struct steps_finder *finder); /* NULL is legal */

/* "12.5 % of the computing is above that of the fastest quarter of equal steps; rank 0: 40 steps up to MPI_Put (main, file:line)
 * took 10 ms to 14 ms". Gives text. */
enum { TRACE_STEPS_BYTES = 400 };
char *trace_steps_text(const struct trace *trace, const struct trace_steps *steps, char text[TRACE_STEPS_BYTES]);
#define TRACE_STEPS_ADVICE "if these compute the same, record again while nothing else runs, or give several recordings"

/* How much the run time of another run differs since its computing and its start do (docs/trust.md): half of the band, in
 * seconds, in which 90 % of other runs are. It is 1.645 standard deviations of the sum of a rank's steps if they differ
 * independently, the largest of the ranks (of 64 of them, of the first 16,384 calls of each, scaled to all); with `starts` also
 * half of the range in which the ranks start. Here steps have the computing and sleep that a replay takes
 * (trace_use_computing()), and equal steps have lengths close together, so a loop that computes 5 ms in most iterations and 20
 * ms in some has two kinds of them. 0 for a generated or simulated trace, whose times are exact. NAN: less than half of the
 * computing is in steps that occur three times, or the trace is of a described program, whose times nobody measured.
 *
 * Of several recordings (trace/recordings.h) it follows from the standard deviation of a rank's computing over them, pooled over
 * the ranks, by Student's t with as many degrees of freedom: another run differs so much from their median.
 *
 * trace_spread_add() with the calls of a rank, from index `first` on, as often as there are more; trace_spread_end(); the same
 * for the next rank; trace_spread_error(). */
struct trace_spread {
    int64_t first_ps, last_ps; /* of the ranks' first calls */
    double spread_s;           /* the largest of the ranks so far; NAN: unknown */
    uint64_t calls, taken;     /* of the rank so far */
    struct step_list {
        struct step *items; /* owned */
        size_t count, capacity;
        struct left *left; /* owned, by thread */
    } steps;
};
#define TRACE_SPREAD_NONE {.first_ps = INT64_MAX, .last_ps = INT64_MIN}
enum status trace_spread_add(struct trace_spread *spread, const struct trace *trace, uint32_t rank, size_t first,
                             struct err *err);
void trace_spread_end(struct trace_spread *spread);
void trace_spread_clear(struct trace_spread *spread);
double trace_spread_error(const struct trace *trace, const struct trace_spread *spread, bool starts);

#endif
