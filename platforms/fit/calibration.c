#include "platforms/fit/calibration.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json.h"
#include "common/json/json_write.h"
#include "common/line.h"
#include "common/search.h"
#include "platforms/fit/pause.h"
#include "platforms/fit/reverse.h"
#include "platforms/limits.h"
#include "platforms/steps.h"

/* In the order of enum calibration_curve. fits: it has lines. differs: its times are differences of two. */
static const struct {
    const char *key, *spec;
    bool fits, differs;
} rows[CALIBRATION_CURVE_COUNT] = {
    [CALIBRATION_PUT] = {"put", "putLatency -s flush", true},
    [CALIBRATION_GET] = {"get", "getLatency -s flush", true},
    [CALIBRATION_ACCUMULATE] = {"accumulate", "accumulateLatency -s flush", true},
    [CALIBRATION_PING_PONG] = {"ping_pong", "pingPong", true},
    [CALIBRATION_PUT_ISSUE] = {"put_issue", "putIssue", false},
    [CALIBRATION_ISEND_ISSUE] = {"isend_issue", "isendIssue", false},
    [CALIBRATION_PUT_TRAIN] = {"put_train", "putBandwidth -s flush", false},
    [CALIBRATION_SEND_TRAIN] = {"send_train", "sendTrain", false},
    [CALIBRATION_FETCH] = {"fetch_and_op", "fetchAndOpLatency -s flush", false},
    [CALIBRATION_LOCK] = {"lock_unlock", "lockRoundTrip", false},
    [CALIBRATION_PSCW] = {"start_complete", "pscwSkeleton", false},
    [CALIBRATION_PUT_PSCW] = {"start_put_complete", "putLatency -s pscw", false},
    [CALIBRATION_PUT_LOCK_ALL] = {"lock_all_put_unlock_all", "putLatency -s lock_all", false},
    [CALIBRATION_FENCE] = {"fence", "fenceSkeleton", false},
    [CALIBRATION_BARRIER] = {"barrier", "barrier", false},
    [CALIBRATION_ALLREDUCE] = {"allreduce", "allreduceTrain", false},
    [CALIBRATION_MEMORY] = {"memory_copy", "memoryCopy", false},
    [CALIBRATION_PAUSE] = {"put_behind_pause", "putBehindPause", false}, /* by microseconds, not bytes */
    [CALIBRATION_PUT_OPPOSED] = {"put_opposed", "putOpposed", .differs = true},
    [CALIBRATION_GET_OPPOSED] = {"get_opposed", "getOpposed", .differs = true},
    [CALIBRATION_ACCUMULATE_OPPOSED] = {"accumulate_opposed", "accumulateOpposed", .differs = true},
    [CALIBRATION_PUT_BOTH] = {"put_both_ways", "putBothWays", false},
    [CALIBRATION_GET_BOTH] = {"get_both_ways", "getBothWays", false},
    [CALIBRATION_ACCUMULATE_BOTH] = {"accumulate_both_ways", "accumulateBothWays", false},
    [CALIBRATION_THREAD_CREATE] = {"thread_create", "threadCreate", false},
    [CALIBRATION_THREAD_START] = {"thread_start", "threadStart", false},
    [CALIBRATION_THREAD_JOIN] = {"thread_join", "threadJoin", false},
    [CALIBRATION_THREAD_LOCK] = {"thread_lock", "threadLock", false},
    [CALIBRATION_THREAD_UNLOCK] = {"thread_unlock", "threadUnlock", false},
    [CALIBRATION_THREAD_BARRIER] = {"thread_barrier", "threadBarrier", false},
    [CALIBRATION_COPY_BESIDE] = {"copy_beside", "copyBeside", false}, /* by ranks, not bytes */
    [CALIBRATION_COMPUTE_BESIDE] = {"compute_beside", "computeBeside", false},
};

/* --- what was measured --- */

static enum status read_run(const cJSON *run, struct calibration *calibration, struct err *err)
{
    const cJSON *nodes = cJSON_GetObjectItem(run, "nodes"), *cores = cJSON_GetObjectItem(run, "cores"), *node;
    const char *library = cJSON_GetStringValue(cJSON_GetObjectItem(run, "library"));
    calibration->nodes = cJSON_GetArraySize(nodes);
    calibration->cores = cJSON_IsNumber(cores) && cores->valueint >= 1 ? cores->valueint : 1;
    snprintf(calibration->library, sizeof calibration->library, "%s", library ? library : "unknown");
    calibration->partial = cJSON_IsFalse(cJSON_GetObjectItem(run, "complete"));
    cJSON_ArrayForEach (node, nodes) {
        int ranks = cJSON_GetArraySize(cJSON_GetObjectItem(node, "ranks"));
        if (ranks > calibration->most_ranks) calibration->most_ranks = ranks;
    }
    if (calibration->nodes >= 1 && calibration->most_ranks >= 1) return STATUS_OK;
    return err_set(err, STATUS_DATA, "run.json", "nodes", "no nodes with ranks, expected what rmacast-bench writes");
}

static enum status collect_all(const struct bench_results *results, struct calibration *calibration, struct err *err)
{
    for (int between = 0; between < 2; between++) {
        struct conditions *conditions = &calibration->conditions[between];
        TRY(conditions_find(results, between, conditions, err));
        for (int i = 0; i < CALIBRATION_CURVE_COUNT; i++) {
            struct size_curve *curve = &calibration->curves[between][i];
            TRY(size_curve_collect(results, rows[i].spec, between, conditions, curve, err));
            if (rows[i].fits) TRY(size_curve_fit(curve, err));
        }
    }
    return STATUS_OK;
}

/* The median over the launches, with three standard errors. A single one has the distance between its ranks as its error; of
 * MPI_Finalize, which one rank measures, the time itself. */
static enum status join_launches(const struct bench_results *results, struct calibration *calibration, struct err *err)
{
    double *init_s = malloc(sizeof *init_s * (results->launch_count + 1)),
           *finalize_s = malloc(sizeof *finalize_s * (results->launch_count + 1));
    struct bench_statistics init, finalize;
    enum status status = init_s && finalize_s ? STATUS_OK : err_memory(err);
    size_t ended = 0;
    double apart_s = 0;
    for (size_t i = 0; i < results->launch_count && status == STATUS_OK; i++) {
        const struct bench_launch *launch = &results->launches[i];
        init_s[i] = 0.5 * (launch->init_least_s + launch->init_most_s);
        apart_s = fmax(apart_s, launch->init_most_s - launch->init_least_s);
        if (launch->finalize_s >= 0) finalize_s[ended++] = launch->finalize_s;
    }
    calibration->init_n = calibration->finalize_n = 0;
    if (status == STATUS_OK && results->launch_count > 0) {
        bench_statistics_of(init_s, results->launch_count, &init);
        calibration->init_n = init.count;
        calibration->init_s = (struct fit_value){init.median, init.count > 1 ? 3 * init.median_error : apart_s};
    }
    if (status == STATUS_OK && ended > 0) {
        bench_statistics_of(finalize_s, ended, &finalize);
        calibration->finalize_n = finalize.count;
        calibration->finalize_s = (struct fit_value){finalize.median, ended > 1 ? 3 * finalize.median_error : finalize.median};
    }
    FREE_ALL(init_s, finalize_s);
    return status;
}

