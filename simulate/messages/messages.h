/* The driver of point-to-point messages, probes and requests (MPI-3.1 3). */
#ifndef SIMULATE_MESSAGES_MESSAGES_H
#define SIMULATE_MESSAGES_MESSAGES_H

#include "simulate/replay/driver.h"
#include "simulate/replay/envelope.h"

extern const struct call_driver messages_driver;

/* The rest is for the files of this room. */
enum step replay_step_send(struct replay *replay, uint32_t rank);
enum step replay_step_receive(struct replay *replay, uint32_t rank);
enum step replay_step_request_wait(struct replay *replay, uint32_t rank);
/* Whether the call of a rank with threads waits for a request that no call has made yet. */
bool replay_request_unmade(struct replay *replay, uint32_t rank);
enum step replay_step_sendrecv(struct replay *replay, uint32_t rank);
enum step replay_step_probe(struct replay *replay, uint32_t rank);
/* The channel in which the loaded thread's call puts or finds a message taken out of matching. False: it is no such
 * call. */
bool replay_message_taken(const struct replay *replay, uint32_t rank, struct match *match);
/* Whether the loaded thread's next call receives a message that another thread has not taken out of matching yet. */
bool replay_message_unhanded(const struct replay *replay, uint32_t rank);
enum status replay_prepare_taken(struct replay *replay);

#endif
