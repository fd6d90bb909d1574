/* OpenSHMEM's routines in real programs (tests/record/programs/shmem_*.c): the calls of a PE are those that the source
 * makes, also after they have been through an archive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "run.h"

/* Symmetric addresses are what the linker and the library make them: names by the first PE's order instead. The same
 * object has the same address on all PEs. */
static void name_addresses(struct trace *trace)
{
    int64_t known[16];
    int count = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        for (size_t i = 0; i < trace->ranks[rank].count; i++) {
            struct trace_call *call = &trace->ranks[rank].calls[i];
            if (!(call_row(call->call)->allowed & F_DISP)) continue;
            int place = 0;
            while (place < count && known[place] != call->any.first) place++;
            assert_true(place < count || (rank == 0 && count < 16));
            if (place == count) known[count++] = call->any.first;
            call->any.first = place;
        }
}

/* Extents of two ints, 3 apart here and 2 apart there: 4 * 4 and 3 * 4; of two longs, 2 and 3 apart: 3 * 8 and 4 * 8.
 */
#define MOVES                                                                                                          \
    "shmem_put win=0 target=%1$d bytes=24 disp=0\nshmem_put win=0 target=%1$d bytes=5 disp=1\n"                        \
    "shmem_iput win=0 target=%1$d bytes=8 disp=2 origin_extent=16 target_extent=12\nshmem_fence win=0\n"               \
    "shmem_p win=0 target=%1$d bytes=4 disp=3\n"                                                                       \
    "shmem_put_nbi win=0 target=%1$d bytes=8 disp=4\nshmem_quiet win=0\nshmem_wait_until win=0 disp=3\n"               \
    "shmem_barrier_all comm=0\nshmem_get win=0 target=%1$d bytes=24 disp=0\n"                                          \
    "shmem_g win=0 target=%1$d bytes=8 disp=5\n"                                                                       \
    "shmem_iget win=0 target=%1$d bytes=16 disp=0 origin_extent=24 target_extent=32\n"                                 \
    "shmem_get_nbi win=0 target=%1$d bytes=8 disp=0\nshmem_quiet win=0\nshmem_test win=0 disp=3 flag=1\n"
#define AMO(name, op)      "shmem_atomic_" name " win=0 target=%1$d bytes=8 disp=6 op=" op "\n"
#define FETCHING(name, op) "shmem_atomic_" name " win=0 target=%1$d bytes=8 disp=6 op=" op " result_bytes=8\n"
#define ATOMICS                                                                                                        \
    AMO("set", "REPLACE")                                                                                              \
    AMO("add", "SUM")                                                                                                  \
    AMO("inc", "SUM")                                                                                                  \
    FETCHING("fetch_add", "SUM")                                                                                       \
    FETCHING("fetch_inc", "SUM")                                                                                       \
    FETCHING("swap", "REPLACE")                                                                                        \
    "shmem_atomic_compare_swap win=0 target=%1$d bytes=16 disp=6 result_bytes=8\n"                                     \
    "shmem_atomic_fetch win=0 target=%1$d bytes=0 disp=6 op=NO_OP result_bytes=8\n" FETCHING(                          \
        "fetch_add", "SUM") "shmem_atomic_or win=0 target=%1$d bytes=4 disp=7 op=BOR\n"                                \
                            "shmem_atomic_and win=0 target=%1$d bytes=4 disp=7 op=BAND\n"                              \
                            "shmem_atomic_fetch_xor win=0 target=%1$d bytes=4 disp=7 op=BXOR result_bytes=4\n"
#define LOCKS "shmem_set_lock win=0 object=0\nshmem_clear_lock win=0 object=0\nshmem_barrier_all comm=0\n%4$s"
#define COLLECTIVES                                                                                                    \
    "shmem_sync_all comm=0\nshmem_sum_to_all comm=0 bytes=16 op=SUM\nshmem_max_to_all comm=0 bytes=8 op=MAX\n"         \
    "shmem_broadcast comm=0 root=2 bytes=8\nshmem_fcollect comm=0 bytes=16\nshmem_collect comm=0 bytes=%2$d\n"         \
    "shmem_alltoall comm=0 bytes=8\n%3$s"

