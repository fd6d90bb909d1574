# rmacast calibrate on this machine: facts, whatever its load is. PROGRAM SOURCE
. "$(dirname "$0")/../predict/lib.sh"
rm -rf here.json kept died endless killed* temporary
echo "[" >wrong.json
cat >short.json <<'END'
{ "tests": { "curve": { "conf": [1, 2], "sizes": [8, 512, "4K", "16K", "256K", "1M"], "tests": "putLatency -s flush",
                        "minRepeats": 50, "maxDuration": 0.05 },
             "call": { "conf": [1, 2], "sizes": 8, "tests": "putIssue", "minRepeats": 50, "maxDuration": 0 },
             "apart": { "conf": [2, 2], "sizes": 8, "tests": ["putIssue", "bcast"] } } }
END

# A burst of load can hide that times grow with bytes: then it says so, and is tried again.
for try in 1 2 3 4 5; do
    timeout 200 "$program" calibrate --no-probe --force --check --rounds 2 -c short.json --results kept -o here.json -- mpiexec.mpich -n 2 >out 2>err && break
    grep -q 'expected times that grow with bytes' err || fail "calibrate: $(cat err)"
done
# What does not fit is said once: of the user's tests, not of the check's, and not in the second round.
[ "$(grep 'left out' err)" = 'rmacast-bench: apart: 2 tests need 2 ranks on 2 nodes: left out; this machine has 2 ranks on 1 node' ] ||
    fail "not one line of what does not fit: $(cat err)"
holds kept/run.json '[.skipped[] | select(.test == "apart")] | length == 2'
holds kept/round-1/run.json '[.skipped[] | select(.test == "check ahead")] | length == 1'
holds here.json '[.. | objects | select(has("value"))] | length >= 3 and all(.value >= 0 and .error >= 0 and .n >= 1)'
holds here.json '.nodes.count == 1 and .mapping.ranks_per_node == 2 and (.["$calibration"].within.put.points | length == 6)'
# The closed loop: rows of a run that was recorded and replayed.
# Of each the repetitions under like conditions, 20 at least. If the machine changes its speed, some may have too few. So short a
# calibration has large errors, which may leave a row open.
compared() { shows "^($1 +([2-9][0-9]|[0-9]{3,}) |not compared: $1: fewer than 20 of its [0-9]+ repetitions are under the conditions|not compared: $1: its passes differ|not compared: $1: by the errors in the file)"; }
compared 'MPI_Put 8 > 1, MPI_Win_flush'
compared 'MPI_Put 262144 > 1, MPI_Win_flush, both ways'
compared 'MPI_Win_start, MPI_Put 65536 > 1, MPI_Win_complete'
shows '^[0-9]+ of [0-9]+ rows are within 10 % of the median, [0-9]+ of the others within its error$'
# Two rounds: each has its results, in several passes over the tests. The check is recorded once, and its tests are in them.
[ -e kept/check.rma ] && [ -s kept/round-1/rank-000000.csv ] || fail "calibrate: no second round: $(ls kept)"
grep -q '^check curves,putLatency -s lock,1,2,0,4096,' kept/round-1/rank-000000.csv || fail 'the second round has no tests of the check'
passes=$(awk -F, '$1 == "curve" && $6 == 8 && $7 == 0' kept/rank-000000.csv kept/round-1/rank-000000.csv | wc -l)
[ "$passes" -ge 4 ] && [ "$passes" -le 16 ] || fail "$passes passes, expected 2 to 8 in each round"
# Round trips within a node are short: batches have references, and the fit takes what was measured under like conditions.
holds here.json '.["$calibration"].within.conditions | .from_s > 0 and .upto_s > .from_s and .share > 0 and .share <= 1'
holds here.json '.["$calibration"].within.conditions | .work_from_s > 0 and .work_upto_s > .work_from_s'
shows '^median size of the differences '
run 0 generate ring --ranks 2 --iterations 3 --bytes 1K -o ring.txt
run 0 simulate ring.txt --platform here.json --json simulated.json
holds simulated.json '.run_time_s > 0'
run 0 platform plot here.json -o here.svg
# The table fits a terminal: of the results that were kept.
export COLUMNS=80
run 0 calibrate --no-probe --force --results kept -o again.json
unset COLUMNS
[ -s out ] && [ "$(wc -L <out)" -le 80 ] || fail "calibrate: $(wc -L <out) columns"
run 0 calibrate --no-probe --force --results kept -o second.json --name again --json written.json
holds written.json ".schema == \"rmacast.written/1\" and .command == \"calibrate\" and .bytes == $(wc -c <second.json)"
cmp again.json second.json || fail 'two fits of the same results differ'

