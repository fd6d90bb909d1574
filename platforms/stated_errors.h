/* What the errors of measured values ({"value", "error", "n"}) allow: a platform on which each of them is shorter, or
 * longer, by its error. Errors are three standard errors of a mean (docs/calibration.md).
 *
 * What a value is, its row of platforms/keys.def says. Times, times per byte and shares grow and shrink, to 0 at least. Rates and
 * the speed are divided and multiplied by 1 + error / value. The lengths of a pause, after_s and full_s, rise on the faster
 * platform. Other values stay. */
#ifndef PLATFORMS_STATED_ERRORS_H
#define PLATFORMS_STATED_ERRORS_H

#include <cjson/cJSON.h>

#include "common/error_sources.h"
#include "platforms/platform.h"

enum platform_errors { PLATFORM_AS_STATED, PLATFORM_FASTER, PLATFORM_SLOWER };

enum { ERROR_SECTIONS = 4 };
struct platform_shift {
    char *overrides[ERROR_SECTIONS]; /* owned; for platform_open(), after all other overrides but those of a growth */
    size_t count;
    size_t values; /* that have an error and move */
};

/* file and overrides are those of platform_open(), and so are the errors. With PLATFORM_AS_STATED there are no overrides.
 * Inits *shift. */
enum status platform_shift_make(const char *file, const char *const *overrides, size_t count, enum platform_errors errors,
                                struct platform_shift *shift, struct err *err);
/* Moves the values at or below a path of a platform file's tree; only: those of this source, ERROR_SOURCES: all. Returns how many
 * move. */
size_t platform_shift_values(cJSON *item, const char *path, enum platform_errors errors, enum error_source only);
void platform_shift_clear(struct platform_shift *shift);

#endif
