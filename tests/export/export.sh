#!/bin/sh
# Usage: export.sh RMACAST: merged archives, read back by OTF2's own tool, against event times worked out by hand; every model
# of larger traces opens in otf2-print and ViTE, keeps time in order, and reads back as the trace that it was made of.
. "$(dirname "$0")/../expect.sh"
rmacast=$(realpath "$1")
directory=$(mktemp -d "${TMPDIR:-/tmp}/rmacast-export.XXXXXX") || exit 1
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 1

# marks ARCHIVE: the records that merging adds, one per line: rank, nanoseconds, what. Of transfers "RANK#ID" is the origin's
# rank and matching id; of arrows the sender or receiver, the communicator's name and the bytes.
marks() {
    otf2-print "$1/traces.otf2" | awk '
        $1 == "RMA_SYNC" { line = $2 " " $3 / 1000 " " ($0 ~ /NOTIFY_IN/ ? "in" : "out") " "; match($0, /Remote: [0-9]+/)
                           line = line substr($0, RSTART + 8, RLENGTH - 8) "#"; next }
        /ADDITIONAL ATTRIBUTES.*RMA::MatchingId/ { match($0, /UINT64; [0-9]+/); print line substr($0, RSTART + 8, RLENGTH - 8) }
        $1 ~ /^RMA_OP_COMPLETE/ { match($0, /Matching: [0-9]+/)
            print $2, $3 / 1000, $1 ~ /NON_BLOCKING/ ? "done" : $1 ~ /REMOTE/ ? "remote" : "at-once", $2 "#" substr($0, RSTART + 10, RLENGTH - 10) }
        $1 == "RMA_ACQUIRE_LOCK" { print $2, $3 / 1000, "acquire" }
        $1 == "MPI_SEND" || $1 == "MPI_RECV" { split($0, part, "\""); match($0, /Length: [0-9]+/)
            peer = $0; sub(/.*(Receiver|Sender): /, "", peer); sub(/ .*/, "", peer)
            print $2, $3 / 1000, $1 == "MPI_SEND" ? "to" : "from", peer, part[4], substr($0, RSTART + 8, RLENGTH - 8) }' | sort
}

# merges TRACE MODEL [OPTION] <<EXPECTED
merges() {
    sort >expected
    "$rmacast" export "$1" --to otf2 --model "$2" ${3:-} -o merged.rma 2>err || fail "$1 $2: exit status"
    [ -s err ] && fail "$1 $2: $(cat err)"
    marks merged.rma >found
    cmp -s expected found || fail "$1 $2: $(diff expected found)"
}

# order ARCHIVE LOCATION EXPECTED: all records of a location as they stand there, without RMA_ and OP_.
order() {
    found=$(otf2-print -L "$2" "$1/traces.otf2" |
        awk '$3 ~ /^[0-9]+$/ { sub(/^RMA_/, "", $1); sub(/^OP_/, "", $1); printf "%s%s", between, $1; between = " " }')
    [ "$found" = "$3" ] || fail "order of location $2 in $1: $found, expected $3"
}

# Rank 0 puts (id 1) and gets (id 2) from 12 and 14 us on; complete from 20 to 30, wait until 32; post from 12 on.
cat >pscw.txt <<'TRACE'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=64,64 disp_unit=1
0 0.000010 0.000011 MPI_Win_start win=0 group=1
0 0.000012 0.000013 MPI_Put win=0 target=1 bytes=8 disp=0
0 0.000014 0.000015 MPI_Get win=0 target=1 bytes=16 disp=8
0 0.000020 0.000030 MPI_Win_complete win=0
1 0.000012 0.000013 MPI_Win_post win=0 group=0
1 0.000016 0.000032 MPI_Win_wait win=0
TRACE
# Both end with their own calls; the put has come in then, the get's data left when it was called.
merges pscw.txt base <<'E'
0 13000 at-once 0#1
0 15000 at-once 0#2
1 13000 in 0#1
1 14000 out 0#2
E
# At the origin both are done with complete, the put is there at the target with wait.
merges pscw.txt extended <<'E'
0 30000 done 0#1
0 30000 done 0#2
1 14000 out 0#2
1 32000 in 0#1
E
merges pscw.txt extended --data-arrows <<'E'
0 30000 done 0#1
0 30000 done 0#2
1 14000 out 0#2
1 32000 in 0#1
0 12000 to 1 data 8
1 32000 from 0 data 8
1 14000 to 0 data 16
0 30000 from 1 data 16
E
merges pscw.txt closed <<'E'
0 30000 done 0#1
0 30000 done 0#2
1 14000 out 0#2
1 32000 in 0#1
0 14000 to 1 get: request 0
1 14000 from 0 get: request 0
E
# The get leaves at min(30 us - 1 ns, 32 us).
merges pscw.txt logical <<'E'
0 30000 done 0#1
0 30000 done 0#2
1 29999 out 0#2
1 32000 in 0#1
E
# Start returned at 11, before the post at 12: what waited for it is complete. Its entry at 20 lets wait return at 32.
merges pscw.txt dependencies <<'E'
0 30000 done 0#1
0 30000 done 0#2
1 14000 out 0#2
1 32000 in 0#1
0 14000 to 1 get: request 0
1 14000 from 0 get: request 0
1 12000 to 0 post to start 0
0 30000 from 1 post to start 0
0 20000 to 1 complete to wait 0
1 32000 from 0 complete to wait 0
E