# What a probe of three ranks says comes into the platform file. The launcher says it, and what a bench measured: 2 us and 1 ns
# per byte. A library like d: puts never wait, 2 epochs run ahead, 60000 B are copied; flush_all asks rank 1, not rank 2, which is
# no target. A library whose puts leave in complete, behind the posts of their whole group.
cat >three.sh <<'END'
say() { for i in 1 2 3; do echo "rmacast-probe delay $*"; done; }
case $2 in
*rmacast-bench)
    echo '{"nodes": [{"host": "one", "ranks": [0, 1, 2]}], "cores": 3, "library": "A library"}' >"$4/run.json"
    { echo test,function,nodes,ranks,place,bytes,repetition,root_s,least_s,mean_s,most_s
      for bytes in 8 1024 65536 1048576; do
          awk "BEGIN { t = 2e-6 + $bytes * 1e-9
              for (i = 0; i < 3; i++) printf \"t,putLatency -s flush,1,2,0,$bytes,%d,%g,%g,%g,%g\\n\", i, t, t, t, t }"
      done; } >"$4/rank-000000.csv" ;;
*)  echo "rmacast-probe begin 1 A library"
    echo "rmacast-probe hosts one one"
    say epoch get 8 0.003 0 -0.0029 -0.0028 -0.0027 0.00001
    if [ "$1" = d ]; then
        say epoch put 8 0.003 0 -0.0029 -0.0028 -0.0027 -0.0026
        say ahead none 2 0.003 0 -0.0029 -0.0028 -0.0027
        say ahead none 3 0.003 0 -0.0029 -0.0028 0.00001
        say buffer put 1024 0.003 0 -0.0029 -0.0028 0.00001
        say buffer put 65536 0.003 0 -0.0029 0.00001 0.00002
        echo "rmacast-probe limit buffer put 60000 60400"
    else
        say epoch put 8 0.003 0 -0.0029 -0.0028 -0.0027 0.00001
        say group_queued put 8 0.003 0 -0.0029 0.00001
    fi
    say flush_later put 8 0.003 0 -0.0029 0.00001
    say flush_others put 8 0.003 0 -0.0029 -0.0027
    [ "$1" != broken ] || exit 7
    echo "rmacast-probe end" ;;
esac
END
run 0 calibrate -o three-d.json -- sh three.sh d
holds three-d.json '.mpi.rma.semantics == "d" and .mpi.rma.epochs_ahead == {"value": 2, "error": 1, "n": 3} and .mpi.rma.protocol.calls.flush == ["issue", "query", "answer"]'
holds three-d.json '.mpi.rma.buffer_bytes == {"value": 60000, "error": 400, "n": 3}'
run 0 calibrate -o three-c.json -- sh three.sh c
holds three-c.json '.mpi.rma.semantics.put == [{"waits": "complete", "posts": "group"}]'
run 0 platform check three-c.json
# A probe that breaks off: what it has found out until then counts.
run 0 calibrate -o none.json -- sh three.sh broken
grep -qx 'rmacast: note: rmacast-probe ended with status 7; its answers until then are used' err || fail "a probe that breaks off: $(cat err)"
holds none.json '.mpi.rma.semantics.put == [{"waits": "complete", "posts": "group"}]'

# Its directory of results does not stay, also if nobody reads its table, and neither does what an earlier run found out.
mkdir -p temporary
TMPDIR=$PWD/temporary "$program" calibrate -o unread.json -- sh three.sh d 2>err | true
[ -s unread.json ] && [ -z "$(ls temporary)" ] || fail "of a calibration without reader: $(ls temporary) $(cat err)"
rm -rf again.results
run 0 calibrate -o none.json --results again.results -- sh three.sh d
[ -s again.results/mpi.json ] || fail "the library's section is not kept"
mkdir again.results/check.rma
run 0 calibrate --no-probe -o none.json --results again.results -- sh three.sh d
[ ! -e again.results/mpi.json ] && [ ! -e again.results/check.rma ] || fail "of an earlier run: $(ls again.results)"

# A machine whose cores are half as fast while the largest size is measured. The launcher says what a bench measured: 2 us and
# 1 ns per byte, twice as long at half speed, 24 batches of each size. At full speed are three of four sizes, 75 % of the batches.
# The largest size is missing, so a third round follows the two. It is at full speed (then nothing is said), or not.
cat >speeds.sh <<'END'
echo '{"nodes": [{"host": "one", "ranks": [0, 1]}], "cores": 2, "library": "A library", "complete": true}' >"$4/run.json"
case $4 in
*/round-2) slow=$1 ;;
*) slow=1048576 ;;
esac
{ echo test,function,nodes,ranks,place,bytes,repetition,root_s,least_s,mean_s,most_s,reference_s,work_s,losses
  for bytes in 8 1024 65536 1048576; do
      awk "BEGIN { half = $bytes == $slow ? 2 : 1; t = half * (2e-6 + $bytes * 1e-9)
          for (i = 0; i < 24; i++)
              printf \"t,putLatency -s flush,1,2,0,$bytes,%d,%g,%g,%g,%g,%g,%g,0\\n\", i, t, t, t, t, 2e-7 + i % 2 * 1e-9, half * 2e-6 }"
  done; } >"$4/rank-000000.csv"
