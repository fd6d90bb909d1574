/* Neighbourhood collectives (MPI-3.1 7.6) as the messages that they stand for: a receive from each source, a send to each
 * destination, and a wait for all of them, as MPICH has them. What works on messages then works on them, too. */
#ifndef PREDICTORS_TRANSFORMS_NEIGHBOURS_H
#define PREDICTORS_TRANSFORMS_NEIGHBOURS_H

#include "predictors/transforms/transform.h"

/* Sets *made to a trace of messages, which the caller owns, or to NULL where nothing changes, and *collectives to the number of
 * calls that changed. Collectives that stay are refused in the report, and considered. */
enum status neighbours_as_messages(const struct trace *trace, struct transform_report *report, struct trace **made,
                                   uint64_t *collectives, struct err *err);

#endif
