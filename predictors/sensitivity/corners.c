#include "predictors/sensitivity/corners.h"

#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"

enum { REPLAYS_MOST = 200, NEWTON_MOST = 20, HALVES_MOST = 60 };
#define BEYOND 1000.0 /* so many times the end of the range a tolerance is looked for */

struct point { /* slopes: NAN where nobody has measured them */
    int64_t x, t;
    double left, right;
    bool guessed; /* left is right's */
};

struct search {
    const struct run_time *of;
    struct corners *curve;
    uint64_t last; /* count of replays at which the search ends */
    struct err *err;
};

static enum status add_point(const struct search *search, double x, double t)
{
    struct corners *curve = search->curve;
    ARRAY_PUSH(curve->points, curve->count, curve->capacity, ((struct corner){x, t}), search->err);
    return STATUS_OK;
}

/* A slope is a whole number wherever it is one but for rounding. */
static double make_slope(const struct run_time *of, int64_t rise, int64_t steps)
{
    const double slope = (double)rise / (double)steps, whole = nearbyint(slope);
    return fabs(slope - whole) <= run_time_error(of, 0) / (double)llabs(steps) ? whole : slope;
}

/* With the slope on one side, where the same replay gives it. */
static enum status measure_point(const struct search *search, int64_t x, bool left, struct point *point)
{
    *point = (struct point){.x = x, .left = NAN, .right = NAN};
    if (!run_time_has_slope(search->of, x)) return run_time_at(search->of, x, &point->t, NULL, search->err);
    return run_time_slope(search->of, x, left, &point->t, left ? &point->left : &point->right, NULL, search->err);
}

static enum status measure_slope(const struct search *search, struct point *point, bool left)
{
    const int64_t steps = left ? -search->of->step : search->of->step;
    double *slope = left ? &point->left : &point->right;
    int64_t t;
    if (left) point->guessed = false;
    if (run_time_has_slope(search->of, point->x))
        return run_time_slope(search->of, point->x, left, &t, slope, NULL, search->err);
    TRY(run_time_at(search->of, point->x + steps, &t, NULL, search->err));
    *slope = make_slope(search->of, t - point->t, steps);
    return STATUS_OK;
}

/* The same where the run time may jump, since another order of messages or locks has another run time: the slope is the one
 * behind the jump. */
static enum status measure_slope_here(const struct search *search, struct point *here, bool left)
{
    const int64_t steps = left ? -search->of->step : search->of->step;
    double *slope = left ? &here->left : &here->right;
    int64_t t[2];
    if (run_time_has_slope(search->of, here->x)) return measure_slope(search, here, left);
    for (int i = 0; i < 2; i++) TRY(run_time_at(search->of, here->x + (i + 1) * steps, &t[i], NULL, search->err));
    *slope = make_slope(search->of, t[0] - here->t, steps);
    if (fabs((double)(t[1] - t[0]) - (double)(t[0] - here->t)) <= run_time_error(search->of, (double)search->of->step))
        return STATUS_OK;
    *slope = make_slope(search->of, t[1] - t[0], steps);
    search->curve->exact = false;
    if (!left) search->curve->jumps = true;
    return STATUS_OK;
}

static long double value_of_line(const struct point *from, double slope, long double x)
{
    return (long double)from->t + (long double)slope * (x - (long double)from->x);
}

/* NAN is no slope. */
static bool is_on_line(const struct search *search, const struct point *from, double slope, const struct point *point)
{
    const double steps = fabs((double)(point->x - from->x));
    return fabsl(value_of_line(from, slope, (long double)point->x) - (long double)point->t) <=
           (long double)run_time_error(search->of, steps);
}

/* Where the lines of both meet, if strictly between them. */
static bool find_crossing(const struct point *a, const struct point *b, long double *x)
{
    const long double apart = (long double)a->right - (long double)b->left;
    if (apart == 0) return false;
    const long double rise = value_of_line(b, b->left, (long double)a->x) - (long double)a->t;
    *x = (long double)a->x + rise / apart;
    return *x > (long double)a->x && *x < (long double)b->x;
}

