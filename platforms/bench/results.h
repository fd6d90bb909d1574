/* The results of a bench run: a directory of CSV files, one for each rank that wrote, a row per repetition.
 *
 * Rows are written when they are measured, so a run that ends early leaves all its rows. An unfinished last row is
 * ignored. Times are seconds; the bench's own time per repetition has been subtracted. */
#ifndef PLATFORMS_BENCH_RESULTS_H
#define PLATFORMS_BENCH_RESULTS_H

#include <stdio.h>

#include "platforms/bench/config.h"
#include "platforms/bench/statistics.h"

/* Times of one repetition on the ranks of a test, and under which conditions the machine was. Of its batch: reference_s, half a
 * round trip of 8 bytes, and work_s, a fixed piece of computing on the slower core of the pair, each the larger one of before and
 * behind the batch; 0: none. losses: how often another process got rank 0's core in the timed calls; 0 where nobody counts. */
struct bench_repetition {
    double root, least, mean, most, reference_s, work_s;
    int losses;
};

extern const char bench_results_header[]; /* with newline */

/* place: the nodes of the test, "0+1". False if it could not be written. */
bool bench_results_write(FILE *out, const struct bench_job *job, const char *place, int64_t bytes, int repetition,
                         const struct bench_repetition *times);

enum { BENCH_PLACE_BYTES = 64 };

/* Repetitions of one test function on one node configuration, place and size, in one pass. */
struct bench_series {
    char test[BENCH_NAME_BYTES], spec[BENCH_SPEC_BYTES], place[BENCH_PLACE_BYTES];
    enum bench_function_id function;
    struct bench_demand demand;
    int64_t bytes;
    struct bench_repetition *repetitions; /* owned */
    size_t count, capacity;
    uint32_t round; /* those of one launch have the same number */
};

/* What MPI_Init took, on the quickest and on the slowest rank, and MPI_Finalize on rank 0; -1: it did not return. */
struct bench_launch {
    double init_least_s, init_most_s, finalize_s;
};
/* DIRECTORY/launch.csv, which a bench writes before and behind MPI_Finalize. False: it cannot be written. */
bool bench_launch_write(const char *directory, const struct bench_launch *launch);

struct bench_results {
    struct bench_series *series; /* in the order of files (by name) and rows */
    size_t count, capacity;
    struct bench_launch *launches; /* of the bench's runs; earlier versions have not written them */
    size_t launch_count, launch_capacity;
};

/* Reads DIRECTORY/rank-*.csv, launch.csv and those of each DIRECTORY/round-*. A round is a repeated run. Its series, and those of
 * a job's passes, are kept separate. Rows of earlier versions have no work_s and losses, or no reference either: 0. Returns
 * STATUS_DATA with file and line for a malformed row, also for an impossible number (a NaN, a time of more than an hour). Inits
 * *results. */
enum status bench_results_open(const char *directory, struct bench_results *results, struct err *err);
void bench_results_clear(struct bench_results *results);
/* Removes the files that bench_results_open() would read there, and each round's run.json, and nothing else. */
void bench_results_remove(const char *directory);
/* Keeps the series of tests whose names begin with the prefix, or (with = false) the others. */
void bench_results_keep(struct bench_results *results, const char *prefix, bool with);
/* Whether no series before has the same test, place and size. */
bool bench_results_is_first(const struct bench_results *results, size_t index);
/* "putLatency -s flush, 8 bytes, nodes: 1": the user region of a recorded bench run around a size of a test. */
enum { BENCH_SERIES_NAME_BYTES = BENCH_SPEC_BYTES + 64 };
void bench_series_name(const char *spec, int nodes, int64_t bytes, char name[BENCH_SERIES_NAME_BYTES]);
/* A barrier, fence or all-reduce is one of a train of so many. */
enum { BENCH_TRAIN = 100 };
/* Makes one series of all that have the same test, place and size. */
enum status bench_results_join(struct bench_results *results, struct err *err);

/* Computes the statistics of the value that the function's row in tests.def names. Returns STATUS_SYSTEM if memory runs
 * out. */
enum status bench_series_statistics(const struct bench_series *series, struct bench_statistics *statistics, struct err *err);

/* "Test:bcast, Nodes:2 Ranks:10, Size:1048576 byte, minDuration:0.010863s, ..." : least, most and mean over all ranks and
 * repetitions, as the first MPI network bench printed them. */
void bench_series_print_line(const struct bench_series *series, FILE *out);
/* The bench's own time per repetition, the largest median of the test `empty`, which is subtracted from all other times; 0 if it
 * was not run. Above BENCH_OWN_MOST_S the bench disturbs what it measures. */
#define BENCH_OWN_MOST_S 1e-6
enum status bench_results_own_s(const struct bench_results *results, double *own_s, struct err *err);
/* A table of least, median, mean, most, 95 % interval and refusals, and a warning if the own time is above its bound. */
enum status bench_results_print(const struct bench_results *results, FILE *out, struct err *err);

/* Whether a series is refused: its 90th percentile is above 1.2 medians, so it reflects the machine's load more than
 * its network. */
#define BENCH_SPREAD_MOST 1.2
bool bench_statistics_refused(const struct bench_statistics *statistics);

#endif
