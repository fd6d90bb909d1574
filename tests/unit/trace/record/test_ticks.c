/* Time stamps of the time stamp counter: who is believed, anchors in a buffer, and what the reader makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "craft.h"
#include "trace/record/output/buffer.h"
#include "trace/spool/read.h"

/* By the kernel's list of what the processor can do, which is not what the recorder asks. */
static bool processor_can(void)
{
    char line[8192];
    bool can = false;
    FILE *in = fopen("/proc/cpuinfo", "r");
    while (in && !can && fgets(line, sizeof line, in))
        can = strncmp(line, "flags", 5) == 0 && strstr(line, " rdtscp") && strstr(line, " nonstop_tsc") &&
              strstr(line, " constant_tsc");
    if (in) fclose(in);
    return can;
}

static bool chosen(const char *wanted, const char *kernel)
{
    char source[] = "/tmp/rmacast-test-XXXXXX";
    int file = mkstemp(source);
    assert_true(file >= 0);
    assert_true(dprintf(file, "%s", kernel) >= 0);
    close(file);
    rec_ticks_choose(wanted, source);
    unlink(source);
    return rec_ticks;
}

static void the_kernel_is_believed(void **state)
{
    (void)state;
    bool can = processor_can();
    assert_int_equal(chosen(NULL, "tsc\n"), can);
    assert_int_equal(chosen("", "tsc\n"), can);
    assert_false(chosen(NULL, "kvm-clock\n"));
    assert_false(chosen(NULL, "tsc-early\n"));
    assert_false(chosen(NULL, ""));
    assert_false(chosen("monotonic", "tsc\n"));
    assert_int_equal(chosen("tsc", "hpet\n"), can);
    rec_ticks_choose(NULL, "/nowhere/current_clocksource");
    assert_false(rec_ticks);
}

/* 3000 ticks in 1000 ns are 3 GHz. A counter that stands, runs back or far too slowly is none. */
static void rates(void **state)
{
    (void)state;
    const struct rec_anchor zero = {.ticks = 500, .ns = 70}, later = {.ticks = 3500, .ns = 1070};
    const struct rec_anchor standing = {.ticks = 500, .ns = 1070}, slow = {.ticks = 501, .ns = 1000070};
    assert_int_equal(rec_anchor_rate(&zero, &later), 3000000000);
    assert_int_equal(rec_anchor_rate(&later, &zero), 0);
    assert_int_equal(rec_anchor_rate(&zero, &standing), 0);
    assert_int_equal(rec_anchor_rate(&zero, &slow), 0);
}

static struct spool_tail *tail_new(void)
{
    struct spool_tail *tail = calloc(1, sizeof *tail);
    assert_non_null(tail);
    return tail;
}

/* At a rate of 1 GHz one is due for the first stamp, then for stamps more than 10000000 ticks away. */
static void anchors_are_due(void **state)
{
    (void)state;
    struct spool_tail *tail = tail_new();
    struct spool_header header = {.clock = SPOOL_TICKS, .ticks_per_s = 1000000000, .base_ticks = 1};
    static struct rec_buffer buffer;
    rec_buffer_begin(&buffer, tail, &header);
    assert_true(rec_buffer_unanchored(&buffer, 5));
    uint64_t before = rec_now();
    assert_true(rec_buffer_anchor(&buffer));
    uint64_t at = buffer.anchor.ticks;
    assert_int_equal(buffer.next - tail->words, 1 + 5);
    assert_int_equal((uint8_t)tail->words[2], SPOOL_ANCHOR);
    assert_int_equal(tail->words[1] >> 15, (at - 1) & (UINT64_MAX >> 15));
    assert_int_equal(tail->words[4], at - 1);
    assert_true(tail->words[5] >= before && tail->words[5] <= rec_now());
    assert_false(rec_buffer_unanchored(&buffer, at));
    assert_false(rec_buffer_unanchored(&buffer, at - 10000000));
    assert_false(rec_buffer_unanchored(&buffer, at + 10000000));
    assert_true(rec_buffer_unanchored(&buffer, at + 10000001));
    assert_true(rec_buffer_unanchored(&buffer, at - 10000001));
    free(tail);
}

