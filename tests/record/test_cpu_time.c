/* CPU time, core waits and sleep beside wall time: from the recorder into the trace, through text and archive, and used by
 * replay. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "craft.h"
#include "run.h"
#include "trace/otf2/otf2.h"
#include "trace/spool/read.h"
#include "trace/text/text.h"

#define MS INT64_C(1000000000)

struct said {
    enum spool_kind kind; /* SPOOL_CORE_WAIT, SPOOL_SLEPT */
    int64_t ns;
};

static void craft_said(struct craft *craft, const struct said *said, size_t count)
{
    for (size_t i = 0; i < count; i++)
        craft_define(craft, said[i].kind, (struct spool_record){.extra = said[i].ns}, NULL, 0);
}

/* A rank with wall gaps of 1500, 2000 and 3000 ns. of_second, two values, and of_third are what it says of
 * the last two. */
static struct trace *read_three_gaps(const struct said *of_second, const struct said *of_third, size_t third_count)
{
    struct craft craft;
    struct trace *trace;
    struct err err = {0};
    char *directory = craft_directory();
    craft_begin(&craft, 0, 1, 1000000);
    craft_prologue(&craft);
    craft_call(&craft, CRAFT_INIT, 0, 500);
    craft_call(&craft, CRAFT_BARRIER, 2000, 3000);
    craft_said(&craft, of_second, 2);
    craft_call(&craft, CRAFT_BARRIER, 5000, 6000);
    craft_said(&craft, of_third, third_count);
    craft_call(&craft, CRAFT_BARRIER, 9000, 10000);
    craft_write(&craft, directory, craft.count, 0);
    craft_free(&craft);
    assert_int_equal(spool_read(directory, &trace, &err), STATUS_OK);
    craft_remove(directory);
    return trace;
}

/* Wall gaps are 1500, 2000 and 3000 ns; the thread waits 400 ns of the second one, in two parts, and says 5000 of the
 * third. With a cost of 100 ns 1400, 1500 and 0 are left, and 100 each. */
static void without_core_waits(void **state)
{
    (void)state;
    struct err err = {0};
    const struct said second[] = {{SPOOL_CORE_WAIT, 300}, {SPOOL_CORE_WAIT, 100}}, third[] = {{SPOOL_CORE_WAIT, 5000}};
    struct trace *trace = read_three_gaps(second, third, 1);
    assert_int_equal(trace->ranks[0].before_ps[BEFORE_CORE_WAIT][2], 400000);
    assert_int_equal(trace->ranks[0].before_sum_ps[BEFORE_CORE_WAIT], 5400000);
    trace->provenance.record_cost_ps = 100000;
    trace->provenance.core_waits = true;
    assert_int_equal(trace_use_computing(trace, COMPUTING_UNDISTURBED, &err), STATUS_OK);
    const struct trace_call *calls = trace->ranks[0].calls;
    assert_int_equal(calls[1].enter_ps, 2000000);
    assert_int_equal(calls[2].enter_ps, 4600000);
    assert_int_equal(calls[3].enter_ps, 5700000);
    trace_free(trace);
}

/* Wall gaps are 1500, 2000 and 3000 ns. The thread sleeps 600 ns of the second one, in two parts; of the third it waits
 * 1000 ns and says 5000 asleep: 2000 are left for that. Computing by wall time and undisturbed has the sleep in it. */
static void slept(void **state)
{
    (void)state;
    struct err err = {0};
    const struct said second[] = {{SPOOL_SLEPT, 500}, {SPOOL_SLEPT, 100}},
                      third[] = {{SPOOL_CORE_WAIT, 1000}, {SPOOL_SLEPT, 5000}};
    struct trace *trace = read_three_gaps(second, third, 2);
    const struct trace_rank *rank = &trace->ranks[0];
    assert_true(rank->before_ps[BEFORE_SLEPT][1] == TRACE_UNKNOWN_PS);
    assert_int_equal(rank->before_ps[BEFORE_SLEPT][2], 600000);
    assert_int_equal(rank->before_ps[BEFORE_SLEPT][3], 2000000);
    trace->provenance.core_waits = true;
    assert_int_equal(trace_use_computing(trace, COMPUTING_UNDISTURBED, &err), STATUS_OK);
    assert_int_equal(rank->calls[2].enter_ps - rank->calls[1].exit_ps, 2000000);
    assert_int_equal(rank->calls[3].enter_ps - rank->calls[2].exit_ps, 2000000);
    assert_int_equal(trace_slept_ps(rank, 2, 2000000), 600000);
    assert_int_equal(trace_slept_ps(rank, 3, 2000000), 2000000);
    assert_int_equal(trace_slept_ps(rank, 1, 2000000), 0);
    assert_int_equal(trace_slept_ps(rank, 2, -1), 0);
    trace_free(trace);
}

