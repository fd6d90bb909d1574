/* Do the members of a communicator say the same of each of their collective calls (MPI-3.1 5)? The k-th one of a member
 * belongs to the k-th one of the others. Functions or roots that differ are an error: messages of two algorithms would
 * meet by chance or not at all. Sizes that differ are told, and each rank goes by its own: MPI forbids them, but a
 * program may live with the error that a library then returns. Not for use outside simulate/. */
#ifndef SIMULATE_REPLAY_COLLECTIVE_MATCHING_H
#define SIMULATE_REPLAY_COLLECTIVE_MATCHING_H

#include "simulate/replay/state.h"

/* The rank, which is `own` in the communicator, begins its current call, a collective of it. STATUS_DATA naming both
 * calls if its function or root is not that of another rank. */
enum status replay_match_collectives(struct replay *replay, uint32_t rank, int32_t comm, uint32_t own);

/* Which sizes differed first; NULL: none. */
const char *replay_sizes_differ(const struct replay *replay);

/* After the run: notes that, and the first non-blocking collective that some member never begins (the detector tells it
 * of blocking ones). */
enum status replay_note_agreements(struct replay *replay);

/* In a deadlock: the rank waits. STATUS_DATA if it does so in a fence whose assertions contradict another member's. */
enum status replay_check_fence(struct replay *replay, uint32_t rank);

void replay_clear_agreements(struct replay *replay);

#endif
