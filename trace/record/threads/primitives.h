/* Between the two libraries that --threads preloads: librmacast-threads.so wraps the thread primitives and knows their
 * objects, the recorder writes the buffers. The recorder finds rmacast_threads_attach() when MPI is initialised and
 * hands over its functions; before that, and without it, the wrappers only pass calls on. */
#ifndef TRACE_RECORD_THREADS_PRIMITIVES_H
#define TRACE_RECORD_THREADS_PRIMITIVES_H

#include <stdbool.h>
#include <stdint.h>

enum rec_primitive {
#define THREAD_CALL(NAME, KIND, NEEDED, ALLOWED) REC_ROW_##NAME,
#include "trace/calls/thread_calls.def"
#undef THREAD_CALL
    REC_PRIMITIVES
};

#define REC_NO_OBJECT UINT32_MAX
#define REC_NO_VALUE INT64_C(-1)

struct rec_primitive_call {
    enum rec_primitive row;
    uint32_t object; /* or the thread that is created or joined; REC_NO_OBJECT unknown */
    int64_t value;   /* mutex, parties or value of a semaphore; REC_NO_VALUE none */
    const void *site;
};

struct rec_primitive_hooks {
    /* True: the call is recorded, and leave() must follow in the same thread. */
    bool (*enter)(const struct rec_primitive_call *call);
    void (*leave)(const struct rec_primitive_call *call, bool flag, bool failed);
    uint32_t (*number)(void);            /* of a thread that is going to be created; REC_NO_OBJECT: too many */
    void (*begin_thread)(uint32_t number); /* in that thread */
};

/* The hooks stay valid. */
void rmacast_threads_attach(const struct rec_primitive_hooks *hooks);

#endif
