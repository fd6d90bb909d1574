/* Messages between ranks: sending, what an arrival does, and who serves it (progress). */
#ifndef SIMULATE_REPLAY_MESSAGE_H
#define SIMULATE_REPLAY_MESSAGE_H

#include "simulate/replay/state.h"

enum status replay_send(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination,
                        int64_t bytes, uint32_t ref, uint32_t extra, struct engine_departure *departure);
enum status replay_send_control(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination,
                                uint32_t ref, uint32_t extra);
/* Served when the rank is next inside MPI. */
enum status replay_postpone(struct replay *replay, enum message_type type, uint32_t rank, uint32_t ref);
/* At the message's arrival or, where the target must act, when it does. */
enum status replay_arrived(struct replay *replay, const struct engine_note *message);
/* One that had to wait for its destination's progress: a helper thread serves it, or the rank's call all. */
enum status replay_serve_late(struct replay *replay, uint32_t waiting);
enum status replay_serve_waiting(struct replay *replay, uint32_t rank);
enum status replay_left(struct replay *replay, const struct engine_note *message, int64_t began_ps, int64_t left_ps);
uint32_t replay_rank_of_message(const struct replay *replay, uint32_t waiting);
void replay_clear_messages(struct replay *replay);

/* progress.c: Wait for Progress. A message is served that had to wait for its destination's progress. */
void replay_served_late(struct replay *replay, const struct waiting_message *waiting);
/* The rank's call returns at exit_ps; it is in the predicted trace already. */
void replay_account_progress(struct replay *replay, uint32_t rank, int64_t exit_ps);

#endif
