/* Ids of request handles. MPI libraries give the same handle to several requests that are complete when they are made
 * (messages to MPI_PROC_NULL, buffered sends), so a handle has a queue of ids. The address of the program's variable
 * says which of them is meant, unless the program has copied the handle. */
#include <stdlib.h>

#include "trace/record/mpi/handles.h"
#include "trace/record/record.h"
#include "trace/record/threads/table.h"

struct rec_made {
    struct rec_comm *comm; /* of a receive, else NULL */
    uint32_t id;           /* SPOOL_NO_ID: of a communicator that is kept apart */
    uint32_t also;         /* a second one of the same handle (MPI_Isendrecv's send), else SPOOL_NO_ID */
    bool receive, nobody;  /* nobody: the sender is MPI_PROC_NULL, whatever the status says */
};

struct rec_request {
    struct rec_request *next; /* of the same handle, or of the free list */
    struct rec_request *last; /* of the queue; valid in its first member */
    struct rec_made made;
    const struct rec_buffer *maker; /* the thread */
    const MPI_Request *at;          /* where it was stored; only compared */
};

struct rec_pending { /* of the call that the thread runs */
    struct rec_made made;
    MPI_Request handle;
    bool known;
};

static struct rec_table requests;
static struct rec_request *unused;
static uint32_t request_count;
static __thread struct rec_pending *pending;
static __thread uint32_t *pending_ids;
static __thread MPI_Status *own_statuses;
static __thread size_t pending_room;
static __thread const MPI_Request *pending_list; /* the program's array, and what a call that fails did with it */
static __thread int pending_count;

void rec_pending_clear(void)
{
    free(pending);
    free(pending_ids);
    free(own_statuses);
    pending = NULL;
    pending_ids = NULL;
    own_statuses = NULL;
    pending_room = 0;
}

static struct rec_request *request_new(void)
{
    enum { BLOCK = 256 };
    if (!unused) {
        struct rec_request *block = malloc(BLOCK * sizeof *block);
        if (!block) return NULL;
        for (int i = 0; i < BLOCK; i++) {
            block[i].next = unused;
            unused = &block[i];
        }
    }
    struct rec_request *made = unused;
    unused = made->next;
    return made;
}

static struct rec_request *request_find(MPI_Request request)
{
    uintptr_t *found = rec_table_find(&requests, REC_KEY(request));
    return found ? (struct rec_request *)*found : NULL;
}

enum { LOOK_AHEAD = 256 }; /* in a queue: thousands of requests that are complete do not cost their square */

/* The request of a handle. If several share the handle: the one stored at this address, else the oldest one of the
 * calling thread, else the oldest. NULL: there is none. */
static struct rec_request *request_meant(const MPI_Request *request)
{
    struct rec_request *first = request_find(*request), *own = NULL, *each = first;
    if (!first || !first->next) return first;
    for (int i = 0; each && i < LOOK_AHEAD; i++, each = each->next) {
        if (each->at == request) return each;
        if (!own && each->maker == rec_own) own = each;
    }
    return own ? own : first;
}

/* Moves the member of the queue with this id to its front. */
static void bring_forward(MPI_Request request, struct rec_request *first, uint32_t id)
{
    struct rec_request *before = first, *wanted = first->next;
    if (first->made.id == id) return;
    while (wanted && wanted->made.id != id) {
        before = wanted;
        wanted = wanted->next;
    }
    if (!wanted) return;
    before->next = wanted->next;
    wanted->next = first;
    wanted->last = first->last == wanted ? before : first->last;
    rec_table_put(&requests, REC_KEY(request), (uintptr_t)wanted);
}

/* Takes the oldest request of the handle, or the one with this id if it is there, out of the table; its communicator
 * stays in use. */
static bool request_take(MPI_Request request, uint32_t id, struct rec_made *taken)
{
    struct rec_request *first = request_find(request);
    if (!first) return false;
    if (id != SPOOL_NO_ID && first->made.id != id) {
        bring_forward(request, first, id);
        first = request_find(request);
    }
    *taken = first->made;
    if (first->next) {
        first->next->last = first->last;
        rec_table_put(&requests, REC_KEY(request), (uintptr_t)first->next);
    } else {
        rec_table_remove(&requests, REC_KEY(request));
    }
    first->next = unused;
    unused = first;
    return true;
}

