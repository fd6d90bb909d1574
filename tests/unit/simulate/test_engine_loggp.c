/* What the loggp engine's count(), control(), query() and reply() send, by hand. platforms/two-nodes.json with three nodes:
 * latency 1 us, 100 ps per byte, so that 10,000 bytes keep a receiving NIC busy for 1 us; gap 0. Ranks are nodes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/scramble.h"
#include "engine_test.h"
#include "simulate/engine/loggp/jitter.h"

#define US INT64_C(1000000)
enum { SENDS_MOST = 4, TOLD_MOST = 8, COUNTERS = 2, RECEIVER = 2, DATA = UINT32_MAX };

struct send {
    int64_t at_ps;
    int32_t src_node;
    uint32_t counter; /* DATA: 10,000 bytes that nobody awaits */
};

struct run {
    const struct engine_descriptor *kind;
    struct engine *engine;
    const struct send *sends;
    uint8_t counters[COUNTERS];
    int64_t told_ps[TOLD_MOST]; /* of counted() */
    size_t told;
    uint32_t next; /* awaited behind the first one */
};

static void on_timer(void *context, uint32_t id, int64_t now_ps)
{
    struct run *run = context;
    const struct send *send = &run->sends[id];
    (void)now_ps;
    if (send->counter != DATA) {
        enum status status = run->kind->lazy->count(run->engine, send->src_node, RECEIVER, (uint32_t)send->src_node,
                                                    RECEIVER, send->counter, NULL);
        assert_int_equal(status, STATUS_OK);
        return;
    }
    const struct engine_message message = {.key = (uint32_t)send->src_node,
                                           .src_node = send->src_node,
                                           .dst_node = RECEIVER,
                                           .bytes = 10000,
                                           .effect = EFFECT_PRECEDES};
    struct engine_departure departure;
    assert_int_equal(run->kind->send(run->engine, &message, &departure, NULL), STATUS_OK);
}

static void on_counted(void *context, uint32_t rank, uint32_t counter, int64_t now_ps)
{
    struct run *run = context;
    assert_int_equal(rank, RECEIVER);
    run->counters[counter]++;
    run->told_ps[run->told++] = now_ps;
    run->kind->lazy->await_next(run->engine, RECEIVER, run->next);
}

static struct platform *open_platform(const char *setting)
{
    struct err err = {0};
    struct platform *platform;
    const char *const settings[] = {"nodes.count=3", setting};
    enum status status = platform_open("platforms/two-nodes.json", settings, setting ? 2 : 1, &platform, &err);
    if (status != STATUS_OK) fail_msg("%s", err.text);
    return platform;
}

/* The receiver awaits counter 0, then `next`. */
static struct run run_sends(const struct send *sends, size_t count, uint32_t next)
{
    struct platform *platform = open_platform(NULL);
    struct run run = {.kind = engine_by_name("loggp"), .sends = sends, .next = next};
    const struct engine_callbacks callbacks = {.context = &run,
                                               .lazy.counters = run.counters,
                                               .arrived = test_ignore_arrival,
                                               .lazy.counted = on_counted,
                                               .timer = on_timer,
                                               .stop = test_go_on};
    struct engine_stats stats;
    assert_int_equal(run.kind->open(platform, NULL, 0, &callbacks, &run.engine, NULL), STATUS_OK);
    bool counts;
    assert_true(run.kind->lazy->controls(run.engine, 0, &counts) && counts);
    assert_int_equal(run.kind->lazy->await(run.engine, RECEIVER, RECEIVER, 1, 0, NULL), STATUS_OK);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(run.kind->timer(run.engine, sends[i].at_ps, (uint32_t)sends[i].src_node, i, NULL), STATUS_OK);
    assert_int_equal(run.kind->run(run.engine, &stats, NULL), STATUS_OK);
    assert_int_equal(stats.messages, count);
    run.kind->close(run.engine);
    platform_free(platform);
    return run;
}
#define RUN(next, ...)                                                                                                 \
    run_sends((const struct send[]){__VA_ARGS__}, sizeof((const struct send[]){__VA_ARGS__}) / sizeof(struct send), next)

/* 1 us after the sending; the second one of a counter that nobody awaits any more is only counted. */
static void latency(void **state)
{
    (void)state;
    struct run run = RUN(ENGINE_NO_COUNTER, {3 * US, 0, 0}, {5 * US, 1, 0}, {1 * US, 1, 1});
    assert_int_equal(run.told, 1);
    assert_int_equal(run.told_ps[0], 4 * US);
    assert_int_equal(run.counters[0], 2);
    assert_int_equal(run.counters[1], 1);
}

