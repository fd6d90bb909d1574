/* Queues of tasks: which places in a window are taken for one, and which rank makes which task in a replay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/scramble.h"
#include "simulate/tasks/queues.h"
#include "simulate/verify/digest.h"
#include "trace_test.h"
#include "verify_test.h"

/* --- recognition --- */

/* Rank 2 makes two tasks, rank 1 one. %s: a line in a task of rank 2; the last claim of rank 1; what it does behind. */
#define COUNTER(IN_TASK, LAST, BEHIND)                                                                                 \
    "rmacast-trace 1\nranks 3\ncomm 1 ranks=2\nwindow 0 comm=0 bytes=8,8,8 disp_unit=1\n"                              \
    "window 1 comm=1 bytes=8 disp_unit=1\n"                                                                            \
    "1 0.00 0.00 MPI_Win_lock_all win=0\n2 0.00 0.00 MPI_Win_lock_all win=0\n"                                         \
    "1 0.01 0.01 MPI_Fetch_and_op win=0 target=0 bytes=8 result_bytes=8 disp=0 op=SUM\n"                               \
    "1 0.01 0.03 MPI_Win_flush win=0 target=0\n"                                                                       \
    "1 " LAST " MPI_Fetch_and_op win=0 target=0 bytes=8 result_bytes=8 disp=0 op=SUM\n"                                \
    "1 " LAST " MPI_Win_flush win=0 target=0\n" BEHIND                                                                 \
    "2 0.02 0.02 MPI_Fetch_and_op win=0 target=0 bytes=8 result_bytes=8 disp=0 op=SUM\n"                               \
    "2 0.02 0.03 MPI_Win_flush win=0 target=0\n" IN_TASK                                                               \
    "2 0.13 0.13 MPI_Fetch_and_op win=0 target=0 bytes=8 result_bytes=8 disp=0 op=SUM\n"                               \
    "2 0.13 0.14 MPI_Win_flush win=0 target=0\n"                                                                       \
    "2 0.33 0.33 MPI_Fetch_and_op win=0 target=0 bytes=8 result_bytes=8 disp=0 op=SUM\n"                               \
    "2 0.33 0.34 MPI_Win_flush win=0 target=0\n"

/* A task of rank 1 and two of rank 2. Their first claims are at FIRST and SECOND. */
#define CLAIM(RANK, AT)                                                                                                \
    RANK " " AT " " AT " MPI_Fetch_and_op win=0 target=0 bytes=8 result_bytes=8 disp=0 op=SUM\n"                       \
    RANK " " AT " " AT " MPI_Win_flush win=0 target=0\n"
#define DONE(FIRST, SECOND)                                                                                            \
    "rmacast-trace 1\nranks 3\nwindow 0 comm=0 bytes=8,8,8 disp_unit=1\n"                                             \
    "1 0.00 0.00 MPI_Win_lock_all win=0\n2 0.00 0.00 MPI_Win_lock_all win=0\n"                                         \
    CLAIM("1", FIRST) CLAIM("1", "0.70") CLAIM("2", SECOND) CLAIM("2", "0.43") CLAIM("2", "0.63")

