/* mpiexec -n N rmacast-bench: measures the network with the tests of a configuration, on the nodes that host names
 * identify. All ranks make the same plan (platforms/bench/schedule.h) and run their tests in its order. A test begins
 * when all its ranks are ready. Only they make its communicator (MPI_Comm_create_group). Idle ranks of a test's nodes
 * sleep until it ends. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <mpi.h>

#include "common/files/directory.h"
#include "common/files/file_claims.h"
#include "common/files/input_file.h"
#include "common/files/output_file.h"
#include "common/json/json_write.h"
#include "common/units.h"
#include "platforms/bench/mpi/run.h"

enum { EXIT_DATA = 1, EXIT_USAGE = 2, PATH_BYTES = 4096, FINALIZE_SECONDS = 10, OWN_ROUNDS = 1000, TAGS = 30000 };
enum { REASON_BYTES = 256, ROUNDS_MOST = 1000, TAG_REASON = 0 };

struct options {
    const char *config, *output;
    int rounds;
    bool lines, list, once, quiet;
};

struct bench {
    struct options options;
    int rank, ranks;
    struct bench_environment environment;
    struct bench_config config;
    struct bench_schedule schedule;
    MPI_Group world;
    char directory[PATH_BYTES];
    FILE *out; /* this rank's rows; NULL before its first test */
    double own_s;
    double *spent_s; /* by placement, INFINITY: it failed; all ranks know the same between passes */
    char (*reasons)[REASON_BYTES]; /* by placement: why it failed; its first rank knows, at the end rank 0, too */
};

/* --- options --- */

enum { OPTION_ONCE = 1000 };

static const struct argp_option rows[] = {
    {"config", 'c', "FILE", 0, "tests to run (docs/calibration.md); without it those of rmacast calibrate", 0},
    {"output", 'o', "DIR", 0, "directory of the results, which all nodes see; rmacast-bench.results without it", 0},
    {"rounds", 'r', "N", 0, "this is one of N runs: an N-th of the repetitions and of the time of each test", 0},
    {"quiet", 'q', NULL, 0, "do not say which tests are left out, as run.json does", 0},
    {"lines", 'l', NULL, 0, "print a line per test and size instead of a table", 0},
    {"once", OPTION_ONCE, NULL, 0, "the fewest repetitions of each test: for a recording", 0},
    {"list", 'L', NULL, 0, "list the tests, and the default configuration", 0},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'c': options->config = argument; return 0;
    case 'o': options->output = argument; return 0;
    case 'r': {
        char *end;
        long rounds = strtol(argument, &end, 10);
        if (end == argument || *end || rounds < 1 || rounds > ROUNDS_MOST)
            argp_error(state, "--rounds %s, expected a whole number from 1 to %d", argument, ROUNDS_MOST);
        options->rounds = (int)rounds;
        return 0;
    }
    case 'q': options->quiet = true; return 0;
    case 'l': options->lines = true; return 0;
    case 'L': options->list = true; return 0;
    case OPTION_ONCE: options->once = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void print_list(void)
{
    for (int i = 0; i < BENCH_FUNCTION_COUNT; i++) printf("%-24s %s\n", bench_functions[i].name, bench_functions[i].summary);
    printf("\n%s", bench_config_default);
}

/* --- what all ranks agree on --- */

/* Ends the run if any rank failed. The first of them prints the reason. */
static void all_succeed(const struct bench *bench, enum status status, const struct err *err)
{
    const struct timespec forwarded = {.tv_nsec = 300000000}; /* launchers drop what is written just before the end */
    int failed = status == STATUS_OK ? bench->ranks : bench->rank, first;
    MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == bench->ranks) return;
    if (bench->rank == first) {
        fprintf(stderr, "rmacast-bench: %s\n", err->text);
        nanosleep(&forwarded, NULL);
    }
    alarm(FINALIZE_SECONDS);
    MPI_Finalize();
    exit(EXIT_DATA);
}

