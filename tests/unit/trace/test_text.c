/* The text form: what each key means, and that everything comes back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "trace/text/text.h"
#include "trace_test.h"

#define HEAD "rmacast-trace 1\nranks 3\n"

static const struct trace_call *call_of(const struct trace *trace, uint32_t rank, size_t index)
{
    assert_true(index < trace->ranks[rank].count);
    return &trace->ranks[rank].calls[index];
}

static void assert_comes_back(const char *text)
{
    struct trace *first = trace_of(text);
    char *written = text_of(first);
    struct trace *second = trace_of(written);
    char *again = text_of(second);
    assert_traces_equal(first, second);
    assert_string_equal(written, again);
    trace_free(first);
    trace_free(second);
    free(written);
    free(again);
}

/* The example of the interface contract, member by member. */
static void the_contract_example_means_what_it_says(void **state)
{
    (void)state;
    struct trace *trace = trace_of(HEAD "comm 1 ranks=0,2                      # communicator 0 is the world\n"
                                        "window 0 comm=0 bytes=4096,4096,4096 disp_unit=1\n"
                                        "0 0.000000 0.000020 MPI_Win_create win=0\n"
                                        "0 0.010000 0.010001 MPI_Win_start win=0 group=1,2 assert=0\n"
                                        "0 0.010002 0.010003 MPI_Put win=0 target=1 bytes=1024 disp=0\n"
                                        "0 0.010003 0.010004 MPI_Win_complete win=0\n"
                                        "1 0.020000 0.020001 MPI_Win_post win=0 group=0\n"
                                        "1 0.020002 0.020900 MPI_Win_wait win=0\n"
                                        "0 0.030000 0.030010 MPI_Win_lock win=0 target=1 lock=exclusive assert=0\n"
                                        "0 0.040000 0.040010 MPI_Isend comm=0 peer=1 tag=7 bytes=64 req=1\n"
                                        "0 0.040010 0.040020 MPI_Waitall reqs=1\n"
                                        "0 0.050000 0.050010 MPI_Allreduce comm=0 bytes=8\n");
    assert_int_equal(trace->rank_count, 3);
    assert_int_equal(trace->definitions.comm_count, 2);
    assert_int_equal(trace->definitions.comms[1].count, 2);
    assert_int_equal(trace->definitions.comms[1].members[1], 2);
    assert_int_equal(trace->definitions.windows[0].bytes[2], 4096);
    assert_int_equal(trace->ranks[0].count, 8);
    assert_int_equal(trace->ranks[1].count, 2);
    assert_int_equal(trace->ranks[2].count, 0);
    const struct trace_call *put = call_of(trace, 0, 2), *start = call_of(trace, 0, 1), *wait = call_of(trace, 1, 1);
    assert_int_equal(put->call, ID_Put);
    assert_int_equal(put->enter_ps, INT64_C(10002000000));
    assert_int_equal(put->exit_ps, INT64_C(10003000000));
    assert_int_equal(put->handle, 0);
    assert_int_equal(put->peer, 1);
    assert_int_equal(put->bytes, 1024);
    assert_int_equal(put->rma.disp, 0);
    assert_int_equal(trace->definitions.groups[start->ref].count, 2);
    assert_int_equal(trace->definitions.groups[start->ref].members[0], 1);
    assert_int_equal(wait->exit_ps, INT64_C(20900000000));
    assert_int_equal(call_of(trace, 0, 4)->flags, TRACE_EXCLUSIVE);
    assert_int_equal(call_of(trace, 0, 5)->message.tag, 7);
    assert_int_equal(trace->definitions.requests[trace->definitions.lists[call_of(trace, 0, 6)->ref].first],
                     call_of(trace, 0, 5)->ref);
    assert_int_equal(call_of(trace, 0, 7)->bytes, 8);
    trace_free(trace);
}