enum status calibration_new(const struct bench_results *results, const cJSON *run, struct calibration **calibration,
                            struct err *err)
{
    struct calibration *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    enum status status = read_run(run, made, err);
    if (status == STATUS_OK) status = collect_all(results, made, err);
    if (status == STATUS_OK) status = bench_results_own_s(results, &made->own_s, err);
    if (status == STATUS_OK) status = join_launches(results, made, err);
    if (status == STATUS_OK)
        status = pairs_compare(results, rows[CALIBRATION_PUT].spec, cJSON_GetObjectItem(run, "nodes"), &made->pairs, err);
    bool fitted = false;
    for (int between = 0; between < 2; between++)
        fitted = fitted || made->curves[between][CALIBRATION_PUT].fitted || made->curves[between][CALIBRATION_PING_PONG].fitted;
    if (status == STATUS_OK && !fitted)
        status = err_set(
            err, STATUS_DATA, NULL, NULL,
            "neither \"putLatency -s flush\" nor \"pingPong\" can be fitted (%s), expected one of them at %d sizes or more",
            made->curves[0][CALIBRATION_PUT].reason, FIT_SEGMENT_POINTS);
    GIVE(status, *calibration = made, free(made));
}

static const char *class_name(bool between)
{
    return between ? "between nodes" : "within a node";
}

bool calibration_is_unsteady(const struct calibration *calibration, char text[CALIBRATION_UNSTEADY_BYTES])
{
    for (int between = 0; between < 2; between++) {
        const struct size_curve *put = &calibration->curves[between][CALIBRATION_PUT],
                                *curve = put->fitted ? put : &calibration->curves[between][CALIBRATION_PING_PONG];
        if (!curve->fitted || 2 * curve->unsteady <= curve->count) continue;
        snprintf(text, CALIBRATION_UNSTEADY_BYTES, "%zu of %zu sizes of %s %s", curve->unsteady, curve->count, curve->spec,
                 class_name(between));
        return true;
    }
    return false;
}

/* --- values --- */

struct writer {
    const struct calibration *calibration;
    const cJSON *mpi; /* the probe's; may be NULL */
    cJSON *notes;
    /* Within a node and between nodes. */
    struct fit_value overhead[2], latency[2];
    struct fit_value two_sided[2]; /* latency of sends and collectives */
    struct fit_value delay[2];     /* of a first message behind the bench's barrier */
    bool apart[2];                 /* they have lines of their own */
};

static void add_note(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_note(struct writer *writer, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const cJSON *said;
    cJSON_ArrayForEach (said, writer->notes)
        if (strcmp(said->valuestring, text) == 0) return;
    json_append(writer->notes, cJSON_CreateString(text));
}

/* Adds the value if a platform may have it. */
static bool add_measured(struct writer *writer, cJSON *object, const char *key, double value, double error, size_t n)
{
    if (isfinite(value) && isfinite(error) && value >= 0 && error >= 0) {
        json_put(object, key, json_measured(value, error, n));
        return true;
    }
    add_note(writer, "%s: left out, since it came out as %g +- %g", key, value, error);
    return false;
}

/* Error: three standard errors of the point's time. */
static struct fit_value value_of(const struct fit_point *point)
{
    return (struct fit_value){point->y, 3 * point->error};
}

/* The time of a size. If the median is not within 1.2 of both the 10th and the 90th percentile, it is the 10th, however many
 * passes measured the size, and its error is the distance to the least. Repetitions under known conditions are quick ones, whose
 * median counts: of calls of 50 ns the clock's steps make a spread. */
static struct fit_value quick_value(const struct size_curve *curve, size_t size)
{
    const struct bench_statistics *statistics = &curve->sizes[size].all;
    bool steady = !bench_statistics_refused(statistics) && statistics->median <= BENCH_SPREAD_MOST * statistics->p10;
    if (steady || curve->sizes[size].selected || curve->points[size].y <= statistics->p10) return value_of(&curve->points[size]);
    double error = fmax(statistics->p10 - statistics->least, CURVE_ERROR_LEAST * statistics->p10);
    return (struct fit_value){statistics->p10, 3 * error};
}

/* overhead_s: a call that sends and waits for nothing takes at least that. These are MPI_Put (MPI_Isend if no put was measured),
 * and MPI_Win_complete of an epoch without operations. A message of a ping-pong takes it twice, at its sender and its receiver.
 * What else the core does while the message is under way only adds time, so the shortest one counts. */
static bool find_overhead(const struct calibration *calibration, bool between, struct fit_value *overhead, size_t *n)
{
    static const struct {
        enum calibration_curve curve;
        double overheads;
    } sources[] = {{CALIBRATION_PUT_ISSUE, 1}, {CALIBRATION_ISEND_ISSUE, 1}, {CALIBRATION_PSCW, 1}, {CALIBRATION_PING_PONG, 2}};
    bool found = false;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const struct size_curve *curve = &calibration->curves[between][sources[i].curve];
        const bool bounds = sources[i].overheads > 1; /* what it says alone is no overhead, but its upper bound */
        if (curve->count == 0 || (found && sources[i].curve == CALIBRATION_ISEND_ISSUE) || (!found && bounds)) continue;
        const struct fit_value value = quick_value(curve, 0);
        if (found && value.value / sources[i].overheads >= overhead->value) continue;
        *overhead = (struct fit_value){value.value / sources[i].overheads, value.error / sources[i].overheads};
        *n = curve->sizes[0].statistics.count;
        found = true;
    }
    if (!found) *overhead = (struct fit_value){0, 0};
    return found;
}

/* The composition of the curve's time: the number of overheads, and of first-segment latencies beside the message's
 * own. A put and its flush: overhead, message, acknowledgement. Half a ping-pong: overhead on both sides, message. */
struct composition {
    const struct size_curve *curve;
    double overheads, acknowledgements;
    double asks_above; /* bytes above which a message asks first: two latencies more */
    struct fit_value delay; /* of each repetition */
};

/* mpi.rma.eager_bytes, a number or a measured value, where the target's progress serves puts: docs/simulation.md, Operations. */
static double puts_ask_above(const cJSON *mpi)
{
    const cJSON *rma = cJSON_GetObjectItem(mpi, "rma"), *eager = cJSON_GetObjectItem(rma, "eager_bytes");
    const cJSON *put = cJSON_GetObjectItem(cJSON_GetObjectItem(cJSON_GetObjectItem(rma, "protocol"), "serves"), "put");
    if (cJSON_IsObject(eager)) eager = cJSON_GetObjectItem(eager, "value");
    bool by_hardware = !cJSON_IsString(put) || strcmp(put->valuestring, "hardware") == 0;
    return by_hardware || !cJSON_IsNumber(eager) ? INFINITY : eager->valuedouble;
}

static bool find_network_curve(const struct writer *writer, bool between, struct composition *composition)
{
    const struct size_curve *put = &writer->calibration->curves[between][CALIBRATION_PUT],
                            *ping_pong = &writer->calibration->curves[between][CALIBRATION_PING_PONG];
    if (put->fitted)
        *composition = (struct composition){put, 1, 1, puts_ask_above(writer->mpi), {0, 0}};
    else
        *composition = (struct composition){ping_pong, 2, 0, INFINITY, {0, 0}};
    return composition->curve->fitted;
}

/* Makes a segment's line one of a platform: its slope is positive. If it is not (times of small messages do not grow),
 * the next segment's slope is used, with the mean intercept for it. */
