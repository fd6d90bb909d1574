/* Threads of a rank: their order, their place in the text, what trace_check() asks of them. */
#include <stdlib.h>
#include <string.h>

#include "trace_test.h"

#define HEAD "rmacast-trace 1\nranks 2\nwindow 0 comm=0\n"

/* Lines of thread 1 stand before those of thread 0; in memory the enter times count, equal ones in the order of lines.
 */
static void calls_of_all_threads_are_in_the_order_of_time(void **state)
{
    (void)state;
    struct trace *trace = trace_of(HEAD "0 3 6 MPI_Barrier comm=0 thread=1 cpu=2\n"
                                        "0 6 enter work thread=1\n"
                                        "0 7 leave work thread=1 cpu=0.5\n"
                                        "0 1 2 MPI_Init cpu=1\n"
                                        "0 3 4 MPI_Win_fence win=0\n"
                                        "0 5 9 MPI_Finalize\n");
    static const struct {
        enum mpi_call call;
        uint32_t thread;
        int64_t cpu_ms;
    } expected[] = {{ID_Init, 0, 1000},   {ID_Barrier, 1, 2000},    {ID_Win_fence, 0, -1},
                    {ID_Finalize, 0, -1}, {ID_region_enter, 1, -1}, {ID_region_leave, 1, 500}};
    const struct trace_rank *rank = &trace->ranks[0];
    assert_int_equal(rank->count, 6);
    assert_int_equal(trace_thread_count(trace, 0), 2);
    assert_int_equal(trace_thread_count(trace, 1), 1);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(rank->calls[i].call, expected[i].call);
        assert_int_equal(trace_call_thread(trace, 0, i), expected[i].thread);
        assert_int_equal(rank->before_ps[BEFORE_CPU][i],
                         expected[i].cpu_ms < 0 ? TRACE_UNKNOWN_PS : expected[i].cpu_ms * INT64_C(1000000000));
    }
    assert_int_equal(trace_rank_end_ps(trace, 0), INT64_C(9000000000000));
    char *text = text_of(trace);
    struct trace *again = trace_of(text);
    assert_traces_equal(trace, again);
    assert_non_null(strstr(text, "leave work thread=1 cpu=0.5"));
    free(text);
    trace_free(again);
    trace_free(trace);
}

/* The last exit is that of a call which is not the last to be entered. */
static void a_rank_ends_with_its_last_exit(void **state)
{
    (void)state;
    struct trace *trace = trace_of(HEAD "0 1 9 MPI_Init\n0 2 3 MPI_Win_fence win=0 thread=4\n");
    assert_int_equal(trace_thread_count(trace, 0), 5);
    assert_int_equal(trace_rank_end_ps(trace, 0), INT64_C(9000000000000));
    trace_free(trace);
}

/* One thread makes the request, the other completes it. */
static void requests_belong_to_the_rank(void **state)
{
    (void)state;
    struct trace *trace = trace_of(HEAD "0 1 2 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=3 thread=1\n"
                                        "0 1.5 4 MPI_Wait req=3\n"
                                        "0 4 4 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=4\n"
                                        "0 4 4 MPI_Waitall reqs=4 thread=2\n");
    assert_int_equal(trace->ranks[0].calls[1].ref, trace->ranks[0].calls[0].ref);
    trace_free(trace);
}

