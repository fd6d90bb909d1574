/* Waits for locks and for progress, per target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/open.h"
#include "validate/target_waits.h"
#include "validate/validate.h"

/* Rank 2 lets the lock of rank 1 go at `released`; rank 0 asks at 10 and is in lock until 45; rank 1 enters MPI at 40. */
#define TRACE(unlocks, released)                                                                                       \
    "rmacast-trace 1\nranks 3\nwindow 0 comm=0\n1 0.000000 0.000031 MPI_Comm_group comm=0\n"                           \
    "1 0.000040 0.000090 MPI_Barrier comm=0\n"                                                                         \
    "2 0.000000 0.000001 MPI_Win_lock win=0 target=1 lock=exclusive\n"                                                 \
    "2 0.000002 0.000003 MPI_Put win=0 target=1 bytes=8\n"                                                             \
    "2 0.0000" unlocks " 0.0000" released " MPI_Win_unlock win=0 target=1\n2 0.000080 0.000090 MPI_Barrier comm=0\n"    \
    "0 0.000010 0.000045 MPI_Win_lock win=0 target=1 lock=exclusive\n"                                                 \
    "0 0.000046 0.000047 MPI_Put win=0 target=1 bytes=8\n"                                                             \
    "0 0.000047 0.000048 MPI_Win_unlock win=0 target=1\n0 0.000080 0.000090 MPI_Barrier comm=0\n"

static struct trace *trace_of(const char *text)
{
    char path[] = "/tmp/rmacast-targets-XXXXXX";
    struct err err;
    struct trace *trace;
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    enum status status = trace_open(path, &trace, &err);
    unlink(path);
    if (status != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

#define US(found, expected) assert_float_equal((float)((found)*1e6), (float)(expected), 1e-3f)

/* Measured: 25 us for the holder, then 5 until rank 1 enters MPI. Predicted: 23 and 7. Together 30 for target 1. Each wait
 * state alone is off by 2 us, of a tenth of the run's 270 us that is 7.4 %. */
static void sum_holds(void **state)
{
    (void)state;
    struct err err;
    struct trace *predicted = trace_of(TRACE("27", "33")), *measured = trace_of(TRACE("29", "35"));
    struct result *results[2];
    struct validation *v;
    assert_int_equal(model_analyze(predicted, NULL, &results[0], &err), STATUS_OK);
    assert_int_equal(model_analyze(measured, NULL, &results[1], &err), STATUS_OK);
    assert_int_equal(validate_results(results[0], "p", (const struct result *const *)results + 1,
                                      (const char *const[]){"m"}, 1, &v, &err),
                     STATUS_OK);
    assert_null(v->targets);
    assert_int_equal(validate_tolerance(v, 0.05, &err), STATUS_DATA);
    assert_int_equal(validate_traces(v, predicted, (const struct trace *const[]){measured}, NULL, &err), STATUS_OK);
    US(v->patterns[PATTERN_LOCK_CONTENTION].total.measured_s, 25);
    US(v->patterns[PATTERN_WAIT_FOR_PROGRESS].total.predicted_s, 7);
    assert_float_equal((float)v->patterns[PATTERN_LOCK_CONTENTION].total.deviation, 2.0f / 27, 1e-6f);
    US(v->targets[1].predicted_s, 30);
    US(v->targets[1].measured_s, 30);
    US(v->targets[0].predicted_s + v->targets[2].predicted_s, 0);
    assert_int_equal(validate_tolerance(v, 0.05, &err), STATUS_OK);
    validation_free(v);
    result_free(results[0]);
    result_free(results[1]);
    trace_free(predicted);
    trace_free(measured);
}

/* A flush_all names no target: its wait for progress, 20-30 us, is for the rank that enters MPI when it ends. If none does, as
 * with a progress thread, or the filter leaves the rank out that waits, it is for nobody. */
static void waits_of_several_targets(void **state)
{
    (void)state;
    static const struct {
        const char *enters;
        uint32_t first_rank;
        double us[3];
    } rows[] = {{"30", 0, {0, 0, 10}}, {"31", 0, {0, 0, 0}}, {"29", 0, {0, 0, 0}}, {"30", 1, {0, 0, 10}}, {"30", 2, {0, 0, 0}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        double waits_s[3];
        struct err err;
        struct analyze_options options = ANALYZE_DEFAULTS;
        options.filter = (struct filter){.by_rank = true, .first_rank = rows[i].first_rank, .last_rank = 2};
        snprintf(text, sizeof text,
                 "rmacast-trace 1\nranks 3\nproperty simulated=1\nwindow 0 comm=0\n"
                 "1 0.000000 0.000001 MPI_Win_lock_all win=0\n"
                 "1 0.000002 0.000003 MPI_Put win=0 target=2 bytes=8\n"
                 "1 0.000010 0.000040 MPI_Win_flush_all win=0 progress_from=0.000020 progress_until=0.000030\n"
                 "1 0.000040 0.000040 MPI_Win_unlock_all win=0\n"
                 "2 0.000000 0.000001 MPI_Comm_group comm=0\n2 0.0000%s 0.000035 MPI_Comm_group comm=0\n",
                 rows[i].enters);
        struct trace *trace = trace_of(text);
        assert_int_equal(target_waits(trace, &options, waits_s, &err), STATUS_OK);
        for (int r = 0; r < 3; r++) US(waits_s[r], rows[i].us[r]);
        trace_free(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sum_holds), cmocka_unit_test(waits_of_several_targets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
