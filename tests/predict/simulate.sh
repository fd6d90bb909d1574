# `rmacast simulate`: options, the predicted trace, the laws.
. "$(dirname "$0")/lib.sh"

run 0 simulate "$worked" --platform "$platform" --engine loggp --json result.json
holds result.json '.schema == "rmacast.result/1" and .origin == "simulated"'
holds result.json '.engine == "loggp" and .semantics == "a"'
holds result.json '.platform == "case" and near(.run_time_s; 570e-6) and near(.rank_time_s[0]; 560e-6)'
holds result.json '.engine_stats.events > 0'
shows '^Engine loggp: [0-9]+ events, [0-9]+ messages'

# options are platform values: b, later options win
run 0 simulate "$worked" --platform "$platform" --semantics b --json -
holds out '.semantics == "b" and near(.run_time_s; 520e-6)'
run 0 simulate "$worked" --platform "$platform" --set mpi.rma.semantics=b --semantics a --json -
holds out '.semantics == "a"'
run 0 simulate "$worked" --platform "$platform" --set 'network.latency_s=20us' --set network.latency_s=1e-5 --json -
holds out 'near(.run_time_s; 570e-6)'

# an option and the key that it stands for give the same
lock=$source/tests/cases/locks/lock_exclusive/trace.txt
run 0 simulate "$lock" --platform "$platform" --lock lazy --json lazy.json
run 0 simulate "$lock" --platform "$platform" --set mpi.rma.lock=lazy --json lazy2.json
jq -S 'del(.engine_stats)' lazy.json >lazy.txt
jq -S 'del(.engine_stats)' lazy2.json >lazy2.txt
cmp -s lazy.txt lazy2.txt || fail "--lock lazy and --set mpi.rma.lock=lazy differ"

# the predicted trace is a trace: analyze finds in it what simulate said
for kind in predicted.txt predicted; do
    run 0 simulate "$worked" --platform "$platform" --semantics c -o $kind --json simulated.json
    shows "^Predicted trace: $kind\$"
    run 0 analyze $kind --json analyzed.json
    jq -S '[.run_time_s, .rank_time_s, [.patterns[] | [.name, .severity_s, .count]]]' simulated.json >one
    jq -S '[.run_time_s, .rank_time_s, [.patterns[] | [.name, .severity_s, .count]]]' analyzed.json >two
    cmp -s one two || fail "analyze $kind differs from the simulation"
done

# on standard output the trace is alone, and reads back
run 0 simulate "$worked" --platform "$platform" --semantics c -o -
cmp -s out predicted.txt || fail "-o - writes something else than -o predicted.txt"
error 2 "-o - and --json - both write to standard output" simulate "$worked" --platform "$platform" -o - --json -

# the laws, on both engines; every state is one of three and none is broken
for engine in loggp simgrid; do
    for letter in a b c d; do
        run 0 simulate "$worked" --platform "$platform" --engine $engine --semantics $letter --verify \
            --json verified.json
        holds verified.json '[.verify[].law] | unique == [1, 2, 3, 4, 5, 6, 7]'
        holds verified.json '[.verify[] | select(.state == "broken")] == []'
        holds verified.json '[.verify[] | select(.state == "holds") | .law] | contains([1, 2, 3, 5, 6])'
    done
    shows '^law 6 +identity +holds'
done

# Two nodes of a million: the engine makes hosts of those that have ranks, for all it would take 3 GB
run 0 simulate "$worked" --platform "$platform" --engine simgrid --set nodes.count=1000000 --set 'mapping.ranks=[999999,7]' \
    --json far.json
holds far.json 'near(.run_time_s; 570e-6) and .engine_stats.peak_bytes < 1e9'

# the second put waits for a lock, or is held, until its epoch ends, which the recording does not show: no law is broken
cat >open.txt <<'T'
rmacast-trace 1
ranks 2
window 0 comm=0
0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared
0 0.000010 0.000010 MPI_Put win=0 target=1 bytes=1000
0 0.000020 0.000020 MPI_Win_unlock win=0 target=1
0 0.000020 0.000020 MPI_Win_lock win=0 target=1 lock=shared
0 0.000030 0.000030 MPI_Put win=0 target=1 bytes=1000
T
for held in --lock=lazy --set=mpi.rma.issue=deferred; do
    run 0 simulate open.txt --platform "$platform" $held --verify
    shows '^  1 of 2 one-sided operations never leave: their epochs have no end$'
    shows '^law 3 +bounds of transfers +holds +1 transfers$'
