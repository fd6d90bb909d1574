/* Every kind of call that the recorder knows, in real programs (tests/record/programs): the calls of a rank, as text
 * without times and call sites, are those that the source makes, also after they have been through an archive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "run.h"

/* What the archive of the program's run holds; the caller frees. */
static struct trace *recorded(const char *program)
{
    struct trace *trace = archived(run_recorded("", program, 0));
    expect_whole(trace);
    return trace;
}

#define STENCIL_STEP                                                                                                   \
    "MPI_Put win=0 target=%1$d bytes=16 disp=6\nMPI_Put win=0 target=%2$d bytes=8 disp=0\n"                            \
    "MPI_Win_flush win=0 target=%1$d\nMPI_Win_flush_local win=0 target=%2$d\nMPI_Win_flush_all win=0\n"                \
    "MPI_Win_flush_local_all win=0\nMPI_Win_sync win=0\nMPI_Barrier comm=0\n"

/* The compare_and_swap sends two longs; the vector of 3 of 5 ints is 12 bytes of 20; MPI_NO_OP sends nothing. The
 * address in the dynamic window is another one in every run. */
static void passive(void **state)
{
    (void)state;
    struct trace *trace = recorded("passive");
    for (int rank = 0; rank < 4; rank++) {
        struct trace_rank *process = &trace->ranks[rank];
        for (size_t i = 0; i < process->count; i++)
            if (process->calls[i].call == ID_Put && process->calls[i].handle == 4) process->calls[i].rma.disp = -1;
        expect_calls(
            trace, rank,
            "MPI_Init\nMPI_Win_allocate win=0\nMPI_Win_lock_all win=0 assert=NOCHECK\n" STENCIL_STEP STENCIL_STEP
            "MPI_Win_unlock_all win=0\nMPI_Win_free win=0\n"
            "MPI_Win_allocate win=1\nMPI_Barrier comm=0\nMPI_Win_lock_all win=1\n"
            "MPI_Compare_and_swap win=1 target=%2$d bytes=16 disp=0 result_bytes=8\n"
            "MPI_Fetch_and_op win=1 target=%2$d bytes=8 disp=8 op=SUM result_bytes=8\n"
            "MPI_Win_flush win=1 target=%2$d\n"
            "MPI_Get_accumulate win=1 target=%2$d bytes=0 disp=0 op=NO_OP result_bytes=16\n"
            "MPI_Get_accumulate win=1 target=%2$d bytes=8 disp=16 op=MAX result_bytes=8\n"
            "MPI_Win_flush win=1 target=%2$d\nMPI_Win_unlock_all win=1\nMPI_Win_free win=1\n"
            "MPI_Win_allocate win=2\nMPI_Barrier comm=0\nMPI_Win_lock win=2 target=%2$d lock=shared\n"
            "MPI_Rput win=2 target=%2$d bytes=12 disp=1 req=0 origin_extent=20 target_extent=20\n"
            "MPI_Raccumulate win=2 target=%2$d bytes=12 disp=8 op=SUM req=1\n"
            "MPI_Rget_accumulate win=2 target=%2$d bytes=4 disp=12 op=REPLACE result_bytes=4 req=2\n"
            "MPI_Waitall reqs=0,1,2\nMPI_Win_flush win=2 target=%2$d\n"
            "MPI_Rget win=2 target=%2$d bytes=12 disp=1 req=3 origin_extent=20 target_extent=20\nMPI_Wait req=3\n"
            "MPI_Win_unlock win=2 target=%2$d\nMPI_Win_free win=2\n"
            "MPI_Win_allocate_shared win=3\nMPI_Win_shared_query win=3\nMPI_Win_lock_all win=3\nMPI_Win_sync win=3\n"
            "MPI_Barrier comm=0\nMPI_Win_sync win=3\nMPI_Win_unlock_all win=3\nMPI_Win_free win=3\n"
            "MPI_Win_create_dynamic win=4\nMPI_Win_attach win=4\n"
            "MPI_Sendrecv comm=0 peer=%1$d tag=1 source=%2$d recvtag=1 bytes=8 received=8\n"
            "MPI_Win_lock win=4 target=%2$d lock=exclusive\nMPI_Put win=4 target=%2$d bytes=4\n"
            "MPI_Win_unlock win=4 target=%2$d\nMPI_Barrier comm=0\nMPI_Win_detach win=4\nMPI_Win_free win=4\n"
            "MPI_Finalize\n",
            (rank + 3) % 4, (rank + 1) % 4);
    }
    trace_free(trace);
}

