#!/bin/sh
# Usage: campaign.sh SOURCE BUILD: a campaign of two rows is recorded, predicted, run and compared. The machine may be
# busy, so nothing is said of its errors. 13 iterations (3 of them before the measured ones), a put of each rank, two repetitions.
set -u
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source/platforms/virtual-1ms-100mbit.json" "$work"
jq '.programs = [.programs[0] | .bytes = [64] | .semantics = ["a", "d"]] | .platform = "virtual-1ms-100mbit.json" | .repetitions = 2 | .disturbed_share = 1' \
    "$source/validate/campaigns/small.json" >"$work/campaign.json"
run() { timeout -k 5 250 "$source/validate/campaigns/run.sh" "$@" "$work/campaign.json" "$build" "$work/result.json"; }
# In two calls: the second one measures the row that the first one leaves out, and no other.
run --rows '.semantics == "d"'
status=$?
[ $status = 77 ] && exit 77
[ $status = 75 ] || { echo "FAILED: exit status $status with a row left, expected 75"; exit 1; }
[ ! -e "$work/result.json" ] && [ "$(sed 1d "$work/result.json.rows" | jq -r .semantics)" = d ] ||
    { echo "FAILED: expected the row of d alone, and no result"; exit 1; }
first=$(sed 1d "$work/result.json.rows" | jq -c .part)
run
status=$?
[ ! -e "$work/result.json.rows" ] || { echo "FAILED: the rows are still there"; exit 1; }
[ "$(jq -c '.rows[0].part' "$work/result.json")" = "$first" ] || { echo "FAILED: the row of d was measured again"; exit 1; }
[ $status = 0 ] || { echo "FAILED: exit status $status"; exit 1; }
jq -e '.schema == "rmacast.campaign-result/1" and .failed == 0 and (.rows | length) == 2 and .summary.rows == 2
    and ([.rows[].semantics] == ["d", "a"]) and (.rows | all(.part.measured_s > 0 and .part.predicted_s > 0 and .repetitions == 2))
    and (.rows | all(.transfers.count == 2 * 2 * 10 and .calls.count > 0)) and (.order | length) == 1 and .machine.cores > 0' \
    "$work/result.json" >/dev/null || { echo "FAILED: $(cat "$work/result.json")"; exit 1; }
table=$source/validate/campaigns/table.sh
"$table" "$work/result.json" | grep -q '^| pscw, d | [-+][0-9.]* ([0-9.]*) |$' || { echo "FAILED: no row of d in the table"; exit 1; }
[ "$("$table" --svg "$work/result.json" | grep -c '<circle')" = 2 ] || { echo "FAILED: expected two points in the picture"; exit 1; }