done
run 0 simulate open.txt --platform "$platform" --verify --json -
holds out '.transfers.within_bounds == 2 and ([.notes[] | select(contains("never leave"))] == [])'

# the buffer of d: 1.5 MB for two puts of 1 MB; the second one enters at 60 and finds room at 310 (case buffer_full)
full=$source/tests/cases/active/buffer_full/trace.txt
for engine in loggp simgrid; do
    run 0 simulate "$full" --platform "$platform" --engine $engine --semantics d --set mpi.rma.buffer_bytes=1500000 --json d.json --verify
    holds d.json '.buffer | .limit_bytes == 1500000 and .waits == 1 and near(.wait_s; 250e-6) and .peak_bytes == 1000000'
    shows '^Buffered: 1 put waited 250 us for room in the 1\.5 MB buffer'
done
run 0 simulate "$full" --platform "$platform" --semantics a --set mpi.rma.buffer_bytes=1500000 --json -
holds out 'has("buffer") | not'
run 0 simulate "$full" --platform "$platform" --semantics d --json -
holds out 'has("buffer") | not'
run 0 compare "$full" --platform "$platform" --set mpi.rma.buffer_bytes=1500000 --semantics a,d
shows '^d: 1 put waited 250 us for room'
error 2 "contradicts mpi.rma.issue = deferred" simulate "$full" --platform "$platform" --set mpi.rma.buffer_bytes=64K \
    --set mpi.rma.issue=deferred
error 2 'expected bytes or "unlimited"' simulate "$full" --platform "$platform" --set mpi.rma.buffer_bytes=much

# how far d runs ahead: the origin's last complete returns with the second post, with the first, at once (cases epochs_ahead*)
ahead=$source/tests/cases/active/epochs_ahead/trace.txt
for lead in "1 530" "2 310" "unlimited 230"; do
    set -- $lead
    run 0 simulate "$ahead" --platform "$platform" --semantics d --set mpi.rma.epochs_ahead=$1 --json - --verify
    holds out "near(.rank_time_s[0]; ${2}e-6)"
done
error 2 'expected a number or "unlimited"' simulate "$ahead" --platform "$platform" --set mpi.rma.epochs_ahead=far
error 2 "mpi.rma.epochs_ahead" simulate "$ahead" --platform "$platform" --set mpi.rma.epochs_ahead=0

# links as queues: both engines agree to 1e-9 where nothing meets, and each says its own where two messages share a link
tree='network.topology={"type":"fat_tree","down":[2,2],"up":[1,1]}'
shared="$source/tests/cases/network/links_queue/trace.txt"
for what in "loggp queue 120 220" "loggp free 120 120" "simgrid queue 220 220"; do
    set -- $what
    run 0 simulate "$shared" --platform "$platform" --set nodes.count=4 --set "$tree" --engine $1 --set engine.links=$2 --json - --verify
    holds out "near(.rank_time_s[0]; ${3}e-6) and near(.rank_time_s[1]; ${4}e-6)"
done
# what the NIC does is said: with pairs loggp knows no limit of a sender, and the simgrid engine does not know them
pairs="$source/tests/cases/network/nic_pairs/trace.txt"
for what in "loggp full rate" "simgrid one message after another"; do
    run 0 simulate "$pairs" --platform "$platform" --set nodes.count=3 --engine ${what%% *} --set engine.nic=pairs --json -
    holds out "any(.notes[]; contains(\"${what#* }\"))"
done
cp "$source/tests/oracle/latency.xml" .
error 2 "known to SimGrid only" simulate "$shared" --platform "$platform" --set nodes.count=4 --engine loggp \
    --set network.topology="{\"simgrid_xml\":\"$PWD/latency.xml\"}" --set engine.links=queue

# law 6 through files: two ranks share a core of another speed, so the trace must carry the speed of its computing times
run 0 generate halo2d --ranks 4 --iterations 3 --bytes 8K --imbalance 0.3 -o halo.txt
for kind in first.txt first.rma; do
    for from in halo.txt $kind; do
        run 0 simulate $from --platform "$platform" --set nodes.speed=2.7 --set nodes.cores=1 --set mapping.ranks_per_node=2 \
            --semantics b --engine loggp -o $([ $from = halo.txt ] && echo $kind || echo again.txt)
    done
    run 0 dump $kind && cp out first.dump
    run 0 dump again.txt
    cmp -s out first.dump || fail "replaying $kind on its own platform does not give it again"
