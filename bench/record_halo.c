/* What recording costs a program that computes: heat on a plate in strips of ROWS rows of 128 doubles, whose edge rows
 * (1 KB) are put to the neighbours under post, start, complete, wait. Run under the recorder it takes turns: a batch
 * of iterations with the functions of the MPI library itself, one with what a program calls, the recorder's. Both are
 * in one process and one memory, so what differs from run to run is the same for both.
 *
 * Usage: record_halo ROWS ITERATIONS [PAIRS]: ITERATIONS per batch; 0 pairs: one batch, recorded. Prints the
 * microseconds of a bare iteration (median), by how many percent a recorded one is longer (median of the pairs, its
 * quartiles), and the memory of the recorder in rank 0 (its proportional set size, KiB). Run by record_halo.sh. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 128 };

struct functions {
    __typeof__(MPI_Win_post) *post;
    __typeof__(MPI_Win_start) *start;
    __typeof__(MPI_Put) *put;
    __typeof__(MPI_Win_complete) *complete;
    __typeof__(MPI_Win_wait) *wait;
};

static const struct functions called = {MPI_Win_post, MPI_Win_start, MPI_Put, MPI_Win_complete, MPI_Win_wait};

struct plate {
    int rows;
    double (*strips[2])[COLUMNS];
    MPI_Win windows[2];
    MPI_Group neighbours;
};

static int rank, ranks;

static void step(double (*to)[COLUMNS], double (*from)[COLUMNS], int rows)
{
    for (int i = 1; i <= rows; i++)
        for (int k = 1; k < COLUMNS - 1; k++)
            to[i][k] = 0.25 * (from[i - 1][k] + from[i + 1][k] + from[i][k - 1] + from[i][k + 1]);
}

static void exchange(const struct functions *mpi, const struct plate *plate, int which)
{
    double(*strip)[COLUMNS] = plate->strips[which];
    MPI_Win window = plate->windows[which];
    int rows = plate->rows;
    mpi->post(plate->neighbours, 0, window);
    mpi->start(plate->neighbours, 0, window);
    if (rank > 0)
        mpi->put(strip[1], COLUMNS, MPI_DOUBLE, rank - 1, (MPI_Aint)(rows + 1) * COLUMNS, COLUMNS, MPI_DOUBLE, window);
    if (rank < ranks - 1) mpi->put(strip[rows], COLUMNS, MPI_DOUBLE, rank + 1, 0, COLUMNS, MPI_DOUBLE, window);
    mpi->complete(window);
    mpi->wait(window);
}

/* Seconds of an iteration. */
static double batch_s(const struct functions *mpi, const struct plate *plate, int iterations)
{
    double begin = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        exchange(mpi, plate, i % 2);
        step(plate->strips[(i + 1) % 2], plate->strips[i % 2], plate->rows);
    }
    return (MPI_Wtime() - begin) / iterations;
}

/* The library's own; what is preloaded is found before them. False: it cannot be had. */
static int bare_functions(struct functions *bare)
{
    static const char *const names[] = {"PMPI_Win_post", "PMPI_Win_start", "PMPI_Put", "PMPI_Win_complete",
                                        "PMPI_Win_wait"};
    void *library = dlopen("libmpich.so.12", RTLD_LAZY | RTLD_NOLOAD), *found[5];
    for (int i = 0; i < 5; i++) {
        found[i] = library ? dlsym(library, names[i]) : NULL;
        if (!found[i]) return 0;
    }
    memcpy(bare, found, sizeof found);
    return 1;
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

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare_batches(const struct plate *plate, int iterations, int pairs)
{
    struct functions bare;
    double *bare_s = malloc((size_t)pairs * sizeof *bare_s), *ratios = malloc((size_t)pairs * sizeof *ratios);
    if (!bare_s || !ratios || !bare_functions(&bare)) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < pairs; i++) {
        double second_s, first_s = batch_s(i % 2 ? &called : &bare, plate, iterations);
        second_s = batch_s(i % 2 ? &bare : &called, plate, iterations);
        bare_s[i] = i % 2 ? second_s : first_s;
        ratios[i] = (i % 2 ? first_s : second_s) / bare_s[i];
    }
    qsort(bare_s, (size_t)pairs, sizeof *bare_s, compare);
    qsort(ratios, (size_t)pairs, sizeof *ratios, compare);
    if (rank == 0)
        printf("%.3f %.3f %.3f %.3f %ld\n", bare_s[pairs / 2] * 1e6, 100 * (ratios[pairs / 2] - 1),
               100 * (ratios[pairs / 4] - 1), 100 * (ratios[pairs * 3 / 4] - 1), recorder_KiB());
    free(bare_s);
    free(ratios);
}

int main(int argc, char **argv)
{
    int iterations = argc > 2 ? atoi(argv[2]) : 20000, pairs = argc > 3 ? atoi(argv[3]) : 0, both[2], count = 0;
    struct plate plate = {.rows = argc > 1 ? atoi(argv[1]) : 256};
    MPI_Group world;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank > 0) both[count++] = rank - 1;
    if (rank < ranks - 1) both[count++] = rank + 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, both, &plate.neighbours);
    for (int i = 0; i < 2; i++) {
        MPI_Aint bytes = (MPI_Aint)sizeof(double[COLUMNS]) * (plate.rows + 2);
        MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &plate.strips[i], &plate.windows[i]);
        memset(plate.strips[i], rank, (size_t)bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pairs > 0)
        compare_batches(&plate, iterations, pairs);
    else
        batch_s(&called, &plate, iterations);
    for (int i = 0; i < 2; i++) MPI_Win_free(&plate.windows[i]);
    MPI_Group_free(&plate.neighbours);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
