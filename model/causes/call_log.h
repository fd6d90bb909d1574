/* The calls of every rank as an analysis in slices writes them down (common/temp_file.h), and reads them again backwards:
 * when each was entered and left, and what it was as a number. About 10 bytes a call.
 *
 * spill_add() for each rank in the order of its calls, then spill_back() for each rank. */
#ifndef MODEL_CAUSES_CALL_LOG_H
#define MODEL_CAUSES_CALL_LOG_H

#include <stdbool.h>

#include "common/temp_file.h"

struct spill_call {
    int64_t enter_ps, exit_ps;
    uint32_t kind;
};

struct spill;

/* Borrows scratch until spill_free. NULL is legal there. */
enum status spill_new(uint32_t rank_count, struct scratch *scratch, struct spill **spill, struct err *err);
void spill_free(struct spill *spill);

enum status spill_add(struct spill *spill, uint32_t rank, const struct spill_call *call, struct err *err);

/* The rank's last call that was not read yet; *any false: there is none. */
enum status spill_back(struct spill *spill, uint32_t rank, struct spill_call *call, bool *any, struct err *err);

#endif
