/* Wait states of fences, window creation and freeing, barriers and collectives on hand-made times. */
#include "model_test.h"

#include <stdio.h>

static void expect_us(const char *text, enum pattern pattern, const int64_t *us, uint32_t ranks)
{
    struct totals totals = account_of(text, NULL);
    for (uint32_t r = 0; r < ranks; r++)
        if (totals.severity_ps[pattern][r] != us[r] * US)
            fail_msg("%s of rank %u: %lld ps, expected %lld us", pattern_row(pattern)->name, r,
                     (long long)totals.severity_ps[pattern][r], (long long)us[r]);
    totals_clear(&totals);
}

#define EXPECT(text, pattern, ...)                                                                                     \
    do {                                                                                                               \
        const int64_t us_[] = {__VA_ARGS__};                                                                           \
        expect_us(text, pattern, us_, sizeof us_ / sizeof *us_);                                                       \
    } while (0)

#define THREE "ranks 3\nwindow 0 comm=0\n"

static void fence_one_late(void **state)
{
    (void)state;
    /* Enters 10, 20, 50; everybody leaves after 50. */
    EXPECT(THREE "0 0.000010 0.000055 MPI_Win_fence win=0\n1 0.000020 0.000056 MPI_Win_fence win=0\n"
                 "2 0.000050 0.000057 MPI_Win_fence win=0\n",
           PATTERN_WAIT_AT_FENCE, 40, 30, 0);
}

static void fence_that_does_not_synchronise(void **state)
{
    (void)state;
    /* Rank 0 leaves at 49, before the last enter at 50. */
    EXPECT(THREE "0 0.000010 0.000049 MPI_Win_fence win=0 assert=NOPRECEDE\n"
                 "1 0.000020 0.000056 MPI_Win_fence win=0 assert=NOPRECEDE\n"
                 "2 0.000050 0.000057 MPI_Win_fence win=0 assert=NOPRECEDE\n",
           PATTERN_WAIT_AT_FENCE, 0, 0, 0);
    /* An exit at the very moment of the last enter still synchronises. */
    EXPECT(THREE "0 0.000010 0.000050 MPI_Win_fence win=0\n1 0.000020 0.000056 MPI_Win_fence win=0\n"
                 "2 0.000050 0.000057 MPI_Win_fence win=0\n",
           PATTERN_WAIT_AT_FENCE, 40, 30, 0);
}

static void fences_count_per_window(void **state)
{
    (void)state;
    /* Rank 1 fences window 1 before window 0; the second fence of window 0 is its own instance. */
    const char *text = "ranks 2\nwindow 0 comm=0\nwindow 1 comm=0\n"
                       "0 0.000010 0.000040 MPI_Win_fence win=0\n0 0.000050 0.000051 MPI_Win_fence win=1\n"
                       "0 0.000060 0.000080 MPI_Win_fence win=0\n"
                       "1 0.000020 0.000055 MPI_Win_fence win=1\n1 0.000056 0.000057 MPI_Win_fence win=0\n"
                       "1 0.000070 0.000080 MPI_Win_fence win=0\n";
    /* Window 0, first: 10 and 56, but rank 0 left at 40: no wait. Window 1: rank 1 waits 20-50. Window
     * 0, second: rank 0 waits 60-70. */
    EXPECT(text, PATTERN_WAIT_AT_FENCE, 10, 30);
}

static void unfinished_fence(void **state)
{
    (void)state;
    EXPECT(THREE "0 0.000010 0.000055 MPI_Win_fence win=0\n"
                 "1 0.000020 0.000056 MPI_Win_fence win=0\n",
           PATTERN_WAIT_AT_FENCE, 0, 0, 0);
}

static void window_of_a_part(void **state)
{
    (void)state;
    /* The window's members in its order are 3 and 1; ranks 0 and 2 have no part. */
    const char *text = "ranks 4\ncomm 1 ranks=3,1\nwindow 0 comm=1\n"
                       "1 0.000000 0.000030 MPI_Win_create win=0\n3 0.000025 0.000031 MPI_Win_create win=0\n"
                       "1 0.000040 0.000050 MPI_Win_fence win=0\n3 0.000033 0.000050 MPI_Win_fence win=0\n"
                       "1 0.000060 0.000070 MPI_Win_free win=0\n3 0.000062 0.000070 MPI_Win_free win=0\n";
    EXPECT(text, PATTERN_WAIT_AT_CREATE, 0, 25, 0, 0);
    EXPECT(text, PATTERN_WAIT_AT_FENCE, 0, 0, 0, 7);
    EXPECT(text, PATTERN_WAIT_AT_FREE, 0, 2, 0, 0);
}

