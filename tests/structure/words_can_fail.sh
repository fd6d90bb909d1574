#!/bin/sh
# words.sh must find an old word in a name, in a document and in a file name, and comments that name what does not exist.
# Usage: words_can_fail.sh SOURCE
set -eu
cd "$1"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar cf - LAYERS README.md common trace model platforms simulate predictors validate export cli mpi include docs/*.md \
    tests/structure tests/unit tests/property | tar xf - -C "$copy"
sh tests/structure/words.sh "$copy" || { echo "the copy itself has old words"; exit 1; }
expect() { # FILE TEXT PATTERN: words.sh finds the line
    cp "$copy/$1" "$copy/kept" 2>/dev/null || : >"$copy/kept"
    echo "$2" >>"$copy/$1"
    found=$(sh tests/structure/words.sh "$copy") && { echo "passed: $1: $2"; exit 1; }
    echo "$found" | grep -qE "$3" || { echo "not named: $1: $2: $found"; exit 1; }
    if [ -s "$copy/kept" ]; then mv "$copy/kept" "$copy/$1"; else rm "$copy/$1" "$copy/kept"; fi
}
expect trace/trace.c 'int join_knots;' '^trace/trace.c:[0-9]+:'
expect docs/glossary.md 'What is Settled early.' '^docs/glossary.md:[0-9]+:'
expect model/test_sweep.c 'int nothing;' '^model/test_sweep.c$'
expect trace/trace.c '/* as in trace/gone.c */' '^trace/trace.c: .*gone.c, which is no file'
expect trace/trace.c '/* calls nobody_knows(). */' '^trace/trace.c: .*nobody_knows\(\), which is no function'
