/* Says which function's requests a wait completes. So the time of the wait counts as that of a collective, of one-sided
 * operations, of file I/O or of messages. */
#ifndef MODEL_MATCH_REQUEST_MAKERS_H
#define MODEL_MATCH_REQUEST_MAKERS_H

#include "common/map.h"
#include "trace/trace.h"

/* Takes a rank's calls in their order. made maps the rank's pending requests to the functions that made them; the
 * caller provides an empty map. *as is the function that the call counts as. If all requests of a wait or test belong
 * to collectives or one-sided operations, *as is the function of the first one. If it completes no known request and
 * the rank has called an MPI_File_i... function before, *as is the first of these. Otherwise *as is the call's own
 * function. */
enum status request_makers_look(struct map *made, const struct trace *trace, const struct trace_call *call,
                                enum mpi_call *as, struct err *err);

#endif
