/* The event records of one location: each adds its part to the call that is open. */
#include <inttypes.h>

#include "common/array.h"
#include "trace/otf2/read.h"

/* The first parameters of every callback. */
#define HEAD OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user, OTF2_AttributeList *list
#define IGNORE_HEAD (void)location, (void)time, (void)position, (void)list

/* The open call if its records have this shape, else NULL. */
static struct trace_call *open_call(struct archive_reader *reader, enum archive_shape shape)
{
    struct archive_cursor *cursor = &reader->cursor;
    if (!cursor->in_call || cursor->depth > 0) return NULL;
    return archive_kind(call_kind(cursor->call.call))->shape == shape ? &cursor->call : NULL;
}

static enum status find_world_rank(struct archive_reader *reader, const struct trace_comm *comm, uint32_t rank,
                                   int32_t *world)
{
    if (rank >= comm->count)
        return err_set(reader->err, STATUS_DATA, reader->anchor, NULL,
                       "rank %" PRIu32 " of a communicator of %" PRIu32 " ranks", rank, comm->count);
    *world = comm->members[rank];
    return STATUS_OK;
}

enum status archive_take_message(struct archive_reader *reader, struct trace_call *call, uint32_t peer, uint32_t comm,
                                 uint32_t tag, uint64_t bytes)
{
    int32_t id;
    TRY(archive_comm_id(reader, comm, &id));
    if (id == TRACE_NONE) return STATUS_OK;
    TRY(find_world_rank(reader, &reader->trace->definitions.comms[id], peer, &call->peer));
    call->handle = id;
    call->message.tag = (int32_t)tag;
    call->bytes = (int64_t)bytes;
    return STATUS_OK;
}

/* Gives the call that comes next this request. Requests of foreign archives may have any id: they are numbered anew. */
static enum status make_request(struct archive_reader *reader, struct trace_call *call, uint64_t request)
{
    struct archive_cursor *cursor = &reader->cursor;
    if (reader->ours && request > UINT32_MAX)
        return err_set(reader->err, STATUS_DATA, reader->anchor, NULL, "request %" PRIu64 ", expected below 2^32",
                       request);
    call->ref = reader->ours ? (uint32_t)request : cursor->next_request++;
    if (reader->ours && call_kind(call->call) != CALL_IRECV) return STATUS_OK; /* its completion says nothing new */
    return map_set(&cursor->requests, request, cursor->calls->count, reader->err);
}

/* A request of the open wait or test; ones that no call known made are left out. *made: the call that made it or
 * NULL. */
static enum status use_request(struct archive_reader *reader, uint64_t request, bool done, struct trace_call **made)
{
    struct archive_cursor *cursor = &reader->cursor;
    const uint64_t *index = map_find(&cursor->requests, request);
    bool known = index != NULL;
    *made = known ? &cursor->calls->calls[*index] : NULL;
    if (done) map_remove(&cursor->requests, request);
    if (!open_call(reader, SHAPE_COMPLETION) || (!known && !reader->ours && !cursor->several)) return STATUS_OK;
    uint32_t id = known ? (*made)->ref : reader->ours ? (uint32_t)request : TRACE_NO_REF;
    cursor->completed_one = cursor->completed_one || done;
    ARRAY_PUSH(cursor->completed, cursor->completed_count, cursor->completed_capacity, id, reader->err);
    return STATUS_OK;
}

/* use_request() of late.request. A request of the open wait or test that no location read so far made may be made by one
 * that follows: archive_end_rank() then does what late says. */
static enum status take_request(struct archive_reader *reader, bool done, struct archive_late late,
                                struct trace_call **made)
{
    struct archive_cursor *cursor = &reader->cursor;
    TRY(use_request(reader, late.request, done, made));
    if (*made || (reader->ours && !done) || !cursor->several || !open_call(reader, SHAPE_COMPLETION)) return STATUS_OK;
    late.call = cursor->calls->count;
    late.slot = cursor->completed_count - 1;
    ARRAY_PUSH(cursor->late, cursor->late_count, cursor->late_capacity, late, reader->err);
    return STATUS_OK;
}

static OTF2_CallbackCode on_enter(HEAD, OTF2_RegionRef region)
{
    (void)location, (void)position;
    return archive_stop(user, archive_begin_call(user, time, region, list));
}

