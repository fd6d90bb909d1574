/* Results: run time, wait states and transfer bounds of one trace (schema rmacast.result/1, docs/results.md). Times are
 * seconds, summed over all ranks where nothing else is said. */
#ifndef RMACAST_RESULT_H
#define RMACAST_RESULT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "rmacast/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rmacast_result;

/* Reads a result file as --json or rmacast_result_to_json() wrote it. The caller owns *result. RMACAST_DATA: it cannot be
 * read, or is no result; the text names file and key path. */
enum rmacast_status rmacast_result_open(const char *file, struct rmacast_result **result, struct rmacast_error *error);
void rmacast_result_free(struct rmacast_result *result); /* NULL is legal */

uint32_t rmacast_result_rank_count(const struct rmacast_result *result); /* ranks are numbered from 0; 0: no result */
/* Seconds from the first event of any rank to the last event of any rank; NAN: no result. */
double rmacast_result_run_time_s(const struct rmacast_result *result);
/* Seconds from the first event of any rank to the last event of this rank. NAN: no such rank or result. */
double rmacast_result_rank_time_s(const struct rmacast_result *result, uint32_t rank);

/* Wait states, by number from 0 to rmacast_wait_state_count() - 1 or by name ("late_post", docs/patterns.md). */
size_t rmacast_wait_state_count(void);
const char *rmacast_wait_state_name(size_t number); /* static memory; NULL: no such number */
/* Seconds lost in it on all ranks, and its occurrences; NAN and 0: no such name or result. */
double rmacast_result_severity_s(const struct rmacast_result *result, const char *wait_state);
uint64_t rmacast_result_occurrences(const struct rmacast_result *result, const char *wait_state);
/* Seconds lost in it on one rank; NAN: no such name, rank or result. */
double rmacast_result_rank_severity_s(const struct rmacast_result *result, const char *wait_state, uint32_t rank);

/* One-sided operations of all ranks that move data, and the bytes that they move; 0: no result. */
uint64_t rmacast_result_transfer_count(const struct rmacast_result *result);
uint64_t rmacast_result_transfer_bytes(const struct rmacast_result *result);

/* The whole result as JSON text with a NUL at its end (schema rmacast.result/1). The caller frees *json with free().
 * RMACAST_SYSTEM: no memory. */
enum rmacast_status rmacast_result_to_json(const struct rmacast_result *result, char **json, struct rmacast_error *error);
/* Writes the table that `rmacast analyze` prints. An error of out is left to the caller (ferror()). */
void rmacast_result_print(const struct rmacast_result *result, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
