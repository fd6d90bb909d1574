/* Collectives of a communicator, made of messages: docs/simulation.md, Point-to-point and collectives, and MPICH's
 * algorithms as its papers tell them (R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication
 * operations in MPICH, IJHPCA 19(1), 2005). Members are named by their rank in the communicator. */
#ifndef TESTS_REFERENCE_COLLECTIVE_H
#define TESTS_REFERENCE_COLLECTIVE_H

#include "tests/reference/model.h"

struct party { /* one member in one collective */
    struct model *model;
    struct rank *rank;
    const struct trace_comm *comm;
    int32_t context, tag;
    bool later; /* non-blocking: other limits, and no overhead but the call's */
    uint32_t me, count;
};

/* Each returns when it is done, and pays for every message. */
void party_send(const struct party *party, uint32_t to, int64_t bytes);
void party_receive(const struct party *party, uint32_t from);
void party_exchange(const struct party *party, uint32_t to, int64_t bytes, uint32_t from);
void party_exchange_all(const struct party *party, int64_t bytes); /* with everybody, at once */

/* The largest power of two up to the count. */
uint32_t party_power(uint32_t count);

/* blocks.c. bytes: of all in a broadcast, else of a block. */
void party_broadcast(const struct party *party, uint32_t root, int64_t bytes);
void party_gather(const struct party *party, uint32_t root, int64_t bytes);
void party_scatter(const struct party *party, uint32_t root, int64_t bytes);
void party_allgather(const struct party *party, int64_t bytes);
void party_alltoall(const struct party *party, int64_t bytes);

/* vectors.c. */
void party_reduce(const struct party *party, uint32_t root, int64_t bytes);
void party_allreduce(const struct party *party, int64_t bytes);
void party_scan(const struct party *party, int64_t bytes); /* and exscan */

#endif