static OTF2_CallbackCode on_leave(HEAD, OTF2_RegionRef region)
{
    (void)location, (void)position;
    return archive_stop(user, archive_end_call(user, time, region, list));
}

static OTF2_CallbackCode on_message(struct archive_reader *reader, enum archive_shape shape, uint32_t peer,
                                    uint32_t comm, uint32_t tag, uint64_t bytes)
{
    struct trace_call *call = open_call(reader, shape);
    reader->assumed.lost_message_count += !call;
    return archive_stop(reader, call ? archive_take_message(reader, call, peer, comm, tag, bytes) : STATUS_OK);
}

/* The two halves of a sendrecv: MpiSend, then MpiRecv. */
static enum status take_half(struct archive_reader *reader, struct trace_call *call, bool send, uint32_t peer,
                             uint32_t comm, uint32_t tag, uint64_t bytes)
{
    struct trace_call half = *call;
    TRY(archive_take_message(reader, &half, peer, comm, tag, bytes));
    call->handle = half.handle;
    if (send) {
        call->peer = half.peer;
        call->message.tag = half.message.tag;
        call->bytes = half.bytes;
    } else {
        call->exchange.source = half.peer;
        call->exchange.recv_tag = half.message.tag;
        call->exchange.recv_bytes = half.bytes;
    }
    return STATUS_OK;
}

static OTF2_CallbackCode on_one_way(struct archive_reader *reader, bool send, uint32_t peer, uint32_t comm,
                                    uint32_t tag, uint64_t bytes)
{
    if (comm >= reader->arrows) return OTF2_CALLBACK_SUCCESS;
    struct trace_call *both = open_call(reader, SHAPE_SENDRECV);
    if (both) return archive_stop(reader, take_half(reader, both, send, peer, comm, tag, bytes));
    return on_message(reader, send ? SHAPE_SEND : SHAPE_RECV, peer, comm, tag, bytes);
}

static OTF2_CallbackCode on_send(HEAD, uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    IGNORE_HEAD;
    return on_one_way(user, true, peer, comm, tag, bytes);
}

static OTF2_CallbackCode on_recv(HEAD, uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    IGNORE_HEAD;
    return on_one_way(user, false, peer, comm, tag, bytes);
}

static OTF2_CallbackCode on_isend(HEAD, uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                  uint64_t request)
{
    IGNORE_HEAD;
    struct trace_call *call = open_call(user, SHAPE_ISEND);
    OTF2_CallbackCode code = on_message(user, SHAPE_ISEND, peer, comm, tag, bytes);
    return code == OTF2_CALLBACK_SUCCESS && call ? archive_stop(user, make_request(user, call, request)) : code;
}

static OTF2_CallbackCode on_irecv_request(HEAD, uint64_t request)
{
    IGNORE_HEAD;
    struct archive_reader *reader = user;
    struct trace_call *call = open_call(reader, SHAPE_IRECV);
    reader->assumed.lost_message_count += !call;
    return archive_stop(reader, call ? make_request(reader, call, request) : STATUS_OK);
}

static OTF2_CallbackCode on_isend_complete(HEAD, uint64_t request)
{
    IGNORE_HEAD;
    struct trace_call *made;
    return archive_stop(user, take_request(user, true, (struct archive_late){.request = request}, &made));
}

/* The completion says what the receive was about. */
static OTF2_CallbackCode on_irecv(HEAD, uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                  uint64_t request)
{
    IGNORE_HEAD;
    struct trace_call *made;
    struct archive_late late = {
        .request = request, .receives = true, .peer = peer, .comm = comm, .tag = tag, .bytes = bytes};
    enum status status = take_request(user, true, late, &made);
    if (status == STATUS_OK && made) status = archive_take_message(user, made, peer, comm, tag, bytes);
    return archive_stop(user, status);
}

static OTF2_CallbackCode on_request_test(HEAD, uint64_t request)
{
    (void)location, (void)time, (void)position;
    struct archive_reader *reader = user;
    struct trace_call *made;
    enum status status = take_request(reader, false, (struct archive_late){.request = request}, &made);
    /* after the last call our profile has records of receives that never complete */
    if (status == STATUS_OK && made && !reader->cursor.in_call) status = archive_take_attributes(reader, list, made);
    return archive_stop(reader, status);
}

