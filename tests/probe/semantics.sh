#!/bin/sh
# semantics.sh RMACAST LIBRARY LAUNCHER: under librmacast-semantics the probe finds the semantics that was asked for, and lazy
# locks. What MPICH does by itself, a with blocking locks, is what probe.mpich looks at.
set -eu
rmacast=$1 library=$2 launcher=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
bad=0
for letter in b c d; do
    groups=semantics lock=blocking
    [ $letter != c ] || groups=semantics,locks lock=lazy
    "$rmacast" probe --limit 150s --only $groups --json "$place/found.json" -- \
        env LD_PRELOAD="$library" RMACAST_SEMANTICS=$letter RMACAST_LOCK=$lock "$launcher" -n 2 >"$place/table" 2>"$place/said" ||
        { cat "$place/said"; bad=1; }
    found=$(jq -c .mpi.rma.semantics "$place/found.json")
    [ "$found" = "\"$letter\"" ] || { cat "$place/table"; echo "under $letter the probe finds $found"; bad=1; }
    [ $lock = blocking ] || jq -e '.mpi.rma.lock == "lazy"' "$place/found.json" >/dev/null ||
        { cat "$place/table"; echo "lazy locks are not found"; bad=1; }
done
exit $bad
