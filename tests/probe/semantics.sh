#!/bin/sh
# semantics.sh RMACAST LIBRARY LAUNCHER: under librmacast-semantics the probe finds the semantics that was asked for. What MPICH
# does by itself is a, which probe.mpich looks at.
set -eu
rmacast=$1 library=$2 launcher=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
bad=0
for letter in b c d; do
    "$rmacast" probe --limit 150s --only semantics --json "$place/found.json" -- \
        env LD_PRELOAD="$library" RMACAST_SEMANTICS=$letter "$launcher" -n 2 >"$place/table" 2>"$place/said" ||
        { cat "$place/said"; bad=1; }
    found=$(jq -c .mpi.rma.semantics "$place/found.json")
    [ "$found" = "\"$letter\"" ] || { cat "$place/table"; echo "under $letter the probe finds $found"; bad=1; }
done
exit $bad