static bool make_positive(struct writer *writer, const struct size_curve *curve, int index, struct fit_value *intercept,
                          struct fit_value *slope)
{
    const struct fit_segment *segment = &curve->fit.segments[index];
    *intercept = segment->intercept;
    *slope = segment->slope;
    if (slope->value > 0) return true;
    for (int next = index + 1; next < curve->fit.count; next++) {
        if (curve->fit.segments[next].slope.value <= 0) continue;
        *slope = curve->fit.segments[next].slope;
        *intercept = fit_intercept(curve->points + segment->first, segment->points, slope->value);
        return true;
    }
    add_note(writer, "%s %s: times do not grow with bytes from %g on", curve->spec, class_name(curve->between),
             segment->from);
    return false;
}

/* Replaces a negative latency by 0. The slope is fitted again with the rest of the intercept, `other`. */
static void take_latency_zero(const struct composition *composition, int index, double other, struct fit_value *latency,
                              struct fit_value *slope)
{
    const struct fit_segment *segment = &composition->curve->fit.segments[index];
    *latency = (struct fit_value){0, latency->error};
    *slope = fit_slope(composition->curve->points + segment->first, segment->points, other);
}

/* Of all sizes of the segment. */
static size_t count_repetitions(const struct size_curve *curve, const struct fit_segment *segment)
{
    size_t count = 0;
    for (size_t i = 0; i < segment->points; i++) count += curve->sizes[segment->first + i].statistics.count;
    return count;
}

static cJSON *segments_to_json(struct writer *writer, const struct composition *composition, const struct fit_value *overhead,
                               struct fit_value *first_latency)
{
    const struct size_curve *curve = composition->curve;
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < curve->fit.count; i++) {
        const struct fit_segment *segment = &curve->fit.segments[i];
        size_t n = count_repetitions(curve, segment);
        struct fit_value intercept, slope, latency;
        if (!make_positive(writer, curve, i, &intercept, &slope)) continue;
        double other = composition->overheads * overhead->value + composition->delay.value;
        double shares = i == 0 ? 1 + composition->acknowledgements : 1;
        if (i > 0)
            other += (composition->acknowledgements + (segment->from > composition->asks_above ? 2 : 0)) *
                     first_latency->value;
        latency.value = (intercept.value - other) / shares;
        const double other_error = hypot(composition->overheads * overhead->error, composition->delay.error);
        latency.error = hypot(intercept.error, other_error) / shares;
        if (latency.value < 0) {
            add_note(writer, "%s %s: latency from %g bytes on came out as %g s, taken as 0", curve->spec,
                     class_name(curve->between), segment->from, latency.value);
            take_latency_zero(composition, i, other, &latency, &slope);
        }
        if (i == 0) *first_latency = latency;
        cJSON *row = cJSON_CreateObject();
        if (i + 1 < curve->fit.count)
            json_put(row, "upto_bytes",
                                  json_measured(segment->upto, curve->fit.segments[i + 1].from - segment->upto, n));
        if (add_measured(writer, row, "latency_s", latency.value, latency.error, n) &&
            add_measured(writer, row, "bandwidth_Bps", 1 / slope.value, slope.error / (slope.value * slope.value), n))
            json_append(list, row);
        else
            json_drop(list, row);
    }
    return list;
}

/* --- two-sided messages --- */

/* The ping-pong's segment below mpi.eager_bytes, where it has its largest jump: a rendezvous takes two messages more. NULL:
 * none. */
static const struct fit_segment *last_eager(const struct calibration *calibration, bool between)
{
    const struct size_curve *curve = &calibration->curves[between][CALIBRATION_PING_PONG];
    const struct fit_segment *found = NULL;
    double largest = 0;
    for (int i = 0; curve->fitted && i + 1 < curve->fit.count; i++) {
        const struct fit_segment *below = &curve->fit.segments[i], *above = below + 1;
        double x = above->from, time = below->intercept.value + below->slope.value * x;
        double jump = above->intercept.value + above->slope.value * x - time;
        if (jump <= largest || jump < 0.1 * time) continue;
        largest = jump;
        found = below;
    }
    return found;
}

static double number_of(const cJSON *measured)
{
    const cJSON *value = cJSON_IsObject(measured) ? cJSON_GetObjectItem(measured, "value") : measured;
    return cJSON_IsNumber(value) ? value->valuedouble : INFINITY;
}

/* How many control messages a send of so many bytes takes: docs/simulation.md, Point-to-point. */
static double control_messages(const struct writer *writer, double bytes)
{
    const struct calibration *calibration = writer->calibration;
    const struct fit_segment *eager = last_eager(calibration, calibration->curves[1][CALIBRATION_PUT].fitted);
    const cJSON *probed = cJSON_GetObjectItem(writer->mpi, "eager_bytes");
    const char *rendezvous = cJSON_GetStringValue(cJSON_GetObjectItem(writer->mpi, "rendezvous"));
    if (bytes <= (probed ? number_of(probed) : eager ? eager->upto : INFINITY)) return 0;
    if (rendezvous && strcmp(rendezvous, "read") == 0) return 1;
    return rendezvous && strcmp(rendezvous, "notified") == 0 ? 4 : 2;
}

static const cJSON *line_of(const cJSON *lines, double bytes)
{
    const cJSON *row = lines ? lines->child : NULL;
    while (row && row->next && number_of(cJSON_GetObjectItem(row, "upto_bytes")) < bytes) row = row->next;
    return row;
}

/* latency_s + bytes / bandwidth_Bps of rows by size. */
static double way_of(const cJSON *lines, double bytes)
{
    const cJSON *row = line_of(lines, bytes);
    return number_of(cJSON_GetObjectItem(row, "latency_s")) + bytes / number_of(cJSON_GetObjectItem(row, "bandwidth_Bps"));
}

/* Whether the ping-pong's times differ from the lines of all messages: half of its sizes differ by more than 5 %. */
static bool lines_differ(const struct writer *writer, const cJSON *lines, bool between)
{
    const struct size_curve *curve = &writer->calibration->curves[between][CALIBRATION_PING_PONG];
    double apart[FIT_POINTS_MOST];
    for (size_t i = 0; i < curve->count; i++) {
        const struct fit_point *point = &curve->points[i];
        double asks = control_messages(writer, point->x) * way_of(lines, 0);
        double time = 2 * writer->overhead[between].value + asks + way_of(lines, point->x);
        apart[i] = fabs(time / point->y - 1);
    }
    qsort(apart, curve->count, sizeof *apart, compare_doubles);
    return curve->count > 0 && apart[curve->count / 2] > 0.05;
}

/* two_sided: lines through half ping-pongs without the control messages of a rendezvous. */
static void add_two_sided(struct writer *writer, cJSON *section, const cJSON *lines, bool between)
{
    struct size_curve curve = writer->calibration->curves[between][CALIBRATION_PING_PONG];
    struct fit_value latency = {0, 0};
    if (!curve.fitted || !lines_differ(writer, lines, between)) return;
    double control = fmax(curve.fit.segments[0].intercept.value - 2 * writer->overhead[between].value, 0);
    for (size_t i = 0; i < curve.count; i++) curve.points[i].y -= control * control_messages(writer, curve.points[i].x);
    if (size_curve_fit(&curve, NULL) != STATUS_OK || !curve.fitted) return;
    const struct composition composition = {&curve, 2, 0, INFINITY, {0, 0}};
    cJSON *own = segments_to_json(writer, &composition, &writer->overhead[between], &latency);
    if (cJSON_GetArraySize(own) == 0) {
        json_drop(section, own);
        return;
    }
    json_put(json_add_object(section, "two_sided"), "segments", own);
    writer->two_sided[between] = latency;
    writer->apart[between] = true;
}

