#!/bin/sh
# Usage: record_overhead.sh PROGRAM RECORDER-LIBRARY: ns per wrapped call, bare and recorded in turns, medians of 5 pairs.
set -eu
program=$1 recorder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for pair in 1 2 3 4 5; do
    timeout 60 "$program" | sed 's/^/bare /'
    mkdir "$work/$pair"
    RMACAST_SPOOL="$work/$pair" LD_PRELOAD="$recorder" timeout 60 "$program" | sed 's/^/recorded /'
    rm -r "${work:?}/$pair"
done | sort -k2,2 -k1,1 -k3,3n | awk '
    { key = $1 " " $2; count[key]++; if (count[key] == 3) median[key] = $3; names[$2] = 1 }
    END { for (name in names) { bare = median["bare " name]; recorded = median["recorded " name]
          printf "%-22s bare %6.1f ns  recorded %6.1f ns  the recorder %6.1f ns per call (goal 100)\n", name, bare, recorded, recorded - bare } }' | sort
