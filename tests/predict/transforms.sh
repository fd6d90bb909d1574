# Each transform from a text trace to the rows of compare, both engines, worked out by hand: what it says, what it is worth, what
# it refuses. Platform: 10 us of latency, 1 MB leaves a NIC in 100 us, control messages have no bytes, nothing else costs
# (tests/cases/base.json). post-early and complete-early alone: rewrite.sh.
. "$(dirname "$0")/lib.sh"

trace() {
    { echo 'rmacast-trace 1' && cat; } >"$1"
}

# rows FILE ROWS TIMES OPTION...: the rank times of each row, in us, by both engines, as JSON
rows() {
    file=$1
    rows=$2
    times=$3
    shift 3
    for engine in loggp simgrid; do
        run 0 compare "$file" --platform "$platform" --engine $engine --rows "$rows" --json rows.json "$@"
        holds rows.json "[.results[].rank_time_s | map(. * 1e6 | round)] == $times"
    done
}

# The worked example with both: the target posts at 0, start returns at 10, put 60, complete right behind it, 60-160, then the
# computing of 50; the notification is there at 170, before the wait at 450.
rows "$worked" a,a+post-early+complete-early,a+complete-early+post-early '[[560, 570], [210, 450], [210, 450]]'

# wait-late: rank 1 posts at 0 and waits at 0, computes 50, then comes to the barrier and posts again. Rank 0: start until 10, the
# data leave until 110, barrier. The wait returns at 120; barrier of two: rank 1 at 170, and 10 later both have it: 180. Late:
# wait 50-120, barrier 120, 130. Rank 1 then posts: its wait has moved no further than that post, past the barrier: 50-120 there,
# and the barrier at 50 lets rank 0 go at 120 (rank 0 comes at 110).
trace late.txt <<'END'
ranks 2
window 0 comm=0
0 0 0 MPI_Win_start win=0 group=1
0 0 0 MPI_Put win=0 target=1 bytes=1000000
0 0 0 MPI_Win_complete win=0
0 0 0 MPI_Barrier comm=0
1 0 0 MPI_Win_post win=0 group=0
1 0 0 MPI_Win_wait win=0
1 0.00005 0.00005 MPI_Barrier comm=0
1 0.00005 0.00005 MPI_Win_post win=0 group=
END
# Rank 0 hears of rank 1's barrier at 60 and of its own at once: out at 110, when it comes. Rank 1 at 120, the wait at 120.
rows late.txt a,a+wait-late '[[180, 170], [110, 120]]'
shows '^a\+wait-late  wait-late: 1 of 1 MPI_Win_wait calls moved down, over 50 us of computing in all$'

# With a lock of rank 2 behind the barrier, no window being locked and exposed at once (MPI-3.1 11.5.3), the wait stays in
# front of it, behind the computing: wait 50-120. Rank 1 comes to the barrier at T = 170 or 120; rounds 1 and 2 let rank 0 and
# 2 go at T + 10, rank 1 at T + 20; rank 2's lock asks and is granted until T + 30.
trace locked.txt <<'END'
ranks 3
window 0 comm=0
0 0 0 MPI_Win_start win=0 group=1
0 0 0 MPI_Put win=0 target=1 bytes=1000000
0 0 0 MPI_Win_complete win=0
0 0 0 MPI_Barrier comm=0
1 0 0 MPI_Win_post win=0 group=0
1 0 0 MPI_Win_wait win=0
1 0.00005 0.00005 MPI_Barrier comm=0
2 0 0 MPI_Barrier comm=0
2 0 0 MPI_Win_lock win=0 target=1 lock=exclusive
2 0 0 MPI_Win_unlock win=0 target=1
END
rows locked.txt a,a+wait-late '[[180, 190, 200], [130, 140, 150]]'
sed 's/0\.00005/0/g' locked.txt >adjacent.txt
apart='rank 2 locks window 0 of this rank, which must not be exposed then'
error 1 "adjacent.txt:rank 1, event 2 (MPI_Win_wait): wait-late changes nothing: $apart" \
    simulate adjacent.txt --platform "$platform" --rewrite wait-late
# The other way round: the lock comes before the barrier, the post behind it.
trace before.txt <<'END'
ranks 3
window 0 comm=0
0 0 0 MPI_Barrier comm=0
0 0 0 MPI_Win_start win=0 group=1
0 0 0 MPI_Win_complete win=0
1 0 0 MPI_Barrier comm=0
1 0.00003 0.00003 MPI_Win_post win=0 group=0
1 0.00003 0.00003 MPI_Win_wait win=0
2 0 0 MPI_Win_lock_all win=0
2 0 0 MPI_Win_unlock_all win=0
2 0 0 MPI_Barrier comm=0
END
# lock_all: granted at 20. Barrier entered by rank 2 at T = 20: itself out at 40, others at 30. The post comes at 60, or at
# 30; start returns 10 later, the notification is there another 10 later.
rows before.txt a,a+post-early '[[70, 80, 40], [40, 60, 40]]'
sed 's/0\.00003/0/g' before.txt >adjacent.txt
error 1 "adjacent.txt:rank 1, event 2 (MPI_Win_post): post-early changes nothing: $apart" \
    simulate adjacent.txt --platform "$platform" --rewrite post-early
