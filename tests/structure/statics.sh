#!/bin/sh
# A static function's name says verb and object: none is one of these words alone, which fit any function. Tests and example
# programs are free. Usage: statics.sh SOURCE
set -eu
cd "$1"
words='absolute accumulate acknowledge act add advance after any append apply arrived ascending ask asks back begin behind
block borrow bring broken build carry change check choose collect come compare complete completed confirm consider content
copy create created cut decide decided define derive descend differ differs dispatch distribute divide do drop
due end enqueue enter evaluate evidence examine exchange execute expect fail failed fill find fits follow forget forward freed
get given gives grant granted grow handle has hear hold holds hurry in infer insert inside join judge keep known lacks larger
launch learn left listen load longer look make mark match matches meet meets members merge move names narrow nearest
note number occurs operate orders own pack pass peek place prepared process product property push put receives
refill refuse related release report request reserve reversed rise same scatter send sends serve serves set share show skip
solve sort start step stops string sum take takes tell text translate unite unlock unpack until update use value verify visit
wait walk watch work works wrong'
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