#define EXCHANGE                                                                                                       \
    "MPI_Init\nMPI_Sendrecv comm=0 peer=%1$d tag=1 source=%1$d recvtag=1 bytes=100 received=100\n"                     \
    "MPI_Sendrecv comm=0 peer=%1$d tag=%2$d source=%1$d recvtag=%1$d bytes=%3$d received=%4$d\n"                       \
    "MPI_Sendrecv_replace comm=0 peer=%1$d tag=3 source=%1$d recvtag=3 bytes=50 received=50\n"                         \
    "MPI_Sendrecv comm=0 peer=- tag=1 source=- recvtag=-1 bytes=0 received=0\n"
#define STARTED                                                                                                        \
    "MPI_Send_init comm=0\nMPI_Recv_init comm=0\n"                                                                     \
    "MPI_Isend comm=0 peer=%1$d tag=4 bytes=200 req=0 started=1\n"                                                     \
    "MPI_Irecv comm=0 peer=%1$d tag=4 bytes=200 req=1 started=1\nMPI_Waitall reqs=0,1\n"                               \
    "MPI_Isend comm=0 peer=%1$d tag=4 bytes=200 req=2 started=1\n"                                                     \
    "MPI_Irecv comm=0 peer=%1$d tag=4 bytes=200 req=3 started=1\nMPI_Waitall reqs=2,3\n"                               \
    "MPI_Irecv comm=0 peer=%1$d tag=4 bytes=200 req=4 started=1\n"                                                     \
    "MPI_Isend comm=0 peer=%1$d tag=4 bytes=200 req=5 started=1\nMPI_Wait req=5\nMPI_Wait req=4\n"                     \
    "MPI_Wait req=-\nMPI_Request_free\nMPI_Request_free\n"
#define GIVEN_UP                                                                                                       \
    "MPI_Irecv comm=0 peer=- tag=-1 bytes=0 req=%5$d\nMPI_Cancel\nMPI_Wait req=%5$d\n"                                 \
    "MPI_Isend comm=0 peer=%1$d tag=40 bytes=8 req=%6$d\nMPI_Request_free\n"                                           \
    "MPI_Recv comm=0 peer=%1$d tag=40 bytes=8\nMPI_Finalize\n"
#define RECEIVE(tag, bytes, request) "MPI_Irecv comm=0 peer=%1$d tag=" tag " bytes=" bytes " req=" request "\n"
#define ASK                          "MPI_Send comm=0 peer=%1$d tag=20 bytes=1\n"
#define ANSWER(tag, bytes)                                                                                             \
    "MPI_Recv comm=0 peer=%1$d tag=20 bytes=1\nMPI_Send comm=0 peer=%1$d tag=" tag " bytes=" bytes "\n"

static void requests(void **state)
{
    (void)state;
    struct trace *trace = recorded("requests");
    for (int rank = 0; rank < 4; rank += 2)
        expect_calls(trace, rank,
                     EXCHANGE STARTED
                     "MPI_Ssend_init comm=0\nMPI_Issend comm=0 peer=%1$d tag=5 bytes=30 req=6 started=1\n"
                     "MPI_Wait req=6\nMPI_Request_free\n"
                     "MPI_Send comm=0 peer=%1$d tag=10 bytes=60\nMPI_Send comm=0 peer=%1$d tag=11 bytes=61\n"
                     "MPI_Send comm=0 peer=%1$d tag=12 bytes=62\nMPI_Send comm=0 peer=%1$d tag=13 bytes=63\n" RECEIVE(
                         "30", "70", "7") RECEIVE("31", "71", "8") RECEIVE("32", "72", "9") RECEIVE("33", "73", "10")
                         RECEIVE("34", "74", "11") RECEIVE("35", "75", "12") RECEIVE("36", "76", "13") ASK
                     "MPI_Waitany reqs=7\n" ASK "MPI_Waitsome reqs=8\n" ASK "MPI_Testany reqs=9 flag=1\n" ASK
                     "MPI_Testsome reqs=10 flag=1\n" ASK ASK
                     "MPI_Testall reqs=11,12 flag=1\nMPI_Testany reqs= flag=1\n" ASK "MPI_Wait req=13\n" GIVEN_UP,
                     rank + 1, rank, 4 * (10 + rank), 4 * (11 + rank), 14, 15);
    for (int rank = 1; rank < 4; rank += 2)
        expect_calls(trace, rank,
                     EXCHANGE STARTED
                     "MPI_Recv comm=0 peer=%1$d tag=5 bytes=30\n"
                     "MPI_Probe comm=0 peer=%1$d tag=10 bytes=60\nMPI_Recv comm=0 peer=%1$d tag=10 bytes=60\n"
                     "MPI_Iprobe comm=0 peer=%1$d tag=11 bytes=61 flag=1\nMPI_Recv comm=0 peer=%1$d tag=11 bytes=61\n"
                     "MPI_Mprobe comm=0 peer=%1$d tag=12 bytes=62\nMPI_Mrecv comm=0 peer=%1$d tag=12 bytes=62\n"
                     "MPI_Improbe comm=0 peer=%1$d tag=13 bytes=63 flag=1\n"
                     "MPI_Imrecv comm=0 peer=%1$d tag=13 bytes=63 req=6\n"
                     "MPI_Wait req=6\n" ANSWER("30", "70") ANSWER("31", "71") ANSWER("32", "72") ANSWER("33", "73")
                         ANSWER("34", "74") ANSWER("35", "75") ANSWER("36", "76") GIVEN_UP,
                     rank - 1, rank, 4 * (10 + rank), 4 * (9 + rank), 7, 8);
    trace_free(trace);
}

