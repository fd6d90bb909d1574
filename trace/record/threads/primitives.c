/* librmacast-threads.so: wrappers of the POSIX thread primitives, preloaded with the recorder on request.
 *
 * A wrapper calls the function itself, and reports calls of the program and its libraries to the recorder. It does not
 * report calls that the C library, the MPI library or the libraries under it make (trace/record/preload/outside.def),
 * nor calls inside an MPI call. */
#include "trace/record/threads/primitives.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record/threads/thread_objects.h"

#define EXPORT __attribute__((visibility("default")))

static const struct rec_primitive_hooks *hooks;

EXPORT void rmacast_threads_attach(const struct rec_primitive_hooks *given)
{
    __atomic_store_n(&hooks, given, __ATOMIC_RELEASE);
}

/* The C library has old versions of conditions' functions, which know another pthread_cond_t. */
static void *find_function(const char *name)
{
    static __thread bool finding; /* dlsym may lock, and so come here again */
    if (finding) return NULL;
    finding = true;
    void *found = strncmp(name, "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    if (!found) found = dlsym(RTLD_NEXT, name);
    finding = false;
    return found;
}

#define REAL(NAME)                                                                                                     \
    static __typeof__(NAME) *real_##NAME;                                                                              \
    static __typeof__(NAME) *get_##NAME(void)                                                                          \
    {                                                                                                                  \
        if (!__atomic_load_n(&real_##NAME, __ATOMIC_RELAXED)) {                                                        \
            void *found = find_function(#NAME);                                                                        \
            __typeof__(NAME) *function;                                                                                \
            memcpy(&function, &found, sizeof function);                                                                \
            __atomic_store_n(&real_##NAME, function, __ATOMIC_RELAXED);                                                \
        }                                                                                                              \
        return real_##NAME;                                                                                            \
    }

/* While the function itself is looked for there is one thread, or the lock is the loader's own affair. */
#define CALL(NAME, ...) (get_##NAME() ? real_##NAME(__VA_ARGS__) : 0)

/* Begins to record; false: the function alone is called. */
static bool begin(struct rec_primitive_call *call, const struct rec_primitive_hooks **by)
{
    *by = __atomic_load_n(&hooks, __ATOMIC_ACQUIRE);
    if (!*by || !rec_site_is_inside(call->site)) return false;
    int before = errno;
    bool recorded = (*by)->enter(call);
    errno = before;
    return recorded;
}

static void end_call(const struct rec_primitive_hooks *by, const struct rec_primitive_call *call, bool flag,
                     bool failed)
{
    int before = errno;
    by->leave(call, flag, failed);
    errno = before;
}

#define SITE __builtin_return_address(0)

/* ROW: as which row it is recorded. GOOD: it did what its name says; PLAIN: it did not, and that is no failure. */
#define WRAPPER(NAME, ROW, PARAMETERS, ARGUMENTS, OBJECT, VALUE, GOOD, PLAIN)                                          \
    REAL(NAME)                                                                                                         \
    EXPORT int NAME PARAMETERS                                                                                         \
    {                                                                                                                  \
        const struct rec_primitive_hooks *by = __atomic_load_n(&hooks, __ATOMIC_RELAXED);                              \
        if (!by) return CALL ARGUMENTS;                                                                                \
        struct rec_primitive_call call = {.row = REC_ROW_##ROW, .value = REC_NO_VALUE, .site = SITE};                  \
        if (!rec_site_is_inside(call.site)) return CALL ARGUMENTS;                                                     \
        OBJECT;                                                                                                        \
        VALUE;                                                                                                         \
        if (!begin(&call, &by)) return CALL ARGUMENTS;                                                                 \
        int result = CALL ARGUMENTS;                                                                                   \
        bool good = (GOOD);                                                                                            \
        end_call(by, &call, good, !good && !(PLAIN));                                                                  \
        return result;                                                                                                 \
    }

#define IS(SORT, ADDRESS) call.object = rec_object(REC_##SORT, (ADDRESS), NULL)
#define NOTHING           (void)0
#define LOCKED            (result == 0 || result == EOWNERDEAD)

WRAPPER(pthread_mutex_lock, pthread_mutex_lock, (pthread_mutex_t * mutex), (pthread_mutex_lock, mutex),
        IS(MUTEX, mutex), NOTHING, LOCKED, false)
WRAPPER(pthread_mutex_trylock, pthread_mutex_trylock, (pthread_mutex_t * mutex), (pthread_mutex_trylock, mutex),
        IS(MUTEX, mutex), NOTHING, LOCKED, result == EBUSY)
WRAPPER(pthread_mutex_timedlock, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until),
        (pthread_mutex_timedlock, mutex, until), IS(MUTEX, mutex), NOTHING, LOCKED, result == ETIMEDOUT)
WRAPPER(pthread_mutex_clocklock, pthread_mutex_timedlock,
        (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until),
        (pthread_mutex_clocklock, mutex, clock, until), IS(MUTEX, mutex), NOTHING, LOCKED, result == ETIMEDOUT)
WRAPPER(pthread_mutex_unlock, pthread_mutex_unlock, (pthread_mutex_t * mutex), (pthread_mutex_unlock, mutex),
        IS(MUTEX, mutex), NOTHING, result == 0, false)
WRAPPER(pthread_cond_wait, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex),
        (pthread_cond_wait, condition, mutex), IS(CONDITION, condition),
        call.value = rec_object(REC_MUTEX, mutex, NULL), LOCKED, false)
WRAPPER(pthread_cond_timedwait, pthread_cond_timedwait,
        (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until),
        (pthread_cond_timedwait, condition, mutex, until), IS(CONDITION, condition),
        call.value = rec_object(REC_MUTEX, mutex, NULL), LOCKED, result == ETIMEDOUT)
WRAPPER(pthread_cond_clockwait, pthread_cond_timedwait,
        (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until),
        (pthread_cond_clockwait, condition, mutex, clock, until), IS(CONDITION, condition),
        call.value = rec_object(REC_MUTEX, mutex, NULL), LOCKED, result == ETIMEDOUT)
WRAPPER(pthread_cond_signal, pthread_cond_signal, (pthread_cond_t * condition), (pthread_cond_signal, condition),
        IS(CONDITION, condition), NOTHING, result == 0, false)
WRAPPER(pthread_cond_broadcast, pthread_cond_broadcast, (pthread_cond_t * condition),
        (pthread_cond_broadcast, condition), IS(CONDITION, condition), NOTHING, result == 0, false)
WRAPPER(pthread_barrier_wait, pthread_barrier_wait, (pthread_barrier_t * barrier), (pthread_barrier_wait, barrier),
        IS(BARRIER, barrier), call.value = rec_barrier_parties(barrier),
        result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD, false)

#define SPINS call.object = rec_object(REC_SPIN, (const void *)(uintptr_t)lock, NULL)
WRAPPER(pthread_spin_lock, pthread_spin_lock, (pthread_spinlock_t * lock), (pthread_spin_lock, lock), SPINS, NOTHING,
        result == 0, false)
WRAPPER(pthread_spin_trylock, pthread_spin_trylock, (pthread_spinlock_t * lock), (pthread_spin_trylock, lock), SPINS,
        NOTHING, result == 0, result == EBUSY)
WRAPPER(pthread_spin_unlock, pthread_spin_unlock, (pthread_spinlock_t * lock), (pthread_spin_unlock, lock), SPINS,
        NOTHING, result == 0, false)

WRAPPER(pthread_rwlock_rdlock, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (pthread_rwlock_rdlock, lock),
        IS(RWLOCK, lock), NOTHING, result == 0, false)
WRAPPER(pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (pthread_rwlock_tryrdlock, lock),
        IS(RWLOCK, lock), NOTHING, result == 0, result == EBUSY)
WRAPPER(pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const struct timespec *until),
        (pthread_rwlock_timedrdlock, lock, until), IS(RWLOCK, lock), NOTHING, result == 0, result == ETIMEDOUT)
WRAPPER(pthread_rwlock_clockrdlock, pthread_rwlock_timedrdlock,
        (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
        (pthread_rwlock_clockrdlock, lock, clock, until), IS(RWLOCK, lock), NOTHING, result == 0, result == ETIMEDOUT)
WRAPPER(pthread_rwlock_wrlock, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (pthread_rwlock_wrlock, lock),
        IS(RWLOCK, lock), NOTHING, result == 0, false)
WRAPPER(pthread_rwlock_trywrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (pthread_rwlock_trywrlock, lock),
        IS(RWLOCK, lock), NOTHING, result == 0, result == EBUSY)
WRAPPER(pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const struct timespec *until),
        (pthread_rwlock_timedwrlock, lock, until), IS(RWLOCK, lock), NOTHING, result == 0, result == ETIMEDOUT)
WRAPPER(pthread_rwlock_clockwrlock, pthread_rwlock_timedwrlock,
        (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
        (pthread_rwlock_clockwrlock, lock, clock, until), IS(RWLOCK, lock), NOTHING, result == 0, result == ETIMEDOUT)
WRAPPER(pthread_rwlock_unlock, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (pthread_rwlock_unlock, lock),
        IS(RWLOCK, lock), NOTHING, result == 0, false)

static void semaphore(struct rec_primitive_call *call, sem_t *of)
{
    int value = 0;
    bool made;
    call->object = rec_object(REC_SEMAPHORE, of, &made);
    if (made && sem_getvalue(of, &value) == 0) call->value = value;
}

WRAPPER(sem_wait, sem_wait, (sem_t * of), (sem_wait, of), semaphore(&call, of), NOTHING, result == 0, false)
WRAPPER(sem_trywait, sem_trywait, (sem_t * of), (sem_trywait, of), semaphore(&call, of), NOTHING, result == 0,
        errno == EAGAIN)
WRAPPER(sem_timedwait, sem_timedwait, (sem_t * of, const struct timespec *until), (sem_timedwait, of, until),
        semaphore(&call, of), NOTHING, result == 0, errno == ETIMEDOUT)
WRAPPER(sem_clockwait, sem_timedwait, (sem_t * of, clockid_t clock, const struct timespec *until),
        (sem_clockwait, of, clock, until), semaphore(&call, of), NOTHING, result == 0, errno == ETIMEDOUT)
WRAPPER(sem_post, sem_post, (sem_t * of), (sem_post, of), semaphore(&call, of), NOTHING, result == 0, false)

/* What makes or ends an object: another one may have its address afterwards. */
#define FORGETS(NAME, SORT, PARAMETERS, ARGUMENTS, ADDRESS, PARTIES)                                                   \
    REAL(NAME)                                                                                                         \
    EXPORT int NAME PARAMETERS                                                                                         \
    {                                                                                                                  \
        rec_object_forget(REC_##SORT, (ADDRESS), (PARTIES));                                                           \
        return CALL ARGUMENTS;                                                                                         \
    }
FORGETS(pthread_mutex_destroy, MUTEX, (pthread_mutex_t * mutex), (pthread_mutex_destroy, mutex), mutex, 0)
FORGETS(pthread_mutex_init, MUTEX, (pthread_mutex_t * mutex, const pthread_mutexattr_t *how),
        (pthread_mutex_init, mutex, how), mutex, 0)
FORGETS(pthread_cond_destroy, CONDITION, (pthread_cond_t * condition), (pthread_cond_destroy, condition), condition, 0)
FORGETS(pthread_cond_init, CONDITION, (pthread_cond_t * condition, const pthread_condattr_t *how),
        (pthread_cond_init, condition, how), condition, 0)
FORGETS(pthread_barrier_destroy, BARRIER, (pthread_barrier_t * barrier), (pthread_barrier_destroy, barrier), barrier, 0)
FORGETS(pthread_barrier_init, BARRIER,
        (pthread_barrier_t * barrier, const pthread_barrierattr_t *how, unsigned parties),
        (pthread_barrier_init, barrier, how, parties), barrier, parties)
FORGETS(sem_destroy, SEMAPHORE, (sem_t * of), (sem_destroy, of), of, 0)
FORGETS(sem_init, SEMAPHORE, (sem_t * of, int shared, unsigned value), (sem_init, of, shared, value), of, 0)
FORGETS(pthread_spin_destroy, SPIN, (pthread_spinlock_t * lock), (pthread_spin_destroy, lock),
        (const void *)(uintptr_t)lock, 0)
FORGETS(pthread_spin_init, SPIN, (pthread_spinlock_t * lock, int shared), (pthread_spin_init, lock, shared),
        (const void *)(uintptr_t)lock, 0)
FORGETS(pthread_rwlock_destroy, RWLOCK, (pthread_rwlock_t * lock), (pthread_rwlock_destroy, lock), lock, 0)
FORGETS(pthread_rwlock_init, RWLOCK, (pthread_rwlock_t * lock, const pthread_rwlockattr_t *how),
        (pthread_rwlock_init, lock, how), lock, 0)

/* A thread's own function, and its number. */
struct start {
    void *(*function)(void *);
    void *argument;
    uint32_t number;
    const struct rec_primitive_hooks *by;
};

static void *run(void *data)
{
    struct start start = *(struct start *)data;
    free(data);
    start.by->begin_thread(start.number);
    return start.function(start.argument);
}

REAL(pthread_create)

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*function)(void *), void *argument)
{
    const struct rec_primitive_hooks *by;
    struct rec_primitive_call call = {.row = REC_ROW_pthread_create, .value = REC_NO_VALUE, .site = SITE};
    by = __atomic_load_n(&hooks, __ATOMIC_ACQUIRE);
    bool inside = by && rec_site_is_inside(call.site);
    struct start *start = inside ? malloc(sizeof *start) : NULL;
    call.object = start ? by->number() : REC_NO_OBJECT;
    if (call.object == REC_NO_OBJECT || !begin(&call, &by)) {
        free(start);
        return CALL(pthread_create, thread, how, function, argument);
    }
    *start = (struct start){function, argument, call.object, by};
    int result = CALL(pthread_create, thread, how, run, start);
    if (result != 0) free(start);
    if (result == 0) rec_thread_put(*thread, call.object);
    end_call(by, &call, result == 0, result != 0);
    return result;
}

REAL(pthread_join)

EXPORT int pthread_join(pthread_t thread, void **value)
{
    const struct rec_primitive_hooks *by;
    struct rec_primitive_call call = {.row = REC_ROW_pthread_join, .value = REC_NO_VALUE, .site = SITE};
    call.object = rec_thread_take(thread);
    if (!begin(&call, &by)) return CALL(pthread_join, thread, value);
    int result = CALL(pthread_join, thread, value);
    end_call(by, &call, result == 0, result != 0);
    return result;
}
