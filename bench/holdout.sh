#!/bin/sh
# Hold-outs of predictions at other scales with real runs: each program is recorded at 2, 4, 8 and 16 ranks, and each run is
# predicted from others. Prints a row per hold-out, and how many bands hold the replay of the run that was held out. For a machine
# with nothing else to do.
#
# With --cluster the programs that sleep run on a virtual cluster of two nodes (docs/cluster.md), at 2, 4 and 8 ranks. Runs at 8
# are predicted from those at 2 and 4 for the cluster's platform file, and are compared with the real runs: from the return of
# MPI_Win_allocate to that of MPI_Win_free, since MPI_Init and a slow MPI_Finalize do not count. The runs at 2 and 4 are measured
# runs, too (--measured): the band has the replay's own error. A further column is the replay of the run at 8 for the same
# platform: what is missing there, too, is missed by platform and replay. The last column is what other processes took of the
# cores while the run at 8 was recorded. The nodes have two cores each, as the platform file says: the ranks sleep instead of
# computing, which takes no core.
# Usage: holdout.sh [--cluster] BUILD-DIRECTORY [OUTPUT-DIRECTORY]
set -u
source=$(cd "$(dirname "$0")/.." && pwd)
cluster=$source/validate/cluster/cluster.sh
inside=${1:-}
case $inside in
--cluster)
    shift
    CLUSTER_SWITCH=$(cd "$1" && pwd)/bin/cluster_switch exec "$cluster" with --nodes 2 --delay 1000 --rate 100 -- "$0" --inside "$@" ;;
--inside) shift ;;
*) inside= ;;
esac
build=$(cd "$1" && pwd)
out=${2:-$(mktemp -d)}
mkdir -p "$out" && cd "$out" || exit 1
program=$build/bin/rmacast
held=0 cases=0 scales='2 4 8 16' section=
[ "$inside" ] && scales='2 4 8' section='--from MPI_Win_allocate --to MPI_Win_free'
. "$source/validate/cluster/others.sh"

for name in grid_solver pscw_halo fence_transpose; do
    mpicc.mpich -std=c11 -O1 -g -o $name "$source/docs/examples/$name.c" -lm || exit 1
done
for name in bench/record_halo tests/programs/three_programs; do
    mpicc.mpich -std=c11 -O1 -g -o "${name##*/}" "$source/$name.c" -lm || exit 1
done

record_on_cluster() { # COMMAND...: on the cluster; many runs hang in MPI_Finalize and are made again
    for try in 1 2 3; do
        rm -rf $name-$ranks.rma
        others_begin
        LD_PRELOAD=$build/lib/libcluster-yield.so timeout -s TERM -k 5 15 "$program" record --quiet -o $name-$ranks.rma -- \
            "$cluster" run -n $ranks -- "$@" >$name-$ranks.log 2>&1 && break
    done
    others_end
    echo "$others_share" >$name-$ranks.others
}

record() { # NAME COMMAND...: NAME-RANKS.rma, unless it is there
    name=$1
    shift
    for ranks in $scales; do
        [ -e $name-$ranks.rma ] && continue
        if [ "$inside" ]; then
            record_on_cluster "$@"
            continue
        fi
        LD_PRELOAD=$build/lib/libcluster-yield.so timeout 60 "$program" record --quiet -o $name-$ranks.rma -- \
            mpiexec.mpich -n $ranks "$@" >$name-$ranks.log 2>&1 ||
            echo "$name at $ranks ranks: $(tail -1 $name-$ranks.log)" >&2
    done
}

options() { # RANKS: of the replays
    [ "$inside" ] || { echo "--platform infiniband-64 --engine loggp --semantics a"; return; }
    echo "--platform $source/platforms/virtual-1ms-100mbit.json --engine loggp --semantics platform" \
        "--set mapping.ranks_per_node=$(($1 / 2)) $section"
}

held_out() { # TRACE RANKS: sets replayed and measured, seconds
    if [ "$inside" ]; then
        "$program" predict $files $measured_runs --measured $1 --ranks 2 $(options 2) --json out.json >/dev/null 2>error || return 1
        replayed=$(jq '.replays[-1].replayed_s' out.json) measured=$(jq '.replays[-1].measured_s' out.json)
    else
        "$program" simulate $1 $(options $2) --json out.json >/dev/null 2>error || return 1
        replayed=$(jq .run_time_s out.json) measured=$replayed
    fi
}

hold_out() { # NAME AT FROM...
    name=$1 at=$2
    shift 2
    files= measured_runs=
    for ranks; do
        files="$files $name-$ranks.rma"
        [ "$inside" ] && measured_runs="$measured_runs --measured $name-$ranks.rma"
    done
    "$program" predict $files --ranks $at $(options $at) $measured_runs --json predicted.json >/dev/null 2>error &&
        held_out $name-$at.rma $at ||
        { echo "| $name | $* | $at | $(cat error) |"; return; }
    cases=$((cases + 1)) others=
    [ "$inside" ] && others=$(cat $name-$at.others)
    row=$(jq -r --argjson at $at --argjson replayed $replayed --argjson measured $measured '
        .points[] | select(.ranks == $at) | [.run_time_s, .run_time_low_s, .run_time_high_s, $replayed, $measured,
            100 * (.run_time_s / $measured - 1),
            (if .run_time_low_s <= $measured and $measured <= .run_time_high_s then "yes" else "no" end)] | @tsv' predicted.json)
    case $row in *yes) held=$((held + 1)) ;; esac
    echo "$row" | awk -v name="$name" -v from="$*" -v at=$at -v others="$others" '{ gsub(" ", ", ", from)
        printf "| %s | %s | %d | %.1f ms | %.1f to %.1f ms | ", name, from, at, 1000 * $1, 1000 * $2, 1000 * $3
        printf "%.1f ms | %.1f ms | %+.1f %% | %s | %s |\n", 1000 * $4, 1000 * $5, $6, $7,
            others == "" ? "" : sprintf("%.0f %%", 100 * others) }'
}

echo '| program | from | at | predicted | band | replayed | measured | error | in the band | others |'
echo '|---|---|---|---|---|---|---|---|---|---|'
if [ "$inside" ]; then
    real_row() { # NAME COMMAND...
        record "$@"
        hold_out $1 8 2 4
    }
    real_row pscw_halo ./pscw_halo 40
    real_row fence_transpose ./fence_transpose 40
    real_row ring ./three_programs ring 10
    real_row grid_solver ./grid_solver 10
    echo
    echo "The band holds $held of $cases."
    exit
fi

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