static const struct {
    const char *text, *why; /* why: NULL: it is no queue */
} texts[] = {
    {COUNTER("", "0.40 0.40", ""), ""},
    {COUNTER("2 0.05 0.06 MPI_Put win=0 target=1 bytes=8 disp=0\n", "0.40 0.40", ""), ""},
    {COUNTER("2 0.05 enter solve\n2 0.06 leave solve\n", "0.40 0.40", ""), ""},
    {COUNTER("2 0.05 0.06 MPI_Send comm=0 peer=0 tag=1 bytes=8\n", "0.40 0.40", ""),
     "a task has a call that no other rank can make: rank 2, event 4 (MPI_Send)"},
    {COUNTER("2 0.05 0.06 MPI_Rput win=0 target=1 bytes=8 disp=0 req=7\n", "0.40 0.40", ""),
     "a task has a call that no other rank can make: rank 2, event 4 (MPI_Rput)"},
    {COUNTER("2 0.05 enter solve\n", "0.40 0.40", ""), "epochs or regions that are open behind rank 2, event 6 "
                                                       "(MPI_Win_flush) are not those at the begin of other tasks"},
    {COUNTER("2 0.05 0.06 MPI_Put win=0 target=2 bytes=8 disp=0\n", "0.40 0.40", ""),
     "of its ranks, only rank 2 works on memory of its own (window 0)"},
    {COUNTER("2 0.05 0.05 MPI_Win_lock_all win=1\n2 0.06 0.06 MPI_Win_unlock_all win=1\n", "0.40 0.40", ""),
     "not all of its ranks have window 1"},
    /* Another operation writes the place: it is a flag. */
    {COUNTER("2 0.05 0.06 MPI_Put win=0 target=0 bytes=8 disp=0\n", "0.40 0.40", ""), NULL},
    /* Each of the two ranks works on a target of its own, not on its own memory. */
    {COUNTER("2 0.05 0.06 MPI_Put win=0 target=1 bytes=8 disp=0\n",
             "0.40 0.40 MPI_Put win=0 target=2 bytes=8 disp=0\n1 0.40 0.40", ""),
     "each of its ranks works on other targets (window 0)"},
    /* The last claim of rank 1 ends before rank 2 comes for its second task. */
    {COUNTER("", "0.10 0.10", ""), NULL},
    /* Behind it rank 1 computes 0.3 s, a mean of 0.15 s per rank; tasks compute 0.37, 0.10 and 0.19 s, a mean of 0.22
       s. */
    {COUNTER("", "0.40 0.40", "1 0.45 0.45 MPI_Win_flush win=0 target=0\n1 0.70 0.70 MPI_Win_unlock_all win=0\n"),
     "ranks compute behind their last claim, which may have found a task"},
    /* A counter of what each rank has done: it computes as long before its first claim as between two. 0.31 and 0.32 s before,
       0.39, 0.11 and 0.20 s between. */
    {DONE("0.31", "0.32"), "ranks compute a task's time outside of tasks: claims may count what is done"},
    /* 0.19 and 0.20 s before, less than three quarters of the mean of 0.51, 0.23 and 0.20 s. */
    {DONE("0.19", "0.20"), ""},
};

static void a_place_is_a_queue_if_everything_agrees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct trace *trace = trace_of(texts[i].text);
        struct task_queues queues;
        assert_int_equal(task_queues_find(trace, &queues, NULL), STATUS_OK);
        assert_int_equal(queues.item_count, texts[i].why ? 1 : 0);
        if (texts[i].why) assert_string_equal(queues.items[0].why, texts[i].why);
        if (texts[i].why) assert_int_equal(queues.items[0].tasks, 3);
        task_queues_clear(&queues);
        trace_free(trace);
    }
}

