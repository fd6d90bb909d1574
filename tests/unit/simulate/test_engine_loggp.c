/* What the loggp engine's query() and reply() send, by hand. platforms/two-nodes.json with three nodes:
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
static struct platform *open_platform(const char *setting)
{
    struct err err = {0};
    struct platform *platform;
    const char *const settings[] = {"nodes.count=3", setting};
    enum status status = platform_open("platforms/two-nodes.json", settings, setting ? 2 : 1, &platform, &err);
    if (status != STATUS_OK) fail_msg("%s", err.text);
    return platform;
}

/* What takes the receiving NIC no time, has other costs or queues, or overtakes cannot be sent so. */
static void cheap_messages(void **state)
{
    (void)state;
    static const struct {
        const char *setting;
        int64_t bytes;
        uint64_t draw;
        bool queries;
    } rows[] = {{NULL, 0, 0, false},
                {NULL, 8, 0, true},
                {"engine.contention=false", 8, 0, false},
                {"engine.nic=pairs", 8, 0, false},
                {"network.control_bypass=true", 8, 0, false},
                {"network.jitter_s=1e-7", 8, 0, true},
                {"network.jitter_s=1e-7", 8, 1, false}};
    const struct engine_descriptor *kind = engine_by_name("loggp");
    const struct engine_callbacks callbacks = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct engine *engine;
        struct platform *platform = open_platform(rows[i].setting);
        platform->draw = rows[i].draw;
        assert_int_equal(kind->open(platform, NULL, 0, &callbacks, &engine, NULL), STATUS_OK);
        assert_int_equal(kind->lazy->queries(engine, rows[i].bytes), rows[i].queries);
        kind->close(engine);
        platform_free(platform);
    }
}

/* Queries and answers of 10,000 bytes between three ranks, on a node each. */
enum { QUERY, ANSWER, RANKS = 3 };
static const int32_t nodes[RANKS] = {0, 1, 2};

struct asking {
    const struct engine_descriptor *kind;
    struct engine *engine;
    bool queries; /* sent by query() and reply(); else by send(), each an event at its arrival */
    int64_t came_ps[2][RANKS][RANKS]; /* by kind, source and destination */
};

static int64_t send_plainly(const struct asking *asking, uint32_t type, uint32_t source, uint32_t destination)
{
    const struct engine_message message = {.note = {.source = source, .destination = destination, .type = type},
                                           .key = source,
                                           .src_node = nodes[source],
                                           .dst_node = nodes[destination],
                                           .bytes = 10000};
    struct engine_departure departure;
    assert_int_equal(asking->kind->send(asking->engine, &message, &departure, NULL), STATUS_OK);
    return departure.left_ps;
}

/* Timer 0: rank 0 asks ranks 1 and 2. Timer 1: rank 1 asks rank 2. */
static void on_asking_timer(void *context, uint32_t id, int64_t now_ps)
{
    static const uint32_t to[] = {1, 2};
    const struct asking *asking = context;
    const struct engine_lazy *lazy = asking->kind->lazy;
    enum status status = STATUS_OK;
    int64_t left_ps = 0;
    for (uint32_t i = id; i < 2 && !asking->queries; i++) left_ps = send_plainly(asking, QUERY, id, to[i]);
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

static void on_asked(void *context, const struct engine_note *note, int64_t now_ps)
{
    struct asking *asking = context;
    note_arrival(asking, note->type, note->source, note->destination, now_ps);
    if (note->type == QUERY) send_plainly(asking, ANSWER, note->destination, note->source);
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
        assert_int_equal(asking.kind->open(platform, NULL, 0, &callbacks, &asking.engine, NULL), STATUS_OK);
        assert_true(asking.kind->lazy->queries(asking.engine, 10000));
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
        cmocka_unit_test(cheap_messages), cmocka_unit_test(queries_and_answers),
        cmocka_unit_test(drawn_messages_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
