/* Where a prediction puts its ranks: on nodes with fewer cores, which the ranks share (docs/simulation.md, Compute time), all
 * on one node of several, or those of one shared window on several. Nobody wants to find out either from the run time. */
#ifndef PREDICTORS_CROWDING_H
#define PREDICTORS_CROWDING_H

#include "model/result/result.h"
#include "platforms/platform.h"
#include "trace/trace.h"

/* Adds a note with the number of crowded nodes and the fullest one to the result, and one if all ranks are on one of several
 * nodes. The ranks have passed platform_check_ranks(). */
enum status crowding_note(const struct platform *platform, uint32_t rank_count, struct result *result, struct err *err);

/* Adds a note where nodes have other numbers of ranks than those of the recording: how much longer computing takes that is bound
 * by memory (simulate/computing/memory_bound.h), or that this is not known. */
enum status crowding_memory_note(const struct trace *trace, const struct platform *platform, struct result *result,
                                 struct err *err);

/* Whether a shared window of the trace has ranks on several nodes, where MPI cannot make it (MPI-3.1 11.2.3): the text names the
 * first one. */
enum { CROWDING_TEXT_BYTES = 300 };
bool crowding_parts_window(const struct trace *trace, const struct platform *platform, char text[CROWDING_TEXT_BYTES]);

#endif