/* Member i has i + 1 elements in `counts`; the root alone knows those of gatherv and scatterv. Of alltoallw the even
 * members' elements are chars and the odd ones' shorts, two for each. */
static void collectives(void **state)
{
    (void)state;
    struct trace *trace = recorded("collectives");
    for (int rank = 0; rank < 4; rank++)
        expect_calls(
            trace, rank,
            "MPI_Init\nMPI_Gatherv comm=0 root=2 bytes=%1$d%3$s\nMPI_Gatherv comm=0 root=1 bytes=%1$d%4$s\n"
            "MPI_Scatterv comm=0 root=0 bytes=%2$d%5$s\n"
            "MPI_Allgatherv comm=0 bytes=%1$d counts=1,2,3,4\nMPI_Allgatherv comm=0 bytes=%1$d counts=1,2,3,4\n"
            "MPI_Alltoallv comm=0 bytes=10 counts=1,2,3,4 received=%6$d\n"
            "MPI_Alltoallv comm=0 bytes=8 counts=2 received=8\n"
            "MPI_Alltoallw comm=0 bytes=12 counts=2,4,2,4 received=%7$d\n"
            "MPI_Reduce_scatter comm=0 bytes=80 counts=8,16,24,32 op=SUM\n"
            "MPI_Reduce_scatter_block comm=0 bytes=96 op=MAX\n"
            "MPI_Scan comm=0 bytes=40 op=SUM\nMPI_Exscan comm=0 bytes=40 op=PROD\n"
            "MPI_Ibarrier comm=0 req=0\nMPI_Wait req=0\n"
            "MPI_Ibcast comm=0 root=3 bytes=7 req=1\nMPI_Ireduce comm=0 root=1 bytes=16 op=SUM req=2\n"
            "MPI_Iallreduce comm=0 bytes=16 op=MIN req=3\nMPI_Igather comm=0 root=0 bytes=2 req=4\n"
            "MPI_Iscatter comm=0 root=0 bytes=3 req=5\nMPI_Iallgather comm=0 bytes=1 req=6\n"
            "MPI_Ialltoall comm=0 bytes=1 req=7\nMPI_Waitall reqs=1,2,3,4,5,6,7\n"
            "MPI_Igatherv comm=0 root=2 bytes=%1$d%3$s req=8\nMPI_Iscatterv comm=0 root=0 bytes=%1$d%8$s req=9\n"
            "MPI_Iallgatherv comm=0 bytes=%1$d counts=1,2,3,4 req=10\n"
            "MPI_Ialltoallv comm=0 bytes=8 counts=2 received=8 req=11\n"
            "MPI_Ireduce_scatter comm=0 bytes=80 counts=8,16,24,32 op=SUM req=12\n"
            "MPI_Ireduce_scatter_block comm=0 bytes=32 op=SUM req=13\n"
            "MPI_Iscan comm=0 bytes=8 op=SUM req=14\nMPI_Iexscan comm=0 bytes=8 op=SUM req=15\n"
            "MPI_Waitall reqs=8,9,10,11,12,13,14,15\nMPI_Finalize\n",
            rank + 1, 2 * (rank + 1), rank == 2 ? " counts=1,2,3,4" : "", rank == 1 ? " counts=1,2,3,4" : "",
            rank == 0 ? " counts=2,4,6,8" : "", 4 * (rank + 1), rank % 2 ? 16 : 8, rank == 0 ? " counts=1,2,3,4" : "");
    trace_free(trace);
}

