/* What the programs of this directory and of tests/programs/holdout share. Those of this directory were written by somebody who
 * knew rmacast's documents alone, as a test of its predictions (independent_300us.json and fresh_300us.json in
 * validate/campaigns). Each takes bytes and a number of iterations. Its measured loop is between the first and the second
 * MPI_Barrier of MPI_COMM_WORLD, and rank 0 prints name, bytes, ranks and seconds of the loop. A program that checks its results
 * exits with 1 if they are wrong. */
#ifndef TESTS_PROGRAMS_INDEPENDENT_PROGRAM_H
#define TESTS_PROGRAMS_INDEPENDENT_PROGRAM_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The number that argument `index` is, or what it is without that argument. */
static inline int argument(int argc, char **argv, int index, int without)
{
    return argc > index ? atoi(argv[index]) : without;
}

/* Computing is sleeping, so that two cores carry more ranks. */
static inline void compute(double milliseconds)
{
    struct timespec rest = {0, (long)(milliseconds * 1e6)};
    while (nanosleep(&rest, &rest) != 0)
        ;
}

#endif
