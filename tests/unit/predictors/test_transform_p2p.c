/* Messages as one-sided communication: before and after as text, times worked out by hand, refusals, and random
 * programs. */
#include <stdlib.h>
#include <string.h>

#include "tests/property/random.h"
#include "transform_test.h"
#include "trace/generate/generate.h"

#define CREATED(R) #R " 0.000000 0.000000 MPI_Win_create win=0\n"

static struct trace *rewritten(struct trace *trace, const char *spec)
{
    struct rewrite rewrite;
    struct err err;
    if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(rewrite.reports[0].changed, rewrite.reports[0].considered);
    struct trace *made = rewrite.trace;
    rewrite.trace = NULL;
    rewrite_clear(&rewrite);
    trace_free(trace);
    return made;
}

/* The post in the place of the first receive, the start in that of the first send; one Waitall completes and waits.
 * Displacements in the order of the receives. What else the Waitall completes stays. */
static void an_exchange_has_two_epochs_of_each_rank(void **state)
{
    (void)state;
    test_gives("p2p=pscw",
               "ranks 3\n"
               "0 0.000000 0.000000 MPI_Init\n"
               "0 0.000010 0.000010 MPI_Irecv comm=0 peer=1 tag=1 bytes=100 req=1\n"
               "0 0.000010 0.000010 MPI_Irecv comm=0 peer=2 tag=1 bytes=200 req=2 recv_extent=300\n"
               "0 0.000020 0.000021 MPI_Isend comm=0 peer=2 tag=1 bytes=50 req=3\n"
               "0 0.000021 0.000021 MPI_Ibarrier comm=0 req=4\n"
               "0 0.000030 0.000040 MPI_Waitall reqs=1,2,3,4\n"
               "0 0.000050 0.000050 MPI_Finalize\n"
               "1 0.000000 0.000000 MPI_Init\n"
               "1 0.000005 0.000005 MPI_Send comm=0 peer=0 tag=1 bytes=100\n"
               "1 0.000007 0.000007 MPI_Ibarrier comm=0 req=1\n"
               "1 0.000007 0.000007 MPI_Wait req=1\n"
               "1 0.000050 0.000050 MPI_Finalize\n"
               "2 0.000000 0.000000 MPI_Init\n"
               "2 0.000003 0.000003 MPI_Irecv comm=0 peer=0 tag=1 bytes=50 req=1\n"
               "2 0.000005 0.000005 MPI_Isend comm=0 peer=0 tag=1 bytes=200 req=2\n"
               "2 0.000007 0.000007 MPI_Ibarrier comm=0 req=3\n"
               "2 0.000007 0.000007 MPI_Waitall reqs=1,2,3\n"
               "2 0.000050 0.000050 MPI_Finalize\n",
               "0 0.000000 0.000000 MPI_Init\n" CREATED(
                   0) "0 0.000010 0.000010 MPI_Win_post win=0 group=1,2\n"
                      "0 0.000020 0.000021 MPI_Win_start win=0 group=2\n"
                      "0 0.000021 0.000021 MPI_Put win=0 target=2 bytes=50 disp=0\n"
                      "0 0.000021 0.000021 MPI_Ibarrier comm=0 req=4\n"
                      "0 0.000030 0.000040 MPI_Win_complete win=0\n"
                      "0 0.000040 0.000040 MPI_Win_wait win=0\n"
                      "0 0.000040 0.000040 MPI_Waitall reqs=4\n"
                      "0 0.000050 0.000050 MPI_Win_free win=0\n"
                      "0 0.000050 0.000050 MPI_Finalize\n"
                      "1 0.000000 0.000000 MPI_Init\n" CREATED(
                          1) "1 0.000005 0.000005 MPI_Win_start win=0 group=0\n"
                             "1 0.000005 0.000005 MPI_Put win=0 target=0 bytes=100 disp=0\n"
                             "1 0.000005 0.000005 MPI_Win_complete win=0\n"
                             "1 0.000007 0.000007 MPI_Ibarrier comm=0 req=1\n"
                             "1 0.000007 0.000007 MPI_Wait req=1\n"
                             "1 0.000050 0.000050 MPI_Win_free win=0\n"
                             "1 0.000050 0.000050 MPI_Finalize\n"
                             "2 0.000000 0.000000 MPI_Init\n" CREATED(
                                 2) "2 0.000003 0.000003 MPI_Win_post win=0 group=0\n"
                                    "2 0.000005 0.000005 MPI_Win_start win=0 group=0\n"
                                    "2 0.000005 0.000005 MPI_Put win=0 target=0 bytes=200 disp=100 target_extent=300\n"
                                    "2 0.000007 0.000007 MPI_Ibarrier comm=0 req=3\n"
                                    "2 0.000007 0.000007 MPI_Win_complete win=0\n"
                                    "2 0.000007 0.000007 MPI_Win_wait win=0\n"
                                    "2 0.000007 0.000007 MPI_Waitall reqs=3\n"
                                    "2 0.000050 0.000050 MPI_Win_free win=0\n"
                                    "2 0.000050 0.000050 MPI_Finalize\n");
}

/* Rank 0 waits for its receive before it waits for its send: complete comes in front of that wait, since rank 1 may
 * send only when it has the data, as here. Computing stays where it was: 10 us before the send, 5 before the wait, 7
 * before the last wait. */
#define PING_PONG                                                                                                      \
    "ranks 2\n"                                                                                                        \
    "0 0.000000 0.000000 MPI_Comm_group comm=0\n"                                                                      \
    "0 0.000010 0.000010 MPI_Isend comm=0 peer=1 tag=1 bytes=8 req=1\n"                                                \
    "0 0.000015 0.000015 MPI_Recv comm=0 peer=1 tag=1 bytes=8\n"                                                       \
    "0 0.000022 0.000022 MPI_Wait req=1\n"                                                                             \
    "0 0.000022 0.000022 MPI_Comm_group comm=0\n"                                                                      \
    "1 0.000000 0.000000 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n"                                                       \
    "1 0.000000 0.000000 MPI_Send comm=0 peer=0 tag=1 bytes=8\n"

static void complete_precedes_what_waits_for_others(void **state)
{
    (void)state;
    test_gives("p2p=pscw", PING_PONG,
               CREATED(0) "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
                          "0 0.000010 0.000010 MPI_Win_start win=0 group=1\n"
                          "0 0.000010 0.000010 MPI_Put win=0 target=1 bytes=8 disp=0\n"
                          "0 0.000015 0.000015 MPI_Win_complete win=0\n"
                          "0 0.000015 0.000015 MPI_Win_post win=0 group=1\n"
                          "0 0.000015 0.000015 MPI_Win_wait win=0\n"
                          "0 0.000022 0.000022 MPI_Comm_group comm=0\n"
                          "0 0.000022 0.000022 MPI_Win_free win=0\n" CREATED(
                              1) "1 0.000000 0.000000 MPI_Win_post win=0 group=0\n"
                                 "1 0.000000 0.000000 MPI_Win_wait win=0\n"
                                 "1 0.000000 0.000000 MPI_Win_start win=0 group=0\n"
                                 "1 0.000000 0.000000 MPI_Put win=0 target=0 bytes=8 disp=0\n"
                                 "1 0.000000 0.000000 MPI_Win_complete win=0\n"
                                 "1 0.000000 0.000000 MPI_Win_free win=0\n");
    test_gives("p2p=flush", PING_PONG,
               CREATED(0) "0 0.000000 0.000000 MPI_Win_lock_all win=0\n"
                          "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
                          "0 0.000010 0.000010 MPI_Put win=0 target=1 bytes=8 disp=0\n"
                          "0 0.000015 0.000015 MPI_Win_flush win=0 target=1\n"
                          "0 0.000015 0.000015 MPI_Isend comm=0 peer=1 tag=1 bytes=0 req=1\n"
                          "0 0.000015 0.000015 MPI_Recv comm=0 peer=1 tag=1 bytes=0\n"
                          "0 0.000022 0.000022 MPI_Wait req=1\n"
                          "0 0.000022 0.000022 MPI_Comm_group comm=0\n"
                          "0 0.000022 0.000022 MPI_Win_unlock_all win=0\n"
                          "0 0.000022 0.000022 MPI_Win_free win=0\n" CREATED(
                              1) "1 0.000000 0.000000 MPI_Win_lock_all win=0\n"
                                 "1 0.000000 0.000000 MPI_Recv comm=0 peer=0 tag=1 bytes=0\n"
                                 "1 0.000000 0.000000 MPI_Put win=0 target=0 bytes=8 disp=0\n"
                                 "1 0.000000 0.000000 MPI_Win_flush win=0 target=0\n"
                                 "1 0.000000 0.000000 MPI_Send comm=0 peer=0 tag=1 bytes=0\n"
                                 "1 0.000000 0.000000 MPI_Win_unlock_all win=0\n"
                                 "1 0.000000 0.000000 MPI_Win_free win=0\n");
}

