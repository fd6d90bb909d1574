#!/bin/sh
# What our libraries export. librmacast: exactly the functions that include/rmacast/*.h declare; each header can be read alone,
# and its comments name statuses. The libraries that foreign programs preload or load: what they interpose, and one name by which
# another library of ours finds them. Usage: exported.sh CC NM SOURCE LIBDIR
set -eu
cc=$1 nm=$2 source=$3 libraries=$4
. "$(dirname "$0")/../expect.sh"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# exported LIBRARY: one name a line, without versions and the version itself
exported() { "$nm" -D --defined-only "$libraries/$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort; }

for header in "$source"/include/rmacast/*.h; do
    echo "#include <rmacast/${header##*/}>" >"$place/one.c"
    "$cc" -std=c11 -Wall -Wextra -Werror -pedantic -fsyntax-only -I"$source/include" "$place/one.c" ||
        fail "${header##*/}: not C11 when it is read alone"
    "$cc" -std=c11 -E -P -I"$source/include" "$place/one.c" >>"$place/preprocessed"
done
tr '\n' ' ' <"$place/preprocessed" | tr '\n' ' ' | grep -oE 'rmacast_[a-z0-9_]+ ?\(' | tr -d ' (' | LC_ALL=C sort -u >"$place/declared"
[ "$(wc -l <"$place/declared")" -ge 20 ] || fail "only $(wc -l <"$place/declared") functions seen in include/rmacast: the check itself is broken"
# The comment above a function that can fail says with which status.
awk 'FNR == 1 || /^}/ { above = "" } /^\/\*/ { above = "" } /^(\/| )\*/ { above = above $0; next }
    /^enum rmacast_status rmacast_/ { functions++; if (above !~ /RMACAST_(DATA|USAGE|SYSTEM)/) print FILENAME ": " $0 }
    END { if (functions < 8) print "only " functions " functions with a status seen: the check itself is broken" }' \
    "$source"/include/rmacast/*.h >"$place/silent"
[ ! -s "$place/silent" ] || fail "no RMACAST_ status in the comment above: $(cat "$place/silent")"
exported librmacast.so >"$place/exported"
diff "$place/declared" "$place/exported" || fail "librmacast.so: < is declared in include/rmacast only, > is exported only"

# others LIBRARY PATTERN: names that are not of the pattern
others() {
    [ -e "$libraries/$1" ] || return 0
    [ -n "$(exported "$1")" ] || fail "$1 exports nothing: the check itself is broken"
    found=$(exported "$1" | grep -vxE "$2" | tr '\n' ' ')
    [ -z "$found" ] || fail "$1 exports $found, expected names of $2 only"
}
mpi='P?MPI_[A-Za-z_0-9]+|p?mpi_[a-z_0-9]+_*|p?shmemx?_[a-z_0-9]+|start_pes|globalexit|sh(malloc|memalign|realloc|free)|__cyg_profile_func_(enter|exit)'
others librmacast-simgrid.so 'engine_simgrid_(interface|module)'
others librmacast-threads.so '(pthread_(create|join|mutex|cond|rwlock|spin|barrier)|sem)_?[a-z]*|rmacast_threads_attach'
for library in "$libraries"/librmacast-record*.so; do
    others "${library##*/}" "$mpi|pthread_(create|join)|rmacast_record_(next|settings)|rmacast_(creations?|teams)(_attach)?|rmacast_member|GOMP_parallel[a-z_]*|u?sleep|(clock_)?nanosleep|abort|raise|sigaction|signal|dlsym|rmacast_asked_sleep_ns"
done
others librmacast-semantics.so "$mpi"
others librmacast-semantics-openmpi.so "$mpi"
finish
