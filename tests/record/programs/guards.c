/* A spin lock and a read-write lock between the first thread and a worker, under MPI_THREAD_FUNNELED. The first thread
 * writes while the worker tries to read in vain, then waits to. */
#include <pthread.h>

#include "program.h"

static pthread_spinlock_t spin;
static pthread_rwlock_t guard;
static int tried; /* the worker has */

static void *work(void *unused)
{
    struct timespec until;
    if (pthread_rwlock_tryrdlock(&guard) == 0) exit(1);
    __atomic_store_n(&tried, 1, __ATOMIC_RELEASE);
    if (pthread_rwlock_rdlock(&guard) != 0) exit(1);
    if (pthread_rwlock_tryrdlock(&guard) != 0) exit(1); /* readers share, also with themselves */
    pthread_rwlock_unlock(&guard);
    pthread_rwlock_unlock(&guard);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 100;
    if (pthread_rwlock_timedwrlock(&guard, &until) != 0) exit(1);
    if (pthread_spin_trylock(&spin) != 0) exit(1);
    pthread_spin_unlock(&spin);
    pthread_rwlock_unlock(&guard);
    return unused;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t worker;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_rwlock_init(&guard, NULL);
    pthread_rwlock_wrlock(&guard);
    pthread_spin_lock(&spin);
    if (pthread_create(&worker, NULL, work, NULL) != 0) return 1;
    while (!__atomic_load_n(&tried, __ATOMIC_ACQUIRE)) compute_ms(1);
    pthread_spin_unlock(&spin);
    pthread_rwlock_unlock(&guard);
    pthread_join(worker, NULL);
    pthread_rwlock_destroy(&guard);
    pthread_spin_destroy(&spin);
    MPI_Finalize();
    return 0;
}