/* A communicator of two groups is that of all; the ranks of one made among some are known. */
static void communicators(void **state)
{
    (void)state;
    struct trace *trace = recorded("communicators");
    for (int rank = 0; rank < 4; rank++) {
        char *found = calls_of(trace, rank), message[256];
        snprintf(message, sizeof message,
                 "MPI_Intercomm_create comm=2 newcomm=2\nMPI_Irecv comm=2 peer=%d tag=1 bytes=4 req=0\n"
                 "MPI_Send comm=2 peer=%d tag=1 bytes=4\nMPI_Wait req=0\nMPI_Irecv comm=0 ",
                 (rank + 2) % 4, (rank + 2) % 4);
        assert_non_null(strstr(found, message));
        assert_non_null(strstr(found, "MPI_Wait req=1\nMPI_Barrier comm=2\nMPI_Intercomm_merge comm=2 newcomm=3\n"));
        assert_non_null(strstr(found, "MPI_Allreduce comm=3 bytes=4 op=SUM\n"));
        assert_non_null(strstr(found, "MPI_Dist_graph_create_adjacent comm=0 newcomm=4\n"
                                      "MPI_Barrier comm=4\nMPI_Comm_free comm=4\n"));
        if (rank % 2)
            assert_non_null(strstr(found, "MPI_Comm_create_group comm=9 newcomm=9\n"
                                          "MPI_Barrier comm=9\nMPI_Comm_free comm=9\n"));
        assert_non_null(
            strstr(found, rank % 2 ? "MPI_Comm_idup comm=6 req=2\nMPI_Comm_idup comm=5 req=3\nMPI_Waitall reqs=2,3\n"
                                   : "MPI_Comm_idup comm=5 req=2\nMPI_Comm_idup comm=6 req=3\nMPI_Waitall reqs=2,3\n"));
        assert_non_null(strstr(found, rank % 2 ? "MPI_Ibarrier comm=8 req=4\nMPI_Ibarrier comm=7 req=5\n"
                                               : "MPI_Ibarrier comm=7 req=4\nMPI_Ibarrier comm=8 req=5\n"));
        assert_non_null(
            strstr(found, "MPI_Comm_free comm=7\nMPI_Comm_free comm=8\nMPI_Comm_free comm=5\nMPI_Comm_free comm=6\n"));
        free(found);
    }
    assert_int_equal(trace->definitions.comms[2].count, 4);
    assert_int_equal(trace->definitions.comms[2].first_group, 2);
    assert_int_equal(trace->definitions.comms[3].first_group, 0);
    assert_int_equal(trace->definitions.comms[9].count, 2);
    assert_int_equal(trace->definitions.comms[9].members[0], 1);
    assert_int_equal(trace->definitions.comms[9].members[1], 3);
    trace_free(trace);
}

/* between.c on four ranks. Ranks 2 and 0 are the low group, in this order, 1 and 3 the high one. Comm 2 is that of all,
 * 3, 4, 5 and 14 are those of a root (0, 1, 3, 2) and the other group, 6, 13, 17, 18 those of a rank that has no part
 * in a collective. */
struct side { /* of a rank */
    int half, peer, across, alone, part, rooted,
        root;                 /* part: the communicator that it gets of a split; its collective */
    const char *rooted_calls; /* from the first MPI_Bcast to MPI_Scatterv */
    int given;                /* bytes that it has for each of the other group */
    const char *counts;       /* of its all-to-all */
    const char *blocks;       /* of its reduce-scatter: of the own group */
    int received;
};