# Rank 1's own lock of its window is an order of its own, and rank 0 may be locked all the time: rank 1's post goes to the front.
sed '/MPI_Win_lock_all/s/.*/2 0 0 MPI_Win_lock win=0 target=0 lock=shared/
     s/MPI_Win_unlock_all win=0/MPI_Win_unlock win=0 target=0/' before.txt >other.txt
rows other.txt a,a+post-early '[[70, 80, 40], [30, 60, 40]]'

# fence=pscw. Rank 0 puts to rank 1, which then gets from rank 0; rank 2 computes for 480 between its fences and has no partner.
# Fences: each of three ranks lets the others go 10 after it came, and itself 20: out at 20. The put leaves 20-120, arrives
# 130, is known at 140. Rank 2 comes at 500: the others leave at 510, it at 520. Get: asked 510, data 520-620, there at 630;
# rank 1 comes to the third fence then: 650, others 640. pscw a, b, c: posted at 0, W = 10, data 10-110, complete until 110;
# rank 0 then posts (there at 120). Rank 1 waits until 120, starts, gets: asked until 130, data 130-230, there at 240. Rank
# 0's wait: the last byte of the get has left at 230. pscw d: copied until 50, data 50-150; rank 0's post of 50 is behind
# them: 160, when rank 1's wait returns, too. Data of the get 170-270, there at 280.
trace fences.txt <<'END'
ranks 3
window 0 comm=0
0 0 0 MPI_Win_fence win=0 assert=NOPRECEDE|NOSTORE
0 0 0 MPI_Put win=0 target=1 bytes=1000000
0 0 0 MPI_Win_fence win=0 assert=NOPUT
0 0 0 MPI_Win_fence win=0 assert=NOSUCCEED|NOSTORE
1 0 0 MPI_Win_fence win=0 assert=NOPRECEDE
1 0 0 MPI_Win_fence win=0
1 0 0 MPI_Get win=0 target=0 bytes=1000000
1 0 0 MPI_Win_fence win=0 assert=NOSUCCEED
2 0 0 MPI_Win_fence win=0 assert=NOPRECEDE
2 0.00048 0.00048 MPI_Win_fence win=0
2 0.00048 0.00048 MPI_Win_fence win=0 assert=NOSUCCEED
END
rows fences.txt a,a+fence=pscw,b+fence=pscw,c+fence=pscw,d+fence=pscw \
    '[[640, 650, 640], [230, 240, 480], [230, 240, 480], [230, 240, 480], [270, 280, 480]]'
pscw='9 of 9 fences became 2 post, 2 start, 2 complete, 2 wait calls; 3 of them had no partners and went'
shows "^d\\+fence=pscw  fence=pscw: $pscw\$"
# Groups and assertions: NOSTORE and NOPUT at the posts, NOPRECEDE and NOSUCCEED nowhere.
run 0 simulate fences.txt --platform "$platform" --engine loggp --rewrite fence=pscw -o -
grep -o 'MPI_Win_\(post\|start\) .*' out | sed 's/ blocked=.*//; s/ awaited_post=.*//' >calls
printf '%s\n' 'MPI_Win_start win=0 group=1' 'MPI_Win_post win=0 group=1 assert=NOPUT' 'MPI_Win_post win=0 group=0' \
    'MPI_Win_start win=0 group=0' | sort >expected
sort calls | diff - expected >&2 || fail "groups or assertions differ: $(cat calls)"
# Two transforms: the posts are as early as they may be; the waits stay before the start, or the end, behind them.
rows fences.txt a+fence=pscw+post-early,a+fence=pscw+wait-late '[[230, 240, 480], [230, 240, 480]]'
# A fence that says nothing follows, and a put behind it.
sed '4s/assert=.*/assert=NOSUCCEED/' fences.txt >closed.txt
error 1 'closed.txt:rank 0, event 2 (MPI_Put): fence=pscw changes nothing: the fence before it has MPI_MODE_NOSUCCEED' \
    simulate closed.txt --platform "$platform" --engine loggp --rewrite fence=pscw

