#include "predictors/scale/time_model.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BALANCED 0.1        /* ParJava's bound for a region that may be reduced to its mean */
#define SIMPLE_ENOUGH 0.01  /* a simpler function is kept where it is wrong by less */
#define FAR_RANKS 1048576   /* a function must not be negative up to so many ranks, */
#define FAR_TIMES 1024      /* and up to so many times the largest parameter */

/* In the order in which they are preferred. */
static const struct time_term terms[] = {
    {0, 0}, {-1, 0},      {1, 0},       {0, 1},      {-0.5, 0},    {0.5, 0},    {-2. / 3, 0}, {-1. / 3, 0}, {1. / 3, 0},
    {2. / 3, 0},  {-2, 0},      {2, 0},      {1, 1},       {0, 2},      {0.5, 1},     {-1, 1},      {-0.5, 1},
    {1.5, 0},     {-1.5, 0},    {1, 2},
};
static const struct time_term terms_of_n[] = {
    {0, 0}, {1, 0}, {2, 0}, {3, 0}, {1, 1}, {0, 1}, {0.5, 0}, {1.5, 0}, {1. / 3, 0}, {2. / 3, 0}, {2, 1}, {-1, 0},
};
enum { TERMS = sizeof terms / sizeof *terms, TERMS_OF_N = sizeof terms_of_n / sizeof *terms_of_n };

void time_sample_add(struct time_sample *sample, double seconds)
{
    if (sample->count == 0 || seconds < sample->least) sample->least = seconds;
    if (sample->count == 0 || seconds > sample->largest) sample->largest = seconds;
    sample->count++;
    double from_mean = seconds - sample->mean; /* B. P. Welford, Technometrics 4 (1962) */
    sample->mean += from_mean / (double)sample->count;
    sample->deviations += from_mean * (seconds - sample->mean);
}

static double raise_term(const struct time_term *term, double of)
{
    return term->exponent == 0 && term->logs == 0 ? 1 : pow(of, term->exponent) * pow(log2(of), term->logs);
}

static double term_value(const struct time_model *model, double ranks, double n)
{
    return raise_term(&model->ranks, ranks) * raise_term(&model->n, n);
}

static double model_value(const struct time_model *model, double ranks, double n)
{
    double term = model->c1 != 0 ? model->c1 * term_value(model, ranks, n) : 0;
    return model->c0 + term;
}

double time_model_mean(const struct time_model *model, int32_t ranks, int64_t n)
{
    double seconds = model_value(model, ranks, (double)n);
    return seconds > 0 ? seconds : 0;
}

/* Whether the function is not negative in the relevant range. The terms of the parameter rise or fall throughout, so it is enough
 * to look at the ends. */
static bool is_positive(const struct time_model *model, const struct time_sample *samples, size_t count)
{
    double few = samples[0].ranks, small = (double)samples[0].n, large = small;
    for (size_t i = 1; i < count; i++) {
        small = fmin(small, (double)samples[i].n);
        large = fmax(large, (double)samples[i].n);
    }
    return model_value(model, few, small) >= 0 && model_value(model, few, FAR_TIMES * large) >= 0 &&
           model_value(model, FAR_RANKS, small) >= 0 && model_value(model, FAR_RANKS, large) >= 0;
}

struct terms {
    struct time_term ranks, n;
};

enum shape { SHAPE_FIXED, SHAPE_TERM, SHAPE_BOTH };

/* Least squares of relative errors over all samples but one. False: the function does not exist. */
static bool solve_function(enum shape shape, const struct time_sample *samples, size_t count, size_t left_out,
                           struct time_model *model)
{
    double x[TIME_POINTS_MAX], y[TIME_POINTS_MAX], weight[TIME_POINTS_MAX], c00, c01, c11, residual;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == left_out) continue;
        x[n] = shape == SHAPE_FIXED ? 1 : term_value(model, samples[i].ranks, (double)samples[i].n);
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
    return isfinite(model->c0) && isfinite(model->c1) && is_positive(model, samples, count);
}

/* The largest relative error with which the other samples predict one; INFINITY: they cannot. */
static double cross_validate(enum shape shape, const struct time_sample *samples, size_t count, struct terms of)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        struct time_model model = {.ranks = of.ranks, .n = of.n};
        double mean = samples[i].mean;
        if (!solve_function(shape, samples, count, i, &model)) return INFINITY;
        double error = fabs(time_model_mean(&model, samples[i].ranks, samples[i].n) - mean);
        if (error > 0) error /= mean > 0 ? mean : error;
        if (error > worst) worst = error;
    }
    return worst;
}

