#include "predictors/sweep/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/files/place.h"
#include "common/json/field_rows.h"
#include "common/json/json_write.h"
#include "model/result/result_fields.h"
#include "platforms/platform.h"
#include "platforms/profile.h"
#include "predictors/sweep/digest.h"
#include "predictors/sweep/result_file.h"
#include "trace/open.h"

enum { POINTS_MAX = 1000000 };

/* --- the points --- */

/* The distance in points of two neighbours on this axis. */
static size_t axis_stride(const struct sweep_config *config, enum sweep_axis axis)
{
    size_t points = 1;
    for (enum sweep_axis i = axis + 1; i < SWEEP_AXES; i++) points *= config->axes[i].count;
    return points;
}

const struct sweep_value *sweep_value_of(const struct sweep_config *config, size_t point, enum sweep_axis axis)
{
    const struct sweep_values *values = &config->axes[axis];
    return &values->items[point / axis_stride(config, axis) % values->count];
}

struct point_row {
    uint32_t ranks; /* 0: not known */
    const char *axes[SWEEP_AXES];
    char inputs[24];
};

static const char *name_state(int failed)
{
    return failed ? "failed" : "done";
}

#define S struct sweep_figures
const struct field sweep_figures_fields[] = {
    SAME(run_time_s, .most = SWEEP_MOST_S), SAME(transfers, .most = 0x1p53), SAME(bytes), SAME(incomplete),
    NAMED("wait_states_s", waits_s, name_pattern, LEFT_OUT), NAMED("properties", properties_s, name_property, LEFT_OUT, SIGNED),
    INLINE(NULL, error, uncertainty_fields), TEXTS("notes", notes, note_count, OPTIONAL), {0}};
#undef S
#define S struct point_row
static const struct field axes_fields[] = {SAME(ranks, IF_POSITIVE), FIELD("platform", axes[SWEEP_PLATFORMS]),
                                           FIELD("mapping", axes[SWEEP_MAPPINGS]), FIELD("transforms", axes[SWEEP_TRANSFORMS]),
                                           FIELD("semantics", axes[SWEEP_SEMANTICS]), SAME(inputs), {0}};
/* The members behind them are written one by one (run.c, result_file.c). */
static const struct field point_fields[] = {
    {.kind = FIELD_INLINE, .rows = axes_fields}, {.key = "state", .kind = FIELD_BOOL, .name = name_state},
    {.key = "reason", .kind = FIELD_TEXT, LEFT_OUT}, {.kind = FIELD_INLINE, .rows = sweep_figures_fields, LEFT_OUT},
    {.key = "sum", .kind = FIELD_TEXT}, {0}};
#undef S
#define S struct sweep
const struct field sweep_fields[] = {SCHEMA("rmacast.sweep/1"), ARRAY("points", points, count, point_fields),
                                     {.key = "engine", .kind = FIELD_TEXT}, SAME(count), SAME(done), SAME(failed), {0}};
#undef S

cJSON *sweep_point_json(const struct sweep *sweep, size_t point, uint32_t ranks)
{
    struct point_row place = {.ranks = ranks};
    cJSON *json;
    for (enum sweep_axis axis = SWEEP_PLATFORMS; axis < SWEEP_AXES; axis++)
        place.axes[axis] = sweep_value_of(&sweep->config, point, axis)->name;
    snprintf(place.inputs, sizeof place.inputs, "%016" PRIx64, sweep->points[point].inputs);
    return fields_to_json(axes_fields, &place, 0, &json, NULL) == STATUS_OK ? json : NULL;
}

/* --- digests --- */

static enum status add_file(void *digest, const char *path, bool directory, struct err *err)
{
    if (directory) return digest_add_directory(digest, path, err);
    bool there;
    TRY(place_look(path, &there, err));
    return there ? digest_add_file(digest, path, err) : STATUS_OK;
}

static enum status add_traces(const struct sweep_config *config, uint64_t *digest, struct err *err)
{
    for (size_t i = 0; i < config->trace_count; i++) {
        TRY(digest_add_path(digest, config->traces[i], err));
        TRY(trace_visit_read(config->traces[i], add_file, digest, err));
    }
    return STATUS_OK;
}

static void add_value(uint64_t *digest, const struct sweep_value *value)
{
    digest_add_text(digest, value->name);
    for (size_t i = 0; i < value->count; i++) digest_add_text(digest, value->texts[i]);
}

/* The platform's file and those that it names. */
static enum status add_platform(const struct sweep_value *value, uint64_t *digest, struct err *err)
{
    struct platform *platform;
    char profile[PROFILE_PATH_BYTES];
    add_value(digest, value);
    digest_add_number(digest, strcmp(value->file, "ideal") == 0);
    TRY(platform_open(value->file, (const char *const *)value->texts, value->count, &platform, err));
    enum status status = strcmp(value->file, "ideal") == 0 ? STATUS_OK : digest_add_file(digest, value->file, err);
    if (status == STATUS_OK && platform->simgrid_xml) status = digest_add_file(digest, platform->simgrid_xml, err);
    if (status == STATUS_OK && platform->profile) status = profile_find(platform->profile, value->file, profile, err);
    if (status == STATUS_OK && platform->profile) status = digest_add_file(digest, profile, err);
    platform_free(platform);
    return status;
}

/* A platform that cannot be opened is the configuration's fault. */
static enum status check_platforms(struct sweep *sweep, uint64_t *digests, struct err *err)
{
    const struct sweep_values *values = &sweep->config.axes[SWEEP_PLATFORMS];
    for (size_t i = 0; i < values->count; i++) {
        char place[32];
        struct err why;
        digests[i] = DIGEST_BEGIN;
        if (add_platform(&values->items[i], &digests[i], &why) == STATUS_OK) continue;
        snprintf(place, sizeof place, "platforms[%zu]", i);
        return err_set(err, why.status == STATUS_USAGE ? STATUS_DATA : why.status, sweep->config.file, place, "%s",
                       why.text);
    }
    return STATUS_OK;
}