static void forget_request(MPI_Request request, uint32_t id)
{
    struct rec_made taken;
    if (request_take(request, id, &taken) && taken.comm) rec_comm_release(taken.comm);
}

void rec_drop_request(const MPI_Request *request)
{
    const struct rec_request *meant = request_meant(request);
    rec_drop_persistent(*request);
    forget_request(*request, meant ? meant->made.id : SPOOL_NO_ID);
}

/* The last one of its handle. first: of those that are there. NULL: memory is short, and recording has stopped. */
static struct rec_request *request_add(const MPI_Request *request, struct rec_request *first, struct rec_made what)
{
    struct rec_request *made = request_new();
    if (!made || (!first && !rec_table_put(&requests, REC_KEY(*request), (uintptr_t)made))) {
        rec_stop("out of memory");
        return NULL;
    }
    *made = (struct rec_request){.last = made, .made = what, .maker = rec_own, .at = request};
    if (!first) return made;
    first->last->next = made;
    first->last = made;
    return made;
}

static uint32_t next_id(const struct rec_call *rec)
{
    return rec->comm && rec->comm->apart ? SPOOL_NO_ID : request_count++;
}

/* A receive from a rank has a handle of its own, so an older request with this handle was completed by a call that is
 * not recorded. */
void rec_set_made_request(struct rec_call *rec, const MPI_Request *request, bool receive)
{
    struct rec_request *first = request_find(*request);
    bool nobody = receive && rec->enter.peer == SPOOL_PEER_NONE;
    if (first && ((receive && !nobody) || (first->made.receive && !first->made.nobody)) && !rec_shared) {
        rec_mark(SPOOL_UNKNOWN_REQUESTS);
        forget_request(*request, SPOOL_NO_ID);
        first = request_find(*request);
    }
    struct rec_made made = {.comm = receive ? rec->comm : NULL, .id = next_id(rec), .also = SPOOL_NO_ID,
                            .receive = receive, .nobody = nobody};
    if (!request_add(request, first, made)) return;
    if (made.comm) made.comm->uses++;
    rec->exit.id = made.id;
}

/* MPICH 4.0.2 does not fill the status, which would say what the receive got. */
void rec_set_made_both(struct rec_call *send, struct rec_call *receive, const MPI_Request *request)
{
    rec_set_made_request(receive, request, true);
    struct rec_request *made = request_find(*request);
    if (!made) return;
    made->made.receive = false;
    send->exit.id = made->made.also = next_id(send);
}

/* A wait for this request is recorded as a wait for nothing. */
void rec_set_apart_request(struct rec_call *rec, const MPI_Request *request)
{
    static struct rec_comm nowhere = {.id = SPOOL_NO_ID, .apart = true, .uses = 1};
    rec->comm = &nowhere;
    rec_set_made_request(rec, request, false);
}

/* A persistent request that is not active is complete. */
static void unknown_request(MPI_Request request)
{
    if (rec_is_persistent(request)) return;
    rec_mark(SPOOL_UNKNOWN_REQUESTS);
}

static void define_both(const struct rec_made *made)
{
    const uint32_t both[] = {made->id, made->also};
    rec_define(SPOOL_LIST, 0, both, sizeof both);
}

void rec_set_request(struct rec_call *rec, const MPI_Request *request)
{
    rec->at = request;
    rec->key = REC_KEY(*request);
    rec->request = SPOOL_NO_ID;
    rec->enter.id = SPOOL_NO_ID;
    rec->found = false;
    if (*request == MPI_REQUEST_NULL) return;
    const struct rec_request *found = request_meant(request);
    rec->found = found != NULL;
    if (!found) {
        unknown_request(*request);
        return;
    }
    rec->enter.id = rec->request = found->made.id;
    if (found->made.also == SPOOL_NO_ID) return;
    bool wait = rec->enter.call == REC_ID_Wait;
    rec->enter.call = rec->exit.call = wait ? REC_ID_Waitall : REC_ID_Testall;
    if (wait) define_both(&found->made);
}

void rec_set_asked_request(struct rec_call *rec, MPI_Request request)
{
    const struct rec_request *found = request == MPI_REQUEST_NULL ? NULL : request_meant(&request);
    rec->enter.id = found ? found->made.id : SPOOL_NO_ID;
    if (!found && request != MPI_REQUEST_NULL) unknown_request(request);
}

