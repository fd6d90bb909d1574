/* mpiexec -n K rmacast-analyze-mpi TRACE: rmacast analyze --slices, where K processes have the archive's ranks. Prints
 * the same result, whatever K is. A program of its own: libmpich and libsimgrid define the same symbols. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include "common/units.h"
#include "model/stream.h"
#include "mpi/exchange.h"
#include "mpi/link.h"
#include "trace/open.h"

enum { KEY_EPSILON = 1000, KEY_LATE_POST, KEY_JSON, KEY_TOP };

static const struct argp_option options[] = {
    {"epsilon", KEY_EPSILON, "TIME", 0, "waits below TIME count as zero (default 0)", 0},
    {"late-post", KEY_LATE_POST, "WHICH", 0,
     "count Late Post up to the latest (default) or the earliest post of an epoch", 0},
    {"top", KEY_TOP, "N", 0, "print the N largest wait states", 0},
    {"json", KEY_JSON, "FILE", 0, "write the result as JSON; - is standard output, without the table", 0},
    {0}};

struct settings {
    const char *trace, *json;
    long top;
    struct analyze_options analyze;
};

static error_t parse_late_post(struct argp_state *state, const char *text, struct settings *settings)
{
    settings->analyze.late_post = strcmp(text, "earliest") == 0 ? LATE_POST_EARLIEST : LATE_POST_LATEST;
    if (strcmp(text, "earliest") != 0 && strcmp(text, "latest") != 0)
        argp_error(state, "--late-post %s, expected latest or earliest", text);
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    double seconds;
    char *end;
    switch (key) {
    case KEY_EPSILON:
        if (!units_parse_duration(argument, &seconds) || seconds < 0)
            argp_error(state, "--epsilon %s, expected a duration as 1.5ms", argument);
        settings->analyze.epsilon_ps = units_ps(seconds);
        return 0;
    case KEY_LATE_POST: return parse_late_post(state, argument, settings);
    case KEY_TOP:
        settings->top = strtol(argument, &end, 10);
        if (*end || settings->top < 1) argp_error(state, "--top %s, expected a whole number from 1", argument);
        return 0;
    case KEY_JSON: settings->json = argument; return 0;
    case ARGP_KEY_ARG:
        if (settings->trace) argp_error(state, "unexpected argument %s, expected one TRACE", argument);
        settings->trace = argument;
        return 0;
    case ARGP_KEY_END:
        if (!settings->trace) argp_error(state, "no TRACE, expected one");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum status write_json(const struct result *result, const char *file, struct err *err)
{
    cJSON *json;
    TRY(result_to_json(result, &json, err));
    char *text = cJSON_Print(json);
    cJSON_Delete(json);
    if (!text) return err_memory(err);
    bool standard = strcmp(file, "-") == 0;
    FILE *out = standard ? stdout : fopen(file, "w");
    bool written = out && fputs(text, out) >= 0 && fputc('\n', out) != EOF;
    if (out && (standard ? fflush(out) : fclose(out)) != 0) written = false;
    free(text);
    return written ? STATUS_OK : err_set(err, STATUS_SYSTEM, file, NULL, "cannot be written");
}

static enum status print_result(const struct settings *settings, struct result *result, struct err *err)
{
    if (settings->json) TRY(write_json(result, settings->json, err));
    if (!settings->json || strcmp(settings->json, "-") != 0)
        result_print_top(result, (size_t)settings->top, stdout);
    return STATUS_OK;
}

/* All processes read, process 0 alone analyses. */
static enum status analyze_alone(const struct settings *settings, struct trace_source *archive, struct result **result,
                                 struct err *err)
{
    struct trace_source source;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *result = NULL;
    if (rank > 0) {
        size_t batch = stream_batch(stream_calls(archive->trace->rank_count), archive->trace->rank_count);
        exchange_serve(archive, batch, err); /* process 0 is told */
        return STATUS_OK;
    }
    TRY(exchange_source(archive, &source, err));
    enum status status = model_stream(&source, &settings->analyze, stream_calls(source.trace->rank_count), result, err);
    source_close(&source);
    return status;
}

static enum status open_archive(const char *path, struct trace_source *archive, struct err *err)
{
    bool possible;
    uint64_t records;
    TRY(trace_open_source(path, archive, &possible, &records, err));
    if (possible) return STATUS_OK;
    return err_set(err, STATUS_DATA, path, NULL, "cannot be read by several processes, expected an archive of rmacast "
                                                 "with one thread per rank");
}

/* Ends with the line on its way: Hydra (MPICH 4.0.2) now and then drops what was written just before the job ended. */
static void complain(const struct err *err)
{
    const struct timespec forwarded = {.tv_nsec = 300000000};
    fprintf(stderr, "rmacast: %s\n", err->text);
    nanosleep(&forwarded, NULL);
}

/* All processes go on, or none does; the first that cannot says why. */
static bool all_have_opened(enum status status, const struct err *err)
{
    int rank, failed, first, none;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &none);
    failed = status == STATUS_OK ? none : rank;
    MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == rank) complain(err);
    MPI_Barrier(MPI_COMM_WORLD);
    return first == none;
}

/* The only way to end the others where they wait for this process. */
static void abandon(const struct err *err)
{
    complain(err);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Each process analyses its ranks. A failure of one is that of all; process 0 tells it. */
static enum status analyze_parts(const struct settings *settings, struct trace_source *archive,
                                 struct result **result, struct err *err)
{
    struct mpi_link link;
    if (link_init(&link, err) != STATUS_OK) abandon(err);
    size_t calls = stream_calls(archive->trace->rank_count) / link.parts.count;
    enum status status = model_stream_part(archive, &settings->analyze, calls, &link.parts, result, err);
    if (link.broken || (status == STATUS_SYSTEM && !link.met)) abandon(err);
    if (status != STATUS_OK && link.parts.own == 0) complain(err);
    link_clear(&link);
    source_close(archive);
    return status;
}

static enum status run(const struct settings *settings, struct trace_source *archive, struct err *err)
{
    int processes;
    struct result *result;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (processes > 1 && parts_possible(archive->trace)) {
        TRY(analyze_parts(settings, archive, &result, err));
    } else if (analyze_alone(settings, archive, &result, err) != STATUS_OK) {
        abandon(err);
    }
    if (!result) return STATUS_OK;
    enum status status = print_result(settings, result, err);
    if (status != STATUS_OK) complain(err);
    result_free(result);
    return status;
}

int main(int argc, char **argv)
{
    struct settings settings = {.analyze = ANALYZE_DEFAULTS};
    settings.analyze.intervals = true;
    const struct argp argp = {options, parse, "TRACE",
                              "Finds where a trace lost time: the processes that mpiexec starts share out its ranks.",
                              NULL, NULL, NULL};
    struct trace_source archive;
    struct err err;
    argp_err_exit_status = STATUS_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &settings);
    MPI_Init(&argc, &argv);
    enum status status = open_archive(settings.trace, &archive, &err);
    bool good = all_have_opened(status, &err) && run(&settings, &archive, &err) == STATUS_OK;
    MPI_Finalize();
    return good ? 0 : 1;
}