done

# barriers are counted modulo 256: 600 fences of three ranks, each two rounds of 10 us
awk 'BEGIN { print "rmacast-trace 1\nranks 3\nwindow 0 comm=0"
             for (r = 0; r < 3; r++) for (i = 0; i < 600; i++) print r, "0.000000 0.000000 MPI_Win_fence win=0 assert=0" }' >fences.txt
run 0 simulate fences.txt --platform "$platform" --engine loggp --json fences.json
holds fences.json '.rank_time_s | map(near(.; 600 * 20e-6)) == [true, true, true]'

# so many messages at once that the table of channels is given back, twice: a ring of equal ranks takes as long as of four
for ranks in 4 60000; do
    run 0 generate ring --sync p2p --ranks $ranks -i 2 -o ring.txt
    run 0 simulate ring.txt --platform "$platform" --engine loggp --set nodes.count=60000 --json ring$ranks.json
done
holds ring60000.json ".run_time_s == $(jq .run_time_s ring4.json)"

error 2 "--platform FILE is missing" simulate "$worked"
error 2 "unexpected argument" simulate "$worked" more --platform "$platform"
error 2 "expected KEY=VALUE" simulate "$worked" --platform "$platform" --set mpi.rma.lock
error 2 "expected one of blocking, lazy" simulate "$worked" --platform "$platform" --lock never
error 2 "expected one of hardware, thread, call" simulate "$worked" --platform "$platform" --progress never
error 2 "expected one of a, b, c, d" simulate "$worked" --platform "$platform" --semantics abcd
error 2 "unknown option" simulate "$worked" --platform "$platform" --unknown
error 1 "deadlock" simulate "$source/tests/cases/active/unmatched_start/trace.txt" --platform "$platform" --engine loggp
error 1 "deadlock" simulate "$source/tests/cases/active/unmatched_start/trace.txt" --platform "$platform" --verify


# Making communicators, latency 10 us, nothing else takes time, 4 ranks, none waits for another: rounds of messages, one
# behind the other. Agreeing on the context id: all-reduce by halving and all-gather, 2 + 2 (by doubling, 2); colours and
# keys: 2; ready: a tree over the new communicator, 2 of 4 members, 1 of 2; degrees: a reduce-scatter, 2.
make_comm() {
    { printf "rmacast-trace 1\nranks 4\ncomm 1 ranks=0,1,2,3\ncomm 2 ranks=0,2\ncomm 3 ranks=1,3\n"
      for r in 0 1 2 3; do printf "$r 0 0 %s\n" "$2" | sed "s/NEW/$((2 + r % 2))/"; [ -z "${3-}" ] || printf "$r 0 0 %s\n" "$3"; done
    } >making.txt
    for engine in loggp simgrid; do
        run 0 simulate making.txt --platform "$platform" --set nodes.count=4 --set network.bandwidth_Bps=infinite --engine $engine --json -
        holds out "near(.run_time_s; $1 * 1e-6)"
    done
}
make_comm 60 "MPI_Comm_dup comm=0 newcomm=1"
make_comm 60 "MPI_Comm_create comm=0 newcomm=1"
make_comm 60 "MPI_Cart_create comm=0 newcomm=1"
make_comm 80 "MPI_Comm_split comm=0 newcomm=1"
make_comm 70 "MPI_Comm_split comm=0 newcomm=NEW"
make_comm 70 "MPI_Cart_sub comm=0 newcomm=NEW"
make_comm 150 "MPI_Comm_split_type comm=0 newcomm=NEW"
make_comm 40 "MPI_Comm_create_group comm=0 newcomm=1"
make_comm 20 "MPI_Comm_create_group comm=0 newcomm=NEW" # among two
make_comm 80 "MPI_Dist_graph_create comm=0 newcomm=1"
make_comm 40 "MPI_Comm_idup comm=0 req=1" "MPI_Wait req=1"

