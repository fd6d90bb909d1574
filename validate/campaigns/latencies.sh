#!/bin/sh
# The run time by latency: one campaign at several latencies. Programs are recorded once, predicted for each latency, and run on
# virtual clusters that differ in their delay alone.
#   latencies.sh [--minutes M] CAMPAIGN.json BUILD DIR DELAY_US...
# CAMPAIGN: as of run.sh; its platform file holds for its own delay, and each microsecond of delay is one of latency. DIR keeps
# recordings, runs and results. Prints for each row and delay the compared part of the run: predicted, measured (median and
# range of the runs that nobody disturbed), and the slopes from the delay before. The same command again measures what is
# missing. It exits with 75 while rows are missing, with 77 where the cluster cannot be made.
set -u
here=$(cd "$(dirname "$0")" && pwd)
minutes=
[ "${1:-}" = --minutes ] && minutes="--minutes $2" && shift 2
[ $# -ge 4 ] || { sed -n 4,9p "$0"; exit 2; }
config=$(realpath -e "$1") && build=$(realpath -e "$2") && mkdir -p "$3" && dir=$(realpath "$3") || exit 1
shift 3
platform=$(jq -r .platform "$config")
case $platform in /*) ;; *) platform=$(dirname "$config")/$platform ;; esac
own_us=$(jq .cluster.delay_us "$config")
for delay_us; do
    # a value, or a measured one, of the network or of each of its rows by size
    jq --argjson more_s "$(awk -v d="$delay_us" -v own="$own_us" 'BEGIN { printf "%.9f", (d - own) * 1e-6 }')" '
        def later: if type == "object" then .value += $more_s else . + $more_s end;
        if .network.latency_s then .network.latency_s |= later else . end |
        if .network.segments then .network.segments |= map(.latency_s |= later) else . end' "$platform" >"$dir/platform-$delay_us.json" &&
        jq --arg platform "$dir/platform-$delay_us.json" --argjson delay "$delay_us" '.platform = $platform | .cluster.delay_us = $delay' \
            "$config" >"$dir/campaign-$delay_us.json" || exit 1
    if [ ! -s "$dir/result-$delay_us.json" ]; then
        # shellcheck disable=SC2086
        "$here/run.sh" $minutes --keep "$dir/traces" "$dir/campaign-$delay_us.json" "$build" "$dir/result-$delay_us.json"
        status=$?
        [ $status = 75 ] || [ $status = 77 ] && exit $status
    fi
done
for delay_us; do
    jq -c --argjson delay "$delay_us" '.rows[] | [.program, .bytes, .ranks, .semantics, $delay, .part.predicted_s, .part.measured_s,
        (.part.spread // 0)]' "$dir/result-$delay_us.json"
done | jq -rs 'sort_by(.[:5])[] | @tsv' | awk -F '\t' '
    BEGIN { print "| program | bytes | ranks | semantics | delay, us | predicted, ms | measured, ms | error | spread | latencies, predicted | measured |"
            print "|---|---|---|---|---|---|---|---|---|---|---|" }
    { same = $1 $2 $3 $4 == key; key = $1 $2 $3 $4
      slope = same ? sprintf("%.1f | %.1f", ($6 - predicted) / ($5 - delay) * 1e6, ($7 - measured) / ($5 - delay) * 1e6) : " | "
      printf "| %s | %s | %s | %s | %s | %.2f | %.2f | %+.1f %% | %.1f %% | %s |\n", $1, $2, $3, $4, $5, 1e3 * $6, 1e3 * $7,
             100 * ($6 / $7 - 1), 100 * $8, slope
      delay = $5; predicted = $6; measured = $7 }'