/* The head of the data comes at 1 us and keeps the NIC busy until 2 us: what comes at 1.5 us waits. */
static void busy_receiver(void **state)
{
    (void)state;
    struct run run = RUN(1, {0, 0, DATA}, {US / 2, 1, 0}, {2 * US, 1, 1});
    assert_int_equal(run.told, 2);
    assert_int_equal(run.told_ps[0], 2 * US);
    assert_int_equal(run.told_ps[1], 3 * US);
}

/* Data that come later than it keep nothing waiting, though they have come when somebody looks: 1.5 us before 2.5 us. The
 * tie of both at 1 us is broken by the sender. */
static void data_behind(void **state)
{
    (void)state;
    struct run run = RUN(1, {US / 2, 1, 0}, {3 * US / 2, 0, DATA}, {US, 1, 1});
    assert_int_equal(run.told_ps[0], 3 * US / 2);
    assert_int_equal(run.told_ps[1], 2 * US);
    run = RUN(ENGINE_NO_COUNTER, {0, 0, 0}, {0, 1, DATA});
    assert_int_equal(run.told_ps[0], US);
    run = RUN(ENGINE_NO_COUNTER, {0, 1, 0}, {0, 0, DATA});
    assert_int_equal(run.told_ps[0], 2 * US);
}

/* It waits in the sender's NIC behind data: 10,000 bytes from 0 on leave until 1 us. At the receiver it comes at 2 us, as
 * the data's last byte. */
static void busy_sender(void **state)
{
    (void)state;
    struct run run = RUN(ENGINE_NO_COUNTER, {0, 0, DATA}, {US / 4, 0, 0});
    assert_int_equal(run.told_ps[0], 2 * US);
}

/* What takes the receiving NIC time cannot be counted. What has other costs or queues cannot be sent so at all; what overtakes
 * can only be counted. */
static void cheap_messages(void **state)
{
    (void)state;
    static const struct {
        const char *setting;
        int64_t bytes;
        uint64_t draw;
        bool controls, counts;
    } rows[] = {{NULL, 0, 0, true, true},
                {NULL, 8, 0, true, false},
                {"engine.contention=false", 0, 0, false, false},
                {"engine.nic=pairs", 0, 0, false, false},
                {"network.control_bypass=true", 0, 0, false, true},
                {"network.jitter_s=1e-7", 0, 0, true, true},
                {"network.jitter_s=1e-7", 0, 1, false, false}};
    const struct engine_descriptor *kind = engine_by_name("loggp");
    const struct engine_callbacks callbacks = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct engine *engine;
        struct platform *platform = open_platform(rows[i].setting);
        bool counts;
        platform->draw = rows[i].draw;
        assert_int_equal(kind->open(platform, NULL, 0, &callbacks, &engine, NULL), STATUS_OK);
        assert_int_equal(kind->lazy->controls(engine, rows[i].bytes, &counts), rows[i].controls);
        assert_int_equal(counts, rows[i].counts);
        kind->close(engine);
        platform_free(platform);
    }
}

static void on_arrived(void *context, const struct engine_note *note, int64_t now_ps, int64_t at_ps)
{
    struct run *run = context;
    assert_int_equal(note->destination, RECEIVER);
    assert_int_equal(now_ps, at_ps);
    run->told_ps[run->told++] = now_ps;
}

/* Two of 10,000 bytes: heads leave at 0 and 1 us, last bytes a microsecond later, and arrive a microsecond after that. */
static void controls(void **state)
{
    (void)state;
    struct run run = {.kind = engine_by_name("loggp")};
    const struct engine_callbacks callbacks = {.context = &run, .arrived = on_arrived, .stop = test_go_on};
    const struct engine_note note = {.destination = RECEIVER};
    struct engine_stats stats;
    struct platform *platform = open_platform(NULL);
    bool counts;
    assert_int_equal(run.kind->open(platform, NULL, 0, &callbacks, &run.engine, NULL), STATUS_OK);
    assert_true(run.kind->lazy->controls(run.engine, 10000, &counts));
    for (int64_t i = 1; i <= 2; i++) {
        int64_t left_ps;
        assert_int_equal(run.kind->lazy->control(run.engine, &note, 0, RECEIVER, EFFECT_ACTS, &left_ps, NULL), STATUS_OK);
        assert_int_equal(left_ps, i * US);
    }
    assert_int_equal(run.kind->run(run.engine, &stats, NULL), STATUS_OK);
    assert_int_equal(run.told, 2);
    assert_int_equal(run.told_ps[0], 2 * US);
    assert_int_equal(run.told_ps[1], 3 * US);
    run.kind->close(run.engine);
    platform_free(platform);
}

