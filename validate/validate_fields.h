/* The rows of rmacast.validation/1 (docs/results.md). */
#ifndef VALIDATE_VALIDATE_FIELDS_H
#define VALIDATE_VALIDATE_FIELDS_H

#include "common/json/fields.h"

extern const struct field validation_fields[];

#endif
