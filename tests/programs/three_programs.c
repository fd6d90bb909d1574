/* Three programs for hold-outs of predictions at other scales (bench/holdout.sh), which the rules of the predictor were not made
 * with.
 *   ring       each rank locks its right neighbour's window, puts 4 KB and unlocks; 240 ms of sleep a step, divided by the ranks
 *   hypercube  in each round puts to the rank whose number differs in that bit, post to wait; 12 ms of sleep a round and rank
 *   work       fences around puts to the first rank; each rank counts 40 million steps, divided by the ranks, and a tenth of that
 *              undivided
 * Usage: mpiexec -n N three_programs NAME [STEPS] */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 4096, ROOMS = 64 };

static int rank, ranks;
static char *memory, local[BYTES];
static MPI_Win window;

static void rest(double milliseconds)
{
    long ns = (long)(milliseconds * 1e6);
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0)
        ;
}

static void count_steps(long steps)
{
    static volatile uint64_t sink;
    uint64_t value = (uint64_t)rank + 1;
    for (long i = 0; i < steps; i++) value = value * 6364136223846793005U + 1442695040888963407U;
    sink = value;
}

static void ring(int steps)
{
    int right = (rank + 1) % ranks;
    for (int i = 0; i < steps; i++) {
        rest(240.0 / ranks);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
        MPI_Put(local, BYTES, MPI_BYTE, right, 0, BYTES, MPI_BYTE, window);
        MPI_Win_unlock(right, window);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void hypercube(int steps)
{
    MPI_Group all, one;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < steps; i++)
        for (int bit = 1; bit < ranks; bit *= 2) {
            int partner = rank ^ bit;
            rest(12);
            MPI_Group_incl(all, 1, &partner, &one);
            MPI_Win_post(one, 0, window);
            MPI_Win_start(one, 0, window);
            MPI_Put(local, BYTES, MPI_BYTE, partner, 0, BYTES, MPI_BYTE, window);
            MPI_Win_complete(window);
            MPI_Win_wait(window);
            MPI_Group_free(&one);
        }
    MPI_Group_free(&all);
}

static void work(int steps)
{
    const long counted = 40000000;
    for (int i = 0; i < steps; i++) {
        count_steps(counted / ranks + counted / 10);
        MPI_Win_fence(0, window);
        MPI_Put(local, BYTES, MPI_BYTE, 0, (MPI_Aint)rank * BYTES, BYTES, MPI_BYTE, window);
        MPI_Win_fence(0, window);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int steps);
    } programs[] = {{"ring", ring}, {"hypercube", hypercube}, {"work", work}};
    size_t i = 0, count = sizeof programs / sizeof *programs;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (i < count && (argc < 2 || strcmp(argv[1], programs[i].name) != 0)) i++;
    if (i == count || ranks > ROOMS) {
        fprintf(stderr, "usage: three_programs ring|hypercube|work [STEPS], up to %d ranks\n", ROOMS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Win_allocate((MPI_Aint)ROOMS * BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    programs[i].run(argc > 2 ? atoi(argv[2]) : 20);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
