/* The NIC queues without SimGrid: the test plays the owner and says when flows end. Latency 1 us, 100 ps per byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "simulate/engine/simgrid/flow_net.h"

#define US INT64_C(1000000)

static struct {
    int64_t began_ps[8], left_ps[8], arrived_ps[8];
    bool stop;
} seen;

static void on_left(void *context, const struct engine_note *note, int64_t began_ps, int64_t now_ps)
{
    (void)context;
    uint32_t message = note->ref;
    seen.began_ps[message] = began_ps;
    seen.left_ps[message] = now_ps;
}

static void on_arrived(void *context, const struct engine_note *note, int64_t now_ps)
{
    (void)context;
    seen.arrived_ps[note->ref] = now_ps;
}

static void on_timer(void *context, uint32_t id, int64_t now_ps)
{
    (void)context, (void)id, (void)now_ps;
}

static bool on_stop(void *context)
{
    (void)context;
    return seen.stop;
}

struct fixture {
    struct platform *platform;
    struct flow_net net;
};

static void setup_with(struct fixture *fixture, const char *const *overrides, size_t count)
{
    static const struct engine_callbacks callbacks = {
        .left = on_left, .arrived = on_arrived, .timer = on_timer, .stop = on_stop};
    struct err err = {.text = ""};
    seen.stop = false;
    for (int i = 0; i < 8; i++) seen.began_ps[i] = seen.left_ps[i] = seen.arrived_ps[i] = -1;
    if (platform_open("platforms/two-nodes.json", overrides, count, &fixture->platform, &err) != STATUS_OK ||
        flow_net_init(&fixture->net, fixture->platform, &callbacks, &err) != STATUS_OK)
        fail_msg("%s", err.text);
}

static void setup(struct fixture *fixture, const char *override)
{
    setup_with(fixture, &override, override != NULL);
}

static void teardown(struct fixture *fixture)
{
    flow_net_clear(&fixture->net);
    platform_free(fixture->platform);
}

static struct engine_departure send_between(struct fixture *fixture, uint32_t id, int32_t src, int32_t dst,
                                            int64_t bytes)
{
    struct engine_message message = {
        .note = {.ref = id}, .key = id, .src_node = src, .dst_node = dst, .bytes = bytes, .want_left = true};
    struct cost cost = cost_message(fixture->platform, &message);
    struct engine_departure departure;
    struct err err;
    assert_int_equal(flow_net_send(&fixture->net, &message, &cost, bytes > 64 ? (double)bytes : 0, &departure, &err),
                     STATUS_OK);
    return departure;
}

static struct engine_departure send(struct fixture *fixture, uint32_t id, int64_t bytes)
{
    return send_between(fixture, id, 0, 1, bytes);
}

static bool run(struct fixture *fixture, int64_t limit_ps)
{
    bool more;
    struct err err;
    assert_int_equal(flow_net_run(&fixture->net, limit_ps, &more, &err), STATUS_OK);
    return more;
}

static void end_flow(struct fixture *fixture, int64_t end_ps)
{
    struct err err;
    struct flow_job job = flow_net_take_job(&fixture->net);
    assert_int_equal(job.src_node, 0);
    assert_int_equal(job.dst_node, 1);
    assert_int_equal(flow_net_ended(&fixture->net, 0, end_ps, &err), STATUS_OK);
}

/* Ends that SimGrid may report for a flow of 100 us: what is too early or within 10 ps was alone, the rest stands. */
static void rounding(void **state)
{
    (void)state;
    static const int64_t rows[][2] = {{100 * US - 50, 100 * US},
                                      {100 * US, 100 * US},
                                      {100 * US + 9, 100 * US},
                                      {100 * US + 10, 100 * US + 10},
                                      {170 * US, 170 * US}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture fixture;
        setup(&fixture, NULL);
        assert_true(send(&fixture, 0, 1000000).left_ps == ENGINE_LATER);
        assert_int_equal(fixture.net.job_count, 1);
        assert_true(run(&fixture, 0)); /* nothing is due, a flow is on its way */
        end_flow(&fixture, rows[i][0]);
        assert_false(run(&fixture, INT64_MAX));
        assert_int_equal(seen.began_ps[0], 0);
        assert_int_equal(seen.left_ps[0], rows[i][1]);
        assert_int_equal(seen.arrived_ps[0], rows[i][1] + US);
        teardown(&fixture);
    }
}

