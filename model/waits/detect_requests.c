/* Waits for non-blocking messages, and the distance that would have removed them (Akopyan, 5.3.3). */
#include "common/units.h"
#include "model/waits/detect.h"
#include "model/waits/properties.h"

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

enum { ENDS_AT_ONCE = -1 }; /* a request without another side */

static enum status index_request(uint32_t rank, uint32_t request, uint64_t value, struct map *requests, struct err *err)
{
    uint64_t *slot;
    return map_put(requests, map_pair(rank, request), value, &slot, err);
}

/* Maps requests of messages to 2 × message + receives. The wait for MPI_Ibsend ends at once, since the library holds
 * the data; so does the wait for a message with MPI_PROC_NULL. */
static enum status index_requests(const struct relations *relations, struct map *requests, struct err *err)
{
    const struct trace *trace = relations->trace;
    for (size_t i = 0; i < relations->messages.count; i++) {
        const struct message *message = &relations->messages.items[i];
        const struct trace_call *send = relations_call(relations, message->sender, message->send_call);
        const struct trace_call *receive = relations_call(relations, message->receiver, message->receive_call);
        if (call_kind(send->call) == CALL_ISEND && send->call != ID_Ibsend)
            TRY(index_request(message->sender, send->message.request, 2 * i, requests, err));
        if (call_kind(receive->call) == CALL_IRECV)
            TRY(index_request(message->receiver, receive->message.request, 2 * i + 1, requests, err));
    }
    if (requests->count == 0) return STATUS_OK;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            enum call_kind kind = call_kind(call->call);
            if ((kind == CALL_ISEND || kind == CALL_IRECV) && (call->peer == TRACE_NONE || call->call == ID_Ibsend))
                TRY(index_request(r, call->message.request, (uint64_t)ENDS_AT_ONCE, requests, err));
        }
    return STATUS_OK;
}

/* Whether the data leave with the send, by their size only: a synchronous send is answered after its data are received,
 * and a large message of MPI_Bsend is a rendezvous for its receiver. */
static bool leaves_at_once(const struct detection *detection, const struct trace_call *send)
{
    return send->bytes <= detection->options->eager_bytes;
}

/* When a message is complete on the side that waits. A rendezvous begins when both sides have begun: request, answer,
 * data. Without a described network messages take no time. */
static int64_t end_ps(const struct detection *detection, const struct side *side, const struct trace_call *own,
                      const struct trace_call *other)
{
    const struct analyze_options *options = detection->options;
    const struct trace_call *send = side->receives ? other : own, *receive = side->receives ? own : other;
    int64_t latency_ps = options->network_known ? units_ps(options->latency_s) : 0;
    int64_t data_ps = options->network_known ? units_ps((double)send->bytes / options->bandwidth_Bps) : 0;
    int64_t asked_ps = units_add_ps(send->enter_ps, latency_ps), there_ps = units_add_ps(asked_ps, data_ps);
    if (!side->receives && message_is_eager(send, options->eager_bytes)) return own->exit_ps;
    if (leaves_at_once(detection, send))
        return side->receives ? there_ps : units_add_ps(units_max_ps(there_ps, receive->enter_ps), latency_ps);
    int64_t answered_ps = units_add_ps(units_max_ps(asked_ps, receive->enter_ps), latency_ps);
    return units_add_ps(answered_ps, side->receives ? units_add_ps(latency_ps, data_ps) : data_ps);
}

/* The messages that a wait completes. */
struct ended {
    struct side
        last; /* the message whose other side began last, a receive before a send: the call waits for it */
    int64_t last_ps;    /* when it began */
    bool any, unknown;  /* any: there is a message; unknown: something else may have ended the wait */
    int64_t rest_ps;    /* when the other messages were complete; INT64_MIN: there are none */
    int64_t rest_bytes; /* of the largest of them */
};

static void add_message(const struct detection *detection, uint32_t rank, const struct side *side, struct ended *ended)
{
    const struct relations *relations = detection->relations;
    const struct trace_call *own = relations_call(relations, rank, side->own_call);
    const struct trace_call *other = relations_call(relations, side->other_rank, side->other_call);
    int64_t complete_ps = end_ps(detection, side, own, other);
    if (complete_ps > ended->rest_ps) ended->rest_ps = complete_ps;
    if (own->bytes > ended->rest_bytes) ended->rest_bytes = own->bytes;
}

