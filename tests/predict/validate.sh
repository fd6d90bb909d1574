# `rmacast validate` with runs whose times are known: the worked example of docs/simulation.md under a (570 us; ranks 560,
# 570) and b (520 us; ranks 510, 520).
. "$(dirname "$0")/lib.sh"

run 0 compare "$worked" --platform "$platform" --engine loggp --json comparison.json
for letter in a b; do
    run 0 simulate "$worked" --platform "$platform" --engine loggp --semantics $letter -o $letter.txt \
        --json $letter.json
done

# a trace predicts itself, as a result, too
run 0 validate --predicted a.json --measured a.txt --tolerance 0
shows '^Tolerance 0% holds\.$'
run 0 validate --predicted a.txt --measured a.json --tolerance 0 --json -
holds out '.schema == "rmacast.validation/1" and .holds and .worst == null'

# b for a: 520 against 570 is -50, -8.77 %; rank 0 510 against 560, -8.93 %; Late Post 0 against 400, of 1130 in all
# 35.4 %; Early Transfer 350 against 0, of a tenth of 1130 309.7 %
run 0 validate --predicted comparison.json --semantics b --measured a.txt --json validation.json
holds validation.json 'near(.run_time.error_s; -50e-6) and near(.run_time.relative; -50 / 570)'
holds validation.json 'near(.rank_time[0].relative; -50 / 560) and near(.rank_time[1].relative; -50 / 570)'
holds validation.json '.tolerance == null and .predicted.semantics == "b"'
holds validation.json '.patterns[] | select(.name == "late_post") | near(.error_s; -400e-6) and near(.relative; -1)'
holds validation.json '.patterns[] | select(.name == "late_post") | near(.deviation; 400 / 400)'
holds validation.json '.patterns[] | select(.name == "early_transfer") | near(.error_s; 350e-6) and .relative == null'
shows '^run time +520 us +570 us +-50 us +-8\.77%'
shows '^late_post +0 +400 us +-400 us +-100\.00% +-35\.40%'
run 1 validate --predicted comparison.json --semantics b --measured a.txt --tolerance 309%
grep -q 'rmacast: comparison.json: tolerance 309% does not hold: early_transfer' err ||
    fail "the worst is not named: $(cat err)"
run 0 validate --predicted comparison.json --semantics b --measured a.txt --tolerance 310%

# repetitions: the median of 570, 570, 520 is 570
run 0 validate --predicted b.json --measured a.txt a.json b.txt --json -
holds out '(.measured | length) == 3 and near(.run_time.measured_s; 570e-6) and near(.run_time.measured_min_s; 520e-6)'
holds out '.run_time.within_spread'

