/* Test functions without windows: messages, collectives, copies, clocks. Of run.h. */
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "platforms/bench/mpi/run.h"

enum { TAG = 7, TRAIN = BENCH_TRAIN, MESSAGES = 64, CLOCK_ROUNDS = 20, COLD_STEP = 1 << 18 };

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

long bench_core_losses(const struct bench_run *run)
{
    struct rusage usage;
    if (!run->counts_losses || getrusage(RUSAGE_THREAD, &usage) != 0) return 0;
    return usage.ru_nivcsw;
}

double bench_empty(struct bench_run *run)
{
    (void)run;
    double begin = bench_now();
    return bench_now() - begin;
}

double bench_barrier(struct bench_run *run)
{
    double begin = bench_now();
    for (int i = 0; i < TRAIN; i++) MPI_Barrier(run->comm);
    return (bench_now() - begin) / TRAIN;
}

static int bytes_of(const struct bench_run *run)
{
    return (int)run->bytes;
}

/* A test function that is one call. */
#define ONE_CALL(NAME, CALL)                                                                                           \
    double NAME(struct bench_run *run)                                                                                 \
    {                                                                                                                  \
        double begin = bench_now();                                                                                    \
        CALL;                                                                                                          \
        return bench_now() - begin;                                                                                    \
    }

ONE_CALL(bench_reduce_to_0, MPI_Reduce(run->send, run->receive, run->count, run->type, MPI_SUM, 0, run->comm))
ONE_CALL(bench_allreduce, MPI_Allreduce(run->send, run->receive, run->count, run->type, MPI_SUM, run->comm))
ONE_CALL(bench_bcast, MPI_Bcast(run->send, bytes_of(run), MPI_BYTE, 0, run->comm))
ONE_CALL(bench_gather, MPI_Gather(run->send, bytes_of(run), MPI_BYTE, run->receive, bytes_of(run), MPI_BYTE, 0, run->comm))
ONE_CALL(bench_scatter, MPI_Scatter(run->send, bytes_of(run), MPI_BYTE, run->receive, bytes_of(run), MPI_BYTE, 0, run->comm))
ONE_CALL(bench_allgather, MPI_Allgather(run->send, bytes_of(run), MPI_BYTE, run->receive, bytes_of(run), MPI_BYTE, run->comm))

double bench_allreduce_train(struct bench_run *run)
{
    double begin = bench_now();
    for (int i = 0; i < TRAIN; i++) MPI_Allreduce(run->send, run->receive, run->count, run->type, MPI_SUM, run->comm);
    return (bench_now() - begin) / TRAIN;
}

static void send_to(const struct bench_run *run, int rank)
{
    MPI_Send(run->send, bytes_of(run), MPI_BYTE, rank, TAG, run->comm);
}

static void receive_from(const struct bench_run *run, int rank)
{
    MPI_Recv(run->receive, bytes_of(run), MPI_BYTE, rank, TAG, run->comm, MPI_STATUS_IGNORE);
}

static void exchange_messages(const struct bench_run *run, int to, int from)
{
    MPI_Sendrecv(run->send, bytes_of(run), MPI_BYTE, to, TAG, run->receive, bytes_of(run), MPI_BYTE, from, TAG, run->comm,
                 MPI_STATUS_IGNORE);
}

double bench_send_to_root(struct bench_run *run)
{
    double begin = bench_now();
    if (run->rank > 0) send_to(run, 0);
    for (int i = 1; run->rank == 0 && i < run->ranks; i++) receive_from(run, i);
    return bench_now() - begin;
}

double bench_send_recv_right_neighbour(struct bench_run *run)
{
    double begin = bench_now();
    exchange_messages(run, (run->rank + 1) % run->ranks, (run->rank + run->ranks - 1) % run->ranks);
    return bench_now() - begin;
}

double bench_send_recv_to_root(struct bench_run *run)
{
    double begin = bench_now();
    if (run->rank > 0) exchange_messages(run, 0, 0);
    for (int i = 1; run->rank == 0 && i < run->ranks; i++) exchange_messages(run, i, i);
    return bench_now() - begin;
}

