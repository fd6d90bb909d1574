/* Objects that one call prepares and a later call uses: persistent requests (MPI-3.1 3.9, MPI-4.0 6.12), partitioned
 * messages (MPI-4.0 4) and matched messages (MPI-3.1 3.8.2). */
#include <stdlib.h>

#include "trace/record/mpi/handles.h"
#include "trace/record/record.h"

#define SITE_LATER INT64_MIN /* in extra: the call site of who begins it */

struct persistent {
    struct rec_call like;  /* what the call that begins it stores */
    int partitions, ready; /* ready: since the last start; 0 partitions: a whole message */
    bool receive;          /* its status says what it got */
};

static struct rec_table persistent, messages;

static struct persistent *keep_call(struct rec_table *table, uint64_t key, const struct rec_call *like)
{
    struct persistent *made = malloc(sizeof *made);
    if (!made || !rec_table_put(table, key, (uintptr_t)made)) {
        free(made);
        rec_stop("out of memory");
        return NULL;
    }
    *made = (struct persistent){.like = *like};
    made->like.comm->uses++;
    return made;
}

static void drop_call(struct rec_table *table, uint64_t key)
{
    struct persistent *made = (struct persistent *)rec_table_remove(table, key);
    if (made) rec_comm_release(made->like.comm);
    free(made);
}

static struct persistent *find_persistent(const struct rec_table *table, uint64_t key)
{
    uintptr_t *found = rec_table_find(table, key);
    return found ? (struct persistent *)*found : NULL;
}

void rec_set_persistent(MPI_Request request, enum rec_call_id call, MPI_Comm comm, int peer, int tag, int64_t count,
                        MPI_Datatype type)
{
    struct rec_call like = {.enter = {.id = SPOOL_NO_ID, .flags = SPOOL_STARTED, .extra = SITE_LATER}};
    rec_set_message(&like, comm, peer, tag, count, type);
    if (!like.comm) return;
    rec_buffer(&like, call == REC_ID_Irecv ? SPOOL_RECEIVE : SPOOL_SEND, peer, count, type);
    rec_set_kept(&like, request, call);
    struct persistent *made = find_persistent(&persistent, REC_KEY(request));
    if (made) made->receive = call == REC_ID_Irecv;
}

void rec_keep_begin(struct rec_call *rec)
{
    rec->enter = (struct spool_record){.id = SPOOL_NO_ID, .peer = SPOOL_PEER_NONE, .extra = SITE_LATER};
    rec->exit = rec->enter;
    rec->comm = NULL;
    rec->gaps = false;
}

/* rec holds what the non-blocking call would have stored; call: what MPI_Start then begins. */
void rec_set_kept(const struct rec_call *rec, MPI_Request request, enum rec_call_id call)
{
    if (!rec->comm) return;
    drop_call(&persistent, REC_KEY(request));
    struct persistent *made = keep_call(&persistent, REC_KEY(request), rec);
    if (made) made->like.enter.call = (uint16_t)call;
}

/* Both sides know peer and tag, and the status of the receive need not have them. */
void rec_set_partitioned(MPI_Request request, enum rec_call_id call, MPI_Comm comm, int peer, int tag, int partitions,
                         int64_t count, MPI_Datatype type)
{
    rec_set_persistent(request, call, comm, peer, tag, count * partitions, type);
    struct persistent *what = find_persistent(&persistent, REC_KEY(request));
    if (!what) return;
    what->receive = false;
    if (call == REC_ID_Isend) what->partitions = partitions;
}

bool rec_is_persistent(MPI_Request request)
{
    return rec_table_find(&persistent, REC_KEY(request)) != NULL;
}

void rec_drop_persistent(MPI_Request request)
{
    drop_call(&persistent, REC_KEY(request));
}

static void take_over(struct rec_call *rec, const struct persistent *what)
{
    const struct rec_call *like = &what->like;
    uint64_t time = rec->enter.time;
    int64_t site = rec->enter.extra;
    uint8_t kind = rec->enter.kind;
    rec->comm = like->comm;
    rec->enter = like->enter;
    rec->enter.time = time;
    rec->enter.kind = kind;
    if (like->enter.extra == SITE_LATER) rec->enter.extra = site;
    rec->exit.call = like->enter.call;
    rec->exit.bytes = like->exit.bytes;
    rec->gaps = like->gaps;
    if (like->gaps) memcpy(rec->extents, like->extents, sizeof rec->extents);
}

void rec_set_start(struct rec_call *rec, MPI_Request request)
{
    struct persistent *what = find_persistent(&persistent, REC_KEY(request));
    if (what && what->partitions > 0)
        what->ready = 0;
    else if (what)
        take_over(rec, what);
}