static void expect_meetings(const struct trace *trace, int rank, const struct side *side)
{
    char rooted[1024];
    snprintf(rooted, sizeof rooted, side->rooted_calls, side->alone, rank);
    expect_calls(
        trace, rank,
        "MPI_Init\nMPI_Comm_split comm=0 newcomm=%1$d\nMPI_Intercomm_create comm=2 newcomm=2\n"
        "MPI_Irecv comm=2 peer=%2$d tag=1 bytes=4 req=0\nMPI_Send comm=2 peer=%2$d tag=1 bytes=4\nMPI_Wait req=0\n"
        "MPI_Sendrecv comm=2 peer=%3$d tag=2 source=%3$d recvtag=2 bytes=4 received=4\n"
        "MPI_Isend comm=2 peer=%2$d tag=3 bytes=4 req=1\nMPI_Mprobe comm=2 peer=%2$d tag=3 bytes=4\n"
        "MPI_Mrecv comm=2 peer=%2$d tag=3 bytes=4\nMPI_Wait req=1\n"
        "MPI_Send_init comm=2\nMPI_Recv_init comm=2\nMPI_Isend comm=2 peer=%2$d tag=4 bytes=4 req=2 started=1\n"
        "MPI_Irecv comm=2 peer=%2$d tag=4 bytes=4 req=3 started=1\nMPI_Waitall reqs=2,3\n"
        "MPI_Request_free\nMPI_Request_free\n%4$s"
        "MPI_Barrier comm=2\nMPI_Ibarrier comm=2 req=5\nMPI_Wait req=5\nMPI_Allreduce comm=2 bytes=4 op=SUM\n"
        "MPI_Allgather comm=2 bytes=12\nMPI_Allgatherv comm=2 bytes=%5$d\nMPI_Alltoall comm=2 bytes=4\n"
        "MPI_Alltoallv comm=2 bytes=%6$d counts=%7$s received=%8$d\n"
        "MPI_Reduce_scatter comm=2 bytes=16 counts=%12$s op=SUM\nMPI_Reduce_scatter_block comm=2 bytes=8 op=SUM\n"
        "MPI_Comm_dup comm=2 newcomm=7\nMPI_Barrier comm=7\nMPI_Comm_idup comm=7 req=6\nMPI_Wait req=6\n"
        "MPI_Send comm=8 peer=%2$d tag=6 bytes=4\nMPI_Recv comm=8 peer=%2$d tag=6 bytes=4\n"
        "MPI_Comm_split comm=7 newcomm=%9$d\nMPI_Bcast comm=%10$d root=%11$d bytes=4\n"
        "MPI_Intercomm_merge comm=7 newcomm=11\nMPI_Allreduce comm=11 bytes=4 op=SUM\nMPI_Comm_free comm=%9$d\n"
        "MPI_Comm_free comm=11\nMPI_Comm_free comm=8\nMPI_Comm_disconnect comm=7\nMPI_Comm_free comm=2\n"
        "MPI_Comm_free comm=%1$d\nMPI_Finalize\n",
        side->half, side->peer, side->across, rooted, side->given, 2 * side->given, side->counts, side->received,
        side->part, side->rooted, side->root, side->blocks);
}

static void between(void **state)
{
    (void)state;
    static const struct side sides[] = {
        {.half = 1,
         .peer = 3,
         .across = 1,
         .alone = 6,
         .part = 9,
         .rooted = 10,
         .root = 0,
         .given = 8,
         .counts = "8,8,0,0",
         .blocks = "0,0,8,8",
         .received = 28,
         .rooted_calls = "MPI_Bcast comm=3 root=0 bytes=4\nMPI_Ibcast comm=4 root=1 bytes=4 req=4\nMPI_Wait req=4\n"
                         "MPI_Reduce comm=4 root=1 bytes=4 op=SUM\nMPI_Gather comm=5 root=3 bytes=4\n"
                         "MPI_Scatter comm=%1$d root=%2$d bytes=0\nMPI_Gatherv comm=%1$d root=%2$d bytes=0\n"
                         "MPI_Scatterv comm=4 root=1 bytes=8\n"},
        {.half = 12,
         .peer = 2,
         .across = 0,
         .alone = 13,
         .part = 15,
         .rooted = 16,
         .root = 2,
         .given = 12,
         .counts = "0,0,12,12",
         .blocks = "8,8,0,0",
         .received = 12,
         .rooted_calls = "MPI_Bcast comm=3 root=0 bytes=4\nMPI_Ibcast comm=4 root=1 bytes=4 req=4\nMPI_Wait req=4\n"
                         "MPI_Reduce comm=4 root=1 bytes=4 op=SUM\nMPI_Gather comm=%1$d root=%2$d bytes=0\n"
                         "MPI_Scatter comm=14 root=2 bytes=8\nMPI_Gatherv comm=14 root=2 bytes=4\n"
                         "MPI_Scatterv comm=4 root=1 bytes=0 counts=0,4,8\n"},
        {.half = 1,
         .peer = 1,
         .across = 3,
         .alone = 17,
         .part = 15,
         .rooted = 16,
         .root = 2,
         .given = 4,
         .counts = "4,4,0,0",
         .blocks = "0,0,8,8",
         .received = 28,
         .rooted_calls =
             "MPI_Bcast comm=%1$d root=%2$d bytes=0\nMPI_Ibcast comm=4 root=1 bytes=4 req=4\nMPI_Wait req=4\n"
             "MPI_Reduce comm=4 root=1 bytes=4 op=SUM\nMPI_Gather comm=5 root=3 bytes=4\n"
             "MPI_Scatter comm=14 root=2 bytes=8\nMPI_Gatherv comm=14 root=2 bytes=0 counts=0,4,8\n"
             "MPI_Scatterv comm=4 root=1 bytes=4\n"},
        {.half = 12,
         .peer = 0,
         .across = 2,
         .alone = 18,
         .part = 9,
         .rooted = 10,
         .root = 0,
         .given = 16,
         .counts = "0,0,16,16",
         .blocks = "8,8,0,0",
         .received = 12,
         .rooted_calls =
             "MPI_Bcast comm=3 root=0 bytes=4\nMPI_Ibcast comm=%1$d root=%2$d bytes=0 req=4\nMPI_Wait req=4\n"
             "MPI_Reduce comm=%1$d root=%2$d bytes=0 op=SUM\nMPI_Gather comm=5 root=3 bytes=4\n"
             "MPI_Scatter comm=14 root=2 bytes=8\nMPI_Gatherv comm=14 root=2 bytes=8\n"
             "MPI_Scatterv comm=%1$d root=%2$d bytes=0 counts=0\n"},
    };
    struct trace *trace = recorded("between");
    for (int rank = 0; rank < 4; rank++) expect_meetings(trace, rank, &sides[rank]);
    static const int32_t all[] = {1, 3, 2, 0}, rooted[] = {2, 1, 3};
    assert_int_equal(trace->definitions.comms[2].first_group, 2);
    assert_memory_equal(trace->definitions.comms[2].members, all, sizeof all);
    assert_int_equal(trace->definitions.comms[14].first_group, 1); /* the root stands for a group */
    assert_memory_equal(trace->definitions.comms[14].members, rooted, sizeof rooted);
    trace_free(trace);
}