# The completions that a synchronisation implies stand before it, and it directly before Leave, in every archive.
local_calls="ENTER GROUP_SYNC LEAVE ENTER PUT LEAVE ENTER GET LEAVE"
"$rmacast" export pscw.txt --to otf2 -o packed.rma
order packed.rma 0 "$local_calls ENTER COMPLETE_NON_BLOCKING COMPLETE_NON_BLOCKING GROUP_SYNC LEAVE"
"$rmacast" export pscw.txt --to otf2 --model extended -o ordered.rma
order ordered.rma 0 "$local_calls ENTER COMPLETE_NON_BLOCKING COMPLETE_NON_BLOCKING GROUP_SYNC LEAVE"
order ordered.rma 1 "ENTER GROUP_SYNC LEAVE SYNC ENTER SYNC GROUP_SYNC LEAVE"
# Arrows that a call's synchronisation waits for end before it: post at complete, complete at wait.
"$rmacast" export pscw.txt --to otf2 --model dependencies -o ordered.rma
order ordered.rma 0 "ENTER GROUP_SYNC LEAVE ENTER PUT LEAVE ENTER GET MPI_SEND LEAVE ENTER MPI_SEND COMPLETE_NON_BLOCKING COMPLETE_NON_BLOCKING MPI_RECV GROUP_SYNC LEAVE"
order ordered.rma 1 "ENTER MPI_SEND GROUP_SYNC LEAVE MPI_RECV SYNC ENTER SYNC MPI_RECV GROUP_SYNC LEAVE"

# Fences: rank 1 puts to 0 and gets from 0; rank 0 leaves the closing fence at 8, rank 1 at 9 us, 0.5 ns after it came. The get
# leaves rank 0 at its own exit, 8, before 9 us less the 0.5 ns (no more than the call takes).
cat >fence.txt <<'TRACE'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=64,64 disp_unit=1
0 0.000001 0.000002 MPI_Win_fence win=0
0 0.000007 0.000008 MPI_Win_fence win=0
1 0.000001 0.000002 MPI_Win_fence win=0
1 0.000003 0.000004 MPI_Accumulate win=0 target=0 bytes=8 disp=0 op=SUM
1 0.000005 0.000006 MPI_Get win=0 target=0 bytes=8 disp=8
1 0.0000089995 0.000009 MPI_Win_fence win=0
TRACE
merges fence.txt extended <<'E'
0 8000 in 1#1
0 5000 out 1#2
1 9000 done 1#1
1 9000 done 1#2
E
merges fence.txt logical <<'E'
0 8000 in 1#1
0 8000 out 1#2
1 9000 done 1#1
1 9000 done 1#2
E
# The other way round: the origin leaves first, at 8; its fence took 0.5 ns.
sed 's/^0 0.000007 /0 0.0000089995 /; s/0.000008 MPI_Win_fence/0.000009 MPI_Win_fence/; s/^1 0.0000089995 0.000009/1 0.0000079995 0.000008/' \
    fence.txt >fence2.txt
merges fence2.txt logical <<'E'
0 9000 in 1#1
0 7999.5 out 1#2
1 8000 done 1#1
1 8000 done 1#2
E

