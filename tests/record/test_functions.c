/* User functions as regions (programs/functions.c), and call sites: in programs linked to run anywhere and at a fixed
 * place, and in shared libraries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run.h"

enum { NONE = TRACE_NONE };

static void expect_region(struct walk *walk, bool enter, const char *name)
{
    const struct trace_call *call = walk_plain(walk, enter ? "enter" : "leave", NONE);
    assert_string_equal(walk->trace->definitions.regions[call->ref], name);
}

static void expect_barrier(struct walk *walk, const char *function, const char *file, int line)
{
    const struct trace_site *site = &walk->trace->definitions.sites[walk_plain(walk, "MPI_Barrier", 0)->site];
    assert_string_equal(site->function, function);
    assert_string_equal(strrchr(site->file, '/') + 1, file);
    assert_int_equal(site->line, line);
}

static void expect_library(struct walk *walk, int times)
{
    expect_region(walk, true, "library_barrier");
    for (int i = 0; i < times; i++) {
        expect_region(walk, true, "one");
        expect_barrier(walk, "one", "functions_library.c", 8);
        expect_region(walk, false, "one");
    }
    expect_region(walk, false, "library_barrier");
}

static void expect_program(const char *program)
{
    struct trace *trace = run_recorded("RMACAST_FUNCTIONS=64", program, 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, rank);
        expect_region(&walk, true, "main");
        walk_plain(&walk, "MPI_Init", NONE);
        for (int i = 0; i < 3; i++) expect_region(&walk, true, "recurse");
        expect_barrier(&walk, "recurse", "functions.c", 9);
        for (int i = 0; i < 3; i++) expect_region(&walk, false, "recurse");
        expect_library(&walk, 2);
        expect_region(&walk, true, "marked");
        expect_library(&walk, 1);
        expect_region(&walk, false, "marked");
        walk_plain(&walk, "MPI_Finalize", NONE);
        walk_end(&walk);
    }
    trace_free(trace);
}

/* Loaded anywhere, and at a fixed place. */
static void functions_are_regions(void **state)
{
    static const char *const programs[] = {"functions_pie", "functions_fixed"};
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) expect_program(programs[i]);
}

static const struct trace_call *next_of_thread(struct walk *walk, uint32_t thread)
{
    const struct trace_rank *rank = &walk->trace->ranks[walk->rank];
    while (walk->next < rank->count && trace_call_thread(walk->trace, walk->rank, walk->next) != thread) walk->next++;
    assert_true(walk->next < rank->count);
    return &rank->calls[walk->next];
}

static const char *name_of(const struct trace_call *call)
{
    const char *name = call_name((enum mpi_call)call->call);
    return strncmp(name, "MPI_", 4) == 0 ? name + 4 : name;
}

/* words: +f enters f, -f leaves it, else the name of a call without MPI_; in one thread. */
static void expect_thread(struct walk *walk, uint32_t thread, const char *const *words)
{
    for (; *words; words++) {
        const struct trace_call *call = next_of_thread(walk, thread);
        char text[64];
        bool enter = call->call == ID_region_enter, leave = call->call == ID_region_leave;
        snprintf(text, sizeof text, "%s%s",
                 enter   ? "+"
                 : leave ? "-"
                         : "",
                 enter || leave ? walk->trace->definitions.regions[call->ref] : name_of(call));
        assert_string_equal(text, *words);
        walk->next++;
    }
}

/* What longjmp jumps over is left before the next thing that stands above it; forty times are not deeper than one. What
 * ends while recording is stopped ends then; what begins then is entered when recording goes on. The thread is in
 * work() at its first call. */
static void expect_jumps(const char *program)
{
    static const char *const init[] = {"+main", "Init_thread", NULL};
    static const char *const land[] = {"+land", "+jump", "+jump",   "+jump", "-jump",
                                       "-jump", "-jump", "Barrier", "-land", NULL};
    static const char *const rest[] = {"+stop",   "-stop", "+start", "Barrier",  "+leaf",
                                       "Barrier", "-leaf", "-start", "pthread_create", "pthread_join",
                                       "Finalize", NULL};
    static const char *const work[] = {"thread_begin", "+work", "+leaf", "Barrier", "-leaf", NULL};
    static const char *const end[] = {"-work", "thread_end", NULL};
    struct trace *trace = run_recorded("RMACAST_FUNCTIONS=64", program, 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, rank), worker = walk;
        expect_thread(&walk, 0, init);
        for (int i = 0; i < 40; i++) expect_thread(&walk, 0, land);
        expect_thread(&walk, 0, rest);
        expect_thread(&worker, 1, work);
        expect_thread(&worker, 1, land);
        expect_thread(&worker, 1, end);
    }
    trace_free(trace);
}

