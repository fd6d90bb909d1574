#include "predictors/scale/extrap.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/files/input_file.h"
#include "common/search.h"
#include "common/text/text.h"
#include "predictors/scale/scale.h"

/* --- writing --- */

static bool same_points(const struct time_model *a, const struct time_model *b)
{
    if (a->measured_count != b->measured_count) return false;
    for (size_t i = 0; i < a->measured_count; i++)
        if (a->measured[i].ranks != b->measured[i].ranks || a->measured[i].n != b->measured[i].n) return false;
    return true;
}

/* The model with the most points, whose place all runs have. */
static const struct time_model *find_fullest(const struct step *steps, size_t count, const struct time_model *best)
{
    for (size_t i = 0; i < count; i++) {
        for (int place = 0; place < COMPUTING_REGION; place++) {
            const struct time_model *model = &steps[i].computing[place].model;
            if (model->measured_count > (best ? best->measured_count : 0)) best = model;
        }
        best = find_fullest(steps[i].body, steps[i].count, best);
    }
    return best;
}

static void write_place(const struct program *program, const struct step *step, int place, const struct time_model *all,
                        FILE *out)
{
    const struct time_model *model = &step->computing[place].model;
    const struct trace_site *site = &program->names->definitions.sites[step->call.site];
    char text[TIME_TEXT_BYTES];
    if (model->measured_count == 0) return;
    bool whole = same_points(model, all);
    text_print(out, "%sREGION program->%s %s #%u",
               whole ? "" : "# not of all runs: ", place == COMPUTING_BEFORE ? "before" : "after",
               step->kind == STEP_CALL ? call_name(step->call.call) : "a repetition", step->number);
    if (step->kind == STEP_CALL && site->file) text_print(out, " %s:%d", site->file, site->line);
    text_print(out, "\n# %s\n", time_model_text(model, program->parameter, " s", text));
    for (size_t i = 0; whole && i < model->measured_count; i++) text_print(out, "DATA %.12g\n", model->measured[i].mean);
}

static void write_steps(const struct program *program, const struct step *steps, size_t count,
                        const struct time_model *all, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        for (int place = 0; place < COMPUTING_REGION; place++) write_place(program, &steps[i], place, all, out);
        write_steps(program, steps[i].body, steps[i].count, all, out);
    }
}

void extrap_write(const struct program *program, FILE *out)
{
    const struct time_model *all = find_fullest(program->steps, program->count, NULL);
    fputs("# computing times in seconds; below each region the function that rmacast found\nPARAMETER p\n", out);
    if (program->parameter) text_print(out, "PARAMETER %s\n", program->parameter);
    fputs("POINTS", out);
    for (size_t i = 0; all && i < all->measured_count; i++) {
        text_print(out, " (%d", all->measured[i].ranks);
        if (program->parameter) text_print(out, " %" PRId64, all->measured[i].n);
        fputc(')', out);
    }
    fputs("\nMETRIC time\n", out);
    if (all) write_steps(program, program->steps, program->count, all, out);
}

/* --- reading --- */

struct reader {
    const char *file;
    int line;
    struct extrap *extrap;
    char *metric, *region; /* owned; the current ones */
    struct point {
        int32_t ranks;
        int64_t n; /* 0: there is no second parameter */
    } points[TIME_POINTS_MAX];
    size_t point_count;
    struct time_sample samples[TIME_POINTS_MAX];
    size_t sample_count;
    struct err *err;
};

static enum status refuse_line(const struct reader *reader, const char *what)
{
    char place[16];
    snprintf(place, sizeof place, "%d", reader->line);
    return err_set(reader->err, STATUS_DATA, reader->file, place, "%s", what);
}

/* "p n"; each may have a line of its own */
static enum status read_parameters(struct reader *reader, char *rest)
{
    struct extrap *extrap = reader->extrap;
    char *save = NULL;
    if (reader->point_count > 0) return refuse_line(reader, "PARAMETER behind POINTS, expected all parameters first");
    for (char *name = strtok_r(rest, " \t", &save); name; name = strtok_r(NULL, " \t", &save)) {
        char **place = extrap->parameter ? &extrap->second : &extrap->parameter;
        if (*place) return refuse_line(reader, "three parameters, expected the number of ranks, and perhaps one more");
        *place = strdup(name);
        if (!*place) return err_memory(reader->err);
    }
    return STATUS_OK;
}

