#!/bin/sh
# Runs a campaign: programs are recorded on this machine, predicted for a virtual cluster, run there, and compared.
#   run.sh [--minutes M] [--rows CONDITION] [--keep DIR | --again DIR] CAMPAIGN.json BUILD RESULT.json
# BUILD: the build directory, as build/release (docs/cluster.md). CONDITION: which rows are measured in this call, in the language
# of jq, as '.program == "lock" and .bytes > 8'. --minutes: no row begins after M minutes. --keep: the recordings and runs stay in
# DIR; a recording is made again if its program is newer. --again: those of DIR are predicted and compared; nothing runs.
# Rows that are done are kept in RESULT.json.rows until all rows of the campaign are there; then the result is written. The same
# command again measures what is missing. Exits with 75 while rows are missing, with 77 and the reason where the cluster cannot be
# made. A run that reaches its time limit is made again, unless it only hangs in MPI_Finalize. A run is thrown away, and counted,
# if other processes took more than the campaign's share of the machine's processors during it, or if its ranks' computing waited
# for a core for more than its `waited_share` of the run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
die() { echo "campaign: $*" >&2; exit 1; }
usage() { sed -n 2,11p "$0"; exit 2; }
while [ $# -gt 3 ]; do
    case $1 in
    --minutes)
        case $2 in '' | *[!0-9]*) usage ;; esac
        CAMPAIGN_UNTIL=$(($(date +%s) + 60 * $2))
        export CAMPAIGN_UNTIL
        ;;
    --rows)
        CAMPAIGN_ROWS=$2
        export CAMPAIGN_ROWS
        ;;
    --keep | --again)
        [ "$1" = --again ] && CAMPAIGN_STAGE=again && export CAMPAIGN_STAGE
        mkdir -p "$2" && CAMPAIGN_TRACES=$(realpath "$2") || die "$2: cannot be made"
        export CAMPAIGN_TRACES
        ;;
    *) usage ;;
    esac
    shift 2
