/* For one unit test: an allocation of the code under test fails. The test is linked with
 * --wrap=malloc,--wrap=calloc,--wrap=realloc. */
#ifndef FAULTS_WRAPPED_MEMORY_H
#define FAULTS_WRAPPED_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static unsigned long allocation_count, failing_allocation;
static bool failing_on;

/* From now on the number-th allocation fails, from 1. */
static void allocation_fails(unsigned long number)
{
    allocation_count = 0;
    failing_allocation = number;
    failing_on = false;
}

/* And all behind it, until allocation_failed(). */
static inline void allocations_fail_from(unsigned long number)
{
    allocation_fails(number);
    failing_on = true;
}

/* Whether it came so far; no other one fails. */
static bool allocation_failed(void)
{
    bool failed = failing_allocation <= allocation_count;
    failing_allocation = 0;
    return failed;
}

static bool fails_now(void)
{
    bool fails = ++allocation_count == failing_allocation ||
                 (failing_on && failing_allocation > 0 && allocation_count > failing_allocation);
    if (fails) errno = ENOMEM;
    return fails;
}

/* The linker puts them in malloc()'s place and so on. Those of shared libraries stay. */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t items, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t items, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

__attribute__((used)) void *__wrap_malloc(size_t bytes)
{
    return fails_now() ? NULL : __real_malloc(bytes);
}

__attribute__((used)) void *__wrap_calloc(size_t items, size_t bytes)
{
    return fails_now() ? NULL : __real_calloc(items, bytes);
}

__attribute__((used)) void *__wrap_realloc(void *old, size_t bytes)
{
    return fails_now() ? NULL : __real_realloc(old, bytes);
}

#endif
