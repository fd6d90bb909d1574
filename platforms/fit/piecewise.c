#include "platforms/fit/piecewise.h"

#include <gsl/gsl_fit.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/generator.h"

#define HUBER         1.345 /* 95 % efficiency where errors are normal */
#define BISQUARE      4.685
#define LOSS_MOST     30.0
#define LOSS_CLEAR    0.25 /* of a point; its noise alone costs 0.45 */
#define ERRORS_STATED 3.0
#define CONVERGED     1e-9
enum { FOLDS = 10, ROUNDS = 30, BISQUARE_ROUNDS = 2, RESAMPLES = 200, LEFT_OUT_POINTS = FIT_SEGMENT_POINTS - 1 };

struct line {
    double intercept, slope, variance0, covariance, variance1, loss;
};

/* Capped: one outlier costs no more than a segment of its own would. */
static double huber_loss(double residual)
{
    double size = fabs(residual);
    return size <= HUBER ? size * size / 2 : fmin(HUBER * (size - HUBER / 2), LOSS_MOST);
}

static double huber_weight(double residual)
{
    double size = fabs(residual);
    return size <= HUBER ? 1 : HUBER / size;
}

/* Tukey's weight: outliers have none. */
static double bisquare_weight(double residual)
{
    double share = residual / BISQUARE;
    return fabs(share) < 1 ? (1 - share * share) * (1 - share * share) : 0;
}

static double residual_of(const struct fit_point *point, const struct line *line)
{
    return (point->y - line->intercept - line->slope * point->x) / point->error;
}

/* The robust scale of the points, in units of their errors; at least 1. */
static double scale_of(const double *residuals, size_t count, double parameters)
{
    double sizes[FIT_POINTS_MOST];
    for (size_t i = 0; i < count; i++) sizes[i] = fabs(residuals[i]);
    gsl_sort(sizes, 1, count);
    double free_share = fmax(1 - parameters / (double)count, 0.25);
    return fmax(1, 1.4826 * gsl_stats_median_from_sorted_data(sizes, 1, count) / sqrt(free_share));
}

/* Iteratively reweighted least squares: Huber's weights until they converge (Robust Statistics, 1981), then Tukey's,
 * which remove outliers. A line needs two points with a weight. */
static void fit_line(const struct fit_point *points, size_t count, struct line *line)
{
    double x[FIT_POINTS_MOST], y[FIT_POINTS_MOST], weights[FIT_POINTS_MOST], residuals[FIT_POINTS_MOST], before = INFINITY;
    int bisquare = 0;
    for (size_t i = 0; i < count; i++) {
        x[i] = points[i].x;
        y[i] = points[i].y;
        weights[i] = 1 / (points[i].error * points[i].error);
    }
    for (int round = 0; round < ROUNDS; round++) {
        struct line next;
        double squares;
        size_t used = 0;
        gsl_fit_wlinear(x, 1, weights, 1, y, 1, count, &next.intercept, &next.slope, &next.variance0, &next.covariance,
                        &next.variance1, &squares);
        next.loss = 0;
        for (size_t i = 0; i < count; i++) {
            residuals[i] = residual_of(&points[i], &next);
            next.loss += huber_loss(residuals[i]);
        }
        *line = next;
        if (fabs(before - next.loss) <= CONVERGED * (next.loss + CONVERGED)) bisquare++;
        if (bisquare > BISQUARE_ROUNDS || next.loss < CONVERGED) return;
        before = next.loss;
        double scale = bisquare ? scale_of(residuals, count, 2) : 1;
        for (size_t i = 0; i < count; i++) {
            double weight = bisquare ? bisquare_weight(residuals[i] / scale) : huber_weight(residuals[i]);
            weights[i] = weight / (points[i].error * points[i].error);
            used += weight > 0;
        }
        if (used < 2 + (count > 3)) return;
    }
}

/* --- break points --- */

/* ends[s]: one behind the last point of segment s. */
struct split {
    size_t ends[FIT_SEGMENTS_MOST];
    double loss;
};

/* losses[i * count + k]: of the line through the points i..k. */
static void fit_all_lines(const struct fit_point *points, size_t count, size_t least, double *losses)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i; k < count; k++) {
            struct line line;
            losses[i * count + k] = INFINITY;
            if (k - i + 1 < least) continue;
            fit_line(points + i, k - i + 1, &line);
            losses[i * count + k] = line.loss;
        }
}

/* splits[s]: the best one into s + 1 segments. best[s][k]: least loss of the first k + 1 points in s + 1 segments. */
static void find_splits(const double *losses, size_t count, struct split splits[FIT_SEGMENTS_MOST])
{
    static _Thread_local double best[FIT_SEGMENTS_MOST][FIT_POINTS_MOST];
    static _Thread_local size_t begin[FIT_SEGMENTS_MOST][FIT_POINTS_MOST];
    for (size_t k = 0; k < count; k++) {
        best[0][k] = losses[k];
        begin[0][k] = 0;
    }
    for (int s = 1; s < FIT_SEGMENTS_MOST; s++)
        for (size_t k = 0; k < count; k++) {
            best[s][k] = INFINITY;
            begin[s][k] = 0;
            for (size_t i = 1; i <= k; i++) {
                double loss = best[s - 1][i - 1] + losses[i * count + k];
                if (loss >= best[s][k]) continue;
                best[s][k] = loss;
                begin[s][k] = i;
            }
        }
    for (int s = 0; s < FIT_SEGMENTS_MOST; s++) {
        splits[s].loss = best[s][count - 1];
        size_t end = count;
        for (int part = s; part >= 0 && isfinite(splits[s].loss); part--) {
            splits[s].ends[part] = end;
            end = begin[part][end - 1];
        }
    }
}

