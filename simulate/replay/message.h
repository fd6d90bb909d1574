/* Messages between ranks: sending, the effect of an arrival, and who serves it (progress). */
#ifndef SIMULATE_REPLAY_MESSAGE_H
#define SIMULATE_REPLAY_MESSAGE_H

#include "simulate/replay/state.h"

struct waiting_message { /* waits for the progress of its destination */
    struct engine_note message;
    uint32_t next, polls; /* polls: that are left until it is served */
    int64_t arrived_ps;
};

/* Called once, before messages are sent. Finds who serves each type of message, where that does not depend on its
 * bytes. */
void replay_find_servers(struct replay *replay);
/* Makes room for the queries that wait for their ranks. Called once, when it is known whether core.queries. */
enum status replay_prepare_queries(struct replay *replay);
enum status replay_send(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination,
                        int64_t bytes, uint32_t ref, uint32_t extra, struct engine_departure *departure);
enum status replay_send_control(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination,
                                uint32_t ref, uint32_t extra);
/* Sends a query (MESSAGE_FLUSH_QUERY), which is answered by a MESSAGE_FLUSHED that carries ref. */
enum status replay_send_query(struct replay *replay, uint32_t source, uint32_t destination, uint32_t ref);
/* The same to each rank of `to`, in their order. They are on other nodes than the source, and it is noted that its connections
 * to them need no further query. */
enum status replay_send_queries(struct replay *replay, uint32_t source, const uint32_t *to, uint32_t count, uint32_t ref);
/* Answers a query that arrives alone. */
enum status replay_on_flush_query(struct replay *replay, const struct engine_note *message);
/* Queries and answers arrive (engine_lazy_callbacks.queries). An answer that acts stands for message.extra further ones. */
enum status replay_queried(struct replay *replay, const struct engine_query *queries, uint32_t query_count,
                           const struct engine_query *answers, uint32_t answer_count);
/* MESSAGE_QUERIES: answers message.extra queries that waited for their rank. */
enum status replay_on_queries(struct replay *replay, const struct engine_note *message);
/* The message with this type and ref acts when the rank is next inside MPI. It is not sent. */
enum status replay_postpone(struct replay *replay, enum message_type type, uint32_t rank, uint32_t ref);
/* Whether the rank serves a message that arrives now at once, with progress = call: it is inside MPI, or has left less
 * than mpi.rma.protocol.linger_s ago (in a draw: a time around it). */
bool replay_serves(const struct replay *replay, uint32_t rank);
/* What marks a message that arrives while the rank does not serve, never 0. It is unread until the rank begins to serve: then the
 * rank's mark changes. */
static inline uint32_t replay_unread_mark(const struct replay *replay, uint32_t rank)
{
    return replay->rare[rank].visits + 1;
}
/* The least number of messages that bring so many answers. */
uint32_t replay_least_messages(const struct replay *replay, uint32_t answers);
/* The message arrives. It acts now, or when its destination serves it. */
enum status replay_arrived(struct replay *replay, const struct engine_note *message);
/* Serve messages that waited for their destination's progress: a helper thread serves one, a poll of the rank's call
 * all that need no further poll. */
enum status replay_serve_late(struct replay *replay, uint32_t waiting);
enum status replay_serve_waiting(struct replay *replay, uint32_t rank);
/* Timers of mpi.rma.protocol.polls: the rank's call still waits, and polls again. */
enum status replay_poll_again(struct replay *replay, uint32_t rank);
uint32_t replay_rank_of_poll(const struct replay *replay, uint32_t rank);
enum status replay_left(struct replay *replay, const struct engine_note *message, int64_t began_ps, int64_t left_ps);
uint32_t replay_rank_of_message(const struct replay *replay, uint32_t waiting);
void replay_clear_messages(struct replay *replay);

/* In progress.c, for the pattern Wait for Progress. A message that arrived at arrived_ps and waited for its destination's
 * progress is served. */
void replay_served_late(struct replay *replay, const struct engine_note *message, int64_t arrived_ps);
/* The rank's call returns at exit_ps, and the predicted trace has the call already. Adds the wait of the call to the
 * totals. */
void replay_account_progress(struct replay *replay, uint32_t rank, int64_t exit_ps);

#endif
