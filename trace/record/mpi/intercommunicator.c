/* Intercommunicators (MPI-3.1 6.6). A trace knows a communicator by its members, so an intercommunicator has the
 * members of both groups, first the group whose leader has the lower rank in the world. A rank in its calls is one of
 * the remote group. A collective with a root concerns the root and the remote group only. It has a communicator of its
 * own: the root, then the remote group. A member that gives MPI_PROC_NULL as the root takes no part. */
#include <stdlib.h>

#include "trace/record/mpi/handles.h"
#include "trace/record/record.h"

struct rec_intercomm {
    int count;           /* of the own group */
    bool first;          /* it comes first among all */
    uint32_t own_rooted; /* the communicator of this process as the root */
    uint32_t *rooted;    /* of each rank of the other group as the root; SPOOL_NO_ID: none yet */
    int32_t own[];       /* world ranks of the own group */
};

struct rec_intercomm *rec_intercomm_new(const int32_t *own, int count, const int32_t *other, int other_count)
{
    struct rec_intercomm *made = malloc(sizeof *made + (size_t)count * sizeof *own);
    uint32_t *rooted = malloc(((size_t)other_count + 1) * sizeof *rooted);
    if (!made || !rooted) {
        free(made);
        free(rooted);
        return NULL;
    }
    *made = (struct rec_intercomm){.count = count, .own_rooted = SPOOL_NO_ID, .rooted = rooted};
    made->first = count > 0 && other_count > 0 && own[0] < other[0];
    if (count > 0) memcpy(made->own, own, (size_t)count * sizeof *own);
    for (int i = 0; i < other_count; i++) rooted[i] = SPOOL_NO_ID;
    return made;
}

void rec_intercomm_free(struct rec_intercomm *intercomm)
{
    if (!intercomm) return;
    free(intercomm->rooted);
    free(intercomm);
}

int rec_intercomm_own(const struct rec_intercomm *intercomm, const int32_t **ranks)
{
    *ranks = intercomm->own;
    return intercomm->count;
}

int rec_intercomm_before(const struct rec_comm *comm)
{
    return comm->intercomm->first ? comm->intercomm->count : 0;
}

static uint32_t define_rooted(const struct rec_comm *comm, int32_t root, bool own_peer_counts)
{
    const struct rec_intercomm *intercomm = comm->intercomm;
    int others = own_peer_counts ? intercomm->count : comm->size;
    int32_t *members = malloc(((size_t)others + 1) * sizeof *members);
    if (!members) {
        rec_stop("out of memory");
        return SPOOL_NO_ID;
    }
    members[0] = root;
    for (int i = 0; i < others; i++) members[i + 1] = own_peer_counts ? intercomm->own[i] : rec_comm_world(comm, i);
    uint32_t id = rec_comm_define(members, others + 1, comm, 1);
    free(members);
    return id;
}

bool rec_set_intercomm_root(struct rec_call *rec, int root)
{
    const struct rec_comm *comm = rec->comm;
    struct rec_intercomm *intercomm = comm->intercomm;
    if (root == MPI_PROC_NULL) {
        bool has_self = rec_everyone == MPI_COMM_WORLD; /* a program that has sessions only has no MPI_COMM_SELF */
        const struct rec_comm *self = has_self ? rec_comm_find(MPI_COMM_SELF) : rec_comm_of_set(rec_rank, 0, 1);
        if (self) rec->enter.id = self->id;
        rec->enter.peer = rec_rank;
        return false;
    }
    bool own = root == MPI_ROOT;
    if (!own && (root < 0 || root >= comm->size)) return false; /* the call is going to fail */
    int32_t world = own ? rec_rank : rec_comm_world(comm, root);
    uint32_t *rooted = own ? &intercomm->own_rooted : &intercomm->rooted[root];
    if (*rooted == SPOOL_NO_ID) *rooted = define_rooted(comm, world, !own);
    rec->enter.id = *rooted;
    rec->enter.peer = world;
    return true;
}
