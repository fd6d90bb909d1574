/* How long recording was stopped before each event of a rank, once; the share of its computing that is bound by memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/record/craft.h"

static void stop(struct craft *craft, uint64_t from_ns, uint64_t until_ns)
{
    craft_define(craft, SPOOL_PAUSE, (struct spool_record){.time = from_ns, .flags = SPOOL_STOPS}, NULL, 0);
    craft_define(craft, SPOOL_PAUSE, (struct spool_record){.time = until_ns}, NULL, 0);
}

static void mark(struct craft *craft, enum spool_kind kind, uint64_t time_ns)
{
    craft_define(craft, kind, (struct spool_record){.time = time_ns, .id = 0}, NULL, 0);
}

/* Stops of 500 ns before the region, of 100 and 50 before MPI_Finalize, and of 20 inside it, which no event has. */
static void each_stop_counts_once(void **state)
{
    static const int64_t expected_ns[] = {-1, 500, -1, -1, 150};
    struct craft craft;
    (void)state;
    char *directory = craft_directory();
    craft_begin(&craft, 0, 1, 1000000);
    craft_prologue(&craft);
    craft_define(&craft, SPOOL_REGION, (struct spool_record){.id = 0}, "solve", 5);
    craft_call(&craft, CRAFT_INIT, 0, 100);
    stop(&craft, 200, 700);
    mark(&craft, SPOOL_REGION_ENTER, 800);
    mark(&craft, SPOOL_REGION_LEAVE, 900);
    craft_call(&craft, CRAFT_BARRIER, 1000, 1100);
    stop(&craft, 1200, 1300);
    stop(&craft, 1300, 1350);
    craft_enter(&craft, CRAFT_FINALIZE, 1400);
    stop(&craft, 1420, 1440);
    craft_exit(&craft, CRAFT_FINALIZE, 1500);
    craft_write(&craft, directory, craft.count, SPOOL_CLOSED);
    struct trace *trace = craft_read(directory);
    assert_int_equal(trace->ranks[0].count, 5);
    for (size_t i = 0; i < 5; i++) {
        const int64_t paused_ps = trace_before_ps(&trace->ranks[0], BEFORE_PAUSED, i);
        if (paused_ps != (expected_ns[i] < 0 ? 0 : expected_ns[i] * 1000)) fail_msg("event %zu: %ld ps", i + 1, (long)paused_ps);
    }
    trace_free(trace);
    craft_remove(directory);
    craft_free(&craft);
}

/* Computing of 100 + 300 us, of which 200 are sleep; stop_ns of the rest are a pause. The last identity says nothing of the
 * recorder's cost, which stays. */
static struct trace *read_with_misses(const char *text, uint64_t stop_ns)
{
    static const char first[] = "host=a\ncores=3\n";
    struct craft craft;
    char *directory = craft_directory();
    craft_begin(&craft, 0, 1, 1000000);
    craft_prologue(&craft);
    craft_define(&craft, SPOOL_IDENTITY, (struct spool_record){.extra = 7000}, first, sizeof first - 1);
    craft_call(&craft, CRAFT_INIT, 0, 100000);
    craft_call(&craft, CRAFT_BARRIER, 200000, 300000);
    if (stop_ns > 0) stop(&craft, 310000, 310000 + stop_ns);
    craft_define(&craft, SPOOL_SLEPT, (struct spool_record){.time = 600000, .extra = 200000}, NULL, 0);
    craft_enter(&craft, CRAFT_FINALIZE, 600000);
    craft_define(&craft, SPOOL_IDENTITY, (struct spool_record){.time = 600000}, text, strlen(text));
    craft_exit(&craft, CRAFT_FINALIZE, 700000);
    craft_write(&craft, directory, craft.count, SPOOL_CLOSED);
    struct trace *trace = craft_read(directory);
    assert_int_equal(trace->provenance.record_cost_ps, 7000);
    assert_int_equal(trace->ranks[0].cores, 2);
    craft_remove(directory);
    craft_free(&craft);
    return trace;
}

/* 100 + 300 - 200 = 200 us of computing; with 60 us of a pause 140. A million misses in a second: 50 take 50 us, 25 %. */
static void misses_are_a_share(void **state)
{
    static const struct {
        const char *text;
        uint64_t stop_ns;
        bool known;
        double share;
    } rows[] = {{"misses=50\nmisses_per_s=1000000\n", 0, true, 0.25},
                {"misses=35\nmisses_per_s=1000000\n", 60000, true, 0.25},
                {"misses=0\nmisses_per_s=1000000\n", 0, true, 0},
                {"misses=500\nmisses_per_s=1000000\n", 0, true, 1},
                {"misses=50\nmisses_per_s=0\n", 0, false, 0},
                {"misses=50\n", 0, false, 0},
                {"host=a\n", 0, false, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = read_with_misses(rows[i].text, rows[i].stop_ns);
        const struct trace_rank *rank = &trace->ranks[0];
        if (rank->memory_known != rows[i].known || fabs(rank->memory_bound - rows[i].share) > 1e-9)
            fail_msg("%s: %d, %g", rows[i].text, rank->memory_known, rank->memory_bound);
        trace_free(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_stop_counts_once), cmocka_unit_test(misses_are_a_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
