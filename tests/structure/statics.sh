#!/bin/sh
# A static function's name says verb and object: none is one of these words alone, which fit any function. Tests and example
# programs are free. Usage: statics.sh SOURCE
set -eu
cd "$1"
words='act add after any ask asks begin behind borrow bring broken build carry change check choose collect come complete confirm consider
content copy create cut define derive divide do drop end evaluate examine expect fail failed fill find fits forget forward freed get
grow handle has hear hold holds in infer insert inside join keep known larger launch learn left load longer look make mark match
matches meet meets members merge move narrow occurs orders own pack place process property push put receives report send set show
solve sort start step stops string sum take takes tell text translate unite unlock unpack until update use value verify visit walk
work wrong'
words=$(echo $words | tr ' ' '|')
files=$(mktemp)
trap 'rm -f "$files"' EXIT
find . \( -name build -o -name .git -o -path ./tests -o -path ./examples -o -path ./docs -o -path ./bench \) -prune -o -type f \
    -name '*.[ch]' -print | LC_ALL=C sort >"$files"
[ "$(wc -l <"$files")" -gt 300 ] || { echo "only $(wc -l <"$files") files seen: the check itself is broken"; exit 1; }
if xargs grep -nE "^static [A-Za-z_0-9 ]*[ *]($words)\(" <"$files"; then
    echo "the name of each of these static functions lacks its object"
    exit 1
fi
