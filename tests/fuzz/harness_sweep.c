/* Sweeps: their configurations, the points of small ones, and the results that they keep and continue, damaged between.
 * Parts (parts.h): "c.json", the configuration, and what it names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predictors/sweep/run.h"
#include "predictors/sweep/table.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_text.h"
#include "tests/fuzz/oracle.h"
#include "tests/fuzz/parts.h"
#include "trace/open.h"

enum { PATH_BYTES = 128, POINTS_RUN = 12, RANKS_RUN = 32, POINTS_ASKED = 1000, KEPT_BYTES = 1 << 20 };

static const char *path_in(const char *place, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", place, name);
    return path;
}

static size_t read_whole(const char *path, char *text, size_t room)
{
    FILE *in = fopen(path, "r");
    size_t size = in ? fread(text, 1, room - 1, in) : 0;
    if (in) fclose(in);
    text[size] = '\0';
    return size;
}

static void write_whole(const char *path, const char *text, size_t size)
{
    FILE *out = fopen(path, "w");
    if (!out || fwrite(text, 1, size, out) != size) abort();
    fclose(out);
}

/* --- points --- */

static void check_points(const struct sweep *sweep)
{
    size_t count = 1;
    for (enum sweep_axis axis = 0; axis < SWEEP_AXES; axis++) count *= sweep->config.axes[axis].count;
    if (count != sweep->count || count == 0) fuzz_finding("%zu points, expected %zu", sweep->count, count);
    for (size_t i = 0; i < count && i < POINTS_ASKED; i++) {
        for (size_t k = 0; k < i && count < 50; k++)
            if (sweep->points[i].inputs == sweep->points[k].inputs)
                fuzz_finding("points %zu and %zu have one digest", i, k);
        cJSON *json = sweep_point_json(sweep, i, 2);
        char *text = cJSON_PrintUnformatted(json);
        cJSON *again = cJSON_Parse(text);
        if (!again || strchr(text, '\n')) fuzz_finding("a point is no JSON on a line: %s", text);
        cJSON_Delete(again);
        cJSON_Delete(json);
        free(text);
    }
}

static void check_line(const char *line)
{
    cJSON *json = cJSON_Parse(line), *item;
    const cJSON *run_s = cJSON_GetObjectItem(json, "run_time_s");
    if (!json || strchr(line, '\n')) fuzz_finding("a point's line is no JSON: %s", line);
    if (!run_s || !(run_s->valuedouble >= 0) || !isfinite(run_s->valuedouble))
        fuzz_finding("a run time that is none: %s", line);
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(json, "wait_states_s")) if (!(item->valuedouble >= 0) ||
                                                                             !isfinite(item->valuedouble))
        fuzz_finding("a wait of %g s: %s", item->valuedouble, line);
    cJSON_Delete(json);
}

/* Runs the points that are left in this process. */
static void run_points(struct sweep *sweep, const struct sweep_input *input)
{
    struct err err, why;
    size_t point;
    while (sweep_next(sweep, 0, 1, &point)) {
        struct sweep_one one = {input, point};
        char *line = NULL;
        size_t size;
        FILE *out = open_memstream(&line, &size);
        if (!out) abort();
        enum status status = sweep_run_one(&one, 0, out, &why);
        fclose(out);
        fuzz_check_error("sweep_run_one", status == STATUS_USAGE ? STATUS_DATA : status, &why);
        if (status == STATUS_OK) check_line(line);
        if (sweep_answer(sweep, point, status == STATUS_OK ? line : NULL, status == STATUS_OK ? NULL : why.text,
                         &err) != STATUS_OK)
            fuzz_finding("an answer is not taken: %s", err.text);
        free(line);
    }
    if (!sweep_finished(sweep))
        fuzz_finding("a sweep ends with %zu of %zu points", sweep->done + sweep->failed, sweep->count);
}

