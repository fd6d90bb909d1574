/* Matches non-blocking wildcard receives whose completion was not recorded: the request was freed before it, was still
 * open at the end, or belongs to MPI_Isendrecv, of which MPICH 4.0.2 says nothing. Messages from one sender with one
 * tag do not overtake each other (MPI-3.1 3.5), so the known receives determine how many messages of each sender and
 * tag are left. Where several are possible, the message that was sent first is taken. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "trace/spool/reader.h"

struct message {
    int32_t to, comm, from, tag;
    size_t sequence; /* of the sender's calls */
    int64_t sent_ps, bytes;
};

struct queue { /* messages of one sender, tag and communicator to one rank, in the order of sending */
    const struct message *messages;
    size_t count;
    size_t known; /* receives that are known to take one and have not been passed yet */
    size_t taken;
};

struct matching {
    struct trace *trace;
    bool *wanted; /* by rank: it has such receives */
    struct message *messages;
    size_t message_count, message_capacity;
    struct queue *queues;
    size_t queue_count, queue_capacity;
    uint64_t found;
    struct err *err;
};

bool spool_is_unmatched(const struct trace_call *call)
{
    if (call_kind((enum mpi_call)call->call) != CALL_IRECV) return false;
    return call->peer == SPOOL_PEER_ANY || (call->peer >= 0 && call->message.tag < 0);
}

ORDER(compare_queues, struct message, UP(to) UP(comm) UP(from) UP(tag))

ORDER(compare_messages, struct message, BY(compare_queues) UP(sequence))

static enum status make_queues(struct matching *matching)
{
    const struct message *messages = matching->messages;
    if (matching->message_count == 0) return STATUS_OK;
    qsort(matching->messages, matching->message_count, sizeof *messages, compare_messages);
    for (size_t i = 0; i < matching->message_count; i++) {
        if (i > 0 && compare_queues(&messages[i - 1], &messages[i]) == 0) {
            matching->queues[matching->queue_count - 1].count++;
            continue;
        }
        struct queue made = {.messages = &messages[i], .count = 1};
        ARRAY_PUSH(matching->queues, matching->queue_count, matching->queue_capacity, made, matching->err);
    }
    return STATUS_OK;
}

/* Returns the first queue that is not before the key. */
static size_t lower_bound(const struct matching *matching, const struct message *key)
{
    size_t low = 0;
    SEARCH_FIRST(low, matching->queue_count, i, compare_queues(matching->queues[i].messages, key) < 0);
    return low;
}

/* Tells what a call receives. False: nothing, or it is not known. */
static bool known_receive(const struct trace_call *call, uint32_t rank, struct message *key)
{
    enum call_kind kind = call_kind((enum mpi_call)call->call);
    *key = (struct message){.to = (int32_t)rank, .comm = call->handle, .from = call->peer, .tag = call->message.tag};
    if (call->flags & TRACE_BREAK) return false;
    if (kind == CALL_SENDRECV) {
        key->from = call->exchange.source;
        key->tag = call->exchange.recv_tag;
    } else if (kind != CALL_RECV && (kind != CALL_IRECV || spool_is_unmatched(call))) {
        return false;
    }
    return key->from >= 0;
}

static struct queue *queue_of(const struct matching *matching, const struct message *key)
{
    size_t at = lower_bound(matching, key);
    if (at == matching->queue_count || compare_queues(matching->queues[at].messages, key) != 0) return NULL;
    return &matching->queues[at];
}

/* Returns the message that was sent first of those left for a receive. */
static struct queue *choose_queue(const struct matching *matching, uint32_t rank, const struct trace_call *call)
{
    struct message key = {.to = (int32_t)rank, .comm = call->handle, .from = INT32_MIN, .tag = INT32_MIN};
    struct queue *best = NULL;
    for (size_t i = lower_bound(matching, &key); i < matching->queue_count; i++) {
        struct queue *queue = &matching->queues[i];
        const struct message *first = queue->messages;
        if (first->to != key.to || first->comm != key.comm) break;
        if (call->peer >= 0 && call->peer != first->from) continue;
        if (call->message.tag >= 0 && call->message.tag != first->tag) continue;
        if (queue->taken + queue->known >= queue->count) continue;
        if (!best || queue->messages[queue->taken].sent_ps < best->messages[best->taken].sent_ps) best = queue;
    }
    return best;
}

static void match_rank(struct matching *matching, uint32_t rank)
{
    struct trace_rank *process = &matching->trace->ranks[rank];
    struct message key;
    struct queue *queue;
    for (size_t i = 0; i < process->count; i++)
        if (known_receive(&process->calls[i], rank, &key) && (queue = queue_of(matching, &key)) != NULL) queue->known++;
    for (size_t i = 0; i < process->count; i++) {
        struct trace_call *call = &process->calls[i];
        if (known_receive(call, rank, &key) && (queue = queue_of(matching, &key)) != NULL) {
            queue->known--;
            queue->taken++;
        }
        if (!spool_is_unmatched(call)) continue;
        queue = call->flags & TRACE_BREAK ? NULL : choose_queue(matching, rank, call);
        matching->found += queue != NULL;
        call->peer = queue ? queue->messages[0].from : TRACE_NONE;
        if (!queue) continue;
        const struct message *message = &queue->messages[queue->taken < queue->count ? queue->taken : queue->count - 1];
        call->message.tag = message->tag;
        if (message->bytes < call->bytes) call->bytes = message->bytes;
        queue->taken++;
    }
}

static enum status match_all(struct matching *matching)
{
    struct trace *trace = matching->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count && !matching->wanted[r]; i++)
            matching->wanted[r] = spool_is_unmatched(&trace->ranks[r].calls[i]);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *from = &matching->trace->ranks[r];
        for (size_t i = 0; i < from->count; i++) {
            const struct trace_call *call = &from->calls[i];
            enum call_kind kind = call_kind((enum mpi_call)call->call);
            if (kind != CALL_SEND && kind != CALL_ISEND && kind != CALL_SENDRECV) continue;
            if (call->peer < 0 || !matching->wanted[call->peer]) continue;
            struct message made = {call->peer, call->handle,   (int32_t)r, call->message.tag,
                                   i,          call->enter_ps, call->bytes};
            ARRAY_PUSH(matching->messages, matching->message_count, matching->message_capacity, made, matching->err);
        }
    }
    TRY(make_queues(matching));
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (matching->wanted[r]) match_rank(matching, r);
    if (matching->found == 0) return STATUS_OK;
    return trace_add_note(trace, matching->err,
                          "%" PRIu64
                          " receives with wildcards whose completion was not seen have the messages that the "
                          "others leave",
                          matching->found);
}

enum status spool_match(const struct spool *spool, struct trace *trace, struct err *err)
{
    struct matching matching = {.trace = trace, .err = err};
    if (spool->unmatched == 0) return STATUS_OK;
    matching.wanted = calloc(trace->rank_count, sizeof *matching.wanted);
    enum status status = matching.wanted ? match_all(&matching) : err_memory(err);
    FREE_ALL(matching.wanted, matching.messages, matching.queues);
    return status;
}
