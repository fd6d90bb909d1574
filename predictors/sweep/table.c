#include "predictors/sweep/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/csv.h"
#include "common/json.h"
#include "common/text/text.h"
#include "common/units.h"
#include "model/waits/totals.h"

/* A point, parsed from its line. */
struct row {
    struct json_document point;
    struct sweep_figures is; /* run_time_s NAN: it failed */
};

struct rows {
    const struct sweep *sweep;
    struct row *items;
    int widths[SWEEP_AXES]; /* of the columns; 0: the axis has one value and no column */
    bool occurs[PATTERN_COUNT];
};

static const cJSON *row_member(const struct row *row, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(row->point.root, key);
}

static const char *text_of(const struct row *row, const char *key)
{
    const char *text = cJSON_GetStringValue(row_member(row, key));
    return text ? text : "";
}

static double wait_of(const struct row *row, enum pattern pattern)
{
    return row->is.waits_s[pattern] > 0 ? row->is.waits_s[pattern] : 0;
}

/* The text in an axis' column. Returns buffer, or a name that lives as long as the row. */
static const char *place_of(const struct row *row, enum sweep_axis axis, char buffer[24])
{
    const cJSON *item = row_member(row, sweep_axis_name(axis));
    if (axis != SWEEP_RANKS) return text_of(row, sweep_axis_name(axis));
    if (cJSON_IsNumber(item))
        snprintf(buffer, 24, "%.0f", item->valuedouble);
    else
        snprintf(buffer, 24, "-");
    return buffer;
}

static enum status read_figures(struct row *row, struct err *err)
{
    const struct json_node root = json_root(&row->point);
    const cJSON *ranks = row_member(row, "ranks");
    row->is = (struct sweep_figures){.run_time_s = NAN};
    if (!row_member(row, "run_time_s")) return STATUS_OK;
    TRY(fields_read(sweep_figures_fields, &root, 0, &row->is, err));
    const double in_mpi_s = row->is.properties_s[PROPERTY_MPI];
    const double mean_s = in_mpi_s > 0 && cJSON_IsNumber(ranks) ? in_mpi_s / ranks->valuedouble : 0;
    row->is.error.in_mpi_s = fmin(mean_s, row->is.run_time_s);
    return STATUS_OK;
}

static void rows_close(struct rows *rows)
{
    for (size_t i = 0; rows->items && i < rows->sweep->count; i++) {
        fields_clear(sweep_figures_fields, &rows->items[i].is);
        json_close(&rows->items[i].point);
    }
    free(rows->items);
}

static enum status rows_open(const struct sweep *sweep, struct rows *rows, struct err *err)
{
    char buffer[24];
    *rows = (struct rows){.sweep = sweep, .items = calloc(sweep->count, sizeof *rows->items)};
    if (!rows->items) return err_memory(err);
    for (size_t i = 0; i < sweep->count; i++) {
        struct row *row = &rows->items[i];
        enum status status = STATUS_OK;
        if (sweep->points[i].line)
            status = json_parse(sweep->points[i].line, sweep->config.file, &row->point, err);
        else if (!(row->point.root = sweep_point_json(sweep, i, 0)))
            status = err_memory(err);
        if (status == STATUS_OK) status = read_figures(row, err);
        if (status != STATUS_OK) {
            rows_close(rows);
            return status;
        }
        for (int p = 0; p < PATTERN_COUNT; p++) rows->occurs[p] = rows->occurs[p] || wait_of(row, (enum pattern)p) > 0;
        for (enum sweep_axis axis = 0; axis < SWEEP_AXES; axis++)
            rows->widths[axis] = (int)fmax(rows->widths[axis], (double)strlen(place_of(row, axis, buffer)));
    }
    for (enum sweep_axis axis = 0; axis < SWEEP_AXES; axis++)
        rows->widths[axis] = axis != SWEEP_RANKS && sweep->config.axes[axis].count < 2
                                 ? 0
                                 : (int)fmax(rows->widths[axis], (double)strlen(sweep_axis_name(axis)));
    return STATUS_OK;
}

/* --- the table --- */

