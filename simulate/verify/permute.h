/* A trace with its definitions in another order. */
#ifndef SIMULATE_VERIFY_PERMUTE_H
#define SIMULATE_VERIFY_PERMUTE_H

#include "platforms/platform.h"
#include "trace/trace.h"

/* The same calls, with ids of every kind (windows, communicators except the world, groups, lists, regions, sites except
 * the unknown one) in reverse order. The caller owns *permuted. */
enum status verify_permute(const struct trace *trace, struct trace **permuted, struct err *err);

/* The platform with its rules for windows renumbered for that trace. Borrows everything else. permuted->window_rules is
 * one block that the caller frees. */
enum status verify_permute_rules(const struct trace *trace, const struct platform *platform, struct platform *permuted,
                                 struct err *err);

#endif