/* The next coordinate, a whole number of at most `most`; 0: it is none. *rest is moved behind it. */
static int64_t read_coordinate(char **rest, double most)
{
    char *end;
    double value = strtod(*rest, &end);
    bool whole = end != *rest && value >= 1 && value <= most && value == floor(value);
    *rest = end + strspn(end, " \t");
    return whole ? (int64_t)value : 0;
}

/* "(4) ( 8 ) 16", or of two parameters "(4 1000) ((8) (1000))" */
static enum status read_points(struct reader *reader, char *rest)
{
    const bool pairs = reader->extrap->second != NULL;
    for (char *at = rest; *at; at++)
        if (*at == '(' || *at == ')' || *at == ',') *at = ' ';
    rest += strspn(rest, " \t");
    while (*rest) {
        struct point point = {.ranks = (int32_t)read_coordinate(&rest, INT32_MAX)};
        if (pairs) point.n = read_coordinate(&rest, SCALE_PARAMETER_MAX);
        if (point.ranks == 0 || (pairs && point.n == 0))
            return refuse_line(reader, "POINTS, expected whole numbers from 1 on, one per point and parameter");
        if (reader->point_count == TIME_POINTS_MAX) return refuse_line(reader, "too many points");
        for (size_t i = 0; i < reader->point_count; i++)
            if (reader->points[i].ranks == point.ranks && reader->points[i].n == point.n)
                return refuse_line(reader, "a point stands twice");
        reader->points[reader->point_count++] = point;
        if (point.n > reader->extrap->largest) reader->extrap->largest = point.n;
    }
    return STATUS_OK;
}

/* Points with equal ranks show the influence of the second parameter, and points with equal parameters that of the ranks. */
static enum status check_points(const struct reader *reader)
{
    bool other_n = false, other_ranks = false;
    for (size_t i = 0; i < reader->point_count; i++)
        for (size_t k = i + 1; k < reader->point_count; k++) {
            bool same_ranks = reader->points[i].ranks == reader->points[k].ranks;
            bool same_n = reader->points[i].n == reader->points[k].n;
            other_n = other_n || (same_ranks && !same_n);
            other_ranks = other_ranks || (same_n && !same_ranks);
        }
    if (!reader->extrap->second || (other_n && other_ranks)) return STATUS_OK;
    return refuse_line(reader, "the points do not tell one parameter from the other: expected two points that differ in the "
                               "first one only, and two that differ in the second one only");
}

ORDER(by_scale, struct time_sample, UP(ranks) UP(n))

/* Ends the series of the current region and metric. */
static enum status end_series(struct reader *reader)
{
    struct extrap *extrap = reader->extrap;
    if (reader->sample_count == 0) return STATUS_OK;
    if (reader->sample_count < reader->point_count) return refuse_line(reader, "fewer lines of DATA than points");
    if (extrap->count == 0) TRY(check_points(reader));
    TRY(array_reserve((void **)&extrap->series, &extrap->capacity, extrap->count + 1, sizeof *extrap->series,
                      reader->err));
    struct extrap_series *made = &extrap->series[extrap->count++];
    *made = (struct extrap_series){.region = strdup(reader->region ? reader->region : ""),
                                   .metric = strdup(reader->metric ? reader->metric : "")};
    if (!made->region || !made->metric) return err_memory(reader->err);
    qsort(reader->samples, reader->sample_count, sizeof *reader->samples, by_scale);
    time_model_fit(reader->samples, reader->sample_count, false, &made->model);
    reader->sample_count = 0;
    return STATUS_OK;
}

static enum status set_name(struct reader *reader, char **name, const char *text)
{
    TRY(end_series(reader));
    free(*name);
    *name = strdup(text);
    return *name ? STATUS_OK : err_memory(reader->err);
}