static void print_head(const struct rows *rows, FILE *out)
{
    const struct sweep_config *config = &rows->sweep->config;
    text_print(out, "%zu point%s, engine %s", rows->sweep->count, units_plural(rows->sweep->count), config->engine->name);
    for (enum sweep_axis axis = SWEEP_PLATFORMS; axis < SWEEP_AXES; axis++)
        if (rows->widths[axis] == 0) text_print(out, ", %s %s", sweep_axis_name(axis), config->axes[axis].items[0].name);
    fputs("\n\n", out);
    for (enum sweep_axis axis = 0; axis < SWEEP_AXES; axis++)
        if (rows->widths[axis] > 0)
            text_print(out, axis == SWEEP_RANKS ? "%*s  " : "%-*s  ", rows->widths[axis], sweep_axis_name(axis));
    fputs("   run time           +-  largest wait state\n", out);
}

static void print_row(const struct rows *rows, const struct row *row, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    enum pattern worst = 0;
    const cJSON *ranks = row_member(row, "ranks");
    char buffer[24];
    for (enum sweep_axis axis = 0; axis < SWEEP_AXES; axis++)
        if (rows->widths[axis] > 0)
            text_print(out, axis == SWEEP_RANKS ? "%*s  " : "%-*s  ", rows->widths[axis], place_of(row, axis, buffer));
    if (isnan(row->is.run_time_s)) {
        text_print(out, "failed: %s\n", text_of(row, "reason"));
        return;
    }
    for (int p = 1; p < PATTERN_COUNT; p++)
        if (wait_of(row, (enum pattern)p) > wait_of(row, worst)) worst = (enum pattern)p;
    text_print(out, "%11s", units_format_duration(row->is.run_time_s, text));
    text_print(out, "  %11s", uncertainty_total_text(&row->is.error, text));
    double all_s = row->is.run_time_s * (cJSON_IsNumber(ranks) ? ranks->valuedouble : 0);
    if (wait_of(row, worst) > 0 && all_s > 0)
        text_print(out, "  %s %.1f %%", pattern_row(worst)->title, 100 * wait_of(row, worst) / all_s);
    fputc('\n', out);
}

/* Prints the fastest point of each number of ranks; the points of one number are consecutive. */
static void print_fastest(const struct rows *rows, FILE *out)
{
    size_t block = rows->sweep->count / rows->sweep->config.axes[SWEEP_RANKS].count;
    if (block < 2) return;
    fputc('\n', out);
    for (size_t first = 0; first < rows->sweep->count; first += block) {
        const struct row *fastest = NULL;
        char buffer[24], text[UNITS_TEXT_BYTES];
        for (size_t i = first; i < first + block; i++)
            if (!isnan(rows->items[i].is.run_time_s) && (!fastest || rows->items[i].is.run_time_s < fastest->is.run_time_s))
                fastest = &rows->items[i];
        if (!fastest) continue;
        text_print(out, "Fastest at %s ranks:", place_of(fastest, SWEEP_RANKS, buffer));
        for (enum sweep_axis axis = SWEEP_PLATFORMS; axis < SWEEP_AXES; axis++)
            if (rows->widths[axis] > 0) text_print(out, " %s %s,", sweep_axis_name(axis), place_of(fastest, axis, buffer));
        text_print(out, " %s", units_format_duration(fastest->is.run_time_s, text));
        /* Points that their error does not tell from the fastest one. */
        size_t near = 0;
        for (size_t i = first; i < first + block; i++) {
            const struct row *row = &rows->items[i];
            const struct uncertainty error = uncertainty_of_difference(&row->is.error, &fastest->is.error);
            const double longer_s = row->is.run_time_s - fastest->is.run_time_s;
            near += row != fastest && !isnan(longer_s) && !uncertainty_tells(&error, longer_s);
        }
        if (near > 0) text_print(out, "; no difference: %zu other point%s", near, units_plural(near));
        fputc('\n', out);
    }
}

