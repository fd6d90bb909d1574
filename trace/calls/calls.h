/* The tables of calls (trace/calls/mpi_calls.def, trace/calls/thread_calls.def, trace/calls/shmem_calls.def) as data: names, kinds,
 * fields. */
#ifndef TRACE_CALLS_CALLS_H
#define TRACE_CALLS_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* What model and replay take a call for. One kind has one meaning of struct trace_call's members (trace/trace.h). */
enum call_kind {
    CALL_LOCAL, /* nothing leaves the rank: group handling, attributes, names */
    CALL_INIT,
    CALL_FINALIZE,
    CALL_REGION_ENTER, /* user region: text "enter NAME", MPI_Pcontrol(1, "NAME") */
    CALL_REGION_LEAVE,
    CALL_WIN_CREATE, /* MPI-3.1 11.2 */
    CALL_WIN_FREE,
    CALL_PUT, /* MPI-3.1 11.3 */
    CALL_GET,
    CALL_ACCUMULATE,
    CALL_GET_ACCUMULATE, /* also fetch_and_op, compare_and_swap */
    CALL_FENCE, /* MPI-3.1 11.5.1 */
    CALL_POST,  /* MPI-3.1 11.5.2 */
    CALL_START,
    CALL_COMPLETE,
    CALL_WIN_WAIT,
    CALL_WIN_TEST,
    CALL_LOCK, /* MPI-3.1 11.5.3 */
    CALL_UNLOCK,
    CALL_LOCK_ALL,
    CALL_UNLOCK_ALL,
    CALL_FLUSH, /* MPI-3.1 11.5.4; a row without F_TARGET: all targets */
    CALL_FLUSH_LOCAL,
    CALL_SYNC,
    CALL_SEND, /* MPI-3.1 3.2, 3.4; the mode is the call's name */
    CALL_ISEND,
    CALL_RECV,
    CALL_IRECV,
    CALL_SENDRECV,
    CALL_PROBE,
    CALL_IPROBE,
    CALL_REQUEST_WAIT, /* one request */
    CALL_REQUEST_WAITALL, /* the requests that it completed: waitall, waitany, waitsome */
    CALL_REQUEST_TEST,
    CALL_REQUEST_TESTALL, /* the requests that it completed: testall, testany, testsome */
    CALL_BARRIER, /* MPI-3.1 5; a row with F_REQ: the non-blocking one */
    CALL_SHMEM_BARRIER, /* OpenSHMEM 1.4 9.9: a quiet, then a barrier of the communicator's ranks */
    CALL_BCAST,
    CALL_REDUCE,
    CALL_ALLREDUCE,
    CALL_GATHER,
    CALL_SCATTER,
    CALL_ALLGATHER,
    CALL_ALLTOALL,
    CALL_GATHERV,
    CALL_SCATTERV,
    CALL_ALLGATHERV,
    CALL_ALLTOALLV, /* also alltoallw */
    CALL_REDUCE_SCATTER,
    CALL_SCAN,
    CALL_EXSCAN,
    CALL_NEIGHBOR, /* MPI-3.1 7.6; the topology comes with each call */
    CALL_COMM_CREATE, /* collective over comm, makes newcomm (dup, split, create) */
    CALL_COMM_FREE,
    CALL_THREAD_BEGIN, /* no time: the thread's first and last event */
    CALL_THREAD_END,
    CALL_THREAD_CREATE, /* POSIX threads; trace/calls/thread_calls.def */
    CALL_THREAD_JOIN,
    CALL_MUTEX_LOCK,
    CALL_MUTEX_TRYLOCK, /* with TRACE_FLAG: got it */
    CALL_MUTEX_TIMEDLOCK, /* with TRACE_FLAG: got it before the time was over */
    CALL_MUTEX_UNLOCK,
    CALL_COND_WAIT,
    CALL_COND_TIMEDWAIT, /* with TRACE_FLAG: woken before the time was over */
    CALL_COND_SIGNAL,
    CALL_COND_BROADCAST,
    CALL_THREAD_BARRIER,
    CALL_RDLOCK, /* of a read-write lock: shared with other readers */
    CALL_TRYRDLOCK, /* with TRACE_FLAG: got it */
    CALL_TIMEDRDLOCK,
    CALL_WRLOCK,
    CALL_TRYWRLOCK,
    CALL_TIMEDWRLOCK,
    CALL_RW_UNLOCK,
    CALL_SEM_WAIT,
    CALL_SEM_TRYWAIT, /* with TRACE_FLAG: took one */
    CALL_SEM_TIMEDWAIT, /* with TRACE_FLAG: took one before the time was over */
    CALL_SEM_POST,
    CALL_SHMEM_PUT, /* OpenSHMEM 1.4 9.5; trace/calls/shmem_calls.def says when each is complete */
    CALL_SHMEM_PUT_NBI,
    CALL_SHMEM_GET,
    CALL_SHMEM_GET_NBI,
    CALL_SHMEM_ATOMIC, /* 9.7; without an answer: as a put */
    CALL_SHMEM_FETCH,  /* with the value from before: as a get */
    CALL_SHMEM_QUIET,  /* 9.10: the rank's puts, gets and atomics are complete everywhere */
    CALL_SHMEM_FENCE,  /* orders them; waits for nothing */
    CALL_SHMEM_WAIT,   /* 9.8: until somebody has changed the rank's own memory */
    CALL_SHMEM_TEST,   /* with TRACE_FLAG: somebody has */
    CALL_SHMEM_SET_LOCK, /* 9.11; ref names the lock, the same on all ranks */
    CALL_SHMEM_TEST_LOCK, /* with TRACE_FLAG: got it */
    CALL_SHMEM_CLEAR_LOCK, /* a quiet, then the release */
    CALL_KIND_COUNT
};

