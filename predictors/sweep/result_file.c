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
#include "common/files/place.h"
#include "common/search.h"
#include "predictors/sweep/digest.h"
#include "trace/limits.h"

static const char head[] = "{\"schema\":\"rmacast.sweep/1\",\"points\":[\n";

/* --- writing --- */

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
    fprintf(out, "],\"engine\":\"%s\",\"count\":%zu,\"done\":%zu,\"failed\":%zu}\n", sweep->config.engine->name, sweep->count,
            sweep->done, sweep->failed);
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

char *result_file_seal(const char *line, size_t length)
{
    char *inside = strndup(line, length - 1), *sealed = NULL;
    uint64_t sum = DIGEST_BEGIN;
    if (!inside) return NULL;
    digest_add_text(&sum, inside);
    if (asprintf(&sealed, "%s,\"sum\":\"%016" PRIx64 "\"}", inside, sum) < 0) sealed = NULL;
    free(inside);
    return sealed;
}

/* --- reading --- */

enum { SUM_BYTES = sizeof ",\"sum\":\"0123456789abcdef\"" - 1 };

/* A point that was done. */
struct earlier {
    uint64_t inputs;
    size_t number; /* of its line */
    char *line;    /* owned until it is taken */
};
struct earlier_points {
    struct earlier *items;
    size_t count, capacity;
};

ORDER(by_inputs, struct earlier, UP(inputs))

ORDER(by_inputs_and_number, struct earlier, UP(inputs) UP(number))

static void note_damage(struct sweep *sweep, size_t number)
{
    if (sweep->damaged++ == 0 || number < sweep->damaged_line) sweep->damaged_line = number;
}

/* Whether the line is one that result_file_seal() has made. */
static enum status check_sum(const char *line, size_t length, bool *whole, struct err *err)
{
    *whole = false;
    if (length <= SUM_BYTES + 2 || strlen(line) != length) return STATUS_OK;
    char *sealed = result_file_seal(line, length - SUM_BYTES);
    if (!sealed) return err_memory(err);
    *whole = strcmp(sealed, line) == 0;
    free(sealed);
    return STATUS_OK;
}

/* Adds the point of a whole line, if it was done. */
static enum status add_line(const char *line, size_t number, struct earlier_points *points, struct err *err)
{
    struct json_document document;
    struct earlier point = {.number = number};
    const char *inputs, *state;
    TRY(json_parse(line, "the point", &document, err));
    struct json_node root = json_root(&document), digest = json_member(&root, "inputs"), end = json_member(&root, "state");
    enum status status = json_string(&digest, &inputs, err);
    if (status == STATUS_OK) status = json_string(&end, &state, err);
    bool done = status == STATUS_OK && strcmp(state, "done") == 0 && sscanf(inputs, "%16" SCNx64, &point.inputs) == 1;
    json_close(&document);
    if (!done) return status;
    TRY(array_reserve((void **)&points->items, &points->capacity, points->count + 1, sizeof point, err));
    point.line = strdup(line);
    if (!point.line) return err_memory(err);
    points->items[points->count++] = point;
    return STATUS_OK;
}

/* Lines of points up to the end, or up to where the file breaks off. */
static enum status read_points(struct input_file *in, struct sweep *sweep, struct earlier_points *points, bool *cut,
                               struct err *err)
{
    size_t number = 1;
    enum status status = STATUS_OK;
    *cut = true;
    for (char *line; status == STATUS_OK && (line = input_file_line(in)) != NULL && line[in->length - 1] == '\n';) {
        bool whole = false, behind_end = !*cut;
        size_t length = in->length;
        number++;
        line[--length] = '\0';
        *cut = *cut && *line != ']';
        if (!*cut && !behind_end) continue;
        if (length > 0 && line[length - 1] == ',') line[--length] = '\0';
        status = check_sum(line, length, &whole, err);
        if (status == STATUS_OK && whole) status = add_line(line, number, points, err);
        if (!whole || status == STATUS_DATA) note_damage(sweep, number);
        if (status == STATUS_DATA) status = STATUS_OK;
    }
    return status;
}

/* An empty file, or one that breaks off in its head, has no points. */
static enum status read_file(const char *file, struct sweep *sweep, struct earlier_points *points, bool *cut, struct err *err)
{
    char text[sizeof head] = "";
    struct input_file in;
    *cut = false;
    bool there;
    TRY(place_look(file, &there, err));
    if (!there) return STATUS_OK;
    TRY(input_file_open_own(file, &in, err)); /* which is continued */
    size_t length = input_file_read(&in, text, sizeof head - 1);
    enum status status = STATUS_OK;
    if (strncmp(text, head, length) != 0)
        status = err_set(err, STATUS_DATA, file, NULL, "is no result of a sweep, expected one to continue, or no file");
    else if (length < sizeof head - 1)
        *cut = true;
    else
        status = read_points(&in, sweep, points, cut, err);
    return input_file_close(&in, status, err);
}