/* --- sections --- */

enum { TRAIN_MESSAGES = 64 };

/* Rank 0 comes to the bench's barrier last where its target only serves. It sends its message there, leaves the barrier at once,
 * and its next message leaves gap_s behind that one: later than overhead_s, if gap_s is more. */
static bool is_behind_barrier(const struct writer *writer, const struct size_curve *curve)
{
    return curve == &writer->calibration->curves[1][CALIBRATION_PUT];
}

/* gap_s: the smallest messages of a train of 64 leave a gap g apart, so each takes g + 2 L / 64. The way of a message and that of
 * its answer, 2 L, are the time of a lone one without its overheads o. A lone one behind a barrier takes g + 2 L, if g is more
 * than o. A train whose messages take longer than a lone one was disturbed. */
static bool find_gap(struct writer *writer, const struct composition *composition, const struct fit_value *overhead,
                     struct fit_value *gap)
{
    const struct size_curve *lone = composition->curve;
    const struct fit_point *point = size_curve_point(&writer->calibration->curves[lone->between][CALIBRATION_PUT_TRAIN], -1);
    const double messages = TRAIN_MESSAGES;
    struct fit_value alone, at_zero, slope;
    if (!point) return false;
    if (piecewise_predict(&lone->fit, fmax(point->x, lone->fit.segments[0].from), &alone, NULL) == STATUS_OK &&
        point->y > alone.value) {
        add_note(writer, "gap_s: left out, since a put of a train took %.3g us, and one alone %.3g us", 1e6 * point->y,
                 1e6 * alone.value);
        return false;
    }
    make_positive(writer, lone, 0, &at_zero, &slope);
    const double way = fmax(at_zero.value - composition->overheads * overhead->value, 0);
    const double both_ways = 2 * way / (1 + composition->acknowledgements);
    *gap = (struct fit_value){fmax(point->y - both_ways / messages, 0), 3 * point->error};
    if (!is_behind_barrier(writer, lone) || gap->value <= overhead->value) return true;
    gap->value = (messages * point->y - at_zero.value) / (messages - 1);
    gap->error = hypot(messages * 3 * point->error, at_zero.error) / (messages - 1);
    return true;
}

/* How much later than overhead_s the first message behind a barrier leaves. */
static struct fit_value delay_of(const struct fit_value *gap, const struct fit_value *overhead)
{
    if (gap->value <= overhead->value) return (struct fit_value){0, 0};
    return (struct fit_value){gap->value - overhead->value, hypot(gap->error, overhead->error)};
}

/* Of a normal distribution 90 % are below the mean and 1.2816 standard deviations. A put and its acknowledgement are two
 * messages, each with a deviation of its own. A curve without spread has no jitter. */
static void add_jitter(struct writer *writer, cJSON *network, const struct size_curve *lone)
{
    double values[FIT_POINTS_MOST];
    struct bench_statistics over_sizes;
    for (size_t i = 0; i < lone->count; i++)
        values[i] = (lone->sizes[i].statistics.p90 - lone->sizes[i].statistics.median) / (1.2816 * sqrt(2));
    bench_statistics_of(values, lone->count, &over_sizes);
    if (over_sizes.median > 0)
        add_measured(writer, network, "jitter_s", over_sizes.median, 3 * over_sizes.median_error, lone->count);
}

/* The steps of the call. A list that is missing, or that the reader of platforms will refuse, is the default. */
static struct call_steps steps_of(const cJSON *mpi, enum steps_call call)
{
    struct json_document document = {.file = ""};
    const struct json_node list = {
        &document, cJSON_GetObjectItem(json_find(mpi, "rma.protocol.calls"), steps_call_names[call]), ""};
    struct call_steps steps = steps_default(call);
    struct err err = {0};
    if (list.item && steps_read(&list, call, &steps, &err) != STATUS_OK) return steps_default(call);
    return steps;
}

/* Whether the call has the form, which the short name says where the list is missing (docs/platforms.md, Short names). */
static bool is_named(const cJSON *mpi, enum steps_call call, const char *name)
{
    const char *key = steps_call_names[call];
    const cJSON *said = cJSON_GetObjectItem(json_find(mpi, "rma"), key), *lists = json_find(mpi, "rma.protocol.calls");
    if (!cJSON_HasObjectItem(lists, key) && cJSON_IsString(said)) return strcmp(said->valuestring, name) == 0;
    return steps_of(mpi, call).form != steps_default(call).form;
}

/* Whether unlock waits for its answer: if so, it takes as long as the lock. */
static bool unlocks_wait(const cJSON *mpi)
{
    return steps_of(mpi, STEPS_UNLOCK).form == FORM_UNLOCK_ANSWERED;
}

/* The latency follows from other messages, too. Values that differ by more than 10 % are noted. */
static void compare_latencies(struct writer *writer, bool between, double overhead, double latency)
{
    const double delay = writer->delay[between].value;
    const bool answered = steps_of(writer->mpi, STEPS_UNLOCK).form != FORM_UNLOCK_RELEASED;
    const struct {
        enum calibration_curve curve;
        double overheads, latencies, delay;
    } ways[] = {{CALIBRATION_GET, 1, 2, delay},
                {CALIBRATION_FETCH, 1, 2, delay},
                {CALIBRATION_PING_PONG, 2, 1, 0},
                {CALIBRATION_LOCK, 2, answered ? 4 : 2, delay}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct size_curve *curve = &writer->calibration->curves[between][ways[i].curve];
        const struct fit_point *point = size_curve_point(curve, -1);
        if (!point) continue;
        if (writer->apart[between] && ways[i].curve == CALIBRATION_PING_PONG) continue;
        double other = (point->y - ways[i].overheads * overhead - ways[i].delay) / ways[i].latencies;
        if (fabs(other - latency) > 0.1 * latency)
            add_note(writer, "latency %s: %.3g us by %s, %.3g us by what the file has", class_name(between),
                     1e6 * other, curve->spec, 1e6 * latency);
    }
}

static void count_unsteady(struct writer *writer)
{
    for (int between = 0; between < 2; between++)
        for (int i = 0; i < CALIBRATION_CURVE_COUNT; i++) {
            const struct size_curve *curve = &writer->calibration->curves[between][i];
            if (curve->unsteady && !rows[i].differs)
                add_note(writer,
                         "%s %s: %zu of %zu sizes are unsteady (90th percentile above 1.2 medians), their 10th "
                         "percentile is used",
                         curve->spec, class_name(between), curve->unsteady, curve->count);
        }
}

/* Sizes whose batches have seen other conditions than those that count: the machine has changed. */
static void count_elsewhere(struct writer *writer)
{
    for (int between = 0; between < 2; between++) {
        size_t elsewhere = 0, sizes = 0;
        for (int i = 0; i < CALIBRATION_CURVE_COUNT; i++) {
            const struct size_curve *curve = &writer->calibration->curves[between][i];
            for (size_t k = 0; k < curve->count; k++) elsewhere += curve->sizes[k].elsewhere;
            sizes += curve->count;
        }
        if (elsewhere > 0)
            add_note(writer,
                     "%s the machine changed: %zu of %zu sizes have fewer than %d repetitions under the conditions that count "
                     "(%.0f %% of the batches): another run, or more --rounds",
                     class_name(between), elsewhere, sizes, CONDITIONS_REPETITIONS_LEAST,
                     100 * writer->calibration->conditions[between].share);
    }
}

