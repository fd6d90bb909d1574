/* An error handler that does not return: it jumps out of the call, which is abandoned. */
#include <setjmp.h>

#include "program.h"

static jmp_buf back;

static void jump(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    longjmp(back, 1);
}

static void inside(int depth)
{
    int value = 0;
    if (depth > 0) inside(depth - 1);
    if (depth == 0) MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (volatile int depth = 0; depth < 3; depth++) {
        if (setjmp(back) == 0) inside(depth);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
