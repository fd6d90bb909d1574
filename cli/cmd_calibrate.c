/* rmacast calibrate: measures the cluster that a launcher gives, and writes its platform file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/calibrate/check.h"
#include "cli/calibrate/run.h"
#include "cli/cli.h"
#include "cli/files.h"
#include "cli/launcher.h"
#include "cli/output_set.h"
#include "cli/written.h"
#include "common/files/directory.h"
#include "common/files/place.h"
#include "common/files/remove_tree.h"
#include "common/json.h"
#include "common/json/json_write.h"
#include "common/text/text.h"
#include "platforms/fit/calibration.h"
#include "platforms/fit/values.h"
#include "platforms/platform.h"
#include "platforms/untold.h"

enum {
    OPTION_MPI = 1000,
    OPTION_RESULTS,
    OPTION_LIMIT,
    OPTION_NAME,
    OPTION_NO_PROBE,
    OPTION_CHECK,
    OPTION_ROUNDS,
    OPTION_JSON,
    OPTION_FORCE,
    ROUNDS_MOST = 99,
    FEW_OF_ALL = 20
};

struct options {
    const char *config, *output, *results, *name, *json;
    size_t mpi;
    double limit_s;
    bool no_probe, check, force;
    int64_t rounds;
    char **command; /* NULL: fits what is in results */
};

static const char *const mpi_names[] = {"auto", "mpich", "openmpi", NULL};

static const struct argp_option rows[] = {
    {"config", 'c', "FILE", 0, "tests to run instead of the default ones (docs/calibration.md)", 0},
    {"output", 'o', "FILE", 0, "the platform file to write, - is standard output", 0},
    {"mpi", OPTION_MPI, "NAME", 0, "mpich or openmpi: the launcher's library; auto (the default) recognises it by the file", 0},
    {"results", OPTION_RESULTS, "DIR", 0,
     "keep all repetitions in DIR, which all nodes see; without a launcher: fit those in DIR", 0},
    {"limit", OPTION_LIMIT, "DURATION", 0,
     "end the bench after DURATION (300s), in each round, and fit what it has measured until then", 0},
    {"no-probe", OPTION_NO_PROBE, NULL, 0,
     "do not probe the MPI library (docs/probe.md): its profile says what it does, where there is one, else defaults", 0},
    {"force", OPTION_FORCE, NULL, 0, "write the file although most sizes are unsteady", 0},
    {"check", OPTION_CHECK, NULL, 0,
     "measure more tests, record them once, replay them on the platform file, and compare (docs/calibration.md)", 0},
    {"rounds", OPTION_ROUNDS, "N", 0,
     "run the bench in N parts, one after another (1)", 0},
    {"name", OPTION_NAME, "NAME", 0, "name of the platform (that of the output file)", 0},
    {"json", OPTION_JSON, "FILE", 0, "write what was written, with counts, as JSON; - is standard output, without the table", 0},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'c': options->config = argument; return 0;
    case 'o': options->output = argument; return 0;
    case OPTION_MPI: return cli_choice(state, "--mpi", argument, mpi_names, &options->mpi);
    case OPTION_RESULTS: options->results = argument; return 0;
    case OPTION_NAME: options->name = argument; return 0;
    case OPTION_JSON: options->json = argument; return 0;
    case OPTION_NO_PROBE: options->no_probe = true; return 0;
    case OPTION_CHECK: options->check = true; return 0;
    case OPTION_FORCE: options->force = true; return 0;
    case OPTION_ROUNDS: return cli_count(state, "--rounds", argument, 1, ROUNDS_MOST, &options->rounds);
    case OPTION_LIMIT: {
        error_t failed = cli_duration(state, "--limit", argument, &options->limit_s);
        return failed || options->limit_s > 0 ? failed : cli_usage(state, "--limit %s, expected more than 0", argument);
    }
    case ARGP_KEY_ARG:
        options->command = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        if (!options->output) return cli_usage(state, "the output is missing, expected -o PLATFORM.json");
        if (!options->command && !options->results)
            return cli_usage(state, "the launcher is missing, expected -- mpiexec -n 4, or --results DIR of an earlier run");
        if (options->check && cli_is_output(options->output)) return cli_usage(state, "--check takes -o a file");
        if (options->command) return 0;
        return cli_given_only(state, "--results and no launcher",
                              (const int[]){OPTION_RESULTS, 'o', OPTION_NAME, OPTION_JSON, OPTION_NO_PROBE, OPTION_FORCE, 0});
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows,
    parse_option,
    "-- LAUNCHER [ARGUMENT...]",
    "Measures the cluster that a launcher gives, as 'rmacast calibrate -o cluster.json -- mpiexec -n 4 -f hosts', and "
    "writes a "
    "platform file whose values carry their errors. RMACAST_BENCH names the program to launch if it is elsewhere; all "
    "nodes must have it at the same path.",
    NULL,
    NULL,
    NULL,
};