/* Fields of a call, as keys of the text form. */
enum call_field {
#define CALL_FIELD(NAME, KEY) F_##NAME##_INDEX,
#include "trace/calls/call_fields.def"
#undef CALL_FIELD
    CALL_FIELD_COUNT
};
enum {
#define CALL_FIELD(NAME, KEY) F_##NAME = 1 << F_##NAME##_INDEX,
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
    ID_none = ID_Pcontrol /* for records of which the times alone matter: no code looks at this call */
};

struct call_row {
    const char *name; /* "MPI_Put"; "enter" and "leave" for user regions */
    enum call_kind kind;
    uint32_t needed, allowed; /* bits of F_... ; allowed includes needed */
};

extern const struct call_row call_rows[MPI_CALL_COUNT];

/* call < MPI_CALL_COUNT. */
static inline const struct call_row *call_row(enum mpi_call call)
{
    return &call_rows[call];
}

static inline enum call_kind call_kind(enum mpi_call call)
{
    return call_rows[call].kind;
}

const char *call_name(enum mpi_call call);

/* A function of MPI-IO. */
bool call_is_io(enum mpi_call call);

/* Finds "MPI_Put" or "sem_post"; false for an unknown name. */
bool call_by_name(const char *name, enum mpi_call *call);

/* The call makes the request in trace_call.ref: a non-blocking message, one-sided operation or collective. */
bool call_makes_request(enum mpi_call call);
/* A communicator, collectively among the ranks that it is to have only (MPI-3.1 6.4.2, 6.6.2). */
bool call_makes_own_comm(enum mpi_call call);

/* A user region's record; no function. */
static inline bool call_is_region(enum mpi_call call)
{
    return call == ID_region_enter || call == ID_region_leave;
}

/* A thread primitive: a row of trace/calls/thread_calls.def. */
bool call_is_thread(enum mpi_call call);

/* An OpenSHMEM routine: a row of trace/calls/shmem_calls.def. */
bool call_is_shmem(enum mpi_call call);

/* A one-sided operation: bytes go to the target or come from it, of atomics aux bytes come back. */
bool call_moves(enum mpi_call call);

/* Completes the rank's operations of OpenSHMEM (1.4 9.10): a quiet, or what does one first. */
bool call_is_quiet(enum mpi_call call);

/* What an OpenSHMEM operation does, as a kind of MPI's: CALL_PUT, CALL_GET, CALL_ACCUMULATE, CALL_GET_ACCUMULATE. Other
 * kinds stay. */
enum call_kind call_operation(enum call_kind kind);

/* The text key of a field ("win"). */
const char *call_field_key(enum call_field field);

#endif