/* --- the number of segments --- */

/* Loss of a point that was left out of the fit: by the line of its neighbours; between two segments by the nearer line,
 * since the break is there. place: its index before it was left out. */
static double left_out_loss(const struct fit_point *others, const struct split *split, int segments,
                            const struct fit_point *point, size_t place)
{
    double least = INFINITY;
    size_t begin = 0;
    for (int s = 0; s < segments; begin = split->ends[s++]) {
        struct line line;
        if (place < begin || place > split->ends[s]) continue;
        fit_line(others + begin, split->ends[s] - begin, &line);
        least = fmin(least, huber_loss(residual_of(point, &line)));
    }
    return least;
}

/* table[s * count + i]: loss of point i, left out, with s + 1 segments. Every FOLDS-th point is left out at once. The
 * first and the last point are never left out: lines would extrapolate. */
static void leave_each_out(const struct fit_point *points, size_t count, double *losses, double *table)
{
    struct fit_point others[FIT_POINTS_MOST];
    struct split splits[FIT_SEGMENTS_MOST];
    size_t places[FIT_POINTS_MOST];
    for (size_t fold = 0; fold < FOLDS; fold++) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            places[i] = kept;
            if (i % FOLDS != fold || i == 0 || i + 1 == count) others[kept++] = points[i];
        }
        if (kept == count) continue;
        fit_all_lines(others, kept, LEFT_OUT_POINTS, losses);
        find_splits(losses, kept, splits);
        for (size_t out = 1; out + 1 < count; out++)
            for (int s = 0; s < FIT_SEGMENTS_MOST && out % FOLDS == fold; s++)
                table[(size_t)s * count + out] =
                    isfinite(splits[s].loss) ? left_out_loss(others, &splits[s], s + 1, &points[out], places[out]) : INFINITY;
    }
}

static int choose_number(const double *table, size_t count, const struct split *splits, struct piecewise *fit)
{
    int best = 0;
    double error = 0;
    size_t tried = count - 2;
    for (int s = 0; s < FIT_SEGMENTS_MOST; s++) {
        const double *losses = table + (size_t)s * count + 1;
        fit->left_out_loss[s] = isfinite(splits[s].loss) ? gsl_stats_mean(losses, 1, tried) : INFINITY;
        if (!isfinite(fit->left_out_loss[s])) fit->left_out_loss[s] = INFINITY;
        if (s > 0 && !(fit->left_out_loss[s] < fit->left_out_loss[best])) continue;
        best = s;
        error = gsl_stats_sd(losses, 1, tried) / sqrt((double)tried);
    }
    for (int s = 0; s < best; s++)
        if (fit->left_out_loss[s] <= fit->left_out_loss[best] + fmax(error, LOSS_CLEAR)) return s + 1;
    return best + 1;
}

/* --- errors --- */

/* Residuals over all segments, in standard errors of their points, and their robust scale; at least 1. */
static void measure_residuals(const struct fit_point *points, const struct line *lines, struct piecewise *fit, double *residuals)
{
    size_t count = 0;
    for (int s = 0; s < fit->count; s++)
        for (size_t i = 0; i < fit->segments[s].points; i++)
            residuals[count++] = residual_of(&points[fit->segments[s].first + i], &lines[s]);
    fit->scale = scale_of(residuals, count, 2.0 * fit->count); /* two parameters of each line are taken from the points */
}

/* Standard deviations of a line's parameters over resampled residuals (Efron, Tibshirani, An Introduction to the
 * Bootstrap, sec. 9.4). */
static void resample_line(const struct fit_point *points, const struct fit_segment *segment, const struct line *line,
                          double scale, const double *residuals, size_t residual_count, const gsl_rng *random,
                          double deviations[2])
{
    double intercepts[RESAMPLES], slopes[RESAMPLES];
    struct fit_point drawn[FIT_POINTS_MOST];
    double wider = sqrt((double)segment->points / (double)(segment->points - 2));
    for (int round = 0; round < RESAMPLES; round++) {
        struct line again;
        for (size_t i = 0; i < segment->points; i++) {
            const struct fit_point *point = &points[segment->first + i];
            double residual = residuals[gsl_rng_uniform_int(random, residual_count)];
            residual = fmin(fmax(residual, -ERRORS_STATED * scale), ERRORS_STATED * scale); /* outliers are no noise */
            drawn[i] = *point;
            drawn[i].y = line->intercept + line->slope * point->x + wider * residual * point->error;
        }
        fit_line(drawn, segment->points, &again);
        intercepts[round] = again.intercept;
        slopes[round] = again.slope;
    }
    deviations[0] = gsl_stats_sd(intercepts, 1, RESAMPLES);
    deviations[1] = gsl_stats_sd(slopes, 1, RESAMPLES);
}

