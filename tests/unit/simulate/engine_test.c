#include "tests/unit/simulate/engine_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/children.h"

struct run {
    const struct engine_descriptor *kind;
    struct engine *engine;
    const struct test_send *sends;
    struct test_fate *fates;
    int64_t now_ps;
    int arrivals, stop_after;
    enum status status;
    struct err *err;
};

static void advance(struct run *run, int64_t now_ps)
{
    if (now_ps < run->now_ps) run->status = err_set(run->err, STATUS_DATA, NULL, NULL, "time runs backwards");
    run->now_ps = now_ps;
}

static void on_timer(void *context, uint32_t id, int64_t now_ps)
{
    struct run *run = context;
    const struct test_send *send = &run->sends[id];
    struct engine_departure departure;
    advance(run, now_ps);
    struct engine_message message = {.note = {.ref = id},
                                     .key = (uint32_t)send->src_node,
                                     .src_node = send->src_node,
                                     .dst_node = send->dst_node,
                                     .bytes = send->bytes,
                                     .to_self = send->to_self,
                                     .want_left = true};
    if (run->status == STATUS_OK) run->status = run->kind->send(run->engine, &message, &departure, run->err);
    if (run->status != STATUS_OK || departure.left_ps == ENGINE_LATER) return;
    run->fates[id].began_ps = departure.began_ps;
    run->fates[id].left_ps = departure.left_ps;
}

static void on_left(void *context, const struct engine_note *note, int64_t began_ps, int64_t now_ps)
{
    struct run *run = context;
    uint32_t message = note->ref;
    advance(run, now_ps);
    if (run->fates[message].left_ps != TEST_UNKNOWN)
        run->status = err_set(run->err, STATUS_DATA, NULL, NULL, "message %u has left twice", message);
    run->fates[message].began_ps = began_ps;
    run->fates[message].left_ps = now_ps;
}

static void on_arrived(void *context, const struct engine_note *note, int64_t now_ps)
{
    struct run *run = context;
    uint32_t message = note->ref;
    advance(run, now_ps);
    if (run->fates[message].left_ps == TEST_UNKNOWN || run->fates[message].arrived_ps != TEST_UNKNOWN)
        run->status =
            err_set(run->err, STATUS_DATA, NULL, NULL, "message %u arrives before it left, or twice", message);
    run->fates[message].arrived_ps = now_ps;
    run->fates[message].order = run->arrivals++;
}

static bool on_stop(void *context)
{
    const struct run *run = context;
    return run->status != STATUS_OK || (run->stop_after > 0 && run->arrivals >= run->stop_after);
}

enum status test_run(const struct engine_descriptor *kind, const struct platform *platform,
                     const struct test_send *sends, size_t count, int stop_after, struct test_fate *fates,
                     struct err *err)
{
    struct run run = {.kind = kind, .sends = sends, .fates = fates, .stop_after = stop_after, .err = err};
    struct engine_callbacks callbacks = {
        .context = &run, .left = on_left, .arrived = on_arrived, .timer = on_timer, .stop = on_stop};
    struct engine_stats stats;
    TRY(kind->open(platform, NULL, 0, &callbacks, &run.engine, err));
    for (size_t i = 0; i < count; i++) {
        fates[i] = (struct test_fate){TEST_UNKNOWN, TEST_UNKNOWN, TEST_UNKNOWN, TEST_UNKNOWN};
        TRY(kind->timer(run.engine, sends[i].at_ps, (uint32_t)sends[i].src_node, (uint32_t)i, err));
    }
    enum status status = kind->run(run.engine, &stats, err);
    kind->close(run.engine);
    return status != STATUS_OK ? status : run.status;
}

struct apart {
    const struct engine_descriptor *kind;
    const struct test_case *test;
    const char *xml_file;
};

static enum status open_platform(const struct apart *apart, struct platform **platform, struct err *err)
{
    const char *list[5];
    size_t count = 0;
    char topology[128];
    for (; count < 4 && apart->test->overrides[count]; count++) list[count] = apart->test->overrides[count];
    if (apart->xml_file) {
        snprintf(topology, sizeof topology, "network.topology={\"simgrid_xml\": \"%s\"}", apart->xml_file);
        list[count++] = topology;
    }
    return platform_open(apart->test->file, list, count, platform, err);
}

static enum status work(void *context, size_t index, FILE *out, struct err *err)
{
    const struct apart *apart = context;
    static struct test_fate fates[TEST_SENDS_MAX];
    struct platform *platform;
    (void)index;
    TRY(open_platform(apart, &platform, err));
    enum status status =
        test_run(apart->kind, platform, apart->test->sends, apart->test->count, apart->test->stop_after, fates, err);
    platform_free(platform);
    fwrite(fates, sizeof *fates, apart->test->count, out);
    return status;
}

enum status test_run_apart(const struct engine_descriptor *kind, const struct test_case *test, struct test_fate *fates,
                           struct err *err)
{
    struct apart apart = {kind, test, NULL};
    struct child_answer answer;
    char name[] = "/tmp/rmacast-simgrid-XXXXXX.xml";
    if (test->xml) {
        int fd = mkstemps(name, 4);
        FILE *out = fdopen(fd, "w");
        fputs(test->xml, out);
        fclose(out);
        apart.xml_file = name;
    }
    enum status status = children_run(work, &apart, 1, 1, &answer, err);
    if (test->xml) unlink(name);
    if (status != STATUS_OK) return status;
    status = answer.status;
    if (status == STATUS_OK && answer.bytes != test->count * sizeof *fates)
        status = err_set(err, STATUS_SYSTEM, NULL, NULL, "the child answers %zu bytes", answer.bytes);
    else if (status == STATUS_OK)
        memcpy(fates, answer.data, answer.bytes);
    else
        *err = answer.err;
    child_answers_clear(&answer, 1);
    return status;
}

bool test_go_on(void *context)
{
    (void)context;
    return false;
}
