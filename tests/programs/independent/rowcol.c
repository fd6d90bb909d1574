/* Ranks in rows of two. Each row and each column has a communicator and a window: sums of a block between the fences of the row's
 * window, then a block of the next rank of the column under a shared lock, and an all-reduce of all. A block of a dynamic window
 * is attached, written by the other rank of the row, and detached:
 *     independent_rowcol [BYTES of a block [ITERATIONS]] */
#include "tests/programs/independent/program.h"

struct line { /* a row or a column */
    MPI_Comm comm;
    MPI_Win window;
    double *memory;
    int rank, ranks;
};

static int rank, ranks, numbers;
static double *block;
static MPI_Win dynamic; /* of the row */

static void make_line(struct line *line, int color)
{
    MPI_Comm_split(MPI_COMM_WORLD, color, rank, &line->comm);
    MPI_Comm_rank(line->comm, &line->rank);
    MPI_Comm_size(line->comm, &line->ranks);
    MPI_Aint room = (MPI_Aint)sizeof(double) * numbers;
    MPI_Win_allocate(room, sizeof(double), MPI_INFO_NULL, line->comm, &line->memory, &line->window);
    memset(line->memory, 0, (size_t)room);
}

static void free_line(struct line *line)
{
    MPI_Win_free(&line->window);
    MPI_Comm_free(&line->comm);
}

static void add_to_row(struct line *row, int i)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, row->window);
    for (int k = 0; k < numbers; k++) block[k] = i;
    MPI_Accumulate(block, numbers, MPI_DOUBLE, (row->rank + 1) % row->ranks, 0, numbers, MPI_DOUBLE, MPI_SUM, row->window);
    compute(1);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, row->window);
}

static void read_from_column(struct line *column)
{
    int next = (column->rank + 1) % column->ranks;
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, column->window);
    MPI_Get(block, numbers, MPI_DOUBLE, next, 0, numbers, MPI_DOUBLE, column->window);
    MPI_Win_unlock(next, column->window);
}

/* A block that exists for one iteration. Its address goes to the other rank of the row. Returns whether its content is wrong. */
static int write_new_block(struct line *row, int i)
{
    int other = (row->rank + 1) % row->ranks, from = (row->rank + row->ranks - 1) % row->ranks;
    double *fresh = calloc((size_t)numbers, sizeof *fresh);
    MPI_Aint mine, theirs;
    MPI_Win_attach(dynamic, fresh, (MPI_Aint)sizeof *fresh * numbers);
    MPI_Get_address(fresh, &mine);
    MPI_Sendrecv(&mine, 1, MPI_AINT, from, 1, &theirs, 1, MPI_AINT, other, 1, row->comm, MPI_STATUS_IGNORE);
    for (int k = 0; k < numbers; k++) block[k] = i + 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, dynamic);
    MPI_Put(block, numbers, MPI_DOUBLE, other, theirs, numbers, MPI_DOUBLE, dynamic);
    MPI_Win_unlock(other, dynamic);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, other, 2, NULL, 0, MPI_BYTE, from, 2, row->comm, MPI_STATUS_IGNORE);
    int wrong = fresh[0] < i + 1 || fresh[numbers - 1] > i + 1;
    MPI_Win_detach(dynamic, fresh);
    free(fresh);
    return wrong;
}

static int iterate(int i, struct line *row, struct line *column)
{
    double part = row->memory[0], all;
    compute(3 + (i + rank) % 4 * 2);
    add_to_row(row, i);
    compute(2 + (i + rank * 3) % 3);
    read_from_column(column);
    MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    compute(1);
    return write_new_block(row, i);
}

int main(int argc, char **argv)
{
    int wrong = 0;
    struct line row, column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = argument(argc, argv, 1, 1024), iterations = argument(argc, argv, 2, 12);
    numbers = bytes / (int)sizeof *block;
    block = calloc((size_t)numbers, sizeof *block);
    make_line(&row, rank / 2);
    make_line(&column, rank % 2);
    MPI_Win_create_dynamic(MPI_INFO_NULL, row.comm, &dynamic);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < iterations; i++) wrong += iterate(i, &row, &column);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;

    if (wrong > 0) fprintf(stderr, "rowcol: %d wrong on rank %d\n", wrong, rank);
    if (rank == 0) printf("rowcol %d %d %.6f\n", bytes, ranks, loop_s);
    fflush(stdout);
    MPI_Win_free(&dynamic);
    free_line(&column);
    free_line(&row);
    free(block);
    MPI_Finalize();
    return wrong > 0;
}
