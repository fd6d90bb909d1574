/* A trace as another order of ranks in its file would have made it. */
#ifndef SIMULATE_VERIFY_PERMUTE_H
#define SIMULATE_VERIFY_PERMUTE_H

#include "trace/trace.h"

/* The same calls with every kind of id (windows, communicators but the world, groups, lists, regions, sites but the
 * unknown one) counted the other way round. The caller owns *permuted. */
enum status verify_permute(const struct trace *trace, struct trace **permuted, struct err *err);

#endif
