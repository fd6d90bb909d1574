/* Stores the arguments that the columns BEFORE and AFTER of a row name. */

#include "trace/record/mpi/handles.h"
#include "trace/record/record.h"

/* Numbers of trace/calls/ops.def; USER, its last, is what is not found. */
#define MPI_USER MPI_OP_NULL
static const MPI_Op operations[] = {
#define TRACE_OP(NAME) MPI_##NAME,
#include "trace/calls/ops.def"
#undef TRACE_OP
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static uint8_t assertion_bits(int assertion)
{
    if (assertion == 0) return 0;
    return (uint8_t)((assertion & MPI_MODE_NOCHECK ? SPOOL_NOCHECK : 0) |
                     (assertion & MPI_MODE_NOSTORE ? SPOOL_NOSTORE : 0) |
                     (assertion & MPI_MODE_NOPUT ? SPOOL_NOPUT : 0) |
                     (assertion & MPI_MODE_NOPRECEDE ? SPOOL_NOPRECEDE : 0) |
                     (assertion & MPI_MODE_NOSUCCEED ? SPOOL_NOSUCCEED : 0));
}

int64_t rec_true_bytes(int64_t count, MPI_Datatype type)
{
    return count == 0 ? 0 : count * rec_type(type)->size;
}

void rec_set_extent(struct rec_call *rec, enum spool_buffer buffer, int64_t span)
{
    if (span == 0) return;
    for (int i = 0; !rec->gaps && i < SPOOL_BUFFERS; i++) rec->extents[i] = 0;
    rec->gaps = true;
    rec->extents[buffer] = span;
}

bool rec_is_root(const struct rec_call *rec, int root)
{
    return rec->comm && (rec->comm->intercomm ? root == MPI_ROOT : rec->comm->rank == root);
}

int64_t rec_in_all(const struct rec_call *rec, int64_t count)
{
    return rec->comm ? count * rec->comm->size : 0;
}

void rec_set_comm(struct rec_call *rec, MPI_Comm comm)
{
    rec->comm = rec_comm_find(comm);
    if (!rec->comm) return;
    rec->enter.id = rec->comm->id;
    rec->pattern += rec->comm->id * REC_APART;
}

/* The code has no field in a record; the call does not return. */
void rec_set_abort(struct rec_call *rec, MPI_Comm comm, int code)
{
    rec_set_comm(rec, comm);
    if (rec_state != REC_OPEN) return;
    rec_own->tail->abort_code = code;
    rec_own->tail->aborts = 1;
}

void rec_set_win(struct rec_call *rec, MPI_Win win)
{
    const struct rec_win *found = rec_win_find(win);
    if (!found) return;
    rec->comm = found->comm;
    rec->enter.id = found->id;
    rec->pattern += found->id * REC_APART;
}

void rec_set_win_assert(struct rec_call *rec, MPI_Win win, int assertion)
{
    rec_set_win(rec, win);
    rec->enter.flags = assertion_bits(assertion);
}

void rec_set_win_group(struct rec_call *rec, MPI_Win win, MPI_Group group, int assertion)
{
    rec_set_win_assert(rec, win, assertion);
    bool apart = rec->comm && rec->comm->apart; /* its members are not ranks of this world */
    rec->enter.tag = (int32_t)(apart ? SPOOL_NO_ID : rec_group_find(group));
}

void rec_set_win_target(struct rec_call *rec, MPI_Win win, int target)
{
    rec_set_win(rec, win);
    rec->enter.peer = target >= 0 && rec->comm ? rec_comm_world(rec->comm, target) : SPOOL_PEER_NONE;
}

void rec_set_win_lock(struct rec_call *rec, MPI_Win win, int target, int type, int assertion)
{
    rec_set_win_target(rec, win, target);
    rec->enter.flags = (uint8_t)(assertion_bits(assertion) | (type == MPI_LOCK_EXCLUSIVE ? SPOOL_EXCLUSIVE : 0));
}

void rec_set_rma(struct rec_call *rec, MPI_Win win, int target, int64_t count, MPI_Datatype type, MPI_Aint disp)
{
    rec_set_win_target(rec, win, target);
    rec->enter.bytes = target == MPI_PROC_NULL ? 0 : rec_true_bytes(count, type);
    rec->enter.extra = disp;
}

/* MPI_NO_OP only fetches: nothing goes to the target. */
void rec_set_fetch(struct rec_call *rec, MPI_Win win, int target, MPI_Aint disp, int64_t count, MPI_Datatype type,
                   MPI_Op op)
{
    rec_set_rma(rec, win, target, op == MPI_NO_OP ? 0 : count, type, disp);
    rec_set_op(rec, op);
}

void rec_set_fetched(struct rec_call *rec, int target, int64_t count, MPI_Datatype type)
{
    rec->exit.bytes = target == MPI_PROC_NULL ? 0 : rec_true_bytes(count, type);
}

void rec_set_op(struct rec_call *rec, MPI_Op op)
{
    int i = 0;
    while (i < OPERATIONS - 1 && operations[i] != op) i++;
    rec->enter.tag = i + 1;
}

void rec_set_flag(struct rec_call *rec, int flag)
{
    if (flag) rec->exit.flags |= SPOOL_FLAG;
}

void rec_set_message(struct rec_call *rec, MPI_Comm comm, int peer, int tag, int64_t count, MPI_Datatype type)
{
    rec_set_comm(rec, comm);
    rec->enter.tag = tag;
    rec->enter.bytes = peer == MPI_PROC_NULL ? 0 : rec_true_bytes(count, type);
    if (peer >= 0 && rec->comm && !rec->comm->apart)
        rec->enter.peer = rec_comm_world(rec->comm, peer);
    else
        rec->enter.peer = peer == MPI_ANY_SOURCE ? SPOOL_PEER_ANY : SPOOL_PEER_NONE;
}

bool rec_set_rooted(struct rec_call *rec, MPI_Comm comm, int root)
{
    rec_set_comm(rec, comm);
    if (!rec->comm || rec->comm->apart) return false;
    if (rec->comm->intercomm && root != REC_NO_ROOT) return rec_set_intercomm_root(rec, root);
    if (root >= 0) rec->enter.peer = rec_comm_world(rec->comm, root);
    return true;
}

void rec_set_collective(struct rec_call *rec, MPI_Comm comm, int root, int64_t count, MPI_Datatype type)
{
    if (rec_set_rooted(rec, comm, root)) rec->enter.bytes = rec_true_bytes(count, type);
}

/* The blocks of the two groups of an intercommunicator may differ: both sides record the larger one. */
void rec_set_exchange(struct rec_call *rec, MPI_Comm comm, int64_t sent, MPI_Datatype sent_type, int64_t received,
                      MPI_Datatype received_type)
{
    rec_set_collective(rec, comm, REC_NO_ROOT, received, received_type);
    if (!rec->comm || !rec->comm->intercomm) return;
    int64_t bytes = rec_true_bytes(sent, sent_type);
    if (bytes > rec->enter.bytes) rec->enter.bytes = bytes;
}

void rec_own_status(struct rec_call *rec, MPI_Status **status)
{
    if (*status == MPI_STATUS_IGNORE) *status = &rec->status;
}

void rec_set_received(struct rec_call *rec, int peer, const MPI_Status *status)
{
    MPI_Count bytes = 0;
    if (peer == MPI_PROC_NULL || status->MPI_SOURCE < 0 || !rec->comm || rec->comm->apart) {
        rec->exit.peer = SPOOL_PEER_NONE;
        rec->exit.tag = status->MPI_TAG;
        return;
    }
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    rec->exit.bytes = bytes == MPI_UNDEFINED ? 0 : bytes;
    rec->exit.peer = rec_comm_world(rec->comm, status->MPI_SOURCE);
    rec->exit.tag = status->MPI_TAG;
}

void rec_set_probed(struct rec_call *rec, int flag, int peer, const MPI_Status *status)
{
    rec_set_flag(rec, flag);
    if (flag) rec_set_received(rec, peer, status);
}
