/* How many threads of a rank are alive at once, without a first one that only waits for the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulate/replay/thread.h"

/* "+T": thread 0 creates T; "-T": it joins T; "?" for T: an unknown one; "0", "1", ...: a call of that thread. */
static uint32_t alive_in(const char *calls)
{
    struct trace *trace;
    struct err err;
    assert_int_equal(trace_new("t", 1, &trace, &err), STATUS_OK);
    for (int64_t at_ps = 0; *calls; calls++, at_ps++) {
        const bool creates = *calls == '+', joins = *calls == '-';
        if (creates || joins) calls++;
        struct trace_call call = {.call = creates ? ID_pthread_create : joins ? ID_pthread_join : ID_Comm_group,
                                  .enter_ps = at_ps,
                                  .exit_ps = at_ps,
                                  .any = TRACE_NO_MEMBERS,
                                  .peer = TRACE_NONE};
        if (creates || joins) call.primitive.child = *calls == '?' ? TRACE_NO_REF : (uint32_t)(*calls - '0');
        const uint32_t thread = creates || joins ? 0 : (uint32_t)(*calls - '0');
        assert_int_equal(trace_add_thread_call(trace, 0, thread, &call, &err), STATUS_OK);
    }
    uint32_t alive = replay_threads_alive(trace, 0);
    trace_free(trace);
    return alive;
}

static void threads_are_alive(void **state)
{
    (void)state;
    static const struct {
        const char *calls;
        uint32_t alive;
    } rows[] = {
        {"+1+20-1-2", 3},   /* thread 0 works, too */
        {"+1+2-1-2", 2},    /* it only waits */
        {"0+1+2-1-20", 2},  /* its calls before and behind do not count */
        {"+1+2112-1-2", 2}, /* nor those of others */
        {"+1-1+2-2", 1},    /* one after another */
        {"+10-1+2-2", 2},   /* the same, and it works */
        {"+1+2", 3},        /* without a join it does not wait */
        {"+?+1-10", 1},     /* one that was not made is none */
        {"+1-?+2-2", 2},    /* nobody knows that the first one has gone */
        {"01", 2},          /* thread 1 was there before */
        {"01+2-2", 2},      /* the same, beside 2, while thread 0 waits */
        {"-1", 2},          /* who is joined was there */
        {"0-1-10", 2},      /* a thread goes once */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t alive = alive_in(rows[i].calls);
        if (alive != rows[i].alive) fail_msg("%s: %u, expected %u", rows[i].calls, alive, rows[i].alive);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_alive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