/* A barrier of 1000 ns in which the thread says 700 and 100 ns, then a gap of 2000 in which it says 400. What it says of
 * MPI_Init, which the recorder does not measure, is left out. */
static void inside_a_call(void **state)
{
    (void)state;
    struct craft craft;
    const struct said init = {SPOOL_CORE_WAIT, 50}, inside[] = {{SPOOL_CORE_WAIT, 700}, {SPOOL_CORE_WAIT, 100}},
                      between = {SPOOL_CORE_WAIT, 400};
    char *directory = craft_directory();
    craft_begin(&craft, 0, 1, 1000000);
    craft_prologue(&craft);
    craft_enter(&craft, CRAFT_INIT, 0);
    craft_said(&craft, &init, 1);
    craft_exit(&craft, CRAFT_INIT, 500);
    craft_enter(&craft, CRAFT_BARRIER, 2000);
    craft_said(&craft, inside, 2);
    craft_exit(&craft, CRAFT_BARRIER, 3000);
    craft_said(&craft, &between, 1);
    craft_call(&craft, CRAFT_BARRIER, 5000, 6000);
    craft_write(&craft, directory, craft.count, 0);
    craft_free(&craft);
    struct trace *trace = craft_read(directory);
    const struct trace_rank *rank = &trace->ranks[0];
    assert_int_equal(rank->before_ps[BEFORE_CORE_WAIT_INSIDE][1], 800000);
    assert_int_equal(rank->before_sum_ps[BEFORE_CORE_WAIT_INSIDE], 800000);
    assert_int_equal(rank->before_ps[BEFORE_CORE_WAIT][2], 400000);
    assert_int_equal(rank->before_sum_ps[BEFORE_CORE_WAIT], 400000);
    trace_free(trace);
    craft_remove(directory);
}

static void craft_cpu(struct craft *craft, int64_t ns)
{
    craft_define(craft, SPOOL_CPU, (struct spool_record){.extra = ns}, NULL, 0);
}

/* Init 0-500 ns, then barriers of 1000 ns that begin at 2000, 5000 and 9000 ns; the CPU time before the second is 700
 * ns in two parts, before the third it is not known. */
static struct trace *crafted(char *directory)
{
    struct craft craft;
    struct trace *trace;
    struct err err = {0};
    craft_begin(&craft, 0, 1, 1000000);
    craft_prologue(&craft);
    craft_call(&craft, CRAFT_INIT, 0, 500);
    craft_cpu(&craft, 900);
    craft_call(&craft, CRAFT_BARRIER, 2000, 3000);
    craft_cpu(&craft, 300);
    craft_cpu(&craft, 400);
    craft_call(&craft, CRAFT_BARRIER, 5000, 6000);
    craft_call(&craft, CRAFT_BARRIER, 9000, 10000);
    craft_write(&craft, directory, craft.count, 0);
    craft_free(&craft);
    assert_int_equal(spool_read(directory, &trace, &err), STATUS_OK);
    return trace;
}

static void expect_crafted(const struct trace *trace)
{
    const struct trace_rank *rank = &trace->ranks[0];
    assert_int_equal(rank->count, 4);
    assert_non_null(rank->before_ps[BEFORE_CPU]);
    assert_true(rank->before_ps[BEFORE_CPU][0] == TRACE_UNKNOWN_PS);
    assert_int_equal(rank->before_ps[BEFORE_CPU][1], 900000);
    assert_int_equal(rank->before_ps[BEFORE_CPU][2], 700000);
    assert_true(rank->before_ps[BEFORE_CPU][3] == TRACE_UNKNOWN_PS);
}

