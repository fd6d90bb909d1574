#include "trace/record/threads/creation.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static __thread struct rec_creation own;
static const struct rec_life_hooks *hooks;

void rmacast_creations_attach(const struct rec_life_hooks *given)
{
    __atomic_store_n(&hooks, given, __ATOMIC_RELEASE);
}

const struct rec_creation *rmacast_creation(void)
{
    return &own;
}

#define NEXT(NAME)                                                                                                     \
    static __typeof__(NAME) *next_##NAME(void)                                                                         \
    {                                                                                                                  \
        static __typeof__(NAME) *known;                                                                                \
        __typeof__(NAME) *next = __atomic_load_n(&known, __ATOMIC_RELAXED);                                            \
        if (next) return next;                                                                                         \
        void *found = dlsym(RTLD_NEXT, #NAME);                                                                         \
        memcpy(&next, &found, sizeof next);                                                                            \
        __atomic_store_n(&known, next, __ATOMIC_RELAXED);                                                              \
        return next;                                                                                                   \
    }
NEXT(pthread_create)
NEXT(pthread_join)

struct start {
    void *(*function)(void *);
    void *argument;
    struct rec_creation creation;
    const struct rec_life_hooks *by;
};

static void *run_thread(void *data)
{
    struct start start = *(struct start *)data;
    free(data);
    own = start.creation;
    own.began = start.by->begin();
    return start.function(start.argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*function)(void *), void *argument)
{
    __typeof__(pthread_create) *create = next_pthread_create();
    /* Without hooks, nothing is known of the thread that is created here. */
    const struct rec_life_hooks *by = __atomic_load_n(&hooks, __ATOMIC_ACQUIRE);
    struct rec_creation made = own;
    int before = errno;
    if (by) by->create(&made, __builtin_return_address(0));
    struct start *start = by && made.site ? malloc(sizeof *start) : NULL;
    errno = before;
    if (!create) {
        free(start);
        return EAGAIN;
    }
    if (!start) return create(thread, how, function, argument);
    *start = (struct start){function, argument, made, by};
    int result = create(thread, how, run_thread, start);
    if (result != 0) free(start);
    return result;
}

EXPORT int pthread_join(pthread_t thread, void **value)
{
    __typeof__(pthread_join) *join = next_pthread_join();
    const struct rec_life_hooks *by = __atomic_load_n(&hooks, __ATOMIC_ACQUIRE);
    int before = errno;
    bool recorded = by && by->join(__builtin_return_address(0));
    errno = before;
    int result = join ? join(thread, value) : ESRCH;
    before = errno;
    if (recorded) by->joined(thread, result == 0);
    errno = before;
    return result;
}
