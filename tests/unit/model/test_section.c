/* Marks of sections: which names and times they are, and where each rank's section begins and ends. Times in us. */
#include "model_test.h"

#include <stdio.h>
#include <string.h>

#include "model/waits/section.h"

/* Rank 1 does not enter the loop, rank 2 has no calls. */
static const char run[] =
    "ranks 3\n0 0.000000 0.000002 MPI_Init\n0 0.000005 enter loop\n0 0.000010 0.000012 MPI_Barrier comm=0\n"
    "0 0.000015 leave loop\n0 0.000020 enter loop\n0 0.000025 0.000030 MPI_Barrier comm=0\n0 0.000033 leave loop\n"
    "0 0.000035 enter a#b\n0 0.000036 leave a#b\n0 0.000040 0.000041 MPI_Finalize\n"
    "1 0.000000 0.000003 MPI_Init\n1 0.000010 0.000012 MPI_Barrier comm=0\n1 0.000025 0.000031 MPI_Barrier comm=0\n"
    "1 0.000039 0.000042 MPI_Finalize\n";

static void marks_are_names_and_times(void **state)
{
    static const struct {
        struct section_marks marks;
        const char *expected; /* of each rank; or a part of the error */
    } rows[] = {
        {{NULL, NULL, NULL, false}, "0-41|0-42|0-0"},
        /* a region begins at its first enter and ends at its last exit */
        {{"loop", NULL, NULL, false}, "5-41|0-0|0-0"},
        {{NULL, "loop", NULL, false}, "0-33|0-0|0-0"},
        {{"loop", "loop", NULL, false}, "5-33|0-0|0-0"},
        {{"loop#1", "loop#1", NULL, false}, "5-15|0-0|0-0"},
        {{"loop#2", "loop", NULL, false}, "20-33|0-0|0-0"},
        /* a function does both at its exit */
        {{"MPI_Barrier", NULL, NULL, false}, "12-41|12-42|0-0"},
        {{NULL, "MPI_Barrier", NULL, false}, "0-30|0-31|0-0"},
        {{"MPI_Barrier#1", "MPI_Barrier#1", NULL, false}, "12-12|12-12|0-0"},
        {{"MPI_Barrier#2", NULL, NULL, false}, "30-41|31-42|0-0"},
        /* a time is one for all ranks, but none is behind a rank's end */
        {{"10us", NULL, NULL, false}, "10-41|10-42|0-0"},
        {{NULL, "41.5us", NULL, false}, "0-41|0-41.5|0-0"},
        {{"100us", NULL, NULL, false}, "41-41|42-42|0-0"},
        {{NULL, NULL, NULL, true}, "2-40|3-39|0-0"},
        {{"1us", NULL, NULL, true}, "1-40|1-39|0-0"},
        /* no number is behind these: they are names */
        {{"a#b", NULL, NULL, false}, "35-41|0-0|0-0"},
        {{"loop#", NULL, NULL, false}, "--from loop#: no rank has it"},
        {{"loop#01", NULL, NULL, false}, "--from loop#01: no rank has it"},
        {{NULL, "loop#1x", NULL, false}, "--to loop#1x: no rank has it"},
        {{"#1", NULL, NULL, false}, "--from #1: no rank has it"},
        {{"loop#3", NULL, NULL, false}, "--from loop#3: no rank has it"},
        {{"lo", NULL, NULL, false}, "--from lo: no rank has it"},
        {{"loops", NULL, NULL, false}, "--from loops: no rank has it"},
        {{"-1us", NULL, NULL, false}, "--from -1us: no rank has it"},
        {{"MPI_Barrier#2", "MPI_Barrier#1", NULL, false}, "the section of rank 0 begins at 0.000030 s and ends at 0.000012 s"},
        {{"loop", "2us", NULL, false}, "the section of rank 0 begins at"},
    };
    struct trace *trace = trace_of(run);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct section section;
        struct err err;
        char found[200] = "";
        size_t length = 0;
        enum status status = section_find(trace, &rows[i].marks, &section, &err);
        if (status != STATUS_OK) {
            if (!strstr(err.text, rows[i].expected)) fail_msg("%s, expected %s", err.text, rows[i].expected);
            continue;
        }
        for (uint32_t r = 0; r < 3; r++)
            length += (size_t)snprintf(found + length, sizeof found - length, "%s%g-%g", r ? "|" : "",
                                       (double)section.from_ps[r] / 1e6, (double)section.to_ps[r] / 1e6);
        assert_string_equal(found, rows[i].expected);
        section_clear(&section);
    }
    trace_free(trace);
}

/* A call belongs to the section that it begins in: at 5, not at 12. */
static void calls_that_begin_in_a_section(void **state)
{
    int64_t from_ps[] = {0, 5}, to_ps[] = {0, 12};
    const struct section section = {from_ps, to_ps};
    static const struct trace_call calls[] = {{.enter_ps = 4}, {.enter_ps = 5}, {.enter_ps = 11}, {.enter_ps = 12}};
    (void)state;
    for (int i = 0; i < 4; i++) assert_int_equal(section_has(&section, 1, &calls[i]), i == 1 || i == 2);
    assert_false(section_has(&section, 0, &(struct trace_call){.enter_ps = 0})); /* the rank has none */
}

/* Each of the four settings asks for one. */
static void a_section_that_was_asked_for(void **state)
{
    static const struct section_marks rows[] = {
        {NULL, NULL, NULL, false}, {"1us", NULL, NULL, false}, {NULL, "9us", NULL, false},
        {NULL, NULL, "*", false},  {NULL, NULL, NULL, true}};
    struct trace *trace = trace_of(run);
    struct section room;
    const struct section *section = &room;
    struct err err;
    (void)state;
    assert_int_equal(section_find_asked(trace, NULL, &room, &section, &err), STATUS_OK);
    assert_null(section);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(section_find_asked(trace, &rows[i], &room, &section, &err), STATUS_OK);
        assert_int_equal(section != NULL, i > 0);
        section_clear(&room);
    }
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_are_names_and_times),
        cmocka_unit_test(calls_that_begin_in_a_section),
        cmocka_unit_test(a_section_that_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
