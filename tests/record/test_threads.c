/* Several threads on each rank of real programs: who called what, requests that pass from thread to thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/analyze.h"
#include "model/transfers/bounds.h"
#include "run.h"

/* The calls of one thread, in their order. */
struct timeline_walk {
    const struct trace *trace;
    uint32_t rank, thread;
    size_t next;
};

static const struct trace_call *next_call(struct timeline_walk *walk)
{
    const struct trace_rank *rank = &walk->trace->ranks[walk->rank];
    while (walk->next < rank->count && trace_call_thread(walk->trace, walk->rank, walk->next) != walk->thread)
        walk->next++;
    return walk->next < rank->count ? &rank->calls[walk->next++] : NULL;
}

static const struct trace_call *expect(struct timeline_walk *walk, const char *name)
{
    const struct trace_call *call = next_call(walk);
    if (!call) fail_msg("rank %u, thread %u ends before %s", walk->rank, walk->thread, name);
    assert_string_equal(call_name(call->call), name);
    return call;
}

static void expect_end(struct timeline_walk *walk)
{
    const struct trace_call *call = next_call(walk);
    if (call) fail_msg("rank %u, thread %u goes on with %s", walk->rank, walk->thread, call_name(call->call));
}

/* The thread of a rank that sends with this tag. */
static uint32_t thread_of_tag(const struct trace *trace, uint32_t rank, int32_t tag)
{
    const struct trace_rank *process = &trace->ranks[rank];
    for (size_t i = 0; i < process->count; i++)
        if (process->calls[i].call == ID_Isend && process->calls[i].message.tag == tag)
            return trace_call_thread(trace, rank, i);
    fail_msg("rank %u has no message of tag %d", rank, tag);
    return 0;
}

static void assert_complete(const struct trace *trace)
{
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        if (trace->ranks[rank].incomplete) fail_msg("rank %u: %s", rank, trace->ranks[rank].incomplete_why);
}

static void expect_second_thread(const char *settings)
{
    struct trace *trace = run_recorded(settings, "threads", 0);
    assert_complete(trace);
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct timeline_walk first = {trace, rank, 0, 0}, second = {trace, rank, 1, 0};
        assert_int_equal(trace_thread_count(trace, rank), 2);
        expect(&first, "MPI_Init_thread");
        assert_int_equal(expect(&first, "pthread_create")->ref, 1);
        const struct trace_call *join = expect(&first, "pthread_join");
        assert_int_equal(join->ref, 1);
        assert_true(join->site != TRACE_NO_SITE);
        expect(&first, "MPI_Barrier");
        expect(&first, "MPI_Finalize");
        expect_end(&first);
        expect(&second, "thread_begin");
        const struct trace_call *send = expect(&second, "MPI_Isend");
        assert_int_equal(send->peer, rank);
        expect(&second, "MPI_Recv");
        assert_int_equal(expect(&second, "MPI_Wait")->ref, send->ref);
        const struct trace_call *end = expect(&second, "thread_end");
        assert_true(end->exit_ps <= join->exit_ps);
        expect_end(&second);
    }
    trace_free(trace);
}

/* A thread's life is recorded alike with all thread primitives and without. */
static void a_second_thread(void **state)
{
    (void)state;
    expect_second_thread("");
    expect_second_thread("RMACAST_THREADS=1");
}

static void check_first_thread(const struct trace *trace, uint32_t rank)
{
    static const char *const names[] = {"MPI_Init_thread", "MPI_Win_allocate", "MPI_Win_lock_all",
                                        "pthread_create",  "pthread_create",   "pthread_join",
                                        "pthread_join",    "MPI_Win_unlock_all", "MPI_Barrier",
                                        "MPI_Win_free",    "MPI_Finalize"};
    struct timeline_walk walk = {trace, rank, 0, 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) expect(&walk, names[i]);
    expect_end(&walk);
}

