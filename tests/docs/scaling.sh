#!/bin/sh
# Usage: scaling.sh RMACAST SOURCE: runs every command of the worked example in docs/scaling.md, in its order, with real runs.
# What is predicted at a number of ranks that was recorded is the replay of that recording; at another one the calls are those
# of a recording.
. "$(dirname "$0")/../expect.sh"
PATH=$(dirname "$(realpath "$1")"):$PATH
source=$(realpath "$2")
page=$source/docs/scaling.md
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
cp "$source/docs/examples/grid_solver.c" .

commands=0
awk '/^```/ { open = !open; next } open && /^\$ / { print substr($0, 3) }' "$page" >blocks
while IFS= read -r line; do
    commands=$((commands + 1))
    echo "$line" | sed 's/mpicc /mpicc.mpich /; s/mpiexec /mpiexec.mpich /' >command
    timeout -s TERM -k 3 100 sh ./command >out 2>&1 </dev/null || fail "$line: $(tail -n 3 out)"
    case $line in *--program*) shows '^ *MPI_Allreduce along x bytes=8' && shows '^ *MPI_Bcast to 0 along y bytes=8' ;; esac
    case $line in *1024*) shows '^ *1024  c ' ;; esac
done <blocks
[ "$commands" -ge 5 ] || fail "$commands commands were run"

on='--platform infiniband-64 --engine loggp --semantics a'
rmacast simulate grid8.rma $on --json measured.json >out 2>&1 || fail "$(cat out)"
rmacast predict grid2.rma grid4.rma grid8.rma --ranks 8 $on --json predicted.json >out 2>&1 || fail "$(cat out)"
holds predicted.json ".points[-1].ranks == 8 and (.points[-1].run_time_s / $(jq .run_time_s measured.json) - 1 | fabs) < 0.02"

calls() { # TRACE: rank, function, partner, bytes; sorted, since on 2 x 2 ranks none puts to all sides. Calls that involve no other
    # rank leave their time alone in a model.
    rmacast dump "$1" >dumped || fail "$1 is not shown"
    awk '/ MPI_/ && !/ MPI_(Comm_group|Dims_create|Group_incl|Group_free|Win_set_name)( |$)/ { line = $1 " " $4
        for (i = 5; i <= NF; i++) if ($i ~ /^(target|root|bytes|disp)=/) line = line " " $i
        print line }' dumped | sort
}
rmacast predict grid2.rma grid4.rma --ranks 8 $on -o made.rma >out 2>&1 || fail "$(cat out)"
calls made.rma >made
calls grid8.rma >recorded
[ -s made ] && cmp -s made recorded || fail "calls at 8 ranks, found in runs at 2 and 4: $(diff made recorded | head -4)"
finish
