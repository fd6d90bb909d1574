#!/bin/sh
# words.sh must find an old word in a name, in a document and in a file name, and comments that name what does not exist.
# Usage: words_can_fail.sh SOURCE
set -eu
cd "$1"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar cf - LAYERS README.md common trace recording model platforms simulate predictors validate export cli mpi include docs/*.md \
    tests/structure tests/unit tests/property | tar xf - -C "$copy"
sh tests/structure/words.sh "$copy" || { echo "the copy itself has old words"; exit 1; }
wrong() { # FILE TEXT PATTERN: words.sh must find the line
    echo "$2" >>"$copy/$1"
    echo "$3" >>"$copy/patterns"
}
wrong trace/trace.c 'int join_knots;' '^trace/trace.c:[0-9]+:int join_knots'
wrong docs/glossary.md 'What is Settled early.' '^docs/glossary.md:[0-9]+:What'
wrong model/slices/slices.c '/* a part of the ranks */' '^model/slices/slices.c:[0-9]+:/\* a part'
wrong model/test_ledger.c 'int nothing;' '^model/test_ledger.c$'
wrong trace/trace.c '/* as in trace/gone.c */' '^trace/trace.c: .*gone.c, which is no file'
wrong trace/trace.c '/* calls nobody_knows(). */' '^trace/trace.c: .*nobody_knows\(\), which is no function'
! sh tests/structure/words.sh "$copy" >"$copy/found" || { echo "old words pass"; exit 1; }
while read -r pattern; do
    grep -qE "$pattern" "$copy/found" || { echo "not named: $pattern"; cat "$copy/found"; exit 1; }
done <"$copy/patterns"
