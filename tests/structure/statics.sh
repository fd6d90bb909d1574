#!/bin/sh
# A static function's name says verb and object, so it has at least two words. Tests, example programs and benchmarks are free.
# Usage: statics.sh SOURCE
set -eu
cd "$1"
files=$(mktemp)
trap 'rm -f "$files"' EXIT
find . \( -name build -o -name .git -o -path ./tests -o -path ./examples -o -path ./docs -o -path ./bench \) -prune -o -type f \
    -name '*.[ch]' -print | LC_ALL=C sort >"$files"
[ "$(wc -l <"$files")" -gt 300 ] || { echo "only $(wc -l <"$files") files seen: the check itself is broken"; exit 1; }
if xargs grep -nE '^static [^=(";]*[[:space:]*][a-z0-9]+\(' <"$files"; then
    echo "the name of each of these static functions lacks its verb or its object"
    exit 1
fi
