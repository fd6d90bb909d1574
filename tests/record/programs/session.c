/* MPI without MPI_Init (MPI-4.0 11.3), with argument "both" with it, too: what is called before MPI_Init is not recorded. */
#include "program.h"

int main(int argc, char **argv)
{
    int rank, value, all;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Win window;
    MPI_Request request;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_create(aligned(64), 64, 1, MPI_INFO_NULL, comm, &window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    value = 1;
    if (argc > 1) {
        MPI_Init(NULL, NULL);
        MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_SUM, comm);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
    }
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    if (rank == 0) printf("done\n");
    return 0;
}
