/* A digest of a simulated trace. Equal traces have equal digests, even if their readers gave other ids to windows,
 * communicators, groups, lists, regions, sites and requests. For laws 1 and 6 of docs/simulation.md. */
#ifndef SIMULATE_VERIFY_DIGEST_H
#define SIMULATE_VERIFY_DIGEST_H

#include "trace/trace.h"

/* Over all calls and what the simulation knows of them, rank after rank. trace has passed trace_check(). */
enum status verify_digest(const struct trace *trace, uint64_t *digest, struct err *err);

#endif
