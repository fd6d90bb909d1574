/* merge-puts, scale, and what specs look like; worked out by hand. */
#include <math.h>
#include <string.h>

#include "transform_test.h"

#define HEAD            "ranks 3\nwindow 0 comm=0\n"
#define assert_us(a, b) assert_true(fabs((a) - (b)) < 1e-6)

/* 8 + 16 bytes to rank 1 become 24 at the second put's place, at the lower displacement; the large put, the get and the
 * single put to rank 2 stay, and so does the put of the next epoch. */
static void small_puts_of_an_epoch_become_one(void **state)
{
    (void)state;
    test_gives("merge-puts:1K",
               HEAD "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared\n"
                    "0 0.000000 0.000000 MPI_Win_lock win=0 target=2 lock=shared\n"
                    "0 0.000010 0.000011 MPI_Put win=0 target=1 bytes=8 disp=64\n"
                    "0 0.000021 0.000021 MPI_Put win=0 target=1 bytes=1025 disp=0\n"
                    "0 0.000031 0.000031 MPI_Get win=0 target=1 bytes=8 disp=0\n"
                    "0 0.000041 0.000041 MPI_Put win=0 target=2 bytes=8 disp=0\n"
                    "0 0.000051 0.000052 MPI_Put win=0 target=1 bytes=16 disp=32\n"
                    "0 0.000062 0.000062 MPI_Win_unlock win=0 target=1\n"
                    "0 0.000062 0.000062 MPI_Put win=0 target=2 bytes=8 disp=8\n"
                    "0 0.000062 0.000062 MPI_Win_unlock win=0 target=2\n"
                    "1 0.000000 0.000000 MPI_Comm_group comm=0\n",
               "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared\n"
               "0 0.000000 0.000000 MPI_Win_lock win=0 target=2 lock=shared\n"
               "0 0.000020 0.000020 MPI_Put win=0 target=1 bytes=1025 disp=0\n"
               "0 0.000030 0.000030 MPI_Get win=0 target=1 bytes=8 disp=0\n"
               "0 0.000040 0.000040 MPI_Put win=0 target=2 bytes=8 disp=0\n"
               "0 0.000050 0.000051 MPI_Put win=0 target=1 bytes=24 disp=32 target_extent=40\n"
               "0 0.000061 0.000061 MPI_Win_unlock win=0 target=1\n"
               "0 0.000061 0.000061 MPI_Put win=0 target=2 bytes=8 disp=8\n"
               "0 0.000061 0.000061 MPI_Win_unlock win=0 target=2\n"
               "1 0.000000 0.000000 MPI_Comm_group comm=0\n");
}

/* Start returns at 10 (the post's latency). Two puts of 1 MB at 10 and 110: the second has left at 210, wait ends at
 * 220. One put of 2 MB at 110: left at 310, wait ends at 320. */
static void merging_costs_what_it_delays(void **state)
{
    (void)state;
    static const char text[] = HEAD "0 0 0 MPI_Win_start win=0 group=1\n0 0 0 MPI_Put win=0 target=1 bytes=1000000\n"
                                    "0 0.0001 0.0001 MPI_Put win=0 target=1 bytes=1000000\n"
                                    "0 0.0001 0.0001 MPI_Win_complete win=0\n"
                                    "1 0 0 MPI_Win_post win=0 group=0\n1 0 0 MPI_Win_wait win=0\n";
    static const char *const none[] = {NULL}, *const merged[] = {"merge-puts:1M", NULL};
    assert_us(test_run_rewritten_us(text, "a", none), 220);
    assert_us(test_run_rewritten_us(text, "a", merged), 320);
}

/* 10 before main and 20 inside it stay, 100 in main/solve and 40 in main/solve/inner are halved, 30 behind stays. */
static const char regions[] = "ranks 1\n"
                              "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
                              "0 0.000010 enter main\n"
                              "0 0.000030 enter solve\n"
                              "0 0.000130 enter inner\n"
                              "0 0.000170 leave inner\n"
                              "0 0.000170 leave solve\n"
                              "0 0.000200 leave main\n";

static void computing_of_a_call_path_is_scaled(void **state)
{
    (void)state;
    test_gives("scale:main/solve=0.5", regions,
               "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
               "0 0.000010 enter main\n"
               "0 0.000030 enter solve\n"
               "0 0.000080 enter inner\n"
               "0 0.000100 leave inner\n"
               "0 0.000100 leave solve\n"
               "0 0.000130 leave main\n");
    test_gives("scale:/=2", regions,
               "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
               "0 0.000020 enter main\n"
               "0 0.000060 enter solve\n"
               "0 0.000260 enter inner\n"
               "0 0.000340 leave inner\n"
               "0 0.000340 leave solve\n"
               "0 0.000400 leave main\n");
    /* one after another: 140 of 200 in solve become 0, the rest is tripled */
    static const char *const both[] = {"scale:main/solve=0", "scale:/=3", NULL};
    assert_us(test_run_rewritten_us(regions, "a", both), 180);
}

static void unknown_call_paths_are_named(void **state)
{
    (void)state;
    struct trace *trace = test_read(regions);
    const char *spec = "scale:solve=2";
    struct rewrite rewrite;
    struct err err;
    assert_int_equal(rewrite_run(trace, &spec, 1, &rewrite, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "no user region has the call path 'solve' that is to be scaled, expected one of / "
                                     "(everything), main, main/solve, main/solve/inner"));
    trace_free(trace);
}

static void specs_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *text;
    } wrong[] = {
        {"post", "unknown rewrite 'post', expected one of post-early, "},
        {"post-early:2", "post-early takes nothing behind a colon"},
        {"merge-puts:x", "merge-puts:x, expected a size"},
        {"scale", "expected scale:CALLPATH=FACTOR"},
        {"scale:main", "scale main, expected CALLPATH=FACTOR"},
        {"scale:main=-1", "with a factor from 0 to 1e6"},
        {"scale:main=nan", "with a factor from 0 to 1e6"},
        {"scale:=2", "expected CALLPATH=FACTOR"},
    };
    struct err err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(transform_check(wrong[i].spec, &err), STATUS_USAGE);
        if (!strstr(err.text, wrong[i].text)) fail_msg("'%s' does not hold '%s'", err.text, wrong[i].text);
    }
    for (const struct transform *const *row = transforms(); *row; row++) {
        assert_true(strlen((*row)->summary) > 0 && (*row)->apply);
        if (!(*row)->argument || (*row)->fallback) assert_int_equal(transform_check((*row)->name, &err), STATUS_OK);
    }
    assert_int_equal(transform_check("scale:a=b=1e3", &err), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_puts_of_an_epoch_become_one),
        cmocka_unit_test(merging_costs_what_it_delays),
        cmocka_unit_test(computing_of_a_call_path_is_scaled),
        cmocka_unit_test(unknown_call_paths_are_named),
        cmocka_unit_test(specs_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