/* A program with a pool: two workers, everything that they do with each other. */
static const char pool[] = HEAD "0 0.0 0.1 MPI_Init_thread\n"
                                "0 0.2 0.3 pthread_create child=1\n"
                                "0 0.3 0.4 pthread_create child=2\n"
                                "0 0.35 0.35 thread_begin thread=1\n"
                                "0 0.36 0.60 pthread_barrier_wait object=2 parties=2 thread=1\n"
                                "0 0.45 0.45 thread_begin thread=2\n"
                                "0 0.50 0.60 pthread_barrier_wait object=2 parties=2 thread=2\n"
                                "0 0.61 0.62 pthread_mutex_lock object=0 thread=1\n"
                                "0 0.61 0.61 pthread_mutex_trylock object=0 flag=0 thread=2\n"
                                "0 0.62 0.70 pthread_cond_wait object=1 mutex=0 thread=1\n"
                                "0 0.65 0.65 pthread_cond_signal object=1 thread=2\n"
                                "0 0.66 0.66 pthread_cond_broadcast object=1 thread=2\n"
                                "0 0.66 0.80 sem_wait object=3 value=0 thread=2\n"
                                "0 0.75 0.75 sem_post object=3 thread=1\n"
                                "0 0.80 0.80 sem_trywait object=3 flag=0 thread=2\n"
                                "0 0.80 0.85 pthread_cond_timedwait object=1 mutex=0 flag=0 thread=1\n"
                                "0 0.86 0.86 pthread_mutex_unlock object=0 thread=1\n"
                                "0 0.90 0.90 thread_end thread=1\n"
                                "0 0.95 0.95 thread_end thread=2\n"
                                "0 0.5 0.91 pthread_join child=1\n"
                                "0 0.92 0.96 pthread_join child=2\n"
                                "0 0.97 0.98 MPI_Finalize\n";

static void a_pool_of_threads_comes_back(void **state)
{
    (void)state;
    struct trace *trace = trace_of(pool);
    char *text = text_of(trace);
    struct trace *again = trace_of(text);
    assert_traces_equal(trace, again);
    const struct trace_call *wait = &trace->ranks[0].calls[10]; /* seven lines before it, and the join */
    assert_int_equal(wait->call, ID_pthread_cond_wait);
    assert_int_equal(wait->ref, 1);
    assert_int_equal(wait->primitive.mutex, 0);
    free(text);
    trace_free(again);
    trace_free(trace);
}

/* Thread 0 computes 2-9 with 4 of CPU time, thread 1 3-8 with 9, more than wall time, then 8-20 with 5; between 20 and
 * 21 it is not known. With a cost of 1 per call: 4, wall time, 5, wall time. No call moves: thread 1's still stand
 * between those of thread 0. */
static void cpu_times_leave_the_order_of_threads(void **state)
{
    (void)state;
    struct err err;
    const int64_t seconds = INT64_C(1000000000000);
    struct trace *trace = trace_of(HEAD "0 1 2 MPI_Init cpu=1\n0 2 3 MPI_Barrier comm=0 thread=1\n"
                                        "0 8 enter work thread=1 cpu=9\n0 9 10 MPI_Finalize cpu=4\n"
                                        "0 20 leave work thread=1 cpu=5\n0 21 22 MPI_Barrier comm=0 thread=1\n");
    trace->provenance.record_cost_ps = seconds;
    assert_int_equal(trace_use_computing(trace, COMPUTING_CPU, &err), STATUS_OK);
    const struct trace_rank *rank = &trace->ranks[0];
    static const int64_t enter_s[] = {1, 2, 8, 9, 20, 21}, compute_s[] = {-1, -1, -1, 4, 5, -1};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(rank->calls[i].enter_ps, enter_s[i] * seconds);
        assert_int_equal(trace_compute_ps(rank, i, -1), compute_s[i] < 0 ? -1 : compute_s[i] * seconds);
    }
    trace_free(trace);
}