static void barrier(void **state)
{
    (void)state;
    /* Last enter 30; exits 40, 45, 50: completion is what comes after the first exit at 40. */
    const char *text = "ranks 3\n0 0.000010 0.000040 MPI_Barrier comm=0\n1 0.000020 0.000045 MPI_Barrier comm=0\n"
                       "2 0.000030 0.000050 MPI_Barrier comm=0\n";
    EXPECT(text, PATTERN_WAIT_AT_BARRIER, 20, 10, 0);
    EXPECT(text, PATTERN_BARRIER_COMPLETION, 0, 5, 10);
}

static void barriers_of_two_communicators(void **state)
{
    (void)state;
    const char *text = "ranks 3\ncomm 1 ranks=0,1\n"
                       "0 0.000010 0.000020 MPI_Barrier comm=1\n1 0.000015 0.000020 MPI_Barrier comm=1\n"
                       "0 0.000030 0.000050 MPI_Barrier comm=0\n"
                       "1 0.000040 0.000050 MPI_Barrier comm=0\n2 0.000042 0.000050 MPI_Barrier comm=0\n";
    EXPECT(text, PATTERN_WAIT_AT_BARRIER, 5 + 12, 2, 0);
}

static void collectives(void **state)
{
    (void)state;
    /* Allreduce enters 10, 30; broadcast from 1: root enters at 60; reduce to 0 at 70, the first sender comes at 85. */
    const char *text = "ranks 3\n"
                       "0 0.000010 0.000040 MPI_Allreduce comm=0 bytes=8\n"
                       "1 0.000030 0.000041 MPI_Allreduce comm=0 bytes=8\n"
                       "2 0.000025 0.000042 MPI_Allreduce comm=0 bytes=8\n"
                       "0 0.000050 0.000065 MPI_Bcast comm=0 root=1 bytes=8\n"
                       "1 0.000060 0.000064 MPI_Bcast comm=0 root=1 bytes=8\n"
                       "2 0.000062 0.000066 MPI_Bcast comm=0 root=1 bytes=8\n"
                       "0 0.000070 0.000095 MPI_Reduce comm=0 root=0 bytes=8\n"
                       "1 0.000085 0.000086 MPI_Reduce comm=0 root=0 bytes=8\n"
                       "2 0.000090 0.000091 MPI_Reduce comm=0 root=0 bytes=8\n";
    EXPECT(text, PATTERN_WAIT_AT_NXN, 20, 0, 5);
    EXPECT(text, PATTERN_LATE_BROADCAST, 10, 0, 0);
    EXPECT(text, PATTERN_EARLY_REDUCE, 15, 0, 0);
}

static void collectives_out_of_order(void **state)
{
    (void)state;
    expect_fault("ranks 2\n0 0.0 0.1 MPI_Barrier comm=0\n1 0.0 0.1 MPI_Allreduce comm=0 bytes=8\n",
                 (const char *const[]){"rank 1, event 1 (MPI_Allreduce)", "communicator 0", "same order", NULL});
}

static void messages(void **state)
{
    (void)state;
    /* Receive 10-50 waits for the send at 40. The second send, 100 KB (above the eager limit), 60-90, waits for the
     * receive that begins at 80; the third is small, the fourth buffered, the fifth synchronous and small: 300-320
     * until 310. */
    const char *text = "ranks 2\n"
                       "0 0.000040 0.000041 MPI_Send comm=0 peer=1 tag=1 bytes=8\n"
                       "1 0.000010 0.000050 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n"
                       "0 0.000060 0.000090 MPI_Send comm=0 peer=1 tag=1 bytes=102400\n"
                       "1 0.000080 0.000091 MPI_Recv comm=0 peer=0 tag=1 bytes=102400\n"
                       "0 0.000100 0.000120 MPI_Send comm=0 peer=1 tag=1 bytes=8\n"
                       "1 0.000110 0.000121 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n"
                       "0 0.000200 0.000220 MPI_Bsend comm=0 peer=1 tag=1 bytes=102400\n"
                       "1 0.000210 0.000221 MPI_Recv comm=0 peer=0 tag=1 bytes=102400\n"
                       "0 0.000300 0.000320 MPI_Ssend comm=0 peer=1 tag=1 bytes=8\n"
                       "1 0.000310 0.000321 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n";
    EXPECT(text, PATTERN_LATE_SENDER, 0, 30);
    EXPECT(text, PATTERN_LATE_RECEIVER, 20 + 10, 0);
}

