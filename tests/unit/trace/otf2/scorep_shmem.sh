#!/bin/sh
# Usage: scorep_shmem.sh RMACAST WRITER PLATFORM: an archive of OpenSHMEM alone in Score-P's shape (WRITER is the test
# unit.trace.otf2.scorep_shmem) is analysed and replayed. Its PEs enter the barrier at 90, 91 and 92 ns: the first two wait 2 and
# 1 ns.
set -eu
rmacast=$1 writer=$2 platform=$3
temp_dir=$(mktemp -d)
trap 'rm -rf "$temp_dir"' EXIT
RMACAST_KEEP=$temp_dir/scorep "$writer"
"$rmacast" analyze "$temp_dir/scorep" --epsilon 0 --json - > "$temp_dir/result.json"
jq -e '.patterns[] | select(.name == "wait_at_barrier") | .count == 2 and (.severity_s * 1e12 | round) == 3000' \
  "$temp_dir/result.json" > "$temp_dir/found" || { echo "wait at barrier is not 3 ns in 2 calls:"; cat "$temp_dir/result.json"; exit 1; }
"$rmacast" simulate "$temp_dir/scorep" --platform "$platform" --verify -o "$temp_dir/predicted" > "$temp_dir/out"
"$rmacast" info "$temp_dir/predicted" | grep -q '^origin  *simulated' || { echo "no predicted trace"; exit 1; }
