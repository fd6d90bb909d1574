/* Who locks a rank's part of a window. */
#include <stdio.h>

#include "predictors/transforms/lockers.h"
#include "transform_test.h"

#define ONE(rank, target)                                                                                              \
#rank " 0 0 MPI_Win_lock win=1 target=" target " lock=shared\n" #rank " 0 0 MPI_Win_unlock win=1 target=" target   \
          "\n"
#define ALL(rank) #rank " 0 0 MPI_Win_lock_all win=1\n" #rank " 0 0 MPI_Win_unlock_all win=1\n"

/* -1: nobody. By which rank each of 0, 1 and 2 is locked in window 1; nobody is in window 0. */
static const struct {
    const char *calls;
    int by[3];
} rows[] = {
    {"", {-1, -1, -1}},
    {ONE(0, "1"), {-1, 0, -1}},
    {ONE(0, "0"), {-1, -1, -1}},            /* a rank's own lock */
    {ONE(0, "-"), {-1, -1, -1}},            /* MPI_PROC_NULL */
    {ONE(0, "2") ONE(1, "2"), {-1, -1, 0}}, /* the first of two */
    {ALL(0), {-1, 0, 0}},                   /* not itself */
    {ALL(0) ALL(0), {-1, 0, 0}},            /* nor if it does so twice */
    {ALL(0) ALL(1), {1, 0, 0}},
    {ALL(0) ALL(0) ALL(2), {2, 0, 0}},
    {ALL(0) ALL(1) ALL(2), {1, 0, 0}}, /* the second of three */
    {ALL(0) ONE(2, "1"), {-1, 2, 0}},  /* a lock of its own before one of all */
    {ALL(1) ONE(2, "0") ALL(2), {2, 2, 1}},
};

static void ranks_that_lock_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        struct lockers lockers;
        struct err err;
        snprintf(text, sizeof text, "ranks 3\nwindow 0 comm=0\nwindow 1 comm=0\n%s", rows[i].calls);
        struct trace *trace = test_read(text);
        assert_int_equal(lockers_read(trace, &lockers, &err), STATUS_OK);
        for (uint32_t rank = 0; rank < 3; rank++) {
            uint32_t by = 7;
            assert_false(lockers_find(&lockers, 0, rank, &by));
            assert_int_equal(by, 7);
            const int found = lockers_find(&lockers, 1, rank, &by) ? (int)by : -1;
            if (found != rows[i].by[rank]) fail_msg("row %zu: rank %u by %d", i, rank, found);
        }
        lockers_clear(&lockers);
        trace_free(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_that_lock_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
