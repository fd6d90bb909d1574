/* What the buffers of calls span in memory: text, members, archive and predicted trace say the same, by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "otf2_test.h"
#include "trace/otf2/otf2.h"
#include "trace/otf2/slices.h"
#include "trace_test.h"

/* One call of each kind that has buffers. Line k of rank 0 has extents of its own; rank 1 says the same as rank 0 in
 * one call, so that its extents are those of an earlier one, and rank 2 has gaps nowhere. */
static const char text[] =
    "rmacast-trace 1\nranks 3\nwindow 0 comm=0 flavor=create\n"
    "0 0 0.000001 MPI_Win_create win=0\n"
    "0 1 1.000001 MPI_Put win=0 target=1 bytes=12 disp=4 origin_extent=20\n"
    "0 2 2.000001 MPI_Put win=0 target=1 bytes=12 target_extent=24 site=main@a.c:3\n"
    "0 3 3.000001 MPI_Put win=0 target=1 bytes=12\n"
    "0 4 4.000001 MPI_Get win=0 target=2 bytes=24 origin_extent=48 target_extent=49\n"
    "0 5 5.000001 MPI_Accumulate win=0 target=1 bytes=24 op=SUM origin_extent=12 target_extent=2305843009213693951\n"
    "0 6 6.000001 MPI_Get_accumulate win=0 target=1 bytes=12 op=SUM result_bytes=12 origin_extent=20 target_extent=36 "
    "result_extent=1\n"
    "0 7 7.000001 MPI_Get_accumulate win=0 target=1 bytes=0 op=NO_OP result_bytes=12 result_extent=20\n"
    "0 8 8.000001 MPI_Rput win=0 target=1 bytes=12 req=0 origin_extent=21\n"
    "0 9 9.000001 MPI_Send comm=0 peer=1 tag=1 bytes=12 send_extent=22\n"
    "0 10 10.000001 MPI_Recv comm=0 peer=1 tag=1 bytes=0 recv_extent=40\n"
    "0 11 11.000001 MPI_Irecv comm=0 peer=1 tag=2 bytes=4 req=1 recv_extent=23\n"
    "0 12 12.000001 MPI_Isend comm=0 peer=1 tag=2 bytes=4 req=2 started=1 send_extent=24\n"
    "0 13 13.000001 MPI_Waitall reqs=0,1,2\n"
    "0 14 14.000001 MPI_Sendrecv comm=0 peer=1 tag=1 source=1 recvtag=1 bytes=8 received=8 send_extent=25 "
    "recv_extent=26\n"
    "0 15 15.000001 MPI_Bcast comm=0 root=0 bytes=8 send_extent=27\n"
    "0 16 16.000001 MPI_Reduce comm=0 root=1 bytes=8 send_extent=28\n"
    "0 17 17.000001 MPI_Allreduce comm=0 bytes=8 send_extent=29 recv_extent=30\n"
    "0 18 18.000001 MPI_Gather comm=0 root=0 bytes=8 recv_extent=31\n"
    "0 19 19.000001 MPI_Scatter comm=0 root=0 bytes=8 send_extent=32\n"
    "0 20 20.000001 MPI_Allgather comm=0 bytes=8 send_extent=33\n"
    "0 21 21.000001 MPI_Alltoall comm=0 bytes=8 recv_extent=34\n"
    "0 22 22.000001 MPI_Gatherv comm=0 root=0 bytes=8 counts=8 recv_extent=35\n"
    "0 23 23.000001 MPI_Scatterv comm=0 root=0 bytes=8 counts=8 send_extent=36\n"
    "0 24 24.000001 MPI_Allgatherv comm=0 bytes=8 counts=8 send_extent=37\n"
    "0 25 25.000001 MPI_Alltoallw comm=0 bytes=24 counts=8 received=24 send_extent=38\n"
    "0 26 26.000001 MPI_Reduce_scatter comm=0 bytes=24 counts=8 recv_extent=39\n"
    "0 27 27.000001 MPI_Scan comm=0 bytes=8 send_extent=40\n"
    "0 28 28.000001 MPI_Exscan comm=0 bytes=8 recv_extent=41\n"
    "0 29 29.000001 MPI_Ibarrier comm=0 req=3\n"
    "0 30 30.000001 MPI_Ialltoall comm=0 bytes=8 req=4 send_extent=42\n"
    "1 0 0.000001 MPI_Win_create win=0\n"
    "1 1 1.000001 MPI_Rget win=0 target=0 bytes=12 req=0 origin_extent=20\n"
    "2 0 0.000001 MPI_Win_create win=0\n"
    "2 1 1.000001 MPI_Put win=0 target=0 bytes=12\n";

static void assert_extents(const struct trace *trace, uint32_t rank, size_t index, int64_t origin, int64_t target,
                           int64_t result)
{
    struct trace_extents extents = trace_call_extents(trace, rank, index);
    assert_int_equal(extents.of[TRACE_ORIGIN], origin);
    assert_int_equal(extents.of[TRACE_TARGET], target);
    assert_int_equal(extents.of[TRACE_RESULT], result);
    bool gaps = trace->ranks[rank].calls[index].flags & TRACE_GAPS;
    assert_int_equal(gaps, origin || target || result);
}

