/* Who created a thread, and when. The library that is preloaded wraps pthread_create and keeps this beside each thread;
 * the recorder says it in the thread's buffer when the thread makes its first recorded call. So a thread that never
 * calls MPI costs its creator one small allocation. Threads that were created before MPI was initialised, inside a call
 * of MPI, or past pthread_create (clone, thrd_create) have none. */
#ifndef TRACE_RECORD_THREADS_CREATION_H
#define TRACE_RECORD_THREADS_CREATION_H

#include <stdint.h>

/* Of the creation of this thread, or of the nearest thread above it whose creator was recorded then. */
struct rec_creation {
    const void *site; /* in the creator, NULL: not known */
    uint64_t since;   /* time since the base of the creator's buffer */
    uint32_t creator;
};

/* In the thread that is about to create one: `made` is its own creation, and becomes that of the new thread. */
typedef void rec_creation_note(struct rec_creation *made, const void *site);

/* From now on creations are noted. */
extern void rmacast_creations_attach(rec_creation_note *note) __attribute__((weak, visibility("default")));
/* Of the calling thread. */
extern const struct rec_creation *rmacast_creation(void) __attribute__((weak, visibility("default")));

#endif
