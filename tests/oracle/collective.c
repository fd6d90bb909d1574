/* PROGRAM BYTES ITERATIONS APART_US NAME: one collective operation again and again, the root moving on. */
#include <string.h>

#include "halo.h"

static void call(const char *name, const struct halo *halo, char *in, char *out, int root)
{
    int n = halo->bytes;
    if (strcmp(name, "barrier") == 0) MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(name, "bcast") == 0) MPI_Bcast(in, n, MPI_BYTE, root, MPI_COMM_WORLD);
    if (strcmp(name, "reduce") == 0) MPI_Reduce(in, out, n, MPI_BYTE, MPI_BOR, root, MPI_COMM_WORLD);
    if (strcmp(name, "allreduce") == 0) MPI_Allreduce(in, out, n, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    if (strcmp(name, "gather") == 0) MPI_Gather(in, n, MPI_BYTE, out, n, MPI_BYTE, root, MPI_COMM_WORLD);
    if (strcmp(name, "scatter") == 0) MPI_Scatter(in, n, MPI_BYTE, out, n, MPI_BYTE, root, MPI_COMM_WORLD);
    if (strcmp(name, "allgather") == 0) MPI_Allgather(in, n, MPI_BYTE, out, n, MPI_BYTE, MPI_COMM_WORLD);
    if (strcmp(name, "alltoall") == 0) MPI_Alltoall(in, n, MPI_BYTE, out, n, MPI_BYTE, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct halo halo = halo_init(&argc, &argv);
    char *in = calloc((size_t)halo.size, (size_t)halo.bytes), *out = calloc((size_t)halo.size, (size_t)halo.bytes);
    for (int i = 0; i < halo.iterations; i++) {
        usleep((useconds_t)(halo.rank * 7 % 5 * halo.apart_us));
        call(argv[4], &halo, in, out, i % halo.size);
        MPI_Barrier(MPI_COMM_WORLD); /* so that two operations do not meet */
    }
    free(in);
    free(out);
    halo_finish(&halo);
    return 0;
}
