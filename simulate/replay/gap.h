/* Gaps between calls that are more than computing at a constant speed: with sleep, or on a node with more threads than
 * cores, of which some do not run all the time (docs/simulation.md, Computing). The threads that run at a moment share the
 * cores in equal parts, so each part changes when a thread begins or ends, falls asleep or wakes, or waits in a primitive
 * for another thread. A thread computes first and then sleeps. */
#ifndef SIMULATE_REPLAY_GAP_H
#define SIMULATE_REPLAY_GAP_H

#include "simulate/replay/state.h"

#define GAP_LATER INT64_MIN

/* Finds the nodes with more threads than cores on which some rank sleeps or has threads. threads: per node, of all its
 * ranks. Needs replay.nodes; comes before the stretch of ranks is known. */
enum status replay_prepare_cores(struct replay *replay, const uint32_t *threads);
/* Makes the timelines' states. Comes after replay_prepare_threads(). */
enum status replay_prepare_gaps(struct replay *replay);
void replay_clear_gaps(struct replay *replay);

/* Whether the rank's node is one of them. Its ranks' stretch is that of a core of their own. */
bool replay_shares_cores(const struct replay *replay, uint32_t rank);
/* Whether the thread needs a core from now on. It does when a gap begins (replay_begin_gap()), and not in a gap's sleep. */
enum status replay_set_running(struct replay *replay, uint32_t rank, uint32_t thread, bool runs);

/* The thread's gap before its call `index` begins at from_ps, now or later. gap_ps: the time between the calls in the
 * trace without the recorder's cost. *enter_ps is its end, or GAP_LATER: the thread then is advanced at its end. */
enum status replay_begin_gap(struct replay *replay, uint32_t rank, uint32_t thread, int64_t from_ps, size_t index,
                             int64_t gap_ps, int64_t *enter_ps);

/* The thread waited outside MPI before its call `index`, for a call of another thread: no computing of its gap. */
enum status replay_note_outside(struct replay *replay, uint32_t rank, uint32_t thread, size_t index);

/* The timer of a timeline (TIMER_GAP): its rank. *ends: its thread's gap is over; else the thread fell asleep, or the
 * timer is out of date. */
uint32_t replay_rank_of_gap(const struct replay *replay, uint32_t timeline);
enum status replay_change_gap(struct replay *replay, uint32_t timeline, bool *ends, uint32_t *thread);

#endif
