# What a replay cannot do ends in one line that says what, where and with whom; nothing half done is written.
. "$(dirname "$0")/lib.sh"
cases=$source/tests/cases
rm -rf halo.rma predicted.rma unrouted.txt stuck.txt killed.txt killed.json long.rma

# a SimGrid platform of the user's: routes are missed before the run, and only those between nodes that have ranks
cat >routes.xml <<'X'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
<link id="l" bandwidth="10GBps" latency="10us"/>
<route src="a" dst="c"><link_ctn id="l"/></route>
</zone></platform>
X
routes="network.topology={\"simgrid_xml\":\"$PWD/routes.xml\"}"
error 1 "no route from host 'a' to 'b', expected one: rank 0, event 1 (MPI_Win_start) needs it with rank 1" simulate "$worked" \
    --platform "$platform" --set nodes.count=3 --set "$routes" -o unrouted.txt
[ ! -e unrouted.txt ] || fail "a predicted trace of a refused platform is written"
error 1 "semantics c: " compare "$worked" --platform "$platform" --set nodes.count=3 --set "$routes" --rows c,d
grep -qF "no route from host 'a' to 'b'" err || fail "compare does not name the route: $(cat err)"
# the worked example from a to c: 570 as on the described network
run 0 simulate "$worked" --platform "$platform" --set nodes.count=3 --set "$routes" --set 'mapping.ranks=[0,2]' --json -
holds out 'near(.run_time_s; 570e-6)'
# all ranks on one node need no route
run 0 simulate "$worked" --platform "$platform" --set nodes.count=3 --set "$routes" --set 'mapping.ranks=[1,1]'

# Zones that look for the way themselves: from a by b to c, two links of 5 us: 570 as above. Vivaldi's latency comes from
# coordinates: |3, 4| ms = 5 ms, the peers' links have none; the post of 400 is there at 5400, the put leaves 5450-5550, and
# arrives at 10550.
for routing in Floyd Dijkstra DijkstraCache; do
    cat >zone.xml <<X
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="$routing">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
<link id="l" bandwidth="10GBps" latency="5us"/><link id="m" bandwidth="10GBps" latency="5us"/>
<route src="a" dst="b"><link_ctn id="l"/></route><route src="b" dst="c"><link_ctn id="m"/></route>
</zone></platform>
X
    run 0 simulate "$worked" --platform "$platform" --set nodes.count=3 --set "network.topology={\"simgrid_xml\":\"$PWD/zone.xml\"}" \
        --set 'mapping.ranks=[0,2]' --json -
    holds out 'near(.run_time_s; 570e-6)'
done
cat >zone.xml <<'X'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Vivaldi">
<peer id="a" speed="1Gf" coordinates="0 0 0" bw_in="10GBps" bw_out="10GBps"/>
<peer id="b" speed="1Gf" coordinates="3 4 0" bw_in="10GBps" bw_out="10GBps"/>
</zone></platform>
X
run 0 simulate "$worked" --platform "$platform" --set nodes.count=2 --set "network.topology={\"simgrid_xml\":\"$PWD/zone.xml\"}" --json -
holds out 'near(.run_time_s; 10550e-6)'

# a route that no call needs is not asked for: only rank 0 and rank 2, on a and c, have to do with each other
printf 'rmacast-trace 1\nranks 3\n0 0 0 MPI_Send comm=0 peer=2 tag=1 bytes=8\n2 0 0 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n' >two.txt
run 0 simulate two.txt --platform "$platform" --set nodes.count=3 --set "$routes"
printf '1 0 0 MPI_Send comm=0 peer=2 tag=1 bytes=8\n2 1 1 MPI_Recv comm=0 peer=1 tag=1 bytes=8\n' >>two.txt
error 1 "no route from host 'b' to 'c', expected one: rank 1, event 1 (MPI_Send) needs it with rank 2" \
    simulate two.txt --platform "$platform" --set nodes.count=3 --set "$routes"
