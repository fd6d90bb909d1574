/* High-water marks: the most operations, bytes and requests that a rank has outstanding at once, in all, towards one target, on
 * one window. Libraries hold a limited number of them.
 *
 * An operation is outstanding from its call until the call that completes it at its origin returns (MPI-3.1 11.5:
 * complete, fence, unlock, flush, a wait for its request). A recording does not show when it really was complete, so its number
 * is known between bounds. A prediction knows when the data had arrived: there both bounds are the number. Requests are those of
 * messages, of collectives and of operations, from the call that makes one to the call that completes it; their number is always
 * known.
 *
 * Each rank is walked on its own, in the order of its calls, with memory for what is outstanding and for its partners. */
#ifndef MODEL_TRANSFERS_IN_FLIGHT_H
#define MODEL_TRANSFERS_IN_FLIGHT_H

#include "model/callpaths/callpath.h"
#include "model/result/result.h"
#include "model/waits/filter.h"
#include "trace/trace.h"

/* What bounds the walk. Without a network an operation of a recording may be over as soon as it has begun. */
struct in_flight_options {
    const struct filter *filter; /* of the calls that count as issuing */
    const struct flight_limits *limits;
    bool network_known; /* of a recording: an operation takes at least what it takes on it, one behind the other */
    double latency_s, bandwidth_Bps;
};

struct rank_flights;
struct limits_found;
struct in_flight {
    struct rank_flights *ranks;
    struct limits_found *limits;
    uint32_t rank_count;
};

/* Inits *flights; in_flight_clear() follows also on failure. All-zero is empty. */
enum status in_flight_init(struct in_flight *flights, uint32_t rank_count, struct err *err);
void in_flight_clear(struct in_flight *flights);

/* Adds a whole trace, or the new calls of a slice. */
enum status in_flight_add(struct in_flight *flights, const struct trace *trace, const struct callpaths *paths,
                          const struct in_flight_options *options, struct err *err);

/* Adds to the result the highest mark of all ranks for each measure and scope (per_rank: of each rank), and what became of the
 * limits. */
enum status in_flight_report(const struct in_flight *flights, const struct trace *trace, const struct callpaths *paths,
                             const struct in_flight_options *options, bool per_rank, struct result *result, struct err *err);

#endif
