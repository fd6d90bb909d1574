/* Buffers with gaps in every kind of call, on 2 to 8 ranks; what spans what is worked out in tests/record/test_types.c.
 * */
#include <string.h>

#include "program.h"

enum { INTS = 256, RANKS = 8 };
static int rank, ranks, left, right;
static int out[INTS], in[INTS], more[INTS];
static MPI_Datatype vector, indexed, pair, apart, part, backward, downward, overlapping, gapless, swapped;

static MPI_Datatype commit(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint extent)
{
    MPI_Datatype made;
    MPI_Type_create_resized(type, 0, extent, &made);
    return commit(made);
}

static void make_types(void)
{
    MPI_Datatype made;
    MPI_Type_vector(3, 1, 2, MPI_INT, &made); /* ints 0, 2, 4 */
    vector = commit(made);
    MPI_Type_indexed(2, (int[]){1, 2}, (int[]){1, 5}, MPI_INT, &made); /* 1, 5, 6 */
    indexed = commit(made);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &made);
    pair = resized(made, 32);
    MPI_Type_free(&made);
    apart = resized(MPI_INT, 16); /* 0, 4, 8 ... */
    MPI_Type_create_subarray(2, (int[]){4, 4}, (int[]){2, 2}, (int[]){1, 1}, MPI_ORDER_C, MPI_INT, &made);
    part = commit(made); /* 5, 6, 9, 10 of 16 */
    MPI_Type_create_hvector(3, 1, -8, MPI_INT, &made);
    backward = commit(made); /* 0, -2, -4 */
    downward = resized(MPI_INT, -8);
    MPI_Type_vector(2, 2, 1, MPI_INT, &made);
    overlapping = commit(made); /* 0, 1, 1, 2 */
    MPI_Type_contiguous(5, MPI_INT, &made);
    gapless = commit(made);
    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){1, 0}, MPI_INT, &made);
    swapped = commit(made); /* 1, 0 */
}

static void free_types(void)
{
    MPI_Datatype *all[] = {&vector,   &indexed,  &pair,        &apart,   &part,
                           &backward, &downward, &overlapping, &gapless, &swapped};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) MPI_Type_free(all[i]);
}

