/* What an analysis in slices holds does not grow with the trace: calls that stay from one slice to the next, and what the rules
 * of model/violations keep of calls, are counted, of runs of few and of many iterations. */
#include "model_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/slices/slices.h"
#include "model/match/window_uses.h"
#include "model/violations/finder.h"
#include "tests/slices/memory_source.h"

enum { RANKS = 3, CALLS_PER_SLICE = 60 };

static size_t most_kept; /* calls of one rank */

static enum status count_kept(struct trace_source *source, uint32_t rank, const size_t *moved, struct err *err)
{
    (void)moved, (void)err;
    size_t kept = source->trace->ranks[rank].kept_count;
    if (kept > most_kept) most_kept = kept;
    return STATUS_OK;
}

/* The room of all that the rules keep, but for lock epochs, which go to a file, and windows. */
static size_t remembered;

static enum status take_calls(void *context, const struct trace *trace, const struct callpaths *paths, struct err *err)
{
    return violations_take(context, trace, paths, err);
}

static enum status take_messages(void *context, const struct relations *relations, bool last, struct err *err)
{
    const struct violation_finder *finder = context;
    struct result_violations violations;
    TRY(violations_match(context, relations, last, err));
    if (!last) return STATUS_OK;
    remembered = finder->place_count + finder->side_count + finder->update_count + finder->waiting.node_count +
                 finder->waiting.count + finder->fenced_updates.capacity + finder->truncated_count +
                 finder->comms.count;
    TRY(violations_end(context, &violations, err));
    assert_true(violations.total <= RANKS); /* the last epoch of a rank may be open */
    result_violations_clear(&violations);
    return STATUS_OK;
}

/* Writes one iteration of one rank, of 1 ms. */
typedef void iteration(FILE *out, uint32_t rank, int number);

static void call(FILE *out, uint32_t rank, int ms, int from_us, int to_us, const char *what)
{
    fprintf(out, "%u %d.%06d %d.%06d %s\n", rank, ms / 1000, ms % 1000 * 1000 + from_us, ms / 1000,
            ms % 1000 * 1000 + to_us, what);
}

/* Ranks take a lock in turns, and wait for a write of the rank before them, of which each test but the last fails. */
static void shmem(FILE *out, uint32_t rank, int number)
{
    int at = 100 * (int)rank;
    char text[100];
    snprintf(text, sizeof text, "shmem_put win=0 target=%u bytes=8 disp=0", (rank + 1) % RANKS);
    call(out, rank, number, 1, 2, text);
    call(out, rank, number, 3, 4, "shmem_quiet win=0");
    call(out, rank, number, 5, 60 + at, "shmem_set_lock win=0 object=128");
    call(out, rank, number, 70 + at, 80 + at, "shmem_clear_lock win=0 object=128");
    call(out, rank, number, 81 + at, 82 + at, "shmem_test win=0 disp=0 flag=0");
    call(out, rank, number, 83 + at, 84 + at,
         number % 5 == 4 ? "shmem_test win=0 disp=0 flag=1" : "shmem_test win=0 disp=0 flag=0");
    call(out, rank, number, 300 + at, 900, "shmem_barrier_all comm=0");
}

static void lock_all(FILE *out, uint32_t rank, int number)
{
    if (number == 0) call(out, rank, number, 0, 1, "MPI_Win_lock_all win=0 assert=0");
    call(out, rank, number, 10, 20, "MPI_Put win=0 target=0 bytes=8");
    call(out, rank, number, 30, 40, "MPI_Win_flush win=0 target=0");
}

static void requests(FILE *out, uint32_t rank, int number)
{
    char text[100];
    snprintf(text, sizeof text, "MPI_Isend comm=0 peer=%u tag=1 bytes=8 req=%d", (rank + 1) % RANKS, 2 * number);
    call(out, rank, number, 10, 20, text);
    snprintf(text, sizeof text, "MPI_Irecv comm=0 peer=%u tag=1 bytes=8 req=%d", (rank + RANKS - 1) % RANKS,
             2 * number + 1);
    call(out, rank, number, 30, 40, text);
    snprintf(text, sizeof text, "MPI_Waitall reqs=%d,%d", 2 * number, 2 * number + 1);
    call(out, rank, number, 50, 60, text);
}

