#!/bin/sh
# Paths that documents and comments name exist: FOLDER/FILE, where FOLDER is a folder of the tree. A pattern (*) has a match;
# a path without suffix may mean the module (its .c or .h); a part in capitals (NAME) stands for any name.
# Usage: paths.sh SOURCE [FURTHER-FILE...]
set -eu
cd "$1"
shift
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
find . -maxdepth 1 -type d ! -name '.*' ! -name build ! -name demo-out | sed 's#^\./##' | paste -sd '|' >"$place/folders"
find . \( -name build -o -name .git -o -path ./demo-out -o -path ./tests/data -o -path ./tests/fuzz/corpus -o \
    -path ./docs/timelines \) -prune -o -type f \
    \( -name '*.md' -o -name '*.[ch]' -o -name '*.def' -o -name LAYERS \) -print >"$place/files"
for file; do echo "$file" >>"$place/files"; done

# Not ours: folders of MPICH's sources, profiles that a platform file names by their place in platforms/.
others='^mpi/(comm|coll|rma|.*json)'
xargs grep -noE "(^|[^A-Za-z0-9_./<-])($(cat "$place/folders"))/[A-Za-z0-9_*./-]+" <"$place/files" |
    sed -E 's#^\./##; s#^([^:]*:[0-9]+):[^A-Za-z]?#\1 #; s#[./*-]+$##' | LC_ALL=C sort -u >"$place/named"
[ "$(wc -l <"$place/named")" -gt 1000 ] || { echo "only $(wc -l <"$place/named") paths seen: the check itself is broken"; exit 1; }
cut -d' ' -f2 "$place/named" | LC_ALL=C sort -u | grep -vE "$others" | grep -vE '(^|/)[A-Z]{3,}(/|\.|$)|_NAME' | while read -r path; do
    set -- $path* # a file, a folder, a module, or what matches the pattern
    [ -e "$1" ] || echo "$path"
done >"$place/missing"
[ -s "$place/missing" ] || exit 0
awk 'NR == FNR { missing[$1]; next } $2 in missing { print $1 ": " $2 " does not exist" }' "$place/missing" "$place/named"
exit 1
