#!/bin/sh
# semantics.sh RMACAST LIBRARY LAUNCHER: under librmacast-semantics the probe finds the semantics that was asked for, how far d
# runs ahead and how much it copies, and lazy locks. With a third rank it finds that b and c wait for one target's post. What
# MPICH does by itself, a with blocking locks, is what probe.mpich looks at.
. "$(dirname "$0")/../expect.sh"
program=$1 library=$2 launcher=$3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
shown() { # what was found, where a condition does not hold
    [ $failures -eq 0 ] && return
    cat out
    jq -c '{delay_s, gap_s, lost_share, mpi, not_told}, .evidence[]' found.json
    finish
}
probe() { # LETTER GROUPS RANKS SETTING...
    letter=$1 groups=$2 ranks=$3
    shift 3
    for try in 1 2 3; do # a machine that is too busy leaves answers open
        expect 0 "$program" probe --limit 80s --only $groups --json found.json -- \
            env LD_PRELOAD="$library" RMACAST_SEMANTICS=$letter "$@" "$launcher" -n $ranks
        jq -e '[.not_told[].why | test("not sure|too busy|too long|out of time")] | any | not' found.json >/dev/null && break
    done
    holds found.json ".mpi.rma.semantics == \"$letter\""
    shown
}
told() { # CONDITION
    holds found.json "$1"
    shown
}
posts() { # CASE: what waits in it waits for its target's post alone
    told "[.evidence[] | select(.case == \"$1\") | .verdict] | length > 0 and unique == [\"target\"]"
}
probe b semantics 3 RMACAST_LOCK=blocking
posts group
probe c semantics,locks 3 RMACAST_LOCK=lazy
posts group_queued
told '.mpi.rma.protocol.calls.lock == []'
probe d semantics 2 RMACAST_LOCK=blocking
told '.mpi.rma.epochs_ahead.value == 1 and .mpi.rma.buffer_bytes == "unlimited"'
probe d semantics 2 RMACAST_EPOCHS_AHEAD=3 RMACAST_BUFFER_BYTES=100000
# Sizes are found to 1 in 128.
told '.mpi.rma.epochs_ahead.value == 3 and .mpi.rma.buffer_bytes.value <= 100000 and .mpi.rma.buffer_bytes.value > 99000'
finish
