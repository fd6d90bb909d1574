// Instrumented C++ functions in threads that run at the same time, left by exceptions that run destructors on their way.
#include <mpi.h>

#include <stdexcept>
#include <thread>

enum { THREADS = 4, TIMES = 50 };

static void send(int tag)
{
    MPI_Send(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
}

struct Guard {
    int tag;
    explicit Guard(int number) : tag(number) {}
    ~Guard() { send(tag); }
};

static void fail(int depth)
{
    Guard guard(depth);
    if (depth == 0) throw std::runtime_error("planned");
    fail(depth - 1);
}

static void pass()
{
    try {
        fail(1);
    } catch (...) {
        send(10);
        throw;
    }
}

static void land()
{
    try {
        pass();
    } catch (const std::runtime_error &) {
        send(11);
    }
    send(12);
}

static void work()
{
    send(20);
    for (int i = 0; i < TIMES; i++) land();
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    std::thread workers[THREADS - 1];
    for (std::thread &worker : workers) worker = std::thread(work);
    work();
    for (std::thread &worker : workers) worker.join();
    MPI_Finalize();
    return level < MPI_THREAD_MULTIPLE;
}
