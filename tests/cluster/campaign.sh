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
timeout -k 5 250 "$source/validate/campaigns/run.sh" "$work/campaign.json" "$build" "$work/result.json"
status=$?
[ $status = 77 ] && exit 77
[ $status = 0 ] || { echo "FAILED: exit status $status"; exit 1; }
jq -e '.schema == "rmacast.campaign-result/1" and .failed == 0 and (.rows | length) == 2 and .summary.rows == 2
    and ([.rows[].semantics] == ["a", "d"]) and (.rows | all(.part.measured_s > 0 and .part.predicted_s > 0 and .repetitions == 2))
    and (.rows | all(.transfers.count == 2 * 2 * 10 and .calls.count > 0)) and (.order | length) == 1 and .machine.cores > 0' \
    "$work/result.json" >/dev/null || { echo "FAILED: $(cat "$work/result.json")"; exit 1; }
table=$source/validate/campaigns/table.sh
"$table" "$work/result.json" | grep -q '^| pscw, d | [-+][0-9.]* ([0-9.]*) |$' || { echo "FAILED: no row of d in the table"; exit 1; }
[ "$("$table" --svg "$work/result.json" | grep -c '<circle')" = 2 ] || { echo "FAILED: expected two points in the picture"; exit 1; }
