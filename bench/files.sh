#!/bin/sh
# Usage: files.sh BENCH-FILES RECORD-HALO RECORDER-LIBRARY MPIEXEC: a recorded halo exchange of two ranks, packed and read five times.
set -eu
files=$1 program=$2 recorder=$3 mpiexec=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/spool"
RMACAST_SPOOL="$work/spool" LD_PRELOAD="$recorder" timeout 120 "$mpiexec" -n 2 "$program" 8 200000 >/dev/null
for run in 1 2 3 4 5; do "$files" "$work/spool" "$work/archive"; done