static const struct {
    const char *text, *message;
} faults[] = {
    {"0 0 2 MPI_Init thread=1\n0 1 2 MPI_Win_fence win=0 thread=1\n",
     "t.txt:5: rank 0, event 2 at 1.000000 s: time runs backwards: enter at 1.000000 s, expected no earlier than the "
     "exit of the call before at 2.000000 s"},
    {"0 0 2 MPI_Init\n0 1 2 MPI_Win_fence win=0 thread=1\n0 1 2 MPI_Win_fence win=0\n",
     "t.txt:6: rank 0, event 3 at 1.000000 s: time runs backwards: enter at 1.000000 s, expected no earlier than the "
     "exit of the call before at 2.000000 s"},
    {"0 0 2 MPI_Init thread=65535\n",
     "t.txt:4: rank 0, event 1 at 0.000000 s: thread=65535, expected a number from 0 to 65534"},
    {"0 0 enter work object=1\n",
     "t.txt:4: rank 0, event 1 at 0.000000 s: enter, expected \"RANK TIME enter NAME\", a blank in NAME as %20"},
    {"0 0 enter a\n0 0 enter b thread=1\n0 0 leave a thread=1\n",
     "t.txt:rank 0, event 3 (leave) at 0.000000 s: leave a, expected \"leave b\": the region entered last"},
    {"0 0 0 pthread_create child=0\n",
     "t.txt:rank 0, event 1 (pthread_create) at 0.000000 s: child=0 of thread 0, expected another thread of the rank"},
    {"0 0 0 MPI_Init thread=3\n0 0 0 pthread_create child=3 thread=3\n",
     "t.txt:rank 0, event 2 (pthread_create) at 0.000000 s: child=3 of thread 3, expected another thread of the rank"},
    {"0 0 0 pthread_create child=1\n0 0 0 pthread_create child=1\n",
     "t.txt:rank 0, event 2 (pthread_create) at 0.000000 s: thread 1 was created before, expected a new thread"},
    {"0 1 2 pthread_create child=1\n0 0 0 MPI_Init thread=1\n",
     "t.txt:rank 0, event 2 (pthread_create) at 1.000000 s: thread 1 has called before, expected its creation first"},
    {"0 0 0 MPI_Init thread=7\n0 0 0 pthread_join child=7 thread=7\n",
     "t.txt:rank 0, event 2 (pthread_join) at 0.000000 s: child=7 of thread 7, expected another thread of the rank"},
    {"0 0 1 pthread_create child=1\n0 1 2 pthread_join child=1\n0 2 3 pthread_join child=1\n",
     "t.txt:rank 0, event 3 (pthread_join) at 2.000000 s: thread 1 was joined before, expected once"},
    {"0 0 1 pthread_create child=1\n0 2 4 pthread_join child=1\n0 1 5 MPI_Win_fence win=0 thread=1\n",
     "t.txt:rank 0, event 3 (pthread_join) at 2.000000 s: thread 1 is joined while it is inside a call, expected its "
     "end before"},
    {"0 0 1 pthread_create child=1\n0 1 2 pthread_join child=1\n0 3 4 MPI_Win_fence win=0 thread=1\n",
     "t.txt:rank 0, event 3 (MPI_Win_fence) at 3.000000 s: thread 1 calls after it was joined, expected no event"},
    {"0 0 1 MPI_Init thread=1\n0 1 1 thread_begin thread=1\n",
     "t.txt:rank 0, event 2 (thread_begin) at 1.000000 s: the thread has called before, expected its begin first"},
    {"0 1 1 thread_end thread=1\n0 2 3 MPI_Init\n0 3 4 MPI_Win_fence win=0 thread=1\n",
     "t.txt:rank 0, event 1 (thread_end) at 1.000000 s: the thread ends, expected no event after it"},
    {"0 0 1 pthread_mutex_lock object=5\n0 1 1 sem_post object=5 thread=1\n",
     "t.txt:rank 0, event 2 (sem_post) at 1.000000 s: object=5 is a mutex, expected a semaphore"},
    {"0 0 1 pthread_cond_signal object=5\n0 1 1 pthread_cond_wait object=6 mutex=5\n",
     "t.txt:rank 0, event 2 (pthread_cond_wait) at 1.000000 s: mutex=5 is a condition, expected a mutex"},
    {"0 0 1 pthread_cond_wait object=6 mutex=-2\n",
     "t.txt:4: rank 0, event 1 at 0.000000 s: mutex=-2, expected a number from 0 to 2305843009213693951"},
    {"0 0 1 pthread_cond_wait object=6 mutex=9999999999\n",
     "t.txt:rank 0, event 1 (pthread_cond_wait) at 0.000000 s: mutex=9999999999, expected at most 4294967294"},
    {"0 0 1 pthread_barrier_wait object=5 parties=0\n",
     "t.txt:rank 0, event 1 (pthread_barrier_wait) at 0.000000 s: parties=0, expected at least one thread"},
    {"0 0 1 pthread_mutex_trylock object=5\n",
     "t.txt:4: rank 0, event 1 at 0.000000 s: pthread_mutex_trylock lacks flag=, expected flag= object="},
    {"0 0 5 MPI_Recv comm=0 peer=1 tag=0 bytes=0 break=1 thread=1\n0 1 2 MPI_Win_fence win=0\n0 5 6 MPI_Win_fence "
     "win=0 thread=1\n",
     "t.txt:rank 0, event 1 (MPI_Recv) at 0.000000 s: the recording breaks off here, expected no event after it"},
    {"0 0 1 pthread_exit\n", "t.txt:4: rank 0, event 1 at 0.000000 s: 'pthread_exit', expected the name of an MPI call "
                             "or thread primitive, enter or leave"},
};

