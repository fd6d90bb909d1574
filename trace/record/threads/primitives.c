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
static bool begin_primitive(struct rec_primitive_call *call, const struct rec_primitive_hooks **by)
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
        if (!begin_primitive(&call, &by)) return CALL ARGUMENTS;                                                       \
        int result = CALL ARGUMENTS;                                                                                   \
        bool good = (GOOD);                                                                                            \
        end_call(by, &call, good, !good && !(PLAIN));                                                                  \
        return result;                                                                                                 \
    }

#define IS(SORT)    call.object = rec_object(REC_##SORT, (const void *)(uintptr_t)object, NULL)
#define IS_SEMAPHORE set_semaphore(&call, object)
#define NOTHING     (void)0
#define WITH_MUTEX  call.value = rec_object(REC_MUTEX, mutex, NULL)
#define DONE        (result == 0)
#define LOCKED      (result == 0 || result == EOWNERDEAD)

/* By what follows the object: nothing, a time, the clock that it is of and a time. */
#define ALONE(NAME, TYPE, OBJECT, GOOD, PLAIN)                                                                         \
    WRAPPER(NAME, NAME, (TYPE * object), (NAME, object), OBJECT, NOTHING, GOOD, PLAIN)
#define TIMED(NAME, TYPE, OBJECT, GOOD, PLAIN)                                                                         \
    WRAPPER(NAME, NAME, (TYPE * object, const struct timespec *until), (NAME, object, until), OBJECT, NOTHING, GOOD,   \
            PLAIN)
#define CLOCKED(NAME, ROW, TYPE, OBJECT, GOOD, PLAIN)                                                                  \
    WRAPPER(NAME, ROW, (TYPE * object, clockid_t clock, const struct timespec *until), (NAME, object, clock, until),   \
            OBJECT, NOTHING, GOOD, PLAIN)

ALONE(pthread_mutex_lock, pthread_mutex_t, IS(MUTEX), LOCKED, false)
ALONE(pthread_mutex_trylock, pthread_mutex_t, IS(MUTEX), LOCKED, result == EBUSY)
TIMED(pthread_mutex_timedlock, pthread_mutex_t, IS(MUTEX), LOCKED, result == ETIMEDOUT)
CLOCKED(pthread_mutex_clocklock, pthread_mutex_timedlock, pthread_mutex_t, IS(MUTEX), LOCKED, result == ETIMEDOUT)
ALONE(pthread_mutex_unlock, pthread_mutex_t, IS(MUTEX), DONE, false)

WRAPPER(pthread_cond_wait, pthread_cond_wait, (pthread_cond_t * object, pthread_mutex_t *mutex),
        (pthread_cond_wait, object, mutex), IS(CONDITION), WITH_MUTEX, LOCKED, false)
WRAPPER(pthread_cond_timedwait, pthread_cond_timedwait,
        (pthread_cond_t * object, pthread_mutex_t *mutex, const struct timespec *until),
        (pthread_cond_timedwait, object, mutex, until), IS(CONDITION), WITH_MUTEX, LOCKED, result == ETIMEDOUT)
WRAPPER(pthread_cond_clockwait, pthread_cond_timedwait,
        (pthread_cond_t * object, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until),
        (pthread_cond_clockwait, object, mutex, clock, until), IS(CONDITION), WITH_MUTEX, LOCKED, result == ETIMEDOUT)
ALONE(pthread_cond_signal, pthread_cond_t, IS(CONDITION), DONE, false)
ALONE(pthread_cond_broadcast, pthread_cond_t, IS(CONDITION), DONE, false)
WRAPPER(pthread_barrier_wait, pthread_barrier_wait, (pthread_barrier_t * object), (pthread_barrier_wait, object),
        IS(BARRIER), call.value = rec_barrier_parties(object),
        result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD, false)

ALONE(pthread_spin_lock, pthread_spinlock_t, IS(SPIN), DONE, false)
ALONE(pthread_spin_trylock, pthread_spinlock_t, IS(SPIN), DONE, result == EBUSY)
ALONE(pthread_spin_unlock, pthread_spinlock_t, IS(SPIN), DONE, false)