/* The relative error of a mean of N measurements: 3 sigma / (sqrt(N) (mean - sigma)). If they vary by more than their
 * mean, this is no bound, and the error is the whole mean. */
static double mean_error(const struct time_sample *sample)
{
    double n = (double)sample->count;
    if (sample->mean <= 0 || n < 2) return 0;
    double sigma = sqrt(sample->deviations / (n - 1));
    return sigma < sample->mean ? fmin(3 * sigma / (sqrt(n) * (sample->mean - sigma)), 1) : 1;
}

/* The share of the recorded time that waited for a core. A mean with the waits can be too long by that share. Without them the
 * mean still has what they did to caches and timers, which is not measured: the share stands for it, too. */
static double disturbed_share(const struct time_sample *sample)
{
    return sample->recorded > 0 ? fmin(sample->waited / sample->recorded, 1) : 0;
}

/* The distance between two scales in doublings, of ranks and parameter together. */
static double doublings_between(int32_t ranks, int64_t n, int32_t other_ranks, int64_t other_n)
{
    double of_ranks = fabs(log2((double)ranks / other_ranks));
    return n > 0 && other_n > 0 ? of_ranks + fabs(log2((double)n / (double)other_n)) : of_ranks;
}

static double nearest_other(const struct time_sample *samples, size_t count, size_t own)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (i != own)
            nearest = fmin(nearest, doublings_between(samples[i].ranks, samples[i].n, samples[own].ranks, samples[own].n));
    return nearest;
}

static void add_miss(struct time_model *model, double predicted, double mean, double doublings)
{
    double error = fabs(mean - predicted);
    if (error == 0) return;
    double relative = predicted > 0 && mean > 0 ? fmax(mean / predicted, predicted / mean) - 1 : 1;
    model->missed = fmax(model->missed, relative);
    model->missed_s = fmax(model->missed_s, error);
    model->missed_doublings = model->missed_doublings > 0 ? fmin(model->missed_doublings, doublings) : doublings;
}

static void set_missed(enum shape shape, const struct time_sample *samples, size_t count, struct terms of,
                       struct time_model *made)
{
    for (size_t i = 0; count > 1 && i < count; i++) {
        struct time_model model = {.ranks = of.ranks, .n = of.n};
        double mean = samples[i].mean;
        bool solved = solve_function(shape, samples, count, i, &model);
        double predicted = mean / 2; /* the error is the whole value */
        if (solved) predicted = time_model_mean(&model, samples[i].ranks, samples[i].n);
        add_miss(made, predicted, mean, nearest_other(samples, count, i));
    }
}

/* Two runs fit a function of one term, so it misses none. What they do not tell is a part that the ranks do not change: times
 * that shrink may be a + b / p, times that grow a + b p. Where that part would be less than nothing, the time is divided by the
 * ranks from the larger run on. The distance from that after one doubling is the error. */
static void add_other_function(const struct time_sample *samples, struct time_model *model)
{
    const double few = samples[0].ranks, many = samples[1].ranks, first = samples[0].mean, last = samples[1].mean;
    if (few == many || samples[0].n != samples[1].n || model->c1 == 0) return;
    double fixed = (many * last - few * first) / (many - few), other = last + (last - first) * many / (many - few);
    if (last < first) other = fixed > 0 ? (fixed + last) / 2 : last / 2;
    double taken = time_model_mean(model, 2 * samples[1].ranks, samples[1].n);
    if (taken > 0 && other > 0) add_miss(model, taken, other, 1);
}

void time_model_fit_last(const struct time_sample *samples, size_t count, struct time_model *model)
{
    const struct time_sample *last = &samples[count - 1];
    time_model_fit(last, 1, true, model);
    time_model_add_change(samples, count, model);
}

void time_model_add_change(const struct time_sample *samples, size_t count, struct time_model *model)
{
    const struct time_sample *last = &samples[count - 1];
    if (count > 1) add_miss(model, last->mean, samples[count - 2].mean, nearest_other(samples, count, count - 1));
}

void time_model_add_unknown(struct time_model *model)
{
    model->missed = model->missed_doublings = 1;
}

