/* A two-dimensional torus of ranks, as square as it gets: for the halo exchanges of the oracle. */
#ifndef TESTS_ORACLE_HALO_H
#define TESTS_ORACLE_HALO_H

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { NEIGHBOURS = 4 };

struct halo {
    int rank, size, bytes, iterations, apart_us;
    int neighbours[NEIGHBOURS]; /* left, right, up, down: i and i ^ 1 face each other */
    char *out, *in;             /* NEIGHBOURS x bytes */
};

/* PROGRAM BYTES ITERATIONS APART_US */
static inline struct halo halo_init(int *argc, char ***argv)
{
    struct halo halo;
    int dims[2] = {0, 0}, coords[2];
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &halo.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &halo.size);
    halo.bytes = atoi((*argv)[1]);
    halo.iterations = atoi((*argv)[2]);
    halo.apart_us = atoi((*argv)[3]);
    MPI_Dims_create(halo.size, 2, dims);
    coords[0] = halo.rank / dims[1];
    coords[1] = halo.rank % dims[1];
    halo.neighbours[0] = coords[0] * dims[1] + (coords[1] + dims[1] - 1) % dims[1];
    halo.neighbours[1] = coords[0] * dims[1] + (coords[1] + 1) % dims[1];
    halo.neighbours[2] = (coords[0] + dims[0] - 1) % dims[0] * dims[1] + coords[1];
    halo.neighbours[3] = (coords[0] + 1) % dims[0] * dims[1] + coords[1];
    halo.out = calloc(NEIGHBOURS, (size_t)halo.bytes);
    halo.in = calloc(NEIGHBOURS, (size_t)halo.bytes);
    return halo;
}

/* 200 us, and up to 3 x apart_us more on some ranks. */
static inline void halo_compute(const struct halo *halo, int iteration)
{
    usleep((useconds_t)(200 + halo->apart_us * ((halo->rank + iteration) % 4)));
}

static inline void halo_finish(struct halo *halo)
{
    free(halo->out);
    free(halo->in);
    MPI_Finalize();
}

#endif