for call in "MPI_Barrier comm=0" "MPI_Bcast comm=0 root=0 bytes=8"; do
    printf "rmacast-trace 1\nranks 3\n0 0 0 $call\n1 0 0 $call\n2 0 0 $call\n" >three.txt
    error 1 "no route from host 'a' to 'b', expected one: rank 0, event 1 (${call%% *}) needs it with rank 1" \
        simulate three.txt --platform "$platform" --set nodes.count=3 --set "$routes"
done

# A cluster of 20,000 hosts: 64 ranks ask for their own routes only
cat >cluster.xml <<'X'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-19999" speed="1Gf" bw="10GBps" lat="5us" sharing_policy="SPLITDUPLEX"/></platform>
X
run 0 generate halo2d --ranks 64 --iterations 2 --bytes 1K -o halo.rma
run 0 simulate halo.rma --platform "$platform" --set nodes.count=20000 --set "network.topology={\"simgrid_xml\":\"$PWD/cluster.xml\"}" --json -
holds out '.run_time_s > 0 and .engine_stats.peak_bytes < 400e6'

# one_link ATTRIBUTES BANDWIDTH: two hosts and a link of the user's
one_link() {
    cat >link.xml <<X
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="l" bandwidth="$2" latency="10us" $1/>
<route src="a" dst="b"><link_ctn id="l"/></route>
</zone></platform>
X
}
link="network.topology={\"simgrid_xml\":\"$PWD/link.xml\"}"
one_link '' 0Bps
error 1 "link.xml: link 'l' has 0 B/s, expected more than 0" simulate "$worked" --platform "$platform" --set nodes.count=2 --set "$link"
sed -i 's/latency="10us"/latency="-10us"/; s/0Bps/10GBps/' link.xml
error 1 "link.xml: link 'l' has a latency of -1e-05 s, expected 0 or more" simulate "$worked" --platform "$platform" --set nodes.count=2 \
    --set "$link"
# Of a wireless link SimGrid ends the process at the first message over it: the post, at 400.
one_link 'sharing_policy="WIFI"' 10GBps
error 1 "$PWD/link.xml: The route from b to a begins with the WIFI link l, but the host b does not seem attached" \
    simulate "$worked" --platform "$platform" --set nodes.count=2 --set mpi.rma.control_bytes=65 --set "$link"
thrown="Uncaught exception"
grep -q __asan_init "$program" && thrown="==" # the sanitizer speaks first of an exception that leaves an actor
# A host that goes off, at 530 again: that of rank 0 takes the engine's own actors with it, that of rank 1 the put's target
for host in 0 1; do
    printf '0.0 1\n0.00053 0\n' >off.state
    one_link '' 10GBps
    [ $host = 0 ] && sed -i 's/id="a" /&state_file="off.state" /' link.xml || sed -i 's/id="b" /&state_file="off.state" /' link.xml
    case $host in
    0) expected="$PWD/link.xml: SimGrid switches host 'a' off at 0.00053 s, expected hosts that stay on" ;;
    1) expected="$PWD/link.xml: $thrown" ;;
    esac
    error 1 "$expected" simulate "$worked" --platform "$platform" --set nodes.count=2 --set "$link"
done
# SimGrid loads it and ends the process when the link fails at 530, while the put (460 to 570) is on its way and complete
# (510) waits for it
printf '0.0 1\n0.00053 0\n' >off.state
one_link 'state_file="off.state"' 10GBps
# (the address sanitizer writes a line of its own before SimGrid's)
error 1 "child process ended by signal 6 (Aborted): " \
    simulate "$worked" --platform "$platform" --set nodes.count=2 --set "$link" -o aborted.txt --json aborted.json
grep -qF "meanwhile rank 0 in MPI_Win_complete (event 3) waits for its operations on rank 1; rank 1 in MPI_Win_wait (event 2) \
waits for MPI_Win_complete of rank 0" err || fail "an abort does not say who waited: $(cat err)"
[ ! -e aborted.txt ] && [ ! -e aborted.json ] || fail "an aborted simulation leaves results"
rm -f off.state