static void what_knows_one_thread_refuses_more(void **state)
{
    (void)state;
    struct err err;
    struct trace *trace = trace_of(HEAD "0 0 0 MPI_Init\n1 1 2 MPI_Init\n1 2 3 MPI_Win_fence win=0 thread=1\n");
    assert_int_equal(trace_check_one_thread(trace, "replay", &err), STATUS_DATA);
    assert_string_equal(err.text, "t.txt:rank 1: 2 threads, expected one thread per rank for replay");
    trace_free(trace);
    trace = trace_of(HEAD "0 0 0 MPI_Init\n0 0 0 pthread_mutex_lock object=1\n");
    assert_int_equal(trace_check_one_thread(trace, "replay", &err), STATUS_DATA);
    assert_string_equal(err.text, "t.txt:rank 0: thread primitives, expected none for replay");
    trace_free(trace);
    trace = trace_of(HEAD "0 0 0 MPI_Init\n");
    assert_int_equal(trace_check_one_thread(trace, "replay", &err), STATUS_OK);
    trace_free(trace);
}

static void each_fault_has_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[1024] = HEAD;
        struct trace *trace = NULL;
        struct err err = {.text = "no error"};
        strcat(text, faults[i].text);
        enum status status = read_text(text, &trace, &err);
        if (status == STATUS_OK) {
            status = trace_check(trace, &err);
            trace_free(trace);
        }
        assert_string_equal(err.text, faults[i].message);
        assert_int_equal(status, STATUS_DATA);
    }
}

/* Only the thread that is in a call when the process is killed breaks off; the others have ended before. */
static void each_thread_may_break_off(void **state)
{
    (void)state;
    struct trace *trace = trace_of(HEAD "incomplete 0 killed\n"
                                        "0 0 5 MPI_Recv comm=0 peer=1 tag=0 bytes=0 break=1 thread=1\n"
                                        "0 1 2 MPI_Win_fence win=0\n"
                                        "0 3 5 MPI_Barrier comm=0 break=1\n");
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_all_threads_are_in_the_order_of_time),
        cmocka_unit_test(a_rank_ends_with_its_last_exit),
        cmocka_unit_test(requests_belong_to_the_rank),
        cmocka_unit_test(a_pool_of_threads_comes_back),
        cmocka_unit_test(cpu_times_leave_the_order_of_threads),
        cmocka_unit_test(what_knows_one_thread_refuses_more),
        cmocka_unit_test(each_fault_has_its_message),
        cmocka_unit_test(each_thread_may_break_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