/* The sender posts at its last send, and waits where its memory may change; the receiver starts where it waits for the data.
 * By flush and notify the message, or signal, says that the data are there; its own wait is where it was. */
static void the_receiver_gets_what_is_there(void **state)
{
    (void)state;
    test_gives("p2p=get-pscw", PING_PONG,
               CREATED(0) "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
                          "0 0.000010 0.000010 MPI_Win_post win=0 group=1\n"
                          "0 0.000015 0.000015 MPI_Win_start win=0 group=1\n"
                          "0 0.000015 0.000015 MPI_Get win=0 target=1 bytes=8 disp=0\n"
                          "0 0.000015 0.000015 MPI_Win_complete win=0\n"
                          "0 0.000022 0.000022 MPI_Win_wait win=0\n"
                          "0 0.000022 0.000022 MPI_Comm_group comm=0\n"
                          "0 0.000022 0.000022 MPI_Win_free win=0\n" CREATED(
                              1) "1 0.000000 0.000000 MPI_Win_start win=0 group=0\n"
                                 "1 0.000000 0.000000 MPI_Get win=0 target=0 bytes=8 disp=0\n"
                                 "1 0.000000 0.000000 MPI_Win_complete win=0\n"
                                 "1 0.000000 0.000000 MPI_Win_post win=0 group=0\n"
                                 "1 0.000000 0.000000 MPI_Win_wait win=0\n"
                                 "1 0.000000 0.000000 MPI_Win_free win=0\n");
    test_gives("p2p=get-flush", PING_PONG,
               CREATED(0) "0 0.000000 0.000000 MPI_Win_lock_all win=0\n"
                          "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
                          "0 0.000010 0.000010 MPI_Isend comm=0 peer=1 tag=1 bytes=0 req=1\n"
                          "0 0.000015 0.000015 MPI_Recv comm=0 peer=1 tag=1 bytes=0\n"
                          "0 0.000015 0.000015 MPI_Get win=0 target=1 bytes=8 disp=0\n"
                          "0 0.000015 0.000015 MPI_Win_flush win=0 target=1\n"
                          "0 0.000022 0.000022 MPI_Wait req=1\n"
                          "0 0.000022 0.000022 MPI_Comm_group comm=0\n"
                          "0 0.000022 0.000022 MPI_Win_unlock_all win=0\n"
                          "0 0.000022 0.000022 MPI_Win_free win=0\n" CREATED(
                              1) "1 0.000000 0.000000 MPI_Win_lock_all win=0\n"
                                 "1 0.000000 0.000000 MPI_Recv comm=0 peer=0 tag=1 bytes=0\n"
                                 "1 0.000000 0.000000 MPI_Get win=0 target=0 bytes=8 disp=0\n"
                                 "1 0.000000 0.000000 MPI_Win_flush win=0 target=0\n"
                                 "1 0.000000 0.000000 MPI_Send comm=0 peer=0 tag=1 bytes=0\n"
                                 "1 0.000000 0.000000 MPI_Win_unlock_all win=0\n"
                                 "1 0.000000 0.000000 MPI_Win_free win=0\n");
    test_gives("p2p=get-notify", PING_PONG,
               "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
               "0 0.000010 0.000010 shmem_put_signal_req win=0 target=1 bytes=0 disp=0 req=1\n"
               "0 0.000015 0.000015 shmem_signal_wait_until win=0 disp=0\n"
               "0 0.000015 0.000015 shmem_get_nbi win=0 target=1 bytes=8\n"
               "0 0.000015 0.000015 shmem_quiet win=0\n"
               "0 0.000022 0.000022 MPI_Wait req=1\n"
               "0 0.000022 0.000022 MPI_Comm_group comm=0\n"
               "1 0.000000 0.000000 shmem_signal_wait_until win=0 disp=0\n"
               "1 0.000000 0.000000 shmem_get_nbi win=0 target=0 bytes=8\n"
               "1 0.000000 0.000000 shmem_quiet win=0\n"
               "1 0.000000 0.000000 shmem_put_signal win=0 target=0 bytes=0 disp=0\n");
}

/* Two sends are told by one post, behind the second one, and their wait is the first of theirs. Displacements in the
 * order of the receives, in the sender's part; the extents of send and receive are those of target and origin. A fence
 * opens when the data are there, and the gets come at once. */
#define FAN_OUT                                                                                                        \
    "ranks 3\n"                                                                                                        \
    "0 0.000010 0.000010 MPI_Isend comm=0 peer=1 tag=1 bytes=100 req=1 send_extent=150\n"                              \
    "0 0.000020 0.000020 MPI_Isend comm=0 peer=2 tag=1 bytes=200 req=2\n"                                              \
    "0 0.000030 0.000030 MPI_Wait req=2\n"                                                                             \
    "0 0.000040 0.000040 MPI_Wait req=1\n"                                                                             \
    "1 0.000005 0.000005 MPI_Irecv comm=0 peer=0 tag=1 bytes=100 req=1 recv_extent=300\n"                              \
    "1 0.000025 0.000025 MPI_Wait req=1\n"                                                                             \
    "2 0.000040 0.000040 MPI_Recv comm=0 peer=0 tag=1 bytes=200\n"

