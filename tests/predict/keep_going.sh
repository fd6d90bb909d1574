# --keep-going: of a recording that breaks off, or whose ranks wait for what never comes, each rank's calls before the first
# that never returns. Times by hand: 10 us of latency, 1 MB leaves in 100 us, control messages have no bytes
# (tests/cases/base.json).
. "$(dirname "$0")/lib.sh"
rm -rf predicted.rma

trace() {
    { echo 'rmacast-trace 1' && cat; } >"$1"
}

# left RESULTS: "rank event calls" of all that is left out in each result of a comparison
left() {
    holds rows.json "[.results[].left_out | map(\"\(.rank) \(.event) \(.calls)\")] == $1"
}

# Rank 1 is killed between two fences: both leave the first at 10, rank 0's put is called at 10; its second fence never
# returns. Without the option that is a deadlock.
trace killed.txt <<'END'
ranks 2
incomplete 1 killed by signal 9
window 0 comm=0
0 0 0 MPI_Win_fence win=0
0 0 0 MPI_Put win=0 target=1 bytes=1000000
0 0 0 MPI_Win_fence win=0
0 0 0 MPI_Win_fence win=0
1 0 0 MPI_Win_fence win=0
END
for engine in loggp simgrid; do
    error 1 "killed.txt:rank 0, event 3 (MPI_Win_fence): deadlock: " simulate killed.txt --platform "$platform" --engine $engine
    for output in predicted.txt predicted.rma; do
        run 0 simulate killed.txt --platform "$platform" --engine $engine --keep-going --verify --json result.json -o $output
        holds result.json '.incomplete and ([.rank_time_s[] * 1e6 | round] == [10, 10]) and .transfers.count == 1'
        holds result.json '[.verify[] | select(.state == "broken")] == []'
        holds result.json '.left_out == [{rank: 0, event: 3, time_s: 0, calls: 2, reason:
            "killed.txt:rank 0, event 3 (MPI_Win_fence): never returns: it waits for MPI_Win_fence of rank 1"}]'
        shows '^Trace +killed\.txt \(simulated, incomplete, 2 ranks\)$'
        shows '^  rank 0 from event 3 on, 2 calls$'
        # the predicted trace is one that can be replayed, and is as partial
        run 0 simulate $output --platform "$platform" --engine $engine --json again.json
        holds again.json '.incomplete and ([.rank_time_s[] * 1e6 | round] == [10, 10]) and .left_out == []'
    done
    run 0 compare killed.txt --platform "$platform" --engine $engine --keep-going --json rows.json
    left '[["0 3 2"], ["0 3 2"], ["0 3 2"], ["0 3 2"]]'
    shows '^Partial: b leaves out 2 calls of 1 ranks, the first: killed\.txt:rank 0, event 3 \(MPI_Win_fence\): never returns'
done

# What is never posted is known at start under a, at the put under b. Under c complete waits for it, under d nobody does; the
# put that is queued, or copied, never leaves then, and goes with what follows it.
trace posts.txt <<'END'
ranks 2
incomplete 1
window 0 comm=0
0 0 0 MPI_Win_start win=0 group=1
0 0 0 MPI_Put win=0 target=1 bytes=1000000
0 0 0 MPI_Win_complete win=0
END
run 0 compare posts.txt --platform "$platform" --engine loggp --keep-going --json rows.json
left '[["0 1 3"], ["0 2 2"], ["0 2 2"], ["0 2 2"]]'
holds rows.json '.results[1].left_out[0].reason | contains("(MPI_Put): never returns: it waits for MPI_Win_post of rank 1")'
holds rows.json '[.results[2,3].left_out[0].reason | contains("(MPI_Put): its data never leave: rank 1 never posts")] == [true, true]'
error 1 "semantics a: posts.txt:rank 0, event 1 (MPI_Win_start): deadlock: " compare posts.txt --platform "$platform" --engine loggp

