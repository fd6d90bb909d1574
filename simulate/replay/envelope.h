/* Point-to-point messages (MPI-3.1 3): eager, rendezvous and synchronous protocols. A recorded receive has the source
 * and tag that it got, so there are no wildcards: source, destination, tag, communicator and order match a message with
 * its receive. */
#ifndef SIMULATE_REPLAY_ENVELOPE_H
#define SIMULATE_REPLAY_ENVELOPE_H

#include "simulate/replay/state.h"

enum send_protocol { SEND_EAGER, SEND_RENDEZVOUS, SEND_SYNC };

/* One message between two ranks: matched by (context, source, destination, tag) and order. */
struct envelope {
    uint32_t source, destination;
    int64_t bytes;
    uint32_t send_request, receive_request; /* NO_INDEX: that side has not begun, or nobody waits for its completion */
    uint32_t next;
    uint8_t mode;         /* enum send_protocol */
    bool sent, posted;    /* the sending and the receiving side have begun */
    bool arrived;         /* eager data, or the request to send */
    bool left, delivered; /* rendezvous data */
    uint32_t unread;      /* it arrived while its receiver did not serve: replay_unread_mark(); else 0 */
};
struct match {
    uint32_t context, source, destination;
    int32_t tag;
    uint16_t thread; /* of messages taken out of matching: the thread that receives them, plus 1; 0: any thread */
};

/* One side of a message begins. request is completed when that side is complete; it may be NO_INDEX. */
enum status replay_send_side(struct replay *replay, const struct match *match, int64_t bytes,
                             enum send_protocol protocol, uint32_t request);
enum status replay_receive_side(struct replay *replay, const struct match *match, uint32_t request);
/* Whether the next message of the channel has arrived before its receive was posted. */
bool replay_message_waits(const struct replay *replay, const struct match *match);
/* Whether that message has to be read first: the rank has not served since it arrived, and does not now. */
bool replay_message_unread(const struct replay *replay, const struct match *match);
/* The time in which the receive copies that message; 0 unless the message is eager and mpi.unexpected_copy is set. */
int64_t replay_unexpected_ps(const struct replay *replay, const struct match *match);
/* Takes this message out of matching. Only MPI_Mrecv and MPI_Imrecv find it: they match messages taken out. */
enum status replay_message_take(struct replay *replay, const struct match *match, const struct match *taken);
struct match replay_taken_out(const struct match *match);

/* Handlers of arriving messages. The messages' driver has them in its rows. */
enum status replay_on_send(struct replay *replay, const struct engine_note *message); /* eager data, request to send */
enum status replay_on_send_clear(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_data(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_put(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_read(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_stored(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_notice(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_ack(struct replay *replay, const struct engine_note *message);
/* The data of a rendezvous have left. */
enum status replay_envelope_left(struct replay *replay, uint32_t envelope);
/* Valid until the next envelope is made. */
const struct envelope *replay_envelope(const struct replay *replay, uint32_t envelope);
uint32_t replay_rank_of_envelope(const struct replay *replay, uint32_t envelope);
void replay_clear_envelopes(struct replay *replay);

#endif
