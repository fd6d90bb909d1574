# What a page does in a browser: report_browser.py works it as a user does, and nothing of a trace is run. With --long, of a run
# of 1.2 million calls of 1024 ranks. Exit status 77: none.
skip() { echo "SKIPPED: $*, so that no page is opened"; exit 77; }
command -v chromedriver >/dev/null && { command -v chromium || command -v google-chrome; } >/dev/null ||
    skip 'no Chromium is installed (Debian: chromium, chromium-driver)'
command -v python3 >/dev/null || skip 'no python3 is installed'
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
work() {
    timeout 300 python3 -B "$here/report_browser.py" "$here/report_clicks.js" "$@"
    worked=$?
    [ $worked -ne 77 ] || exit 77
    [ $worked -eq 0 ] || fail 'the pages do not do in Chromium what they have to'
    finish
}
if [ "${3:-}" = --long ]; then
    run 0 generate halo2d --ranks 1024 --iterations 150 --sync pscw --imbalance 30% -o long.rma
    run 0 simulate long.rma --platform two-nodes --set mapping.ranks_per_node=512 --engine loggp --semantics a -o predicted.rma
    run 0 report predicted.rma -o long.html
    [ "$(wc -c <long.html)" -le 5000000 ] || fail "$(wc -c <long.html) bytes of a page of 1.2 million calls"
    work --long
    exit
fi

# 1. A run, its prediction, and everything that can be given with them.
trace=$source/tests/cases/active/worked_example.case
run 0 simulate "$trace" --platform "$platform" --engine loggp --semantics c -o predicted.txt
run 0 compare "$trace" --platform "$platform" --engine loggp --json comparison.json
run 0 sensitivity "$trace" --platform "$platform" --semantics a,c --of network.latency_s,network.bandwidth_Bps --json sensitivity.json
run 0 advise "$trace" --platform "$platform" --engine loggp --json advice.json
run 0 validate --predicted predicted.txt --measured "$trace" --json validation.json
cat >platform.json <<'END'
{"schema": "rmacast.platform/1", "name": "measured", "nodes": {"count": 2}, "$calibration": {"notes": ["one note"], "within": {}, "between": {"put": {
 "points": [{"bytes": 1, "used_s": 2e-6}, {"bytes": 1024, "used_s": 3e-6}, {"bytes": 1048576, "used_s": 1e-4}],
 "segments": [{"from_bytes": 1, "upto_bytes": 1048576, "intercept_s": {"value": 2e-6}, "s_per_byte": {"value": 1e-10}}]}}}}
END
cat >campaign.json <<'END'
{"schema": "rmacast.campaign-result/1", "date": "2026-01-01", "machine": {"processor": "a"}, "failed": 1, "rows": [{"program": "halo",
 "bytes": 8, "ranks": 2, "semantics": "a", "part": {"predicted_s": 0.9, "measured_s": 1, "relative": -0.1, "spread": 0.02}}],
 "summary": {"rows": 1, "median": 0.1, "worst": 0.1, "within_spread": 0}}
END
cat >scaling.json <<'END'
{"schema": "rmacast.scaling/1", "scaling": "strong", "program": "repeat 2", "replays": [{"ranks": 2, "measured_s": 3.8, "replayed_s": 4, "relative": 0.05}], "stops_paying": [{"semantics": "a", "ranks": 8}], "points": [
 {"ranks": 4, "semantics": "a", "run_time_s": 2, "run_time_low_s": 1.9, "run_time_high_s": 2.1, "speedup": 1, "efficiency": 1},
 {"ranks": 8, "semantics": "a", "run_time_s": 1, "run_time_low_s": 0.9, "run_time_high_s": 1.2, "speedup": 2, "efficiency": 1}]}
END
# A prediction of two semantics, c a tenth shorter: within its error, and beyond it.
jq '.points |= map(., (.semantics = "c" | .run_time_s *= 0.9)) | .stops_paying += [{"semantics": "c", "ranks": 8}] | .fastest = [.points[] | {ranks, semantics}]' \
    scaling.json >alike.json
run 0 report alike.json -o alike.html
jq '.fastest |= map(select(.semantics == "c"))' alike.json >apart.json && run 0 report apart.json -o unlike.html
run 0 report "$trace" predicted.txt comparison.json advice.json validation.json platform.json campaign.json scaling.json sensitivity.json \
    --title 'a run' -o all.html

run 0 generate ring --ranks 2 --iterations 2 --sync p2p -o messages.txt
run 0 advise messages.txt --platform "$platform" --engine loggp --json messages.json
for part in comparison scaling validation advice messages; do run 0 report $part.json -o ${part}_alone.html; done

# 2. Names with markup, control characters, other directions of writing, and a megabyte.
evil='"><img%20src=x%20onerror=window.hacked=1></script><script>window.hacked=2</script>'
big=$(head -c 1000000 /dev/zero | tr '\0' B)
cat >evil.txt <<END
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=64,64 disp_unit=1 name=$evil
0 0.000000 0.000020 MPI_Win_create win=0
0 0.000020 enter $evil
0 0.000025 enter $(printf 'a\001\033[31m\342\200\256gnp.exe')
0 0.000027 enter $big
0 0.000030 0.000100 MPI_Barrier comm=0
0 0.000100 leave $big
0 0.000100 leave $(printf 'a\001\033[31m\342\200\256gnp.exe')
0 0.000100 leave $evil
1 0.000000 0.000020 MPI_Win_create win=0
1 0.000080 0.000100 MPI_Barrier comm=0
END
run 0 report evil.txt --title '</title><script>window.hacked=3</script>' -o evil.html
[ "$(wc -c <evil.html)" -lt 400000 ] || fail "$(wc -c <evil.html) bytes: a long name is in the page whole"

