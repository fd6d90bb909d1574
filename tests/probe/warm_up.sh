#!/bin/sh
# warm_up.sh RMACAST LIBRARY LAUNCHER: the first 60 flushes take 10 us longer (slow_begin.c). They are no part of the first put
# and flush that is measured, whose median is less than 8 us. Where others use the cores, it is more than 100 us, and the try
# tells nothing; skipped if no try tells anything.
. "$(dirname "$0")/../expect.sh"
program=$1 library=$2 launcher=$3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
first='[.times[] | select(.name == "put_flush")][0]'
slow=
for try in 1 2 3 4 5; do
    expect 0 "$program" probe --only fences --json found.json -- env LD_PRELOAD="$library" "$launcher" -n 2
    jq -e "$first.value < 8e-6" found.json >/dev/null && exit $failures
    jq -e "$first.value < 1e-4" found.json >/dev/null && slow="$slow $(jq -c "$first" found.json)"
done
[ -n "$slow" ] || exit 77
fail "put and flush:$slow"
finish
