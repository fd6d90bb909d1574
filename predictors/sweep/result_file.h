/* The file of a sweep's points (docs/sweep.md): a line for the head, a line per point, a line for the end. Each point
 * has a sum of its line, and is read again only if the sum fits and its numbers are possible. While the sweep runs, points
 * are appended when they end; a file without the end line is incomplete. */
#ifndef PREDICTORS_SWEEP_RESULT_FILE_H
#define PREDICTORS_SWEEP_RESULT_FILE_H

#include "predictors/sweep/sweep.h"

/* The JSON object of so many bytes with a digest of them as its last member "sum". NULL: no memory. The caller owns it. */
char *result_file_seal(const char *line, size_t length);

/* Appends to the file of sweep_keep(), if there is one. */
enum status result_file_append(struct sweep *sweep, const char *line, struct err *err);

#endif
