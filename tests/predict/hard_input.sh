# What a reader accepts, analysis and replay may rely on: each of these inputs ended in a signal, an undefined operation or a
# wrong number before the reader refused it. Expected: one line that names the place.
. "$(dirname "$0")/lib.sh"
rm -rf m.txt out.rma

# refused TEXT: the trace on standard input is refused by everything that reads traces.
refused() {
    cat >m.txt
    error 1 "$1" analyze m.txt
    error 1 "$1" simulate --engine loggp --verify --platform "$platform" m.txt
    error 1 "$1" export --to otf2 --model extended -o out.rma m.txt
    [ ! -e out.rma ] || fail "an archive of a refused trace is written"
}

# a call that breaks off works on a window, on a communicator, as any other, and so does a creation that breaks off
refused 'm.txt:rank 1, event 1 (MPI_Win_fence) at 0.100000 s: no window, expected win' <<'T'
rmacast-trace 1
ranks 2
window 0 comm=0
0 0 0 MPI_Win_fence win=0 assert=0
1 0.1 0.2 MPI_Win_fence win=- assert=0 break=1
T
refused 'm.txt:rank 0, event 1 (MPI_Win_create) at 0.000000 s: no window, expected win' <<'T'
rmacast-trace 1
ranks 2
window 0 comm=0
0 0 0.000001 MPI_Win_create win=- break=1
1 0 0.000001 MPI_Win_create win=0
1 0.000002 0.000003 MPI_Win_free win=0
T
refused 'm.txt:rank 1, event 1 (MPI_Barrier) at 0.100000 s: no communicator, expected comm' <<'T'
rmacast-trace 1
ranks 2
1 0.1 0.2 MPI_Barrier comm=- break=1
T
# an archive that ends inside MPI_Win_fence before its records: a region of that name, since nobody knows of which window
run 0 analyze "$source/tests/data/cut-short.rma" --json -
holds out '.incomplete and .ranks == 4'

# the heap of OpenSHMEM is one window, and no other call works on it
for call in 'shmem_put win=0 target=1 bytes=8' 'shmem_set_lock win=0 object=1' 'shmem_clear_lock win=0 object=2' 'shmem_wait_until win=0' \
    'shmem_quiet win=0' 'shmem_atomic_fetch_add win=0 target=1 bytes=8 result_bytes=8'; do
    refused "(${call%% *}) at 0.000005 s: window 0 is a window of MPI, expected flavor=heap" <<T
rmacast-trace 1
ranks 2
window 0 comm=0
1 0.000005 0.000005 $call
T
done
for call in 'MPI_Win_unlock_all win=0' 'MPI_Put win=0 target=1 bytes=8' 'MPI_Win_free win=0'; do
    refused "(${call%% *}) at 0.000040 s: window 0 is the heap of OpenSHMEM, expected a window of MPI" <<T
rmacast-trace 1
ranks 2
window 0 comm=0 flavor=heap
0 0.000040 0.000040 $call
0 0.000040 0.000060 shmem_atomic_fetch_add win=0 target=1 bytes=8 result_bytes=8
T
done
refused 'm.txt:window 1: flavor=heap, which window 0 is, expected one symmetric memory of OpenSHMEM' <<'T'
rmacast-trace 1
ranks 2
window 0 comm=0 flavor=heap
window 1 comm=0 flavor=heap
T

# A wait cannot be blocked for longer than it took: 20 us of 30 ns.
refused '(pthread_cond_timedwait) at 0.001000 s: blocked= is no part of the call'"'"'s time' <<'T'
rmacast-trace 1
ranks 1
property simulated=1
0 0.001000000000 0.001000030000 pthread_cond_timedwait flag=0 object=1 mutex=0 blocked=0.00002
T