static void one_post_tells_several(void **state)
{
    (void)state;
    test_gives("p2p=get-pscw", FAN_OUT,
               "0 0.000005 0.000005 MPI_Win_create win=0\n"
               "0 0.000020 0.000020 MPI_Win_post win=0 group=1,2\n"
               "0 0.000030 0.000030 MPI_Win_wait win=0\n"
               "0 0.000040 0.000040 MPI_Win_free win=0\n"
               "1 0.000005 0.000005 MPI_Win_create win=0\n"
               "1 0.000025 0.000025 MPI_Win_start win=0 group=0\n"
               "1 0.000025 0.000025 MPI_Get win=0 target=0 bytes=100 disp=0 origin_extent=300 "
               "target_extent=150\n"
               "1 0.000025 0.000025 MPI_Win_complete win=0\n"
               "1 0.000025 0.000025 MPI_Win_free win=0\n"
               "2 0.000005 0.000005 MPI_Win_create win=0\n"
               "2 0.000040 0.000040 MPI_Win_start win=0 group=0\n"
               "2 0.000040 0.000040 MPI_Get win=0 target=0 bytes=200 disp=150\n"
               "2 0.000040 0.000040 MPI_Win_complete win=0\n"
               "2 0.000040 0.000040 MPI_Win_free win=0\n");
    test_gives("p2p=get-fence", FAN_OUT,
               "0 0.000005 0.000005 MPI_Win_create win=0\n"
               "0 0.000020 0.000020 MPI_Win_fence win=0 assert=NOPRECEDE\n"
               "0 0.000030 0.000030 MPI_Win_fence win=0 assert=NOSUCCEED\n"
               "0 0.000040 0.000040 MPI_Win_free win=0\n"
               "1 0.000005 0.000005 MPI_Win_create win=0\n"
               "1 0.000025 0.000025 MPI_Win_fence win=0 assert=NOPRECEDE\n"
               "1 0.000025 0.000025 MPI_Get win=0 target=0 bytes=100 disp=0 origin_extent=300 "
               "target_extent=150\n"
               "1 0.000025 0.000025 MPI_Win_fence win=0 assert=NOSUCCEED\n"
               "1 0.000025 0.000025 MPI_Win_free win=0\n"
               "2 0.000005 0.000005 MPI_Win_create win=0\n"
               "2 0.000040 0.000040 MPI_Win_fence win=0 assert=NOPRECEDE\n"
               "2 0.000040 0.000040 MPI_Get win=0 target=0 bytes=200 disp=150\n"
               "2 0.000040 0.000040 MPI_Win_fence win=0 assert=NOSUCCEED\n"
               "2 0.000040 0.000040 MPI_Win_free win=0\n");
}

/* Rank 1 waits for two messages at once, and rank 0 sends the second one when it has heard from rank 2: one post behind it. Its
 * wait is where it waits for the first of the sends. */
static void a_post_comes_with_the_last_data(void **state)
{
    (void)state;
    test_gives("p2p=get-pscw",
               "ranks 3\n"
               "0 0.000010 0.000010 MPI_Isend comm=0 peer=1 tag=0 bytes=100 req=1\n"
               "0 0.000020 0.000020 MPI_Recv comm=0 peer=2 tag=0 bytes=8\n"
               "0 0.000030 0.000030 MPI_Isend comm=0 peer=1 tag=1 bytes=100 req=2\n"
               "0 0.000040 0.000040 MPI_Wait req=2\n"
               "0 0.000050 0.000050 MPI_Wait req=1\n"
               "1 0.000010 0.000010 MPI_Irecv comm=0 peer=0 tag=0 bytes=100 req=1\n"
               "1 0.000010 0.000010 MPI_Irecv comm=0 peer=0 tag=1 bytes=100 req=2\n"
               "1 0.000020 0.000020 MPI_Waitall reqs=1,2\n"
               "2 0.000010 0.000010 MPI_Send comm=0 peer=0 tag=0 bytes=8\n",
               "0 0.000010 0.000010 MPI_Win_create win=0\n"
               "0 0.000020 0.000020 MPI_Win_start win=0 group=2\n"
               "0 0.000020 0.000020 MPI_Get win=0 target=2 bytes=8 disp=0\n"
               "0 0.000020 0.000020 MPI_Win_complete win=0\n"
               "0 0.000030 0.000030 MPI_Win_post win=0 group=1\n"
               "0 0.000040 0.000040 MPI_Win_wait win=0\n"
               "0 0.000050 0.000050 MPI_Win_free win=0\n"
               "1 0.000010 0.000010 MPI_Win_create win=0\n"
               "1 0.000020 0.000020 MPI_Win_start win=0 group=0\n"
               "1 0.000020 0.000020 MPI_Get win=0 target=0 bytes=100 disp=0\n"
               "1 0.000020 0.000020 MPI_Get win=0 target=0 bytes=100 disp=100\n"
               "1 0.000020 0.000020 MPI_Win_complete win=0\n"
               "1 0.000020 0.000020 MPI_Win_free win=0\n"
               "2 0.000010 0.000010 MPI_Win_create win=0\n"
               "2 0.000010 0.000010 MPI_Win_post win=0 group=0\n"
               "2 0.000010 0.000010 MPI_Win_wait win=0\n"
               "2 0.000010 0.000010 MPI_Win_free win=0\n");
}

/* A neighbourhood collective is a receive from each source, a send to each destination, and a wait: the result is that of a
 * program that is written so. Rank 1 names rank 0 twice: the second message is the one of 30 bytes. */
static void neighbours_are_messages(void **state)
{
    (void)state;
    static const char collectives[] =
        "ranks 2\n"
        "0 0.000010 0.000020 MPI_Neighbor_alltoallv comm=0 bytes=50 neighbours=1:1,1 counts=20,30 received=40\n"
        "0 0.000030 0.000030 MPI_Ineighbor_alltoall comm=0 bytes=8 neighbours=1:1 req=1\n"
        "0 0.000040 0.000040 MPI_Wait req=1\n"
        "1 0.000010 0.000020 MPI_Neighbor_alltoallv comm=0 bytes=40 neighbours=0,0:0 counts=40 received=50\n"
        "1 0.000030 0.000030 MPI_Ineighbor_alltoall comm=0 bytes=8 neighbours=0:0 req=1\n"
        "1 0.000040 0.000040 MPI_Wait req=1\n";
    static const char messages[] = "ranks 2\n"
                                   "0 0.000010 0.000010 MPI_Irecv comm=0 peer=1 tag=0 bytes=40 req=1\n"
                                   "0 0.000010 0.000010 MPI_Isend comm=0 peer=1 tag=0 bytes=20 req=2\n"
                                   "0 0.000010 0.000010 MPI_Isend comm=0 peer=1 tag=0 bytes=30 req=3\n"
                                   "0 0.000020 0.000020 MPI_Waitall reqs=1,2,3\n"
                                   "0 0.000030 0.000030 MPI_Irecv comm=0 peer=1 tag=0 bytes=8 req=4\n"
                                   "0 0.000030 0.000030 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=5\n"
                                   "0 0.000040 0.000040 MPI_Waitall reqs=4,5\n"
                                   "1 0.000010 0.000010 MPI_Irecv comm=0 peer=0 tag=0 bytes=20 req=1\n"
                                   "1 0.000010 0.000010 MPI_Irecv comm=0 peer=0 tag=0 bytes=30 req=2\n"
                                   "1 0.000010 0.000010 MPI_Isend comm=0 peer=0 tag=0 bytes=40 req=3\n"
                                   "1 0.000020 0.000020 MPI_Waitall reqs=1,2,3\n"
                                   "1 0.000030 0.000030 MPI_Irecv comm=0 peer=0 tag=0 bytes=8 req=4\n"
                                   "1 0.000030 0.000030 MPI_Isend comm=0 peer=0 tag=0 bytes=8 req=5\n"
                                   "1 0.000040 0.000040 MPI_Waitall reqs=4,5\n";
    static const char *const specs[] = {"p2p=pscw",     "p2p=fence",     "p2p=flush",     "p2p=notify",
                                        "p2p=get-pscw", "p2p=get-fence", "p2p=get-flush", "p2p=get-notify"};
    for (size_t form = 0; form < sizeof specs / sizeof *specs; form++) {
        struct trace *made = rewritten(test_read(collectives), specs[form]),
                     *expected = rewritten(test_read(messages), specs[form]);
        for (uint32_t r = 0; r < 2; r++) {
            assert_int_equal(made->ranks[r].count, expected->ranks[r].count);
            for (size_t i = 0; i < made->ranks[r].count; i++) {
                const struct trace_call *call = &made->ranks[r].calls[i], *other = &expected->ranks[r].calls[i];
                assert_string_equal(call_name(call->call), call_name(other->call));
                assert_int_equal(call->peer, other->peer);
                assert_int_equal(call->bytes, other->bytes);
            }
        }
        trace_free(made);
        trace_free(expected);
    }
    test_refuses("p2p=pscw",
                 "ranks 2\n0 0 0 MPI_Neighbor_alltoall comm=0 bytes=8 neighbours=1:1\n"
                 "1 0 0 MPI_Neighbor_alltoall comm=0 bytes=8 neighbours=:0\n",
                 "rank 0, event 1 (MPI_Neighbor_alltoall): p2p=pscw changes nothing: one of its destinations");
    test_refuses("p2p=pscw",
                 "ranks 2\n0 0 0 MPI_Neighbor_alltoall comm=0 bytes=8\n1 0 0 MPI_Neighbor_alltoall comm=0 bytes=8\n",
                 "the trace does not say its neighbours");
    test_refuses("p2p=pscw",
                 "ranks 2\n0 0 0 MPI_Ineighbor_alltoall comm=0 bytes=8 neighbours=1:1 req=1\n0 0 0 MPI_Test req=1 flag=1\n"
                 "1 0 0 MPI_Neighbor_alltoall comm=0 bytes=8 neighbours=0:0\n",
                 "rank 0, event 2 (MPI_Test): p2p=pscw changes nothing: a neighbourhood collective is tested for");
}