# 3. A run of which a part is missing says so above everything.
run 0 simulate "$trace" --platform "$platform" --engine loggp --json whole.json
jq '.incomplete = true | .left_out = [{"rank": 0, "event": 3, "time_s": 1e-6, "calls": 5, "reason": "rank 0 was killed"}]' whole.json >part.json
run 0 report part.json -o part.html

# 4. A run of which all is known: rank 1 posts 1 ms late, and rank 0 waits for it in line 31.
cat >sites.txt <<'END'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=64,64 disp_unit=1
0 0 0.00105 MPI_Win_start win=0 group=1 site=solve@app.c:31
0 0.00106 0.00107 MPI_Put win=0 target=1 bytes=8 disp=0 site=solve@app.c:32
0 0.00108 0.0011 MPI_Win_complete win=0 site=solve@app.c:33
1 0.001 0.00101 MPI_Win_post win=0 group=0 site=solve@app.c:35
1 0.00105 0.00115 MPI_Win_wait win=0 site=solve@app.c:36
END
run 0 simulate sites.txt --platform "$platform" --engine loggp --semantics c -o sites-predicted.txt
run 0 compare sites.txt --platform "$platform" --engine loggp --json sites-comparison.json
run 0 advise sites.txt --platform "$platform" --engine loggp --json sites-advice.json
run 0 report sites.txt sites-predicted.txt sites-comparison.json sites-advice.json -o sites.html

# 5. Long runs: levels of detail.
run 0 report "$trace" --calls 1 -o levels.html

# 6. A ring whose starts begin with the posts before them, at the same picosecond.
run 0 generate ring --ranks 4 --iterations 2 --imbalance 50% -o ring.rma
run 0 simulate ring.rma --platform two-nodes --set mapping.ranks_per_node=2 --engine loggp -o ring.txt
run 0 report ring.txt -o ring.html

# 7. 64 ranks, and 1024 ranks: a page of at most 5 MB.
run 0 generate halo2d --ranks 64 --iterations 20 --sync pscw --imbalance 30% -o middle.txt
run 0 simulate middle.txt --platform two-nodes --set mapping.ranks_per_node=32 --engine loggp --semantics a -o middle-predicted.txt
run 0 report middle-predicted.txt -o middle.html
run 0 report middle.txt middle-predicted.txt -o generated.html
run 0 generate ring --ranks 1024 --iterations 4 --sync pscw --imbalance 30% -o many.txt
run 0 simulate many.txt --platform two-nodes --set mapping.ranks_per_node=512 --engine loggp --semantics a -o many-predicted.txt
run 0 report many-predicted.txt -o many.html
[ "$(wc -c <many.html)" -le 5000000 ] || fail "$(wc -c <many.html) bytes of a page of 1024 ranks"
# The longest run that is shown call by call: 1024 * 7 posts, starts, completes and waits, 4 puts each but at the edges. And 200
# iterations of 64 ranks: 200 * 4 * 7 * 8 = 44800 transfers.
run 0 generate halo2d --ranks 1024 --iterations 7 --sync pscw --imbalance 30% -o calls.rma
run 0 simulate calls.rma --platform two-nodes --set mapping.ranks_per_node=512 --engine loggp --semantics a -o calls-predicted.rma
run 0 report calls-predicted.rma -o calls.html
grep -q '"calls":\[\[' calls.html || fail 'the calls of a run of 1024 ranks are not in the page'
[ "$(wc -c <calls.html)" -le 5000000 ] || fail "$(wc -c <calls.html) bytes of a page of 1024 ranks with its calls"
run 0 generate halo2d --ranks 64 --iterations 200 --sync pscw --imbalance 30% -o transfers.rma
run 0 simulate transfers.rma --platform two-nodes --set mapping.ranks_per_node=32 --engine loggp --semantics a -o transfers-predicted.rma
run 0 report transfers-predicted.rma -o transfers.html
[ "$(wc -c <transfers.html)" -le 3000000 ] || fail "$(wc -c <transfers.html) bytes of a page of 44800 transfers"
! grep -q "$PWD" all.html || fail "the page has a folder of this machine"

# 8. 200 iterations of 1 ms, of which one takes 11 ms on rank 1.
awk 'BEGIN { print "rmacast-trace 1\nranks 2"
  for (rank = 0; rank < 2; rank++) { print rank, 0, "enter main"
    for (i = end = 0; i < 200; i++) { end += i == 120 ? 11 : 1; print rank, (rank ? end : i == 120 ? end - 10.1 : end - 0.1) / 1000, end / 1000, "MPI_Barrier comm=0" } } }' >steps.txt
run 0 report steps.txt -o steps.html
run 0 report steps.txt sites.txt -o apart.html

work
