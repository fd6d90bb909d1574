# charts.sh RMACAST WORK PROFILE CHARTS: a replay under PROFILE takes the times of CHARTS.
set -eu
rmacast=$1 work=$2 profile=$3 charts=$4
rm -rf "$work"
mkdir -p "$work"
# A latency of 10 ms, beside which bytes, and the microsecond of each recorded call, are nothing.
cat >"$work/platform.json" <<END
{ "schema": "rmacast.platform/1", "name": "charts", "nodes": { "count": 2, "memory_bandwidth_Bps": 1e10 },
  "network": { "latency_s": 1e-2, "bandwidth_Bps": 1e9 }, "mpi": { "profile": "$profile" } }
END
awk -F ' *[|] *' -v work="$work" '
    BEGIN {
        call["LOCK"] = "MPI_Win_lock win=0 target=1 lock=shared assert=0"
        call["LOCK_OWN"] = "MPI_Win_lock win=0 target=0 lock=shared assert=0"
        call["UNLOCK"] = "MPI_Win_unlock win=0 target=1"
        call["UNLOCK_OWN"] = "MPI_Win_unlock win=0 target=0"
        call["LOCK_ALL"] = "MPI_Win_lock_all win=0 assert=0"
        call["UNLOCK_ALL"] = "MPI_Win_unlock_all win=0"
        call["FLUSH"] = "MPI_Win_flush win=0 target=1"
        call["FLUSH_ALL"] = "MPI_Win_flush_all win=0"
        call["FLUSH_LOCAL"] = "MPI_Win_flush_local win=0 target=1"
        call["PUT"] = "MPI_Put win=0 target=1 bytes=8 disp=0"
        call["PUT_BACK"] = "MPI_Put win=0 target=0 bytes=8 disp=0"
        call["GET"] = "MPI_Get win=0 target=1 bytes=8 disp=0"
        call["ACCUMULATE"] = "MPI_Accumulate win=0 target=1 bytes=8 disp=0 op=SUM"
        call["ACCUMULATE_BACK"] = "MPI_Accumulate win=0 target=0 bytes=8 disp=0 op=SUM"
        call["FETCH"] = "MPI_Fetch_and_op win=0 target=1 bytes=8 result_bytes=8 disp=0 op=SUM"
        call["RPUT"] = "MPI_Rput win=0 target=1 bytes=8 disp=0 req=1"
        call["RGET"] = "MPI_Rget win=0 target=1 bytes=8 disp=0 req=1"
        call["RACCUMULATE"] = "MPI_Raccumulate win=0 target=1 bytes=8 disp=0 op=SUM req=1"
        call["WAIT_REQUEST"] = "MPI_Wait req=1"
        call["START"] = "MPI_Win_start win=0 group=1 assert=0"
        call["COMPLETE"] = "MPI_Win_complete win=0"
        call["POST"] = "MPI_Win_post win=0 group=0 assert=0"
        call["WAIT"] = "MPI_Win_wait win=0"
        call["FENCE"] = "MPI_Win_fence win=0 assert=0"
        call["FENCE_ALONE"] = "MPI_Win_fence win=0 assert=NOPRECEDE|NOSUCCEED"
        call["SEND"] = "MPI_Send comm=0 peer=1 tag=5 bytes=0"
        call["SEND_LARGE"] = "MPI_Send comm=0 peer=1 tag=5 bytes=65536"
        call["RECEIVE_LARGE"] = "MPI_Recv comm=0 peer=0 tag=5 bytes=65536"
        call["RECEIVE_EAGER"] = "MPI_Recv comm=0 peer=0 tag=5 bytes=0"
        call["RECEIVE"] = "MPI_Recv comm=0 peer=0 tag=5 bytes=0"
    }
    function write_call(rank, text) {
        printf "%d %.6f %.6f %s\n", rank, now, now + 1e-6, text >out
        now += 1e-6
    }
    # The number of the rank'"'"'s calls.
    function write_rank(rank, list, before,    words, count, i, calls) {
        now = 0
        write_call(rank, "MPI_Barrier comm=0")
        now += before * 1e-2
        count = split(list, words, / *; */)
        for (i = 1; i <= count; i++) {
            if (words[i] ~ /^[+]/) {
                now += substr(words[i], 2) * 1e-2
            } else {
                if (!(words[i] in call)) exit 1
                write_call(rank, call[words[i]])
                calls++
            }
        }
        return calls + 1
    }
    /^#/ || NF < 4 { next }
    {
        out = work "/" ++number ".txt"
        print "rmacast-trace 1\nranks 2\nwindow 0 comm=0 bytes=4096" >out
        last = write_rank(0, $3, 5)
        if ($4 == "RECEIVE") write_call(0, call["SEND"])
        write_rank(1, $4, 0)
        close(out)
        expected = $2
        sub(/.*model /, "", expected)
        print number, last, expected, $1
    }' "$charts" >"$work/rows"
wrong=0
while read -r number last expected name; do
    "$rmacast" simulate --engine=loggp --platform="$work/platform.json" -o - "$work/$number.txt" >"$work/predicted"
    took=$(awk -v last="$last" '$1 == "0" && $4 ~ /^MPI_/ && ++count == last { printf "%.2f", ($3 - $2) / 1e-2 }' "$work/predicted")
    if ! awk -v a="$took" -v b="$expected" 'BEGIN { exit !(a - b < 0.011 && b - a < 0.011) }'; then
        echo "$name: expected $expected latencies, predicted $took"
        wrong=1
    fi
done <"$work/rows"
[ -s "$work/rows" ] && [ "$wrong" = 0 ]
