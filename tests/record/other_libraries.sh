#!/bin/sh
# Usage: other_libraries.sh RMACAST DIRECTORY: a program on an MPI library that no recorder fits runs as without one, and one line
# says which library it is. DIRECTORY holds such programs (programs/other_abi.c).
set -u
rmacast=$1 libraries=$2
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

for library in libmpi_abi.so.0 libother.so.1 libmpi.so.12; do
    program=$libraries/on_$library
    check test "$("$program")" = 'rank 0 of 1'
    why="no recorder fits the MPI library $libraries/$library, expected one with MPICH's or Open MPI's ABI"
    expect 1 "$rmacast" record -o other.rma -- sh -c '"$0" & "$0"; wait' "$program"
    check test "$(cat out)" = "$(printf 'rank 0 of 1\nrank 0 of 1')"
    check lines err 1 # of two processes, which tell record
    check grep -qxF "rmacast: other.rma: nothing was recorded: $why" err
    check test ! -e other.rma
    # With thread primitives, which need no MPI, and the program's own exit status.
    expect 3 "$rmacast" record --threads -o other.rma -- sh -c '"$0"; exit 3' "$program"
done

# A semantics library is for one MPI library, too: the user has asked for what cannot be had.
expect 1 "$rmacast" record --semantics b -o other.rma -- "$libraries/on_libmpi_abi.so.0"
check grep -q 'the preloaded semantics library is for another MPI library' err
finish
