#!/bin/sh
# Usage: behaviour.sh RMACAST LIBRARY PROGRAM MPIEXEC: recordings under a to d show the semantics; what the library itself calls
# is not recorded. In the program every post comes when its origin is in start or behind it: so the call that waits is the
# first that may. Expected by the definitions of a to d (docs/simulation.md).
set -u
rmacast=$1 library=$2 program=$3 mpiexec=$4
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# behaves NAME: what start, put, complete and lock waited for
behaves() {
    "$rmacast" analyze "$1.rma" --json - >"$1.json"
    for call in start put complete lock; do
        jq -r --arg call "$call" '[.behaviour[] | select((.call | ascii_downcase | sub("mpi_win_"; "") | sub("mpi_"; "")) == $call)
            | select(.content == null)][0].waits | sub(" "; "-")' "$1.json"
    done | tr '\n' ' '
}
recorded() { # NAME OPTION...
    name=$1
    shift
    expect 0 "$rmacast" record "$@" -o "$name.rma" -- timeout -k 3 60 "$mpiexec" -n 2 "$program"
}
says() { # NAME EXPECTED
    found=$(behaves "$1")
    [ "$found" = "$2 " ] && return
    echo "FAILED: $1: start, put, complete, lock wait for $found, expected $2"
    failures=$((failures + 1))
}

recorded a --semantics a --lock blocking
says a "post not-seen not-seen holder"
recorded b --semantics b --lock lazy
says b "none post not-seen none"
recorded c --semantics c
says c "none none post holder"
recorded d --semantics d
says d "none none none holder"
# A put that is larger than the whole buffer waits as in b; one that fits does not.
RMACAST_BUFFER_BYTES=511 recorded full --semantics d
says full "none post not-seen holder"
RMACAST_BUFFER_BYTES=512 recorded room --semantics d
says room "none none none holder"

# The program's calls, and no others: as without the library.
recorded plain
calls() { "$rmacast" dump "$1.rma" | grep '^[01]' | awk '{ print $1, $4 }' | sort | uniq -c; }
calls plain >expected
for name in a b c d; do
    calls $name >got
    check cmp expected got
    check grep -q "recorded under semantics $name by librmacast-semantics" "$name.json"
done
expect 0 "$rmacast" simulate d.rma --platform ideal --semantics d --verify

expect 2 "$rmacast" record --semantics e -- "$mpiexec" -n 2 "$program"
check grep -q -e '--semantics e, expected a, b, c or d' err
expect 2 "$rmacast" record --lock never -- "$mpiexec" -n 2 "$program"
check grep -q -e '--lock never, expected blocking or lazy' err
# Ranks that differ would wait for ever. The launcher that ends them may not have passed on what they wrote: then once more.
for turn in 1 2 3 4 5; do
    expect 1 timeout 60 "$mpiexec" -n 1 env LD_PRELOAD="$library" RMACAST_SEMANTICS=a "$program" : \
        -n 1 env LD_PRELOAD="$library" RMACAST_SEMANTICS=b "$program"
    grep -q 'semantics: ranks differ in' err && break
done
check grep -q 'semantics: ranks differ in RMACAST_SEMANTICS' err
RMACAST_BUFFER_BYTES=many expect 1 env LD_PRELOAD="$library" RMACAST_SEMANTICS=d "$program"
check grep -q 'RMACAST_BUFFER_BYTES=many: expected bytes or unlimited' err
finish