END
said='rmacast: note: the machine changed: 1 of 4 sizes have too few repetitions under the conditions that count: round 3 of 3 at most'
for slow in none 1048576; do
    rm -rf speeds
    run 0 calibrate --no-probe --rounds 2 --results speeds -o speeds.json -- sh speeds.sh $slow
    [ "$(cat err)" = "$said" ] || fail "a machine that changes: $(cat err)"
    holds speeds.json '.["$calibration"].within.conditions | .from_s == 2e-7 and .work_from_s == 2e-6'
    [ -e speeds/round-2 ] || fail "no third round"
done
shows '^note: within a node the machine changed: 1 of 4 sizes have fewer than 20 repetitions under the conditions that count \(75 % of the'
rm -rf speeds
run 0 calibrate --no-probe --rounds 2 --results speeds -o speeds.json -- sh speeds.sh none
holds speeds.json '.network.segments[-1].bandwidth_Bps.value | . > 0.99e9 and . < 1.01e9'
if grep -q 'machine changed' out; then fail "all sizes are measured, and still: $(cat out)"; fi
rm -rf speeds
run 0 calibrate --no-probe --results speeds -o speeds.json -- sh speeds.sh 1048576
[ ! -s err ] || fail "one round gets no second one: $(cat err)"

# A round that fails: the rounds before it are used.
cat >fails.sh <<'END'
case $3 in
*/round-1) exit 3 ;;
esac
exec sh three.sh d "$@"
END
run 0 calibrate --no-probe --rounds 5 -o none.json -- sh fails.sh
[ "$(cat err)" = 'rmacast: note: round 2 of 5: sh: rmacast-bench ended with status 3 without results, expected a launcher of MPI ranks that see '"$(
    sed -n 's/.*that see \([^;]*\);.*/\1/p' err)"'; the results of the rounds before are used' ] || fail "a round that fails: $(cat err)"
rm none.json

# After its time limit it is ended, and what it has measured until then is fitted (here: too little).
sed 's/"minRepeats": 50, "maxDuration": 0.05/"minRepeats": 50, "maxDuration": 500/; s/"tests": "putL/"confidence": 0, "tests": "putL/' short.json >endless.json
error_line() { grep -qF -- "$1" err || fail "'$1' is not in: $(cat err)"; }
for limit in 4s 16s 40s; do # a loaded machine may not have begun in 4 s
    run 1 calibrate --no-probe -c endless.json --results endless --limit $limit -o none.json -- mpiexec.mpich -n 2
    grep -q 'without results' err || break
done
error_line 'was ended after its time limit; the results until then are used'
error_line 'can be fitted'
[ "$(wc -l <endless/rank-000000.csv)" -gt 1 ] || fail "nothing was kept of the run that was ended"
if ps -eo args | grep -F "$PWD/" | grep -q '[r]macast-bench '; then fail "ranks outlived the command"; fi

# A rank dies after two sizes, which are too few for a fit: what was measured stays, and a note says where.
cat >few.sh <<'END'
echo '{"nodes": [{"host": "one", "ranks": [0, 1]}], "cores": 2, "library": "A library"}' >"$3/run.json"
{ echo test,function,nodes,ranks,place,bytes,repetition,root_s,least_s,mean_s,most_s
  for bytes in 8 1024; do echo "t,putLatency -s flush,1,2,0,$bytes,0,1e-6,1e-6,1e-6,1e-6"; done; } >"$3/rank-000000.csv"
