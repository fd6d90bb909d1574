/* Calls that return errors, in real programs: what moved data is in the trace, what did not is a region, and what comes
 * later is matched with what it belongs to. Expected are the calls of tests/record/programs/errors.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "run.h"

#define ABANDONED "enter MPI_Send(failed)\nleave MPI_Send(failed)\nMPI_Barrier comm=0\n"

struct expected { /* of one rank */
    FILE *out;
    int peer, requests; /* made so far */
};

static void take(struct expected *of, int tag, int bytes, const char *completed)
{
    fprintf(of->out, "MPI_Irecv comm=0 peer=%d tag=%d bytes=%d req=%d\n", of->peer, tag, bytes, of->requests);
    if (completed) fprintf(of->out, completed, of->requests);
    of->requests++;
}

static void send(struct expected *of, int tag, int bytes)
{
    int request = of->requests++;
    fprintf(of->out, "MPI_Isend comm=0 peer=%d tag=%d bytes=%d req=%d\nMPI_Wait req=%d\n", of->peer, tag, bytes,
            request, request);
}

static void message(struct expected *of, const char *call, int tag, int bytes)
{
    fprintf(of->out, "%s comm=0 peer=%d tag=%d bytes=%d\n", call, of->peer, tag, bytes);
}

static void sender(struct expected *of, int bytes)
{
    for (int i = 0; i < 7; i++) send(of, 1, bytes + i);
    fprintf(of->out, "MPI_Sendrecv comm=0 peer=%d tag=2 source=%d recvtag=2 bytes=%d received=20\n", of->peer, of->peer,
            bytes);
}

static void several_sent(struct expected *of, int bytes)
{
    for (int i = 0; i < 3; i++) send(of, 3 + i, bytes);
    send(of, 8, 0);
    for (int i = 0; i < 5; i++) {
        message(of, "MPI_Recv", 9, 0);
        send(of, 3 + i, bytes);
    }
}

/* A receive whose message is too long gets what it has room for. */
static void receiver(struct expected *of, int bytes)
{
    message(of, "MPI_Recv", 1, 10);
    message(of, "MPI_Recv", 1, bytes + 1);
    take(of, 1, 11, "MPI_Wait req=%d\n");
    take(of, 1, 12, "MPI_Test req=%d flag=1\n");
    message(of, "MPI_Mprobe", 1, bytes + 4);
    message(of, "MPI_Mrecv", 1, 13);
    message(of, "MPI_Recv", 1, bytes + 5);
    message(of, "MPI_Mprobe", 1, bytes + 6);
    fprintf(of->out, "MPI_Imrecv comm=0 peer=%d tag=1 bytes=14 req=%d\nMPI_Wait req=%d\n", of->peer, of->requests,
            of->requests);
    of->requests++;
    fprintf(of->out, "MPI_Sendrecv comm=0 peer=%d tag=2 source=%d recvtag=2 bytes=20 received=14\n", of->peer,
            of->peer);
}

static void several_received(struct expected *of, int bytes)
{
    static const char *const completed[] = {"MPI_Waitany reqs=%d\n", "MPI_Waitsome reqs=%d\n",
                                            "MPI_Testany reqs=%d flag=1\n", "MPI_Testsome reqs=%d flag=1\n",
                                            "MPI_Testall reqs=%d flag=1\n"};
    int first = of->requests;
    take(of, 3, bytes, NULL);
    take(of, 4, 10, NULL);
    take(of, 5, bytes, NULL);
    message(of, "MPI_Recv", 8, 0);
#ifdef OPENMPI /* looks at all */
    fprintf(of->out, "MPI_Waitall reqs=%d,%d,%d\n", first, first + 1, first + 2);
#else
    fprintf(of->out, "MPI_Waitall reqs=%d,%d\nMPI_Wait req=%d\n", first, first + 1, first + 2);
#endif
    for (int i = 0; i < 5; i++) {
        fprintf(of->out, "MPI_Irecv comm=0 peer=%d tag=%d bytes=10 req=%d\n", of->peer, 3 + i, of->requests);
        message(of, "MPI_Send", 9, 0);
        fprintf(of->out, completed[i], of->requests++);
    }
}