static OTF2_CallbackCode on_cancelled(HEAD, uint64_t request)
{
    IGNORE_HEAD;
    struct trace_call *made;
    enum status status = take_request(user, true, (struct archive_late){.request = request, .cancelled = true}, &made);
    if (status == STATUS_OK && made && made->handle == TRACE_NONE) made->handle = 0;
    return archive_stop(user, status);
}

static enum status take_collective(struct archive_reader *reader, struct trace_call *call, uint32_t comm_ref,
                                   uint32_t root, uint64_t sent, uint64_t received)
{
    enum call_kind kind = call_kind(call->call);
    unsigned carries = archive_kind(kind)->carries;
    int32_t id;
    TRY(archive_comm_id(reader, comm_ref, &id));
    if (id == TRACE_NONE) return STATUS_OK;
    const struct trace_comm *comm = &reader->trace->definitions.comms[id];
    if (carries & CARRIES_PEER) TRY(find_world_rank(reader, comm, root, &call->peer));
    if (!reader->ours && !(carries & CARRIES_BYTES)) {
        /* The members exchange different amounts. Our profile says them in attributes. */
        call->bytes = (int64_t)(kind == CALL_SCATTERV ? received : sent);
        if (kind == CALL_ALLGATHERV && comm->count > 0) call->bytes /= comm->count;
        if (kind == CALL_ALLTOALLV) call->collective.recv_bytes = (int64_t)received;
    }
    if (carries & CARRIES_BYTES) call->bytes = archive_collective_block(kind, comm->count, sent, received);
    call->handle = id;
    return STATUS_OK;
}

static OTF2_CallbackCode on_collective(HEAD, OTF2_CollectiveOp collective, OTF2_CommRef comm, uint32_t root,
                                       uint64_t sent, uint64_t received)
{
    IGNORE_HEAD, (void)collective;
    struct archive_reader *reader = user;
    struct trace_call *call = open_call(reader, SHAPE_COLLECTIVE);
    if (call) return archive_stop(reader, take_collective(reader, call, comm, root, sent, received));
    call = open_call(reader, SHAPE_COMM_CREATE);
    if (!call) call = open_call(reader, SHAPE_COMM_FREE);
    return archive_stop(reader, call ? archive_comm_id(reader, comm, &call->handle) : STATUS_OK);
}

static OTF2_CallbackCode on_collective_request(HEAD, uint64_t request)
{
    IGNORE_HEAD;
    struct trace_call *call = open_call(user, SHAPE_COLLECTIVE);
    return archive_stop(user, call && call_makes_request(call->call) ? make_request(user, call, request) : STATUS_OK);
}

static OTF2_CallbackCode on_collective_complete(HEAD, OTF2_CollectiveOp collective, OTF2_CommRef comm, uint32_t root,
                                                uint64_t sent, uint64_t received, uint64_t request)
{
    IGNORE_HEAD, (void)collective;
    struct trace_call *made;
    enum status status = take_request(user, true, (struct archive_late){.request = request}, &made);
    if (status == STATUS_OK && made) status = take_collective(user, made, comm, root, sent, received);
    return archive_stop(user, status);
}

static OTF2_CallbackCode on_comm_create(HEAD, OTF2_CommRef comm)
{
    IGNORE_HEAD;
    struct trace_call *call = open_call(user, SHAPE_COMM_CREATE);
    int32_t id = TRACE_NONE;
    enum status status = call ? archive_comm_id(user, comm, &id) : STATUS_OK;
    if (id != TRACE_NONE) call->comm.newcomm = (uint32_t)id;
    return archive_stop(user, status);
}

static OTF2_CallbackCode on_comm_destroy(HEAD, OTF2_CommRef comm)
{
    IGNORE_HEAD;
    struct trace_call *call = open_call(user, SHAPE_COMM_FREE);
    return archive_stop(user, call ? archive_comm_id(user, comm, &call->handle) : STATUS_OK);
}

static OTF2_CallbackCode on_win_create(HEAD, OTF2_RmaWinRef win)
{
    IGNORE_HEAD;
    struct trace_call *call = open_call(user, SHAPE_WIN_CREATE);
    return archive_stop(user, call ? archive_win_id(user, win, &call->handle) : STATUS_OK);
}

