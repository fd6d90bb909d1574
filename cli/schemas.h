/* Rows of JSON that commands make themselves, for its schema. */
#ifndef CLI_SCHEMAS_H
#define CLI_SCHEMAS_H

#include "common/json/fields.h"

extern const struct field info_fields[], platform_difference_fields[], mpi_profiles_fields[];
extern const struct field simulated_fields[]; /* what `simulate` adds to a result */

#endif
