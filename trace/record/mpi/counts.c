/* Lists of numbers, each written to the spool once: bytes per member of collectives whose members exchange different
 * amounts, neighbours. */
#include <stdlib.h>

#include "trace/record/mpi/handles.h"
#include "trace/record/record.h"

static struct rec_table known;
static uint32_t list_count;
static int64_t *list_bytes;
static int list_room;

int64_t *rec_numbers(int count)
{
    if (count <= list_room) return list_bytes;
    int64_t *grown = realloc(list_bytes, (size_t)count * sizeof *list_bytes);
    if (!grown) {
        rec_stop("out of memory");
        return NULL;
    }
    list_bytes = grown;
    list_room = count;
    return list_bytes;
}

static int64_t element_count(const struct rec_lengths *lengths, int member)
{
    if (!lengths->counts) return 0; /* the call is going to fail */
    if (lengths->one_count) member = 0;
    if (lengths->width == sizeof(int)) return ((const int *)lengths->counts)[member];
    return ((const MPI_Count *)lengths->counts)[member];
}

int64_t rec_length(const struct rec_lengths *lengths, int member)
{
    return rec_true_bytes(element_count(lengths, member), lengths->types[lengths->one_type ? 0 : member]);
}

static int64_t sum_elements(const struct rec_lengths *lengths, int members)
{
    int64_t bytes = 0;
    for (int i = 0; i < members; i++) bytes += rec_length(lengths, i);
    return bytes;
}

int64_t rec_length_span(const struct rec_lengths *lengths, int member)
{
    MPI_Datatype type = lengths->types[lengths->one_type ? 0 : member];
    int64_t count = element_count(lengths, member);
    if (count < 1) return 0;
    int64_t span = rec_type_span(count, type);
    return span > 0 ? span : rec_true_bytes(count, type);
}

/* In a buffer with a block for each member, bytes between the blocks do not count. */
static void set_extents(struct rec_call *rec, enum spool_buffer buffer, const struct rec_lengths *lengths, int members)
{
    int64_t span = 0, bytes = 0;
    if (lengths->one_type && !rec_type(*lengths->types)->gaps) return;
    for (int i = 0; i < members; i++) {
        span += rec_length_span(lengths, i);
        bytes += rec_length(lengths, i);
    }
    if (span != bytes) rec_set_extent(rec, buffer, span);
}

int64_t rec_numbers_id(int count)
{
    uint32_t id;
    size_t bytes = (size_t)count * sizeof *list_bytes;
    if (!rec_list_id(&known, list_bytes, bytes, &list_count, &id)) rec_define(SPOOL_COUNTS, id, list_bytes, bytes);
    return (int64_t)id + 1;
}

/* Sets the list of all members of a communicator. These are some of them, behind `before` others; the others have nothing. */
static void set_list_among(struct rec_call *rec, const struct rec_lengths *lengths, int members, int before, int all)
{
    if (!rec_numbers(all)) return;
    memset(list_bytes, 0, (size_t)all * sizeof *list_bytes);
    for (int i = 0; i < members; i++) list_bytes[before + i] = rec_length(lengths, i);
    rec->enter.extra = rec_numbers_id(all);
}

/* The list goes into the entry record as its id plus 1. */
static void set_list(struct rec_call *rec, const struct rec_lengths *lengths)
{
    set_list_among(rec, lengths, rec->comm->size, 0, rec->comm->size);
}

static bool set_comm(struct rec_call *rec, MPI_Comm comm, int root)
{
    rec->enter.extra = 0;
    return rec_set_rooted(rec, comm, root);
}

/* Counts the members of the own group. */
static int own_count(const struct rec_comm *comm)
{
    const int32_t *ranks;
    return comm->intercomm ? rec_intercomm_own(comm->intercomm, &ranks) : comm->size;
}

/* A gatherv or scatterv: what each rank has of its own at `mine`, on the side `own`, and the root's blocks on the other. */
static void set_rooted(struct rec_call *rec, int root, enum spool_buffer own, const void *mine, int64_t count,
                       MPI_Datatype type, const struct rec_lengths *blocks)
{
    bool at_root = rec_is_root(rec, root), in_place = at_root && root != MPI_ROOT && mine == MPI_IN_PLACE;
    if (root != MPI_ROOT) rec->enter.bytes = in_place ? rec_length(blocks, root) : rec_true_bytes(count, type);
    if (!in_place && rec_meets(root)) rec_buffer(rec, own, 0, count, type);
    if (!at_root) return;
    set_extents(rec, own == SPOOL_SEND ? SPOOL_RECEIVE : SPOOL_SEND, blocks, rec->comm->size);
    /* In an intercommunicator the root comes first and has no bytes itself. */
    if (rec->comm->intercomm)
        set_list_among(rec, blocks, rec->comm->size, 1, rec->comm->size + 1);
    else
        set_list(rec, blocks);
}

