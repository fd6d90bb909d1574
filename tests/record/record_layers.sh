#!/bin/sh
# Usage: record_layers.sh RMACAST MPIEXEC MPICC: where calls are that a library between the program and MPI makes. The library
# calls MPI from two depths, and the program calls it from two lines, at two depths of its own, a thousand times each: what was
# found at a place once holds for other callers of the same place, too. And of the library that runs OpenMP: a note says that its
# waits are not recorded.
rmacast=$1 mpiexec=$2 mpicc=$3
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

cat >layer.c <<'END'
#include <mpi.h>
__attribute__((noinline)) static void deep(int more)
{
    volatile char room[64] = {0};
    if (more) deep(more - 1);
    else MPI_Barrier(MPI_COMM_WORLD);
    room[0]++;
}
void layer_wait(int more) { deep(more); }
END
cat >program.c <<'END'
#include <mpi.h>
void layer_wait(int);
static __attribute__((noinline)) void work(int more)
{
    volatile char room[64] = {0};
    layer_wait(more); /* line 6 */
    room[0]++;
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 1000; i++) {
        work(i % 3);
        layer_wait(i % 3); /* line 14 */
    }
    MPI_Barrier(MPI_COMM_WORLD); /* line 16 */
    MPI_Finalize();
    return 0;
}
END
# built LIBRARY: the program with the layer in a library of that name
built() {
    check "$mpicc" -g -O1 -fPIC -shared -Wl,-soname,"$1" -o "$1" layer.c
    check "$mpicc" -g -O1 -o program program.c -L. -l:"$1" -Wl,-rpath,"$work"
}
# sites OPTION...: how many barriers of rank 0 are at which function and line
sites() {
    expect 0 "$rmacast" record "$@" -o run.rma -- "$mpiexec" -n 2 ./program
    "$rmacast" dump run.rma | sed -n 's/^0 .*MPI_Barrier.*site=\([a-z_]*\)@[^ ]*:\([0-9]*\)\( .*\)*$/\1:\2/p' | sort | uniq -c | sed 's/^ *//' >found
    rm -r run.rma
}
expected() {
    printf '%s\n' "$@" | cmp -s - found || fail "sites: $(tr '\n' ' ' <found)expected $*"
}

built libmine.so.1
sites && expected '2000 deep:6' '1 main:16'
sites --skip-library libother,libmine && expected '1000 main:14' '1 main:16' '1000 work:6'
sites --skip-library libmin && expected '2000 deep:6' '1 main:16'
built libpetsc_real.so.3
sites && expected '1000 main:14' '1 main:16' '1000 work:6'
# Where all that is left is the library itself, the place is there.
built libmine.so.1
sites --skip-library libmine,program && expected '1000 main:14' '1 main:16' '1000 work:6'

cat >parallel.c <<'END'
#include <mpi.h>
#include <stddef.h>
int main(int argc, char **argv)
{
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
    MPI_Sendrecv(NULL, 0, MPI_INT, rank, 0, NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
END
check "$mpicc" -fopenmp -g -o parallel parallel.c
expect 0 "$rmacast" record --threads -o run.rma -- "$mpiexec" -n 2 ./parallel
check test "$("$rmacast" info run.rma | grep -c 'threads of 2 ranks may have waited for each other by OpenMP.s barriers, critical sections or tasks: that is not recorded')" = 1
finish