/* Queries and answers of 10,000 bytes between three ranks, on a node each. */
enum { QUERY, ANSWER, RANKS = 3 };
static const int32_t nodes[RANKS] = {0, 1, 2};

struct asking {
    const struct engine_descriptor *kind;
    struct engine *engine;
    bool queries; /* sent by query() and reply(); else by control(), each an event at its arrival */
    int64_t came_ps[2][RANKS][RANKS]; /* by kind, source and destination */
};

/* Timer 0: rank 0 asks ranks 1 and 2. Timer 1: rank 1 asks rank 2. */
static void on_asking_timer(void *context, uint32_t id, int64_t now_ps)
{
    static const uint32_t to[] = {1, 2};
    const struct asking *asking = context;
    const struct engine_lazy *lazy = asking->kind->lazy;
    enum status status = STATUS_OK;
    int64_t left_ps = 0;
    for (uint32_t i = id; i < 2 && !asking->queries; i++) {
        const struct engine_note note = {.source = id, .destination = to[i], .type = QUERY};
        status = lazy->control(asking->engine, &note, nodes[id], nodes[to[i]], EFFECT_ACTS, &left_ps, NULL);
        assert_int_equal(status, STATUS_OK);
    }
    const struct engine_query query = {.ref = id};
    if (asking->queries) status = lazy->query(asking->engine, &query, id, nodes, to + id, 2 - id, &left_ps, NULL);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(left_ps, now_ps + (2 - id) * US);
}

static void note_arrival(struct asking *asking, uint32_t kind, uint32_t source, uint32_t destination, int64_t at_ps)
{
    assert_int_equal(asking->came_ps[kind][source][destination], 0);
    asking->came_ps[kind][source][destination] = at_ps;
}

static void on_asked(void *context, const struct engine_note *note, int64_t now_ps, int64_t at_ps)
{
    struct asking *asking = context;
    const struct engine_note answer = {.source = note->destination, .destination = note->source, .type = ANSWER};
    const int32_t src = nodes[note->destination], dst = nodes[note->source];
    int64_t left_ps;
    assert_int_equal(now_ps, at_ps);
    note_arrival(asking, note->type, note->source, note->destination, at_ps);
    if (note->type == ANSWER) return;
    assert_int_equal(asking->kind->lazy->control(asking->engine, &answer, src, dst, EFFECT_ACTS, &left_ps, NULL), STATUS_OK);
}

static void on_queries(void *context, const struct engine_query *queries, uint32_t query_count,
                       const struct engine_query *answers, uint32_t answer_count)
{
    struct asking *asking = context;
    int64_t left_ps;
    for (uint32_t i = 0; i < query_count; i++) {
        assert_int_equal(queries[i].ref, queries[i].source);
        assert_int_equal(queries[i].destination, queries[0].destination);
        note_arrival(asking, QUERY, queries[i].source, queries[i].destination, queries[i].time_ps);
    }
    for (uint32_t i = 0; i < answer_count; i++) {
        assert_int_equal(answers[i].ref, answers[i].destination);
        note_arrival(asking, ANSWER, answers[i].source, answers[i].destination, answers[i].time_ps);
    }
    if (query_count == 0) return;
    assert_int_equal(asking->kind->lazy->reply(asking->engine, queries, query_count, nodes, 0, &left_ps, NULL), STATUS_OK);
}

/* Rank 0 asks at 0: heads leave at 0 and 1 us and come at 1 and 2 us. Rank 1 asks at 0.5 us: its head comes to rank 2 at 1.5 us,
 * so rank 2 receives it from 1.5 to 2.5 us and the one of rank 0 from 2.5 to 3.5 us. Each is answered at once; nothing delays
 * the answers. They arrive 2 us later. */