# lock=lock_all and put=rput. Twice 1 MB under a lock of its own: granted after 20, the data leave for 100, are known after 20
# more: 140 and 280. One lock_all: the second put comes at 140 and is known at 260. Lazy locks: each unlock asks: the same
# 280; lock_all asks at the first unlock, now a flush, and has the lock for the second put: 260. Rput asks at once, so does a
# lazy lock's first: nothing more.
trace locks.txt <<'END'
ranks 2
window 0 comm=0
0 0 0 MPI_Win_lock win=0 target=1 lock=shared
0 0 0 MPI_Put win=0 target=1 bytes=1000000
0 0 0 MPI_Win_unlock win=0 target=1
0 0 0 MPI_Win_lock win=0 target=1 lock=shared
0 0 0 MPI_Put win=0 target=1 bytes=1000000
0 0 0 MPI_Win_unlock win=0 target=1
END
all='2 of 2 lock epochs became 1 of MPI_Win_lock_all with 1 flushes'
for lock in blocking lazy; do
    rows locks.txt a,a+lock=lock_all,a+put=rput,a+lock=lock_all+put=rput '[[280, 0], [260, 0], [280, 0], [260, 0]]' --lock $lock
    shows "^a\\+lock=lock_all  lock=lock_all: $all\$"
    shows '^a\+put=rput  put=rput: 2 of 2 puts became MPI_Rput, with 2 MPI_Waitall$'
    shows '^a\+lock=lock_all\+put=rput  put=rput: 2 of 2 puts became MPI_Rput, with 2 MPI_Waitall$'
done
# Behind 200 of computing a lazy lock has not asked before the unlock, at 200: 340. With Rput it has: granted at 20, the data
# are away at 120 and known at 140; waitall and unlock come at 200 and wait for nothing.
sed '7,$d; 6s/0 0 0/0 0.0002 0.0002/' locks.txt >lazy.txt
rows lazy.txt a,a+put=rput '[[340, 0], [200, 0]]' --lock lazy
# An exclusive lock anywhere, an exposure of the window anywhere, puts outside locks: one line each.
refused() {
    error 1 "semantics a+$2: $1:$3: $2 changes nothing: $4" compare "$1" --platform "$platform" --engine loggp --rows "a+$2"
}
sed '5s/.*/&\n1 0 0 MPI_Win_lock win=0 target=0 lock=exclusive\n1 0 0 MPI_Win_unlock win=0 target=0/' locks.txt >exclusive.txt
refused exclusive.txt lock=lock_all 'rank 1, event 1 (MPI_Win_lock)' 'an exclusive lock keeps others out'
# One of MPI_PROC_NULL keeps nobody out: at the end of a row of ranks an exclusive lock of the neighbour that is not there,
# between the two others, costs nothing as itself and nothing as a part of the lock_all.
sed '6s/.*/&\n0 0 0 MPI_Win_lock win=0 target=- lock=exclusive\n0 0 0 MPI_Put win=0 target=- bytes=8\n0 0 0 MPI_Win_unlock win=0 target=-/' \
    locks.txt >edge.txt
rows edge.txt a,a+lock=lock_all '[[280, 0], [260, 0]]'
shows ': 3 of 3 lock epochs became 1 of MPI_Win_lock_all with 2 flushes$'
sed '5s/.*/&\n1 0 0 MPI_Win_post win=0 group=\n1 0 0 MPI_Win_wait win=0/' locks.txt >posted.txt
refused posted.txt lock=lock_all 'rank 1, event 1 (MPI_Win_post)' 'MPI_Win_lock_all locks every member, and none may be locked'
refused late.txt put=rput 'rank 0, event 2 (MPI_Put)' 'no lock is held'
# A row that is refused leaves the others.
for engine in loggp simgrid; do
    error 1 'semantics a+lock=lock_all: exclusive.txt:rank 1' compare exclusive.txt --platform "$platform" --engine $engine \
        --rows a,a+lock=lock_all,c+put=rput --json rows.json
    holds rows.json '[.results[].row] == ["a", "c+put=rput"] and .incomplete and .failed[0].row == "a+lock=lock_all"'
    shows '^Incomplete: no result of semantics a\+lock=lock_all: exclusive\.txt:rank 1, event 1 \(MPI_Win_lock\): '
done
# A put to MPI_PROC_NULL stays: no unlock would complete its request.
sed '5s/.*/0 0 0 MPI_Put win=0 target=- bytes=8\n&/' locks.txt >nowhere.txt
rows nowhere.txt a,a+put=rput '[[280, 0], [280, 0]]'
shows ': 2 of 3 puts became MPI_Rput, with 2 MPI_Waitall$'

