#include "platforms/bench/results.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"

enum { COLUMNS = 12, PATH_BYTES = 4096, LINE_BYTES = 1024 };
#define SECONDS_MOST 3600.0

const char bench_results_header[] = "test,function,nodes,ranks,place,bytes,repetition,root_s,least_s,mean_s,most_s,reference_s\n";
/* Of versions that had no references. */
static const char short_header[] =
    "test,function,nodes,ranks,place,bytes,repetition,root_s,least_s,mean_s,most_s\n";

bool bench_results_write(FILE *out, const struct bench_job *job, const char *place, int64_t bytes, int repetition,
                         const struct bench_repetition *times)
{
    return fprintf(out, "%s,%s,%d,%d,%s,%" PRId64 ",%d,%.9g,%.9g,%.9g,%.9g,%.4g\n", job->test, job->spec, job->demand.nodes,
                   job->demand.ranks, place, bytes, repetition, times->root, times->least, times->mean, times->most,
                   times->reference_s) > 0;
}

/* --- reading --- */

/* Cuts a row at its commas; false unless it has exactly its columns. The last one may be missing. */
static bool cut_row(char *line, char *columns[COLUMNS])
{
    int count = 0;
    for (char *next = line; next; count++) {
        if (count == COLUMNS) return false;
        columns[count] = next;
        next = strchr(next, ',');
        if (next) *next++ = '\0';
    }
    if (count == COLUMNS - 1) columns[count++] = NULL;
    return count == COLUMNS;
}

static bool parse_whole(const char *text, int64_t least, int64_t most, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return *text && !*end && errno == 0 && *value >= least && *value <= most;
}

static bool parse_time(const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    return *text && !*end && fabs(*seconds) <= SECONDS_MOST; /* false for a NaN, too */
}

static int function_of_spec(const char *spec)
{
    size_t length = strcspn(spec, " ");
    for (int i = 0; i < BENCH_FUNCTION_COUNT; i++)
        if (strlen(bench_functions[i].name) == length && strncmp(bench_functions[i].name, spec, length) == 0) return i;
    return -1;
}

static bool parse_row(char *columns[COLUMNS], struct bench_series *series, struct bench_repetition *times, int64_t *repetition)
{
    int64_t nodes, ranks;
    int function = function_of_spec(columns[1]);
    if (function < 0 || strlen(columns[0]) >= sizeof series->test || strlen(columns[1]) >= sizeof series->spec ||
        strlen(columns[4]) >= sizeof series->place)
        return false;
    strcpy(series->test, columns[0]);
    strcpy(series->spec, columns[1]);
    strcpy(series->place, columns[4]);
    bool right = parse_whole(columns[2], 1, INT_MAX, &nodes) && parse_whole(columns[3], 1, INT_MAX, &ranks) &&
                 parse_whole(columns[5], 0, INT64_MAX, &series->bytes) && parse_whole(columns[6], 0, INT_MAX, repetition) &&
                 parse_time(columns[7], &times->root) && parse_time(columns[8], &times->least) &&
                 parse_time(columns[9], &times->mean) && parse_time(columns[10], &times->most) &&
                 (!columns[11] || parse_time(columns[11], &times->reference_s));
    series->function = (enum bench_function_id)function;
    series->demand = (struct bench_demand){.nodes = (int)nodes, .ranks = (int)ranks};
    return right;
}

static bool same_series(const struct bench_series *a, const struct bench_series *b)
{
    return a->bytes == b->bytes && a->demand.nodes == b->demand.nodes && a->demand.ranks == b->demand.ranks &&
           strcmp(a->test, b->test) == 0 && strcmp(a->spec, b->spec) == 0 && strcmp(a->place, b->place) == 0;
}

/* Rows of a series are together in a file, and the first one is repetition 0. */
static enum status add_row(struct bench_results *results, const struct bench_series *key, const struct bench_repetition *times,
                           int64_t repetition, struct err *err)
{
    if (results->count == 0 || repetition == 0 || !same_series(&results->series[results->count - 1], key))
        ARRAY_PUSH(results->series, results->count, results->capacity, *key, err);
    struct bench_series *series = &results->series[results->count - 1];
    ARRAY_PUSH(series->repetitions, series->count, series->capacity, *times, err);
    return STATUS_OK;
}

static enum status read_rows(FILE *in, const char *file, struct bench_results *results, struct err *err)
{
    char line[LINE_BYTES], place[32];
    for (int number = 1; fgets(line, sizeof line, in); number++) {
        char *end = strchr(line, '\n'), *columns[COLUMNS];
        if (!end && feof(in)) return STATUS_OK; /* the writer was killed */
        if (number == 1 && (strcmp(line, bench_results_header) == 0 || strcmp(line, short_header) == 0)) continue;
        if (end) *end = '\0';
        struct bench_series key = {0};
        struct bench_repetition times = {.reference_s = 0};
        int64_t repetition;
        snprintf(place, sizeof place, "%d", number);
        if (!end || number == 1 || !cut_row(line, columns) || !parse_row(columns, &key, &times, &repetition))
            return err_set(err, STATUS_DATA, file, place, "no row of a bench run, expected %.*s",
                           (int)sizeof bench_results_header - 2, bench_results_header);
        TRY(add_row(results, &key, &times, repetition, err));
    }
    return STATUS_OK;
}

static enum status read_file(const char *directory, const char *name, struct bench_results *results, struct err *err)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *in = fopen(path, "r");
    if (!in) return err_set(err, STATUS_SYSTEM, path, NULL, "%s", strerror(errno));
    enum status status = read_rows(in, path, results, err);
    fclose(in);
    return status;
}

static int is_result(const struct dirent *entry)
{
    return fnmatch("rank-*.csv", entry->d_name, 0) == 0;
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
    enum status status = read_run(path, &round, err);
    for (size_t i = 0; i < round.count && status == STATUS_OK; i++) {
        status = array_reserve((void **)&results->series, &results->capacity, results->count + 1, sizeof *round.series, err);
        if (status != STATUS_OK) break;
        results->series[results->count++] = round.series[i];
        round.series[i].repetitions = NULL;
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

static enum status read_run(const char *directory, struct bench_results *results, struct err *err)
{
    return read_entries(directory, is_result, read_file, results, err);
}

enum status bench_results_open(const char *directory, struct bench_results *results, struct err *err)
{
    struct bench_results made = {0};
    enum status status = read_run(directory, &made, err);
    if (status == STATUS_OK) status = read_entries(directory, is_round, read_round, &made, err);
    if (status == STATUS_OK)
        *results = made;
    else
        bench_results_clear(&made);
    return status;
}

void bench_results_clear(struct bench_results *results)
{
    for (size_t i = 0; i < results->count; i++) free(results->series[i].repetitions);
    free(results->series);
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
    const double values[5] = {statistics->least, statistics->median, statistics->mean, statistics->most,
                              statistics->mean_half_width};
    for (int i = 0; i < 5; i++) {
        if (values[i] >= 0)
            units_format_duration(values[i], texts[i]);
        else
            snprintf(texts[i], sizeof texts[i], "%.3g s", values[i]);
    }
    fprintf(out, "%-34s %5d %5d %9" PRId64 " %7zu %10s %10s %10s %10s %10s%s\n", series->spec, series->demand.nodes,
            series->demand.ranks, series->bytes, series->count, texts[0], texts[1], texts[2], texts[3], texts[4],
            bench_statistics_refused(statistics) ? "  unsteady: p90 above 1.2 medians" : "");
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
