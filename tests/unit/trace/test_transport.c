/* What carried the messages of a recorded program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "trace/spool/transport.h"

static void transports(void **state)
{
    (void)state;
    static const struct {
        struct spool_transport told;
        const char *expected; /* NULL: not known */
    } rows[] = {
        {{NULL, false, 1, 2}, "shared memory"},
        {{"", true, 1, 2}, "shared memory"},
        {{"all", false, 2, 2}, "TCP"},
        {{NULL, true, 2, 2}, "remote DMA"},
        {{NULL, false, 2, 4}, "TCP between hosts, shared memory within"},
        {{NULL, true, 2, 3}, "remote DMA between hosts, shared memory within"},
        {{"tcp,self", true, 2, 2}, "TCP"},
        {{"tcp,self", false, 1, 2}, "TCP"},
        {{"tcp,self", false, 2, 4}, "TCP"},
        {{"self,rc_x,sm", true, 2, 4}, "remote DMA between hosts, shared memory within"},
        {{"rc,self", true, 1, 2}, "remote DMA"},
        {{"vader,self", false, 1, 2}, "shared memory"},
        {{"vader,tcp,self", false, 2, 2}, "TCP"},
        /* What is allowed cannot reach the other host, or is not said, or nothing is sent. */
        {{"shm,self", false, 2, 2}, NULL},
        {{"rc", false, 2, 2}, NULL},
        {{"self", false, 1, 2}, NULL},
        {{"^tcp", false, 2, 2}, NULL},
        {{NULL, false, 1, 1}, NULL},
    };
    char text[SPOOL_TRANSPORT_BYTES];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool known = spool_transport_text(&rows[i].told, text);
        if (known != (rows[i].expected != NULL)) fail_msg("row %zu: known %d", i, known);
        if (known) assert_string_equal(text, rows[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(transports)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
