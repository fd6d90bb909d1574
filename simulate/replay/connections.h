/* mpi.rma.protocol.flush = connections: a call that flushes all targets also asks the ranks that are no targets, but to
 * which its rank has sent something since it last asked them (docs/protocols.md, rule 6). Between nodes only. */
#ifndef SIMULATE_REPLAY_CONNECTIONS_H
#define SIMULATE_REPLAY_CONNECTIONS_H

#include "simulate/replay/message.h"

enum status replay_prepare_connections(struct replay *replay);
void replay_clear_connections(struct replay *replay);

/* A message leaves. One of MESSAGE_FLUSH_ASK asks its destination; any other one must be asked for. */
enum status replay_note_connection(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination);

/* The targets have been asked: asks the others, in the order of ranks. Each answers by a message of the type with ref.
 * Counts each in *unanswered before it is sent. */
enum status replay_ask_connections(struct replay *replay, uint32_t rank, enum message_type answer, uint32_t ref,
                                   uint32_t *unanswered);

#endif
