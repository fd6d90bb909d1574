/* Compares predicted and measured transfers: their durations from the operation's call on. Where the measured end is
 * known (one simulation is measured against another), it must be within the predicted bounds. A recording has bounds,
 * too; then both intervals must overlap.
 * Lower bounds between nodes are those of the base model, the predicted one also the least end, if that is later. Within
 * a node a call may copy the data by itself and return later. So there the predicted one is the least end, unless the
 * call waited for a post, and the measured one the enter of the call. Seconds. */
#ifndef VALIDATE_TRANSFERS_H
#define VALIDATE_TRANSFERS_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "model/waits/section.h"
#include "trace/trace.h"
#include "validate/samples.h"

struct validate_transfers {
    uint64_t count; /* transfers with known bounds, of all repetitions */
    uint64_t ends_known; /* of these, the measured ones whose end is known */
    uint64_t within; /* of these, ends within the predicted bounds, or possibly within */
    uint64_t between_nodes, between_nodes_within; /* of count and within, those that have left their node */
    uint64_t within_spread; /* of the others: another repetition's is earlier, or later, so that they are no further
                               outside than the runs are from each other */
    struct sample_summary width;    /* predicted upper / lower bound, between nodes, where that is above 0 */
    struct sample_summary error_s;  /* of |predicted - measured| upper bound */
    struct sample_summary relative; /* of |predicted - measured| / measured where measured is not 0 */
    uint32_t worst_rank; /* the transfer with the largest error: */
    uint64_t worst_event; /* number of the operation among the rank's predicted calls, from 1 */
};

/* Compares the transfers whose operation begins in the predicted run's section, and whose call path matches the pattern
 * (fnmatch); NULL: all. Returns STATUS_DATA if the numbers of transfers of a rank differ. */
enum status validate_transfers_match(const struct trace *predicted, const struct trace *const *measured,
                                     size_t repetitions, const struct section *section,
                                     const char *callpath, struct validate_transfers *transfers, struct err *err);

#endif