# more ranks than places
ring=$cases/active/ring_three/trace.txt
error 1 "nodes.count: platform 'case' has too few nodes: 2 with 1 rank each, expected room for the trace's 3 ranks" \
    simulate "$ring" --platform "$platform" --set nodes.count=2
error 1 "mapping.ranks: platform 'case' places 2 ranks, expected a node for each of the trace's 3" \
    simulate "$ring" --platform "$platform" --set 'mapping.ranks=[0,1]'

# both engines name rank, call, event and partner of a deadlock, and write no trace
for engine in loggp simgrid; do
    error 1 "rank 0, event 1 (MPI_Recv): deadlock: rank 0 in MPI_Recv (event 1) waits for a send of rank 1 (tag 1)" \
        simulate "$cases/messages/recv_unmatched/trace.txt" --platform "$platform" --engine $engine -o stuck.txt
    [ ! -e stuck.txt ] || fail "a predicted trace of a deadlock is written"
done

# one_line TEXT EXPECTED: both engines end a trace of this text with this error
one_line() {
    printf 'rmacast-trace 1\nranks 2\n%b' "$1" >bad.txt
    for engine in loggp simgrid; do
        error 1 "$2" simulate bad.txt --platform "$platform" --engine $engine
    done
}
subset='comm 1 ranks=0\nwindow 0 comm=1\n'
one_line "${subset}1 0 0 MPI_Win_fence win=0 assert=0\n" \
    "rank 1, event 1 (MPI_Win_fence) at 0.000000 s: rank 1 is no member of window 0"
one_line "comm 1 ranks=\nwindow 0 comm=1\n0 0 0 MPI_Win_fence win=0 assert=0\n" \
    "rank 0, event 1 (MPI_Win_fence) at 0.000000 s: rank 0 is no member of window 0"
one_line "${subset}0 0 0 MPI_Win_lock win=0 target=1 lock=shared assert=0\n" \
    "rank 0, event 1 (MPI_Win_lock) at 0.000000 s: target=1 is no member of window 0"
one_line "${subset}0 0 0 MPI_Win_post win=0 group=1\n" \
    "rank 0, event 1 (MPI_Win_post) at 0.000000 s: group member 1 is no member of window 0"
one_line 'window 0 comm=0\n0 0 0 MPI_Win_fence win=0 assert=0\n' \
    "deadlock: rank 0 in MPI_Win_fence (event 1) waits for MPI_Win_fence of rank 1"
one_line '0 0 0 MPI_Irecv comm=0 peer=1 tag=3 bytes=8 req=1\n0 1 1 MPI_Wait req=1\n' \
    "deadlock: rank 0 in MPI_Wait (event 2) waits for a send of rank 1 (tag 3)"
one_line '0 0 0 MPI_Ibarrier comm=0 req=1\n0 1 1 MPI_Wait req=1\n' \
    "rank 0 in MPI_Wait (event 2) waits for the MPI_Ibarrier of event 1, which lacks MPI_Ibarrier of rank 1"
# several things that one rank waits for; four of them are named
one_line 'window 0 comm=0\n0 0 0 MPI_Win_start win=0 group=0,1\n' \
    "rank 0 in MPI_Win_start (event 1) waits for MPI_Win_post of rank 0 and MPI_Win_post of rank 1"
printf 'rmacast-trace 1\nranks 7\n0 0 0 MPI_Barrier comm=0\n' >six.txt
error 1 "rank 2 and MPI_Barrier of rank 3 and MPI_Barrier of rank 4 and 2 more" \
    simulate six.txt --platform "$platform" --set nodes.count=7
# a matched probe has taken the only message out: a plain receive waits for another one
one_line '1 0 0 MPI_Send comm=0 peer=0 tag=3 bytes=8\n0 0 0 MPI_Mprobe comm=0 peer=1 tag=3 bytes=8
0 1 1 MPI_Recv comm=0 peer=1 tag=3 bytes=8\n' \
    "deadlock: rank 0 in MPI_Recv (event 2) waits for a send of rank 1 (tag 3)"