/* With an odd number of ranks the last one has no partner. */
double bench_send_recv_paired(struct bench_run *run)
{
    int half = run->ranks / 2, partner = run->rank < half ? run->rank + half : run->rank - half;
    if (run->rank >= 2 * half) return NAN;
    double begin = bench_now();
    exchange_messages(run, partner, partner);
    return bench_now() - begin;
}

double bench_ping_pong(struct bench_run *run)
{
    double begin = bench_now();
    if (run->rank == 0) {
        send_to(run, run->target);
        receive_from(run, run->target);
        return (bench_now() - begin) / 2;
    }
    if (run->rank == run->target) {
        receive_from(run, 0);
        send_to(run, 0);
    }
    return NAN;
}

double bench_send_train(struct bench_run *run)
{
    MPI_Request requests[MESSAGES];
    MPI_Status statuses[MESSAGES];
    char answer = 0;
    double begin = bench_now();
    if (run->rank == 0) {
        for (int i = 0; i < MESSAGES; i++)
            MPI_Isend(run->send, bytes_of(run), MPI_BYTE, run->target, TAG, run->comm, &requests[i]);
        MPI_Waitall(MESSAGES, requests, statuses);
        MPI_Recv(&answer, 1, MPI_BYTE, run->target, TAG, run->comm, MPI_STATUS_IGNORE);
        return (bench_now() - begin) / MESSAGES;
    }
    if (run->rank == run->target) {
        for (int i = 0; i < MESSAGES; i++) receive_from(run, 0);
        MPI_Send(&answer, 1, MPI_BYTE, 0, TAG, run->comm);
    }
    return NAN;
}

double bench_isend_issue(struct bench_run *run)
{
    if (run->rank == 0) {
        MPI_Request request;
        const long losses = bench_core_losses(run);
        double begin = bench_now();
        MPI_Isend(run->send, bytes_of(run), MPI_BYTE, run->target, TAG, run->comm, &request);
        double end = bench_now();
        run->losses = bench_core_losses(run) - losses;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return end - begin;
    }
    if (run->rank == run->target) receive_from(run, 0);
    return NAN;
}

/* Each repetition copies bytes that no cache holds any more, as those of a program that has computed. */
double bench_memory_copy(struct bench_run *run)
{
    size_t bytes = (size_t)run->bytes, step = bytes > COLD_STEP ? bytes : COLD_STEP;
    size_t places = bytes < BENCH_COLD_BYTES ? (BENCH_COLD_BYTES - bytes) / step + 1 : 1;
    if (run->rank > 0) return NAN;
    size_t at = run->turn++ % places * step;
    double begin = bench_now();
    memcpy(run->receive + at, run->send + at, bytes);
    double end = bench_now();
    __asm__ volatile("" : : "r"(run->receive) : "memory");
    return end - begin;
}

/* The partner's clock minus the own one, from the fastest round trip (Cristian, Distributed Computing 3, 1989). */
static double measure_offset(const struct bench_run *run)
{
    double least = INFINITY, offset = NAN, there = 0;
    for (int i = 0; i < CLOCK_ROUNDS; i++) {
        if (run->rank == 0) {
            double begin = bench_now();
            MPI_Send(&there, 1, MPI_DOUBLE, run->target, TAG, run->comm);
            MPI_Recv(&there, 1, MPI_DOUBLE, run->target, TAG, run->comm, MPI_STATUS_IGNORE);
            double end = bench_now();
            if (end - begin >= least) continue;
            least = end - begin;
            offset = there - (begin + end) / 2;
        } else if (run->rank == run->target) {
            MPI_Recv(&there, 1, MPI_DOUBLE, 0, TAG, run->comm, MPI_STATUS_IGNORE);
            there = bench_now();
            MPI_Send(&there, 1, MPI_DOUBLE, 0, TAG, run->comm);
        }
    }
    return offset;
}

double bench_clock_offset(struct bench_run *run)
{
    return measure_offset(run);
}

double bench_clock_drift(struct bench_run *run)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    double begin = bench_now(), first = measure_offset(run);
    nanosleep(&pause, NULL);
    double middle = bench_now(), second = measure_offset(run);
    return (second - first) / (middle - begin);
}
