#include "predictors/sensitivity/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/scramble.h"
#include "common/units.h"
#include "predictors/prediction.h"
#include "predictors/sensitivity/corners.h"
#include "simulate/engine/cost.h"

static const double shares[SENSITIVITY_SHARES] = {0.01, 0.02, 0.05};
/* A range ends at so many times the platform's value; where that is 0, at as many times what stands for it. */
enum { RANGE = 10 };
#define STANDS_FOR_TIME 1e-6
#define STANDS_FOR_COST 1e-10
/* Slacks and gains are found unasked where all their replays have so many events. */
#define UNASKED_EVENTS 3e6

struct finder {
    const struct trace *trace;
    const struct sensitivity_options *options;
    struct replays replays;
    bool by_replay; /* the engine's times are no sums */
    bool convex; /* every run time of this trace on this platform, unless operations that cost time to issue are deferred */
    bool defers;
    struct sensitivity_row *row;
    struct err *err;
};

static bool is_among(const struct platform_value *value, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (platform_value_is(value, keys[i])) return true;
    return false;
}

/* Whether ranks that sleep or have threads share cores: the others compute faster when they do not run. */
static bool shares_cores(const struct trace *trace, const struct platform *platform)
{
    bool sleeps = false, few = platform->rank_nodes;
    uint32_t threads = 1;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        sleeps = sleeps || trace->ranks[r].before_ps[BEFORE_SLEPT];
        if (trace_thread_count(trace, r) > threads) threads = trace_thread_count(trace, r);
    }
    for (size_t i = 0; i < platform->group_count; i++)
        few = few || platform->groups[i].cores < platform->ranks_per_node * (int64_t)threads;
    return (sleeps || threads > 1) && few;
}

/* Whether all that the replay adds is linear in its values between two orders of events. */
static bool is_linear(const struct trace *trace, const struct platform *platform)
{
    if (shares_cores(trace, platform)) return false;
    bool queues = platform->contention && platform->links == LINKS_QUEUE && platform_has_inner_links(platform);
    return !queues && platform->draw == 0 && !protocol_reverses(&platform->protocol) && !platform_reverses_within(platform);
}

/* Whether a call queries targets whose operations it does not know to be complete. */
static bool queries_targets(const struct platform *platform)
{
    for (enum steps_query query = QUERY_NEEDED; query <= QUERY_ALL; query++)
        if (protocol_queries(&platform->protocol, query)) return true;
    return false;
}

/* Whether everything happens in one order at all values, so that each time is a maximum of sums, which is convex: nothing queues
 * for a NIC, a lock or software, no call returns, asks or copies by what has arrived so far, and no cost stops growing. */
static bool is_convex(const struct trace *trace, const struct platform *platform)
{
    const struct pause_cost *pauses[] = {&platform->pause, &platform->loopback_pause};
    if (queries_targets(platform) || platform->unexpected_copy) return false;
    const bool serves = platform->progress != PROGRESS_HARDWARE || !protocol_is_hardware(&platform->protocol);
    if (platform->contention || serves || semantics_limited(&platform->semantics) || !is_linear(trace, platform)) return false;
    for (int i = 0; i < 2; i++)
        if (pauses[i]->call_s > 0) return false;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        if (trace->ranks[r].thread_count > 0) return false;
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            switch (call_kind((enum mpi_call)call->call)) {
            case CALL_LOCK:
            case CALL_LOCK_ALL:
            case CALL_WIN_TEST:
            case CALL_IPROBE:
            case CALL_REQUEST_TEST:
            case CALL_REQUEST_TESTALL:
            case CALL_REQUEST_QUERY: return false;
            case CALL_REQUEST_WAITALL:
                if (call->call != ID_Waitall) return false;
                break;
            default:
                if (call_arm(call_kind((enum mpi_call)call->call)) == ARM_SHMEM) return false;
            }
        }
    }
    return true;
}

/* Whether an operation under MPI_Win_start leaves in its call if the post is known, and else later. */
static bool defers_operations(const struct trace *trace, const struct platform *platform)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++)
            if (call_kind((enum mpi_call)trace->ranks[r].calls[i].call) == CALL_START)
                return semantics_defer(&platform->semantics) || platform->window_rule_count > 0;
    return false;
}

