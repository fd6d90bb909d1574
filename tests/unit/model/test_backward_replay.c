/* What analyses in slices write down and read backwards: calls, waits, and the backward replay of runs worked out by
 * hand. */
#include "model_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/causes/wait_log.h"
#include "model/causes/call_log.h"
#include "model/causes/backward_replay.h"

static struct err err;

#define OK(call)                                                                                                       \
    if ((call) != STATUS_OK) fail_msg("%s", err.text)

/* Times from 1 ps to 100 days apart, kinds of one to four bytes, enough calls for many blocks of three ranks. */
static struct call_log_row call_of(uint32_t rank, uint64_t number)
{
    int64_t begin_ps = (int64_t)number * 1000 + (number > 500 ? INT64_C(8640000000000000000) : -70);
    return (struct call_log_row){begin_ps, begin_ps + (int64_t)(number % 997),
                                 (rank + 1) * (uint32_t)(number % 70000) * 600};
}

static void calls_come_back_in_reverse(void **state)
{
    enum { RANKS = 3, CALLS = 200000 };
    struct temp_file temp;
    struct call_log *call_log;
    struct call_log_row found;
    bool any;
    (void)state;
    OK(temp_file_open(&temp, &err));
    OK(call_log_new(RANKS, &temp, &call_log, &err));
    for (uint64_t i = 0; i < CALLS; i++)
        for (uint32_t r = 1; r < RANKS; r++) { /* rank 0 has none */
            struct call_log_row call = call_of(r, i);
            OK(call_log_add(call_log, r, &call, &err));
        }
    assert_true(temp.bytes > 0 && temp.bytes < 2 * CALLS * 12);
    for (uint64_t i = CALLS; i-- > 0;)
        for (uint32_t r = 1; r < RANKS; r++) {
            struct call_log_row call = call_of(r, i);
            OK(call_log_back(call_log, r, &found, &any, &err));
            if (!any || found.enter_ps != call.enter_ps || found.exit_ps != call.exit_ps || found.kind != call.kind)
                fail_msg("call %lu of rank %u is another", (unsigned long)i, r);
        }
    for (uint32_t r = 0; r < RANKS; r++) {
        OK(call_log_back(call_log, r, &found, &any, &err));
        assert_false(any);
    }
    call_log_free(call_log);
    temp_file_close(&temp);
}

/* A million wait_log, more than one run of them, in a scattered order: 48271 is a generator modulo the prime 1000003.
 */
static void marks_come_back_by_their_ends(void **state)
{
    enum { MARKS = 1000002, PRIME = 1000003 };
    struct temp_file temp;
    struct wait_log *wait_log;
    struct wait_log_row mark = {.rank = 7};
    bool any;
    (void)state;
    OK(temp_file_open(&temp, &err));
    OK(wait_log_new(&temp, &wait_log, &err));
    int64_t until = 1;
    for (int i = 0; i < MARKS; i++, until = until * 48271 % PRIME) {
        mark.until_ps = until;
        mark.from_ps = -until;
        OK(wait_log_add(wait_log, &mark, &err));
    }
    OK(wait_log_turn(wait_log, &err));
    int64_t count = 0, last = PRIME;
    for (;; count++, last = mark.until_ps) {
        OK(wait_log_next(wait_log, &mark, &any, &err));
        if (!any) break;
        if (mark.until_ps > last || mark.from_ps != -mark.until_ps || mark.rank != 7) fail_msg("after %ld", (long)last);
    }
    assert_int_equal(count, MARKS);
    wait_log_free(wait_log);
    temp_file_close(&temp);
}

struct run {
    struct temp_file temp;
    struct call_log *call_log;
    struct wait_log *wait_log;
    struct backward_rank_sums *sums;
    wide_ps waited_ps;
};

enum { RANKS = 3 };

static void begin(struct run *run)
{
    OK(temp_file_open(&run->temp, &err));
    OK(call_log_new(RANKS, &run->temp, &run->call_log, &err));
    OK(wait_log_new(&run->temp, &run->wait_log, &err));
}

static void call(struct run *run, uint32_t rank, int64_t enter_ps, int64_t exit_ps, uint32_t kind)
{
    struct call_log_row made = {enter_ps, exit_ps, kind};
    OK(call_log_add(run->call_log, rank, &made, &err));
}

static void wait_of(struct run *run, uint32_t rank, int64_t from_ps, int64_t until_ps, uint32_t cause)
{
    struct wait_log_row mark = {
        .from_ps = from_ps, .until_ps = until_ps, .rank = rank, .cause = cause, .flags = WAIT_LOG_COUNTED};
    OK(wait_log_add(run->wait_log, &mark, &err));
}

static void replay(struct run *run, int64_t end0_ps, int64_t end1_ps, int64_t end2_ps)
{
    static const bool refuted[1]; /* no wait is in doubt */
    const int64_t end_ps[RANKS] = {end0_ps, end1_ps, end2_ps};
    struct backward_replay of = {.rank_count = RANKS,
                                 .call_log = run->call_log,
                                 .wait_log = run->wait_log,
                                 .refuted = refuted,
                                 .end_ps = end_ps};
    OK(backward_replay_run(&of, &run->sums, &run->waited_ps, &err));
}

