/* Writes the calls of one rank as OTF2 records. */
#include <stdlib.h>

#include "common/array.h"
#include "trace/otf2/write.h"

/* TIME goes first in every record; marks of a view that are earlier come before it. */
#define EVENT(NAME, writer, TIME, ...)                                                                                 \
    do {                                                                                                               \
        if ((writer)->view) archive_write_marks(writer, (writer)->mark_slot, TIME);                                    \
        ARCHIVE_TRY(writer, OTF2_EvtWriter_##NAME((writer)->out, (writer)->list, TIME, ##__VA_ARGS__));                \
    } while (0)

static uint32_t member_of(const struct archive_writer *writer, const struct trace_call *call, int32_t world_rank)
{
    return (uint32_t)trace_comm_rank(trace_call_comm(writer->trace, call), world_rank);
}

static OTF2_RmaAtomicType atomic_type(enum mpi_call call)
{
    enum call_kind kind = call_kind(call);
    bool fetches = kind == CALL_GET_ACCUMULATE || kind == CALL_SHMEM_FETCH;
    switch (call) {
    case ID_Compare_and_swap:
    case ID_shmem_atomic_compare_swap: return OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP;
    case ID_shmem_atomic_swap: return OTF2_RMA_ATOMIC_TYPE_SWAP;
    case ID_shmem_atomic_inc: return OTF2_RMA_ATOMIC_TYPE_INCREMENT;
    case ID_shmem_atomic_fetch_inc: return OTF2_RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT;
    case ID_shmem_atomic_fetch_add: return OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD;
    default: return fetches ? OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE : OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
    }
}

/* Tells what is still to be completed when the call of an operation returns (trace/calls/shmem_calls.def). */
static uint8_t open_after(enum call_kind kind)
{
    switch (kind) {
    case CALL_SHMEM_GET:
    case CALL_SHMEM_FETCH: return 0;
    case CALL_SHMEM_GET_NBI: return ARCHIVE_OPEN_HERE;
    case CALL_SHMEM_PUT:
    case CALL_SHMEM_ATOMIC: return ARCHIVE_OPEN_THERE;
    default: return ARCHIVE_OPEN_HERE | ARCHIVE_OPEN_THERE;
    }
}

static enum status write_transfer(struct archive_writer *writer, const struct trace_call *call, enum call_kind kind)
{
    uint64_t time = archive_time(writer, call->enter_ps), bytes = (uint64_t)call->bytes, id = ++writer->operation_id;
    uint32_t window = (uint32_t)call->handle, target = member_of(writer, call, call->peer);
    struct archive_window *state = &writer->windows[call->handle];
    struct archive_operation operation = {.id = id, .target = call->peer, .open = open_after(kind)};
    switch (kind) {
    case CALL_PUT:
    case CALL_SHMEM_PUT:
    case CALL_SHMEM_PUT_NBI: EVENT(RmaPut, writer, time, window, target, bytes, id); break;
    case CALL_GET:
    case CALL_SHMEM_GET:
    case CALL_SHMEM_GET_NBI: EVENT(RmaGet, writer, time, window, target, bytes, id); break;
    default:
        EVENT(RmaAtomic, writer, time, window, target, atomic_type(call->call), bytes, (uint64_t)call->rma.result_bytes,
              id);
    }
    if (!(operation.open & ARCHIVE_OPEN_HERE) && !writer->view)
        EVENT(RmaOpCompleteBlocking, writer, archive_time(writer, call->exit_ps), window, id);
    if (operation.open == 0) return STATUS_OK;
    ARRAY_PUSH(state->operations, state->count, state->capacity, operation, writer->err);
    return STATUS_OK;
}

/* Completes the rank's open operations on a window: all, or those to one target; at the target too where the call
 * says so. */
static void complete_operations(struct archive_writer *writer, int32_t window, int64_t exit_ps, int32_t target,
                                bool remote)
{
    struct archive_window *state = &writer->windows[window];
    uint64_t time = archive_time(writer, exit_ps);
    size_t kept = 0;
    archive_write_implied(writer, exit_ps);
    for (size_t i = 0; i < state->count; i++) {
        const struct archive_operation *operation = &state->operations[i];
        if (target != TRACE_NONE && operation->target != target) {
            state->operations[kept++] = *operation;
            continue;
        }
        if (writer->view) continue;
        if (operation->open & ARCHIVE_OPEN_HERE)
            EVENT(RmaOpCompleteNonBlocking, writer, time, (uint32_t)window, operation->id);
        if (remote && (operation->open & ARCHIVE_OPEN_THERE))
            EVENT(RmaOpCompleteRemote, writer, time, (uint32_t)window, operation->id);
    }
    state->count = kept;
}

static void complete_symmetric(struct archive_writer *writer, const struct trace_call *call)
{
    for (int32_t w = 0; (size_t)w < writer->trace->definitions.window_count; w++)
        if (writer->trace->definitions.windows[w].flavor == 'h')
            complete_operations(writer, w, call->exit_ps, TRACE_NONE, true);
}

static enum status write_group_sync(struct archive_writer *writer, const struct trace_call *call, enum call_kind kind)
{
    struct epoch_step step;
    OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_PROCESS;
    bool in_vain = kind == CALL_WIN_TEST && !(call->flags & TRACE_FLAG);
    TRY(epoch_cursor_take(&writer->cursor, call, 0, &step, writer->err));
    if (!step.opens) level = in_vain ? OTF2_RMA_SYNC_LEVEL_NONE : level | OTF2_RMA_SYNC_LEVEL_MEMORY;
    if (kind == CALL_COMPLETE) complete_operations(writer, call->handle, call->exit_ps, TRACE_NONE, false);
    archive_write_implied(writer, call->exit_ps);
    const struct epoch *epoch = step.opens ? step.opens : step.closes ? step.closes : step.in;
    EVENT(RmaGroupSync, writer, archive_time(writer, call->exit_ps), level, (uint32_t)call->handle,
          epoch ? archive_rma_group(writer->trace, epoch->group) : OTF2_UNDEFINED_GROUP);
    return STATUS_OK;
}

static void write_rma_collective(struct archive_writer *writer, const struct trace_call *call,
                                 const struct archive_kind *kind)
{
    uint64_t exit = archive_time(writer, call->exit_ps);
    uint32_t window = (uint32_t)call->handle;
    OTF2_CollectiveOp collective = kind->collective;
    OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_PROCESS;
    struct archive_window *state = &writer->windows[call->handle];
    char flavor = writer->trace->definitions.windows[call->handle].flavor;
    if (call->call == ID_Win_allocate || flavor == 'a' || flavor == 's') state->allocated = true;
    EVENT(RmaCollectiveBegin, writer, archive_time(writer, call->enter_ps));
    if (kind->shape == SHAPE_FENCE) {
        complete_operations(writer, call->handle, call->exit_ps, TRACE_NONE, false);
        level |= OTF2_RMA_SYNC_LEVEL_MEMORY;
    } else if (kind->shape == SHAPE_WIN_CREATE) {
        EVENT(RmaWinCreate, writer, exit, window);
        if (state->allocated) collective = OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE;
    } else {
        EVENT(RmaWinDestroy, writer, exit, window);
        if (state->allocated) collective = OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE;
    }
    EVENT(RmaCollectiveEnd, writer, exit, collective, level, window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

/* A simulated blocking lock returns when it is granted; in other cases the time of the grant is not known. */
static void write_lock(struct archive_writer *writer, const struct trace_call *call, const struct archive_kind *kind)
{
    const struct trace *trace = writer->trace;
    uint32_t window = (uint32_t)call->handle;
    uint32_t target = call->peer == TRACE_NONE ? OTF2_UNDEFINED_UINT32 : member_of(writer, call, call->peer);
    OTF2_LockType type = call->flags & TRACE_EXCLUSIVE ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
    uint64_t exit = archive_time(writer, call->exit_ps);
    if (kind->shape == SHAPE_UNLOCK) {
        complete_operations(writer, call->handle, call->exit_ps, call->peer, true);
        EVENT(RmaReleaseLock, writer, exit, window, target, 0);
        return;
    }
    EVENT(RmaRequestLock, writer, archive_time(writer, call->enter_ps), window, target, 0, type);
    bool marked = writer->view && writer->view->grants;
    if (!marked && trace_is_blocking(trace)) EVENT(RmaAcquireLock, writer, exit, window, target, 0, type);
}

/* One lock for all PEs, which has no place among them. */
static void write_shmem_lock(struct archive_writer *writer, const struct trace_call *call, enum call_kind what)
{
    uint64_t enter = archive_time(writer, call->enter_ps), exit = archive_time(writer, call->exit_ps);
    uint32_t window = (uint32_t)call->handle, nowhere = OTF2_UNDEFINED_UINT32;
    if (what == CALL_SHMEM_CLEAR_LOCK) {
        complete_symmetric(writer, call);
        EVENT(RmaReleaseLock, writer, exit, window, nowhere, call->shmem.lock);
    } else if (what == CALL_SHMEM_SET_LOCK || (call->flags & TRACE_FLAG)) {
        EVENT(RmaRequestLock, writer, enter, window, nowhere, call->shmem.lock, OTF2_LOCK_EXCLUSIVE);
        EVENT(RmaAcquireLock, writer, exit, window, nowhere, call->shmem.lock, OTF2_LOCK_EXCLUSIVE);
    } else {
        EVENT(RmaTryLock, writer, exit, window, nowhere, call->shmem.lock, OTF2_LOCK_EXCLUSIVE);
    }
}

static enum status write_message(struct archive_writer *writer, size_t index, const struct archive_kind *kind)
{
    const struct trace_call *call = &writer->process->calls[index];
    uint64_t enter = archive_time(writer, call->enter_ps), exit = archive_time(writer, call->exit_ps);
    uint32_t peer = member_of(writer, call, call->peer), comm = (uint32_t)call->handle,
             tag = (uint32_t)call->message.tag;
    uint64_t bytes = (uint64_t)call->bytes;
    switch (kind->shape) {
    case SHAPE_SENDRECV:
        EVENT(MpiSend, writer, enter, peer, comm, tag, bytes);
        if (call->exchange.source != TRACE_NONE)
            EVENT(MpiRecv, writer, exit, member_of(writer, call, call->exchange.source), comm,
                  (uint32_t)call->exchange.recv_tag, (uint64_t)call->exchange.recv_bytes);
        return STATUS_OK;
    case SHAPE_SEND: EVENT(MpiSend, writer, enter, peer, comm, tag, bytes); return STATUS_OK;
    case SHAPE_RECV: EVENT(MpiRecv, writer, exit, peer, comm, tag, bytes); return STATUS_OK;
    case SHAPE_ISEND: EVENT(MpiIsend, writer, enter, peer, comm, tag, bytes, call->ref); break;
    default: EVENT(MpiIrecvRequest, writer, enter, call->ref); break;
    }
    return map_set(&writer->requests, call->ref, index, writer->err);
}

/* Tells the bytes of a collective whose members exchange different amounts; false for the others. */
static bool different_amounts(const struct archive_writer *writer, const struct trace_call *call, enum call_kind kind,
                              uint64_t *sent, uint64_t *received)
{
    const struct trace_comm *comm = trace_call_comm(writer->trace, call);
    const int64_t *counts = trace_call_counts(writer->trace, call);
    uint64_t own = (uint64_t)call->bytes, all = 0;
    for (uint32_t i = 0; counts && i < comm->count; i++) all += (uint64_t)counts[i];
    *sent = *received = own;
    switch (kind) {
    case CALL_GATHERV: *received = all; return true;
    case CALL_SCATTERV: *sent = all; return true;
    case CALL_ALLGATHERV:
        *sent = own * comm->count;
        *received = all;
        return true;
    case CALL_ALLTOALLV: *received = (uint64_t)call->collective.recv_bytes; return true;
    case CALL_REDUCE_SCATTER:
        *received = counts ? (uint64_t)counts[trace_comm_rank(comm, (int32_t)writer->rank)] : own / comm->count;
        return true;
    case CALL_SCAN:
    case CALL_EXSCAN: return true;
    default: return false;
    }
}

/* Root and bytes of a collective's closing record. */
struct collective_end {
    uint32_t root;
    uint64_t sent, received;
};

static struct collective_end collective_end(const struct archive_writer *writer, const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    struct collective_end end = {.root = OTF2_COLLECTIVE_ROOT_NONE};
    if (call->peer != TRACE_NONE) end.root = member_of(writer, call, call->peer);
    if (!different_amounts(writer, call, kind, &end.sent, &end.received))
        archive_collective_bytes(kind, call->peer == (int32_t)writer->rank, trace_call_comm(writer->trace, call)->count,
                                 call->bytes, &end.sent, &end.received);
    return end;
}

/* Finds the symmetric memory of the communicator's ranks; TRACE_NONE if there is none. */
static int32_t symmetric_window(const struct archive_writer *writer, int32_t comm)
{
    const struct trace *trace = writer->trace;
    for (size_t w = 0; w < trace->definitions.window_count; w++)
        if (trace->definitions.windows[w].flavor == 'h' && trace->definitions.windows[w].comm == comm)
            return (int32_t)w;
    return TRACE_NONE;
}

/* Writes a barrier or sync of OpenSHMEM; false where no window has its ranks. */
static bool write_shmem_barrier(struct archive_writer *writer, const struct trace_call *call)
{
    int32_t window = symmetric_window(writer, call->handle);
    bool quiet = call_is_quiet(call->call);
    OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_PROCESS;
    if (window == TRACE_NONE) return false;
    if (quiet) level |= OTF2_RMA_SYNC_LEVEL_MEMORY;
    EVENT(RmaCollectiveBegin, writer, archive_time(writer, call->enter_ps));
    if (quiet) complete_symmetric(writer, call);
    EVENT(RmaCollectiveEnd, writer, archive_time(writer, call->exit_ps), OTF2_COLLECTIVE_OP_BARRIER, level,
          (uint32_t)window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    return true;
}

static enum status write_collective(struct archive_writer *writer, size_t index, const struct archive_kind *kind)
{
    const struct trace_call *call = &writer->process->calls[index];
    uint64_t enter = archive_time(writer, call->enter_ps);
    bool barrier = kind->role == OTF2_REGION_ROLE_BARRIER && call_is_shmem(call->call);
    if (barrier && write_shmem_barrier(writer, call)) return STATUS_OK;
    if (archive_is_pending_collective(call, kind)) {
        EVENT(NonBlockingCollectiveRequest, writer, enter, call->ref);
        return map_set(&writer->requests, call->ref, index, writer->err);
    }
    struct collective_end end = collective_end(writer, call);
    EVENT(MpiCollectiveBegin, writer, enter);
    if (call_is_quiet(call->call)) complete_symmetric(writer, call);
    EVENT(MpiCollectiveEnd, writer, archive_time(writer, call->exit_ps), kind->collective, (uint32_t)call->handle,
          end.root, end.sent, end.received);
    return STATUS_OK;
}

/* A request that is done gets its completion; one that is not, or whose call had no record, is only named. */
static bool write_completion(struct archive_writer *writer, uint64_t time, uint32_t id, bool done)
{
    uint64_t index;
    if (!done || !map_take(&writer->requests, id, &index)) {
        EVENT(MpiRequestTest, writer, time, id);
        return false;
    }
    const struct trace_call *made = &writer->process->calls[index];
    const struct archive_kind *kind = archive_kind(call_kind(made->call));
    if (kind->shape == SHAPE_COLLECTIVE) {
        struct collective_end end = collective_end(writer, made);
        EVENT(NonBlockingCollectiveComplete, writer, time, kind->collective, (uint32_t)made->handle, end.root, end.sent,
              end.received, id);
    } else if (kind->shape == SHAPE_ISEND) {
        EVENT(MpiIsendComplete, writer, time, id);
    } else {
        EVENT(MpiIrecv, writer, time, member_of(writer, made, made->peer), (uint32_t)made->handle,
              (uint32_t)made->message.tag, (uint64_t)made->bytes, id);
    }
    return true;
}

/* Returns whether a test's records show that the request was done. */
static bool write_completions(struct archive_writer *writer, const struct trace_call *call, enum call_kind kind)
{
    const struct trace *trace = writer->trace;
    uint64_t time = archive_time(writer, call->exit_ps);
    bool done = !(call->flags & TRACE_BREAK) &&
                ((kind != CALL_REQUEST_TEST && kind != CALL_REQUEST_TESTALL) || (call->flags & TRACE_FLAG));
    if (kind != CALL_REQUEST_WAITALL && kind != CALL_REQUEST_TESTALL)
        return call->ref != TRACE_NO_REF && write_completion(writer, time, call->ref, done);
    const struct trace_list *list = &trace->definitions.lists[call->completion.list];
    bool shown = false;
    for (uint32_t i = 0; i < list->count; i++)
        shown = write_completion(writer, time, trace->definitions.requests[list->first + i], done) || shown;
    return shown;
}

static void write_comm(struct archive_writer *writer, const struct trace_call *call, const struct archive_kind *kind)
{
    uint64_t exit = archive_time(writer, call->exit_ps);
    EVENT(MpiCollectiveBegin, writer, archive_time(writer, call->enter_ps));
    if (kind->shape == SHAPE_COMM_CREATE && call->comm.newcomm != TRACE_NO_REF) {
        EVENT(CommCreate, writer, exit, call->comm.newcomm);
        writer->comm_made[call->comm.newcomm] = true;
    } else if (kind->shape == SHAPE_COMM_FREE) {
        EVENT(CommDestroy, writer, exit, (uint32_t)call->handle);
    }
    EVENT(MpiCollectiveEnd, writer, exit, kind->collective, (uint32_t)call->handle, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

/* The records between Enter and Leave. *flags: what a reader takes from them for trace_call.flags. */
static enum status write_records(struct archive_writer *writer, size_t index, const struct archive_kind *kind,
                                 unsigned *flags)
{
    const struct trace_call *call = &writer->process->calls[index];
    enum call_kind what = call_kind(call->call);
    switch (kind->shape) {
    case SHAPE_PLAIN:
    case SHAPE_REGION: break;
    case SHAPE_WIN_CREATE:
    case SHAPE_WIN_FREE:
    case SHAPE_FENCE: write_rma_collective(writer, call, kind); break;
    case SHAPE_TRANSFER: return write_transfer(writer, call, what);
    case SHAPE_GROUP_SYNC:
        if (what == CALL_WIN_TEST) *flags |= call->flags & TRACE_FLAG;
        return write_group_sync(writer, call, what);
    case SHAPE_LOCK:
    case SHAPE_UNLOCK:
        write_lock(writer, call, kind);
        if (kind->shape == SHAPE_LOCK) *flags |= call->flags & TRACE_EXCLUSIVE;
        break;
    case SHAPE_SHMEM_LOCK:
        write_shmem_lock(writer, call, what);
        if (what == CALL_SHMEM_TEST_LOCK) *flags |= call->flags & TRACE_FLAG;
        break;
    case SHAPE_SEND:
    case SHAPE_ISEND:
    case SHAPE_RECV:
    case SHAPE_IRECV:
    case SHAPE_SENDRECV: return write_message(writer, index, kind);
    case SHAPE_COMPLETION:
        if (write_completions(writer, call, what) && (what == CALL_REQUEST_TEST || what == CALL_REQUEST_TESTALL))
            *flags |= TRACE_FLAG;
        break;
    case SHAPE_FLUSH: complete_operations(writer, call->handle, call->exit_ps, call->peer, what == CALL_FLUSH); break;
    case SHAPE_QUIET: complete_symmetric(writer, call); break;
    case SHAPE_COLLECTIVE: return write_collective(writer, index, kind);
    case SHAPE_COMM_CREATE:
    case SHAPE_COMM_FREE: write_comm(writer, call, kind); break;
    }
    return STATUS_OK;
}

static enum status write_call(struct archive_writer *writer, size_t index)
{
    const struct trace_call *call = &writer->process->calls[index];
    enum call_kind what = call_kind(call->call);
    const struct archive_kind *kind = archive_kind(what);
    unsigned carries = archive_carried(call, kind), flags = call->flags & (TRACE_ASSERTIONS | TRACE_BREAK | TRACE_GAPS);
    writer->mark_slot = 2 * index + 1;
    archive_add_enter(writer, index, kind, carries);
    if (kind->shape == SHAPE_REGION) {
        archive_add_leave(writer, index);
        uint64_t time = archive_time(writer, call->enter_ps),
                 duration = (uint64_t)call->exit_ps - (uint64_t)call->enter_ps;
        if (duration) ARCHIVE_ADD(writer, DURATION, uint64, duration);
        if (what == CALL_REGION_ENTER)
            EVENT(Enter, writer, time, archive_user_region(call->region.region));
        else
            EVENT(Leave, writer, time, archive_user_region(call->region.region));
        return STATUS_OK;
    }
    EVENT(Enter, writer, archive_time(writer, call->enter_ps), call->call);
    bool completes = (kind->shape == SHAPE_FLUSH || kind->shape == SHAPE_QUIET) && !(call->flags & TRACE_BREAK);
    if (carries || completes) TRY(write_records(writer, index, kind, &flags));
    if (call_is_thread(call->call) && !(call->flags & TRACE_BREAK)) TRY(archive_write_primitive(writer, index));
    archive_add_leave(writer, index);
    if (call->flags & TRACE_BREAK) ARCHIVE_ADD(writer, BREAK, uint8, 1);
    if (flags != call->flags) ARCHIVE_ADD(writer, FLAGS, uint16, call->flags);
    if (writer->view) archive_write_marks(writer, 2 * index + 2, 0);
    EVENT(Leave, writer, archive_time(writer, call->exit_ps), call->call);
    return STATUS_OK;
}

static void set_thread(struct archive_writer *writer, uint32_t thread)
{
    writer->thread = thread;
    writer->out = writer->outs[thread];
}

/* Writes senders and tags of receives that never complete, which otherwise only the completion has. */
static enum status write_open_receives(struct archive_writer *writer)
{
    const struct trace_rank *rank = writer->process;
    if (writer->requests.count == 0) return STATUS_OK;
    uint64_t *indexes;
    TRY(map_values(&writer->requests, &indexes, writer->err));
    for (size_t i = 0; i < writer->requests.count; i++) {
        const struct trace_call *call = &rank->calls[indexes[i]];
        if (call_kind(call->call) != CALL_IRECV) continue;
        set_thread(writer, trace_call_thread(writer->trace, writer->rank, indexes[i]));
        uint64_t end = archive_time(writer, writer->end_ps[writer->thread]);
        ARCHIVE_ADD(writer, COMM, commRef, (uint32_t)call->handle);
        ARCHIVE_ADD(writer, PEER, int32, call->peer);
        ARCHIVE_ADD(writer, TAG, int32, call->message.tag);
        ARCHIVE_ADD(writer, BYTES, uint64, (uint64_t)call->bytes);
        EVENT(MpiRequestTest, writer, end, call->completion.request);
    }
    free(indexes);
    return STATUS_OK;
}

enum status archive_write_rank(struct archive_writer *writer)
{
    writer->process = &writer->trace->ranks[writer->rank];
    writer->operation_id = 0;
    map_empty(&writer->requests);
    TRY(archive_order_locks(writer));
    epoch_cursor_restart(&writer->cursor);
    for (size_t i = 0; i < writer->trace->definitions.window_count; i++) writer->windows[i].count = 0;
    for (size_t i = 0; !writer->failed && i < writer->process->count; i++) {
        set_thread(writer, trace_call_thread(writer->trace, writer->rank, i));
        writer->end_ps[writer->thread] = writer->process->calls[i].exit_ps;
        TRY(write_call(writer, i));
    }
    if (writer->failed) return STATUS_OK;
    TRY(write_open_receives(writer));
    writer->team += writer->process->thread_count > 0;
    for (uint32_t t = 0; writer->view && t < trace_thread_count(writer->trace, writer->rank); t++) {
        set_thread(writer, t);
        archive_write_marks(writer, SIZE_MAX, 0);
    }
    return STATUS_OK;
}
