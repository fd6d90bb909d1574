/* Law 2 for what OpenSHMEM's routines, collectives, and messages that ask first wait for: it holds on predicted traces
 * written by hand and breaks when one figure in them is a microsecond too early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "verify_test.h"

/* change: of the platform; NULL: none. */
static void expect_on(const char *change, verify_law *law, struct trace *trace, bool holds, const char *text)
{
    struct test_context test;
    test_context_init(&test, trace, test_platform("a", change));
    struct verify_row row = test_law(&test, law);
    if (holds && row.state != VERIFY_HOLDS) fail_msg("broken: %s", row.detail);
    if (!holds) {
        assert_int_equal(row.state, VERIFY_BROKEN);
        if (!strstr(row.detail, text)) fail_msg("'%s' is not in '%s'", text, row.detail);
    } else {
        assert_true(row.checked > 0);
    }
    test_context_clear(&test);
}

static void expect(verify_law *law, struct trace *trace, bool holds, const char *text)
{
    expect_on(NULL, law, trace, holds, text);
}

static struct trace *heap_trace(uint32_t ranks)
{
    struct trace *trace = test_trace(ranks, 0);
    int32_t window;
    struct err err;
    assert_int_equal(trace_add_window(trace, 0, NULL, NULL, 'h', &window, &err), STATUS_OK);
    return trace;
}

/* 1 MB to rank 1 leaves from 20 to 120, is there at 130 and known at 140. */
static void a_put_that_returns_too_early_breaks_law_2(void **state)
{
    (void)state;
    for (int64_t exit_us = 119; exit_us <= 120; exit_us++) {
        struct trace *trace = heap_trace(2);
        test_operation(trace, 0, ID_shmem_put, 20, exit_us, 1, 1000000, 20, 130);
        expect(verify_waits_shmem, trace, exit_us == 120, "rank 0, event 1 (shmem_put)");
        trace = heap_trace(2);
        test_operation(trace, 0, ID_shmem_atomic_add, 20, exit_us, 1, 1000000, 20, 130);
        expect(verify_waits_shmem, trace, exit_us == 120, "its data have left");
    }
}

static void a_quiet_that_returns_too_early_breaks_law_2(void **state)
{
    (void)state;
    const enum mpi_call quiets[] = {ID_shmem_quiet, ID_shmem_barrier_all};
    for (size_t i = 0; i < 2; i++)
        for (int64_t exit_us = 139; exit_us <= 140; exit_us++) {
            struct trace *trace = heap_trace(2);
            test_operation(trace, 0, ID_shmem_put_nbi, 20, 20, 1, 1000000, 20, 130);
            test_call(trace, 0, quiets[i], 30, exit_us);
            expect(verify_waits_shmem, trace, exit_us == 140, "rank 0, event 2 (shmem_");
        }
    /* what brings data needs no acknowledgement: known at 140, when it is there */
    for (int64_t exit_us = 139; exit_us <= 140; exit_us++) {
        struct trace *trace = heap_trace(2);
        test_operation(trace, 0, ID_shmem_get_nbi, 20, 20, 1, 1000000, 30, 140);
        test_call(trace, 0, ID_shmem_quiet, 30, exit_us);
        expect(verify_waits_shmem, trace, exit_us == 140, "rank 0, event 2 (shmem_quiet)");
    }
}

static void a_get_that_returns_before_its_data_breaks_law_2(void **state)
{
    (void)state;
    const enum mpi_call gets[] = {ID_shmem_get, ID_shmem_atomic_fetch_add};
    for (size_t i = 0; i < 2; i++)
        for (int64_t exit_us = 139; exit_us <= 140; exit_us++) {
            struct trace *trace = heap_trace(2);
            test_operation(trace, 0, gets[i], 20, exit_us, 1, 8, 30, 140);
            expect(verify_waits_shmem, trace, exit_us == 140, "rank 0, event 1 (shmem_");
        }
}

