/* Predicted and measured transfers: durations from the operation's call on. Where the measured end is known (a simulation is
 * measured against another), it has to lie in the predicted bounds; a recording bounds it, too, and then both intervals have to
 * meet. Seconds. */
#ifndef VALIDATE_TRANSFERS_H
#define VALIDATE_TRANSFERS_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "trace/trace.h"
#include "validate/samples.h"

struct validate_transfers {
    uint64_t count; /* transfers with known bounds, of all repetitions */
    uint64_t ends_known; /* of those the measured ones whose end is known */
    uint64_t within; /* that lie in the predicted bounds, or may */
    struct sample_summary error_s; /* of |predicted - measured| upper bound */
    uint32_t worst_rank; /* where that is largest: */
    uint64_t worst_event; /* number of the operation among the rank's predicted calls, from 1 */
};

/* STATUS_DATA if a rank has another number of transfers. */
enum status validate_transfers_match(const struct trace *predicted, const struct trace *const *measured,
                                     size_t repetitions, struct validate_transfers *transfers, struct err *err);

#endif
