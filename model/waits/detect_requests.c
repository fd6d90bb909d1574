/* Waits for non-blocking messages, with the distance that would have removed them (Akopyan, 5.3.3). */
#include "common/units.h"
#include "model/waits/detect.h"

/* One message of a wait, from the side of the rank that waits. */
struct side {
    bool receives;
    uint32_t other_rank;
    size_t own_call, other_call;
};

static struct side side_of(const struct message *message, bool receives)
{
    if (receives) return (struct side){true, message->sender, message->receive_call, message->send_call};
    return (struct side){false, message->receiver, message->send_call, message->receive_call};
}

static uint64_t request_key(uint32_t rank, uint32_t request)
{
    return (uint64_t)rank << 32 | request;
}

/* Requests of messages to 2 × message + receives. The library holds the data of MPI_Ibsend: its wait ends at once. */
static enum status index_requests(const struct relations *relations, struct map *requests, struct err *err)
{
    for (size_t i = 0; i < relations->messages.count; i++) {
        const struct message *message = &relations->messages.items[i];
        const struct trace_call *send = relations_call(relations, message->sender, message->send_call);
        const struct trace_call *receive = relations_call(relations, message->receiver, message->receive_call);
        uint64_t *slot;
        if (call_kind(send->call) == CALL_ISEND && send->call != ID_Ibsend)
            TRY(map_put(requests, request_key(message->sender, send->ref), 2 * i, &slot, err));
        if (call_kind(receive->call) == CALL_IRECV)
            TRY(map_put(requests, request_key(message->receiver, receive->ref), 2 * i + 1, &slot, err));
    }
    return STATUS_OK;
}

/* Of the messages that a wait ends the one whose other side began last, a receive before a send: that is the one to
 * wait for. False if the wait ends no message. */
static bool last_to_begin(const struct relations *relations, const struct map *requests, uint32_t rank,
                          const uint32_t *ids, uint32_t count, struct side *last)
{
    bool found = false;
    int64_t last_ps = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *slot = map_find(requests, request_key(rank, ids[i]));
        if (!slot) continue;
        struct side side = side_of(&relations->messages.items[*slot / 2], *slot % 2);
        int64_t began_ps = relations_call(relations, side.other_rank, side.other_call)->enter_ps;
        if (found && (began_ps < last_ps || (began_ps == last_ps && (last->receives || !side.receives)))) continue;
        *last = side;
        last_ps = began_ps;
        found = true;
    }
    return found;
}

/* D = dT + T, and the other side's delay before it where the other side began later. T comes from the described
 * network, or is what the trace shows: from when both sides had begun to the end of the wait. */
static int64_t advised_ps(const struct detection *detection, const struct trace_call *own,
                          const struct trace_call *other, const struct trace_call *wait)
{
    const struct analyze_options *options = detection->options;
    int64_t began_ps = other->enter_ps > own->enter_ps ? other->enter_ps : own->enter_ps;
    int64_t starting_ps = own->exit_ps - own->enter_ps, transfer_ps = wait->exit_ps - began_ps - starting_ps;
    if (options->network_known)
        transfer_ps = units_ps(options->latency_s + (double)own->bytes / options->bandwidth_Bps);
    return units_add_ps(began_ps - own->enter_ps + starting_ps, transfer_ps > 0 ? transfer_ps : 0);
}

/* How much earlier the other side's start is of use. A rendezvous begins when both sides have; eager data leave with the
 * send, whatever the receive does. */
static int64_t earlier_ps(const struct detection *detection, const struct side *side, const struct trace_call *own,
                          const struct trace_call *other, int64_t severity_ps)
{
    int64_t later_ps = other->enter_ps - own->enter_ps;
    if (message_is_eager(side->receives ? other : own, detection->options->eager_bytes))
        return side->receives ? severity_ps : 0;
    return later_ps < severity_ps ? later_ps : severity_ps;
}

static enum status find_wait(struct detection *detection, enum pattern pattern, const struct map *requests,
                             uint32_t rank, size_t call)
{
    const struct relations *relations = detection->relations;
    const struct trace *trace = relations->trace;
    const struct trace_call *wait = relations_call(relations, rank, call);
    bool list = call_kind(wait->call) == CALL_REQUEST_WAITALL;
    const uint32_t *ids = list ? trace->requests + trace->lists[wait->ref].first : &wait->ref;
    struct side side = {0};
    if (!last_to_begin(relations, requests, rank, ids, list ? trace->lists[wait->ref].count : 1, &side))
        return STATUS_OK;
    if (side.receives != (pattern == PATTERN_WAIT_IN_RECEIVER_COMPLETION)) return STATUS_OK;
    const struct trace_call *own = relations_call(relations, rank, side.own_call);
    const struct trace_call *other = relations_call(relations, side.other_rank, side.other_call);
    struct finding finding = finding_of_enter(relations, pattern, rank, call, side.other_rank, side.other_call);
    finding.severity_ps = wait->exit_ps - wait->enter_ps;
    finding.distance_ps = wait->enter_ps - own->enter_ps;
    finding.advised_ps = advised_ps(detection, own, other, wait);
    finding.earlier_ps = earlier_ps(detection, &side, own, other, finding.severity_ps);
    return detect_found(detection, &finding);
}

static enum status find_waits(struct detection *detection, enum pattern pattern, const struct map *requests)
{
    const struct trace *trace = detection->relations->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            enum call_kind kind = call_kind(trace->ranks[r].calls[i].call);
            if (kind == CALL_REQUEST_WAIT || kind == CALL_REQUEST_WAITALL)
                TRY(find_wait(detection, pattern, requests, r, i));
        }
    return STATUS_OK;
}

static enum status find_completions(struct detection *detection, enum pattern pattern)
{
    struct map requests = {0};
    enum status status = index_requests(detection->relations, &requests, detection->err);
    if (status == STATUS_OK && requests.count > 0) status = find_waits(detection, pattern, &requests);
    map_clear(&requests);
    return status;
}

enum status detect_wait_in_sender_completion(struct detection *detection)
{
    return find_completions(detection, PATTERN_WAIT_IN_SENDER_COMPLETION);
}

enum status detect_wait_in_receiver_completion(struct detection *detection)
{
    return find_completions(detection, PATTERN_WAIT_IN_RECEIVER_COMPLETION);
}
