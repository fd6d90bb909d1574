/* A stand-in for an MPI library that is neither MPICH's nor Open MPI's, for one process, and with -DPROGRAM a program on it.
 * A handle of another ABI is a wild address here. The names are those that the recorder calls, too. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct object {
    int size, rank;
} *handle;
#define COMM_WORLD ((handle)0x101)

#ifdef PROGRAM

int MPI_Init(int *argc, char ***argv);
int MPI_Comm_rank(handle comm, int *rank);
int MPI_Comm_size(handle comm, int *size);
int MPI_Barrier(handle comm);
int MPI_Allreduce(const void *in, void *out, int count, handle type, handle op, handle comm);
int MPI_Finalize(void);

int main(int argc, char **argv)
{
    int rank = -1, size = -1, sum = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(COMM_WORLD, &rank);
    MPI_Comm_size(COMM_WORLD, &size);
    MPI_Barrier(COMM_WORLD);
    MPI_Allreduce(&size, &sum, 1, (handle)0x205, (handle)0x21, COMM_WORLD);
    MPI_Finalize();
    printf("rank %d of %d\n", rank, size);
    return rank != 0 || size != 1 || sum != 1;
}

#else

static struct object world = {1, 0};

static struct object *object_of(handle given)
{
    struct object *object = given == COMM_WORLD ? &world : given;
    object->size |= 0; /* a store: what is no object ends the program */
    return object;
}

#define BOTH(NAME, PARAMETERS, ...)                                                                                    \
    int PMPI_##NAME PARAMETERS __VA_ARGS__                                                                            \
    int MPI_##NAME PARAMETERS __VA_ARGS__

BOTH(Init, (int *argc, char ***argv), { return argc && argv ? 0 : 0; })
BOTH(Finalize, (void), { return 0; })
BOTH(Comm_rank, (handle comm, int *rank), { return (*rank = object_of(comm)->rank), 0; })
BOTH(Comm_size, (handle comm, int *size), { return (*size = object_of(comm)->size), 0; })
BOTH(Win_start, (handle group, int assertion, handle window), { return group && window ? assertion : 0; })
BOTH(Barrier, (handle comm), { return object_of(comm)->size - 1; })
BOTH(Comm_dup, (handle comm, handle *made), { return (*made = object_of(comm)), 0; })
BOTH(Comm_group, (handle comm, handle *made), { return (*made = object_of(comm)), 0; })
BOTH(Bcast, (void *data, int count, handle type, int root, handle comm),
     { return data && count && type ? root : object_of(comm)->rank; })
BOTH(Allreduce, (const void *in, void *out, int count, handle type, handle op, handle comm),
     { return type && op && count == object_of(comm)->size ? (memcpy(out, in, sizeof(int)), 0) : 1; })

int PMPI_Get_library_version(char *version, int *length)
{
    *length = sprintf(version, "a stand-in 1.0");
    return 0;
}

#endif
