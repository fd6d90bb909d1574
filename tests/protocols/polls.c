/* polls: how often a call of MPICH polls UCX, which is when a rank serves others. Rank 0 makes calls that wait for
 * nobody; the rows are written from MPICH's source: a call whose condition holds already does not poll (ch4_impl.h:
 * MPIDIU_PROGRESS_WHILE), a call that looks for something and does not find it polls once (MPID_Progress_test), flushes
 * poll once for the sake of others (mpidig_win.h: MPIDIG_rma_need_poll_am), unlock at least once (PROGRESS_DO_WHILE).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/protocols/handed.h"

static int compared, wrong;

#define POLLS(COUNT, CALLED)                                                                                           \
    do {                                                                                                               \
        long before = handed_polls;                                                                                    \
        CALLED;                                                                                                        \
        compare(#CALLED, handed_polls - before, COUNT);                                                                \
    } while (0)

static void compare(const char *call, long polls, long expected)
{
    compared++;
    if (polls == expected) return;
    wrong++;
    printf("%s\n  polls %ld times, expected: %ld\n", call, polls, expected);
}

/* Of no other rank, and of a message to itself. */
static void call_alone(void)
{
    int number, flag;
    char in = 0, out;
    MPI_Request request, none = MPI_REQUEST_NULL;
    POLLS(0, MPI_Comm_rank(MPI_COMM_WORLD, &number));
    POLLS(0, MPI_Wtime());
    POLLS(0, MPI_Barrier(MPI_COMM_SELF));
    POLLS(0, MPI_Test(&none, &flag, MPI_STATUS_IGNORE));
    POLLS(0, MPI_Wait(&none, MPI_STATUS_IGNORE));
    POLLS(1, MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    POLLS(0, MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE)); /* ch4_self.c */
    POLLS(0, MPI_Irecv(&out, 1, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request));
    POLLS(1, MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    POLLS(1, MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    POLLS(0, MPI_Send(&in, 1, MPI_BYTE, 0, 1, MPI_COMM_SELF));
    POLLS(0, MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void call_own_window(MPI_Win window)
{
    int one = 1;
    POLLS(0, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
    POLLS(0, MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, window));
    POLLS(0, MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window));
    POLLS(0, MPI_Win_sync(window));
    POLLS(1, MPI_Win_flush(0, window));
    POLLS(1, MPI_Win_flush_local(0, window));
    POLLS(1, MPI_Win_unlock(0, window));
}

static void call_partner(MPI_Win window)
{
    int one = 1, other;
    MPI_Request request;
    POLLS(0, MPI_Win_lock_all(MPI_MODE_NOCHECK, window));
    POLLS(1, MPI_Win_flush(1, window));
    POLLS(1, MPI_Win_flush_all(window));
    POLLS(0, MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window));
    POLLS(1, MPI_Win_flush_local(1, window));
    POLLS(1, MPI_Win_flush_local_all(window));
    POLLS(0, MPI_Get(&other, 1, MPI_INT, 1, 0, 1, MPI_INT, window));
    POLLS(0, MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window));
    POLLS(0, MPI_Fetch_and_op(&one, &other, MPI_INT, 1, 0, MPI_SUM, window));
    POLLS(0, MPI_Rput(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request));
    POLLS(0, MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Win_unlock_all(window);
    POLLS(0, MPI_Isend(&one, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request));
    POLLS(0, MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    int rank, size, own, received;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) return 1;
    MPI_Win_create(&own, sizeof own, sizeof own, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0) {
        call_alone();
        call_own_window(window);
        call_partner(window);
        printf("%d calls, %d wrong\n", compared, wrong);
        fflush(stdout);
    } else {
        MPI_Recv(&received, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return wrong > 0;
}
