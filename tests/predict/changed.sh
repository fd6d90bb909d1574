# What advise promises, against programs that were changed so: each pair of programs is written here by hand, before and after
# the change, and replayed. The gains on the ideal platform, where only computing and waiting take time, are worked out.
. "$(dirname "$0")/lib.sh"

# program NAME RANKS TIMES: a trace of as many iterations. Lines of standard input are "RANKS compute US" or "RANKS CALL KEY=...",
# RANKS being "0" or "0,1", in the order of each rank. What stands behind a line "once" comes at the end, what has "first" before
# it comes in the first iteration only, what has "later" in the others. REQUEST is a number of its own, MADE the last one. Calls
# take no time: the replay knows how long they take.
program() {
    awk -v ranks="$2" -v times="$3" 'BEGIN { print "rmacast-trace 1\nranks " ranks "\nwindow 0 comm=0 bytes=1000000 disp_unit=1" }
        function play(line, count, ranks_of, words, i, k, rest) {
            count = split(line, words, " ")
            split(words[1], ranks_of, ",")
            for (i in ranks_of) {
                rank = ranks_of[i]
                if (words[2] == "compute") { now[rank] += words[3]; continue }
                rest = ""
                for (k = 3; k <= count; k++) rest = rest " " words[k]
                if (rest ~ /REQUEST/) request[rank]++
                gsub(/REQUEST|MADE/, request[rank], rest)
                time = sprintf("%.6f", now[rank] / 1e6)
                print rank, time (words[2] == "enter" ? "" : " " time), words[2] rest
            }
        }
        $1 == "once" { ending = 1; next }
        ending { last[++endings] = $0; next }
        { body[++lines] = $0 }
        END {
            for (t = 0; t < times; t++) for (l = 1; l <= lines; l++) {
                line = body[l]
                if (line ~ /^first / && t > 0 || line ~ /^later / && t == 0) continue
                sub(/^(first|later) /, "", line)
                play(line)
            }
            for (l = 1; l <= endings; l++) play(last[l])
        }' >"$1"
}

pairs=0
# promised CHANGE IDEAL-GAIN-US: before.txt becomes after.txt.
promised() {
    for place in ideal infiniband-64; do
        engine=simgrid
        [ $place = infiniband-64 ] || engine=loggp
        run 0 advise before.txt --platform $place --engine $engine --json advice.json
        for when in before after; do run 0 simulate $when.txt --platform $place --engine $engine --json $when.json; done
        jq -n --arg row "platform+$1" --slurpfile advice advice.json --slurpfile before before.json --slurpfile after after.json \
            '$advice[0].changes[] | select(.row == $row) | .replayed_s = $before[0].run_time_s - $after[0].run_time_s' >found.json
        holds found.json 'near(.gain_s; .replayed_s) and .advised == (.gain_s > .error_s and .gain_s > 0)'
        [ $place != ideal ] || holds found.json "near(.gain_s; $2e-6)"
        pairs=$((pairs + 1))
    done
}

# Rank 1 computes for 100 us and posts; rank 0 waits for that, and computes then: 200 us a time, of 100 each at once when it posts
# before that, right behind its wait. 5 times: 500 us.
program before.txt 2 5 <<'END'
1 compute 100
1 MPI_Win_post win=0 group=0
0 MPI_Win_start win=0 group=1
0 MPI_Put win=0 target=1 bytes=65536 disp=0
0 MPI_Win_complete win=0
0 compute 100
1 MPI_Win_wait win=0
0,1 MPI_Barrier comm=0
END
program after.txt 2 5 <<'END'
later 1 MPI_Win_wait win=0
1 MPI_Win_post win=0 group=0
later 0,1 MPI_Barrier comm=0
1 compute 100
0 MPI_Win_start win=0 group=1
0 MPI_Put win=0 target=1 bytes=65536 disp=0
0 MPI_Win_complete win=0
0 compute 100
once
1 MPI_Win_wait win=0
0,1 MPI_Barrier comm=0
END
promised post-early 500
holds advice.json '[.changes[] | select(.row == "platform+post-early") | .where | contains("move MPI_Win_post of rank 1")] == [true]'