static void put_match(uint64_t time, const struct rec_made *done, const MPI_Status *status, int error)
{
    struct rec_call match = {.comm = done->comm};
    bool short_of = error == MPI_ERR_TRUNCATE && rec_status_tells(done->comm, status);
    int cancelled = 0;
    if (done->nobody || (error != MPI_SUCCESS && !short_of))
        cancelled = 1; /* as if: MPICH 4.0.2 leaves the status of its shared request as it was */
    else if (error == MPI_SUCCESS)
        PMPI_Test_cancelled(status, &cancelled);
    rec_set_received(&match, cancelled ? MPI_PROC_NULL : status->MPI_SOURCE, status);
    if (cancelled) match.exit.tag = MPI_ANY_TAG;
    struct spool_record record = {.time = time,
                                  .kind = SPOOL_MATCH,
                                  .flags = short_of ? SPOOL_TRUNCATED : 0,
                                  .id = done->id,
                                  .peer = match.exit.peer,
                                  .tag = match.exit.tag,
                                  .bytes = match.exit.bytes};
    rec_put(&record);
}

static void complete_request(uint64_t time, const struct rec_made *done, const MPI_Status *status, int error)
{
    if (done->receive && done->id != SPOOL_NO_ID) put_match(time, done, status, error);
    if (done->comm) rec_comm_release(done->comm);
}

void rec_set_request_done(struct rec_call *rec, int flag, const MPI_Status *status)
{
    struct rec_made done;
    int error = MPI_SUCCESS;
    if (!REC_LIKELY(!(rec->exit.flags & SPOOL_FAILED))) {
        error = rec->error;
        flag = rec_request_ended((MPI_Request)rec->key, *rec->at, error, status);
        if (flag) rec->exit.flags &= (uint8_t)~SPOOL_FAILED;
    }
    rec_set_flag(rec, flag);
    if (!flag || !rec->found) return;
    if (!request_take((MPI_Request)rec->key, rec->request, &done)) return;
    if (rec->enter.call == REC_ID_Testall) define_both(&done);
    complete_request(rec->exit.time, &done, status, error);
}

static bool pending_reserve(size_t count)
{
    if (count <= pending_room) return true;
    size_t room = count < 256 ? 256 : count * 2;
    void *grown = realloc(pending, room * sizeof *pending);
    if (grown) pending = grown;
    void *ids = grown ? realloc(pending_ids, 2 * room * sizeof *pending_ids) : NULL;
    if (ids) pending_ids = ids;
    void *statuses = ids ? realloc(own_statuses, room * sizeof *own_statuses) : NULL;
    if (!statuses) return false;
    own_statuses = statuses;
    pending_room = room;
    return true;
}

static size_t note_done(const struct rec_made *done, size_t known)
{
    if (done->id != SPOOL_NO_ID) pending_ids[known++] = done->id;
    if (done->also != SPOOL_NO_ID) pending_ids[known++] = done->also;
    return known;
}

void rec_set_requests(struct rec_call *rec, int count, const MPI_Request *list, MPI_Status **statuses)
{
    bool receive = false;
    size_t known = 0;
    rec->request = 0;
    if (!pending_reserve((size_t)(count > 0 ? count : 0))) {
        rec_stop("out of memory");
        return;
    }
    pending_list = list;
    for (int i = 0; i < count; i++) {
        pending[i].known = false;
        if (list[i] == MPI_REQUEST_NULL) continue;
        const struct rec_request *which = request_meant(&list[i]);
        if (!request_take(list[i], which ? which->made.id : SPOOL_NO_ID, &pending[i].made)) {
            unknown_request(list[i]);
            continue;
        }
        pending[i].known = true;
        pending[i].handle = list[i];
        known = note_done(&pending[i].made, known);
        receive = receive || pending[i].made.receive;
    }
    if (receive && *statuses == MPI_STATUSES_IGNORE) *statuses = own_statuses;
    rec_define(SPOOL_LIST, 0, pending_ids, known * sizeof *pending_ids);
    rec->enter.bytes = (int64_t)known;
}

/* All are out of the table, and their communicators in use. Those that the call completed are its list now, the others
 * go back. */
