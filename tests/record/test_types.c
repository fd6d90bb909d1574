/* Bytes and extents of what tests/record/programs/datatypes.c moves, also after an archive. An int has 4 bytes; a span
 * is (count - 1) * |extent| + true extent (MPI-3.1 4.1), said where it is not the number of bytes:
 *
 *   type         size  extent  true extent
 *   vector         12      20           20   ints 0, 2, 4
 *   indexed        12      24           24   ints 1, 5, 6: the lower bound is 4, the upper one 28
 *   pair           12      32           16   an int at 0, a double at 8, resized
 *   apart           4      16            4   an int, resized: one alone has no gap
 *   part           16      64           24   ints 5, 6, 9, 10 of 4 x 4
 *   backward       12      20           20   ints 0, -2, -4
 *   downward        4      -8            4   an int, resized: 3 are ints 0, -2, -4, too
 *   overlapping    16      12           12   ints 0, 1, 1, 2
 *   gapless        20      20           20   5 ints
 *   swapped         8       8            8   ints 1, 0
 *   DOUBLE_INT     12      16           12 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "run.h"

/* 2 pairs: 32 + 16; 2 vectors 20 + 20 onto 6 ints apart: 5 * 16 + 4; 3 downward: 2 * 8 + 4; 3 apart: 2 * 16 + 4.
 * Neither 0 elements nor MPI_PROC_NULL have a span, nor has the origin of MPI_NO_OP. Ints 0, -2, -4 begin before the
 * displacement, which is not told. */
#define ONE_SIDED                                                                                                      \
    "MPI_Win_allocate win=0\nMPI_Win_lock_all win=0\n"                                                                 \
    "MPI_Put win=0 target=%2$d bytes=12 disp=0 origin_extent=20\n"                                                     \
    "MPI_Put win=0 target=%2$d bytes=12 disp=0 target_extent=24\n"                                                     \
    "MPI_Put win=0 target=%2$d bytes=40 disp=0\nMPI_Put win=0 target=%2$d bytes=8 disp=0\n"                            \
    "MPI_Put win=0 target=%2$d bytes=16 disp=0 origin_extent=12\n"                                                     \
    "MPI_Put win=0 target=%2$d bytes=4 disp=0\nMPI_Put win=0 target=%2$d bytes=0 disp=0\n"                             \
    "MPI_Put win=0 target=- bytes=0\nMPI_Win_flush win=0 target=%2$d\n"                                                \
    "MPI_Get win=0 target=%2$d bytes=24 disp=0 origin_extent=48 target_extent=48\n"                                    \
    "MPI_Win_flush win=0 target=%2$d\n"                                                                                \
    "MPI_Accumulate win=0 target=%2$d bytes=24 disp=0 op=SUM origin_extent=40 target_extent=84\n"                      \
    "MPI_Win_flush win=0 target=%2$d\n"                                                                                \
    "MPI_Rput win=0 target=%2$d bytes=12 disp=8 req=0 origin_extent=20\n"                                              \
    "MPI_Rget win=0 target=%2$d bytes=16 disp=0 req=1 origin_extent=24\n"                                              \
    "MPI_Raccumulate win=0 target=%2$d bytes=12 op=MAX req=2 target_extent=20\n"                                       \
    "MPI_Rget_accumulate win=0 target=%2$d bytes=12 disp=0 op=REPLACE result_bytes=12 req=3 target_extent=24 "         \
    "result_extent=20\n"                                                                                               \
    "MPI_Waitall reqs=0,1,2,3\nMPI_Win_flush win=0 target=%2$d\n"                                                      \
    "MPI_Get_accumulate win=0 target=%2$d bytes=12 disp=0 op=SUM result_bytes=12 origin_extent=20 result_extent=36\n"  \
    "MPI_Win_flush win=0 target=%2$d\n"                                                                                \
    "MPI_Get_accumulate win=0 target=%2$d bytes=0 disp=0 op=NO_OP result_bytes=12 target_extent=20 result_extent=20\n" \
    "MPI_Win_unlock_all win=0\nMPI_Win_free win=0\n"

/* The first receive has room for two vectors and gets one. */
#define MESSAGES                                                                                                       \
    "MPI_Send comm=0 peer=%2$d tag=1 bytes=12 send_extent=20\n"                                                        \
    "MPI_Recv comm=0 peer=%1$d tag=1 bytes=12 recv_extent=40\n"                                                        \
    "MPI_Irecv comm=0 peer=%1$d tag=2 bytes=16 req=4 recv_extent=24\n"                                                 \
    "MPI_Isend comm=0 peer=%2$d tag=2 bytes=16 req=5\nMPI_Waitall reqs=4,5\n"                                          \
    "MPI_Sendrecv comm=0 peer=%2$d tag=3 source=%1$d recvtag=3 bytes=12 received=12 send_extent=36 recv_extent=24\n"   \
    "MPI_Sendrecv_replace comm=0 peer=%2$d tag=4 source=%1$d recvtag=4 bytes=12 received=12 send_extent=20 "           \
    "recv_extent=20\n"                                                                                                 \
    "MPI_Sendrecv comm=0 peer=- tag=5 source=- recvtag=-1 bytes=0 received=0\n"                                        \
    "MPI_Send comm=0 peer=%2$d tag=6 bytes=12 send_extent=20\nMPI_Mprobe comm=0 peer=%1$d tag=6 bytes=12\n"            \
    "MPI_Mrecv comm=0 peer=%1$d tag=6 bytes=12 recv_extent=36\n"                                                       \
    "MPI_Recv_init comm=0\nMPI_Send_init comm=0\n" PERSISTENT("6", "7")                                                \
        PERSISTENT("8", "9") "MPI_Request_free\nMPI_Request_free\n"