static void check_outputs(const struct sweep *sweep)
{
    char *text = NULL;
    size_t size;
    struct err err;
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    sweep_write(sweep, out);
    fclose(out);
    cJSON *json = cJSON_Parse(text);
    if (cJSON_GetArraySize(cJSON_GetObjectItem(json, "points")) != (int)sweep->count)
        fuzz_finding("a sweep of %zu points is written as: %s", sweep->count, text);
    cJSON_Delete(json);
    free(text);
    if (sweep_print(sweep, oracle_nowhere(), &err) != STATUS_OK) fuzz_finding("print: %s", err.text);
    if (sweep_write_csv(sweep, oracle_nowhere(), &err) != STATUS_OK) fuzz_finding("csv: %s", err.text);
}

/* --- results that are kept --- */

static size_t damage(char *text, size_t size)
{
    static const char *const lines[] = {"{}", "],\"engine\":\"loggp\",\"count\":1,\"done\":1,\"failed\":0}",
                                        "{\"state\":\"done\"},", "null,"};
    struct random random = fuzz_random();
    uint8_t *data = (uint8_t *)text;
    switch (random_below(&random, 5)) {
    case 0: return random_below(&random, (uint32_t)size + 1);
    case 1: return mutate_bytes(&random, data, size, KEPT_BYTES - 1);
    case 2: return mutate_splice(&random, data, size, (const uint8_t *)lines[1], strlen(lines[1]), KEPT_BYTES - 1);
    case 3: {
        size_t at = random_below(&random, (uint32_t)size + 1);
        return at + mutate_any(&random, lines, sizeof lines / sizeof *lines, data + at, size - at, KEPT_BYTES - 1 - at);
    }
    default: return mutate_digits(&random, data, size, KEPT_BYTES - 1);
    }
}

/* The sweep goes on from its damaged file: what it takes is what was written, and in the end the file is as it was. */
static void check_continued(const char *config, const char *kept, const struct sweep *whole,
                            const struct sweep_input *input)
{
    static char before[KEPT_BYTES], after[KEPT_BYTES];
    struct sweep sweep;
    struct sweep_input again = *input;
    struct err err;
    bool cut;
    size_t size = read_whole(kept, before, sizeof before);
    memcpy(after, before, size);
    write_whole(kept, after, damage(after, size));
    if (sweep_open(config, &sweep, &err) != STATUS_OK) fuzz_finding("a sweep opens once only: %s", err.text);
    enum status status = sweep_keep(&sweep, kept, &cut, &err);
    fuzz_check_error("sweep_keep", status, &err);
    for (size_t i = 0; status == STATUS_OK && i < sweep.count; i++)
        if (sweep.points[i].state == SWEEP_DONE &&
            (!whole->points[i].line || strcmp(sweep.points[i].line, whole->points[i].line) != 0))
            fuzz_finding("a line of a result that is kept is taken and is not the one that was written to it for this "
                         "point: '%s' for '%s'",
                         sweep.points[i].line, whole->points[i].line);
    again.sweep = &sweep;
    if (status == STATUS_OK) {
        run_points(&sweep, &again);
        if (sweep_end(&sweep, &err) != STATUS_OK) fuzz_finding("sweep_end: %s", err.text);
        if (read_whole(kept, after, sizeof after) != size || memcmp(before, after, size) != 0)
            fuzz_finding("a sweep that goes on ends as '%s', expected '%s'", after, before);
    }
    sweep_close(&sweep);
}

/* rmacast makes the same file. */
static void check_command(const char *place, const char *config, const char *kept)
{
    static char ours[KEPT_BYTES], theirs[KEPT_BYTES], said[COMMAND_SAID_BYTES];
    char other[PATH_BYTES], csv[PATH_BYTES];
    char *words[] = {(char *)command_program, "sweep", (char *)config, "-j", "1", "-o", other, "--csv", csv, NULL};
    path_in(place, "csv", csv);
    path_in(place, "other", other);
    command_check_end(command_run(place, words, said), said, "sweep");
    read_whole(kept, ours, sizeof ours);
    read_whole(other, theirs, sizeof theirs);
    if (strcmp(ours, theirs) != 0) fuzz_finding("rmacast sweep makes '%s', expected '%s': %s", theirs, ours, said);
}