static void windows(FILE *out, uint32_t rank, int number)
{
    call(out, rank, number, 10, 20, "MPI_Win_create win=0");
    call(out, rank, number, 30, 40, "MPI_Win_fence win=0 assert=0");
    call(out, rank, number, 50, 60, "MPI_Put win=0 target=1 bytes=8");
    call(out, rank, number, 70, 80, "MPI_Win_fence win=0 assert=0");
    call(out, rank, number, 90, 95, "MPI_Win_free win=0");
}

/* A halo of starts and posts. The posts assert NOPUT, so all gets are compared with them; rank 0 is late. */
static void posts(FILE *out, uint32_t rank, int number)
{
    static const char *const calls[] = {"MPI_Win_post win=0 group=%d,%d assert=NOPUT", "MPI_Win_start win=0 group=%d,%d assert=0",
                                        "MPI_Get win=0 target=%d bytes=8", "MPI_Win_complete win=0", "MPI_Win_wait win=0",
                                        "MPI_Allreduce comm=0 bytes=8 op=SUM"};
    int late = rank == 0 ? 100 : 0, before = (int)((rank + RANKS - 1) % RANKS), behind = (int)((rank + 1) % RANKS);
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++) {
        char text[100];
        snprintf(text, sizeof text, calls[i], behind, before);
        call(out, rank, number, 20 * i + 10 + late, 20 * i + 20 + late, text);
    }
}

/* Accumulates behind fences; some assert NOPUT, and only gets follow. */
static void fences(FILE *out, uint32_t rank, int number)
{
    char text[100];
    int late = rank == 0 ? 100 : 0;
    call(out, rank, number, 10 + late, 20 + late, "MPI_Win_fence win=0 assert=0");
    snprintf(text, sizeof text, "MPI_Accumulate win=0 target=%u bytes=8 op=SUM", (rank + 1) % RANKS);
    call(out, rank, number, 30 + late, 40 + late, text);
    call(out, rank, number, 50 + late, 60 + late, "MPI_Win_fence win=0 assert=NOPUT");
    snprintf(text, sizeof text, "MPI_Get win=0 target=%u bytes=8", (rank + 1) % RANKS);
    call(out, rank, number, 70 + late, 80 + late, text);
}

/* Each iteration has a window of its own. */
static void new_windows(FILE *out, uint32_t rank, int number)
{
    static const char *const calls[] = {"MPI_Win_create win=%d", "MPI_Win_fence win=%d assert=0",
                                        "MPI_Put win=%d target=1 bytes=8", "MPI_Win_fence win=%d assert=0",
                                        "MPI_Win_lock win=%d target=0 lock=shared", "MPI_Win_unlock win=%d target=0",
                                        "MPI_Win_free win=%d"};
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++) {
        char text[100];
        snprintf(text, sizeof text, calls[i], number);
        call(out, rank, number, 20 * i + 10, 20 * i + 20, text);
    }
}

