/* The logs of analyses in slices, read backwards: calls, waits, and the backward replay of runs worked out by hand. */
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

/* A million waits, more than one sorted run of them, in a scattered order: 48271 is a generator modulo the prime
 * 1000003. */
static void waits_come_back_by_their_ends(void **state)
{
    enum { WAITS = 1000002, PRIME = 1000003 };
    struct temp_file temp;
    struct external_sort *wait_log;
    struct wait_log_row wait = {.location = 7};
    bool any;
    (void)state;
    OK(temp_file_open(&temp, &err));
    OK(wait_log_new(&temp, &wait_log, &err));
    int64_t until = 1;
    for (int i = 0; i < WAITS; i++, until = until * 48271 % PRIME) {
        wait.until_ps = until;
        wait.from_ps = -until;
        OK(external_sort_add(wait_log, &wait, &err));
    }
    OK(external_sort_turn(wait_log, &err));
    int64_t count = 0, last = PRIME;
    for (;; count++, last = wait.until_ps) {
        OK(external_sort_next(wait_log, &wait, &any, &err));
        if (!any) break;
        if (wait.until_ps > last || wait.from_ps != -wait.until_ps || wait.location != 7) fail_msg("after %ld", (long)last);
    }
    assert_int_equal(count, WAITS);
    external_sort_free(wait_log);
    temp_file_close(&temp);
}

/* Calls and waits of three locations, and what the backward replay finds. Lists end with a row without kind, or without an
 * end. */
enum { LOCATIONS = 3 };

struct scenario {
    struct {
        uint32_t location;
        struct call_log_row row; /* enter, exit, kind */
    } calls[6];
    struct {
        uint32_t location;
        int64_t from_ps, until_ps;
        uint32_t cause;
        unsigned flags; /* 0: WAIT_LOG_COUNTED */
    } waits[4];
    bool threads; /* locations says how they are related; else each location is the only one of a rank */
    struct backward_location locations[LOCATIONS];
    int64_t end_ps[LOCATIONS], waited_ps;
    struct {
        uint32_t location, kind;
        int64_t cause_call, cause_gap, path_call, path_gap, busy_call, busy_gap;
    } sums[8];
};

static void check(const struct scenario *scenario)
{
    static const bool refuted[1]; /* no wait is in doubt */
    struct critical_path path = {.count = 0};
    struct temp_file temp;
    static const struct backward_location alone[LOCATIONS] = {
        {.creator = BACKWARD_NOBODY}, {.creator = BACKWARD_NOBODY, .next = 1}, {.creator = BACKWARD_NOBODY, .next = 2}};
    struct backward_replay replay = {.location_count = LOCATIONS,
                                     .locations = scenario->threads ? scenario->locations : alone,
                                     .refuted = refuted,
                                     .path = &path,
                                     .end_ps = scenario->end_ps};
    struct backward_location_sums *sums;
    wide_ps waited_ps;
    OK(temp_file_open(&temp, &err));
    OK(call_log_new(LOCATIONS, &temp, &replay.call_log, &err));
    OK(wait_log_new(&temp, &replay.wait_log, &err));
    for (size_t i = 0; scenario->calls[i].row.kind > 0; i++)
        OK(call_log_add(replay.call_log, scenario->calls[i].location, &scenario->calls[i].row, &err));
    for (size_t i = 0; i < 4 && scenario->waits[i].until_ps > 0; i++) {
        struct wait_log_row row = {.from_ps = scenario->waits[i].from_ps,
                                   .until_ps = scenario->waits[i].until_ps,
                                   .location = scenario->waits[i].location,
                                   .cause = scenario->waits[i].cause,
                                   .flags = WAIT_LOG_COUNTED};
        if (scenario->waits[i].flags) row.flags = (uint16_t)scenario->waits[i].flags;
        OK(external_sort_add(replay.wait_log, &row, &err));
    }
    OK(backward_replay_run(&replay, &sums, &waited_ps, &err));
    for (size_t i = 0; scenario->sums[i].location < LOCATIONS; i++) {
        static const struct backward_sums none;
        const struct backward_location_sums *location = &sums[scenario->sums[i].location];
        const struct backward_sums *found =
            scenario->sums[i].kind < location->count ? &location->kinds[scenario->sums[i].kind] : &none;
        assert_int_equal(found->cause_ps[BACKWARD_CALL], scenario->sums[i].cause_call);
        assert_int_equal(found->cause_ps[BACKWARD_GAP], scenario->sums[i].cause_gap);
        assert_int_equal(found->path_ps[BACKWARD_CALL], scenario->sums[i].path_call);
        assert_int_equal(found->path_ps[BACKWARD_GAP], scenario->sums[i].path_gap);
        assert_int_equal(found->busy_ps[BACKWARD_CALL], scenario->sums[i].busy_call);
        assert_int_equal(found->busy_ps[BACKWARD_GAP], scenario->sums[i].busy_gap);
    }
    assert_int_equal(waited_ps, scenario->waited_ps);
    /* the parts follow each other, and each location has as much of them as of the path in all kinds */
    for (size_t i = 1; i < path.count; i++) assert_int_equal(path.parts[i].to_ps, path.parts[i - 1].from_ps);
    for (uint32_t l = 0; l < LOCATIONS; l++) {
        int64_t left_ps = 0;
        for (size_t i = 0; i < path.count; i++)
            if (path.parts[i].location == l) left_ps += path.parts[i].to_ps - path.parts[i].from_ps;
        for (size_t kind = 0; kind < sums[l].count; kind++)
            left_ps -= sums[l].kinds[kind].path_ps[BACKWARD_CALL] + sums[l].kinds[kind].path_ps[BACKWARD_GAP];
        assert_int_equal(left_ps, 0);
    }
    free(path.parts);
    backward_sums_free(sums, LOCATIONS);
    call_log_free(replay.call_log);
    external_sort_free(replay.wait_log);
    temp_file_close(&temp);
}