/* A value for each field; requests are made by what stands before the row's line. */
static const char *const values[CALL_FIELD_COUNT] = {
    [F_WIN_INDEX] = "win=0",
    [F_COMM_INDEX] = "comm=1",
    [F_TARGET_INDEX] = "target=2",
    [F_PEER_INDEX] = "peer=2",
    [F_ROOT_INDEX] = "root=2",
    [F_TAG_INDEX] = "tag=-7",
    [F_SOURCE_INDEX] = "source=0",
    [F_RECVTAG_INDEX] = "recvtag=-3",
    [F_BYTES_INDEX] = "bytes=12",
    [F_COUNTS_INDEX] = "counts=5,7",
    [F_DISP_INDEX] = "disp=5",
    [F_GROUP_INDEX] = "group=2,0",
    [F_LOCKTYPE_INDEX] = "lock=exclusive",
    [F_ASSERT_INDEX] = "assert=NOCHECK|NOSUCCEED",
    [F_OP_INDEX] = "op=MPI_BXOR",
    [F_RESULT_BYTES_INDEX] = "result_bytes=4",
    [F_REQ_INDEX] = "req=9",
    [F_REQS_INDEX] = "reqs=9,8",
    [F_FLAG_INDEX] = "flag=1",
    [F_STARTED_INDEX] = "started=1",
    [F_NEWCOMM_INDEX] = "newcomm=2",
    [F_CHILD_INDEX] = "child=3",
    [F_OBJECT_INDEX] = "object=4",
    [F_MUTEX_INDEX] = "mutex=6",
    [F_PARTIES_INDEX] = "parties=2",
    [F_VALUE_INDEX] = "value=0",
    [F_SITE_INDEX] = "site=f@a.c:3",
};

static void write_row(char *text, size_t size, int call, uint32_t fields)
{
    const struct call_row *row = call_row((enum mpi_call)call);
    bool makes = call_makes_request((enum mpi_call)call);
    bool uses = !makes && (row->needed & (F_REQ | F_REQS));
    int used = snprintf(
        text, size,
        HEAD "comm 1 ranks=2,0\ncomm 2 ranks=0\nwindow 0 comm=1 bytes=64,128 disp_unit=8,4%s\n%s"
             "0 1.5 2.25 %s",
        call_is_shmem((enum mpi_call)call) ? " flavor=heap" : "",
        uses ? "0 1 1 MPI_Irecv comm=0 peer=1 tag=0 bytes=1 req=8\n0 1 1 MPI_Irecv comm=0 peer=1 tag=0 bytes=1 req=9\n"
             : "",
        row->name);
    if (!(row->allowed & F_SENT) && (fields & F_RECEIVED))
        used += snprintf(text + used, size - (size_t)used, " received=99");
    for (int i = 0; i < CALL_FIELD_COUNT; i++)
        if (values[i] && (fields & 1u << i)) used += snprintf(text + used, size - (size_t)used, " %s", values[i]);
    snprintf(text + used, size - (size_t)used, "\n");
}

static void every_call_comes_back_with_all_its_fields(void **state)
{
    (void)state;
    char text[1024];
    for (int i = 0; i < ID_region_enter; i++) {
        const struct call_row *row = call_row((enum mpi_call)i);
        uint32_t collective = row->allowed & F_SENT ? F_BYTES : 0;
        write_row(text, sizeof text, i, row->allowed);
        assert_comes_back(text);
        write_row(text, sizeof text, i, row->needed | collective);
        assert_comes_back(text);
    }
}

/* What the writer leaves out is what the reader fills in: every given value must show in the output. */
static void every_field_is_written(void **state)
{
    (void)state;
    char text[1024];
    for (int i = 0; i < ID_region_enter; i++) {
        const struct call_row *row = call_row((enum mpi_call)i);
        write_row(text, sizeof text, i, row->allowed);
        struct trace *trace = trace_of(text);
        char *written = text_of(trace), *line = strstr(written, " 2.250000 ");
        assert_non_null(line);
        for (int k = 0; k < CALL_FIELD_COUNT; k++) {
            if (!values[k] || !(row->allowed & 1u << k)) continue;
            const char *expected = k == F_OP_INDEX ? "op=BXOR" : k == F_GROUP_INDEX ? "group=0,2" : values[k];
            if (!strstr(line, expected)) fail_msg("%s lacks %s", line, expected);
        }
        free(written);
        trace_free(trace);
    }
}