/* Rank 1 clears the lock at 100: its release is at rank 0, which keeps it, at 110, the grant at rank 2 at 120. */
static void a_lock_handed_on_too_early_breaks_law_2(void **state)
{
    (void)state;
    for (int64_t exit_us = 119; exit_us <= 120; exit_us++) {
        struct trace *trace = heap_trace(3);
        test_call(trace, 1, ID_shmem_set_lock, 0, 20)->ref = 7;
        test_call(trace, 1, ID_shmem_clear_lock, 100, 100)->ref = 7;
        test_call(trace, 2, ID_shmem_set_lock, 0, exit_us)->ref = 7;
        test_call(trace, 2, ID_shmem_set_lock, 121, 141)->ref = 8; /* another lock */
        expect(verify_waits_shmem, trace, exit_us == 120, "rank 2, event 1 (shmem_set_lock)");
    }
    for (int64_t exit_us = 109; exit_us <= 110; exit_us++) {
        struct trace *trace = heap_trace(3);
        test_call(trace, 1, ID_shmem_set_lock, 0, 20)->ref = 7;
        test_call(trace, 1, ID_shmem_clear_lock, 100, 100)->ref = 7;
        test_call(trace, 0, ID_shmem_set_lock, 0, exit_us)->ref = 7;
        expect(verify_waits_shmem, trace, exit_us == 110, "rank 0, event 1 (shmem_set_lock)");
    }
}

static void a_wait_that_returns_before_the_write_breaks_law_2(void **state)
{
    (void)state;
    for (int64_t exit_us = 129; exit_us <= 130; exit_us++) {
        struct trace *trace = heap_trace(2);
        test_operation(trace, 0, ID_shmem_put, 20, 120, 1, 1000000, 20, 130)->rma.disp = 4096;
        test_call(trace, 1, ID_shmem_wait_until, 0, exit_us)->shmem.disp = 4096 + 999999;
        expect(verify_waits_shmem, trace, exit_us == 130, "rank 1, event 1 (shmem_wait_until)");
    }
}

static void transfers_of_openshmem_are_looked_at_by_laws_2_and_5(void **state)
{
    (void)state;
    struct trace *trace = heap_trace(2);
    test_operation(trace, 0, ID_shmem_put, 20, 120, 1, 1000000, 20, 129);
    expect(verify_transfer_time, trace, false, "rank 0, event 1 (shmem_put): arrives before");
    struct test_context test;
    trace = heap_trace(2);
    test_operation(trace, 0, ID_shmem_get, 20, 140, 1, 1000000, 30, 140);
    test_context_init(&test, trace, test_platform("a", NULL));
    trace->ranks[0].calls[0].bytes = 999999;
    assert_non_null(strstr(test_law(&test, verify_conservation).detail,
                           "get from rank 0 to rank 1: recorded minus simulated are 0 operations, 1 bytes"));
    trace->ranks[0].calls[0].bytes = 1000000;
    test.outcome.transfers--;
    assert_non_null(strstr(test_law(&test, verify_conservation).detail, "in 0 operations, recorded are 1000000 in 1"));
    test_context_clear(&test);
}

/* Rank 0 calls at 0, rank 1 at 50; who waits for whom, both giving a byte. One exit a microsecond before the other's
 * enter breaks the law. */
struct collective {
    enum mpi_call call;
    int32_t root;
    bool first_waits; /* rank 0 for rank 1; without a root rank 1 waits for rank 0 */
};

static void add_call(struct trace *trace, const struct collective *row, uint32_t rank, int64_t enter_us,
                     int64_t exit_us)
{
    bool later = call_makes_request(row->call);
    struct trace_call *call = test_call(trace, rank, row->call, enter_us, later ? enter_us : exit_us);
    call->peer = row->root;
    call->bytes = 1;
    if (!later) return;
    call->ref = 1;
    struct trace_call *wait = test_call(trace, rank, ID_Wait, enter_us, exit_us);
    wait->ref = 1;
    wait->handle = TRACE_NONE;
}

