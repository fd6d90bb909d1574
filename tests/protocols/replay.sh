# replay.sh RMACAST REPLAY WORK LIBRARY PROFILE [KNOWN...]: a replay under PROFILE returns from the calls of waits.def before the
# target enters MPI, or does not, as LIBRARY does. KNOWN: BYTES,NAME of a row in which the model differs; it must still differ.
set -eu
rmacast=$1 replay=$2 work=$3 library=$4 profile=$5
shift 5
rm -rf "$work"
mkdir -p "$work"
cat >"$work/platform.json" <<END
{ "schema": "rmacast.platform/1", "name": "$library", "nodes": { "count": 2, "memory_bandwidth_Bps": 1e10 },
  "network": { "latency_s": 1e-3, "bandwidth_Bps": 1e9 }, "mpi": { "profile": "$profile" } }
END
wrong=0
"$replay" "$library" "$work" >"$work/rows"
while read -r number letter calls bytes name; do
    "$rmacast" simulate --engine=loggp --platform="$work/platform.json" -o - "$work/$number.txt" >"$work/predicted"
    # Rank 1 enters MPI 1 s behind the barrier, rank 0 calls 0.2 s behind it; neither latency nor bytes take a tenth of a second.
    predicted=$(awk -v calls="$calls" '$1 == "0" && $4 ~ /^MPI_/ && ++count == calls { print $3 < 0.7 ? "f" : "w" }' "$work/predicted")
    expected=$letter
    for known in "$@"; do
        if [ "$known" = "$bytes,$name" ]; then
            expected=$([ "$letter" = w ] && echo f || echo w)
        fi
    done
    if [ "$predicted" != "$expected" ]; then
        echo "$library: $name, $bytes bytes: expected $expected, predicted $predicted"
        wrong=1
    fi
done <"$work/rows"
[ -s "$work/rows" ] && [ "$wrong" = 0 ]
