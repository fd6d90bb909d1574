/* Tasks that a counter of rank 0 gives out: each rank fetches a number, computes, and puts its result into rank 0's window:
 *     independent_taskq [BYTES of a result [TASKS]] */
#include <stddef.h>
#include <stdint.h>

#include "tests/programs/independent/program.h"

struct store {
    int64_t next;
    char results[];
};

static int rank, ranks, bytes, tasks;
static MPI_Win window;

/* How many tasks the rank made. */
static int work(char *result)
{
    for (int done = 0;; done++) {
        const int64_t one = 1;
        int64_t mine;
        MPI_Fetch_and_op(&one, &mine, MPI_INT64_T, 0, offsetof(struct store, next), MPI_SUM, window);
        MPI_Win_flush(0, window);
        if (mine >= tasks) return done;
        compute(3 + (double)(mine * 5 % 17));
        memset(result, 'a' + (int)(mine % 26), (size_t)bytes);
        MPI_Aint where = (MPI_Aint)offsetof(struct store, results) + (MPI_Aint)mine * bytes;
        MPI_Put(result, bytes, MPI_CHAR, 0, where, bytes, MPI_CHAR, window);
        MPI_Win_flush_local(0, window);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = argument(argc, argv, 1, 256);
    tasks = argument(argc, argv, 2, 16 * ranks);
    MPI_Aint room = rank == 0 ? (MPI_Aint)sizeof(struct store) + (MPI_Aint)bytes * tasks : 0;
    struct store *store;
    MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &store, &window);
    char *result = malloc((size_t)bytes);
    if (rank == 0) memset(store, 0, (size_t)room);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    MPI_Win_lock_all(0, window);
    int done = work(result);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;

    int *counts = malloc((size_t)ranks * sizeof *counts), wrong = 0;
    MPI_Gather(&done, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < tasks; i++) wrong += store->results[(size_t)i * (size_t)bytes] != 'a' + i % 26;
        printf("taskq %d %d %.6f wrong %d tasks", bytes, ranks, loop_s, wrong);
        for (int r = 0; r < ranks; r++) printf(" %d", counts[r]);
        printf("\n");
    }
    fflush(stdout);
    MPI_Win_free(&window);
    free(counts);
    free(result);
    MPI_Finalize();
    return wrong > 0;
}
