#!/bin/sh
# Usage: extrap.sh RMACAST: measurements for Extra-P of four traces, two of them of two ranks, against values worked out by hand.
. "$(dirname "$0")/../expect.sh"
program=$(realpath "$1")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

# trace RANKS MS: each rank computes MS in a region and is 10 ms in a barrier; of 8 ranks the first one has a region more.
trace() {
    printf 'rmacast-trace 1\nranks %d\n' "$1"
    for rank in $(seq 0 $(($1 - 1))); do
        printf '%d 0 enter solve\n%d 0.%03d leave solve\n%d 0.%03d 0.%03d MPI_Barrier comm=0 site=f@a.c:7\n' "$rank" "$rank" "$2" "$rank" "$2" \
            $(($2 + 10))
    done
    [ "$1" -ne 8 ] || printf '0 0.900 enter rest\n0 0.950 leave rest\n'
}
trace 2 100 >a.txt
trace 2 104 >b.txt
trace 4 50 >c.txt
trace 8 25 >d.txt
run 0 export d.txt a.txt c.txt b.txt --to extrap -o points.txt
# Rank 0 of the run with 8 ranks ends at 0.95 s: of its computing 0.865 s are outside the regions, an eighth in the mean; the
# region "rest" the other runs have not.
cat >expected <<'E'
PARAMETER p
POINTS (2) (4) (8)
METRIC run_time_s
REGION program
DATA 0.11 0.114
DATA 0.06
DATA 0.95
METRIC time_s
REGION program
DATA 0 0
DATA 0
DATA 0.108125
REGION program->f->MPI_Barrier a.c:7
DATA 0.01 0.01
DATA 0.01
DATA 0.01
REGION program->solve
DATA 0.1 0.104
DATA 0.05
DATA 0.025
METRIC wait_states_s
METRIC visits
REGION program
DATA 1 1
DATA 1
DATA 1
REGION program->f->MPI_Barrier a.c:7
DATA 1 1
DATA 1
DATA 1
REGION program->solve
DATA 1 1
DATA 1
DATA 1
METRIC rma_bytes
E
cmp -s expected points.txt || fail "$(diff expected points.txt)"
run 0 predict --extrap-points points.txt --ranks 16
shows '^program->solve'
error 2 'expected one' export a.txt b.txt --to csv -o -
error 1 'missing.txt' export a.txt missing.txt --to extrap -o -
finish