/* Calls of the smallest size that take longer because another process had the core. The file has none of that, a program may. */
static void tell_losses(struct writer *writer)
{
    for (int between = 0; between < 2; between++)
        for (int i = 0; i < CALIBRATION_CURVE_COUNT; i++) {
            const struct size_curve *curve = &writer->calibration->curves[between][i];
            const struct curve_size *size = &curve->sizes[0];
            if (curve->count == 0 || !size->selected) continue;
            if (size->lost.median <= BENCH_SPREAD_MOST * size->statistics.median) continue;
            add_note(writer,
                     "%s %s: another process had the core in %.0f %% of the calls, which take %.3g us then; without, %.3g us",
                     curve->spec, class_name(between), 100 * (double)size->lost.count / (double)size->all.count,
                     1e6 * size->lost.median, 1e6 * size->statistics.median);
        }
}

/* Adds network, or its loopback. whole: with overhead and gap. False: nothing was measured there. */
static bool add_lines(struct writer *writer, cJSON *section, bool between, bool whole)
{
    const struct calibration *calibration = writer->calibration;
    struct composition composition;
    struct fit_value overhead, gap, latency = {0, 0};
    size_t n = 0;
    if (!find_network_curve(writer, between, &composition)) return false;
    bool has = find_overhead(calibration, between, &overhead, &n);
    const bool has_gap = whole && find_gap(writer, &composition, &overhead, &gap);
    if (has_gap && is_behind_barrier(writer, composition.curve))
        composition.delay = writer->delay[between] = delay_of(&gap, &overhead);
    cJSON *segments = segments_to_json(writer, &composition, &overhead, &latency);
    json_put(section, "segments", segments);
    writer->overhead[between] = overhead;
    writer->latency[between] = writer->two_sided[between] = latency;
    if (composition.curve == &calibration->curves[between][CALIBRATION_PUT]) add_two_sided(writer, section, segments, between);
    compare_latencies(writer, between, overhead.value, latency.value);
    if (has && (whole || calibration->curves[1][CALIBRATION_PUT].fitted))
        add_measured(writer, section, "overhead_s", overhead.value, overhead.error, n);
    if (has_gap)
        add_measured(writer, section, "gap_s", gap.value, gap.error,
                     calibration->curves[composition.curve->between][CALIBRATION_PUT_TRAIN].sizes[0].statistics.count);
    if (whole) add_jitter(writer, section, composition.curve);
    return cJSON_GetArraySize(segments) > 0;
}

static cJSON *reverse_to_json(const struct reverse_sizes *found)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < found->count; i++) {
        cJSON *row = cJSON_CreateObject();
        if (i + 1 < found->count) json_add_number(row, "upto_bytes", found->rows[i].upto_bytes);
        json_put(row, "share",
                              json_measured(found->rows[i].share.value, found->rows[i].share.error, found->rows[i].n));
        json_append(list, row);
    }
    return list;
}

/* network.loopback.reverse_share by size, of operations that have one at some size. */
static void add_reverse_within(struct writer *writer, cJSON *loopback)
{
    static const struct {
        enum calibration_curve both, alone;
        const char *key;
    } ways[] = {{CALIBRATION_PUT_BOTH, CALIBRATION_PUT, "put"},
                {CALIBRATION_GET_BOTH, CALIBRATION_GET, "get"},
                {CALIBRATION_ACCUMULATE_BOTH, CALIBRATION_ACCUMULATE, "accumulate"}};
    const struct size_curve *curves = writer->calibration->curves[0];
    const cJSON *lines = cJSON_GetObjectItem(loopback, "segments");
    cJSON *shares = cJSON_CreateObject();
    for (size_t i = 0; curves[CALIBRATION_PUT].fitted && i < sizeof ways / sizeof *ways; i++) {
        const struct size_curve *both = &curves[ways[i].both];
        double s_per_byte[FIT_POINTS_MOST];
        struct reverse_sizes found;
        for (size_t k = 0; k < both->count; k++)
            s_per_byte[k] = 1 / number_of(cJSON_GetObjectItem(line_of(lines, both->points[k].x), "bandwidth_Bps"));
        if (both->count <= REVERSE_RULES_MAX && reverse_find_within(both, &curves[ways[i].alone], s_per_byte, &found))
            json_put(shares, ways[i].key, reverse_to_json(&found));
    }
    if (cJSON_GetArraySize(shares) > 0)
        json_put(loopback, "reverse_share", shares);
    else
        json_drop(loopback, shares);
}

static cJSON *begin_network(cJSON *platform)
{
    cJSON *network = json_add_object(platform, "network");
    json_add_text(json_add_object(network, "topology"), "type", "crossbar");
    return network;
}

/* With only one node, the network gets the values of messages within it; no message uses them. */
static bool add_network(struct writer *writer, cJSON *platform)
{
    cJSON *network = begin_network(platform), *loopback = cJSON_CreateObject();
    bool several = add_lines(writer, network, true, true);
    if (!several) {
        json_remove(platform, "network"); /* with what a curve without lines has left in it */
        network = begin_network(platform);
        add_note(writer, "nothing was measured between nodes: network has the values within a node");
    }
    bool own = several || add_lines(writer, network, false, true);
    if (add_lines(writer, loopback, false, false)) {
        add_reverse_within(writer, loopback);
        json_put(network, "loopback", loopback);
    } else {
        json_drop(network, loopback);
    }
    return own;
}

/* Beside others disturbances are what is measured: the median counts, of unsteady sizes, too. */
static struct fit_value median_of(const struct size_curve *curve, size_t index)
{
    const struct bench_statistics *statistics = &curve->sizes[index].statistics;
    return (struct fit_value){statistics->median, 3 * size_curve_median_error(statistics)};
}

/* How many times as long as alone, with the errors of both times. */
static struct fit_value slowdown_of(const struct size_curve *curve, size_t index)
{
    const struct fit_value alone = median_of(curve, 0), beside = median_of(curve, index);
    const double ratio = beside.value / alone.value;
    return (struct fit_value){ratio, ratio * hypot(alone.error / alone.value, beside.error / beside.value)};
}

/* nodes.memory_curve: copying beside others, relative to computing beside as many. No row falls below the one before it. */
static void add_memory_curve(struct writer *writer, cJSON *nodes)
{
    const struct size_curve *copy = &writer->calibration->curves[0][CALIBRATION_COPY_BESIDE],
                            *compute = &writer->calibration->curves[0][CALIBRATION_COMPUTE_BESIDE];
    if (copy->count < 2 || copy->points[0].x != 1) return;
    cJSON *rows_made = json_add_array(nodes, "memory_curve");
    double most = 1;
    for (size_t i = 0; i < copy->count; i++) {
        struct fit_value slowdown = slowdown_of(copy, i), other = {1, 0};
        if (i < compute->count && compute->points[i].x == copy->points[i].x) other = slowdown_of(compute, i);
        if (other.value - other.error > 1)
            add_note(writer, "memory_curve: computing in registers takes %.3g times as long on %g cores at once, too, as cores "
                             "that are shared or slow down: copying is relative to it", other.value, copy->points[i].x);
        const double by = fmax(other.value, 1);
        most = fmax(most, slowdown.value / by);
        cJSON *row = json_append_object(rows_made);
        json_add_number(row, "ranks", copy->points[i].x);
        if (i == 0)
            json_add_number(row, "slowdown", 1);
        else
            json_put(row, "slowdown", json_measured(most, hypot(slowdown.error, slowdown.value * other.error / by) / by,
                                                    copy->sizes[i].statistics.count));
    }
}