/* Nanoseconds need one only where the lower bits of a time do not tell it: 2^46 ns (20 hours) from the last one. */
static void nanoseconds_that_are_far(void **state)
{
    (void)state;
    const uint64_t far = UINT64_C(1) << 46;
    struct spool_tail *tail = tail_new();
    struct spool_header header = {.clock = SPOOL_NANOSECONDS, .base_ns = 7};
    static struct rec_buffer buffer;
    rec_buffer_begin(&buffer, tail, &header);
    assert_false(rec_buffer_unanchored(&buffer, 7));
    assert_false(rec_buffer_unanchored(&buffer, 7 + far));
    assert_true(rec_buffer_unanchored(&buffer, 7 + far + 1));
    uint64_t before = rec_now();
    assert_true(rec_buffer_anchor(&buffer));
    assert_true(tail->words[4] >= before - 7 && tail->words[4] <= rec_now() - 7);
    assert_false(rec_buffer_unanchored(&buffer, before + far));
    assert_true(rec_buffer_unanchored(&buffer, rec_now() + far + 1));
    free(tail);
}

/* The counter was set back by a million seconds: what comes next stands behind the last anchor, at 9000 ticks since the
 * base, and by no more than what has passed on the clock. */
static void a_counter_that_is_set_back(void **state)
{
    (void)state;
    struct spool_tail *tail = tail_new();
    struct spool_header header = {.clock = SPOOL_TICKS, .ticks_per_s = 1000000000};
    static struct rec_buffer buffer;
    struct rec_anchor now = rec_anchor_read();
    rec_buffer_begin(&buffer, tail, &header);
    buffer.anchor = now;
    buffer.anchor.ticks += UINT64_C(1000000000000000);
    buffer.base = buffer.anchor.ticks - 9000;
    assert_true(rec_buffer_anchor(&buffer));
    uint64_t time = tail->words[4], passed = rec_now() - now.ns;
    assert_true(time >= 9000 && time <= 9000 + passed);
    free(tail);
}

static struct trace *read_craft(struct craft *craft, uint32_t state)
{
    struct trace *trace;
    struct err err = {0};
    char *directory = craft_directory();
    craft_write(craft, directory, craft->count, state);
    enum status status = spool_read(directory, &trace, &err);
    if (status != STATUS_OK) print_message("%s\n", err.text);
    assert_int_equal(status, STATUS_OK);
    craft_remove(directory);
    craft_free(craft);
    return trace;
}

static void begin(struct craft *craft, uint64_t ticks_per_s)
{
    craft_begin(craft, 0, 1, 5000000);
    craft->ticks_per_s = ticks_per_s;
    craft_prologue(craft);
}

static void expect_call(const struct trace *trace, size_t index, int64_t enter_ps, int64_t exit_ps)
{
    assert_int_equal(trace->ranks[0].calls[index].enter_ps, enter_ps);
    assert_int_equal(trace->ranks[0].calls[index].exit_ps, exit_ps);
}

/* Base: tick 0 is 5000000 ns, time zero. Anchors at ticks 2000000 and 6000000 are 1000000 and 3002000 ns later: half a
 * nanosecond per tick before the first, 2002000 / 4000000 = 0.5005 ns behind it. Tick 1 is 500 ps; 2000002 is 1000000 +
 * 1.001 ns; 4000000 is 1000000 + 2000000 * 0.5005 = 2001000 ns. The anchor at 6000001 is too near to count, the one at
 * 10000000 is before the last on the clock. Behind the last the rate since the base counts: 3002000 / 6000000 =
 * 0.500333..., so tick 9000000 is 3002000 + 3000000 * 0.50033333 = 4503000 ns. */
static void between_and_behind_anchors(void **state)
{
    (void)state;
    struct craft craft;
    begin(&craft, 2000000000);
    craft_call(&craft, CRAFT_INIT, 0, 1);
    craft_anchor(&craft, 2000000, 6000000);
    craft_call(&craft, CRAFT_BARRIER, 2000002, 4000000);
    craft_anchor(&craft, 6000000, 8002000);
    craft_anchor(&craft, 6000001, 9000000);
    craft_anchor(&craft, 10000000, 8001999);
    craft_call(&craft, CRAFT_FINALIZE, 6000000, 9000000);
    struct trace *trace = read_craft(&craft, SPOOL_CLOSED);
    expect_call(trace, 0, 0, 500);
    expect_call(trace, 1, INT64_C(1000001001), INT64_C(2001000000));
    expect_call(trace, 2, INT64_C(3002000000), INT64_C(4503000000));
    assert_int_equal(trace->provenance.clock.source, TRACE_CLOCK_TSC);
    trace_free(trace);
}