# Locks: the put is flushed by 5, the fetch_and_op and the second put are done with unlock at 9. The target is in no call of the
# window; a flush_local in between ends the put's use of the origin's memory only.
cat >lock.txt <<'TRACE'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=64,64 disp_unit=1
0 0.000001 0.000002 MPI_Win_lock win=0 target=1 lock=exclusive
0 0.000003 0.0000031 MPI_Put win=0 target=1 bytes=8 disp=0
0 0.0000032 0.0000033 MPI_Win_flush_local win=0 target=1
0 0.000004 0.000005 MPI_Win_flush win=0 target=1
0 0.000006 0.0000061 MPI_Fetch_and_op win=0 target=1 bytes=8 disp=8 op=SUM result_bytes=8
0 0.000007 0.0000071 MPI_Put win=0 target=1 bytes=4 disp=16
0 0.000008 0.000009 MPI_Win_unlock win=0 target=1
1 0.0000045 0.000006 MPI_Barrier comm=0
0 0.000010 0.000011 MPI_Barrier comm=0
TRACE
merges lock.txt extended <<'E'
0 2000 acquire
0 3300 done 0#1
0 5000 remote 0#1
0 9000 done 0#2
0 9000 done 0#3
0 9000 remote 0#3
1 5000 in 0#1
1 6000 in 0#2
1 6000 out 0#2
1 9000 in 0#3
E
merges lock.txt logical <<'E'
0 2000 acquire
0 3300 done 0#1
0 5000 remote 0#1
0 9000 done 0#2
0 9000 done 0#3
0 9000 remote 0#3
1 5000 in 0#1
1 8999 in 0#2
1 8999 out 0#2
1 9000 in 0#3
E
merges lock.txt dependencies <<'E'
0 2000 acquire
0 3300 done 0#1
0 5000 remote 0#1
0 9000 done 0#2
0 9000 done 0#3
0 9000 remote 0#3
1 5000 in 0#1
1 6000 in 0#2
1 6000 out 0#2
1 9000 in 0#3
0 6000 to 1 get: request 0
1 6000 from 0 get: request 0
0 5000 to 1 unlock to put 0
1 5000 from 0 unlock to put 0
0 9000 to 1 unlock to put 0
1 9000 from 0 unlock to put 0
E

# Rank 0 has the lock from 2 to 10. Rank 1's lock returns at 4, but it is granted at 10, when rank 0 lets it go, inside rank 1's
# unlock, 6-12. The arrow ends one tick later.
cat >handover.txt <<'TRACE'
rmacast-trace 1
ranks 3
window 0 comm=0 bytes=64,64,64 disp_unit=1
0 0.000001 0.000002 MPI_Win_lock win=0 target=2 lock=exclusive
0 0.000003 0.0000031 MPI_Put win=0 target=2 bytes=8 disp=0
0 0.000008 0.000010 MPI_Win_unlock win=0 target=2
1 0.000002 0.000004 MPI_Win_lock win=0 target=2 lock=exclusive
1 0.000005 0.0000051 MPI_Put win=0 target=2 bytes=8 disp=0
1 0.000006 0.000012 MPI_Win_unlock win=0 target=2
TRACE
for model in extended logical; do
    merges handover.txt $model <<'E'
0 2000 acquire
0 10000 done 0#1
0 10000 remote 0#1
0 10000 to 1 release to grant 0
1 10000 acquire
1 10000 from 0 release to grant 0
1 12000 done 1#1
1 12000 remote 1#1
2 10000 in 0#1
2 12000 in 1#1
E
done
"$rmacast" export handover.txt --to otf2 --model dependencies -o ordered.rma
order ordered.rma 0 "ENTER REQUEST_LOCK ACQUIRE_LOCK LEAVE ENTER PUT LEAVE ENTER COMPLETE_NON_BLOCKING COMPLETE_REMOTE RELEASE_LOCK MPI_SEND MPI_SEND LEAVE"
order ordered.rma 1 "ENTER REQUEST_LOCK LEAVE ENTER PUT LEAVE ENTER ACQUIRE_LOCK MPI_RECV COMPLETE_NON_BLOCKING COMPLETE_REMOTE RELEASE_LOCK MPI_SEND LEAVE"
# Readers share; the writer, rank 2, has the lock when the last of them, rank 1, lets it go at 9, and the next reader from 20 on.
cat >shared.txt <<'TRACE'
rmacast-trace 1
ranks 4
window 0 comm=0 bytes=64,64,64,64 disp_unit=1
0 0.000001 0.000002 MPI_Win_lock win=0 target=3 lock=shared
0 0.000006 0.000007 MPI_Win_unlock win=0 target=3
1 0.000002 0.000003 MPI_Win_lock win=0 target=3 lock=shared
1 0.000008 0.000009 MPI_Win_unlock win=0 target=3
2 0.000004 0.000005 MPI_Win_lock win=0 target=3 lock=exclusive
2 0.000010 0.000011 MPI_Win_unlock win=0 target=3
0 0.000019 0.000020 MPI_Win_lock win=0 target=3 lock=shared
0 0.000021 0.000022 MPI_Win_unlock win=0 target=3
TRACE
merges shared.txt extended <<'E'
0 2000 acquire
1 3000 acquire
2 9000 acquire
0 20000 acquire
1 9000 to 2 release to grant 0
2 9000 from 1 release to grant 0
2 11000 to 0 release to grant 0
0 20000 from 2 release to grant 0
E
for trace in handover shared; do
    for model in base extended closed logical dependencies; do
        "$rmacast" export $trace.txt --to otf2 --model $model -o locked.rma
        "$rmacast" dump $trace.txt >before && "$rmacast" dump locked.rma >after && cmp -s before after ||
            fail "$trace $model: the merged archive is another trace: $(diff before after | head -n 3)"
    done