/* Members that several keys share: one number in counts= stands for all, the receive of a sendrecv is packed. */
static void shared_members_are_told_apart(void **state)
{
    (void)state;
    struct trace *trace = trace_of(HEAD "0 0 0 MPI_Sendrecv comm=0 peer=1 tag=-5 source=- recvtag=-6 bytes=3 "
                                        "received=4\n"
                                        "0 0 0 MPI_Alltoallv comm=0 bytes=21 counts=7 received=9\n"
                                        "0 0 0 MPI_Irecv comm=0 peer=1 tag=0 bytes=1 req=5 started=1\n"
                                        "0 0 0 MPI_Testany reqs=5 flag=1\n"
                                        "0 0 0 MPI_Iallgatherv comm=0 bytes=7 req=8 counts=7\n");
    const struct trace_call *both = call_of(trace, 0, 0), *all = call_of(trace, 0, 1);
    assert_int_equal(both->exchange.source, TRACE_NONE);
    assert_int_equal(both->exchange.recv_tag, -6);
    assert_int_equal(both->exchange.tag, -5);
    assert_int_equal(both->bytes, 3);
    assert_int_equal(both->exchange.recv_bytes, 4);
    assert_int_equal(all->collective.recv_bytes, 9);
    for (int i = 0; i < 3; i++) assert_int_equal(trace_call_counts(trace, all)[i], 7);
    assert_int_equal(call_of(trace, 0, 2)->flags, TRACE_STARTED);
    assert_int_equal(trace->definitions.lists[call_of(trace, 0, 3)->ref].count, 1);
    assert_int_not_equal(call_of(trace, 0, 4)->ref, TRACE_NO_REF); /* counts= stands behind req= */
    for (int i = 0; i < 3; i++) assert_int_equal(trace_call_counts(trace, call_of(trace, 0, 4))[i], 7);
    trace_free(trace);
}

static void notations_are_equal(void **state)
{
    (void)state;
    struct trace *trace = trace_of(HEAD "window 0 comm=0\n"
                                        "0 0 0 MPI_Win_fence win=0 assert=24576\n" /* 8192 + 16384 */
                                        "0 0 0 MPI_Win_fence win=0 assert=NOPRECEDE|NOSUCCEED\n"
                                        "0 0 0 MPI_Win_fence win=0 assert=MPI_MODE_NOSTORE|MPI_MODE_NOPUT\n"
                                        "0 0 0 MPI_Win_post win=0 group= assert=1024\n"
                                        "0 0 0 MPI_Win_post win=0 group=-\n"
                                        "0 0 0 MPI_Put win=0 target=- bytes=8\n"
                                        "0 0 0 MPI_Put win=0 target=-1 bytes=8\n"
                                        "0 1e-6 2.5e-6 MPI_Barrier comm=0\n"
                                        "0 0.0000100000004 0.0000100000006 MPI_Barrier comm=0\n");
    assert_int_equal(call_of(trace, 0, 0)->flags, TRACE_NOPRECEDE | TRACE_NOSUCCEED);
    assert_int_equal(call_of(trace, 0, 1)->flags, TRACE_NOPRECEDE | TRACE_NOSUCCEED);
    assert_int_equal(call_of(trace, 0, 2)->flags, TRACE_NOSTORE | TRACE_NOPUT);
    assert_int_equal(call_of(trace, 0, 3)->flags, TRACE_NOCHECK);
    assert_int_equal(trace->definitions.groups[call_of(trace, 0, 4)->ref].count, 0);
    assert_int_equal(call_of(trace, 0, 5)->peer, TRACE_NONE);
    assert_int_equal(call_of(trace, 0, 6)->peer, TRACE_NONE);
    assert_int_equal(call_of(trace, 0, 6)->rma.disp, -1);
    assert_int_equal(call_of(trace, 0, 7)->enter_ps, 1000000);
    assert_int_equal(call_of(trace, 0, 7)->exit_ps, 2500000);
    assert_int_equal(call_of(trace, 0, 8)->enter_ps, 10000000); /* the 13th digit is rounded */
    assert_int_equal(call_of(trace, 0, 8)->exit_ps, 10000001);
    trace_free(trace);
}

