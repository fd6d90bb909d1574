#!/bin/sh
# Circles: .c files that call each other in a loop, found by the symbols that their objects define and miss. None has more than
# LIMIT files. Usage: circles.sh NM SOURCE BUILD LIMIT
set -eu
nm=$1 source=$(cd "$2" && pwd) build=$3 limit=$4
cd "$build"
find . -name '*.c.o' | sed 's#^\./##' | grep -vE '^(tests|bench)/' | LC_ALL=C sort |
    awk -v source="$source" '{ # a build directory may hold objects of sources that are gone
        file = $0
        sub(/CMakeFiles\/[^\/]*\.dir\//, "", file)
        sub(/\.o$/, "", file)
        file = source "/" file
        if ((getline line <file) >= 0) print
        close(file)
    }' | xargs "$nm" -A --format=posix | awk -v limit="$limit" '
# FOLDER/CMakeFiles/TARGET.dir/FILE.c.o: is the object of FOLDER/FILE.c
{
    object = $1
    sub(/\.o:$/, "", object)
    match(object, /CMakeFiles\/[^\/]*\.dir\//)
    target = substr(object, 1, RSTART + RLENGTH - 1)
    file = substr(object, 1, RSTART - 1) substr(object, RSTART + RLENGTH)
    files[file]
}
$2 ~ /^(P?MPI_|p?mpi_|p?shmem_)/ { next } # of the MPI library, even where the recorder stands in front of it
$3 ~ /^[A-Z]$/ && $3 != "U" { # defined here; a name may be another function in another library
    defined[target, $2] = file
    owner[$2] = ($2 in owner) && owner[$2] != file ? "" : file
}
$3 ~ /^[Uwv]$/ { missing[++count] = file SUBSEP target SUBSEP $2 }
function reach(from, seen,    queue, head, tail, next_to, n, i) {
    queue[tail = 1] = from
    for (head = 1; head <= tail; head++) {
        n = split(calls[queue[head]], next_to, " ")
        for (i = 1; i <= n; i++)
            if (!((from, next_to[i]) in seen)) {
                seen[from, next_to[i]]
                queue[++tail] = next_to[i]
            }
    }
}
END {
    for (i = 1; i <= count; i++) { # file, its target, the name
        split(missing[i], part, SUBSEP)
        to = (part[2], part[3]) in defined ? defined[part[2], part[3]] : owner[part[3]]
        if (to == "" || to == part[1] || (part[1], to) in by) continue
        by[part[1], to] = part[3]
        calls[part[1]] = calls[part[1]] " " to
        arrows++
    }
    for (file in files) {
        total++
        reach(file, seen)
    }
    for (file in files) {
        if (file in done || !((file, file) in seen)) continue
        size = 0
        split("", circle)
        for (other in files)
            if ((file, other) in seen && (other, file) in seen) {
                circle[other]
                done[other]
                size++
            }
        if (size <= limit) continue
        bad = 1
        print size " files call each other in a circle, expected at most " limit ":"
        for (one in circle)
            for (other in circle)
                if ((one, other) in by) print "  " one " -> " other " (" by[one, other] ")"
    }
    if (total < 4 || arrows < 4) { print "only " total + 0 " objects and " arrows + 0 " arrows seen: the check itself is broken"; bad = 1 }
    exit bad
}'
