#include "validate/skeletons.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/text/text.h"
#include "common/units.h"

/* Barriers side by side that are one train. */
enum { TRAIN_LEAST = 10 };
/* Differences up to this size are counted behind the table. */
#define WITHIN 0.1

static enum call_kind kind_of(const struct trace_call *call)
{
    return call_rows[call->call].kind;
}

/* Calls with which a bench prepares its tests. */
static bool is_preparation(enum call_kind kind)
{
    switch (kind) {
    case CALL_INIT:
    case CALL_FINALIZE:
    case CALL_WIN_CREATE:
    case CALL_WIN_FREE:
    case CALL_COMM_CREATE:
    case CALL_COMM_FREE:
    case CALL_REQUEST_TEST: return true;
    default: return false;
    }
}

/* The calls from first to last, without those that involve no other rank. */
struct stretch {
    size_t first, last;
    bool empty, prepares;
};

/* On communicators other than that of the barrier `end` a bench agrees on what comes next. */
static struct stretch find_stretch(const struct trace *trace, const struct trace_rank *rank, size_t begin, size_t end)
{
    struct stretch stretch = {.empty = true};
    const struct trace_comm *tested = trace_call_comm(trace, &rank->calls[end]);
    for (size_t i = begin; i < end; i++) {
        enum call_kind kind = kind_of(&rank->calls[i]);
        const struct trace_comm *comm = trace_call_comm(trace, &rank->calls[i]);
        if (is_preparation(kind) || (comm && comm != tested)) stretch.prepares = true;
        if (kind == CALL_LOCAL) continue;
        if (stretch.empty) stretch.first = i;
        stretch.last = i;
        stretch.empty = false;
    }
    return stretch;
}

static int print_call(const struct trace_call *call, size_t times, char *text, size_t room)
{
    char bytes[32] = "", peer[32] = "", count[32] = "";
    if (call->bytes > 0) snprintf(bytes, sizeof bytes, " %" PRId64, call->bytes);
    if (call->bytes > 0 && call->peer >= 0) snprintf(peer, sizeof peer, " > %" PRId32, call->peer);
    if (times > 1) snprintf(count, sizeof count, "%zu ", times);
    return snprintf(text, room, "%s%s%s%s", count, call_rows[call->call].name, bytes, peer);
}

static bool same_call(const struct trace_call *a, const struct trace_call *b)
{
    return a->call == b->call && a->bytes == b->bytes && a->peer == b->peer;
}

static void name_stretch(const struct trace_rank *rank, const struct stretch *stretch, char name[SKELETON_NAME_BYTES])
{
    size_t used = 0, next;
    for (size_t i = stretch->first; i <= stretch->last && used < SKELETON_NAME_BYTES - 40; i = next) {
        for (next = i + 1; next <= stretch->last && same_call(&rank->calls[i], &rank->calls[next]); next++) {}
        if (kind_of(&rank->calls[i]) == CALL_LOCAL) continue;
        if (used > 0) used += (size_t)snprintf(name + used, SKELETON_NAME_BYTES - used, ", ");
        used += (size_t)print_call(&rank->calls[i], next - i, name + used, SKELETON_NAME_BYTES - used);
    }
}

static struct skeleton *find_skeleton(const struct skeletons *skeletons, const char *name, const char *region)
{
    for (size_t i = 0; i < skeletons->count; i++)
        if (strcmp(skeletons->items[i].name, name) == 0 && strcmp(skeletons->items[i].region, region) == 0)
            return &skeletons->items[i];
    return NULL;
}

static enum status add_skeleton(struct skeletons *skeletons, const char *name, const char *region, struct skeleton **added,
                                struct err *err)
{
    struct skeleton made = {.count = 0};
    strcpy(made.name, name);
    snprintf(made.region, sizeof made.region, "%s", region);
    ARRAY_PUSH(skeletons->items, skeletons->count, skeletons->capacity, made, err);
    *added = &skeletons->items[skeletons->count - 1];
    return STATUS_OK;
}

static enum status add_times(struct skeleton *skeleton, double measured_s, double predicted_s, struct err *err)
{
    size_t count = skeleton->count;
    ARRAY_PUSH(skeleton->predicted_s, count, skeleton->predicted_capacity, predicted_s, err);
    ARRAY_PUSH(skeleton->measured_s, skeleton->count, skeleton->capacity, measured_s, err);
    return STATUS_OK;
}

