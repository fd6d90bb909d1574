#!/bin/sh
# semantics.sh RMACAST LIBRARY LAUNCHER: under librmacast-semantics the probe finds the semantics that was asked for, how far d
# runs ahead and how much it copies, and lazy locks. With a third rank it finds that b and c wait for one target's post. What
# MPICH does by itself, a with blocking locks, is what probe.mpich looks at.
. "$(dirname "$0")/../expect.sh"
program=$1 library=$2 launcher=$3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
probe() { # LETTER GROUPS RANKS SETTING...
    letter=$1 groups=$2 ranks=$3
    shift 3
    expect 0 "$program" probe --limit 80s --only $groups --json found.json -- \
        env LD_PRELOAD="$library" RMACAST_SEMANTICS=$letter "$@" "$launcher" -n $ranks
    holds found.json ".mpi.rma.semantics == \"$letter\""
    [ $failures -eq 0 ] || { cat out; finish; }
}
posts() { # CASE: what waits in it waits for its target's post alone
    holds found.json "[.evidence[] | select(.case == \"$1\") | .verdict] | length > 0 and unique == [\"target\"]"
}
probe b semantics 3 RMACAST_LOCK=blocking
posts group
probe c semantics,locks 3 RMACAST_LOCK=lazy
posts group_queued
holds found.json '.mpi.rma.lock == "lazy"'
probe d semantics 2 RMACAST_LOCK=blocking
holds found.json '.mpi.rma.epochs_ahead == 1 and .mpi.rma.buffer_bytes == "unlimited"'
probe d semantics 2 RMACAST_EPOCHS_AHEAD=3 RMACAST_BUFFER_BYTES=100000
# Sizes are found to 1 in 128.
holds found.json '.mpi.rma.epochs_ahead == 3 and .mpi.rma.buffer_bytes.value <= 100000 and .mpi.rma.buffer_bytes.value > 99000'
finish
