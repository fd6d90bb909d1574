/* Tasks from a counter at rank 0, then, behind a barrier, from a queue under a lock: whoever finds none there writes nothing.
 * Ranks above 0 make them, the last one ten times as slowly as the others, so that it makes fewer. */
#include "program.h"

enum { TASKS = 12, COUNTER = 0, QUEUE = 1 };

static MPI_Win window; /* both at rank 0 */

static long from_counter(void)
{
    long one = 1, task;
    MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, COUNTER, MPI_SUM, window);
    MPI_Win_flush(0, window);
    return task;
}

static long from_queue(void)
{
    long task, next;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&task, 1, MPI_LONG, 0, QUEUE, 1, MPI_LONG, window);
    MPI_Win_flush(0, window);
    next = task + 1;
    if (task < TASKS) MPI_Put(&next, 1, MPI_LONG, 0, QUEUE, 1, MPI_LONG, window);
    MPI_Win_unlock(0, window);
    return task;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    long *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[COUNTER] = memory[QUEUE] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    long slowness = rank == ranks - 1 ? 10 : 1;
    MPI_Win_lock_all(0, window);
    if (rank > 0)
        while (from_counter() < TASKS) compute_ms(10 * slowness);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0)
        while (from_queue() < TASKS) compute_ms(10 * slowness);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
