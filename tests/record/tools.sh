#!/bin/sh
# Usage: tools.sh RMACAST PROGRAMS LAUNCHER...: programs with another tool between them and MPI (tool.c) work as without the
# recorder: every call goes through the tool, and no call of the recorder does. What the tool itself calls is no call of the
# program, but where the tool is inside the program: then PMPI_X is what is seen.
set -u
rmacast=$1 programs=$2
shift 2
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

for where in linked inside preloaded; do
    program=$programs/tooled_$where preload=
    [ "$where" = preloaded ] && program=$programs/tooled preload=$programs/tool.so
    expect 0 env LD_PRELOAD="$preload" "$rmacast" record -o $where.rma -- "$@" -n 2 "$program"
    check test "$(sort out)" = "$(printf 'rank 0: 1 sends, 1 barriers\nrank 1: 0 sends, 1 barriers')"
    "$rmacast" dump $where.rma | grep '^[01]' | awk '{ print $1, $4 }' >calls
    finalizing=
    [ "$where" = inside ] && finalizing='MPI_Barrier '
    check test "$(grep -c . calls) $(sed -n 's/^0 //p' calls | tr '\n' ' ')" = \
        "$([ "$where" = inside ] && echo 10 || echo 8) MPI_Init MPI_Send MPI_Barrier ${finalizing}MPI_Finalize "
done
finish