/* Rank 0 of communicator 1 is world rank 2 with unit 8, rank 1 is world rank 0 with unit 4. */
static void displacements_are_in_units_of_the_target(void **state)
{
    (void)state;
    struct trace *trace = trace_of(HEAD "comm 1 ranks=2,0\nwindow 0 comm=1 disp_unit=8,4\n"
                                        "0 0 0 MPI_Put win=0 target=2 bytes=8 disp=5\n"
                                        "0 0 0 MPI_Put win=0 target=0 bytes=8 disp=5\n");
    assert_int_equal(call_of(trace, 0, 0)->rma.disp, 40);
    assert_int_equal(call_of(trace, 0, 1)->rma.disp, 20);
    trace_free(trace);
}

/* Three members: a block of 8 bytes is 24 in all. What the last four move in all is their bytes. */
static void blocks_of_collectives_come_from_what_was_moved(void **state)
{
    (void)state;
    struct trace *trace = trace_of(HEAD "0 0 0 MPI_Gather comm=0 root=0 sent=8 received=24\n"
                                        "0 0 0 MPI_Gather comm=0 root=1 sent=8\n"
                                        "0 0 0 MPI_Gather comm=0 root=0 received=24\n"
                                        "0 0 0 MPI_Scatter comm=0 root=0 sent=24 received=8\n"
                                        "0 0 0 MPI_Scatter comm=0 root=0 sent=24\n"
                                        "0 0 0 MPI_Scatter comm=0 root=1 received=8\n"
                                        "0 0 0 MPI_Scatter comm=0 root=1 sent=0 received=8\n"
                                        "0 0 0 MPI_Allgather comm=0 sent=8\n"
                                        "0 0 0 MPI_Allgather comm=0 received=24\n"
                                        "0 0 0 MPI_Alltoall comm=0 sent=24\n"
                                        "0 0 0 MPI_Alltoall comm=0 received=24 bytes=8\n"
                                        "0 0 0 MPI_Bcast comm=0 root=1 sent=0 received=8\n"
                                        "0 0 0 MPI_Bcast comm=0 root=0 sent=8\n"
                                        "0 0 0 MPI_Reduce comm=0 root=1 sent=8\n"
                                        "0 0 0 MPI_Allreduce comm=0 sent=8 received=8\n"
                                        "0 0 0 MPI_Gatherv comm=0 root=1 sent=8\n"
                                        "0 0 0 MPI_Gatherv comm=0 root=0 sent=8 received=20\n"
                                        "0 0 0 MPI_Scatterv comm=0 root=1 received=8\n"
                                        "0 0 0 MPI_Scatterv comm=0 root=0 sent=20 received=8\n"
                                        "0 0 0 MPI_Allgatherv comm=0 sent=8 received=20\n"
                                        "0 0 0 MPI_Scan comm=0 sent=8 received=8\n"
                                        "0 0 0 MPI_Alltoallv comm=0 sent=8 received=24\n"
                                        "0 0 0 MPI_Reduce_scatter comm=0 sent=8\n"
                                        "0 0 0 MPI_Reduce_scatter comm=0 sent=8 received=2\n");
    for (size_t i = 0; i < trace->ranks[0].count; i++) assert_int_equal(call_of(trace, 0, i)->bytes, 8);
    trace_free(trace);
}

/* A line that names one partner, one tag and one size of a sendrecv means both directions. */
static void what_a_line_leaves_out_is_as_what_it_says(void **state)
{
    (void)state;
    struct trace *trace = trace_of(HEAD "window 0 comm=0 bytes=64 disp_unit=1\n"
                                        "0 0 0 MPI_Sendrecv comm=0 peer=1 tag=7 bytes=64\n"
                                        "0 0 0 MPI_Sendrecv comm=0 peer=1 tag=7 sent=64 received=32\n"
                                        "0 0 0 MPI_Sendrecv_replace comm=0 peer=1 source=2 tag=7 bytes=64\n"
                                        "0 0 0 MPI_Sendrecv comm=0 peer=- tag=7 bytes=64\n"
                                        "0 0 0 MPI_Fetch_and_op win=0 target=1 bytes=8 op=SUM\n"
                                        "0 0 0 MPI_Get_accumulate win=0 target=1 bytes=24 op=SUM\n");
    static const struct {
        int32_t source;
        int64_t received;
    } expected[] = {{1, 64}, {1, 32}, {2, 64}, {TRACE_NONE, 0}};
    for (size_t i = 0; i < 4; i++) {
        const struct trace_call *call = call_of(trace, 0, i);
        assert_int_equal(call->bytes, 64);
        assert_int_equal(call->exchange.tag, 7);
        assert_int_equal(call->exchange.recv_tag, 7);
        assert_int_equal(call->exchange.source, expected[i].source);
        assert_int_equal(call->exchange.recv_bytes, expected[i].received);
    }
    assert_int_equal(call_of(trace, 0, 4)->rma.result_bytes, 8);
    assert_int_equal(call_of(trace, 0, 5)->rma.result_bytes, 24);
    trace_free(trace);
}

