#!/bin/sh
# Usage: record_scales.sh RMACAST MPIEXEC PLATFORM PROGRAM [ARGUMENT]: a program recorded on 2, 4 and 8 ranks is whole, is
# dumped to text that reads back equal, and is replayed under all semantics without an unknown operation.
set -u
rmacast=$1 mpiexec=$2 platform=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# expect COMMAND...: it succeeds within its time; output goes to out and err.
expect() {
    timeout 100 "$@" >out 2>err && return
    echo "FAILED: $*"
    cat out err
    failures=$((failures + 1))
}

# calls TEXT: how many calls of each function.
calls() { awk '$1 ~ /^[0-9]+$/ { count[$4]++ } END { for (name in count) print count[name], name }' "$1" | sort; }

for ranks in 2 4 8; do
    expect "$rmacast" record -o a.rma -- "$mpiexec" -n $ranks "$@"
    expect "$rmacast" info a.rma
    grep -E 'incomplete|not recorded|unknown|missed' err out && failures=$((failures + 1))
    expect "$rmacast" dump a.rma
    mv out a.txt
    grep -q "^ranks $ranks\$" a.txt || failures=$((failures + 1))
    expect "$rmacast" dump a.txt
    cmp a.txt out || failures=$((failures + 1))
    for semantics in a b c d; do
        expect "$rmacast" simulate a.rma --platform "$platform" --engine loggp --semantics $semantics --verify -o b.rma
        grep -E 'unknown|ignored|left out' err out && failures=$((failures + 1))
        "$rmacast" dump b.rma >b.txt || failures=$((failures + 1))
        calls a.txt >a.calls
        calls b.txt >b.calls
        cmp a.calls b.calls || failures=$((failures + 1))
        rm -r b.rma
    done
    expect "$rmacast" simulate a.rma --platform "$platform" --engine simgrid
    rm -r a.rma
done
exit "$failures"