done

# Threads: thread 1 of rank 0 (location 2) starts, puts and gets, thread 0 completes; thread 1 of rank 1 (location 3) waits.
# What a call shows stands on its thread's line; the get's data leave rank 1 in no call, on thread 0's.
cat >threads.txt <<'TRACE'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=64,64 disp_unit=1
0 0.000001 0.000002 pthread_create child=1
0 0.000020 0.000030 MPI_Win_complete win=0
0 0.000033 0.000034 pthread_join child=1
0 0.000003 0.000003 thread_begin thread=1
0 0.000010 0.000011 MPI_Win_start win=0 group=1 thread=1
0 0.000012 0.000013 MPI_Put win=0 target=1 bytes=8 disp=0 thread=1
0 0.000014 0.000015 MPI_Get win=0 target=1 bytes=16 disp=8 thread=1
0 0.000016 0.000016 thread_end thread=1
1 0.000012 0.000013 MPI_Win_post win=0 group=0
1 0.000016 0.000032 MPI_Win_wait win=0 thread=1
TRACE
merges threads.txt base <<'E'
2 13000 at-once 2#1
2 15000 at-once 2#2
1 13000 in 0#1
1 14000 out 0#2
E
merges threads.txt dependencies <<'E'
0 30000 done 0#1
0 30000 done 0#2
1 14000 out 0#2
3 32000 in 0#1
2 14000 to 1 get: request 0
1 14000 from 0 get: request 0
1 12000 to 0 post to start 0
0 30000 from 1 post to start 0
0 20000 to 1 complete to wait 0
3 32000 from 0 complete to wait 0
E
for model in base extended closed logical dependencies; do
    "$rmacast" export threads.txt --to otf2 --model $model --data-arrows -o threads.rma 2>err || fail "threads $model: $(cat err)"
    "$rmacast" dump threads.txt >before && "$rmacast" dump threads.rma >after && cmp -s before after ||
        fail "threads $model: the merged archive is another trace: $(diff before after | head -n 3)"
    QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=$directory timeout 60 vite -e threads.svg threads.rma/traces.otf2 >vite 2>&1 ||
        fail "threads $model: ViTE: exit status"
    grep -q '^0 errors' vite || fail "threads $model: ViTE: $(grep error vite | head -n 3)"
done

# An epoch that does not end, and one that MPI buffered: told, not shown.
{ sed '/MPI_Win_wait/d' pscw.txt; echo 'incomplete 1 killed'; } >open.txt
"$rmacast" export open.txt --to otf2 --model extended -o open.rma 2>err || fail "open epoch: exit status"
grep -q '1 of 2 transfers have no end' err || fail "open epoch: $(cat err)"
sed 's/^1 0.000012 0.000013/1 0.000040 0.000041/; s/^1 0.000016 0.000032/1 0.000042 0.000043/' pscw.txt >buffered.txt
"$rmacast" export buffered.txt --to otf2 --model dependencies -o buffered.rma 2>err || fail "buffered: exit status"
grep -q '1 arrows are left out' err || fail "buffered: $(cat err)"

