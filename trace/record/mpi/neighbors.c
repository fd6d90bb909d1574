/* Neighbourhood collectives (MPI-3.1 7.6): the neighbours of this process in a communicator's topology, and the bytes
 * that it exchanges with them. MPI_PROC_NULL at the edge of a grid is left out, since nothing moves there. */
#include <limits.h>
#include <stdlib.h>

#include "trace/record/mpi/handles.h"
#include "trace/record/record.h"

struct rec_neighbors {
    int32_t id; /* of the list in the spool, plus 1 */
    int sources, destinations;
    int ranks[]; /* in the communicator or MPI_PROC_NULL: sources, then destinations */
};

static struct rec_neighbors *neighbors_new(int sources, int destinations)
{
    struct rec_neighbors *made = calloc(1, sizeof *made + ((size_t)sources + (size_t)destinations + 1) * sizeof(int));
    if (!made) return NULL;
    made->sources = sources;
    made->destinations = destinations;
    return made;
}

/* Two per dimension, the lower one first; each is both source and destination (MPI-3.1 7.6). */
static struct rec_neighbors *cart_neighbors(MPI_Comm comm)
{
    int dims = 0;
    PMPI_Cartdim_get(comm, &dims);
    struct rec_neighbors *made = neighbors_new(2 * dims, 2 * dims);
    for (int d = 0; made && d < dims; d++) PMPI_Cart_shift(comm, d, 1, &made->ranks[2 * d], &made->ranks[2 * d + 1]);
    if (made) memcpy(made->ranks + 2 * dims, made->ranks, 2 * (size_t)dims * sizeof *made->ranks);
    return made;
}

static struct rec_neighbors *graph_neighbors(MPI_Comm comm, int rank)
{
    int count = 0;
    PMPI_Graph_neighbors_count(comm, rank, &count);
    struct rec_neighbors *made = neighbors_new(count, count);
    if (!made) return NULL;
    PMPI_Graph_neighbors(comm, rank, count, made->ranks);
    memcpy(made->ranks + count, made->ranks, (size_t)count * sizeof *made->ranks);
    return made;
}

static struct rec_neighbors *dist_graph_neighbors(MPI_Comm comm)
{
    int sources = 0, destinations = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
    struct rec_neighbors *made = neighbors_new(sources, destinations);
    int *weights = made ? calloc((size_t)(sources + destinations) + 1, sizeof *weights) : NULL;
    if (!weights) { /* needed: MPI_UNWEIGHTED is a variable of the library that is not linked */
        free(made);
        return NULL;
    }
    PMPI_Dist_graph_neighbors(comm, sources, made->ranks, weights, destinations, made->ranks + sources,
                              weights + sources);
    free(weights);
    return made;
}

/* Stores the edges that the call names as neighbours: the begins of all edges, then their ends. None if the call will
 * fail. */
void rec_set_edges(struct rec_call *rec, MPI_Comm comm, int count, const int *sources, const int *degrees,
                   const int *destinations)
{
    rec_set_comm(rec, comm);
    if (!rec->comm || rec->comm->apart || rec->comm->intercomm) return;
    int edges = 0, put = 0;
    for (int i = 0; i < count; i++) {
        if (degrees[i] < 0 || degrees[i] > INT_MAX / 2 - 1 - edges) return;
        edges += degrees[i];
    }
    int64_t *list = rec_numbers(1 + 2 * edges);
    if (!list) return;
    list[0] = edges;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < degrees[i]; k++, put++) {
            list[1 + put] = rec_comm_world(rec->comm, sources[i]);
            list[1 + edges + put] = rec_comm_world(rec->comm, destinations[put]);
            if (list[1 + put] < 0 || list[1 + edges + put] < 0) return;
        }
    rec->enter.tag = (int32_t)rec_numbers_id(1 + 2 * edges);
}

/* The list of the trace: how many sources, then world ranks. */
static void define_neighbors(struct rec_comm *comm, struct rec_neighbors *made)
{
    int all = made->sources + made->destinations, count = 1;
    int64_t *list = rec_numbers(1 + all);
    if (!list) return;
    for (int i = 0; i < all; i++) {
        if (i == made->sources) list[0] = count - 1;
        if (made->ranks[i] >= 0) list[count++] = rec_comm_world(comm, made->ranks[i]);
    }
    if (made->destinations == 0) list[0] = count - 1;
    made->id = (int32_t)rec_numbers_id(count);
}

static const struct rec_neighbors *neighbors_of(MPI_Comm handle, struct rec_comm *comm)
{
    int kind = MPI_UNDEFINED;
    if (comm->neighbors) return comm->neighbors;
    PMPI_Topo_test(handle, &kind);
    struct rec_neighbors *made = NULL;
    if (kind == MPI_CART) made = cart_neighbors(handle);
    if (kind == MPI_GRAPH) made = graph_neighbors(handle, comm->rank);
    if (kind == MPI_DIST_GRAPH) made = dist_graph_neighbors(handle);
    if (made) define_neighbors(comm, made);
    comm->neighbors = made;
    return made;
}

void rec_set_neighbor(struct rec_call *rec, MPI_Comm comm, struct rec_lengths sent, struct rec_lengths received)
{
    rec->enter.extra = 0;
    rec_set_comm(rec, comm);
    if (!rec->comm || rec->comm->apart) return;
    const struct rec_neighbors *all = neighbors_of(comm, rec->comm);
    if (!all) return; /* the call is going to fail */
    rec->enter.tag = all->id;
    int64_t in_span = 0, out_span = 0;
    for (int i = 0; i < all->sources; i++) {
        if (all->ranks[i] < 0) continue;
        rec->exit.bytes += rec_length(&received, i);
        in_span += rec_length_span(&received, i);
    }
    int64_t *list = rec_numbers(all->destinations);
    int count = 0;
    for (int i = 0; list && i < all->destinations; i++) {
        if (all->ranks[all->sources + i] < 0) continue;
        list[count] = rec_length(&sent, i);
        out_span += rec_length_span(&sent, i);
        rec->enter.bytes += list[count++];
    }
    if (out_span != rec->enter.bytes) rec_set_extent(rec, SPOOL_SEND, out_span);
    if (in_span != rec->exit.bytes) rec_set_extent(rec, SPOOL_RECEIVE, in_span);
    if (list && !sent.one_count) rec->enter.extra = rec_numbers_id(count);
}
