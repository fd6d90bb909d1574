/* Calls that returned an error (MPI_ERRORS_RETURN, or a handler of the program's own). Most had no effect, and the exit
 * record says so (SPOOL_FAILED). A call that moved data all the same is recorded with its effect: a receive whose
 * message was longer than its buffer has received that message, and a wait has completed some of its requests. Statuses
 * are used only where MPI has filled them: MPI-3.1 3.7.5 leaves them undefined unless the call returns
 * MPI_ERR_IN_STATUS, and MPICH 4.0.2 does not write those that it did not reach. */
#include "trace/record/mpi/handles.h"
#include "trace/record/record.h"

enum then {
    REFUSED,      /* it did nothing */
    MAY_RECEIVE,  /* it has taken its message if that was too long */
    MAY_COMPLETE, /* it may complete requests */
    MAY_TAKE_PART /* a collective: the others continue */
};

/* By kinds of calls; those that are not here are REFUSED. */
static const struct {
    const char *kinds;
    enum then then;
} rows[] = {
    {" RECV SENDRECV ", MAY_RECEIVE},
    {" REQUEST_WAIT REQUEST_WAITALL REQUEST_TEST REQUEST_TESTALL ", MAY_COMPLETE},
    {" BARRIER BCAST REDUCE ALLREDUCE GATHER SCATTER ALLGATHER ALLTOALL GATHERV SCATTERV ALLGATHERV ALLTOALLV "
     "REDUCE_SCATTER SCAN EXSCAN NEIGHBOR ",
     MAY_TAKE_PART},
};

static enum then then_of(int call)
{
    static const char *const kinds[] = {
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER) " " #KIND " ",
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(rows[i].kinds, kinds[call])) return rows[i].then;
    return REFUSED;
}

static int class_of(int error)
{
    int class = MPI_ERR_UNKNOWN;
    if (error == MPI_SUCCESS) return MPI_SUCCESS;
    return PMPI_Error_class(error, &class) == MPI_SUCCESS ? class : MPI_ERR_UNKNOWN;
}

/* Not by its arguments: the operation had begun. */
static bool had_begun(int class)
{
    return class == MPI_ERR_TRUNCATE || class == MPI_ERR_OTHER || class == MPI_ERR_INTERN || class == MPI_ERR_UNKNOWN;
}

bool rec_failed(struct rec_call *rec, int error)
{
    enum then then = then_of(rec->exit.call);
    rec->exit.flags |= SPOOL_FAILED;
    if (then == REFUSED) return false;
    rec->error = class_of(error);
    if (then == MAY_COMPLETE) return true;
    if (then == MAY_RECEIVE) return rec->error == MPI_ERR_TRUNCATE;
    if (had_begun(rec->error)) rec->exit.flags &= (uint8_t)~SPOOL_FAILED;
    return false;
}

bool rec_request_ended(MPI_Request before, MPI_Request now, int error, const MPI_Status *status)
{
    if (before == MPI_REQUEST_NULL) return false;
    if (now == MPI_REQUEST_NULL) {
        rec_drop_persistent(before); /* Open MPI 4.1 gives a persistent one up with its error */
        return true;
    }
    if (!status || !rec_is_persistent(now)) return false;
    int class = rec_error_of(error, status);
    return class == MPI_SUCCESS || had_begun(class);
}

int rec_error_of(int error, const MPI_Status *status)
{
    if (error != MPI_ERR_IN_STATUS) return error;
    return status ? class_of(status->MPI_ERROR) : MPI_ERR_PENDING;
}

bool rec_status_tells(const struct rec_comm *comm, const MPI_Status *status)
{
    return comm && status->MPI_SOURCE >= 0 && status->MPI_SOURCE < comm->size && status->MPI_TAG >= 0;
}

/* The count of such a status is no number of bytes in MPICH 4.0.2, and the whole message's in Open MPI. */
void rec_set_truncated(struct rec_call *rec, int peer, int64_t room, const MPI_Status *status)
{
    if (rec->comm && rec->comm->apart) {
        rec->exit.flags &= (uint8_t)~SPOOL_FAILED;
        return;
    }
    if (!rec_status_tells(rec->comm, status) || (peer >= 0 && peer != status->MPI_SOURCE)) return;
    rec->exit.peer = rec_comm_world(rec->comm, status->MPI_SOURCE);
    rec->exit.tag = status->MPI_TAG;
    rec->exit.bytes = room;
    rec->exit.flags &= (uint8_t)~SPOOL_FAILED;
}
