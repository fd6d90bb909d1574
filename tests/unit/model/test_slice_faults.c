/* A contradictory trace is told by the same line in memory and in slices, however far apart lies what contradicts. */
#include "model_test.h"

#include <string.h>

#include "model/slices/slices.h"
#include "tests/slices/memory_source.h"

enum { FAR = 4000 }; /* calls between: many slices, and more requests than are remembered one by one */

static struct err err;

#define OK(call)                                                                                                       \
    if ((call) != STATUS_OK) fail_msg("%s", err.text)

/* Two ranks and a window of theirs. */
static struct trace *begin(void)
{
    struct trace *trace;
    int32_t window;
    OK(trace_new("faulty", 2, &trace, &err));
    OK(trace_add_window(trace, 0, NULL, NULL, '?', &window, &err));
    return trace;
}

static void add(struct trace *trace, uint32_t rank, enum mpi_call function, int32_t handle, uint32_t ref)
{
    int64_t now_ps = (int64_t)trace->ranks[rank].count * 10;
    struct trace_call call = {.enter_ps = now_ps,
                              .exit_ps = now_ps + 5,
                              .any = {.first = -1, .ref = ref},
                              .handle = handle,
                              .peer = TRACE_NONE,
                              .call = (uint16_t)function};
    OK(trace_add_call(trace, rank, &call, &err));
}

/* Other requests, on both ranks: made and completed. */
static void add_requests(struct trace *trace, uint32_t first)
{
    for (uint32_t i = 0; i < FAR; i++)
        for (uint32_t r = 0; r < 2; r++) {
            add(trace, r, ID_Isend, 0, first + i);
            add(trace, r, ID_Wait, TRACE_NONE, first + i);
        }
}

static void add_on_both(struct trace *trace, enum mpi_call function)
{
    add(trace, 0, function, 0, TRACE_NO_REF);
    add(trace, 1, function, 0, TRACE_NO_REF);
}

/* Both ways give one line, which holds what is expected. Frees the trace. */
static void expect_line(struct trace *trace, const char *expected)
{
    struct err whole = {0}, sliced = {0};
    struct result *result;
    struct trace_source source;
    enum status status = trace_check(trace, &whole);
    if (status == STATUS_OK) status = model_analyze(trace, NULL, &result, &whole);
    assert_int_equal(status, STATUS_DATA);
    assert_non_null(strstr(whole.text, expected));
    for (size_t calls = 40; calls <= 4000; calls *= 10) {
        OK(source_of_trace(trace, &source, &err));
        source.checked = false;
        assert_int_equal(model_analyze_slices(&source, NULL, calls, &result, &sliced), STATUS_DATA);
        assert_string_equal(sliced.text, whole.text);
        source_close(&source);
    }
    trace_free(trace);
}

static void a_request_completed_twice(void **state)
{
    (void)state;
    struct trace *trace = begin();
    add_requests(trace, 7);
    add(trace, 1, ID_Wait, TRACE_NONE, 9);
    expect_line(trace,
                "rank 1, event 8001 (MPI_Wait) at 0.00000008 s: req=9 was completed before, expected a live request");
}

static void a_request_made_twice(void **state)
{
    (void)state;
    struct trace *trace = begin();
    add_requests(trace, 7);
    add(trace, 0, ID_Isend, 0, 4000);
    expect_line(trace,
                "rank 0, event 8001 (MPI_Isend) at 0.00000008 s: req=4000 was made before, expected a new request");
}

static void a_request_never_made(void **state)
{
    (void)state;
    struct trace *trace = begin();
    add_requests(trace, 7);
    add(trace, 0, ID_Wait, TRACE_NONE, 6);
    expect_line(trace, "rank 0, event 8001 (MPI_Wait) at 0.00000008 s: req=6 is used before it was made");
}

static void a_window_used_behind_its_end(void **state)
{
    (void)state;
    struct trace *trace = begin();
    add_on_both(trace, ID_Win_create);
    add_on_both(trace, ID_Win_free);
    add_requests(trace, 0);
    add_on_both(trace, ID_Win_fence);
    expect_line(trace, "rank 0, event 8003 (MPI_Win_fence) at 0.00000008002 s: window 0 is freed already");
}

static void a_window_used_before_its_creation(void **state)
{
    (void)state;
    struct trace *trace = begin();
    add_on_both(trace, ID_Win_fence);
    add_requests(trace, 0);
    add_on_both(trace, ID_Win_create);
    expect_line(trace, "rank 0, event 1 (MPI_Win_fence) at 0");
}

/* Of two faults that one slice has, the lower rank's is told. */
static void an_epoch_before_a_window(void **state)
{
    (void)state;
    struct trace *trace = begin();
    add_on_both(trace, ID_Win_create);
    add_requests(trace, 0);
    add(trace, 0, ID_Win_complete, 0, TRACE_NO_REF);
    add(trace, 1, ID_Win_free, 0, TRACE_NO_REF);
    add(trace, 1, ID_Win_fence, 0, TRACE_NO_REF);
    expect_line(trace, "rank 0, event 8002 (MPI_Win_complete) at 0.00000008001 s: no MPI_Win_start is open on this window");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_completed_twice),
        cmocka_unit_test(a_request_made_twice),
        cmocka_unit_test(a_request_never_made),
        cmocka_unit_test(a_window_used_behind_its_end),
        cmocka_unit_test(a_window_used_before_its_creation),
        cmocka_unit_test(an_epoch_before_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