/* A flow that takes 170 us for contention; 64 bytes and a second flow wait behind it, and begin at 170 us. */
static void queue(void **state)
{
    (void)state;
    struct fixture fixture;
    setup(&fixture, NULL);
    send(&fixture, 0, 1000000);
    assert_true(send(&fixture, 1, 64).left_ps == ENGINE_LATER);
    send(&fixture, 2, 1000000);
    assert_int_equal(fixture.net.job_count, 1);
    end_flow(&fixture, 170 * US);
    assert_true(run(&fixture, 170 * US));
    assert_int_equal(fixture.net.job_count, 0); /* the 64 bytes leave until 170 us + 6.4 ns */
    assert_int_equal(flow_net_due_ps(&fixture.net), 170 * US + 6400);
    assert_true(run(&fixture, 170 * US + 6400));
    assert_int_equal(fixture.net.job_count, 1);
    end_flow(&fixture, 270 * US + 6400);
    assert_false(run(&fixture, INT64_MAX));
    assert_int_equal(seen.left_ps[0], 170 * US);
    assert_int_equal(seen.began_ps[1], 170 * US);
    assert_int_equal(seen.left_ps[1], 170 * US + 6400);
    assert_int_equal(seen.arrived_ps[1], 171 * US + 6400);
    assert_int_equal(seen.began_ps[2], 170 * US + 6400);
    assert_int_equal(seen.left_ps[2], 270 * US + 6400);
    teardown(&fixture);
}

/* Between the begins of two messages lie the gap and the first one's flow: 150 us after a flow of 100, 170 after one of
 * 170. */
static void gap(void **state)
{
    (void)state;
    for (int64_t took_us = 100; took_us <= 170; took_us += 70) {
        struct fixture fixture;
        setup(&fixture, "network.gap_s=150e-6");
        send(&fixture, 0, 1000000);
        send(&fixture, 1, 0);
        end_flow(&fixture, took_us * US);
        run(&fixture, INT64_MAX);
        assert_int_equal(seen.began_ps[1], took_us > 150 ? took_us * US : 150 * US);
        teardown(&fixture);
    }
}

/* On a free NIC a small message's times are known at once; the next begins behind it. */
static void known_departures(void **state)
{
    (void)state;
    struct fixture fixture;
    setup(&fixture, NULL);
    struct engine_departure first = send(&fixture, 0, 50), second = send(&fixture, 1, 10);
    assert_int_equal(first.began_ps, 0);
    assert_int_equal(first.left_ps, 5000);
    assert_int_equal(second.began_ps, 5000);
    assert_int_equal(second.left_ps, 6000);
    assert_false(run(&fixture, INT64_MAX));
    assert_int_equal(seen.left_ps[0], -1); /* known, so not told again */
    assert_int_equal(seen.arrived_ps[1], 1006000);
    teardown(&fixture);
}

static void flows_that_stop(void **state)
{
    (void)state;
    struct fixture fixture;
    setup(&fixture, NULL);
    send(&fixture, 0, 10);
    send(&fixture, 1, 10);
    seen.stop = true;
    assert_false(run(&fixture, INT64_MAX));
    assert_int_equal(seen.arrived_ps[0], 1001000);
    assert_int_equal(seen.arrived_ps[1], -1);
    teardown(&fixture);
}

static void watch(struct fixture *fixture)
{
    struct err err;
    assert_int_equal(flow_net_watch(&fixture->net, &err), STATUS_OK);
}

static void expect_job(struct fixture *fixture, int32_t src, int32_t dst, double bytes)
{
    struct flow_job job = flow_net_take_job(&fixture->net);
    assert_int_equal(job.src_node, src);
    assert_int_equal(job.dst_node, dst);
    assert_true(job.bytes == bytes);
}

/* Nobody shares a link: no jobs, and all events are executed whatever the owner's clock says. The third flow begins at
 * the receiver's link when the first has just ended there; the fourth leaves the first one's receiver. */