void rec_set_started(struct rec_call *rec, const MPI_Request *request)
{
    const struct persistent *what = find_persistent(&persistent, REC_KEY(*request));
    if (what && what->partitions == 0) rec_set_made_request(rec, request, what->receive);
}

/* The partition that was missing lets the message go. */
void rec_set_ready(struct rec_call *rec, MPI_Request request, int count)
{
    struct persistent *what = find_persistent(&persistent, REC_KEY(request));
    if (!what || what->partitions == 0) return;
    what->ready += count;
    if (what->ready == what->partitions) take_over(rec, what);
}

void rec_set_readied(struct rec_call *rec, MPI_Request request)
{
    if (rec->enter.call == REC_ID_Isend) rec_set_made_request(rec, &request, false);
}

static void put_call(const struct rec_call *rec)
{
    rec_put_extents(rec, rec->enter.time);
    rec_put(&rec->enter);
    rec_put(&rec->exit);
}

/* Nobody knows when each one was started: they share the call's time. */
void rec_set_all_started(struct rec_call *rec, int count, const MPI_Request *requests)
{
    uint64_t begin = rec->enter.time, spent = rec->exit.time - begin;
    for (int i = 0; i < count && rec_state == REC_OPEN; i++) {
        struct persistent *what = find_persistent(&persistent, REC_KEY(requests[i]));
        if (what) what->ready = 0;
        if (!what || what->partitions > 0) continue;
        struct rec_call one = *rec;
        take_over(&one, what);
        one.enter.time = begin + spent * (uint64_t)i / (uint64_t)count;
        one.exit.time = begin + spent * ((uint64_t)i + 1) / (uint64_t)count;
        rec_set_made_request(&one, &requests[i], what->receive);
        put_call(&one);
    }
}

/* The call's two halves, the receive first. most: elements that the receive may take. */
void rec_set_sendrecv(const struct rec_call *rec, MPI_Request request, MPI_Comm comm, int destination, int send_tag,
                      int64_t count, MPI_Datatype type, int source, int receive_tag, int64_t most,
                      MPI_Datatype receive_type)
{
    struct rec_call send = *rec, receive = *rec;
    uint64_t middle = (rec->enter.time + rec->exit.time) / 2;
    send.enter.call = send.exit.call = REC_ID_Isend;
    receive.enter.call = receive.exit.call = REC_ID_Irecv;
    rec_set_message(&send, comm, destination, send_tag, count, type);
    rec_buffer(&send, SPOOL_SEND, destination, count, type);
    rec_set_message(&receive, comm, source, receive_tag, most, receive_type);
    rec_buffer(&receive, SPOOL_RECEIVE, source, most, receive_type);
    if (!send.comm) return;
    send.enter.time = receive.exit.time = middle;
    rec_set_made_both(&send, &receive, &request);
    put_call(&receive);
    put_call(&send);
}

/* After a matched probe; rec has its communicator. MPI_PROC_NULL's message belongs to no communicator. */
void rec_set_message_found(const struct rec_call *rec, MPI_Message message, const MPI_Status *status)
{
    if (message == MPI_MESSAGE_NO_PROC || message == MPI_MESSAGE_NULL || !rec->comm) return;
    struct rec_call like = {.comm = rec->comm, .enter = rec->exit};
    like.enter.id = rec->enter.id;
    like.enter.tag = status->MPI_TAG;
    keep_call(&messages, REC_KEY(message), &like);
}

/* The message's communicator stays in use until this receive is done with it. */
void rec_set_message_receive(struct rec_call *rec, MPI_Message message)
{
    const struct persistent *what = find_persistent(&messages, REC_KEY(message));
    rec->key = REC_KEY(message);
    if (!what) {
        rec_set_comm(rec, rec_everyone);
        if (message != MPI_MESSAGE_NO_PROC) rec->enter.peer = SPOOL_PEER_ANY; /* its probe was not recorded */
        return;
    }
    const struct spool_record *found = &what->like.enter;
    rec->comm = what->like.comm;
    rec->enter.id = found->id;
    rec->enter.peer = found->peer;
    rec->enter.tag = found->tag;
    rec->enter.bytes = found->bytes;
}

void rec_set_room(struct rec_call *rec, int64_t count, MPI_Datatype type)
{
    int64_t room = rec_true_bytes(count, type);
    if (room < rec->enter.bytes || rec->enter.peer == SPOOL_PEER_ANY) rec->enter.bytes = room;
}

void rec_drop_message(uint64_t key)
{
    drop_call(&messages, key);
}
