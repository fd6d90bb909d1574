/* Groups and communicators made in every way, used by post/start and as window members. Any even number of ranks
 * up to 64; the comments say what they are of four. */
#include "program.h"

enum { MOST = 64 };

static MPI_Win window;

/* One exposure of the targets to the origins, which put to one of them. */
static void epoch(int rank, MPI_Group origins, MPI_Group targets, int target_in_window)
{
    int number = rank, member, exposed;
    MPI_Group_rank(origins, &member);
    MPI_Group_rank(targets, &exposed);
    if (exposed != MPI_UNDEFINED) MPI_Win_post(origins, 0, window);
    if (member != MPI_UNDEFINED) {
        MPI_Win_start(targets, 0, window);
        MPI_Put(&number, 1, MPI_INT, target_in_window, 1, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
    if (exposed != MPI_UNDEFINED) MPI_Win_wait(window);
}

int main(int argc, char **argv)
{
    int rank, ranks, half, *memory, even[MOST], odd[MOST];
    MPI_Comm reversed, pair, copy, twin;
    MPI_Group world, back, incl, excl, range, range_out, joint, common, rest, only, again;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    half = ranks / 2;
    for (int i = 0; i < half; i++) even[i] = 2 * i, odd[i] = 2 * i + 1;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);   /* 3 2 1 0 */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &pair); /* 0 2 and 1 3 */
    MPI_Comm_dup(reversed, &copy);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, copy, &memory, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Win_get_group(window, &back);                                        /* 3 2 1 0 */
    MPI_Group_incl(back, half, even, &incl);                                 /* 3 1 */
    MPI_Group_excl(back, half, even, &excl);                                 /* 2 0 */
    MPI_Group_range_incl(back, 1, (int[][3]){{0, half - 1, 1}}, &range);     /* 3 2 */
    MPI_Group_range_excl(back, 1, (int[][3]){{0, half - 1, 1}}, &range_out); /* 1 0 */
    MPI_Group_union(range_out, incl, &joint);                                /* 1 0 3 */
    MPI_Group_intersection(incl, range, &common);                            /* 3 */
    MPI_Group_difference(world, common, &rest);                              /* 0 1 2 */
    MPI_Group_incl(world, 1, (int[]){ranks - 2}, &only);                     /* 2 */
    epoch(rank, incl, only, 1);               /* from 1 and 3 to 2, which is rank 1 of the window */
    epoch(rank, joint, only, 1);              /* from 0, 1, 3 */
    epoch(rank, rest, common, 0);             /* from 0, 1, 2 to 3 */
    MPI_Group_incl(world, half, odd, &again); /* the set of incl once more */
    epoch(rank, again, only, 1);
    MPI_Group_free(&only);
    MPI_Group_incl(world, 1, (int[]){1}, &only);                                /* the handle may be the old one */
    epoch(rank, excl, only, ranks - 2);                                         /* from 0 and 2 to 1 */
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &twin); /* 1 2 3 */
    if (rank != 0) {
        int value = rank, sum;
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, twin);
        MPI_Comm_free(&twin);
    }
    int value = rank;
    MPI_Bcast(&value, 1, MPI_INT, half - 1, pair);
    MPI_Win_free(&window);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&pair);
    MPI_Comm_free(&reversed);
    MPI_Group *all[] = {&world, &back, &incl, &excl, &range, &range_out, &joint, &common, &rest, &only, &again};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) MPI_Group_free(all[i]);
    MPI_Finalize();
    return 0;
}
