/* Instrumented functions that are left by longjmp, that run while recording is stopped, and in a second thread. */
#include <pthread.h>
#include <setjmp.h>

#include "program.h"

static jmp_buf back;

static void jump(int depth)
{
    if (depth > 0) jump(depth - 1);
    if (depth == 0) longjmp(back, 1);
}

static void land(void)
{
    if (setjmp(back) == 0) jump(2);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void leaf(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void stop(void)
{
    MPI_Pcontrol(0);
    leaf();
}

static void start(void)
{
    MPI_Pcontrol(1, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    leaf();
}

static void *work(void *unused)
{
    leaf();
    land();
    return unused;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t worker;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    for (int i = 0; i < 40; i++) land();
    stop();
    start();
    if (pthread_create(&worker, NULL, work, NULL) != 0) return 1;
    pthread_join(worker, NULL);
    MPI_Finalize();
    return level < MPI_THREAD_SERIALIZED;
}