static void a_collective_that_ends_too_early_breaks_law_2(void **state)
{
    (void)state;
    const struct collective rows[] = {
        {ID_Allgatherv, TRACE_NONE, true},
        {ID_Alltoallv, TRACE_NONE, true},
        {ID_Allreduce, TRACE_NONE, true},
        {ID_Reduce_scatter_block, TRACE_NONE, true},
        {ID_Iallreduce, TRACE_NONE, true},
        {ID_Ibarrier, TRACE_NONE, true},
        {ID_Gatherv, 0, true},
        {ID_Igather, 0, true},
        {ID_Scatterv, 1, true},
        {ID_Ibcast, 1, true},
        {ID_Scan, TRACE_NONE, false},
        {ID_Exscan, TRACE_NONE, false},
        {ID_shmem_barrier_all, TRACE_NONE, true},
        {ID_Comm_dup, TRACE_NONE, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct collective *row = &rows[i];
        struct trace *trace = test_trace(2, 0);
        add_call(trace, row, 0, 0, 60);
        add_call(trace, row, 1, 50, 60);
        expect(verify_waits_group, trace, true, "");
        trace = test_trace(2, 0);
        add_call(trace, row, 0, 0, 49);
        add_call(trace, row, 1, 50, 60);
        expect(verify_waits_group, trace, !row->first_waits, "rank 0, event");
        if (row->root != TRACE_NONE) continue;
        trace = test_trace(2, 0);
        add_call(trace, row, 0, 50, 60);
        add_call(trace, row, 1, 0, 49);
        expect(verify_waits_group, trace, false, "rank 1, event");
    }
}

/* The second calls belong together as the first ones do: rank 1 makes its second one at 120, rank 0's wait ends at 119. Those of
 * another communicator are others: rank 0's first one there waits for rank 1's at 120, too. */
static void each_turn_of_a_collective_counts(void **state)
{
    (void)state;
    const struct collective row = {ID_Iallreduce, TRACE_NONE, true};
    static const int32_t members[] = {0, 1};
    for (int other = 0; other < 2; other++)
        for (int64_t exit_us = 119; exit_us <= 120; exit_us++) {
            struct trace *trace = test_trace(2, 0);
            struct err err;
            int32_t comm;
            assert_int_equal(trace_add_comm(trace, members, 2, &comm, &err), STATUS_OK);
            for (uint32_t rank = 0; rank < 2; rank++) {
                add_call(trace, &row, rank, 50 * rank, 60);
                add_call(trace, &row, rank, rank ? 120 : 70, rank ? 130 : exit_us);
                trace->ranks[rank].calls[2].ref = trace->ranks[rank].calls[3].ref = 2;
                if (other) trace->ranks[rank].calls[2].handle = comm;
            }
            expect(verify_waits_group, trace, exit_us == 120, "rank 0, event 4 (MPI_Wait)");
        }
}

/* Rank 0 has rank 1 as its source, not the other way round. */
static void a_neighbour_that_leaves_too_early_breaks_law_2(void **state)
{
    (void)state;
    for (int64_t exit_us = 49; exit_us <= 50; exit_us++) {
        struct trace *trace = test_trace(2, 0);
        const int64_t own = 0, other = 1;
        struct err err;
        uint32_t id;
        const struct trace_neighbors takes = {1, 0, &other, NULL}, gives = {0, 1, NULL, &own};
        struct trace_call *call = test_call(trace, 0, ID_Neighbor_allgather, 0, exit_us);
        assert_int_equal(trace_add_neighbors(trace, &takes, &id, &err), STATUS_OK);
        call->collective.neighbors = (int32_t)id;
        call = test_call(trace, 1, ID_Neighbor_allgather, 50, 50);
        assert_int_equal(trace_add_neighbors(trace, &gives, &id, &err), STATUS_OK);
        call->collective.neighbors = (int32_t)id;
        expect(verify_waits_group, trace, exit_us == 50, "rank 0, event 1 (MPI_Neighbor_allgather)");
    }
}

/* A message of `bytes` that rank 0 sends at 0 and rank 1 receives at 200. */
static struct trace *late_receive(enum mpi_call send, int64_t bytes, int64_t sent_us, int64_t received_us)
{
    struct trace *trace = test_trace(2, 0);
    struct trace_call *call = test_call(trace, 0, send, 0, sent_us);
    call->peer = 1;
    call->bytes = bytes;
    call = test_call(trace, 1, ID_Recv, 200, received_us);
    call->peer = 0;
    call->bytes = bytes;
    return trace;
}

/* 1 MB asks first: clear to send at 210, the data leave until 310 and are there at 320. A synchronous one of 1000 bytes
 * is acknowledged at 210. A buffered one and a small one wait for nobody. */
static void a_message_that_does_not_ask_breaks_law_2(void **state)
{
    (void)state;
    expect(verify_waits_message, late_receive(ID_Send, 1000000, 310, 320), true, "");
    expect(verify_waits_message, late_receive(ID_Send, 1000000, 309, 320), false, "rank 0, event 1 (MPI_Send)");
    expect(verify_waits_message, late_receive(ID_Send, 1000000, 310, 319), false, "rank 1, event 1 (MPI_Recv)");
    expect(verify_waits_message, late_receive(ID_Bsend, 1000000, 50, 320), true, "");
    expect(verify_waits_message, late_receive(ID_Ssend, 1000, 210, 201), true, "");
    expect(verify_waits_message, late_receive(ID_Ssend, 1000, 209, 201), false, "rank 0, event 1 (MPI_Ssend)");
    expect(verify_waits_message, late_receive(ID_Send, 1000, 0, 201), true, "");
}

/* What the receiver reads from 200 on is there at 310, the sender told at 320. With a notification it is there at 320 as above,
 * and the sender told at 330; the receiver knows of it at 340. */
static void a_rendezvous_without_its_last_message_breaks_law_2(void **state)
{
    (void)state;
    static const struct {
        const char *change;
        int64_t sent_us, received_us;
    } rows[] = {{"mpi.rendezvous=read", 320, 310}, {"mpi.rendezvous=notified", 330, 340}};
    for (size_t i = 0; i < 2; i++) {
        const int64_t sent = rows[i].sent_us, received = rows[i].received_us;
        expect_on(rows[i].change, verify_waits_message, late_receive(ID_Send, 1000000, sent, received), true, "");
        expect_on(rows[i].change, verify_waits_message, late_receive(ID_Send, 1000000, sent - 1, received), false, "MPI_Send");
        expect_on(rows[i].change, verify_waits_message, late_receive(ID_Send, 1000000, sent, received - 1), false, "MPI_Recv");
    }
}

/* Each message is looked at: of two, which take 10 and 0.1, the second one came at 409. */
static void each_message_counts(void **state)
{
    (void)state;
    struct trace *trace = late_receive(ID_Send, 1000, 0, 201);
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct trace_call *call = test_call(trace, rank, rank ? ID_Recv : ID_Send, 400, rank ? 409 : 400);
        call->peer = rank ? 0 : 1;
        call->bytes = 1000;
    }
    expect(verify_waits_message, trace, false, "rank 1, event 2 (MPI_Recv)");
}

