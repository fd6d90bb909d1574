/* libmpi_abi.so.0 as far as these tests need it: the standard ABI of MPI-5.0 (chapter 20) on top of MPICH, which does the work.
 * The constants of MPICH are those of its mpi.h. Handles of objects that the program makes are no addresses and no small numbers.
 * With -DPROGRAM: a program of that ABI, on two processes. Its numbers are its own, not those of the recorder's header. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct any *handle;
typedef struct {
    int source, tag, error, inside[5];
} status_abi;

#ifdef PROGRAM

#define WORLD ((handle)0x101)
#define INT   ((handle)0x209)
#define BYTE  ((handle)0x247)
#define SUM   ((handle)0x21)
#define INFO  ((handle)0x130)
int MPI_Abi_get_version(int *major, int *minor);
int MPI_Init(int *argc, char ***argv);
int MPI_Comm_rank(handle comm, int *rank);
int MPI_Comm_dup(handle comm, handle *made);
int MPI_Comm_free(handle *comm);
int MPI_Barrier(handle comm);
int MPI_Allreduce(const void *in, void *out, int count, handle type, handle op, handle comm);
int MPI_Win_create(void *base, intptr_t bytes, int unit, handle info, handle comm, handle *win);
int MPI_Win_fence(int assertion, handle win);
int MPI_Win_lock(int kind, int rank, int assertion, handle win);
int MPI_Win_unlock(int rank, handle win);
int MPI_Put(const void *from, int count, handle type, int rank, intptr_t disp, int there, handle there_type, handle win);
int MPI_Win_free(handle *win);
int MPI_Send(const void *from, int count, handle type, int rank, int tag, handle comm);
int MPI_Irecv(void *to, int count, handle type, int rank, int tag, handle comm, handle *request);
int MPI_Wait(handle *request, status_abi *status);
int MPI_Finalize(void);

int main(int argc, char **argv)
{
    int rank, sum = 0, got = -1, cell = -1, major = 0, minor = 7;
    handle comm, win, request;
    status_abi status;
    MPI_Abi_get_version(&major, &minor);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_dup(WORLD, &comm);
    MPI_Allreduce(&rank, &sum, 1, INT, SUM, comm);
    MPI_Win_create(&cell, sizeof cell, 1, INFO, comm, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, INT, 1 - rank, 0, 4, BYTE, win);
    MPI_Win_fence(16384, win); /* no operation follows */
    MPI_Win_lock(301, 0, 0, win);
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    if (rank == 0) {
        MPI_Send(&rank, 1, INT, 1, 9, WORLD);
    } else {
        MPI_Irecv(&got, 1, INT, -1, -2, WORLD, &request);
        MPI_Wait(&request, &status);
        if (status.source != 0 || status.tag != 9 || got != 0 || request != (handle)0x180) return 3;
    }
    MPI_Comm_free(&comm);
    MPI_Barrier(WORLD);
    MPI_Finalize();
    return major == 1 && minor == 0 && sum == 1 && cell == 1 - rank ? 0 : 4;
}

#else

static void *inner(const char *name)
{
    static void *mpich;
    if (!mpich) mpich = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL);
    void *found = mpich ? dlsym(mpich, name) : NULL;
    if (!found) fprintf(stderr, "no %s\n", name), abort();
    return found;
}

static const struct {
    uintptr_t abi;
    int mpich;
} constants[] = {{0x100, 0x04000000}, {0x101, 0x44000000}, {0x102, 0x44000001}, {0x108, 0x08000000}, {0x110, 0x20000000},
                 {0x130, 0x1c000000}, {0x141, 0x54000000}, {0x180, 0x2c000000}, {0x209, 0x4c000405}, {0x243, 0x4c000101},
                 {0x247, 0x4c00010d}, {0x259, 0x4c00083e}, {0x21, 0x58000003}, {0x22, 0x58000002}, {0x23, 0x58000001}};
enum { CONSTANTS = sizeof constants / sizeof *constants };
static const uintptr_t mark = (uintptr_t)1 << 47;

static int in(handle given)
{
    for (int i = 0; i < CONSTANTS; i++)
        if (constants[i].abi == (uintptr_t)given) return constants[i].mpich;
    if (((uintptr_t)given & mark) == 0) fprintf(stderr, "%p is no handle of the standard ABI\n", (void *)given), abort();
    return (int)((uintptr_t)given >> 8);
}

static handle out(int inside)
{
    for (int i = 0; i < CONSTANTS; i++)
        if (constants[i].mpich == inside) return (handle)constants[i].abi;
    return (handle)(mark | (uintptr_t)(uint32_t)inside << 8);
}

static int rank_in(int rank) /* MPI_ANY_SOURCE, MPI_PROC_NULL */
{
    return rank == -1 ? -2 : rank == -3 ? -1 : rank;
}

static int tag_in(int tag)
{
    return tag == -2 ? -1 : tag;
}

static void status_out(status_abi *status, const int *mpich) /* count, count, source, tag, error */
{
    if (!status) return;
    *status = (status_abi){mpich[2] == -2 ? -1 : mpich[2] == -1 ? -3 : mpich[2], mpich[3] == -1 ? -2 : mpich[3], mpich[4], {0}};
    memcpy(status->inside, mpich, 5 * sizeof *mpich);
}

#define BOTH(NAME, PARAMETERS, ...)                                                                                    \
    int PMPI_##NAME PARAMETERS __VA_ARGS__                                                                             \
    int MPI_##NAME PARAMETERS __VA_ARGS__
