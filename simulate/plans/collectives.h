/* Collective algorithms as plans: the messages that one rank sends and awaits in each step. Pure functions of rank,
 * size, bytes and step; the replay turns the steps into point-to-point messages. Algorithms and switch points: MPICH
 * 4.0.2 (src/mpi/coll, default control variables); R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective
 * Communication Operations in MPICH, IJHPCA 19(1), 2005. */
#ifndef SIMULATE_PLANS_COLLECTIVES_H
#define SIMULATE_PLANS_COLLECTIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

enum coll_algorithm {
    COLL_BCAST_BINOMIAL,
    COLL_BCAST_SCATTER_DOUBLING, /* binomial scatter, then all-gather by recursive doubling */
    COLL_BCAST_SCATTER_RING,
    /* the same; a rank that passes on blocks in the scatter sends more than the next one needs */
    COLL_IBCAST_SCATTER_DOUBLING,
    COLL_IBCAST_SCATTER_RING,
    COLL_REDUCE_BINOMIAL,
    COLL_REDUCE_SCATTER_GATHER,
    COLL_ALLREDUCE_DOUBLING,
    COLL_ALLREDUCE_SCATTER_GATHER, /* Rabenseifner */
    COLL_GATHER_BINOMIAL,
    COLL_SCATTER_BINOMIAL,
    COLL_ALLGATHER_DOUBLING,
    COLL_ALLGATHER_BRUCK,
    COLL_ALLGATHER_RING,
    COLL_ALLTOALL_BRUCK,
    COLL_ALLTOALL_SCATTERED, /* all sends and receives at once */
    COLL_ALLTOALL_PAIRWISE,
    COLL_GATHERV_LINEAR,
    COLL_SCATTERV_LINEAR,
    COLL_ALLGATHERV_DOUBLING,
    COLL_ALLGATHERV_BRUCK,
    COLL_ALLGATHERV_PIPELINE,  /* a ring; blocks are sent in pieces */
    COLL_IALLGATHERV_PIPELINE, /* pieces as large as the least block, if that is larger */
    COLL_ALLTOALLV_SCATTERED,
    COLL_REDUCE_SCATTER_HALVING,
    COLL_REDUCE_SCATTER_PAIRWISE,
    COLL_SCAN_DOUBLING,         /* exscan, too */
    COLL_BARRIER_DISSEMINATION, /* the non-blocking one: messages of `bytes` */
    COLL_COMM_IDUP, /* all-reduce by doubling, then a broadcast: MPI_Comm_idup */
    COLL_NEIGHBOR_LINEAR,       /* to and from all neighbours at once; steps name world ranks */
    COLL_EDGES,                 /* MPI_Dist_graph_create: edges to their ends, as the calls define them */
    COLL_NOTHING,               /* no messages */
};

/* The calls of a communicator in which members exchange what each of them decides. Member i's are indices
 * calls[first[i]..first[i + 1]) of its rank's calls. The k-th call of a member belongs to the k-th of every other. */
struct coll_calls {
    const struct trace *trace;
    const struct trace_comm *comm;
    size_t *first, *calls;
};

/* How the two groups of an intercommunicator take part: both as one collective, each by itself, or only their first
 * ranks, which exchange bytes. */
enum coll_scope { COLL_TOGETHER, COLL_EACH, COLL_FIRST_RANKS };

struct coll_shape {
    enum coll_algorithm algorithm;
    uint32_t size, root;
    int64_t bytes;         /* as trace_call.bytes: a vector or a block */
    const int64_t *counts; /* bytes per rank (or destination) of collectives with counts, borrowed; NULL: equal */
    struct trace_neighbors neighbors; /* of the rank whose steps are made: its edges */
    /* of an intercommunicator: size of the first group; kind and size choose the algorithm. 0: one group */
    uint32_t first_group;
    enum call_kind kind;
    enum coll_scope scope; /* on intercommunicators */
    bool later;          /* the non-blocking form */
    const struct coll_calls *calls; /* NULL: it is not known what others send; taken as not empty */
    size_t turn;                    /* index of the call among these */
    int64_t other_bytes;            /* of an intercommunicator's all-gathers: all blocks of the other group */
};

/* Partners are ranks of the communicator (of neighbours: of the world); -1: the step sends, or receives, nothing. */
struct coll_step {
    int32_t send_to, receive_from;
    int64_t send_bytes;
    bool overlap;     /* the next step need not wait for this one */
    bool control;     /* a control message, which needs no rendezvous */
    bool synchronous; /* the send is done when the receiver has received it */
};

/* The algorithm for a collective's kind. later: its non-blocking form. bytes as in the shape; allgatherv: of all blocks
 * together. MPICH's choice for reductions depends on the number of elements, too: one has 8 bytes; a context id, which
 * is reduced when a communicator is made (CALL_COMM_CREATE), has 4. */
enum coll_algorithm coll_choose(enum call_kind kind, bool later, uint32_t size, int64_t bytes);

/* World rank of a step's partner. */
uint32_t coll_partner(const struct coll_shape *shape, const struct trace_comm *comm, int32_t partner);

/* Fills the rank's step `number`. False: there are no more. A step may be empty (both -1). */
bool coll_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step);

/* MPI_Ireduce_scatter_block compares elements where the others compare bytes. */
enum coll_algorithm coll_choose_ireduce_scatter_block(int64_t bytes);

/* MPI_Comm_idup: an all-reduce of the free context ids, then one number says that the communicator is ready. */
struct coll_shape coll_comm_idup(const struct trace_comm *comm);

/* The shape of a collective call of a trace, without what only other members' calls say. Messages of a barrier are empty. */
struct coll_shape coll_shape_of(const struct trace *trace, const struct trace_call *call);

/* MPICH 4.0.2 returns at once, without a message, from a collective that moves no bytes. It does so only where all
 * members know all sizes, or each needs only its own. Otherwise a member that passes 0 alone would leave the others
 * waiting, so these kinds take their steps with empty messages. bytes: as in coll_choose. */
bool coll_moves_nothing(enum call_kind kind, int64_t bytes);

/* Whether a member's own counts say what it receives. If not, coll_sent_by reads the others' calls. between: of an
 * intercommunicator. */
bool coll_knows_receipts(enum call_kind kind, bool between);

/* Bytes that member `from` sends to `own` in this call, by its own counts; more than 0 if they are not known. */
int64_t coll_sent_by(const struct coll_shape *shape, uint32_t from, uint32_t own);

bool coll_is_power_of_two(uint32_t size);

#endif