static struct ended what_ended(const struct detection *detection, const struct map *requests, uint32_t rank,
                               const uint32_t *ids, uint32_t count)
{
    struct ended ended = {.rest_ps = INT64_MIN};
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *slot = map_find(requests, map_pair(rank, ids[i]));
        if (!slot) ended.unknown = true;
        if (!slot || *slot == (uint64_t)ENDS_AT_ONCE) continue;
        struct side side = side_of(&detection->relations->messages.items[*slot / 2], *slot % 2);
        int64_t began_ps = relations_call(detection->relations, side.other_rank, side.other_call)->enter_ps;
        bool before =
            began_ps < ended.last_ps || (began_ps == ended.last_ps && (ended.last.receives || !side.receives));
        if (ended.any && before) {
            add_message(detection, rank, &side, &ended);
            continue;
        }
        if (ended.any) add_message(detection, rank, &ended.last, &ended);
        ended.last = side;
        ended.last_ps = began_ps;
        ended.any = true;
    }
    return ended;
}

/* The distance that would remove the wait: D = dT + T. dT is the delay of the other side if it began later. T is the
 * message's time on the described network. Without one T is the time from the moment when both sides had begun to the
 * end of the wait. */
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

/* How much earlier the other side can usefully start. A rendezvous begins when both sides have begun. Eager data leave
 * with the send and do not depend on the receive. The other messages of the call limit the gain. */
static int64_t earlier_ps(const struct detection *detection, uint32_t rank, const struct ended *ended,
                          const struct trace_call *own, const struct trace_call *other, int64_t severity_ps)
{
    const struct side *side = &ended->last;
    const struct analyze_options *options = detection->options;
    const struct trace_call *send = side->receives ? other : own;
    bool at_once = leaves_at_once(detection, send);
    int64_t latency_ps = options->network_known ? units_ps(options->latency_s) : 0;
    int64_t data_ps = options->network_known && at_once ? units_ps((double)send->bytes / options->bandwidth_Bps) : 0;
    int64_t behind_ps = other->enter_ps - own->enter_ps, earlier_ps = severity_ps;
    if (ended->unknown || side->other_rank == rank) return 0;
    if (!side->receives && message_is_eager(own, options->eager_bytes)) return 0;
    if (!side->receives) earlier_ps = behind_ps - latency_ps - data_ps;
    if (side->receives && !at_once) earlier_ps = behind_ps + latency_ps;
    if (ended->rest_ps != INT64_MIN) {
        int64_t alone_ps = end_ps(detection, side, own, other) - ended->rest_ps;
        if (!options->network_known && ended->rest_bytes > own->bytes) return 0;
        if (alone_ps < earlier_ps) earlier_ps = alone_ps;
    }
    return earlier_ps < severity_ps ? earlier_ps : severity_ps;
}

/* Moves remove no more than the time that the rank waited. A simulated trace states it. In a recorded one it cannot be told
 * from what the call itself takes. */
static void limit_moves(const struct trace_rank *rank, struct finding *finding)
{
    if (!rank->sim) return;
    const struct trace_call *wait = &rank->calls[finding->call];
    int64_t own_ps = wait->exit_ps - wait->enter_ps - rank->sim[finding->call].blocked_ps;
    int64_t waited_ps = units_max_ps(finding->severity_ps - own_ps, 0);
    finding->cost_ps = finding->severity_ps - waited_ps;
    finding->earlier_ps = units_min_ps(finding->earlier_ps, waited_ps);
    finding->advised_ps = units_min_ps(finding->advised_ps, finding->distance_ps + waited_ps);
}

static enum status find_wait(struct detection *detection, enum pattern pattern, const struct map *requests,
                             uint32_t rank, size_t call)
{
    const struct relations *relations = detection->relations;
    const struct trace *trace = relations->trace;
    const struct trace_call *wait = relations_call(relations, rank, call);
    bool list = call_kind(wait->call) == CALL_REQUEST_WAITALL;
    const uint32_t *ids = list ? trace->definitions.requests + trace->definitions.lists[wait->completion.list].first
                               : &wait->completion.request;
    struct ended ended =
        what_ended(detection, requests, rank, ids, list ? trace->definitions.lists[wait->completion.list].count : 1);
    const struct side *side = &ended.last;
    if (!ended.any || side->receives != (pattern == PATTERN_WAIT_IN_RECEIVER_COMPLETION)) return STATUS_OK;
    const struct trace_call *own = relations_call(relations, rank, side->own_call);
    const struct trace_call *other = relations_call(relations, side->other_rank, side->other_call);
    struct finding finding = finding_of_enter(relations, pattern, rank, call, side->other_rank, side->other_call);
    finding.severity_ps = wait->exit_ps - wait->enter_ps - properties_progress_ps(&trace->ranks[rank], call);
    finding.distance_ps = wait->enter_ps - own->enter_ps;
    finding.advised_ps = advised_ps(detection, own, other, wait);
    finding.earlier_ps = earlier_ps(detection, rank, &ended, own, other, finding.severity_ps);
    if (other->enter_ps > wait->exit_ps) { /* the send was complete without it */
        finding.cause_call = FINDING_NO_CALL;
        finding.earlier_ps = 0;
    }
    limit_moves(&trace->ranks[rank], &finding);
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
