/* What six_, ten_, more_, user_ and column_exchanges.c share: a rank and its neighbours, the table of exchanges, the measured
 * loop. */
#ifndef TESTS_PROGRAMS_EXCHANGES_H
#define TESTS_PROGRAMS_EXCHANGES_H

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct exchange {
    const char *name;
    void (*iterate)(int);
    int passive; /* under lock_all */
};

static int rank, ranks, left, right; /* left and right: neighbours on a ring */

static void begin_mpi(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
}

/* The exchange that the first of at least three arguments names; else the program ends. */
static const struct exchange *find_exchange(const struct exchange *table, size_t count, int argc, char **argv)
{
    for (size_t i = 0; argc >= 4 && i < count; i++)
        if (strcmp(table[i].name, argv[1]) == 0) return &table[i];
    MPI_Abort(MPI_COMM_WORLD, 2);
    return NULL;
}

/* Between two barriers makes iterations from the number `first` on; rank 0 prints the exchange's name, bytes and seconds. */
static void measure(const struct exchange *exchange, int bytes_of_one, int first, int iterations)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < iterations; i++) exchange->iterate(first + i);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%s %d %.6f\n", exchange->name, bytes_of_one, MPI_Wtime() - begin);
    fflush(stdout);
}

#endif
