#include "predictors/scale/count_model.h"

#include <inttypes.h>
#include <stdio.h>

/* log2 of a power of two, else -1. */
static int64_t exact_log(int64_t count)
{
    if (count <= 0 || (count & (count - 1)) != 0) return -1;
    int64_t log = 0;
    for (; count > 1; count /= 2) log++;
    return log;
}

/* The form is a * factor / divisor; factor -1: it has no value on this grid. */
static void form_ratio(enum count_form form, const struct grid *grid, int64_t *factor, int64_t *divisor)
{
    int64_t p = grid->ranks, x = grid->extents[0], y = grid->extents[1], z = grid->extents[2];
    *factor = *divisor = 1;
    switch (form) {
    case COUNT_RANKS: *factor = p; return;
    case COUNT_OTHERS: *factor = p - 1; return;
    case COUNT_SHARE: *divisor = p; return;
    case COUNT_SHARE_SQUARED: *divisor = p * p; return;
    case COUNT_PER_X: *divisor = x; return;
    case COUNT_PER_Y: *divisor = y; return;
    case COUNT_PER_Z: *divisor = z; return;
    case COUNT_PER_XY: *divisor = x * y; return;
    case COUNT_PER_XZ: *divisor = x * z; return;
    case COUNT_PER_YZ: *divisor = y * z; return;
    case COUNT_X: *factor = x; return;
    case COUNT_Y: *factor = y; return;
    case COUNT_Z: *factor = z; return;
    case COUNT_LOG: *factor = exact_log(p); return;
    default: return;
    }
}

/* The same with the power of the parameter; false: no value. */
static bool count_ratio(const struct count_model *model, const struct grid *grid, int64_t n, int64_t *factor,
                        int64_t *divisor)
{
    form_ratio(model->form, grid, factor, divisor);
    int64_t log = exact_log(n);
    switch (model->power) {
    case COUNT_N: return *factor >= 0 && !__builtin_mul_overflow(*factor, n, factor);
    case COUNT_N_SQUARED: return *factor >= 0 && !__builtin_mul_overflow(n, n, &n) && !__builtin_mul_overflow(*factor, n, factor);
    case COUNT_N_CUBED:
        for (int i = 0; i < 3; i++)
            if (__builtin_mul_overflow(*factor, n, factor)) return false;
        return *factor >= 0;
    case COUNT_PER_N: return *factor >= 0 && !__builtin_mul_overflow(*divisor, n, divisor);
    case COUNT_LOG_N: return *factor >= 0 && log >= 0 && !__builtin_mul_overflow(*factor, log, factor);
    default: return *factor >= 0;
    }
}

bool count_model_value(const struct count_model *model, const struct grid *grid, int64_t n, int64_t *value)
{
    int64_t factor, divisor, product;
    if (!count_ratio(model, grid, n, &factor, &divisor) || __builtin_mul_overflow(model->a, factor, &product) ||
        __builtin_mul_overflow(divisor, model->per, &divisor))
        return false;
    if (!model->sum && factor == 0) return false;
    *value = product / divisor;
    return !model->sum || (!__builtin_add_overflow(model->b, *value, value) && *value >= 0);
}

/* Sets a / per to the quotient in lowest terms. Returns false if it must be whole and is not. */
static bool set_quotient(struct count_model *model, int64_t numerator, int64_t denominator)
{
    int64_t a = numerator, b = denominator;
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    if (a == 0 || (denominator / a < 0)) a = -a;
    if (a == 0) return false;
    model->a = numerator / a;
    model->per = denominator / a;
    return model->per == 1 || model->power != COUNT_WITHOUT;
}

/* Sets a and per from one sample, exactly. */
static bool solve_sample(struct count_model *model, const struct count_sample *sample)
{
    int64_t factor, divisor, product;
    if (!count_ratio(model, &sample->grid, sample->n, &factor, &divisor) || factor == 0) return false;
    return !__builtin_mul_overflow(sample->value, divisor, &product) && set_quotient(model, product, factor);
}

/* a and b from two samples. */
static bool solve_sum(struct count_model *model, const struct count_sample *first, const struct count_sample *last)
{
    int64_t factors[2], divisors[2], rise = last->value - first->value, run, there, product;
    if (!count_ratio(model, &first->grid, first->n, &factors[0], &divisors[0]) ||
        !count_ratio(model, &last->grid, last->n, &factors[1], &divisors[1]))
        return false;
    if (__builtin_mul_overflow(factors[1], divisors[0], &run) || __builtin_mul_overflow(factors[0], divisors[1], &there))
        return false;
    if (__builtin_mul_overflow(rise, divisors[0], &rise) || __builtin_mul_overflow(rise, divisors[1], &rise)) return false;
    if (run == there || rise == 0 || !set_quotient(model, rise, run - there)) return false;
    if (__builtin_mul_overflow(model->a, factors[0], &product) || __builtin_mul_overflow(divisors[0], model->per, &divisors[0]) ||
        product % divisors[0] != 0)
        return false;
    model->b = first->value - product / divisors[0];
    return model->b != 0;
}