/* Returns the walk behind the exchange. */
static struct timeline_walk check_exchange(const struct trace *trace, uint32_t rank, int32_t tag)
{
    int32_t partner = (int32_t)rank ^ 1;
    struct timeline_walk walk = {trace, rank, thread_of_tag(trace, rank, tag), 0};
    expect(&walk, "thread_begin");
    const struct trace_call *send = expect(&walk, "MPI_Isend"), *receive = expect(&walk, "MPI_Recv");
    assert_int_equal(send->peer, partner);
    assert_int_equal(receive->peer, partner);
    assert_int_equal(receive->message.tag, tag);
    assert_int_equal(receive->bytes, 4);
    assert_int_equal(expect(&walk, "MPI_Wait")->ref, send->ref);
    const struct trace_call *put = expect(&walk, "MPI_Put");
    assert_int_equal(put->peer, partner);
    assert_int_equal(put->rma.disp, 4 * tag);
    assert_int_equal(expect(&walk, "MPI_Win_flush")->peer, partner);
    return walk;
}

static void a_pool(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "pool", 0);
    struct transfers transfers;
    struct err err;
    assert_complete(trace);
    for (uint32_t rank = 0; rank < 4; rank++) {
        assert_int_equal(trace_thread_count(trace, rank), 3);
        check_first_thread(trace, rank);
        struct timeline_walk one = check_exchange(trace, rank, 1), two = check_exchange(trace, rank, 2);
        const struct trace_call *receive = expect(&one, "MPI_Irecv");
        assert_int_equal(receive->message.tag, 9);
        assert_int_equal(receive->peer, rank ^ 1);
        assert_int_equal(receive->bytes, 4);
        expect(&one, "thread_end");
        expect_end(&one);
        expect(&two, "MPI_Send");
        assert_int_equal(expect(&two, "MPI_Wait")->ref, receive->ref);
        expect(&two, "thread_end");
        expect_end(&two);
    }
    /* Each put is complete with the flush of its own thread, or with the other's, if that began later than it returned
     * and ended first: with the first flush that was entered after the put and has ended. */
    if (bounds_find(trace, &transfers, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(transfers.count, 8);
    for (size_t i = 0; i < transfers.count; i++) assert_true(transfers.items[i].upper_end_ps != TRACE_UNKNOWN_PS);
    transfers_clear(&transfers);
    trace_free(trace);
}

/* Calls of one name and thread (ANY: of all) on a rank. */
enum { ANY = -1 };
static size_t count(const struct trace *trace, uint32_t rank, const char *name, int thread)
{
    size_t found = 0;
    for (size_t i = 0; i < trace->ranks[rank].count; i++)
        found += strcmp(call_name(trace->ranks[rank].calls[i].call), name) == 0 &&
                 (thread == ANY || trace_call_thread(trace, rank, i) == (uint32_t)thread);
    return found;
}

static const struct trace_call *only(const struct trace *trace, uint32_t rank, const char *name)
{
    const struct trace_call *found = NULL;
    assert_int_equal(count(trace, rank, name, ANY), 1);
    for (size_t i = 0; i < trace->ranks[rank].count; i++)
        if (strcmp(call_name(trace->ranks[rank].calls[i].call), name) == 0) found = &trace->ranks[rank].calls[i];
    return found;
}

/* What a worker does besides MPI: begins, meets the others at a barrier of three, hands over or takes, locks the mutex
 * that the first thread's condition gives up, signals, ends. */
static void check_worker(const struct trace *trace, uint32_t rank, int32_t tag)
{
    static const char *const before[] = {"thread_begin", "pthread_barrier_wait", "MPI_Isend", "MPI_Recv", "MPI_Wait",
                                         "MPI_Put",      "MPI_Win_flush"};
    struct timeline_walk walk = {trace, rank, thread_of_tag(trace, rank, tag), 0};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const struct trace_call *call = expect(&walk, before[i]);
        if (i == 1) assert_int_equal(call->primitive.parties, 3);
    }
    uint32_t semaphore;
    if (tag == 1) {
        expect(&walk, "MPI_Irecv");
        semaphore = expect(&walk, "sem_post")->ref;
        assert_int_equal(only(trace, rank, "sem_wait")->ref, semaphore);
    } else {
        semaphore = expect(&walk, "sem_wait")->ref;
        expect(&walk, "MPI_Send");
        expect(&walk, "MPI_Wait");
    }
    uint32_t mutex = expect(&walk, "pthread_mutex_lock")->ref, condition = expect(&walk, "pthread_cond_signal")->ref;
    assert_int_equal(expect(&walk, "pthread_mutex_unlock")->ref, mutex);
    expect(&walk, "thread_end");
    expect_end(&walk);
    assert_true(mutex != condition && mutex != semaphore && condition != semaphore);
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        const struct trace_call *call = &trace->ranks[rank].calls[i];
        if (call->call != ID_pthread_cond_wait) continue;
        assert_int_equal(call->ref, condition);
        assert_int_equal(call->primitive.mutex, mutex);
    }
}

