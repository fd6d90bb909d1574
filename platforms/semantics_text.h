/* Blocking semantics as text in options and configurations: a letter, or "platform" for those of the platform file.
 * Windows with other semantics follow by number or name, "a@3=c@halo=d". */
#ifndef PLATFORMS_SEMANTICS_TEXT_H
#define PLATFORMS_SEMANTICS_TEXT_H

#include <stddef.h>

#include "common/status.h"

enum { SEMANTICS_TEXT_BYTES = 256, SEMANTICS_TEXT_PARTS = 17 };

/* Returns STATUS_USAGE with "TEXT, expected ..." for other texts. */
enum status semantics_text_check(const char *text, struct err *err);

/* Turns a checked text into overrides for platform_open(). Returns their number. */
typedef char semantics_override[SEMANTICS_TEXT_BYTES + 64];
size_t semantics_text_overrides(const char *text, semantics_override overrides[SEMANTICS_TEXT_PARTS]);

#endif