/* The calls that issue operations take this value, or take time anyway. */
static bool costs_issue(const struct platform *platform, const struct platform_value *value)
{
    const double *const costs[] = {&platform->overhead_s, &platform->loopback_overhead_s, &platform->protocol.put_s_per_byte};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (*costs[i] > 0 || value->at == costs[i] || value->follows == costs[i]) return true;
    return false;
}

static const struct sensitivity_range *find_range(const struct sensitivity_options *options,
                                                  const struct platform_value *value)
{
    for (size_t i = 0; i < options->range_count; i++)
        if (platform_value_is(value, options->ranges[i].key)) return &options->ranges[i];
    return NULL;
}

static enum status check_range(const struct run_time *of, const struct sensitivity_range *range, struct err *err)
{
    const bool inverse = run_time_falls(of->value->kind);
    const double most = run_time_value(of, (double)COST_END_PS), end = inverse ? range->low : range->high;
    if (inverse && end < most)
        return err_set(err, STATUS_USAGE, "--range", range->key, "it begins at %g, expected at least %.3g", end, most);
    if (!inverse && end > most)
        return err_set(err, STATUS_USAGE, "--range", range->key, "it ends at %g, expected at most %.3g", end, most);
    return STATUS_OK;
}

/* In steps; the platform's value is part of it. */
static enum status choose_range(const struct run_time *of, const struct sensitivity_range *range, int64_t *low, int64_t *high,
                                struct err *err)
{
    const bool inverse = run_time_falls(of->value->kind);
    if (range) {
        TRY(check_range(of, range, err));
        *low = run_time_steps(of, inverse ? range->high : range->low);
        *high = run_time_steps(of, inverse ? range->low : range->high);
    } else {
        const bool per_byte = of->value->kind == KEY_RATE || of->value->kind == KEY_COST;
        const double stands_for = per_byte ? STANDS_FOR_COST : STANDS_FOR_TIME;
        *low = inverse ? of->x / RANGE : 0;
        *high = of->x > 0 ? RANGE * of->x : RANGE * llround(stands_for * (double)UNITS_PS_PER_S * (double)of->resolution);
    }
    *low = units_min_ps(*low, of->x);
    *high = units_max_ps(*high, of->x);
    if (of->value->kind == KEY_SPEED) *low = units_max_ps(*low, 1);
    return STATUS_OK;
}

static double curve_at(const struct corners *curve, double x)
{
    size_t i = 1;
    while (i + 1 < curve->count && curve->points[i].x < x) i++;
    const struct corner *a = &curve->points[i - 1], *b = &curve->points[i];
    return a->t + (b->t - a->t) * ((x - a->x) / (b->x - a->x));
}

/* Replays at values that nobody has chosen, the same in each run. */
static enum status verify_curve(struct finder *finder, const struct run_time *of, bool convex, struct corners *curve)
{
    enum { TRIED = 20 };
    const double low = curve->points[0].x, range = curve->points[curve->count - 1].x - low;
    for (uint64_t i = 1; i <= TRIED && range >= 1 && curve->exact; i++) {
        const int64_t x = (int64_t)(low + range * ldexp((double)(scramble_bits(i) >> 12), -52));
        char value[UNITS_TEXT_BYTES];
        int64_t t;
        TRY(run_time_at(of, x, &t, NULL, finder->err));
        const double expected = curve_at(curve, (double)x);
        if (fabs(expected - (double)t) <= 1 + run_time_error(of, range)) {
            finder->row->verified++;
            continue;
        }
        curve->exact = false;
        if (!convex) break;
        return err_set(finder->err, STATUS_DATA, finder->trace->name, of->value->key,
                       "with %s the run takes %.12g s, on the curve it is %.12g s",
                       sensitivity_value_text(of->value->kind, run_time_value(of, (double)x), value), run_time_s(of, (double)t),
                       run_time_s(of, expected));
    }
    return STATUS_OK;
}

static enum status keep_corners(const struct run_time *of, const struct corners *curve, struct sensitivity_value *made,
                                struct err *err)
{
    const bool inverse = run_time_falls(of->value->kind);
    made->corners = calloc(curve->count + 1, sizeof *made->corners);
    if (!made->corners) return err_memory(err);
    made->corner_count = curve->count;
    for (size_t i = 0; i < curve->count; i++) {
        const struct corner *point = &curve->points[inverse ? curve->count - 1 - i : i];
        made->corners[i] = (struct sensitivity_corner){run_time_value(of, point->x), run_time_s(of, point->t)};
    }
    return STATUS_OK;
}