/* A failed test of a request that is gone, or that the send makes only behind the flush, goes, and the computing before
 * it stays. The extents of two receives are too large for one window: nobody knows where the second one is. */
#define TESTED                                                                                                         \
    "ranks 2\n"                                                                                                        \
    "0 0.000000 0.000000 MPI_Isend comm=0 peer=1 tag=1 bytes=8 req=1\n"                                                \
    "0 0.000005 0.000005 MPI_Test req=1 flag=0\n"                                                                      \
    "0 0.000005 0.000005 MPI_Isend comm=0 peer=1 tag=1 bytes=8 req=2\n"                                                \
    "0 0.000010 0.000010 MPI_Waitall reqs=1,2\n"                                                                       \
    "1 0.000000 0.000000 MPI_Irecv comm=0 peer=0 tag=1 bytes=8 req=1 recv_extent=2305843009213693951\n"                \
    "1 0.000000 0.000000 MPI_Irecv comm=0 peer=0 tag=1 bytes=8 req=2 recv_extent=2305843009213693951\n"                \
    "1 0.000000 0.000000 MPI_Waitall reqs=1,2\n"

static void failed_tests_go(void **state)
{
    (void)state;
    test_gives(
        "p2p=flush", TESTED,
        CREATED(0) "0 0.000000 0.000000 MPI_Win_lock_all win=0\n"
                   "0 0.000000 0.000000 MPI_Put win=0 target=1 bytes=8 disp=0 target_extent=2305843009213693951\n"
                   "0 0.000005 0.000005 MPI_Put win=0 target=1 bytes=8 target_extent=2305843009213693951\n"
                   "0 0.000010 0.000010 MPI_Win_flush win=0 target=1\n"
                   "0 0.000010 0.000010 MPI_Isend comm=0 peer=1 tag=1 bytes=0 req=1\n"
                   "0 0.000010 0.000010 MPI_Isend comm=0 peer=1 tag=1 bytes=0 req=2\n"
                   "0 0.000010 0.000010 MPI_Waitall reqs=1,2\n"
                   "0 0.000010 0.000010 MPI_Win_unlock_all win=0\n"
                   "0 0.000010 0.000010 MPI_Win_free win=0\n" CREATED(
                       1) "1 0.000000 0.000000 MPI_Win_lock_all win=0\n"
                          "1 0.000000 0.000000 MPI_Irecv comm=0 peer=0 tag=1 bytes=0 req=1\n"
                          "1 0.000000 0.000000 MPI_Irecv comm=0 peer=0 tag=1 bytes=0 req=2\n"
                          "1 0.000000 0.000000 MPI_Waitall reqs=1,2\n"
                          "1 0.000000 0.000000 MPI_Win_unlock_all win=0\n"
                          "1 0.000000 0.000000 MPI_Win_free win=0\n");
    static const char *const pscw[] = {"p2p=pscw", NULL};
    assert_true(test_run_rewritten_us(TESTED, "a", pscw) > 0);
}

/* A send is a put with a signal and its request, a wait for a receive one for the signal. Both tags of rank 1 have a
 * place at rank 0. Rank 0 waits for the second message of tag 2 first: its put is behind that of the first one, so both
 * signals are there then. */
static void a_signal_shows_the_data(void **state)
{
    (void)state;
    test_gives("p2p=notify",
               "ranks 2\n"
               "0 0.000000 0.000000 MPI_Irecv comm=0 peer=1 tag=2 bytes=8 req=1\n"
               "0 0.000000 0.000000 MPI_Irecv comm=0 peer=1 tag=2 bytes=16 req=2\n"
               "0 0.000005 0.000005 MPI_Recv comm=0 peer=1 tag=1 bytes=0\n"
               "0 0.000005 0.000005 MPI_Isend comm=0 peer=1 tag=1 bytes=32 req=3\n"
               "0 0.000010 0.000011 MPI_Waitall reqs=2,3\n"
               "0 0.000012 0.000012 MPI_Wait req=1\n"
               "1 0.000000 0.000000 MPI_Send comm=0 peer=0 tag=2 bytes=8\n"
               "1 0.000000 0.000000 MPI_Isend comm=0 peer=0 tag=2 bytes=16 req=1\n"
               "1 0.000001 0.000001 MPI_Sendrecv comm=0 peer=0 tag=1 source=0 recvtag=1 bytes=0 received=32\n"
               "1 0.000001 0.000001 MPI_Test req=1 flag=1\n",
               "0 0.000000 enter rewritten\n"
               "0 0.000000 leave rewritten\n"
               "0 0.000005 0.000005 shmem_signal_wait_until win=0 disp=8\n"
               "0 0.000005 0.000005 shmem_put_signal_req win=0 target=1 bytes=32 disp=0 req=3\n"
               "0 0.000010 0.000011 MPI_Waitall reqs=3\n"
               "0 0.000011 0.000011 shmem_signal_wait_until win=0 disp=0\n"
               "0 0.000011 0.000011 shmem_signal_wait_until win=0 disp=0\n"
               "0 0.000012 enter rewritten\n"
               "0 0.000012 leave rewritten\n"
               "1 0.000000 0.000000 shmem_put_signal win=0 target=0 bytes=8 disp=0\n"
               "1 0.000000 0.000000 shmem_put_signal_req win=0 target=0 bytes=16 disp=0 req=1\n"
               "1 0.000001 0.000001 shmem_put_signal win=0 target=0 bytes=0 disp=8\n"
               "1 0.000001 0.000001 shmem_signal_wait_until win=0 disp=0\n"
               "1 0.000001 0.000001 MPI_Test req=1 flag=1\n");
}

/* All ranks send first and then receive, which only the library's buffers allow. As one exchange each posts first. */
#define SHIFT(R, TO, FROM)                                                                                             \
#R " 0 0 MPI_Send comm=0 peer=" #TO " tag=1 bytes=8\n" #R " 0 0 MPI_Recv comm=0 peer=" #FROM " tag=1 bytes=8\n"
#define SHIFTED(R, TO, FROM)                                                                                           \
    CREATED(R)                                                                                                         \
