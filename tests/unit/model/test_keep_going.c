/* Going on without what a fault spoils: which calls stay, what is told. Each trace has one fault per rank at most; the
 * events, times and numbers of calls beside them are counted in the text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/match/relations.h"
#include "model_test.h"
#include "trace/open.h"

enum { RANKS = 3, NOT_COUNTED = TRACE_FAULT_UNCOUNTED };

struct expected_fault {
    int64_t rank; /* -1: none */
    size_t event; /* from 1 */
    int64_t us;   /* -1: not known */
    int64_t left_out;
    const char *text; /* a part of it; NULL ends the list */
};

static struct trace *open_partly(const char *text)
{
    struct err err = {.text = ""};
    struct trace *trace;
    char path[] = "/tmp/rmacast-partly-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fprintf(file, "rmacast-trace 1\nranks 3\nwindow 0 comm=0\n%s", text);
    fclose(file);
    enum status status = trace_open_partly(path, &trace, &err);
    if (status == STATUS_OK) status = relations_keep_going(trace, &err);
    unlink(path);
    if (status != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(trace_check(trace, &err), STATUS_OK);
    return trace;
}

static void check(const char *text, const struct expected_fault *faults, const size_t calls[RANKS])
{
    struct trace *trace = open_partly(text);
    size_t count = 0;
    for (; faults[count].text; count++) {
        const struct expected_fault *want = &faults[count];
        assert_true(count < trace->provenance.fault_count);
        const struct trace_fault *got = &trace->provenance.faults[count];
        if (!strstr(got->text, want->text)) fail_msg("\"%s\" does not hold \"%s\"", got->text, want->text);
        assert_int_equal(got->rank == TRACE_FAULT_NO_RANK ? -1 : (int64_t)got->rank, want->rank);
        assert_int_equal(got->left_out, want->left_out);
        assert_int_equal(got->time_ps, want->us < 0 ? TRACE_UNKNOWN_PS : want->us * US);
        if (want->rank < 0) continue;
        assert_int_equal(got->event + 1, want->event);
        assert_true(trace->ranks[got->rank].incomplete);
    }
    assert_int_equal(trace->provenance.fault_count, count);
    for (uint32_t r = 0; r < RANKS; r++) assert_int_equal(trace->ranks[r].count, calls[r]);
    trace_free(trace);
}

#define CHECK(lines, zero, one, two, ...)                                                                              \
    check(lines, (const struct expected_fault[]){__VA_ARGS__, {.text = NULL}}, (const size_t[]){zero, one, two})

static void lines(void **state)
{
    (void)state;
    CHECK("0 0 0.000010 MPI_Barrier comm=0\n0 0.000030 0.000020 MPI_Barrier comm=0\n0 0.000040 0.000050 MPI_Barrier "
          "comm=0\n"
          "1 0 0.000010 MPI_Barrier comm=0\n",
          1, 1, 0, {0, 2, 30, 2, ":5: rank 0, event 2 at 0.000030 s: exit at 0.000020 s is before enter"});
    CHECK("1 0.000010 0.000020 MPI_Barrier comm=0\n1 0.000015 0.000020 MPI_Barrier comm=0\n", 0, 1, 0,
          {1, 2, 15, 1, "rank 1, event 2 at 0.000015 s: time runs backwards"});
    CHECK("2 0 0 MPI_Init\n2 0.000001 0.000002 MPI_Win_post win=0 group=0,7\n2 0.000003 0.000004 MPI_Win_wait win=0\n"
          "2 x\n",
          0, 0, 1, {2, 2, 1, 3, "rank 2, event 2 at 0.000001 s: '7' in group"});
    CHECK("0 0 0 MPI_Init\n0 0.000001 0.000002 MPI_Frobnicate\n0 0.000003 0.000004 MPI_Finalize\n", 1, 0, 0,
          {0, 2, 1, 2, "rank 0, event 2 at 0.000001 s: unknown call MPI_Frobnicate"});
    CHECK("0 x 0 MPI_Init\n", 0, 0, 0, {0, 1, -1, 1, "rank 0, event 1: enter time 'x'"});
}

static void lines_of_no_rank(void **state)
{
    (void)state;
    CHECK("0 0 0 MPI_Init\nnonsense\n7 0 0 MPI_Init\n0 0.000001 0.000002 MPI_Finalize\n", 2, 0, 0,
          {-1, 0, -1, NOT_COUNTED, ":5: 'nonsense', expected a rank number"},
          {-1, 0, -1, NOT_COUNTED, ":6: rank '7', expected a number from 0 to 2"});
}

/* What trace_check() finds when all is read. */
static void handles(void **state)
{
    (void)state;
    CHECK(
        "comm 1 ranks=0,1\nwindow 1 comm=1\n2 0.000001 0.000002 MPI_Win_fence win=1\n2 0.000003 0.000004 MPI_Finalize\n"
        "0 0.000001 0.000002 MPI_Win_fence win=1\n1 0.000001 0.000002 MPI_Win_fence win=1\n",
        1, 1, 0, {2, 1, 1, 2, "rank 2, event 1 (MPI_Win_fence) at 0.000001 s: rank 2 is no member of window 1"});
}

/* Contradictions that the epochs show. */
static void epochs(void **state)
{
    (void)state;
    CHECK("0 0 0.000010 MPI_Win_fence win=0\n0 0.000020 0.000030 MPI_Win_create win=0\n0 0.000040 0.000050 "
          "MPI_Win_fence win=0\n"
          "1 0.000020 0.000030 MPI_Win_create win=0\n1 0.000040 0.000050 MPI_Win_fence win=0\n",
          0, 2, 0,
          {0, 1, 0, 3, "rank 0, event 1 (MPI_Win_fence) at 0.000000 s: window 0 is used before event 2 creates it"});
    CHECK("1 0 0.000010 MPI_Win_create win=0\n1 0.000020 0.000030 MPI_Win_free win=0\n1 0.000040 0.000050 "
          "MPI_Win_fence win=0\n",
          0, 2, 0, {1, 3, 40, 1, "rank 1, event 3 (MPI_Win_fence) at 0.000040 s: window 0 is freed already"});
    CHECK("0 0.000010 0.000020 MPI_Win_start win=0 group=1\n0 0.000030 0.000040 MPI_Put win=0 target=2 bytes=8\n"
          "0 0.000050 0.000060 MPI_Win_complete win=0\n1 0 0 MPI_Win_post win=0 group=0\n1 0 0.000070 MPI_Win_wait "
          "win=0\n",
          1, 2, 0, {0, 2, 30, 2, "rank 0, event 2 (MPI_Put) at 0.000030 s: target 2 is not in the group"});
    CHECK("0 0 0.000001 MPI_Win_complete win=0\n1 0 0.000001 MPI_Win_unlock win=0 target=0\n2 0 0.000001 MPI_Win_wait "
          "win=0\n",
          0, 0, 0, {0, 1, 0, 1, "no MPI_Win_start is open"}, {1, 1, 0, 1, "event 1 (MPI_Win_unlock)"},
          {2, 1, 0, 1, "event 1 (MPI_Win_wait)"});
}

/* Different collectives at one turn: the rank that differs from those before it ends there. */
static void collectives(void **state)
{
    (void)state;
    CHECK("0 0 0.000010 MPI_Barrier comm=0\n0 0.000020 0.000030 MPI_Barrier comm=0\n1 0 0.000010 MPI_Barrier comm=0\n"
          "1 0.000020 0.000030 MPI_Allreduce comm=0 bytes=8\n1 0.000040 0.000050 MPI_Barrier comm=0\n2 0 0.000010 "
          "MPI_Barrier comm=0\n"
          "2 0.000020 0.000030 MPI_Barrier comm=0\n",
          2, 1, 2, {1, 2, 20, 2, "rank 1, event 2 (MPI_Allreduce) at 0.000020 s: the collective call on communicator 0"});
}

/* A second cut of a rank, before the first: one entry that counts all. */
static void cut_twice(void **state)
{
    (void)state;
    CHECK("0 0 0.000001 MPI_Win_complete win=0\n0 0.000010 0.000020 MPI_Barrier comm=0\n0 0.000030 0.000020 "
          "MPI_Barrier comm=0\n",
          0, 0, 0, {0, 1, 0, 3, "no MPI_Win_start is open"});
}

/* The figures are those of the trace without what is left out: Wait at Barrier of rank 0, 0 to 10 us. */
static void result_says_so(void **state)
{
    (void)state;
    struct err err;
    struct result *result;
    struct trace *trace =
        open_partly("0 0 0.000012 MPI_Barrier comm=0\n1 0.000010 0.000012 MPI_Barrier comm=0\n"
                    "2 0.000008 0.000012 MPI_Barrier comm=0\n2 0.000030 0.000020 MPI_Barrier comm=0\n");
    if (model_analyze(trace, NULL, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(result->left_out_count, 1);
    assert_int_equal(result->left_out[0].rank, 2);
    assert_int_equal(result->left_out[0].event, 2);
    assert_int_equal(result->left_out[0].calls, 1);
    assert_true(result->left_out[0].time_known);
    assert_float_equal(result->left_out[0].time_s, 30e-6, 1e-15);
    assert_true(result->incomplete);
    assert_float_equal(result->patterns[PATTERN_WAIT_AT_BARRIER].rank_severity_s[0], 10e-6, 1e-15);
    result_free(result);
    trace_free(trace);
}

/* Without a header nothing can be known. */
static void no_trace(void **state)
{
    (void)state;
    struct err err = {.text = ""};
    struct trace *trace;
    assert_int_equal(trace_open_partly("/nowhere", &trace, &err), STATUS_DATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),          cmocka_unit_test(lines_of_no_rank), cmocka_unit_test(handles),
        cmocka_unit_test(epochs),         cmocka_unit_test(collectives),      cmocka_unit_test(cut_twice),
        cmocka_unit_test(result_says_so), cmocka_unit_test(no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