static enum status describe_curve(const struct finder *finder, const struct run_time *of, bool convex, struct corners *curve,
                                  struct sensitivity_value *made)
{
    const bool inverse = run_time_falls(of->value->kind);
    const double ends[] = {run_time_value(of, curve->from), run_time_value(of, curve->to)};
    made->slope = curve->right * run_time_unit(of);
    made->slope_below = isnan(curve->left) || curve->left == curve->right ? NAN : curve->left * run_time_unit(of);
    made->from = ends[inverse];
    made->to = ends[!inverse];
    for (int i = 0; i < SENSITIVITY_SHARES; i++) {
        double x;
        TRY(corners_tolerance(of, curve, shares[i], &x, finder->err));
        made->tolerances[i] = (struct sensitivity_tolerance){shares[i], isnan(x) ? NAN : run_time_value(of, x)};
    }
    made->exact = curve->exact && !of->misses && is_linear(finder->trace, finder->replays.platform);
    made->proven = made->exact && convex;
    return keep_corners(of, curve, made, finder->err);
}

static enum status sum_nodes(const struct finder *finder, struct sensitivity_value *made)
{
    const double *rank_parts = made->places.rank_parts;
    const struct platform *platform = finder->replays.platform;
    made->nodes = calloc((size_t)finder->trace->rank_count + 1, sizeof *made->nodes);
    if (!made->nodes) return err_memory(finder->err);
    for (uint32_t r = 0; r < finder->trace->rank_count; r++) {
        const uint32_t node = (uint32_t)platform_node_of(platform, r);
        size_t at = 0;
        if (rank_parts[r] == 0) continue;
        while (at < made->node_count && made->nodes[at].node != node) at++;
        if (at == made->node_count) made->nodes[made->node_count++] = (struct sensitivity_node){.node = node};
        made->nodes[at].slope += rank_parts[r];
    }
    return STATUS_OK;
}

static enum status describe_places(struct finder *finder, const struct run_time *of, const struct corners *curve,
                                   struct sensitivity_value *made)
{
    TRY(places_find(of, curve->jumps, run_time_unit(of), &made->places, finder->err));
    return of->value->kind == KEY_SPEED ? sum_nodes(finder, made) : STATUS_OK;
}

/* Of an engine that shares links among flows, whose times are no sums: one-sided derivatives over a hundredth of the value. */
static enum status describe_by_replay(struct finder *finder, const struct run_time *of, int64_t low, int64_t high,
                                      struct sensitivity_value *made)
{
    enum { LOW, BELOW, HERE, ABOVE, HIGH, POINTS };
    const int64_t step = units_max_ps((of->x > 0 ? of->x : high) / 100, 1);
    const int64_t x[POINTS] = {low, units_max_ps(of->x - step, low), of->x, of->x + step, high};
    struct corner points[POINTS];
    struct corners curve = {.points = points};
    int64_t t[POINTS];
    for (int i = 0; i < POINTS; i++) {
        TRY(run_time_at(of, x[i], &t[i], NULL, finder->err));
        if (i > 0 && x[i] <= x[i - 1]) continue;
        points[curve.count++] = (struct corner){(double)x[i], (double)t[i]};
    }
    made->slope = (double)(t[ABOVE] - t[HERE]) / (double)step * run_time_unit(of);
    made->slope_below = x[BELOW] < of->x ? (double)(t[HERE] - t[BELOW]) / (double)(of->x - x[BELOW]) * run_time_unit(of) : NAN;
    made->from = made->to = made->value;
    for (int i = 0; i < SENSITIVITY_SHARES; i++) made->tolerances[i] = (struct sensitivity_tolerance){shares[i], NAN};
    return keep_corners(of, &curve, made, finder->err);
}

