/* MPI without MPI_Init (MPI-4.0 11.3) on two ranks; with argument "both" with it, too, inside the first of two sessions. */
#include "program.h"

int main(int argc, char **argv)
{
    int rank, value, all;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm, between;
    MPI_Group sides[2];
    MPI_Session more;
    int first = 0, second = 1, remote;
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
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &more);
    MPI_Group_incl(group, 1, &first, &sides[0]);
    MPI_Group_incl(group, 1, &second, &sides[1]);
    MPI_Intercomm_create_from_groups(sides[rank], 0, sides[1 - rank], 0, "sides", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &between);
    MPI_Comm_remote_size(between, &remote);
    MPI_Comm_disconnect(&between);
    MPI_Group_free(&sides[0]);
    MPI_Group_free(&sides[1]);
    MPI_Session_finalize(&more);
    if (remote != 1) return 1;
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
