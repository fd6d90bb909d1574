#!/bin/sh
# Usage: goal.sh RMACAST: GOAL schedules, read and run by goal.py, which knows the format alone: a message takes 1 us there, and
# only computing takes other time. When each rank ends is worked out by hand.
. "$(dirname "$0")/../expect.sh"
program=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

# ends "NS NS ..." <<TRACE: the schedule's ranks end then.
ends() {
    cat >trace.txt
    run 0 export trace.txt --to goal -o trace.goal
    [ -s err ] && fail "$1: $(cat err)"
    found=$(python3 "$here/goal.py" trace.goal 1000 2>err) || fail "$1: $(tail -n 1 err)"
    [ "$found" = "$1" ] || fail "ranks end at $found, expected $1: $(cat trace.txt)"
}

# The window is created at 2 us, after the two rounds of three ranks. Rank 1 posts at 17 us, after 15 us of computing, rank 2 at
# 12: start returns at 18, the put, the get and both completes leave at 28. The get is answered at 30, where complete returns, and
# 10 us of computing follow. Put and complete are at rank 1 at 29; so is the get's request at rank 2, and its complete.
ends "40000 29000 29000" <<'TRACE'
rmacast-trace 1
ranks 3
window 0 comm=0 bytes=4096,4096,4096 disp_unit=1
0 0.500000 0.500020 MPI_Win_create win=0
0 0.500030 0.500040 MPI_Win_start win=0 group=1,2
0 0.500050 0.500060 MPI_Put win=0 target=1 bytes=1024 disp=0
0 0.500060 0.500070 MPI_Get win=0 target=2 bytes=1048576 disp=0
0 0.500070 0.500090 MPI_Win_complete win=0
0 0.500100 enter end
0 0.500100 leave end
1 0.500000 0.500020 MPI_Win_create win=0
1 0.500035 0.500036 MPI_Win_post win=0 group=0
1 0.500040 0.500100 MPI_Win_wait win=0
2 0.500000 0.500020 MPI_Win_create win=0
2 0.500030 0.500031 MPI_Win_post win=0 group=0
2 0.500040 0.500100 MPI_Win_wait win=0
TRACE

# Rank 1 posts and is killed: rank 0's complete, after 10 us of computing behind the post of 0, has nobody to notify.
ends "11000 5000" <<'TRACE'
rmacast-trace 1
ranks 2
incomplete 1 killed
window 0 comm=0 bytes=64,64 disp_unit=1
0 0.000000 0.000002 MPI_Win_start win=0 group=1
0 0.000012 0.000013 MPI_Win_complete win=0
1 0.000000 0.000000 MPI_Win_post win=0 group=0
1 0.000005 enter end
TRACE

# Rank 0 computes and sleeps for 15 us in all, then sends: rank 1 receives at 16 us.
ends "15000 16000" <<'TRACE'
rmacast-trace 1
ranks 2
0 0.000000 0.000000 MPI_Init
0 0.000015 0.000016 MPI_Send comm=0 peer=1 tag=1 bytes=8 slept=0.000012
1 0.000000 0.000000 MPI_Init
1 0.000001 0.000020 MPI_Recv comm=0 peer=0 tag=1 bytes=8
TRACE

# Rank 0 asks for the lock at 0, is granted it at 2, and computes until 7; the put is acknowledged at 9, since the flush waits for
# it; it computes until 12; the release is at the target at 13, and rank 0 is told at 14. Rank 1 asks at 1 us, and is granted the
# lock when rank 0 has let it go: at 14. Its get is answered at 16, which its unlock waits for: the release leaves then, and
# the answer is there at 18. The target computes 100 us and serves meanwhile.
ends "14000 18000 100000" <<'TRACE'
rmacast-trace 1
ranks 3
window 0 comm=0 bytes=64,64,64 disp_unit=1
0 0.000000 0.000002 MPI_Win_lock win=0 target=2 lock=exclusive
0 0.000007 0.000007 MPI_Put win=0 target=2 bytes=8 disp=0
0 0.000007 0.000008 MPI_Win_flush win=0 target=2
0 0.000011 0.000012 MPI_Win_unlock win=0 target=2
1 0.000001 0.000020 MPI_Win_lock win=0 target=2 lock=exclusive
1 0.000020 0.000020 MPI_Get win=0 target=2 bytes=8 disp=0
1 0.000020 0.000022 MPI_Win_unlock win=0 target=2
2 0.000100 enter end
2 0.000100 leave end
TRACE