/* Names each part that a point does not know. */
static void print_unknown(const struct rows *rows, FILE *out)
{
    struct uncertainty all = {.known = false};
    for (size_t i = 0; i < rows->sweep->count; i++) {
        const struct uncertainty *error = &rows->items[i].is.error;
        all.known = all.known || error->known;
        for (int part = 0; error->known && part < UNCERTAINTY_PARTS; part++) all.part_s[part] += error->part_s[part];
    }
    uncertainty_print_unknown(&all, out);
}

/* A note of several points once, with the first of them unless all have it. */
static void print_note(const struct rows *rows, size_t first, const char *note, FILE *out)
{
    size_t with = 0, done = 0;
    char buffer[24];
    for (size_t i = 0; i < rows->sweep->count; i++) {
        done += isnan(rows->items[i].is.run_time_s) ? 0 : 1;
        with += result_has_note(rows->items[i].is.notes, rows->items[i].is.note_count, note);
    }
    fputs("Note", out);
    const char *between = " on ";
    for (enum sweep_axis axis = 0; axis < SWEEP_AXES && with < done; axis++) {
        if (rows->sweep->config.axes[axis].count < 2) continue;
        text_print(out, "%s%s %s", between, sweep_axis_name(axis), place_of(&rows->items[first], axis, buffer));
        between = ", ";
    }
    if (with > 1 && with < done) text_print(out, " and %zu more point%s", with - 1, units_plural(with - 1));
    text_print(out, ": %s\n", note);
}

/* Notes that no earlier point has; of many the JSON has the rest. */
static void print_notes(const struct rows *rows, FILE *out)
{
    enum { NOTES_SHOWN = 20 };
    char *shown[NOTES_SHOWN];
    size_t count = 0, behind = 0;
    for (size_t i = 0; i < rows->sweep->count; i++)
        for (size_t n = 0; n < rows->items[i].is.note_count; n++) {
            char *note = rows->items[i].is.notes[n];
            if (result_has_note(shown, count, note)) continue;
            if (count == NOTES_SHOWN) {
                behind++;
                continue;
            }
            shown[count++] = note;
            print_note(rows, i, note, out);
        }
    if (behind > 0) text_print(out, "And %zu more note%s of points, in the JSON\n", behind, units_plural(behind));
}

enum status sweep_print(const struct sweep *sweep, FILE *out, struct err *err)
{
    struct rows rows;
    TRY(rows_open(sweep, &rows, err));
    print_head(&rows, out);
    for (size_t i = 0; i < sweep->count; i++) print_row(&rows, &rows.items[i], out);
    print_fastest(&rows, out);
    print_unknown(&rows, out);
    print_notes(&rows, out);
    rows_close(&rows);
    return STATUS_OK;
}

/* --- the CSV --- */

static void write_row(const struct rows *rows, const struct row *row, FILE *out)
{
    char buffer[24];
    for (enum sweep_axis axis = 0; axis < SWEEP_AXES; axis++) {
        csv_write_text(out, "", place_of(row, axis, buffer));
        fputc(',', out);
    }
    csv_write_text(out, "", text_of(row, "state"));
    if (isnan(row->is.run_time_s))
        fputc(',', out);
    else
        text_print(out, ",%.12g", row->is.run_time_s);
    double error_s = uncertainty_total_s(&row->is.error);
    text_print(out, isnan(error_s) ? "," : ",%.12g", error_s);
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (rows->occurs[p]) text_print(out, ",%.12g", wait_of(row, (enum pattern)p));
    fputc(',', out);
    csv_write_text(out, "", text_of(row, "reason"));
    fputc('\n', out);
}

enum status sweep_write_csv(const struct sweep *sweep, FILE *out, struct err *err)
{
    struct rows rows;
    TRY(rows_open(sweep, &rows, err));
    for (enum sweep_axis axis = 0; axis < SWEEP_AXES; axis++) text_print(out, "%s,", sweep_axis_name(axis));
    fputs("state,run_time_s,error_s", out);
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (rows.occurs[p]) text_print(out, ",%s_s", pattern_row((enum pattern)p)->name);
    fputs(",reason\n", out);
    for (size_t i = 0; i < sweep->count; i++) write_row(&rows, &rows.items[i], out);
    rows_close(&rows);
    return STATUS_OK;
}