#define PERSISTENT(one, two)                                                                                           \
    "MPI_Irecv comm=0 peer=%1$d tag=7 bytes=12 req=" one " started=1 recv_extent=20\n"                                 \
    "MPI_Isend comm=0 peer=%2$d tag=7 bytes=12 req=" two " started=1 send_extent=36\nMPI_Waitall reqs=" one "," two    \
    "\n"

/* Two of DOUBLE_INT: 16 + 12. At a root 12 ints apart: 11 * 16 + 4; 4 blocks of an int: 3 * 16 + 4. Blocks with
 * displacements of their own count each: 4 of three ints apart are 4 * 36; of alltoallw two vectors and two times 3
 * ints 2 * 20 + 2 * 12. */
#define COLLECTIVES                                                                                                    \
    "MPI_Bcast comm=0 root=2 bytes=12 %3$s=20\n"                                                                       \
    "MPI_Allreduce comm=0 bytes=24 op=MINLOC send_extent=28 recv_extent=28\n"                                          \
    "MPI_Reduce comm=0 root=1 bytes=24 op=MINLOC send_extent=28%4$s\n"                                                 \
    "MPI_Gather comm=0 root=0 bytes=12 send_extent=20%5$s\nMPI_Scatter comm=0 root=3 bytes=12%6$s\n"                   \
    "MPI_Allgather comm=0 bytes=12 send_extent=20\nMPI_Alltoall comm=0 bytes=4 send_extent=52\n"                       \
    "MPI_Gatherv comm=0 root=0 bytes=4%7$s\n"                                                                          \
    "MPI_Allgatherv comm=0 bytes=12 counts=12 send_extent=20 recv_extent=144\n"                                        \
    "MPI_Alltoallw comm=0 bytes=48 counts=12 received=48 send_extent=64\n"

/* Ints 0, 2, 4, then 3 ints, then ints 0, 4, 8. */
#define AGAIN(request, extent)                                                                                         \
    "MPI_Isend comm=0 peer=%2$d tag=8 bytes=12 req=" request extent                                                    \
    "\nMPI_Recv comm=0 peer=%1$d tag=8 bytes=12\nMPI_Wait req=" request "\n"
#define HANDLES_COME_AGAIN                                                                                             \
    AGAIN("10", " send_extent=20")                                                                                     \
    AGAIN("11", "")                                                                                                    \
    AGAIN("12", " send_extent=36")                                                                                     \
    "MPI_Comm_dup comm=%8$d newcomm=%9$d\nMPI_Comm_create_keyval\nMPI_Comm_set_attr\n"                                 \
    "MPI_Sendrecv comm=0 peer=%2$d tag=9 source=%1$d recvtag=9 bytes=12 received=12 send_extent=20\n"                  \
    "MPI_Comm_free comm=%9$d\n"                                                                                        \
    "MPI_Sendrecv comm=0 peer=%2$d tag=9 source=%1$d recvtag=9 bytes=8 received=8\n"                                   \
    "MPI_Comm_free_keyval\n"

/* The communicators of a rank alone: their numbers are what they are. */
static int32_t comm_of(const struct trace *trace, int rank, const char *name)
{
    for (size_t i = 0; i < trace->ranks[rank].count; i++)
        if (strcmp(call_name(trace->ranks[rank].calls[i].call), name) == 0) return trace->ranks[rank].calls[i].handle;
    fail_msg("rank %d: no %s", rank, name);
    return TRACE_NONE;
}

static void every_kind_of_buffer(void **state)
{
    (void)state;
    struct trace *trace = archived(run_recorded("", "datatypes", 0));
    expect_whole(trace);
    for (int rank = 0; rank < 4; rank++)
        expect_calls(trace, rank, "MPI_Init\n" ONE_SIDED MESSAGES COLLECTIVES HANDLES_COME_AGAIN "MPI_Finalize\n",
                     (rank + 3) % 4, (rank + 1) % 4, rank == 2 ? "send_extent" : "recv_extent",
                     rank == 1 ? " recv_extent=28" : "", rank == 0 ? " recv_extent=180" : "",
                     rank == 3 ? " send_extent=180" : "", rank == 0 ? " counts=4" : "",
                     comm_of(trace, rank, "MPI_Comm_dup"), comm_of(trace, rank, "MPI_Comm_free"));
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
