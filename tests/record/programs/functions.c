/* Instrumented functions in a program and in a shared library, around calls of MPI. */
#include "program.h"

void library_barrier(int times);

static int recurse(int depth)
{
    if (depth == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        return 0;
    }
    return recurse(depth - 1) + 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int depth = recurse(2);
    library_barrier(2);
    MPI_Pcontrol(1, "marked");
    library_barrier(1);
    MPI_Pcontrol(-1, "marked");
    MPI_Finalize();
    return depth != 2;
}
