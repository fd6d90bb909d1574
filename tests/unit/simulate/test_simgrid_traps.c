/* Facts about SimGrid 3.32 that the engine is built around, asked of SimGrid itself: a new version that behaves
 * otherwise fails here and not in a prediction. One child process per simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

#include "common/children.h"

/* s and t reach r over a link of 1 GB/s that they share; t has a link of its own before it. All latencies 10 us. */
static const char platform[] =
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
    "version=\"4.1\">\n"
    "<zone id=\"z\" routing=\"Full\">\n"
    "<host id=\"s\" speed=\"1Gf\"/><host id=\"t\" speed=\"1Gf\"/><host id=\"r\" speed=\"1Gf\"/>\n"
    "<link id=\"own\" bandwidth=\"1GBps\" latency=\"10us\"/><link id=\"shared\" bandwidth=\"1GBps\" "
    "latency=\"10us\"/>\n"
    "<route src=\"s\" dst=\"r\"><link_ctn id=\"shared\"/></route>\n"
    "<route src=\"t\" dst=\"r\"><link_ctn id=\"own\"/><link_ctn id=\"shared\"/></route>\n"
    "</zone>\n</platform>\n";

#define CM02                                                                                                           \
    "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:1e20",                        \
        "--cfg=surf/precision:1e-12"

struct question {
    const char *name;
    const char *config[6];
    double s_bytes, t_bytes; /* sent to r at time zero; below 0: nothing is sent */
    double s_end_s, t_end_s, tolerance_s;
};

/* Fair shares: 500 MB/s each, so 1 MB takes 2 ms. */
static const struct question questions[] = {
    {"latency + bytes / bandwidth, exactly", {CM02}, 1e6, -1, 1e-3 + 1e-5, 0, 1e-12},
    {"two links", {CM02}, -1, 1e6, 0, 1e-3 + 2e-5, 1e-12},
    {"0 bytes take the latency", {CM02}, 0, 0, 1e-5, 2e-5, 1e-12},
    {"no latency with factor 0", {CM02, "--cfg=network/latency-factor:0"}, 1e6, -1, 1e-3, 0, 1e-12},
    {"0 bytes with factor 0", {CM02, "--cfg=network/latency-factor:0"}, 0, -1, 0, 0, 1e-12},
    /* s runs alone from 10 to 20 us (10 kB), then has 2/3: (1 MB - 10 kB) / 666.7 MB/s = 1485 us; t then has 505 kB of
     * its 1 MB left, alone: 20 + 1485 + 505 us */
    {"unfair shares by latency: 2/3 and 1/3", {CM02}, 1e6, 1e6, 1505e-6, 2010e-6, 1e-9},
    {"fair shares with factor 0", {CM02, "--cfg=network/latency-factor:0"}, 1e6, 1e6, 2e-3, 2e-3, 1e-12},
    {"half a byte is lost: whole bytes are moved",
     {CM02, "--cfg=network/latency-factor:0"},
     1000.9,
     -1,
     1e-6,
     0,
     1e-12},
    /* the default models a LAN of 2011: latency times 13.01, 97 % of the bandwidth */
    {"the default model is another", {NULL}, 8, -1, 13.01e-5 + 8 / 0.97e9, 0, 1e-9},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static double ends_s[2];
static double sizes[2];

static void sender(int argc, char **argv)
{
    (void)argc, (void)argv;
    int which = strcmp(sg_host_self_get_name(), "t") == 0;
    sg_host_sendto(sg_host_self(), sg_host_by_name("r"), sizes[which]);
    ends_s[which] = simgrid_get_clock();
}

static enum status ask(void *context, size_t index, FILE *out, struct err *err)
{
    const struct question *question = &questions[index];
    char program[] = "test", quiet[] = "--log=root.thres:error", *args[16] = {program, quiet};
    int count = 2;
    (void)context, (void)err;
    for (int i = 0; i < 6 && question->config[i]; i++) args[count++] = strdup(question->config[i]);
    char file[] = "/tmp/rmacast-traps-XXXXXX.xml";
    FILE *xml = fdopen(mkstemps(file, 4), "w");
    fputs(platform, xml);
    fclose(xml);
    simgrid_init(&count, args);
    simgrid_load_platform(file);
    unlink(file);
    sizes[0] = question->s_bytes;
    sizes[1] = question->t_bytes;
    if (sizes[0] >= 0) sg_actor_create("s", sg_host_by_name("s"), sender, 0, NULL);
    if (sizes[1] >= 0) sg_actor_create("t", sg_host_by_name("t"), sender, 0, NULL);
    simgrid_run();
    fprintf(out, "%.17g %.17g", ends_s[0], ends_s[1]);
    return STATUS_OK;
}

static void questions_to_simgrid(void **state)
{
    (void)state;
    struct child_answer answers[QUESTIONS];
    struct err err = {.text = ""};
    if (children_run(ask, NULL, QUESTIONS, 0, answers, &err) != STATUS_OK) fail_msg("%s", err.text);
    for (size_t i = 0; i < QUESTIONS; i++) {
        const struct question *question = &questions[i];
        double s_end_s, t_end_s;
        if (answers[i].status != STATUS_OK) fail_msg("%s: %s", question->name, answers[i].err.text);
        assert_int_equal(sscanf(answers[i].data, "%lf %lf", &s_end_s, &t_end_s), 2);
        if (fabs(s_end_s - question->s_end_s) > question->tolerance_s ||
            fabs(t_end_s - question->t_end_s) > question->tolerance_s)
            fail_msg("%s: ends at %.15g and %.15g s, expected %.15g and %.15g", question->name, s_end_s, t_end_s,
                     question->s_end_s, question->t_end_s);
    }
    child_answers_clear(answers, QUESTIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(questions_to_simgrid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
