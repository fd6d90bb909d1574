#!/bin/sh
# Every #include "folder/..." of a source must be allowed by LAYERS; libraries named by "only" lines may be included by the
# listed files alone. Prints each violation; exit 1 if there is one. Usage: check_layers.sh ROOT
set -eu
cd "$1"
awk '
function allowed(place, target,   list, n, i, folder) {
    folder = target
    sub(/\/.*/, "", folder)
    if (!(place in rule)) return 0
    n = split(rule[place], list, " ")
    if (folder == place) return 1
    for (i = 1; i <= n; i++) if (list[i] == folder || list[i] == target) return 1
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
    place = FILENAME
    if (place ~ /^trace\/record\//) place = "trace/record"
    else sub(/\/.*/, "", place)
    seen++
    ok = quoted[2] ~ /\// ? allowed(place, quoted[2]) : 0
    if (place == "trace/record" && quoted[2] ~ /^trace\/record\//) ok = 1
    if (!ok) { printf "%s:%d: includes \"%s\", not allowed by LAYERS\n", FILENAME, FNR, quoted[2]; bad = 1 }
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
}' LAYERS $(find common trace model platforms simulate predictors validate cli mpi report export -name '*.[ch]' -o -name '*.def' 2>/dev/null | sort)
