/* JSON schemas of what commands write, made of the rows that write it (common/json/fields.h). */
#ifndef CLI_SCHEMAS_H
#define CLI_SCHEMAS_H

#include "common/json/fields.h"

/* Rows of JSON that commands make themselves; simulated_fields: a result, and what `simulate` adds. */
extern const struct field info_fields[], simulated_fields[], platform_difference_fields[], mpi_profiles_fields[];

/* Writes rmacast.NAME.schema.json of each schema that has rows. */
enum status schemas_write(const char *directory, struct err *err);

#endif
