/* Meetings of the loggp engine, by hand. platforms/two-nodes.json with five nodes: latency 1 us, 100 ps per byte, so
 * that 10,000 bytes keep a network card busy for 1 us; gap 0. Ranks are nodes; ranks 0 to 3 meet in two rounds: in the
 * first one member i sends to i + 1, in the second one to i + 2, modulo 4. Members 0, 1, 2 come at 0, member 3 at 10
 * us.
 *
 * Alone: members 1 and 2 have the first round's message at 1 us, member 3 as it comes, member 0 at 11 us, when it sends
 * to member 2; so 2 goes on at 12 us, 1 at 11 us with member 3's message of the second round, 0 at 11 us, 3 as it
 * comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "engine_test.h"

#define US    INT64_C(1000000)
#define NEVER INT64_C(-1)
enum { MEMBERS = 4, ROUNDS = 2, STRIDE = ROUNDS + 1, NODES = 5, COMES = -1 };

struct act {
    int64_t at_ps;
    uint32_t rank;
    int32_t to;    /* COMES: to the meeting */
    int64_t bytes; /* else: data that nobody awaits */
};

struct run {
    const struct engine_descriptor *kind;
    struct engine *engine;
    const struct act *acts;
    uint8_t counters[MEMBERS * STRIDE];
    uint32_t round[MEMBERS]; /* of those who send and await themselves */
    int64_t gone_ps[MEMBERS];
    uint32_t taken, scattered;
};

static void come(struct run *run, uint32_t rank)
{
    static const int32_t ranks[MEMBERS] = {0, 1, 2, 3};
    const struct engine_barrier meeting = {
        .member = rank, .node = (int32_t)rank, .count = MEMBERS, .rounds = ROUNDS, .ranks = ranks};
    bool taken;
    assert_int_equal(run->kind->meet(run->engine, &meeting, &taken, NULL), STATUS_OK);
    assert_true(taken);
    run->taken++;
    assert_int_equal(run->kind->await(run->engine, (int32_t)rank, rank, 1, rank * STRIDE + ROUNDS, NULL), STATUS_OK);
}

static void on_timer(void *context, uint32_t id, int64_t now_ps)
{
    struct run *run = context;
    const struct act *act = &run->acts[id];
    (void)now_ps;
    assert_int_equal(run->kind->look(run->engine, (int32_t)act->rank, NULL), STATUS_OK);
    if (act->to == COMES) {
        come(run, act->rank);
        return;
    }
    const struct engine_message message = {.key = act->rank,
                                           .src_node = (int32_t)act->rank,
                                           .dst_node = act->to,
                                           .bytes = act->bytes,
                                           .delivery = ENGINE_DELIVER_UNWATCHED};
    struct engine_departure departure;
    assert_int_equal(run->kind->send(run->engine, &message, &departure, NULL), STATUS_OK);
}

/* The rounds that are left, one by one. */
static void on_counted(void *context, uint32_t rank, uint32_t counter, int64_t now_ps)
{
    struct run *run = context;
    run->counters[counter]++;
    bool ends = counter % STRIDE == ROUNDS;
    while (!ends && run->round[rank] < ROUNDS && run->counters[rank * STRIDE + run->round[rank]] > 0) {
        if (++run->round[rank] == ROUNDS) break;
        uint32_t to = (rank + (1U << run->round[rank])) % MEMBERS;
        const struct engine_count message = {rank, to, to * STRIDE + run->round[rank], (int32_t)rank, (int32_t)to};
        assert_int_equal(run->kind->count(run->engine, &message, NULL), STATUS_OK);
    }
    if (!ends && run->round[rank] < ROUNDS) {
        run->kind->await_next(run->engine, (int32_t)rank, rank * STRIDE + run->round[rank]);
        return;
    }
    assert_int_equal(run->gone_ps[rank], NEVER);
    run->gone_ps[rank] = now_ps;
    run->kind->resume(run->engine, (int32_t)rank);
}

static void on_scattered(void *context, uint32_t rank, uint32_t round)
{
    struct run *run = context;
    run->round[rank] = round;
    run->scattered++;
    for (uint32_t r = 0; r < round; r++) run->counters[rank * STRIDE + r]++;
}