static void alone(void **state)
{
    (void)state;
    const char *three = "nodes.count=3";
    struct fixture fixture;
    setup(&fixture, three);
    watch(&fixture);
    send_between(&fixture, 0, 0, 1, 1000000);
    send_between(&fixture, 1, 0, 2, 1000000);
    fixture.net.now_ps = 20 * US;
    send_between(&fixture, 3, 1, 2, 500000);
    assert_int_equal(fixture.net.job_count, 0);
    assert_false(run(&fixture, 0));
    assert_int_equal(seen.left_ps[0], 100 * US);
    assert_int_equal(seen.arrived_ps[0], 101 * US);
    assert_int_equal(seen.began_ps[1], 100 * US);
    assert_int_equal(seen.left_ps[1], 200 * US);
    assert_int_equal(seen.left_ps[3], 70 * US);
    teardown(&fixture);
}

/* The second flow meets the first one at their receiver when 60 us of its 100 are over: 0.4 MB of it become a job, and
 * the whole second one. Their owner lets each have half the rate: the first ends at 140 us, the second has 0.6 MB left
 * then. A third to the same receiver is a job, too, though the one that came first has gone; then all is free again. */
static void meeting(void **state)
{
    (void)state;
    const char *four = "nodes.count=4";
    struct fixture fixture;
    struct err err;
    setup(&fixture, four);
    watch(&fixture);
    send_between(&fixture, 0, 0, 3, 1000000);
    assert_int_equal(fixture.net.job_count, 0);
    fixture.net.now_ps = 60 * US;
    send_between(&fixture, 1, 1, 3, 1000000);
    assert_int_equal(fixture.net.job_count, 2);
    expect_job(&fixture, 0, 3, 400000);
    expect_job(&fixture, 1, 3, 1000000);
    assert_int_equal(flow_net_ended(&fixture.net, 0, 140 * US, &err), STATUS_OK);
    assert_true(run(&fixture, 150 * US));
    assert_int_equal(seen.began_ps[0], 0);
    assert_int_equal(seen.left_ps[0], 140 * US);
    assert_int_equal(seen.left_ps[1], -1);
    fixture.net.now_ps = 150 * US;
    send_between(&fixture, 2, 2, 3, 1000000);
    expect_job(&fixture, 2, 3, 1000000);
    assert_int_equal(flow_net_ended(&fixture.net, 1, 250 * US, &err), STATUS_OK);
    assert_int_equal(flow_net_ended(&fixture.net, 2, 300 * US, &err), STATUS_OK);
    assert_false(run(&fixture, 300 * US));
    assert_int_equal(seen.left_ps[2], 300 * US);
    assert_int_equal(fixture.net.now_ps, 301 * US); /* the last arrival: without jobs it does not wait for the owner */
    send_between(&fixture, 4, 0, 3, 1000);
    assert_int_equal(fixture.net.job_count, 0);
    assert_false(run(&fixture, 0));
    assert_int_equal(seen.left_ps[4], 301 * US + 100000);
    teardown(&fixture);
}

/* Two switches with two nodes each, one cable between them: 0 to 2 and 1 to 3 share it, 0 to 1 and 2 to 3 nothing. Events
 * behind the meeting wait for the owner. */
static void inner_link(void **state)
{
    (void)state;
    const char *tree[] = {"nodes.count=4",
                          "network.topology={\"type\": \"fat_tree\", \"down\": [2, 2], \"up\": [1, 1]}"};
    struct fixture fixture;
    setup_with(&fixture, tree, 2);
    watch(&fixture);
    send_between(&fixture, 0, 0, 1, 1000000);
    send_between(&fixture, 1, 2, 3, 2000000);
    assert_int_equal(fixture.net.job_count, 0);
    assert_false(run(&fixture, 0));
    assert_int_equal(seen.left_ps[0], 100 * US);
    assert_int_equal(seen.left_ps[1], 200 * US);
    send_between(&fixture, 2, 0, 2, 1000000);
    assert_int_equal(fixture.net.job_count, 0);
    send_between(&fixture, 3, 1, 3, 1000000);
    assert_int_equal(fixture.net.job_count, 2);
    assert_true(run(&fixture, fixture.net.now_ps));
    assert_int_equal(seen.left_ps[2], -1);
    teardown(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding),         cmocka_unit_test(queue),           cmocka_unit_test(gap),
        cmocka_unit_test(known_departures), cmocka_unit_test(flows_that_stop), cmocka_unit_test(alone),
        cmocka_unit_test(meeting),          cmocka_unit_test(inner_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
