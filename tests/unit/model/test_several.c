/* Of several waits of one call the longest counts: which of two. Waits are made by hand, without a trace. */
#include <string.h>

#include "common/array.h"
#include "model/shards/several.h"
#include "model_test.h"

/* Of rank 0 in event 5, unless the row says otherwise. */
struct row {
    uint32_t rank;
    uint64_t event;
    uint16_t pattern;
    int64_t release_ps;
    uint32_t holder;
};

static void choose(const struct row *rows, size_t count, struct several *several)
{
    struct err err;
    memset(several, 0, sizeof *several);
    for (size_t i = 0; i < count; i++) {
        struct several_wait wait = {.event = rows[i].event, .release_ps = rows[i].release_ps, .holder = rows[i].holder};
        wait.place.pattern = rows[i].pattern;
        wait.place.worst.rank = rows[i].rank;
        wait.exit_ps = (int64_t)i; /* which row it was */
        assert_int_equal(
            array_reserve((void **)&several->items, &several->capacity, several->count + 1, sizeof wait, &err),
            STATUS_OK);
        several->items[several->count++] = wait;
    }
    assert_int_equal(several_choose(several, &err), STATUS_OK);
}

/* Both waits of each row are in both orders; the first one is kept, and with `two` both are, the first one in front. */
static void one_of_two_waits_is_kept(void **state)
{
    static const struct {
        struct row first, second;
        bool two;
    } pairs[] = {
        {{0, 5, 1, 20, 3}, {0, 5, 1, 10, 1}, false},              /* the longer one */
        {{0, 5, 1, 20, 1}, {0, 5, 1, 20, 3}, false},              /* of equal ones that for the lowest rank */
        {{0, 5, 1, 20, 3}, {0, 5, 1, 20, SEVERAL_NOBODY}, false}, /* that for anybody */
        {{0, 5, 1, 10, 1}, {0, 5, 2, 20, 1}, true},               /* two patterns */
        {{0, 5, 1, 10, 1}, {0, 6, 1, 20, 1}, true},               /* two calls */
        {{0, 5, 1, 10, 1}, {1, 5, 1, 20, 1}, true},               /* two ranks */
        {{0, 6, 2, 10, 3}, {1, 5, 1, 20, 1}, true},               /* rank decides before call, pattern and time */
        {{0, 5, 2, 10, 3}, {0, 6, 1, 20, 1}, true},               /* call before pattern */
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int turned = 0; turned < 2; turned++) {
            struct several several;
            const struct row rows[] = {turned ? pairs[i].second : pairs[i].first,
                                       turned ? pairs[i].first : pairs[i].second};
            choose(rows, 2, &several);
            if (several.count != 1 + (size_t)pairs[i].two) fail_msg("row %zu: %zu waits", i, several.count);
            for (size_t k = 0; k < several.count; k++) assert_int_equal(several.items[k].exit_ps, (int)k ^ turned);
            several_clear(&several);
        }
}

/* Equal in all: the one added first. */
static void the_first_of_equal_waits_is_kept(void **state)
{
    static const struct row rows[] = {{0, 5, 1, 10, 1}, {0, 5, 1, 20, 2}, {0, 5, 1, 20, 2}, {0, 5, 1, 20, 2}};
    struct several several;
    (void)state;
    choose(rows, 4, &several);
    assert_int_equal(several.count, 1);
    assert_int_equal(several.items[0].exit_ps, 1);
    several_clear(&several);
    choose(rows, 0, &several);
    assert_int_equal(several.count, 0);
    several_clear(&several);
}

/* The call is from 10 to 40. A wait that begins before it begins with it; one that no call ends has no length. */
static void waits_lie_inside_their_call(void **state)
{
    static const struct {
        int64_t from_us, until_us;
        bool ended;
        int64_t found_from_us, found_release_us;
        uint32_t holder;
    } rows[] = {
        {5, 30, true, 10, 30, 1},
        {10, 30, true, 10, 30, 1},
        {11, 30, true, 11, 30, 1},
        {5, 30, false, 10, 10, SEVERAL_NOBODY},
        {11, 30, false, 11, 11, SEVERAL_NOBODY},
    };
    struct trace *trace =
        trace_of("ranks 2\n0 0.000010 0.000040 MPI_Barrier comm=0\n1 0.000030 0.000040 MPI_Barrier comm=0\n");
    struct wait_profile profile;
    struct err err;
    (void)state;
    assert_int_equal(wait_profile_init(trace, &profile, &err), STATUS_OK);
    assert_int_equal(wait_profile_go_on(&profile, &err), STATUS_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct several several = {.count = 0};
        const struct finding finding = {.pattern = PATTERN_LOCK_CONTENTION,
                                        .from_ps = rows[i].from_us * US,
                                        .until_ps = rows[i].until_us * US,
                                        .cause_rank = 1,
                                        .cause_call = rows[i].ended ? 0 : FINDING_NO_CALL};
        assert_int_equal(several_add(&several, &profile, trace, &finding, i > 0, &err), STATUS_OK);
        assert_int_equal(several.items[0].from_ps, rows[i].found_from_us * US);
        assert_int_equal(several.items[0].release_ps, rows[i].found_release_us * US);
        assert_int_equal(several.items[0].exit_ps, 40 * US);
        assert_int_equal(several.items[0].holder, rows[i].holder);
        assert_int_equal(several.items[0].counted, i > 0);
        several_clear(&several);
    }
    wait_profile_clear(&profile);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_two_waits_is_kept),
        cmocka_unit_test(the_first_of_equal_waits_is_kept),
        cmocka_unit_test(waits_lie_inside_their_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