/* The first free number behind the largest is taken for a number that is used again. */
static void requests_used_again_are_renumbered(void **state)
{
    (void)state;
    static const char text[] = HEAD "0 0 0 MPI_Isend comm=0 peer=1 tag=0 bytes=1 req=5\n"
                                    "0 0 0 MPI_Test req=5 flag=0\n"
                                    "0 0 0 MPI_Test req=5 flag=1\n"
                                    "0 0 0 MPI_Irecv comm=0 peer=1 tag=0 bytes=1 req=5\n"
                                    "0 0 0 MPI_Wait req=5\n"
                                    "0 0 0 MPI_Wait req=-\n"
                                    "0 0 0 MPI_Irecv comm=0 peer=1 tag=0 bytes=1 req=6\n"
                                    "0 0 0 MPI_Waitall reqs=6\n"
                                    "0 0 0 MPI_Waitall reqs=\n"
                                    "1 0 0 MPI_Irecv comm=0 peer=0 tag=0 bytes=1 req=5\n";
    struct trace *trace = trace_of(text);
    assert_int_equal(call_of(trace, 0, 0)->ref, 5);
    assert_int_equal(call_of(trace, 0, 2)->ref, 5);
    assert_int_equal(call_of(trace, 0, 3)->ref, 6);
    assert_int_equal(call_of(trace, 0, 4)->ref, 6);
    assert_true(call_of(trace, 0, 5)->ref == TRACE_NO_REF);
    assert_int_equal(call_of(trace, 0, 6)->ref, 7);
    assert_int_equal(trace->definitions.requests[trace->definitions.lists[call_of(trace, 0, 7)->ref].first], 7);
    assert_int_equal(trace->definitions.lists[call_of(trace, 0, 8)->ref].count, 0);
    assert_int_equal(call_of(trace, 1, 0)->ref, 5);
    trace_free(trace);
    assert_comes_back(text);
}

static void numbers_of_communicators_and_windows_are_free(void **state)
{
    (void)state;
    struct trace *trace =
        trace_of(HEAD "comm 40 ranks=1,0\ncomm 7 ranks=0,2\nwindow 12 comm=7 bytes=8\nwindow 3 comm=40\n"
                      "0 0 0 MPI_Win_fence win=3\n0 0 0 MPI_Win_fence win=12\n0 0 0 MPI_Barrier comm=7\n");
    assert_int_equal(call_of(trace, 0, 0)->handle, 1);
    assert_int_equal(call_of(trace, 0, 1)->handle, 0);
    assert_int_equal(call_of(trace, 0, 2)->handle, 2);
    assert_int_equal(trace->definitions.windows[1].comm, 1);
    assert_int_equal(trace->definitions.windows[0].bytes[1], 8);
    assert_null(trace->definitions.windows[1].bytes);
    trace_free(trace);
}

/* Else the leave would not be that of the region entered last. */
static void a_region_may_be_a_key(void **state)
{
    (void)state;
    trace_free(trace_of(HEAD "0 0 enter region=main%20loop\n0 1 leave main%20loop\n"));
}

