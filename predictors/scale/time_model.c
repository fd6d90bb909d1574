#include "predictors/scale/time_model.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BALANCED 0.1        /* ParJava's bound for a region that may be reduced to its mean */
#define SIMPLE_ENOUGH 0.01  /* a simpler function is kept where it is wrong by less */
#define FAR_RANKS 1048576   /* up to there a function may not fall below 0 */

struct term {
    double exponent;
    int logs;
};

/* In the order in which they are preferred. */
static const struct term terms[] = {
    {-1, 0},      {1, 0},       {0, 1},      {-0.5, 0},    {0.5, 0},    {-2. / 3, 0}, {-1. / 3, 0}, {1. / 3, 0},
    {2. / 3, 0},  {-2, 0},      {2, 0},      {1, 1},       {0, 2},      {0.5, 1},     {-1, 1},      {-0.5, 1},
    {1.5, 0},     {-1.5, 0},    {1, 2},
};
enum { TERMS = sizeof terms / sizeof *terms };

void time_sample_add(struct time_sample *sample, double seconds)
{
    if (sample->count == 0 || seconds < sample->least) sample->least = seconds;
    if (sample->count == 0 || seconds > sample->largest) sample->largest = seconds;
    sample->count++;
    double from_mean = seconds - sample->mean; /* B. P. Welford, Technometrics 4 (1962) */
    sample->mean += from_mean / (double)sample->count;
    sample->deviations += from_mean * (seconds - sample->mean);
}

static double term_value(const struct time_model *model, double ranks)
{
    return pow(ranks, model->exponent) * pow(log2(ranks), model->logs);
}

static double value(const struct time_model *model, double ranks)
{
    double term = model->c1 != 0 ? model->c1 * term_value(model, ranks) : 0;
    return model->c0 + term;
}

double time_model_mean(const struct time_model *model, int32_t ranks)
{
    double seconds = value(model, ranks);
    return seconds > 0 ? seconds : 0;
}

enum shape { SHAPE_FIXED, SHAPE_TERM, SHAPE_BOTH };

/* Least squares of relative errors over all samples but one. False: the function does not exist. */
static bool solve(enum shape shape, const struct time_sample *samples, size_t count, size_t left_out,
                  struct time_model *model)
{
    double x[TIME_POINTS_MAX], y[TIME_POINTS_MAX], weight[TIME_POINTS_MAX], c00, c01, c11, residual;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == left_out) continue;
        x[n] = shape == SHAPE_FIXED ? 1 : term_value(model, samples[i].ranks);
        y[n] = samples[i].mean;
        weight[n] = y[n] > 0 ? 1 / (y[n] * y[n]) : 1;
        n++;
    }
    if (n == 0) return false;
    if (shape == SHAPE_BOTH)
        gsl_fit_wlinear(x, 1, weight, 1, y, 1, n, &model->c0, &model->c1, &c00, &c01, &c11, &residual);
    else { /* one parameter: GSL has it without weights only, so each side is divided by the weight's root */
        for (size_t i = 0; i < n; i++) {
            x[i] *= sqrt(weight[i]);
            y[i] *= sqrt(weight[i]);
        }
        double slope;
        gsl_fit_mul(x, 1, y, 1, n, &slope, &c11, &residual);
        model->c0 = shape == SHAPE_FIXED ? slope : 0;
        model->c1 = shape == SHAPE_FIXED ? 0 : slope;
    }
    return isfinite(model->c0) && isfinite(model->c1) && value(model, FAR_RANKS) >= 0 &&
           value(model, samples[0].ranks) >= 0;
}

/* The largest relative error with which the other samples predict one; INFINITY: they cannot. */
static double cross_validate(enum shape shape, const struct time_sample *samples, size_t count, struct term term)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        struct time_model model = {.exponent = term.exponent, .logs = term.logs};
        double mean = samples[i].mean;
        if (!solve(shape, samples, count, i, &model)) return INFINITY;
        double error = fabs(time_model_mean(&model, samples[i].ranks) - mean);
        if (error > 0) error /= mean > 0 ? mean : error;
        if (error > worst) worst = error;
    }
    return worst;
}

