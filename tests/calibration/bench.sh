# rmacast-bench on this machine: what it writes and prints, what it leaves out, wrong configurations. PROGRAM SOURCE HANG
. "$(dirname "$0")/../predict/lib.sh"
bench=$(dirname "$program")/rmacast-bench
rm -rf results*

# bench STATUS RANKS ARGUMENT...
bench() {
    expected=$1 ranks=$2
    shift 2
    for try in 1 2 3; do # mpiexec may end by SIGPIPE when its program ends at once
        timeout -k 5 120 mpiexec.mpich -n "$ranks" "$bench" "$@" >out 2>err
        status=$?
        [ $status -eq 141 ] || break
    done
    [ $status -eq "$expected" ] || fail "rmacast-bench $*: exit status $status, expected $expected: $(cat err)"
}

# Every kind of test once, with few repetitions; [2, 2] does not fit on one machine.
cat >small.json <<'END'
{ "test_collections": { "some": ["empty", "barrier", "bcast", "sendRecvPaired", "pingPong", "putLatency -w create -s fence",
                                 "getLatency -s lock", "accumulateLatency -w dynamic -s flush", "fetchAndOpLatency -s pscw",
                                 "fetchAndOpBandwidth -s lock_all", "compareAndSwapBandwidth -w create -s fence",
                                 "putIssue", "putRemoteCompletion", "accumulateBothWays", "putOpposed",
                                 "getOpposed", "accumulateOpposed", "windowCreate",
                                 "lockRoundTrip", "pscwSkeleton", "clockOffset", "threadCreate", "threadStart",
                                 "threadJoin", "threadLock", "threadUnlock", "threadBarrier"] },
  "tests": { "here": { "conf": [1, 2], "sizes": [8, "4K"], "tests": "some", "minRepeats": 4, "maxDuration": 0 },
             "there": { "conf": [2, 2], "sizes": 8, "tests": "bcast" } } }
END
bench 0 2 -c small.json -o results
shows '[*] Working with 2 ranks on 1 node [*]'
shows '^accumulateLatency -w dynamic -s flush +1 +2 +4096 +[0-9]+ '
grep -qx 'rmacast-bench: there: 1 test needs 2 ranks on 2 nodes: left out; this machine has 2 ranks on 1 node' err ||
    fail "nothing says that a test does not fit: $(cat err)"
holds results/run.json '.nodes | length == 1 and .[0].ranks == [0, 1]'
holds results/run.json '.skipped | length == 1 and .[0].test == "there" and .[0].nodes == 2 and
    .[0].ranks == 2 and .[0].reason == "2 ranks on 2 nodes do not fit on this machine of 2 ranks on 1 node"'
rows() { grep -c "$1" results/rank-000000.csv; }
columns=test,function,nodes,ranks,place,bytes,repetition,root_s,least_s,mean_s,most_s,reference_s,work_s,losses
[ "$(head -1 results/rank-000000.csv)" = $columns ] ||
    fail "no head: $(head -1 results/rank-000000.csv)"
# Each size once, with the fewest repetitions or more: a batch that a busy machine made short is followed by a whole one.
measured() { # FUNCTION SIZES
    found=$(awk -F, -v name="$1" '$1 == "here" && $2 == name && $7 == 0 { printf "%s ", $6 }' results/rank-000000.csv)
    [ "$found" = "$2 " ] || fail "$1 is measured with sizes '$found', expected '$2 '"
    for size in $2; do
        count=$(rows "^here,$1,1,2,0,$size,")
        [ "$count" -ge 4 ] || fail "$count repetitions of $1 with $size bytes, expected 4 at least"
    done
}
measured bcast '8 4096'
measured 'fetchAndOpLatency -s pscw' 8
measured 'compareAndSwapBandwidth -w create -s fence' 8
for test in Create Start Join Lock Unlock Barrier; do measured "thread$test" 0; done
[ "$(rows ',there,')" -eq 0 ] || fail "a test that does not fit was run"
# Positive times but of empty, of a thread that begins before its creator goes on, and of differences, which are signed.
awk -F, 'NR > 1 && $2 !~ /^(empty|clockOffset|threadStart)|Opposed/ && !($8 >= 0 && $11 > 0) { print; bad = 1 }
    END { exit bad }' results/rank-000000.csv ||
    fail "a time is not positive"