# What members say of one collective call must fit (MPI-3.1 5): function, root, sizes. three TEXT EXPECTED, of three ranks
three() {
    printf 'rmacast-trace 1\nranks 3\n%b' "$1" >bad.txt
    for engine in loggp simgrid; do
        error 1 "$2" simulate bad.txt --platform "$platform" --set nodes.count=3 --engine $engine
    done
}
# of_three CALL0 CALL1 CALL2: one call of each rank, the later ranks later
of_three() {
    printf '0 0 0 %s\n1 1 1 %s\n2 2 2 %s\n' "$1" "$2" "$3"
}
# told TEXT EXPECTED: sizes that differ are a note; a program may live with the error that a library returns of them
told() {
    printf 'rmacast-trace 1\nranks 3\n%b' "$1" >bad.txt
    for engine in loggp simgrid; do
        run 0 simulate bad.txt --platform "$platform" --set nodes.count=3 --engine $engine
        grep -qF "  $2" out || fail "no note '$2': $(cat out)"
    done
}
for call in MPI_Bcast MPI_Reduce MPI_Gather MPI_Scatter; do
    three "$(of_three "$call comm=0 root=0 bytes=8" "$call comm=0 root=0 bytes=8" "$call comm=0 root=1 bytes=8")" \
        "rank 2, event 1 ($call): root 1 where rank 0, event 1 ($call) has 0, expected the same on all ranks of communicator 0"
done
for call in MPI_Ibcast MPI_Ireduce MPI_Igather MPI_Iscatter; do
    three "$(of_three "$call comm=0 root=2 bytes=8 req=1" "$call comm=0 root=0 bytes=8 req=1" "$call comm=0 root=2 bytes=8 req=1")" \
        "rank 1, event 1 ($call): root 0 where rank 0, event 1 ($call) has 2, expected the same on all ranks of communicator 0"
done
for call in "MPI_Bcast root=0" "MPI_Reduce root=0" "MPI_Gather root=0" "MPI_Scatter root=0" MPI_Allreduce MPI_Allgather MPI_Alltoall MPI_Scan \
    MPI_Exscan MPI_Reduce_scatter_block; do
    told "$(of_three "$call comm=0 bytes=24" "$call comm=0 bytes=48" "$call comm=0 bytes=24")" \
        "rank 1, event 1 (${call% *}): bytes 48 where rank 0, event 1 (${call% *}) has 24, expected the same on all ranks"
done
told "$(of_three "MPI_Gatherv comm=0 root=0 bytes=1 counts=1,2,3" "MPI_Gatherv comm=0 root=0 bytes=2" "MPI_Gatherv comm=0 root=0 bytes=4")" \
    "rank 2, event 1 (MPI_Gatherv): the counts of root 0 have 3 bytes for rank 2, whose call has 4, expected the same"
told "$(of_three "MPI_Scatterv comm=0 root=2 bytes=1" "MPI_Scatterv comm=0 root=2 bytes=3" "MPI_Scatterv comm=0 root=2 bytes=3 counts=1,2,3")" \
    "rank 2, event 1 (MPI_Scatterv): the counts of root 2 have 2 bytes for rank 1, whose call has 3, expected the same"
told "$(of_three "MPI_Allgatherv comm=0 bytes=1 counts=1,2,3" "MPI_Allgatherv comm=0 bytes=2 counts=1,2,3" "MPI_Allgatherv comm=0 bytes=4 counts=1,2,4")" \
    "rank 2, event 1 (MPI_Allgatherv): counts hold 4 where rank 0, event 1 (MPI_Allgatherv) has 3, expected the same on all ranks"
# 8 bytes are doubled, 16 are halved first: ranks 0 and 1 do not meet (rank 2 of three folds into the others)
three "$(of_three "MPI_Allreduce comm=0 bytes=8" "MPI_Allreduce comm=0 bytes=16" "MPI_Allreduce comm=0 bytes=8")" \
    "; rank 1, event 1 (MPI_Allreduce): bytes 16 where rank 0, event 1 (MPI_Allreduce) has 8, expected the same on all ranks"
