/* What reading a trace takes beside its replay on loggp: wall time, and CPU time of all threads in parentheses. Each
 * run is a process of its own. Usage: bench_reading TRACE [RUNS]; prints medians with the fastest and the slowest run,
 * asserts nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/search.h"
#include "platforms/platform.h"
#include "simulate/replay/replay.h"
#include "trace/memory.h"
#include "trace/open.h"

struct times {
    double wall_s, cpu_s;
};

enum step { STEP_READ, STEP_REPLAY, STEP_REPLAY_KEPT, STEPS };
static const char *const names[STEPS] = {"reading, with all checks", "replay alone", "replay that makes a trace"};

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct times now(void)
{
    return (struct times){clock_s(CLOCK_MONOTONIC), clock_s(CLOCK_PROCESS_CPUTIME_ID)};
}

static struct times since(struct times begin)
{
    struct times end = now();
    return (struct times){end.wall_s - begin.wall_s, end.cpu_s - begin.cpu_s};
}

static enum status replay(const struct trace *trace, const char *platform_file, bool keep, struct times *took,
                          struct err *err)
{
    const struct replay_options options = {.engine = engine_by_name("loggp"), .keep_trace = keep};
    struct replay_outcome outcome;
    struct platform *platform;
    TRY(platform_open(platform_file, NULL, 0, &platform, err));
    struct times begin = now();
    enum status status = replay_run(trace, platform, &options, &outcome, err);
    *took = since(begin);
    if (status == STATUS_OK) replay_outcome_clear(&outcome);
    platform_free(platform);
    return status;
}

/* As `rmacast simulate` reads it. */
static enum status run(const char *path, const char *platform, struct times took[STEPS], struct err *err)
{
    struct trace *trace;
    struct times begin = now();
    (void)trace_memory_prepare(path, 0, false, NULL);
    TRY(trace_open(path, &trace, err));
    took[STEP_READ] = since(begin);
    enum status status = replay(trace, platform, false, &took[STEP_REPLAY], err);
    if (status == STATUS_OK) status = replay(trace, platform, true, &took[STEP_REPLAY_KEPT], err);
    trace_free(trace);
    return status;
}

static bool run_apart(const char *path, const char *platform, struct times took[STEPS])
{
    int ends[2], code = 1;
    if (pipe(ends) != 0) return false;
    pid_t child = fork();
    if (child == 0) {
        struct err err = {0};
        enum status status = run(path, platform, took, &err);
        if (status != STATUS_OK) fprintf(stderr, "bench_reading: %s\n", err.text);
        bool sent = write(ends[1], took, STEPS * sizeof *took) == (ssize_t)(STEPS * sizeof *took);
        _exit(status == STATUS_OK && sent ? 0 : 1);
    }
    close(ends[1]);
    bool got = child > 0 && read(ends[0], took, STEPS * sizeof *took) == (ssize_t)(STEPS * sizeof *took);
    close(ends[0]);
    if (child > 0) waitpid(child, &code, 0);
    return got && code == 0;
}

enum { EXTERNAL_SORT_RUNS_MAX = 101 };
struct column {
    double of[EXTERNAL_SORT_RUNS_MAX];
};

static void print(const char *what, struct column *wall, struct column *cpu, size_t runs)
{
    qsort(wall->of, runs, sizeof *wall->of, compare_doubles);
    qsort(cpu->of, runs, sizeof *cpu->of, compare_doubles);
    printf("%-26s %6.3f s [%.3f - %.3f]  (CPU %.3f s [%.3f - %.3f])\n", what, wall->of[runs / 2], wall->of[0],
           wall->of[runs - 1], cpu->of[runs / 2], cpu->of[0], cpu->of[runs - 1]);
}

int main(int argc, char **argv)
{
    static struct column wall[STEPS], cpu[STEPS], share;
    size_t runs = argc > 3 ? strtoul(argv[3], NULL, 10) : 5;
    if (argc < 3 || runs < 1 || runs > EXTERNAL_SORT_RUNS_MAX) return 2;
    for (size_t i = 0; i < runs; i++) {
        struct times took[STEPS];
        if (!run_apart(argv[1], argv[2], took)) return 1;
        for (int s = 0; s < STEPS; s++) {
            wall[s].of[i] = took[s].wall_s;
            cpu[s].of[i] = took[s].cpu_s;
        }
        share.of[i] = took[STEP_READ].wall_s / (took[STEP_READ].wall_s + took[STEP_REPLAY].wall_s);
    }
    for (int s = 0; s < STEPS; s++) print(names[s], &wall[s], &cpu[s], runs);
    qsort(share.of, runs, sizeof *share.of, compare_doubles);
    printf("reading, of reading and the replay alone: %.0f %% [%.0f - %.0f]\n", 100 * share.of[runs / 2],
           100 * share.of[0], 100 * share.of[runs - 1]);
    return 0;
}
