#!/bin/sh
# What files of traces cost: the figures of docs/performance.md. Usage: files.sh BIN RECORD-HALO RECORDER-LIBRARY MPIEXEC.
# First a recorded halo exchange of two ranks, packed and read five times. Then reading beside the replay on loggp: generated
# exchanges as archive, spool and text, and a recorded spool; medians with the fastest and the slowest of RUNS runs (5).
set -eu
bin=$1 program=$2 recorder=$3 mpiexec=$4
runs=${RUNS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# record DIRECTORY ITERATIONS
record() {
    mkdir "$1"
    RMACAST_SPOOL="$work/$1" LD_PRELOAD="$recorder" timeout 120 "$mpiexec" -n 2 "$program" 8 "$2" >/dev/null
}

cat > platform.json <<END
{"schema": "rmacast.platform/1", "name": "crossbar", "nodes": {"count": 1024},
 "network": {"topology": {"type": "crossbar"}, "latency_s": 1e-6, "bandwidth_Bps": 1e10}}
END

# seconds COMMAND...: wall time, sorted, one line per run.
seconds() {
    for run in $(seq "$runs"); do
        begin=$(date +%s%N)
        "$@" >/dev/null
        end=$(date +%s%N)
        echo $(((end - begin) / 1000))
    done | sort -n
}

measure() {
    echo "$1"
    "$bin/bench_reading" "$2" platform.json "$runs"
    seconds "$bin/rmacast" simulate "$2" --platform platform.json --engine loggp |
        awk '{ s[NR] = $1 / 1e6 } END { printf "%-26s %6.3f s [%.3f - %.3f]\n", "rmacast simulate", s[int((NR + 1) / 2)], s[1], s[NR] }'
}

record packed 200000
for run in 1 2 3 4 5; do "$bin/bench_files" packed archive; done
record spool-2 100000
measure "2 ranks, recorded spool" spool-2
for what in "256 400" "1024 100"; do
    ranks=${what% *} iterations=${what#* }
    "$bin/rmacast" generate halo2d -n "$ranks" -i "$iterations" -u 0.2 -o "bare-$ranks"
    # Recorded exits stand behind what they waited for; generated ones do not.
    "$bin/rmacast" simulate "bare-$ranks" --platform platform.json --engine loggp -o "archive-$ranks" >/dev/null
    mkdir "spool-$ranks"
    "$bin/make_spool" "archive-$ranks" "spool-$ranks"
    rm -r "archive-$ranks"
    "$bin/rmacast" generate halo2d -n "$ranks" -i "$iterations" -u 0.2 -o "text-$ranks.txt"
    measure "$ranks ranks, archive" "bare-$ranks"
    measure "$ranks ranks, spool" "spool-$ranks"
    measure "$ranks ranks, text" "text-$ranks.txt"
done
