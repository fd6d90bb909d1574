/* Point-to-point messages, of calls and inside collectives. */
#ifndef TESTS_REFERENCE_MESSAGE_H
#define TESTS_REFERENCE_MESSAGE_H

#include "tests/reference/model.h"

struct envelope {
    int32_t comm, tag; /* comm below 0: of collectives */
    uint32_t from, to;
};

enum send_mode { SEND_STANDARD, SEND_SYNCHRONOUS, SEND_COPIED };

/* Sends now, posts the receive now; the n-th of an envelope meets the n-th. */
struct message *message_send(struct model *model, const struct envelope *envelope, int64_t bytes, enum send_mode mode);
struct message *message_receive(struct model *model, const struct envelope *envelope);

/* Conditions: the send may return, the data are there. */
bool message_is_sent(const struct model *model, const void *message);
bool message_is_received(const struct model *model, const void *message);

#endif
