/* Lists of numbers that the spool holds once each: bytes per member of collectives whose members exchange different
 * amounts, neighbours. */
#include <stdlib.h>

#include "trace/record/handles.h"
#include "trace/record/record.h"

struct known_counts {
    uint32_t id;
    int members;
    int64_t bytes[];
};

/* Lists remembered; one that is not gets a new id each time, and the reader finds it equal. */
enum { KNOWN_MAX = 4096 };

static struct rec_table known;
static uint32_t list_count;
static int64_t *scratch;
static int scratch_room;

int64_t *rec_numbers(int count)
{
    if (count <= scratch_room) return scratch;
    int64_t *grown = realloc(scratch, (size_t)count * sizeof *scratch);
    if (!grown) {
        rec_stop("out of memory");
        return NULL;
    }
    scratch = grown;
    scratch_room = count;
    return scratch;
}

static int64_t elements(const struct rec_lengths *lengths, int member)
{
    if (!lengths->counts) return 0; /* the call is going to fail */
    if (lengths->one_count) member = 0;
    if (lengths->width == sizeof(int)) return ((const int *)lengths->counts)[member];
    return ((const MPI_Count *)lengths->counts)[member];
}

int64_t rec_length(const struct rec_lengths *lengths, int member)
{
    return rec_true_bytes(elements(lengths, member), lengths->types[lengths->one_type ? 0 : member]);
}

static int64_t sum(const struct rec_lengths *lengths, int members)
{
    int64_t bytes = 0;
    for (int i = 0; i < members; i++) bytes += rec_length(lengths, i);
    return bytes;
}

static uint64_t hash_of(int members)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < members; i++) hash = (hash ^ (uint64_t)scratch[i]) * UINT64_C(0x100000001b3);
    return hash ^ (uint64_t)members;
}

static void remember(uint64_t hash, uint32_t id, int members)
{
    struct known_counts *made = malloc(sizeof *made + (size_t)members * sizeof *scratch);
    if (!made) return;
    made->id = id;
    made->members = members;
    memcpy(made->bytes, scratch, (size_t)members * sizeof *scratch);
    if (!rec_table_put(&known, hash, (uintptr_t)made)) free(made);
}

int64_t rec_numbers_id(int count)
{
    uint64_t hash = hash_of(count);
    uintptr_t *found = rec_table_find(&known, hash);
    const struct known_counts *same = found ? (const struct known_counts *)*found : NULL;
    if (same && same->members == count && memcmp(same->bytes, scratch, (size_t)count * sizeof *scratch) == 0)
        return (int64_t)same->id + 1;
    rec_define(SPOOL_COUNTS, list_count, scratch, (size_t)count * sizeof *scratch);
    if (!same && known.count < KNOWN_MAX) remember(hash, list_count, count);
    return (int64_t)++list_count;
}

/* The list goes into the entry record as its id plus 1. */
static void set_list(struct rec_call *rec, const struct rec_lengths *lengths)
{
    int members = rec->comm->size;
    if (!rec_numbers(members)) return;
    for (int i = 0; i < members; i++) scratch[i] = rec_length(lengths, i);
    rec->enter.extra = rec_numbers_id(members);
}

/* False where the members are not known: between two groups nothing is said of the amounts. */
static bool set_comm(struct rec_call *rec, MPI_Comm comm, int root)
{
    rec->enter.extra = 0;
    rec_set_comm(rec, comm);
    if (!rec->comm || rec->comm->apart) return false;
    if (root >= 0) rec->enter.peer = rec_comm_world(rec->comm, root);
    return true;
}

void rec_set_gatherv(struct rec_call *rec, MPI_Comm comm, int root, const void *in, int64_t count, MPI_Datatype type,
                     struct rec_lengths received)
{
    if (!set_comm(rec, comm, root)) return;
    bool at_root = rec->comm->rank == root;
    bool in_place = at_root && in == MPI_IN_PLACE;
    rec->enter.bytes = in_place ? rec_length(&received, root) : rec_true_bytes(count, type);
    if (at_root) set_list(rec, &received);
}

void rec_set_scatterv(struct rec_call *rec, MPI_Comm comm, int root, struct rec_lengths sent, const void *out,
                      int64_t count, MPI_Datatype type)
{
    if (!set_comm(rec, comm, root)) return;
    bool at_root = rec->comm->rank == root;
    bool in_place = at_root && out == MPI_IN_PLACE;
    rec->enter.bytes = in_place ? rec_length(&sent, root) : rec_true_bytes(count, type);
    if (at_root) set_list(rec, &sent);
}

void rec_set_allgatherv(struct rec_call *rec, MPI_Comm comm, struct rec_lengths received)
{
    if (!set_comm(rec, comm, REC_NO_ROOT)) return;
    rec->enter.bytes = rec_length(&received, rec->comm->rank);
    set_list(rec, &received);
}

/* In place, what is received was sent to the same member before (MPI-3.1 5.8). */
void rec_set_alltoallv(struct rec_call *rec, MPI_Comm comm, const void *in, struct rec_lengths sent,
                       struct rec_lengths received)
{
    if (!set_comm(rec, comm, REC_NO_ROOT)) return;
    const struct rec_lengths *from = in == MPI_IN_PLACE ? &received : &sent;
    rec->enter.bytes = sum(from, rec->comm->size);
    rec->exit.bytes = sum(&received, rec->comm->size);
    set_list(rec, from);
}

void rec_set_reduce_scatter(struct rec_call *rec, MPI_Comm comm, struct rec_lengths blocks, MPI_Op op)
{
    if (!set_comm(rec, comm, REC_NO_ROOT)) return;
    rec->enter.bytes = sum(&blocks, rec->comm->size);
    set_list(rec, &blocks);
    rec_set_op(rec, op);
}

void rec_set_reduce_scatter_block(struct rec_call *rec, MPI_Comm comm, int64_t count, MPI_Datatype type, MPI_Op op)
{
    if (!set_comm(rec, comm, REC_NO_ROOT)) return;
    rec->enter.bytes = rec_true_bytes(count, type) * rec->comm->size;
    rec_set_op(rec, op);
}