# OpenSHMEM beside MPI. Rank 0: a put (1) is done there at its return, a get without waiting (2) with the quiet, a get (3) at its
# return. Rank 1: shmem_p (1) is complete at the target with the quiet, the put of MPI (2) with the unlock.
cat >shmem.txt <<'TRACE'
rmacast-trace 1
ranks 2
window 0 comm=0 flavor=heap
window 1 comm=0 bytes=64,64 disp_unit=1
0 0.000010 0.000011 shmem_put win=0 target=1 bytes=8 disp=0
0 0.000012 0.000013 shmem_get_nbi win=0 target=1 bytes=8 disp=0
0 0.000014 0.000020 shmem_get win=0 target=1 bytes=8 disp=0
0 0.000022 0.000030 shmem_quiet win=0
0 0.000060 0.000061 shmem_finalize
1 0.000040 0.000041 MPI_Win_lock win=1 target=0 lock=shared
1 0.000042 0.000043 shmem_p win=0 target=0 bytes=8 disp=0
1 0.000044 0.000045 MPI_Put win=1 target=0 bytes=8 disp=0
1 0.000046 0.000048 MPI_Win_unlock win=1 target=0
1 0.000050 0.000055 shmem_quiet win=0
1 0.000060 0.000061 shmem_finalize
TRACE
merges shmem.txt base <<'E'
0 11000 at-once 0#1
0 13000 at-once 0#2
0 20000 at-once 0#3
0 43000 in 1#1
0 45000 in 1#2
1 11000 in 0#1
1 12000 out 0#2
1 14000 out 0#3
1 43000 at-once 1#1
1 45000 at-once 1#2
E
merges shmem.txt extended <<'E'
1 41000 acquire
0 11000 at-once 0#1
0 20000 at-once 0#3
0 30000 done 0#2
0 30000 remote 0#1
0 48000 in 1#2
0 55000 in 1#1
1 12000 out 0#2
1 14000 out 0#3
1 30000 in 0#1
1 43000 at-once 1#1
1 48000 done 1#2
1 48000 remote 1#2
1 55000 remote 1#1
E
# The gets' data leave 1 ns before the call that shows them there returns.
merges shmem.txt logical <<'E'
1 41000 acquire
0 11000 at-once 0#1
0 20000 at-once 0#3
0 30000 done 0#2
0 30000 remote 0#1
0 48000 in 1#2
0 55000 in 1#1
1 19999 out 0#3
1 29999 out 0#2
1 30000 in 0#1
1 43000 at-once 1#1
1 48000 done 1#2
1 48000 remote 1#2
1 55000 remote 1#1
E
"$rmacast" dump shmem.txt >before 2>err && "$rmacast" dump merged.rma >after 2>err && cmp -s before after ||
    fail "OpenSHMEM: the merged archive is another trace: $(diff before after | head -n 3)"

# opens TRACE MODEL: otf2-print and ViTE; no rank's time runs backwards; the same trace comes back.
opens() {
    "$rmacast" export "$1" --to otf2 --model "$2" --data-arrows -o view.rma 2>err || fail "$1 $2: $(cat err)"
    otf2-print view.rma/traces.otf2 >print 2>err || fail "$1 $2: otf2-print: $(head -n 1 err)"
    for rank in 0 1 2 3; do
        otf2-print -L $rank view.rma/traces.otf2 | awk '$3 ~ /^[0-9]+$/ { if ($3 + 0 < last) exit 1; last = $3 + 0; seen++ } END { exit seen < 10 }' ||
            fail "$1 $2: rank $rank is not in order"
    done
    "$rmacast" dump "$1" >whole.txt
    "$rmacast" dump view.rma >back.txt
    cmp -s whole.txt back.txt || fail "$1 $2: $(diff whole.txt back.txt | head -n 5)"
    rm -f picture.svg
    QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=$directory timeout 60 vite -e picture.svg view.rma/traces.otf2 >vite 2>&1 || fail "$1 $2: ViTE: exit status"
    grep -q '^0 errors' vite || fail "$1 $2: ViTE: $(grep error vite | head -n 3)"
    grep -q '<rect' picture.svg || fail "$1 $2: ViTE draws nothing"
}
"$rmacast" generate halo2d --ranks 4 --iterations 3 --bytes 1K --sync pscw -o pscw.rma
"$rmacast" generate halo2d --ranks 4 --iterations 3 --bytes 1K --sync fence -o fence.rma
"$rmacast" generate halo2d --ranks 4 --iterations 3 --bytes 1K --sync lock -o lock.rma
for model in base extended closed logical dependencies; do
    opens pscw.rma $model
done
opens fence.rma extended
opens lock.rma dependencies
finish