static void runs_worked_out_by_hand(void **state)
{
    (void)state;
    static const struct scenario scenarios[] = {
        /* Chains and the path. Rank 2 waits 20-60 for rank 1, which waits 30-50 for rank 0. Rank 0 computes 0-50 and
         * calls 50-55; rank 1 computes 0-25, calls 25-52, computes 52-60, calls 60-62. Rank 2's 40 are: rank 1's
         * computing before its first call 20-25 and its call 25-30, 50-52, computing 52-60 = 5 + 7 + 8, and rank 0's
         * computing 30-50 = 20. Rank 1's 20 are rank 0's 30-50, too. The path: rank 2 70-60, rank 1 60-50, rank 0 50-0.
         */
        {.calls = {{0, {50, 55, 1}}, {1, {25, 52, 2}}, {1, {60, 62, 3}}, {2, {20, 70, 4}}},
         .waits = {{1, 30, 50, 0, 0}, {2, 20, 60, 1, 0}},
         .end_ps = {55, 62, 70},
         .waited_ps = 20 + 40,
         .sums = {{0, BACKWARD_BEGIN_KIND, 0, 40, 0, 50, 0, 0},
                  {0, 1, 0, 0, 0, 0, 0, 0},
                  {1, BACKWARD_BEGIN_KIND, 0, 5, 0, 0, 0, 0},
                  {1, 2, 7, 8, 2, 8, 0, 0},
                  {2, 4, 0, 0, 10, 0, 0, 0},
                  {LOCATIONS, 0, 0, 0, 0, 0, 0, 0}}},
        /* A circle is cut. Ranks 0 and 1 wait for each other from 10 to 20: each one's wait is cut after 64 more hops,
         * an even number, where it began: in the call of the other. Rank 2 waits 12-18 for rank 0: 64 hops from there
         * is rank 0. The path: rank 0 30-20; at 20 rank 1, 0, 1, 0: no more than three, as there are ranks, beside the
         * first; rank 0 20-0. */
        {.calls = {{0, {5, 30, 1}}, {1, {5, 25, 2}}, {2, {5, 25, 3}}},
         .waits = {{0, 10, 20, 1, 0}, {1, 10, 20, 0, 0}, {2, 12, 18, 0, 0}},
         .end_ps = {30, 25, 25},
         .waited_ps = 10 + 10 + 6,
         .sums = {{0, 1, 10 + 6, 0, 10 + 15, 0, 0, 0},
                  {0, BACKWARD_BEGIN_KIND, 0, 0, 0, 5, 0, 0},
                  {1, 2, 10, 0, 0, 0, 0, 0},
                  {LOCATIONS, 0, 0, 0, 0, 0, 0, 0}}},
        /* Overlapping waits are parted. In one call rank 0 waits 10-40 for rank 1 and 20-30 for rank 2: the wait that
         * ends last held it. Its wait 0-20 for rank 2 is cut to 0-10. */
        {.calls = {{0, {0, 50, 1}}, {1, {0, 50, 2}}, {2, {0, 50, 3}}},
         .waits = {{0, 20, 30, 2, 0}, {0, 10, 40, 1, 0}, {0, 0, 20, 2, 0}},
         .end_ps = {60, 50, 50},
         .waited_ps = 40,
         .sums = {{1, 2, 30, 0, 40, 0, 0, 0}, {2, 3, 10, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 10, 10, 0, 0},
                  {LOCATIONS, 0, 0, 0, 0, 0, 0, 0}}},
        /* Of ranks that end last together the first one is where the path ends: rank 1, 60-20 in its call and 20-0 before. */
        {.calls = {{0, {0, 50, 1}}, {1, {20, 60, 2}}, {2, {30, 60, 3}}},
         .end_ps = {50, 60, 60},
         .sums = {{1, 2, 0, 0, 40, 0, 0, 0},
                  {1, BACKWARD_BEGIN_KIND, 0, 0, 0, 20, 0, 0},
                  {2, 3, 0, 0, 0, 0, 0, 0},
                  {2, BACKWARD_BEGIN_KIND, 0, 0, 0, 0, 0, 0},
                  {LOCATIONS, 0, 0, 0, 0, 0, 0, 0}}},
        /* Thread 1 begins at 20, in thread 0's computing after the call 10-15 that made it, and ends last. The path: thread 1
         * 60-20, thread 0 20-15 computing, 15-10 its call, 10-0. Thread 0 is busy 12-25, in the call until 15 and before
         * the call 28-30; thread 1 is on another processor. */
        {.calls = {{0, {10, 15, 1}}, {0, {28, 30, 3}}, {1, {20, 60, 2}}},
         .waits = {{1, 20, 20, 0, WAIT_LOG_FIRST}, {0, 12, 25, 0, WAIT_LOG_BUSY}},
         .threads = true,
         .locations = {{.creator = BACKWARD_NOBODY},
                       {.starts_late = true, .creator = 0, .first_ps = 20, .next = 1},
                       {.creator = BACKWARD_NOBODY, .next = 2}},
         .end_ps = {30, 60, INT64_MIN},
         .sums = {{1, 2, 0, 0, 40, 0, 0, 0},
                  {0, 1, 0, 0, 5, 5, 3, 0},
                  {0, 3, 0, 0, 0, 0, 0, 10},
                  {0, BACKWARD_BEGIN_KIND, 0, 0, 0, 10, 0, 0},
                  {LOCATIONS, 0, 0, 0, 0, 0, 0, 0}}},
        /* Thread 2 has the processor of thread 1, which ended at 20 while its transfer, 5-62, was in progress. Time before
         * their first calls is no computing. Busy in thread 1: its call 10-20, and 20-62 behind it, which nobody asks for;
         * in thread 2: its calls 40-50 and 60-62, and 50-60 between them. */
        {.calls = {{1, {10, 20, 1}}, {2, {40, 50, 2}}, {2, {60, 65, 3}}},
         .waits = {{1, 5, 62, 0, WAIT_LOG_BUSY}},
         .threads = true,
         .locations = {{.creator = BACKWARD_NOBODY},
                       {.starts_late = true, .creator = BACKWARD_NOBODY, .next = 2},
                       {.starts_late = true, .creator = BACKWARD_NOBODY, .next = 1}},
         .end_ps = {INT64_MIN, 20, 65},
         .sums = {{1, 1, 0, 0, 0, 0, 10, 0},
                  {2, 2, 0, 0, 10, 10, 10, 0},
                  {2, 3, 0, 0, 5, 0, 2, 10},
                  {2, BACKWARD_BEGIN_KIND, 0, 0, 0, 40, 0, 0},
                  {1, BACKWARD_BEGIN_KIND, 0, 0, 0, 0, 0, 42},
                  {LOCATIONS, 0, 0, 0, 0, 0, 0, 0}}},
    };
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) check(&scenarios[i]);
}

/* Nothing is left in TMPDIR, even while the file is open; a directory that is none is an error that names it. */
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
        cmocka_unit_test(calls_come_back_in_reverse),
        cmocka_unit_test(waits_come_back_by_their_ends),
        cmocka_unit_test(runs_worked_out_by_hand),
        cmocka_unit_test(the_file_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
