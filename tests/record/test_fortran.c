/* Fortran programs by mpif.h, `use mpi` and `use mpi_f08` (tests/record/programs/fortran.f90) are recorded as C
 * programs are; a program that loads MPI while it runs, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "run.h"

enum { NONE = TRACE_NONE };

static void expect_epochs(const struct trace *trace, struct walk *walk, int left, int right)
{
    const int32_t both[] = {left < right ? left : right, left < right ? right : left};
    walk_plain(walk, "MPI_Win_create", 0);
    assert_int_equal(walk_plain(walk, "MPI_Win_fence", 0)->flags, 0);
    walk_call(walk, "MPI_Put", 0, right, 0, 16, 8);
    assert_int_equal(walk_plain(walk, "MPI_Win_fence", 0)->flags, TRACE_NOSUCCEED);
    walk_plain(walk, "MPI_Comm_group", 0);
    walk_plain(walk, "MPI_Group_incl", NONE);
    expect_group(trace, walk_plain(walk, "MPI_Win_post", 0), 2, both);
    expect_group(trace, walk_plain(walk, "MPI_Win_start", 0), 2, both);
    walk_call(walk, "MPI_Put", 0, left, 0, 8, 40);
    walk_plain(walk, "MPI_Win_complete", 0);
    walk_plain(walk, "MPI_Win_wait", 0);
}

static void expect_messages(const struct trace *trace, struct walk *walk, int left, int right)
{
    uint32_t receive = walk_call(walk, "MPI_Irecv", 0, left, 5, 16, 0)->ref;
    uint32_t send = walk_call(walk, "MPI_Isend", 0, right, 5, 16, 0)->ref;
    const struct trace_call *all = walk_plain(walk, "MPI_Waitall", NONE);
    const struct trace_list *list = &trace->definitions.lists[all->ref];
    assert_int_equal(list->count, 2);
    assert_int_equal(trace->definitions.requests[list->first], receive);
    assert_int_equal(trace->definitions.requests[list->first + 1], send);
    if (walk->rank % 2 == 0)
        walk_call(walk, "MPI_Send", 0, right, 6, 8, 0);
    else
        walk_call(walk, "MPI_Recv", 0, left, 6, 8, 0); /* of 16 that there is room for */
    walk_call(walk, "MPI_Allreduce", 0, NONE, trace_op_by_name("SUM"), 8, 0);
}

/* Every call stands at a line of its own in the program, not in the bindings. Of calls to Open MPI by `use mpi`
 * gfortran 12 itself says other lines, in the debug information. */
static void expect_sites(const struct trace *trace, uint32_t rank, const char *program)
{
    int32_t line = 0;
    (void)program; /* of use with Open MPI */
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        const struct trace_site *site = &trace->definitions.sites[trace->ranks[rank].calls[i].site];
        assert_non_null(site->file);
        assert_non_null(strstr(site->file, "fortran.f90"));
#ifdef OPENMPI
        if (strcmp(program, "fortran_use_mpi") == 0) continue;
#endif
        assert_true(site->line > line);
        line = site->line;
    }
}

/* A row's state is the program's name. */
static void expect_program(void **state)
{
    const char *program = *state;
    struct trace *trace = run_recorded("", program, 0);
    assert_int_equal(trace->provenance.clock.violations, 0);
    for (int rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, (uint32_t)rank);
        int left = (rank + 3) % 4, right = (rank + 1) % 4;
        assert_false(trace->ranks[rank].incomplete);
        walk_plain(&walk, "MPI_Init", NONE);
        expect_epochs(trace, &walk, left, right);
        expect_messages(trace, &walk, left, right);
        walk_plain(&walk, "MPI_Group_free", NONE);
        walk_plain(&walk, "MPI_Group_free", NONE);
        walk_plain(&walk, "MPI_Win_free", 0);
        walk_plain(&walk, "MPI_Finalize", NONE);
        walk_end(&walk);
        expect_sites(trace, (uint32_t)rank, program);
        assert_int_equal(trace->definitions.windows[0].bytes[rank], 8000);
        assert_int_equal(trace->definitions.windows[0].disp_unit[rank], 8);
    }
    trace_free(trace);
}

/* The program is not linked with MPI: it loads a library that is, as interpreters do. */
static void loaded_late(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "loader " PROGRAMS "/loaded.so", 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, rank);
        assert_false(trace->ranks[rank].incomplete);
        walk_plain(&walk, "MPI_Init", NONE);
        walk_call(&walk, "MPI_Allreduce", 0, NONE, trace_op_by_name("SUM"), 4, 0);
        walk_plain(&walk, "MPI_Barrier", 0); /* called as PMPI_Barrier */
        walk_plain(&walk, "MPI_Finalize", NONE);
        walk_end(&walk);
    }
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"mpif_h", expect_program, NULL, NULL, "fortran_mpif_h"},
        {"use_mpi", expect_program, NULL, NULL, "fortran_use_mpi"},
        {"use_mpi_f08", expect_program, NULL, NULL, "fortran_use_mpi_f08"},
        cmocka_unit_test(loaded_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