static enum status search_between(const struct search *search, struct point *a, struct point *b, int depth);

/* A point that is on the line of one of both takes its place: where the run time jumps from line to line, halving finds where. */
static bool move_end(const struct search *search, struct point *a, struct point *b, const struct point *middle)
{
    bool of_a = is_on_line(search, a, a->right, middle), of_b = is_on_line(search, b, b->left, middle);
    if (of_a == of_b) return false;
    struct point *end = of_a ? a : b;
    const double left = end->left, right = end->right;
    *end = *middle;
    end->left = left;
    end->right = right;
    return true;
}

/* A convex run time has no line between two whose slopes differ by 1. */
static bool are_next(const struct search *search, const struct point *a, const struct point *b)
{
    return search->of->grain > 0 && b->left == a->right + 1;
}

/* Both slopes are known, and the points are on no common line. */
static enum status split_between(const struct search *search, struct point *a, struct point *b, int depth)
{
    struct point middle;
    long double x;
    bool crosses = find_crossing(a, b, &x);
    if (crosses && are_next(search, a, b)) return add_point(search, (double)x, (double)value_of_line(a, a->right, x));
    if (!crosses && b->guessed) {
        TRY(measure_slope(search, b, true));
        return search_between(search, a, b, depth);
    }
    int64_t at = crosses ? (int64_t)floorl(x) : a->x + (b->x - a->x) / 2;
    if (at <= a->x) at = a->x + 1;
    TRY(measure_point(search, at, false, &middle));
    if (crosses && (is_on_line(search, a, a->right, &middle) || is_on_line(search, b, b->left, &middle)))
        return add_point(search, (double)x, (double)value_of_line(a, a->right, x));
    struct point from = *a, to = *b;
    if (move_end(search, &from, &to, &middle)) {
        if (from.x > a->x) TRY(add_point(search, (double)from.x, (double)from.t));
        TRY(search_between(search, &from, &to, depth + 1));
        return to.x < b->x ? add_point(search, (double)to.x, (double)to.t) : STATUS_OK;
    }
    if (isnan(middle.right)) TRY(measure_slope(search, &middle, false));
    middle.left = middle.right;
    middle.guessed = true;
    TRY(search_between(search, a, &middle, depth + 1));
    TRY(add_point(search, (double)middle.x, (double)middle.t));
    return search_between(search, &middle, b, depth + 1);
}

/* Adds the corners strictly between two points. */
static enum status search_between(const struct search *search, struct point *a, struct point *b, int depth)
{
    enum { DEPTH_MOST = 64 };
    if (b->x - a->x <= search->of->step) return STATUS_OK;
    if (is_on_line(search, a, a->right, b) && (isnan(b->left) || b->guessed || b->left == a->right)) return STATUS_OK;
    if (is_on_line(search, b, b->left, a) && !b->guessed && isnan(a->right)) return STATUS_OK;
    if (search->of->replays->count >= search->last || depth == DEPTH_MOST) {
        search->curve->exact = false;
        return STATUS_OK;
    }
    if (isnan(a->right)) TRY(measure_slope(search, a, false));
    if (isnan(b->left)) TRY(measure_slope(search, b, true));
    return split_between(search, a, b, depth);
}

/* The run time is off the line between two corners at *middle: both sides are searched. */
static enum status split_line(const struct search *search, struct corner a, struct corner b, struct point *middle)
{
    const int64_t from = (int64_t)ceil(a.x), to = (int64_t)floor(b.x);
    struct point low, high;
    TRY(measure_point(search, from, false, &low));
    TRY(measure_point(search, to, true, &high));
    TRY(measure_slope(search, middle, false));
    middle->left = middle->right;
    middle->guessed = true;
    if ((double)from > a.x) TRY(add_point(search, (double)from, (double)low.t));
    TRY(search_between(search, &low, middle, 0));
    TRY(add_point(search, (double)middle->x, (double)middle->t));
    TRY(search_between(search, middle, &high, 0));
    return (double)to < b.x ? add_point(search, (double)to, (double)high.t) : STATUS_OK;
}