/* freed.c. Of two senders with tag 7 rank 1 is the one whose message another receive takes; of the two with tag 9 rank
 * 3 sends first. */
static void freed(void **state)
{
    (void)state;
    struct trace *trace = recorded("freed");
    assert_int_equal(trace->provenance.note_count, 1);
    assert_string_equal(trace->provenance.notes[0],
                        "5 receives with wildcards whose completion was not seen have the messages that "
                        "the others leave");
    expect_calls(
        trace, 0,
        "MPI_Init\nMPI_Irecv comm=0 peer=1 tag=5 bytes=20 req=0\nMPI_Request_free\nMPI_Barrier comm=0\n"
        "MPI_Barrier comm=0\nMPI_Irecv comm=0 peer=2 tag=7 bytes=12 req=1\nMPI_Request_free\nMPI_Barrier comm=0\n"
        "MPI_Barrier comm=0\nMPI_Recv comm=0 peer=1 tag=7 bytes=8\n"
        "MPI_Irecv comm=0 peer=3 tag=9 bytes=30 req=2\nMPI_Request_free\n"
        "MPI_Irecv comm=0 peer=1 tag=9 bytes=31 req=3\nMPI_Request_free\nMPI_Barrier comm=0\nMPI_Barrier comm=0\n"
        "MPI_Barrier comm=0\nMPI_Barrier comm=0\nMPI_Irecv comm=0 peer=2 tag=11 bytes=6 req=4\nMPI_Request_free\n"
        "MPI_Barrier comm=0\nMPI_Barrier comm=0\nMPI_Irecv comm=0 peer=- tag=-1 bytes=100 req=5\n"
        "MPI_Request_free\nMPI_Finalize\n");
    trace_free(trace);
}

#ifndef OPENMPI /* 4.1 is MPI-3.1 */
/* They stand as the functions that they are variants of. */
static void large_counts(void **state)
{
    (void)state;
    struct trace *trace = recorded("large_counts");
    for (int rank = 0; rank < 4; rank++)
        expect_calls(trace, rank,
                     "MPI_Init\nMPI_Irecv comm=0 peer=%d tag=1 bytes=12 req=0\n"
                     "MPI_Isend comm=0 peer=%d tag=1 bytes=12 req=1\nMPI_Waitall reqs=0,1\nMPI_Win_allocate "
                     "win=0\nMPI_Win_fence win=0\n"
                     "MPI_Put win=0 target=%d bytes=8 disp=3\nMPI_Win_fence win=0\nMPI_Win_free win=0\n"
                     "MPI_Alltoallv comm=0 bytes=16 counts=4 received=16\nMPI_File_open\nMPI_File_iwrite_at\n"
                     "MPI_Wait req=-\nMPI_File_close\nMPI_Grequest_start\nMPI_Grequest_complete\nMPI_Wait req=-\n"
                     "MPI_Finalize\n",
                     (rank + 3) % 4, (rank + 1) % 4, (rank + 1) % 4);
    trace_free(trace);
}
#endif

/* World ranks stand in the order of the topology, without MPI_PROC_NULL; in the star rank 3 is the middle. In the last
 * graph each rank names the edges from itself to 3 and 0, the first and the last of its communicator, and from 3 to
 * itself. */
