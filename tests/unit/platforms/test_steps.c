/* Lists of steps: what is written is read again, and what the short names mpi.rma.lock and mpi.rma.fence make of a list. Profiles
 * are those that come with the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/platforms/platform_test.h"

/* complete 1 + 3 ways to know; unlock 4 ways twice, and one; flush 4; a fence with and without `asserted`, 3 ways to know before
 * its barrier, and two more lists; lock 3. */
static void every_list_reads_back(void **state)
{
    (void)state;
    static const int expected[STEPS_CALL_COUNT] = {4, 9, 4, 10, 3};
    char texts[16][STEPS_TEXT_BYTES];
    for (int call = 0; call < STEPS_CALL_COUNT; call++) {
        struct call_steps steps;
        int count = 0;
        for (; steps_variant((enum steps_call)call, count, &steps); count++) {
            char text[STEPS_TEXT_BYTES], override[sizeof text + 64];
            const char *overrides[] = {override};
            struct platform *platform;
            struct err err = {.text = ""};
            snprintf(override, sizeof override, "mpi.rma.protocol.calls.%s=%s", steps_call_names[call],
                     *steps_text(&steps, text) ? text : "[]");
            assert_true(count < 16);
            memcpy(texts[count], text, sizeof text);
            if (platform_from_text(PLATFORM_TEXT("", "", ""), overrides, 1, &platform, &err) != STATUS_OK)
                fail_msg("%s", err.text);
            const struct call_steps *read = &platform->protocol.calls[call];
            if (read->form != steps.form || read->query != steps.query || read->asserted != steps.asserted)
                fail_msg("%s reads as another list", override);
            for (int other = 0; other < count; other++) assert_string_not_equal(texts[other], texts[count]);
            platform_free(platform);
        }
        assert_int_equal(count, expected[call]);
    }
}

static void short_names(void **state)
{
    (void)state;
    static const struct {
        const char *mpi; /* of the file */
        const char *overrides[2];
        enum steps_call call;
        const char *expected;
    } rows[] = {
        {"{\"rma\": {\"lock\": \"lazy\"}}", {0}, STEPS_LOCK, ""},
        {"{\"rma\": {\"fence\": \"notify\"}}", {0}, STEPS_FENCE, "asserted,issue,barrier,acknowledged,incoming"},
        /* A library keeps the list that has the name. */
        {"{\"profile\": \"openmpi-4.1-pt2pt-tcp\", \"rma\": {\"lock\": \"lazy\"}}", {0}, STEPS_LOCK, "ask"},
        {"{\"profile\": \"openmpi-4.1-pt2pt-tcp\", \"rma\": {\"fence\": \"notify\"}}", {0}, STEPS_FENCE,
         "issue,counts,incoming,barrier"},
        {"{\"profile\": \"mpich-4.0-ucx-tcp\", \"rma\": {\"fence\": \"barrier\"}}", {0}, STEPS_FENCE,
         "issue,query_connected,answer,barrier"},
        {"{\"profile\": \"openmpi-4.1-pt2pt-tcp\", \"rma\": {\"lock\": \"blocking\"}}", {0}, STEPS_LOCK, "ask,grant"},
        {"{\"profile\": \"mpich-4.0-ucx-tcp\", \"rma\": {\"fence\": \"notify\"}}", {0}, STEPS_FENCE,
         "issue,barrier,acknowledged,incoming"},
        /* The list of the file or of an override is before its name, */
        {"{\"rma\": {\"lock\": \"blocking\", \"protocol\": {\"calls\": {\"lock\": [\"ask\"]}}}}", {0}, STEPS_LOCK, "ask"},
        {"{\"rma\": {\"lock\": \"blocking\"}}", {"mpi.rma.protocol.calls.lock=[]"}, STEPS_LOCK, ""},
        /* the name of an override before the list of the file, which is changed as a library's. */
        {"{\"rma\": {\"protocol\": {\"calls\": {\"lock\": [\"ask\"]}}}}", {"mpi.rma.lock=lazy"}, STEPS_LOCK, "ask"},
        {"{\"rma\": {\"protocol\": {\"calls\": {\"lock\": [\"ask\"]}}}}", {"mpi.rma.lock=blocking"}, STEPS_LOCK, "ask,grant"},
        {"{\"rma\": {\"protocol\": {\"calls\": {\"lock\": \"ask\"}}}}", {"mpi.rma.\"lock\"=blocking"}, STEPS_LOCK, "ask,grant"},
        {"{\"rma\": {\"protocol\": {\"calls\": {\"fence\": [\"issue\", \"acknowledged\", \"barrier\"]}}}}",
         {"mpi.rma.fence=notify"}, STEPS_FENCE, "issue,barrier,acknowledged,incoming"},
        {"{\"rma\": {\"protocol\": {\"calls\": {\"fence\": \"issue,query,answer,barrier\"}}}}", {"mpi.rma.fence=barrier"},
         STEPS_FENCE, "issue,query,answer,barrier"},
        {"{\"rma\": {\"protocol\": {\"calls\": {\"fence\": \"issue,counts,incoming,barrier\"}}}}", {"mpi.rma.fence=notify"},
         STEPS_FENCE, "issue,counts,incoming,barrier"},
        {"{\"rma\": {\"lock\": \"lazy\"}}", {"mpi.rma.lock=blocking"}, STEPS_LOCK, "ask,grant"},
        {"{\"profile\": \"openmpi-4.1-pt2pt-tcp\"}", {"mpi.rma.lock=blocking"}, STEPS_LOCK, "ask,grant"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512], steps[STEPS_TEXT_BYTES];
        struct platform *platform;
        struct err err = {.text = ""};
        snprintf(text, sizeof text, PLATFORM_TEXT("", "", ", \"mpi\": %s"), rows[i].mpi);
        if (platform_from_text(text, rows[i].overrides, rows[i].overrides[0] ? 1 : 0, &platform, &err) != STATUS_OK)
            fail_msg("row %zu: %s", i, err.text);
        if (strcmp(steps_text(&platform->protocol.calls[rows[i].call], steps), rows[i].expected) != 0)
            fail_msg("row %zu: %s, expected %s", i, steps, rows[i].expected);
        platform_free(platform);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_list_reads_back), cmocka_unit_test(short_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
