# rmacast sweep: points worked out by hand, in their order, resumed, and failing.
. "$(dirname "$0")/lib.sh"

# Rank 1 posts after 100 us of computing; rank 0 waits for that in start (a), put (b) or complete (c), then computes for 100
# us: 200 us. Under d, or with the post moved up, nobody waits: 100 us. What is sent takes no time on the ideal platform; on
# the slow one a message takes 1 s.
cat >late.txt <<'END'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=8,8
0 0.000000 0.000000 MPI_Win_start win=0 group=1
0 0.000000 0.000000 MPI_Put win=0 target=1 bytes=8 disp=0
0 0.000000 0.000000 MPI_Win_complete win=0
0 0.000100 0.000100 MPI_Comm_group comm=0
1 0.000000 0.000000 MPI_Comm_group comm=0
1 0.000100 0.000100 MPI_Win_post win=0 group=0
1 0.000100 0.000100 MPI_Win_wait win=0
END
rm -rf data ./*.json
mkdir data
mv late.txt data
cat >data/late.json <<'END'
{"schema": "rmacast.sweep-config/1", "traces": ["late.txt"], "engine": "loggp", "transforms": ["none", "post-early"],
 "platforms": ["ideal", {"file": "two-nodes", "name": "slow", "set": {"network.latency_s": "1s", "mapping.ranks_per_node": 1}}]}
END
run 0 sweep data/late.json -o points.json --csv points.csv -j 1
shows '^ranks  platform  transforms  semantics     run time  largest wait state$'
shows '^ +2  ideal +none +a +200 us  Late Post 25.0 %$'
shows '^Fastest at 2 ranks: platform ideal, transforms none, semantics d, 100 us$'
holds points.json '.schema == "rmacast.sweep/1" and .count == 16 and .done == 16 and .failed == 0'
holds points.json '[.points[:8][].run_time_s * 1e6 | round] == [200, 200, 200, 100, 100, 100, 100, 100]'
holds points.json '[.points[:8][] | .transforms + " " + .semantics] ==
    ["none a", "none b", "none c", "none d", "post-early a", "post-early b", "post-early c", "post-early d"]'
holds points.json '[.points[8:][] | .platform] | unique == ["slow"]'
holds points.json '.points[0].wait_states_s.late_post * 1e6 | round == 100'
holds points.json '[.points[8:][].run_time_s >= 1] | all'
[ "$(head -1 points.csv)" = ranks,platform,mapping,transforms,semantics,state,run_time_s,late_post_s,early_transfer_s,early_wait_s,reason ] ||
    fail "$(head -1 points.csv)"
grep -q '^2,ideal,platform,none,a,done,0.0002,0.0001,0,0,$' points.csv || fail "$(head -2 points.csv)"
cp points.json whole.json

# The same bytes, whatever ends first, and from whichever point a sweep goes on.
run 0 sweep data/late.json -o at_once.json -j 4
cmp -s at_once.json whole.json || fail "four at once give another result: $(diff at_once.json whole.json | head -3)"
run 0 sweep data/late.json --json -
cmp -s out whole.json || fail "--json - differs"
run 0 sweep data/late.json -o points.json
grep -q '16 of 16 points are taken' err || fail "$(cat err)"
head -c 2500 whole.json >points.json
whole_lines=$(($(wc -l <points.json) - 1))
run 0 sweep data/late.json -o points.json
grep -q "points.json breaks off; $whole_lines of 16 points are taken" err || fail "$whole_lines lines: $(cat err)"
cmp -s points.json whole.json || fail "a sweep that goes on gives another result"
: >points.json
run 0 sweep data/late.json -o points.json
cmp -s points.json whole.json || fail "an empty file is not begun anew"

# Other inputs are other points; the same in another configuration are taken.
sed 's/0.000100 0.000100 MPI_Win_post/0.000050 0.000100 MPI_Win_post/' data/late.txt >data/earlier.txt
sed 's/late.txt/earlier.txt/' data/late.json >data/earlier.json
run 0 sweep data/earlier.json -o points.json
! grep -q taken err || fail "points of another trace are taken: $(cat err)"
holds points.json '.points[0].run_time_s * 1e6 | round == 150'
sed 's/"engine"/"semantics": ["a"], "engine"/' data/late.json >data/few.json
cp whole.json points.json
run 0 sweep data/few.json -o points.json
grep -q '4 of 4 points are taken' err || fail "$(cat err)"

# A program model is run at the numbers of ranks that are asked for.
cat >data/model.json <<END
{"traces": ["$source/examples/halo.model"], "ranks": [16, 36], "semantics": ["a"], "engine": "loggp", "platforms": ["ideal"]}
END
run 0 sweep data/model.json -o model.json
for point in '0 16' '1 36'; do
    set -- $point
    run 0 simulate "$source/examples/halo.model" --ranks $2 --semantics a --engine loggp --platform ideal --json one.json
    holds model.json ".points[$1].ranks == $2 and near(.points[$1].run_time_s; $(jq .run_time_s one.json))"
done

# Points that fail are said at the end, and tried again by the next sweep.
sed 's/"engine"/"mappings": ["platform", {"ranks": [0]}], "semantics": ["a"], "engine"/' data/late.json >data/far.json
error 1 '4 of 8 points failed, the first: ' sweep data/far.json -o failed.json
holds failed.json '[.points[].state] == ["done","done","failed","failed","done","done","failed","failed"]'
holds failed.json '[.points[] | select(.state == "failed") | .reason | length > 10] | all'
timeout 50 "$program" sweep data/far.json -o failed.json >out 2>err
grep -q '4 of 8 points are taken' err || fail "$(cat err)"

# A point whose process is killed is run once more.
run 0 generate halo2d --ranks 64 --iterations 100 -o data/long.txt
printf '{"traces": ["long.txt"], "engine": "loggp", "semantics": ["a", "c"], "platforms": ["ideal", "two-nodes"],
    "mappings": [{"ranks_per_node": 32}]}' >data/long.json
"$program" sweep data/long.json -o long.json -j 1 >out 2>err &
sweep=$!
tries=0 killed=0
while [ $tries -lt 2000 ] && kill -0 $sweep 2>/dev/null && [ $killed -eq 0 ]; do
    tries=$((tries + 1))
    for child in $(cat /proc/$sweep/task/*/children 2>/dev/null); do kill -KILL "$child" 2>/dev/null && killed=1; done
    sleep 0.005