static void state_errors(const struct fit_point *points, size_t count, const struct line *lines, struct piecewise *fit)
{
    double residuals[FIT_POINTS_MOST], deviations[2];
    struct generator generator;
    const gsl_rng *random = generator_begin(&generator, gsl_rng_mt19937, 0);
    measure_residuals(points, lines, fit, residuals);
    for (int s = 0; s < fit->count; s++) {
        struct fit_segment *segment = &fit->segments[s];
        resample_line(points, segment, &lines[s], fit->scale, residuals, count, random, deviations);
        segment->intercept.error = ERRORS_STATED * fmax(deviations[0], fit->scale * sqrt(lines[s].variance0));
        segment->slope.error = ERRORS_STATED * fmax(deviations[1], fit->scale * sqrt(lines[s].variance1));
        segment->covariance = fit->scale * fit->scale * lines[s].covariance;
    }
}

/* --- the fit --- */

static enum status check_points(const struct fit_point *points, size_t count, struct err *err)
{
    if (count < FIT_SEGMENT_POINTS || count > FIT_POINTS_MOST)
        return err_set(err, STATUS_DATA, NULL, NULL, "%zu points, expected %d to %d for a fit", count, FIT_SEGMENT_POINTS,
                       FIT_POINTS_MOST);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(points[i].x) || !isfinite(points[i].y) || !isfinite(points[i].error) || points[i].error <= 0)
            return err_set(err, STATUS_DATA, NULL, NULL, "point %zu is no number or has no error, expected both", i);
        if (i > 0 && points[i].x <= points[i - 1].x)
            return err_set(err, STATUS_DATA, NULL, NULL, "point %zu is not behind the one before, expected ascending sizes", i);
    }
    return STATUS_OK;
}

enum status piecewise_fit(const struct fit_point *points, size_t count, struct piecewise *fit, struct err *err)
{
    struct split splits[FIT_SEGMENTS_MOST];
    struct line lines[FIT_SEGMENTS_MOST];
    struct piecewise made = {.count = 0};
    TRY(check_points(points, count, err));
    double *losses = malloc(sizeof *losses * count * count), *table = calloc(count * FIT_SEGMENTS_MOST, sizeof *table);
    if (!losses || !table) {
        FREE_ALL(losses, table);
        return err_memory(err);
    }
    leave_each_out(points, count, losses, table);
    fit_all_lines(points, count, FIT_SEGMENT_POINTS, losses);
    find_splits(losses, count, splits);
    made.count = choose_number(table, count, splits, &made);
    FREE_ALL(losses, table);
    const struct split *split = &splits[made.count - 1];
    for (int s = 0; s < made.count; s++) {
        size_t first = s ? split->ends[s - 1] : 0, last = split->ends[s] - 1;
        fit_line(points + first, last - first + 1, &lines[s]);
        made.segments[s] = (struct fit_segment){.from = points[first].x, .upto = points[last].x, .first = first,
                                                .points = last - first + 1, .intercept.value = lines[s].intercept,
                                                .slope.value = lines[s].slope};
    }
    state_errors(points, count, lines, &made);
    *fit = made;
    return STATUS_OK;
}

enum status piecewise_predict(const struct piecewise *fit, double x, struct fit_value *y, struct err *err)
{
    int s = 0;
    double first = fit->segments[0].from, last = fit->segments[fit->count - 1].upto;
    if (!(x >= first && x <= last))
        return err_set(err, STATUS_DATA, NULL, NULL, "%g bytes are outside what was measured, expected %g to %g", x, first, last);
    while (s + 1 < fit->count && x >= fit->segments[s + 1].from) s++;
    const struct fit_segment *segment = &fit->segments[s];
    double deviation0 = segment->intercept.error / ERRORS_STATED, deviation1 = segment->slope.error / ERRORS_STATED;
    double variance = deviation0 * deviation0 + 2 * x * segment->covariance + x * x * deviation1 * deviation1;
    y->value = segment->intercept.value + segment->slope.value * x;
    y->error = ERRORS_STATED * sqrt(fmax(variance, 0));
    return STATUS_OK;
}

struct fit_value fit_intercept(const struct fit_point *points, size_t count, double slope)
{
    double weights = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = 1 / (points[i].error * points[i].error);
        weights += weight;
        sum += weight * (points[i].y - slope * points[i].x);
    }
    return (struct fit_value){sum / weights, ERRORS_STATED / sqrt(weights)};
}

struct fit_value fit_slope(const struct fit_point *points, size_t count, double intercept)
{
    double weights = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = 1 / (points[i].error * points[i].error);
        weights += weight * points[i].x * points[i].x;
        sum += weight * points[i].x * (points[i].y - intercept);
    }
    return (struct fit_value){sum / weights, ERRORS_STATED / sqrt(weights)};
}