/* messages: of the meeting's rounds. */
static struct run run_acts(const struct act *acts, uint32_t count, uint32_t messages)
{
    const char *const settings[] = {"nodes.count=5"};
    struct platform *platform;
    struct run run = {.kind = engine_by_name("loggp"), .acts = acts, .gone_ps = {NEVER, NEVER, NEVER, NEVER}};
    const struct engine_callbacks callbacks = {.context = &run,
                                               .apart = true,
                                               .ranks = NODES,
                                               .counters = run.counters,
                                               .arrived = test_ignore_arrival,
                                               .counted = on_counted,
                                               .scattered = on_scattered,
                                               .timer = on_timer,
                                               .stop = test_go_on};
    struct engine_stats stats;
    assert_int_equal(platform_open("platforms/two-nodes.json", settings, 1, &platform, NULL), STATUS_OK);
    assert_int_equal(run.kind->open(platform, NULL, 0, &callbacks, &run.engine, NULL), STATUS_OK);
    assert_true(run.kind->counts(run.engine, 0));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(run.kind->timer(run.engine, acts[i].at_ps, acts[i].rank, i, NULL), STATUS_OK);
    assert_int_equal(run.kind->run(run.engine, &stats, NULL), STATUS_OK);
    assert_int_equal(stats.messages, messages + count - run.taken);
    run.kind->close(run.engine);
    platform_free(platform);
    return run;
}
#define COME                                                                                                           \
    {0, 0, COMES, 0}, {0, 1, COMES, 0}, {0, 2, COMES, 0},                                                              \
    {                                                                                                                  \
        10 * US, 3, COMES, 0                                                                                           \
    }
#define RUN(...)                                                                                                       \
    run_acts((const struct act[]){__VA_ARGS__}, sizeof((const struct act[]){__VA_ARGS__}) / sizeof(struct act),        \
             MEMBERS * ROUNDS)

static void expect_gone(const struct run *run, int64_t first_ps, int64_t second_ps, int64_t third_ps, int64_t fourth_ps)
{
    assert_int_equal(run->gone_ps[0], first_ps);
    assert_int_equal(run->gone_ps[1], second_ps);
    assert_int_equal(run->gone_ps[2], third_ps);
    assert_int_equal(run->gone_ps[3], fourth_ps);
}

static void test_alone(void **state)
{
    (void)state;
    struct run run = RUN(COME);
    expect_gone(&run, 11 * US, 11 * US, 12 * US, 10 * US);
    assert_int_equal(run.scattered, 0);
}

/* The data's head comes to node 0 at 9.5 us and keeps the card busy until 11.5 us: member 3's message waits so long. */
static void test_busy_receiver(void **state)
{
    (void)state;
    struct run run = RUN(COME, {17 * US / 2, 4, 0, 20000});
    expect_gone(&run, 23 * US / 2, 11 * US, 25 * US / 2, 10 * US);
    assert_int_equal(run.scattered, 0);
}

/* What came before the data, or has gone, waits for nothing: at node 1 from 3 us to 4 us, at node 0 from 11.5 us on. */
static void test_data_behind(void **state)
{
    (void)state;
    struct run run = RUN(COME, {2 * US, 4, 1, 10000});
    expect_gone(&run, 11 * US, 11 * US, 12 * US, 10 * US);
    assert_int_equal(run.scattered, 0);
    run = RUN(COME, {21 * US / 2, 4, 0, 10000});
    expect_gone(&run, 11 * US, 11 * US, 12 * US, 10 * US);
}

/* Member 0 waits, and its card sends 40,000 bytes from 8.5 us until 12.5 us: the message that it sends at 11 us, too.
 */
static void test_busy_sender(void **state)
{
    (void)state;
    struct run run = RUN(COME, {17 * US / 2, 0, 4, 40000});
    expect_gone(&run, 11 * US, 11 * US, 27 * US / 2, 10 * US);
    assert_int_equal(run.scattered, 0);
}

/* All have come at 10 us, and the rounds are known, but for the data: on their way to node 0, from 10.5 us to 11.5 us
 * there; sent later to node 2, from 11.2 us to 12.2 us there; sent later by node 0, from 10.5 us to 12.5 us. */
static void test_scattered(void **state)
{
    (void)state;
    struct run run = RUN(COME, {19 * US / 2, 4, 0, 10000});
    expect_gone(&run, 23 * US / 2, 11 * US, 25 * US / 2, 10 * US);
    assert_int_equal(run.scattered, 4);
    run = RUN(COME, {51 * US / 5, 4, 2, 10000});
    expect_gone(&run, 11 * US, 11 * US, 61 * US / 5, 10 * US);
    assert_int_equal(run.scattered, 3);
    run = RUN(COME, {21 * US / 2, 0, 4, 20000});
    expect_gone(&run, 11 * US, 11 * US, 27 * US / 2, 10 * US);
    assert_int_equal(run.scattered, 3);
}

/* Member 3 never comes: three messages of the first round, two of the second that members 1 and 2 send at 1 us. */
static void test_never_complete(void **state)
{
    (void)state;
    static const struct act acts[] = {{0, 0, COMES, 0}, {0, 1, COMES, 0}, {0, 2, COMES, 0}};
    struct run run = run_acts(acts, 3, 5);
    expect_gone(&run, NEVER, NEVER, NEVER, NEVER);
    assert_int_equal(run.scattered, 3);
    assert_int_equal(run.round[0], 0);
    assert_int_equal(run.round[1], 1);
    assert_int_equal(run.round[2], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),       cmocka_unit_test(test_busy_receiver), cmocka_unit_test(test_data_behind),
        cmocka_unit_test(test_busy_sender), cmocka_unit_test(test_scattered),     cmocka_unit_test(test_never_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
