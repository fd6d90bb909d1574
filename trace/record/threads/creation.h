/* The creation of a thread: its creator, and when. The preloaded library wraps pthread_create and stores this for each
 * thread. The recorder writes it into the thread's buffer at the thread's first recorded call. So a thread that never
 * calls MPI costs its creator one small allocation. Threads have no creation if they were created before MPI was
 * initialised, inside a call of MPI, or without pthread_create (clone, thrd_create). */
#ifndef TRACE_RECORD_THREADS_CREATION_H
#define TRACE_RECORD_THREADS_CREATION_H

#include <stdint.h>

/* The creation of this thread, or of the nearest ancestor whose creator was recorded then. */
struct rec_creation {
    const void *site; /* in the creator, NULL: not known */
    uint64_t since;   /* time since the base of the creator's buffer */
    uint32_t creator;
};

/* In the thread that is about to create one: `made` is its own creation, and becomes that of the new thread. */
typedef void rec_creation_note(struct rec_creation *made, const void *site);

/* From now on creations are noted. */
extern void rmacast_creations_attach(rec_creation_note *note) __attribute__((weak, visibility("default")));
/* The creation of the calling thread. */
extern const struct rec_creation *rmacast_creation(void) __attribute__((weak, visibility("default")));

#endif
