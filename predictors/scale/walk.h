/* Compares a program with the runs that it describes: every rank of every run must make the program's calls. The walk
 * collects bytes, repetitions and times of the calls, to which functions of the number of ranks are fitted. */
#ifndef PREDICTORS_SCALE_WALK_H
#define PREDICTORS_SCALE_WALK_H

#include "predictors/scale/observe.h"
#include "predictors/scale/program.h"

/* A value of a call in all ranks of a run. */
struct walk_value {
    bool seen, differs;
    int64_t value, least, most;
    double sum;
    uint64_t count;
};

/* The observations of one step in one run. */
struct walk_sample {
    uint64_t rounds; /* of a STEP_REPEAT; 0: no rank takes it */
    struct walk_value bytes, aux;
    struct walk_value waits; /* places among all open requests: enum of program.h */
    struct walk_value disp[DISPLACEMENT_BY_TARGET + 1]; /* disp, disp / rank, disp / target */
    struct time_sample computing[COMPUTING_PLACES], duration;
};

/* Computing between two steps of one body, or from what is before a loop to a step of its body, and the step that it is taken to
 * be at. */
struct walk_interval {
    const struct step *previous, *next, *place;
    int at; /* enum of program.h */
    bool enters; /* previous is the loop */
    double sum_s;
    uint64_t count;
};

struct walk {
    struct walk_sample *samples; /* owned: run * step_count + step's number */
    struct executions *executions; /* owned: (run * step_count + step's number) * COMPUTING_PLACES + place: seconds */
    size_t run_count;
    struct walk_interval *intervals; /* owned: of the largest run */
    size_t interval_count, interval_capacity;
    struct map by_steps; /* numbers of both steps to the interval */
};

/* runs are ordered by number of ranks. Returns STATUS_DATA if some rank makes another call; *matched is the number of
 * calls that agreed. */
enum status walk_runs(const struct program *program, const struct keys *keys, const struct run *runs, size_t run_count,
                      struct walk *walk, uint64_t *matched, struct err *err);
void walk_clear(struct walk *walk, const struct program *program);

#endif
