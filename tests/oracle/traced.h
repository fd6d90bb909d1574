/* Compiled before every program of the oracle (smpicc -include): its MPI calls write a text trace (docs/format-text.md)
 * with SMPI's simulated times, one file for each rank, so that replay gets exactly the exchange that SMPI simulated.
 * ORACLE_TRACE names the files; computing is usleep or clock_nanosleep, which SMPI simulates. */
#ifndef TESTS_ORACLE_TRACED_H
#define TESTS_ORACLE_TRACED_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TRACED_GROUP_MAX = 256, TRACED_TEXT = 2048, TRACED_OPEN_MAX = 8 };

/* SMPI gives each rank its own copy of these. */
static struct {
    FILE *out;
    int rank, requests;
    struct {
        MPI_Request handle;
        int number;
    } open[TRACED_OPEN_MAX]; /* what MPI_Wait may wait for */
} traced;

/* Groups of start and post as world ranks. */
static char *traced_group(MPI_Group group, char text[TRACED_TEXT])
{
    MPI_Group world;
    int size, ranks[TRACED_GROUP_MAX], world_ranks[TRACED_GROUP_MAX];
    size_t length = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(group, &size);
    for (int i = 0; i < size; i++) ranks[i] = i;
    MPI_Group_translate_ranks(group, size, ranks, world, world_ranks);
    text[0] = '\0';
    for (int i = 0; i < size; i++)
        length += (size_t)snprintf(text + length, TRACED_TEXT - length, "%s%d", i ? "," : "", world_ranks[i]);
    MPI_Group_free(&world);
    return text;
}

static int traced_bytes(int count, MPI_Datatype type)
{
    int size;
    MPI_Type_size(type, &size);
    return count * size;
}

static int traced_init(int *argc, char ***argv)
{
    char name[TRACED_TEXT];
    int code = MPI_Init(argc, argv);
    for (int i = 0; i < TRACED_OPEN_MAX; i++) traced.open[i].handle = MPI_REQUEST_NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &traced.rank);
    snprintf(name, sizeof name, "%s.%d", getenv("ORACLE_TRACE"), traced.rank);
    traced.out = fopen(name, "w");
    if (!traced.out) exit(1);
    return code;
}

static int traced_finalize(void)
{
    fclose(traced.out);
    return MPI_Finalize();
}

/* TRACED(call, format...): makes the call between two times and writes its line. */
#define TRACED(call, ...)                                                                                              \
    do {                                                                                                               \
        double enter_s_ = MPI_Wtime();                                                                                 \
        int code_ = (call);                                                                                            \
        fprintf(traced.out, "%d %.12f %.12f ", traced.rank, enter_s_, MPI_Wtime());                                    \
        fprintf(traced.out, __VA_ARGS__);                                                                              \
        fputc('\n', traced.out);                                                                                       \
        return code_;                                                                                                  \
    } while (0)

/* One window, over all ranks: window 0. */
static int traced_win_create(void *base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    TRACED(MPI_Win_create(base, bytes, unit, info, comm, win), "MPI_Win_create win=0");
}

static int traced_win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
{
    TRACED(MPI_Win_allocate(bytes, unit, info, comm, base, win), "MPI_Win_allocate win=0");
}

static int traced_win_free(MPI_Win *win)
{
    TRACED(MPI_Win_free(win), "MPI_Win_free win=0");
}

static int traced_put(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count,
                      MPI_Datatype target_type, MPI_Win win)
{
    TRACED(MPI_Put(origin, count, type, target, disp, target_count, target_type, win),
           "MPI_Put win=0 target=%d bytes=%d disp=%ld", target, traced_bytes(count, type), (long)disp);
}

static int traced_get(void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count,
                      MPI_Datatype target_type, MPI_Win win)
{
    TRACED(MPI_Get(origin, count, type, target, disp, target_count, target_type, win),
           "MPI_Get win=0 target=%d bytes=%d disp=%ld", target, traced_bytes(count, type), (long)disp);
}

static void traced_open(MPI_Request handle, int number)
{
    for (int i = 0; i < TRACED_OPEN_MAX; i++)
        if (traced.open[i].handle == MPI_REQUEST_NULL) {
            traced.open[i].handle = handle;
            traced.open[i].number = number;
            return;
        }
    exit(1);
}

