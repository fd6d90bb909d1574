/* Keeps every transfer of an analysis, whole or in slices, in the order of ranks and of their calls. Tables of
 * transfers are made from it. */
#ifndef MODEL_TRANSFERS_TRANSFER_LOG_H
#define MODEL_TRANSFERS_TRANSFER_LOG_H

#include <stdbool.h>

#include "model/transfers/bounds.h"

struct transfer_row {
    uint32_t origin, target;
    int32_t window;
    uint64_t event;   /* number of the operation among the origin's calls, from 1 */
    const char *kind; /* static */
    int64_t bytes, start_ps, lower_end_ps, upper_end_ps, true_end_ps; /* as in struct transfer */
};

struct transfer_log;

/* transfer_log_free(NULL) is legal. */
enum status transfer_log_new(struct transfer_log **log, struct err *err);
void transfer_log_free(struct transfer_log *log);

enum status transfer_log_add(struct transfer_log *log, const struct trace *trace, const struct transfer *transfer,
                             struct err *err);

/* Reads the next row; nothing may be added after the first read. *any is false after the last row. */
enum status transfer_log_next(struct transfer_log *log, struct transfer_row *row, bool *any, struct err *err);

#endif
