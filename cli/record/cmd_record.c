/* rmacast record: runs a command under the recorder and packs what it left to an archive. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/record/packing.h"
#include "cli/terminal/activity.h"
#include "common/text/text.h"
#include "recording/job.h"
#include "recording/run.h"
#include "trace/recordings.h"

struct options {
    const char *output, *json;
    int64_t repeat;
    char **command; /* NULL-terminated, in argv */
};

enum {
    OPTION_CALLS = 1000,
    OPTION_PAUSED,
    OPTION_LIMIT,
    OPTION_FUNCTIONS,
    OPTION_THREADS,
    OPTION_CLOCK,
    OPTION_SEMANTICS,
    OPTION_LOCK,
    OPTION_SKIP_LIBRARY,
    OPTION_REPEAT,
    OPTION_JSON,
};

static const struct argp_option rows[] = {
    {"output", 'o', "DIR.rma", 0, "directory of the archive (the program's name with .rma)", 0},
    {"cpu-time", 'c', NULL, 0, "record CPU time beside wall time: for runs with more ranks than cores", 0},
    {"calls", OPTION_CALLS, "GROUPS", 0, "record only these: rma, p2p, collective, local, joined by commas", 0},
    {"functions", OPTION_FUNCTIONS, "DEPTH", OPTION_ARG_OPTIONAL,
     "functions of programs compiled with -finstrument-functions are regions, nested up to DEPTH (64)", 0},
    {"threads", OPTION_THREADS, NULL, 0, "record thread primitives, too: creation, mutexes, conditions, semaphores ...", 0},
    {"skip-library", OPTION_SKIP_LIBRARY, "NAMES", 0,
     "the place of a call in these libraries, too, is that of the program's call to them: as libmine, joined by commas", 0},
    {"clock", OPTION_CLOCK, "CLOCK", 0,
     "read time stamps from tsc (the time stamp counter) or monotonic (clock_gettime); else by what the kernel uses", 0},
    {"semantics", OPTION_SEMANTICS, "LETTER", 0,
     "run post/start/complete/wait so, whatever the MPI library does (MPICH). " SEMANTICS_HELP, 0},
    {"lock", OPTION_LOCK, "HOW", 0, "blocking, as MPICH's, or lazy: a window lock is asked for when it is needed (MPICH)", 0},
    {"paused", OPTION_PAUSED, NULL, 0, "record nothing until the program calls MPI_Pcontrol(1)", 0},
    {"limit", OPTION_LIMIT, "SIZE", 0,
     "stop a rank's recording when it has grown to SIZE (an eighth of the disk's free space or of the memory, whichever is less, "
     "divided by the ranks)", 0},
    {"repeat", OPTION_REPEAT, "N", 0,
     "run the command N times, into DIR-1.rma to DIR-N.rma: predictions take the medians of several recordings", 0},
    {"json", OPTION_JSON, "FILE", 0, "write what was written, with counts, as JSON; - is standard output", 0},
    {0},
};

/* The recorder reads it in the environment of the program. */
static error_t tell_recorder(const char *name, const char *value)
{
    return setenv(name, value, 1) == 0 ? 0 : ENOMEM;
}

static error_t parse_calls(const struct argp_state *state, const char *list)
{
    if (record_knows_groups(list)) return tell_recorder("RMACAST_CALLS", list);
    return cli_usage(state, "--calls %s, expected some of rma, p2p, collective, local joined by commas", list);
}

static error_t parse_limit(const struct argp_state *state, const char *size)
{
    char bytes[32];
    int64_t limit;
    error_t failed = cli_size(state, "--limit", size, &limit);
    if (failed) return failed;
    if (limit <= 0) return cli_usage(state, "--limit %s, expected a size above 0, as 100M", size);
    snprintf(bytes, sizeof bytes, "%" PRId64, limit);
    return tell_recorder("RMACAST_LIMIT", bytes);
}

static error_t parse_clock(const struct argp_state *state, const char *name)
{
    if (strcmp(name, "tsc") != 0 && strcmp(name, "monotonic") != 0)
        return cli_usage(state, "--clock %s, expected tsc or monotonic", name);
    return tell_recorder("RMACAST_TIMER", name);
}

static error_t parse_semantics(const struct argp_state *state, const char *letter)
{
    if (strlen(letter) != 1 || !strchr("abcd", *letter))
        return cli_usage(state, "--semantics %s, expected a, b, c or d", letter);
    return tell_recorder("RMACAST_SEMANTICS", letter);
}

static error_t parse_lock(const struct argp_state *state, const char *how)
{
    if (strcmp(how, "blocking") != 0 && strcmp(how, "lazy") != 0)
        return cli_usage(state, "--lock %s, expected blocking or lazy", how);
    return tell_recorder("RMACAST_LOCK", how);
}