/* Killed before the first anchor: the header's rate. 4 GHz: 10000 ticks are 2500 ns. */
static void killed_before_an_anchor(void **state)
{
    (void)state;
    struct craft craft;
    begin(&craft, 4000000000);
    craft_call(&craft, CRAFT_INIT, 0, 4000);
    craft_call(&craft, CRAFT_BARRIER, 8000, 10000);
    struct trace *trace = read_craft(&craft, 0);
    expect_call(trace, 0, 0, 1000000);
    expect_call(trace, 1, 2000000, 2500000);
    assert_true(trace->ranks[0].incomplete);
    trace_free(trace);
}

/* An entry is read a few ticks before the exit that it follows: the call begins when the one before ended. */
static void times_of_a_thread_do_not_run_back(void **state)
{
    (void)state;
    struct craft craft;
    begin(&craft, 1000000000);
    craft_call(&craft, CRAFT_INIT, 0, 500);
    craft_call(&craft, CRAFT_BARRIER, 497, 600);
    struct trace *trace = read_craft(&craft, 0);
    expect_call(trace, 0, 0, 500000);
    expect_call(trace, 1, 500000, 600000);
    trace_free(trace);
}

/* Offsets to rank 0's clock come on top: at 5000000 ns -1000, at 7000000 ns -3000; tick 2000000 of 2 GHz is 6000000 ns,
 * offset -2000. Time zero is 5000000 - 1000. */
static void offsets_come_on_top(void **state)
{
    (void)state;
    struct craft craft;
    const struct spool_clock first = {5000000, -1000, 10}, last = {7000000, -3000, 10};
    begin(&craft, 2000000000);
    craft_define(&craft, SPOOL_CLOCK, (struct spool_record){0}, &first, sizeof first);
    craft_call(&craft, CRAFT_INIT, 0, 0);
    craft_call(&craft, CRAFT_BARRIER, 2000000, 2000000);
    craft_define(&craft, SPOOL_CLOCK, (struct spool_record){0}, &last, sizeof last);
    struct trace *trace = read_craft(&craft, 0);
    expect_call(trace, 0, 0, 0);
    expect_call(trace, 1, INT64_C(999000000), INT64_C(999000000));
    trace_free(trace);
}

static void refuse(size_t at, const void *data, size_t bytes, const char *why)
{
    struct craft craft;
    struct trace *trace;
    struct err err = {0};
    char *directory = craft_directory();
    begin(&craft, 1000000000);
    craft_write(&craft, directory, craft.count, 0);
    craft_patch(directory, "rank-000000.spool", at, data, bytes);
    assert_int_equal(spool_read(directory, &trace, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, why));
    craft_remove(directory);
    craft_free(&craft);
}

static void headers_that_cannot_be(void **state)
{
    (void)state;
    const uint32_t clock = 2, version = 7;
    const uint64_t standing = 0;
    refuse(44, &clock, sizeof clock, "a clock that this rmacast does not know");
    refuse(8, &version, sizeof version,
           "spool of version 7; this rmacast reads version 8: pack it with the rmacast that recorded it");
    refuse(56, &standing, sizeof standing, "the ticks per second are beyond belief");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_is_believed),
        cmocka_unit_test(rates),
        cmocka_unit_test(anchors_are_due),
        cmocka_unit_test(nanoseconds_that_are_far),
        cmocka_unit_test(a_counter_that_is_set_back),
        cmocka_unit_test(between_and_behind_anchors),
        cmocka_unit_test(killed_before_an_anchor),
        cmocka_unit_test(times_of_a_thread_do_not_run_back),
        cmocka_unit_test(offsets_come_on_top),
        cmocka_unit_test(headers_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
