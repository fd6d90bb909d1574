/* mpiexec -n K rmacast-analyze-mpi TRACE: rmacast analyze --slices, where K processes have the archive's ranks. Prints
 * the same result, whatever K is. A program of its own: libmpich and libsimgrid define the same symbols. */
#include <stdlib.h>

#include <mpi.h>

#include "cli/analysis.h"
#include "common/files/file_claims.h"
#include "model/shards/shards.h"
#include "model/slices/slices.h"
#include "mpi/link.h"
#include "mpi/start.h"
#include "trace/open.h"

enum { EXIT_DATA = 1, EXIT_USAGE = 2 };

/* Options that only a single process supports; they are refused by name. */
enum { KEY_ALONE = ANALYSIS_OPTIONS_END };

static const struct argp_option options[] = {ANALYSIS_OPTIONS,
                                             {"verify", KEY_ALONE, NULL, OPTION_HIDDEN, NULL, 0},
                                             {"keep-going", KEY_ALONE, NULL, OPTION_HIDDEN, NULL, 0},
                                             {"whole", KEY_ALONE, NULL, OPTION_HIDDEN, NULL, 0},
                                             {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    if (key == KEY_ALONE)
        return cli_usage(state, "%s is not for several processes, expected rmacast analyze for it",
                         state->argv[state->next - 1]);
    struct analysis *analysis = state->input;
    error_t failed = analysis_parse(key, argument, state, analysis);
    if (failed || key != ARGP_KEY_END || !section_is_set(&analysis->options.section)) return failed;
    return cli_usage(state, "a section is not for several processes, expected times in --from and --to, or rmacast analyze");
}

static enum status open_archive(const struct analysis *analysis, struct trace_source *archive, struct err *err)
{
    bool possible;
    uint64_t records;
    TRY(trace_open_source(analysis->trace, archive, &possible, &records, err));
    if (possible) return analysis_check(analysis, archive->trace, err);
    return err_set(err, STATUS_DATA, analysis->trace, NULL,
                   "cannot be read by several processes, expected an archive of rmacast "
                   "with one thread per rank");
}

/* All processes go on, or none does; the first that cannot says why. */
static bool all_have_opened(enum status status, const struct err *err)
{
    int rank, failed, first, none;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &none);
    failed = status == STATUS_OK ? none : rank;
    MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == rank) mpi_print_error(err);
    MPI_Barrier(MPI_COMM_WORLD);
    return first == none;
}

/* Each process analyses its ranks. A failure of one is that of all; process 0 prints it. */
static enum status analyze_shards(const struct analysis *analysis, struct trace_source *archive, struct result **result,
                                  struct err *err)
{
    struct mpi_link link;
    if (link_init(&link, err) != STATUS_OK) mpi_abandon(err);
    size_t calls = slice_calls(archive->trace->rank_count) / link.shards.count;
    enum status status = model_analyze_shard(archive, &analysis->options, calls, &link.shards, result, err);
    if (link.broken || (status == STATUS_SYSTEM && !link.swapped)) mpi_abandon(err);
    if (status != STATUS_OK && link.shards.own == 0) mpi_print_error(err);
    link_clear(&link);
    return status;
}

static enum status run_analysis(const struct analysis *analysis, struct trace_source *archive, struct err *err)
{
    struct result *result = NULL;
    enum status status = analyze_shards(analysis, archive, &result, err);
    if (status == STATUS_OK && result) {
        status = analysis_note_unchecked(result, err);
        if (status == STATUS_OK) status = analysis_write(analysis, archive->trace, result, err);
        if (status != STATUS_OK) mpi_print_error(err);
    }
    result_free(result);
    source_close(archive);
    return status;
}

static int own_number(void)
{
    int number;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    return number;
}

/* Only one process prints help. */
static enum status read_options(struct analysis *analysis, int argc, char **argv, struct err *err)
{
    static char name[] = "rmacast-analyze-mpi";
    const struct argp argp = {options,
                              parse_option,
                              "TRACE",
                              "Finds where a trace lost time, as rmacast analyze --slices does: the processes that "
                              "mpiexec starts share out its ranks.",
                              NULL,
                              NULL,
                              NULL};
    argv[0] = name;
    if (own_number() > 0 && !freopen("/dev/null", "w", stdout))
        return err_set(err, STATUS_SYSTEM, "/dev/null", NULL, "cannot be written");
    return cli_parse(&argp, argc, argv, 0, analysis, err);
}

int main(int argc, char **argv)
{
    struct analysis analysis = ANALYSIS_DEFAULTS;
    struct trace_source archive;
    struct err err;
    analysis.options.intervals = true;
    mpi_start(&argc, &argv);
    enum status status = file_claims_begin(&err);
    if (status == STATUS_OK) status = read_options(&analysis, argc, argv, &err);
    if (status == STATUS_OK) status = analysis_claim_outputs(&analysis, &err);
    if (status == STATUS_OK) status = analysis_read_runs(&analysis, &err);
    if (status == STATUS_OK) status = open_archive(&analysis, &archive, &err);
    if (status == STATUS_OK && analysis.csv) status = transfer_log_new(&analysis.options.transfers, &err);
    status = file_claims_end(status, &err);
    if (all_have_opened(status, &err)) status = run_analysis(&analysis, &archive, &err);
    analysis_clear(&analysis);
    if (status == STATUS_USAGE) return EXIT_USAGE;
    return status == STATUS_OK ? 0 : EXIT_DATA;
}