static void add_nodes(struct writer *writer, cJSON *platform)
{
    const struct calibration *calibration = writer->calibration;
    const struct size_curve *copy = &calibration->curves[0][CALIBRATION_MEMORY];
    cJSON *nodes = json_add_object(platform, "nodes");
    json_add_number(nodes, "count", calibration->nodes);
    json_add_number(nodes, "cores", calibration->cores);
    add_memory_curve(writer, nodes);
    if (calibration->nodes > 1)
        add_note(writer, "nodes, threads: cores, memory and threads were measured on one of %d nodes: the others count as it",
                 calibration->nodes);
    if (copy->count == 0) return;
    const struct fit_point *point = &copy->points[copy->count - 1];
    add_measured(writer, nodes, "memory_bandwidth_Bps", point->x / point->y, 3 * point->error * point->x / (point->y * point->y),
                 copy->sizes[copy->count - 1].statistics.count);
}

/* Older results have no tests of threads. */
static void add_threads(struct writer *writer, cJSON *platform)
{
    static const char *const keys[] = {"create_s", "start_s", "join_s", "lock_s", "unlock_s", "barrier_s"};
    cJSON *threads = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct size_curve *curve = &writer->calibration->curves[0][CALIBRATION_THREAD_CREATE + i];
        if (curve->count == 0) continue;
        if (!threads) threads = json_add_object(platform, "threads");
        const struct fit_value value = quick_value(curve, 0);
        add_measured(writer, threads, keys[i], value.value, value.error, curve->sizes[0].statistics.count);
    }
}

static void add_eager(struct writer *writer, cJSON *mpi, bool between)
{
    const struct fit_segment *below = cJSON_GetObjectItem(mpi, "eager_bytes") ? NULL : last_eager(writer->calibration, between);
    if (!below) return;
    const struct size_curve *curve = &writer->calibration->curves[between][CALIBRATION_PING_PONG];
    add_measured(writer, mpi, "eager_bytes", below->upto, below[1].from - below->upto,
                 count_repetitions(curve, below) + count_repetitions(curve, below + 1));
}

/* Repetitions of the curve's sizes from..upto. */
static size_t repetitions_of(const struct size_curve *curve, double from, double upto)
{
    size_t count = 0;
    for (size_t i = 0; i < curve->count; i++)
        if (curve->points[i].x >= from && curve->points[i].x <= upto) count += curve->sizes[i].statistics.count;
    return count;
}

/* What an accumulate of each size takes longer than a put that does not ask first. Accumulates never ask. */
static size_t accumulate_differences(const struct writer *writer, bool between, struct fit_point points[FIT_POINTS_MOST])
{
    const struct size_curve *put = &writer->calibration->curves[between][CALIBRATION_PUT],
                            *accumulate = &writer->calibration->curves[between][CALIBRATION_ACCUMULATE];
    const double asks_above = puts_ask_above(writer->mpi);
    size_t count = 0;
    for (size_t i = 0; i < accumulate->count; i++) {
        const struct fit_point *own = &accumulate->points[i], *same = size_curve_point(put, own->x);
        if (!same) continue;
        const double asks = own->x > asks_above ? 2 * writer->latency[between].value : 0;
        points[count++] = (struct fit_point){own->x, own->y - same->y + asks, hypot(own->error, same->error)};
    }
    return count;
}

/* What the line adds to `call`, the share of all sizes. Neither a fixed time nor a time per byte is negative: where one comes out
 * so, the other one is fitted again without it. */
static void split_work(const struct fit_point *points, const struct fit_segment *segment, double call, bool has_fixed,
                       struct fit_value *fixed, struct fit_value *slope)
{
    const struct fit_point *own = points + segment->first;
    *fixed = (struct fit_value){has_fixed ? segment->intercept.value - call : 0, has_fixed ? segment->intercept.error : 0};
    *slope = segment->slope;
    if (fixed->value < 0) {
        fixed->value = 0;
        *slope = (struct fit_value){fit_slope(own, segment->points, call).value, segment->slope.error};
    }
    if (slope->value >= 0) return;
    slope->value = 0;
    if (has_fixed) fixed->value = fmax(fit_intercept(own, segment->points, 0).value - call, 0);
}

/* mpi.rma.atomic_s_per_byte: lines through the differences of accumulates and puts. What the first line has at 0 bytes is the
 * call's (call_s). The bench's series count before the probe's: it measured them with the puts, under the same conditions. */
static void add_atomics(struct writer *writer, cJSON *rma, bool between)
{
    static const char key[] = "atomic_s_per_byte";
    const struct size_curve *accumulate = &writer->calibration->curves[between][CALIBRATION_ACCUMULATE];
    struct fit_point points[FIT_POINTS_MOST];
    struct piecewise fit;
    if (piecewise_fit(points, accumulate_differences(writer, between, points), &fit, NULL) != STATUS_OK) return;
    cJSON *costs = cJSON_CreateArray();
    for (int i = 0; i < fit.count; i++) {
        const struct fit_segment *segment = &fit.segments[i];
        const size_t n = repetitions_of(accumulate, segment->from, segment->upto);
        struct fit_value fixed, slope;
        split_work(points, segment, fit.segments[0].intercept.value, i > 0, &fixed, &slope);
        cJSON *row = cJSON_CreateObject();
        if (i + 1 < fit.count)
            json_put(row, "upto_bytes", json_measured(segment->upto, segment[1].from - segment->upto, n));
        if (fixed.value > 0) json_put(row, "fixed_s", json_measured(fixed.value, fixed.error, n));
        json_put(row, "s_per_byte", json_measured(slope.value, slope.error, n));
        json_append(costs, row);
    }
    json_remove(rma, key);
    json_put(rma, key, fit.count > 1 ? costs : cJSON_DetachItemFromObject(cJSON_GetArrayItem(costs, 0), "s_per_byte"));
    if (fit.count == 1) json_drop(rma, costs);
}

/* Whether mpi.rma.protocol.KEY, one name or one by operation, says this of puts. */
static bool puts_are(const cJSON *protocol, const char *key, const char *name)
{
    const cJSON *choice = cJSON_GetObjectItem(protocol, key);
    const char *put = cJSON_GetStringValue(cJSON_IsString(choice) ? choice : cJSON_GetObjectItem(choice, "put"));
    return put && strcmp(put, name) == 0;
}

/* Whether complete waits until its puts are acknowledged. */
static bool completes_wait(const cJSON *mpi)
{
    return steps_of(mpi, STEPS_COMPLETE).form == FORM_COMPLETE_BEHIND;
}

/* Whether unlock_all releases without an answer, and sends nothing before its operations are acknowledged, neither a request of a
 * flush nor a release behind the data. Then its own time and its overhead pass while it waits for them. With an answer the replay
 * has both behind the acknowledgements. */