void rec_set_gatherv(struct rec_call *rec, MPI_Comm comm, int root, const void *in, int64_t count, MPI_Datatype type,
                     struct rec_lengths received)
{
    if (set_comm(rec, comm, root)) set_rooted(rec, root, SPOOL_SEND, in, count, type, &received);
}

void rec_set_scatterv(struct rec_call *rec, MPI_Comm comm, int root, struct rec_lengths sent, const void *out,
                      int64_t count, MPI_Datatype type)
{
    if (set_comm(rec, comm, root))
        set_rooted(rec, root, SPOOL_RECEIVE, out, count, type, &sent);
    else if (rec->comm && !rec->comm->apart)
        set_list_among(rec, NULL, 0, 0, 1); /* a root without partners: a reader expects a list of each root */
}

/* In an intercommunicator no rank knows all blocks, and the others' calls have their own: no list. */
void rec_set_allgatherv(struct rec_call *rec, MPI_Comm comm, int64_t count, MPI_Datatype type,
                        struct rec_lengths received)
{
    if (!set_comm(rec, comm, REC_NO_ROOT)) return;
    set_extents(rec, SPOOL_RECEIVE, &received, rec->comm->size);
    if (rec->comm->intercomm) {
        rec->enter.bytes = rec_true_bytes(count, type);
        return;
    }
    rec->enter.bytes = rec_length(&received, rec->comm->rank);
    set_list(rec, &received);
}

/* In place, what is received was sent to the same member before (MPI-3.1 5.8). */
void rec_set_alltoallv(struct rec_call *rec, MPI_Comm comm, const void *in, struct rec_lengths sent,
                       struct rec_lengths received)
{
    if (!set_comm(rec, comm, REC_NO_ROOT)) return;
    const struct rec_lengths *from = in == MPI_IN_PLACE ? &received : &sent;
    rec->enter.bytes = sum_elements(from, rec->comm->size);
    rec->exit.bytes = sum_elements(&received, rec->comm->size);
    if (in != MPI_IN_PLACE) set_extents(rec, SPOOL_SEND, &sent, rec->comm->size);
    set_extents(rec, SPOOL_RECEIVE, &received, rec->comm->size);
    int own = rec->comm->intercomm ? own_count(rec->comm) : 0;
    set_list_among(rec, from, rec->comm->size, own ? rec_intercomm_before(rec->comm) : 0, rec->comm->size + own);
}

void rec_set_reduce_scatter(struct rec_call *rec, MPI_Comm comm, struct rec_lengths blocks, MPI_Op op)
{
    if (!set_comm(rec, comm, REC_NO_ROOT)) return;
    rec->enter.bytes = sum_elements(&blocks, own_count(rec->comm));
    set_extents(rec, SPOOL_SEND, &blocks, own_count(rec->comm));
    rec_buffer(rec, SPOOL_RECEIVE, 0, element_count(&blocks, rec->comm->rank), *blocks.types);
    int own = own_count(rec->comm), others = rec->comm->intercomm ? rec->comm->size : 0;
    bool behind = others > 0 && rec_intercomm_before(rec->comm) == 0; /* blocks are the own group's */
    set_list_among(rec, &blocks, own, behind ? others : 0, own + others);
    rec_set_op(rec, op);
}

void rec_set_reduce_scatter_block(struct rec_call *rec, MPI_Comm comm, int64_t count, MPI_Datatype type, MPI_Op op)
{
    if (!set_comm(rec, comm, REC_NO_ROOT)) return;
    rec->enter.bytes = rec_true_bytes(count, type) * own_count(rec->comm);
    rec_buffer(rec, SPOOL_SEND, 0, count * own_count(rec->comm), type);
    rec_buffer(rec, SPOOL_RECEIVE, 0, count, type);
    rec_set_op(rec, op);
}
