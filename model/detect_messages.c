/* Wait states of point-to-point messages. */
#include "model/detect.h"

static int64_t receiver_waits(const struct trace_call *send, const struct trace_call *receive)
{
    return call_kind(receive->call) == CALL_RECV ? wait_until(receive, send->enter_ps) : 0;
}

/* A blocking send may end before the receive begins where the library holds the message: always when buffered, up to
 * the eager limit in standard and ready mode, never when synchronous. */
static int64_t sender_waits(const struct detection *detection, const struct trace_call *send,
                            const struct trace_call *receive)
{
    bool eager = send->call == ID_Bsend || (send->call != ID_Ssend && send->bytes <= detection->options->eager_bytes);
    if (call_kind(send->call) != CALL_SEND || eager) return 0;
    return wait_until(send, receive->enter_ps);
}

enum status detect_late_sender(struct detection *detection)
{
    const struct messages *messages = &detection->relations->messages;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        const struct trace_call *send = relations_call(detection->relations, message->sender, message->send_call);
        const struct trace_call *receive = relations_call(detection->relations, message->receiver,
                                                          message->receive_call);
        TRY(detect_wait(detection, PATTERN_LATE_SENDER, message->receiver, message->receive_call,
                        receiver_waits(send, receive)));
    }
    return STATUS_OK;
}

enum status detect_late_receiver(struct detection *detection)
{
    const struct messages *messages = &detection->relations->messages;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        const struct trace_call *send = relations_call(detection->relations, message->sender, message->send_call);
        const struct trace_call *receive = relations_call(detection->relations, message->receiver,
                                                          message->receive_call);
        TRY(detect_wait(detection, PATTERN_LATE_RECEIVER, message->sender, message->send_call,
                        sender_waits(detection, send, receive)));
    }
    return STATUS_OK;
}
