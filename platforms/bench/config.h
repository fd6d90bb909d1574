/* The configuration of a bench run, read from JSON (docs/calibration.md). References are resolved, and each test
 * function on each node configuration is one job. */
#ifndef PLATFORMS_BENCH_CONFIG_H
#define PLATFORMS_BENCH_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "platforms/bench/schedule.h"

enum bench_sizes { BENCH_SIZED, BENCH_UNSIZED, BENCH_WORD };
enum bench_value { BENCH_ROOT, BENCH_LAST };
enum bench_window_use { BENCH_PLAIN, BENCH_WINDOWS, BENCH_EPOCHS };

/* A row of tests.def. */
struct bench_function {
    const char *name;
    enum bench_sizes sizes;
    int ranks;
    enum bench_value value;
    enum bench_window_use window;
    const char *summary;
};
enum bench_function_id {
#define BENCH_TEST(NAME, IDENTIFIER, SIZES, RANKS, VALUE, WINDOW, SUMMARY) BENCH_FUNCTION_##IDENTIFIER,
#include "platforms/bench/tests.def"
#undef BENCH_TEST
    BENCH_FUNCTION_COUNT
};
extern const struct bench_function bench_functions[BENCH_FUNCTION_COUNT];
/* Whether its times may be negative: they are differences of two clocks, or of two times. */
bool bench_function_is_signed(enum bench_function_id function);

/* -w and -s of OSU's one-sided benchmarks. */
enum bench_window { BENCH_ALLOCATE, BENCH_CREATE, BENCH_DYNAMIC, BENCH_WINDOW_COUNT };
enum bench_epoch { BENCH_FLUSH, BENCH_FLUSH_LOCAL, BENCH_LOCK, BENCH_LOCK_ALL, BENCH_PSCW, BENCH_FENCE, BENCH_EPOCH_COUNT };
extern const char *const bench_window_names[BENCH_WINDOW_COUNT + 1], *const bench_epoch_names[BENCH_EPOCH_COUNT + 1];

enum { BENCH_NAME_BYTES = 64, BENCH_SPEC_BYTES = 96 };
/* The largest size that a configuration or a result may have. */
#define BENCH_BYTES_MOST ((int64_t)1 << 40)

/* One test function on one node configuration, with all its sizes. */
struct bench_job {
    char test[BENCH_NAME_BYTES]; /* key in "tests" */
    char spec[BENCH_SPEC_BYTES]; /* the function with its options, as in the configuration */
    enum bench_function_id function;
    enum bench_window window;
    enum bench_epoch epoch;
    struct bench_demand demand;
    int64_t *sizes; /* bytes, in the order of the configuration; at least one */
    int size_count;
    int min_repeats;
    double max_duration_s; /* per size */
    bool pairs;            /* on each pair of neighbouring nodes, in both directions */
    bool optional;         /* where the machine is too small for it, nobody has to be told */
    double confidence;     /* goal: half width of the 95 % interval of the mean, as a share of the mean */
};

struct bench_config {
    struct bench_job *jobs;
    int count;
};

/* Reads the file; NULL reads the default of `calibrate` (bench_config_default), whose jobs are optional: they are for machines of
 * one node and of several. Returns STATUS_DATA with file and key. */
enum status bench_config_open(const char *file, struct bench_config *config, struct err *err);
enum status bench_config_parse(const char *text, const char *file, struct bench_config *config, struct err *err);
/* Replaces a job of pairs by one for each pair of neighbours in the ring of nodes, in each direction. On one node it stays, and
 * does not fit. */
enum status bench_config_place_pairs(struct bench_config *config, int node_count, struct err *err);
/* For one of so many runs, which share the repetitions and the time of each test: an equal part, but at least
 * BENCH_SHARE_LEAST repetitions, or all if there are fewer. */
enum { BENCH_SHARE_LEAST = 20 };
void bench_config_share(struct bench_config *config, int rounds);
void bench_config_clear(struct bench_config *config);

/* The configuration that `rmacast calibrate` uses by default. */
extern const char bench_config_default[];

#endif
