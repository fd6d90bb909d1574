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

/* The form is a * factor / divisor; factor 0: it has no value there. */
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
    case COUNT_LOG: *factor = exact_log(p) > 0 ? exact_log(p) : 0; return;
    default: return;
    }
}

bool count_model_value(const struct count_model *model, const struct grid *grid, int64_t *value)
{
    int64_t factor, divisor, product;
    if (model->form == COUNT_LINEAR || model->form == COUNT_LOG_LINEAR) {
        int64_t variable = model->form == COUNT_LINEAR ? grid->ranks : exact_log(grid->ranks);
        return variable >= 0 && !__builtin_mul_overflow(model->b, variable, &product) &&
               !__builtin_add_overflow(model->a, product, value) && *value >= 0;
    }
    form_ratio(model->form, grid, &factor, &divisor);
    if (factor == 0 && model->form == COUNT_LOG) return false;
    if (__builtin_mul_overflow(model->a, factor, &product)) return false;
    *value = product / divisor;
    return true;
}

/* a of a one-parameter form from one sample, exact; false: it does not come out even. */
static bool solve(enum count_form form, const struct count_sample *sample, int64_t *a)
{
    int64_t factor, divisor, product;
    form_ratio(form, &sample->grid, &factor, &divisor);
    if (__builtin_mul_overflow(sample->value, divisor, &product)) return false;
    if (factor == 0) return false;
    *a = product / factor;
    return product % factor == 0;
}

static bool fits_all(const struct count_model *model, const struct count_sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value;
        if (!count_model_value(model, &samples[i].grid, &value) || value != samples[i].value) return false;
    }
    return true;
}

static bool fit_two(enum count_form form, const struct count_sample *samples, size_t count, struct count_model *model)
{
    if (count < 3) return false;
    int64_t first = samples[0].grid.ranks, last = samples[count - 1].grid.ranks;
    if (form == COUNT_LOG_LINEAR) {
        first = exact_log(first);
        last = exact_log(last);
        if (first < 0 || last < 0) return false;
    }
    int64_t rise = samples[count - 1].value - samples[0].value, product;
    if (first == last || rise % (last - first) != 0) return false;
    *model = (struct count_model){.form = form, .b = rise / (last - first)};
    if (__builtin_mul_overflow(model->b, first, &product)) return false;
    model->a = samples[0].value - product;
    return fits_all(model, samples, count);
}

bool count_model_fit(const struct count_sample *samples, size_t count, struct count_model *model)
{
    for (enum count_form form = 0; form < COUNT_LINEAR; form++) {
        *model = (struct count_model){.form = form};
        if (solve(form, &samples[count - 1], &model->a) && fits_all(model, samples, count)) return true;
    }
    return fit_two(COUNT_LINEAR, samples, count, model) || fit_two(COUNT_LOG_LINEAR, samples, count, model);
}

char *count_model_text(const struct count_model *model, char buffer[COUNT_TEXT_BYTES])
{
    static const char *const tails[] = {
        [COUNT_FIXED] = "",       [COUNT_RANKS] = " p",       [COUNT_OTHERS] = " (p - 1)", [COUNT_SHARE] = " / p",
        [COUNT_SHARE_SQUARED] = " / p^2", [COUNT_PER_X] = " / x",  [COUNT_PER_Y] = " / y",  [COUNT_PER_Z] = " / z",
        [COUNT_X] = " x", [COUNT_Y] = " y", [COUNT_Z] = " z",
        [COUNT_PER_XY] = " / (x y)", [COUNT_PER_XZ] = " / (x z)", [COUNT_PER_YZ] = " / (y z)", [COUNT_LOG] = " log2 p",
    };
    if (model->form < COUNT_LINEAR)
        snprintf(buffer, COUNT_TEXT_BYTES, "%" PRId64 "%s", model->a, tails[model->form]);
    else
        snprintf(buffer, COUNT_TEXT_BYTES, "%" PRId64 " + %" PRId64 " %s", model->a, model->b,
                 model->form == COUNT_LINEAR ? "p" : "log2 p");
    return buffer;
}