static int count_cores(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Whether the kernels of all ranks were booted at once, as those of containers and of network namespaces. */
static bool is_one_machine(const struct bench *bench)
{
    char own[64] = "", first[sizeof own];
    struct input_file in;
    if (input_file_open_own("/proc/sys/kernel/random/boot_id", &in, NULL) == STATUS_OK) {
        const char *line = input_file_line(&in);
        snprintf(own, sizeof own, "%s", line ? line : "");
        (void)!input_file_close(&in, STATUS_OK, NULL);
    }
    memcpy(first, own, sizeof own);
    MPI_Bcast(first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    int same = own[0] && memcmp(first, own, sizeof own) == 0, all;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all && bench->environment.node_count > 1;
}

static enum status gather_hosts(struct bench *bench, struct err *err)
{
    char own[BENCH_HOST_BYTES] = "";
    char(*hosts)[BENCH_HOST_BYTES] = calloc((size_t)bench->ranks, sizeof *hosts);
    if (!hosts) return err_memory(err);
    gethostname(own, sizeof own - 1);
    MPI_Allgather(own, sizeof own, MPI_BYTE, hosts, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    enum status status = bench_environment_init((const char(*)[BENCH_HOST_BYTES])hosts, bench->ranks, &bench->environment, err);
    free(hosts);
    if (status == STATUS_OK) bench->environment.shares_cores = bench->ranks > count_cores() && is_one_machine(bench);
    return status;
}

static enum status read_text(const char *file, char **text, size_t *bytes, struct err *err)
{
    struct input_file in;
    TRY(input_file_open(file, &in, err));
    *text = input_file_all(&in, bytes);
    return input_file_close(&in, STATUS_OK, err);
}

/* Rank 0 reads the file, as other nodes may not have it. Where they have it, no rank writes there. */
static enum status read_config(struct bench *bench, struct err *err)
{
    if (!bench->options.config) return bench_config_open(NULL, &bench->config, err);
    char *text = NULL;
    size_t read = 0;
    enum status status = bench->rank == 0 ? read_text(bench->options.config, &text, &read, err)
                                          : file_claim_input_path(bench->options.config, err);
    long bytes = status == STATUS_OK ? (long)read : -1;
    MPI_Bcast(&bytes, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (bytes < 0) return bench->rank == 0 ? status : STATUS_DATA; /* rank 0 says why */
    if (bench->rank > 0) text = calloc(1, (size_t)bytes + 1);
    if (!text) return err_memory(err);
    MPI_Bcast(text, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    status = bench_config_parse(text, bench->options.config, &bench->config, err);
    free(text);
    return status;
}

static enum status make_plan(struct bench *bench, struct err *err)
{
    TRY(bench_config_place_pairs(&bench->config, bench->environment.node_count, err));
    struct bench_demand *demands = calloc((size_t)bench->config.count, sizeof *demands);
    if (!demands) return err_memory(err);
    for (int i = 0; i < bench->config.count; i++) demands[i] = bench->config.jobs[i].demand;
    enum status status = bench_schedule_init(&bench->environment, demands, bench->config.count, &bench->schedule, err);
    free(demands);
    bench->spent_s = calloc((size_t)bench->schedule.count + 1, sizeof *bench->spent_s);
    bench->reasons = calloc((size_t)bench->schedule.count + 1, sizeof *bench->reasons);
    return status == STATUS_OK && !(bench->spent_s && bench->reasons) ? err_memory(err) : status;
}

/* --- the directory of results --- */

/* Rank 0 removes the rows of an earlier run, of any number of ranks and rounds. */
static enum status make_directory(struct bench *bench, struct err *err)
{
    const char *output = bench->options.output ? bench->options.output : "rmacast-bench.results";
    if (snprintf(bench->directory, sizeof bench->directory, "%s", output) >= PATH_BYTES - 32)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--output: a shorter name is expected");
    if (bench->rank > 0) return STATUS_OK;
    TRY(directory_make(output, err));
    bench_results_remove(output);
    return STATUS_OK;
}

/* Whether this rank can write there. Rank 0 has made the directory. */
static enum status check_directory(const struct bench *bench, struct err *err)
{
    char host[BENCH_HOST_BYTES] = "";
    if (access(bench->directory, W_OK | X_OK) == 0) return STATUS_OK;
    int cause = errno;
    gethostname(host, sizeof host - 1);
    return err_set(err, STATUS_SYSTEM, bench->directory, NULL, "%s on %s, expected a directory that all nodes can write to",
                   strerror(cause), host);
}

static void name_rows(const struct bench *bench, char path[PATH_BYTES + 32])
{
    snprintf(path, PATH_BYTES + 32, "%s/rank-%06d.csv", bench->directory, bench->rank);
}

static enum status open_rows(struct bench *bench, struct err *err)
{
    char path[PATH_BYTES + 32];
    name_rows(bench, path);
    TRY(output_file_open_growing(path, &bench->out, err)); /* what was measured stays if a test ends the program */
    if (fputs(bench_results_header, bench->out) >= 0) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, path, NULL, "%s, expected a directory that all nodes see", strerror(errno));
}

static void close_rows(struct bench *bench)
{
    char path[PATH_BYTES + 32];
    struct err err;
    name_rows(bench, path);
    if (bench->out && output_file_close(path, bench->out, STATUS_OK, &err) != STATUS_OK)
        fprintf(stderr, "rmacast-bench: %s\n", err.text);
}

static void add_text(cJSON *object, const char *key, const char *text)
{
    json_add_text(object, key, text);
}

/* --- what is left out --- */

static bool job_fits(const struct bench *bench, int job)
{
    return bench->schedule.fits[job] != BENCH_FIT_NONE;
}

static bool same_demand(const struct bench_job *a, const struct bench_job *b)
{
    return a->demand.nodes == b->demand.nodes && a->demand.ranks == b->demand.ranks;
}

/* Whether the job does not fit, and the user is told so. */
static bool is_told(const struct bench *bench, int job)
{
    return !job_fits(bench, job) && !bench->config.jobs[job].optional;
}

/* The names of the tests with this demand, then their number. */
static void tell_demand(const struct bench *bench, int first)
{
    const struct bench_job *jobs = bench->config.jobs, *job = &jobs[first];
    char demand[BENCH_DEMAND_BYTES], machine[BENCH_MACHINE_BYTES];
    const char *last = "";
    int count = 0;
    fputs("rmacast-bench: ", stderr);
    for (int i = first; i < bench->config.count; i++) {
        if (!is_told(bench, i) || !same_demand(&jobs[i], job)) continue;
        if (strcmp(jobs[i].test, last) != 0) fprintf(stderr, "%s%s", *last ? ", " : "", jobs[i].test);
        last = jobs[i].test;
        count++;
    }
    fprintf(stderr, ": %d test%s %s: left out; this machine has %s\n", count, count == 1 ? " needs" : "s need",
            bench_demand_text(job->demand.nodes, job->demand.ranks, demand),
            bench_machine_text(&bench->environment, &job->demand, machine));
}

/* A line for each demand that the machine cannot meet. */
static void tell_skipped(const struct bench *bench)
{
    const struct bench_job *jobs = bench->config.jobs;
    for (int i = 0; i < bench->config.count; i++) {
        bool told = !is_told(bench, i);
        for (int k = 0; k < i && !told; k++) told = is_told(bench, k) && same_demand(&jobs[k], &jobs[i]);
        if (!told) tell_demand(bench, i);
    }
}

static void add_row(const struct bench_job *job, const char *reason, cJSON *skipped)
{
    cJSON *row = cJSON_CreateObject();
    add_text(row, "test", job->test);
    add_text(row, "function", job->spec);
    json_add_number(row, "nodes", job->demand.nodes);
    json_add_number(row, "ranks", job->demand.ranks);
    add_text(row, "reason", reason);
    json_append(skipped, row);
}

/* Demands that the machine cannot meet, and tests that failed. */
static void add_skipped(const struct bench *bench, cJSON *skipped)
{
    for (int i = 0; i < bench->config.count; i++) {
        const struct bench_job *job = &bench->config.jobs[i];
        char reason[REASON_BYTES], demand[BENCH_DEMAND_BYTES], machine[BENCH_MACHINE_BYTES];
        if (job_fits(bench, i)) continue;
        bench_demand_text(job->demand.nodes, job->demand.ranks, demand);
        snprintf(reason, sizeof reason, "%s do%s not fit on this machine of %s", demand, job->demand.ranks == 1 ? "es" : "",
                 bench_machine_text(&bench->environment, &job->demand, machine));
        add_row(job, reason, skipped);
    }
    for (int i = 0; i < bench->schedule.count; i++)
        if (*bench->reasons[i]) add_row(&bench->config.jobs[bench->schedule.placements[i].demand], bench->reasons[i], skipped);
}

/* The first rank of a test that failed tells rank 0. */
static void collect_reasons(const struct bench *bench)
{
    for (int i = 0; i < bench->schedule.count; i++) {
        const int first = bench->schedule.placements[i].ranks[0];
        if (!isinf(bench->spent_s[i]) || first == 0) continue;
        if (bench->rank == first)
            MPI_Send(bench->reasons[i], REASON_BYTES, MPI_CHAR, 0, TAG_REASON, MPI_COMM_WORLD);
        else if (bench->rank == 0)
            MPI_Recv(bench->reasons[i], REASON_BYTES, MPI_CHAR, first, TAG_REASON, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* run.json: where and with what the results were measured, and whether all of them are written. */
static enum status describe_run(const struct bench *bench, bool complete, struct err *err)
{
    char path[PATH_BYTES + 32], library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    cJSON *run = cJSON_CreateObject(), *nodes = json_add_array(run, "nodes");
    add_text(run, "schema", "rmacast.bench/1");
    json_add_bool(run, "complete", complete);
    add_text(run, "library", library);
    json_add_number(run, "cores", count_cores());
    for (int i = 0; i < bench->environment.node_count; i++) {
        cJSON *node = cJSON_CreateObject();
        add_text(node, "host", bench->environment.nodes[i].host);
        json_put(node, "ranks",
                              cJSON_CreateIntArray(bench->environment.nodes[i].ranks, bench->environment.nodes[i].rank_count));
        json_append(nodes, node);
    }
    add_skipped(bench, json_add_array(run, "skipped"));
    char *text = json_print(run, JSON_LINES);
    cJSON_Delete(run);
    if (!text) return err_memory(err);
    snprintf(path, sizeof path, "%s/run.json", bench->directory);
    FILE *out;
    enum status status = output_file_open_again(path, &out, err); /* at the begin, and complete */
    if (status == STATUS_OK) fprintf(out, "%s\n", text);
    if (status == STATUS_OK) status = output_file_close(path, out, STATUS_OK, err);
    free(text);
    return status;
}

/* --- the tests --- */

/* A barrier in which waiting ranks sleep, so that they do not take the processor from ranks that measure. */
static void wait_asleep(MPI_Comm comm)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(comm, &request);
    for (;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        nanosleep(&pause, NULL);
    }
}

static int compare_ranks(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The ranks of all nodes of the placement, so that no other test uses these nodes meanwhile. If nodes share cores, all ranks. */
static enum status make_claim(const struct bench *bench, const struct bench_placement *placement, MPI_Group *group,
                              struct err *err)
{
    int *ranks = malloc(sizeof *ranks * (size_t)bench->ranks), count = 0;
    if (!ranks) return err_memory(err);
    const bool all = bench->environment.shares_cores;
    for (int i = 0; i < (all ? bench->environment.node_count : placement->node_count); i++) {
        const struct bench_node *node = &bench->environment.nodes[all ? i : placement->nodes[i]];
        memcpy(ranks + count, node->ranks, sizeof *ranks * (size_t)node->rank_count);
        count += node->rank_count;
    }
    qsort(ranks, (size_t)count, sizeof *ranks, compare_ranks);
    MPI_Group_incl(bench->world, count, ranks, group);
    free(ranks);
    return STATUS_OK;
}

static bool is_member(MPI_Group group)
{
    int rank;
    MPI_Group_rank(group, &rank);
    return rank != MPI_UNDEFINED;
}

/* The first rank writes the rows. If it cannot, all know. */
static bool can_write(struct bench *bench, const struct bench_placement *placement, MPI_Comm comm, struct err *err)
{
    int possible = bench->rank != placement->ranks[0] || bench->out || open_rows(bench, err) == STATUS_OK;
    MPI_Bcast(&possible, 1, MPI_INT, 0, comm);
    return possible;
}

static enum status run_members(struct bench *bench, int index, MPI_Group group, int tag, struct err *err)
{
    const struct bench_placement *placement = &bench->schedule.placements[index];
    char place[BENCH_PLACE_BYTES];
    MPI_Comm comm;
    if (!is_member(group)) return STATUS_OK;
    MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &comm);
    int used = 0;
    place[0] = '\0';
    for (int i = 0; i < placement->node_count && used < BENCH_PLACE_BYTES - 14; i++)
        used += snprintf(place + used, (size_t)(BENCH_PLACE_BYTES - used), "%s%d", i ? "+" : "", placement->nodes[i]);
    const double begin = bench_now();
    enum status status = can_write(bench, placement, comm, err) ? STATUS_OK : STATUS_SYSTEM;
    if (status == STATUS_OK)
        status = bench_job_run(&bench->config.jobs[placement->demand], comm, place, bench->own_s, bench->out, err);
    bench->spent_s[index] += status == STATUS_OK ? bench_now() - begin : INFINITY;
    MPI_Comm_free(&comm);
    return status;
}

static enum status run_placement(struct bench *bench, int index, struct err *err)
{
    const struct bench_placement *placement = &bench->schedule.placements[index];
    MPI_Group claim, members;
    TRY(make_claim(bench, placement, &claim, err));
    MPI_Group_incl(bench->world, placement->rank_count, placement->ranks, &members);
    enum status status = STATUS_OK;
    if (is_member(claim)) {
        MPI_Comm nodes;
        MPI_Comm_create_group(MPI_COMM_WORLD, claim, 2 * (index % TAGS / 2), &nodes);
        status = run_members(bench, index, members, 2 * (index % TAGS / 2) + 1, err);
        wait_asleep(nodes);
        MPI_Comm_free(&nodes);
    }
    MPI_Group_free(&claim);
    MPI_Group_free(&members);
    return status;
}

/* A test that fails on all its ranks (too large) is left out; the others continue. */
static void run_pass(struct bench *bench, int pass)
{
    for (int i = 0; i < bench->schedule.count; i++) {
        const struct bench_placement *placement = &bench->schedule.placements[i];
        struct err err = {.status = STATUS_OK};
        if (!bench_job_has_time(&bench->config.jobs[placement->demand], pass, bench->spent_s[i])) continue;
        enum status status = run_placement(bench, i, &err);
        if (status == STATUS_OK || bench->rank != placement->ranks[0]) continue;
        snprintf(bench->reasons[i], REASON_BYTES, "%.*s", REASON_BYTES - 1, err.text);
        if (!bench->options.quiet) fprintf(stderr, "rmacast-bench: left out: %s\n", err.text);
    }
    wait_asleep(MPI_COMM_WORLD);
    if (bench->schedule.count > 0)
        MPI_Allreduce(MPI_IN_PLACE, bench->spent_s, bench->schedule.count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void measure_own_time(struct bench *bench)
{
    double times[OWN_ROUNDS];
    struct bench_statistics statistics;
    for (int i = 0; i < OWN_ROUNDS; i++) times[i] = bench_empty(NULL);
    bench_statistics_of(times, OWN_ROUNDS, &statistics);
    bench->own_s = statistics.median;
}

/* --- output --- */

static enum status print_results(const struct bench *bench, struct err *err)
{
    struct bench_results results;
    TRY(bench_results_open(bench->directory, &results, err));
    enum status status = bench_results_join(&results, err);
    if (status == STATUS_OK && bench->options.lines)
        for (size_t i = 0; i < results.count; i++) bench_series_print_line(&results.series[i], stdout);
    else if (status == STATUS_OK)
        status = bench_results_print(&results, stdout, err);
    bench_results_clear(&results);
    return status;
}

static void print_head(const struct bench *bench)
{
    char text[128];
    static const char stars[] = "********************************************************************************";
    int length = snprintf(text, sizeof text, "* Working with %d rank%s on %d node%s *", bench->ranks,
                          units_plural((uint64_t)bench->ranks), bench->environment.node_count,
                          units_plural((uint64_t)bench->environment.node_count));
    printf("%.*s\n%s\n%.*s\n", length, stars, text, length, stars);
}

/* What remains is known to hang at times (MPICH 4.0.2 over TCP). The results are written by now. The launcher's status is not
 * known: it ends the other ranks by SIGKILL as soon as it sees one that has left without MPI_Finalize. */
static void end_anyway(int number)
{
    (void)number;
    _exit(0);
}

/* This file is compiled for each MPI library. Under Open MPI's launcher each rank of the program for MPICH would be alone: it
 * executes the other program. */
static void become_the_right_one(char **argv)
{
#ifdef MPICH_VERSION
    char path[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
    if (!getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_RANK") || length <= 0) return;
    strcpy(path + length, "-openmpi");
    execv(path, argv);
    fprintf(stderr, "rmacast-bench: %s: %s, expected the program for Open MPI, whose launcher this is\n", path,
            strerror(errno));
    exit(EXIT_DATA);
#else
    (void)argv;
#endif
}

/* On rank 0. */
static struct bench_launch join_launch(double init_s)
{
    struct bench_launch launch = {.finalize_s = -1};
    MPI_Reduce(&init_s, &launch.init_least_s, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&init_s, &launch.init_most_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return launch;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {rows, parse_option, NULL, "Measures a network: mpiexec -n N rmacast-bench.",
                                     NULL, NULL, NULL};
    struct bench bench = {.options = {.rounds = 1}};
    struct err err = {.status = STATUS_OK};
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &bench.options);
    if (bench.options.list) {
        print_list();
        return 0;
    }
    become_the_right_one(argv);
    const double begin_s = bench_now();
    MPI_Init(&argc, &argv);
    const double init_s = bench_now() - begin_s;
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.ranks);
    MPI_Comm_group(MPI_COMM_WORLD, &bench.world);
    all_succeed(&bench, file_claims_begin(&err), &err);
    all_succeed(&bench, gather_hosts(&bench, &err), &err);
    all_succeed(&bench, read_config(&bench, &err), &err);
    bench_config_share(&bench.config, bench.options.rounds);
    for (int i = 0; bench.options.once && i < bench.config.count; i++) bench.config.jobs[i].max_duration_s = 0;
    all_succeed(&bench, make_plan(&bench, &err), &err);
    all_succeed(&bench, make_directory(&bench, &err), &err);
    all_succeed(&bench, check_directory(&bench, &err), &err);
    all_succeed(&bench, bench.rank == 0 ? describe_run(&bench, false, &err) : STATUS_OK, &err);
    measure_own_time(&bench);
    if (bench.rank == 0) print_head(&bench);
    if (bench.rank == 0 && !bench.options.quiet) tell_skipped(&bench);
    fflush(stdout);
    for (int pass = 0; pass < BENCH_PASSES; pass++) run_pass(&bench, pass);
    close_rows(&bench);
    MPI_Barrier(MPI_COMM_WORLD);
    collect_reasons(&bench);
    all_succeed(&bench, bench.rank == 0 ? print_results(&bench, &err) : STATUS_OK, &err);
    all_succeed(&bench, bench.rank == 0 ? describe_run(&bench, true, &err) : STATUS_OK, &err);
    struct bench_launch launch = join_launch(init_s);
    if (bench.rank == 0) bench_launch_write(bench.directory, &launch);
    fflush(stdout);
    signal(SIGALRM, end_anyway);
    alarm(FINALIZE_SECONDS);
    const double ends_s = bench_now();
    MPI_Finalize();
    launch.finalize_s = bench_now() - ends_s;
    if (bench.rank == 0) bench_launch_write(bench.directory, &launch);
    free(bench.spent_s);
    free(bench.reasons);
    bench_schedule_clear(&bench.schedule);
    bench_config_clear(&bench.config);
    bench_environment_clear(&bench.environment);
    return 0;
}
