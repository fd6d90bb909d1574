/* Marks of merged archives beside their times, which tests/commands/traces/export.test has: where they stand between
 * the calls of their thread, and which there are at all. */
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "model_test.h"

static const struct merge_model *model_of(const char *name)
{
    for (size_t i = 0; i < MERGE_MODELS; i++)
        if (strcmp(merge_models[i].name, name) == 0) return &merge_models[i];
    fail_msg("no model %s", name);
    return NULL;
}

/* A mark is "LETTER SLOT TIME NUMBER", with the time in ns; i and o: data come in and leave, d, n and r: done, at once
 * and remotely, a: acquired, s and t: ends of arrows, whose number does not matter. */
static void expect_marks(const char *text, const char *model, uint32_t rank, const char *expected)
{
    struct trace *trace = trace_of(text);
    struct merge merge;
    struct err err;
    char found[1000] = "";
    int length = 0;
    if (merge_build(trace, model_of(model), false, &merge, &err) != STATUS_OK) fail_msg("%s", err.text);
    const struct otf2_marks *marks = &merge.view.lines[merge.view.first_line[rank]];
    for (size_t i = 0; i < marks->count; i++) {
        const struct otf2_mark *mark = &marks->items[i];
        bool arrow = mark->kind == OTF2_MARK_SEND || mark->kind == OTF2_MARK_RECEIVE;
        length += snprintf(found + length, sizeof found - (size_t)length, "%s%c %zu %.9g %d", i ? ", " : "",
                           "iodnrast"[mark->kind], mark -> slot, (double)mark -> time_ps / 1000,
                           arrow ? 0 : (int)mark -> number);
    }
    if (strcmp(found, expected) != 0) fail_msg("%s, rank %u: %s, expected %s", model, rank, found, expected);
    merge_clear(&merge);
    trace_free(trace);
}

#define TWO "ranks 2\nwindow 0 comm=0\n"

/* The get's data leave rank 1 at 5 us, when it is called. There is one call of rank 1, slot 1, with 0 before it and 2
 * behind it; of a region's record, which is a point, its place is the one before. */
static void marks_stand_between_calls(void **state)
{
    static const struct {
        const char *calls, *marks;
    } rows[] = {
        {"1 0.000006 0.000007 MPI_Barrier comm=0\n", "o 0 5000 1"},
        {"1 0.000005 0.000007 MPI_Barrier comm=0\n", "o 1 5000 1"},
        {"1 0.000004 0.000007 MPI_Barrier comm=0\n", "o 1 5000 1"},
        {"1 0.000004 0.000005 MPI_Barrier comm=0\n", "o 1 5000 1"},
        {"1 0.000003 0.000004 MPI_Barrier comm=0\n", "o 18446744073709551614 5000 1"}, /* behind all */
        {"1 0.000004 enter a\n1 0.000006 0.000007 MPI_Barrier comm=0\n1 0.000008 leave a\n", "o 2 5000 1"},
        {"1 0.000005 enter a\n1 0.000006 0.000007 MPI_Barrier comm=0\n1 0.000008 leave a\n", "o 0 5000 1"},
        {"1 0.000006 enter a\n1 0.000006 0.000007 MPI_Barrier comm=0\n1 0.000008 leave a\n", "o 0 5000 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            TWO
            "0 0.000001 0.000002 MPI_Win_lock win=0 target=1 lock=shared\n0 0.000005 0.000006 MPI_Get win=0 target=1 "
            "bytes=8\n0 0.000008 0.000009 MPI_Win_unlock win=0 target=1\n0 0.000010 0.000011 MPI_Barrier comm=0\n%s",
            rows[i].calls);
        expect_marks(text, "extended", 1, rows[i].marks);
    }
}