static error_t parse_functions(const struct argp_state *state, const char *depth)
{
    char text[32];
    int64_t most = 64;
    if (depth && cli_count(state, "--functions", depth, 1, most, &most)) return EINVAL;
    snprintf(text, sizeof text, "%" PRId64, most);
    return tell_recorder("RMACAST_FUNCTIONS", text);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'o': options->output = argument; return 0;
    case OPTION_JSON: options->json = argument; return 0;
    case OPTION_REPEAT: return cli_count(state, "--repeat", argument, 1, RECORDINGS_MAX, &options->repeat);
    case 'c': return tell_recorder("RMACAST_CPU_TIME", "1");
    case OPTION_CALLS: return parse_calls(state, argument);
    case OPTION_PAUSED: return tell_recorder("RMACAST_PAUSED", "1");
    case OPTION_FUNCTIONS: return parse_functions(state, argument);
    case OPTION_THREADS: return tell_recorder("RMACAST_THREADS", "1");
    case OPTION_SKIP_LIBRARY: return tell_recorder("RMACAST_SKIP_LIBRARY", argument);
    case OPTION_CLOCK: return parse_clock(state, argument);
    case OPTION_SEMANTICS: return parse_semantics(state, argument);
    case OPTION_LOCK: return parse_lock(state, argument);
    case OPTION_LIMIT: return parse_limit(state, argument);
    case ARGP_KEY_ARG:
        options->command = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        return options->command ? 0 : cli_usage(state, "the command is missing, expected -- mpiexec -n 4 ./app");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows,
    parse_option,
    "-- COMMAND [ARGUMENT...]",
    "Runs an MPI program under the recorder, as 'rmacast record -- mpiexec -n 4 ./app', and writes "
    "DIR.rma/traces.otf2. The "
    "program's output is untouched and its exit status becomes rmacast's. Further programs of the job, "
    "as those that MPI_Comm_spawn starts, have archives of their own: DIR.rma/world-1 and so on. RMACAST_RECORDER "
    "names the "
    "recorder library if it is elsewhere; RMACAST_CLOCK=pingpong measures clock offsets even between ranks of one "
    "machine. Recorded are programs on MPI libraries with the ABI of MPICH, of Open MPI or of MPI-5.0, and on OpenSHMEM 1.5, in "
    "C, C++, Fortran, Rust, Julia and Python, behind every launcher that passes the environment on; docs/recording.md has job "
    "scripts.",
    NULL,
    NULL,
    NULL,
};

static enum status write_json(const struct options *options, const char *directory, const struct packing *sums,
                              int exit_status, struct err *err)
{
    struct written written;
    written_begin(&written, options->json, "record", directory);
    packing_count(sums, &written);
    written_count(&written, "exit_status", (uint64_t)exit_status);
    return written_end(&written, err);
}

/* The K-th of several archives: "app.rma" becomes "app-K.rma". */
static enum status name_repeated(const char *directory, int64_t number, char made[RECORD_PATH_BYTES], struct err *err)
{
    const size_t length = strlen(directory);
    const bool suffixed = length > 4 && strcmp(directory + length - 4, ".rma") == 0;
    const int bytes = snprintf(made, RECORD_PATH_BYTES, "%.*s-%" PRId64 "%s", (int)(suffixed ? length - 4 : length), directory,
                               number, suffixed ? ".rma" : "");
    if (bytes < RECORD_PATH_BYTES - 64) return STATUS_OK;
    return err_set(err, STATUS_USAGE, NULL, NULL, "-o: a name of 1 to 4000 bytes is expected");
}

/* The command, once or again and again until it fails. last: the archive made last. */
static enum status run_command(const struct options *options, const char *directory, const struct record_observer *observer,
                               char last[RECORD_PATH_BYTES], int *exit_status, struct err *err)
{
    snprintf(last, RECORD_PATH_BYTES, "%s", directory);
    if (options->repeat == 0) return record_job(options->command, directory, observer, exit_status, err);
    for (int64_t k = 1; k <= options->repeat && *exit_status == 0; k++) {
        TRY(name_repeated(directory, k, last, err));
        TRY(record_job(options->command, last, observer, exit_status, err));
        activity_end();
    }
    char further[RECORD_PATH_BYTES];
    TRY(name_repeated(directory, options->repeat + 1, further, err));
    if (access(further, F_OK) == 0) cli_note("note: %s is of an earlier recording", further);
    return STATUS_OK;
}

/* A program that failed keeps its exit status, whatever packing says. */
static enum status record_program(const struct options *options, const char *directory, struct err *err)
{
    int exit_status = 0;
    struct packing sums = {0};
    const struct record_observer observer = packing_observer(&sums);
    char last[RECORD_PATH_BYTES];
    enum status status = run_command(options, directory, &observer, last, &exit_status, err);
    activity_end();
    if (status == STATUS_OK) status = write_json(options, last, &sums, exit_status, err);
    if (exit_status == 0) return status;
    if (status != STATUS_OK) text_print(stderr, "rmacast: %s\n", err->text);
    cli_exit_with(exit_status);
    return STATUS_OK;
}

static enum status claim_outputs(const struct options *options, const char *directory, struct err *err)
{
    char names[RECORDINGS_MAX][RECORD_PATH_BYTES];
    struct cli_output outputs[RECORDINGS_MAX + 1] = {{CLI_WRITES, "--json", options->json}};
    for (int64_t k = 0; k < options->repeat; k++) {
        TRY(name_repeated(directory, k + 1, names[k], err));
        outputs[k + 1] = (struct cli_output){CLI_WRITES_ARCHIVE, "-o", names[k]};
    }
    if (options->repeat > 0) return cli_claim_outputs(outputs, (size_t)options->repeat + 1, err);
    outputs[1] = (struct cli_output){CLI_WRITES_ARCHIVE, "-o", directory};
    return options->json ? cli_claim_outputs(outputs, 2, err) : STATUS_OK;
}

enum status cmd_record(int argc, char **argv, struct err *err)
{
    struct options options = {0};
    char directory[RECORD_PATH_BYTES];
    TRY(cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &options, err));
    TRY(record_directory(options.output, options.command, directory, err));
    TRY(claim_outputs(&options, directory, err));
    return record_program(&options, directory, err);
}