# merge-puts, where each message holds the NIC for 5: start until 10, puts of 8 bytes leave at 10, 15, 20, 25, the
# notification at 30: the wait returns at 40. One put of 32 bytes: 10, 15, 25. It reaches over 300 and 24 bytes at the target,
# four times 16 at the origin.
trace small.txt <<'END'
ranks 2
window 0 comm=0 disp_unit=4
0 0 0 MPI_Win_start win=0 group=1
0 0 0 MPI_Put win=0 target=1 bytes=8 disp=25 origin_extent=16 target_extent=24
0 0 0 MPI_Put win=0 target=1 bytes=8 disp=0 origin_extent=16 target_extent=24
0 0 0 MPI_Put win=0 target=1 bytes=8 disp=75 origin_extent=16 target_extent=24
0 0 0 MPI_Put win=0 target=1 bytes=8 disp=50 origin_extent=16 target_extent=24
0 0 0 MPI_Put win=0 target=1 bytes=0 disp=1000
0 0 0 MPI_Win_complete win=0
1 0 0 MPI_Win_post win=0 group=0
1 0 0 MPI_Win_wait win=0
END
sed '/bytes=0/d' small.txt >four.txt
rows four.txt a,a+merge-puts,a+merge-puts:7 '[[25, 40], [10, 25], [25, 40]]' --set network.gap_s=5us
shows '^a\+merge-puts  merge-puts: 4 of 4 puts, none above 8192 bytes, became 1$'
shows '^a\+merge-puts:7  merge-puts:7: 0 of 4 puts, none above 7 bytes, became 0$'
run 0 simulate four.txt --platform "$platform" --engine loggp --rewrite merge-puts -o - --json merged.json
grep -q 'MPI_Put win=0 target=1 bytes=32 disp=0 origin_extent=64 target_extent=324' out || fail "merged: $(grep MPI_Put out)"
holds merged.json '.transfers.pairs | map([.origin, .target, .kind, .count, .bytes]) == [[0, 1, "put", 1, 32]]'
# An empty put goes along and has no place; alone with its like it stays one without extents.
rows small.txt a,a+merge-puts '[[30, 45], [10, 25]]' --set network.gap_s=5us
run 0 simulate small.txt --platform "$platform" --engine loggp --rewrite merge-puts -o -
grep -q 'bytes=32 disp=0 origin_extent=64 target_extent=324' out || fail "an empty put has a place: $(grep MPI_Put out)"
sed 's/bytes=8 \(disp=[0-9]*\) .*/bytes=0 \1/' small.txt >empty.txt
rows empty.txt a,a+merge-puts '[[30, 45], [10, 25]]' --set network.gap_s=5us

# Threads: the post does not pass the join (tests/unit/predictors/test_transform_threads.c): 560 us, 440 where it is early.
trace threads.txt <<'END'
ranks 2
window 0 comm=0
0 0.000000 0.000300 MPI_Win_start win=0 group=1
0 0.000350 0.000360 MPI_Put win=0 target=1 bytes=1000000
0 0.000410 0.000500 MPI_Win_complete win=0
1 0.000000 0.000000 pthread_create child=1
1 0.000000 0.000000 thread_begin thread=1
1 0.000200 0.000200 thread_end thread=1
1 0.000250 0.000260 pthread_join child=1
1 0.000400 0.000405 MPI_Win_post win=0 group=0
1 0.000455 0.000600 MPI_Win_wait win=0
END
rows threads.txt a,a+post-early '[[550, 560], [410, 440]]' --set nodes.cores=2
sed 's/ MPI_Win_wait win=0$/& thread=1/; s/.*thread_end.*/1 0.000401 0.000402 thread_end/' threads.txt |
    sed '/pthread_join\|thread_end/d' >shared.txt
refused shared.txt post-early 'rank 1, event 3 (MPI_Win_post)' 'several threads of the rank work on window 0'

# Between two groups of one rank each a barrier is a byte from the low one to the high one and a byte back: rank 1 goes on at
# 10, posts at 110; start until 120, the data leave until 220, the notification is there at 230. Posted at 0: start from 20
# on, data until 120, 130.
trace between.txt <<'END'
ranks 2
comm 1 ranks=0,1 between=1
window 0 comm=0
0 0 0 MPI_Barrier comm=1
0 0 0 MPI_Win_start win=0 group=1
0 0 0 MPI_Put win=0 target=1 bytes=1000000
0 0 0 MPI_Win_complete win=0
1 0 0 MPI_Barrier comm=1
1 0.0001 0.0001 MPI_Win_post win=0 group=0
1 0.0001 0.0001 MPI_Win_wait win=0
END
rows between.txt a,a+post-early '[[220, 230], [120, 130]]'

# scale and a move: halved first, 25 and 25 at the origin, 200 and 25 at the target; then the post goes to the front: start
# until 10, put at 35, complete 60-135, notification 145; the wait comes at 225.
rows "$worked" a+scale:/=0.5,a+scale:/=0.5+post-early '[[335, 345], [135, 225]]'

finish
