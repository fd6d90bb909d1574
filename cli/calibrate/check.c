#include "cli/calibrate/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/launcher.h"
#include "trace/open.h"
#include "validate/skeletons.h"

enum { WORDS_MOST = 512 };

/* Every way to synchronise, with small and large data, a put behind a pause of 10 ms, and late posts. On fast networks 20 ms have
 * so many repetitions that the first ones, which touch the pages of the library's buffers, are few. */
static const char config[] =
    "{ \"node_configurations\": { \"pairs\": [[2, 2], [1, 2]], \"three\": [[3, 3], [2, 4], [1, 3]] },\n"
    "  \"tests\": {\n"
    "    \"curves\": { \"conf\": \"pairs\", \"sizes\": [8, \"4K\", \"64K\"], \"minRepeats\": 40, \"maxDuration\": 0.02,\n"
    "      \"confidence\": 0,\n"
    "      \"tests\": [\"putLatency -s flush\", \"putLatency -s lock\", \"putLatency -s lock_all\", \"putLatency -s pscw\",\n"
    "                \"putLatency -s fence\", \"getLatency -s flush\", \"getLatency -s lock\", \"accumulateLatency -s flush\",\n"
    "                \"pingPong\"] },\n"
    "    \"words\": { \"conf\": \"pairs\", \"sizes\": 8, \"minRepeats\": 40, \"maxDuration\": 0.02, \"confidence\": 0,\n"
    "      \"tests\": [\"fetchAndOpLatency -s flush\", \"lockRoundTrip\", \"pscwSkeleton\",\n"
    "                \"fenceSkeleton\", \"allreduceTrain\", \"barrier\"] },\n"
    "    \"ahead\": { \"conf\": \"pairs\", \"sizes\": [1, 2, 4], \"minRepeats\": 11, \"maxDuration\": 0,\n"
    "      \"tests\": \"epochsAhead\" },\n"
    "    \"room\": { \"conf\": \"pairs\", \"sizes\": [64, \"64K\"], \"minRepeats\": 11, \"maxDuration\": 0,\n"
    "      \"tests\": \"putsAhead\" },\n"
    "    \"group\": { \"conf\": \"three\", \"sizes\": 8, \"minRepeats\": 11, \"maxDuration\": 0, "
    "\"tests\": \"lateGroup\" },\n"
    "    \"again\": { \"conf\": \"pairs\", \"sizes\": 8, \"minRepeats\": 40, \"maxDuration\": 0.02, \"confidence\": 0,\n"
    "      \"tests\": \"pscwSkeleton\" },\n"
    "    \"pause\": { \"conf\": \"pairs\", \"sizes\": 10000, \"minRepeats\": 40, \"maxDuration\": 0.02, \"confidence\": 0,\n"
    "      \"tests\": \"putBehindPause\" } } }\n";

struct files {
    char self[CALIBRATE_PATH_BYTES], bench[CALIBRATE_PATH_BYTES], config[CALIBRATE_PATH_BYTES + 32];
    char results[CALIBRATE_PATH_BYTES + 32], measured[CALIBRATE_PATH_BYTES + 32], predicted[CALIBRATE_PATH_BYTES + 32];
};

static enum status name_files(const struct calibrate_run *run, int round, struct files *files, struct err *err)
{
    if (!realpath("/proc/self/exe", files->self))
        return err_set(err, STATUS_SYSTEM, "/proc/self/exe", NULL, "does not tell which program this is");
    snprintf(files->config, sizeof files->config, "%s/check.json", run->directory);
    snprintf(files->results, sizeof files->results, "%s/check-%d", run->directory, round);
    snprintf(files->measured, sizeof files->measured, "%s/check-%d.rma", run->directory, round);
    snprintf(files->predicted, sizeof files->predicted, "%s/predicted-%d.rma", run->directory, round);
    TRY(launcher_find_program(run->mpi == CALIBRATE_OPENMPI ? "rmacast-bench-openmpi" : "rmacast-bench",
                              "RMACAST_BENCH", files->bench, sizeof files->bench, err));
    FILE *out = fopen(files->config, "w");
    bool written = out && fputs(config, out) >= 0;
    if (out && fclose(out) != 0) written = false;
    return written ? STATUS_OK : err_set(err, STATUS_SYSTEM, files->config, NULL, "cannot be written");
}

