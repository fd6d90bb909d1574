/* SIGKILL in the middle: what was recorded before it is there, on every rank. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "run.h"

enum { NONE = TRACE_NONE };

/* When a rank has died, MPICH's launcher ends the others by SIGKILL. Open MPI's begins with SIGTERM and goes on to SIGKILL, which
 * may come first on a busy machine. */
static void expect_end_in_barrier(const char *why)
{
    static const char killed[] = "killed or ended without MPI_Finalize, inside MPI_Barrier";
#ifdef OPENMPI
    static const char terminated[] = "ended without MPI_Finalize by signal 15 (SIGTERM), inside MPI_Barrier";
    if (strcmp(why, killed) != 0) assert_string_equal(why, terminated);
#else
    assert_string_equal(why, killed);
#endif
}

/* killed.c: rank 2 dies after a lock and a put of its own that follow the barrier, the others inside the second
 * barrier. */
static void expect_all(const char *program, int iterations)
{
    struct trace *trace = run_recorded("", program, KILLED); /* mpiexec's status for it */
    assert_int_equal(trace->rank_count, 4);
    for (int32_t rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, (uint32_t)rank);
        walk_plain(&walk, "MPI_Init", NONE);
        walk_plain(&walk, "MPI_Win_allocate", 0);
        walk_call(&walk, "MPI_Win_lock", 0, rank, 0, 0, 0);
        for (int i = 0; i < iterations; i++) walk_call(&walk, "MPI_Put", 0, rank, 0, 4, 0);
        walk_call(&walk, "MPI_Win_unlock", 0, rank, 0, 0, 0);
        assert_int_equal(walk_plain(&walk, "MPI_Barrier", 0)->flags, 0);
        if (rank == 2) {
            walk_call(&walk, "MPI_Win_lock", 0, rank, 0, 0, 0);
            walk_call(&walk, "MPI_Put", 0, rank, 0, 4, 12);
        } else {
            const struct trace_call *last = walk_plain(&walk, "MPI_Barrier", 0);
            assert_int_equal(last->flags, TRACE_BREAK);
            assert_string_equal(trace->definitions.sites[last->site].function, "main");
        }
        walk_end(&walk);
        assert_true(trace->ranks[rank].incomplete);
        if (rank == 2)
            assert_string_equal(trace->ranks[rank].incomplete_why, "killed or ended without MPI_Finalize");
        else
            expect_end_in_barrier(trace->ranks[rank].incomplete_why);
    }
    trace_free(trace);
}

static void in_the_first_tail(void **state)
{
    (void)state;
    expect_all("killed 7", 7);
}

/* 20000 puts are 40000 records: six chunks in the main file and a part in the tail. */
static void after_some_chunks(void **state)
{
    (void)state;
    expect_all("killed 20000", 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_the_first_tail), cmocka_unit_test(after_some_chunks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