# Two groups, ranks 0 and 1 and ranks 2 and 3 (comm 1); rank 0 as the root and ranks 2 and 3 (comm 2). Rounds of 10 us, worked
# out along docs/simulation.md; what both groups do at the same time counts once: barrier: each group 10, to the high group's
# first rank 20, there the other one 30; back at 30, 40. Allgather: the same. allreduce: reduce 10, exchange 20, broadcast 30.
# alltoall: two turns. allgatherv: the low group's first rank hears at 10, its own is there at 20, 30. reduce-scatter: the low
# group's first rank hears at 20 and sends, there at 30, scatter 40. bcast, reduce, small gather and scatter: the group among
# itself and the root, 20; from 2048 bytes in all each rank alone, 10.
between() {
    { printf "rmacast-trace 1\nranks 4\ncomm 1 ranks=0,1,2,3 between=2\ncomm 2 ranks=0,2,3 between=1\n"
      for r in $3; do printf "$r 0 0 %s\n" "$2"; done
    } >between.txt
    for engine in loggp simgrid; do
        run 0 simulate between.txt --platform "$platform" --set nodes.count=4 --set network.bandwidth_Bps=infinite --engine $engine --verify --json -
        holds out "near(.run_time_s; $1 * 1e-6) and ([.verify[] | select(.state == \"broken\")] == [])"
    done
}
between 40 "MPI_Barrier comm=1" "0 1 2 3"
between 30 "MPI_Allreduce comm=1 bytes=8" "0 1 2 3"
between 40 "MPI_Allgather comm=1 bytes=8" "0 1 2 3"
between 20 "MPI_Alltoall comm=1 bytes=8" "0 1 2 3"
between 30 "MPI_Allgatherv comm=1 bytes=8" "0 1 2 3"
between 40 "MPI_Reduce_scatter_block comm=1 bytes=32" "0 1 2 3"
between 20 "MPI_Bcast comm=2 root=0 bytes=8" "0 2 3"
between 20 "MPI_Reduce comm=2 root=0 bytes=8" "0 2 3"
for call in MPI_Gather MPI_Scatter; do
    between 20 "$call comm=2 root=0 bytes=1023" "0 2 3"
    between 10 "$call comm=2 root=0 bytes=1024" "0 2 3"
done