/* The request's number, -1: MPI_REQUEST_NULL. */
static int traced_close(MPI_Request handle)
{
    for (int i = 0; handle != MPI_REQUEST_NULL && i < TRACED_OPEN_MAX; i++)
        if (traced.open[i].handle == handle) {
            traced.open[i].handle = MPI_REQUEST_NULL;
            return traced.open[i].number;
        }
    return -1;
}

static int traced_rget(void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count,
                       MPI_Datatype target_type, MPI_Win win, MPI_Request *request)
{
    double enter_s = MPI_Wtime();
    int code = MPI_Rget(origin, count, type, target, disp, target_count, target_type, win, request);
    traced_open(*request, traced.requests);
    fprintf(traced.out, "%d %.12f %.12f MPI_Rget win=0 target=%d bytes=%d disp=%ld req=%d\n", traced.rank, enter_s,
            MPI_Wtime(), target, traced_bytes(count, type), (long)disp, traced.requests++);
    return code;
}

static int traced_wait(MPI_Request *request, MPI_Status *status)
{
    int number = traced_close(*request);
    char text[16];
    snprintf(text, sizeof text, number < 0 ? "-" : "%d", number);
    TRACED(MPI_Wait(request, status), "MPI_Wait req=%s", text);
}

static int traced_compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type, int target,
                                   MPI_Aint disp, MPI_Win win)
{
    TRACED(MPI_Compare_and_swap((void *)origin, (void *)compare, result, type, target, disp, win),
           "MPI_Compare_and_swap win=0 target=%d bytes=%d result_bytes=%d disp=%ld", target, 2 * traced_bytes(1, type),
           traced_bytes(1, type), (long)disp);
}

static int traced_accumulate(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
                             int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win)
{
    TRACED(MPI_Accumulate(origin, count, type, target, disp, target_count, target_type, op, win),
           "MPI_Accumulate win=0 target=%d bytes=%d disp=%ld", target, traced_bytes(count, type), (long)disp);
}

static int traced_post(MPI_Group group, int assertion, MPI_Win win)
{
    char text[TRACED_TEXT];
    TRACED(MPI_Win_post(group, assertion, win), "MPI_Win_post win=0 group=%s", traced_group(group, text));
}

static int traced_start(MPI_Group group, int assertion, MPI_Win win)
{
    char text[TRACED_TEXT];
    TRACED(MPI_Win_start(group, assertion, win), "MPI_Win_start win=0 group=%s", traced_group(group, text));
}

static int traced_complete(MPI_Win win)
{
    TRACED(MPI_Win_complete(win), "MPI_Win_complete win=0");
}

static int traced_win_wait(MPI_Win win)
{
    TRACED(MPI_Win_wait(win), "MPI_Win_wait win=0");
}

static int traced_fence(int assertion, MPI_Win win)
{
    TRACED(MPI_Win_fence(assertion, win), "MPI_Win_fence win=0 assert=%s",
           assertion == MPI_MODE_NOPRECEDE ? "NOPRECEDE" : assertion == MPI_MODE_NOSUCCEED ? "NOSUCCEED" : "0");
}

static int traced_lock(int type, int target, int assertion, MPI_Win win)
{
    TRACED(MPI_Win_lock(type, target, assertion, win), "MPI_Win_lock win=0 target=%d lock=%s", target,
           type == MPI_LOCK_EXCLUSIVE ? "exclusive" : "shared");
}

static int traced_lock_all(int assertion, MPI_Win win)
{
    TRACED(MPI_Win_lock_all(assertion, win), "MPI_Win_lock_all win=0");
}

static int traced_flush(int target, MPI_Win win)
{
    TRACED(MPI_Win_flush(target, win), "MPI_Win_flush win=0 target=%d", target);
}

static int traced_flush_all(MPI_Win win)
{
    TRACED(MPI_Win_flush_all(win), "MPI_Win_flush_all win=0");
}

static int traced_unlock_all(MPI_Win win)
{
    TRACED(MPI_Win_unlock_all(win), "MPI_Win_unlock_all win=0");
}

static int traced_unlock(int target, MPI_Win win)
{
    TRACED(MPI_Win_unlock(target, win), "MPI_Win_unlock win=0 target=%d", target);
}

