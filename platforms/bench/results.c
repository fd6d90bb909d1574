#include "platforms/bench/results.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/files/input_file.h"
#include "common/files/output_file.h"
#include "common/files/place.h"
#include "common/units.h"

enum { COLUMNS = 14, REFERENCE = 11, WORK, LOSSES, PATH_BYTES = 4096, LINE_BYTES = 1024 };
#define SECONDS_MOST 3600.0

#define OLDEST_COLUMNS "test,function,nodes,ranks,place,bytes,repetition,root_s,least_s,mean_s,most_s"
const char bench_results_header[] = OLDEST_COLUMNS ",reference_s,work_s,losses\n";
/* Of versions that had no references, or of these nothing else. */
static const char *const earlier_headers[] = {OLDEST_COLUMNS "\n", OLDEST_COLUMNS ",reference_s\n"};

bool bench_results_write(FILE *out, const struct bench_job *job, const char *place, int64_t bytes, int repetition,
                         const struct bench_repetition *times)
{
    return fprintf(out, "%s,%s,%d,%d,%s,%" PRId64 ",%d,%.9g,%.9g,%.9g,%.9g,%.4g,%.4g,%d\n", job->test, job->spec,
                   job->demand.nodes, job->demand.ranks, place, bytes, repetition, times->root, times->least, times->mean,
                   times->most, times->reference_s, times->work_s, times->losses) > 0;
}

/* --- reading --- */

/* Cuts a row at its commas; false unless it has exactly the columns of some version. Those that are missing are NULL. */
static bool cut_row(char *line, char *columns[COLUMNS])
{
    int count = 0;
    for (char *next = line; next; count++) {
        if (count == COLUMNS) return false;
        columns[count] = next;
        next = strchr(next, ',');
        if (next) *next++ = '\0';
    }
    if (count != REFERENCE && count != WORK && count != COLUMNS) return false;
    while (count < COLUMNS) columns[count++] = NULL;
    return true;
}

enum { REASON_BYTES = 160 };

static const char launch_header[] = "init_least_s,init_most_s,finalize_s\n";
static const char launch_file[] = "launch.csv";

bool bench_launch_write(const char *directory, const struct bench_launch *launch)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", directory, launch_file);
    FILE *out;
    if (output_file_open_again(path, &out, NULL) != STATUS_OK) return false; /* once more with the time of MPI_Finalize */
    fprintf(out, "%s%.9g,%.9g,%.9g\n", launch_header, launch->init_least_s, launch->init_most_s, launch->finalize_s);
    return output_file_close(path, out, STATUS_OK, NULL) == STATUS_OK;
}