# Times up to 6000000 s either side of 0; from the trace's begin to the end of any call, and of a rank's threads together, at most
# 2^63 ps = 9223372.04 s; bytes of a rank's calls together 2^62 / ranks.
refused 'm.txt:rank 1, event 1 (MPI_Recv) at -7999999.999994999729 s: time is beyond 6000000 s' <<'T'
rmacast-trace 1
ranks 2
0 0.000000 0.000000 MPI_Send comm=0 peer=1 tag=1 bytes=1000
1 -7999999.999994999729 -7999999.999994999729 MPI_Recv comm=0 peer=0 tag=1 bytes=1000
T
refused "m.txt:rank 1, event 1 (MPI_Init) at 5000000.000000 s: the call ends 10000000 s behind the trace's begin, expected at most \
9223372 s" <<'T'
rmacast-trace 1
ranks 2
0 -5000000 -5000000 MPI_Init
1 5000000 5000000 MPI_Init
T
# thread 0 lives from the trace's begin on, 4611687 s; thread 1 from its first event on, one second less each time: 4611686
# and 4611685 s
threads() {
    cat >m.txt <<T
rmacast-trace 1
ranks 1
0 0 0 MPI_Init
0 $1 $1 pthread_mutex_lock object=1 thread=1
0 4611687 4611687 pthread_mutex_unlock object=1 thread=1
0 4611687 4611687 MPI_Finalize
T
}
threads 1
error 1 "m.txt:rank 0, event 4 (MPI_Finalize) at 4611687.000000 s: the rank's threads last 9223373 s together, expected at most \
9223372 s" analyze m.txt
threads 2
run 0 analyze m.txt --json -
holds out '.run_time_s == 4611687 and .properties.time_s == 4611687 + 4611685'