static int traced_send(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    TRACED(MPI_Send(buffer, count, type, peer, tag, comm), "MPI_Send comm=0 peer=%d tag=%d bytes=%d", peer, tag,
           traced_bytes(count, type));
}

static int traced_ssend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    TRACED(MPI_Ssend(buffer, count, type, peer, tag, comm), "MPI_Ssend comm=0 peer=%d tag=%d bytes=%d", peer, tag,
           traced_bytes(count, type));
}

static int traced_recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    TRACED(MPI_Recv(buffer, count, type, peer, tag, comm, status), "MPI_Recv comm=0 peer=%d tag=%d bytes=%d", peer, tag,
           traced_bytes(count, type));
}

/* Requests count up; waitall gets the last ones in the order of their making. */
static int traced_isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                        MPI_Request *request)
{
    TRACED(MPI_Isend(buffer, count, type, peer, tag, comm, request),
           "MPI_Isend comm=0 peer=%d tag=%d bytes=%d req=%d", peer, tag, traced_bytes(count, type), traced.requests++);
}

static int traced_irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                        MPI_Request *request)
{
    TRACED(MPI_Irecv(buffer, count, type, peer, tag, comm, request),
           "MPI_Irecv comm=0 peer=%d tag=%d bytes=%d req=%d", peer, tag, traced_bytes(count, type), traced.requests++);
}

static int traced_waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    char text[TRACED_TEXT];
    size_t length = 0;
    text[0] = '\0';
    for (int i = traced.requests - count; i < traced.requests; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%d", length ? "," : "", i);
    TRACED(MPI_Waitall(count, requests, statuses), "MPI_Waitall reqs=%s", text);
}

static int traced_barrier(MPI_Comm comm)
{
    TRACED(MPI_Barrier(comm), "MPI_Barrier comm=0");
}

static int traced_bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    TRACED(MPI_Bcast(buffer, count, type, root, comm), "MPI_Bcast comm=0 root=%d bytes=%d", root,
           traced_bytes(count, type));
}

static int traced_reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    TRACED(MPI_Reduce(in, out, count, type, op, root, comm), "MPI_Reduce comm=0 root=%d bytes=%d", root,
           traced_bytes(count, type));
}

static int traced_allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    TRACED(MPI_Allreduce(in, out, count, type, op, comm), "MPI_Allreduce comm=0 bytes=%d", traced_bytes(count, type));
}

static int traced_gather(const void *in, int count, MPI_Datatype type, void *out, int out_count, MPI_Datatype out_type,
                         int root, MPI_Comm comm)
{
    TRACED(MPI_Gather(in, count, type, out, out_count, out_type, root, comm), "MPI_Gather comm=0 root=%d bytes=%d",
           root, traced_bytes(count, type));
}

static int traced_scatter(const void *in, int count, MPI_Datatype type, void *out, int out_count, MPI_Datatype out_type,
                          int root, MPI_Comm comm)
{
    TRACED(MPI_Scatter(in, count, type, out, out_count, out_type, root, comm), "MPI_Scatter comm=0 root=%d bytes=%d",
           root, traced_bytes(count, type));
}

static int traced_allgather(const void *in, int count, MPI_Datatype type, void *out, int out_count,
                            MPI_Datatype out_type, MPI_Comm comm)
{
    TRACED(MPI_Allgather(in, count, type, out, out_count, out_type, comm), "MPI_Allgather comm=0 bytes=%d",
           traced_bytes(count, type));
}

static int traced_alltoall(const void *in, int count, MPI_Datatype type, void *out, int out_count,
                           MPI_Datatype out_type, MPI_Comm comm)
{
    TRACED(MPI_Alltoall(in, count, type, out, out_count, out_type, comm), "MPI_Alltoall comm=0 bytes=%d",
           traced_bytes(count, type));
}

/* As text: one number for each rank of the world. */
static char *traced_counts(const int *counts, int size, char text[TRACED_TEXT])
{
    size_t length = 0;
    for (int i = 0; i < size; i++)
        length += (size_t)snprintf(text + length, TRACED_TEXT - length, "%s%d", i ? "," : "", counts[i]);
    return text;
}