/* The put of the worked example leaves from 460 to 560: complete of a may not return at 559. */
static void a_complete_that_returns_before_the_last_byte_has_left_breaks_law_2(void **state)
{
    (void)state;
    struct trace *trace = test_worked_example('a');
    trace->ranks[0].calls[2].exit_ps = 559 * (int64_t)US;
    expect(verify_waits_active, trace, false, "complete returns before a put has left");
}

/* 8192 bytes leave within 4.096 us alone; in a message with others, of more than 8192 bytes, at 10 GB/s within 0.8193:
 * complete may return 1 us after they began. */
static void data_that_leave_with_others_may_be_faster(void **state)
{
    (void)state;
    for (int aggregate = 0; aggregate < 2; aggregate++) {
        struct trace *trace = test_worked_example('a');
        trace->ranks[0].calls[1].bytes = 8192;
        trace->ranks[0].calls[2] = (struct trace_call){.enter_ps = 460 * (int64_t)US,
                                                       .exit_ps = 461 * (int64_t)US,
                                                       .call = ID_Win_complete,
                                                       .peer = TRACE_NONE,
                                                       .any = TRACE_NO_MEMBERS};
        struct test_context test;
        test_context_init(&test, trace,
                          test_platform("a", "network.segments=[{\"upto_bytes\":8192,\"bandwidth_Bps\":2e9},{}]"));
        test.platform->aggregate = aggregate;
        struct verify_row row = test_law(&test, verify_waits_active);
        assert_int_equal(row.state, aggregate ? VERIFY_HOLDS : VERIFY_BROKEN);
        test_context_clear(&test);
    }
}

/* Held operations (issue = deferred) leave no earlier than the first flush is entered, at 40, or without one the call that
 * closes the epoch, at 60; where operations are not held, or hurried by one with a request, from their call on, at 20. An epoch
 * that stays open holds nothing that is known. */