/* In each step rank 1 makes two claims and rank 2 three, of 1 s each; in the last one rank 1 may make another one. */
static void steps_that_are_alike_may_be_the_program(void **state)
{
    (void)state;
    static const struct {
        int steps, more;
        bool stay;
    } rows[] = {{3, 0, true}, {4, 0, true}, {3, 1, false}, {2, 0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text;
        size_t bytes;
        FILE *out = open_memstream(&text, &bytes);
        fputs("rmacast-trace 1\nranks 3\nwindow 0 comm=0 bytes=8,8,8 disp_unit=1\n", out);
        for (int r = 0; r < 3; r++) {
            fprintf(out, "%d 0 0 MPI_Win_lock_all win=0\n", r);
            for (int s = 0; s < rows[i].steps; s++) {
                const int claims = r == 0 ? 0 : r + 1 + (r == 1 && s + 1 == rows[i].steps ? rows[i].more : 0);
                for (int c = 0; c < claims; c++)
                    fprintf(out, "%d %d %d MPI_Fetch_and_op win=0 target=0 bytes=8 result_bytes=8 disp=0 op=SUM\n"
                                 "%d %d %d MPI_Win_flush win=0 target=0\n",
                            r, 10 * s + c, 10 * s + c, r, 10 * s + c, 10 * s + (c + 1 == claims ? 3 : c));
                fprintf(out, "%d %d %d MPI_Barrier comm=0\n", r, 10 * s + 3, 10 * s + 10);
            }
        }
        fclose(out);
        struct trace *trace = trace_of(text);
        struct task_queues queues;
        assert_int_equal(task_queues_find(trace, &queues, NULL), STATUS_OK);
        assert_int_equal(queues.item_count, rows[i].steps);
        for (size_t q = 0; q < queues.item_count; q++) assert_int_equal(*queues.items[q].why != '\0', rows[i].stay);
        task_queues_clear(&queues);
        trace_free(trace);
        free(text);
    }
}

/* --- random queues --- */

enum { RANKS = 5, TASKS_MAX = 24, PHASES = 2, ROUNDS = 60 };

struct task {
    int64_t end_ps, computes_ps; /* end_ps: of the claim that got it when recorded */
};

struct work { /* a program with a barrier behind each phase; rank 0 has the queue */
    bool locked, works[RANKS];
    int tasks[PHASES];
    struct task task[PHASES][TASKS_MAX];
    int64_t before_ps[PHASES][RANKS]; /* the computing before the first claim */
    struct trace *trace;
};

static int64_t draw(uint64_t *seed, int64_t least, int64_t most)
{
    *seed = scramble_bits(*seed);
    return least + (int64_t)(*seed % (uint64_t)(most - least));
}

static void write_call(FILE *out, int rank, int64_t enter_ps, int64_t exit_ps, const char *call)
{
    fprintf(out, "%d %.12f %.12f MPI_%s\n", rank, 1e-12 * (double)enter_ps, 1e-12 * (double)exit_ps, call);
}

static void write_claim(FILE *out, const struct work *work, int rank, int64_t enter_ps, int64_t read_ps,
                        int64_t slept_ps)
{
    char first[128];
    snprintf(first, sizeof first, "%s slept=%.12f",
             work->locked ? "Win_lock win=0 target=0 lock=exclusive"
                          : "Fetch_and_op win=0 target=0 bytes=8 result_bytes=8 disp=16 op=SUM",
             1e-12 * (double)slept_ps);
    write_call(out, rank, enter_ps, work->locked ? read_ps : enter_ps, first);
    if (work->locked) write_call(out, rank, read_ps, read_ps, "Get win=0 target=0 bytes=8 disp=16");
    write_call(out, rank, work->locked ? read_ps : enter_ps, read_ps, "Win_flush win=0 target=0");
}

/* Behind a claim; who finds no task writes nothing. */
static void end_lock(FILE *out, int rank, int64_t now_ps, bool takes)
{
    if (takes) write_call(out, rank, now_ps, now_ps, "Put win=0 target=0 bytes=8 disp=16");
    write_call(out, rank, now_ps, now_ps, "Win_unlock win=0 target=0");
}

/* In a task. */
static void write_put(FILE *out, const struct work *work, int rank, int64_t now_ps)
{
    if (work->locked) write_call(out, rank, now_ps, now_ps, "Win_lock win=0 target=1 lock=shared");
    write_call(out, rank, now_ps, now_ps, "Put win=0 target=1 bytes=8 disp=0");
    write_call(out, rank, now_ps, now_ps, work->locked ? "Win_unlock win=0 target=1" : "Win_flush win=0 target=1");
}

static int first_free(const struct work *work, const int64_t *free_ps)
{
    int first = -1;
    for (int r = 0; r < RANKS; r++)
        if (work->works[r] && free_ps[r] < INT64_MAX && (first < 0 || free_ps[r] < free_ps[first])) first = r;
    return first;
}

static int by_end(const void *a, const void *b)
{
    const struct task *x = a, *y = b;
    return x->end_ps < y->end_ps ? -1 : x->end_ps > y->end_ps;
}

/* Records a phase: some ranks wait long for their claims. Returns when the barrier ends. */
static int64_t record_phase(struct work *work, int phase, int64_t begin_ps, uint64_t *seed, FILE *out)
{
    int64_t free_ps[RANKS], ends_ps[RANKS], slow_ps[RANKS], slept_ps[RANKS] = {0}, lock_ps = 0, last_ps = begin_ps;
    int left = work->tasks[phase];
    for (int r = 0; r < RANKS; r++) {
        work->before_ps[phase][r] = draw(seed, 1, INT64_C(1000) * US);
        free_ps[r] = begin_ps + work->before_ps[phase][r];
        ends_ps[r] = begin_ps;
        slow_ps[r] = draw(seed, 0, 2) * INT64_C(8000) * US;
    }
    for (int r; (r = first_free(work, free_ps)) >= 0;) {
        int64_t enter_ps = free_ps[r], read_ps = enter_ps + slow_ps[r] + draw(seed, 1, 100 * US);
        if (work->locked && lock_ps > enter_ps) read_ps += lock_ps - enter_ps;
        lock_ps = read_ps;
        write_claim(out, work, r, enter_ps, read_ps, slept_ps[r]);
        if (work->locked) end_lock(out, r, read_ps, left > 0);
        free_ps[r] = INT64_MAX;
        ends_ps[r] = read_ps;
        if (read_ps > last_ps) last_ps = read_ps;
        if (left-- <= 0) continue;
        struct task *task = &work->task[phase][left];
        *task = (struct task){read_ps, draw(seed, 1, INT64_C(9000) * US)};
        free_ps[r] = read_ps + task->computes_ps;
        slept_ps[r] = task->computes_ps % 3 ? 0 : task->computes_ps / 2;
        if (task->computes_ps % 2) write_put(out, work, r, read_ps);
    }
    for (int r = 0; r < RANKS; r++) write_call(out, r, ends_ps[r], last_ps, "Barrier comm=0");
    qsort(work->task[phase], (size_t)work->tasks[phase], sizeof *work->task[phase], by_end);
    return last_ps;
}

static void record(struct work *work, uint64_t seed)
{
    char *text;
    size_t bytes;
    int64_t now_ps = 0;
    FILE *out = open_memstream(&text, &bytes);
    *work = (struct work){.locked = seed % 2};
    fprintf(out, "rmacast-trace 1\nranks %d\nwindow 0 comm=0 bytes=24,24,24,24,24 disp_unit=1\n", RANKS);
    for (int r = 0; r < RANKS; r++)
        work->works[r] = r != 2 || seed % 3; /* now and then rank 2 takes part in barriers only */
    for (int r = 0; r < RANKS; r++) write_call(out, r, 0, 0, "Barrier comm=0");
    for (int r = 0; !work->locked && r < RANKS; r++) write_call(out, r, 0, 0, "Win_lock_all win=0");
    for (int p = 0; p < PHASES; p++) {
        work->tasks[p] = (int)draw(&seed, RANKS + 1, TASKS_MAX);
        now_ps = record_phase(work, p, now_ps, &seed, out);
    }
    for (int r = 0; !work->locked && r < RANKS; r++) write_call(out, r, now_ps, now_ps, "Win_unlock_all win=0");
    fclose(out);
    work->trace = trace_of(text);
    free(text);
}

static struct replay_outcome replay(const struct trace *trace, const struct platform *platform,
                                    struct replay_options options)
{
    struct replay_outcome outcome;
    struct err err;
    options.engine = engine_by_name("loggp");
    options.keep_trace = true;
    if (replay_run(trace, platform, &options, &outcome, &err) != STATUS_OK) fail_msg("%s", err.text);
    return outcome;
}

static bool begins_claim(const struct work *work, const struct trace_call *call)
{
    return call->call == (work->locked ? ID_Win_lock : ID_Fetch_and_op) && call->peer == 0;
}

/* List scheduling (R. L. Graham, 1966): where nothing takes time but tasks, the next one goes to the rank that is free
 * first. */
static void expect_schedule(const struct work *work, const struct trace *predicted)
{
    size_t at[RANKS] = {0};
    int64_t begin_ps = 0;
    for (int p = 0; p < PHASES; p++) {
        int64_t free_ps[RANKS], last_ps = begin_ps;
        int next = 0;
        for (int r = 0; r < RANKS; r++) free_ps[r] = begin_ps + work->before_ps[p][r];
        for (int r; (r = first_free(work, free_ps)) >= 0;) {
            const struct trace_call *calls = predicted->ranks[r].calls;
            while (!begins_claim(work, &calls[at[r]])) assert_true(++at[r] < predicted->ranks[r].count);
            assert_int_equal(calls[at[r]++].enter_ps, free_ps[r]);
            if (free_ps[r] > last_ps) last_ps = free_ps[r];
            free_ps[r] = next < work->tasks[p] ? free_ps[r] + work->task[p][next].computes_ps : INT64_MAX;
            next++;
        }
        begin_ps = last_ps;
    }
    for (uint32_t r = 0; r < RANKS; r++) assert_int_equal(trace_rank_end_ps(predicted, r), begin_ps);
}

static int compare_times(const void *a, const void *b)
{
    return (*(const int64_t *)a > *(const int64_t *)b) - (*(const int64_t *)a < *(const int64_t *)b);
}

/* The computing before each call of all ranks, ascending. */
static int64_t *list_computing(const struct trace *trace, size_t *count)
{
    int64_t *list = calloc(trace_all_calls(trace), sizeof *list);
    *count = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 1; i < trace->ranks[r].count; i++)
            list[(*count)++] = trace->ranks[r].calls[i].enter_ps - trace->ranks[r].calls[i - 1].exit_ps;
    qsort(list, *count, sizeof *list, compare_times);
    return list;
}