static void message_order_and_tags(void **state)
{
    (void)state;
    /* Tag 2 is received first although it is sent second; non-blocking receives hold no rank up in themselves. */
    const char *text = "ranks 2\n"
                       "0 0.000010 0.000011 MPI_Send comm=0 peer=1 tag=1 bytes=8\n"
                       "0 0.000030 0.000031 MPI_Send comm=0 peer=1 tag=2 bytes=8\n"
                       "0 0.000090 0.000091 MPI_Isend comm=0 peer=1 tag=2 bytes=8 req=1\n"
                       "0 0.000092 0.000093 MPI_Wait req=1\n"
                       "1 0.000005 0.000035 MPI_Recv comm=0 peer=0 tag=2 bytes=8\n"
                       "1 0.000040 0.000041 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n"
                       "1 0.000050 0.000051 MPI_Irecv comm=0 peer=0 tag=2 bytes=8 req=4\n"
                       "1 0.000060 0.000095 MPI_Wait req=4\n";
    EXPECT(text, PATTERN_LATE_SENDER, 0, 25);
}

#define LOCK(rank, enter, exit, mode) #rank " " enter " " exit " MPI_Win_lock win=0 target=0 lock=" mode "\n"
#define UNLOCK(rank, enter, exit)     #rank " " enter " " exit " MPI_Win_unlock win=0 target=0\n"

/* OpenSHMEM: rank 1 holds until 30 what test_lock gave it, rank 0 waits for it from 5 on; then rank 2, which asked at
 * 20, for rank 0's release at 60. Another lock is nobody's business. */
static void shmem_locks(void **state)
{
    (void)state;
    EXPECT("ranks 3\nwindow 0 comm=0 flavor=heap\n1 0.000000 0.000001 shmem_test_lock win=0 object=4 flag=1\n"
           "1 0.000028 0.000030 shmem_clear_lock win=0 object=4\n0 0.000005 0.000033 shmem_set_lock win=0 object=4\n"
           "0 0.000058 0.000060 shmem_clear_lock win=0 object=4\n2 0.000010 0.000012 shmem_set_lock win=0 object=7\n"
           "2 0.000020 0.000062 shmem_set_lock win=0 object=4\n2 0.000070 0.000071 shmem_clear_lock win=0 object=4\n",
           PATTERN_LOCK_CONTENTION, 25, 0, 40);
}

static void exclusive_locks(void **state)
{
    (void)state;
    /* Blocking: rank 0 holds until 30; 1, asked at 5, then until 60; 2, asked at 12, waits for 1's release at 60. */
    EXPECT(THREE LOCK(0, "0.000000", "0.000001", "exclusive") UNLOCK(0, "0.000028", "0.000030")
               LOCK(1, "0.000005", "0.000031", "exclusive") UNLOCK(1, "0.000058", "0.000060")
                   LOCK(2, "0.000012", "0.000061", "exclusive") UNLOCK(2, "0.000070", "0.000072"),
           PATTERN_LOCK_CONTENTION, 0, 25, 48);
    /* Lazy: lock returns at once, unlock of 1 (20-40) waits for the release at 30. */
    EXPECT(THREE LOCK(0, "0.000000", "0.000000", "exclusive") UNLOCK(0, "0.000028", "0.000030")
               LOCK(1, "0.000005", "0.000005", "exclusive") UNLOCK(1, "0.000020", "0.000040"),
           PATTERN_LOCK_CONTENTION, 0, 10, 0);
}

/* Rank 0 has the lock in its own memory; rank 1's unlock waits from 12 on until rank 0, which computes, serves its
 * release. Rank 0 does so in its own lock, at 50, and returns from its own unlock at 56, before rank 1 hears of it. The
 * trace does not tell whether rank 0 waited for that in its lock or in its unlock. */
