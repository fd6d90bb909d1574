#!/bin/sh
# A static function's name says verb and object: none is one of these words alone, which fit any function. Tests and example
# programs are free. Usage: statics.sh SOURCE
set -eu
cd "$1"
words='act|add|any|bring|build|collect|come|do|end|find|get|handle|has|hold|in|join|keep|look|make|mark|meet|move|own|place|process|put
|set|start|step|take|tell|use|visit|walk|work'
words=$(echo "$words" | tr -d '\n')
files=$(mktemp)
trap 'rm -f "$files"' EXIT
find . \( -name build -o -name .git -o -path ./tests -o -path ./examples -o -path ./docs -o -path ./bench \) -prune -o -type f \
    -name '*.[ch]' -print | LC_ALL=C sort >"$files"
[ "$(wc -l <"$files")" -gt 300 ] || { echo "only $(wc -l <"$files") files seen: the check itself is broken"; exit 1; }
if xargs grep -nE "^static [A-Za-z_0-9 ]*[ *]($words)\(" <"$files"; then
    echo "the name of each of these static functions lacks its object"
    exit 1
fi