static void expect(const struct run *run, uint32_t rank, uint32_t kind, int64_t cause_call, int64_t cause_gap,
                   int64_t path_call, int64_t path_gap)
{
    struct backward_sums none = {{0}, {0}, {0}};
    const struct backward_sums *sums = kind < run->sums[rank].count ? &run->sums[rank].kinds[kind] : &none;
    assert_int_equal(sums->cause_ps[BACKWARD_CALL], cause_call);
    assert_int_equal(sums->cause_ps[BACKWARD_GAP], cause_gap);
    assert_int_equal(sums->path_ps[BACKWARD_CALL], path_call);
    assert_int_equal(sums->path_ps[BACKWARD_GAP], path_gap);
}

static void end(struct run *run)
{
    backward_sums_free(run->sums, RANKS);
    call_log_free(run->call_log);
    wait_log_free(run->wait_log);
    temp_file_close(&run->temp);
}

/* Rank 2 waits 20-60 for rank 1, which waits 30-50 for rank 0, which computes 0-50, calls 50-55, and 1 computes 0-25,
 * calls 25-52, computes 52-60, calls 60-62. Rank 2's 40 are: rank 1's computing before its first call 20-25 and its
 * call 25-30, 50-52, computing 52-60 = 5 + 7 + 8, and rank 0's computing 30-50 = 20. Rank 1's 20 are rank 0's 30-50,
 * too. The path: rank 2 70-60, rank 1 60-50, rank 0 50-0. */
static void chains_and_the_path(void **state)
{
    struct run run = {0};
    (void)state;
    begin(&run);
    call(&run, 0, 50, 55, 1);
    call(&run, 1, 25, 52, 2);
    call(&run, 1, 60, 62, 3);
    call(&run, 2, 20, 70, 4);
    wait_of(&run, 1, 30, 50, 0);
    wait_of(&run, 2, 20, 60, 1);
    replay(&run, 55, 62, 70);
    expect(&run, 0, BACKWARD_BEGIN_KIND, 0, 40, 0, 50);
    expect(&run, 0, 1, 0, 0, 0, 0);
    expect(&run, 1, BACKWARD_BEGIN_KIND, 0, 5, 0, 0);
    expect(&run, 1, 2, 7, 8, 2, 8);
    expect(&run, 2, 4, 0, 0, 10, 0);
    assert_int_equal(run.waited_ps, 20 + 40);
    end(&run);
}

/* Ranks 0 and 1 say that they wait for each other from 10 to 20: each one's wait is cut after 64 more hops, an even
 * number, where it began: in the call of the other. Rank 2 waits 12-18 for rank 0: 64 hops from there is rank 0.
 * The path: rank 0 30-20; at 20 rank 1, 0, 1, 0: no more than three, as there are ranks, beside the first; rank 0
 * 20-0. */
static void circles_are_cut(void **state)
{
    struct run run = {0};
    (void)state;
    begin(&run);
    call(&run, 0, 5, 30, 1);
    call(&run, 1, 5, 25, 2);
    call(&run, 2, 5, 25, 3);
    wait_of(&run, 0, 10, 20, 1);
    wait_of(&run, 1, 10, 20, 0);
    wait_of(&run, 2, 12, 18, 0);
    replay(&run, 30, 25, 25);
    expect(&run, 0, 1, 10 + 6, 0, 10 + 15, 0);
    expect(&run, 0, BACKWARD_BEGIN_KIND, 0, 0, 0, 5);
    expect(&run, 1, 2, 10, 0, 0, 0);
    end(&run);
}

/* In one call rank 0 waits 10-40 for rank 1 and 20-30 for rank 2: what ends last held it. Its wait 0-20 for rank 2 is
 * cut to 0-10. */
static void overlapping_waits_are_parted(void **state)
{
    struct run run = {0};
    (void)state;
    begin(&run);
    call(&run, 0, 0, 50, 1);
    call(&run, 1, 0, 50, 2);
    call(&run, 2, 0, 50, 3);
    wait_of(&run, 0, 20, 30, 2);
    wait_of(&run, 0, 10, 40, 1);
    wait_of(&run, 0, 0, 20, 2);
    replay(&run, 60, 50, 50);
    expect(&run, 1, 2, 30, 0, 40, 0);
    expect(&run, 2, 3, 10, 0, 0, 0);
    expect(&run, 0, 1, 0, 0, 10, 10);
    assert_int_equal(run.waited_ps, 40);
    end(&run);
}

/* Nothing is left in TMPDIR, even while the file is open; a directory that is none is told. */
static void the_file_has_no_name(void **state)
{
    char directory[] = "/tmp/rmacast-test.XXXXXX";
    struct temp_file temp;
    (void)state;
    assert_non_null(mkdtemp(directory));
    setenv("TMPDIR", directory, 1);
    OK(temp_file_open(&temp, &err));
    OK(temp_file_append(&temp, "abc", 3, NULL, &err));
    assert_int_equal(rmdir(directory), 0);
    temp_file_close(&temp);
    assert_int_equal(temp_file_open(&temp, &err), STATUS_SYSTEM);
    assert_non_null(strstr(err.text, directory));
    unsetenv("TMPDIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_come_back_in_reverse),   cmocka_unit_test(marks_come_back_by_their_ends),
        cmocka_unit_test(chains_and_the_path),          cmocka_unit_test(circles_are_cut),
        cmocka_unit_test(overlapping_waits_are_parted), cmocka_unit_test(the_file_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