# call by call, b for a: start 0 against 410 us, put 360 against 0, wait 70 against 120, complete 50 against 50; computing is the
# same everywhere. In all 410 + 360 + 50 = 820 us.
run 0 validate --predicted b.txt --measured a.txt --json calls.json --csv tables --svg picture.svg --explain
holds calls.json '.calls.count == 10 and near(.calls.absolute_error_s; 820e-6) and near(.calls.error_s.worst; 410e-6)'
holds calls.json '.calls.worst | .function == "MPI_Win_start" and .rank == 0 and .occurrence == 1 and near(.measured_s; 410e-6)'
holds calls.json '[.calls.callpaths[:3][] | .function] == ["MPI_Win_start", "MPI_Put", "MPI_Win_wait"]'
holds calls.json '[.calls.callpaths[:3][] | .share] | near(.[0]; 410 / 820) and near(.[1]; 360 / 820) and near(.[2]; 50 / 820)'
holds calls.json '[.calls.callpaths[:3][] | .error_s] | near(.[0]; -410e-6) and near(.[1]; 360e-6) and near(.[2]; -50e-6)'
holds calls.json '.calls.within_spread == 7'
holds calls.json '.properties[] | select(.name == "time_s") | near(.measured_s; 1130e-6) and near(.error_s; -100e-6)'
shows '^ +43\.9% +1 +360 us +0 +360 us +0  MPI_Put in MPI_Put$'
# A section has its calls alone: from 10 us on rank 0 put (360 against 0) and complete, each with the computing before
# it; rank 1 has no such mark. From the return of put complete alone, and no transfer.
run 0 validate --predicted b.txt --measured a.txt --from 10us --to MPI_Win_complete --json section.json
holds section.json '.calls.count == 4 and near(.calls.absolute_error_s; 360e-6) and .transfers.count == 1'
run 0 validate --predicted b.txt --measured a.txt --from MPI_Put --to MPI_Win_complete --json section.json
holds section.json '.calls.count == 2 and near(.calls.absolute_error_s; 0) and .transfers.count == 0'
run 0 validate --predicted b.txt --measured a.txt --callpath 'MPI_Win_*' --json section.json
holds section.json '.calls.count == 8 and near(.calls.absolute_error_s; (410 + 50) * 1e-6)'
# The data of a arrive 110 us after the call of put; of b the put alone takes 360. A run lies in its own bounds.
holds calls.json '.transfers | .count == 1 and .ends_known == 1 and .within_bounds == 0'
run 0 validate --predicted a.txt --measured a.txt a.txt --json - --tolerance 0
holds out '.transfers.within_bounds == 2 and .transfers.share == 1 and .calls.absolute_error_s == 0'
# The end of the recorded put is not known, but bounded by the put (10 us after the call) and by the target's wait (250): a's
# prediction, 0 to 110, meets that.
run 0 validate --predicted a.txt --measured "$worked" --json -
holds out '.transfers | .ends_known == 0 and .within_bounds == 1 and near(.error_s.worst; 140e-6)'
[ "$(wc -l <tables/quantities.csv) $(wc -l <tables/callpaths.csv) $(wc -l <tables/calls.csv)" = "$(jq -r \
    '"\(2 + .ranks + (.patterns | length) * (1 + .ranks) + (.properties | length)) 11 11"' calls.json)" ] ||
    fail "lines of the tables: $(wc -l tables/*)"
grep -q '^rank_time,,1,0.00052,0.00057,0.00057,0.00057,-5e-05,-0.0877192982456' tables/quantities.csv || fail "quantities.csv"
[ "$(grep -c '<circle' picture.svg)" -ge 6 ] && grep -q 'class="band"' picture.svg && grep -q 'class="equal"' picture.svg ||
    fail "the picture lacks points, band or line"

# variants: b is faster in both; and with the measured runs exchanged
run 0 validate --variant a=comparison.json,a.txt --variant b=comparison.json,b.txt --json -
holds out '.schema == "rmacast.ranking/1" and .kendall_tau == 1 and .pairs_apart == 1 and .pairs_right == 1'
run 0 validate --variant a=a.json,b.txt --variant b=b.json,a.txt --json -
holds out '.kendall_tau == -1 and .pairs_right == 0 and near(.variants[0].relative; 50 / 520)'
# Runs between 520 and 570 us: the variants cannot be told apart.
run 0 validate --variant a=a.json,a.txt,b.txt --variant b=b.json,b.txt,a.txt
shows '^Order: 0 of 0 pairs'

# What explains the error: b for a is the semantics, whatever the file says; 11 us of latency, stated to be off by 1, for 10 us
# is that error. An array is set as a whole.
run 0 validate --predicted b.txt --measured a.txt --explain --platform "$platform" --json -
holds out '.explanation | near(.unchanged.absolute_error_s; 820e-6) and near(.unchanged.run_time_error_s; -50e-6)'
holds out '.explanation.changes[0] | .key == "mpi.rma.semantics" and .from == "b" and .to == "a" and .explained == 1'
# In a section its calls alone count: 360 us, see section.json above, and start's 410 us do not.
run 0 validate --predicted b.txt --measured a.txt --from 10us --to MPI_Win_complete --explain --platform "$platform" --json -
holds out '.explanation | near(.unchanged.absolute_error_s; 360e-6)'
holds out '.explanation.unchanged.run_time_error_s as $e | near($e; .run_time.error_s)'
jq '.network.latency_s = [{"latency_s": {"value": 11e-6, "error": 1e-6}}]' "$platform" >off.json
run 0 simulate "$worked" --platform off.json --engine loggp --semantics a -o off.txt
run 0 validate --predicted off.txt --measured a.txt --explain --platform off.json --json off-explained.json
holds off-explained.json '.explanation.changes[0] | .key == "network.latency_s[0].latency_s" and .why == "stated error"'
holds off-explained.json '.explanation.changes[0] | near(.explained; 1) and near(.run_time_error_s; 0)'
shows '^ +\+100\.0% +0 +0  network\.latency_s\[0\]\.latency_s: 1\.1e-05 -> 1e-05 \(stated error\)$'
run 0 simulate "$worked" --platform off.json --engine loggp --semantics a -o set.txt \
    "--set" "$(jq -r '.explanation.changes[0].set' off-explained.json)"