/* An atomic without an operand brings back its result only; a get_accumulate with one has data that come in before. */
static void an_atomic_without_operand_brings_none(void **state)
{
    static const char *const bytes[] = {"0", "8"}, *const marks[] = {
                                                       "o 18446744073709551614 3000 1",
                                                       "i 18446744073709551614 3000 1, o 18446744073709551614 3000 1"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            TWO
            "0 0.000001 0.000002 MPI_Win_lock win=0 target=1 lock=shared\n0 0.000003 0.000004 MPI_Get_accumulate win=0 "
            "target=1 bytes=%s op=%s result_bytes=8\n0 0.000008 0.000009 MPI_Win_unlock win=0 target=1\n",
            bytes[i], i == 0 ? "NO_OP" : "SUM");
        expect_marks(text, "extended", 1, marks[i]);
    }
}

#define LOCK(rank, a, b, kind) rank " 0.0000" a " 0.0000" b " MPI_Win_lock win=0 target=2 lock=" kind "\n"
#define UNLOCK(rank, a, b)     rank " 0.0000" a " 0.0000" b " MPI_Win_unlock win=0 target=2\n"

/* Marks of one time: what follows from the synchronisation, the arrow to the next holder, stands behind what it
 * implies. Rank 0 lets the lock go at 10 us, and rank 1 gets it then, behind the arrow. */
static void effects_stand_behind_causes(void **state)
{
    static const char text[] = "ranks 3\nwindow 0 comm=0\n" LOCK(
        "0", "01", "02", "exclusive") "0 0.000003 0.000004 MPI_Put win=0 target=2 bytes=8\n" UNLOCK("0", "09", "10")
        LOCK("1", "03", "10", "exclusive") UNLOCK("1", "11", "12");
    (void)state;
    expect_marks(text, "dependencies", 0, "a 1 2000 1, d 5 10000 1, r 5 10000 1, s 5 10000 0, s 5 10000 0");
    expect_marks(text, "dependencies", 1, "t 1 10000 0, a 1 10000 1");
}

/* A lock that did not return shows no grant. A lock_all has the lock when the last of those that exclude it lets go,
 * whichever target that was. */
static void grants(void **state)
{
    static const char broken[] = "ranks 3\nwindow 0 comm=0\n" LOCK("0", "01", "02", "exclusive")
        UNLOCK("0", "09",
               "10") "1 0.000003 0.000012 MPI_Win_lock win=0 target=2 lock=exclusive break=1\nincomplete 1 killed\n";
    (void)state;
    expect_marks(broken, "extended", 1, "");
    /* lock_all of rank 2: target 0 is free at 10, target 1 at 7 us, or the other way round; arrows end a tick later */
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "ranks 3\nwindow 0 comm=0\n0 0.000001 0.000002 MPI_Win_lock win=0 target=%d lock=exclusive\n0 "
                 "0.000006 0.000007 "
                 "MPI_Win_unlock win=0 target=%d\n1 0.000001 0.000002 MPI_Win_lock win=0 target=%d lock=exclusive\n"
                 "1 0.000008 0.000010 MPI_Win_unlock win=0 target=%d\n2 0.000003 0.000005 MPI_Win_lock_all win=0\n"
                 "2 0.000012 0.000014 MPI_Win_unlock_all win=0\n",
                 1 - i, 1 - i, i, i);
        expect_marks(text, "logical", 2, "t 2 7000.001 0, a 2 10000 0, t 2 10000.001 0");
    }
}

