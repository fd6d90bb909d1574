#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/children.h"

enum { JOBS = 7, LARGE = 300000 };

/* Later jobs end first, so that order cannot come from the order of ending. */
static enum status answer_number(void *context, size_t index, FILE *out, struct err *err)
{
    (void)err;
    usleep((useconds_t)(JOBS - index) * 2000);
    fprintf(out, "%s %zu", (const char *)context, index);
    return STATUS_OK;
}

static void answers_come_in_the_order_of_the_jobs(void **state)
{
    (void)state;
    struct child_answer answers[JOBS];
    struct err err;
    assert_int_equal(children_run(answer_number, "job", JOBS, 3, answers, &err), STATUS_OK);
    for (size_t i = 0; i < JOBS; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "job %zu", i);
        assert_int_equal(answers[i].status, STATUS_OK);
        assert_string_equal(answers[i].data, expected);
    }
    child_answers_clear(answers, JOBS);
}

/* More than a pipe holds. */
static enum status answer_much(void *context, size_t index, FILE *out, struct err *err)
{
    (void)context;
    (void)err;
    for (int i = 0; i < LARGE; i++) putc('a' + (int)index, out);
    return STATUS_OK;
}

static void large_answers_are_whole(void **state)
{
    (void)state;
    struct child_answer answers[2];
    struct err err;
    assert_int_equal(children_run(answer_much, NULL, 2, 0, answers, &err), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(answers[i].bytes, LARGE);
        assert_int_equal(strspn(answers[i].data, i == 0 ? "a" : "b"), LARGE);
    }
    child_answers_clear(answers, 2);
}

enum { FAILS, IS_KILLED, ABORTS, EXITS, SAYS, EXPLAINS, EXPLAINS_NOTHING, SUCCEEDS, WAYS };

static enum status end_somehow(void *context, size_t index, FILE *out, struct err *err)
{
    (void)context;
    fputs("partly", out);
    switch (index) {
    case FAILS: return err_set(err, STATUS_DATA, "t.txt", "3", "is wrong");
    case IS_KILLED: raise(SIGKILL); break;
    case ABORTS:
        fputs("first line of two\nsecond\n", stderr);
        signal(SIGABRT, SIG_DFL);
        abort();
    case EXITS: _exit(3);
    case SAYS:
    case EXPLAINS: fputs("this is why\nsecond\n", stderr); _exit(index == SAYS ? 3 : CHILD_EXPLAINED);
    case EXPLAINS_NOTHING: _exit(CHILD_EXPLAINED);
    default: break;
    }
    return STATUS_OK;
}

static void a_child_that_ends_early_is_an_error_that_says_how(void **state)
{
    (void)state;
    struct child_answer answers[WAYS];
    struct err err;
    assert_int_equal(children_run(end_somehow, NULL, WAYS, 2, answers, &err), STATUS_OK);
    assert_int_equal(answers[FAILS].status, STATUS_DATA);
    assert_string_equal(answers[FAILS].err.text, "t.txt:3: is wrong");
    assert_int_equal(answers[IS_KILLED].status, STATUS_SYSTEM);
    assert_non_null(strstr(answers[IS_KILLED].err.text, "signal 9"));
    assert_int_equal(answers[ABORTS].status, STATUS_SYSTEM);
    assert_non_null(strstr(answers[ABORTS].err.text, "signal 6"));
    assert_non_null(strstr(answers[ABORTS].err.text, ": first line of two"));
    assert_null(strstr(answers[ABORTS].err.text, "second"));
    assert_non_null(strstr(answers[EXITS].err.text, "status 3"));
    assert_null(answers[EXITS].data);
    /* only the status that is agreed on says that the line is the error's text */
    assert_int_equal(answers[SAYS].status, STATUS_SYSTEM);
    assert_non_null(strstr(answers[SAYS].err.text, "status 3 and no answer: this is why"));
    assert_int_equal(answers[EXPLAINS].status, STATUS_DATA);
    assert_string_equal(answers[EXPLAINS].err.text, "this is why");
    assert_int_equal(answers[EXPLAINS_NOTHING].status, STATUS_SYSTEM);
    assert_non_null(strstr(answers[EXPLAINS_NOTHING].err.text, "status 70 and no answer"));
    assert_int_equal(answers[SUCCEEDS].status, STATUS_OK);
    assert_string_equal(answers[SUCCEEDS].data, "partly");
    child_answers_clear(answers, WAYS);
}

static void no_jobs_are_no_work(void **state)
{
    (void)state;
    struct err err;
    struct child_answer none;
    assert_int_equal(children_run(end_somehow, NULL, 0, 0, &none, &err), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_come_in_the_order_of_the_jobs),
        cmocka_unit_test(large_answers_are_whole),
        cmocka_unit_test(a_child_that_ends_early_is_an_error_that_says_how),
        cmocka_unit_test(no_jobs_are_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
