/* Which kind of request a wait completes: the time of a wait belongs to a collective, to file I/O or to messages. */
#ifndef MODEL_MATCH_COLLECTIVE_REQUESTS_H
#define MODEL_MATCH_COLLECTIVE_REQUESTS_H

#include "common/map.h"
#include "trace/trace.h"

/* A rank's calls in their order. made: its requests of collectives, to the function that made them; begins empty. *as
 * is the function that the call counts as: of a wait or test whose requests all are collectives' the first one's; of
 * one that ends no request that is known the rank's first MPI_File_i..., if it has called one before; else its own. */
enum status collective_requests_look(struct map *made, const struct trace *trace, const struct trace_call *call,
                                     enum mpi_call *as, struct err *err);

#endif