# the second call of communicator 1; what others do on the world does not count
three "comm 1 ranks=2,0\n$(of_three "MPI_Barrier comm=1" "MPI_Barrier comm=0" "MPI_Barrier comm=1")\n0 3 3 MPI_Barrier comm=0
0 3 3 MPI_Reduce comm=1 root=2 bytes=8\n2 4 4 MPI_Barrier comm=0\n2 5 5 MPI_Bcast comm=1 root=2 bytes=8\n" \
    "rank 2, event 3 (MPI_Bcast): collective call 2 on communicator 1 is MPI_Reduce on rank 0 (event 3), expected the same function on all ranks"
three "$(of_three "MPI_Ibcast comm=0 root=0 bytes=8 req=1" "MPI_Bcast comm=0 root=0 bytes=8" "MPI_Bcast comm=0 root=0 bytes=8")" \
    "rank 1, event 1 (MPI_Bcast): collective call 1 on communicator 0 is MPI_Ibcast on rank 0 (event 1), expected the same function on all ranks"
three "$(of_three "MPI_Barrier comm=0" "MPI_Allreduce comm=0 bytes=8" "MPI_Barrier comm=0")" \
    "rank 1, event 1 (MPI_Allreduce): collective call 1 on communicator 0 is MPI_Barrier on rank 0 (event 1), expected the same function"
# one call more or less: who waits, and for whom; where nobody waits, a note with both
three "$(of_three "MPI_Allreduce comm=0 bytes=8" "MPI_Allreduce comm=0 bytes=8" "MPI_Allreduce comm=0 bytes=8")\n1 3 3 MPI_Allreduce comm=0 bytes=8\n" \
    "deadlock: rank 1 in MPI_Allreduce (event 2) waits for MPI_Allreduce of rank 0 and MPI_Allreduce of rank 2"
for call in "MPI_Bcast comm=0 root=0 bytes=8" "MPI_Ibcast comm=0 root=0 bytes=8 req=1"; do
    printf "rmacast-trace 1\nranks 3\n0 0 0 $call\n1 0 0 $call\n" >bad.txt
    for engine in loggp simgrid; do
        run 0 simulate bad.txt --platform "$platform" --set nodes.count=3 --engine $engine
        shows "^  rank 0, event 1 \(${call%% *}\): .*rank 2 (does not|never comes to this collective call)$"
    done
done
# The assertions of a fence are those of all members (MPI-3.1 11.5.5)
three "window 0 comm=0\n$(of_three "MPI_Win_fence win=0 assert=NOPRECEDE|NOSUCCEED" "MPI_Win_fence win=0 assert=0" "MPI_Win_fence win=0 assert=0")" \
    "rank 1, event 1 (MPI_Win_fence): fence 1 on window 0 asserts neither NOPRECEDE nor NOSUCCEED, that of rank 0 (event 1) NOPRECEDE|NOSUCCEED, \
expected the same on all ranks"
# where nobody waits for ever, a note for each fence: in a simulation, of a whole trace and of one in slices
differs=$cases/fence/fence_asserts_differ/trace.txt
rm -rf differs.rma
run 0 export "$differs" --to otf2 -o differs.rma
for command in "simulate $differs --platform $platform --set nodes.count=3" "analyze $differs" "analyze differs.rma/traces.otf2 --slices"; do
    run 0 $command
    shows "^  rank 1, event 1 \(MPI_Win_fence\) asserts NOPRECEDE where rank 0, event 1 \(MPI_Win_fence\) asserts neither NOPRECEDE nor NOSUCCEED, expected the same on all ranks \(MPI-3.1 11.5.5\)\$"
    shows "^  rank 1, event 2 \(MPI_Win_fence\) asserts neither NOPRECEDE nor NOSUCCEED where rank 0, event 2 \(MPI_Win_fence\) asserts NOSUCCEED, expected"
done

