/* Ids and world ranks of the communicators, windows and groups behind MPI handles. */
#ifndef TRACE_RECORD_MPI_HANDLES_H
#define TRACE_RECORD_MPI_HANDLES_H

#include "trace/record/record.h"
#include "trace/record/threads/table.h"


#pragma GCC visibility push(hidden)
struct rec_neighbors;
struct rec_intercomm;

struct rec_comm {
    uint32_t id;    /* SPOOL_NO_ID if apart */
    bool apart;     /* with processes outside the world: its calls are kept as regions */
    int size, rank; /* of this process */
    int32_t *world; /* rank in the communicator to world rank; NULL: the same */
    struct rec_intercomm
        *intercomm; /* of two groups: what is known of the own one; size and world are the other one's. Else NULL */
    struct rec_neighbors *neighbors; /* owned; set by the first neighbourhood collective */
    uint32_t uses;  /* by the table of handles, windows and pending receives */
};

struct rec_win {
    uint32_t id; /* SPOOL_NO_ID: with processes outside the world */
    struct rec_comm *comm;
};

/* The communicator behind a handle; described in the spool when it is first seen. NULL once recording has stopped, and for
 * MPI_COMM_NULL: then the call is going to fail. The same holds for windows and groups. */
struct rec_comm *rec_comm_find(MPI_Comm comm);
void rec_comm_release(struct rec_comm *comm);

/* Defines a further communicator that was found in use, made from `parent`. Returns its id. first_group is the number
 * of members in the first of two groups; 0: there is one group. */
uint32_t rec_comm_define(const int32_t *world, int count, const struct rec_comm *parent, int first_group);

/* intercommunicator.c: the own group of an intercommunicator. NULL: out of memory. */
struct rec_intercomm *rec_intercomm_new(const int32_t *own, int count, const int32_t *other, int other_count);
void rec_intercomm_free(struct rec_intercomm *intercomm);
int rec_intercomm_own(const struct rec_intercomm *intercomm, const int32_t **ranks); /* returns their number; *ranks are
                                                                                        their world ranks */
int rec_intercomm_before(
    const struct rec_comm *comm); /* how many of the own group come before the other one among all */
/* Gives the call, on an intercommunicator, the communicator of the root and its partners. Returns false if the rank has
 * no partner.
 */
bool rec_set_intercomm_root(struct rec_call *rec, int root);

/* An active set of OpenSHMEM: size ranks from first on, 2^log_stride apart. NULL once recording has stopped. */
const struct rec_comm *rec_comm_of_set(int first, int log_stride, int size);

/* The communicator of these ranks, in this order; a new one unless they are the world. NULL: out of memory. */
const struct rec_comm *rec_comm_of_ranks(const int32_t *world, int size);

/* Makes the window of the symmetric memory, on all ranks at the same place of their windows; its id. */
uint32_t rec_win_heap(void);

extern struct rec_table rec_wins; /* by handle */
const struct rec_win *rec_win_unknown(MPI_Win win);

/* NULL for a window whose making was not seen: recording has then stopped; and for MPI_WIN_NULL. */
static inline const struct rec_win *rec_win_find(MPI_Win win)
{
    const uintptr_t *found = rec_table_find(&rec_wins, REC_KEY(win));
    return REC_LIKELY(found != NULL) ? (const struct rec_win *)*found : rec_win_unknown(win);
}

/* The id of the group's members, SPOOL_NO_ID for MPI_GROUP_NULL. */
uint32_t rec_group_find(MPI_Group group);

/* Frees what requests.c keeps for the calling thread. */
void rec_pending_clear(void);

static inline int32_t rec_comm_world(const struct rec_comm *comm, int rank)
{
    if (!comm->world) return rank;
    return rank >= 0 && rank < comm->size ? comm->world[rank] : SPOOL_PEER_NONE; /* else the call is going to fail */
}

#pragma GCC visibility pop

#endif