static void queries_and_answers(void **state)
{
    (void)state;
    for (int queries = 0; queries < 2; queries++) {
        struct asking asking = {.kind = engine_by_name("loggp"), .queries = queries};
        const struct engine_callbacks callbacks = {.context = &asking,
                                                   .arrived = on_asked,
                                                   .lazy.queries = on_queries,
                                                   .timer = on_asking_timer,
                                                   .stop = test_go_on};
        struct platform *platform = open_platform(NULL);
        struct engine_stats stats;
        bool counts;
        assert_int_equal(asking.kind->open(platform, NULL, 0, &callbacks, &asking.engine, NULL), STATUS_OK);
        assert_true(asking.kind->lazy->controls(asking.engine, 10000, &counts) && !counts);
        assert_int_equal(asking.kind->timer(asking.engine, 0, 0, 0, NULL), STATUS_OK);
        assert_int_equal(asking.kind->timer(asking.engine, US / 2, 1, 1, NULL), STATUS_OK);
        assert_int_equal(asking.kind->run(asking.engine, &stats, NULL), STATUS_OK);
        assert_int_equal(stats.messages, 6);
        assert_int_equal(asking.came_ps[QUERY][0][1], 2 * US);
        assert_int_equal(asking.came_ps[QUERY][1][2], 5 * US / 2);
        assert_int_equal(asking.came_ps[QUERY][0][2], 7 * US / 2);
        assert_int_equal(asking.came_ps[ANSWER][1][0], 4 * US);
        assert_int_equal(asking.came_ps[ANSWER][2][1], 9 * US / 2);
        assert_int_equal(asking.came_ps[ANSWER][2][0], 11 * US / 2);
        asking.kind->close(asking.engine);
        platform_free(platform);
    }
}

/* Draws the latencies of messages from node 0 to node 1 with a standard deviation of 5 us; sets when each arrives. */
struct drawn {
    int64_t begin_ps, stated_ps; /* stated: latency */
};
static void draw(uint64_t number, const struct drawn *messages, size_t count, int64_t *arrivals_ps)
{
    const struct platform platform = {.draw = number, .jitter_s = 5e-6};
    struct jitter jitter;
    jitter_init(&jitter, &platform);
    for (size_t i = 0; i < count; i++) {
        int64_t latency_ps = messages[i].stated_ps;
        assert_int_equal(jitter_draw(&jitter, 0, 1, messages[i].begin_ps, &latency_ps, NULL), STATUS_OK);
        assert_true(latency_ps >= 0);
        arrivals_ps[i] = messages[i].begin_ps + latency_ps;
    }
    jitter_clear(&jitter);
}

/* The latency that the draw gives the index-th message by itself. */
static int64_t drawn_alone_ps(uint64_t number, uint64_t index, int64_t stated_ps)
{
    int64_t drawn_ps = stated_ps + llround(5e6 * scramble_bell(number, map_pair(0, 1), index));
    return drawn_ps > 0 ? drawn_ps : 0;
}

/* With the stated latencies the messages arrive at 20, 6, 21, 21 us: the second one overtakes the first, the third comes behind
 * it, the fourth with the third. So they do in each draw: the second one arrives when it does by itself, and the third not before
 * the first, though the second one has come in between; the fourth not before the third. Latencies of 1 us are never negative. */
static void drawn_messages_keep_their_order(void **state)
{
    (void)state;
    static const struct drawn messages[] = {{0, 20 * US}, {1 * US, 5 * US}, {2 * US, 19 * US}, {3 * US, 18 * US}},
                              short_ones[] = {{0, 1 * US}, {100 * US, 1 * US}};
    size_t held_third = 0, held_fourth = 0, at_once = 0;
    for (uint64_t number = 1; number < 200; number++) {
        int64_t at_ps[4], alone_ps[4];
        draw(number, messages, 4, at_ps);
        for (size_t i = 0; i < 4; i++)
            alone_ps[i] = messages[i].begin_ps + drawn_alone_ps(number, i, messages[i].stated_ps);
        assert_int_equal(at_ps[0], alone_ps[0]);
        assert_int_equal(at_ps[1], alone_ps[1]);
        assert_int_equal(at_ps[2], alone_ps[2] > at_ps[0] ? alone_ps[2] : at_ps[0]);
        assert_int_equal(at_ps[3], alone_ps[3] > at_ps[2] ? alone_ps[3] : at_ps[2]);
        held_third += alone_ps[2] < at_ps[0];
        held_fourth += alone_ps[3] < at_ps[2];
        draw(number, short_ones, 2, at_ps);
        for (size_t i = 0; i < 2; i++)
            assert_int_equal(at_ps[i], short_ones[i].begin_ps + drawn_alone_ps(number, i, short_ones[i].stated_ps));
        at_once += at_ps[1] == short_ones[1].begin_ps;
    }
    assert_true(held_third > 20 && held_fourth > 20 && at_once > 20); /* of 199 draws; otherwise this would show nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency),     cmocka_unit_test(busy_receiver),  cmocka_unit_test(data_behind),
        cmocka_unit_test(busy_sender), cmocka_unit_test(cheap_messages), cmocka_unit_test(controls),
        cmocka_unit_test(queries_and_answers), cmocka_unit_test(drawn_messages_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