#R " 0.000000 0.000000 MPI_Win_post win=0 group=" #FROM "\n" #R                                                    \
       " 0.000000 0.000000 MPI_Win_start win=0 group=" #TO "\n" #R " 0.000000 0.000000 MPI_Put win=0 target=" #TO      \
       " bytes=8 disp=0\n" #R " 0.000000 0.000000 MPI_Win_complete win=0\n" #R                                         \
       " 0.000000 0.000000 MPI_Win_wait win=0\n" #R " 0.000000 0.000000 MPI_Win_free win=0\n"
#define FENCED(R, TO)                                                                                                  \
    CREATED(R)                                                                                                         \
#R " 0.000000 0.000000 MPI_Win_fence win=0 assert=NOPRECEDE\n" #R " 0.000000 0.000000 MPI_Put win=0 target=" #TO   \
       " bytes=8 disp=0\n" #R " 0.000000 0.000000 MPI_Win_fence win=0 assert=NOSUCCEED\n" #R                           \
       " 0.000000 0.000000 MPI_Win_free win=0\n"

static void a_circle_is_one_exchange(void **state)
{
    (void)state;
    test_gives("p2p=pscw", "ranks 3\n" SHIFT(0, 1, 2) SHIFT(1, 2, 0) SHIFT(2, 0, 1),
               SHIFTED(0, 1, 2) SHIFTED(1, 2, 0) SHIFTED(2, 0, 1));
    test_gives("p2p=fence", "ranks 3\n" SHIFT(0, 1, 2) SHIFT(1, 2, 0) SHIFT(2, 0, 1),
               FENCED(0, 1) FENCED(1, 2) FENCED(2, 0));
}

/* A receive that is posted ahead, while another one is open: its post waits until the window is free. */
static void one_exposure_follows_another(void **state)
{
    (void)state;
    test_gives("p2p=pscw",
               "ranks 2\n"
               "0 0 0 MPI_Irecv comm=0 peer=1 tag=1 bytes=8 req=1\n"
               "0 0 0 MPI_Irecv comm=0 peer=1 tag=2 bytes=8 req=2\n"
               "0 0 0 MPI_Wait req=1\n"
               "0 0 0 MPI_Barrier comm=0\n"
               "0 0 0 MPI_Wait req=2\n"
               "1 0 0 MPI_Send comm=0 peer=0 tag=1 bytes=8\n"
               "1 0 0 MPI_Barrier comm=0\n"
               "1 0 0 MPI_Start\n"
               "1 0 0 MPI_Isend comm=0 peer=0 tag=2 bytes=8 req=1 started=1\n"
               "1 0 0 MPI_Waitall reqs=1\n",
               CREATED(0) "0 0.000000 0.000000 MPI_Win_post win=0 group=1\n"
                          "0 0.000000 0.000000 MPI_Win_wait win=0\n"
                          "0 0.000000 0.000000 MPI_Win_post win=0 group=1\n"
                          "0 0.000000 0.000000 MPI_Barrier comm=0\n"
                          "0 0.000000 0.000000 MPI_Win_wait win=0\n"
                          "0 0.000000 0.000000 MPI_Win_free win=0\n" CREATED(
                              1) "1 0.000000 0.000000 MPI_Win_start win=0 group=0\n"
                                 "1 0.000000 0.000000 MPI_Put win=0 target=0 bytes=8 disp=0\n"
                                 "1 0.000000 0.000000 MPI_Win_complete win=0\n"
                                 "1 0.000000 0.000000 MPI_Barrier comm=0\n"
                                 "1 0.000000 0.000000 MPI_Start\n"
                                 "1 0.000000 0.000000 MPI_Win_start win=0 group=0\n"
                                 "1 0.000000 0.000000 MPI_Put win=0 target=0 bytes=8 disp=0\n"
                                 "1 0.000000 0.000000 MPI_Win_complete win=0\n"
                                 "1 0.000000 0.000000 MPI_Win_free win=0\n");
}

/* A collective between the calls of an exchange, which computing would overlap, is no obstacle: nobody waits in it for
 * a post. */
#define OVERLAP(R, OTHER)                                                                                              \
#R " 0 0 MPI_Irecv comm=0 peer=" #OTHER " tag=0 bytes=8 req=1\n" #R " 0 0 MPI_Isend comm=0 peer=" #OTHER           \
       " tag=0 bytes=8 req=2\n" #R " 0 0 MPI_Allreduce comm=0 bytes=8\n" #R " 0 0 MPI_Waitall reqs=1,2\n"

static void a_collective_may_be_inside(void **state)
{
    (void)state;
#define INSIDE(R, OTHER)                                                                                               \
    CREATED(R)                                                                                                         \
#R " 0.000000 0.000000 MPI_Win_post win=0 group=" #OTHER "\n" #R                                                   \
       " 0.000000 0.000000 MPI_Win_start win=0 group=" #OTHER "\n" #R                                                  \
       " 0.000000 0.000000 MPI_Put win=0 target=" #OTHER " bytes=8 disp=0\n" #R                                        \
       " 0.000000 0.000000 MPI_Win_complete win=0\n" #R " 0.000000 0.000000 MPI_Allreduce comm=0 bytes=8\n" #R         \
       " 0.000000 0.000000 MPI_Win_wait win=0\n" #R " 0.000000 0.000000 MPI_Win_free win=0\n"
    test_gives("p2p=pscw", "ranks 2\n" OVERLAP(0, 1) OVERLAP(1, 0), INSIDE(0, 1) INSIDE(1, 0));
    static const char *const fence[] = {"p2p=fence", NULL};
    assert_true(test_run_rewritten_us("ranks 2\n" OVERLAP(0, 1) OVERLAP(1, 0), "a", fence) > 0);
}

/* Receives that the program waits for one after another are one exposure; with a send between them they are two. */
static void waits_in_a_row_are_one(void **state)
{
    (void)state;
    struct rewrite rewrite;
    struct err err;
    const char *spec = "p2p=pscw";
    for (int sends = 0; sends < 2; sends++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "ranks 3\n"
                 "0 0 0 MPI_Irecv comm=0 peer=1 tag=1 bytes=8 req=1\n"
                 "0 0 0 MPI_Irecv comm=0 peer=2 tag=1 bytes=8 req=2\n"
                 "0 0 0 MPI_Waitany reqs=2\n%s"
                 "0 0 0 MPI_Waitany reqs=1\n"
                 "1 0 0 MPI_Send comm=0 peer=0 tag=1 bytes=8\n"
                 "2 0 0 MPI_Send comm=0 peer=0 tag=1 bytes=8\n%s",
                 sends ? "0 0 0 MPI_Send comm=0 peer=2 tag=1 bytes=8\n" : "",
                 sends ? "2 0 0 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n" : "");
        struct trace *trace = test_read(text);
        if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
        size_t posts = 0;
        for (size_t i = 0; i < rewrite.trace->ranks[0].count; i++)
            posts += rewrite.trace->ranks[0].calls[i].call == ID_Win_post;
        assert_int_equal(posts, sends ? 2 : 1);
        rewrite_clear(&rewrite);
        trace_free(trace);
    }
}