static void primitives_of_a_pool(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("RMACAST_THREADS=1", "pool", 0);
    assert_complete(trace);
    for (uint32_t rank = 0; rank < 4; rank++) {
        assert_int_equal(trace_thread_count(trace, rank), 3);
        check_worker(trace, rank, 1);
        check_worker(trace, rank, 2);
        assert_int_equal(count(trace, rank, "pthread_create", 0), 2);
        assert_int_equal(count(trace, rank, "pthread_join", 0), 2);
        assert_int_equal(count(trace, rank, "pthread_barrier_wait", ANY), 3);
        assert_int_equal(count(trace, rank, "pthread_mutex_lock", ANY), 3);
        assert_int_equal(count(trace, rank, "pthread_mutex_unlock", ANY), 3);
        assert_int_equal(count(trace, rank, "pthread_mutex_lock", 0), 1);
        int64_t values = 0; /* the first call on the semaphore says 0, the other one nothing */
        for (size_t i = 0; i < trace->ranks[rank].count; i++) {
            const struct trace_call *call = &trace->ranks[rank].calls[i];
            if (call->call == ID_sem_post || call->call == ID_sem_wait) values += call->primitive.value;
        }
        assert_int_equal(values, -1);
    }
    trace_free(trace);
}

static void expect_all(struct timeline_walk *walk, const char *const *names, uint32_t spin, uint32_t guard)
{
    for (; *names; names++) {
        const struct trace_call *call = expect(walk, *names);
        bool spins = strstr(*names, "_spin_"), guards = strstr(*names, "_rwlock_");
        if (spins || guards) assert_int_equal(call->ref, spins ? spin : guard);
    }
    expect_end(walk);
}

/* programs/guards.c: who tried to read while the lock was written got nothing, who waited got it behind the unlock. */
static void spin_and_read_write_locks(void **state)
{
    (void)state;
    static const char *const first[] = {"MPI_Init_thread", "pthread_rwlock_wrlock", "pthread_spin_lock",
                                        "pthread_create",  "pthread_spin_unlock",   "pthread_rwlock_unlock",
                                        "pthread_join",    "MPI_Finalize",          NULL};
    static const char *const worker[] = {"thread_begin",
                                         "pthread_rwlock_tryrdlock",
                                         "pthread_rwlock_rdlock",
                                         "pthread_rwlock_tryrdlock",
                                         "pthread_rwlock_unlock",
                                         "pthread_rwlock_unlock",
                                         "pthread_rwlock_timedwrlock",
                                         "pthread_spin_trylock",
                                         "pthread_spin_unlock",
                                         "pthread_rwlock_unlock",
                                         "thread_end",
                                         NULL};
    struct trace *trace = run_recorded("RMACAST_THREADS=1", "guards", 0);
    assert_complete(trace);
    for (uint32_t rank = 0; rank < 4; rank++) {
        uint32_t guard = only(trace, rank, "pthread_rwlock_wrlock")->ref;
        uint32_t spin = only(trace, rank, "pthread_spin_lock")->ref;
        assert_int_not_equal(guard, spin);
        expect_all(&(struct timeline_walk){trace, rank, 0, 0}, first, spin, guard);
        expect_all(&(struct timeline_walk){trace, rank, 1, 0}, worker, spin, guard);
        int tried = 0;
        int64_t unlocked_ps = 0;
        for (size_t i = 0; i < trace->ranks[rank].count; i++) {
            const struct trace_call *call = &trace->ranks[rank].calls[i];
            bool of_first = trace_call_thread(trace, rank, i) == 0;
            if (call->call == ID_pthread_rwlock_tryrdlock)
                assert_int_equal((call->flags & TRACE_FLAG) != 0, tried++ > 0);
            if (call->call == ID_pthread_rwlock_unlock && of_first) unlocked_ps = call->enter_ps;
        }
        assert_true(only(trace, rank, "pthread_rwlock_rdlock")->exit_ps >= unlocked_ps);
        assert_true(only(trace, rank, "pthread_rwlock_timedwrlock")->flags & TRACE_FLAG);
    }
    trace_free(trace);
}