static bool unlocks_behind(const cJSON *mpi)
{
    const struct call_steps unlock = steps_of(mpi, STEPS_UNLOCK);
    return unlock.form == FORM_UNLOCK_RELEASED && unlock.query == QUERY_NONE;
}

static double call_time(const cJSON *calls, const char *function)
{
    const cJSON *found = function ? cJSON_GetObjectItem(cJSON_GetObjectItem(calls, function), "value") : NULL;
    return found ? found->valuedouble : 0;
}

/* Whether other processes had the cores during the series: it is unsteady, and takes far longer than what explains it. Then
 * says so. */
static bool was_stalled(struct writer *writer, const struct size_curve *curve, bool between, double time_s, double explained_s)
{
    enum { FAR = 10 };
    if (!curve->sizes[0].unsteady || time_s <= FAR * explained_s) return false;
    add_note(writer,
             "%s %s: unsteady, and %.3g us where overheads and latencies explain %.3g us: no time of a call is worked out",
             curve->spec, class_name(between), time_s * 1e6, explained_s * 1e6);
    return true;
}

/* call_s of mpi, or of network.loopback: what a test takes longer than overhead_s, messages, and its calls of a function that is
 * known, if that is more than the error. Two functions share it: one after the other, or where the second one's time passes while
 * it waits for the answer to an operation, each takes all of it. keeps_empty: also without functions. */
static void add_calls(struct writer *writer, const cJSON *mpi, cJSON *section, bool between, bool keeps_empty)
{
    const double unlock = unlocks_wait(mpi) ? 4 : 2;
    const bool lazy = is_named(mpi, STEPS_LOCK, "lazy"), behind = unlocks_behind(mpi);
    const struct {
        enum calibration_curve curve;
        double overheads, latencies;
        const char *known, *functions[2];
        bool two_sided, other; /* other: the library takes other messages */
        bool serves;           /* rank 0 comes to the barrier last, since its target only serves */
    } ways[] = {
        {CALIBRATION_PSCW, 1, 0, NULL, {"MPI_Win_start"}, false, false, false},
        {CALIBRATION_PUT_PSCW, 2, 2, "MPI_Win_start", {"MPI_Win_complete"}, false, !completes_wait(mpi), false},
        {CALIBRATION_FENCE, 1, 1, NULL, {"MPI_Win_fence"}, true, is_named(mpi, STEPS_FENCE, "notify"), false},
        {CALIBRATION_BARRIER, 1, 1, NULL, {"MPI_Barrier"}, true, false, false},
        {CALIBRATION_ALLREDUCE, 2, 1, NULL, {"MPI_Allreduce"}, true, false, false},
        {CALIBRATION_LOCK, 2, unlock, NULL, {"MPI_Win_lock", "MPI_Win_unlock"}, false, lazy, true},
        {CALIBRATION_PUT_LOCK_ALL, behind ? 2 : 3, unlock + 2, NULL, {"MPI_Win_lock_all", "MPI_Win_unlock_all"}, false, lazy,
         true},
        {CALIBRATION_GET, 1, 2, NULL, {"MPI_Get"}, false, false, true},
        {CALIBRATION_ACCUMULATE, 1, 2, NULL, {"MPI_Accumulate"}, false, false, true},
        {CALIBRATION_FETCH, 1, 2, NULL, {"MPI_Fetch_and_op"}, false, false, true},
        {CALIBRATION_PING_PONG, 2, 1, NULL, {"MPI_Send", "MPI_Recv"}, true, false, false},
    };
    const struct fit_value *overhead = &writer->overhead[between];
    cJSON *calls = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct size_curve *curve = &writer->calibration->curves[between][ways[i].curve];
        const struct fit_point *point = size_curve_point(curve, -1);
        if (!point || ways[i].other) continue;
        const struct fit_value *latency = ways[i].two_sided ? &writer->two_sided[between] : &writer->latency[between];
        struct fit_value time = ways[i].latencies > 0 ? value_of(point) : quick_value(curve, 0);
        if (curve->sizes[0].selected) time.error = 3 * size_curve_median_error(&curve->sizes[0].statistics);
        const struct fit_value none = {0, 0}, *delay = ways[i].serves ? &writer->delay[between] : &none;
        double explained = ways[i].overheads * overhead->value + ways[i].latencies * latency->value + delay->value +
                           call_time(calls, ways[i].known);
        double left = time.value - explained;
        double error = hypot(hypot(time.error, delay->error),
                             hypot(ways[i].overheads * overhead->error, ways[i].latencies * latency->error));
        if (was_stalled(writer, curve, between, time.value, explained)) continue;
        const bool hides = behind && ways[i].curve == CALIBRATION_PUT_LOCK_ALL;
        const double answer = 2 * latency->value - overhead->value; /* so much of the second function's time passes unseen */
        const int functions = ways[i].functions[1] ? 2 : 1, shares = hides && left <= answer ? 1 : functions;
        const double own = (left + (hides && shares > 1 ? answer : 0)) / shares;
        for (int k = 0; k < functions && left > error; k++)
            add_measured(writer, calls, ways[i].functions[k], own, error / shares, curve->sizes[0].statistics.count);
    }
    if (cJSON_GetArraySize(calls) > 0 || keeps_empty)
        json_put(section, "call_s", calls);
    else
        json_drop(section, calls);
}

/* The slope of the line through the times of all sizes, unless it may be 0. The call waits for nothing, so quick repetitions
 * count: others were interrupted, as by the kernel that sends the first packets. */
static bool find_issue_slope(const struct size_curve *issue, struct fit_value *slope)
{
    double bytes[FIT_POINTS_MOST], times_s[FIT_POINTS_MOST], errors_s[FIT_POINTS_MOST];
    if (issue->count < 3) return false;
    for (size_t i = 0; i < issue->count; i++) {
        const struct fit_value quick = quick_value(issue, i);
        bytes[i] = issue->points[i].x;
        times_s[i] = quick.value;
        errors_s[i] = quick.error / 3;
    }
    struct line line = line_fit(bytes, times_s, errors_s, issue->count);
    *slope = (struct fit_value){line.slope, line.slope_error};
    return slope->value > slope->error;
}

/* mpi.rma.protocol.put_s_per_byte: where puts are copied, the slope of the bench's times of the call. Where the bench has none,
 * it is as the probe found it. The call is a part of put and flush, so it takes at most the slope of that in the last segment. */
static void add_put_copy(const struct writer *writer, cJSON *rma, bool between)
{
    static const char key[] = "put_s_per_byte";
    const struct size_curve *put = &writer->calibration->curves[between][CALIBRATION_PUT],
                            *issue = &writer->calibration->curves[between][CALIBRATION_PUT_ISSUE];
    cJSON *protocol = cJSON_GetObjectItem(rma, "protocol");
    struct fit_value found;
    if (puts_are(protocol, "local", "copied") && find_issue_slope(issue, &found)) {
        cJSON *measured = json_measured(found.value, found.error, issue->count);
        json_replace(protocol, key, measured);
    }
    const cJSON *copy = cJSON_GetObjectItem(protocol, key);
    const struct fit_value *slope = put->fitted ? &put->fit.segments[put->fit.count - 1].slope : NULL;
    if (!copy || !slope || slope->value <= 0 || number_of(copy) <= slope->value) return;
    json_replace(protocol, key, json_measured(slope->value, slope->error, put->repetitions));
}