static int traced_size(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

static int traced_allgatherv(const void *in, int count, MPI_Datatype type, void *out, const int *counts,
                             const int *places, MPI_Datatype out_type, MPI_Comm comm)
{
    char text[TRACED_TEXT];
    TRACED(MPI_Allgatherv(in, count, type, out, counts, places, out_type, comm),
           "MPI_Allgatherv comm=0 bytes=%d counts=%s", traced_bytes(count, type),
           traced_counts(counts, traced_size(), text));
}

static int traced_alltoallv(const void *in, const int *counts, const int *places, MPI_Datatype type, void *out,
                            const int *out_counts, const int *out_places, MPI_Datatype out_type, MPI_Comm comm)
{
    char text[TRACED_TEXT];
    int sum = 0, size = traced_size();
    for (int i = 0; i < size; i++) sum += counts[i];
    TRACED(MPI_Alltoallv(in, counts, places, type, out, out_counts, out_places, out_type, comm),
           "MPI_Alltoallv comm=0 bytes=%d counts=%s", sum, traced_counts(counts, size, text));
}

static int traced_reduce_scatter(const void *in, void *out, const int *counts, MPI_Datatype type, MPI_Op op,
                                 MPI_Comm comm)
{
    char text[TRACED_TEXT];
    int sum = 0, size = traced_size();
    for (int i = 0; i < size; i++) sum += counts[i];
    TRACED(MPI_Reduce_scatter(in, out, counts, type, op, comm), "MPI_Reduce_scatter comm=0 bytes=%d counts=%s", sum,
           traced_counts(counts, size, text));
}

static int traced_gatherv(const void *in, int count, MPI_Datatype type, void *out, const int *counts, const int *places,
                          MPI_Datatype out_type, int root, MPI_Comm comm)
{
    char text[TRACED_TEXT];
    TRACED(MPI_Gatherv(in, count, type, out, counts, places, out_type, root, comm),
           "MPI_Gatherv comm=0 root=%d bytes=%d counts=%s", root, traced_bytes(count, type),
           traced_counts(counts, traced_size(), text));
}

static int traced_scatterv(const void *in, const int *counts, const int *places, MPI_Datatype type, void *out,
                           int count, MPI_Datatype out_type, int root, MPI_Comm comm)
{
    char text[TRACED_TEXT];
    TRACED(MPI_Scatterv(in, counts, places, type, out, count, out_type, root, comm),
           "MPI_Scatterv comm=0 root=%d bytes=%d counts=%s", root, traced_bytes(count, out_type),
           traced_counts(counts, traced_size(), text));
}

static int traced_scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    TRACED(MPI_Scan(in, out, count, type, op, comm), "MPI_Scan comm=0 bytes=%d", traced_bytes(count, type));
}

static int traced_exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    TRACED(MPI_Exscan(in, out, count, type, op, comm), "MPI_Exscan comm=0 bytes=%d", traced_bytes(count, type));
}

static int traced_ibarrier(MPI_Comm comm, MPI_Request *request)
{
    TRACED(MPI_Ibarrier(comm, request), "MPI_Ibarrier comm=0 req=%d", traced.requests++);
}

static int traced_ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    TRACED(MPI_Ibcast(buffer, count, type, root, comm, request), "MPI_Ibcast comm=0 root=%d bytes=%d req=%d", root,
           traced_bytes(count, type), traced.requests++);
}

static int traced_iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                             MPI_Request *request)
{
    TRACED(MPI_Iallreduce(in, out, count, type, op, comm, request), "MPI_Iallreduce comm=0 bytes=%d req=%d",
           traced_bytes(count, type), traced.requests++);
}

static int traced_ialltoall(const void *in, int count, MPI_Datatype type, void *out, int out_count,
                            MPI_Datatype out_type, MPI_Comm comm, MPI_Request *request)
{
    TRACED(MPI_Ialltoall(in, count, type, out, out_count, out_type, comm, request),
           "MPI_Ialltoall comm=0 bytes=%d req=%d", traced_bytes(count, type), traced.requests++);
}