# Rank 0 computes between put and complete, rank 1 behind its wait for that: again 200 us, or 100.
program before.txt 2 5 <<'END'
1 MPI_Win_post win=0 group=0
0 MPI_Win_start win=0 group=1
0 MPI_Put win=0 target=1 bytes=65536 disp=0
0 compute 100
0 MPI_Win_complete win=0
1 MPI_Win_wait win=0
1 compute 100
0,1 MPI_Barrier comm=0
END
program after.txt 2 5 <<'END'
1 MPI_Win_post win=0 group=0
0 MPI_Win_start win=0 group=1
0 MPI_Put win=0 target=1 bytes=65536 disp=0
0 MPI_Win_complete win=0
0 compute 100
1 MPI_Win_wait win=0
1 compute 100
0,1 MPI_Barrier comm=0
END
promised complete-early 500

# Rank 0 computes, then puts; rank 1 waits for that before it computes. The wait may come behind the computing and the barrier.
program before.txt 2 5 <<'END'
1 MPI_Win_post win=0 group=0
0 compute 100
0 MPI_Win_start win=0 group=1
0 MPI_Put win=0 target=1 bytes=65536 disp=0
0 MPI_Win_complete win=0
1 MPI_Win_wait win=0
1 compute 100
0,1 MPI_Barrier comm=0
END
program after.txt 2 5 <<'END'
later 1 MPI_Win_wait win=0
1 MPI_Win_post win=0 group=0
0 compute 100
0 MPI_Win_start win=0 group=1
0 MPI_Put win=0 target=1 bytes=65536 disp=0
0 MPI_Win_complete win=0
1 compute 100
0,1 MPI_Barrier comm=0
once
1 MPI_Win_wait win=0
END
promised wait-late 500

# Rank 0 puts to rank 1; fences hold rank 2, too, which exchanges nothing. Rank 0 computes for 100 us in front of a fence, then
# rank 2 does: 200 us a time, twice. Without fences each computes for 200 us beside the other: 200 us less.
program before.txt 3 2 <<'END'
0,1,2 MPI_Win_fence win=0
0 MPI_Put win=0 target=1 bytes=65536 disp=0
0 compute 100
0,1,2 MPI_Win_fence win=0
2 compute 100
once
0,1,2 MPI_Win_fence win=0
END
program after.txt 3 2 <<'END'
1 MPI_Win_post win=0 group=0
0 MPI_Win_start win=0 group=1
0 MPI_Put win=0 target=1 bytes=65536 disp=0
0 compute 100
0 MPI_Win_complete win=0
1 MPI_Win_wait win=0
2 compute 100
once
2 enter end
END
promised fence=pscw 200

# Locks become one lock_all; on the ideal platform they cost nothing before, either.
program before.txt 2 5 <<'END'
0 MPI_Win_lock win=0 target=1 lock=shared
0 MPI_Put win=0 target=1 bytes=4096 disp=0
0 MPI_Win_unlock win=0 target=1
0 compute 20
END
program after.txt 2 5 <<'END'
first 0 MPI_Win_lock_all win=0
later 0 MPI_Win_flush win=0 target=1
later 0 compute 20
0 MPI_Put win=0 target=1 bytes=4096 disp=0
once
0 MPI_Win_unlock_all win=0
0 compute 20
END
promised lock=lock_all 0

# Eight puts of an epoch become one.
program before.txt 2 5 <<'END'
1 MPI_Win_post win=0 group=0
0 MPI_Win_start win=0 group=1
0 MPI_Put win=0 target=1 bytes=1024 disp=0
0 MPI_Put win=0 target=1 bytes=1024 disp=1024
0 MPI_Put win=0 target=1 bytes=1024 disp=2048
0 MPI_Put win=0 target=1 bytes=1024 disp=3072
0 MPI_Win_complete win=0
1 MPI_Win_wait win=0
END
program after.txt 2 5 <<'END'
1 MPI_Win_post win=0 group=0
0 MPI_Win_start win=0 group=1
0 MPI_Put win=0 target=1 bytes=4096 disp=0
0 MPI_Win_complete win=0
1 MPI_Win_wait win=0
END
promised merge-puts 0

# Puts under a lock become request-based ones, which are waited for before the unlock: nothing is gained.
program before.txt 2 5 <<'END'
0 MPI_Win_lock win=0 target=1 lock=shared
0 MPI_Put win=0 target=1 bytes=4096 disp=0
0 MPI_Win_unlock win=0 target=1
0 compute 20
END
program after.txt 2 5 <<'END'
0 MPI_Win_lock win=0 target=1 lock=shared
0 MPI_Rput win=0 target=1 bytes=4096 disp=0 req=REQUEST
0 MPI_Waitall reqs=MADE
0 MPI_Win_unlock win=0 target=1
0 compute 20
END
promised put=rput 0
[ $pairs = 14 ] || fail "$pairs pairs were compared, expected 14"
finish
