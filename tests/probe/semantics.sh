#!/bin/sh
# semantics.sh RMACAST LIBRARY LAUNCHER: under librmacast-semantics the probe finds the semantics that was asked for, and lazy
# locks. What MPICH does by itself, a with blocking locks, is what probe.mpich looks at.
. "$(dirname "$0")/../expect.sh"
program=$1 library=$2 launcher=$3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
for letter in b c d; do
    groups=semantics lock=blocking
    [ $letter != c ] || groups=semantics,locks lock=lazy
    expect 0 "$program" probe --limit 80s --only $groups --json found.json -- \
        env LD_PRELOAD="$library" RMACAST_SEMANTICS=$letter RMACAST_LOCK=$lock "$launcher" -n 2
    holds found.json ".mpi.rma.semantics == \"$letter\""
    [ $lock = blocking ] || holds found.json '.mpi.rma.lock == "lazy"'
    [ $failures -eq 0 ] || { cat out; break; }
done
finish