# Rank 0 sends at 10 us and computes until 15; rank 1's receive, begun at 0, is done at 11, and its computing of 20 us hides it:
# the wait returns at once. It answers at 20, which rank 0 has at 21. Both say in a barrier and in a fence that they are
# there, and are through when they hear of the other: rank 0 says it at 21, rank 1 at 20, so they leave the barrier at 21 and
# 22, and the first fence at 23 and 22. Rank 1 computes 5 us, puts at 27 and has heard of rank 0 by then; rank 0 has put and
# fence at 28.
ends "28000 27000" <<'TRACE'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=64,64 disp_unit=1
0 0.000010 0.000011 MPI_Send comm=0 peer=1 tag=5 bytes=64
0 0.000016 0.000030 MPI_Recv comm=0 peer=1 tag=6 bytes=64
0 0.000030 0.000031 MPI_Barrier comm=0
0 0.000031 0.000032 MPI_Win_fence win=0
0 0.000032 0.000040 MPI_Win_fence win=0
1 0.000000 0.000001 MPI_Irecv comm=0 peer=0 tag=5 bytes=64 req=1
1 0.000021 0.000022 MPI_Wait req=1
1 0.000022 0.000023 MPI_Send comm=0 peer=0 tag=6 bytes=64
1 0.000023 0.000031 MPI_Barrier comm=0
1 0.000031 0.000032 MPI_Win_fence win=0
1 0.000037 0.000037 MPI_Put win=0 target=0 bytes=8 disp=0
1 0.000037 0.000040 MPI_Win_fence win=0
TRACE

# A wait waits for its own request alone: rank 0's send has left at 0, whatever rank 1's first call is. Rank 1 sends at 0, too,
# and has rank 0's message at 1.
ends "20000 1000 1000" <<'TRACE'
rmacast-trace 1
ranks 3
0 0.000000 0.000001 MPI_Isend comm=0 peer=1 tag=5 bytes=8 req=1
0 0.000001 0.000001 MPI_Wait req=1
0 0.000021 0.000021 MPI_Comm_group comm=0
1 0.000000 0.000001 MPI_Isend comm=0 peer=2 tag=5 bytes=8 req=1
1 0.000001 0.000001 MPI_Irecv comm=0 peer=0 tag=5 bytes=8 req=2
1 0.000001 0.000003 MPI_Waitall reqs=1,2
2 0.000000 0.000001 MPI_Recv comm=0 peer=1 tag=5 bytes=8
TRACE

# A test waits if it found the message, which is there at 21 us: behind it 20 us of computing. One that found nothing at 4 us
# does not, and the computing until 24 hides the message.
for flag in 0 1; do
    ends "$((flag == 1 ? 41000 : 24000)) 20000" <<TRACE
rmacast-trace 1
ranks 2
0 0.000000 0.000001 MPI_Irecv comm=0 peer=1 tag=5 bytes=8 req=1
0 0.000005 0.000005 MPI_Test req=1 flag=$flag
$([ $flag = 1 ] && echo '0 0.000025 0.000026 MPI_Comm_group comm=0' || echo '0 0.000025 0.000026 MPI_Wait req=1')
1 0.000020 0.000021 MPI_Send comm=0 peer=0 tag=5 bytes=8
TRACE
done