static void all_failed(struct rec_call *rec, int count, const MPI_Status *statuses)
{
    size_t known = 0;
    bool any = false;
    for (int i = 0; i < count; i++) {
        const struct rec_pending *each = &pending[i];
        if (!each->known) continue;
        if (!rec_request_ended(each->handle, pending_list[i], rec->error, &statuses[i])) {
            request_add(&pending_list[i], request_find(pending_list[i]), each->made);
            continue;
        }
        any = true;
        known = note_done(&each->made, known);
        complete_request(rec->exit.time, &each->made, &statuses[i], rec_error_of(rec->error, &statuses[i]));
    }
    rec_define(SPOOL_LIST, 0, pending_ids, known * sizeof *pending_ids);
    if (any) rec->exit.flags &= (uint8_t)~SPOOL_FAILED;
}

void rec_set_requests_done(struct rec_call *rec, int count, const MPI_Status *statuses)
{
    if (!REC_LIKELY(!(rec->exit.flags & SPOOL_FAILED))) {
        all_failed(rec, count, statuses);
        return;
    }
    for (int i = 0; i < count; i++)
        if (pending[i].known) complete_request(rec->exit.time, &pending[i].made, &statuses[i], MPI_SUCCESS);
}

/* The call returns which requests it completed. By then their handles may be invalid, so copies are kept. */
void rec_set_some(int count, const MPI_Request *list, MPI_Status **statuses)
{
    if (!pending_reserve((size_t)(count > 0 ? count : 1))) {
        rec_stop("out of memory");
        return;
    }
    pending_list = list;
    pending_count = count;
    for (int i = 0; i < count; i++) {
        const struct rec_request *first = request_meant(&list[i]);
        pending[i].handle = list[i];
        pending[i].made.id = first ? first->made.id : SPOOL_NO_ID;
    }
    if (statuses && *statuses == MPI_STATUSES_IGNORE) *statuses = own_statuses;
}

/* The status that a call which failed gave for the request at place i. NULL: none. */
static const MPI_Status *status_at(int i, int count, const int *indices, const MPI_Status *statuses)
{
    if (!indices) return &statuses[i];
    for (int k = 0; k < count && k < pending_count; k++)
        if (indices[k] == i) return &statuses[k];
    return NULL;
}

/* Completed are those whose handles are gone, and persistent ones whose statuses say so; the count is not trusted. */
static void some_failed(struct rec_call *rec, int count, const int *indices, const MPI_Status *statuses)
{
    const MPI_Status none = {.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG};
    struct rec_made done;
    size_t known = 0;
    bool any = false;
    for (int i = 0; i < pending_count; i++) {
        MPI_Request handle = pending[i].handle;
        const MPI_Status *status = status_at(i, count, indices, statuses);
        if (!rec_request_ended(handle, pending_list[i], rec->error, status)) continue;
        any = true;
        if (!request_take(handle, pending[i].made.id, &done)) continue;
        known = note_done(&done, known);
        complete_request(rec->exit.time, &done, status ? status : &none, rec_error_of(rec->error, status));
    }
    rec->exit.flags &= (uint8_t)~SPOOL_FLAG;
    if (!any) return;
    if (known > 0) rec_define(SPOOL_LIST, 0, pending_ids, known * sizeof *pending_ids);
    rec->exit.flags &= (uint8_t)~SPOOL_FAILED;
    if (rec->exit.call != REC_ID_Waitany && rec->exit.call != REC_ID_Waitsome) rec_set_flag(rec, true);
}

/* The indices of those that were completed, NULL for all of 0, 1, ...; statuses in the same order. */
void rec_set_some_done(struct rec_call *rec, int count, const int *indices, const MPI_Status *statuses)
{
    struct rec_made done;
    size_t known = 0;
    if (!REC_LIKELY(!(rec->exit.flags & SPOOL_FAILED))) {
        some_failed(rec, count, indices, statuses);
        return;
    }
    for (int i = 0; i < count; i++) { /* none if count is MPI_UNDEFINED */
        const struct rec_pending *which = &pending[indices ? indices[i] : i];
        MPI_Request handle = which->handle;
        if (handle == MPI_REQUEST_NULL) continue;
        if (!request_take(handle, which->made.id, &done)) {
            unknown_request(handle);
            continue;
        }
        known = note_done(&done, known);
        complete_request(rec->exit.time, &done, &statuses[i], MPI_SUCCESS);
    }
    if (known) rec_define(SPOOL_LIST, 0, pending_ids, known * sizeof *pending_ids);
}

void rec_set_one_done(struct rec_call *rec, int flag, int index, const MPI_Status *status)
{
    bool any = (flag && index != MPI_UNDEFINED) || (rec->exit.flags & SPOOL_FAILED);
    rec_set_some_done(rec, any, &index, status);
}
