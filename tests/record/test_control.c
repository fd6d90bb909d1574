/* Recording is stopped and started by the program and confined to groups of calls (programs/control.c); what is left
 * out is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "run.h"

enum { NONE = TRACE_NONE };
#define FILTERED "only some groups of calls were recorded"

/* Settings, why ranks are incomplete (NULL: they are not), and which calls are there beside those that make and free. */
static void expect(const char *settings, const char *why, bool first_barrier, bool rma, bool others)
{
    struct trace *trace = run_recorded(settings, "control", 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, rank);
        assert_int_equal(trace->ranks[rank].incomplete, why != NULL);
        if (why) assert_string_equal(trace->ranks[rank].incomplete_why, why);
        assert_true(trace->ranks[rank].before_sum_ps[BEFORE_PAUSED] > 0);
        walk_plain(&walk, "MPI_Init", NONE);
        if (first_barrier) walk_plain(&walk, "MPI_Barrier", 0);
        walk_plain(&walk, "MPI_Win_allocate", 0);
        if (rma) {
            walk_plain(&walk, "MPI_Win_fence", 0);
            walk_call(&walk, "MPI_Put", 0, 0, 0, 4, 12);
            walk_plain(&walk, "MPI_Win_fence", 0);
        }
        if (others) {
            walk_call(&walk, "MPI_Send", 0, NONE, 5, 0, 0);
            walk_plain(&walk, "MPI_Barrier", 0);
        }
        walk_plain(&walk, "MPI_Win_free", 0);
        walk_plain(&walk, "MPI_Finalize", NONE);
        walk_end(&walk);
    }
    trace_free(trace);
}

static void stopped_by_the_program(void **state)
{
    (void)state;
    expect("", NULL, true, true, true);
}

static void stopped_from_the_start(void **state)
{
    (void)state;
    expect("RMACAST_PAUSED=1", NULL, false, true, true);
}

static void groups_of_calls(void **state)
{
    (void)state;
    expect("RMACAST_CALLS=rma", FILTERED, false, true, false);
    expect("RMACAST_CALLS=p2p,collective", FILTERED, true, false, true);
}

/* MPI_Pcontrol of Fortran takes a level only. programs/fortran_control.f90: barriers in its lines 6, 8 and 10. */
static void from_fortran(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "fortran_control", 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, rank);
        assert_false(trace->ranks[rank].incomplete);
        walk_plain(&walk, "MPI_Init", NONE);
        assert_int_equal(trace->definitions.sites[walk_plain(&walk, "MPI_Barrier", 0)->site].line, 6);
        assert_int_equal(trace->definitions.sites[walk_plain(&walk, "MPI_Barrier", 0)->site].line, 10);
        walk_plain(&walk, "MPI_Finalize", NONE);
        walk_end(&walk);
    }
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stopped_by_the_program),
                                       cmocka_unit_test(stopped_from_the_start), cmocka_unit_test(groups_of_calls),
                                       cmocka_unit_test(from_fortran)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
