/* The call log: enter, exit and a number for every call of every thread, written by an analysis in slices to a temporary
 * file (common/files/temp_file.h) and read backwards. A call takes about 10 bytes.
 *
 * A location is a thread (model/match/timelines.h). call_log_add() for each one in the order of its calls, then
 * call_log_back() for each one. */
#ifndef MODEL_CAUSES_CALL_LOG_H
#define MODEL_CAUSES_CALL_LOG_H

#include <stdbool.h>

#include "common/files/temp_file.h"

struct call_log_row {
    int64_t enter_ps, exit_ps;
    uint32_t kind;
};

struct call_log;

/* Borrows temp until call_log_free(). call_log_free(NULL) is legal. */
enum status call_log_new(uint32_t location_count, struct temp_file *temp, struct call_log **call_log, struct err *err);
void call_log_free(struct call_log *call_log);

enum status call_log_add(struct call_log *call_log, uint32_t location, const struct call_log_row *call, struct err *err);

/* Reads the location's last call that was not read yet. *any is false if there is none. */
enum status call_log_back(struct call_log *call_log, uint32_t location, struct call_log_row *call, bool *any,
                          struct err *err);

#endif
