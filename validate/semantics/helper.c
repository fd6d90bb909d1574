/* Progress by a thread: it takes notices and sends copies while the program computes. Each wrapped call of the program holds a
 * lock, so that this library's state has one user at a time. Other calls of the program meet the thread inside the MPI
 * library: it has to run with MPI_THREAD_MULTIPLE. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "validate/semantics/semantics.h"

/* Between two looks: short against a message between nodes, long enough to leave the core to the program. */
enum { LOOK_EVERY_NS = 50000 };

static pthread_t thread;
static pthread_mutex_t lock; /* recursive: an error handler or a reduction of the program's may call MPI */
static bool runs;
static atomic_bool ends;
static int program_level = MPI_THREAD_SINGLE; /* what the program asked for */

int sem_program_level(void)
{
    int level = program_level;
    if (!sem_settings.helper) sem_mpi.Query_thread(&level);
    return level;
}

__attribute__((visibility("default"))) int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    if (!sem_mpi.Init_thread) sem_mpi_find();
    program_level = required;
    bool raised = sem_settings.helper && required < MPI_THREAD_MULTIPLE;
    int code = sem_mpi.Init_thread(argc, argv, raised ? MPI_THREAD_MULTIPLE : required, provided);
    if (raised && *provided > required) *provided = required;
    return code;
}
extern __attribute__((visibility("default"))) __typeof__(MPI_Init_thread) PMPI_Init_thread
    __attribute__((alias("MPI_Init_thread")));

bool sem_enter(void)
{
    return runs && pthread_mutex_lock(&lock) == 0;
}

void sem_leave(bool entered)
{
    if (entered) pthread_mutex_unlock(&lock);
}

static void *run_helper(void *unused)
{
    const struct timespec pause = {.tv_nsec = LOOK_EVERY_NS};
    (void)unused;
    while (!atomic_load(&ends)) {
        if (pthread_mutex_trylock(&lock) == 0) {
            sem_progress();
            pthread_mutex_unlock(&lock);
        }
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static bool start_thread(void)
{
    pthread_mutexattr_t recursive;
    if (pthread_mutexattr_init(&recursive) != 0) return false;
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    bool made = pthread_mutex_init(&lock, &recursive) == 0;
    pthread_mutexattr_destroy(&recursive);
    return made && pthread_create(&thread, NULL, run_helper, NULL) == 0;
}

void sem_helper_begin(void)
{
    static bool tried;
    int level, rank;
    if (!sem_settings.helper || tried) return;
    tried = true;
    sem_mpi.Query_thread(&level);
    runs = level == MPI_THREAD_MULTIPLE && start_thread();
    if (runs) return;
    sem_mpi.Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        dprintf(STDERR_FILENO, "rmacast: semantics: RMACAST_PROGRESS=thread: %s, progress is made in MPI calls\n",
                level == MPI_THREAD_MULTIPLE ? "the thread cannot be made" : "the MPI library has no MPI_THREAD_MULTIPLE");
}

void sem_helper_end(void)
{
    if (!runs) return;
    atomic_store(&ends, true);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock); /* its call leaves it */
    runs = false;
}
