/* A test on its ranks: the arguments of test functions, and how often they are called. */
#ifndef PLATFORMS_BENCH_MPI_RUN_H
#define PLATFORMS_BENCH_MPI_RUN_H

#include <mpi.h>

#include "platforms/bench/config.h"
#include "platforms/bench/results.h"

/* Larger than the caches of a core: room of rank 0 for memoryCopy. */
enum { BENCH_COLD_BYTES = 1 << 26 };

/* Rank 0 is the origin or root, the last rank the target or partner. */
struct bench_run {
    const struct bench_job *job;
    MPI_Comm comm;    /* of test functions and of the barrier before each repetition */
    MPI_Comm control; /* of the same ranks: what they agree on between repetitions */
    int rank, ranks, target;
    int64_t bytes;
    int count;            /* of elements of type */
    MPI_Datatype type;    /* of reductions and accumulates: doubles where bytes are a multiple of 8 */
    char *send, *receive; /* room for bytes of each rank, 64-byte aligned */
    MPI_Win window;       /* bytes on each rank, 64 at least; none in functions that make their own */
    char *base;
    MPI_Aint at;          /* of the buffer in the target's window */
    double own_s;         /* the bench's own time per repetition */
    unsigned char turn;   /* changes with each repetition */
    bool counts_losses;   /* of the core: bench_core_losses() */
    long losses;          /* in the timed calls of this repetition */
};

/* One repetition. Returns its time on this rank in seconds, NAN on a rank that only takes part. All ranks come from a
 * barrier. */
typedef double (*bench_repeat)(struct bench_run *run);
/* By enum bench_function_id. */
extern const bench_repeat bench_repeats[BENCH_FUNCTION_COUNT];


#define BENCH_TEST(NAME, IDENTIFIER, SIZES, RANKS, VALUE, WINDOW, SUMMARY) double bench_##IDENTIFIER(struct bench_run *run);
#include "platforms/bench/tests.def"
#undef BENCH_TEST

static inline bool bench_is_pair(const struct bench_run *run)
{
    return run->rank == 0 || run->rank == run->target;
}

/* Computes for a moment behind a barrier, until the other ranks have left it: what is measured then is as behind other calls. */
void bench_stay_behind_barrier(void);
/* Monotonic, in seconds. */
double bench_now(void);
/* How often the kernel has given the thread's core to another process although it wanted to run, 0 unless run->counts_losses. Of
 * calls that wait for nobody: in calls that wait, polls may give the core away. */
long bench_core_losses(const struct bench_run *run);

/* Makes run->window of the job's kind with run->bytes, and frees it. Collective. */
void bench_run_open_window(struct bench_run *run);
void bench_run_close_window(struct bench_run *run);

/* All tests run in so many passes, one after another. Each pass has a part of a job's time. The first two have all minRepeats.
 * The others run while the job has used less than its time. So a disturbance that lasts over several tests leaves them other
 * passes. A job of few repetitions has one pass. */
enum { BENCH_PASSES = 8 };
/* Whether the job runs in this pass, when the passes before have taken spent_s; INFINITY: it failed. */
bool bench_job_has_time(const struct bench_job *job, int pass, double spent_s);
/* Runs all sizes of the job on comm, for one pass, and writes each repetition to out (on rank 0; unused on others). place: of its
 * nodes. */
enum status bench_job_run(const struct bench_job *job, MPI_Comm comm, const char *place, double own_s, FILE *out,
                          struct err *err);

#endif
