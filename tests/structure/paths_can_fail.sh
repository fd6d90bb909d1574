#!/bin/sh
# paths.sh must find a document and a comment that name a file that does not exist. Usage: paths_can_fail.sh SOURCE
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
echo 'The replay is in `simulate/replay/gone.c`.' >"$place/page.md"
echo '/* As trace/lost/a*.c, not as trace/trace.c. */' >"$place/file.c"
! sh "$1/tests/structure/paths.sh" "$1" "$place/page.md" "$place/file.c" >"$place/found" || { echo "these pass"; exit 1; }
grep -q '^.*page.md:1: simulate/replay/gone.c does' "$place/found"
grep -q '^.*file.c:1: trace/lost/a\*.c does' "$place/found"
[ "$(wc -l <"$place/found")" -eq 2 ]
