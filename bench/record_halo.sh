#!/bin/sh
# Usage: record_halo.sh PROGRAM RECORDER-LIBRARY MPIEXEC [PAIRS]: run time of a halo exchange on two ranks, bare and recorded in turns,
# for strips of several heights: the median of the pairs' ratios, and the memory that the recorder has in a rank.
set -eu
program=$1 recorder=$2 mpiexec=$3 pairs=${4:-11}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "rows  us per iteration  the recorder (goal 3 %)  its memory (goal 1024 KiB)"
for rows in 64 128 256 512; do
    iterations=$((4000000 / rows))
    for pair in $(seq "$pairs"); do
        bare=$(timeout 60 "$mpiexec" -n 2 "$program" $rows $iterations)
        mkdir "$work/$pair"
        recorded=$(RMACAST_SPOOL="$work/$pair" LD_PRELOAD="$recorder" timeout 60 "$mpiexec" -n 2 "$program" $rows $iterations)
        rm -r "${work:?}/$pair"
        echo "$bare $recorded"
    done | awk -v rows=$rows -v iterations=$iterations '
        { ratio[NR] = $3 / $1; time[NR] = $1; memory[NR] = $4 }
        function median(values,   i, k, keep) {
            for (i = 2; i <= NR; i++) for (k = i; k > 1 && values[k] < values[k - 1]; k--) { keep = values[k]; values[k] = values[k - 1]; values[k - 1] = keep }
            return values[int((NR + 1) / 2)] }
        END { middle = median(ratio)
              printf "%4d  %16.1f  %6.2f %% [%.2f to %.2f]  %6d KiB\n", rows, median(time) / iterations * 1e6, 100 * (middle - 1), 100 * (ratio[1] - 1), 100 * (ratio[NR] - 1), median(memory) }'
done
