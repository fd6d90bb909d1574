/* Replay speed: transfers per second and memory per rank of generated exchanges on a crossbar, per engine.
 * Usage: bench_replay [RANKS [ITERATIONS [SYNC [ENGINE [PATTERN [PROFILE]]]]]]; prints one line per engine, asserts nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <time.h>

#include "common/huge_pages.h"
#include "platforms/platform.h"
#include "simulate/engine/event_queue.h"
#include "simulate/replay/replay.h"
#include "trace/generate/generate.h"

enum { CALLS_MOST = 16 }; /* per iteration */

static uint64_t resident_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(const struct err *err)
{
    fprintf(stderr, "bench_replay: %s\n", err->text);
    return 1;
}

/* profile: of platforms/mpi, or "ideal". */
static enum status open_crossbar(uint32_t ranks, const char *profile, struct platform **platform, struct err *err)
{
    char path[64];
    int fd = memfd_create("crossbar.json", MFD_CLOEXEC); /* a killed benchmark leaves nothing */
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) return err_set(err, STATUS_SYSTEM, "the platform", NULL, "cannot be made");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    fprintf(
        file,
        "{\"schema\":\"rmacast.platform/1\",\"name\":\"crossbar\",\"nodes\":{\"count\":%u},\"network\":{\"topology\":"
        "{\"type\":\"crossbar\"},\"latency_s\":1e-6,\"bandwidth_Bps\":1e10}",
        ranks);
    if (strcmp(profile, "ideal") != 0) fprintf(file, ",\"mpi\":{\"profile\":\"%s\"}", profile);
    fputs("}", file);
    fflush(file);
    enum status status = platform_open(path, NULL, 0, platform, err);
    fclose(file);
    return status;
}

static int run(const struct trace *trace, const struct trace *small, const struct platform *platform,
               const struct engine_descriptor *engine)
{
    struct err err = {0};
    struct replay_options options = {.engine = engine, .keep_trace = false};
    struct replay_outcome outcome;
    if (small && !engine->once_per_process) { /* so that the program's own pages do not count */
        if (replay_run(small, platform, &options, &outcome, &err) != STATUS_OK) return fail(&err);
        replay_outcome_clear(&outcome);
    }
    uint64_t before_bytes = resident_bytes();
    double begin_s = cpu_s();
    if (replay_run(trace, platform, &options, &outcome, &err) != STATUS_OK) return fail(&err);
    double used_s = cpu_s() - begin_s;
    printf("%-8s %9.0f transfers/s  %9.0f events/s  %7.3f s (%.3f s of CPU) for %llu transfers, %llu messages, %llu "
           "events, %6.0f bytes per rank beside the trace\n",
        engine->name, (double)outcome.transfers / outcome.wall_s, (double)outcome.stats.events / outcome.wall_s,
        outcome.wall_s, used_s, (unsigned long long)outcome.transfers, (unsigned long long)outcome.stats.messages,
        (unsigned long long)outcome.stats.events, (double)(resident_bytes() - before_bytes) / trace->rank_count);
    replay_outcome_clear(&outcome);
    return 0;
}

/* How fast this machine is now: pop and push of the bare event queue with 1000 pending events. */
static void print_reference(void)
{
    enum { PENDING = 1000, TURNS = 2000000 };
    struct event_queue queue = {0};
    struct timespec begin, end;
    uint64_t state = 1;
    for (int i = 0; i < PENDING; i++) event_queue_push(&queue, i, 0, 0, 0, NULL);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < TURNS; i++) {
        struct event event = event_queue_pop(&queue);
        state = state * 6364136223846793005u + 1442695040888963407u;
        event_queue_push(&queue, event.time.time_ps + (int64_t)(state >> 54), 0, 0, 0, NULL);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double ns = 1e9 * (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec);
    printf("reference %8.1f ns for pop and push of an event queue with %d pending\n", ns / TURNS, PENDING);
    event_queue_clear(&queue);
}

int main(int argc, char **argv)
{
    struct generate_options what = {.pattern = argc > 5 ? argv[5] : "halo2d",
                                    .sync = argc > 3 ? argv[3] : "pscw",
                                    .bytes = 1024,
                                    .compute_s = 1e-3,
                                    .imbalance = 0.2,
                                    .seed = 1};
    what.ranks = argc > 1 ? (uint32_t)atol(argv[1]) : 1024;
    what.iterations = argc > 2 ? (uint32_t)atol(argv[2]) : 100;
    struct err err = {0};
    struct trace *trace, *small;
    struct platform *platform;
    huge_pages_heap((size_t)what.ranks * what.iterations * CALLS_MOST * sizeof(struct trace_call)); /* as rmacast does */
    double begin_s = cpu_s();
    if (generate_trace(&what, &trace, &err) != STATUS_OK) return fail(&err);
    double generated_s = cpu_s() - begin_s;
    struct generate_options little = what;
    little.ranks = little.iterations = 4;
    if (generate_trace(&little, &small, &err) != STATUS_OK) return fail(&err);
    if (open_crossbar(what.ranks, argc > 6 ? argv[6] : "ideal", &platform, &err) != STATUS_OK) return fail(&err);
    print_reference();
    printf("%s %s, %u ranks, %u iterations of %lld bytes\n", what.pattern, what.sync, what.ranks, what.iterations,
           (long long)what.bytes);
    printf("trace made in %.2f s of CPU, %.0f bytes per rank\n", generated_s,
           (double)resident_bytes() / trace->rank_count);
    int failed = 0;
    for (const struct engine_descriptor *const *engine = engine_descriptors(); *engine; engine++) {
        if (argc > 4 && strcmp((*engine)->name, argv[4]) != 0) continue;
        fflush(stdout);
        pid_t child = fork(); /* SimGrid runs once per process */
        if (child == 0) {
            int code = run(trace, small, platform, *engine);
            fflush(stdout);
            _exit(code);
        }
        int status = 1;
        waitpid(child, &status, 0);
        failed |= status != 0;
    }
    platform_free(platform);
    trace_free(trace);
    trace_free(small);
    return failed;
}