# MPI_Init on the quickest and on the slowest rank, and MPI_Finalize.
awk -F, 'NR == 2 && $1 > 0 && $2 >= $1 && $3 > 0 { right = 1 } END { exit !right || NR != 2 }' results/launch.csv ||
    fail "launch.csv has no times: $(cat results/launch.csv)"

# A batch has both references or none. Losses of the core are counted where there are no references.
awk -F, 'NR > 1 && (($12 > 0) != ($13 > 0) || ($12 > 0 && $14 > 0)) { print; bad = 1 } END { exit bad }' results/rank-000000.csv ||
    fail "one reference without the other, or losses beside references"
[ "$(awk -F, '$12 > 0' results/rank-000000.csv | wc -l)" -gt 0 ] || fail "no references within a node"

# Several sizes are measured in two passes, which the table joins.
cat >passes.json <<'END'
{ "tests": { "two": { "conf": [1, 2], "sizes": [8, "4K"], "tests": "bcast", "minRepeats": 12, "maxDuration": 0 } } }
END
bench 0 2 -c passes.json -o resultsp
shows '^bcast +1 +2 +8 +(1[2-9]|2[0-2]) ' # 6 in each, or up to 5 more behind a short batch
[ "$(awk -F, '$7 == 0 { printf "%s ", $6 }' resultsp/rank-000000.csv)" = '8 4096 8 4096 ' ] ||
    fail "not two passes: $(cat resultsp/rank-000000.csv)"

# Three ranks: one is idle in tests of two.
cat >three.json <<'END'
{ "tests": { "locks": { "conf": [1, 3], "sizes": 8, "tests": "lockContended", "minRepeats": 2, "maxDuration": 0 },
             "pair": { "conf": [1, 2], "sizes": 8, "tests": "bcast", "minRepeats": 2, "maxDuration": 0 } } }
END
bench 0 3 -c three.json -o results3 --lines
shows '^Test:lockContended, Nodes:1 Ranks:3, Size:0 byte, minDuration:[0-9.]+s, maxDuration:[0-9.]+s, avgDuration:[0-9.]+s$'
shows '^Test:bcast, Nodes:1 Ranks:2, Size:8 byte, '

# If MPI_Finalize does not return, the ranks end by themselves, with all results. The launcher's status is 0, or that of a rank:
# it kills the others when it sees that the first has left.
timeout -k 5 120 mpiexec.mpich -n 2 env LD_PRELOAD="$3" "$bench" -c three.json -o resultsh >out 2>err
status=$?
[ $status -ne 124 ] && [ $status -ne 137 ] || fail "ranks that hang in MPI_Finalize do not end: $(cat err)"
[ "$(grep -c '^pair,bcast,' resultsh/rank-000000.csv)" -ge 2 ] || fail "the results of ranks that hang in MPI_Finalize are not there"
holds resultsh/run.json '.complete == true'

# The original's example: none of its tests fits here, so all are left out, with the reason.
bench 0 2 -c "$source/examples/network-bench.json" -o resultsx --lines
holds resultsx/run.json '.skipped | length == 11'
said() { # TEXT: the lines about what is left out
    [ "$(grep 'left out' err)" = "$1" ] || fail "not '$1' is said of what is left out: $(cat err)"
}
said 'rmacast-bench: test1: 11 tests need 10 ranks on 2 nodes: left out; this machine has 2 ranks on 1 node'

# A line for each demand, with the names of its tests; nothing of optional tests, or if --quiet is given. run.json has all.
# A test of pairs needs two nodes.
cat >demands.json <<'END'
{ "test_collections": { "two": ["bcast", "pingPong"] },
  "tests": { "a": { "conf": [[2, 2], [1, 2], [1, 5]], "sizes": 8, "tests": "two", "minRepeats": 2, "maxDuration": 0 },
             "b": { "conf": [2, 2], "sizes": 8, "tests": "bcast", "pairs": true },
             "c": { "conf": [2, 4], "sizes": 8, "tests": "two", "optional": true },
             "d": { "conf": [1, 2], "sizes": "4096M", "tests": "bcast" } } }