# An epoch without operations tells its target all the same: under b, c and d its complete goes.
sed "/MPI_Put/d; s/^0 0 0 MPI_Win_start/0 0 0 MPI_Barrier comm=0\n&/; \$a 1 0 0 MPI_Barrier comm=0" posts.txt >empty.txt
run 0 compare empty.txt --platform "$platform" --engine loggp --keep-going --json rows.json
left '[["0 2 2"], ["0 3 1"], ["0 3 1"], ["0 3 1"]]'
holds rows.json '.results[3].left_out[0].reason | contains("(MPI_Win_complete): its notification never leaves: rank 1 never posts")'

# Rank 2 never sends. Rank 0's sendrecv waits for it; its own message has reached rank 1, but goes with the call, and so does
# rank 1's receive of it. What rank 3 computes (70) and the barrier before (10, 20) stay: 4 ranks, two rounds of 10.
trace chain.txt <<'END'
ranks 4
incomplete 2
0 0 0 MPI_Barrier comm=0
0 0 0 MPI_Sendrecv comm=0 peer=1 tag=1 bytes=8 source=2 recvtag=1 received=8
0 0 0 MPI_Barrier comm=0
1 0 0 MPI_Barrier comm=0
1 0 0 MPI_Recv comm=0 peer=0 tag=1 bytes=8
2 0 0 MPI_Barrier comm=0
3 0 0 MPI_Barrier comm=0
3 0 enter work
3 0.00007 leave work
END
run 0 compare chain.txt --platform "$platform" --set nodes.count=4 --engine loggp --rows a --keep-going --json rows.json
left '[["0 2 2", "1 2 1"]]'
holds rows.json '[.results[0].rank_time_s[] * 1e6 | round] == [20, 20, 20, 90]'

# A deadlock of whole recordings is cut as well, and so are calls that contradict each other: rank 0's fence is refused, rank
# 1's waits for it.
trace crossed.txt <<'END'
ranks 2
0 0 0 MPI_Recv comm=0 peer=1 tag=1 bytes=8
0 0 0 MPI_Send comm=0 peer=1 tag=1 bytes=8
1 0 0 MPI_Recv comm=0 peer=0 tag=1 bytes=8
1 0 0 MPI_Send comm=0 peer=0 tag=1 bytes=8
END
run 0 compare crossed.txt --platform "$platform" --engine loggp --rows a --keep-going --json rows.json
left '[["0 1 2", "1 1 2"]]'
trace differ.txt <<'END'
ranks 3
window 0 comm=0
0 0 0 MPI_Win_fence win=0
1 0 0 MPI_Win_fence win=0 assert=NOPRECEDE
END
error 1 "expected the same on all ranks" simulate differ.txt --platform "$platform" --engine loggp
run 0 simulate differ.txt --platform "$platform" --engine loggp --keep-going --json result.json
holds result.json '([.left_out[] | "\(.rank) \(.event)"] == ["0 1", "1 1"]) and (.left_out[0].reason | contains("expected the same on all ranks"))'

# A faulty trace, as analyze --keep-going reads it: rank 1 from its second event on, told on standard error, and rank 0's
# receive then waits for the send that is left out.
trace faulty.txt <<'END'
ranks 2
0 0 0 MPI_Barrier comm=0
0 0 0 MPI_Recv comm=0 peer=1 tag=1 bytes=8
1 0 0 MPI_Barrier comm=0
1 0.2 0.1 MPI_Send comm=0 peer=0 tag=1 bytes=8
END
error 1 "exit at 0.100000 s is before enter" simulate faulty.txt --platform "$platform" --engine loggp
run 0 compare faulty.txt --platform "$platform" --engine loggp --rows a --keep-going --json rows.json
grep -q '^rmacast: faulty.txt:6: .*(left out from there on)$' err || fail "the fault is not told: $(cat err)"
holds rows.json '[.results[0].left_out[] | "\(.rank) \(.event)"] == ["1 2", "0 2"]'

run 0 compare faulty.txt --platform "$platform" --engine loggp --rows a+scale:/=0.5 --keep-going --json rows.json
holds rows.json '[.results[0].left_out[] | "\(.rank) \(.event)"] == ["1 2", "0 2"]'

