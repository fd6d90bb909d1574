/* MPI-4.0's variants with large counts, with small ones. Up to eight ranks. */
#include <unistd.h>

#include "program.h"

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int ignore(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

/* Requests of calls that are regions: who waits for them waits for nothing. */
static void others(void)
{
    char name[64];
    int value = 1;
    MPI_File file;
    MPI_Request request;
    snprintf(name, sizeof name, "/tmp/rmacast-file-%ld", (long)getpid());
    if (MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file) != 0)
        exit(1);
    MPI_File_iwrite_at_c(file, 0, &value, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Grequest_start(query, ignore, cancel, NULL, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, ranks, *memory, out[8] = {1, 2, 3, 4, 5, 6, 7, 8}, in[16];
    MPI_Win window;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    MPI_Irecv_c(in, 4, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend_c(out, 3, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_allocate_c(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Put_c(out, 2, MPI_INT, right, 3, 2, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    const MPI_Count counts[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const MPI_Aint places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    others();
    MPI_Finalize();
    return in[left] != out[rank];
}
