#!/bin/sh
# Hold-outs of predictions at other scales with real runs: each program is recorded at 2, 4, 8 and 16 ranks, and each run is
# predicted from others. Prints a row per hold-out, and how many bands hold the replay of the run that was held out. For a machine
# with nothing else to do.
# Usage: holdout.sh BUILD-DIRECTORY [OUTPUT-DIRECTORY]
set -u
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
out=${2:-$(mktemp -d)}
mkdir -p "$out" && cd "$out" || exit 1
program=$build/bin/rmacast
on='--platform infiniband-64 --engine loggp --semantics a'
held=0 cases=0

for name in grid_solver pscw_halo fence_transpose; do
    mpicc.mpich -std=c11 -O1 -g -o $name "$source/docs/examples/$name.c" -lm || exit 1
done
for name in record_halo three_programs; do mpicc.mpich -std=c11 -O1 -g -o $name "$source/bench/$name.c" -lm || exit 1; done

record() { # NAME COMMAND...: NAME-RANKS.rma, unless it is there
    name=$1
    shift
    for ranks in 2 4 8 16; do
        [ -e $name-$ranks.rma ] && continue
        timeout 120 "$program" record --quiet -o $name-$ranks.rma -- mpiexec.mpich -n $ranks "$@" >$name-$ranks.log 2>&1 ||
            echo "$name at $ranks ranks: $(tail -1 $name-$ranks.log)" >&2
    done
}

hold_out() { # NAME AT FROM...
    name=$1 at=$2
    shift 2
    files=
    for ranks; do files="$files $name-$ranks.rma"; done
    "$program" predict $files --ranks $at $on --json predicted.json >/dev/null 2>error || { echo "| $name | $* | $at | $(cat error) |"; return; }
    "$program" simulate $name-$at.rma $on --json recorded.json >/dev/null 2>error || { echo "| $name | $* | $at | $(cat error) |"; return; }
    cases=$((cases + 1))
    row=$(jq -r --slurpfile run recorded.json --arg at $at '.points[] | select(.ranks == ($at | tonumber)) | $run[0].run_time_s as $real |
        [.run_time_s, .run_time_low_s, .run_time_high_s, $real, 100 * (.run_time_s / $real - 1),
            (if .run_time_low_s <= $real and $real <= .run_time_high_s then "yes" else "no" end)] | @tsv' predicted.json)
    case $row in *yes) held=$((held + 1)) ;; esac
    echo "$row" | awk -v name="$name" -v from="$*" -v at=$at '{ gsub(" ", ", ", from)
        printf "| %s | %s | %d | %.1f ms | %.1f to %.1f ms | %.1f ms | %+.1f %% | %s |\n", name, from, at, 1000 * $1, 1000 * $2, 1000 * $3,
            1000 * $4, $5, $6 }'
}

echo '| program | from | at | predicted | band | recording | error | in the band |'
echo '|---|---|---|---|---|---|---|---|'
table() { # NAME COMMAND...
    record "$@"
    hold_out $1 8 2 4
    hold_out $1 16 4 8
    hold_out $1 16 2 4 8
    hold_out $1 4 2 8
}
table pscw_halo ./pscw_halo 40
table fence_transpose ./fence_transpose 40
table grid_solver ./grid_solver 10
table record_halo ./record_halo 300
known=$held of=$cases
table ring ./three_programs ring
table hypercube ./three_programs hypercube
table work ./three_programs work
echo
echo "The band holds $held of $cases: $known of $of of the programs that its rules were looked at with, $((held - known)) of $((cases - of)) of others."
