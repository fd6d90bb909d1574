#!/bin/sh
# The JSON of info, analyze, simulate, compare and validate of every hand-worked case is valid by its installed schema.
# Usage: cases.sh RMACAST SOURCE SCHEMAS
. "$(dirname "$0")/../expect.sh"
program=$(realpath "$1") source=$(realpath "$2") schemas=$(realpath "$3")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && mkdir "$work/json" && cd "$work" || exit 1
on="--platform $source/tests/cases/base.json --engine loggp"
for trace in "$source"/tests/cases/*/*.case; do
    name=$(basename "$trace" .case)
    "$program" info --json "json/$name.info" "$trace"
    "$program" analyze --per-rank --efficiency --json "json/$name.analyze" "$trace"
    "$program" simulate $on --verify --json "json/$name.simulate" -o predicted.txt "$trace" &&
        "$program" validate --predicted predicted.txt --measured "$trace" --json "json/$name.validate"
    case $name in *_get | lock_* | fence_*) "$program" compare $on --rows a,d,a+post-early --json "json/$name.compare" "$trace" ;; esac
done >printed 2>&1 # a case that cannot be replayed has no JSON
[ "$(ls json | wc -l)" -ge 500 ] || fail "$(ls json | wc -l) documents, expected 500"
python3 "$source/tests/schemas/check.py" "$schemas" json --bites || fail "JSON against its schema"
finish
