#!/bin/sh
# Usage: other_libraries.sh RMACAST DIRECTORY MPIEXEC: a program on an MPI library that no recorder fits runs as without one, and
# one line says which library it is. DIRECTORY holds such programs (programs/other_abi.c), and one of the standard ABI of MPI-5.0
# (programs/standard_abi.c), which is recorded.
set -u
rmacast=$1 libraries=$2 mpiexec=$3
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

for library in libother.so.1 libmpi.so.12; do
    program=$libraries/on_$library
    check test "$("$program")" = 'rank 0 of 1'
    why="no recorder fits the MPI library $libraries/$library, expected one with the ABI of MPICH, of Open MPI or of MPI-5.0"
    expect 1 "$rmacast" record -o other.rma -- sh -c '"$0" & "$0"; wait' "$program"
    check test "$(cat out)" = "$(printf 'rank 0 of 1\nrank 0 of 1')"
    check lines err 1 # of two processes, which tell record
    check grep -qxF "rmacast: other.rma: nothing was recorded: $why" err
    check test ! -e other.rma
    # With thread primitives, which need no MPI, and the program's own exit status.
    expect 3 "$rmacast" record --threads -o other.rma -- sh -c '"$0"; exit 3' "$program"
done

# A semantics library is for one MPI library, too: the user has asked for what cannot be had.
expect 1 "$rmacast" record --semantics b -o other.rma -- "$libraries/on_libother.so.1"
check grep -q 'the preloaded semantics library is for another MPI library' err

# What a rank of the standard ABI calls: constants of that ABI (who, which type, which assertion) have their meaning.
check "$mpiexec" -n 2 "$libraries/standard_abi"
expect 0 "$rmacast" record -o abi.rma -- "$mpiexec" -n 2 "$libraries/standard_abi"
"$rmacast" dump abi.rma >dump
calls() { sed -n "s/ site=.*//; s/^$1 [0-9.]* [0-9.]* //p" dump | tr '\n' ' '; }
both='MPI_Init MPI_Comm_dup comm=0 newcomm=1 MPI_Allreduce comm=1 bytes=4 op=SUM MPI_Win_create win=0 MPI_Win_fence win=0 '
rest='MPI_Win_fence win=0 assert=NOSUCCEED MPI_Win_lock win=0 target=0 lock=exclusive MPI_Win_unlock win=0 target=0 MPI_Win_free win=0 '
last='MPI_Comm_free comm=1 MPI_Barrier comm=0 MPI_Finalize '
check test "$(calls 0)" = \
    "${both}MPI_Put win=0 target=1 bytes=4 disp=0 ${rest}MPI_Send comm=0 peer=1 tag=9 bytes=4 $last"
check test "$(calls 1)" = \
    "${both}MPI_Put win=0 target=0 bytes=4 disp=0 ${rest}MPI_Irecv comm=0 peer=0 tag=9 bytes=4 req=0 MPI_Wait req=0 $last"
expect 0 "$rmacast" info abi.rma
check grep -q '^complete  *yes$' out
expect 0 "$rmacast" simulate abi.rma --platform ideal --verify
finish
