#!/bin/sh
# Usage: flushes.sh SEMANTICS-LIBRARY PROGRAM MPICC MPIEXEC: MPI_Win_complete of one target flushes all, as MPICH's own: the flush
# of one target would ask it although it has confirmed everything. A library behind the semantics counts what it calls.
. "$(dirname "$0")/../expect.sh"
semantics=$1 program=$2 mpicc=$3 mpiexec=$4
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT || exit 1
cat >"$work/count.c" <<'C'
#include <mpi.h>
#include <stdio.h>
static int one, all;
int PMPI_Win_flush(int target, MPI_Win window) { one++; return MPI_SUCCESS; }
int PMPI_Win_flush_all(MPI_Win window) { all++; return MPI_SUCCESS; }
static void __attribute__((destructor)) tell(void) { if (one + all > 0) fprintf(stderr, "flushes: %d %d\n", one, all); }
C
"$mpicc" -shared -fPIC -o "$work/count.so" "$work/count.c" || { fail "mpicc failed"; finish; }
for letter in a b c; do # three epochs of each of two ranks, one target in each
    timeout 60 "$mpiexec" -n 2 env LD_PRELOAD="$semantics:$work/count.so" RMACAST_SEMANTICS=$letter "$program" 64 3 >"$work/out" 2>&1 ||
        fail "$letter: the program failed: $(cat "$work/out")"
    [ "$(grep -c '^flushes: 0 3$' "$work/out")" = 2 ] || fail "$letter: expected 3 flushes of all by each rank: $(cat "$work/out")"
done
finish
