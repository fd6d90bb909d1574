#include "report/activities.h"

enum activity activity_of(enum mpi_call call)
{
    switch (call_kind(call)) {
    case CALL_WIN_CREATE:
    case CALL_WIN_FREE: return ACTIVITY_WINDOW;
    case CALL_FENCE:
    case CALL_POST:
    case CALL_START:
    case CALL_COMPLETE:
    case CALL_WIN_WAIT:
    case CALL_WIN_TEST: return ACTIVITY_ACTIVE;
    case CALL_LOCK:
    case CALL_UNLOCK:
    case CALL_LOCK_ALL:
    case CALL_UNLOCK_ALL:
    case CALL_FLUSH:
    case CALL_FLUSH_LOCAL:
    case CALL_SYNC:
    case CALL_SHMEM_QUIET:
    case CALL_SHMEM_FENCE:
    case CALL_SHMEM_WAIT:
    case CALL_SHMEM_SET_LOCK:
    case CALL_SHMEM_CLEAR_LOCK: return ACTIVITY_PASSIVE;
    case CALL_SEND: return ACTIVITY_SEND;
    case CALL_ISEND: return ACTIVITY_ISEND;
    case CALL_RECV:
    case CALL_SENDRECV:
    case CALL_PROBE:
    case CALL_REQUEST_WAIT:
    case CALL_REQUEST_WAITALL: return ACTIVITY_RECEIVE;
    case CALL_IRECV:
    case CALL_IPROBE:
    case CALL_REQUEST_TEST:
    case CALL_REQUEST_TESTALL:
    case CALL_REQUEST_QUERY:
    case CALL_SHMEM_TEST:
    case CALL_SHMEM_TEST_LOCK: return ACTIVITY_TEST;
    case CALL_INIT:
    case CALL_FINALIZE: return ACTIVITY_OTHER;
    default: break;
    }
    if (call_moves(call)) return ACTIVITY_OPERATION;
    if (call_arm(call_kind(call)) == ARM_COLLECTIVE || call_arm(call_kind(call)) == ARM_COMM)
        return ACTIVITY_COLLECTIVE;
    return ACTIVITY_OTHER;
}
