/* The lines of the program: what is read, what is left to others, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "probe_test.h"

static void lines_of_a_record(void **state)
{
    (void)state;
    struct probe_record record = {0};
    probe_say(&record, "[0] rmacast-probe begin 1 MPICH Version:\t4.0.2"); /* mpiexec -l */
    probe_say(&record, "rmacast-probe hosts node1 node2");
    probe_say(&record, "rmacast-probe value init_s 0.5");
    probe_say(&record, "rmacast-probe value init_s 0.25");
    probe_say(&record, "rmacast-probe delay epoch put 8 0.003 0 -0.003 -0.002 -0.001 0.001\r\n");
    probe_say(&record, "rmacast-probe limit epoch put 8 16");
    probe_say(&record, "rmacast-probe skip epoch get 1024 takes too long");
    probe_say(&record, "rmacast-probe time lock 8 1e-6 2e-6");
    assert_false(record.ended);
    probe_say(&record, "rmacast-probe end");
    assert_true(record.began && record.ended);
    assert_string_equal(record.library, "MPICH Version: 4.0.2");
    assert_string_equal(record.hosts[1], "node2");
    assert_true(probe_record_value(&record, "init_s", -1) == 0.25);
    assert_true(probe_record_value(&record, "finalize_s", -1) == -1);
    assert_int_equal(record.tries[0].id, PROBE_EPOCH);
    assert_int_equal(record.tries[0].variant, PROBE_VARIANT_PUT);
    assert_true(record.tries[0].sample.end_s[2] == 0.001);
    assert_int_equal(record.limits[0].high, 16);
    assert_string_equal(record.skips[0].why, "takes too long");
    assert_int_equal(record.series[0].count, 2);
    probe_record_clear(&record);
}

static void what_others_say(void **state)
{
    (void)state;
    struct probe_record record = {0};
    bool ours = true;
    assert_int_equal(probe_record_add(&record, "libfabric: warning", &ours, NULL), STATUS_OK);
    assert_false(ours);
    probe_record_clear(&record);
}

static void bad_lines(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "rmacast-probe ",
        "rmacast-probe sing",
        "rmacast-probe begin 2 a later one",
        "rmacast-probe hosts one",
        "rmacast-probe value init_s",
        "rmacast-probe value init_s -1",
        "rmacast-probe value init_s nan",
        "rmacast-probe delay epoch put 8 0.003 0 -0.003 -0.002 -0.001", /* one end is missing */
        "rmacast-probe delay epoch fly 8 0.003 0 -0.003 -0.002 -0.001 0",
        "rmacast-probe delay dance put 8 0.003 0 -0.003 -0.002 -0.001 0",
        "rmacast-probe delay epoch put -8 0.003 0 -0.003 -0.002 -0.001 0",
        "rmacast-probe delay epoch put 8 0 0 -0.003 -0.002 -0.001 0",
        "rmacast-probe limit epoch put 16 8",
        "rmacast-probe time lock 8",
        "rmacast-probe time lock 8 1e-6 -1e-6",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct probe_record record = {0};
        struct err err = {.text = ""};
        bool ours;
        if (probe_record_add(&record, lines[i], &ours, &err) != STATUS_DATA) fail_msg("taken: %s", lines[i]);
        assert_true(strlen(err.text) > 0);
        probe_record_clear(&record);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_a_record),
        cmocka_unit_test(what_others_say),
        cmocka_unit_test(bad_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
