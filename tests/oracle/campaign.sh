#!/bin/sh
# Usage: campaign.sh SOURCE BUILD: validate/campaigns/oracle.sh with three exchanges of 8 bytes among 16 ranks, whose differences
# from SMPI docs/validation.md limits to 2 %.
. "$(dirname "$0")/../expect.sh"
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jq '.programs = ["pscw", "hash", "getpipe"] | .bytes = [8] | .ranks = [16]' "$source/validate/campaigns/oracle.json" \
    >"$work/campaign.json"
"$source/validate/campaigns/oracle.sh" "$work/campaign.json" "$build" "$work/result.json"
status=$?
[ $status = 77 ] && exit 77
[ $status = 0 ] || fail "exit status $status"
holds "$work/result.json" '.schema == "rmacast.oracle-result/1" and .failed == 0 and ([.rows[] | .program] == ["pscw", "hash", "getpipe"])
    and (.rows | all(.smpi_s > 1e-3 and .relative.simgrid > -0.02 and .relative.simgrid < 0.02
                     and .relative.loggp > -0.02 and .relative.loggp < 0.02))
    and .summary.loggp.within_2_percent == 3'
"$source/validate/campaigns/oracle.sh" "$source/validate/campaigns/small.json" "$build" "$work/other.json" 2>"$work/error" &&
    fail 'another kind of campaign is taken'
grep -q 'expected schema rmacast.oracle-campaign/1' "$work/error" || fail "$(cat "$work/error")"
finish
