/* The life of threads: who created one, and when; when it began; who waits for its end. The preloaded library wraps
 * pthread_create and pthread_join and stores creation and begin for each thread. The recorder writes them into the
 * thread's buffer at the thread's first recorded call. So a thread that never calls MPI costs its creator one small
 * allocation. Threads have no creation if they were created before MPI was initialised, inside a call of MPI, or
 * without pthread_create (clone, thrd_create). */
#ifndef TRACE_RECORD_THREADS_CREATION_H
#define TRACE_RECORD_THREADS_CREATION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The creation of this thread, or of the nearest ancestor whose creator was recorded then. */
struct rec_creation {
    const void *site; /* in the creator, NULL: not known */
    uint64_t since;   /* time since the base of the creator's buffer */
    uint64_t began;   /* stamp of its own begin */
    uint32_t creator;
};

struct rec_life_hooks {
    /* In the thread that is about to create one: `made` is its own creation, and becomes that of the new thread. */
    void (*create)(struct rec_creation *made, const void *site);
    uint64_t (*begin)(void); /* in the new thread: its stamp */
    /* Around a join. True: joined() follows, in the same thread. */
    bool (*join)(const void *site);
    void (*joined)(pthread_t thread, bool succeeded);
};

/* From now on; the hooks stay valid. */
extern void rmacast_creations_attach(const struct rec_life_hooks *hooks) __attribute__((weak, visibility("default")));
/* The creation of the calling thread. */
extern const struct rec_creation *rmacast_creation(void) __attribute__((weak, visibility("default")));

#endif