static void members(void **state)
{
    (void)state;
    struct trace *trace = trace_of(text);
    assert_extents(trace, 0, 0, 0, 0, 0);
    assert_extents(trace, 0, 1, 20, 0, 0);
    assert_extents(trace, 0, 2, 0, 24, 0);
    assert_extents(trace, 0, 3, 0, 0, 0);
    assert_extents(trace, 0, 4, 48, 49, 0);
    assert_extents(trace, 0, 5, 12, INT64_MAX / 4, 0);
    assert_extents(trace, 0, 6, 20, 36, 1);
    assert_extents(trace, 0, 7, 0, 0, 20);
    assert_extents(trace, 0, 9, 22, 0, 0);
    assert_extents(trace, 0, 10, 0, 0, 40);
    assert_extents(trace, 0, 14, 25, 0, 26);
    assert_extents(trace, 0, 30, 42, 0, 0);
    assert_extents(trace, 1, 1, 20, 0, 0);
    assert_int_equal(trace->ranks[1].extents[1], trace->ranks[0].extents[1]);
    assert_null(trace->ranks[2].extents);
    trace_free(trace);
}

static int count_of(const char *in, const char *word)
{
    int count = 0;
    for (const char *at = in; (at = strstr(at, word)) != NULL; at++) count++;
    return count;
}

static void the_archive_says_the_same(void **state)
{
    (void)state;
    char directory[TEMP_DIR_BYTES];
    struct err err = {.text = ""};
    struct trace *trace = trace_of(text), *back;
    temp_dir_make(directory);
    if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (otf2_read(directory, &back, &err) != STATUS_OK) fail_msg("%s", err.text);
    char *before = text_of(trace), *after = text_of(back);
    assert_string_equal(before, after);
    assert_int_equal(count_of(before, "_extent="), count_of(text, "_extent="));
    char *printed = otf2_print(directory, "-L 0");
    /* Rank 0: 5 origins and what 13 calls send; 4 targets; 2 results and what 9 receive. */
    assert_int_equal(count_of(printed, "\"RMA::OriginExtent\""), 18);
    assert_int_equal(count_of(printed, "\"RMA::TargetExtent\""), 4);
    assert_int_equal(count_of(printed, "\"RMA::ResultExtent\""), 11);
    assert_non_null(strstr(printed, "UINT64; 2305843009213693951)"));
    free(printed);
    free(before);
    free(after);
    trace_free(trace);
    trace_free(back);
    temp_dir_remove(directory);
}

/* What no writer of ours says, in the archive: read as a whole, to keep going, and in slices. */
static void assert_refused(const struct trace_extents *wrong, const char *message)
{
    char directory[TEMP_DIR_BYTES], expected[256];
    struct err err = {.text = ""};
    struct trace *trace = trace_of("rmacast-trace 1\nranks 2\n0 0 1 MPI_Init\n"
                                   "0 1 2 MPI_Send comm=0 peer=1 tag=1 bytes=12 send_extent=20\n"
                                   "1 1 2 MPI_Recv comm=0 peer=0 tag=1 bytes=12\n"),
                 *back;
    struct trace_source source;
    bool possible = false, ended;
    uint64_t events;
    trace->definitions.extents[1] = *wrong;
    temp_dir_make(directory);
    snprintf(expected, sizeof expected, "%s:rank 0, event 2 (MPI_Send) at 1.000000 s: %s", directory, message);
    if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(otf2_read(directory, &back, &err), STATUS_DATA);
    assert_string_equal(err.text, expected);
    assert_int_equal(otf2_slices_open(directory, &source, &possible, &events, &err), STATUS_OK);
    assert_true(possible);
    assert_int_equal(source.read(&source, 0, 10, &ended, &err), STATUS_DATA);
    assert_string_equal(err.text, expected);
    source_close(&source);
    assert_int_equal(otf2_read_by(0, directory, true, &back, &err), STATUS_OK);
    assert_int_equal(back->provenance.fault_count, 1);
    assert_int_equal(back->ranks[0].count, 1);
    trace_free(back);
    trace_free(trace);
    temp_dir_remove(directory);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char rest[] = ", expected extents of buffers that the call has";
    char message[256];
    snprintf(message, sizeof message, "RMA::OriginExtent, TargetExtent, ResultExtent are 0, 20, 0%s", rest);
    assert_refused(&(struct trace_extents){{0, 20, 0}}, message);
    snprintf(message, sizeof message, "RMA::OriginExtent, TargetExtent, ResultExtent are 20, 0, 1%s", rest);
    assert_refused(&(struct trace_extents){{20, 0, 1}}, message);
    snprintf(message, sizeof message, "RMA::OriginExtent, TargetExtent, ResultExtent are 18446744073709551611, 0, 0%s",
             rest);
    assert_refused(&(struct trace_extents){{-5, 0, 0}}, message);
    snprintf(message, sizeof message, "RMA::OriginExtent, TargetExtent, ResultExtent are 2305843009213693952, 0, 0%s",
             rest);
    assert_refused(&(struct trace_extents){{INT64_MAX / 4 + 1, 0, 0}}, message);
}

/* In slices new calls have the extents of the trace. */
static void slices(void **state)
{
    (void)state;
    char directory[TEMP_DIR_BYTES];
    struct err err = {.text = ""};
    struct trace *trace = trace_of(text);
    struct trace_source source;
    bool possible = false, ended;
    uint64_t events;
    temp_dir_make(directory);
    if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(otf2_slices_open(directory, &source, &possible, &events, &err), STATUS_OK);
    assert_true(possible);
    if (source.read(&source, 0, 100, &ended, &err) != STATUS_OK) fail_msg("%s", err.text);
    const struct trace_rank *rank = &source.trace->ranks[0];
    assert_int_equal(rank->count, 31);
    for (size_t i = 0; i < 31; i++) {
        bool without = i == 0 || i == 3 || i == 13 || i == 29;
        assert_int_equal(!(rank->calls[i].flags & TRACE_GAPS), without);
        const struct trace_extents extents = trace_call_extents(source.trace, 0, i), written = trace_call_extents(trace, 0, i);
        assert_memory_equal(&extents, &written, sizeof extents);
    }
    source_close(&source);
    trace_free(trace);
    temp_dir_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members),
        cmocka_unit_test(the_archive_says_the_same),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
