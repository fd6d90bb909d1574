#!/bin/sh
# Usage: results.sh LIBRARY PROGRAM LAUNCHER "RANKS SEMANTICS LOCK [BUFFER [EPOCHS [PROGRESS]]]"...: the program finds its results
# right; semantics - is the MPI library's own. A run that reaches its time limit is made once more: MPI's own finalizing may hang.
. "$(dirname "$0")/../expect.sh"
library=$1 program=$2 launcher=$3
shift 3
# MPICH 4.0.2 alone misses windows that begin at no multiple of 16; under a to d they are right without this.
own() { [ "$1" = - ] && echo UCX_RCACHE_ENABLE=n; }
once() { # RANKS SEMANTICS LOCK [BUFFER [EPOCHS [PROGRESS]]]
    semantics=$2
    [ "$2" = - ] && semantics=
    # shellcheck disable=SC2046,SC2086
    env $(own "$2") LD_PRELOAD="$library" RMACAST_SEMANTICS="$semantics" RMACAST_LOCK="$3" RMACAST_BUFFER_BYTES="${4-}" \
        RMACAST_EPOCHS_AHEAD="${5-}" RMACAST_PROGRESS="${6-}" timeout -k 3 60 $launcher -n "$1" "$program" 2>&1
}
for row in "$@"; do
    # shellcheck disable=SC2086
    output=$(once $row)
    status=$?
    [ $status = 124 ] && { output=$(once $row); status=$?; }
    [ $status = 0 ] && [ "$(echo "$output" | grep -c '^right$')" = 1 ] && continue
    fail "$row: exit status $status: $output"
done
finish
