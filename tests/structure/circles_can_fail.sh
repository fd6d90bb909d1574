#!/bin/sh
# circles.sh must find five files that call each other, and pass three.
# Usage: circles_can_fail.sh CC NM
set -eu
cc=$1 nm=$2 check=$(dirname "$0")/circles.sh
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
objects=$place/build/model/CMakeFiles/one.dir
mkdir -p "$place/model" "$objects"
file() { # NAME CALLED...: a function of this name that calls others
    name=$1 calls=
    shift
    for called; do calls="$calls $called();"; done
    for called; do echo "void $called(void);"; done >"$place/model/$name.c"
    echo "void $name(void); void $name(void) {$calls }" >>"$place/model/$name.c"
    "$cc" -c -o "$objects/$name.c.o" "$place/model/$name.c"
}
run() { sh "$check" "$nm" "$place" "$place/build" "$@" >"$place/out"; }
file a b d
file b c
file c a
file d
file e a
run 3 || { echo "refused three files:"; cat "$place/out"; exit 1; }
file d e
run 3 && { echo "passed five files"; exit 1; }
grep -q '^5 files call each other in a circle, expected at most 3:$' "$place/out" || { echo "not named:"; cat "$place/out"; exit 1; }
grep -q '^  model/e.c -> model/a.c (a)$' "$place/out" || { echo "no arrow:"; cat "$place/out"; exit 1; }
rm "$place/model/e.c"
run 3 || { echo "counted an object whose source is gone:"; cat "$place/out"; exit 1; }