# OpenSHMEM 1.4, 9.11.2: only the PE that holds a lock clears it, and once
heap='window 0 comm=0 flavor=heap\n'
one_line "${heap}1 0.000001 0.000001 shmem_clear_lock win=0 object=128\n" \
    "rank 1, event 1 (shmem_clear_lock): lock 128 is not held by this rank"
one_line "${heap}0 0 0 shmem_set_lock win=0 object=128\n1 1 1 shmem_clear_lock win=0 object=128\n" \
    "rank 1, event 1 (shmem_clear_lock): lock 128 is not held by this rank"
one_line "${heap}1 0 0 shmem_set_lock win=0 object=128\n1 0 0 shmem_clear_lock win=0 object=128
1 0 0 shmem_clear_lock win=0 object=128\n" \
    "rank 1, event 3 (shmem_clear_lock): lock 128 is not held by this rank"

# messages that never meet are no deadlock: noted once, the first with its place, whatever the engine
cat >unmet.txt <<'T'
rmacast-trace 1
ranks 2
0 0.000010 0.000010 MPI_Isend comm=0 peer=1 tag=7 bytes=8 req=1
0 0.000020 0.000020 MPI_Send comm=0 peer=1 tag=9 bytes=8
0 0.000030 0.000030 MPI_Send comm=0 peer=1 tag=7 bytes=8
1 0.000010 0.000010 MPI_Recv comm=0 peer=0 tag=7 bytes=8
1 0.000020 0.000020 MPI_Irecv comm=0 peer=0 tag=8 bytes=8 req=1
T
for engine in loggp simgrid; do
    run 0 simulate unmet.txt --platform "$platform" --engine $engine
    shows '^  2 sends are not received in the trace, first rank 0, event 2 \(MPI_Send\) to rank 1 \(tag 9\)$'
    shows '^  1 receives have no send in the trace, first rank 1, event 2 \(MPI_Irecv\) from rank 0 \(tag 8\)$'
    [ "$(sed -n '/^Notes/,/^Engine/p' out | grep -c '^  ')" -eq 2 ] || fail "not each fact once: $(cat out)"
done

# kill_child ARGUMENT...: runs rmacast and kills the first process that it makes; output and status as run() leaves them
kill_child() {
    "$program" "$@" >out 2>err &
    parent=$!
    child=
    while [ -z "$child" ] && kill -0 $parent; do
        read -r child others <"/proc/$parent/task/$parent/children"
        [ -n "$child" ] || sleep 0.01
    done 2>/dev/null
    [ -z "$child" ] || kill -KILL "$child"
    wait $parent
    status=$?
}

# SimGrid, or the system, ends the process of a replay
run 0 generate halo2d --ranks 16 --iterations 1500 --bytes 64K -o long.rma
kill_child simulate long.rma --platform "$platform" --set nodes.count=16 --engine simgrid \
    -o killed.txt --json killed.json
[ $status -eq 1 ] || fail "simulate with a killed child: exit status $status, expected 1"
[ "$(cat err)" = "rmacast: child process ended by signal 9 (Killed)" ] || fail "a killed child: $(cat err)"
[ ! -s out ] && [ ! -e killed.txt ] && [ ! -e killed.json ] || fail "a killed simulation leaves results"
kill_child compare long.rma --platform "$platform" --set nodes.count=16 --engine simgrid --rows a,b --json killed.json
[ $status -eq 1 ] || fail "compare with a killed child: exit status $status, expected 1"
shows '^Incomplete: no result of semantics [ab]: .*child process ended by signal 9 \(Killed\)$'
holds killed.json '.incomplete and (.results | length == 1) and (.failed | length == 1)'