static OTF2_CallbackCode on_win_destroy(HEAD, OTF2_RmaWinRef win)
{
    IGNORE_HEAD;
    struct trace_call *call = open_call(user, SHAPE_WIN_FREE);
    return archive_stop(user, call ? archive_win_id(user, win, &call->handle) : STATUS_OK);
}

static OTF2_CallbackCode on_rma_collective(HEAD, OTF2_CollectiveOp collective, OTF2_RmaSyncLevel level,
                                           OTF2_RmaWinRef win, uint32_t root, uint64_t sent, uint64_t received)
{
    IGNORE_HEAD, (void)collective, (void)level, (void)root;
    struct archive_reader *reader = user;
    struct trace_call *call = open_call(reader, SHAPE_FENCE);
    if (call) return archive_stop(reader, archive_win_id(reader, win, &call->handle));
    call = open_call(reader, SHAPE_COLLECTIVE); /* of OpenSHMEM: the window's communicator */
    if (!call || !call_is_shmem(call->call)) return OTF2_CALLBACK_SUCCESS;
    if (!reader->ours) return archive_stop(reader, archive_shmem_collective(reader, call, win, sent, received));
    int32_t id;
    enum status status = archive_win_id(reader, win, &id);
    if (status == STATUS_OK && id != TRACE_NONE) call->handle = reader->trace->definitions.windows[id].comm;
    return archive_stop(reader, status);
}

static OTF2_CallbackCode on_group_sync(HEAD, OTF2_RmaSyncLevel level, OTF2_RmaWinRef win, OTF2_GroupRef group)
{
    IGNORE_HEAD;
    struct trace_call *call = open_call(user, SHAPE_GROUP_SYNC);
    if (!call) return OTF2_CALLBACK_SUCCESS;
    enum call_kind kind = call_kind(call->call);
    enum status status = archive_win_id(user, win, &call->handle);
    if (status == STATUS_OK && (kind == CALL_POST || kind == CALL_START))
        status = archive_group_id(user, group, &call->sync.group);
    if (kind == CALL_WIN_TEST && level != OTF2_RMA_SYNC_LEVEL_NONE) call->flags |= TRACE_FLAG;
    return archive_stop(user, status);
}

/* Sets window and target of a transfer, lock or unlock. */
static enum status take_target(struct archive_reader *reader, struct trace_call *call, uint32_t win, uint32_t target)
{
    int32_t id;
    TRY(archive_win_id(reader, win, &id));
    if (id == TRACE_NONE) return STATUS_OK;
    call->handle = id;
    if (target == OTF2_UNDEFINED_UINT32) return STATUS_OK; /* all targets */
    return find_world_rank(reader, &reader->trace->definitions.comms[reader->trace->definitions.windows[id].comm], target,
                      &call->peer);
}

static OTF2_CallbackCode on_transfer(struct archive_reader *reader, uint32_t win, uint32_t target, uint64_t bytes,
                                     uint64_t result)
{
    struct trace_call *call = open_call(reader, SHAPE_TRANSFER);
    if (!call) return OTF2_CALLBACK_SUCCESS;
    call->bytes = (int64_t)bytes;
    call->rma.result_bytes = (int64_t)result;
    return archive_stop(reader, take_target(reader, call, win, target));
}

static OTF2_CallbackCode on_put_or_get(HEAD, OTF2_RmaWinRef win, uint32_t target, uint64_t bytes, uint64_t id)
{
    IGNORE_HEAD, (void)id;
    return on_transfer(user, win, target, bytes, 0);
}

static OTF2_CallbackCode on_atomic(HEAD, OTF2_RmaWinRef win, uint32_t target, OTF2_RmaAtomicType type, uint64_t sent,
                                   uint64_t received, uint64_t id)
{
    IGNORE_HEAD, (void)type, (void)id;
    return on_transfer(user, win, target, sent, received);
}