static enum status find_value(struct finder *finder, const struct platform_value *value, struct sensitivity_value *made)
{
    struct run_time of;
    struct corners curve;
    int64_t low, high;
    const bool convex = finder->convex && !(finder->defers && costs_issue(finder->replays.platform, value));
    TRY(run_time_init(&of, &finder->replays, value, convex, finder->err));
    TRY(choose_range(&of, find_range(finder->options, value), &low, &high, finder->err));
    if (finder->by_replay) return describe_by_replay(finder, &of, low, high, made);
    TRY(corners_find(&of, low, high, convex, &curve, finder->err));
    enum status status = finder->options->verify ? verify_curve(finder, &of, convex, &curve) : STATUS_OK;
    if (status == STATUS_OK) status = describe_curve(finder, &of, convex, &curve, made);
    if (status == STATUS_OK && curve.right != 0) status = describe_places(finder, &of, &curve, made);
    corners_clear(&curve);
    return status;
}

static void clear_value(struct sensitivity_value *made)
{
    FREE_ALL(made->corners, made->places.rank_parts);
    fields_clear(sensitivity_value_fields, made);
}

/* A program may end with the platform's value and deadlock with another one, since its locks come in another order. */
static enum status describe_value(struct finder *finder, const struct platform_value *value, struct sensitivity_value *made)
{
    struct sensitivity_value blank = {.kind = value->kind, .value = *value->at};
    strcpy(blank.key, value->key);
    *made = blank;
    finder->replays.refused = false;
    const enum status status = find_value(finder, value, made);
    if (status != STATUS_DATA || !finder->replays.refused) return status;
    clear_value(made);
    *made = blank;
    made->slope = made->slope_below = made->from = made->to = NAN;
    for (int i = 0; i < SENSITIVITY_SHARES; i++) made->tolerances[i] = (struct sensitivity_tolerance){shares[i], NAN};
    made->refused = strdup(finder->err->text);
    return made->refused ? STATUS_OK : err_memory(finder->err);
}

static enum status refuse_key(const struct finder *finder, const char *option, const char *key)
{
    const struct platform_values *values = &finder->replays.values;
    char known[700] = "";
    for (size_t i = 0, used = 0; i < values->count && used + VALUE_KEY_BYTES < sizeof known; i++)
        if (*values->items[i].at > 0)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", values->items[i].key);
    return err_set(finder->err, STATUS_USAGE, option, key, "the platform has no such time or rate, expected one of %s", known);
}

static enum status check_keys(const struct finder *finder)
{
    const struct sensitivity_options *options = finder->options;
    for (size_t i = 0; i < options->key_count + options->range_count; i++) {
        bool ranges = i >= options->key_count, there = false;
        const char *key = ranges ? options->ranges[i - options->key_count].key : options->keys[i];
        for (size_t v = 0; v < finder->replays.values.count; v++)
            if (platform_value_is(&finder->replays.values.items[v], key)) {
                there = true;
                if (ranges && find_range(options, &finder->replays.values.items[v])->key != key)
                    return err_set(finder->err, STATUS_USAGE, "--range", key, "its nodes have another range, expected one");
            }
        if (!there) return refuse_key(finder, ranges ? "--range" : "--of", key);
    }
    return STATUS_OK;
}

static enum status split_nodes(const struct finder *finder)
{
    const struct sensitivity_options *options = finder->options;
    struct platform *platform = finder->replays.platform;
    for (size_t i = 0; i < options->key_count; i++) TRY(platform_nodes_split(platform, "--of", options->keys[i], finder->err));
    for (size_t i = 0; i < options->range_count; i++)
        TRY(platform_nodes_split(platform, "--range", options->ranges[i].key, finder->err));
    return STATUS_OK;
}

static enum status describe_slack(struct finder *finder)
{
    double calls = 0;
    for (uint32_t r = 0; r < finder->trace->rank_count; r++) calls += (double)finder->trace->ranks[r].count;
    if (!finder->options->slack && calls * (double)(finder->replays.events + 1) > UNASKED_EVENTS) return STATUS_OK;
    finder->row->slack_known = true;
    return slack_find(&finder->replays, &finder->row->slack, finder->err);
}

static enum status describe_gains(struct finder *finder)
{
    struct gains *gains = &finder->row->gains;
    const enum status scales = trace_check_no_shmem(finder->trace, "gains", finder->err);
    if (scales != STATUS_OK) return finder->options->gains ? scales : STATUS_OK;
    TRY(gains_choose(finder->trace, gains, finder->err));
    const double replays = (double)gains->count * (GAIN_POINTS - 1);
    if (!finder->options->gains && replays * (double)(finder->replays.events + 1) > UNASKED_EVENTS) {
        gains_clear(gains);
        return STATUS_OK;
    }
    finder->row->gains_known = true;
    return gains_find(&finder->replays, gains, finder->err);
}

