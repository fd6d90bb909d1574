/* How the recorded library behaved: counts worked out by hand from the definition (docs/patterns.md, "Behaviour"): a
 * call shows something if a post it might wait for was entered later than it. Times in microseconds. */
#include "model_test.h"

#include <stdio.h>
#include <string.h>

#include "model/result/result.h"

static struct result *analyzed(const char *text)
{
    struct err err;
    struct result *result;
    struct trace *trace = trace_of(text);
    if (model_analyze(trace, NULL, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
    return result;
}

/* The text has a row "waits seen/of/calls" for the call, of operations for the size class that begins with from_bytes. */
static void expect(const char *text, enum mpi_call call, enum result_content content, int64_t from_bytes,
                   const char *expected)
{
    static const char *const names[] = {"not seen", "none", "post", "group", "holder"};
    struct result *result = analyzed(text);
    char found[80] = "no row";
    for (size_t i = 0; i < result->behaviour_count; i++) {
        const struct result_behaviour *row = &result->behaviour[i];
        if (row->call != call || row->content != content || (row->sized && row->from_bytes != from_bytes)) continue;
        snprintf(found, sizeof found, "%s %d/%d/%d", names[row->waits], (int)row->seen, (int)row->of, (int)row->calls);
    }
    result_free(result);
    assert_string_equal(found, expected);
}

#define HEAD "ranks 3\nwindow 0 comm=0\n"
#define START(enter, exit) "0 0.000" enter " 0.000" exit " MPI_Win_start win=0 group=1,2\n"
#define OP(name, enter, exit, rest) "0 0.000" enter " 0.000" exit " MPI_" name " win=0 " rest "\n"
#define COMPLETE(enter, exit) "0 0.000" enter " 0.000" exit " MPI_Win_complete win=0\n"
#define TARGET(rank, post)                                                                                             \
#rank " 0.000" post " 0.000" post " MPI_Win_post win=0 group=0\n" #rank " 0.000900 0.000950 MPI_Win_wait win=0\n"

/* The posts are entered at 100 and 200; start returns at 10, before both, or waits until 200, or enters behind them. */
static void behaviour_of_start(void **state)
{
    (void)state;
    const char *returns = HEAD START("000", "010") COMPLETE("300", "310") TARGET(1, "100") TARGET(2, "200");
    const char *waits = HEAD START("000", "200") COMPLETE("300", "310") TARGET(1, "100") TARGET(2, "200");
    const char *behind = HEAD START("250", "260") COMPLETE("300", "310") TARGET(1, "100") TARGET(2, "200");
    expect(returns, ID_Win_start, OF_ALL, 0, "none 1/1/1");
    expect(waits, ID_Win_start, OF_ALL, 0, "post 1/1/1");
    expect(behind, ID_Win_start, OF_ALL, 0, "not seen 0/0/1");
    /* It returned before the later post: it did not wait for all of its group. */
    expect(HEAD START("000", "150") COMPLETE("300", "310") TARGET(1, "100") TARGET(2, "200"), ID_Win_start, OF_ALL, 0,
           "none 1/1/1");
}

static void nocheck_promises_the_posts(void **state)
{
    (void)state;
    expect("ranks 2\nwindow 0 comm=0\n0 0.0 0.1 MPI_Win_start win=0 group=1 assert=NOCHECK\n0 0.2 0.3 MPI_Win_complete "
           "win=0\n1 0.15 0.16 MPI_Win_post win=0 group=0\n1 0.2 0.4 MPI_Win_wait win=0\n",
           ID_Win_start, OF_ALL, 0, "no row");
}

/* Posts at 100 (rank 1) and 200 (rank 2). */
static void operations(void **state)
{
    (void)state;
    /* 8 bytes (class 8 to 15) return before their target's post; 64 KB to rank 1 return at 100, with it and before rank
     * 2's: they wait for their target and not for the group. 4 bytes are put when both have posted. */
    const char *mixed = HEAD START("000", "000") OP("Put", "010", "020", "target=1 bytes=8")
        OP("Put", "020", "030", "target=2 bytes=9") OP("Put", "030", "100", "target=1 bytes=65536")
        OP("Put", "250", "260", "target=1 bytes=4") COMPLETE("300", "310") TARGET(1, "100") TARGET(2, "200");
    expect(mixed, ID_Put, OF_ALL, 8, "none 2/2/2");
    expect(mixed, ID_Put, OF_ALL, 65536, "post 1/1/1");
    expect(mixed, ID_Put, OF_ALL, 4, "not seen 0/0/1");
    /* Rank 1 has posted at 100, the put to it is entered at 110 and returns at 200, with rank 2's post. */
    const char *group = HEAD START("000", "000") OP("Put", "110", "200", "target=1 bytes=65536") COMPLETE("300", "310")
        TARGET(1, "100") TARGET(2, "200");
    expect(group, ID_Put, OF_ALL, 65536, "group 1/1/1");
    /* The second one returns before rank 2's post: as many speak for the group as against it. */
    const char *both = HEAD START("000", "000") OP("Get", "010", "020", "target=2 bytes=8")
        OP("Get", "020", "100", "target=1 bytes=8") OP("Get", "110", "210", "target=1 bytes=8")
        COMPLETE("300", "310") TARGET(1, "100") TARGET(2, "200");
    /* Entered before the own target's post: the first (returned before it), the second (waited). */
    expect(both, ID_Get, OF_ALL, 8, "post 1/2/3");
    expect(HEAD START("000", "000") OP("Fetch_and_op", "010", "100", "target=1 bytes=8 op=SUM result_bytes=8")
               COMPLETE("300", "310") TARGET(1, "100") TARGET(2, "200"),
           ID_Fetch_and_op, OF_ALL, 8, "post 1/1/1");
}

/* Posts at 100 and 200; rank 1 gets a put, rank 2 is asked by a get. */
static void complete(void **state)
{
    (void)state;
#define EPOCH START("000", "000") OP("Put", "010", "011", "target=1 bytes=8") OP("Get", "020", "021", "target=2 bytes=8")
    const char *lazy = HEAD EPOCH COMPLETE("030", "040") TARGET(1, "100") TARGET(2, "200");
    expect(lazy, ID_Win_complete, OF_ALL, 0, "none 1/1/1");
    expect(lazy, ID_Win_complete, OF_PUTS, 0, "none 1/1/1");
    expect(lazy, ID_Win_complete, OF_GETS, 0, "none 1/1/1");
    /* Until 210: both posts lie in it; what it waited for is the later one, of the get's target. */
    const char *waits = HEAD EPOCH COMPLETE("030", "210") TARGET(1, "100") TARGET(2, "200");
    expect(waits, ID_Win_complete, OF_ALL, 0, "post 1/1/1");
    expect(waits, ID_Win_complete, OF_PUTS, 0, "not seen 0/0/1");
    expect(waits, ID_Win_complete, OF_GETS, 0, "post 1/1/1");
    /* Until 150: for the put's target, not for the other one. */
    const char *first = HEAD EPOCH COMPLETE("030", "150") TARGET(1, "100") TARGET(2, "200");
    expect(first, ID_Win_complete, OF_ALL, 0, "none 1/1/1");
    expect(first, ID_Win_complete, OF_PUTS, 0, "post 1/1/1");
    expect(first, ID_Win_complete, OF_GETS, 0, "none 1/1/1");
    expect(HEAD START("000", "000") COMPLETE("030", "040") TARGET(1, "100") TARGET(2, "200"), ID_Win_complete,
           OF_NOTHING, 0, "none 1/1/1");
}

#define LOCK(rank, enter, exit, release, released)                                                                     \
    #rank " 0.000" enter " 0.000" exit " MPI_Win_lock win=0 target=2 lock=exclusive\n" #rank " 0.000" release          \
          " 0.000" released " MPI_Win_unlock win=0 target=2\n"

/* Rank 0 has the lock from 10 to its unlock, 100 to 110. Rank 1 asks at 50. */
static void behaviour_of_lock(void **state)
{
    (void)state;
    const char *holder = HEAD LOCK(0, "000", "010", "100", "110") LOCK(1, "050", "112", "200", "210");
    const char *lazy = HEAD LOCK(0, "000", "010", "100", "110") LOCK(1, "050", "051", "200", "210");
    const char *later = HEAD LOCK(0, "000", "010", "100", "110") LOCK(1, "120", "121", "200", "210");
    const char *together = HEAD LOCK(0, "000", "060", "100", "110") LOCK(1, "050", "112", "200", "210");
    expect(holder, ID_Win_lock, OF_ALL, 0, "holder 1/1/2");
    expect(lazy, ID_Win_lock, OF_ALL, 0, "none 1/1/2");
    expect(later, ID_Win_lock, OF_ALL, 0, "not seen 0/0/2");
    expect(together, ID_Win_lock, OF_ALL, 0, "not seen 0/0/2"); /* nobody is known to have it at 50 */
}

static void sentences(void **state)
{
    (void)state;
    char text[RESULT_BEHAVIOUR_BYTES];
    struct result_behaviour start = {.call = ID_Win_start, .waits = BEHAVES_NONE, .seen = 40, .of = 40, .calls = 41};
    struct result_behaviour put = {.call = ID_Put,
                                   .sized = true,
                                   .least_bytes = 64000,
                                   .most_bytes = 64000,
                                   .waits = BEHAVES_POST,
                                   .seen = 38,
                                   .of = 38,
                                   .calls = 38};
    struct result_behaviour lock = {.call = ID_Win_lock, .calls = 3};
    assert_string_equal(result_behaviour_text(&start, text),
                        "MPI_Win_start returned before the post in 40 of 40 epochs");
    assert_string_equal(result_behaviour_text(&put, text),
                        "MPI_Put of 64 kB waited for its target's post in 38 of 38 calls");
    assert_string_equal(result_behaviour_text(&lock, text), "MPI_Win_lock not seen: none of 3 calls can show it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behaviour_of_start), cmocka_unit_test(nocheck_promises_the_posts),
        cmocka_unit_test(operations),         cmocka_unit_test(complete),
        cmocka_unit_test(behaviour_of_lock),  cmocka_unit_test(sentences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