static void neighbors(void **state)
{
    (void)state;
    static const char *const line[] = {"1:1", "0,2:0,2", "1,3:1,3", "2:2"};
    static const char *const star[] = {"3:3", "3:3", "3:3", "2,1,0:2,1,0"};
    struct trace *trace = recorded("neighbors");
    for (int rank = 0; rank < 4; rank++) {
        int left = (rank + 3) % 4, right = (rank + 1) % 4, on_line = rank % 3 ? 24 : 12, on_star = rank == 3 ? 12 : 4;
        char ring[64];
        snprintf(ring, sizeof ring, "neighbours=%d,%d,%d:%d,%d,%d counts=4,8,4", left, rank, left, right, right, rank);
        expect_calls(trace, rank,
                     "MPI_Init\nMPI_Cart_create comm=0 newcomm=1\n"
                     "MPI_Neighbor_alltoall comm=1 bytes=%d neighbours=%s received=%d\n"
                     "MPI_Neighbor_alltoall comm=1 bytes=%d neighbours=%s received=%d\nMPI_Comm_free comm=1\n"
                     "MPI_Dist_graph_create_adjacent comm=0 newcomm=2\n"
                     "MPI_Neighbor_alltoallv comm=2 bytes=16 %s received=16\n"
                     "MPI_Ineighbor_alltoallw comm=2 bytes=16 %s received=16 req=0\nMPI_Wait req=0\n"
                     "MPI_Comm_free comm=2\nMPI_Comm_split comm=0 newcomm=3\nMPI_Graph_create comm=3 newcomm=4\n"
                     "MPI_Neighbor_allgatherv comm=4 bytes=%d neighbours=%s received=%d\n"
                     "MPI_Neighbor_allgather comm=4 bytes=%d neighbours=%s received=%d\n"
                     "MPI_Comm_free comm=4\nMPI_Dist_graph_create comm=3 neighbours=%d,%d,3:3,0,%d newcomm=5\n"
                     "MPI_Comm_free comm=5\nMPI_Comm_free comm=3\nMPI_Finalize\n",
                     on_line, line[rank], on_line, on_line, line[rank], on_line, ring, ring, on_star, star[rank],
                     on_star, on_star, star[rank], on_star, rank, rank, rank);
    }
    trace_free(trace);
}

#ifndef OPENMPI
/* What MPI_Start begins stands as the non-blocking call, MPI_Isendrecv as two calls that one wait completes, a
 * partitioned message as a send at the MPI_Pready that completes it. */
static void calls_of_mpi_4(void **state)
{
    (void)state;
    struct trace *trace = recorded("mpi4");
    for (int rank = 0; rank < 4; rank++) {
        int left = (rank + 3) % 4, right = (rank + 1) % 4;
        expect_calls(
            trace, rank,
            "MPI_Init\nMPI_Bcast_init comm=0\nMPI_Allreduce_init comm=0\nMPI_Allgatherv_init comm=0\n"
            "MPI_Ibcast comm=0 root=2 bytes=4 req=0\nMPI_Wait req=0\n"
            "MPI_Iallreduce comm=0 bytes=4 op=SUM req=1\nMPI_Iallgatherv comm=0 bytes=4 counts=4 req=2\n"
            "MPI_Waitall reqs=1,2\nMPI_Ibcast comm=0 root=2 bytes=4 req=3\nMPI_Wait req=3\n"
            "MPI_Iallreduce comm=0 bytes=4 op=SUM req=4\nMPI_Iallgatherv comm=0 bytes=4 counts=4 req=5\n"
            "MPI_Waitall reqs=4,5\nMPI_Request_free\nMPI_Request_free\nMPI_Request_free\n"
            "MPI_Alltoallv_init comm=0\nMPI_Ialltoallv comm=0 bytes=16 counts=4 received=16 req=6\nMPI_Wait req=6\n"
            "MPI_Request_free\nMPI_Barrier_init comm=0\nMPI_Ibarrier comm=0 req=7\nMPI_Wait req=7\nMPI_Request_free\n"
            "MPI_Irecv comm=0 peer=%d tag=7 bytes=4 req=8\nMPI_Isend comm=0 peer=%d tag=7 bytes=4 req=9\n"
            "MPI_Waitall reqs=8,9\nMPI_Irecv comm=0 peer=%d tag=8 bytes=4 req=10\n"
            "MPI_Isend comm=0 peer=%d tag=8 bytes=4 req=11\nMPI_Irecv comm=0 peer=%d tag=9 bytes=4 req=12\n"
            "MPI_Isend comm=0 peer=%d tag=9 bytes=4 req=13\nMPI_Waitall reqs=10,11,12,13\n"
            "MPI_Irecv comm=0 peer=%d tag=6 bytes=4 req=14\nMPI_Isend comm=0 peer=%d tag=6 bytes=4 req=15\n"
            "MPI_Testall reqs=14,15 flag=1\nMPI_Psend_init comm=0\nMPI_Precv_init comm=0\n"
            "MPI_Irecv comm=0 peer=%d tag=5 bytes=24 req=16 started=1\nMPI_Start\nMPI_Pready_range\n"
            "MPI_Isend comm=0 peer=%d tag=5 bytes=24 req=17 started=1\nMPI_Wait req=17\nMPI_Wait req=16\n"
            "MPI_Irecv comm=0 peer=%d tag=5 bytes=24 req=18 started=1\nMPI_Start\nMPI_Pready_range\n"
            "MPI_Isend comm=0 peer=%d tag=5 bytes=24 req=19 started=1\nMPI_Wait req=19\nMPI_Wait req=18\n"
            "MPI_Irecv comm=0 peer=%d tag=5 bytes=24 req=20 started=1\nMPI_Start\nMPI_Pready\nMPI_Pready\n"
            "MPI_Isend comm=0 peer=%d tag=5 bytes=24 req=21 started=1\nMPI_Parrived\nMPI_Wait req=21\n"
            "MPI_Wait req=20\nMPI_Request_free\nMPI_Request_free\nMPI_Finalize\n",
            left, right, right, left, left, right, left, right, left, right, left, right, left, right);
    }
    trace_free(trace);
}
#endif