/* Only ranks 1 and 2 exchange, on a communicator of theirs: its window is made behind it, and fences are theirs. */
static void a_communicator_has_its_own_window(void **state)
{
    (void)state;
    test_gives("p2p=fence",
               "ranks 3\ncomm 1 ranks=1,2\n"
               "0 0 0 MPI_Comm_split comm=0\n"
               "1 0 0 MPI_Comm_split comm=0 newcomm=1\n"
               "1 0 0 MPI_Sendrecv comm=1 peer=2 tag=0 source=2 recvtag=0 bytes=8 received=16\n"
               "2 0 0 MPI_Comm_split comm=0 newcomm=1\n"
               "2 0 0 MPI_Sendrecv comm=1 peer=1 tag=0 source=1 recvtag=0 bytes=16 received=8\n",
               "0 0.000000 0.000000 MPI_Comm_split comm=0\n"
               "1 0.000000 0.000000 MPI_Comm_split comm=0 newcomm=1\n"
               "1 0.000000 0.000000 MPI_Win_create win=0\n"
               "1 0.000000 0.000000 MPI_Win_fence win=0 assert=NOPRECEDE\n"
               "1 0.000000 0.000000 MPI_Put win=0 target=2 bytes=8 disp=0\n"
               "1 0.000000 0.000000 MPI_Win_fence win=0 assert=NOSUCCEED\n"
               "1 0.000000 0.000000 MPI_Win_free win=0\n"
               "2 0.000000 0.000000 MPI_Comm_split comm=0 newcomm=1\n"
               "2 0.000000 0.000000 MPI_Win_create win=0\n"
               "2 0.000000 0.000000 MPI_Win_fence win=0 assert=NOPRECEDE\n"
               "2 0.000000 0.000000 MPI_Put win=0 target=1 bytes=16 disp=0\n"
               "2 0.000000 0.000000 MPI_Win_fence win=0 assert=NOSUCCEED\n"
               "2 0.000000 0.000000 MPI_Win_free win=0\n");
}

/* Two pairs that know nothing of each other have one exchange each: together they are the round of a fence. */
static void pairs_are_a_round_of_all_ranks(void **state)
{
    (void)state;
#define PAIR(R, OTHER)                                                                                                 \
#R " 0 0 MPI_Sendrecv comm=0 peer=" #OTHER " tag=0 source=" #OTHER " recvtag=0 bytes=8 received=8\n"
    test_gives("p2p=fence", "ranks 4\n" PAIR(0, 1) PAIR(1, 0) PAIR(2, 3) PAIR(3, 2),
               FENCED(0, 1) FENCED(1, 0) FENCED(2, 3) FENCED(3, 2));
}

/* 1 MB takes 100 us, the latency is 10. The window is there at 20: an all-gather of its sizes and a barrier. Rank 1
 * posts late, at 120. pscw, a: rank 0's start, at 70, returns at 130; its data leave until 230, computing until 330,
 * notification at 340. Rank 1 puts at 120, complete 140-220, wait 340. Rank 0's wait has nothing to wait for; the
 * window's freeing ends at 350. c: the put is queued, and leaves at 130; complete at 270, notification at 280, freed at
 * 290. fence: rank 0 leaves the first one at 130, puts at 180, ends computing at 380; rank 1 leaves the second one at
 * 390: 400. flush: the locks are granted at 40, the puts are at 90 and 140. Rank 0's flush at 290 has its answer since
 * 210, and its flag is there at 300; rank 1 flushes at 160 until 260. Nothing is outstanding at the unlocks. The
 * freeing ends 10 behind rank 1's: 310. */
/* notify: no window is made. Rank 0 computes until 250, and has the signal since 210; rank 1 has all at 200. */
/* Gets take two latencies and the transfer, 120. get-pscw: the posts are at 70 and 120. Rank 1 starts at 140, and
 * completes at 260; rank 0 starts at 270 and completes at 390. Rank 1's wait ends when its data have left, at 380; freed
 * at 400. get-fence: the first fence as before, at 130 and 120. Rank 1's request is at rank 0 at 130, its data there at
 * 240; rank 0's at 250. Rank 0 computes until 330, so rank 1 leaves the second fence at 340, freed at 350. get-flush:
 * the messages leave at 90 and 140. Rank 1 has its data from 160 to 280, rank 0 from 290 to 410, and the freeing ends at
 * 420. get-notify, without the 40 of window and locks: 370. */
static const char two_ranks[] = "ranks 2\n"
                                "0 0.000000 0.000000 MPI_Irecv comm=0 peer=1 tag=0 bytes=1000000 req=1\n"
                                "0 0.000050 0.000050 MPI_Isend comm=0 peer=1 tag=0 bytes=1000000 req=2\n"
                                "0 0.000250 0.000250 MPI_Waitall reqs=1,2\n"
                                "1 0.000100 0.000100 MPI_Irecv comm=0 peer=0 tag=0 bytes=1000000 req=1\n"
                                "1 0.000100 0.000100 MPI_Isend comm=0 peer=0 tag=0 bytes=1000000 req=2\n"
                                "1 0.000120 0.000120 MPI_Waitall reqs=1,2\n";

static void assert_us(double got_us, double expected_us)
{
    if (got_us < expected_us - 1e-6 || got_us > expected_us + 1e-6)
        fail_msg("%.6f us, expected %.6f", got_us, expected_us);
}

static void one_exchange_takes_as_long_as_worked_out(void **state)
{
    (void)state;
    static const char *const pscw[] = {"p2p=pscw", NULL}, *const fence[] = {"p2p=fence", NULL},
                             *const flush[] = {"p2p=flush", NULL}, *const notify[] = {"p2p=notify", NULL},
                             *const get_pscw[] = {"p2p=get-pscw", NULL}, *const get_fence[] = {"p2p=get-fence", NULL},
                             *const get_flush[] = {"p2p=get-flush", NULL}, *const get_notify[] = {"p2p=get-notify", NULL};
    assert_us(test_run_rewritten_us(two_ranks, "a", pscw), 350);
    assert_us(test_run_rewritten_us(two_ranks, "c", pscw), 290);
    assert_us(test_run_rewritten_us(two_ranks, "a", fence), 400);
    assert_us(test_run_rewritten_us(two_ranks, "c", fence), 400);
    assert_us(test_run_rewritten_us(two_ranks, "a", flush), 310);
    assert_us(test_run_rewritten_us(two_ranks, "c", flush), 310);
    assert_us(test_run_rewritten_us(two_ranks, "a", notify), 250);
    assert_us(test_run_rewritten_us(two_ranks, "a", get_pscw), 400);
    assert_us(test_run_rewritten_us(two_ranks, "c", get_pscw), 400);
    assert_us(test_run_rewritten_us(two_ranks, "a", get_fence), 350);
    assert_us(test_run_rewritten_us(two_ranks, "a", get_flush), 420);
    assert_us(test_run_rewritten_us(two_ranks, "a", get_notify), 370);
}

#define MESSAGE "ranks 2\n0 0 0 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=1\n0 0 0 MPI_Wait req=1\n"
#define RECEIVE "1 0 0 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n"