static bool drop_line(void *context, const char *line)
{
    (void)context, (void)line;
    return false;
}

static enum status run_self(char *const *command, const char *last, const char *const *arguments, double limit_s, struct err *err)
{
    struct launcher_outcome outcome;
    TRY(launcher_run(command, last, arguments, limit_s, drop_line, NULL, &outcome, err));
    if (outcome.end == LAUNCHER_EXITED && outcome.exit_status == 0) return STATUS_OK;
    return err_set(err, STATUS_DATA, "--check", command[1], "ended %s%d, expected it to end with status 0",
                   outcome.end == LAUNCHER_EXITED ? "with status " : "early, status ", outcome.exit_status);
}

static enum status record_program(const struct calibrate_run *run, struct files *files, struct err *err)
{
    char *words[WORDS_MOST] = {files->self, "record", "-o", files->measured, "--"};
    const char *const arguments[] = {"--output", files->results, "--config", files->config, NULL};
    int count = 5;
    for (char *const *word = run->command; *word; word++) {
        if (count == WORDS_MOST - 1)
            return err_set(err, STATUS_USAGE, NULL, NULL, "--check: the launcher has more than %d words", WORDS_MOST - 6);
        words[count++] = *word;
    }
    return run_self(words, files->bench, arguments, run->limit_s, err);
}

static enum status replay_trace(const struct calibrate_run *run, struct files *files, const char *platform,
                                struct err *err)
{
    char *const words[] = {files->self, "simulate", files->measured, "--platform", NULL};
    const char *const arguments[] = {"--engine", "loggp", "-o", files->predicted, NULL};
    return run_self(words, platform, arguments, run->limit_s, err);
}

static enum status compare_rounds(const struct files *files, struct skeletons *skeletons, struct err *err)
{
    struct trace *measured, *predicted;
    TRY(trace_open(files->measured, &measured, err));
    enum status status = trace_open(files->predicted, &predicted, err);
    if (status == STATUS_OK) {
        status = skeletons_compare(measured, predicted, 0, skeletons, err);
        trace_free(predicted);
    }
    trace_free(measured);
    return status;
}

enum status calibrate_check_record(const struct calibrate_run *run, int round, struct err *err)
{
    struct files *files = calloc(1, sizeof *files);
    if (!files) return err_memory(err);
    enum status status = name_files(run, round, files, err);
    if (status == STATUS_OK) status = record_program(run, files, err);
    free(files);
    return status;
}

static enum status print_joined(const struct skeletons *rounds, int count, struct err *err)
{
    struct skeletons joined;
    TRY(skeletons_join(rounds, (size_t)count, &joined, err));
    skeletons_print(&joined, cli_table());
    skeletons_clear(&joined);
    return STATUS_OK;
}

enum status calibrate_check(const struct calibrate_run *run, const char *platform, int rounds, struct err *err)
{
    struct files *files = calloc(1, sizeof *files);
    struct skeletons *of_rounds = calloc((size_t)rounds, sizeof *of_rounds);
    enum status status = files && of_rounds ? STATUS_OK : err_memory(err);
    for (int i = 0; i < rounds && status == STATUS_OK; i++) {
        status = name_files(run, i, files, err);
        if (status == STATUS_OK) status = replay_trace(run, files, platform, err);
        if (status == STATUS_OK) status = compare_rounds(files, &of_rounds[i], err);
    }
    if (status == STATUS_OK) status = print_joined(of_rounds, rounds, err);
    for (int i = 0; of_rounds && i < rounds; i++) skeletons_clear(&of_rounds[i]);
    free(of_rounds);
    free(files);
    return status;
}
