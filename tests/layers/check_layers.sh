#!/bin/sh
# Every #include "folder/..." of a source must be allowed by LAYERS; libraries named by "only" lines may be included by the
# listed files alone. A file belongs to the longest place of LAYERS that its path begins with: the file itself, its room, or a
# folder above. A rule allows a place whole (without the places below that have rules of their own) or a single file.
# Prints each violation; exit 1 if there is one. Usage: check_layers.sh ROOT
set -eu
cd "$1"
awk '
function place_of(path) {
    while (!(path in rule) && path ~ /\//) sub(/\/[^\/]*$/, "", path)
    return path
}
function allowed(place, target,   list, n, i, room) {
    room = place_of(target)
    if (!(place in rule)) return 0
    if (room == place) return 1
    n = split(rule[place], list, " ")
    for (i = 1; i <= n; i++) if (list[i] == room || list[i] == target) return 1
    return 0
}
FILENAME == "LAYERS" {
    if ($0 ~ /^#/ || NF == 0) next
    if ($1 == "only") {
        library = $2
        sub(/:$/, "", library)
        libraries[library] = 1
        for (i = 3; i <= NF; i++) only[library, $i] = 1
        next
    }
    place = $1
    sub(/:$/, "", place)
    rule[place] = ""
    for (i = 2; i <= NF; i++) rule[place] = rule[place] " " $i
    next
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\"")
    place = place_of(FILENAME)
    seen++
    if (quoted[2] !~ /\// || !allowed(place, quoted[2])) {
        printf "%s:%d: includes \"%s\", not allowed by LAYERS for %s\n", FILENAME, FNR, quoted[2], place
        bad = 1
    }
}
/^[ \t]*#[ \t]*include[ \t]*</ {
    name = $0
    sub(/^[^<]*</, "", name)
    sub(/[\/.>].*/, "", name)
    if (name in libraries && !((name, FILENAME) in only)) {
        printf "%s:%d: only the files that LAYERS lists may include <%s>\n", FILENAME, FNR, name
        bad = 1
    }
}
END {
    if (seen < 50) { print "only " seen + 0 " includes seen: the check itself is broken"; bad = 1 }
    exit bad
}' LAYERS $(find common trace recording model platforms simulate predictors validate cli mpi export report -name '*.[ch]' -o -name '*.def' 2>/dev/null | sort)