/* Replays between two corners: in the middle; where the line is not flat also in both halves. */
static enum status check_line(const struct search *search, struct corner a, struct corner b)
{
    static const double at[] = {0.5, 0.25, 0.75};
    const struct run_time *of = search->of;
    for (int i = 0; i < (a.t == b.t ? 1 : 3) && b.x - a.x > 4 * (double)of->step; i++) {
        struct point found;
        if (of->replays->count >= search->last) {
            search->curve->exact = false;
            return STATUS_OK;
        }
        TRY(measure_point(search, llround(a.x + (b.x - a.x) * at[i]), false, &found));
        const double line_t = a.t + (b.t - a.t) * (((double)found.x - a.x) / (b.x - a.x));
        if (fabs(line_t - (double)found.t) > 1 + run_time_error(of, b.x - a.x)) return split_line(search, a, b, &found);
    }
    return STATUS_OK;
}

ORDER(compare_corners, struct corner, UP(x))

static enum status check_lines(const struct search *search)
{
    struct corners *curve = search->curve;
    const size_t count = curve->count;
    for (size_t i = 1; i < count; i++) TRY(check_line(search, curve->points[i - 1], curve->points[i]));
    if (curve->count > count) qsort(curve->points, curve->count, sizeof *curve->points, compare_corners);
    return STATUS_OK;
}

/* Points that are no corners go. */
static void join_lines(const struct run_time *of, struct corners *curve)
{
    size_t kept = 0;
    for (size_t i = 0; i < curve->count; i++) {
        if (kept > 1 && i > 0) {
            const struct corner *a = &curve->points[kept - 2], *b = &curve->points[kept - 1], *c = &curve->points[i];
            const double line_t = a->t + (c->t - a->t) * ((b->x - a->x) / (c->x - a->x));
            if (fabs(line_t - b->t) <= 1e-9 + run_time_error(of, c->x - a->x)) kept--;
        }
        curve->points[kept++] = curve->points[i];
    }
    curve->count = kept;
}

static void find_interval(const struct run_time *of, struct corners *curve)
{
    const double x = (double)of->x;
    const bool corner = !isnan(curve->left) && curve->left != curve->right;
    curve->from = corner ? x : curve->points[0].x;
    curve->to = curve->points[curve->count - 1].x;
    for (size_t i = 0; i < curve->count; i++) {
        const double at = curve->points[i].x;
        if (at < x && !corner) curve->from = at;
        if (at > x && at < curve->to) curve->to = at;
    }
}

static enum status find_corners(const struct search *search, int64_t low, int64_t high)
{
    const struct run_time *of = search->of;
    struct point here = {.x = of->x, .t = of->t, .left = NAN, .right = NAN}, first = here, last = here;
    if (low < here.x) TRY(measure_point(search, low, false, &first));
    if (high > here.x) TRY(measure_point(search, high, true, &last));
    if (first.t == here.t && last.t == here.t) {
        here.left = here.right = 0;
    } else {
        TRY(measure_slope_here(search, &here, false));
        if (here.x >= 2 * of->step) TRY(measure_slope_here(search, &here, true));
    }
    search->curve->left = here.left;
    search->curve->right = here.right;
    if (low < here.x) TRY(add_point(search, (double)low, (double)first.t));
    TRY(search_between(search, &first, &here, 0));
    TRY(add_point(search, (double)here.x, (double)here.t));
    TRY(search_between(search, &here, &last, 0));
    return high > here.x ? add_point(search, (double)high, (double)last.t) : STATUS_OK;
}

enum status corners_find(const struct run_time *of, int64_t low, int64_t high, bool convex, struct corners *curve,
                         struct err *err)
{
    struct search search = {.of = of, .curve = curve, .last = of->replays->count + REPLAYS_MOST, .err = err};
    *curve = (struct corners){.exact = true};
    enum status status = find_corners(&search, low, high);
    if (status == STATUS_OK) {
        join_lines(of, curve);
        search.last = of->replays->count + REPLAYS_MOST;
        if (!convex) status = check_lines(&search);
    }
    if (status != STATUS_OK) {
        corners_clear(curve);
        return status;
    }
    join_lines(of, curve);
    find_interval(of, curve);
    return STATUS_OK;
}

