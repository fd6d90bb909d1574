#include "trace/record/threads/creation.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static __thread struct rec_creation own;
static rec_creation_note *note_creation;

void rmacast_creations_attach(rec_creation_note *note)
{
    __atomic_store_n(&note_creation, note, __ATOMIC_RELEASE);
}

const struct rec_creation *rmacast_creation(void)
{
    return &own;
}

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static create_function *next_create(void)
{
    static create_function *known;
    create_function *next = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (next) return next;
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&next, &found, sizeof next);
    __atomic_store_n(&known, next, __ATOMIC_RELAXED);
    return next;
}

struct start {
    void *(*function)(void *);
    void *argument;
    struct rec_creation creation;
};

static void *run_thread(void *data)
{
    struct start start = *(struct start *)data;
    free(data);
    own = start.creation;
    return start.function(start.argument);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *how,
                                                          void *(*function)(void *), void *argument)
{
    create_function *create = next_create();
    /* Without a note, nothing is known of the thread that is created here. */
    rec_creation_note *note = __atomic_load_n(&note_creation, __ATOMIC_ACQUIRE);
    struct rec_creation made = own;
    int before = errno;
    if (note) note(&made, __builtin_return_address(0));
    struct start *start = note && made.site ? malloc(sizeof *start) : NULL;
    if (start) start->creation = made;
    errno = before;
    if (!create) {
        free(start);
        return EAGAIN;
    }
    if (!start) return create(thread, how, function, argument);
    start->function = function;
    start->argument = argument;
    int result = create(thread, how, run_thread, start);
    if (result != 0) free(start);
    return result;
}
