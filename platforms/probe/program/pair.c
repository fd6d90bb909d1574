/* The two ranks that the probe measures between, and their windows (platforms/probe/program/probe.h). */
#include <stdlib.h>
#include <string.h>

#include "platforms/probe/program/probe.h"

int my_rank;
MPI_Comm pair, trio = MPI_COMM_NULL;
MPI_Group partner_group, origin_group;
MPI_Win window, fence_window;
MPI_Aint place[2];
char *base, *source, *result;

static const char *flavour;

MPI_Comm comm_with(int rank)
{
    return rank == THIRD ? trio : pair;
}

/* A dynamic window's memory is at its address. */
void make_window(MPI_Comm comm, MPI_Aint bytes, MPI_Win *made, char **memory, MPI_Aint *places)
{
    if (strcmp(flavour, "allocate") == 0) {
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, memory, made);
        return;
    }
    *memory = aligned_alloc(4096, (size_t)bytes);
    if (!*memory) MPI_Abort(MPI_COMM_WORLD, 1);
    if (strcmp(flavour, "create") == 0) {
        MPI_Win_create(*memory, bytes, 1, MPI_INFO_NULL, comm, made);
        return;
    }
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, made);
    MPI_Win_attach(*made, *memory, bytes);
    MPI_Get_address(*memory, &places[my_rank]);
    MPI_Allgather(MPI_IN_PLACE, 1, MPI_AINT, places, 1, MPI_AINT, comm);
}

bool pair_open(int world_rank, int world, const char *window_flavour)
{
    MPI_Group all;
    flavour = window_flavour;
    source = aligned_alloc(4096, BYTES_MAX);
    result = aligned_alloc(4096, BYTES_MAX);
    char *fenced = aligned_alloc(4096, 4096);
    if (!source || !result || !fenced) return false;
    memset(result, 0, BYTES_MAX);
    memset(source, 1, BYTES_MAX);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank > 1, world_rank, &pair);
    if (world > 2) MPI_Comm_split(MPI_COMM_WORLD, world_rank > 2 ? MPI_UNDEFINED : 0, world_rank, &trio);
    my_rank = world_rank;
    MPI_Comm_group(world_rank == THIRD ? trio : pair, &all);
    MPI_Group_incl(all, 1, (int[]){ORIGIN}, &origin_group);
    if (world_rank > 1) return true;
    MPI_Group_incl(all, 1, (int[]){PARTNER}, &partner_group);
    MPI_Group_free(&all);
    make_window(pair, BYTES_MAX, &window, &base, place);
    memset(base, 0, BYTES_MAX);
    MPI_Barrier(pair);
    MPI_Win_create(fenced, 4096, 1, MPI_INFO_NULL, pair, &fence_window);
    MPI_Win_fence(0, fence_window);
    return true;
}

void pair_close(void)
{
    MPI_Win_fence(MPI_MODE_NOSUCCEED, fence_window);
    MPI_Win_free(&fence_window);
    if (place[my_rank] != 0) MPI_Win_detach(window, base);
    MPI_Win_free(&window);
    MPI_Group_free(&origin_group);
    MPI_Group_free(&partner_group);
    MPI_Comm_free(&pair);
}