static bool refuse_column(char *const columns[COLUMNS], int column, char reason[REASON_BYTES], const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool refuse_column(char *const columns[COLUMNS], int column, char reason[REASON_BYTES], const char *format, ...)
{
    char name[32], expected[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    /* The name of a column, by the header. */
    const char *at = bench_results_header;
    for (int i = 0; i < column; i++) at = strchr(at, ',') + 1;
    snprintf(name, 32, "%.*s", (int)strcspn(at, ",\n"), at);
    snprintf(reason, REASON_BYTES, "%s is '%.40s', expected %s", name, columns[column], expected);
    return false;
}

static bool parse_whole(char *const columns[COLUMNS], int column, int64_t least, int64_t most, int64_t *value,
                        char reason[REASON_BYTES])
{
    char *end;
    errno = 0;
    *value = strtoll(columns[column], &end, 10);
    if (*columns[column] && !*end && errno == 0 && *value >= least && *value <= most) return true;
    return refuse_column(columns, column, reason, "a whole number from %" PRId64 " to %" PRId64, least, most);
}

static bool parse_time(char *const columns[COLUMNS], int column, double least_s, double *seconds, char reason[REASON_BYTES])
{
    char *end;
    *seconds = strtod(columns[column], &end);
    if (*columns[column] && !*end && *seconds >= least_s && *seconds <= SECONDS_MOST) return true; /* false for a NaN, too */
    return refuse_column(columns, column, reason, "seconds from %g to %g", least_s, SECONDS_MOST);
}

static bool parse_text(char *const columns[COLUMNS], int column, char *text, size_t room, char reason[REASON_BYTES])
{
    if (strlen(columns[column]) >= room) return refuse_column(columns, column, reason, "%zu bytes at most", room - 1);
    strcpy(text, columns[column]);
    return true;
}

static int function_of_spec(const char *spec)
{
    size_t length = strcspn(spec, " ");
    for (int i = 0; i < BENCH_FUNCTION_COUNT; i++)
        if (strlen(bench_functions[i].name) == length && strncmp(bench_functions[i].name, spec, length) == 0) return i;
    return -1;
}

/* False with the reason: what is wrong with which column. */
static bool parse_row(char *columns[COLUMNS], struct bench_series *series, struct bench_repetition *times, int64_t *repetition,
                      char reason[REASON_BYTES])
{
    double *const all[] = {&times->root, &times->least, &times->mean, &times->most};
    int64_t nodes, ranks, losses = 0;
    int function = function_of_spec(columns[1]);
    if (function < 0) return refuse_column(columns, 1, reason, "a test that rmacast-bench --list shows");
    double least_s = bench_function_is_signed((enum bench_function_id)function) ? -SECONDS_MOST : 0;
    bool right = parse_text(columns, 0, series->test, sizeof series->test, reason) &&
                 parse_text(columns, 1, series->spec, sizeof series->spec, reason) &&
                 parse_text(columns, 4, series->place, sizeof series->place, reason) &&
                 parse_whole(columns, 2, 1, INT_MAX, &nodes, reason) && parse_whole(columns, 3, 1, INT_MAX, &ranks, reason) &&
                 parse_whole(columns, 5, 0, BENCH_BYTES_MOST, &series->bytes, reason) &&
                 parse_whole(columns, 6, 0, INT_MAX, repetition, reason);
    for (int i = 0; right && i < 4; i++) right = parse_time(columns, 7 + i, least_s, all[i], reason);
    if (right && columns[REFERENCE]) right = parse_time(columns, REFERENCE, 0, &times->reference_s, reason);
    if (right && columns[WORK]) right = parse_time(columns, WORK, 0, &times->work_s, reason);
    if (right && columns[LOSSES]) right = parse_whole(columns, LOSSES, 0, INT_MAX, &losses, reason);
    if (!right) return false;
    times->losses = (int)losses;
    series->function = (enum bench_function_id)function;
    series->demand = (struct bench_demand){.nodes = (int)nodes, .ranks = (int)ranks};
    return true;
}

static bool same_series(const struct bench_series *a, const struct bench_series *b)
{
    return a->bytes == b->bytes && a->demand.nodes == b->demand.nodes && a->demand.ranks == b->demand.ranks &&
           strcmp(a->test, b->test) == 0 && strcmp(a->spec, b->spec) == 0 && strcmp(a->place, b->place) == 0;
}

static bool is_header(const char *line)
{
    for (size_t i = 0; i < sizeof earlier_headers / sizeof *earlier_headers; i++)
        if (strcmp(line, earlier_headers[i]) == 0) return true;
    return strcmp(line, bench_results_header) == 0;
}

static enum status read_rows(struct input_file *in, struct bench_results *results, struct err *err)
{
    char *line, place[32], reason[REASON_BYTES];
    for (int number = 1; (line = input_file_line(in)) != NULL; number++) {
        char *end = strchr(line, '\n'), *columns[COLUMNS];
        if (!end && feof(in->file)) return STATUS_OK; /* the writer was killed */
        if (number == 1 && is_header(line)) continue;
        if (end) *end = '\0';
        struct bench_series key = {0};
        struct bench_repetition times = {.reference_s = 0};
        int64_t repetition;
        snprintf(reason, sizeof reason, "expected %.*s", (int)sizeof bench_results_header - 2, bench_results_header);
        if (end && number > 1 && cut_row(line, columns) && parse_row(columns, &key, &times, &repetition, reason)) {
            /* Rows of a series are together in a file, and the first one is repetition 0. */
            if (results->count == 0 || repetition == 0 || !same_series(&results->series[results->count - 1], &key))
                ARRAY_PUSH(results->series, results->count, results->capacity, key, err);
            struct bench_series *series = &results->series[results->count - 1];
            ARRAY_PUSH(series->repetitions, series->count, series->capacity, times, err);
            continue;
        }
        snprintf(place, sizeof place, "%d", number);
        return err_set(err, STATUS_DATA, in->path, place, "no row of a bench run: %s", reason);
    }
    return STATUS_OK;
}

static enum status read_file(const char *directory, const char *name, struct bench_results *results, struct err *err)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    struct input_file in;
    TRY(input_file_open(path, &in, err));
    return input_file_close(&in, read_rows(&in, results, err), err);
}

static int is_result(const struct dirent *entry)
{
    return fnmatch("rank-[0-9][0-9][0-9][0-9][0-9][0-9].csv", entry->d_name, 0) == 0;
}

static int is_written(const struct dirent *entry)
{
    return is_result(entry) || strcmp(entry->d_name, launch_file) == 0;
}

static int is_round(const struct dirent *entry)
{
    return fnmatch("round-*", entry->d_name, 0) == 0;
}

static enum status read_run(const char *directory, struct bench_results *results, struct err *err);

/* Appends the series of a round, whose directory has the same form. */
static enum status read_round(const char *directory, const char *name, struct bench_results *results, struct err *err)
{
    char path[PATH_BYTES];
    struct bench_results round = {0};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    const uint32_t number = results->count > 0 ? results->series[results->count - 1].round + 1 : 1;
    enum status status = read_run(path, &round, err);
    for (size_t i = 0; i < round.count && status == STATUS_OK; i++) {
        status = array_reserve((void **)&results->series, &results->capacity, results->count + 1, sizeof *round.series, err);
        if (status != STATUS_OK) break;
        results->series[results->count] = round.series[i];
        results->series[results->count++].round = number;
        round.series[i].repetitions = NULL;
    }
    for (size_t i = 0; i < round.launch_count && status == STATUS_OK; i++) {
        status = array_reserve((void **)&results->launches, &results->launch_capacity, results->launch_count + 1,
                               sizeof *round.launches, err);
        if (status == STATUS_OK) results->launches[results->launch_count++] = round.launches[i];
    }
    bench_results_clear(&round);
    return status;
}

static enum status read_entries(const char *directory, int (*chosen)(const struct dirent *),
                                enum status (*read)(const char *, const char *, struct bench_results *, struct err *),
                                struct bench_results *results, struct err *err)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, chosen, alphasort);
    if (count < 0) return err_set(err, STATUS_SYSTEM, directory, NULL, "%s, expected the results of a bench", strerror(errno));
    enum status status = STATUS_OK;
    for (int i = 0; i < count; i++) {
        if (status == STATUS_OK) status = read(directory, entries[i]->d_name, results, err);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static bool is_time(double time_s)
{
    return time_s >= 0 && time_s <= SECONDS_MOST;
}

/* There may be no such file. */
static enum status read_launch(const char *directory, struct bench_results *results, struct err *err)
{
    char path[PATH_BYTES], *line;
    struct bench_launch launch;
    struct input_file in;
    snprintf(path, sizeof path, "%s/%s", directory, launch_file);
    bool there;
    TRY(place_look(path, &there, err));
    if (!there) return STATUS_OK;
    TRY(input_file_open(path, &in, err));
    bool right = (line = input_file_line(&in)) && strcmp(line, launch_header) == 0 && (line = input_file_line(&in)) &&
                 sscanf(line, "%lf,%lf,%lf", &launch.init_least_s, &launch.init_most_s, &launch.finalize_s) == 3 &&
                 is_time(launch.init_least_s) && is_time(launch.init_most_s) && launch.init_least_s <= launch.init_most_s &&
                 (is_time(launch.finalize_s) || launch.finalize_s == -1);
    TRY(input_file_close(&in, STATUS_OK, err));
    if (!right) return err_set(err, STATUS_DATA, path, NULL, "no times of a launch, expected what rmacast-bench writes");
    ARRAY_PUSH(results->launches, results->launch_count, results->launch_capacity, launch, err);
    return STATUS_OK;
}

static enum status read_run(const char *directory, struct bench_results *results, struct err *err)
{
    TRY(read_launch(directory, results, err));
    return read_entries(directory, is_result, read_file, results, err);
}

enum status bench_results_open(const char *directory, struct bench_results *results, struct err *err)
{
    struct bench_results made = {0};
    enum status status = read_run(directory, &made, err);
    if (status == STATUS_OK) status = read_entries(directory, is_round, read_round, &made, err);
    GIVE(status, *results = made, bench_results_clear(&made));
}

static void remove_rows(const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, is_written, NULL);
    for (int i = 0; i < count; i++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
        unlink(path);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

void bench_results_remove(const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, is_round, NULL);
    remove_rows(directory);
    for (int i = 0; i < count; i++) {
        char round[PATH_BYTES], run[PATH_BYTES + 16];
        snprintf(round, sizeof round, "%s/%s", directory, entries[i]->d_name);
        snprintf(run, sizeof run, "%s/run.json", round);
        remove_rows(round);
        unlink(run);
        rmdir(round); /* unless other files are in it */
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

void bench_results_clear(struct bench_results *results)
{
    for (size_t i = 0; i < results->count; i++) free(results->series[i].repetitions);
    FREE_ALL(results->launches, results->series);
    *results = (struct bench_results){0};
}

void bench_results_keep(struct bench_results *results, const char *prefix, bool with)
{
    size_t kept = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct bench_series series = results->series[i];
        if ((strncmp(series.test, prefix, strlen(prefix)) == 0) == with)
            results->series[kept++] = series;
        else
            free(series.repetitions);
    }
    results->count = kept;
}

void bench_series_name(const char *spec, int nodes, int64_t bytes, char name[BENCH_SERIES_NAME_BYTES])
{
    snprintf(name, BENCH_SERIES_NAME_BYTES, "%s, %" PRId64 " bytes, nodes: %d", spec, bytes, nodes);
}

static struct bench_series *find_same(const struct bench_results *results, size_t count, const struct bench_series *series)
{
    for (size_t i = 0; i < count; i++)
        if (same_series(&results->series[i], series)) return &results->series[i];
    return NULL;
}

bool bench_results_is_first(const struct bench_results *results, size_t index)
{
    return !find_same(results, index, &results->series[index]);
}

static enum status append_series(struct bench_series *series, struct bench_series *later, struct err *err)
{
    TRY(array_reserve((void **)&series->repetitions, &series->capacity, series->count + later->count,
                      sizeof *later->repetitions, err));
    memcpy(series->repetitions + series->count, later->repetitions, later->count * sizeof *later->repetitions);
    series->count += later->count;
    free(later->repetitions);
    later->repetitions = NULL;
    return STATUS_OK;
}

enum status bench_results_join(struct bench_results *results, struct err *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < results->count; i++) {
        struct bench_series one = results->series[i], *first = find_same(results, kept, &one);
        if (first) {
            TRY(append_series(first, &results->series[i], err));
        } else {
            results->series[i].repetitions = NULL;
            results->series[kept++] = one;
        }
    }
    results->count = kept;
    return STATUS_OK;
}

/* --- what they say --- */

enum status bench_series_statistics(const struct bench_series *series, struct bench_statistics *statistics, struct err *err)
{
    double *values = malloc(sizeof *values * (series->count + 1));
    if (!values) return err_memory(err);
    bool root = bench_functions[series->function].value == BENCH_ROOT;
    for (size_t i = 0; i < series->count; i++) values[i] = root ? series->repetitions[i].root : series->repetitions[i].most;
    bench_statistics_of(values, series->count, statistics);
    free(values);
    return STATUS_OK;
}

bool bench_statistics_refused(const struct bench_statistics *statistics)
{
    return statistics->p90 > BENCH_SPREAD_MOST * statistics->median;
}

void bench_series_print_line(const struct bench_series *series, FILE *out)
{
    double least = INFINITY, most = -INFINITY, sum = 0;
    for (size_t i = 0; i < series->count; i++) {
        least = fmin(least, series->repetitions[i].least);
        most = fmax(most, series->repetitions[i].most);
        sum += series->repetitions[i].mean;
    }
    fprintf(out, "Test:%s, Nodes:%d Ranks:%d, Size:%" PRId64 " byte, minDuration:%fs, maxDuration:%fs, avgDuration:%fs\n",
            series->spec, series->demand.nodes, series->demand.ranks, series->bytes, least, most, sum / (double)series->count);
}

static void print_row(const struct bench_series *series, const struct bench_statistics *statistics, FILE *out)
{
    char texts[5][UNITS_TEXT_BYTES];
    const bool unsteady = !bench_function_is_signed(series->function) && bench_statistics_refused(statistics);
    const double values[5] = {statistics->least, statistics->median, statistics->mean, statistics->most,
                              statistics->mean_half_width};
    for (int i = 0; i < 5; i++) units_format_duration(values[i], texts[i]);
    fprintf(out, "%-34s %5d %5d %9" PRId64 " %7zu %10s %10s %10s %10s %10s%s\n", series->spec, series->demand.nodes,
            series->demand.ranks, series->bytes, series->count, texts[0], texts[1], texts[2], texts[3], texts[4],
            unsteady ? "  unsteady: p90 above 1.2 medians" : "");
}

enum status bench_results_own_s(const struct bench_results *results, double *own_s, struct err *err)
{
    double most_s = 0;
    for (size_t i = 0; i < results->count; i++) {
        struct bench_statistics statistics;
        if (results->series[i].function != BENCH_FUNCTION_empty) continue;
        TRY(bench_series_statistics(&results->series[i], &statistics, err));
        most_s = fmax(most_s, statistics.median);
    }
    *own_s = most_s;
    return STATUS_OK;
}

enum status bench_results_print(const struct bench_results *results, FILE *out, struct err *err)
{
    fprintf(out, "%-34s %5s %5s %9s %7s %10s %10s %10s %10s %10s\n", "test", "nodes", "ranks", "bytes", "repeats",
            "min", "median", "mean", "max", "mean +-");
    for (size_t i = 0; i < results->count; i++) {
        struct bench_statistics statistics;
        TRY(bench_series_statistics(&results->series[i], &statistics, err));
        print_row(&results->series[i], &statistics, out);
    }
    double own_s;
    TRY(bench_results_own_s(results, &own_s, err));
    if (own_s > BENCH_OWN_MOST_S)
        fprintf(out, "warning: the bench adds %.3g us to each repetition, expected at most 1 us\n", 1e6 * own_s);
    return STATUS_OK;
}