# A recording that breaks off where nobody waits for what is missing is replayed, and marked as partial wherever it shows.
printf 'rmacast-trace 1\nranks 2\nincomplete 0 was killed\n0 0 0 MPI_Barrier comm=0\n1 0 0 MPI_Barrier comm=0\n' >partial.txt
for engine in loggp simgrid; do
    run 0 simulate partial.txt --platform "$platform" --engine $engine --verify --json partial.json -o predicted.txt
    shows '^Trace +partial\.txt \(simulated, incomplete, 2 ranks\)$'
    holds partial.json '.incomplete and near(.run_time_s; 10e-6) and ([.notes[] | select(contains("was killed"))] | length == 1)'
    grep -qx 'incomplete 0 was killed' predicted.txt || fail "the predicted trace is not marked as partial"
    run 0 simulate partial.txt --platform "$platform" --engine $engine -o predicted.rma
    run 0 info predicted.rma
    shows '^complete +no'
    run 0 compare partial.txt --platform "$platform" --engine $engine --json partial.json
    holds partial.json '[.results[].incomplete] == [true, true, true, true]'
done

# Simulated time ends after 50 days (4,320,000 s): beyond, the replay ends, rather than count wrongly. Gaps of 1 ms are 1e6 s
# each on a node of 1e-9: the fifth passes it, before call 6. Puts of 1 MB at 1 B/s leave after 1e6, 2e6, ...: four are there in
# 4e6 s, acknowledged 20 us later (control messages have no bytes); the fifth would leave at 5e6. Where the engine knows so at
# once the put is named (event 6), else the unlock_all that waits for it. Forty puts, or forty accumulates that take 1e6 s
# each, are 4e7 s, more than 2^63 ps.
seconds="the simulated time passes 50 days, expected an earlier end: are all _s of the platform in seconds, all _Bps in bytes"
printf 'rmacast-trace 1\nranks 1\n' >slow.txt
for i in 0 1 2 3 4 5; do printf '0 0.00%d 0.00%d MPI_Barrier comm=0\n' $i $i; done >>slow.txt
puts() {
    printf 'rmacast-trace 1\nranks 2\nwindow 0 comm=0\n0 0 0 MPI_Win_lock_all win=0\n'
    for i in $(seq "$1"); do printf '0 0 0 %s win=0 target=1 bytes=1000000\n' "$2"; done
    printf '0 0 0 MPI_Win_unlock_all win=0\n'
}
puts 4 MPI_Put >four.txt
puts 5 MPI_Put >five.txt
puts 40 MPI_Put >forty.txt
puts 40 'MPI_Accumulate op=SUM' >applied.txt
for engine in loggp simgrid; do
    [ $engine = loggp ] && at="event 6 (MPI_Put)" || at="event 7 (MPI_Win_unlock_all)"
    run 0 simulate four.txt --platform "$platform" --engine $engine --set network.bandwidth_Bps=1 --set mpi.rma.lock=lazy --json four.json
    holds four.json '.run_time_s | . > 4e6 and . < 4e6 + 1'
    error 1 "slow.txt:rank 0, event 6 (MPI_Barrier): $seconds" simulate slow.txt --platform "$platform" --engine $engine \
        --set nodes.speed=1e-9 -o never.txt
    error 1 "five.txt:rank 0, $at: $seconds" simulate five.txt --platform "$platform" --engine $engine \
        --set network.bandwidth_Bps=1 -o never.txt
    error 1 "forty.txt:rank 0, event " simulate forty.txt --platform "$platform" --engine $engine --set network.bandwidth_Bps=1
    grep -qF "$seconds" err || fail "forty puts at 1 B/s: $(cat err)"
    error 1 "applied.txt:rank 0, event 42 (MPI_Win_unlock_all): $seconds" simulate applied.txt --platform "$platform" \
        --engine $engine --set mpi.rma.atomic_s_per_byte=1
    [ ! -e never.txt ] || fail "a predicted trace beyond the end of time is written"
done
# 5 ms times 1e6, and that on a slow node; 30,000 s times 1e6.
error 1 "slow.txt:rank 0, event 6 (MPI_Barrier): $seconds" simulate slow.txt --platform "$platform" --scale /=1e6 --set nodes.speed=1e-3
sed 's/0\.00\([0-5]\)/\1000/g' slow.txt >slower.txt
error 1 "slower.txt: scaled by 1e+06 rank 0 computes for more than 100 days, expected less" \
    simulate slower.txt --platform "$platform" --scale /=1e6

finish
