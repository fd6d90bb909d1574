/* A trace as another order of ranks in its file would have made it. */
#ifndef SIMULATE_VERIFY_PERMUTE_H
#define SIMULATE_VERIFY_PERMUTE_H

#include "platforms/platform.h"
#include "trace/trace.h"

/* The same calls with every kind of id (windows, communicators but the world, groups, lists, regions, sites but the
 * unknown one) counted the other way round. The caller owns *permuted. */
enum status verify_permute(const struct trace *trace, struct trace **permuted, struct err *err);

/* The platform with its rules for windows, where they give a number, as that trace counts. Borrows all else;
 * permuted->window_rules is one block that the caller frees. */
enum status verify_permute_rules(const struct trace *trace, const struct platform *platform, struct platform *permuted,
                                 struct err *err);

#endif
