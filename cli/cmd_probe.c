/* rmacast probe -- mpiexec -n 2: what the MPI library of this launcher does for one-sided calls. */
#include <stdlib.h>
#include <string.h>

#include "common/text/text.h"
#include "cli/cli.h"
#include "cli/files.h"
#include "cli/launcher.h"
#include "platforms/probe/report.h"

enum { OPTION_PROFILE = 1000, OPTION_CSV, OPTION_ONLY, OPTION_LONG, OPTION_LIMIT, OPTION_WINDOW, PATH_BYTES = 4096 };

static const char *const flavours[] = {"create", "allocate", "dynamic", NULL};

static const struct argp_option rows[] = {
    {"json", 'j', "FILE", 0, "write verdicts, evidence and times as JSON; - is standard output, without the table", 0},
    CSV_ROWS_OPTION(OPTION_CSV),
    {"profile", OPTION_PROFILE, "FILE", 0, "write what was found as an MPI profile, for mpi.profile of platform files", 0},
    {"only", OPTION_ONLY, "GROUPS", 0,
     "ask only these groups, joined by commas: semantics, progress, locks, fences, messages, times, windows", 0},
    {"window", OPTION_WINDOW, "FLAVOUR", 0, "how the windows are made: create (the default), allocate or dynamic", 0},
    {"long", OPTION_LONG, NULL, 0, "three times as many tries, limits to the byte, and time for slow networks", 0},
    {"limit", OPTION_LIMIT, "DURATION", 0, "end a run that hangs after DURATION (60s; 600s with --long)", 0},
    {0},
};

struct options {
    const char *json, *csv, *profile, *only;
    size_t window; /* of flavours */
    bool thorough;
    double limit_s; /* 0: not given */
    char **command; /* NULL-terminated, in argv */
};

static error_t check_groups(const struct argp_state *state, const char *list)
{
    static const char *const names[] = {"semantics", "progress", "locks", "fences", "messages", "times", "windows"};
    char item[32];
    for (const char *at = list; cli_next_item(&at, item, sizeof item);) {
        size_t i = 0;
        while (i < sizeof names / sizeof *names && strcmp(names[i], item) != 0) i++;
        if (i == sizeof names / sizeof *names)
            return cli_usage(state, "--only %s, expected some of semantics, progress, locks, fences, messages, times, windows "
                             "joined by commas", list);
    }
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'j': options->json = argument; return 0;
    case OPTION_CSV: options->csv = argument; return 0;
    case OPTION_PROFILE: options->profile = argument; return 0;
    case OPTION_ONLY: options->only = argument; return check_groups(state, argument);
    case OPTION_WINDOW: return cli_choice(state, "--window", argument, flavours, &options->window);
    case OPTION_LONG: options->thorough = true; return 0;
    case OPTION_LIMIT: {
        error_t failed = cli_duration(state, "--limit", argument, &options->limit_s);
        if (failed) return failed;
        return options->limit_s > 0 ? 0 : cli_usage(state, "--limit %s, expected more than 0", argument);
    }
    case ARGP_KEY_ARG:
        options->command = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        return options->command ? 0 : cli_usage(state, "the launcher is missing, expected -- mpiexec -n 2");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows,
    parse_option,
    "-- LAUNCHER [ARGUMENT...]",
    "Finds out what the MPI library of a launcher does for one-sided calls, as 'rmacast probe -- mpiexec -n 2': rank 1 "
    "is "
    "late by a known delay, and the probe finds the calls of rank 0 that wait for it. RMACAST_PROBE names the "
    "program to launch if it is elsewhere; all nodes must have it at the same path.",
    NULL,
    NULL,
    NULL,
};

struct heard {
    struct probe_record record;
    enum status status;
    struct err *err;
};

/* Reads a line of the probe. Other lines are messages of the launcher or the library to the user. */
static bool take_line(void *context, const char *line)
{
    struct heard *heard = context;
    bool ours = false;
    if (heard->status != STATUS_OK) return true;
    heard->status = probe_record_add(&heard->record, line, &ours, heard->err);
    if (!ours && *line) text_print(stderr, "%s\n", line);
    return heard->record.ended || heard->status != STATUS_OK;
}

