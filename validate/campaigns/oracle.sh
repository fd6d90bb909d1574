#!/bin/sh
# Compares rmacast with SMPI at scale: the six exchanges run on SMPI, the trace of that run is replayed on the same platform.
#   oracle.sh CAMPAIGN.json BUILD RESULT.json      BUILD: the build directory, as build/release (docs/cluster.md)
# Semantics a, ideal protocol, engines simgrid and loggp. Nothing is measured: the same numbers come out on any machine.
# Exits with 77 where SMPI is not installed.
set -u
validate=$(cd "$(dirname "$0")/.." && pwd) oracle=$validate/../tests/oracle
die() { echo "oracle: $*" >&2; exit 1; }
[ $# = 3 ] || { sed -n 2,5p "$0"; exit 2; }
config=$(realpath -e "$1") && build=$(realpath -e "$2") || die "$1, $2: expected a campaign and a build directory"
result=$3
jq -e '.schema == "rmacast.oracle-campaign/1"' "$config" >/dev/null || die "$1: expected schema rmacast.oracle-campaign/1"
command -v smpicc >/dev/null && command -v smpirun >/dev/null ||
    { echo "smpicc and smpirun are missing (libsimgrid-dev)"; exit 77; }
setting() { jq -r "$1" "$config"; }
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
trap 'exit 143' TERM INT

# The platform of tests/oracle with other numbers: on_smpi reads $here/campaign.xml.
here=$files nodes=$(setting .nodes) limit_s=$(setting .time_limit_s)
cat >"$files/campaign.xml" <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="n" suffix="" radical="0-$((nodes - 1))" speed="1Gf" bw="$(setting .rate_GBps)GBps"
           lat="$(setting '.latency_us / 2')us" loopback_bw="1EBps" loopback_lat="0us"/>
</platform>
XML
jq -n --argjson nodes "$nodes" --argjson latency "$(setting '.latency_us / 1e6')" --argjson rate "$(setting '.rate_GBps * 1e9')" '
    {schema: "rmacast.platform/1", nodes: {count: $nodes}, network: {topology: {simgrid_xml: "campaign.xml"},
     latency_s: $latency, bandwidth_Bps: $rate}, mpi: {eager_bytes: 1000000000, rma: {semantics: "a"}}}' >"$files/platform.json"
. "$oracle/on-smpi"
smpicc -O1 -std=gnu11 -I "$validate/.." -include "$oracle/traced.h" "$validate/../tests/programs/six_exchanges.c" -o "$files/six_exchanges" ||
    die "six_exchanges.c: not compiled for SMPI"

# part TRACE: seconds of rank 0 from its return of the second MPI_Barrier to that of the third.
part() { awk '$1 == 0 && $4 == "MPI_Barrier" { n++; if (n == 2) begin = $3; if (n == 3) { printf "%.12f\n", $3 - begin; exit } }' "$1"; }

failures=0
: >"$files/rows"
setting '.programs[] as $p | .bytes[] as $b | .ranks[] as $r | "\($p) \($b) \($r)"' >"$files/plan"
while read -r program bytes ranks; do
    name="$program, $bytes B, $ranks ranks"
    on_smpi "$files/work" campaign 1000000000 "$ranks" smpi/coll-selector:mpich "$files/six_exchanges" "$program" "$bytes" \
        "$(setting .iterations)" "$(setting .compute_us)" "$(setting .partners)" </dev/null ||
        { echo "oracle: $name: SMPI failed, or took more than $limit_s s" >&2; failures=$((failures + 1)); continue; }
    for engine in simgrid loggp; do
        "$build/bin/rmacast" simulate "$files/work/smpi.txt" --platform "$files/platform.json" --engine $engine \
            -o "$files/work/$engine.txt" >/dev/null || die "$name: not replayed"
    done
    jq -n --arg program "$program" --argjson bytes "$bytes" --argjson ranks "$ranks" \
        --argjson smpi "$(part "$files/work/smpi.txt")" --argjson simgrid "$(part "$files/work/simgrid.txt")" \
        --argjson loggp "$(part "$files/work/loggp.txt")" '
        {program: $program, bytes: $bytes, ranks: $ranks, smpi_s: $smpi, simgrid_s: $simgrid, loggp_s: $loggp,
         relative: {simgrid: ($simgrid / $smpi - 1), loggp: ($loggp / $smpi - 1)}}' >"$files/row"
    cat "$files/row" >>"$files/rows"
    jq -r --arg name "$name" 'def percent: . * 10000 | round / 100;
        "\($name): SMPI \(.smpi_s * 1e7 | round / 10) us, simgrid \(.relative.simgrid | percent) %, loggp \(.relative.loggp | percent) %"' \
        "$files/row"
done <"$files/plan"

jq -L "$validate/campaigns" -s --slurpfile config "$config" --arg date "$(date -u +%F)" --argjson failed $failures '
    include "statistics";
    . as $rows | {schema: "rmacast.oracle-result/1", campaign: $config[0], date: $date, rows: $rows, failed: $failed,
     summary: ([("simgrid", "loggp") as $engine | [$rows[].relative[$engine] | fabs] |
                {key: $engine, value: {median: median, worst: max, within_2_percent: (map(select(. <= 0.02)) | length),
                                     rows: length}}]
               | from_entries)}' "$files/rows" >"$result" || die "$result: cannot be written"
jq -r 'def percent: (. // 0) * 10000 | round / 100; .summary | to_entries[] |
    "\(.key): \(.value.rows) rows, median \(.value.median | percent) %, worst \(.value.worst | percent) %, " +
    "\(.value.within_2_percent) within 2 %"' "$result"
[ $failures = 0 ]