# Nothing to leave out: nothing changes.
run 0 simulate "$worked" --platform "$platform" --engine loggp -o plain.txt
run 0 simulate "$worked" --platform "$platform" --engine loggp --keep-going -o kept.txt --json kept.json
cmp -s plain.txt kept.txt || fail "a whole trace is replayed otherwise with --keep-going"
holds kept.json '.left_out == [] and (.incomplete | not)'

# Threads: thread 1 made no call before the recording broke off, the barrier waits for it. Its rank, event and thread are told.
trace threads.txt <<'END'
ranks 1
incomplete 0 killed
0 0 0 pthread_create child=1
0 0.00001 0.00001 pthread_mutex_lock object=0
0 0.00003 0.00003 pthread_mutex_unlock object=0
0 0.00005 0.00005 pthread_barrier_wait object=2 parties=2
END
error 1 "threads.txt:rank 0, event 4 (pthread_barrier_wait): deadlock: rank 0 thread 0 in pthread_barrier_wait (event 4)" \
    simulate threads.txt --platform "$platform" --set nodes.cores=2 --engine loggp
run 0 simulate threads.txt --platform "$platform" --set nodes.cores=2 --engine loggp --keep-going --verify --json result.json
holds result.json 'near(.run_time_s; 30e-6) and ([.left_out[].event] == [4])'

# Rank 1 waits for the lock that rank 0 has, 20-120, and is killed before it unlocks: the detector counts no wait of an epoch
# without an end, the simulator knows of it, and no law is broken (the detector must not find more).
trace held.txt <<'END'
ranks 3
incomplete 1 killed
window 0 comm=0
0 0 0 MPI_Win_lock win=0 target=2 lock=exclusive
0 0.0001 0.0001 MPI_Win_unlock win=0 target=2
1 0.00005 0.00005 MPI_Win_lock win=0 target=2 lock=exclusive
END
run 0 simulate held.txt --platform "$platform" --engine loggp --verify --json result.json
holds result.json '[.rank_time_s[] * 1e6 | round] == [120, 140, 0]'

# A predicted trace whose wait timed out after 10, blocked for 20 more, and whose thread 2 is left without a call: what a
# simulation said of calls is part of the input, for the replay under other ids (law 1), too.
trace timed.txt <<'END'
ranks 1
incomplete 0 killed
property simulated=1 platform=case engine=loggp semantics=a lock=blocking
0 0 0 pthread_create child=1
0 0 0 pthread_create child=2
0 0.000005 0.000005 pthread_mutex_lock object=0
0 0.00003 0.00003 pthread_mutex_unlock object=0
0 0.00003 0.000032 pthread_join child=1
0 0.000032 0.000033 pthread_join child=2
0 0 0 thread_begin thread=1
0 0 0 pthread_mutex_lock object=0 thread=1
0 0 0.00003 pthread_cond_timedwait flag=0 object=1 mutex=0 thread=1 blocked=0.00002
0 0.000032 0.000032 pthread_mutex_unlock object=0 thread=1
0 0.000032 0.000032 thread_end thread=1
0 0 0 thread_begin thread=2
END
run 0 simulate timed.txt --platform "$platform" --set nodes.cores=4 --engine loggp --keep-going --verify

