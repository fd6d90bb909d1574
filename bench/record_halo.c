/* What recording costs a program that computes: heat on a plate in strips of ROWS rows of 128 doubles, whose edge rows
 * (1 KB) are put to the neighbours under post, start, complete, wait. Prints the seconds of the loop and the memory of
 * rank 0 (its proportional set size, KiB). Usage: record_halo ROWS ITERATIONS. Run by record_halo.sh. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 128 };

static int rank, ranks;

static void step(double (*to)[COLUMNS], double (*from)[COLUMNS], int rows)
{
    for (int i = 1; i <= rows; i++)
        for (int k = 1; k < COLUMNS - 1; k++)
            to[i][k] = 0.25 * (from[i - 1][k] + from[i + 1][k] + from[i][k - 1] + from[i][k + 1]);
}

static void exchange(double (*strip)[COLUMNS], int rows, MPI_Group neighbours, MPI_Win window)
{
    MPI_Win_post(neighbours, 0, window);
    MPI_Win_start(neighbours, 0, window);
    if (rank > 0)
        MPI_Put(strip[1], COLUMNS, MPI_DOUBLE, rank - 1, (MPI_Aint)(rows + 1) * COLUMNS, COLUMNS, MPI_DOUBLE, window);
    if (rank < ranks - 1) MPI_Put(strip[rows], COLUMNS, MPI_DOUBLE, rank + 1, 0, COLUMNS, MPI_DOUBLE, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}

/* What the recorder has mapped: its libraries, shared pages in parts, and the tail file. Its tables are some KiB more.
 */
static long recorder_KiB(void)
{
    char line[4096];
    long found = 0;
    int own = 0;
    FILE *in = fopen("/proc/self/smaps", "r");
    while (in && fgets(line, sizeof line, in)) {
        if (strncmp(line, "Pss:", 4) == 0 && own) found += strtol(line + 4, NULL, 10);
        if (strchr(line, '-') && strchr(line, '/')) own = strstr(line, "rmacast-record") || strstr(line, ".tail");
        if (strchr(line, '-') && !strchr(line, '/')) own = 0;
    }
    if (in) fclose(in);
    return found;
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 256, iterations = argc > 2 ? atoi(argv[2]) : 20000, both[2], count = 0;
    double(*strips[2])[COLUMNS];
    MPI_Win windows[2];
    MPI_Group world, neighbours;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank > 0) both[count++] = rank - 1;
    if (rank < ranks - 1) both[count++] = rank + 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, both, &neighbours);
    for (int i = 0; i < 2; i++) {
        MPI_Aint bytes = (MPI_Aint)sizeof(double[COLUMNS]) * (rows + 2);
        MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &strips[i], &windows[i]);
        memset(strips[i], rank, (size_t)bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        exchange(strips[i % 2], rows, neighbours, windows[i % 2]);
        step(strips[(i + 1) % 2], strips[i % 2], rows);
    }
    double taken = MPI_Wtime() - begin;
    if (rank == 0) printf("%.6f %ld\n", taken, recorder_KiB());
    for (int i = 0; i < 2; i++) MPI_Win_free(&windows[i]);
    MPI_Group_free(&neighbours);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