# Sums over ranks have no end. waiting COUNT SECONDS: so many ranks wait so long for rank 0, which computes meanwhile. What
# they wait and what rank 0 costs them are COUNT * SECONDS, more than 2^63 ps; all ranks together last (COUNT + 1) * SECONDS.
waiting() {
    awk -v count="$1" -v seconds="$2" 'BEGIN {
        print "rmacast-trace 1\nranks", count + 1 "\n0", seconds, seconds, "MPI_Barrier comm=0"
        for (r = 1; r <= count; r++) print r, 0, seconds, "MPI_Barrier comm=0"
    }' >m.txt
    waited="$1 * $2"
    figures=".run_time_s == $2 and .properties.time_s == $waited + $2 and .causes.total_s == $waited and .causes.places[0].worst_rank == 0 and
        ([.patterns[] | select(.name == \"wait_at_barrier\") | .severity_s, .places[0].severity_s] == [$waited, $waited]) and
        .efficiency.holds and (.efficiency.intervals[0] | .total_s == $waited + $2 and .productive_s == $2 and .lost_s == $waited and
            (.characteristics | [.mpi_s, .communication_s, .real_synchronization_s, .load_imbalance_s] | map(.sum == $waited) | all))"
}
waiting 4096 3600
run 0 analyze --verify m.txt --json -
holds out "$figures"
run 0 info m.txt --json -
holds out ".calls[0].time_s == $waited"
waiting 8 4000000
run 0 export --to otf2 -o out.rma m.txt
run 0 analyze --verify --slices out.rma --json -
holds out "$figures"
rm -r out.rma

# What each collective loses against the last rank: rank 0 waits for nobody, 4611686 s before rank 1 comes, three times. The sum
# is more than the time that there is, and more than 2^63 ps: it stops there.
cat >m.txt <<'T'
rmacast-trace 1
ranks 2
0 0 0 MPI_Bcast comm=0 root=0 bytes=8
0 0 0 MPI_Bcast comm=0 root=0 bytes=8
0 0 0 MPI_Bcast comm=0 root=0 bytes=8
1 4611686 4611686 MPI_Bcast comm=0 root=0 bytes=8
1 4611686 4611686 MPI_Bcast comm=0 root=0 bytes=8
1 4611686 4611686 MPI_Bcast comm=0 root=0 bytes=8
T
run 0 analyze m.txt --json -
holds out '.run_time_s == 4611686 and ([.efficiency | .. | numbers] | all(. >= 0) and max == 9223372.036854776)'
# Losses of two kinds, together three times the time that there is: the loss that they are parts of stops below them, which is
# no contradiction.
cat >m.txt <<'T'
rmacast-trace 1
ranks 2
0 0 0 MPI_Bcast comm=0 root=0 bytes=8
0 0 0 MPI_Bcast comm=0 root=0 bytes=8
0 0 0 MPI_Alltoall comm=0 bytes=8
1 4611686 4611686 MPI_Bcast comm=0 root=0 bytes=8
1 4611686 4611686 MPI_Bcast comm=0 root=0 bytes=8
1 4611686 4611686 MPI_Alltoall comm=0 bytes=8
T
run 0 analyze --verify m.txt --json -
holds out '.efficiency.holds and (.efficiency.intervals[0].characteristics | .potential_all_to_all_s.sum == 4611686 and
    .potential_collective_s.sum == 9223372 and .potential_synchronization_s.sum == 9223372.036854776)'
refused 'event 3 (MPI_Send) at 0.000000 s: bytes=1, expected at most 2305843009213693952 bytes in all calls of one of 2 ranks' <<'T'
rmacast-trace 1
ranks 2
0 0 0 MPI_Send comm=0 peer=1 tag=1 bytes=1152921504606846976
0 0 0 MPI_Send comm=0 peer=1 tag=1 bytes=1152921504606846976
0 0 0 MPI_Send comm=0 peer=1 tag=1 bytes=1
T
refused 'm.txt:record_cost: expected 0 to 6000000 s' <<'T'
rmacast-trace 1
ranks 2
property record_cost=-9000000
T

refused 'm.txt:rank 0, event 2 (pthread_barrier_wait) at 0.000057 s: parties=3, expected 2 as in the barrier' <<'T'
rmacast-trace 1
ranks 1
0 0.000036 0.000057 pthread_barrier_wait object=2 parties=2 thread=1
0 0.000057 0.000057 pthread_barrier_wait object=2 parties=3
T

# Numbers of requests, threads and objects are names: what they cost follows how many there are.
cat >m.txt <<'T'
rmacast-trace 1
ranks 2
0 0 0 MPI_Isend comm=0 peer=1 tag=2147483647 bytes=8 req=2147483646
0 0 0 pthread_mutex_lock object=2147483647
0 0 0 pthread_mutex_unlock object=2147483647
0 0 0 MPI_Wait req=2147483646
1 0 0 MPI_Recv comm=0 peer=0 tag=2147483647 bytes=8
1 0 0 MPI_Irecv comm=0 peer=0 tag=1 bytes=8 req=9999
1 0 0 MPI_Irecv comm=0 peer=0 tag=1 bytes=8 req=7
1 0 0 MPI_Waitall reqs=9999,7
0 0 0 MPI_Isend comm=0 peer=1 tag=1 bytes=8 req=2147483647
0 0 0 MPI_Isend comm=0 peer=1 tag=1 bytes=8 req=5
0 0 0 MPI_Waitall reqs=5,2147483647
T
run 0 analyze m.txt
run 0 simulate --engine loggp --verify --platform "$platform" --json - m.txt
holds out '.engine_stats.peak_bytes < 1e9'

# A result that is read back: what it left out has a reason, and its ranks are ranks of the result. Ranks cost memory only where
# their times stand in the file.
run 0 analyze "$worked" --json good.json
broken() {
    jq "$2" good.json >bad.json || fail "jq $2"
    error 1 "$1" validate --predicted bad.json --measured good.json
}
broken 'bad.json:left_out[0].reason: missing, expected a string' '.left_out = [{}]'
broken 'bad.json:left_out[0].rank: 2 is impossible here' '.left_out = [{rank: 2, event: 1, calls: 1, time_s: 0, reason: "x"}]'
broken 'bad.json:transfers.pairs[0].origin: 2 is impossible here' '.transfers.pairs = [{origin: 2, target: 0, kind: "put", count: 1, bytes: 1}]'
broken 'bad.json:rank_time_s: 2 numbers, expected one for each of the 1000000 ranks' '.ranks = 1000000'
broken 'bad.json:ranks: 1.67772e+07 is impossible here, expected a number from 0 to 1.04858e+06' '.ranks = 16777216'
broken 'bad.json:engine_stats.wall_s: 1e+300 is impossible here' '.engine_stats = {events: 1, wall_s: 1e300, peak_bytes: 1}'

# A lock that one thread takes and another one releases, while the replay has the first still waiting: the release ends both.
# The sanitizers watch. Rank 0 holds the target's lock until 80 us; of lock_all nothing is held.
cat >m.txt <<'T'
rmacast-trace 1
ranks 3
window 0 comm=0
0 0.000000 0.000000 MPI_Win_lock win=0 target=2 lock=shared
0 0.000080 0.000080 MPI_Win_unlock win=0 target=2
1 0.000015 0.000015 MPI_Win_lock win=0 target=2 lock=exclusive thread=2
1 0.000025 0.000025 MPI_Win_unlock win=0 target=2
T
run 0 simulate --engine loggp --platform "$platform" --set nodes.count=3 m.txt
cat >m.txt <<'T'
rmacast-trace 1
ranks 2
window 0 comm=0
0 0.000010 0.000010 MPI_Win_lock_all win=0 thread=2
0 0.0000105 0.0000105 MPI_Win_unlock_all win=0
T
run 0 simulate --engine loggp --platform "$platform" --set network.overhead_s=1e-6 m.txt

# A rank with a thread primitive of which nothing is left.
cat >m.txt <<'T'
rmacast-trace 1
ranks 2
0 0.000010 0.000010 MPI_Win_start win=1 group=1
0 0.000010 0.000010 pthread_cond_wait object=1 mutex=2147483647
T
run 0 simulate --engine loggp --verify --platform "$platform" --keep-going m.txt

# Computing of 3300000 s at half the speed behind 4000000 s: more than the 50 days that simulated time has.
cat >m.txt <<'T'
rmacast-trace 1
ranks 1
0 0 0 MPI_Init
0 2000000 2000000 MPI_Barrier comm=0
0 5300000 5300000 MPI_Finalize
T
error 1 'm.txt:rank 0, event 3 (MPI_Finalize): the simulated time passes 50 days' simulate --engine loggp --platform ideal \
    --set nodes.speed=0.5 m.txt

# Cost follows what is used. Of shapes of 2^31 nodes those with ranks: 1 us between nearest nodes, 8 bytes at 12.5 GB/s take
# 640 ps.
cat >m.txt <<'T'
rmacast-trace 1
ranks 2
0 0 0 MPI_Send comm=0 peer=1 tag=1 bytes=8
1 0 0 MPI_Recv comm=0 peer=0 tag=1 bytes=8
T
few() {
    for engine in loggp simgrid; do
        run 0 simulate --engine $engine --platform ideal --set network.latency_s=1e-6 --set network.bandwidth_Bps=12.5e9 \
            --set nodes.count=$1 --set "network.topology=$2" m.txt --json -
        holds out 'near(.run_time_s; 1.00064e-6)'
    done
}
few 2 '{"type": "fat_tree", "down": [1, 1048576, 2047], "up": [1, 1, 1]}'
few 1000000 '{"type": "torus", "dimensions": [2, 1048576, 512]}'
few 2 '{"type": "dragonfly", "groups": 1, "chassis": 1024, "routers": 1048576, "nodes": 1}'
few 16777216 '{"type": "crossbar"}'
error 2 ':nodes.count=1e9: 1e+09 is impossible here, expected a number from 1 to 1.67772e+07' simulate --platform ideal \
    --set nodes.count=1e9 m.txt
refused "m.txt:2: ranks '16777216', expected a number from 1 to 1048576" <<'T'
rmacast-trace 1
ranks 16777216
T

finish
