#include "cli/calibrate/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/launcher.h"
#include "common/json.h"
#include "platforms/probe/section.h"

/* The file of a command as execvp() would find it. */
static bool find_command(const char *word, char path[CALIBRATE_PATH_BYTES])
{
    const char *list = getenv("PATH");
    char beside[CALIBRATE_PATH_BYTES], resolved[CALIBRATE_PATH_BYTES];
    bool found = strchr(word, '/') && realpath(word, resolved);
    while (!found && !strchr(word, '/') && list && *list) {
        size_t length = strcspn(list, ":");
        snprintf(beside, sizeof beside, "%.*s/%s", (int)length, list, word);
        found = access(beside, X_OK) == 0 && realpath(beside, resolved);
        list += length + (list[length] == ':');
    }
    if (found) strcpy(path, resolved);
    return found;
}

enum calibrate_mpi calibrate_mpi_of(const char *launcher)
{
    static const char *const words[] = {"openmpi", "orterun", "prterun", "ompi"};
    char path[CALIBRATE_PATH_BYTES];
    const char *slash, *name = find_command(launcher, path) ? path : launcher;
    slash = strrchr(name, '/');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(slash ? slash + 1 : name, words[i])) return CALIBRATE_OPENMPI;
    return CALIBRATE_MPICH;
}

/* The bench's table is in its files. */
static bool drop_line(void *context, const char *line)
{
    (void)context, (void)line;
    return false;
}

static void name_description(const char *directory, char path[CALIBRATE_PATH_BYTES + 16])
{
    snprintf(path, CALIBRATE_PATH_BYTES + 16, "%s/run.json", directory);
}

/* When the bench last described a run there, 0: never. */
static struct timespec described_at(const char *directory)
{
    char path[CALIBRATE_PATH_BYTES + 16];
    struct stat file;
    name_description(directory, path);
    return stat(path, &file) == 0 ? file.st_mtim : (struct timespec){0};
}

/* What run.json says. complete: all results are written. Ranks that hang in MPI_Finalize then are ended, and the launcher's
 * status may tell so. ranks: 0 if there is no such file. */
struct described {
    bool complete;
    int ranks;
};

static struct described read_description(const char *directory)
{
    char path[CALIBRATE_PATH_BYTES + 16];
    struct json_document run;
    struct described described = {0};
    const cJSON *node;
    name_description(directory, path);
    if (json_open(path, &run, NULL) != STATUS_OK) return described;
    described.complete = cJSON_IsTrue(cJSON_GetObjectItem(run.root, "complete"));
    cJSON_ArrayForEach (node, cJSON_GetObjectItem(run.root, "nodes"))
        described.ranks += cJSON_GetArraySize(cJSON_GetObjectItem(node, "ranks"));
    json_close(&run);
    return described;
}

/* "was interrupted", "was ended after its time limit", "ended with status 1" */
enum { END_BYTES = 64 };
static const char *describe_end(const struct launcher_outcome *outcome, char text[END_BYTES])
{
    switch (outcome->end) {
    case LAUNCHER_INTERRUPTED: return "was interrupted";
    case LAUNCHER_TIME_OUT: return "was ended after its time limit";
    case LAUNCHER_EXITED: break;
    }
    snprintf(text, END_BYTES, "ended with status %d", outcome->exit_status);
    return text;
}

enum status calibrate_run_bench(const struct calibrate_run *run, struct err *err)
{
    char program[CALIBRATE_PATH_BYTES];
    char rounds[16];
    const char *arguments[8] = {"--output", run->directory, "--rounds", rounds};
    int count = 4;
    const char *name = run->mpi == CALIBRATE_OPENMPI ? "rmacast-bench-openmpi" : "rmacast-bench";
    struct launcher_outcome outcome;
    snprintf(rounds, sizeof rounds, "%d", run->rounds);
    if (run->quiet) arguments[count++] = "--quiet";
    if (run->config) {
        arguments[count++] = "--config";
        arguments[count++] = run->config;
    }
    TRY(launcher_find_program(name, "RMACAST_BENCH", program, sizeof program, err));
    const struct timespec before = described_at(run->directory);
    TRY(launcher_run(run->command, program, arguments, run->limit_s, drop_line, NULL, &outcome, err));
    const struct timespec after = described_at(run->directory);
    const bool begun = after.tv_sec != before.tv_sec || after.tv_nsec != before.tv_nsec;
    const struct described described = read_description(run->directory);
    char text[END_BYTES];
    const char *how = describe_end(&outcome, text);
    if (!begun && outcome.end == LAUNCHER_INTERRUPTED)
        return err_set(err, STATUS_DATA, run->command[0], NULL, "%s was interrupted without results", name);
    if (!begun)
        return err_set(err, STATUS_DATA, run->command[0], NULL,
                       "%s %s without results, expected a launcher of MPI ranks that see %s", name, how, run->directory);
    if (described.ranks == 1)
        return err_set(err, STATUS_DATA, run->command[0], NULL,
                       "%s ran with 1 rank, expected two or more, as mpiexec -n 2 of the MPI library that --mpi names", name);
    const bool whole = outcome.end == LAUNCHER_EXITED && outcome.exit_status == 0;
    if (whole || (described.complete && outcome.end != LAUNCHER_INTERRUPTED)) return STATUS_OK;
    cli_note("note: %s %s; the results until then are used", name, how);
    return STATUS_OK;
}

/* Stores a line of the probe, so that its findings are kept even if it is ended early. */
static bool hear_probe(void *context, const char *line)
{
    struct probe_record *record = context;
    bool ours;
    struct err ignored;
    return probe_record_add(record, line, &ours, &ignored) != STATUS_OK || record->ended;
}

static enum status evaluate_probe(const struct probe_record *record, cJSON **mpi, struct err *err)
{
    struct probe_findings findings;
    TRY(probe_evaluate(record, &findings, err));
    enum status status = probe_section(&findings, mpi, err);
    probe_findings_clear(&findings);
    return status;
}

enum status calibrate_run_probe(const struct calibrate_run *run, cJSON **mpi, struct err *err)
{
    static const char *const arguments[] = {"40", "all", "create", NULL};
    char program[CALIBRATE_PATH_BYTES], text[END_BYTES];
    struct launcher_outcome outcome = {.end = LAUNCHER_EXITED};
    struct probe_record record = {.began = false};
    struct err found = {.status = STATUS_OK};
    *mpi = NULL;
    enum status status = launcher_find_program("rmacast-probe", "RMACAST_PROBE", program, sizeof program, &found);
    if (status == STATUS_OK)
        status = launcher_run(run->command, program, arguments, CALIBRATE_PROBE_S, hear_probe, &record, &outcome, &found);
    if (status == STATUS_OK && !record.began)
        status = err_set(&found, STATUS_DATA, NULL, NULL, "%s", *record.failure ? record.failure : "rmacast-probe said nothing");
    if (status == STATUS_OK && !record.ended)
        cli_note("note: rmacast-probe %s; its answers until then are used", describe_end(&outcome, text));
    if (status == STATUS_OK) status = evaluate_probe(&record, mpi, &found);
    probe_record_clear(&record);
    if (status == STATUS_OK) return STATUS_OK;
    cli_note("note: without the library's protocol: %s", found.text);
    if (err) *err = found;
    return STATUS_OK;
}
