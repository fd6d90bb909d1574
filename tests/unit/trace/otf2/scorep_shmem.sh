#!/bin/sh
# Usage: scorep_shmem.sh RMACAST WRITER PLATFORM: an archive of OpenSHMEM alone in Score-P's shape (WRITER is the test
# unit.trace.otf2.scorep_shmem) is analysed and replayed. Its PEs enter the barrier at 90, 91 and 92 ns: the first two wait 2 and
# 1 ns.
. "$(dirname "$0")/../../../expect.sh"
program=$(realpath "$1") writer=$(realpath "$2") platform=$(realpath "$3")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
RMACAST_KEEP=$work/scorep expect 0 "$writer"
run 0 analyze scorep --epsilon 0 --json result.json
holds result.json '.patterns[] | select(.name == "wait_at_barrier") | .count == 2 and (.severity_s * 1e12 | round) == 3000'
run 0 simulate scorep --platform "$platform" --verify -o predicted
run 0 info predicted
shows '^origin  *simulated'
finish
