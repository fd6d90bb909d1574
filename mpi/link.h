/* Exchanges bytes between shards (model/shards/shards.h), where each shard is a process of MPI_COMM_WORLD. */
#ifndef MPI_LINK_H
#define MPI_LINK_H

#include "model/shards/shards.h"

struct mpi_link {
    struct shards_link shards;
    bool swapped; /* a swap was begun: the other processes know of failures */
    bool broken;  /* a swap has failed: the other processes wait and have to be ended */
    /* Of a swap. */
    uint64_t *to_bytes, *from_bytes; /* per process */
    void *requests;
    size_t request_count, request_capacity;
};

/* After MPI_Init. link must stay where it is until link_clear. */
enum status link_init(struct mpi_link *link, struct err *err);
void link_clear(struct mpi_link *link);

#endif