static enum status describe_run(struct finder *finder)
{
    const struct sensitivity_options *options = finder->options;
    struct sensitivity_row *row = finder->row;
    platform_semantics_name(finder->replays.platform, row->semantics);
    TRY(split_nodes(finder));
    TRY(replays_init(&finder->replays, finder->err));
    row->run_time_s = units_s(finder->replays.run_time_ps);
    finder->convex = !finder->by_replay && is_convex(finder->trace, finder->replays.platform);
    finder->defers = defers_operations(finder->trace, finder->replays.platform);
    TRY(check_keys(finder));
    const struct platform_values *values = &finder->replays.values;
    row->values = calloc(values->count + 1, sizeof *row->values);
    if (!row->values) return err_memory(finder->err);
    for (size_t i = 0; i < values->count && !(options->first && i > 0); i++)
        if (!options->keys || is_among(&values->items[i], options->keys, options->key_count))
            TRY(describe_value(finder, &values->items[i], &row->values[row->value_count++]));
    if (!options->first && !finder->by_replay) TRY(describe_slack(finder));
    if (!options->first) TRY(describe_gains(finder));
    row->replays = finder->replays.count;
    return STATUS_OK;
}

/* Those of a prediction. */
static enum status take_notes(const struct finder *finder, struct sensitivity *made, struct err *err)
{
    struct result *result;
    TRY(result_new(finder->trace->rank_count, &result, err));
    enum status status =
        prediction_note_platform(finder->trace, finder->replays.platform, finder->options->engine, result, err);
    result_give_notes(result, &made->notes, &made->note_count);
    result_free(result);
    return status;
}

static enum status describe_row(const struct trace *trace, const struct sensitivity_options *options, const char *semantics,
                                struct sensitivity *made, struct err *err)
{
    struct scene scene;
    struct finder finder = {.options = options,
                            .by_replay = options->engine->once_per_process,
                            .row = &made->rows[made->row_count], .err = err};
    scene_name(&scene, semantics);
    TRY(scene_open(&options->scenes, trace, &scene, err));
    enum status status = scene.refused.status;
    if (status != STATUS_OK && err) *err = scene.refused;
    finder.trace = scene.rewrite.trace ? scene.rewrite.trace : trace;
    finder.replays = (struct replays){.trace = finder.trace, .platform = scene.platform, .engine = options->engine};
    made->row_count++;
    if (status == STATUS_OK && !(finder.row->name = strdup(semantics))) status = err_memory(err);
    if (status == STATUS_OK && !made->platform && !(made->platform = strdup(scene.platform->name ? scene.platform->name : "")))
        status = err_memory(err);
    if (status == STATUS_OK) status = describe_run(&finder);
    if (status == STATUS_OK && made->row_count == 1) status = take_notes(&finder, made, err);
    replays_clear(&finder.replays);
    scene_close(&scene);
    return status;
}

enum status sensitivity_find(const struct trace *trace, const struct sensitivity_options *options, struct sensitivity *made,
                             struct err *err)
{
    *made = (struct sensitivity){.engine = options->engine};
    if (options->slack && options->engine->once_per_process)
        return err_set(err, STATUS_USAGE, "--slack", options->engine->name, "its times are no sums, expected --engine loggp");
    TRY(engine_load(options->engine, err));
    made->trace = strdup(trace->name);
    enum status status = made->trace ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < options->semantics_count; i++)
        status = describe_row(trace, options, options->semantics[i], made, err);
    if (status != STATUS_OK) sensitivity_clear(made);
    return status;
}

void sensitivity_clear(struct sensitivity *made)
{
    for (size_t r = 0; r < made->row_count; r++) {
        for (size_t i = 0; i < made->rows[r].value_count; i++)
            FREE_ALL(made->rows[r].values[i].corners, made->rows[r].values[i].places.rank_parts);
        slack_clear(&made->rows[r].slack);
    }
    fields_clear(sensitivity_fields, made);
    *made = (struct sensitivity){.row_count = 0};
}
