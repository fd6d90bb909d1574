/* mpiexec -n K rmacast-sweep CONFIG.json -o RESULT.json: rmacast sweep, where K processes run the points. Process 0
 * gives each the next point as soon as it has answered the last one. Every process has a point server, process 0 too. A
 * point that fails, or whose server is killed, is given to another process. If a process of MPI itself is killed,
 * mpiexec (MPICH 4.0.2) ends all; the file of results has what was done until then. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include "cli/launcher.h"
#include "cli/sweep_options.h"
#include "common/files/file_claims.h"
#include "mpi/point_server.h"
#include "mpi/start.h"

enum { EXIT_DATA = 1, EXIT_USAGE = 2, TAG_POINT = 1, TAG_ANSWER = 2, WAIT_MS = 2, PATH_BYTES = 4096 };
enum { NO_MORE = -1 }; /* in a point's place */

static const struct argp_option options[] = {SWEEP_OPTIONS, {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    return sweep_options_parse(key, argument, state, state->input);
}

static int own_number(void)
{
    int number;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    return number;
}

static int all_processes(void)
{
    int count;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    return count;
}

static void sleep_briefly(void)
{
    const struct timespec time = {.tv_nsec = WAIT_MS * 1000000};
    nanosleep(&time, NULL);
}

/* --- processes 1, 2, ... --- */

/* Without computing: a process that waits leaves its core to others. */
static void await_message(int source, int tag, MPI_Status *status)
{
    int is_there = 0;
    for (;; sleep_briefly()) {
        MPI_Iprobe(source, tag, MPI_COMM_WORLD, &is_there, status);
        if (is_there) return;
    }
}

/* A byte for the outcome, then the text. */
static enum status send_answer(const struct point_answer *answer, struct err *err)
{
    size_t length = strlen(answer->text);
    char *message = length < INT32_MAX - 1 ? malloc(length + 1) : NULL;
    if (!message) return err_memory(err);
    message[0] = (char)answer->outcome;
    memcpy(message + 1, answer->text, length);
    MPI_Send(message, (int)length + 1, MPI_CHAR, 0, TAG_ANSWER, MPI_COMM_WORLD);
    free(message);
    return STATUS_OK;
}

static enum status answer_point(struct point_server *server, size_t point, struct err *err)
{
    struct point_answer answer = {.text = NULL};
    bool answered = false;
    TRY(point_server_begin(server, point, err));
    while (!answered) TRY(point_server_poll(server, 1000, &answered, &answer, err));
    enum status status = send_answer(&answer, err);
    free(answer.text);
    return status;
}

static enum status serve_points(struct point_server *server, struct err *err)
{
    for (;;) {
        MPI_Status status;
        int64_t point;
        await_message(0, TAG_POINT, &status);
        MPI_Recv(&point, 1, MPI_INT64_T, 0, TAG_POINT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (point == NO_MORE) return STATUS_OK;
        TRY(answer_point(server, (size_t)point, err));
    }
}

/* --- process 0 --- */

struct master {
    struct sweep *sweep;
    struct point_server *server; /* its own */
    struct sweep_observer progress;
    size_t workers;
    int64_t *points; /* per process: what it has; NO_MORE: none */
};

static enum status give_point(struct master *master, size_t worker, struct err *err)
{
    size_t point;
    if (master->points[worker] != NO_MORE || !sweep_next(master->sweep, worker, master->workers, &point))
        return STATUS_OK;
    master->points[worker] = (int64_t)point;
    if (worker == 0) return point_server_begin(master->server, point, err);
    MPI_Send(&master->points[worker], 1, MPI_INT64_T, (int)worker, TAG_POINT, MPI_COMM_WORLD);
    return STATUS_OK;
}

static enum status take_answer(struct master *master, size_t worker, enum point_outcome outcome, const char *text,
                        struct err *err)
{
    size_t point = (size_t)master->points[worker];
    if (outcome == POINT_HOPELESS) return err_set(err, STATUS_DATA, NULL, NULL, "%s", text);
    master->points[worker] = NO_MORE;
    TRY(sweep_answer(master->sweep, point, outcome == POINT_DONE ? text : NULL, text, err));
    master->progress.told(master->progress.context, master->sweep);
    return STATUS_OK;
}

static enum status take_own(struct master *master, struct err *err)
{
    struct point_answer answer = {.text = NULL};
    bool answered;
    TRY(point_server_poll(master->server, WAIT_MS, &answered, &answer, err));
    enum status status = answered ? take_answer(master, 0, answer.outcome, answer.text, err) : STATUS_OK;
    free(answer.text);
    return status;
}

static enum status take_other(struct master *master, const MPI_Status *about, struct err *err)
{
    int bytes;
    MPI_Get_count(about, MPI_CHAR, &bytes);
    char *message = calloc((size_t)bytes + 1, 1);
    if (!message) return err_memory(err);
    MPI_Recv(message, bytes, MPI_CHAR, about->MPI_SOURCE, TAG_ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    enum status status = take_answer(master, (size_t)about->MPI_SOURCE, (enum point_outcome)message[0], message + 1, err);
    free(message);
    return status;
}

static enum status direct_workers(struct master *master, struct err *err)
{
    while (!sweep_finished(master->sweep)) {
        MPI_Status about;
        int is_there;
        for (size_t i = master->workers; i-- > 0;)
            TRY(give_point(master, i, err)); /* process 0 has other work: it comes last */
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_ANSWER, MPI_COMM_WORLD, &is_there, &about);
        if (is_there)
            TRY(take_other(master, &about, err));
        else if (master->server->busy)
            TRY(take_own(master, err));
        else
            sleep_briefly();
    }
    return STATUS_OK;
}

static enum status run_points(struct sweep *sweep, struct point_server *server, struct err *err)
{
    const int64_t no_more = NO_MORE;
    struct master master = {
        .sweep = sweep, .server = server, .progress = sweep_options_progress(), .workers = (size_t)all_processes()};
    master.points = malloc(master.workers * sizeof *master.points);
    if (!master.points) return err_memory(err);
    for (size_t i = 0; i < master.workers; i++) master.points[i] = NO_MORE;
    enum status status = direct_workers(&master, err);
    sweep_options_progress_end();
    for (int i = 1; status == STATUS_OK && i < (int)master.workers; i++)
        MPI_Send(&no_more, 1, MPI_INT64_T, i, TAG_POINT, MPI_COMM_WORLD);
    free(master.points);
    return status;
}

/* --- the program --- */

/* Reads the options; one process prints usage errors. */
static enum status read_options(struct sweep_options *settings, int argc, char **argv, struct err *err)
{
    static char name[] = "rmacast-sweep";
    const struct argp argp = {
        options,       parse_option,
        "CONFIG.json", "Predicts the points of a configuration as rmacast sweep does, in the processes of mpiexec.",
        NULL,          NULL,
        NULL};
    argv[0] = name;
    if (own_number() > 0 && !freopen("/dev/null", "w", stdout))
        return err_set(err, STATUS_SYSTEM, "/dev/null", NULL, "cannot be written");
    return cli_parse(&argp, argc, argv, 0, settings, err);
}

/* All processes go on, or none does; the first that cannot says why. */
static bool all_have_begun(enum status status, const struct err *err)
{
    int none = all_processes(), failed = status == STATUS_OK ? none : own_number(), first;
    MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == own_number()) mpi_print_error(err);
    MPI_Barrier(MPI_COMM_WORLD);
    return first == none;
}

static enum status run_sweep(const struct sweep_options *settings, struct sweep *sweep, const char *program,
                             struct err *err)
{
    struct point_server server = {.program = program, .config = settings->config};
    enum status status = own_number() > 0 ? serve_points(&server, err) : run_points(sweep, &server, err);
    point_server_close(&server);
    if (status != STATUS_OK) mpi_abandon(err);
    if (own_number() > 0) return STATUS_OK;
    status = sweep_options_write(settings, sweep, err);
    if (status != STATUS_OK) mpi_print_error(err);
    return status;
}

int main(int argc, char **argv)
{
    struct sweep_options settings = {.config = NULL};
    struct sweep sweep = {.kept_fd = -1};
    char program[PATH_BYTES];
    struct err err;
    signal(SIGPIPE, SIG_IGN);
    mpi_start(&argc, &argv);
    enum status status = file_claims_begin(&err);
    if (status == STATUS_OK) status = read_options(&settings, argc, argv, &err);
    if (status == STATUS_OK)
        status = launcher_find_program("rmacast", "RMACAST_PROGRAM", program, sizeof program, &err);
    if (status == STATUS_OK && own_number() == 0) status = sweep_options_open(&settings, &sweep, &err);
    status = file_claims_end(status, &err);
    if (all_have_begun(status, &err))
        status = run_sweep(&settings, &sweep, program, &err);
    else if (status == STATUS_OK)
        status = STATUS_DATA;
    sweep_close(&sweep);
    if (status == STATUS_USAGE) return EXIT_USAGE;
    return status == STATUS_OK ? 0 : EXIT_DATA;
}