/* mpi.rma.protocol.linger_s of the probe: 0 unless it is above twice network.jitter_s. The error is then what was found. A
 * request and the message before it arrive with deviations of their own, and a smaller linger_s comes and goes with the
 * scheduler. */
static void limit_linger(const cJSON *platform, cJSON *rma)
{
    static const char key[] = "linger_s";
    cJSON *protocol = cJSON_GetObjectItem(rma, "protocol");
    const cJSON *linger = cJSON_GetObjectItem(protocol, key),
                *jitter = cJSON_GetObjectItem(cJSON_GetObjectItem(platform, "network"), "jitter_s");
    if (!linger || !jitter || number_of(linger) > 2 * number_of(jitter)) return;
    const cJSON *tries = cJSON_GetObjectItem(linger, "n");
    json_replace(protocol, key, json_measured(0, number_of(linger), tries ? (size_t)tries->valuedouble : 1));
}

/* Adds pause to mpi or network.loopback. */
static void add_pause(struct writer *writer, cJSON *section, bool between)
{
    struct pause_found found;
    if (pause_find(&writer->calibration->curves[between][CALIBRATION_PAUSE], &found)) {
        cJSON *pause = json_add_object(section, "pause");
        add_measured(writer, pause, "after_s", found.after_s.value, found.after_s.error, found.n);
        add_measured(writer, pause, "full_s", found.full_s.value, found.full_s.error, found.n);
        add_measured(writer, pause, "call_s", found.call_s.value, found.call_s.error, found.n);
    } else if (found.why) {
        add_note(writer, "pause %s: left out, since %s", class_name(between), found.why);
    }
}

/* mpi.rma.protocol.reverse_share, where it is more than its error. */
static void add_reverse(struct writer *writer, cJSON *rma)
{
    static const struct {
        enum calibration_curve curve;
        const char *key;
    } ways[] = {{CALIBRATION_PUT_OPPOSED, "put"},
                {CALIBRATION_GET_OPPOSED, "get"},
                {CALIBRATION_ACCUMULATE_OPPOSED, "accumulate"}};
    const struct size_curve *put = &writer->calibration->curves[1][CALIBRATION_PUT];
    cJSON *shares = cJSON_CreateObject();
    for (size_t i = 0; put->fitted && i < sizeof ways / sizeof *ways; i++) {
        const struct size_curve *opposed = &writer->calibration->curves[1][ways[i].curve];
        struct reverse_found found;
        if (reverse_find(opposed, &put->fit.segments[put->fit.count - 1].slope, &found))
            add_measured(writer, shares, ways[i].key, found.share.value, found.share.error, found.n);
        else if (found.why)
            add_note(writer, "reverse_share.%s: left out, since %s", ways[i].key, found.why);
    }
    if (cJSON_GetArraySize(shares) == 0) {
        json_drop(rma, shares);
        return;
    }
    cJSON *protocol = cJSON_GetObjectItem(rma, "protocol");
    if (!protocol) protocol = json_add_object(rma, "protocol");
    json_remove(protocol, "reverse_share");
    json_put(protocol, "reverse_share", shares);
}

/* mpi.init_s, mpi.finalize_s: the bench is launched more often than the probe. */
static void add_launch(cJSON *mpi, const char *key, const struct fit_value *time, size_t n)
{
    if (n == 0) return;
    json_remove(mpi, key);
    json_put(mpi, key, json_measured(time->value, time->error, n));
}

static enum status add_mpi(struct writer *writer, cJSON *platform, const cJSON *given, struct err *err)
{
    bool between = writer->calibration->curves[1][CALIBRATION_PUT].fitted;
    cJSON *mpi = given ? cJSON_Duplicate(given, true) : cJSON_CreateObject();
    if (!json_put(platform, "mpi", mpi)) return err_memory(err);
    cJSON *rma = cJSON_GetObjectItem(mpi, "rma");
    if (!rma) rma = json_add_object(mpi, "rma");
    add_launch(mpi, "init_s", &writer->calibration->init_s, writer->calibration->init_n);
    add_launch(mpi, "finalize_s", &writer->calibration->finalize_s, writer->calibration->finalize_n);
    add_eager(writer, mpi, between);
    add_atomics(writer, rma, between);
    add_put_copy(writer, rma, between);
    limit_linger(platform, rma);
    add_reverse(writer, rma);
    add_calls(writer, mpi, mpi, between, false);
    add_pause(writer, mpi, between);
    cJSON *loopback = cJSON_GetObjectItem(cJSON_GetObjectItem(platform, "network"), "loopback");
    if (!between || !loopback) return STATUS_OK;
    add_calls(writer, mpi, loopback, false, cJSON_GetObjectItem(mpi, "call_s") != NULL);
    add_pause(writer, loopback, false);
    return STATUS_OK;
}

static void add_curves(const struct calibration *calibration, cJSON *own)
{
    static const char *const keys[] = {"within", "between"};
    for (int between = 0; between < 2; between++) {
        cJSON *curves = json_add_object(own, keys[between]);
        const struct conditions *conditions = &calibration->conditions[between];
        if (conditions->share > 0) {
            cJSON *found = json_add_object(curves, "conditions");
            json_add_number(found, "from_s", conditions->from_s);
            json_add_number(found, "upto_s", conditions->upto_s);
            json_add_number(found, "work_from_s", conditions->work_from_s);
            json_add_number(found, "work_upto_s", conditions->work_upto_s);
            json_add_number(found, "share", conditions->share);
        }
        for (int i = 0; i < CALIBRATION_CURVE_COUNT; i++)
            if (calibration->curves[between][i].count > 0)
                json_put(curves, rows[i].key, size_curve_to_json(&calibration->curves[between][i]));
    }
}

enum status calibration_to_platform(const struct calibration *calibration, const cJSON *mpi, const char *name, cJSON **platform,
                                    struct err *err)
{
    cJSON *made = cJSON_CreateObject();
    struct writer writer = {.calibration = calibration, .mpi = mpi, .notes = cJSON_CreateArray()};
    json_add_text(made, "schema", "rmacast.platform/1");
    json_add_text(made, "name", name);
    if (calibration->partial) add_note(&writer, "the bench did not end: what it measured until then is used");
    count_unsteady(&writer);
    count_elsewhere(&writer);
    tell_losses(&writer);
    if (calibration->own_s > BENCH_OWN_MOST_S)
        add_note(&writer, "the bench adds %.3g us to each repetition, expected at most 1 us", 1e6 * calibration->own_s);
    for (int i = 0; i < calibration->pairs.count; i++) add_note(&writer, "%s", calibration->pairs.text[i]);
    add_nodes(&writer, made);
    add_threads(&writer, made);
    bool network = add_network(&writer, made);
    enum status status = add_mpi(&writer, made, mpi, err);
    json_add_number(json_add_object(made, "mapping"), "ranks_per_node", calibration->most_ranks);
    cJSON *own = json_add_object(made, "$calibration");
    json_add_text(own, "library", calibration->library);
    json_put(own, "notes", writer.notes);
    add_curves(calibration, own);
    if (status == STATUS_OK) status = json_whole(made, err);
    if (status == STATUS_OK && !network)
        status = err_set(err, STATUS_DATA, NULL, NULL,
                         "no latency and bandwidth could be made of the results, expected times that grow with bytes");
    GIVE(status, *platform = made, cJSON_Delete(made));
}
