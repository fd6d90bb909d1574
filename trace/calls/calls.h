/* The tables of calls (trace/calls/mpi_calls.def, trace/calls/thread_calls.def, trace/calls/shmem_calls.def) as data:
 * names, kinds, fields. */
#ifndef TRACE_CALLS_CALLS_H
#define TRACE_CALLS_CALLS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Kinds of calls, by which model and replay handle them: the rows of trace/calls/call_kinds.def. */
enum call_kind {
#define CALL_KIND(NAME, ARM, BUFFERS, WORKS_ON, DOES) CALL_##NAME,
#include "trace/calls/call_kinds.def"
#undef CALL_KIND
    CALL_KIND_COUNT
};

/* The member of struct trace_call's union that a call of the kind has; trace/trace.h says what is in it. */
enum call_arm {
    ARM_PLAIN,
    ARM_REGION,
    ARM_WINDOW,     /* creation and freeing: the handle alone */
    ARM_RMA,        /* operations */
    ARM_SYNC,       /* fences, group synchronisation, locks, flushes */
    ARM_MESSAGE,    /* sends, receives, probes */
    ARM_EXCHANGE,   /* sendrecv */
    ARM_COMPLETION, /* waits and tests */
    ARM_COLLECTIVE,
    ARM_COMM,       /* creation and freeing of communicators */
    ARM_PRIMITIVE,  /* of threads */
    ARM_SHMEM,      /* OpenSHMEM's waiting, ordering and locks */
};

enum call_object {
    OBJECT_NOTHING,
    OBJECT_EPOCH, /* of a window and rank */
    OBJECT_MUTEX,
    OBJECT_CONDITION,
    OBJECT_BARRIER,
    OBJECT_SEMAPHORE,
    OBJECT_RWLOCK,
};

enum call_action {
    CALL_DOES_NOTHING,
    CALL_TAKES,
    CALL_SHARES,
    CALL_GIVES
}; /* tries, as its flag says; gives: also a signal */

enum call_buffers { /* bits by enum trace_buffer of trace/trace.h */
                    BUFFERS_NONE = 0,
                    BUFFERS_SEND = 1,
                    BUFFERS_RECEIVE = 4,
                    BUFFERS_BOTH = 5,
                    BUFFERS_ONE_SIDED = 3,
                    BUFFERS_ATOMIC = 7,
};

struct call_kind_row {
    enum call_arm arm;
    enum call_buffers buffers;
    enum call_object works_on;
    enum call_action does;
};
extern const struct call_kind_row call_kind_rows[CALL_KIND_COUNT];

static inline enum call_arm call_arm(enum call_kind kind)
{
    return call_kind_rows[kind].arm;
}

/* A send, receive or probe, or both at once. */
static inline bool call_is_message(enum call_kind kind)
{
    return call_arm(kind) == ARM_MESSAGE || call_arm(kind) == ARM_EXCHANGE;
}

static inline bool call_works_on(enum call_kind kind, enum call_object object)
{
    return call_kind_rows[kind].works_on == object;
}

/* Fields of a call, as keys of the text form. */
enum call_field {
#define CALL_FIELD(NAME, KEY, MEMBER, NOTATION) F_##NAME##_INDEX,
#include "trace/calls/call_fields.def"
#undef CALL_FIELD
    CALL_FIELD_COUNT
};
enum {
#define CALL_FIELD(NAME, KEY, MEMBER, NOTATION) F_##NAME = 1 << F_##NAME##_INDEX,
#include "trace/calls/call_fields.def"
#undef CALL_FIELD
};

enum mpi_call {
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER) ID_##NAME,
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL
    MPI_FUNCTION_COUNT, /* MPI's functions come before it */
    ID_last_mpi_function = MPI_FUNCTION_COUNT - 1,
#define THREAD_CALL(NAME, KIND, NEEDED, ALLOWED) ID_##NAME,
#include "trace/calls/thread_calls.def"
#undef THREAD_CALL
    SHMEM_CALL_FIRST,
    ID_before_shmem = SHMEM_CALL_FIRST - 1,
#define SHMEM_CALL(NAME, KIND, NEEDED, ALLOWED) ID_##NAME,
#include "trace/calls/shmem_calls.def"
#undef SHMEM_CALL
    ID_region_enter, /* no function: user regions */
    ID_region_leave,
    MPI_CALL_COUNT,
    ID_none = MPI_CALL_COUNT /* no call; in slices and shards: a call of which only the times are kept. No file has it */
};

struct call_row {
    const char *name; /* "MPI_Put"; "enter" and "leave" for user regions */
    enum call_kind kind;
    uint32_t needed, allowed; /* bits of F_... ; allowed includes needed */
};

/* The row of ID_none is a local call without name and fields. */
extern const struct call_row call_rows[MPI_CALL_COUNT + 1];

static inline const struct call_row *call_row(enum mpi_call call)
{
    assert(call <= ID_none);
    return &call_rows[call];
}

static inline enum call_kind call_kind(enum mpi_call call)
{
    return call_rows[call].kind;
}

/* Not of ID_none. */
const char *call_name(enum mpi_call call);

/* A function of MPI-IO. */
bool call_is_io(enum mpi_call call);

/* Finds "MPI_Put" or "sem_post"; false for an unknown name. */
bool call_by_name(const char *name, enum mpi_call *call);

/* The call makes the request in its arm: a non-blocking message, one-sided operation or collective. */
bool call_makes_request(enum mpi_call call);
/* A communicator, collectively among the ranks that it is to have only (MPI-3.1 6.4.2, 6.6.2). */
bool call_makes_own_comm(enum mpi_call call);

/* A user region's record; no function. */
static inline bool call_is_region(enum mpi_call call)
{
    return call_arm(call_kind(call)) == ARM_REGION;
}

/* A thread primitive: a row of trace/calls/thread_calls.def. */
static inline bool call_is_thread(enum mpi_call call)
{
    return call_arm(call_kind(call)) == ARM_PRIMITIVE;
}

/* Whether the rank is inside the library in the call: user regions and thread primitives are outside. */
static inline bool call_is_library(enum mpi_call call)
{
    return !call_is_region(call) && !call_is_thread(call);
}

/* An OpenSHMEM routine: a row of trace/calls/shmem_calls.def. */
bool call_is_shmem(enum mpi_call call);

/* A one-sided operation: bytes go to the target or come from it, of atomics result bytes come back. */
bool call_moves(enum mpi_call call);
/* Whether it is a put with a signal of OpenSHMEM: its displacement is the signal's place. */
bool call_puts_signal(enum mpi_call call);

/* Completes the rank's operations of OpenSHMEM (1.4 9.10): a quiet, or what does one first. */
bool call_is_quiet(enum mpi_call call);

/* The kind of MPI operation that corresponds to an OpenSHMEM operation: CALL_PUT, CALL_GET, CALL_ACCUMULATE,
 * CALL_GET_ACCUMULATE. Other kinds are returned unchanged. */
enum call_kind call_operation(enum call_kind kind);

/* The text key of a field ("win"). */
const char *call_field_key(enum call_field field);

#endif