END
bench 0 2 -c demands.json -o resultsd
said "rmacast-bench: a, b: 3 tests need 2 ranks on 2 nodes: left out; this machine has 2 ranks on 1 node
rmacast-bench: a: 2 tests need 5 ranks on 1 node: left out; this machine has 2 ranks on 1 node
rmacast-bench: left out: d:bcast: 4294967296 bytes on each of 2 ranks, expected 2 GiB in all at most"
holds resultsd/run.json '[.skipped[] | .test] == ["a", "a", "a", "a", "b", "c", "c", "d"] and (.skipped[7].reason | test("2 GiB"))'
bench 0 2 -c demands.json -o resultsd --quiet
said ''
holds resultsd/run.json '.skipped | length == 8'

# Wrong configurations: one line with file and key.
wrong() { # TEXT MESSAGE
    echo "$1" >wrong.json
    bench 1 2 -c wrong.json -o resultsw
    grep -qF "rmacast-bench: wrong.json:$2" err || fail "'$2' is not in the error: $(cat err)"
    [ "$(grep -c '^rmacast-bench: ' err)" -eq 1 ] || fail "not one line: $(cat err)"
}
wrong '{ "tests": { "t": { "conf": [1, 2], "sizes": 8, "tests": "bcats" } } }' "tests.t.tests: no test 'bcats'"
wrong '{ "tests": { "t": { "conf": [1, 2], "sizes": 8 "tests": "bcast" } } }' "1: "
bench 1 2 -c missing.json -o resultsw
grep -q '^rmacast-bench: missing.json: cannot be opened: No such file or directory$' err || fail "a missing file: $(cat err)"
bench 1 2 -c small.json -o /nonexistent/results
grep -q '^rmacast-bench: /nonexistent/results: ' err || fail "a directory that cannot be made: $(cat err)"
bench 2 1 --bogus
for rounds in 0 many 5x 99999999999; do
    bench 2 1 --rounds $rounds
    grep -qF -- "--rounds $rounds, expected a whole number from 1 to 1000" err || fail "--rounds $rounds: $(cat err)"
done

# Results of an earlier run with more ranks and rounds do not join those of this one.
mkdir -p resultsp/round-1
cp resultsp/rank-000000.csv resultsp/rank-000007.csv
cp resultsp/rank-000000.csv resultsp/run.json resultsp/round-1
bench 0 2 -c passes.json -o resultsp
[ "$(find resultsp -type f | sort | tr '\n' ' ')" = 'resultsp/launch.csv resultsp/rank-000000.csv resultsp/run.json ' ] ||
    fail "files of an earlier run are left: $(find resultsp)"

# A directory that one of the ranks does not see: one line, and no rank waits for another.
mkdir -p seen0 seen1
timeout -k 5 60 mpiexec.mpich -n 2 sh -c 'cd seen$PMI_RANK && exec "$@"' sh "$bench" -c ../passes.json -o results >out 2>err
status=$?
[ $status -eq 1 ] && [ "$(grep -c '^rmacast-bench: ' err)" -eq 1 ] ||
    fail "exit status $status where a rank does not see the results, expected 1: $(cat err)"
grep -q '^rmacast-bench: results: No such file or directory on .*, expected a directory that all nodes can write to$' err ||
    fail "a directory that one rank does not see: $(cat err)"

# Under Open MPI's launcher it becomes the program for Open MPI.
if [ -x "$bench-openmpi" ] && command -v mpiexec.openmpi >/dev/null; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        timeout -k 5 120 mpiexec.openmpi -n 2 "$bench" -c passes.json -o resultso >out 2>err ||
        fail "under Open MPI's launcher: $(cat err)"
    holds resultso/run.json '(.library | test("Open MPI")) and (.nodes[0].ranks | length == 2)'
fi
finish
