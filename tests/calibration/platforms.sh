# What is made of a bench's results: platform file, picture, difference, SimGrid's file. No MPI. PROGRAM SOURCE
. "$(dirname "$0")/../predict/lib.sh"
rm -rf results && mkdir results

# 20 sizes of a network of 2 us and 2 GB/s up to 8 KiB, then 5 us and 5 GB/s; the call takes 0.5 us. Repetitions differ by up to
# 1 %, in a fixed order. The call that comes back: 0.5 us + message + acknowledgement of 2 us.
awk 'BEGIN {
    print "test,function,nodes,ranks,place,bytes,repetition,root_s,least_s,mean_s,most_s"
    for (k = 3; k < 23; k++) {
        n = 2 ^ k
        message = n <= 8192 ? 2e-6 + n / 2e9 : 5e-6 + n / 5e9
        row("putLatency -s flush", n, 0.5e-6 + message + 2e-6)
    }
    row("putIssue", 8, 0.5e-6)
}
function row(name, n, time,   i, value) {
    for (i = 0; i < 40; i++) {
        value = time * (1 + 0.01 * ((i * 7 + n * 3) % 41 - 20) / 20)
        printf "t,%s,2,2,0+1,%d,%d,%.9g,%.9g,%.9g,%.9g\n", name, n, i, value, value, value, value
    }
}' >results/rank-000000.csv
echo '{ "library": "by hand", "cores": 4, "nodes": [{ "host": "a", "ranks": [0] }, { "host": "b", "ranks": [1] }] }' >results/run.json

run 0 calibrate --results results -o made.json
shows '^network\.overhead_s +(4\.9|5)[0-9.]*e-07 \+- '
near='def near(a; b): (a - b | fabs) <= 0.03 * b;'
holds made.json "$near .network.segments | length == 2 and near(.[0].latency_s.value; 2e-6) and near(.[0].bandwidth_Bps.value; 2e9)
                 and near(.[1].latency_s.value; 5e-6) and near(.[1].bandwidth_Bps.value; 5e9) and .[0].upto_bytes.value == 8192"
holds made.json '[.. | objects | select(has("value"))] | length >= 6 and all(.value >= 0 and .error >= 0 and .n >= 1)'
holds made.json '.nodes == {"count": 2, "cores": 4} and .mapping.ranks_per_node == 1 and .name == "made"'
# The user states the shape and the number of nodes; what was measured stays, with its errors.
run 0 platform show made.json --set nodes.count=64 --set 'network.topology={"type": "fat_tree", "down": [16, 4], "up": [1, 16]}' --json cluster.json
holds cluster.json '.nodes.count == 64 and .network.topology == {"type": "fat_tree", "down": [16, 4], "up": [1, 16]}'
jq -e --slurpfile measured made.json '.network.segments == $measured[0].network.segments and
    .["$calibration"] == $measured[0]["$calibration"]' cluster.json >/dev/null || fail "the measured values have changed: $(cat cluster.json)"
run 0 platform check cluster.json
shows '64 nodes'
# The same results give the same bytes.
run 0 calibrate --results results -o again.json --name made
cmp -s made.json again.json || fail "a second fit of the same results differs"

# The simulator makes of it what was measured: a put and its flush of 64 KiB are 0.5 us + 5 us + 13.1 us + 2 us, within 3 %.
cat >put.txt <<'END'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=65536,65536 disp_unit=1
0 0 0 MPI_Win_lock win=0 target=1 lock=shared assert=0
0 1 1 MPI_Put win=0 target=1 bytes=65536 disp=0
0 1 1 MPI_Win_flush win=0 target=1
0 2 2 MPI_Win_unlock win=0 target=1
END
run 0 simulate put.txt --platform made.json -o predicted.txt
awk '/MPI_Put/ { begin = $2 } /MPI_Win_flush/ { end = $3 } END { t = end - begin; exit !(t > 0.97 * 20.6e-6 && t < 1.03 * 20.6e-6) }' predicted.txt ||
    fail "the simulated put is not as measured: $(grep -E 'MPI_Put|flush' predicted.txt)"

[ ! -s err ] || fail "a size that was measured is noted: $(cat err)"
# Sizes beyond 4 MiB were not measured: it says so.
sed 's/65536/8388608/g' put.txt >large.txt
run 0 simulate large.txt --platform made.json -o none.txt
grep -q '^rmacast: note: 1 transfers are larger than the 4194304 bytes up to which made.json was measured' err || fail "extrapolates silently: $(cat err)"
rm -f none.txt