static void unlock_that_waits_for_its_answer(void **state)
{
    (void)state;
    EXPECT(THREE LOCK(1, "0.000005", "0.000010", "exclusive") UNLOCK(1, "0.000012", "0.000060")
               LOCK(0, "0.000050", "0.000053", "exclusive") UNLOCK(0, "0.000054", "0.000056"),
           PATTERN_LOCK_CONTENTION, 3 + 2, 0, 0);
    /* Rank 2 asks at 20. Rank 0's lock is free at 56. */
    EXPECT(THREE LOCK(1, "0.000005", "0.000010", "exclusive") UNLOCK(1, "0.000012", "0.000060")
               LOCK(0, "0.000050", "0.000053", "exclusive") UNLOCK(0, "0.000054", "0.000056")
                   LOCK(2, "0.000020", "0.000059", "exclusive") UNLOCK(2, "0.000061", "0.000062"),
           PATTERN_LOCK_CONTENTION, 3 + 2, 0, 36);
    /* Rank 0 shares it. So did rank 2 before, who is not in rank 0's way. */
    EXPECT(THREE LOCK(1, "0.000005", "0.000010", "exclusive") UNLOCK(1, "0.000012", "0.000060")
               LOCK(0, "0.000050", "0.000053", "shared") UNLOCK(0, "0.000054", "0.000056")
                   LOCK(2, "0.000001", "0.000002", "shared") UNLOCK(2, "0.000003", "0.000004"),
           PATTERN_LOCK_CONTENTION, 3 + 2, 0, 0);
    /* Lazy: both locks return at once. Rank 0's unlock shows that it asked first, or is nearer. */
    EXPECT(THREE LOCK(1, "0.000005", "0.000005", "exclusive") UNLOCK(1, "0.000012", "0.000060")
               LOCK(0, "0.000006", "0.000006", "exclusive") UNLOCK(0, "0.000054", "0.000056"),
           PATTERN_LOCK_CONTENTION, 0, 44, 0);
}

static void shared_locks(void **state)
{
    (void)state;
    /* Readers 0 and 1 share; the writer 2, asked at 10, waits for the last of them at 50. */
    EXPECT(THREE LOCK(0, "0.000000", "0.000001", "shared") UNLOCK(0, "0.000028", "0.000030")
               LOCK(1, "0.000005", "0.000006", "shared") UNLOCK(1, "0.000048", "0.000050")
                   LOCK(2, "0.000010", "0.000051", "exclusive") UNLOCK(2, "0.000070", "0.000072"),
           PATTERN_LOCK_CONTENTION, 0, 0, 40);
    /* A reader after a writer waits for the writer, not for the other reader. */
    EXPECT(THREE LOCK(0, "0.000000", "0.000001", "exclusive") UNLOCK(0, "0.000028", "0.000030")
               LOCK(1, "0.000010", "0.000031", "shared") UNLOCK(1, "0.000048", "0.000050")
                   LOCK(2, "0.000040", "0.000041", "shared") UNLOCK(2, "0.000070", "0.000072"),
           PATTERN_LOCK_CONTENTION, 0, 20, 0);
}

static void locks_that_do_not_contend(void **state)
{
    (void)state;
    /* One origin twice; another target; NOCHECK. */
    EXPECT(THREE LOCK(0, "0.000000", "0.000001", "exclusive") UNLOCK(0, "0.000028", "0.000030")
               LOCK(0, "0.000030", "0.000032", "exclusive")
                   UNLOCK(0, "0.000040",
                          "0.000041") "1 0.000005 0.000035 MPI_Win_lock win=0 target=1 lock=exclusive\n"
                                      "1 0.000036 0.000037 MPI_Win_unlock win=0 target=1\n"
                                      "2 0.000006 0.000035 MPI_Win_lock win=0 target=0 lock=exclusive assert=NOCHECK\n"
                                      "2 0.000042 0.000043 MPI_Win_unlock win=0 target=0\n",
           PATTERN_LOCK_CONTENTION, 0, 0, 0);
}