run 0 validate --predicted set.txt --measured a.txt --tolerance 0
# The prediction's own override counts: 10 us instead of 20.
run 0 simulate "$worked" --platform "$platform" --engine loggp --semantics a --set network.latency_s=20us -o twenty.txt
run 0 validate --predicted twenty.txt --measured twenty.txt --explain --platform "$platform" --set network.latency_s=20us
shows '^No single change makes the error smaller\.$'
error 2 "--platform and --set are for --explain" validate --predicted a.txt --measured a.txt --platform "$platform"
error 2 "expected --platform FILE" validate --predicted a.txt --measured a.txt --explain --set network.latency_s=20us
error 1 "none.json" validate --predicted a.txt --measured a.txt --explain --platform none.json

# other control flow, and a run that was killed
cat >one.txt <<'END'
rmacast-trace 1
ranks 2
0 0.000000 0.000010 MPI_Barrier comm=0
0 0.000020 0.000030 MPI_Barrier comm=0
1 0.000000 0.000010 MPI_Barrier comm=0
1 0.000020 0.000030 MPI_Barrier comm=0
END
sed '4,4s/.*/0 0.000020 0.000030 MPI_Allreduce comm=0 bytes=8/; 6s/MPI_Barrier comm=0/MPI_Allreduce comm=0 bytes=8/' one.txt >other.txt
sed '4d;6d' one.txt >fewer.txt
sed '2a incomplete 0 killed' one.txt >killed.txt
error 1 "other.txt: rank 0, event 2: has MPI_Allreduce in MPI_Allreduce, expected MPI_Barrier in MPI_Barrier as in the prediction one.txt" \
    validate --predicted one.txt --measured one.txt other.txt
error 1 "fewer.txt: rank 0, event 2: has no further call, expected MPI_Barrier" validate --predicted one.txt --measured fewer.txt
error 1 "killed.txt: rank 0 breaks off: killed" validate --predicted one.txt --measured killed.txt
error 2 "expected traces, not results" validate --predicted a.json --measured a.txt --explain
error 2 "one --variant, expected two or more" validate --variant a=a.json,a.txt
cp b.txt kept.txt
error 2 "a run of --variant" validate --variant a=a.json,a.txt --variant b=b.json,kept.txt --json kept.txt
cmp -s b.txt kept.txt || fail "--json has replaced a measured run"
error 2 "has no measured run" validate --variant a=a.json --variant b=b.json,b.txt
error 2 "expected NAME=PREDICTED,MEASURED" validate --variant a.json --variant b=b.json,b.txt

error 1 "expected --semantics" validate --predicted comparison.json --measured a.txt
error 1 "is of semantics 'a', expected 'c'" validate --predicted a.json --semantics c --measured a.txt
error 1 "has 3 ranks, expected 2" validate --predicted a.json --measured "$source/tests/cases/active/two_targets_put/trace.txt"
error 1 "none.json" validate --predicted none.json --measured a.txt
error 2 "--measured FILE is missing" validate --predicted a.json
error 2 "--predicted FILE is missing" validate --measured a.json
error 2 "expected a fraction" validate --predicted a.json --measured a.json --tolerance much

finish