static uint64_t point_digest(const struct sweep *sweep, size_t point, uint64_t traces, const uint64_t *platforms)
{
    const struct sweep_config *config = &sweep->config;
    uint64_t digest = traces;
    char memory_bound[32];
    digest_add_text(&digest, RMACAST_VERSION);
    digest_add_text(&digest, config->engine->name);
    digest_add_text(&digest, config->keep_going ? "keep_going" : "");
    digest_add_text(&digest, config->grow ? "grow" : "");
    digest_add_number(&digest, config->seed);
    snprintf(memory_bound, sizeof memory_bound, "%.17g", config->memory_bound);
    digest_add_text(&digest, memory_bound);
    digest_add_number(&digest,
                      platforms[point / axis_stride(config, SWEEP_PLATFORMS) % config->axes[SWEEP_PLATFORMS].count]);
    for (enum sweep_axis axis = 0; axis < SWEEP_AXES; axis++)
        if (axis != SWEEP_PLATFORMS) add_value(&digest, sweep_value_of(config, point, axis));
    return digest;
}

static enum status make_points(struct sweep *sweep, struct err *err)
{
    uint64_t traces = DIGEST_BEGIN, *platforms = calloc(sweep->config.axes[SWEEP_PLATFORMS].count, sizeof *platforms);
    sweep->points = calloc(sweep->count, sizeof *sweep->points);
    enum status status = sweep->points && platforms ? check_platforms(sweep, platforms, err) : err_memory(err);
    if (status == STATUS_OK) status = add_traces(&sweep->config, &traces, err);
    for (size_t i = 0; status == STATUS_OK && i < sweep->count; i++)
        sweep->points[i].inputs = point_digest(sweep, i, traces, platforms);
    free(platforms);
    return status;
}

static enum status count_points(struct sweep *sweep, struct err *err)
{
    sweep->count = 1;
    for (enum sweep_axis axis = 0; axis < SWEEP_AXES; axis++) {
        sweep->count *= sweep->config.axes[axis].count;
        if (sweep->count > POINTS_MAX)
            return err_set(err, STATUS_DATA, sweep->config.file, NULL, "more than %d points, expected fewer values",
                           POINTS_MAX);
    }
    return STATUS_OK;
}

enum status sweep_open(const char *config, struct sweep *sweep, struct err *err)
{
    *sweep = (struct sweep){.kept_fd = -1};
    TRY(sweep_config_read(config, &sweep->config, err));
    enum status status = count_points(sweep, err);
    if (status == STATUS_OK) status = make_points(sweep, err);
    if (status != STATUS_OK) sweep_close(sweep);
    return status;
}

void sweep_close(struct sweep *sweep)
{
    for (size_t i = 0; sweep->points && i < sweep->count; i++) free(sweep->points[i].line);
    free(sweep->points);
    if (sweep->kept_fd >= 0) close(sweep->kept_fd);
    free(sweep->kept);
    sweep_config_clear(&sweep->config);
    *sweep = (struct sweep){.kept_fd = -1};
}

/* --- which one is next --- */

static bool next_again(struct sweep *sweep, size_t worker, size_t workers, size_t *point)
{
    for (size_t i = 0; sweep->failed_once > 0 && i < sweep->count; i++) {
        if (sweep->points[i].state != SWEEP_FAILED_ONCE || (workers > 1 && sweep->points[i].worker == worker)) continue;
        sweep->failed_once--;
        *point = i;
        return true;
    }
    return false;
}

bool sweep_next(struct sweep *sweep, size_t worker, size_t workers, size_t *point)
{
    size_t *first = &sweep->first_waiting;
    while (*first < sweep->count && sweep->points[*first].state != SWEEP_WAITING) ++*first;
    bool again = *first == sweep->count;
    if (!again)
        *point = *first;
    else if (!next_again(sweep, worker, workers, point))
        return false;
    struct sweep_point *given = &sweep->points[*point];
    given->state = SWEEP_RUNNING;
    given->again = again;
    given->worker = worker;
    return true;
}

static enum status failed_line(const struct sweep *sweep, size_t point, const char *reason, char **line,
                               struct err *err)
{
    cJSON *json = sweep_point_json(sweep, point, sweep_value_of(&sweep->config, point, SWEEP_RANKS)->ranks);
    json_add_text(json, "state", name_state(true));
    json_add_text(json, "reason", reason);
    *line = json_print(json, JSON_LINE);
    cJSON_Delete(json);
    return *line ? STATUS_OK : err_memory(err);
}

enum status sweep_answer(struct sweep *sweep, size_t point, const char *line, const char *reason, struct err *err)
{
    struct sweep_point *given = &sweep->points[point];
    if (!line && !given->again) {
        given->state = SWEEP_FAILED_ONCE;
        sweep->failed_once++;
        return STATUS_OK;
    }
    char *failed = NULL;
    if (!line) TRY(failed_line(sweep, point, reason, &failed, err));
    const char *plain = line ? line : failed;
    given->line = result_file_seal(plain, strlen(plain));
    free(failed);
    if (!given->line) return err_memory(err);
    given->state = line ? SWEEP_DONE : SWEEP_FAILED;
    ++*(line ? &sweep->done : &sweep->failed);
    return result_file_append(sweep, given->line, err);
}

bool sweep_finished(const struct sweep *sweep)
{
    return sweep->done + sweep->failed == sweep->count;
}
