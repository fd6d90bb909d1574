#!/bin/sh
# Usage: scorep_shmem.sh RMACAST WRITER PLATFORM: an archive of OpenSHMEM alone in Score-P's shape (WRITER is
# test_otf2_scorep_shmem) is analysed and replayed. Its PEs enter the barrier at 90, 91 and 92 ns: the first two wait 2 and 1 ns.
set -eu
rmacast=$1 writer=$2 platform=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
RMACAST_KEEP=$scratch/scorep "$writer"
"$rmacast" analyze "$scratch/scorep" --epsilon 0 --json - > "$scratch/result.json"
jq -e '.patterns[] | select(.name == "wait_at_barrier") | .count == 2 and (.severity_s * 1e12 | round) == 3000' \
  "$scratch/result.json" > "$scratch/found" || { echo "wait at barrier is not 3 ns in 2 calls:"; cat "$scratch/result.json"; exit 1; }
"$rmacast" simulate "$scratch/scorep" --platform "$platform" --verify -o "$scratch/predicted" > "$scratch/out"
"$rmacast" info "$scratch/predicted" | grep -q '^origin  *simulated' || { echo "no predicted trace"; exit 1; }