run 0 platform plot made.json -o plot.svg
[ "$(grep -c '<circle' plot.svg)" -eq 41 ] || fail "$(grep -c '<circle' plot.svg) circles, expected 20 points, 20 residuals, 1 key"
[ "$(grep -c '<polyline' plot.svg)" -eq 2 ] || fail "$(grep -c '<polyline' plot.svg) lines, expected those of 2 segments"
tail -1 plot.svg | grep -qx '</svg>' || fail "the picture does not end"
error 1 'two-nodes.json:$calibration: no measured points' platform plot two-nodes -o none.svg
[ ! -e none.svg ] || fail "a picture of nothing was written"
error 1 'ideal: no measured points' platform plot ideal -o none.svg
error 2 'plot: the output is missing' platform plot made.json

run 0 platform diff made.json again.json
shows '^both say the same$'
run 0 platform diff two-nodes four-nodes --set nodes.speed=1
shows '^nodes\.count +2 +4 +\+100\.0 %$'
# As JSON: the same keys, each value as its file has it; a key that one file lacks has one value.
run 0 platform diff two-nodes four-nodes --json difference.json
[ "$(jq '.differences | length' difference.json)" = "$("$program" platform diff two-nodes four-nodes | wc -l)" ] || fail "diff --json has other rows"
holds difference.json '.schema == "rmacast.platform-difference/1" and ([.differences[] | select(.key == "nodes.count")] == [{key: "nodes.count", first: 2, second: 4}])'
error 2 'diff takes two platform files' platform diff two-nodes
# An option that would do nothing is wrong usage.
error 2 'check takes no --json' platform check two-nodes --json none.json
error 2 'show takes no --output' platform show two-nodes -o none.json
error 2 'plot takes no --set' platform plot made.json -o none.svg --set nodes.count=3
error 2 'export takes no --json' platform export two-nodes -o none.xml --json none.json
error 2 'profiles takes no --set' platform profiles --set nodes.count=3

# SimGrid's file of a platform gives the same run in the simgrid engine.
run 0 generate ring --ranks 2 --iterations 3 --bytes 100K -o ring.txt
run 0 platform export two-nodes -o two.xml
echo '{ "schema": "rmacast.platform/1", "nodes": {"count": 2},
        "network": {"topology": {"simgrid_xml": "two.xml"}, "latency_s": 1e-6, "bandwidth_Bps": 1e10} }' >xml.json
run 0 simulate ring.txt --platform two-nodes --engine simgrid --json direct.json
run 0 simulate ring.txt --platform xml.json --engine simgrid --json exported.json
jq -e --slurpfile other exported.json '(.run_time_s - $other[0].run_time_s | fabs) < 1e-9' direct.json >/dev/null ||
    fail "run time $(jq .run_time_s direct.json), from SimGrid's file $(jq .run_time_s exported.json)"
error 1 'infinite, expected a rate' platform export ideal -o none.xml
error 1 'is a SimGrid platform already' platform export xml.json -o none.xml

# Damaged results.
cp results/rank-000000.csv kept
printf 't,putIssue,2,2,0+1,8,0,fast,1,1,1\n' >>results/rank-000000.csv
error 1 'results/rank-000000.csv:842: no row of a bench run: root_s is '"'fast'"', expected seconds' calibrate --results results -o none.json
: >results/rank-000000.csv
error 1 'rmacast: results: neither "putLatency -s flush" nor "pingPong"' calibrate --results results -o none.json
cp kept results/rank-000000.csv
echo '{ "rma": { "issue": "none" } }' >results/mpi.json
error 1 'results: makes no platform: mpi.rma.issue: ' calibrate --results results -o none.json
rm results/mpi.json
error 1 'no/written.json: cannot be written' calibrate --results results -o none.json --json no/written.json
head -200 kept | grep -v putIssue | head -100 >results/rank-000000.csv
error 1 'neither "putLatency -s flush" nor "pingPong" can be fitted' calibrate --results results -o none.json
echo '{ "nodes": [] }' >results/run.json
error 1 'rmacast: results: run.json:nodes: no nodes with ranks' calibrate --results results -o none.json
echo '[' >results/run.json
error 1 'results/run.json:' calibrate --results results -o none.json
error 1 'nowhere/run.json' calibrate --results nowhere -o none.json
[ ! -e none.json ] || fail "a platform file was written of damaged results"
finish
