/* Point-to-point messages. The n-th send from one rank to another on a communicator with a tag matches the n-th receive
 * of the same (MPI-3.1 3.5, non-overtaking). Wildcard receives have in the trace the source and tag that they matched.
 * A message that MPI_Mprobe or MPI_Improbe found leaves this order: only MPI_Mrecv or MPI_Imrecv receives it (3.8.2).
 * model/match/taken.h finds which one. */
#ifndef MODEL_MATCH_MESSAGES_H
#define MODEL_MATCH_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct message {
    uint32_t sender, receiver;
    size_t send_call, receive_call;
};

#define MESSAGE_NONE SIZE_MAX

/* A successful MPI_Probe, MPI_Mprobe or MPI_Improbe whose message was received later. */
struct probe {
    uint32_t rank;
    size_t call, message; /* MESSAGE_NONE: the message had been probed for before */
};

struct messages {
    struct message *items; /* by receiver, then receive */
    size_t count, capacity;
    struct probe *probes; /* by rank, then receive of the message */
    size_t probe_count, probe_capacity;
    struct unmatched {
        uint64_t count;
        uint32_t rank; /* of the first by rank, then call */
        size_t call;
    } unmatched_sends, unmatched_receives;
};

/* Inits *messages from a trace that has passed trace_check(). */
enum status messages_build(const struct trace *trace, struct messages *messages, struct err *err);
/* Whether the call is a probe that took a message out of matching; whether it is a receive of such a message. */
bool message_taken_out(const struct trace_call *call);
bool message_receives_taken(const struct trace_call *call);

/* Whether a blocking send may end before the receive begins, because the library holds the message: always in buffered
 * mode, up to the eager limit in standard and ready mode, never in synchronous mode. */
bool message_is_eager(const struct trace_call *send, int64_t eager_bytes);

/* Whether the message may overtake, or be overtaken by, another one in time: the send does not wait for its receive,
 * and is not in ready mode (whose receive must be posted first). */
bool message_may_overtake(const struct trace_call *send, int64_t eager_bytes);

void messages_clear(struct messages *messages);

#endif