static size_t kept_of(iteration *iterate, const char *definitions, int iterations)
{
    char *text;
    size_t bytes;
    struct trace_source source;
    struct result *result;
    struct err err;
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct violation_finder *finder;
    struct analyze_watcher watcher = {.read = take_calls, .matched = take_messages};
    if (violations_new(&finder, &err) != STATUS_OK) fail_msg("%s", err.text);
    watcher.context = finder;
    options.watcher = &watcher;
    options.intervals = true;
    FILE *out = open_memstream(&text, &bytes);
    fprintf(out, "ranks %d\n%s", RANKS, definitions);
    for (int i = 0; i < iterations; i++)
        for (uint32_t r = 0; r < RANKS; r++) iterate(out, r, i);
    fclose(out);
    struct trace *trace = trace_of(text);
    free(text);
    if (source_of_trace(trace, &source, &err) != STATUS_OK) fail_msg("%s", err.text);
    source.moved = count_kept;
    most_kept = 0;
    if (model_analyze_slices(&source, &options, CALLS_PER_SLICE, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    result_free(result);
    violations_free(finder);
    source_close(&source);
    trace_free(trace);
    return most_kept;
}

/* A slice holds 4 iterations of a rank at least: no more than a slice's calls of a rank stay, however many follow. */
static void expect_bounded(iteration *iterate, const char *definitions)
{
    size_t few = kept_of(iterate, definitions, 60), kept = remembered, many = kept_of(iterate, definitions, 900);
    if (remembered > kept + kept / 10) fail_msg("%zu things are kept of 60 iterations, %zu of 900", kept, remembered);
    if (many > few || many > CALLS_PER_SLICE)
        fail_msg("%zu calls of a rank stay of 60 iterations, %zu of 900", few, many);
}

static void openshmem(void **state)
{
    (void)state;
    expect_bounded(shmem, "window 0 comm=0 flavor=heap\n");
}

static void flushes_of_one_long_epoch(void **state)
{
    (void)state;
    expect_bounded(lock_all, "window 0 comm=0 bytes=8,8,8 disp_unit=1\n");
}

static void requests_that_are_completed(void **state)
{
    (void)state;
    expect_bounded(requests, "");
}

static void starts_and_posts(void **state)
{
    (void)state;
    expect_bounded(posts, "window 0 comm=0 bytes=8,8,8 disp_unit=1\n");
}

static void fences_that_assert(void **state)
{
    (void)state;
    expect_bounded(fences, "window 0 comm=0 bytes=8,8,8 disp_unit=1\n");
}

static void a_window_made_again_and_again(void **state)
{
    (void)state;
    expect_bounded(windows, "window 0 comm=0 bytes=8,8,8 disp_unit=1\n");
}

static void windows_without_end(void **state)
{
    (void)state;
    enum { WINDOWS = 900 };
    char *definitions;
    size_t bytes;
    FILE *out = open_memstream(&definitions, &bytes);
    for (int w = 0; w < WINDOWS; w++) fprintf(out, "window %d comm=0\n", w);
    fclose(out);
    expect_bounded(new_windows, definitions);
    free(definitions);
}

/* Which windows are live: one slice after the other has a window created and freed on both ranks, in the order 0, 2, 4,
 * ..., then 1, 3, 5, ...; with the even ones gone there are as many ranges, at the end one of each rank. */
static void freed_windows_are_forgotten(void **state)
{
    (void)state;
    enum { WINDOWS = 1000 };
    struct err err;
    struct trace *trace;
    struct window_uses uses = {0};
    assert_int_equal(trace_new("windows", 2, &trace, &err), STATUS_OK);
    for (int w = 0; w < WINDOWS; w++) {
        int32_t window, number = w < WINDOWS / 2 ? 2 * w : 2 * w - WINDOWS + 1;
        assert_int_equal(trace_add_window(trace, 0, NULL, NULL, '?', &window, &err), STATUS_OK);
        for (uint32_t r = 0; r < 2; r++) {
            struct trace_call made = {
                .handle = number, .peer = TRACE_NONE, .any = TRACE_NO_MEMBERS, .call = ID_Win_create};
            trace->ranks[r].count = 0;
            assert_int_equal(trace_add_call(trace, r, &made, &err), STATUS_OK);
            made.call = ID_Win_free;
            assert_int_equal(trace_add_call(trace, r, &made, &err), STATUS_OK);
        }
        for (uint32_t r = 0; r < 2; r++)
            for (size_t i = 0; i < 2; i++) assert_int_equal(window_uses_add(&uses, trace, r, i, &err), STATUS_OK);
        assert_int_equal(uses.index.count, 0);
        assert_true(uses.count <= 2);
        if (w == WINDOWS / 2 - 1) assert_int_equal(uses.freed_count, 2 * (WINDOWS / 2));
    }
    assert_int_equal(uses.freed_count, 2);
    assert_int_equal(uses.freed[1].rank, 1);
    assert_int_equal(uses.freed[1].from, 0);
    assert_int_equal(uses.freed[1].end, WINDOWS);
    window_uses_clear(&uses);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openshmem),
        cmocka_unit_test(flushes_of_one_long_epoch),
        cmocka_unit_test(requests_that_are_completed),
        cmocka_unit_test(starts_and_posts),
        cmocka_unit_test(fences_that_assert),
        cmocka_unit_test(a_window_made_again_and_again),
        cmocka_unit_test(windows_without_end),
        cmocka_unit_test(freed_windows_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
