/* The halo exchange of `rmacast generate halo2d --sync pscw` as an MPI program, for SMPI: bench/peers builds it with
 * smpicc. Usage: smpi_halo ITERATIONS BYTES. Computing is simulated sleeping of 1 ms, 20 % out of step. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

struct partner {
    int rank, slot;
};

/* As trace/generate/generate.c: width x size / width, as square as it gets, without wrap-around. */
static int find_partners(int size, int rank, struct partner *partners)
{
    int width = 1, count = 0;
    for (int i = 2; i * i <= size; i++)
        if (size % i == 0) width = i;
    int x = rank % width, y = rank / width;
    if (x > 0) partners[count++] = (struct partner){rank - 1, 1};
    if (x + 1 < width) partners[count++] = (struct partner){rank + 1, 0};
    if (y > 0) partners[count++] = (struct partner){rank - width, 3};
    if (y + 1 < size / width) partners[count++] = (struct partner){rank + width, 2};
    return count;
}

static void exchange(const struct partner *partners, int count, int bytes, const char *out, MPI_Group group,
                     MPI_Win window)
{
    MPI_Win_post(group, 0, window);
    MPI_Win_start(group, 0, window);
    for (int i = 0; i < count; i++)
        MPI_Put(out, bytes, MPI_BYTE, partners[i].rank, (MPI_Aint)partners[i].slot * bytes, bytes, MPI_BYTE, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, rank, ranks[4];
    int iterations = argc > 1 ? atoi(argv[1]) : 10, bytes = argc > 2 ? atoi(argv[2]) : 1024;
    struct partner partners[4];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int count = find_partners(size, rank, partners);
    for (int i = 0; i < count; i++) ranks[i] = partners[i].rank;
    char *in = calloc(4, (size_t)bytes), *out = calloc(1, (size_t)bytes);
    MPI_Group world, group;
    MPI_Win window;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &group);
    MPI_Win_create(in, (MPI_Aint)4 * bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    unsigned seed = (unsigned)rank + 1;
    for (int i = 0; i < iterations; i++) {
        seed = seed * 1103515245u + 12345u;
        usleep(800 + seed / 65536 % 401);
        exchange(partners, count, bytes, out, group, window);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