exit 9
END
TMPDIR=$PWD/temporary "$program" calibrate --no-probe -o none.json -- sh few.sh 2>err
status=$?
kept=$(echo temporary/*)
[ $status -eq 1 ] && grep -qx "rmacast: note: the repetitions are kept in $PWD/$kept" err || fail "too few sizes: exit status $status: $(cat err)"
run 1 calibrate --no-probe --results "$kept" -o none.json
error_line '(2 points, expected 4'
[ "$(wc -l <"$kept/rank-000000.csv")" -eq 3 ] || fail "not all is kept: $(ls "$kept")"
rm -rf temporary/*

# Ctrl-C: one note, no more rounds, what is measured is fitted (here: too little), nothing is left.
TMPDIR=$PWD/temporary "$program" calibrate --quiet --rounds 5 -c endless.json -o none.json -- mpiexec.mpich -n 2 >out 2>err &
command=$!
while kill -0 "$command" 2>/dev/null && ! grep -qs '^curve,' temporary/*/rank-000000.csv; do sleep 0.1; done
kill -TERM "$command"
wait "$command"
status=$?
[ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || fail "after an interrupt: exit status $status, expected 1 and one line: $(cat err)"
error_line 'can be fitted'
[ -z "$(ls temporary)" ] || fail "after an interrupt: $(ls temporary)"
if ps -eo args | grep -F "$PWD/" | grep -q '[r]macast-bench '; then fail "ranks outlived an interrupt"; fi

# Complete results count whatever the launcher's status is. Those of an earlier run in the same directory do not.
cat >killed <<'END'
#!/bin/sh
[ "$1" = nothing ] || mpiexec.mpich "$@"
exit 9
END
chmod +x killed
timeout 200 "$program" calibrate --no-probe --force -c short.json --results killed.results -o killed.json -- ./killed -n 2 >out 2>err ||
    error_line 'expected times that grow with bytes'
if grep -q 'ended with status' err; then fail "complete results are not taken: $(cat err)"; fi
holds killed.results/run.json '.complete == true'
run 1 calibrate --no-probe -c short.json --results killed.results -o none.json -- ./killed nothing
error_line 'rmacast-bench ended with status 9 without results'

# A rank dies: the run ends by itself, and what was measured until then is fitted. The bench waits in an endless test.
jq '.tests.wait = { "conf": [1, 2], "sizes": 8, "tests": "pingPong", "minRepeats": 10, "maxDuration": 500, "confidence": 0 }' short.json >wait.json
timeout 200 "$program" calibrate --no-probe --force -c wait.json --results "$PWD/died" -o died.json -- mpiexec.mpich -n 2 >out 2>err &
command=$!
while kill -0 "$command" 2>/dev/null && ! grep -qs '^wait,' died/rank-000000.csv; do sleep 0.1; done
rank=$(ps -eo pid,args | grep -F "$PWD/" | grep '[r]macast-bench --output' | grep -v mpiexec | awk '{ print $1; exit }')
[ -n "$rank" ] || fail "no rank of the bench is there: $(cat err)"
kill -9 "$rank"
wait "$command"
status=$?
error_line 'rmacast-bench ended with status'
error_line 'the results until then are used'
[ $status = 0 ] || error_line 'expected times that grow with bytes'

# The launcher is killed.
rm -rf died
timeout 200 "$program" calibrate --no-probe --force -c wait.json --results "$PWD/died" -o died.json -- mpiexec.mpich -n 2 >out 2>err &
command=$!
while kill -0 "$command" 2>/dev/null && ! grep -qs '^wait,' died/rank-000000.csv; do sleep 0.1; done
kill -9 "$(ps -eo pid,args | grep -F "$PWD/died" | grep '[m]piexec' | grep -v ' calibrate ' | awk '{ print $1; exit }')"
wait "$command"
error_line 'rmacast-bench ended with status 137; the results until then are used'
if ps -eo args | grep -F "$PWD/" | grep -q '[r]macast-bench '; then fail "ranks outlived their launcher"; fi

# What cannot run.
error 1 'rmacast-bench ran with 1 rank, expected two or more' calibrate --quiet --no-probe -c short.json -o none.json -- mpiexec.mpich -n 1
error 1 'no/results: cannot be made: ' calibrate -o none.json --results no/results -- sleep 100
error 1 'wrong.json: cannot be made: Not a directory' calibrate -o none.json --results wrong.json -- sleep 100
error 1 'no/written.json: cannot be written' calibrate -o none.json --json no/written.json -- sleep 100
run 1 calibrate --no-probe --limit 1s -o none.json -- sleep 100
error_line 'without results, expected a launcher'
error 1 'true: rmacast-bench ended with status 0 without results, expected a launcher of MPI ranks' calibrate --no-probe -o none.json -- true
error 1 'no/none.json: cannot be written' calibrate -o no/none.json -- sleep 100
error 1 'rmacast: .: cannot be written' calibrate -o . -- sleep 100
error 2 'expected a launcher that can be run' calibrate -o none.json -- /nonexistent/mpiexec -n 2
error 2 'the output is missing' calibrate -- mpiexec.mpich -n 2
error 2 'the launcher is missing' calibrate -o none.json
error 2 '--rounds 0' calibrate --rounds 0 -o none.json -- mpiexec.mpich -n 2
error 2 '--mpi lam' calibrate --mpi lam -o none.json -- mpiexec.mpich -n 2
error 1 'wrong.json:2: the text ends' calibrate -c wrong.json -o none.json -- mpiexec.mpich -n 2
echo '{ "tests": { "t": { "conf": [1, 2], "sizes": "1Q", "tests": "bcast" } } }' >wrong.json
error 1 "wrong.json:tests.t.sizes: no size '1Q'" calibrate -c wrong.json -o none.json -- mpiexec.mpich -n 2
[ ! -e none.json ] || fail "a platform file was written without measurements"
finish
