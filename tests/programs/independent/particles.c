/* Particles in a box that is cut along x. Those that leave a rank's part are put into the neighbour's inbox, and a message behind
 * the flush has their number:
 *     independent_particles [BYTES of leaving particles, about [STEPS]] */
#include "tests/programs/independent/program.h"

struct particle {
    float x, v, m, pad;
};

enum { LEFT, RIGHT };

static int rank, ranks, most;
static int side[2];
static struct particle *inbox, *out;
static MPI_Win window;

/* What goes to the left comes from the right there. */
static int put_leaving(int s, int i)
{
    int count = most / 2 + (rank * 3 + s * 7 + i) % 5 * most / 12, bytes = count * (int)sizeof *out;
    for (int k = 0; k < count; k++) out[k] = (struct particle){(float)rank, (float)s, 1.0f, 0};
    MPI_Put(out, bytes, MPI_BYTE, side[i], i == LEFT ? most : 0, bytes, MPI_BYTE, window);
    MPI_Win_flush(side[i], window);
    return count;
}

/* The mass of the particles that came. */
static double step(int s)
{
    int counts[2], got[2];
    MPI_Request receives[2], sends[2];
    MPI_Status statuses[2];
    double mass = 0;
    compute(4 + (rank % 2 ? 5 : 0) + s % 4 * 2);
    for (int i = 0; i < 2; i++) MPI_Irecv(&got[i], 1, MPI_INT, side[i], 10 + !i, MPI_COMM_WORLD, &receives[i]);
    for (int i = 0; i < 2; i++) {
        counts[i] = put_leaving(s, i);
        MPI_Isend(&counts[i], 1, MPI_INT, side[i], 10 + i, MPI_COMM_WORLD, &sends[i]);
    }
    MPI_Waitall(2, receives, statuses);
    MPI_Win_sync(window);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < got[i]; k++) mass += (double)inbox[i * most + k].m;
    MPI_Waitall(2, sends, statuses);
    compute(2);
    /* The inbox may be written again. */
    for (int i = 0; i < 2; i++)
        MPI_Sendrecv(NULL, 0, MPI_INT, side[i], 20 + i, NULL, 0, MPI_INT, side[!i], 20 + i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    return mass;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = argument(argc, argv, 1, 4096), steps = argument(argc, argv, 2, 20);
    most = 2 * (bytes / (int)sizeof(struct particle));
    out = calloc((size_t)most, sizeof *out);
    MPI_Win_allocate(2 * most * (MPI_Aint)sizeof *inbox, sizeof *inbox, MPI_INFO_NULL, MPI_COMM_WORLD, &inbox, &window);
    side[LEFT] = (rank + ranks - 1) % ranks;
    side[RIGHT] = (rank + 1) % ranks;
    double mass = 0;

    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int s = 0; s < steps; s++) mass += step(s);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;
    MPI_Win_unlock_all(window);

    if (rank == 0) printf("particles %d %d %.6f mass %g\n", bytes, ranks, loop_s, mass);
    fflush(stdout);
    MPI_Win_free(&window);
    free(out);
    MPI_Finalize();
    return 0;
}
