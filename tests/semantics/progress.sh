#!/bin/sh
# Usage: progress.sh LIBRARY PROGRAM MPIEXEC: under d copies leave in calls of MPI, or by a thread while their origin computes.
. "$(dirname "$0")/../expect.sh"
library=$1 program=$2 mpiexec=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
sent() { # PROGRESS EXPECTED
    for turn in 1 2; do # MPI's own finalizing may hang
        rm -f completed waited
        LD_PRELOAD=$library RMACAST_SEMANTICS=d RMACAST_PROGRESS=$1 timeout -k 3 40 "$mpiexec" -n 2 "$program" . >out 2>err
        status=$?
        [ $status = 124 ] || break
    done
    [ $status = 0 ] && [ "$(cat out)" = "sent $2" ] || fail "progress '$1': exit status $status, $(cat out err), expected sent $2"
}
sent '' "in a call"
sent call "in a call"
sent thread "while computing"
RMACAST_PROGRESS=always expect 1 env LD_PRELOAD="$library" RMACAST_SEMANTICS=d "$program" .
check grep -q 'RMACAST_PROGRESS=always: expected call or thread' err
finish