static void one_sided(void)
{
    int *memory;
    MPI_Win window;
    MPI_Request each[4];
    MPI_Win_allocate(INTS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Put(out, 1, vector, right, 0, 3, MPI_INT, window);
    MPI_Put(out, 3, MPI_INT, right, 0, 1, indexed, window);
    MPI_Put(out, 2, gapless, right, 0, 10, MPI_INT, window);
    MPI_Put(out, 1, swapped, right, 0, 1, swapped, window);
    MPI_Put(out, 1, overlapping, right, 0, 4, MPI_INT, window);
    MPI_Put(out, 1, apart, right, 0, 1, MPI_INT, window);
    MPI_Put(out, 0, vector, right, 0, 0, vector, window);
    MPI_Put(out, 1, vector, MPI_PROC_NULL, 0, 1, vector, window);
    MPI_Win_flush(right, window);
    MPI_Get(in, 2, pair, right, 0, 2, pair, window);
    MPI_Win_flush(right, window);
    MPI_Accumulate(out, 2, vector, right, 0, 6, apart, MPI_SUM, window);
    MPI_Win_flush(right, window);
    MPI_Rput(&out[4], 1, backward, right, 8, 3, MPI_INT, window, &each[0]);
    MPI_Rget(in, 1, part, right, 0, 4, MPI_INT, window, &each[1]);
    MPI_Raccumulate(&out[8], 3, MPI_INT, right, 8, 3, downward, MPI_MAX, window, &each[2]);
    MPI_Rget_accumulate(out, 3, MPI_INT, more, 1, vector, right, 0, 1, indexed, MPI_REPLACE, window, &each[3]);
    MPI_Waitall(4, each, MPI_STATUSES_IGNORE);
    MPI_Win_flush(right, window);
    MPI_Get_accumulate(out, 1, vector, in, 3, apart, right, 0, 3, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(right, window);
    MPI_Get_accumulate(NULL, 0, MPI_INT, in, 1, vector, right, 0, 1, vector, MPI_NO_OP, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static void messages(void)
{
    MPI_Request each[2];
    MPI_Message message;
    MPI_Send(out, 1, vector, right, 1, MPI_COMM_WORLD);
    MPI_Recv(in, 2, vector, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 1, part, left, 2, MPI_COMM_WORLD, &each[0]);
    MPI_Isend(out, 4, MPI_INT, right, 2, MPI_COMM_WORLD, &each[1]);
    MPI_Waitall(2, each, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out, 3, apart, right, 3, in, 1, indexed, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&out[4], 1, backward, right, 4, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 1, vector, MPI_PROC_NULL, 5, in, 1, vector, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 1, vector, right, 6, MPI_COMM_WORLD);
    MPI_Mprobe(left, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 3, apart, &message, MPI_STATUS_IGNORE);
    MPI_Recv_init(in, 1, vector, left, 7, MPI_COMM_WORLD, &each[0]);
    MPI_Send_init(out, 3, apart, right, 7, MPI_COMM_WORLD, &each[1]);
    MPI_Startall(2, each);
    MPI_Waitall(2, each, MPI_STATUSES_IGNORE);
    MPI_Start(&each[0]);
    MPI_Start(&each[1]);
    MPI_Waitall(2, each, MPI_STATUSES_IGNORE);
    MPI_Request_free(&each[0]);
    MPI_Request_free(&each[1]);
}

static void collectives(void)
{
    struct {
        double value;
        int index;
    } mine[2] = {{1, rank}, {2, rank}}, least[2];
    int one[RANKS], three[RANKS], zero[RANKS] = {0}, elements[RANKS], bytes[RANKS], mixed[RANKS];
    MPI_Datatype types[RANKS], ints[RANKS];
    for (int i = 0; i < ranks; i++) {
        one[i] = 1;
        three[i] = 3;
        elements[i] = 3 * i;
        bytes[i] = 12 * i;
        mixed[i] = i % 2 ? 3 : 1;
        types[i] = i % 2 ? MPI_INT : vector;
        ints[i] = MPI_INT;
    }
    MPI_Bcast(out, 1, vector, 2 % ranks, MPI_COMM_WORLD);
    MPI_Allreduce(mine, least, 2, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    MPI_Reduce(mine, least, 2, MPI_DOUBLE_INT, MPI_MINLOC, 1, MPI_COMM_WORLD);
    MPI_Gather(out, 1, vector, in, 3, apart, 0, MPI_COMM_WORLD);
    MPI_Scatter(out, 3, apart, in, 3, MPI_INT, 3 % ranks, MPI_COMM_WORLD);
    MPI_Allgather(out, 1, vector, in, 3, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(out, 1, apart, in, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Gatherv(out, 1, apart, in, one, elements, apart, 0, MPI_COMM_WORLD);
    MPI_Allgatherv(out, 1, vector, in, three, elements, apart, MPI_COMM_WORLD);
    MPI_Alltoallw(out, mixed, zero, types, in, three, bytes, ints, MPI_COMM_WORLD);
}

/* The handle of a type that is gone is that of the next one, in MPICH: of another shape each time. */
static void handles_come_again(void)
{
    for (int i = 0; i < 3; i++) {
        MPI_Datatype type;
        MPI_Request request;
        if (i == 1)
            MPI_Type_contiguous(3, MPI_INT, &type);
        else
            MPI_Type_vector(3, 1, 2 + i, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Isend(out, 1, type, right, 8, MPI_COMM_WORLD, &request);
        MPI_Type_free(&type);
        MPI_Recv(in, 3, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* So it is where the type is freed by a callback inside MPI, which is not recorded. */
static int free_type(MPI_Comm comm, int key, void *type, void *state)
{
    (void)comm, (void)key, (void)state;
    return MPI_Type_free(type);
}

static void freed_inside_mpi(void)
{
    MPI_Datatype first, second;
    MPI_Comm comm;
    int key;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_type, &key, NULL);
    MPI_Type_vector(3, 1, 2, MPI_INT, &first);
    MPI_Type_commit(&first);
    MPI_Comm_set_attr(comm, key, &first);
    MPI_Sendrecv(out, 1, first, right, 9, in, 3, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Type_contiguous(2, MPI_INT, &second);
    MPI_Type_commit(&second);
    MPI_Sendrecv(out, 1, second, right, 9, in, 2, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&second);
    MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    make_types();
    one_sided();
    messages();
    collectives();
    handles_come_again();
    freed_inside_mpi();
    free_types();
    MPI_Finalize();
    return 0;
}