static void what_cannot_be_put_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *text, *what;
    } rows[] = {
        {"p2p=pscw", MESSAGE, "rank 0, event 1 (MPI_Isend): p2p=pscw changes nothing: nobody receives it"},
        {"p2p=pscw", "ranks 2\n" RECEIVE, "rank 1, event 1 (MPI_Recv): p2p=pscw changes nothing: nobody sends"},
        {"p2p=flush", MESSAGE "1 0 0 MPI_Recv comm=0 peer=0 tag=0 bytes=7\n",
         "rank 0, event 1 (MPI_Isend): p2p=flush changes nothing: as many bytes as were sent were not received"},
        {"p2p=pscw", MESSAGE "1 0 0 MPI_Probe comm=0 peer=0 tag=0\n" RECEIVE, "a probe finds it"},
        {"p2p=pscw", MESSAGE "1 0 0 MPI_Irecv comm=0 peer=0 tag=0 bytes=8 req=1\n",
         "rank 1, event 1 (MPI_Irecv): p2p=pscw "
         "changes nothing: no call waits"},
        {"p2p=fence",
         "ranks 1\n0 0 0 MPI_Irecv comm=0 peer=0 tag=0 bytes=8 req=1\n0 0 0 MPI_Send comm=0 peer=0 tag=0 bytes=8\n"
         "0 0 0 MPI_Wait req=1\n",
         "the rank sends it to itself"},
        {"p2p=pscw", MESSAGE "1 0 0 MPI_Recv comm=0 peer=0 tag=0 bytes=8 thread=1\n",
         "several threads of its receiver"},
        {"p2p=pscw",
         "ranks 2\nwindow 0 comm=0\n0 0 0 MPI_Win_lock win=0 target=1 lock=shared\n"
         "0 0 0 MPI_Send comm=0 peer=1 tag=0 bytes=8\n0 0 0 MPI_Win_unlock win=0 target=1\n" RECEIVE,
         "its sender holds a lock"},
        {"p2p=pscw",
         MESSAGE "1 0 0 MPI_Irecv comm=0 peer=0 tag=0 bytes=8 req=1\n1 0 0 MPI_Request_get_status req=1 flag=0\n"
                 "1 0 0 MPI_Wait req=1\n",
         "MPI_Request_get_status asks"},
        /* The library holds the message until the receiver comes out of the barrier, into which the sender comes last.
         */
        {"p2p=pscw",
         "ranks 2\n0 0 0 MPI_Send comm=0 peer=1 tag=0 bytes=8\n0 0 0 MPI_Barrier comm=0\n1 0 0 MPI_Barrier "
         "comm=0\n" RECEIVE,
         "MPI_Barrier is between the calls of its exchange"},
        /* Rank 0 waits for both messages at once, and rank 1 sends the second one when it has rank 0's answer to the
           first. */
        {"p2p=pscw",
         "ranks 3\n0 0 0 MPI_Recv comm=0 peer=1 tag=0 bytes=8\n0 0 0 MPI_Send comm=0 peer=1 tag=0 bytes=8\n"
         "1 0 0 MPI_Isend comm=0 peer=0 tag=0 bytes=8 req=1\n1 0 0 MPI_Isend comm=0 peer=2 tag=0 bytes=8 req=2\n"
         "1 0 0 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n1 0 0 MPI_Waitall reqs=1,2\n"
         "2 0 0 MPI_Irecv comm=0 peer=1 tag=0 bytes=8 req=1\n2 0 0 MPI_Irecv comm=0 peer=1 tag=1 bytes=8 req=2\n"
         "2 0 0 MPI_Waitall reqs=1,2\n1 0 0 MPI_Send comm=0 peer=2 tag=1 bytes=8\n",
         "a rank waits for a part of its exchange before it sends another part"},
        {"p2p=get-pscw", "ranks 2\n0 0 0 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=1\n" RECEIVE,
         "no call waits for its send, so its memory could be read at any time"},
        /* A send that waits for its get, and a receiver that cannot come before it. */
        {"p2p=get-pscw",
         "ranks 2\n0 0 0 MPI_Send comm=0 peer=1 tag=0 bytes=8\n0 0 0 MPI_Barrier comm=0\n1 0 0 MPI_Barrier "
         "comm=0\n" RECEIVE,
         "MPI_Barrier is between the calls of its exchange"},
        {"p2p=get-fence",
         "ranks 3\n0 0 0 MPI_Sendrecv comm=0 peer=1 tag=0 source=1 recvtag=0 bytes=8 received=8\n"
         "1 0 0 MPI_Sendrecv comm=0 peer=0 tag=0 source=0 recvtag=0 bytes=8 received=8\n",
         "not all ranks of the communicator have its exchange equally often"},
        {"p2p=fence",
         "ranks 3\n0 0 0 MPI_Sendrecv comm=0 peer=1 tag=0 source=1 recvtag=0 bytes=8 received=8\n"
         "1 0 0 MPI_Sendrecv comm=0 peer=0 tag=0 source=0 recvtag=0 bytes=8 received=8\n",
         "not all ranks of the communicator have its exchange equally often"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) test_refuses(rows[i].spec, rows[i].text, rows[i].what);
}

/* ---- all forms of the generator's patterns */

