#!/bin/sh
# What each step of a description buys: programs are run once, and predicted with more and more of it.
#   steps.sh [--minutes M] CAMPAIGN.json BUILD DIR
# CAMPAIGN: as of run.sh, with a measured platform file and three recordings; its "draws" count for the last two steps.
#   naive       latency and rate of the file, nothing else: an ideal library
#   profile     the same with the profile of the campaign's library
#   calibrated  the whole file
#   drawn       the same, the median of the draws
#   recordings  the same, the median of the recordings
# DIR keeps recordings, runs, platform files and a result of each step. Prints the results as CSV (rows.sh), their campaigns being
# NAME_STEP, where NAME is that of CAMPAIGN: a file for table.sh --steps. The same command again measures what is missing, and
# predicts all again. It exits with 75 while rows are missing, with 77 where the cluster cannot be made.
set -u
here=$(cd "$(dirname "$0")" && pwd)
minutes=
[ "${1:-}" = --minutes ] && [ $# = 5 ] && minutes="--minutes $2" && shift 2
[ $# = 3 ] || { sed -n 3,13p "$0" && exit 2; }
config=$(realpath -e "$1") && build=$(realpath -e "$2") && mkdir -p "$3" && dir=$(realpath "$3") || exit 1
name=$(basename "$config" .json)
platform=$(jq -r .platform "$config")
case $platform in /*) ;; *) platform=$(dirname "$config")/$platform ;; esac
profile=mpich-4.0-ucx-tcp
[ "$(jq -r '.mpi // "mpich"' "$config")" = openmpi ] && profile=openmpi-4.1-pt2pt-tcp

# of a row by size: the latency of the least messages, the rate of the largest ones
jq 'def value: if type == "object" then .value else . end;
    {schema, name: "latency and rate", nodes: {count: .nodes.count, cores: .nodes.cores}, mapping: (.mapping // {}),
     network: {topology: .network.topology, latency_s: (.network | (.segments[0].latency_s? // .latency_s) | value),
               bandwidth_Bps: (.network | (.segments[-1].bandwidth_Bps? // .bandwidth_Bps) | value)}}' "$platform" >"$dir/naive.json" &&
    jq --arg profile "$profile" '.mpi = {profile: $profile}' "$dir/naive.json" >"$dir/profile.json" &&
    cp "$platform" "$dir/calibrated.json" || exit 1

# of_step STEP PLATFORM RECORDINGS DRAWS: the campaign with them
of_step() {
    jq --arg platform "$dir/$2.json" --argjson recordings "$3" --argjson draws "$4" \
        '.platform = $platform | .recordings = $recordings | .draws = $draws' "$config" >"$dir/$1-campaign.json"
}
if [ ! -s "$dir/measured.json" ]; then
    of_step measured calibrated 3 0 || exit 1
    # shellcheck disable=SC2086
    "$here/run.sh" $minutes --keep "$dir/traces" "$dir/measured-campaign.json" "$build" "$dir/measured.json" >&2
    status=$?
    [ $status = 75 ] || [ $status = 77 ] && exit $status
fi
draws=$(jq '.draws // 40' "$config") results=
while read -r step file recordings drawn; do
    of_step "$step" "$file" "$recordings" "$drawn" && rm -f "$dir/${name}_$step.json.rows" || exit 1
    "$here/run.sh" --again "$dir/traces" "$dir/$step-campaign.json" "$build" "$dir/${name}_$step.json" >&2 </dev/null ||
        echo "steps.sh: $step: some rows failed" >&2
    results="$results $dir/${name}_$step.json"
done <<STEPS
naive naive 1 0
profile profile 1 0
calibrated calibrated 1 0
drawn calibrated 1 $draws
recordings calibrated 3 $draws
STEPS
# shellcheck disable=SC2086
"$here/rows.sh" $results