static void scans(void **state)
{
    (void)state;
    /* Rank 1 waits for rank 0 until 40, rank 2 for rank 0, too: rank 1 had come before. Rank 0 waits for nobody. */
    EXPECT(THREE "0 0.000040 0.000090 MPI_Scan comm=0 bytes=8\n1 0.000010 0.000060 MPI_Scan comm=0 bytes=8\n"
                 "2 0.000025 0.000070 MPI_Scan comm=0 bytes=8\n",
           PATTERN_EARLY_SCAN, 0, 30, 15);
    /* Exscan: cut to the call (rank 1, 10 to 20), and not waiting for a rank behind it (rank 1, for 2). */
    EXPECT(THREE "0 0.000040 0.000090 MPI_Exscan comm=0 bytes=8\n1 0.000010 0.000020 MPI_Exscan comm=0 bytes=8\n"
                 "2 0.000100 0.000170 MPI_Exscan comm=0 bytes=8\n",
           PATTERN_EARLY_SCAN, 0, 10, 0);
    /* Ranks of the communicator count, not of the world: comm 1 is (2, 0). An unfinished one has no waits. */
    EXPECT("ranks 3\ncomm 1 ranks=2,0\n0 0.000010 0.000090 MPI_Scan comm=1 bytes=8\n"
           "2 0.000050 0.000060 MPI_Scan comm=1 bytes=8\n",
           PATTERN_EARLY_SCAN, 40, 0, 0);
    EXPECT(THREE "1 0.000010 0.000060 MPI_Scan comm=0 bytes=8\n2 0.000025 0.000070 MPI_Scan comm=0 bytes=8\n",
           PATTERN_EARLY_SCAN, 0, 0, 0);
}

/* Each kind of collective has its wait state. Rank 0 (root) comes at 10, rank 1 at 30. */
/* Ranks 0 and 1 are one group, 2 and 3 the other; enters 10, 60, 30, 40. A rank waits for the other group's last: 0 until 40, 2
 * and 3 until 60; rank 1 comes after all of them. As one group all would wait until 60. */
