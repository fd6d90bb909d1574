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

# b for a: 520 against 570 is -50, -8.77 %; rank 0 510 against 560, -8.93 %; Late Post 0 against 400 of 1130 in all,
# 35.4 %
run 0 validate --predicted comparison.json --semantics b --measured a.txt --json validation.json
holds validation.json 'near(.run_time.error_s; -50e-6) and near(.run_time.relative; -50 / 570)'
holds validation.json 'near(.rank_time[0].relative; -50 / 560) and near(.rank_time[1].relative; -50 / 570)'
holds validation.json '.tolerance == null and .predicted.semantics == "b"'
holds validation.json '.patterns[] | select(.name == "late_post") | near(.error_s; -400e-6) and near(.relative; -1)'
holds validation.json '.patterns[] | select(.name == "late_post") | near(.deviation; 400 / 1130)'
holds validation.json '.patterns[] | select(.name == "early_transfer") | near(.error_s; 350e-6) and .relative == null'
shows '^run time +520 us +570 us +-50 us +-8\.77%'
shows '^late_post +0 +400 us +-400 us +-100\.00% +-35\.40%'
run 1 validate --predicted comparison.json --semantics b --measured a.txt --tolerance 35%
grep -q 'rmacast: comparison.json: tolerance 35% does not hold: late_post' err ||
    fail "the worst is not named: $(cat err)"
run 0 validate --predicted comparison.json --semantics b --measured a.txt --tolerance 36%

# repetitions: the median of 570, 570, 520 is 570
run 0 validate --predicted b.json --measured a.txt a.json b.txt --json -
holds out '(.measured | length) == 3 and near(.run_time.measured_s; 570e-6) and near(.run_time.measured_min_s; 520e-6)'
holds out '.run_time.within_spread'

error 1 "expected --semantics" validate --predicted comparison.json --measured a.txt
error 1 "is of semantics 'a', expected 'c'" validate --predicted a.json --semantics c --measured a.txt
error 1 "has 3 ranks, expected 2" validate --predicted a.json --measured "$source/tests/cases/active/two_targets_put/trace.txt"
error 1 "none.json" validate --predicted none.json --measured a.txt
error 2 "--measured FILE is missing" validate --predicted a.json
error 2 "--predicted FILE is missing" validate --measured a.json
error 2 "expected a fraction" validate --predicted a.json --measured a.json --tolerance much

finish
