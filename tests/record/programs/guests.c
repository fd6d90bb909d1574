/* What programs do to a recorder that is a guest in their process: WAY is
 *   close     closes the descriptors that it did not open, and opens files of its own, as daemons do
 *   unset     removes from its environment what it did not set
 *   truncate  rank 0's tail file is cut; meanwhile a handler of SIGBUS is installed
 *   bus       its own SIGBUS goes to its own handler, which ends it with status 5
 *   die       its own SIGBUS ends it
 *   see       asks for the actions of signals, sets one, and puts back what it found: all as if it were alone
 *   limit     computes until the kernel ends it, for its limit of CPU time
 *   cancel    threads that only make groups are cancelled, 60 of them
 *   long      writes its process id to pid-RANK, ignores SIGHUP, and runs on for 30 s
 * Each rank calls MPI_Init_thread, 20000 times MPI_Barrier, MPI_Finalize; long: more barriers. */
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BARRIERS = 20000, FILES = 4 };

static void close_others(int rank)
{
    char name[64], target[4096];
    for (int file = 3; file < 256; file++) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", file);
        ssize_t length = readlink(name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        if (strstr(target, ".spool") || strstr(target, ".tail")) close(file);
    }
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "own-%d-%d", rank, i);
        int file = open(name, O_CREAT | O_RDWR | O_TRUNC, 0644);
        if (file < 0 || dprintf(file, "data of the program\n") < 0) exit(1);
    }
}

static void cut(const char *spool)
{
    char path[8192];
    int length = snprintf(path, sizeof path, "%s/rank-000000.tail", spool);
    if (length >= (int)sizeof path || truncate(path, 0) != 0) exit(1);
}

static void on_bus(int number)
{
    (void)number;
    _exit(5);
}

static void fault(void)
{
    char name[] = "cut-XXXXXX";
    int file = mkstemp(name);
    if (file < 0) exit(1);
    volatile char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    unlink(name);
    *memory = 1;
}

static void on_end(int number)
{
    (void)number;
    _exit(6);
}

static int is_action(int number, void (*expected)(int))
{
    struct sigaction found;
    return sigaction(number, NULL, &found) == 0 && !(found.sa_flags & SA_SIGINFO) && found.sa_handler == expected;
}

static void see(void)
{
    struct sigaction own = {.sa_handler = on_end}, found;
    Dl_info of;
    for (int number = 1; number < 32; number++)
        if (sigaction(number, NULL, &found) != 0 || (dladdr((void *)found.sa_handler, &of) && strstr(of.dli_fname, "rmacast")))
            exit(3);
    if (!is_action(SIGTERM, SIG_DFL) || sigaction(SIGTERM, &own, &found) != 0) exit(3);
    if (found.sa_handler != SIG_DFL || !is_action(SIGTERM, on_end) || sigaction(SIGTERM, &found, NULL) != 0) exit(3);
    if (!is_action(SIGTERM, SIG_DFL) || signal(SIGINT, on_end) != SIG_DFL || signal(SIGINT, SIG_DFL) != on_end) exit(3);
    if (sigaction(SIGKILL, &own, NULL) == 0 || sigaction(1000, NULL, &found) == 0 || signal(SIGSTOP, on_end) != SIG_ERR) exit(3);
    raise(SIGTERM);
}

static void compute(void)
{
    const struct rlimit limit = {.rlim_cur = 1, .rlim_max = 20};
    if (setrlimit(RLIMIT_CPU, &limit) != 0) exit(1);
    for (volatile unsigned i = 0;; i++) continue;
}

static void run_on(int rank)
{
    char name[64];
    signal(SIGHUP, SIG_IGN);
    snprintf(name, sizeof name, "pid-%d", rank);
    FILE *out = fopen(name, "w");
    if (!out || fprintf(out, "%d\n", (int)getpid()) < 0 || fclose(out) != 0) exit(1);
    for (int i = 0; i < 3000; i++) {
        usleep(10000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Its only cancellation point is pthread_testcancel(). */
static void *make_groups(void *unused)
{
    for (MPI_Group group;; pthread_testcancel()) {
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        MPI_Group_free(&group);
    }
    return unused;
}

static void cancel_threads(void)
{
    for (int i = 0; i < 60; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, make_groups, NULL) != 0) exit(1);
        usleep((useconds_t)(2000 + i * 7));
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "", *spool = getenv("RMACAST_SPOOL");
    char kept[4096];
    int rank;
    snprintf(kept, sizeof kept, "%s", spool ? spool : "");
    if (strcmp(way, "bus") == 0) signal(SIGBUS, on_bus);
    if (strcmp(way, "unset") == 0) {
        unsetenv("RMACAST_SPOOL");
        unsetenv("RMACAST_CALLS");
        unsetenv("LD_PRELOAD");
    }
    int level = strcmp(way, "cancel") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, level, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(way, "see") == 0) see();
    if (strcmp(way, "close") == 0) close_others(rank);
    if (strcmp(way, "truncate") == 0) signal(SIGBUS, on_bus);
    if (strcmp(way, "long") == 0) run_on(rank);
    if (strcmp(way, "limit") == 0) compute();
    if (strcmp(way, "cancel") == 0) cancel_threads();
    for (int i = 0; i < BARRIERS; i++) {
        if (strcmp(way, "truncate") == 0 && i == BARRIERS - 100 && rank == 0) cut(kept);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if ((strcmp(way, "bus") == 0 || strcmp(way, "die") == 0) && rank == 0) fault();
    MPI_Finalize();
    return 0;
}