static void expect_counts(const char *text, const char *model, uint64_t transfers, uint64_t endless, uint64_t backward)
{
    struct trace *trace = trace_of(text);
    struct merge merge;
    struct err err;
    if (merge_build(trace, model_of(model), true, &merge, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (merge.transfers != transfers || merge.endless != endless || merge.backward != backward)
        fail_msg("%s: %d, %d, %d", model, (int)merge.transfers, (int)merge.endless, (int)merge.backward);
    merge_clear(&merge);
    trace_free(trace);
}

/* An epoch that does not end: its put has none. In the base model each transfer ends with its operation. */
static void ends_are_counted(void **state)
{
    static const char open[] = TWO "0 0.000001 0.000002 MPI_Win_lock win=0 target=1 lock=shared\n"
                                   "0 0.000003 0.000004 MPI_Put win=0 target=1 bytes=8\nincomplete 0 killed\n";
    static const char broken[] =
        TWO "0 0.000001 0.000002 MPI_Win_lock win=0 target=1 lock=shared\n0 0.000003 0.000004 MPI_Put win=0 "
            "target=1 bytes=8 break=1\nincomplete 0 killed\n";
    (void)state;
    expect_counts(open, "base", 1, 0, 0);
    expect_counts(open, "extended", 1, 1, 0);
    expect_counts(broken, "extended", 0, 0, 0);
}

/* The end that one arrow is drawn to: the true one, else the extended model's; a put without an end has none. */
static void ends_of_arrows(void **state)
{
    struct trace *trace = trace_of(TWO "0 0.000001 0.000002 MPI_Win_lock win=0 target=1 lock=shared\n"
                                       "0 0.000003 0.000004 MPI_Put win=0 target=1 bytes=8\n");
    const struct transfer closed = {.lower_end_ps = 5, .upper_end_ps = 9},
                          open = {.lower_end_ps = 5, .upper_end_ps = TRACE_UNKNOWN_PS};
    (void)state;
    assert_int_equal(export_transfer_end_ps(trace, &closed), 9);
    assert_int_equal(export_transfer_end_ps(trace, &open), TRACE_UNKNOWN_PS);
    trace_free(trace);
}

/* Numbers of transfers begin with 1 on each rank: puts of rank 0 and of rank 1 to rank 2. */
static void numbers_begin_anew(void **state)
{
    static const char text[] = "ranks 3\nwindow 0 comm=0\n" LOCK(
        "0", "01", "02",
        "shared") "0 0.000003 0.000004 MPI_Put win=0 target=2 bytes=8\n0 0.000005 0.000006 MPI_Put win=0 target=2 "
                  "bytes=8\n" UNLOCK("0", "09", "10")
                      LOCK("1", "01", "02",
                           "shared") "1 0.000003 0.000004 MPI_Put win=0 target=2 bytes=8\n" UNLOCK("1", "11", "12");
    (void)state;
    expect_marks(text, "base", 0, "n 3 4000 1, n 5 6000 2");
    expect_marks(text, "base", 1, "n 3 4000 1");
}

/* Transfers of OpenSHMEM and MPI are numbered together, by their calls: rank 0 puts in its calls 1 and 2 by OpenSHMEM,
 * rank 1 in its calls 1, 3 and 4 by MPI, OpenSHMEM and MPI. */
static void numbers_of_both_interfaces(void **state)
{
    static const char text[] =
        "ranks 2\nwindow 0 comm=0 flavor=heap\nwindow 1 comm=0\n0 0.000001 0.000002 MPI_Comm_group comm=0\n"
        "0 0.000003 0.000004 shmem_put win=0 target=1 bytes=8 disp=0\n0 0.000005 0.000006 shmem_put win=0 target=1 "
        "bytes=8 disp=0\n"
        "0 0.000060 0.000061 shmem_finalize\n1 0.000001 0.000002 MPI_Win_lock win=1 target=0 lock=shared\n"
        "1 0.000003 0.000004 MPI_Put win=1 target=0 bytes=8\n1 0.000005 0.000006 MPI_Comm_group comm=0\n"
        "1 0.000007 0.000008 shmem_put win=0 target=0 bytes=8 disp=0\n1 0.000009 0.000010 MPI_Put win=1 target=0 "
        "bytes=8\n"
        "1 0.000011 0.000012 MPI_Win_unlock win=1 target=0\n1 0.000060 0.000061 shmem_finalize\n";
    (void)state;
    expect_marks(text, "base", 0, "n 3 4000 1, i 3 4000 1, n 5 6000 2, i 6 8000 2, i 6 10000 3");
    expect_marks(text, "base", 1, "i 3 4000 1, n 3 4000 1, i 5 6000 2, n 7 8000 2, n 9 10000 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_stand_between_calls),
        cmocka_unit_test(an_atomic_without_operand_brings_none),
        cmocka_unit_test(effects_stand_behind_causes),
        cmocka_unit_test(grants),
        cmocka_unit_test(ends_are_counted),
        cmocka_unit_test(ends_of_arrows),
        cmocka_unit_test(numbers_begin_anew),
        cmocka_unit_test(numbers_of_both_interfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