static void held_operations_that_leave_break_law_2(void **state)
{
    (void)state;
    static const char deferred[] = "mpi.rma.issue=deferred";
    static const struct {
        const char *change;
        enum mpi_call opens, operation, flushes; /* flushes: an unlock has none before it; Comm_group: it stays open */
        int64_t leaves_us;
        const char *broken;
    } rows[] = {
        {deferred, ID_Win_lock, ID_Put, ID_Win_unlock, 60, NULL},
        {deferred, ID_Win_lock, ID_Put, ID_Win_unlock, 59, "rank 0, event 2 (MPI_Put): the data move before"},
        {NULL, ID_Win_lock, ID_Put, ID_Win_unlock, 59, NULL},
        {deferred, ID_Win_lock, ID_Put, ID_Win_flush, 40, NULL},
        {deferred, ID_Win_lock, ID_Put, ID_Win_flush, 39, "the data move before the epoch is closed"},
        {deferred, ID_Win_lock, ID_Put, ID_Win_flush_local_all, 39, "the data move before the epoch is closed"},
        {deferred, ID_Win_lock, ID_Rput, ID_Win_unlock, 20, NULL},
        {deferred, ID_Win_lock, ID_Put, ID_Comm_group, 20, NULL},
        {deferred, ID_Win_fence, ID_Put, ID_Win_fence, 60, NULL},
        {deferred, ID_Win_fence, ID_Get, ID_Win_fence, 59, "rank 0, event 2 (MPI_Get)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = test_trace(2, 1);
        struct test_context test;
        const bool fence = rows[i].opens == ID_Win_fence, unlocks = rows[i].flushes != ID_Comm_group && !fence;
        test_call(trace, 0, rows[i].opens, 0, 0)->peer = fence ? TRACE_NONE : 1;
        struct trace_call *call = test_operation(trace, 0, rows[i].operation, 20, 20, 1, 8, rows[i].leaves_us, 100);
        call->rma.request = rows[i].operation == ID_Rput ? 1 : TRACE_NO_REF;
        if (unlocks && rows[i].flushes != ID_Win_unlock)
            test_call(trace, 0, rows[i].flushes, 40, 50)->peer = rows[i].flushes == ID_Win_flush ? 1 : TRACE_NONE;
        if (unlocks) test_call(trace, 0, ID_Win_unlock, 60, 200)->peer = 1;
        if (fence) test_call(trace, 0, ID_Win_fence, 60, 200);
        for (int k = 0; fence && k < 2; k++) test_call(trace, 1, ID_Win_fence, k * 60, k * 200);
        test_context_init(&test, trace, test_platform("a", rows[i].change));
        struct verify_row row = test_law(&test, verify_held);
        if ((row.state == VERIFY_BROKEN) != (rows[i].broken != NULL)) fail_msg("row %zu: %s", i, row.detail);
        if (rows[i].broken && !strstr(row.detail, rows[i].broken)) fail_msg("row %zu: %s", i, row.detail);
        test_context_clear(&test);
    }
}

/* Data that are there at 130 are known at 140 to the origin of a put or accumulate, at once to that of a get, or to the rank
 * itself; a fence that counts arrivals needs no answer, since its barrier says so. With NOPRECEDE there is nothing to wait
 * for but the other member, which comes at 60. */
static void a_fence_before_its_operations_breaks_law_2(void **state)
{
    (void)state;
#define FENCE "mpi.rma.protocol.calls.fence=[\"asserted\",\"issue\","
    static const char counts[] = FENCE "\"counts\",\"incoming\",\"barrier\"]",
                      notify[] = FENCE "\"barrier\",\"acknowledged\",\"incoming\"]";
    static const struct {
        const char *change;
        enum mpi_call operation;
        uint32_t target;
        uint16_t flags;
        int64_t known_us;
    } rows[] = {
        {NULL, ID_Put, 1, 0, 140},   {NULL, ID_Accumulate, 1, 0, 140},           {NULL, ID_Get, 1, 0, 130},
        {NULL, ID_Put, 0, 0, 130},   {NULL, ID_Get_accumulate, 1, 0, 130},       {NULL, ID_Put, 1, TRACE_NOPRECEDE, 60},
        {counts, ID_Put, 1, 0, 130}, {notify, ID_Put, 1, TRACE_NOSUCCEED, 140},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int early = 0; early < 2; early++) {
            struct trace *trace = test_trace(2, 1);
            struct test_context test;
            for (uint32_t rank = 0; rank < 2; rank++) {
                test_call(trace, rank, ID_Win_fence, 0, 0);
                if (rank == 0) test_operation(trace, 0, rows[i].operation, 20, 20, rows[i].target, 1000000, 20, 130);
                const int64_t exit_us = rank ? 300 : rows[i].known_us - early;
                test_call(trace, rank, ID_Win_fence, rank ? 60 : 30, exit_us)->flags = rows[i].flags;
            }
            test_context_init(&test, trace, test_platform("a", rows[i].change));
            struct verify_row row = test_law(&test, verify_waits_group);
            const bool broken = row.state == VERIFY_BROKEN;
            if (broken != (early == 1)) fail_msg("row %zu, %d: %s", i, early, row.detail);
            if (broken && !strstr(row.detail, "rank 0, event 3 (MPI_Win_fence)")) fail_msg("row %zu: %s", i, row.detail);
            test_context_clear(&test);
        }
}

/* Two epochs of rank 0; rank 1 posts at 100, which is known at 110. Under d with one epoch ahead the second complete does not
 * return before; with two it may, and with NOCHECK. */
static void an_origin_too_far_ahead_breaks_law_2(void **state)
{
    (void)state;
    static const struct {
        const char *change;
        uint16_t flags;
        int64_t exit_us;
        bool holds;
    } rows[] = {
        {"mpi.rma.epochs_ahead=1", 0, 110, true},
        {"mpi.rma.epochs_ahead=1", 0, 109, false},
        {"mpi.rma.epochs_ahead=1", TRACE_NOCHECK, 109, true},
        {"mpi.rma.epochs_ahead=2", 0, 109, true},
        {"mpi.rma.epochs_ahead=unlimited", 0, 109, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = test_trace(2, 1);
        struct test_context test;
        for (int64_t epoch = 0; epoch < 2; epoch++) {
            struct trace_call *call = test_call(trace, 0, ID_Win_start, epoch, epoch);
            call->ref = test_group(trace, 1);
            call->flags = epoch ? rows[i].flags : 0;
            test_call(trace, 0, ID_Win_complete, epoch, epoch ? rows[i].exit_us : epoch);
            test_call(trace, 1, ID_Win_post, 100 + 50 * epoch, 100 + 50 * epoch)->ref = test_group(trace, 0);
            test_call(trace, 1, ID_Win_wait, 120 + 50 * epoch, 120 + 50 * epoch);
        }
        test_context_init(&test, trace, test_platform("d", rows[i].change));
        struct verify_row row = test_law(&test, verify_waits_active);
        if ((row.state == VERIFY_HOLDS) != rows[i].holds) fail_msg("row %zu: %s", i, row.detail);
        if (!rows[i].holds) assert_non_null(strstr(row.detail, "rank 0, event 4 (MPI_Win_complete): complete returns before"));
        test_context_clear(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_put_that_returns_too_early_breaks_law_2),
        cmocka_unit_test(a_quiet_that_returns_too_early_breaks_law_2),
        cmocka_unit_test(a_get_that_returns_before_its_data_breaks_law_2),
        cmocka_unit_test(a_lock_handed_on_too_early_breaks_law_2),
        cmocka_unit_test(a_wait_that_returns_before_the_write_breaks_law_2),
        cmocka_unit_test(transfers_of_openshmem_are_looked_at_by_laws_2_and_5),
        cmocka_unit_test(a_collective_that_ends_too_early_breaks_law_2),
        cmocka_unit_test(each_turn_of_a_collective_counts),
        cmocka_unit_test(a_neighbour_that_leaves_too_early_breaks_law_2),
        cmocka_unit_test(a_message_that_does_not_ask_breaks_law_2),
        cmocka_unit_test(a_rendezvous_without_its_last_message_breaks_law_2),
        cmocka_unit_test(each_message_counts),
        cmocka_unit_test(an_origin_too_far_ahead_breaks_law_2),
        cmocka_unit_test(a_complete_that_returns_before_the_last_byte_has_left_breaks_law_2),
        cmocka_unit_test(data_that_leave_with_others_may_be_faster),
        cmocka_unit_test(held_operations_that_leave_break_law_2),
        cmocka_unit_test(a_fence_before_its_operations_breaks_law_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