/* --- the directory of results --- */

/* --results, or one of this run's own in TMPDIR. */
static enum status choose_directory(const struct options *options, char directory[CALIBRATE_PATH_BYTES], struct err *err)
{
    const char *place = getenv("TMPDIR");
    if (options->results) {
        if (snprintf(directory, CALIBRATE_PATH_BYTES, "%s", options->results) < CALIBRATE_PATH_BYTES - 64) return STATUS_OK;
        return err_set(err, STATUS_USAGE, NULL, NULL, "--results: a shorter name is expected");
    }
    int length = snprintf(directory, CALIBRATE_PATH_BYTES, "%s/rmacast-calibrate-XXXXXX", place && *place ? place : "/tmp");
    if (length >= CALIBRATE_PATH_BYTES - 64) return err_set(err, STATUS_USAGE, NULL, NULL, "TMPDIR: a shorter name is expected");
    if (mkdtemp(directory)) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, directory, NULL, "%s, expected to make the directory", strerror(errno));
}

/* An error names DIR of --results. */
static enum status fit_results(const struct options *options, const struct bench_results *results, const cJSON *run,
                               struct calibration **calibration, struct err *err)
{
    struct err found = {.status = STATUS_OK};
    enum status status = calibration_new(results, run, calibration, &found);
    return status == STATUS_OK ? STATUS_OK : err_set(err, status, options->results, NULL, "%s", found.text);
}

static enum status read_results(const struct options *options, const char *directory, struct calibration **calibration,
                                struct err *err)
{
    char path[CALIBRATE_PATH_BYTES + 16];
    struct json_document run;
    struct bench_results results;
    snprintf(path, sizeof path, "%s/run.json", directory);
    TRY(json_open(path, &run, err));
    enum status status = bench_results_open(directory, &results, err);
    if (status == STATUS_OK) {
        bench_results_keep(&results, CALIBRATE_CHECK_PREFIX, false);
        status = fit_results(options, &results, run.root, calibration, err);
        bench_results_clear(&results);
    }
    json_close(&run);
    return status;
}

/* The probe's section is a file of the directory, for a later fit. */
static void name_section(const char *directory, char path[CALIBRATE_PATH_BYTES + 16])
{
    snprintf(path, CALIBRATE_PATH_BYTES + 16, "%s/mpi.json", directory);
}

static enum status read_section(const char *directory, cJSON **mpi, struct err *err)
{
    char path[CALIBRATE_PATH_BYTES + 16];
    struct json_document section;
    name_section(directory, path);
    bool there;
    TRY(place_look(path, &there, err));
    if (!there) return STATUS_OK;
    TRY(json_open(path, &section, err));
    *mpi = cJSON_Duplicate(section.root, true);
    json_close(&section);
    return *mpi ? STATUS_OK : err_memory(err);
}

/* --- the platform --- */

/* Checks that the reader accepts the platform file to be written. */
static enum status check_platform(const cJSON *json, const char *directory, struct err *err)
{
    struct err refused;
    char file[64], *text = json_print(json, JSON_LINES);
    struct platform *platform;
    int descriptor = text ? memfd_create("platform", MFD_CLOEXEC) : -1;
    int cause = !text ? ENOMEM : descriptor < 0 || dprintf(descriptor, "%s", text) < 0 ? errno : 0;
    free(text);
    snprintf(file, sizeof file, "/proc/self/fd/%d", descriptor);
    enum status status = cause == 0 ? platform_open(file, NULL, 0, &platform, &refused)
                                    : err_set(&refused, STATUS_SYSTEM, NULL, NULL, "%s", strerror(cause));
    if (status == STATUS_OK) platform_free(platform);
    if (descriptor >= 0) close(descriptor);
    if (status == STATUS_OK) return STATUS_OK;
    size_t named = strncmp(refused.text, file, strlen(file)) == 0 ? strlen(file) + 1 : 0; /* by its key alone */
    named += strspn(refused.text + named, " ");
    return err_set(err, status, directory, NULL, "makes no platform: %s", refused.text + named);
}

static const char *name_of(const struct options *options, char name[256])
{
    const char *slash = strrchr(options->output, '/');
    if (options->name) return options->name;
    if (cli_is_output(options->output)) return "calibrated";
    snprintf(name, 256, "%s", slash ? slash + 1 : options->output);
    name[strcspn(name, ".")] = '\0';
    return *name ? name : "calibrated";
}

