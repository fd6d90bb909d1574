/* Cost of the recorder per wrapped call: the same cheap calls bare and preloaded, one rank. Run by record_overhead.sh.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { BATCHES = 51, CALLS = 20000 };

static MPI_Win window;
static int value;

static void put(void)
{
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
}

static void comm_group(void)
{
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_free(&group);
}

static void send_to_nobody(void)
{
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void measure(const char *name, int calls_each, void (*call)(void))
{
    double batch_ns[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        double begin = now_s();
        for (int k = 0; k < CALLS; k++) call();
        batch_ns[i] = (now_s() - begin) * 1e9 / (CALLS * calls_each);
    }
    qsort(batch_ns, BATCHES, sizeof *batch_ns, compare);
    printf("%s %.1f\n", name, batch_ns[BATCHES / 2]);
}

int main(int argc, char **argv)
{
    int *memory;
    MPI_Init(&argc, &argv);
    MPI_Win_allocate(64, (int)sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    measure("send_to_nobody", 1, send_to_nobody);
    measure("comm_group_and_free", 2, comm_group);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    measure("put_to_self", 1, put);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
