/* What if MPI blocked in another call? Records a run, analyses it, and replays it on a platform under a, b, c and d.
 *
 *   cc what_if.c $(pkg-config --cflags --libs rmacast) -o what_if
 *   ./what_if run.rma cluster.json mpiexec -n 4 ./app      # without a command: run.rma was recorded before */
#include <rmacast/rmacast.h>
#include <stdio.h>

static int fail(const struct rmacast_error *error)
{
    fprintf(stderr, "what_if: %s\n", error->text);
    return (int)error->status;
}

int main(int argc, char **argv)
{
    static const char *const semantics[] = {"a", "b", "c", "d"};
    struct rmacast_error error;
    struct rmacast_trace *trace;
    struct rmacast_platform *platform;
    struct rmacast_result *result;
    if (argc < 3) return fprintf(stderr, "usage: what_if TRACE PLATFORM [COMMAND...]\n"), 2;
    if (argc > 3 && rmacast_record(&argv[3], argv[1], NULL, NULL, &error) != RMACAST_OK) return fail(&error);
    if (rmacast_trace_open(argv[1], &trace, &error) != RMACAST_OK) return fail(&error);
    if (rmacast_platform_open(argv[2], NULL, 0, &platform, &error) != RMACAST_OK) return fail(&error);
    if (rmacast_analyze(trace, NULL, &result, &error) != RMACAST_OK) return fail(&error);
    printf("recorded: %g s, Late Post %g s\n", rmacast_result_run_time_s(result),
           rmacast_result_severity_s(result, "late_post"));
    rmacast_result_free(result);
    for (int i = 0; i < 4; i++) {
        struct rmacast_simulate_options options = {.size = sizeof options, .semantics = semantics[i]};
        if (rmacast_simulate(trace, platform, &options, NULL, &result, &error) != RMACAST_OK) return fail(&error);
        printf("%s: %g s, Late Post %g s, Early Transfer %g s\n", semantics[i], rmacast_result_run_time_s(result),
               rmacast_result_severity_s(result, "late_post"), rmacast_result_severity_s(result, "early_transfer"));
        rmacast_result_free(result);
    }
    rmacast_platform_free(platform);
    rmacast_trace_free(trace);
    return 0;
}
