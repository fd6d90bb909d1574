#!/bin/sh
# Words and names of the tree. Words that were given up (words.txt) do not come back, in names, comments, documents or messages.
# A file or function that a comment of a source names does exist. Usage: words.sh SOURCE
set -e
. "$(dirname "$0")/../expect.sh"
cd "$1"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The tree without build directories, inputs that are data, pictures and the licence.
find . \( -name build -o -name .git -o -path ./demo-out -o -path ./tests/fuzz/corpus -o -path ./tests/data -o \
    -path ./docs/timelines \) -prune -o -type f ! -name LICENSE ! -path './tests/structure/words*' -print |
    sed 's#^\./##' | LC_ALL=C sort >"$place/files"
[ "$(wc -l <"$place/files")" -gt 500 ] || fail "only $(wc -l <"$place/files") files seen: the check itself is broken"

# A word begins and ends where letters do: settle() and number_knots are found, resettlement is not. All words are looked for
# at once; each is then judged with its exceptions.
tab=$(printf '\t')
all=$(grep -v '^#' tests/structure/words.txt | cut -f1 | paste -sd '|')
{ xargs grep -nHiIE "(^|[^a-z])($all)([^a-z]|$)" <"$place/files" || true
  grep -iE "(^|[^a-z])($all)([^a-z]|$)" "$place/files" || true
} >"$place/candidates"
grep -v '^#' tests/structure/words.txt | while IFS=$tab read -r word unless only; do
    { grep -iE "(^|[^a-z])($word)([^a-z]|$)" "$place/candidates" || true
    } | grep -E "${only:-.}" | { case $unless in "" | -) cat ;; *) grep -vE "$unless" ;; esac; } || true
done >"$place/found"
if [ -s "$place/found" ]; then
    cat "$place/found"
    fail "words of tests/structure/words.txt"
fi

# Sources taken apart: comments, a line "FILE: text" each, and the names that the code has.
grep -E '\.(c|h|def)$' "$place/files" | grep -vE '^tests/(protocols|schedules)/' >"$place/sources" # those two quote MPICH's files
xargs awk -v comments="$place/comments" '
    FNR == 1 { inside = 0 }
    { line = $0
      while (line != "") {
          if (inside) {
              end = index(line, "*/")
              print FILENAME ": " (end ? substr(line, 1, end - 1) : line) >comments
              if (!end) break
              inside = 0
              line = substr(line, end + 2)
          } else {
              begin = index(line, "/*")
              print begin ? substr(line, 1, begin - 1) : line
              if (!begin) break
              inside = 1
              line = substr(line, begin + 2)
          }
      }
    }' <"$place/sources" | grep -oE '[A-Za-z_][A-Za-z_0-9]*' | LC_ALL=C sort -u >"$place/names"

# Sources that comments name: by their path, or by their last part.
sed 's#.*/##' "$place/files" | LC_ALL=C sort -u >"$place/last_parts"
others='(mpidig_[a-z_]+|mpi|mpif|unistd|shmem|halo|exch|setup|solve|x)\.[ch]|traces\.def' # of others, and of programs in examples
sed -E 's/^([^:]*): /\1 /' "$place/comments" | awk '{
    for (i = 2; i <= NF; i++) {
        word = $i
        gsub(/^[^A-Za-z_]+|[^A-Za-z_]+$/, "", word)
        if (word ~ /^[a-z_0-9\/]+\.(c|h|def|sh)$/) { sub(/.*\//, "", word); print word, $1 }
    }
}' | LC_ALL=C sort -u | LC_ALL=C join -v 1 - "$place/last_parts" | grep -vE "^($others) " >"$place/found" || true
if [ -s "$place/found" ]; then
    awk '{ print $2 ": a comment names " $1 ", which is no file" }' "$place/found"
    fail 'files that comments name'
fi

# Functions that comments name with their parentheses.
grep -oE '^[^:]*:|[a-z][a-z0-9]*(_[a-z0-9]+)+\(\)' "$place/comments" | awk '/:$/ { file = $0; next } { sub(/\(\)/, ""); print $0, file }' |
    LC_ALL=C sort -u | LC_ALL=C join -v 1 - "$place/names" >"$place/found" || true
if [ -s "$place/found" ]; then
    awk '{ print $2 " a comment names " $1 "(), which is no function" }' "$place/found"
    fail 'functions that comments name'
fi
finish
