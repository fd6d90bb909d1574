# charts.sh RMACAST WORK PROFILE CHARTS: a replay under PROFILE takes the times of CHARTS.
set -eu
rmacast=$1 work=$2 profile=$3 charts=$4
rm -rf "$work"
mkdir -p "$work"
# A latency of 100 ms, beside which 8 bytes, and the microsecond of each recorded call, are nothing. 1 MB takes as long.
cat >"$work/platform.json" <<END
{ "schema": "rmacast.platform/1", "name": "charts", "nodes": { "count": 2, "memory_bandwidth_Bps": 1e10 },
  "network": { "latency_s": 1e-1, "bandwidth_Bps": 1e7 }, "mpi": { "profile": "$profile" } }
END
awk -F ' *[|] *' -v work="$work" '
    BEGIN {
        call["LOCK"] = "MPI_Win_lock win=0 target=1 lock=shared assert=0"
        call["LOCK_OWN"] = "MPI_Win_lock win=0 target=0 lock=shared assert=0"
        call["UNLOCK"] = "MPI_Win_unlock win=0 target=1"
        call["UNLOCK_OWN"] = "MPI_Win_unlock win=0 target=0"
        call["LOCK_ALL"] = "MPI_Win_lock_all win=0 assert=0"
        call["LOCK_ALL_UNCHECKED"] = "MPI_Win_lock_all win=0 assert=NOCHECK"
        call["UNLOCK_ALL"] = "MPI_Win_unlock_all win=0"
        call["FLUSH"] = "MPI_Win_flush win=0 target=1"
        call["FLUSH_ALL"] = "MPI_Win_flush_all win=0"
        call["FLUSH_LOCAL"] = "MPI_Win_flush_local win=0 target=1"
        call["FLUSH_LOCAL_ALL"] = "MPI_Win_flush_local_all win=0"
        call["PUT"] = "MPI_Put win=0 target=1 bytes=8 disp=0"
        call["PUT_BACK"] = "MPI_Put win=0 target=0 bytes=8 disp=0"
        call["GET"] = "MPI_Get win=0 target=1 bytes=8 disp=0"
        call["ACCUMULATE"] = "MPI_Accumulate win=0 target=1 bytes=8 disp=0 op=SUM"
        call["ACCUMULATE_BACK"] = "MPI_Accumulate win=0 target=0 bytes=8 disp=0 op=SUM"
        call["PUT_MB"] = "MPI_Put win=0 target=1 bytes=1000000 disp=0"
        call["GET_MB"] = "MPI_Get win=0 target=1 bytes=1000000 disp=0"
        call["ACCUMULATE_MB"] = "MPI_Accumulate win=0 target=1 bytes=1000000 disp=0 op=SUM"
        call["GET_ACCUMULATE"] = "MPI_Get_accumulate win=0 target=1 bytes=8 result_bytes=8 disp=0 op=SUM"
        call["GET_ACCUMULATE_MB"] = "MPI_Get_accumulate win=0 target=1 bytes=1000000 result_bytes=1000000 disp=0 op=SUM"
        call["SWAP"] = "MPI_Compare_and_swap win=0 target=1 bytes=8 result_bytes=8 disp=0"
        call["GET_BACK"] = "MPI_Get win=0 target=0 bytes=8 disp=0"
        call["LOCK_UNCHECKED"] = "MPI_Win_lock win=0 target=1 lock=shared assert=NOCHECK"
        call["FENCE_FIRST"] = "MPI_Win_fence win=0 assert=NOPRECEDE"
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
        call["SEND_LARGE"] = "MPI_Send comm=0 peer=1 tag=5 bytes=1000000"
        call["RECEIVE_LARGE"] = "MPI_Recv comm=0 peer=0 tag=5 bytes=1000000"
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
        now += before * 1e-1
        count = split(list, words, / *; */)
        for (i = 1; i <= count; i++) {
            if (words[i] ~ /^[+]/) {
                now += substr(words[i], 2) * 1e-1
            } else {
                if (!(words[i] in call)) exit 1
                write_call(rank, call[words[i]])
                calls++
            }
        }
        return calls + 1
    }
    # What the replay takes: "2 model 1".
    function expected(text) {
        sub(/.*model /, "", text)
        return text
    }
    /^#/ || NF < 4 { next }
    {
        out = work "/" ++number ".txt"
        print "rmacast-trace 1\nranks 2\nwindow 0 comm=0 bytes=1000000" >out
        last = write_rank(0, $3, 5)
        if ($4 == "RECEIVE") write_call(0, call["SEND"])
        last_1 = write_rank(1, $4, 0)
        close(out)
        both = split($2, times, / *, */)
        print number, last, expected(times[1]), last_1, both == 2 ? expected(times[2]) : "-", $1
    }' "$charts" >"$work/rows"
# ends RANK COLUMN NUMBER: a column of the rank's call of MPI.
ends() {
    awk -v rank="$1" -v column="$2" -v last="$3" '$1 == rank && $4 ~ /^MPI_/ && ++count == last { print $column }' "$work/predicted"
}
# compare FROM TO EXPECTED WHAT
compare() {
    if ! awk -v from="$1" -v to="$2" -v expected="$3" -v what="$4" 'BEGIN {
        took = (to - from) / 1e-1
        if (took - expected < 0.006 && expected - took < 0.006) exit 0
        printf "%s: expected %s latencies, predicted %.3f\n", what, expected, took
        exit 1 }'; then
        wrong=1
    fi
}
wrong=0
while read -r number last expected last_1 expected_1 name; do
    "$rmacast" simulate --engine=loggp --platform="$work/platform.json" -o - "$work/$number.txt" >"$work/predicted"
    compare "$(ends 0 2 "$last")" "$(ends 0 3 "$last")" "$expected" "$name"
    [ "$expected_1" = - ] || compare "$(ends 0 2 "$last")" "$(ends 1 3 "$last_1")" "$expected_1" "$name, rank 1"
done <"$work/rows"
[ -s "$work/rows" ] && [ "$wrong" = 0 ]