static bool fits_all(const struct count_model *model, const struct count_sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value;
        if (!count_model_value(model, &samples[i].grid, samples[i].n, &value) || value != samples[i].value) return false;
    }
    return true;
}

static bool is_same_form(const struct count_model *model, const struct count_sample *a, const struct count_sample *b)
{
    int64_t factors[2], divisors[2];
    if (!count_ratio(model, &a->grid, a->n, &factors[0], &divisors[0]) ||
        !count_ratio(model, &b->grid, b->n, &factors[1], &divisors[1]))
        return false;
    return (double)factors[0] * (double)divisors[1] == (double)factors[1] * (double)divisors[0];
}

/* A line through two values proves nothing: the form must have three different values. */
static bool has_three(const struct count_model *model, const struct count_sample *samples, size_t count)
{
    size_t second = 0;
    for (size_t i = 1; i < count; i++) {
        if (is_same_form(model, &samples[0], &samples[i])) continue;
        if (second && !is_same_form(model, &samples[second], &samples[i])) return true;
        if (!second) second = i;
    }
    return false;
}

/* The first sample, and one in which the form differs from it. */
static bool fit_sum(struct count_model *model, const struct count_sample *samples, size_t count)
{
    if (!has_three(model, samples, count)) return false;
    for (size_t i = count; i-- > 1;)
        if (solve_sum(model, &samples[0], &samples[i])) return fits_all(model, samples, count);
    return false;
}

size_t count_model_fit(const struct count_sample *samples, size_t count, struct count_model models[COUNT_FITS_MAX])
{
    size_t found = 0;
    int powers = samples[0].n > 0 ? COUNT_POWERS : COUNT_WITHOUT + 1;
    for (int sum = 0; sum <= 1; sum++)
        for (int power = 0; power < powers; power++)
            for (int form = 0; form < COUNT_FORMS && found < COUNT_FITS_MAX; form++) {
                struct count_model model = {.form = form, .power = power, .sum = sum, .per = 1};
                bool of_ranks = form == COUNT_RANKS || form == COUNT_LOG;
                if (sum && power == COUNT_WITHOUT && !of_ranks) continue;
                bool fits = sum ? fit_sum(&model, samples, count)
                                : solve_sample(&model, &samples[count - 1]) && fits_all(&model, samples, count);
                if (fits) models[found++] = model;
            }
    return found;
}

char *count_model_text(const struct count_model *model, const char *parameter, char buffer[COUNT_TEXT_BYTES])
{
    static const char *const tails[] = {
        [COUNT_FIXED] = "",       [COUNT_RANKS] = " p",       [COUNT_OTHERS] = " (p - 1)", [COUNT_SHARE] = " / p",
        [COUNT_SHARE_SQUARED] = " / p^2", [COUNT_PER_X] = " / x",  [COUNT_PER_Y] = " / y",  [COUNT_PER_Z] = " / z",
        [COUNT_X] = " x", [COUNT_Y] = " y", [COUNT_Z] = " z",
        [COUNT_PER_XY] = " / (x y)", [COUNT_PER_XZ] = " / (x z)", [COUNT_PER_YZ] = " / (y z)", [COUNT_LOG] = " log2 p",
    };
    static const char *const powers[][2] = {
        [COUNT_WITHOUT] = {"", ""}, [COUNT_N] = {" ", ""},       [COUNT_N_SQUARED] = {" ", "^2"}, [COUNT_N_CUBED] = {" ", "^3"},
        [COUNT_PER_N] = {" / ", ""}, [COUNT_LOG_N] = {" log2 ", ""},
    };
    char fixed[32] = "", per[32] = "";
    bool bare = model->power == COUNT_WITHOUT;
    if (model->sum) snprintf(fixed, sizeof fixed, "%" PRId64 " + ", model->b);
    if (model->per > 1) snprintf(per, sizeof per, " / %" PRId64, model->per);
    snprintf(buffer, COUNT_TEXT_BYTES, "%s%" PRId64 "%s%s%s%s%s", fixed, model->a, powers[model->power][0], bare ? "" : parameter,
             powers[model->power][1], tails[model->form], per);
    return buffer;
}