static void check_small(const char *place, const char *config, struct sweep *sweep)
{
    char kept[PATH_BYTES];
    struct sweep_input input;
    struct err err;
    bool cut;
    enum status status = sweep_input_open(sweep, &input, &err);
    fuzz_check_error("sweep_input_open", status, &err);
    if (status != STATUS_OK) return;
    if (sweep_keep(sweep, path_in(place, "kept", kept), &cut, &err) != STATUS_OK)
        fuzz_finding("sweep_keep: %s", err.text);
    run_points(sweep, &input);
    check_outputs(sweep);
    if (sweep_end(sweep, &err) != STATUS_OK) fuzz_finding("sweep_end: %s", err.text);
    if (fuzz_once_in(1000)) check_command(place, config, kept);
    check_continued(config, kept, sweep, &input);
    sweep_input_close(&input);
}

/* More only costs time. */
static bool is_small(const struct sweep *sweep)
{
    const struct sweep_values *ranks = &sweep->config.axes[SWEEP_RANKS];
    bool small = sweep->count <= POINTS_RUN && !sweep->config.engine->once_per_process;
    for (size_t i = 0; small && i < ranks->count; i++)
        small = ranks->items[i].ranks <= RANKS_RUN &&
                (!sweep->config.model || model_is_short(sweep->config.traces[0], ranks->items[i].ranks));
    return small;
}

static void check_refused(const char *place, const char *config, enum status status, const struct err *err)
{
    char *words[] = {(char *)command_program, "sweep", (char *)config, NULL};
    if (fuzz_once_in(1000)) command_check_same(place, words, status, err);
}

static void run(const uint8_t *data, size_t size)
{
    char place[64], config[PATH_BYTES];
    struct part parts[PARTS_MAX];
    struct sweep sweep;
    struct err err;
    parts_place(data, size, parts, place, sizeof place);
    trace_open_models_at(0); /* as in a new process */
    enum status status = sweep_open(path_in(place, "c.json", config), &sweep, &err);
    fuzz_check_error("sweep_open", status, &err);
    if (status == STATUS_OK) {
        check_points(&sweep);
        if (is_small(&sweep)) check_small(place, config, &sweep);
        sweep_close(&sweep);
    } else
        check_refused(place, config, status, &err);
    fuzz_remove(place);
}

static size_t mutate(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const lines[] = {
        "\"ranks\": [1, 2, 4],",
        "\"ranks\": [1e308],",
        "\"platforms\": [\"ideal\", \"p.json\"],",
        "\"platforms\": [{\"file\": \"p.json\", \"name\": \"\", \"set\": {\"network.latency_s\": 1e-320}}],",
        "\"mappings\": [{\"ranks\": [0, 0]}, {\"round_robin\": true}, \"platform\"],",
        "\"transforms\": [\"none\", \"post-early+put=rput\", \"scale:/=0.5\"],",
        "\"semantics\": [\"a\", \"c\", \"a+lock=blocking\"],",
        "\"keep_going\": true,",
        "\"grow\": true,",
        "\"seed\": 2147483647,",
        "\"engine\": \"loggp\","};
    if (random_chance(random, 30)) return mutate_digits(random, data, size, room);
    if (random_chance(random, 20)) return mutate_any(random, lines, sizeof lines / sizeof *lines, data, size, room);
    return parts_mutate(random, lines, sizeof lines / sizeof *lines, data, size, room);
}

const struct fuzz_harness harness_sweep = {
    .name = "sweep",
    .summary = "sweeps: configurations, points, results that are kept, damaged and continued",
    .run = run,
    .mutate = mutate,
    .splices = true,
};
