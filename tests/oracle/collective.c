/* PROGRAM BYTES ITERATIONS APART_US NAME: one collective operation again and again, the root moving on. */
#include <string.h>

#include "halo.h"

enum { RANKS_MAX = 64 };

/* With counts: equal ones, the algorithms are the same. */
static void call_v(const char *name, const struct halo *halo, char *in, char *out, int root)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int counts[RANKS_MAX], places[RANKS_MAX], n = halo->bytes;
    for (int i = 0; i < halo->size; i++) {
        counts[i] = n;
        places[i] = i * n;
    }
    if (strcmp(name, "allgatherv") == 0)
        MPI_Allgatherv(in, n, MPI_BYTE, out, counts, places, MPI_BYTE, MPI_COMM_WORLD);
    if (strcmp(name, "alltoallv") == 0)
        MPI_Alltoallv(in, counts, places, MPI_BYTE, out, counts, places, MPI_BYTE, MPI_COMM_WORLD);
    if (strcmp(name, "reduce_scatter") == 0)
        MPI_Reduce_scatter(in, out, counts, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    if (strcmp(name, "gatherv") == 0)
        MPI_Gatherv(in, n, MPI_BYTE, out, counts, places, MPI_BYTE, root, MPI_COMM_WORLD);
    if (strcmp(name, "scatterv") == 0)
        MPI_Scatterv(in, counts, places, MPI_BYTE, out, n, MPI_BYTE, root, MPI_COMM_WORLD);
    if (strcmp(name, "ialltoallv") == 0)
        MPI_Ialltoallv(in, counts, places, MPI_BYTE, out, counts, places, MPI_BYTE, MPI_COMM_WORLD, &request);
    if (strcmp(name, "igatherv") == 0)
        MPI_Igatherv(in, n, MPI_BYTE, out, counts, places, MPI_BYTE, root, MPI_COMM_WORLD, &request);
    if (strcmp(name, "iscatterv") == 0)
        MPI_Iscatterv(in, counts, places, MPI_BYTE, out, n, MPI_BYTE, root, MPI_COMM_WORLD, &request);
    if (request != MPI_REQUEST_NULL) MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
}

static void call_non_blocking(const char *name, const struct halo *halo, char *in, char *out, int root)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int n = halo->bytes;
    if (strcmp(name, "ibarrier") == 0) MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (strcmp(name, "ibcast") == 0) MPI_Ibcast(in, n, MPI_BYTE, root, MPI_COMM_WORLD, &request);
    if (strcmp(name, "iallreduce") == 0)
        MPI_Iallreduce(in, out, n, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, &request);
    if (strcmp(name, "ialltoall") == 0)
        MPI_Ialltoall(in, n, MPI_BYTE, out, n, MPI_BYTE, MPI_COMM_WORLD, &request);
    if (request != MPI_REQUEST_NULL) MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
}

static void make_comm(const char *name, const struct halo *halo)
{
    MPI_Comm made = MPI_COMM_NULL;
    if (strcmp(name, "comm_dup") == 0) MPI_Comm_dup(MPI_COMM_WORLD, &made);
    if (strcmp(name, "comm_split") == 0) MPI_Comm_split(MPI_COMM_WORLD, 0, halo->rank, &made);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
}

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
    if (strcmp(name, "scan") == 0) MPI_Scan(in, out, n, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    if (strcmp(name, "exscan") == 0) MPI_Exscan(in, out, n, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    if (strcmp(name, "alltoall") == 0) MPI_Alltoall(in, n, MPI_BYTE, out, n, MPI_BYTE, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct halo halo = halo_init(&argc, &argv);
    char *in = calloc((size_t)halo.size, (size_t)halo.bytes), *out = calloc((size_t)halo.size, (size_t)halo.bytes);
    for (int i = 0; i < halo.iterations; i++) {
        usleep((useconds_t)(halo.rank * 7 % 5 * halo.apart_us));
        call(argv[4], &halo, in, out, i % halo.size);
        call_v(argv[4], &halo, in, out, i % halo.size);
        call_non_blocking(argv[4], &halo, in, out, i % halo.size);
        make_comm(argv[4], &halo);
        MPI_Barrier(MPI_COMM_WORLD); /* so that two operations do not meet */
    }
    free(in);
    free(out);
    halo_finish(&halo);
    return 0;
}
