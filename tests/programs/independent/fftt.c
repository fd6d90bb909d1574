/* An FFT in six steps, without the FFT: butterflies on rows, a transpose by puts of strided tiles between fences, butterflies:
 *     independent_fftt [BYTES of a tile, about [ITERATIONS]] */
#include <complex.h>

#include "tests/programs/independent/program.h"

static int side, n; /* of a tile, and of the matrix, of which a rank has `side` rows */

static void butterflies(float complex *rows, double milliseconds)
{
    compute(milliseconds);
    for (int r = 0; r < side; r++)
        for (int half = n / 2, i = 0; i < half; i++) {
            float complex a = rows[r * n + i], b = rows[r * n + i + half];
            rows[r * n + i] = (a + b) * 0.70710678f;
            rows[r * n + i + half] = (a - b) * 0.70710678f;
        }
}

/* from: the columns of a tile side by side; to: the rows of a tile of the target. */
static void make_types(MPI_Datatype *from, MPI_Datatype *to)
{
    MPI_Datatype column;
    MPI_Type_vector(side, 1, n, MPI_C_FLOAT_COMPLEX, &column);
    MPI_Type_create_resized(column, 0, sizeof(float complex), from);
    MPI_Type_vector(side, side, n, MPI_C_FLOAT_COMPLEX, to);
    MPI_Type_commit(from);
    MPI_Type_commit(to);
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = argument(argc, argv, 1, 2048), iterations = argument(argc, argv, 2, 10);
    while ((side + 1) * (side + 1) * (int)sizeof(float complex) <= bytes) side++;
    n = side * ranks;
    float complex *x = malloc((size_t)(side * n) * sizeof *x), *y;
    for (int i = 0; i < side * n; i++) x[i] = (float)(rank + 1) + (float)i * I;
    MPI_Win window;
    MPI_Win_allocate(side * n * (MPI_Aint)sizeof *y, sizeof *y, MPI_INFO_NULL, MPI_COMM_WORLD, &y, &window);
    MPI_Datatype from, to;
    make_types(&from, &to);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int it = 0; it < iterations; it++) {
        butterflies(x, 5 + 4 * ((rank + it) % 3));
        MPI_Win_fence(0, window);
        for (int k = 0; k < ranks; k++) {
            int target = (rank + k) % ranks;
            MPI_Put(x + target * side, side, from, target, (MPI_Aint)rank * side, 1, to, window);
        }
        MPI_Win_fence(0, window);
        butterflies(y, 6);
        memcpy(x, y, (size_t)(side * n) * sizeof *x);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;

    if (rank == 0) printf("fftt %d %d %.6f real %g\n", bytes, ranks, loop_s, (double)crealf(x[1]));
    fflush(stdout);
    MPI_Type_free(&from);
    MPI_Type_free(&to);
    MPI_Win_free(&window);
    free(x);
    MPI_Finalize();
    return 0;
}
