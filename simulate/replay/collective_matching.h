/* Checks that the members of a communicator agree on each of their collective calls (MPI-3.1 5). The k-th call of a
 * member belongs to the k-th calls of the others. Different functions or roots are an error: the messages of two
 * algorithms would match by chance or not at all. Different sizes are noted, and each rank uses its own: MPI forbids
 * them, but a program may ignore the error that a library returns. Not for use outside simulate/. */
#ifndef SIMULATE_REPLAY_COLLECTIVE_MATCHING_H
#define SIMULATE_REPLAY_COLLECTIVE_MATCHING_H

#include "simulate/replay/state.h"

/* The rank begins its current call, a collective one; own is its rank in the communicator. Returns STATUS_DATA, with
 * both calls in the text, if function or root differ from another rank's. */
enum status replay_match_collectives(struct replay *replay, uint32_t rank, int32_t comm, uint32_t own);

/* Describes the first two sizes that differed. The text belongs to the replay. NULL: no sizes differed. */
const char *replay_sizes_differ(const struct replay *replay);

/* Called after the run. Notes these sizes, and the first non-blocking collective that some member never began. The
 * detector reports blocking ones. */
enum status replay_note_agreements(struct replay *replay);

/* Called in a deadlock, for a rank that waits. Returns STATUS_DATA if it waits in a fence whose assertions contradict
 * another member's. */
enum status replay_check_fence(struct replay *replay, uint32_t rank);

void replay_clear_agreements(struct replay *replay);

#endif
