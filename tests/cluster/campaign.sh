#!/bin/sh
# Usage: campaign.sh SOURCE BUILD: a campaign of two rows is recorded, predicted, run and compared. The machine may be
# busy, so nothing is said of its errors. 13 iterations (3 of them before the measured ones), a put of each rank, two repetitions.
. "$(dirname "$0")/../expect.sh"
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source/platforms/virtual-1ms-100mbit.json" "$work"
jq '.programs = [.programs[0] | .bytes = [64] | .semantics = ["a", "d"]] | .platform = "virtual-1ms-100mbit.json" | .repetitions = 2 | .disturbed_share = 1 | .recordings = 2
    | .draws = 3 | .jitter_s = {"2": 5e-5, "4": 1}' \
    "$source/validate/campaigns/small.json" >"$work/campaign.json"
run() { timeout -k 5 250 "$source/validate/campaigns/run.sh" "$@" "$work/campaign.json" "$build" "$work/result.json"; }
# In two calls: the second one measures the row that the first one leaves out, and no other.
run --rows '.semantics == "d"'
status=$?
[ $status = 77 ] && exit 77
[ $status = 75 ] || { fail "exit status $status with a row left, expected 75"; finish; }
[ ! -e "$work/result.json" ] && [ "$(sed 1d "$work/result.json.rows" | jq -r .semantics)" = d ] ||
    { fail "expected the row of d alone, and no result"; finish; }
first=$(sed 1d "$work/result.json.rows" | jq -c .part)
run --keep "$work/kept"
status=$?
[ ! -e "$work/result.json.rows" ] || { fail "the rows are still there"; finish; }
[ "$(jq -c '.rows[0].part' "$work/result.json")" = "$first" ] || { fail "the row of d was measured again"; finish; }
[ $status = 0 ] || { fail "exit status $status"; finish; }
jq -e '.schema == "rmacast.campaign-result/1" and .failed == 0 and (.rows | length) == 2 and .summary.rows == 2
    and ([.rows[].semantics] == ["d", "a"]) and (.rows | all(.part.measured_s > 0 and .part.predicted_s > 0 and .repetitions == 2))
    and (.rows | all(.ideal_s > 0 and .ideal_s < .part.predicted_s))
    and (.rows | all(.others_share >= 0 and has("waited_share")))
    and (.rows | all(.draws.count == 3 and .draws.jitter_s == 5e-5 and .draws.runs_within <= 2 and .undrawn.predicted_s > 0))
    and (.rows | all((.part.predicted_s - .draws.median_s | fabs) < 1e-9 and (.draws.taken | . >= 1 and . <= 3)))
    and .summary.draws.rows == 2 and .summary.draws.runs == 4 and .summary.draws.within == ([.rows[] | select(.draws.within)] | length)
    and (.rows | all(.transfers.count == 2 * 2 * 10 and .calls.count > 0)) and (.order | length) == 1 and .machine.cores > 0' \
    "$work/result.json" >/dev/null || { fail "$(cat "$work/result.json")"; finish; }
[ "$(find "$work/kept" -name "recorded*.rma" | wc -l)" = 2 ] || { fail "expected two recordings"; finish; }
# The kept traces of the second call, once more, without a cluster.
timeout 60 "$source/validate/campaigns/run.sh" --again "$work/kept" --rows '.semantics == "a"' "$work/campaign.json" "$build" "$work/again.json"
status=$?
[ $status = 75 ] || { fail "exit status $status of --again with a row left, expected 75"; finish; }
[ "$(sed 1d "$work/again.json.rows" | jq -c '[.part, .others_share]')" = "$(jq -c '.rows[1] | [.part, .others_share]' "$work/result.json")" ] ||
    { fail "--again compares other runs: $(cat "$work/again.json.rows")"; finish; }
table=$source/validate/campaigns/table.sh
"$table" "$work/result.json" | grep -q '^| pscw, d | [-+][0-9.]* ([0-9.]*) |$' || { fail "no row of d in the table"; finish; }
[ "$("$table" --draws "$work/result.json" | grep -c '^| pscw, [ad], 64 B, 2 ranks | .* of 2 runs |$')" = 2 ] ||
    { fail "expected two rows with draws: $("$table" --draws "$work/result.json")"; finish; }
[ "$("$table" --svg "$work/result.json" | grep -c '<circle')" = 2 ] || { fail "expected two points in the picture"; finish; }
