#!/bin/sh
# A room (a folder without those below it) holds at most 40 C files and headers. Usage: rooms.sh ROOT
set -eu
cd "$1"
find common trace recording model platforms simulate predictors validate export report cli mpi include -name '*.[ch]' | sed 's#/[^/]*$##' | sort | uniq -c |
    awk '{ rooms++ } $1 > 40 { print $2 ": " $1 " files, expected at most 40"; bad = 1 }
         END { if (rooms < 30) { print "only " rooms + 0 " rooms seen: the check itself is broken"; bad = 1 } exit bad }'