/* Inside its calls: between them a recorder works. clock_ps: one reading of its clock, which is in each call's time. */
static double time_of(const struct trace_rank *rank, const struct stretch *stretch, int64_t clock_ps)
{
    int64_t time_ps = 0;
    for (size_t i = stretch->first; i <= stretch->last; i++)
        if (kind_of(&rank->calls[i]) != CALL_LOCAL)
            time_ps += rank->calls[i].exit_ps - rank->calls[i].enter_ps - clock_ps;
    return units_s(time_ps);
}

/* The time of a call that does hardly anything: the shortest local call. 0: there is none. */
static int64_t clock_of(const struct trace_rank *rank)
{
    int64_t least_ps = INT64_MAX;
    for (size_t i = 0; i < rank->count; i++) {
        int64_t lasts_ps = rank->calls[i].exit_ps - rank->calls[i].enter_ps;
        if (kind_of(&rank->calls[i]) == CALL_LOCAL && lasts_ps < least_ps) least_ps = lasts_ps;
    }
    return least_ps == INT64_MAX ? 0 : least_ps;
}

/* A rank in both traces. */
struct both {
    const struct trace *trace; /* the measured one */
    const struct trace_rank *measured, *predicted;
    int64_t clock_ps;   /* in the time of each measured call */
    const char *region; /* the last one that the walk has entered and not left, "": none */
};

static const char train_name[] = "MPI_Barrier, one of a train";

/* The series that was added to last, but for trains. */
static struct skeleton *last_series(const struct skeletons *skeletons)
{
    for (size_t i = skeletons->count; i-- > 0;)
        if (strncmp(skeletons->items[i].name, train_name, sizeof train_name - 1) != 0) return &skeletons->items[i];
    return NULL;
}

/* Of more than two ranks, a bench measures pairs between nodes and within one: the pair is a part of a row's name. */
static void name_pair(const struct both *both, size_t barrier, char name[SKELETON_NAME_BYTES])
{
    const struct trace_comm *comm = trace_call_comm(both->trace, &both->measured->calls[barrier]);
    size_t used = strlen(name);
    if (both->trace->rank_count > 2 && comm->count == 2)
        snprintf(name + used, SKELETON_NAME_BYTES - used, ", ranks %d and %d", comm->members[0], comm->members[1]);
}

/* Between the barriers `before` and `barrier`. */
static enum status add_stretch(const struct both *both, size_t before, size_t barrier, struct skeletons *skeletons,
                               struct err *err)
{
    char name[SKELETON_NAME_BYTES];
    struct stretch stretch = find_stretch(both->trace, both->measured, before + 1, barrier);
    if (before + 1 == barrier) return STATUS_OK;
    if (stretch.empty || stretch.prepares) return STATUS_OK;
    name_stretch(both->measured, &stretch, name);
    name_pair(both, barrier, name);
    struct skeleton *series = last_series(skeletons);
    if (!series || strcmp(series->name, name) != 0 || strcmp(series->region, both->region) != 0)
        TRY(add_skeleton(skeletons, name, both->region, &series, err));
    return add_times(series, time_of(both->measured, &stretch, both->clock_ps), time_of(both->predicted, &stretch, 0), err);
}

static double mean_of_train(const struct trace_rank *rank, size_t first, size_t last)
{
    return units_s(rank->calls[last].exit_ps - rank->calls[first].exit_ps) / (double)(last - first);
}

/* Barriers side by side, of which `last` is the last one. A single barrier's time alternates on one rank's clock; the
 * train's mean does not. */
static enum status add_train(const struct both *both, size_t first, size_t last, struct skeletons *skeletons, struct err *err)
{
    char name[SKELETON_NAME_BYTES];
    if (last - first < TRAIN_LEAST) return STATUS_OK;
    strcpy(name, train_name);
    name_pair(both, last, name);
    struct skeleton *series = find_skeleton(skeletons, name, both->region);
    if (!series) TRY(add_skeleton(skeletons, name, both->region, &series, err));
    return add_times(series, mean_of_train(both->measured, first, last), mean_of_train(both->predicted, first, last), err);
}

