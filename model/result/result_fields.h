/* The rows of rmacast.result/1 (docs/results.md): results as JSON, read back, freed, and as lines of CSV. */
#ifndef MODEL_RESULT_RESULT_FIELDS_H
#define MODEL_RESULT_RESULT_FIELDS_H

#include "common/json/fields.h"

extern const struct field result_fields[];                          /* struct result */
extern const struct field result_calls_fields[];                    /* of it: calls, calls_replay, user_code */
extern const struct field call_fields[];                            /* struct result_share */
extern const struct field slice_fields[];                           /* struct result_slice */
extern const struct field place_fields[], place_rank_fields[];      /* struct result_place, result_place_rank */
extern const struct field pair_fields[], window_fields[];           /* struct result_group */
extern const struct field callpath_fields[], size_fields[];         /* struct result_group */
extern const struct field rate_fields[];                            /* struct result_rates */
/* struct uncertainty, inline: error_s, error_parts and error_class, if something is known. What is read lacks in_mpi_s. */
extern const struct field uncertainty_fields[];
extern const struct field disturbance_fields[], result_section_fields[];
extern const struct field result_behaviour_fields[]; /* elements of behaviour[] */
extern const struct field violations_fields[]; /* struct result_violations */

/* Names for rows: of enum pattern, property, mpi_call. */
const char *name_pattern(int pattern);
const char *name_property(int property);
const char *name_function(int call);
/* The times of all properties, by enum property; NAN: the result has none. */
struct result;
void result_property_times(const struct result *result, double *inclusive_s, double *exclusive_s);

#endif