#define RWLOCKS(SIDE)                                                                                                  \
    ALONE(pthread_rwlock_##SIDE, pthread_rwlock_t, IS(RWLOCK), DONE, false)                                            \
    ALONE(pthread_rwlock_try##SIDE, pthread_rwlock_t, IS(RWLOCK), DONE, result == EBUSY)                               \
    TIMED(pthread_rwlock_timed##SIDE, pthread_rwlock_t, IS(RWLOCK), DONE, result == ETIMEDOUT)                         \
    CLOCKED(pthread_rwlock_clock##SIDE, pthread_rwlock_timed##SIDE, pthread_rwlock_t, IS(RWLOCK), DONE,                \
            result == ETIMEDOUT)
RWLOCKS(rdlock)
RWLOCKS(wrlock)
ALONE(pthread_rwlock_unlock, pthread_rwlock_t, IS(RWLOCK), DONE, false)

static void set_semaphore(struct rec_primitive_call *call, sem_t *of)
{
    int value = 0;
    bool made;
    call->object = rec_object(REC_SEMAPHORE, of, &made);
    if (made && sem_getvalue(of, &value) == 0) call->value = value;
}

ALONE(sem_wait, sem_t, IS_SEMAPHORE, DONE, false)
ALONE(sem_trywait, sem_t, IS_SEMAPHORE, DONE, errno == EAGAIN)
TIMED(sem_timedwait, sem_t, IS_SEMAPHORE, DONE, errno == ETIMEDOUT)
CLOCKED(sem_clockwait, sem_timedwait, sem_t, IS_SEMAPHORE, DONE, errno == ETIMEDOUT)
ALONE(sem_post, sem_t, IS_SEMAPHORE, DONE, false)

/* Calls that make or destroy an object: another object may have its address afterwards. */
#define FORGETS(NAME, SORT, PARAMETERS, ARGUMENTS, PARTIES)                                                            \
    REAL(NAME)                                                                                                         \
    EXPORT int NAME PARAMETERS                                                                                         \
    {                                                                                                                  \
        rec_object_forget(REC_##SORT, (const void *)(uintptr_t)object, (PARTIES));                                     \
        return CALL ARGUMENTS;                                                                                         \
    }
#define ENDS(NAME, SORT, TYPE)       FORGETS(NAME, SORT, (TYPE * object), (NAME, object), 0)
#define MAKES(NAME, SORT, TYPE, HOW) FORGETS(NAME, SORT, (TYPE * object, HOW how), (NAME, object, how), 0)
ENDS(pthread_mutex_destroy, MUTEX, pthread_mutex_t)
MAKES(pthread_mutex_init, MUTEX, pthread_mutex_t, const pthread_mutexattr_t *)
ENDS(pthread_cond_destroy, CONDITION, pthread_cond_t)
MAKES(pthread_cond_init, CONDITION, pthread_cond_t, const pthread_condattr_t *)
ENDS(pthread_barrier_destroy, BARRIER, pthread_barrier_t)
FORGETS(pthread_barrier_init, BARRIER,
        (pthread_barrier_t * object, const pthread_barrierattr_t *how, unsigned parties),
        (pthread_barrier_init, object, how, parties), parties)
ENDS(sem_destroy, SEMAPHORE, sem_t)
FORGETS(sem_init, SEMAPHORE, (sem_t * object, int shared, unsigned value), (sem_init, object, shared, value), 0)
ENDS(pthread_spin_destroy, SPIN, pthread_spinlock_t)
MAKES(pthread_spin_init, SPIN, pthread_spinlock_t, int)
ENDS(pthread_rwlock_destroy, RWLOCK, pthread_rwlock_t)
MAKES(pthread_rwlock_init, RWLOCK, pthread_rwlock_t, const pthread_rwlockattr_t *)

/* A thread's own function, and its number. */
struct start {
    void *(*function)(void *);
    void *argument;
    uint32_t number;
    const struct rec_primitive_hooks *by;
};

static void *run_thread(void *data)
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
    if (call.object == REC_NO_OBJECT || !begin_primitive(&call, &by)) {
        free(start);
        return CALL(pthread_create, thread, how, function, argument);
    }
    *start = (struct start){function, argument, call.object, by};
    int result = CALL(pthread_create, thread, how, run_thread, start);
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
    if (!begin_primitive(&call, &by)) return CALL(pthread_join, thread, value);
    int result = CALL(pthread_join, thread, value);
    end_call(by, &call, result == 0, result != 0);
    return result;
}