/* Regions begin and end between repetitions. */
static const char *region_behind(const struct both *both, const struct trace_call *call)
{
    switch (kind_of(call)) {
    case CALL_REGION_ENTER: return both->trace->definitions.regions[call->region.region];
    case CALL_REGION_LEAVE: return "";
    default: return both->region;
    }
}

static enum status collect_stretches(struct both *both, struct skeletons *skeletons, struct err *err)
{
    const struct trace_rank *measured = both->measured;
    size_t before = SIZE_MAX, train = SIZE_MAX;
    for (size_t i = 0; i < measured->count; i++) {
        const char *behind = region_behind(both, &measured->calls[i]);
        if (behind != both->region) { /* a train ends here */
            if (train != SIZE_MAX) TRY(add_train(both, train, before, skeletons, err));
            before = train = SIZE_MAX;
            both->region = behind;
        }
        if (measured->calls[i].call != ID_Barrier) continue;
        if (before != SIZE_MAX) TRY(add_stretch(both, before, i, skeletons, err));
        if (before == SIZE_MAX || before + 1 < i) {
            if (train != SIZE_MAX) TRY(add_train(both, train, before, skeletons, err));
            train = i;
        }
        before = i;
    }
    return train == SIZE_MAX ? STATUS_OK : add_train(both, train, before, skeletons, err);
}

static double median_of(double *values, size_t count)
{
    gsl_sort(values, 1, count);
    return gsl_stats_median_from_sorted_data(values, 1, count);
}

static void free_skeleton(struct skeleton *skeleton)
{
    FREE_ALL(skeleton->measured_s, skeleton->predicted_s);
}

/* Removes series with few repetitions. */
static void keep_repeated(struct skeletons *skeletons)
{
    size_t kept = 0;
    for (size_t i = 0; i < skeletons->count; i++) {
        struct skeleton *skeleton = &skeletons->items[i];
        if (skeleton->count < SKELETON_COUNT_LEAST) {
            free_skeleton(skeleton);
            continue;
        }
        skeleton->measured_median_s = median_of(skeleton->measured_s, skeleton->count);
        skeleton->measured_p10_s = gsl_stats_quantile_from_sorted_data(skeleton->measured_s, 1, skeleton->count, 0.1);
        skeleton->predicted_median_s = median_of(skeleton->predicted_s, skeleton->count);
        skeletons->items[kept++] = *skeleton;
    }
    skeletons->count = kept;
}

enum status skeletons_compare(const struct trace *measured, const struct trace *predicted, uint32_t rank,
                              struct skeletons *skeletons, struct err *err)
{
    struct skeletons made = {0};
    if (rank >= measured->rank_count || rank >= predicted->rank_count ||
        measured->ranks[rank].count != predicted->ranks[rank].count)
        return err_set(err, STATUS_DATA, NULL, NULL,
                       "rank %" PRIu32 " has other calls in the prediction, expected a replay of the measured run",
                       rank);
    struct both both = {measured, &measured->ranks[rank], &predicted->ranks[rank], clock_of(&measured->ranks[rank]), ""};
    enum status status = collect_stretches(&both, &made, err);
    if (status == STATUS_OK) {
        keep_repeated(&made);
        *skeletons = made;
    } else {
        skeletons_clear(&made);
    }
    return status;
}

static enum status append_times(double **to, size_t count, size_t *capacity, const double *from, size_t more, struct err *err)
{
    TRY(array_reserve((void **)to, capacity, count + more, sizeof **to, err));
    memcpy(*to + count, from, more * sizeof **to);
    return STATUS_OK;
}

static enum status join_series(const struct skeleton *series, struct skeletons *joined, struct err *err)
{
    struct skeleton *row = find_skeleton(joined, series->name, series->region);
    if (!row) TRY(add_skeleton(joined, series->name, series->region, &row, err));
    TRY(append_times(&row->predicted_s, row->count, &row->predicted_capacity, series->predicted_s, series->count, err));
    TRY(append_times(&row->measured_s, row->count, &row->capacity, series->measured_s, series->count, err));
    row->count += series->count;
    return STATUS_OK;
}

enum status skeletons_join(const struct skeletons *series, struct skeletons *joined, struct err *err)
{
    struct skeletons made = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < series->count && status == STATUS_OK; i++) status = join_series(&series->items[i], &made, err);
    if (status == STATUS_OK) {
        keep_repeated(&made);
        *joined = made;
    } else {
        skeletons_clear(&made);
    }
    return status;
}