static enum status check_numbers(const struct json_node *root, const char *key, double low, double high, struct err *err)
{
    struct json_node numbers = json_member(root, key);
    double value;
    TRY(json_object(&numbers, err));
    for (const cJSON *item = numbers.item->child; item; item = item->next) {
        struct json_node number = json_member(&numbers, item->string);
        TRY(json_number(&number, low, high, &value, err));
    }
    return STATUS_OK;
}

/* A point that was done has its place on the axes, and numbers that a simulation can give. */
static enum status check_point(const struct sweep *sweep, size_t point, const struct json_node *root, struct err *err)
{
    struct json_node ranks = json_member(root, "ranks");
    const int64_t asked = sweep_value_of(&sweep->config, point, SWEEP_RANKS)->ranks;
    int64_t count;
    bool same = true;
    struct sweep_figures figures;
    TRY(json_integer(&ranks, asked > 0 ? asked : 1, asked > 0 ? asked : TRACE_RANKS_MAX, &count, err));
    cJSON *expected = sweep_point_json(sweep, point, (uint32_t)count);
    if (!expected) return err_memory(err);
    for (const cJSON *item = expected->child; item; item = item->next)
        same = same && cJSON_Compare(item, cJSON_GetObjectItemCaseSensitive(root->item, item->string), true);
    cJSON_Delete(expected);
    if (!same) return json_error(root, err, "is another point");
    memset(&figures, 0, sizeof figures);
    enum status status = fields_read(sweep_figures_fields, root, 0, &figures, err);
    fields_clear(sweep_figures_fields, &figures);
    TRY(status);
    TRY(check_numbers(root, "wait_states_s", 0, SWEEP_MOST_S * (double)count, err));
    return check_numbers(root, "properties", -SWEEP_MOST_S * (double)count, SWEEP_MOST_S * (double)count, err);
}

static enum status take_point(struct sweep *sweep, size_t point, struct earlier *found, struct err *err)
{
    struct json_document document;
    TRY(json_parse(found->line, "the point", &document, err));
    struct json_node root = json_root(&document);
    enum status status = check_point(sweep, point, &root, err);
    json_close(&document);
    if (status == STATUS_DATA) {
        note_damage(sweep, found->number);
        return STATUS_OK;
    }
    TRY(status);
    sweep->points[point].line = found->line;
    sweep->points[point].state = SWEEP_DONE;
    sweep->done++;
    sweep->taken++;
    found->line = NULL;
    return STATUS_OK;
}

/* The file is written anew with the points of this sweep: it may have no others. */
static enum status take_points(struct sweep *sweep, const char *file, struct earlier_points *points, struct err *err)
{
    size_t known = 0;
    if (points->count > 0) qsort(points->items, points->count, sizeof *points->items, by_inputs_and_number);
    for (size_t i = 0; i < sweep->count && points->count > 0; i++) {
        struct earlier key = {.inputs = sweep->points[i].inputs};
        const struct earlier *end = points->items + points->count;
        struct earlier *found = bsearch(&key, points->items, points->count, sizeof key, by_inputs);
        while (found && found > points->items && found[-1].inputs == key.inputs) found--;
        for (; found && found < end && found->inputs == key.inputs; found++, known++)
            if (!sweep->points[i].line) TRY(take_point(sweep, i, found, err));
    }
    if (known == points->count) return STATUS_OK;
    return err_set(err, STATUS_DATA, file, NULL,
                   "%zu of its %zu points are none of this sweep's: the configuration lacks them, or a trace, a platform or "
                   "the program has changed since; expected a file of this sweep, or a new one",
                   points->count - known, points->count);
}

static enum status lock_file(int descriptor, const char *file, struct err *err)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return STATUS_OK;
    if (errno == EWOULDBLOCK) return err_set(err, STATUS_DATA, file, NULL, "is written by another sweep");
    return err_set(err, STATUS_SYSTEM, file, NULL, "cannot be locked: %s", strerror(errno));
}

/* What is no file that can be read is refused by read_file(). */
static enum status check_unlocked(const char *file, struct err *err)
{
    struct input_file in;
    if (input_file_open_own(file, &in, NULL) != STATUS_OK) return STATUS_OK;
    enum status status = lock_file(fileno(in.file), file, err);
    return input_file_close(&in, status, err);
}

enum status sweep_keep(struct sweep *sweep, const char *file, bool *cut, struct err *err)
{
    struct earlier_points points = {.count = 0};
    enum status status = check_unlocked(file, err);
    if (status == STATUS_OK) status = read_file(file, sweep, &points, cut, err);
    if (status == STATUS_OK) status = take_points(sweep, file, &points, err);
    for (size_t i = 0; i < points.count; i++) free(points.items[i].line);
    free(points.items);
    TRY(status);
    sweep->kept = strdup(file);
    if (!sweep->kept) return err_memory(err);
    TRY(write_whole(sweep, false, err));
    /* Locks the file that has the name now, since write_whole() has replaced the old one. */
    sweep->kept_fd = open(sweep->kept, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (sweep->kept_fd < 0) return err_set(err, STATUS_SYSTEM, sweep->kept, NULL, "cannot be written: %s", strerror(errno));
    return lock_file(sweep->kept_fd, sweep->kept, err);
}