#define CALL(NAME, ...) ((int (*)())inner("PMPI_" #NAME))(__VA_ARGS__)
#define MADE(NAME, MADE, ...)                                                                                          \
    {                                                                                                                  \
        int made_ = 0, error_ = CALL(NAME, __VA_ARGS__, &made_);                                                       \
        *(MADE) = out(made_);                                                                                          \
        return error_;                                                                                                 \
    }
#define ENDED(NAME, GIVEN)                                                                                             \
    {                                                                                                                  \
        int given_ = in(*(GIVEN)), error_ = CALL(NAME, &given_);                                                       \
        *(GIVEN) = out(given_);                                                                                        \
        return error_;                                                                                                 \
    }

BOTH(Abi_get_version, (int *major, int *minor), { return *major = 1, *minor = 0; })
BOTH(Init, (int *argc, char ***argv), { return CALL(Init, argc, argv); })
BOTH(Finalize, (void), { return CALL(Finalize); })
BOTH(Finalized, (int *flag), { return CALL(Finalized, flag); })
BOTH(Query_thread, (int *level), { return *level = 0; })
BOTH(Get_library_version, (char *text, int *length), { return (*length = sprintf(text, "a stand-in 1.0")), 0; })
BOTH(Comm_rank, (handle comm, int *rank), { return CALL(Comm_rank, in(comm), rank); })
BOTH(Comm_size, (handle comm, int *size), { return CALL(Comm_size, in(comm), size); })
BOTH(Comm_test_inter, (handle comm, int *flag), { return CALL(Comm_test_inter, in(comm), flag); })
BOTH(Comm_get_parent, (handle *parent), { return (*parent = (handle)0x100), 0; })
BOTH(Comm_dup, (handle comm, handle *made), MADE(Comm_dup, made, in(comm)))
BOTH(Comm_free, (handle *comm), ENDED(Comm_free, comm))
BOTH(Comm_group, (handle comm, handle *made), MADE(Comm_group, made, in(comm)))
BOTH(Group_size, (handle group, int *size), { return CALL(Group_size, in(group), size); })
BOTH(Group_free, (handle *group), ENDED(Group_free, group))
BOTH(Group_translate_ranks, (handle group, int count, const int *ranks, handle other, int *made),
     { return CALL(Group_translate_ranks, in(group), count, ranks, in(other), made); })
BOTH(Type_size_x, (handle type, int64_t *size), { return CALL(Type_size_x, in(type), size); })
BOTH(Type_get_extent_x, (handle type, int64_t *low, int64_t *extent), { return CALL(Type_get_extent_x, in(type), low, extent); })
BOTH(Type_get_true_extent_x, (handle type, int64_t *low, int64_t *extent),
     { return CALL(Type_get_true_extent_x, in(type), low, extent); })
BOTH(Barrier, (handle comm), { return CALL(Barrier, in(comm)); })
BOTH(Bcast, (void *data, int count, handle type, int root, handle comm),
     { return CALL(Bcast, data, count, in(type), root, in(comm)); })
BOTH(Gather, (const void *from, int count, handle type, void *to, int there, handle there_type, int root, handle comm),
     { return CALL(Gather, from, count, in(type), to, there, in(there_type), root, in(comm)); })
BOTH(Allreduce, (const void *from, void *to, int count, handle type, handle op, handle comm),
     { return CALL(Allreduce, from, to, count, in(type), in(op), in(comm)); })
BOTH(Win_create, (void *base, intptr_t bytes, int unit, handle info, handle comm, handle *made),
     MADE(Win_create, made, base, bytes, unit, in(info), in(comm)))
BOTH(Win_free, (handle *win), ENDED(Win_free, win))
BOTH(Win_fence, (int assertion, handle win), { return CALL(Win_fence, assertion, in(win)); })
BOTH(Win_lock, (int kind, int rank, int assertion, handle win),
     { return CALL(Win_lock, kind == 301 ? 234 : 235, rank, assertion, in(win)); })
BOTH(Win_unlock, (int rank, handle win), { return CALL(Win_unlock, rank, in(win)); })
BOTH(Put, (const void *from, int count, handle type, int rank, intptr_t disp, int there, handle there_type, handle win),
     { return CALL(Put, from, count, in(type), rank_in(rank), disp, there, in(there_type), in(win)); })
BOTH(Send, (const void *from, int count, handle type, int rank, int tag, handle comm),
     { return CALL(Send, from, count, in(type), rank_in(rank), tag, in(comm)); })
BOTH(Isend, (const void *from, int count, handle type, int rank, int tag, handle comm, handle *made),
     MADE(Isend, made, from, count, in(type), rank_in(rank), tag, in(comm)))
BOTH(Irecv, (void *to, int count, handle type, int rank, int tag, handle comm, handle *made),
     MADE(Irecv, made, to, count, in(type), rank_in(rank), tag_in(tag), in(comm)))
BOTH(Recv, (void *to, int count, handle type, int rank, int tag, handle comm, status_abi *status), {
    int own[5] = {0}, error = CALL(Recv, to, count, in(type), rank_in(rank), tag_in(tag), in(comm), own);
    status_out(status, own);
    return error;
})
BOTH(Wait, (handle *request, status_abi *status), {
    int own[5] = {0}, given = in(*request), error = CALL(Wait, &given, own);
    *request = out(given);
    status_out(status, own);
    return error;
})
BOTH(Test, (handle *request, int *flag, status_abi *status), {
    int own[5] = {0}, given = in(*request), error = CALL(Test, &given, flag, own);
    *request = out(given);
    if (*flag) status_out(status, own);
    return error;
})
BOTH(Test_cancelled, (const status_abi *status, int *flag), { return CALL(Test_cancelled, status->inside, flag); })
BOTH(Get_elements_x, (const status_abi *status, handle type, int64_t *count), {
    return CALL(Get_elements_x, status->inside, in(type), count);
})

#endif