static void whole_traces_come_back(void **state)
{
    (void)state;
    assert_comes_back(HEAD);
    assert_comes_back(HEAD "comm 1 ranks=2,0,1 between=1\n");
    assert_comes_back(
        HEAD "window 0 comm=0 bytes=1,2,3 disp_unit=1,2,4 flavor=allocate\nwindow 1 comm=0 bytes=8 flavor=create\n");
    assert_comes_back(HEAD "0 -1.5 enter main%20loop\n0 0 enter a%23%25\n0 1 leave a%23%25\n0 2 leave main%20loop\n");
    assert_comes_back(HEAD "0 0 enter region=\n0 1 leave region=\n");
    assert_comes_back(HEAD "0 0 0 MPI_Barrier comm=0 site=f%40g@/a%20b:c.c:12\n");
    assert_comes_back(HEAD "0 0 0 MPI_Barrier comm=0 site=@x.c:0\n0 0 0 MPI_Barrier comm=0 site=f@:0\n");
    assert_comes_back(HEAD
                      "property clock_offset=0.1 clock_error=1e-7 clock_violations=12 "
                      "clock_source=tsc record_cost=0.000000101\n"
                      "incomplete 1 killed by signal 9, # no comment\nincomplete 2\nnote displacements  are unknown\n");
    assert_comes_back(
        HEAD
        "property simulated=1 platform=two%20nodes engine=loggp semantics=a lock=lazy\nwindow 0 comm=0\n"
        "0 0 1 MPI_Put win=0 target=1 bytes=8 xfer_start=0.25 xfer_end=0.5 base_end=1 extended_end=1.5 "
        "xfer_least=0.375 blocked=0.1\n"
        "0 1 2 MPI_Win_fence win=0 blocked=0.5\n0 2 2 MPI_Barrier comm=0\n");
    assert_comes_back(HEAD "window 0 comm=0\n0 0 1 MPI_Isend comm=0 peer=1 tag=0 bytes=1 req=- break=1\n"
                           "1 0 1 MPI_Win_create win=0 break=1\nincomplete 0 x\nincomplete 1 y\n");
    assert_comes_back(HEAD "node 0 name=a%20%23b%25 ranks=1\n");
    assert_comes_back(HEAD "node 0 name=host1 ranks=0\nnode 1 name=host2 ranks=1\n");
    assert_comes_back(HEAD "speed 0 1.3500000000000001\nmemory_bound 0 0\nspeed 1 2\nmemory_bound 1 0.40000000000000002\n"
                           "incomplete 1 y\n");
}

/* From 1 s on, that is text time 3: the wait at 3-4 overlaps, the request was made before. */
static void parts_read_back(void **state)
{
    (void)state;
    struct trace *trace =
        trace_of(HEAD "1 2 2 MPI_Barrier comm=0\n0 2 enter r\n"
                      "0 2 2.5 MPI_Isend comm=0 peer=1 tag=0 bytes=1 req=1\n"
                      "0 3 3 MPI_Isend comm=0 peer=1 tag=0 bytes=1 req=2\n0 3 4 MPI_Waitall reqs=1,2\n"
                      "0 4 leave r\n0 5 6 MPI_Barrier comm=0\n");
    struct text_range range = {.rank = 0, .from_ps = UNITS_PS_PER_S, .to_ps = 2 * UNITS_PS_PER_S};
    struct err err;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(text_write(trace, &range, out, &err), STATUS_OK);
    fclose(out);
    assert_string_equal(text, HEAD "0 3.000000 3.000000 MPI_Isend comm=0 peer=1 tag=0 bytes=1 req=2\n"
                                   "0 3.000000 4.000000 MPI_Waitall reqs=2\n");
    trace_free(trace_of(text));
    trace_free(trace);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_contract_example_means_what_it_says),
        cmocka_unit_test(every_call_comes_back_with_all_its_fields),
        cmocka_unit_test(every_field_is_written),
        cmocka_unit_test(shared_members_are_told_apart),
        cmocka_unit_test(notations_are_equal),
        cmocka_unit_test(displacements_are_in_units_of_the_target),
        cmocka_unit_test(blocks_of_collectives_come_from_what_was_moved),
        cmocka_unit_test(what_a_line_leaves_out_is_as_what_it_says),
        cmocka_unit_test(requests_used_again_are_renumbered),
        cmocka_unit_test(numbers_of_communicators_and_windows_are_free),
        cmocka_unit_test(a_region_may_be_a_key),
        cmocka_unit_test(whole_traces_come_back),
        cmocka_unit_test(parts_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
