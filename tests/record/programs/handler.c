/* An error handler that does not return: it jumps out of the call, which is abandoned. With an argument a thread's last call is
 * left so: in its function, which returns (jump), or the thread ends there (end). */
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

#include "program.h"

static jmp_buf back;

static void jump(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    longjmp(back, 1);
}

static void end(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    pthread_exit(NULL);
}

static void *leave(void *nothing)
{
    int value = 0;
    if (setjmp(back) == 0) MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    return nothing;
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
    pthread_t thread;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(argc > 1 && strcmp(argv[1], "end") == 0 ? end : jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (argc > 1 && pthread_create(&thread, NULL, leave, NULL) == 0) pthread_join(thread, NULL);
    for (volatile int depth = 0; argc == 1 && depth < 3; depth++) {
        if (setjmp(back) == 0) inside(depth);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
