#!/bin/sh
# No line is longer than 130 characters: in documents (tables, the marks of tables.sh and fenced output excepted), in C and its
# tables, in style sheets, jq and CMake files, and in comments of shell scripts. Usage: lines.sh SOURCE
set -eu
cd "$1"
files=$(mktemp)
trap 'rm -f "$files"' EXIT
find . \( -name build -o -name .git -o -path ./demo-out -o -path ./tests/data -o -path ./tests/fuzz/corpus -o \
    -path ./docs/timelines \) -prune -o -type f \
    \( -name '*.md' -o -name '*.[ch]' -o -name '*.def' -o -name '*.css' -o -name '*.jq' -o -name '*.cmake' \
    -o -name CMakeLists.txt -o -name '*.sh' -o -name demo -o -name check \) -print | LC_ALL=C sort >"$files"
[ "$(wc -l <"$files")" -gt 500 ] || { echo "only $(wc -l <"$files") files seen: the check itself is broken"; exit 1; }
xargs awk '
    # Bytes of UTF-8 that continue a character are not counted.
    function characters(line) { gsub(/[\200-\277]/, "", line); return length(line) }
    FNR == 1 {
        fenced = 0
        document = FILENAME ~ /\.md$/
        script = FILENAME ~ /(\.sh|\/demo|\/check)$/
    }
    document && /^```/ { fenced = !fenced }
    length($0) > 130 && !(document && (fenced || /^\|/ || /^<!-- table: /)) && !(script && !/^ *#/) && characters($0) > 130 {
        print FILENAME ":" FNR ": " characters($0) " characters, expected at most 130"
        bad = 1
    }
    END { exit bad }' <"$files"