static enum status write_json(const struct options *options, const cJSON *platform, struct err *err)
{
    const cJSON *calibration = cJSON_GetObjectItem(platform, "$calibration");
    struct written written;
    written_begin(&written, options->json, "calibrate", options->output);
    written_count(&written, "notes", (uint64_t)cJSON_GetArraySize(cJSON_GetObjectItem(calibration, "notes")));
    return written_end(&written, err);
}

/* An error names DIR. */
static enum status make_platform(const struct options *options, const char *directory, const struct calibration *calibration,
                                 const cJSON *mpi, cJSON **platform, struct err *err)
{
    struct err found = {.status = STATUS_OK};
    struct untold untold;
    char name[256];
    TRY(untold_complete(calibration->library, calibration->nodes == 1, mpi, &untold, err));
    enum status status = calibration_to_platform(calibration, untold.section, name_of(options, name), platform, &found);
    if (status != STATUS_OK) err_set(err, status, directory, NULL, "%s", found.text);
    if (status == STATUS_OK) status = untold_tell(&untold, *platform, err);
    untold_clear(&untold);
    return status == STATUS_OK ? check_platform(*platform, directory, err) : status;
}

/* What was measured is shown in any case. */
static enum status write_made(const struct options *options, const struct calibration *calibration, const cJSON *platform,
                              struct err *err)
{
    char unsteady[CALIBRATION_UNSTEADY_BYTES];
    const bool refused = calibration_is_unsteady(calibration, unsteady) && !options->force;
    if (!refused) TRY(cli_write_json(platform, options->output, err));
    if (!cli_is_output(options->output) && !cli_is_output(options->json)) {
        const cJSON *notes = cJSON_GetObjectItem(cJSON_GetObjectItem(platform, "$calibration"), "notes"), *text;
        TRY(platform_print_values(platform, true, cli_table(), err));
        cJSON_ArrayForEach (text, notes) text_print(stdout, "note: %s\n", text->valuestring);
    }
    if (!refused) return write_json(options, platform, err);
    TRY(cli_flush(err));
    return err_set(err, STATUS_DATA, options->output, NULL,
                   "is not written: %s are unsteady, expected half at most: an idle machine, or --force", unsteady);
}

static enum status write_platform(const struct options *options, const char *directory, const cJSON *mpi, struct err *err)
{
    struct calibration *calibration;
    cJSON *platform = NULL;
    TRY(read_results(options, directory, &calibration, err));
    enum status status = make_platform(options, directory, calibration, mpi, &platform, err);
    if (status == STATUS_OK) status = write_made(options, calibration, platform, err);
    free(calibration);
    cJSON_Delete(platform);
    return status;
}

/* The first round's results are in the directory itself, each other one's below it. */
static enum status run_round(const struct calibrate_run *run, int round, struct err *err)
{
    char below[CALIBRATE_PATH_BYTES + 16];
    struct calibrate_run own = *run;
    own.quiet = round > 0 || cli_is_quiet(); /* each round leaves out the same tests */
    snprintf(below, sizeof below, "%s/round-%d", run->directory, round);
    if (round > 0) {
        own.directory = below;
        TRY(directory_make(below, err));
    }
    return calibrate_run_bench(&own, err);
}

/* Whether the rounds until now are not enough: the machine has changed, so that more than a twentieth of the sizes were not
 * measured under the conditions that count. Then says so. */
static bool needs_round(const struct calibrate_run *run, int done, int most)
{
    size_t sizes, missing;
    if (calibrate_count_missing(run, &sizes, &missing, NULL) != STATUS_OK || FEW_OF_ALL * missing <= sizes) return false;
    cli_note("note: the machine changed: %zu of %zu sizes have too few repetitions under the conditions that count: "
             "round %d of %d at most",
             missing, sizes, done + 1, most);
    return true;
}

/* What the rounds before one that fails have measured is used. Half as many rounds are added if the machine changed. */
static enum status run_rounds(const struct calibrate_run *run, int rounds, struct err *err)
{
    const int most = rounds + rounds / 2;
    TRY(run_round(run, 0, err));
    for (int round = 1; round < most && !launcher_is_interrupted(); round++) {
        struct err failed;
        if (round >= rounds && !needs_round(run, round, most)) break;
        if (run_round(run, round, &failed) == STATUS_OK) continue;
        cli_note("note: round %d of %d: %s; the results of the rounds before are used", round + 1, rounds, failed.text);
        break;
    }
    return STATUS_OK;
}

