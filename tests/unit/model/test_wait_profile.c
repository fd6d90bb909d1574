/* Places of waits: which rank without a core the note names. */
#include "model_test.h"

#include <string.h>

#include "model/waits/disturbance.h"
#include "model/waits/wait_profile.h"

/* Rank 0 waits in three lines, first for rank 3, then for 2, then for 1. */
static const char run[] =
    "ranks 4\n0 0.000000 0.000010 MPI_Barrier comm=0 site=f@x.c:1\n0 0.000010 0.000020 MPI_Barrier comm=0 site=f@x.c:2\n"
    "0 0.000020 0.000030 MPI_Barrier comm=0 site=f@x.c:3\n1 0.000000 0.000030 MPI_Barrier comm=0\n"
    "2 0.000000 0.000030 MPI_Barrier comm=0\n3 0.000000 0.000030 MPI_Barrier comm=0\n";

/* The share of each rank's time without a core: the largest above DISTURBANCE_MOSTLY is named, of equal ones the lowest rank.
 * Rank 0's does not count: nobody waits for it. */
static void the_most_disturbed_rank_is_named(void **state)
{
#define NOTE(RANK, SHARE)                                                                                              \
    "no advice for waits for ranks that were mostly without a core (rank " RANK " for " SHARE " % of its time): they are waits " \
    "for a core; record again while nothing else runs"
    static const struct {
        double without_core[4];
        const char *note; /* NULL: none */
    } rows[] = {
        {{0, 0.6, 0.9, 0.7}, NOTE("2", "90.0")}, {{0, 0.9, 0.6, 0.7}, NOTE("1", "90.0")},
        {{0, 0.6, 0.7, 0.9}, NOTE("3", "90.0")}, {{0, 0.7, 0.9, 0.9}, NOTE("2", "90.0")},
        {{0, 0.9, 0.9, 0.9}, NOTE("1", "90.0")}, {{0.9, 0.1, 0.65, 0.1}, NOTE("2", "65.0")},
        {{0.9, 0.1, 0.2, DISTURBANCE_MOSTLY}, NULL},
    };
    struct trace *trace = trace_of(run);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wait_profile profile = {.count = 0};
        struct result *result;
        struct err err;
        assert_int_equal(callpaths_build(trace, &profile.paths, &err), STATUS_OK);
        for (size_t call = 0; call < 3; call++) {
            const struct finding finding = {.pattern = PATTERN_WAIT_AT_BARRIER,
                                            .call = call,
                                            .severity_ps = US,
                                            .cause_rank = 3 - (uint32_t)call,
                                            .until_ps = trace->ranks[0].calls[call].exit_ps};
            assert_int_equal(wait_profile_add(&profile, trace, &finding, &err), STATUS_OK);
        }
        assert_int_equal(result_new(4, &result, &err), STATUS_OK);
        assert_int_equal(wait_profile_report(&profile, trace, rows[i].without_core, false, result, &err), STATUS_OK);
        assert_int_equal(result->patterns[PATTERN_WAIT_AT_BARRIER].place_count, 3);
        assert_int_equal(result->note_count, rows[i].note != NULL);
        if (rows[i].note) assert_string_equal(result->notes[0], rows[i].note);
        result_free(result);
        wait_profile_clear(&profile);
    }
    trace_free(trace);
}

/* Of the waits of one line, 5, 7, 7 and 6 us long, the longest is the place's worst, of equal ones the earlier. */
static void the_earlier_of_equal_waits_is_the_worst(void **state)
{
    static const int64_t us[] = {5, 7, 7, 6};
    struct trace *trace = trace_of("ranks 2\n0 0 0.00001 MPI_Barrier comm=0 site=f@x.c:1\n0 0.00002 0.00003 MPI_Barrier comm=0 "
                                   "site=f@x.c:1\n0 0.00004 0.00005 MPI_Barrier comm=0 site=f@x.c:1\n0 0.00006 0.00007 "
                                   "MPI_Barrier comm=0 site=f@x.c:1\n1 0 0.00001 MPI_Barrier comm=0\n1 0.00002 0.00003 "
                                   "MPI_Barrier comm=0\n1 0.00004 0.00005 MPI_Barrier comm=0\n1 0.00006 0.00007 MPI_Barrier "
                                   "comm=0\n");
    struct wait_profile profile = {.count = 0};
    struct err err;
    (void)state;
    assert_int_equal(callpaths_build(trace, &profile.paths, &err), STATUS_OK);
    for (size_t call = 0; call < 4; call++) {
        const struct finding finding = {.pattern = PATTERN_WAIT_AT_BARRIER,
                                        .call = call,
                                        .severity_ps = us[call] * US,
                                        .cause_rank = 1,
                                        .until_ps = trace->ranks[0].calls[call].exit_ps};
        assert_int_equal(wait_profile_add(&profile, trace, &finding, &err), STATUS_OK);
    }
    assert_int_equal(profile.count, 1);
    assert_int_equal(profile.items[0].worst.severity_ps, 7 * US);
    assert_int_equal(profile.items[0].worst.enter_ps, 20 * US);
    wait_profile_clear(&profile);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_most_disturbed_rank_is_named),
                                       cmocka_unit_test(the_earlier_of_equal_waits_is_the_worst)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