static void between_two_groups(void **state)
{
    (void)state;
    static const struct {
        const char *call;
        enum pattern pattern;
    } rows[] = {
        {"MPI_Barrier comm=1", PATTERN_WAIT_AT_BARRIER},
        {"MPI_Allreduce comm=1 bytes=8 op=SUM", PATTERN_WAIT_AT_NXN},
        {"MPI_Allgather comm=1 bytes=8", PATTERN_WAIT_AT_NXN},
        {"MPI_Allgatherv comm=1 bytes=8", PATTERN_WAIT_AT_NXN},
        {"MPI_Alltoall comm=1 bytes=8", PATTERN_WAIT_AT_NXN},
        {"MPI_Reduce_scatter_block comm=1 bytes=16 op=SUM", PATTERN_WAIT_AT_NXN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        const char *call = rows[i].call;
        snprintf(text, sizeof text,
                 "ranks 4\ncomm 1 ranks=0,1,2,3 between=2\n0 0.000010 0.000100 %s\n1 0.000060 0.000100 %s\n"
                 "2 0.000030 0.000100 %s\n3 0.000040 0.000100 %s\n",
                 call, call, call, call);
        EXPECT(text, rows[i].pattern, 30, 0, 30, 20);
    }
}

/* Enters 10, 20, 50. What has no bytes is waited for by nobody: rank 2 gives only rank 1 something, rank 1 only rank 0; rank 0
 * gives rank 2. */
static void empty_blocks(void **state)
{
    (void)state;
    EXPECT("ranks 3\n0 0.000010 0.000100 MPI_Alltoallv comm=0 bytes=8 received=8 counts=0,0,8\n"
           "1 0.000020 0.000100 MPI_Alltoallv comm=0 bytes=8 received=8 counts=8,0,0\n"
           "2 0.000050 0.000100 MPI_Alltoallv comm=0 bytes=8 received=8 counts=0,8,0\n",
           PATTERN_WAIT_AT_NXN, 10, 30, 0);
    EXPECT("ranks 3\n0 0.000010 0.000100 MPI_Allgatherv comm=0 bytes=8 counts=8,8,0\n"
           "1 0.000020 0.000100 MPI_Allgatherv comm=0 bytes=8 counts=8,8,0\n"
           "2 0.000050 0.000100 MPI_Allgatherv comm=0 bytes=0 counts=8,8,0\n",
           PATTERN_WAIT_AT_NXN, 10, 0, 0);
    EXPECT("ranks 3\n0 0.000010 0.000100 MPI_Reduce_scatter comm=0 bytes=16 counts=0,8,8 op=SUM\n"
           "1 0.000020 0.000100 MPI_Reduce_scatter comm=0 bytes=16 counts=0,8,8 op=SUM\n"
           "2 0.000050 0.000100 MPI_Reduce_scatter comm=0 bytes=16 counts=0,8,8 op=SUM\n",
           PATTERN_WAIT_AT_NXN, 0, 30, 0);
    EXPECT("ranks 3\n0 0.000010 0.000100 MPI_Scatterv comm=0 root=2 bytes=8\n"
           "1 0.000020 0.000100 MPI_Scatterv comm=0 root=2 bytes=0\n"
           "2 0.000050 0.000100 MPI_Scatterv comm=0 root=2 bytes=0 counts=8,0,0\n",
           PATTERN_LATE_BROADCAST, 40, 0, 0);
    EXPECT("ranks 3\n0 0.000010 0.000100 MPI_Gatherv comm=0 root=0 bytes=8 counts=8,0,8\n"
           "1 0.000020 0.000100 MPI_Gatherv comm=0 root=0 bytes=0\n"
           "2 0.000050 0.000100 MPI_Gatherv comm=0 root=0 bytes=8\n",
           PATTERN_EARLY_REDUCE, 40, 0, 0);
}

static void every_kind(void **state)
{
    (void)state;
    static const struct {
        const char *call;
        enum pattern pattern;
        int64_t rank_0_us;
    } kinds[] = {
        {"MPI_Barrier comm=0", PATTERN_WAIT_AT_BARRIER, 20},
        {"MPI_Allreduce comm=0 bytes=8", PATTERN_WAIT_AT_NXN, 20},
        {"MPI_Allgather comm=0 bytes=8", PATTERN_WAIT_AT_NXN, 20},
        {"MPI_Allgatherv comm=0 bytes=8", PATTERN_WAIT_AT_NXN, 20},
        {"MPI_Alltoall comm=0 bytes=8", PATTERN_WAIT_AT_NXN, 20},
        {"MPI_Alltoallv comm=0 bytes=8", PATTERN_WAIT_AT_NXN, 20},
        {"MPI_Alltoallw comm=0 bytes=8", PATTERN_WAIT_AT_NXN, 20},
        {"MPI_Reduce_scatter comm=0 bytes=8", PATTERN_WAIT_AT_NXN, 20},
        {"MPI_Reduce_scatter_block comm=0 bytes=8", PATTERN_WAIT_AT_NXN, 20},
        {"MPI_Reduce comm=0 root=0 bytes=8", PATTERN_EARLY_REDUCE, 20},
        {"MPI_Gather comm=0 root=0 bytes=8", PATTERN_EARLY_REDUCE, 20},
        {"MPI_Gatherv comm=0 root=0 bytes=8", PATTERN_EARLY_REDUCE, 20},
        {"MPI_Bcast comm=0 root=1 bytes=8", PATTERN_LATE_BROADCAST, 20},
        {"MPI_Scatter comm=0 root=1 bytes=8", PATTERN_LATE_BROADCAST, 20},
        {"MPI_Scatterv comm=0 root=1 bytes=8", PATTERN_LATE_BROADCAST, 20},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[300];
        const int64_t us[] = {kinds[i].rank_0_us, 0};
        snprintf(text, sizeof text, "ranks 2\n0 0.000010 0.000050 %s\n1 0.000030 0.000050 %s\n", kinds[i].call,
                 kinds[i].call);
        expect_us(text, kinds[i].pattern, us, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fence_one_late),
        cmocka_unit_test(fence_that_does_not_synchronise),
        cmocka_unit_test(fences_count_per_window),
        cmocka_unit_test(unfinished_fence),
        cmocka_unit_test(window_of_a_part),
        cmocka_unit_test(barrier),
        cmocka_unit_test(barriers_of_two_communicators),
        cmocka_unit_test(collectives),
        cmocka_unit_test(collectives_out_of_order),
        cmocka_unit_test(messages),
        cmocka_unit_test(message_order_and_tags),
        cmocka_unit_test(exclusive_locks),
        cmocka_unit_test(shmem_locks),
        cmocka_unit_test(unlock_that_waits_for_its_answer),
        cmocka_unit_test(shared_locks),
        cmocka_unit_test(locks_that_do_not_contend),
        cmocka_unit_test(scans),
        cmocka_unit_test(between_two_groups),
        cmocka_unit_test(empty_blocks),
        cmocka_unit_test(every_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
