#!/bin/sh
# Usage: worlds.sh RMACAST LAUNCH MPIEXEC PROGRAMS PLATFORM: processes that are started, or met, while a program runs
# (worlds.c), with Open MPI; LAUNCH is openmpi.sh. Each world has a trace of its own, and the program notices nothing.
set -u
rmacast=$1 launch=$2 mpiexec=$3 programs=$4 platform=$5
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMPI_MCA_btl=self,vader,tcp # processes of two jobs reach each other by TCP only
calls() { grep -c "^[0-9].* $1\( \|\$\)" dump; }

# A trace that every command takes.
whole() {
    expect 0 "$rmacast" info "$1"
    check grep -q '^complete  *yes$' out
    expect 0 "$rmacast" analyze "$1"
    expect 0 "$rmacast" simulate "$1" --platform "$platform" --verify
    expect 0 "$rmacast" dump "$1"
    cp out dump
}

# Three children of two parents: their ranks are others than the parents' of the same number. What goes between both worlds is
# regions.
for how in spawn multiple; do
    expect 0 "$rmacast" record -o "$how.rma" -- "$launch" "$mpiexec" -n 2 "$programs/worlds" "$how"
    check test "$(sort out)" = "$(printf 'child done\n%s done' "$how")"
    whole "$how.rma"
    check grep -q '^ranks 2$' dump
    check grep -q '^note .*further programs of the job.* world-1$' dump
    check test "$(calls MPI_Init) $(calls MPI_Finalize) $(calls 'MPI_Barrier comm=0') $(calls 'enter MPI_Intercomm_merge')" = '2 2 2 2'
    check test "$(grep -c ' MPI_Comm_spawn' dump)" = 2
    check test "$(calls 'enter MPI_Recv') $(calls 'enter MPI_Send') $(calls 'enter MPI_Win_fence')" = '1 0 4'
    check test "$(calls 'enter MPI_Win_post') $(calls 'enter MPI_Win_start') $(calls 'enter MPI_Comm_disconnect')" = '1 1 2'
    whole "$how.rma/world-1"
    check grep -q '^ranks 3$' dump
    check grep -q '^note .*started by MPI_Comm_spawn' dump
    check test "$(calls MPI_Init) $(calls MPI_Finalize) $(calls 'MPI_Barrier comm=0') $(calls 'enter MPI_Intercomm_merge')" = '3 3 3 3'
    check test "$(calls 'enter MPI_Recv') $(calls 'enter MPI_Send') $(calls 'enter MPI_Put')" = '0 1 1'
    check test ! -e "$how.rma/spool"
done

# A recording that takes an older one's place leaves none of its further worlds.
for how in ports join; do
    expect 0 "$rmacast" record -o spawn.rma -- "$launch" "$mpiexec" -n 2 "$programs/worlds" "$how"
    check test "$(cat out)" = "$how done"
    check test ! -e spawn.rma/world-1
    whole spawn.rma
    check test "$(calls MPI_Finalize)" = 2
done
finish
