#!/bin/sh
# Usage: record_halo.sh PROGRAM RECORDER-LIBRARY MPIEXEC [RUNS [ROWS...]]: what recording adds to an iteration of a halo
# exchange on two pinned ranks, for strips of several heights. Bare and recorded batches take turns inside each run, and
# a batch fills the recorder's tail twice; stated are the medians of the runs, and the lowest and highest run.
set -eu
program=$1 recorder=$2 mpiexec=$3 runs=${4:-7}
[ $# -ge 4 ] && shift 4 || shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "rows  us per iteration  the recorder (goal 3 %)  its memory (goal 1024 KiB)"
for rows in ${*:-64 128 256 512}; do
    for run in $(seq "$runs"); do
        mkdir "$work/spool"
        RMACAST_SPOOL="$work/spool" LD_PRELOAD="$recorder" timeout 60 \
            "$mpiexec" -bind-to core -n 2 "$program" "$rows" 1637 $((8000 / rows))
        rm -r "$work/spool"
    done | sort -n -k2,2 | awk -v rows="$rows" '
        { time += $1; more[NR] = $2; memory += $5 }
        END { printf "%4d  %16.2f  %+6.2f %% [%+.2f to %+.2f]  %6d KiB\n", rows, time / NR,
                     more[int((NR + 1) / 2)], more[1], more[NR], memory / NR }'
done