/* In the optimized program exits are tail calls. */
static void jumps_leave_functions(void **state)
{
    static const char *const programs[] = {"functions_jumps", "functions_jumps_O2"};
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) expect_jumps(programs[i]);
}

/* Four threads at the same time; names of C++ as its source has them. An exception leaves what it passes: a destructor
 * that it runs stands in the function that it leaves, what catches it goes on. */
static void threads_and_exceptions(void **state)
{
    (void)state;
    static const char *const begin[] = {"+work()", "+send(int)", "Send", "-send(int)", NULL}, *const end[] = {"-work()",
                                                                                                              NULL};
    static const char *const land[] = {"+land()",
                                       "+pass()",
                                       "+fail(int)",
                                       "+Guard::Guard(int)",
                                       "-Guard::Guard(int)",
                                       "+fail(int)",
                                       "+Guard::Guard(int)",
                                       "-Guard::Guard(int)",
                                       "+Guard::~Guard()",
                                       "+send(int)",
                                       "Send",
                                       "-send(int)",
                                       "-Guard::~Guard()",
                                       "-fail(int)",
                                       "+Guard::~Guard()",
                                       "+send(int)",
                                       "Send",
                                       "-send(int)",
                                       "-Guard::~Guard()",
                                       "-fail(int)",
                                       "+send(int)",
                                       "Send",
                                       "-send(int)",
                                       "-pass()",
                                       "+send(int)",
                                       "Send",
                                       "-send(int)",
                                       "+send(int)",
                                       "Send",
                                       "-send(int)",
                                       "-land()",
                                       NULL};
    struct trace *trace = run_recorded("RMACAST_FUNCTIONS=64", "functions_threads", 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        assert_int_equal(trace_thread_count(trace, rank), 4);
        for (uint32_t thread = 0; thread < 4; thread++) {
            struct walk walk = walk_begin(trace, rank);
            if (thread == 0)
                expect_thread(&walk, 0,
                              (const char *const[]){"+main", "Init_thread", "pthread_create", "pthread_create",
                                                    "pthread_create", NULL});
            if (thread > 0) expect_thread(&walk, thread, (const char *const[]){"thread_begin", NULL});
            expect_thread(&walk, thread, begin);
            for (int i = 0; i < 50; i++) expect_thread(&walk, thread, land);
            expect_thread(&walk, thread, end);
            if (thread == 0)
                expect_thread(&walk, 0, (const char *const[]){"pthread_join", "pthread_join", "pthread_join", "Finalize",
                                                              NULL});
            else
                expect_thread(&walk, thread, (const char *const[]){"thread_end", NULL});
        }
    }
    trace_free(trace);
}

/* Depth 2: main and what it calls. */
static void down_to_a_depth(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("RMACAST_FUNCTIONS=2", "functions_pie", 0);
    struct walk walk = walk_begin(trace, 3);
    expect_region(&walk, true, "main");
    walk_plain(&walk, "MPI_Init", NONE);
    expect_region(&walk, true, "recurse");
    expect_barrier(&walk, "recurse", "functions.c", 9);
    expect_region(&walk, false, "recurse");
    expect_region(&walk, true, "library_barrier");
    for (int i = 0; i < 2; i++) expect_barrier(&walk, "one", "functions_library.c", 8);
    expect_region(&walk, false, "library_barrier");
    trace_free(trace);
}

/* Nobody asked: the program's own marks alone. */
static void only_on_request(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "functions_fixed", 0);
    struct walk walk = walk_begin(trace, 1);
    walk_plain(&walk, "MPI_Init", NONE);
    expect_barrier(&walk, "recurse", "functions.c", 9);
    for (int i = 0; i < 2; i++) expect_barrier(&walk, "one", "functions_library.c", 8);
    expect_region(&walk, true, "marked");
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_regions), cmocka_unit_test(threads_and_exceptions),
        cmocka_unit_test(down_to_a_depth),       cmocka_unit_test(only_on_request),
        cmocka_unit_test(jumps_leave_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