/* The source's order of waits, whatever handles there are; from nobody comes nothing, with any tag. */
static void nobody(void **state)
{
    (void)state;
    struct trace *trace = recorded("nobody");
    for (int rank = 0; rank < 4; rank++)
        expect_calls(
            trace, rank,
            "MPI_Init\nMPI_Irecv comm=0 peer=- tag=-1 bytes=0 req=0\nMPI_Isend comm=0 peer=- tag=2 bytes=0 req=1\n"
            "MPI_Irecv comm=0 peer=%1$d tag=3 bytes=4 req=2\nMPI_Isend comm=0 peer=%1$d tag=3 bytes=4 req=3\n"
            "MPI_Wait req=3\nMPI_Wait req=1\nMPI_Wait req=0\nMPI_Wait req=2\n"
            "MPI_Irecv comm=0 peer=- tag=-1 bytes=0 req=4\nMPI_Irecv comm=0 peer=- tag=-1 bytes=0 req=5\n"
            "MPI_Irecv comm=0 peer=- tag=-1 bytes=0 req=6\n"
            "MPI_Waitany reqs=5\nMPI_Testsome reqs=6 flag=1\nMPI_Test req=4 flag=1\n"
            "MPI_Isend comm=0 peer=- tag=0 bytes=0 req=7\nMPI_Isend comm=0 peer=- tag=1 bytes=0 req=8\n"
            "MPI_Request_free\nMPI_Waitall reqs=7\n"
            "MPI_Isend comm=0 peer=- tag=0 bytes=0 req=9\nMPI_Isend comm=0 peer=- tag=1 bytes=0 req=10\n"
            "MPI_Wait req=9\nMPI_Wait req=10\nMPI_Send_init comm=0\nMPI_Recv_init comm=0\n"
            "MPI_Isend comm=0 peer=- tag=0 bytes=0 req=11 started=1\n"
            "MPI_Irecv comm=0 peer=- tag=-1 bytes=0 req=12 started=1\nMPI_Wait req=12\nMPI_Wait req=11\n"
            "MPI_Request_free\nMPI_Request_free\nMPI_Ibarrier comm=%2$d req=13\nMPI_Ibarrier comm=%2$d req=14\n"
            "MPI_Wait req=14\nMPI_Wait req=13\nMPI_Win_allocate win=0\nMPI_Win_lock_all win=0\n"
            "MPI_Rput win=0 target=- bytes=0 req=15\nMPI_Rget win=0 target=- bytes=0 req=16\n"
            "MPI_Wait req=16\nMPI_Wait req=15\nMPI_Win_unlock_all win=0\nMPI_Win_free win=0\n"
            "MPI_Irecv comm=0 peer=- tag=7 bytes=0 req=17\nMPI_Isend comm=0 peer=- tag=8 bytes=0 req=18\n"
            "MPI_Finalize\n",
            rank ^ 1, rank + 1);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passive),       cmocka_unit_test(requests),       cmocka_unit_test(collectives),
        cmocka_unit_test(communicators), cmocka_unit_test(nobody),         cmocka_unit_test(between),
        cmocka_unit_test(freed),         cmocka_unit_test(neighbors),
#ifndef OPENMPI
        cmocka_unit_test(large_counts),  cmocka_unit_test(calls_of_mpi_4),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
