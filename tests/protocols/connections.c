/* connections tcp|shm: whom a flush of all asks. MPICH unpacks the key of every rank when it makes a window with memory of its
 * own (ucx_win.c: win_allgather). UCX emulates the window's puts, for which it needs every rank's endpoint: it sends each rank
 * a message, once (ucp_rkey.c: ucp_rkey_resolve_inner, ucp_ep_resolve_remote_id). Six ranks: the collective calls send nothing
 * from rank 0 to rank 3 (offsets 1, 2 and 4 of the six; a binomial tree to 1, 2 and 4).
 *
 * Rank 1 stays outside MPI while rank 0 asks. Else its answer may come before the last rank has been asked, who is then not
 * asked. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/protocols/handed.h"

enum { RANKS = 6, LEFT_MS = 100, OUTSIDE_MS = 500 };

static int rank, wrong, mine;

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Requests that rank 0 has sent in put and flush_all. */
static int count_asked(MPI_Win window)
{
    static const int one = 1;
    int asked = 0;
    handed_messages.count = 0;
    handed_on = true;
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_flush_all(window);
    handed_on = false;
    for (int i = 0; i < handed_messages.count; i++) asked += strcmp(handed_messages.rows[i].name, "PUT_REQ") == 0;
    return asked;
}

static void check(const char *name, int asked, int expected)
{
    if (asked == expected) return;
    wrong++;
    printf("%s\n  asks %d ranks, expected: %d\n", name, asked, expected);
}

/* Makes a window; then rank 0 asks while the others are in the barrier or, rank 1, on their way to it. */
static int ask_behind(MPI_Win *window)
{
    int asked = 0;
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, *window);
    if (rank == 1) sleep_ms(OUTSIDE_MS);
    if (rank == 0) {
        sleep_ms(LEFT_MS); /* rank 1 has left MPI_Win_create */
        asked = count_asked(*window);
    }
    MPI_Win_unlock_all(*window);
    MPI_Barrier(MPI_COMM_WORLD);
    return asked;
}

int main(int argc, char **argv)
{
    int size;
    MPI_Win windows[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 2 || size != RANKS) return 2;
    bool by_tcp = strcmp(argv[1], "tcp") == 0;
    int first = ask_behind(&windows[0]), second = ask_behind(&windows[1]);
    if (rank == 0) {
        check("flush of all behind the first window", first, by_tcp ? RANKS - 1 : 0);
        check("behind a second one, which sends rank 3 nothing", second, by_tcp ? RANKS - 2 : 0);
        printf("2 rows, %d wrong\n", wrong);
        fflush(stdout);
    }
    MPI_Win_free(&windows[1]);
    MPI_Win_free(&windows[0]);
    MPI_Finalize();
    return wrong > 0;
}
