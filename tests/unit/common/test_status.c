/* The error record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/status.h"

static void file_and_place_stand_before_the_message(void **state)
{
    (void)state;
    struct err err;
    assert_int_equal(err_set(&err, STATUS_DATA, "a.txt", "12", "%d is wrong", 7), STATUS_DATA);
    assert_string_equal(err.text, "a.txt:12: 7 is wrong");
    assert_int_equal(err.status, STATUS_DATA);
    err_set(&err, STATUS_USAGE, "a.txt", NULL, "x");
    assert_string_equal(err.text, "a.txt: x");
    err_set(&err, STATUS_USAGE, NULL, "12", "x");
    assert_string_equal(err.text, "12: x");
    err_set(&err, STATUS_USAGE, NULL, NULL, "x");
    assert_string_equal(err.text, "x");
    assert_int_equal(err_set(NULL, STATUS_SYSTEM, "a", "b", "x"), STATUS_SYSTEM);
    assert_int_equal(err_memory(&err), STATUS_SYSTEM);
}

static void a_message_is_one_line_of_bounded_length(void **state)
{
    (void)state;
    struct err err;
    char name[2 * ERR_TEXT_BYTES];
    err_set(&err, STATUS_DATA, "a\nb", NULL, "one\ntwo\r");
    assert_string_equal(err.text, "a b: one two ");
    err_set(&err, STATUS_DATA, "\033[2J\a", NULL, "\xc2\x9b\t\xc2\xb5\x7f"); /* what clears a terminal; a micro sign is none */
    assert_string_equal(err.text, "?[2J?: ?? \xc2\xb5?");
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    err_set(&err, STATUS_DATA, name, name, "%s", name);
    assert_int_equal(strlen(err.text), ERR_TEXT_BYTES - 1);
    err_set(&err, STATUS_DATA, NULL, NULL, "%s", name);
    assert_int_equal(strlen(err.text), ERR_TEXT_BYTES - 1);
}

static enum status fails(int *reached)
{
    TRY(STATUS_OK);
    ++*reached;
    TRY(STATUS_DATA);
    ++*reached;
    return STATUS_OK;
}

static void try_hands_a_fault_on(void **state)
{
    (void)state;
    int reached = 0;
    assert_int_equal(fails(&reached), STATUS_DATA);
    assert_int_equal(reached, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_and_place_stand_before_the_message),
        cmocka_unit_test(a_message_is_one_line_of_bounded_length),
        cmocka_unit_test(try_hands_a_fault_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