# The detector's eager limit is the one that the replay sent by: 5000 bytes above it wait for the receive of 50, clear to send 60.
printf 'rmacast-trace 1\nranks 2\n0 0 0 MPI_Send comm=0 peer=1 tag=1 bytes=5000\n1 0.00005 0.00005 MPI_Recv comm=0 peer=0 tag=1 bytes=5000\n' >late.txt
for limit in 1000:50: 5000:0: 1000:0:--eager=5000; do
    wait=${limit#*:}
    for command in simulate "compare --rows a"; do
        run 0 $command late.txt --platform "$platform" --set nodes.count=2 --set mpi.eager_bytes=${limit%%:*} ${wait#*:} --json -
        holds out "(.results[0] // .).patterns[] | select(.name == \"late_receiver\") | near(.severity_s; ${wait%%:*} * 1e-6)"
    done
done

# mpi.unexpected_copy: 20,000 bytes sent at 0 are there at 12; who receives at 50 copies them at 20 GB/s, 1 us, who waits
# since 0 does not. Above the eager size nothing was buffered: clear to send at 60, data at 72.
receive() {
    printf "rmacast-trace 1\nranks 2\n0 0 0 MPI_Send comm=0 peer=1 tag=1 bytes=20000\n$4" >copy.txt
    for engine in loggp simgrid; do
        run 0 simulate copy.txt --platform "$platform" --set nodes.count=2 --engine $engine --set mpi.eager_bytes=$3 --json -
        holds out "near(.rank_time_s[1]; $1 * 1e-6)"
        run 0 simulate copy.txt --platform "$platform" --set nodes.count=2 --engine $engine --set mpi.eager_bytes=$3 --verify \
            --set mpi.unexpected_copy=true --json -
        holds out "near(.rank_time_s[1]; $2 * 1e-6)"
    done
}
receive 50 51 65536 "1 0.00005 0.00005 MPI_Recv comm=0 peer=0 tag=1 bytes=20000\n"
receive 50 51 65536 "1 0.00005 0.00005 MPI_Irecv comm=0 peer=0 tag=1 bytes=20000 req=1\n1 0.00005 0.00005 MPI_Wait req=1\n"
receive 50 51 65536 "1 0.00005 0.00005 MPI_Sendrecv comm=0 peer=- tag=0 source=0 recvtag=1 bytes=0 received=20000\n"
receive 50 51 65536 "1 0.00005 0.00005 MPI_Mprobe comm=0 peer=0 tag=1 bytes=20000\n1 0.00005 0.00005 MPI_Mrecv comm=0 peer=0 tag=1 bytes=20000\n"
receive 12 12 65536 "1 0 0 MPI_Recv comm=0 peer=0 tag=1 bytes=20000\n"
receive 72 72 1000 "1 0.00005 0.00005 MPI_Recv comm=0 peer=0 tag=1 bytes=20000\n"

# An all-gather's ring does not bring an empty block, so nobody waits for its owner: rank 1 gets rank 0's block in two pieces,
# the second of which rank 0 sends at once, as there is nothing to hear of rank 2 before: 10 + 2 x 3.2768 us, long before rank
# 2 comes at 1 s.
printf 'rmacast-trace 1\nranks 3\n0 0 0 MPI_Allgatherv comm=0 bytes=65536 counts=65536,65536,0\n1 0 0 MPI_Allgatherv comm=0 bytes=65536 counts=65536,65536,0
2 1 1 MPI_Allgatherv comm=0 bytes=0 counts=65536,65536,0\n' >ring.txt
for engine in loggp simgrid; do
    run 0 simulate ring.txt --platform "$platform" --engine $engine --verify --json -
    holds out 'near(.rank_time_s[1]; 16.5536e-6) and ([.verify[] | select(.state == "broken")] == [])'
done

# Thread 1 is told no before thread 0 waits. A message that takes longer brings its test behind the wait, to 130 + 9 x 2 = 148
# us with two threads on a core: there it asks for nothing, and the predicted trace can be read.
cat >ask.txt <<'T'
rmacast-trace 1
ranks 2
0 0.000000 0.000000 MPI_Irecv comm=0 peer=1 tag=1 bytes=8 req=1
0 0.000000 0.000001 MPI_Recv comm=0 peer=1 tag=2 bytes=1000000 thread=1
0 0.000010 0.000030 MPI_Test req=1 flag=0 thread=1
0 0.000040 0.000050 MPI_Wait req=1
1 0.000000 0.000000 MPI_Send comm=0 peer=0 tag=1 bytes=8
1 0.000000 0.000001 MPI_Send comm=0 peer=0 tag=2 bytes=1000000
T
run 0 simulate ask.txt --platform "$platform" --engine loggp --verify -o asked.txt
grep -q 'MPI_Test req=- flag=0 thread=1' asked.txt || fail "a test behind its request's end: $(grep Test asked.txt)"
run 0 simulate asked.txt --platform "$platform" --engine loggp --verify

# A window's number that is created again after its free is another window: the same times as with a number of its own.
generation() {
    sed "s/win=0/win=$1/; s/0T/0$2/g" <<'END'
0 0.000T00 0.000T10 MPI_Win_create win=0
0 0.000T10 0.000T10 MPI_Win_fence win=0 assert=NOPRECEDE
0 0.000T10 0.000T11 MPI_Put win=0 target=1 bytes=100
0 0.000T12 0.000T20 MPI_Win_fence win=0 assert=NOSUCCEED
0 0.000T20 0.000T21 MPI_Win_start win=0 group=1
0 0.000T22 0.000T23 MPI_Put win=0 target=1 bytes=100
0 0.000T24 0.000T25 MPI_Win_complete win=0
0 0.000T26 0.000T27 MPI_Win_lock win=0 target=1 lock=exclusive
0 0.000T28 0.000T30 MPI_Win_unlock win=0 target=1
0 0.000T30 0.000T40 MPI_Win_free win=0
1 0.000T05 0.000T10 MPI_Win_create win=0
1 0.000T10 0.000T10 MPI_Win_fence win=0 assert=NOPRECEDE
1 0.000T12 0.000T20 MPI_Win_fence win=0 assert=NOSUCCEED
1 0.000T20 0.000T20 MPI_Win_post win=0 group=0
1 0.000T22 0.000T30 MPI_Win_wait win=0
1 0.000T31 0.000T40 MPI_Win_free win=0
END
}
for again in 0 1; do
    { printf 'rmacast-trace 1\nranks 2\nwindow 0 comm=0 bytes=100\nwindow 1 comm=0 bytes=100\n'
      generation 0 0
      generation $again 1; } >again.$again.txt
    run 0 analyze again.$again.txt --check
done
for row in a.loggp b.simgrid c.loggp d.loggp; do
    for again in 0 1; do
        run 0 simulate again.$again.txt --platform "$platform" --semantics ${row%.*} --engine ${row#*.} --verify -o again.rma.txt
        sed 's/win=[01]//' again.rma.txt >times.$again
    done
    cmp -s times.0 times.1 || fail "a window created again has other times under $row"
done

finish