static void refused(struct expected *of, int pair)
{
    /* The marks of an interval are sends to oneself, each with a receive that says no more. */
    static const char *const calls[] = {"MPI_Send(failed)",
                                        "MPI_Send(failed)",
                                        "MPI_Isend(failed)",
                                        "MPI_Recv(failed)",
                                        "MPI_Send(failed)",
                                        "MPI_Barrier(failed)",
                                        "MPI_Bcast(failed)",
                                        "MPI_Gatherv(failed)",
                                        "MPI_Win_fence(failed)",
                                        "MPI_Win_lock(failed)",
                                        "MPI_Put(failed)",
                                        "%237(begin)",
                                        "%237(end)",
#ifndef OPENMPI /* 4.1 takes MPI_GROUP_NULL for an empty group, and is not asked */
                                        "MPI_Win_post(failed)"
#endif
    };
    fprintf(of->out, "MPI_Win_allocate win=%d\nMPI_Win_set_errhandler\n", pair);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        fprintf(of->out, "enter %s\nleave %s\n", calls[i], calls[i]);
    fprintf(of->out, "MPI_Win_fence win=%d\nMPI_Win_free win=%d\nMPI_Comm_free comm=%d\nMPI_Finalize\n", pair, pair,
            pair + 1);
}

static void expect_rank(const struct trace *trace, int rank)
{
    char *text;
    size_t bytes;
    struct expected of = {.out = open_memstream(&text, &bytes), .peer = rank ^ 1};
    int pair = rank / 2;
    assert_non_null(of.out);
    fprintf(of.out, "MPI_Init\nMPI_Comm_split comm=0 newcomm=%d\n", pair + 1);
    fprintf(of.out, "MPI_Comm_set_errhandler\nMPI_Comm_set_errhandler\n");
    for (int each = 100; each <= 150000; each += 149900) rank % 2 ? receiver(&of, each) : sender(&of, each);
    for (int each = 100; each <= 150000; each += 149900)
        rank % 2 ? several_received(&of, each) : several_sent(&of, each);
    fprintf(of.out, "MPI_Bcast comm=%d root=%d bytes=%d\nMPI_Barrier comm=%d\n", pair + 1, rank & ~1,
            rank % 2 ? 10 : 100, pair + 1);
    refused(&of, pair);
    fclose(of.out);
    expect_calls(trace, rank, "%s", text);
    free(text);
}

static void errors(void **state)
{
    (void)state;
    struct trace *trace = archived(run_recorded("", "errors", 0));
    expect_whole(trace);
    for (int rank = 0; rank < 4; rank++) expect_rank(trace, rank);
    trace_free(trace);
}

/* What is called in the same place, or above it, is behind the call that a handler jumped out of. */
static void abandoned(void **state)
{
    (void)state;
    struct trace *trace = archived(run_recorded("", "handler", 0));
    expect_whole(trace);
    for (int rank = 0; rank < 4; rank++)
        expect_calls(trace, rank,
                     "MPI_Init\nMPI_Comm_create_errhandler\nMPI_Comm_set_errhandler\n" ABANDONED ABANDONED ABANDONED
                     "MPI_Errhandler_free\nMPI_Finalize\n");
    trace_free(trace);
}

/* A thread that ends behind such a call, or in it, has left it. */
static void abandoned_by_a_thread(void **state)
{
    (void)state;
    static const char *const programs[] = {"handler jump", "handler end"};
    for (int i = 0; i < 2; i++) {
        struct trace *trace = archived(run_recorded("", programs[i], 0));
        expect_whole(trace);
        for (int rank = 0; rank < 4; rank++) {
            static const char join[] = "pthread_join child=1\n"; /* it may begin before the thread, or behind its begin */
            char *found = calls_of(trace, rank), *at = strstr(found, join);
            assert_non_null(at);
            memmove(at, at + strlen(join), strlen(at + strlen(join)) + 1);
            assert_string_equal(found, "MPI_Init\nMPI_Comm_create_errhandler\nMPI_Comm_set_errhandler\npthread_create child=1\n"
                                       "thread_begin thread=1\nenter MPI_Send(failed) thread=1\n"
                                       "leave MPI_Send(failed) thread=1\nthread_end thread=1\nMPI_Errhandler_free\n"
                                       "MPI_Finalize\n");
            free(found);
        }
        trace_free(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors), cmocka_unit_test(abandoned),
                                       cmocka_unit_test(abandoned_by_a_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
