/* The step query_connected: a call that flushes all targets also sends queries to other ranks to which its
 * rank has sent a message since its last query to them (docs/protocols.md, rule 6). Between nodes only. */
#ifndef SIMULATE_REPLAY_CONNECTIONS_H
#define SIMULATE_REPLAY_CONNECTIONS_H

#include "simulate/replay/message.h"

enum status replay_prepare_connections(struct replay *replay);
void replay_clear_connections(struct replay *replay);

/* Notes that a message between two nodes leaves. MESSAGE_FLUSH_QUERY is a query to its destination; after any other
 * message the destination needs a query. */
enum status replay_note_connection(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination);

/* Notes that queries to one rank are answered. */
enum status replay_note_answers(struct replay *replay, const struct engine_query *queries, uint32_t count);

/* A put or get of the rank to another node leaves (change 1), or is known to be complete (change -1). */
void replay_count_unanswered(struct replay *replay, uint32_t rank, int change);
bool replay_has_unanswered(const struct replay *replay, uint32_t rank);

/* A rank makes a window of the communicator, with memory of its own: after its first one with another member, that member
 * needs a query. */
enum status replay_connect_members(struct replay *replay, uint32_t rank, int32_t comm);

/* Sends the queries to the ranks that are not targets, in the order of ranks. The queries to targets have been sent
 * before. Each answer carries ref. Adds each query to *unanswered before
 * it is sent. */
enum status replay_query_connections(struct replay *replay, uint32_t rank, uint32_t ref, uint32_t *unanswered);

#endif