struct choice {
    enum shape shape;
    struct terms terms;
    double error;
};

/* A function with more or rarer terms must be much better, since it may otherwise fit noise. */
static void consider_function(struct choice *best, enum shape shape, struct terms of, double error, double enough,
                              bool surely)
{
    if (surely && error > SIMPLE_ENOUGH) return;
    if (best->error <= enough || !(error < best->error / 2)) return;
    *best = (struct choice){shape, of, error};
}

/* All products of a term of the ranks and one of the parameter, the preferred ones first. */
static void consider_terms(struct choice *best, enum shape shape, const struct time_sample *samples, size_t count, double enough,
                           bool surely)
{
    size_t of_n = samples[0].n > 0 ? TERMS_OF_N : 1;
    for (size_t rarity = 1; rarity < TERMS + of_n - 1; rarity++)
        for (size_t k = 0; k < of_n && k <= rarity; k++) {
            if (rarity - k >= TERMS) continue;
            const struct terms of = {terms[rarity - k], terms_of_n[k]};
            consider_function(best, shape, of, cross_validate(shape, samples, count, of), enough, surely);
        }
}

static struct choice choose_function(const struct time_sample *samples, size_t count, double noise, bool surely)
{
    struct choice best = {.shape = SHAPE_FIXED};
    if (count < 2) return best;
    best.error = cross_validate(SHAPE_FIXED, samples, count, best.terms);
    for (int shape = SHAPE_TERM; shape <= (count > 2 ? SHAPE_BOTH : SHAPE_TERM); shape++)
        consider_terms(&best, shape, samples, count, fmax(SIMPLE_ENOUGH, noise), surely);
    return best;
}

void time_model_fit(const struct time_sample *samples, size_t count, bool surely, struct time_model *model)
{
    double noise = 0, disturbed = 0, slept = 0, all = 0;
    *model = (struct time_model){.balanced = true};
    if (count > TIME_POINTS_MAX) count = TIME_POINTS_MAX;
    for (size_t i = 0; i < count; i++) {
        double mean = samples[i].mean;
        noise = fmax(noise, mean_error(&samples[i]));
        disturbed = fmax(disturbed, disturbed_share(&samples[i]));
        slept += samples[i].slept;
        all += mean * (double)samples[i].count;
        if (samples[i].least < (1 - BALANCED) * mean || samples[i].largest > (1 + BALANCED) * mean)
            model->balanced = false;
    }
    struct choice best = choose_function(samples, count, noise, surely);
    model->ranks = best.terms.ranks;
    model->n = best.terms.n;
    if (!solve_function(best.shape, samples, count, SIZE_MAX, model)) {
        *model = (struct time_model){.c0 = samples[count - 1].mean, .balanced = model->balanced};
        best.shape = SHAPE_FIXED;
    }
    model->error = noise + disturbed;
    model->slept = slept > 0 ? fmin(slept / all, 1) : 0;
    set_missed(best.shape, samples, count, best.terms, model);
    if (count == 2) add_other_function(samples, model);
    for (size_t i = 0; i < count; i++) model->measured[i] = (struct time_point){samples[i].ranks, samples[i].n, samples[i].mean};
    model->measured_count = count;
}

/* " p^0.5 log2^1 p" */
static void print_term(const struct time_term *term, const char *of, char *text, size_t size)
{
    size_t length = strlen(text);
    if (term->exponent != 0) snprintf(text + length, size - length, " %s^%.3g", of, term->exponent);
    length = strlen(text);
    if (term->logs) snprintf(text + length, size - length, " log2^%d %s", term->logs, of);
}

char *time_model_text(const struct time_model *model, const char *parameter, const char *unit, char buffer[TIME_TEXT_BYTES])
{
    char fixed[24] = "", product[176] = "";
    if (model->c1 == 0) {
        snprintf(buffer, TIME_TEXT_BYTES, "%.6g%s", model->c0, unit);
        return buffer;
    }
    if (model->c0 != 0) snprintf(fixed, sizeof fixed, "%.6g + ", model->c0);
    if (parameter) print_term(&model->n, parameter, product, sizeof product);
    print_term(&model->ranks, "p", product, sizeof product);
    snprintf(buffer, TIME_TEXT_BYTES, "%s%.6g%s%s", fixed, model->c1, product, unit);
    return buffer;
}