void skeletons_clear(struct skeletons *skeletons)
{
    for (size_t i = 0; i < skeletons->count; i++) free_skeleton(&skeletons->items[i]);
    free(skeletons->items);
    *skeletons = (struct skeletons){0};
}

void skeletons_take_errors(struct skeletons *rows, const struct skeletons *slower)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct skeleton *row = &rows->items[i];
        const struct skeleton *moved = find_skeleton(slower, row->name, row->region);
        if (moved) row->predicted_error_s = moved->predicted_median_s - row->predicted_median_s;
    }
}

void skeletons_leave_out(struct skeletons *skeletons)
{
    for (size_t i = 0; i < skeletons->count; i++) {
        struct skeleton *row = &skeletons->items[i];
        const double measured = row->measured_error_s / row->measured_median_s;
        const double predicted = row->predicted_error_s / row->predicted_median_s;
        if (row->left_out || !(measured > 3 * WITHIN || predicted > 3 * WITHIN)) continue;
        row->left_out = true;
        if (measured > 3 * WITHIN)
            snprintf(row->remark, sizeof row->remark, "its passes differ, so the error of its median is %.0f %%", 100 * measured);
        else
            snprintf(row->remark, sizeof row->remark, "by the errors in the file its prediction has an error of %.0f %%",
                     100 * predicted);
    }
}

/* The prediction's difference from a measured time. */
static double share_of(const struct skeleton *skeleton, double measured_s)
{
    return skeleton->predicted_median_s / measured_s - 1;
}

static void print_row(const struct skeleton *skeleton, FILE *out)
{
    char measured[UNITS_TEXT_BYTES], p10[UNITS_TEXT_BYTES], predicted[UNITS_TEXT_BYTES];
    text_print(out, "%-58s %7zu %10s %10s %10s %+7.1f %% %+7.1f %% %7.1f %%\n", skeleton->name, skeleton->count,
               units_format_duration(skeleton->measured_median_s, measured), units_format_duration(skeleton->measured_p10_s, p10),
               units_format_duration(skeleton->predicted_median_s, predicted),
               100 * share_of(skeleton, skeleton->measured_median_s), 100 * share_of(skeleton, skeleton->measured_p10_s),
               100 * skeleton->measured_error_s / skeleton->measured_median_s);
}

static void print_remarks(const struct skeletons *skeletons, FILE *out)
{
    for (size_t i = 0; i < skeletons->count; i++) {
        const struct skeleton *skeleton = &skeletons->items[i];
        if (*skeleton->remark)
            text_print(out, "%s%s: %s\n", skeleton->left_out ? "not compared: " : "", skeleton->name, skeleton->remark);
    }
}

void skeletons_print(const struct skeletons *skeletons, FILE *out)
{
    double *sizes = malloc(sizeof *sizes * 2 * (skeletons->count + 1)), *sizes_p10 = sizes ? sizes + skeletons->count : NULL;
    size_t rows = 0, within = 0, untold = 0;
    text_print(out, "%-58s %7s %10s %10s %10s %9s %9s %9s\n", "calls between two barriers", "repeats", "median", "p10",
               "predicted", "of median", "of p10", "error");
    for (size_t i = 0; i < skeletons->count; i++) {
        const struct skeleton *skeleton = &skeletons->items[i];
        if (skeleton->left_out) continue;
        const double size = fabs(share_of(skeleton, skeleton->measured_median_s));
        if (sizes) sizes[rows] = size;
        if (sizes) sizes_p10[rows] = fabs(share_of(skeleton, skeleton->measured_p10_s));
        rows++;
        within += size <= WITHIN;
        untold += size > WITHIN && size * skeleton->measured_median_s <= skeleton->measured_error_s;
        print_row(skeleton, out);
    }
    if (sizes && rows > 0)
        text_print(out, "%-99s %7.1f %% %7.1f %%\n", "median size of the differences", 100 * median_of(sizes, rows),
                   100 * median_of(sizes_p10, rows));
    if (rows > 0)
        text_print(out, "%zu of %zu rows are within %.0f %% of the median, %zu of the others within its error\n", within, rows,
                   100 * WITHIN, untold);
    print_remarks(skeletons, out);
    free(sizes);
}