done
wait $sweep || fail "a sweep with a killed process: $(cat err)"
[ $killed -eq 1 ] || fail "no process of a point was seen"
holds long.json '.done == 4 and .failed == 0'

# What is wrong with a configuration, by file and key.
wrong() { # KEY TEXT SED-EXPRESSION
    sed "$3" data/late.json >data/wrong.json
    error 1 "data/wrong.json:$1: " sweep data/wrong.json
    grep -qF -- "$2" err || fail "$1: '$2' is not in $(cat err)"
}
wrong 'traces[0]' "no such file 'none.txt'" 's/late.txt/none.txt/'
wrong 'traces' 'is empty' 's/"late.txt"//'
wrong 'engine' "engine 'fast', expected simgrid or loggp" 's/loggp/fast/'
wrong 'transforms[1]' 'post-soon' 's/post-early/post-soon/'
wrong 'transforms[1]' "'none' stands twice" 's/post-early/none/'
wrong 'platforms[0]' 'no such file or installed platform' 's/"ideal"/"none"/'
wrong 'platforms[1]' 'network.latency_s' 's/"1s"/-1/'
wrong 'platforms[1].sets' 'unknown' 's/"set"/"sets"/'
wrong 'ranks' 'one trace is replayed at its own number of ranks' 's/"engine"/"ranks": [4], "engine"/'
wrong 'semantics[1]' 'expected one of a, b, c, d, platform' 's/"engine"/"semantics": ["a", "e"], "engine"/'
wrong 'mappings[0].ranks_per_core' 'unknown' 's/"engine"/"mappings": [{"ranks_per_core": 1}], "engine"/'
wrong 'schema' 'unknown schema' 's/config.1/config\/2/'
printf '{"traces": [' >data/wrong.json
error 1 'data/wrong.json:1: not JSON' sweep data/wrong.json
cp data/late.txt other.txt
error 1 'other.txt: is no result of a sweep' sweep data/late.json -o other.txt
cmp -s data/late.txt other.txt || fail 'what is no result is replaced'
error 2 'CONFIG.json' sweep
error 2 '-o' sweep data/late.json -o data/late.json
error 2 '-o' sweep data/late.json -o data/late.txt
error 2 '-o -' sweep data/late.json -o -
finish