/* Removes what an earlier run in this directory has found out beside its rows, which the bench has removed. */
static void forget_earlier(const char *directory)
{
    static const char *const names[] = {"mpi.json", "check.rma", "predicted.rma"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[CALIBRATE_PATH_BYTES + 16];
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        remove_tree(path);
    }
}

static void record_check(const struct calibrate_run *run, struct err *recorded)
{
    if (launcher_is_interrupted())
        err_set(recorded, STATUS_DATA, "--check", NULL, "interrupted before its recording, expected an uninterrupted run");
    else
        calibrate_check_record(run, recorded);
}

/* recorded: whether all that the check needs is there; the platform is written all the same. */
static enum status measure_library(const struct options *options, const struct calibrate_run *run, cJSON **mpi,
                                   struct err *recorded, struct err *err)
{
    char path[CALIBRATE_PATH_BYTES + 16], config[CALIBRATE_PATH_BYTES + 16];
    struct calibrate_run with_check = *run;
    if (options->check) {
        snprintf(config, sizeof config, "%s/bench.json", run->directory);
        TRY(calibrate_check_config(run, config, err));
        with_check.config = config;
    }
    TRY(run_rounds(&with_check, (int)options->rounds, err));
    forget_earlier(run->directory);
    if (options->check) record_check(run, recorded);
    if (!options->no_probe && !launcher_is_interrupted()) TRY(calibrate_run_probe(run, mpi, err));
    name_section(run->directory, path);
    return *mpi ? cli_write_json_now(*mpi, path, err) : STATUS_OK;
}

/* Ctrl-C ends the measurement, not the command, which fits and removes its own directory. */
static enum status measure_all(const struct options *options, const struct calibrate_run *run, cJSON **mpi, struct err *recorded,
                               struct err *err)
{
    TRY(directory_make(run->directory, err));
    if (access(run->directory, W_OK | X_OK) != 0)
        return err_set(err, STATUS_SYSTEM, run->directory, NULL, "cannot be written: %s", strerror(errno));
    return measure_library(options, run, mpi, recorded, err);
}

static enum status check_result(const struct options *options, const struct calibrate_run *run,
                                const struct err *recorded, struct err *err)
{
    TRY(output_set_end(true, err)); /* the check reads the platform */
    if (recorded->status == STATUS_OK) return calibrate_check(run, options->output, err);
    if (err) *err = *recorded;
    return recorded->status;
}

static bool has_repetitions(const char *directory)
{
    struct bench_results results;
    if (bench_results_open(directory, &results, NULL) != STATUS_OK) return false;
    bool has = results.count > 0;
    bench_results_clear(&results);
    return has;
}

/* What was measured stays where no platform file was made of it, but not after an interrupt. */
static void end_directory(const struct options *options, const char *directory, bool failed)
{
    if (options->results) return;
    if (failed && !launcher_is_interrupted() && has_repetitions(directory))
        cli_note("note: the repetitions are kept in %s", directory);
    else
        remove_tree(directory);
}

static enum status calibrate_platform(const struct options *options, struct err *err)
{
    char directory[CALIBRATE_PATH_BYTES];
    cJSON *mpi = NULL;
    struct err recorded = {.status = STATUS_OK};
    enum status status = STATUS_OK;
    if (options->command) launcher_hold_signals();
    TRY(choose_directory(options, directory, err));
    struct calibrate_run run = {options->command, (enum calibrate_mpi)options->mpi, options->config, directory,
                                (int)options->rounds, false, options->limit_s};
    if (options->command && run.mpi == CALIBRATE_AUTO) run.mpi = calibrate_mpi_of(options->command[0]);
    if (options->command)
        status = measure_all(options, &run, &mpi, &recorded, err);
    else if (!options->no_probe)
        status = read_section(directory, &mpi, err);
    if (status == STATUS_OK) status = write_platform(options, directory, mpi, err);
    if (status == STATUS_OK && options->check) status = check_result(options, &run, &recorded, err);
    cJSON_Delete(mpi);
    end_directory(options, directory, status != STATUS_OK);
    launcher_release_signals();
    return status;
}

enum status cmd_calibrate(int argc, char **argv, struct err *err)
{
    struct options options = {.limit_s = 300, .rounds = 1};
    TRY(cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &options, err));
    const struct cli_output outputs[] = {{CLI_WRITES, "--output", options.output}, {CLI_WRITES, "--json", options.json}};
    TRY(cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err));
    if (options.config) {
        /* Reports a wrong configuration before anything is launched. */
        struct bench_config config;
        TRY(bench_config_open(options.config, &config, err));
        bench_config_clear(&config);
    }
    return calibrate_platform(&options, err);
}