# Calls that the replay refuses end their ranks where they are made. Both ranks leave the barrier at 10 us; rank 1 computes
# for 50 us then where both make such a call, so that rank 0 comes first.
trace flush.txt <<'END'
ranks 2
window 0 comm=0
0 0 0 MPI_Barrier comm=0
0 0 0 MPI_Win_flush win=0 target=1
0 0 0 MPI_Barrier comm=0
1 0 0 MPI_Barrier comm=0
END
trace twice.txt <<'END'
ranks 2
window 0 comm=0
0 0 0 MPI_Win_create win=0
0 0 0 MPI_Win_create win=0
1 0 0 MPI_Win_create win=0
1 0.000050 0.000050 MPI_Win_create win=0
END
trace roots.txt <<'END'
ranks 2
0 0 0 MPI_Barrier comm=0
0 0 0 MPI_Bcast comm=0 root=0 bytes=8
1 0 0 MPI_Barrier comm=0
1 0.000050 0.000050 MPI_Bcast comm=0 root=1 bytes=8
END
trace clear.txt <<'END'
ranks 2
window 0 comm=0 flavor=heap
0 0 0 shmem_barrier_all comm=0
0 0 0 shmem_clear_lock win=0 object=1
1 0 0 shmem_barrier_all comm=0
END
refused() {
    error 1 "$1.txt:$2" simulate $1.txt --platform "$platform" --engine loggp
    run 0 simulate $1.txt --platform "$platform" --engine loggp --keep-going --json result.json
    holds result.json "[.left_out[] | \"\(.rank) \(.event) \(.calls)\"] == $3 and (.left_out[0].reason | contains(\"$1.txt:$2\"))"
    run 0 compare $1.txt --platform "$platform" --engine loggp --semantics a --keep-going --json rows.json
    left "[$3]"
}
refused flush "rank 0, event 2 (MPI_Win_flush): " '["0 2 2"]'
holds result.json '[.rank_time_s[] * 1e6 | round] == [10, 10]'
refused twice "rank 0, event 2 (MPI_Win_create): window 0 is created twice" '["0 2 1", "1 2 1"]'
refused roots "rank 1, event 2 (MPI_Bcast): root 1 where rank 0" '["1 2 1"]' # the root of 8 bytes waits for nobody
refused clear "rank 0, event 2 (shmem_clear_lock): lock 1 is not held" '["0 2 1"]'

# Times may begin below 0: the fault is at -5 us.
trace below.txt <<'END'
ranks 1
0 -0.000010 -0.000010 MPI_Barrier comm=0
0 -0.000005 -0.000005 MPI_Frobnicate
END
run 0 compare below.txt --platform "$platform" --engine loggp --keep-going --json rows.json
holds rows.json '[.results[0].left_out[] | .time_s * 1e6 | round] == [-5]'

# A law that does not hold of a program that contradicts MPI is one line that says what is wrong in it: a communicator used
# before it is made, a lock that is never released. A post that NOCHECK promises and that never comes breaks none.
wrong() {
    run 1 simulate "$1.txt" --platform "$2" --engine loggp --verify $3
    grep -qF "rmacast: $1.txt: $4" err || fail "$1.txt: $(cat err)"
}
cat >sixteen.json <<'END'
{ "schema": "rmacast.platform/1", "name": "host", "nodes": {"count": 16, "cores": 4}, "mapping": {"ranks_per_node": 64},
  "network": {"latency_s": 1e-06, "bandwidth_Bps": 1e10, "overhead_s": 1e-07, "gap_s": 1e-08} }
END
trace merge.txt <<'END'
ranks 2
window 0 comm=0
0 0.000000 0.000000000001 MPI_Win_start win=0 group=1 assert=NOCHECK
0 0.000010 0.000010 MPI_Put win=0 target=1 bytes=8
0 0.000020 0.000020 MPI_Win_complete win=0
END
trace open.txt <<'END'
ranks 2
window 0 comm=0
0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=exclusive
0 0.000020 0.000020 MPI_Win_unlock win=0 target=1
1 0.000100 0.000100 MPI_Win_lock win=0 target=1 lock=exclusive
END
trace between.txt <<'END'
ranks 3
comm 1 ranks=0,1,2 between=1
0 0.000000 0.000000 MPI_Intercomm_create comm=1 newcomm=1
0 0.000010 0.000010 MPI_Allgatherv comm=1 bytes=100
1 0.000000 0.000000 MPI_Allgatherv comm=1 bytes=0
1 0.000010 0.000010 MPI_Intercomm_create comm=1 newcomm=1
2 0.000000 0.000000 MPI_Intercomm_create comm=1 newcomm=1
2 0.000010 0.000010 MPI_Allgatherv comm=1 bytes=1000
END
wrong open sixteen.json "--set mpi.rma.progress=call" "rank 1, event 1 (MPI_Win_lock): the lock is never released: "
wrong between sixteen.json "" "rank 1, event 1 (MPI_Allgatherv): the communicator is used before it is created: "
run 0 simulate merge.txt --platform sixteen.json --engine loggp --verify # the start returned before any post: no wait

finish