/* The reason why the run ended early; NULL: it did not. */
static const char *broken_reason(const struct probe_record *record, const struct launcher_outcome *outcome, char *text,
                                 size_t room)
{
    if (record->ended) return NULL;
    switch (outcome->end) {
    case LAUNCHER_TIME_OUT: snprintf(text, room, "it hung, or took too long, and was ended"); break;
    case LAUNCHER_INTERRUPTED: snprintf(text, room, "it was interrupted"); break;
    default: snprintf(text, room, "the launcher ended with status %d", outcome->exit_status);
    }
    return text;
}

static enum status write_profile(const struct probe_findings *findings, const char *file, struct err *err)
{
    cJSON *json;
    char name[256];
    const char *slash = strrchr(file, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : file);
    name[strcspn(name, ".")] = '\0';
    TRY(probe_to_profile(findings, name, &json, err));
    enum status status = cli_write_json(json, file, err);
    cJSON_Delete(json);
    return status;
}

static enum status write_outputs(const struct options *options, const struct probe_findings *findings, const char *why,
                                 struct err *err)
{
    const struct csv_rows lines = {options->csv, "evidence",
                                  "key,question,case,operation,bytes,verdict,votes,of,late,confidence,delay_s,evidence"};
    cJSON *json;
    if (!cli_is_output(options->json) && !cli_is_output(options->csv) && !cli_is_output(options->profile)) {
        probe_print(findings, cli_table());
        TRY(cli_flush(err));
    }
    if (options->profile) TRY(write_profile(findings, options->profile, err));
    if (!options->json && !options->csv) return cli_flush(err);
    TRY(probe_to_json(findings, why, &json, err));
    enum status status = options->json ? cli_write_json(json, options->json, err) : STATUS_OK;
    if (status == STATUS_OK) status = csv_rows_write(&lines, json, err);
    cJSON_Delete(json);
    return cli_flush_behind(status, err);
}

static enum status evaluate_record(const struct options *options, const struct probe_record *record,
                                   const struct launcher_outcome *outcome, struct err *err)
{
    struct probe_findings findings;
    char text[128];
    const char *why = broken_reason(record, outcome, text, sizeof text);
    if (!record->began)
        return err_set(err, STATUS_DATA, options->command[0], NULL, "%s%s", *record->failure ? record->failure : why,
                       *record->failure ? "" : ", expected a launcher of two ranks, as mpiexec -n 2");
    TRY(probe_evaluate(record, &findings, err));
    enum status status = write_outputs(options, &findings, why, err);
    probe_findings_clear(&findings);
    if (status == STATUS_OK && why)
        return err_set(err, STATUS_DATA, options->command[0], NULL, "%s: the results are those until then", why);
    if (status == STATUS_OK && outcome->end == LAUNCHER_TIME_OUT)
        cli_note("note: MPI_Finalize did not return, the ranks were ended; all questions had been asked");
    return status;
}

static enum status run_probe(const struct options *options, struct err *err)
{
    char program[PATH_BYTES], seconds[32];
    struct launcher_outcome outcome;
    struct heard heard = {.err = err};
    double limit_s = options->limit_s > 0 ? options->limit_s : options->thorough ? 600 : 60;
    snprintf(seconds, sizeof seconds, "%g", limit_s * 2 / 3);
    const char *const arguments[] = {seconds, options->only ? options->only : "all", flavours[options->window],
                                     options->thorough ? "long" : NULL, NULL};
    TRY(launcher_find_program("rmacast-probe", "RMACAST_PROBE", program, sizeof program, err));
    enum status status = launcher_run(options->command, program, arguments, limit_s, take_line, &heard, &outcome, err);
    if (status == STATUS_OK) status = heard.status;
    if (status == STATUS_OK) status = evaluate_record(options, &heard.record, &outcome, err);
    probe_record_clear(&heard.record);
    return status;
}

enum status cmd_probe(int argc, char **argv, struct err *err)
{
    struct options options = {0};
    TRY(cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &options, err));
    const struct cli_output outputs[] = {{CLI_WRITES, "--json", options.json}, {CLI_WRITES, "--csv", options.csv},
                                         {CLI_WRITES, "--profile", options.profile}};
    TRY(cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err));
    return run_probe(&options, err);
}
