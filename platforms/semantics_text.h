/* Blocking semantics as options and configurations write them: a letter, or "platform" for what the platform file says;
 * with windows of their own "a@3=c@halo=d" (by number or name). */
#ifndef PLATFORMS_SEMANTICS_TEXT_H
#define PLATFORMS_SEMANTICS_TEXT_H

#include <stddef.h>

#include "common/status.h"

enum { SEMANTICS_TEXT_BYTES = 256, SEMANTICS_TEXT_PARTS = 17 };

/* STATUS_USAGE "semantics TEXT, expected ...". */
enum status semantics_text_check(const char *text, struct err *err);

/* What a checked text says, as overrides for platform_open(). Returns their number. */
typedef char semantics_override[SEMANTICS_TEXT_BYTES + 64];
size_t semantics_text_overrides(const char *text, semantics_override overrides[SEMANTICS_TEXT_PARTS]);

#endif
