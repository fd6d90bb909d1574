/* How long recording was stopped before each event of a rank, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_stop_counts_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