static uint64_t digest_of(const struct replay_outcome *outcome)
{
    uint64_t digest;
    assert_int_equal(verify_digest(outcome->trace, &digest, NULL), STATUS_OK);
    return digest;
}

/* On any platform: the same computing, all laws, the same outcome by a mailbox without laziness, in step, and by a
 * replay of what was decided that decides nothing. */
static void expect_lawful(const struct work *work, struct platform *platform)
{
    struct replay_options options = {.engine = engine_by_name("loggp"), .keep_trace = true};
    struct replay_outcome outcome = replay(work->trace, platform, options);
    struct verify_report report;
    assert_non_null(outcome.decided);
    assert_int_equal(verify_run(work->trace, platform, &options, &outcome, &report, NULL), STATUS_OK);
    verify_print(&report, true, stderr);
    assert_true(verify_holds(&report));
    size_t recorded_count, count;
    int64_t *recorded = list_computing(work->trace, &recorded_count),
            *predicted = list_computing(outcome.trace, &count);
    assert_int_equal(count, recorded_count);
    assert_memory_equal(predicted, recorded, count * sizeof *recorded);
    free(recorded);
    free(predicted);
    struct replay_outcome in_step =
        replay(work->trace, platform, (struct replay_options){.in_step = true, .eager = true});
    assert_int_equal(digest_of(&in_step), digest_of(&outcome));
    platform->decide = DECIDE_RECORDED;
    struct replay_outcome again = replay(outcome.decided, platform, options);
    platform->decide = DECIDE_AGAIN;
    assert_int_equal(digest_of(&again), digest_of(&outcome));
    replay_outcome_clear(&in_step);
    replay_outcome_clear(&again);
    replay_outcome_clear(&outcome);
}

static void random_tasks_go_to_the_rank_that_is_free_first(void **state)
{
    (void)state;
    struct platform *ideal, *cluster = test_platform("a", "nodes.count=5"), *call = test_platform("a", "nodes.count=5");
    assert_int_equal(platform_open("ideal", NULL, 0, &ideal, NULL), STATUS_OK);
    call->progress = PROGRESS_CALL;
    int decided = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct work work;
        record(&work, seed);
        struct replay_outcome outcome = replay(work.trace, ideal, (struct replay_options){0});
        if (outcome.decided) {
            decided++;
            expect_schedule(&work, outcome.trace);
            expect_lawful(&work, cluster);
            expect_lawful(&work, call);
        }
        replay_outcome_clear(&outcome);
        trace_free(work.trace);
    }
    assert_true(decided > ROUNDS / 2); /* the others have as many claims of each rank */
    platform_free(ideal);
    platform_free(cluster);
    platform_free(call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_is_a_queue_if_everything_agrees),
        cmocka_unit_test(steps_that_are_alike_may_be_the_program),
        cmocka_unit_test(random_tasks_go_to_the_rank_that_is_free_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
