/* And sweep_keep(), sweep_end(), sweep_write() of predictors/sweep/sweep.h. */
#include "predictors/sweep/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/array.h"
#include "common/files/input_file.h"
#include "common/files/output_file.h"

static const char head[] = "{\"schema\":\"rmacast.sweep/1\",\"points\":[\n";

/* --- writing --- */

static void write_end(const struct sweep *sweep, FILE *out)
{
    fprintf(out, "],\"engine\":\"%s\",\"count\":%zu,\"done\":%zu,\"failed\":%zu}\n", sweep->config.engine->name,
            sweep->count, sweep->done, sweep->failed);
}

/* Points that have ended; each but the last, or each, has a comma. */
static void write_points(const struct sweep *sweep, bool all_commas, FILE *out)
{
    size_t written = 0, ended = sweep->done + sweep->failed;
    fputs(head, out);
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->points[i].line)
            fprintf(out, "%s%s\n", sweep->points[i].line, ++written < ended || all_commas ? "," : "");
}

void sweep_write(const struct sweep *sweep, FILE *out)
{
    write_points(sweep, false, out);
    write_end(sweep, out);
}

static enum status write_whole(const struct sweep *sweep, bool ended, struct err *err)
{
    FILE *out;
    TRY(output_file_open_again(sweep->kept, &out, err));
    if (ended)
        sweep_write(sweep, out);
    else
        write_points(sweep, true, out);
    return output_file_close(sweep->kept, out, STATUS_OK, err);
}

enum status sweep_end(struct sweep *sweep, struct err *err)
{
    return sweep->kept ? write_whole(sweep, true, err) : STATUS_OK;
}

enum status result_file_append(struct sweep *sweep, const char *line, struct err *err)
{
    if (sweep->kept_fd < 0) return STATUS_OK;
    int written = dprintf(sweep->kept_fd, "%s,\n", line);
    if (written >= 0) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, sweep->kept, NULL, "cannot be written: %s", strerror(errno));
}

/* --- reading --- */

struct earlier {
    uint64_t inputs;
    char *line; /* owned until it is taken */
};
struct earlier_points {
    struct earlier *items;
    size_t count, capacity;
};

static int by_inputs(const void *a, const void *b)
{
    uint64_t left = ((const struct earlier *)a)->inputs, right = ((const struct earlier *)b)->inputs;
    return left < right ? -1 : left > right;
}

/* The digest of a point that was done; false if it was not done, or the line is no point. */
static bool is_done(const char *line, uint64_t *inputs)
{
    cJSON *json = cJSON_ParseWithOpts(line, NULL, 1);
    const char *digest = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "inputs"));
    const char *state = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "state"));
    bool done = digest && state && strcmp(state, "done") == 0 && sscanf(digest, "%16" SCNx64, inputs) == 1 &&
                cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(json, "run_time_s"));
    cJSON_Delete(json);
    return done;
}

/* Lines of points up to the end, or up to where the file breaks off. */
static enum status read_points(struct input_file *in, struct earlier_points *points, bool *cut, struct err *err)
{
    enum status status = STATUS_OK;
    *cut = true;
    for (char *line; status == STATUS_OK && (line = input_file_line(in)) != NULL;) {
        struct earlier point;
        size_t length = in->length;
        if (line[length - 1] != '\n') break;
        if (*line == ']') {
            *cut = false;
            break;
        }
        line[length - 1] = '\0';
        if (length > 1 && line[length - 2] == ',') line[length - 2] = '\0';
        if (!is_done(line, &point.inputs)) continue;
        point.line = strdup(line);
        status = point.line
                     ? array_reserve((void **)&points->items, &points->capacity, points->count + 1, sizeof point, err)
                     : err_memory(err);
        if (status == STATUS_OK)
            points->items[points->count++] = point;
        else
            free(point.line);
    }
    return status;
}

/* An empty file, or one that breaks off in its head, has no points. */
static enum status read_file(const char *file, struct earlier_points *points, bool *cut, struct err *err)
{
    char text[sizeof head] = "";
    struct input_file in;
    *cut = false;
    if (access(file, F_OK) != 0 && errno == ENOENT) return STATUS_OK;
    TRY(input_file_open_own(file, &in, err)); /* which is continued */
    size_t length = input_file_read(&in, text, sizeof head - 1);
    enum status status = STATUS_OK;
    if (strncmp(text, head, length) != 0)
        status = err_set(err, STATUS_DATA, file, NULL, "is no result of a sweep, expected one to continue, or no file");
    else if (length < sizeof head - 1)
        *cut = true;
    else
        status = read_points(&in, points, cut, err);
    return input_file_close(&in, status, err);
}

/* The file is written anew with the points of this sweep: it may have no others. */
static enum status take_points(struct sweep *sweep, const char *file, struct earlier_points *points, struct err *err)
{
    if (points->count > 0) qsort(points->items, points->count, sizeof *points->items, by_inputs);
    for (size_t i = 0; i < sweep->count && points->count > 0; i++) {
        struct earlier key = {.inputs = sweep->points[i].inputs};
        struct earlier *found = bsearch(&key, points->items, points->count, sizeof key, by_inputs);
        if (!found || !found->line) continue;
        sweep->points[i].line = found->line;
        sweep->points[i].state = SWEEP_DONE;
        sweep->done++;
        sweep->taken++;
        found->line = NULL;
    }
    if (sweep->taken == points->count) return STATUS_OK;
    return err_set(err, STATUS_DATA, file, NULL,
                   "%zu of its %zu points are none of this sweep's: the configuration lacks them, or a trace, a platform or "
                   "the program has changed since; expected a file of this sweep, or a new one",
                   points->count - sweep->taken, points->count);
}

/* Locks the file that has the name now, since write_whole() has replaced the old one. */
static enum status open_appending(struct sweep *sweep, struct err *err)
{
    sweep->kept_fd = open(sweep->kept, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (sweep->kept_fd < 0)
        return err_set(err, STATUS_SYSTEM, sweep->kept, NULL, "cannot be written: %s", strerror(errno));
    if (flock(sweep->kept_fd, LOCK_EX | LOCK_NB) == 0) return STATUS_OK;
    return err_set(err, STATUS_DATA, sweep->kept, NULL, "is written by another sweep");
}

static enum status check_unlocked(const char *file, struct err *err)
{
    struct input_file in;
    if (input_file_open_own(file, &in, NULL) != STATUS_OK) return STATUS_OK;
    bool locked = flock(fileno(in.file), LOCK_EX | LOCK_NB) != 0;
    (void)!input_file_close(&in, STATUS_OK, NULL);
    return locked ? err_set(err, STATUS_DATA, file, NULL, "is written by another sweep") : STATUS_OK;
}

enum status sweep_keep(struct sweep *sweep, const char *file, bool *cut, struct err *err)
{
    struct earlier_points points = {.count = 0};
    enum status status = check_unlocked(file, err);
    if (status == STATUS_OK) status = read_file(file, &points, cut, err);
    if (status == STATUS_OK) status = take_points(sweep, file, &points, err);
    for (size_t i = 0; i < points.count; i++) free(points.items[i].line);
    free(points.items);
    TRY(status);
    sweep->kept = strdup(file);
    if (!sweep->kept) return err_memory(err);
    TRY(write_whole(sweep, false, err));
    return open_appending(sweep, err);
}