static struct trace *generated(const char *pattern, const char *sync)
{
    struct generate_options options = {.pattern = pattern,
                                       .sync = sync,
                                       .ranks = 9,
                                       .iterations = 4,
                                       .bytes = 5000,
                                       .compute_s = 1e-3,
                                       .imbalance = 0.5,
                                       .seed = 1};
    struct trace *trace;
    struct err err;
    if (generate_trace(&options, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

static bool same_group(const struct trace *a, uint32_t one, const struct trace *b, uint32_t other)
{
    const struct trace_group *g = &a->definitions.groups[one], *h = &b->definitions.groups[other];
    return g->count == h->count && memcmp(g->members, h->members, g->count * sizeof *g->members) == 0;
}

/* Call by call: function, window, target, bytes, group. What may differ is the displacement: the generator leaves the
 * blocks of neighbours out that a rank at the edge of its grid has not. And assertions, and fences that open an epoch
 * alone (opens): the generator's programs have one fence between two exchanges, and so assume that a rank's window may
 * be written while it computes. */
static void assert_same_calls(const struct trace *made, const struct trace *expected, bool opens)
{
    for (uint32_t r = 0; r < made->rank_count; r++) {
        size_t at = 0;
        for (size_t i = 0; i < made->ranks[r].count; i++) {
            const struct trace_call *call = &made->ranks[r].calls[i], *other = &expected->ranks[r].calls[at];
            if (opens && i > 1 && call->call == ID_Win_fence && call->flags & TRACE_NOPRECEDE) continue;
            assert_true(at++ < expected->ranks[r].count);
            assert_string_equal(call_name(call->call), call_name(other->call));
            assert_int_equal(call->handle, other->handle);
            assert_int_equal(call->peer, other->peer);
            assert_int_equal(call->bytes, other->bytes);
            if (call->call == ID_Win_post || call->call == ID_Win_start)
                assert_true(same_group(made, call->sync.group, expected, other->sync.group));
        }
        assert_int_equal(at, expected->ranks[r].count);
    }
}

static void rewritten_patterns_are_the_generated_ones(void **state)
{
    (void)state;
    for (const char *const *pattern = generate_patterns(); *pattern; pattern++)
        for (int fence = 0; fence < 2; fence++) {
            struct trace *made = rewritten(generated(*pattern, "p2p"), fence ? "p2p=fence" : "p2p=pscw");
            struct trace *expected = generated(*pattern, fence ? "fence" : "pscw");
            assert_same_calls(made, expected, fence);
            trace_free(made);
            trace_free(expected);
        }
}

/* ---- programs of messages that run, whatever the library holds of them */

enum { RANKS = 5, STEPS = 30 };

struct writer {
    struct random random;
    FILE *out;
    uint32_t requests[RANKS], open[RANKS][4], open_count[RANKS];
};

static void write_wait(struct writer *writer, uint32_t rank)
{
    if (writer->open_count[rank] == 0) return;
    fprintf(writer->out, "%u 0 0 MPI_Waitall reqs=", rank);
    for (uint32_t i = 0; i < writer->open_count[rank]; i++)
        fprintf(writer->out, "%s%u", i ? "," : "", writer->open[rank][i]);
    fprintf(writer->out, "\n");
    writer->open_count[rank] = 0;
}

/* One end of a message: blocking, or to be waited for later. A blocking send comes before its receive in the order of
 * steps, so the program runs with a library that holds messages; one that holds none may stop. */
static void write_end(struct writer *writer, uint32_t rank, uint32_t peer, bool sends, uint32_t bytes)
{
    bool waits = random_chance(&writer->random, 40);
    if (writer->open_count[rank] == 4) write_wait(writer, rank);
    fprintf(writer->out, "%u 0 0 MPI_%s%s comm=0 peer=%u tag=0 bytes=%u", rank, waits ? "" : "I",
            waits   ? (sends ? "Send" : "Recv")
            : sends ? "send"
                    : "recv",
            peer, bytes);
    if (!waits) {
        writer->open[rank][writer->open_count[rank]++] = ++writer->requests[rank];
        fprintf(writer->out, " req=%u", writer->requests[rank]);
    }
    fprintf(writer->out, "\n");
    if (random_chance(&writer->random, 30)) write_wait(writer, rank);
}

static struct trace *random_messages(uint64_t seed)
{
    char *text = NULL;
    size_t bytes = 0;
    struct writer writer = {.random = {seed}, .out = open_memstream(&text, &bytes)};
    assert_non_null(writer.out);
    fprintf(writer.out, "ranks %d\n", RANKS);
    for (int i = 0; i < STEPS; i++) {
        uint32_t from = random_below(&writer.random, RANKS),
                 to = (from + 1 + random_below(&writer.random, RANKS - 1)) % RANKS;
        uint32_t size = random_below(&writer.random, 3000);
        if (random_chance(&writer.random, 10))
            for (uint32_t r = 0; r < RANKS; r++) fprintf(writer.out, "%u 0 0 MPI_Barrier comm=0\n", r);
        write_end(&writer, from, to, true, size);
        write_end(&writer, to, from, false, size);
    }
    for (uint32_t r = 0; r < RANKS; r++) write_wait(&writer, r);
    fclose(writer.out);
    struct trace *trace = test_read(text);
    free(text);
    return trace;
}

static int64_t pair_bytes(const struct trace *trace, uint32_t from, int32_t to)
{
    int64_t bytes = 0;
    const struct trace_rank *receiver = &trace->ranks[to];
    for (size_t i = 0; i < receiver->count; i++)
        if (call_operation(call_kind(receiver->calls[i].call)) == CALL_GET && receiver->calls[i].peer == (int32_t)from)
            bytes += receiver->calls[i].bytes;
    for (size_t i = 0; i < trace->ranks[from].count; i++) {
        const struct trace_call *call = &trace->ranks[from].calls[i];
        enum call_kind kind = call_kind(call->call);
        if ((call_operation(kind) == CALL_PUT || kind == CALL_SEND || kind == CALL_ISEND) && call->peer == to)
            bytes += call->bytes;
    }
    return bytes;
}

static void random_programs_run_and_move_the_same(void **state)
{
    (void)state;
    enum { FORMS = 8 };
    static const char *const specs[FORMS] = {"p2p=pscw",     "p2p=fence",     "p2p=flush",     "p2p=notify",
                                             "p2p=get-pscw", "p2p=get-fence", "p2p=get-flush", "p2p=get-notify"};
    uint64_t changed[FORMS] = {0}, refused[FORMS] = {0};
    for (uint64_t seed = 1; seed <= 300; seed++)
        for (int form = 0; form < FORMS; form++) {
            struct trace *trace = random_messages(seed);
            struct rewrite rewrite;
            struct err err;
            enum status status = rewrite_run(trace, &specs[form], 1, &rewrite, &err);
            if (status != STATUS_OK && !strstr(err.text, "changes nothing")) fail_msg("%s", err.text);
            for (const char *letter = "abcd"; status == STATUS_OK && *letter; letter++) {
                const char semantics[] = {*letter, '\0'};
                assert_true(test_run_us(rewrite.trace, semantics) > 0);
            }
            for (int32_t i = 0; status == STATUS_OK && i < RANKS * RANKS; i++)
                assert_int_equal(pair_bytes(trace, (uint32_t)(i / RANKS), i % RANKS),
                                 pair_bytes(rewrite.trace, (uint32_t)(i / RANKS), i % RANKS));
            if (status == STATUS_OK) {
                changed[form] += rewrite.reports[0].changed;
                refused[form] += rewrite.reports[0].refused;
                rewrite_clear(&rewrite);
            }
            trace_free(trace);
        }
    assert_true(changed[0] > refused[0]);
    assert_int_equal(refused[2] + refused[3] + refused[6] + refused[7], 0);
    assert_true(changed[4] > 0 && changed[5] > 0);
}

/* A wavefront of 4 x 4: each rank receives from north and west, and sends to south and east. Its messages are no
 * circle: each is an exchange, but for fences, of which the ranks at the edges would have fewer. */
static void a_wavefront_runs(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    fprintf(out, "ranks 16\n");
    for (int sweep = 0; sweep < 2; sweep++)
        for (int r = 0; r < 16; r++) {
            const int around[4] = {r >= 4 ? r - 4 : -1, r % 4 ? r - 1 : -1, r < 12 ? r + 4 : -1,
                                   r % 4 < 3 ? r + 1 : -1};
            for (int side = 0; side < 4; side++) /* back from the other corner in the second sweep */
                if (around[sweep ? 3 - side : side] >= 0)
                    fprintf(out, "%d 0 0 MPI_%s comm=0 peer=%d tag=0 bytes=100000\n", r, side < 2 ? "Recv" : "Send",
                            around[sweep ? 3 - side : side]);
        }
    fclose(out);
    static const char *const specs[] = {"p2p=pscw",     "p2p=flush",     "p2p=notify",
                                        "p2p=get-pscw", "p2p=get-flush", "p2p=get-notify"};
    for (size_t form = 0; form < sizeof specs / sizeof *specs; form++) {
        struct trace *made = rewritten(test_read(text), specs[form]);
        for (const char *letter = "abcd"; *letter; letter++) {
            const char semantics[] = {*letter, '\0'};
            assert_true(test_run_us(made, semantics) > 0);
        }
        trace_free(made);
    }
    test_refuses("p2p=fence", text, "not all ranks of the communicator have its exchange equally often");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exchange_has_two_epochs_of_each_rank),
        cmocka_unit_test(complete_precedes_what_waits_for_others),
        cmocka_unit_test(the_receiver_gets_what_is_there),
        cmocka_unit_test(neighbours_are_messages),
        cmocka_unit_test(one_post_tells_several),
        cmocka_unit_test(a_post_comes_with_the_last_data),
        cmocka_unit_test(failed_tests_go),
        cmocka_unit_test(a_signal_shows_the_data),
        cmocka_unit_test(a_circle_is_one_exchange),
        cmocka_unit_test(one_exposure_follows_another),
        cmocka_unit_test(a_collective_may_be_inside),
        cmocka_unit_test(waits_in_a_row_are_one),
        cmocka_unit_test(a_communicator_has_its_own_window),
        cmocka_unit_test(pairs_are_a_round_of_all_ranks),
        cmocka_unit_test(one_exchange_takes_as_long_as_worked_out),
        cmocka_unit_test(what_cannot_be_put_is_refused),
        cmocka_unit_test(rewritten_patterns_are_the_generated_ones),
        cmocka_unit_test(random_programs_run_and_move_the_same),
        cmocka_unit_test(a_wavefront_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
