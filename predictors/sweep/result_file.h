/* The file of a sweep's points (docs/sweep.md): a line for the head, a line per point, a line for the end. While the
 * sweep runs, points are appended when they end; a file without the end line is incomplete. */
#ifndef PREDICTORS_SWEEP_RESULT_FILE_H
#define PREDICTORS_SWEEP_RESULT_FILE_H

#include "predictors/sweep/sweep.h"

/* Appends to the file of sweep_keep(), if there is one. */
enum status result_file_append(struct sweep *sweep, const char *line, struct err *err);

#endif