/* Takes a lock of OpenSHMEM. got: a test has got it, too. */
static OTF2_CallbackCode on_shmem_lock(struct archive_reader *reader, uint32_t win, uint64_t id, bool got)
{
    struct trace_call *call = open_call(reader, SHAPE_SHMEM_LOCK);
    if (!call) return OTF2_CALLBACK_SUCCESS;
    if (got && call_kind(call->call) == CALL_SHMEM_TEST_LOCK) call->flags |= TRACE_FLAG;
    return archive_stop(reader, archive_shmem_lock(reader, call, win, id));
}

/* In a merged archive a lock of MPI may be granted while the rank is in any call. */
static OTF2_CallbackCode on_acquire_lock(HEAD, OTF2_RmaWinRef win, uint32_t target, uint64_t id, OTF2_LockType type)
{
    IGNORE_HEAD, (void)type;
    if (target != OTF2_UNDEFINED_UINT32) return OTF2_CALLBACK_SUCCESS;
    return on_shmem_lock(user, win, id, true);
}

static OTF2_CallbackCode on_try_lock(HEAD, OTF2_RmaWinRef win, uint32_t target, uint64_t id, OTF2_LockType type)
{
    IGNORE_HEAD, (void)target, (void)type;
    return on_shmem_lock(user, win, id, false);
}

/* Score-P says so, too, where a test of OpenSHMEM's got the lock. */
static OTF2_CallbackCode on_request_lock(HEAD, OTF2_RmaWinRef win, uint32_t target, uint64_t id, OTF2_LockType type)
{
    IGNORE_HEAD;
    struct trace_call *call = open_call(user, SHAPE_LOCK);
    if (!call) return on_shmem_lock(user, win, id, true);
    if (type == OTF2_LOCK_EXCLUSIVE) call->flags |= TRACE_EXCLUSIVE;
    return archive_stop(user, take_target(user, call, win, target));
}

static OTF2_CallbackCode on_release_lock(HEAD, OTF2_RmaWinRef win, uint32_t target, uint64_t id)
{
    IGNORE_HEAD;
    struct trace_call *call = open_call(user, SHAPE_UNLOCK);
    return call ? archive_stop(user, take_target(user, call, win, target)) : on_shmem_lock(user, win, id, false);
}

static OTF2_CallbackCode on_flush(HEAD, OTF2_TimeStamp stop)
{
    IGNORE_HEAD, (void)stop;
    ((struct archive_reader *)user)->assumed.off_count++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_off(HEAD, OTF2_MeasurementMode mode)
{
    IGNORE_HEAD;
    ((struct archive_reader *)user)->assumed.off_count += mode == OTF2_MEASUREMENT_OFF;
    return OTF2_CALLBACK_SUCCESS;
}

void archive_set_event_callbacks(OTF2_EvtReaderCallbacks *callbacks)
{
#define SET(RECORD, FUNCTION) OTF2_EvtReaderCallbacks_Set##RECORD##Callback(callbacks, FUNCTION)
    SET(Enter, on_enter);
    SET(Leave, on_leave);
    SET(MpiSend, on_send);
    SET(MpiRecv, on_recv);
    SET(MpiIsend, on_isend);
    SET(MpiIsendComplete, on_isend_complete);
    SET(MpiIrecvRequest, on_irecv_request);
    SET(MpiIrecv, on_irecv);
    SET(MpiRequestTest, on_request_test);
    SET(MpiRequestCancelled, on_cancelled);
    SET(MpiCollectiveEnd, on_collective);
    SET(NonBlockingCollectiveRequest, on_collective_request);
    SET(NonBlockingCollectiveComplete, on_collective_complete);
    SET(CommCreate, on_comm_create);
    SET(CommDestroy, on_comm_destroy);
    SET(RmaWinCreate, on_win_create);
    SET(RmaWinDestroy, on_win_destroy);
    SET(RmaCollectiveEnd, on_rma_collective);
    SET(RmaGroupSync, on_group_sync);
    SET(RmaPut, on_put_or_get);
    SET(RmaGet, on_put_or_get);
    SET(RmaAtomic, on_atomic);
    SET(RmaRequestLock, on_request_lock);
    SET(RmaAcquireLock, on_acquire_lock);
    SET(RmaTryLock, on_try_lock);
    SET(RmaReleaseLock, on_release_lock);
    SET(BufferFlush, on_flush);
    SET(MeasurementOnOff, on_off);
#undef SET
}