/* More threads than are allowed are left out, and the rank says so. */
static void too_many_threads(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("RMACAST_MAX_THREADS=1", "threads", 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        assert_int_equal(trace_thread_count(trace, rank), 1);
        assert_int_equal(trace->ranks[rank].count, 3);
        assert_string_equal(trace->ranks[rank].incomplete_why, "there were more threads than are recorded");
    }
    trace_free(trace);
}

static uint32_t sender(const struct trace *trace, uint32_t rank, int32_t tag)
{
    const struct trace_rank *process = &trace->ranks[rank];
    for (size_t i = 0; i < process->count; i++)
        if (process->calls[i].call == ID_Sendrecv && process->calls[i].exchange.tag == tag)
            return trace_call_thread(trace, rank, i);
    fail_msg("rank %u sends nothing with tag %d", rank, tag);
    return 0;
}

enum { UNKNOWN = -1 };
/* Of the thread that sends with this tag. */
static int creator(const struct trace *trace, uint32_t rank, int32_t tag)
{
    const struct trace_rank *process = &trace->ranks[rank];
    uint32_t thread = sender(trace, rank, tag);
    for (size_t i = 0; i < process->count; i++)
        if (process->calls[i].call == ID_pthread_create && process->calls[i].ref == thread)
            return (int)trace_call_thread(trace, rank, i);
    return UNKNOWN;
}

/* programs/offspring.c, without the library that wraps primitives: who created the threads that call MPI is known, but of
 * the one that was there before MPI_Init_thread. Of the one between thread 0 and the thread that it made nothing else is, and
 * no join: not the one by thread 0, since it calls nothing, nor its own. */
static void creations_are_recorded(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "offspring", 0);
    assert_complete(trace);
    for (uint32_t rank = 0; rank < 4; rank++) {
        static const char *const first[] = {"MPI_Init_thread", "MPI_Barrier",    "pthread_create",
                                            "MPI_Barrier",     "pthread_create", "pthread_join",
                                            "MPI_Finalize"};
        struct timeline_walk walk = {trace, rank, 0, 0};
        for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
            const struct trace_call *call = expect(&walk, first[i]);
            if (call_is_thread(call->call)) assert_true(call->site != TRACE_NO_SITE);
            if (call->call == ID_pthread_join) assert_int_equal(call->ref, 3);
        }
        expect_end(&walk);
        assert_int_equal(trace_thread_count(trace, rank), 5);
        assert_int_equal(count(trace, rank, "pthread_create", ANY), 3);
        assert_int_equal(count(trace, rank, "pthread_join", ANY), 2);
        assert_int_equal(count(trace, rank, "thread_begin", ANY), 3);
        assert_int_equal(count(trace, rank, "thread_end", ANY), 3);
        assert_int_equal(creator(trace, rank, 1), UNKNOWN);
        assert_int_equal(creator(trace, rank, 2), 0);
        assert_int_equal(creator(trace, rank, 3), 0);
        assert_int_equal(creator(trace, rank, 4), sender(trace, rank, 3));
    }
    trace_free(trace);
}

/* Without the library that wraps them there are none but those of a thread's life. */
static void primitives_are_off_by_default(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "pool", 0);
    for (uint32_t rank = 0; rank < 4; rank++) assert_int_equal(count(trace, rank, "pthread_mutex_lock", ANY), 0);
    assert_int_equal(trace->provenance.note_count, 1);
    assert_non_null(strstr(trace->provenance.notes[0], "threads of 4 ranks may have waited for each other by mutexes"));
    trace_free(trace);
    trace = run_recorded("RMACAST_THREADS=1", "pool", 0);
    assert_int_equal(trace->provenance.note_count, 0);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_thread),
        cmocka_unit_test(a_pool),
        cmocka_unit_test(primitives_of_a_pool),
        cmocka_unit_test(spin_and_read_write_locks),
        cmocka_unit_test(creations_are_recorded),
        cmocka_unit_test(primitives_are_off_by_default),
        cmocka_unit_test(too_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