static int traced_ialltoallv(const void *in, const int *counts, const int *places, MPI_Datatype type, void *out,
                             const int *out_counts, const int *out_places, MPI_Datatype out_type, MPI_Comm comm,
                             MPI_Request *request)
{
    char text[TRACED_TEXT];
    int sum = 0, size = traced_size();
    for (int i = 0; i < size; i++) sum += counts[i];
    TRACED(MPI_Ialltoallv(in, counts, places, type, out, out_counts, out_places, out_type, comm, request),
           "MPI_Ialltoallv comm=0 bytes=%d counts=%s req=%d", sum, traced_counts(counts, size, text),
           traced.requests++);
}

static int traced_igatherv(const void *in, int count, MPI_Datatype type, void *out, const int *counts,
                           const int *places, MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request *request)
{
    char text[TRACED_TEXT];
    TRACED(MPI_Igatherv(in, count, type, out, counts, places, out_type, root, comm, request),
           "MPI_Igatherv comm=0 root=%d bytes=%d counts=%s req=%d", root, traced_bytes(count, type),
           traced_counts(counts, traced_size(), text), traced.requests++);
}

static int traced_iscatterv(const void *in, const int *counts, const int *places, MPI_Datatype type, void *out,
                            int count, MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request *request)
{
    char text[TRACED_TEXT];
    TRACED(MPI_Iscatterv(in, counts, places, type, out, count, out_type, root, comm, request),
           "MPI_Iscatterv comm=0 root=%d bytes=%d counts=%s req=%d", root, traced_bytes(count, out_type),
           traced_counts(counts, traced_size(), text), traced.requests++);
}

/* Of the same ranks as the world. */
static int traced_comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    TRACED(MPI_Comm_dup(comm, made), "MPI_Comm_dup comm=0");
}

static int traced_comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    TRACED(MPI_Comm_split(comm, color, key, made), "MPI_Comm_split comm=0");
}

#undef TRACED
#define MPI_Init traced_init
#define MPI_Finalize traced_finalize
#define MPI_Win_create traced_win_create
#define MPI_Win_allocate traced_win_allocate
#define MPI_Win_free traced_win_free
#define MPI_Put traced_put
#define MPI_Get traced_get
#define MPI_Rget traced_rget
#define MPI_Compare_and_swap traced_compare_and_swap
#define MPI_Accumulate traced_accumulate
#define MPI_Win_post traced_post
#define MPI_Win_start traced_start
#define MPI_Win_complete traced_complete
#define MPI_Win_wait traced_win_wait
#define MPI_Win_fence traced_fence
#define MPI_Win_lock traced_lock
#define MPI_Win_lock_all traced_lock_all
#define MPI_Win_unlock_all traced_unlock_all
#define MPI_Win_flush traced_flush
#define MPI_Win_flush_all traced_flush_all
#define MPI_Win_unlock traced_unlock
#define MPI_Send traced_send
#define MPI_Ssend traced_ssend
#define MPI_Recv traced_recv
#define MPI_Isend traced_isend
#define MPI_Irecv traced_irecv
#define MPI_Wait traced_wait
#define MPI_Waitall traced_waitall
#define MPI_Barrier traced_barrier
#define MPI_Allgatherv traced_allgatherv
#define MPI_Alltoallv traced_alltoallv
#define MPI_Reduce_scatter traced_reduce_scatter
#define MPI_Gatherv traced_gatherv
#define MPI_Scatterv traced_scatterv
#define MPI_Scan traced_scan
#define MPI_Exscan traced_exscan
#define MPI_Ibarrier traced_ibarrier
#define MPI_Ibcast traced_ibcast
#define MPI_Iallreduce traced_iallreduce
#define MPI_Ialltoall traced_ialltoall
#define MPI_Ialltoallv traced_ialltoallv
#define MPI_Igatherv traced_igatherv
#define MPI_Iscatterv traced_iscatterv
#define MPI_Comm_dup traced_comm_dup
#define MPI_Comm_split traced_comm_split
#define MPI_Bcast traced_bcast
#define MPI_Reduce traced_reduce
#define MPI_Allreduce traced_allreduce
#define MPI_Gather traced_gather
#define MPI_Scatter traced_scatter
#define MPI_Allgather traced_allgather
#define MPI_Alltoall traced_alltoall
#define clock_nanosleep(clock, flags, time, rest) nanosleep(time, rest)

#endif