static enum status read_data(struct reader *reader, char *rest)
{
    if (reader->sample_count == reader->point_count) return refuse_line(reader, "more lines of DATA than points");
    struct time_sample *sample = &reader->samples[reader->sample_count];
    const struct point *point = &reader->points[reader->sample_count];
    *sample = (struct time_sample){.ranks = point->ranks, .n = point->n};
    for (char *end; *(rest += strspn(rest, " \t")); rest = end) {
        double value = strtod(rest, &end);
        if (end == rest || (value != 0 && !(value >= 1e-100 && value <= 1e100))) /* whose squares are numbers, too */
            return refuse_line(reader, "DATA, expected numbers that are 0 or from 1e-100 to 1e100");
        time_sample_add(sample, value);
    }
    if (sample->count == 0) return refuse_line(reader, "DATA without a value");
    reader->sample_count++;
    return STATUS_OK;
}

static enum status read_line(struct reader *reader, char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    line += strspn(line, " \t");
    if (*line == '\0' || *line == '#') return STATUS_OK;
    char *rest = line + strcspn(line, " \t");
    if (*rest) *rest++ = '\0';
    rest += strspn(rest, " \t");
    for (size_t length = strlen(rest); length > 0 && isspace((unsigned char)rest[length - 1]);) rest[--length] = '\0';
    if (strcmp(line, "PARAMETER") == 0) return read_parameters(reader, rest);
    if (strcmp(line, "POINTS") == 0) return read_points(reader, rest);
    if (strcmp(line, "METRIC") == 0) return set_name(reader, &reader->metric, rest);
    if (strcmp(line, "REGION") == 0) return set_name(reader, &reader->region, rest);
    if (strcmp(line, "DATA") == 0) return read_data(reader, rest);
    return refuse_line(reader, "expected PARAMETER, POINTS, METRIC, REGION or DATA");
}

static enum status read_all(struct reader *reader, struct input_file *in)
{
    enum status status = STATUS_OK;
    for (char *line; status == STATUS_OK && (line = input_file_line(in)) != NULL;) {
        reader->line++;
        status = read_line(reader, line);
    }
    if (status == STATUS_OK) status = end_series(reader);
    if (status == STATUS_OK && reader->extrap->count == 0) return refuse_line(reader, "no DATA, expected measurements");
    return status;
}

enum status extrap_read(const char *file, struct extrap *extrap, struct err *err)
{
    struct extrap made = {.count = 0};
    struct reader reader = {.file = file, .extrap = &made, .err = err};
    struct input_file in;
    TRY(input_file_open(file, &in, err));
    enum status status = input_file_close(&in, read_all(&reader, &in), err);
    FREE_ALL(reader.metric, reader.region);
    GIVE(status, *extrap = made, extrap_clear(&made));
}

void extrap_clear(struct extrap *extrap)
{
    for (size_t i = 0; i < extrap->count; i++) {
        FREE_ALL(extrap->series[i].region, extrap->series[i].metric);
    }
    FREE_ALL(extrap->series, extrap->parameter, extrap->second);
    *extrap = (struct extrap){.count = 0};
}

void extrap_print(const struct extrap *extrap, const uint32_t *at, size_t at_count, int64_t n, FILE *out)
{
    text_print(out, "%-32s  %-12s  %9s", "region", "metric", "error");
    for (size_t i = 0; i < at_count; i++) text_print(out, "  %10u", at[i]);
    text_print(out, "  function of p%s%s", extrap->parameter ? ", that is " : "", extrap->parameter ? extrap->parameter : "");
    if (extrap->second) text_print(out, ", and of %s; values at %s=%" PRId64, extrap->second, extrap->second, n);
    fputc('\n', out);
    for (size_t s = 0; s < extrap->count; s++) {
        const struct extrap_series *series = &extrap->series[s];
        char text[TIME_TEXT_BYTES];
        time_model_text(&series->model, extrap->second, " s", text);
        text[strlen(text) - strlen(" s")] = '\0'; /* the metric's unit is not known */
        double error = series->model.error + series->model.missed;
        text_print(out, "%-32s  %-12s  %7.1f %%", series->region, series->metric, 100 * error);
        for (size_t i = 0; i < at_count; i++) text_print(out, "  %10.6g", time_model_mean(&series->model, (int32_t)at[i], n));
        text_print(out, "  %s\n", text);
    }
}
