#!/bin/sh
# Usage: record_scales.sh RMACAST MPIEXEC PLATFORM PROGRAM [ARGUMENT]: a program recorded on 2, 4 and 8 ranks is whole, is
# dumped to text that reads back equal, and is replayed under all semantics without an unknown operation.
set -u
rmacast=$1 mpiexec=$2 platform=$3
shift 3
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# calls TEXT: how many calls of each function, and of these with each extent.
calls() {
    awk '$1 ~ /^[0-9]+$/ { count[$4]++; for (i = 5; i <= NF; i++) if ($i ~ /_extent=/) count[$4 " " $i]++ }
         END { for (name in count) print count[name], name }' "$1" | sort
}

for ranks in 2 4 8; do
    expect 0 "$rmacast" record -o a.rma -- "$mpiexec" -n $ranks "$@"
    expect 0 "$rmacast" info a.rma
    grep -E 'incomplete|not recorded|unknown|missed' err out && failures=$((failures + 1))
    expect 0 "$rmacast" dump a.rma
    mv out a.txt
    grep -q "^ranks $ranks\$" a.txt || failures=$((failures + 1))
    expect 0 "$rmacast" dump a.txt
    cmp a.txt out || failures=$((failures + 1))
    for semantics in a b c d; do
        expect 0 "$rmacast" simulate a.rma --platform "$platform" --engine loggp --semantics $semantics --verify -o b.rma
        grep -v '^How sure' out | grep -E 'unknown|ignored|left out' - err && failures=$((failures + 1))
        "$rmacast" dump b.rma >b.txt || failures=$((failures + 1))
        calls a.txt >a.calls
        calls b.txt >b.calls
        cmp a.calls b.calls || failures=$((failures + 1))
        rm -r b.rma
    done
    expect 0 "$rmacast" simulate a.rma --platform "$platform" --engine simgrid
    rm -r a.rma
done
finish
