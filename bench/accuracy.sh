#!/bin/sh
# Usage: accuracy.sh RMACAST PROGRAM PLATFORM BYTES RUNS ITERATIONS MPIEXEC... (docs/accuracy.md)
#   RMACAST, PROGRAM: build/release/bin/rmacast, build/release/bin/six_exchanges
#   PLATFORM: describes the cluster on which MPIEXEC... starts two ranks: "mpiexec -hosts a,b -n 2"
# Each of the six exchanges is recorded with two ranks on this machine, predicted on PLATFORM, and run RUNS times there.
# Compared is the measured loop: from rank 0's return of the second MPI_Barrier to that of the third. One line each: pattern,
# bytes, predicted ms, median, least and largest ms of the runs, error of the prediction against the median in percent.
set -u
rmacast=$1 program=$2 platform=$3 bytes=$4 runs=$5 iterations=$6
shift 6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for pattern in ${PATTERNS:-pscw fence transpose hash lock getpipe}; do
    timeout -s TERM -k 3 60 "$rmacast" record -o "$work/$pattern.rma" -- \
        mpiexec.mpich -n 2 "$program" "$pattern" "$bytes" "$iterations" ${COMPUTE_US:-2000} >/dev/null 2>"$work/err" ||
        { [ -d "$work/$pattern.rma" ] || { echo "$pattern: not recorded: $(tail -n 1 "$work/err")"; continue; }; }
    "$rmacast" simulate "$work/$pattern.rma" --platform "$platform" --engine loggp --keep-going ${OPTIONS:-} -o "$work/predicted.txt" \
        >/dev/null 2>"$work/err" || { echo "$pattern: not predicted: $(tail -n 1 "$work/err")"; continue; }
    predicted=$(awk '$1 == 0 && $4 == "MPI_Barrier" { if (++n == 2) from = $3; if (n == 3) print ($3 - from) * 1000 }' \
        "$work/predicted.txt")
    for run in $(seq "$runs"); do
        timeout -s TERM -k 3 60 "$@" "$program" "$pattern" "$bytes" "$iterations" ${COMPUTE_US:-2000} 2>/dev/null
    done | awk '{ print $3 * 1000 }' | sort -n | awk -v pattern="$pattern" -v bytes="$bytes" -v predicted="$predicted" '
        { time[NR] = $1 }
        END { if (NR == 0) { print pattern ": no run ended"; exit }
              median = NR % 2 ? time[(NR + 1) / 2] : (time[NR / 2] + time[NR / 2 + 1]) / 2
              printf "%-10s %8d  predicted %9.2f ms  measured %9.2f [%9.2f - %9.2f] of %d  error %+6.1f %%\n", pattern, bytes,
                     predicted, median, time[1], time[NR], NR, (predicted / median - 1) * 100 }'
done