/* The active set of ranks 0 and 2 has rank 2 as its member 1. */
static void routines(void **state)
{
    (void)state;
    struct trace *trace = archived(run_recorded("RMACAST_LIMIT=10000000", "shmem_routines", 0));
    name_addresses(trace);
    for (int rank = 0; rank < 4; rank++)
        expect_calls(trace, rank,
                     "shmem_init\nshmem_malloc\nshmem_barrier_all comm=0\n" MOVES ATOMICS
                     "shmem_put win=0 target=%1$d bytes=8 disp=8\nshmem_quiet win=0\n"
                     "shmem_quiet win=0\n" /* of shmem_ctx_destroy */
                     LOCKS COLLECTIVES
                     "shmem_barrier_all comm=0\nshmem_free\nshmem_finalize\n",
                     (rank + 1) % 4, rank % 2 ? 16 : 8,
                     rank % 2 ? ""
                              : "shmem_barrier comm=1\nshmem_sync comm=1\n"
                                "shmem_broadcast comm=1 root=2 bytes=12\n",
                     rank == 0 ? "shmem_test_lock win=0 flag=1 object=0\nshmem_clear_lock win=0 object=0\n" : "");
    expect_whole(trace);
    assert_int_equal(trace->definitions.windows[0].flavor, 'h');
    assert_int_equal(trace->definitions.comms[1].count, 2);
    assert_int_equal(trace->definitions.comms[1].members[1], 2);
    trace_free(trace);
}

static void mixed_with_mpi(void **state)
{
    (void)state;
    struct trace *trace = archived(run_recorded("RMACAST_LIMIT=10000000", "shmem_mixed", 0));
    name_addresses(trace);
    for (int rank = 0; rank < 4; rank++)
        expect_calls(trace, rank,
                     "MPI_Init\nshmem_init\nshmem_p win=0 target=%d bytes=8 disp=0\nshmem_barrier_all comm=0\n"
                     "MPI_Allreduce comm=0 bytes=4 op=SUM\nshmem_finalize\n",
                     (rank + 1) % 4);
    expect_whole(trace);
    trace_free(trace);
}

/* A test that finds nothing, which calls_of leaves out. */
static void expect_vain_test(const struct trace *trace, int rank, int64_t place)
{
    int count = 0;
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        const struct trace_call *call = &trace->ranks[rank].calls[i];
        if (call->call != ID_shmem_test) continue;
        count++;
        assert_int_equal(call->flags & TRACE_FLAG, 0);
        assert_int_equal(call->any.first, place);
    }
    assert_int_equal(count, 1);
}

/* Teams have PEs 0 and 2, and 1 and 3. The place of a put with a signal is the signal's. Of three places, the wait for any leaves
 * the first one out, the wait for all the middle one. */
static void newer_routines(void **state)
{
    (void)state;
    struct trace *trace = archived(run_recorded("RMACAST_LIMIT=10000000", "shmem_newer", 0));
    name_addresses(trace);
    for (int rank = 0; rank < 4; rank++)
        expect_calls(trace, rank,
                     "shmem_init\nshmem_barrier_all comm=0\n"
                     "shmem_put_signal win=0 target=%1$d bytes=8 disp=0\nshmem_signal_wait_until win=0 disp=0\n"
                     "shmem_signal_fetch\nshmem_team_split comm=0\nshmem_sum_to_all comm=%3$d bytes=8 op=SUM\n"
                     "shmem_sync comm=%3$d\nshmem_team_create_ctx\nshmem_p win=0 target=%2$d bytes=8 disp=1\n"
                     "shmem_wait_until win=0 disp=1\n"
                     "shmem_atomic_fetch_add_nbi win=0 target=%1$d bytes=8 disp=2 op=SUM\nshmem_quiet win=0\n"
                     "shmem_p win=0 target=%1$d bytes=8 disp=3\nshmem_wait_until win=0 disp=3\n"
                     "shmem_p win=0 target=%1$d bytes=8 disp=4\n"
                     "shmem_wait_until win=0 disp=4\nshmem_wait_until win=0 disp=3\n"
                     "shmem_team_destroy\nshmem_barrier_all comm=0\nshmem_finalize\n",
                     (rank + 1) % 4, (rank + 2) % 4, 1 + rank % 2);
    for (int rank = 0; rank < 4; rank++) expect_vain_test(trace, rank, 4);
    expect_whole(trace);
    trace_free(trace);
}

/* The program's results are right, and the trace says what it lacks. */
static void extensions(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "shmem_newer extension", 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        assert_true(trace->ranks[rank].incomplete);
        assert_string_equal(trace->ranks[rank].incomplete_why, "calls that are not recorded: shmemx_int32_p");
    }
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(routines), cmocka_unit_test(mixed_with_mpi),
                                       cmocka_unit_test(newer_routines), cmocka_unit_test(extensions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