static void through_files(void **state)
{
    (void)state;
    char *directory = craft_directory(), path[512];
    struct trace *trace = crafted(directory), *back;
    struct err err = {0};
    expect_crafted(trace);
    snprintf(path, sizeof path, "%s/t.txt", directory);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(text_write(trace, NULL, out, &err), STATUS_OK);
    fclose(out);
    assert_int_equal(text_read_by(0, path, false, &back, &err), STATUS_OK);
    expect_crafted(back);
    trace_free(back);
    snprintf(path, sizeof path, "%s/archive", directory);
    assert_int_equal(otf2_write(trace, path, &err), STATUS_OK);
    assert_int_equal(otf2_read(path, &back, &err), STATUS_OK);
    expect_crafted(back);
    trace_free(back);
    trace_free(trace);
    craft_remove(directory);
}

/* Wall gaps are 1500, 2000, 3000 ns. With a cost of 100 ns the first two become 900 + 100 and 700 + 100; the third is
 * wall time still. A CPU time above the wall time changes nothing. */
static void used(void **state)
{
    (void)state;
    char *directory = craft_directory();
    struct trace *trace = crafted(directory);
    struct err err = {0};
    const struct trace_call *calls = trace->ranks[0].calls;
    trace->provenance.record_cost_ps = 100000;
    assert_int_equal(trace_use_computing(trace, COMPUTING_CPU, &err), STATUS_OK);
    assert_int_equal(calls[0].exit_ps, 500000);
    assert_int_equal(calls[1].enter_ps, 1500000);
    assert_int_equal(calls[1].exit_ps, 2500000);
    assert_int_equal(calls[2].enter_ps, 3300000);
    assert_int_equal(calls[3].enter_ps, 7300000);
    assert_int_equal(calls[3].exit_ps, 8300000);
    trace->ranks[0].before_ps[BEFORE_CPU][1] = 2 * MS;
    assert_int_equal(trace_use_computing(trace, COMPUTING_CPU, &err), STATUS_OK);
    assert_int_equal(calls[1].enter_ps, 1500000);
    trace_free(trace);
    craft_remove(directory);
}

static void needed(void **state)
{
    (void)state;
    struct trace *trace;
    struct err err = {0};
    assert_int_equal(trace_new("t", 2, &trace, &err), STATUS_OK);
    assert_int_equal(trace_use_computing(trace, COMPUTING_CPU, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "--cpu-time"));
    trace_free(trace);
}

/* programs/busy.c. Sleeping takes next to no CPU time; burning takes at least what was burnt, whatever else runs here.
 */
static void recorded(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("RMACAST_CPU_TIME=1", "busy", 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        const struct trace_rank *process = &trace->ranks[rank];
        assert_int_equal(process->count, 7); /* Init, three barriers, the region's begin and end, Finalize */
        assert_non_null(process->before_ps[BEFORE_CPU]);
        for (size_t i = 1; i < 7; i++) assert_true(process->before_ps[BEFORE_CPU][i] >= 0);
        assert_true(process->before_ps[BEFORE_CPU][2] < 20 * MS &&
                    process->calls[2].enter_ps - process->calls[1].exit_ps >= 60 * MS);
        assert_true(process->before_ps[BEFORE_CPU][3] > 29 * MS);
        assert_true(process->before_ps[BEFORE_CPU][4] < 20 * MS && process->before_ps[BEFORE_CPU][5] > 29 * MS);
    }
    trace_free(trace);
    trace = run_recorded("", "locks", 0);
    assert_null(trace->ranks[0].before_ps[BEFORE_CPU]);
    trace_free(trace);
}

/* programs/busy.c sleeps 60 ms between the first barrier and the second, and burns 30 ms of CPU time between the second
 * and the third, on a core that all ranks want: what it slept of that is at most the rest. */
static void expect_sleep(const struct trace_rank *process)
{
    const int64_t *slept_ps = process->before_ps[BEFORE_SLEPT], *waited_ps = process->before_ps[BEFORE_CORE_WAIT];
    assert_non_null(slept_ps);
    assert_true(slept_ps[2] >= 59 * MS);
    int64_t burning_ps = process->calls[3].enter_ps - process->calls[2].exit_ps;
    if (waited_ps && waited_ps[3] > 0) burning_ps -= waited_ps[3];
    assert_true(slept_ps[3] <= burning_ps - 29 * MS);
}

/* programs/busy.c: all ranks want the same core for 30 ms at a time. Each has it for 30 ms between the second barrier and
 * the third, whatever else runs here; that they all had it at once is impossible. The first ranks to come to a barrier poll
 * there, and wait for the core while the last one computes. */