done
[ $# = 3 ] || usage
config=$(realpath -e "$1") && build=$(realpath -e "$2") || die "$1, $2: expected a campaign and a build directory"
result=$3 rows=$3.rows
rmacast=$build/bin/rmacast cluster=$here/../cluster/cluster.sh
jq -e '.schema == "rmacast.campaign/1"' "$config" >/dev/null || die "$1: expected schema rmacast.campaign/1"
setting() { jq -r "$1" "$config"; }

# plan: what is to be measured; a line for the rows that differ in semantics alone.
plan() {
    jq -c '.programs[] as $p | ($p.bytes // [0])[] as $bytes | ($p.ranks // [2])[] as $ranks |
        {program: $p.name, bytes: $bytes, ranks: $ranks, semantics: ($p.semantics // ["a"]),
         limit_s: ($p.time_limit_s // .time_limit_s // 40), part: ({call: "MPI_Barrier", from: 2, to: 3} + .part + $p.part),
         set: [($p.rewrite // [] | .[] | "--rewrite \(.)"), ($p.set // [] | .[] | "--set \(.)")], environment: [$p.environment // {} | to_entries[] | "-env \(.key) \(.value)"],
         advised: ($p.advised // ""), command: [$p.command[] | gsub("\\{bytes\\}"; "\($bytes)")],
         recorded: [($p.recorded // [])[] | gsub("\\{bytes\\}"; "\($bytes)")]}' "$config"
}
if [ -n "${CAMPAIGN_ROWS:-}" ]; then
    chosen=$(plan | jq -c ".semantics[] as \$one | .semantics = \$one | select($CAMPAIGN_ROWS)" 2>/dev/null | wc -l)
    [ "$chosen" -gt 0 ] || die "--rows '$CAMPAIGN_ROWS': true of no row of $1, expected a condition of jq with .program, .bytes, .ranks or .semantics"
fi
if [ -s "$rows" ]; then # its first line is the campaign
    head -n 1 "$rows" | jq -e --slurpfile config "$config" '.campaign == $config[0]' >/dev/null ||
        die "$rows: has rows of another campaign, expected those of $1, or no such file"
fi

# on_cluster STAGE KEY: this script once more, for one stage, inside the cluster that the campaign's KEY describes.
on_cluster() {
    CAMPAIGN_STAGE=$1 "$cluster" with --nodes "$(setting ".$2.nodes")" --delay "$(setting ".$2.delay_us")" \
        --rate "$(setting ".$2.rate_mbit")" -- "$0" "$config" "$build" "$result" &
    inside=$!
    trap 'kill -TERM $inside 2>/dev/null; wait $inside; exit 143' TERM INT # the cluster is removed
    wait $inside
}
if [ -z "${CAMPAIGN_WORK:-}" ]; then
    CAMPAIGN_WORK=$(mktemp -d)
    trap 'rm -rf "$CAMPAIGN_WORK"' EXIT
fi
if [ -z "${CAMPAIGN_STAGE:-}" ]; then
    CLUSTER_SWITCH=$build/bin/cluster_switch
    export CAMPAIGN_WORK CLUSTER_SWITCH
    if jq -e .recorded_on "$config" >/dev/null; then
        on_cluster record recorded_on
        [ $? = 77 ] && exit 77
    fi
    on_cluster run cluster
    exit $?
fi
work=$CAMPAIGN_WORK traces=${CAMPAIGN_TRACES:-$CAMPAIGN_WORK/traces}
[ -s "$rows" ] || jq -c '{campaign: .}' "$config" >"$rows" || die "$rows: cannot be written"
mpi=$(setting '.mpi // "mpich"') here_run=mpiexec.mpich
[ "$mpi" = openmpi ] && here_run="mpirun.openmpi --allow-run-as-root --bind-to none --mca btl vader,self"
repetitions=$(setting '.repetitions // 3') draws=$(setting '.draws // 0') share=$(setting '.disturbed_share // 0.02')
platform=$(setting .platform)
case $platform in /*) ;; *) platform=$(dirname "$config")/$platform ;; esac
[ -f "$platform" ] || die "$1: platform: there is no $platform"
jq --argjson nodes "$(setting .cluster.nodes)" '.nodes.count = $nodes' "$platform" >"$work/platform.json" || die "$platform: cannot be read"
platform=$work/platform.json
accumulate_share=$(jq '.mpi.rma.protocol.reverse_share.accumulate // 0 | .value? // .' "$platform")

. "$here/../cluster/others.sh"
. "$here/failures.sh"

# The run hung in MPI_Finalize, as those of MPICH 4.0.2 over TCP often do: what is compared was over.
hung_at_end() {
    "$rmacast" info "$1" 2>/dev/null | awk '/ breaks off after / { broken++; at_end += /inside MPI_Finalize/ }
        END { exit !(broken > 0 && broken == at_end) }'
}

# The ranks computed less than they could have, since other processes had the cores. Where ranks share cores, rmacast takes such
# waits away from what it replays.
waited_for_cores() {
    "$rmacast" info "$1" --json - 2>/dev/null | jq -e --argjson most "$(setting '.waited_share // 1')" '. as $all | .disturbance |
        .waited_s > $most * $all.ranks * $all.duration_s and (.more_ranks_than_cores | not)' >/dev/null
}

is_disturbed() { awk -v others="$others_share" -v share="$share" 'BEGIN { exit !(others > share) }'; }

# measured TRACE PROGRAM ARGUMENT...: one run on the cluster; 0 done, 1 failed, 3 disturbed. Sets others_share.
measured() {
    measured=$1
    shift
    for try in 1 2 3; do
        rm -rf "$measured"
        others_begin
        # shellcheck disable=SC2086
        LD_PRELOAD=$build/lib/libcluster-yield.so timeout -s TERM -k 5 "$limit" \
            "$rmacast" record $chosen -o "$measured" -- "$cluster" run --mpi "$mpi" -n "$ranks" $environment -- "$@" >"$work/out" 2>"$work/err" 9>&-
        status=$?
        [ $status = 124 ] || break
        hung_at_end "$measured" && status=0 && break
        echo "campaign: $name: a run reached its limit of $limit s" >&2
    done
    [ $status = 0 ] || { echo "campaign: $name: a run failed: $(failure_reason $status "$work/out" "$work/err")" >&2; return 1; }
    others_end
    is_disturbed || waited_for_cores "$measured" && return 3
    return 0
}

# part TRACE: seconds of rank 0 between its returns of two calls, the part that is compared.
part() {
    "$rmacast" dump --rank 0 "$1" 2>/dev/null | awk -v call="$call" -v from="$from" -v to="$to" \
        '$4 == call { n++; if (n == from) begin = $3; if (n == to) { printf "%.12f\n", $3 - begin; exit } }'
}

# record PROGRAM ARGUMENT...: as often as the campaign says, for all rows of program, bytes and ranks. recorded_all: their names.
record() {
    recorded_all=
    for number in $(seq "$(setting '.recordings // 1')" -1 1); do
        recording=$row/recorded-$number.rma
        [ "$number" = 1 ] && recording=$row/recorded.rma
        record_once "$@" || return 1
        recorded_all="$recording $recorded_all"
    done
}

# record_once PROGRAM ARGUMENT...: the file `recording`, unless it is there, and again if the program is newer: on this machine,
# or, in the stage "record", on the cluster of recorded_on.
record_once() {
    is_recording_of "$recording" "$1" && return 0
    if [ -d "$recording" ]; then
        [ "$CAMPAIGN_STAGE" = again ] && echo "campaign: $name: $(basename "$1") is newer than its recording, which counts all the same" >&2 && return 0
        echo "campaign: $name: $(basename "$1") is newer than its recording, which is made again" >&2
    fi
    preload=
    if [ "$CAMPAIGN_STAGE" = record ]; then
        preload=$build/lib/libcluster-yield.so
        set -- "$cluster" run --mpi "$mpi" -n "$ranks" -- "$@"
    elif [ "$CAMPAIGN_STAGE" = again ] || jq -e .recorded_on "$config" >/dev/null; then
        echo "campaign: $name: there is no recording" >&2
        return 1
    else
        # shellcheck disable=SC2086
        set -- $here_run -n "$ranks" "$@"
    fi
    for try in 1 2 3 4 5; do
        rm -rf "$recording"
        others_begin
        LD_PRELOAD=$preload timeout -s TERM -k 5 "$limit" "$rmacast" record -o "$recording" -- "$@" \
            >"$work/out" 2>"$work/err" 9>&-
        recorded=$?
        [ $recorded = 124 ] && hung_at_end "$recording" && recorded=0
        [ $recorded = 0 ] || continue
        others_end
        is_disturbed || waited_for_cores "$recording" || return 0
    done
    if [ $recorded != 0 ]; then
        rm -rf "$recording"
        echo "campaign: $name: not recorded: $(failure_reason $recorded "$work/out" "$work/err")" >&2
        return 1
    fi
    echo "campaign: $name: other processes took $others_share of the cores while it was recorded, or its ranks waited for them" >&2
}

# choose SEMANTICS: of the row that the functions below work on.
choose() {
    semantics=$1 chosen="--semantics $1"
    [ "$semantics" = library ] && chosen= # the library's own, as the platform file says
    library= # under c and d operations look for posts before data leave; under d MPI_Win_wait waits for confirmations
    [ "$semantics" = c ] && library="--set mpi.rma.protocol.visit=enter"
    [ "$semantics" = d ] && library="--set mpi.rma.protocol.visit=enter --set mpi.rma.protocol.wait=confirmed \
        --set mpi.rma.protocol.reverse_share.put=$accumulate_share" # its puts leave as accumulates
    jitter=$(setting ".jitter_s | if type == \"object\" then .[\"$ranks\"] else . end // empty")
    name="$program, $bytes B, $ranks ranks, semantics $semantics"
    row=$traces/$program-$bytes-$ranks
}

predict() {
    told=$work/simulated-$semantics.json
    drawn="--json $told" # where the campaign asks for draws: the prediction is the draw of the median time of the compared part
    [ "$draws" -gt 0 ] && drawn="--draws $draws --draw median:0 ${jitter:+--set network.jitter_s=$jitter} --json $told \
        --from $call#$from --to $call#$to"
    # shellcheck disable=SC2086
    replay "$platform" "predicted-$semantics.txt" $drawn && replay ideal ideal.txt || return 1
    ideal=$(part "$work/ideal.txt") && echo "${ideal:-null}" >"$work/ideal-$semantics"
}

# replay PLATFORM OUTPUT OPTION...: the recordings together, or the first one where they make other calls.
replay() {
    to_platform=$1 kept=$work/$2
    shift 2
    for traces_of_row in "$recorded_all" "$recording"; do
        # shellcheck disable=SC2086
        "$rmacast" simulate $traces_of_row --platform "$to_platform" --engine loggp $chosen $library $set "$@" -o "$kept" \
            >"$work/out" 2>"$work/err" && return 0
    done
    echo "campaign: $name: not predicted: $(tail -n 1 "$work/err")" >&2
    return 1
}

count() { find "$row" -maxdepth 1 -name "$1" | wc -l; }

# measure_once PROGRAM ARGUMENT...: one more run of the row, if it needs one.
measure_once() {
    good=$(count "run-$semantics-*.rma") thrown=$(count "thrown-$semantics-*")
    [ "$CAMPAIGN_STAGE" != again ] && [ "$good" -lt "$repetitions" ] && [ "$thrown" -le $((2 * repetitions)) ] || return 0
    more=true
    measured "$work/next.rma" "$@"
    case $? in
    0) mv "$work/next.rma" "$row/run-$semantics-$good.rma" && echo "$others_share" >>"$row/others-$semantics" ;;
    3) touch "$row/thrown-$semantics-$thrown" && last_share=$others_share ;;
    *) return 1 ;;
    esac
}

compare() {
    thrown=$(count "thrown-$semantics-*")
    if [ "$(count "run-$semantics-*.rma")" = 0 ]; then
        echo "campaign: $name: there is no run, $thrown were disturbed by other processes, the last one by $last_share of the cores" >&2
        return 1
    fi
    runs=$(find "$row" -maxdepth 1 -name "run-$semantics-*.rma" | sort)
    most=$(sort -g "$row/others-$semantics" | tail -n 1)
    # The network as the platform file has it for messages of these bytes: when requests arrived at their targets.
    network=$(jq -r --argjson bytes "$bytes" '.network | def value: if type == "object" then .value else . end;
        ([.segments // [{}] | .[] | select((.upto_bytes | value // infinite) >= $bytes)][0]) as $line |
        "--latency \($line.latency_s // .latency_s | value)s --bandwidth \($line.bandwidth_Bps // .bandwidth_Bps | value)B/s"' "$platform")
    rm -f "$work/validation.json"
    # shellcheck disable=SC2086
    "$rmacast" validate $network --predicted "$work/predicted-$semantics.txt" --measured $runs --json "$work/validation.json" \
        --from "$call#$from" --to "$call#$to" \
        >"$work/out" 2>"$work/err" ||
        jq -e .other_control_flow "$work/validation.json" >"$work/out" 2>&1 || # its times count all the same
        { echo "campaign: $name: not compared: $(tail -n 1 "$work/err")" >&2; return 1; }
    for run in $runs; do part "$run"; done | jq -s sort >"$work/parts.json"
    inside_mpi_s=$("$rmacast" dump "$work/predicted-$semantics.txt" | awk -v call="$call" -v from="$from" -v to="$to" '
        $4 == call && ++n[$1] == from { inside[$1] = 0; next }
        $4 ~ /^MPI_/ && n[$1] >= from && !ended[$1] { inside[$1] += $3 - $2 }
        $4 == call && n[$1] == to { ended[$1] = 1 }
        END { for (rank in inside) { sum += inside[rank]; count++ } printf "%.9f", count ? sum / count : 0 }')
    jq -L "$here" --slurpfile parts "$work/parts.json" --slurpfile told "$work/simulated-$semantics.json" --argjson inside "$inside_mpi_s" \
        --argjson ideal "$(cat "$work/ideal-$semantics")" \
        --slurpfile advice "$work/advice-$semantics.json" --arg program "$program" --argjson bytes "$bytes" --argjson ranks "$ranks" \
        --arg semantics "$semantics" --argjson thrown "$thrown" --argjson others "$most" \
        --arg predicted "$(part "$work/predicted-$semantics.txt")" '
        include "statistics";
        ($parts[0]) as $all | ($predicted | tonumber) as $p | ($all | median) as $m | $told[0].draws as $d |
        {program: $program, bytes: $bytes, ranks: $ranks, semantics: $semantics,
         repetitions: ($all | length), thrown_away: $thrown, others_share: $others,
         waited_share: ([.disturbance[] | values.share] | max),
         part: {predicted_s: $p, measured_s: $m, measured_min_s: $all[0], measured_max_s: $all[-1], relative: ($p / $m - 1),
                spread: (($all[-1] - $all[0]) / $m), within_spread: ($p >= $all[0] and $p <= $all[-1])},
         undrawn: (if $d then $d.undrawn.rank_time_s[0] | {predicted_s: ., relative: (. / $m - 1)} else null end),
         draws: (if $d then $d.rank_time_s[0] as $r |
                 {count: $d.count, jitter_s: $d.jitter_s, taken: $d.taken, median_s: $r.median, min_s: $r.min, max_s: $r.max,
                  relative: ($r.median / $m - 1), within: ($m >= $r.min and $m <= $r.max),
                  runs_within: ([$all[] | select(. >= $r.min and . <= $r.max)] | length)} else null end),
         inside_mpi_s: $inside, ideal_s: $ideal, error_class: $told[0].error_class, advice: $advice[0], run_time, patterns: [.patterns[] | select(.measured_max_s > 0 or .predicted_s > 0) | del(.ranks)],
         transfers, calls: (.calls | if . then .callpaths |= .[:5] else null end), other_control_flow} |
        walk(if type == "string" then gsub("(?<before>^|[ (])/[^ :]*/"; .before) else . end) # of files of this machine the names alone
        ' "$work/validation.json" >"$work/row"
    jq -c . "$work/row" >>"$rows"
    jq -r --arg name "$name" '.draws as $d | .undrawn as $u | .part |
        "\($name): predicted \(.predicted_s * 1e3 | round) ms, measured \(.measured_s * 1e3 | round) ms, " +
        "error \(.relative * 1000 | round / 10) %, spread \(.spread * 1000 | round / 10) %" +
        if $d then ", draws \($d.min_s * 1e3 | round) to \($d.max_s * 1e3 | round) ms, without them \($u.predicted_s * 1e3 | round) ms"
        else "" end' "$work/row"
}

# advise: what `rmacast advise` promises of the change that the program is measured with, too; null without one.
advise() {
    echo null >"$work/advice-$semantics.json"
    [ -n "$advised" ] || return 0
    "$rmacast" advise "$recording" --platform "$platform" --json "$work/advice.json" >"$work/out" 2>"$work/err" ||
        { echo "campaign: $name: not advised: $(tail -n 1 "$work/err")" >&2; return 1; }
    jq --arg change "$advised" '[.changes[] | select(.advised)][0].row as $first | .changes[] | select(.row == $change) |
        {change: .row, gain_s, error_s, advised, first: (.row == $first), error_class}' "$work/advice.json" >"$work/advice-$semantics.json"
}

# each FUNCTION ARGUMENT...: of every row of the group; a row that fails is counted and leaves it.
each() {
    left=
    for one in $group; do
        choose "$one"
        if "$@"; then left="$left $one"; else failures=$((failures + 1)); fi
    done
    group=$left
}

# rows_of PROGRAM ARGUMENT...: the rows that differ in semantics alone. The program `recorded`, if there is one, is recorded in
# place of the one that runs. Their runs take turns, so that what changes with time on
# the machine makes no order of a to d.
rows_of() {
    rm -rf "$work"/predicted-*
    if [ "$CAMPAIGN_STAGE" != again ]; then
        for one in $group; do rm -rf "$row"/run-"$one"-* "$row"/thrown-"$one"-* "$row"/others-"$one"; done
    fi
    choose "${group%% *}"
    # shellcheck disable=SC2086
    if [ -n "$recorded" ]; then record $recorded; else record "$@"; fi
    if [ $? != 0 ]; then
        for one in $group; do failures=$((failures + 1)); done
        return
    fi
    each predict
    each advise
    more=true
    while [ $more = true ]; do
        more=false
        each measure_once "$@"
    done
    each compare
    [ -n "${CAMPAIGN_TRACES:-}" ] || rm -rf "$row"
}

# The row was measured by an earlier call.
is_done() {
    sed 1d "$rows" | jq -es --arg program "$program" --argjson bytes "$bytes" --argjson ranks "$ranks" --arg semantics "$semantics" \
        'any(.program == $program and .bytes == $bytes and .ranks == $ranks and .semantics == $semantics)' >/dev/null
}

load_before=$(cut -d' ' -f1-3 /proc/loadavg)
failures=0 missing=0 last_share=
plan >"$work/plan"
while read -r line; do
    program=$(echo "$line" | jq -r .program) bytes=$(echo "$line" | jq .bytes) ranks=$(echo "$line" | jq .ranks)
    limit=$(echo "$line" | jq .limit_s) advised=$(echo "$line" | jq -r .advised) group=
    recorded=$(echo "$line" | jq -r --arg bin "$build/bin/" 'if .recorded == [] then "" else $bin + (.recorded | join(" ")) end')
    set=$(echo "$line" | jq -r '.set | join(" ")') environment=$(echo "$line" | jq -r '.environment | join(" ")')
    call=$(echo "$line" | jq -r .part.call) from=$(echo "$line" | jq .part.from) to=$(echo "$line" | jq .part.to)
    for one in $(echo "$line" | jq -r '.semantics[]'); do
        choose "$one"
        is_done && continue
        if ! echo "$line" | jq -e --arg semantics "$one" ".semantics = \$semantics | ${CAMPAIGN_ROWS:-true}" >/dev/null ||
            [ "$(date +%s)" -ge "${CAMPAIGN_UNTIL:-99999999999}" ]; then
            missing=$((missing + 1))
        else
            group="$group$one "
        fi
    done
    [ -n "$group" ] || continue
    mkdir -p "$row"
    # shellcheck disable=SC2046
    set -- "$build/bin/$(echo "$line" | jq -r '.command[0]')" $(echo "$line" | jq -r '.command[1:][]')
    if [ "$CAMPAIGN_STAGE" = record ]; then
        record "$@" </dev/null || failures=$((failures + 1))
    else
        rows_of "$@" </dev/null
    fi
done <"$work/plan"
[ "$CAMPAIGN_STAGE" = record ] && exit $((failures > 0))
if [ $missing -gt 0 ]; then
    echo "campaign: $((missing + failures)) rows are missing, $(($(wc -l <"$rows") - 1)) are kept in $rows; a further call measures the others"
    exit 75
fi

sed 1d "$rows" >"$work/rows"
jq -L "$here" -s --slurpfile config "$config" --arg before "$load_before" --arg after "$(cut -d' ' -f1-3 /proc/loadavg)" \
    --arg cpu "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" --argjson cores "$(nproc)" \
    --arg mpi "$(mpichversion 2>/dev/null | sed -n 's/^MPICH Version: *//p' | tr -d '\t')" --arg kernel "$(uname -sr)" \
    --arg date "$(date -u +%F)" --argjson failed $failures '
    include "statistics"; include "rows";
    {schema: "rmacast.campaign-result/1", campaign: $config[0], date: $date,
     machine: {processor: $cpu, cores: $cores, kernel: $kernel, mpich: $mpi, load_before: $before, load_after: $after},
     rows: ., failed: $failed,
     summary: {rows: length, median: ([.[].part.relative | fabs] | median), worst: ([.[].part.relative | fabs] | max),
               within_spread: ([.[] | select(.part.within_spread)] | length),
               draws: ([.[] | select(.draws)] | if length > 0 then
                       {rows: length, median: ([.[].draws.relative | fabs] | median), undrawn: ([.[].undrawn.relative | fabs] | median),
                        within: ([.[] | select(.draws.within)] | length),
                        runs: ([.[].repetitions] | add), runs_within: ([.[].draws.runs_within] | add)} else null end),
               transfers_within_bounds: (([.[].transfers.count] | add // 0) as $n |
                                         if $n > 0 then ([.[].transfers.within_bounds] | add) / $n else null end),
               between_nodes_within_bounds: (([.[].transfers.between_nodes] | add // 0) as $n |
                                         if $n > 0 then ([.[].transfers.between_nodes_within] | add) / $n else null end),
               transfers_within_spread: (([.[].transfers.count] | add // 0) as $n | if $n > 0 then
                                         ([.[].transfers | .within_bounds + .within_spread] | add) / $n else null end)},
     order: ({rows: .} | order)}' \
    "$work/rows" >"$result" || die "$result: cannot be written"
[ $failures = 0 ] && rm "$rows" # those that failed are measured by the next call
jq -r 'def percent: (. // 0) * 1000 | round / 10;
    .summary | "\(.rows) rows: error median \(.median | percent) %, worst \(.worst | percent) %" +
    (.draws | if . then "; \(.within) medians of \(.rows) in the range of the draws" else "" end)' "$result"
[ $failures = 0 ]
