/* What the tests of transforms share: text traces in, text out, replays. */
#ifndef TESTS_TRANSFORM_TEST_H
#define TESTS_TRANSFORM_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predictors/transforms/transform.h"

/* Reads a trace; text lacks the first line. Fails the test on an error. */
struct trace *test_read(const char *text);
/* The calls of a trace as text, without its definitions. The caller frees it. */
char *test_calls(const struct trace *trace);

/* spec on the text gives the expected calls. */
void test_gives(const char *spec, const char *text, const char *expected);
/* spec on the text fails with a message that holds `what`. */
void test_refuses(const char *spec, const char *text, const char *what);

/* Run time of a replay with the loggp engine on tests/cases/base.json, in us. */
double test_run_us(const struct trace *trace, const char *semantics);
/* The same where messages do not meet. */
double test_run_apart_us(const struct trace *trace, const char *semantics);
/* As test_run_us, of the text, rewritten by the specs (NULL-terminated). */
double test_run_rewritten_us(const char *text, const char *semantics, const char *const *specs);

#endif