static void shared_core(void **state)
{
    (void)state;
    cpu_set_t all, one;
    int first = 0, readable = access("/proc/thread-self/schedstat", R_OK);
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET((size_t)first, &all)) first++;
    CPU_ZERO(&one);
    CPU_SET((size_t)first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    struct trace *trace = run_recorded("", "busy", 0);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(trace->provenance.core_waits, readable == 0);
    assert_true(trace_is_crowded(trace));
    int64_t waited_ps = 0, inside_ps = 0;
    for (uint32_t rank = 0; rank < 4; rank++) {
        const struct trace_rank *process = &trace->ranks[rank];
        assert_int_equal(process->cores, 1);
        if (readable == 0) expect_sleep(process);
        waited_ps += process->before_sum_ps[BEFORE_CORE_WAIT];
        inside_ps += process->before_sum_ps[BEFORE_CORE_WAIT_INSIDE];
        for (size_t i = 0; process->before_ps[BEFORE_CORE_WAIT_INSIDE] && i < process->count; i++) {
            int64_t wait_ps = trace_before_ps(process, BEFORE_CORE_WAIT_INSIDE, i);
            assert_true(wait_ps == 0 || (trace_core_wait_is_known(&process->calls[i]) &&
                                         wait_ps <= process->calls[i].exit_ps - process->calls[i].enter_ps));
        }
        for (size_t i = 1; process->before_ps[BEFORE_CORE_WAIT] && i < process->count; i++) {
            int64_t wait_ps = process->before_ps[BEFORE_CORE_WAIT][i];
            int64_t gap_ps = process->calls[i].enter_ps - process->calls[i - 1].exit_ps;
            if (wait_ps == TRACE_UNKNOWN_PS) continue;
            assert_true(wait_ps > 0 && wait_ps <= gap_ps);
            if (i == 3) assert_true(gap_ps - wait_ps > 29 * MS);
        }
    }
    assert_int_equal(waited_ps > 0, readable == 0);
    assert_int_equal(inside_ps > 0, readable == 0);
    trace_free(trace);
    trace = run_recorded("RMACAST_SCHEDSTAT=0", "locks", 0);
    assert_false(trace->provenance.core_waits);
    assert_null(trace->ranks[0].before_ps[BEFORE_SLEPT]);
    trace_free(trace);
}

/* The indices of the two barriers of a rank's thread. */
static void find_barriers(const struct trace *trace, uint32_t rank, uint32_t thread, size_t barriers[2])
{
    size_t found = 0;
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        const struct trace_call *call = &trace->ranks[rank].calls[i];
        if (strcmp(call_name((enum mpi_call)call->call), "MPI_Barrier") != 0) continue;
        if (trace_call_thread(trace, rank, i) != thread) continue;
        assert_true(found < 2);
        barriers[found++] = i;
    }
    assert_int_equal(found, 2);
}

/* programs/asleep_threads.c: each thread's sleep is its own. */
static void threads_asleep(void **state)
{
    (void)state;
    if (access("/proc/thread-self/schedstat", R_OK) != 0) skip();
    struct trace *trace = run_recorded("", "asleep_threads", 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        const struct trace_rank *process = &trace->ranks[rank];
        const int64_t *slept_ps = process->before_ps[BEFORE_SLEPT];
        size_t asleep[2], burning[2];
        find_barriers(trace, rank, 1, asleep);
        find_barriers(trace, rank, 0, burning);
        assert_non_null(slept_ps);
        assert_true(slept_ps[asleep[1]] >= 59 * MS);
        int64_t gap_ps = process->calls[burning[1]].enter_ps - process->calls[burning[0]].exit_ps;
        gap_ps -= trace_before_ps(process, BEFORE_CORE_WAIT, burning[1]);
        assert_true(slept_ps[burning[1]] <= gap_ps - 29 * MS);
    }
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(through_files), cmocka_unit_test(used),
                                       cmocka_unit_test(needed), cmocka_unit_test(recorded),
                                       cmocka_unit_test(without_core_waits), cmocka_unit_test(slept),
                                       cmocka_unit_test(inside_a_call),
                                       cmocka_unit_test(shared_core), cmocka_unit_test(threads_asleep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
