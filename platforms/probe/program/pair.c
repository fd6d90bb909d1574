#include <stdlib.h>
#include <string.h>

#include "platforms/probe/program/probe.h"

int my_rank;
MPI_Comm pair;
MPI_Group partner_group, origin_group;
MPI_Win window, fence_window;
char *base, *source, *result;

bool pair_open(int world_rank)
{
    MPI_Group all;
    base = aligned_alloc(4096, BYTES_MAX);
    source = aligned_alloc(4096, BYTES_MAX);
    result = aligned_alloc(4096, BYTES_MAX);
    char *fenced = aligned_alloc(4096, 4096);
    if (!base || !source || !result || !fenced) return false;
    memset(base, 0, BYTES_MAX);
    memset(result, 0, BYTES_MAX);
    memset(source, 1, BYTES_MAX);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank > 1, world_rank, &pair);
    MPI_Comm_rank(pair, &my_rank);
    if (world_rank > 1) return true;
    MPI_Comm_group(pair, &all);
    MPI_Group_incl(all, 1, (int[]){ORIGIN}, &origin_group);
    MPI_Group_incl(all, 1, (int[]){PARTNER}, &partner_group);
    MPI_Group_free(&all);
    MPI_Win_create(base, BYTES_MAX, 1, MPI_INFO_NULL, pair, &window);
    MPI_Win_create(fenced, 4096, 1, MPI_INFO_NULL, pair, &fence_window);
    MPI_Win_fence(0, fence_window);
    return true;
}

void pair_close(void)
{
    MPI_Win_fence(MPI_MODE_NOSUCCEED, fence_window);
    MPI_Win_free(&fence_window);
    MPI_Win_free(&window);
    MPI_Group_free(&origin_group);
    MPI_Group_free(&partner_group);
    MPI_Comm_free(&pair);
}