# The lock is granted at 2 us. The request of a put is complete when the data have left: 10 us of computing later, at 12, the
# release leaves, and its answer is there at 14. That of a get is complete with the data, at 4: 16.
for call in Rput Rget; do
    ends "$([ $call = Rput ] && echo 14000 || echo 16000) 100000" <<TRACE
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=64,64 disp_unit=1
0 0.000000 0.000002 MPI_Win_lock win=0 target=1 lock=exclusive
0 0.000002 0.000002 MPI_$call win=0 target=1 bytes=8 disp=0 req=1
0 0.000002 0.000002 MPI_Wait req=1
0 0.000012 0.000013 MPI_Win_unlock win=0 target=1
1 0.000100 enter end
1 0.000100 leave end
TRACE
done

# A lock of its own memory takes no message; nobody else is asked.
ends "7000" <<'TRACE'
rmacast-trace 1
ranks 1
window 0 comm=0 bytes=64 disp_unit=1
0 0.000000 0.000001 MPI_Win_lock win=0 target=0 lock=exclusive
0 0.000008 0.000008 MPI_Put win=0 target=0 bytes=8 disp=0
0 0.000008 0.000009 MPI_Win_unlock win=0 target=0
TRACE

# All is on one processor: LogGOPSim lets an operation wait for none of another.
grep -q ' cpu ' trace.goal && fail 'an operation is on a processor of its own'

# What is left out is said: the send has no receive.
cat >open.txt <<'TRACE'
rmacast-trace 1
ranks 2
0 0.000010 0.000011 MPI_Send comm=0 peer=1 tag=5 bytes=64
1 0 enter a
1 0.000010 leave a
TRACE
run 0 export open.txt --to goal -o open.goal
grep -q 'sends and receives left out, since their other end is missing: 1$' err || fail "left out: $(cat err)"
[ "$(python3 "$here/goal.py" open.goal 1000)" = "10000 10000" ] || fail "open: $(cat open.goal)"

# Every pattern with every synchronisation runs to its end, with all messages matched; so do collectives of any size.
for sync in pscw fence lock flush p2p; do
    run 0 generate halo2d --ranks 6 --iterations 3 --bytes 1K --sync $sync -o halo.txt
    run 0 export halo.txt --to goal -o halo.goal
    [ -s err ] && fail "$sync: $(cat err)"
    python3 "$here/goal.py" halo.goal 1000 >out 2>err || fail "$sync: $(tail -n 1 err)"
done
for ranks in 2 5 8; do
    {
        printf 'rmacast-trace 1\nranks %d\n' $ranks
        for rank in $(seq 0 $((ranks - 1))); do
            printf '0.00001 0.00002 MPI_Barrier comm=0\n0.00003 0.00004 MPI_Bcast comm=0 root=1 bytes=100000
0.00005 0.00006 MPI_Reduce comm=0 root=0 bytes=80000\n0.00007 0.00008 MPI_Allreduce comm=0 bytes=8
0.00009 0.00010 MPI_Gather comm=0 root=1 bytes=8\n0.00011 0.00012 MPI_Alltoall comm=0 bytes=1024
0.00013 0.00014 MPI_Ibarrier comm=0 req=1\n0.00015 0.00016 MPI_Allgather comm=0 bytes=64\n0.00017 0.00018 MPI_Wait req=1
0.00019 0.00020 MPI_Scan comm=0 bytes=64\n' | sed "s/^/$rank /"
        done
    } >collectives.txt
    run 0 export collectives.txt --to goal -o collectives.goal
    [ -s err ] && fail "collectives of $ranks: $(cat err)"
    python3 "$here/goal.py" collectives.goal 1000 >out 2>err || fail "collectives of $ranks: $(tail -n 1 err)"
done

# Threads and OpenSHMEM have no place in GOAL.
printf 'rmacast-trace 1\nranks 1\n0 0 0 thread_begin thread=1\n0 1 1 thread_end thread=1\n' >threads.txt
error 1 'threads.txt' export threads.txt --to goal -o threads.goal
printf 'rmacast-trace 1\nranks 1\nwindow 0 comm=0 flavor=heap\n0 0 1 shmem_quiet win=0\n' >shmem.txt
error 1 'shmem.txt' export shmem.txt --to goal -o shmem.goal
[ ! -e threads.goal ] && [ ! -e shmem.goal ] || fail "what failed left a file"
finish