void corners_clear(struct corners *curve)
{
    free(curve->points);
    *curve = (struct corners){.count = 0};
}

/* Beyond the range, by Newton's method: exact where the run time is convex. There a run may take longer than replays count. */
static enum status search_beyond(const struct run_time *of, const struct corner *last, double target, double *x, struct err *err)
{
    const struct search search = {.of = of, .err = err};
    struct point point;
    double at = last->x;
    for (int i = 0; i < NEWTON_MOST; i++) {
        enum status status = measure_point(&search, llround(at), i > 0, &point);
        if (status == STATUS_OK && isnan(i > 0 ? point.left : point.right)) status = measure_slope(&search, &point, i > 0);
        if (status != STATUS_OK) return status == STATUS_DATA ? STATUS_OK : status;
        const double slope = i > 0 ? point.left : point.right, more = (target - (double)point.t) / slope;
        if (!(slope > 0) || at + more > BEYOND * last->x) return STATUS_OK;
        at = (double)point.x + more;
        if (i > 0 && fabs(more) <= (double)of->step) {
            *x = at;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

/* Between two values of which one has a shorter and one a longer run than the target, where the curve is not known: by halving
 * and interpolation in turns. */
static enum status search_inside(const struct run_time *of, struct corner low, struct corner high, double target, double *x,
                                 struct err *err)
{
    const struct search search = {.of = of, .err = err};
    for (int i = 0; i < HALVES_MOST && high.x - low.x > (double)of->step; i++) {
        const double share = i % 2 == 0 && high.t > low.t ? (target - low.t) / (high.t - low.t) : 0.5;
        struct point point;
        TRY(measure_point(&search, llround(low.x + share * (high.x - low.x)), false, &point));
        *((double)point.t < target ? &low : &high) = (struct corner){(double)point.x, (double)point.t};
        if (fabs((double)point.t - target) <= 1 + run_time_error(of, 0)) break;
    }
    *x = fabs(low.t - target) < fabs(high.t - target) ? low.x : high.x;
    return STATUS_OK;
}

/* On the line from a to b. Where a replay refutes that, the line is none. In a jump no run takes so long. */
static enum status search_line(const struct run_time *of, struct corners *curve, struct corner a, struct corner b, double target,
                               double *x, struct err *err)
{
    const struct search search = {.of = of, .err = err};
    const double slope = (b.t - a.t) / (b.x - a.x);
    struct point found;
    *x = a.x + (target - a.t) / slope;
    if (b.x - a.x <= (double)of->step) {
        curve->exact = false;
        return STATUS_OK;
    }
    if (of->grain > 0) return STATUS_OK; /* a proven line */
    TRY(measure_point(&search, llround(*x), false, &found));
    if (fabs((double)found.t - target) <= 1 + fabs(slope) + run_time_error(of, b.x - a.x)) return STATUS_OK;
    curve->exact = false;
    const struct corner here = {(double)of->x, (double)of->t}, middle = {(double)found.x, (double)found.t};
    if (middle.t < target) return search_inside(of, middle, b, target, x, err);
    return search_inside(of, a.x < here.x ? here : a, middle, target, x, err);
}

enum status corners_tolerance(const struct run_time *of, struct corners *curve, double share, double *x, struct err *err)
{
    const double target = (double)of->t * (1 + share);
    *x = NAN;
    if (of->t == 0) return STATUS_OK;
    for (size_t i = 1; i < curve->count; i++) {
        const struct corner *a = &curve->points[i - 1], *b = &curve->points[i];
        if (b->x <= (double)of->x || b->t < target) continue;
        if (a->t < target)
            return curve->exact ? search_line(of, curve, *a, *b, target, x, err) : search_inside(of, *a, *b, target, x, err);
        *x = a->x;
        return STATUS_OK;
    }
    return search_beyond(of, &curve->points[curve->count - 1], target, x, err);
}