/* Of a mean of N measurements: 3 sigma / (sqrt(N) (mean - sigma)). Where they vary by more than their mean that is no bound:
 * all of the mean may be wrong. */
static double mean_error(const struct time_sample *sample)
{
    double n = (double)sample->count;
    if (sample->mean <= 0 || n < 2) return 0;
    double sigma = sqrt(sample->deviations / (n - 1));
    return sigma < sample->mean ? fmin(3 * sigma / (sqrt(n) * (sample->mean - sigma)), 1) : 1;
}

/* How far a run's mean is from what the others predict for it, relative to that. */
static double prediction_error(enum shape shape, const struct time_sample *samples, size_t count, struct term term)
{
    double worst = 0;
    for (size_t i = 0; count > 1 && i < count; i++) {
        struct time_model model = {.exponent = term.exponent, .logs = term.logs};
        if (!solve(shape, samples, count, i, &model)) return 1;
        double predicted = time_model_mean(&model, samples[i].ranks), error = fabs(samples[i].mean - predicted);
        if (error > 0) worst = fmax(worst, predicted > 0 ? error / predicted : 1);
    }
    return worst;
}

struct choice {
    enum shape shape;
    struct term term;
    double error;
};

/* A function with more terms or a rarer one must be better by much: otherwise it follows the noise. */
static void consider(struct choice *best, enum shape shape, struct term term, double error, double enough, bool surely)
{
    if (surely && error > SIMPLE_ENOUGH) return;
    if (best->error <= enough || !(error < best->error / 2)) return;
    *best = (struct choice){shape, term, error};
}

static struct choice choose(const struct time_sample *samples, size_t count, double noise, bool surely)
{
    struct choice best = {SHAPE_FIXED, {0, 0}, 0};
    double enough = fmax(SIMPLE_ENOUGH, noise);
    if (count < 2) return best;
    best.error = cross_validate(SHAPE_FIXED, samples, count, best.term);
    for (int shape = SHAPE_TERM; shape <= (count > 2 ? SHAPE_BOTH : SHAPE_TERM); shape++)
        for (size_t i = 0; i < TERMS; i++)
            consider(&best, shape, terms[i], cross_validate(shape, samples, count, terms[i]), enough, surely);
    return best;
}

void time_model_fit(const struct time_sample *samples, size_t count, bool surely, struct time_model *model)
{
    double noise = 0;
    *model = (struct time_model){.balanced = true};
    if (count > TIME_POINTS_MAX) count = TIME_POINTS_MAX;
    for (size_t i = 0; i < count; i++) {
        double mean = samples[i].mean;
        noise = fmax(noise, mean_error(&samples[i]));
        if (samples[i].least < (1 - BALANCED) * mean || samples[i].largest > (1 + BALANCED) * mean)
            model->balanced = false;
    }
    struct choice best = choose(samples, count, noise, surely);
    model->exponent = best.term.exponent;
    model->logs = best.term.logs;
    if (!solve(best.shape, samples, count, SIZE_MAX, model)) {
        *model = (struct time_model){.c0 = samples[count - 1].mean, .balanced = model->balanced};
        best.shape = SHAPE_FIXED;
    }
    model->error = noise + prediction_error(best.shape, samples, count, best.term);
    for (size_t i = 0; i < count; i++) model->measured[i] = (struct time_point){samples[i].ranks, samples[i].mean};
    model->measured_count = count;
}

char *time_model_text(const struct time_model *model, char buffer[TIME_TEXT_BYTES])
{
    char power[24] = "", logs[24] = "", fixed[24] = "";
    if (model->c1 == 0) {
        snprintf(buffer, TIME_TEXT_BYTES, "%.6g s", model->c0);
        return buffer;
    }
    if (model->c0 != 0) snprintf(fixed, sizeof fixed, "%.6g + ", model->c0);
    if (model->exponent != 0) snprintf(power, sizeof power, " p^%.3g", model->exponent);
    if (model->logs) snprintf(logs, sizeof logs, " log2^%d p", model->logs);
    snprintf(buffer, TIME_TEXT_BYTES, "%s%.6g%s%s s", fixed, model->c1, power, logs);
    return buffer;
}
