#include <stdlib.h>
#include <string.h>

#include "platforms/probe/program/probe.h"

int my_rank;
MPI_Comm pair;
MPI_Group partner_group, origin_group;
MPI_Win window, fence_window;
MPI_Aint place[2];
char *base, *source, *result;

/* A dynamic window's memory is at its address. */
static void make_window(const char *flavour)
{
    if (strcmp(flavour, "allocate") == 0) {
        MPI_Win_allocate(BYTES_MAX, 1, MPI_INFO_NULL, pair, &base, &window);
        return;
    }
    base = aligned_alloc(4096, BYTES_MAX);
    if (!base) MPI_Abort(MPI_COMM_WORLD, 1);
    if (strcmp(flavour, "create") == 0) {
        MPI_Win_create(base, BYTES_MAX, 1, MPI_INFO_NULL, pair, &window);
        return;
    }
    MPI_Win_create_dynamic(MPI_INFO_NULL, pair, &window);
    MPI_Win_attach(window, base, BYTES_MAX);
    MPI_Get_address(base, &place[my_rank]);
    MPI_Allgather(MPI_IN_PLACE, 1, MPI_AINT, place, 1, MPI_AINT, pair);
}

bool pair_open(int world_rank, const char *flavour)
{
    MPI_Group all;
    source = aligned_alloc(4096, BYTES_MAX);
    result = aligned_alloc(4096, BYTES_MAX);
    char *fenced = aligned_alloc(4096, 4096);
    if (!source || !result || !fenced) return false;
    memset(result, 0, BYTES_MAX);
    memset(source, 1, BYTES_MAX);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank > 1, world_rank, &pair);
    MPI_Comm_rank(pair, &my_rank);
    if (world_rank > 1) return true;
    MPI_Comm_group(pair, &all);
    MPI_Group_incl(all, 1, (int[]){ORIGIN}, &origin_group);
    MPI_Group_incl(all, 1, (int[]){PARTNER}, &partner_group);
    MPI_Group_free(&all);
    make_window(flavour);
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
