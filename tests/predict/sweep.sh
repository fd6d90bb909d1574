# rmacast sweep: a point whose process is killed is run once more. What a transcript can say: tests/commands/simulate/sweep.test.
. "$(dirname "$0")/lib.sh"

rm -f long.json # of an earlier test, which would be gone on with
run 0 generate halo2d --ranks 64 --iterations 100 -o long.txt
printf '{"traces": ["long.txt"], "engine": "loggp", "semantics": ["a", "c"], "platforms": ["ideal", "two-nodes"],
    "mappings": [{"ranks_per_node": 32}]}' >config.json
"$program" sweep config.json -o long.json -j 1 >out 2>err &
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
finish
