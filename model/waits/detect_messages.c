/* Wait states of blocking point-to-point messages (Akopyan, 5.3.1, 5.3.2, 5.3.4). */
#include "model/waits/detect.h"

static const struct trace_call *send_of(const struct detection *detection, const struct message *message)
{
    return relations_call(detection->relations, message->sender, message->send_call);
}

static const struct trace_call *receive_of(const struct detection *detection, const struct message *message)
{
    return relations_call(detection->relations, message->receiver, message->receive_call);
}

static bool waits_in_probe(const struct detection *detection, const struct probe *probe)
{
    return call_kind(relations_call(detection->relations, probe->rank, probe->call)->call) == CALL_PROBE;
}

/* Counts Late Sender in probes: a receiver that probes first waits in the probe. */
static enum status find_late_probed(struct detection *detection)
{
    const struct messages *messages = &detection->relations->messages;
    for (size_t i = 0; i < messages->probe_count; i++) {
        const struct probe *probe = &messages->probes[i];
        if (probe->message == MESSAGE_NONE || !waits_in_probe(detection, probe)) continue;
        const struct message *message = &messages->items[probe->message];
        struct finding finding = finding_of_enter(detection->relations, PATTERN_LATE_SENDER, probe->rank, probe->call,
                                                  message->sender, message->send_call);
        TRY(detect_found(detection, &finding));
    }
    return STATUS_OK;
}

enum status detect_late_sender(struct detection *detection)
{
    const struct messages *messages = &detection->relations->messages;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        enum call_kind kind = call_kind(receive_of(detection, message)->call);
        if (kind != CALL_RECV && kind != CALL_SENDRECV) continue;
        struct finding finding = finding_of_enter(detection->relations, PATTERN_LATE_SENDER, message->receiver,
                                                  message->receive_call, message->sender, message->send_call);
        TRY(detect_found(detection, &finding));
    }
    return find_late_probed(detection);
}

enum status detect_late_receiver(struct detection *detection)
{
    const struct messages *messages = &detection->relations->messages;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        const struct trace_call *send = send_of(detection, message);
        if (call_kind(send->call) != CALL_SEND || message_is_eager(send, detection->options->eager_bytes)) continue;
        struct finding finding = finding_of_enter(detection->relations, PATTERN_LATE_RECEIVER, message->sender,
                                                  message->send_call, message->receiver, message->receive_call);
        TRY(detect_found(detection, &finding));
    }
    return STATUS_OK;
}

static bool may_be_out_of_order(const struct detection *detection, const struct message *message)
{
    const struct trace_call *send = send_of(detection, message);
    return message_may_overtake(send, detection->options->eager_bytes) &&
           call_kind(receive_of(detection, message)->call) == CALL_RECV;
}

/* A receive counts if a message that the same rank sent before is received after it by the same thread. Messages are
 * in the order of the receives: from the last to the first, the map holds the earliest send among those of its pair
 * received later. */
static enum status find_wrong_order(struct detection *detection, const struct message *message, struct map *pairs)
{
    const struct trace_call *send = send_of(detection, message);
    const struct trace *trace = detection->relations->trace;
    uint64_t *earliest, thread = trace_call_thread(trace, message->receiver, message->receive_call);
    TRY(map_put(pairs, (thread << 24 | message->receiver) << 24 | message->sender, message->send_call, &earliest,
                detection->err));
    const struct trace_call *before = relations_call(detection->relations, message->sender, (size_t)*earliest);
    struct finding finding = finding_of_enter(detection->relations, PATTERN_WRONG_ORDER, message->receiver,
                                              message->receive_call, message->sender, message->send_call);
    if (before->enter_ps < send->enter_ps)
        TRY(detect_occurrence(detection, &finding));
    else
        *earliest = message->send_call;
    return STATUS_OK;
}

enum status detect_wrong_order(struct detection *detection)
{
    const struct messages *messages = &detection->relations->messages;
    struct map pairs = {0};
    enum status status = STATUS_OK;
    for (size_t i = messages->count; status == STATUS_OK && i-- > 0;)
        if (may_be_out_of_order(detection, &messages->items[i]))
            status = find_wrong_order(detection, &messages->items[i], &pairs);
    map_clear(&pairs);
    return status;
}

/* Whether the rank sends to the member k places after it in the communicator and receives from the member k places
 * before it. */
static bool is_ring_shift(const struct trace *trace, uint32_t rank, const struct trace_call *send,
                          const struct trace_call *receive)
{
    const struct trace_comm *comm = &trace->definitions.comms[send->handle];
    if (comm->first_group > 0) return false;
    int64_t own = trace_comm_rank(comm, (int32_t)rank), count = comm->count;
    int64_t to = trace_comm_rank(comm, send->peer), from = trace_comm_rank(comm, receive->peer);
    return to >= 0 && from >= 0 && (to - own + count) % count == (own - from + count) % count;
}

/* The blocking receive that is the thread's next MPI call after a blocking send to the same partner, or in a ring. */
static bool is_close(const struct detection *detection, uint32_t rank, const struct trace_call *send,
                     const struct trace_call *receive)
{
    bool alone = send->peer == TRACE_NONE || receive->peer == TRACE_NONE || (uint32_t)send->peer == rank ||
                 (uint32_t)receive->peer == rank;
    if (alone || receive->handle != send->handle) return false;
    if (receive->enter_ps - send->exit_ps >= detection->options->close_ps) return false;
    return receive->peer == send->peer || is_ring_shift(detection->relations->trace, rank, send, receive);
}

static enum status find_close(struct detection *detection, uint32_t rank, uint32_t thread)
{
    struct timeline timeline = timeline_of(&detection->relations->timelines, rank, thread);
    size_t send = FINDING_NO_CALL;
    for (size_t k = 0; k < timeline.count; k++) {
        size_t i = timeline_index(&timeline, k);
        const struct trace_call *call = &timeline.calls[i];
        enum call_kind kind = call_kind(call->call);
        if (!call_is_library(call->call)) continue;
        if (kind == CALL_RECV && send != FINDING_NO_CALL && is_close(detection, rank, &timeline.calls[send], call)) {
            struct finding finding = {.pattern = PATTERN_CLOSE_SEND_RECEIVE,
                                      .rank = rank,
                                      .call = i,
                                      .cause_rank = rank,
                                      .cause_call = send,
                                      .until_ps = INT64_MIN};
            TRY(detect_counted(detection, &finding));
        }
        send = kind == CALL_SEND ? i : FINDING_NO_CALL;
    }
    return STATUS_OK;
}

/* Counted with any threshold, since the lost time is not known. */
enum status detect_close_send_receive(struct detection *detection)
{
    const struct trace *trace = detection->relations->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (uint32_t t = 0; t < trace_thread_count(trace, r); t++) TRY(find_close(detection, r, t));
    return STATUS_OK;
}
