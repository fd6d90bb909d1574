#!/bin/sh
# Usage: rows_against_mpi_h.sh MPICC SOURCE-DIRECTORY [MPI-3]
# Every function that mpi.h declares is a row of trace/calls/mpi_calls.def, or of trace/record/preload/unrecorded.def, or
# stands in unrecorded.txt with the reason, and in one of them only. With MPI-3, for a library without MPI-4.0, only those
# must be in mpi.h that get wrappers there: the rows without the large counts and MPI-4.0. Conversions are macros in MPICH and
# functions in Open MPI. (That the rows' prototypes are mpi.h's is checked by compiling the wrappers.)
set -eu
export LC_ALL=C
mpicc=$1 source=$2 standard=${3:-MPI-4}
here=$source/tests/record
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "#include <mpi.h>" >"$work/mpi.c"
"$mpicc" -E -P "$work/mpi.c" | tr '\n' ' ' | grep -oE '(int|double|MPI_[A-Za-z]+) +\*?MPI_[A-Z][A-Za-z0-9_]* ?\(' |
    grep -oE "MPI_[A-Za-z0-9_]+ ?\(" | tr -d "( " | sort -u >"$work/declared"
if [ "$standard" = MPI-3 ]; then sed -i "/_\(c2f\|f2c\)$/d" "$work/declared"; fi
sed -n 's/^MPI_[A-Z_]*(\([A-Za-z0-9_]*\),.*/MPI_\1/p' "$source"/trace/calls/mpi_*calls.def | sort >"$work/rows"
sed -n 's/^MPI_[A-Z_]*_C(\([A-Za-z0-9_]*\),.*/MPI_\1_c/p' "$source"/trace/calls/mpi_*calls.def | sort - "$work/rows" -o "$work/rows"
sed -n 's/^REC_UNRECORDED(\(MPI_[A-Za-z0-9_]*\))$/\1/p' "$source/trace/record/preload/unrecorded.def" | sort >"$work/missed"
grep -v '^#' "$here/unrecorded.txt" | cut -d' ' -f1 >"$work/unrecorded"
# A library of MPI-4.0 has no functions of MPI-4.1.
if ! grep -qx MPI_Buffer_flush "$work/declared"; then
    sed -n 's/^MPI_[A-Z_]*(\([A-Za-z0-9_]*\),.*/MPI_\1/p' "$source/trace/calls/mpi_4_1_calls.def" | sort | comm -13 - "$work/rows" >"$work/older"
    mv "$work/older" "$work/rows"
fi
. "$(dirname "$0")/../expect.sh"
sort -c -u "$work/unrecorded" || fail "unrecorded.txt is not sorted"
grep -v '^#' "$here/unrecorded.txt" | awk 'NF < 2 { print "no reason: " $0; bad = 1 } END { exit bad }' || failures=1
sort "$work/rows" "$work/missed" "$work/unrecorded" >"$work/all"
[ -z "$(uniq -d "$work/all")" ] || fail "listed twice: $(uniq -d "$work/all" | tr '\n' ' ')"
sort -u "$work/all" >"$work/known"
[ -z "$(comm -23 "$work/declared" "$work/known")" ] || fail "in mpi.h only: $(comm -23 "$work/declared" "$work/known" | tr '\n' ' ')"
if [ "$standard" = MPI-3 ]; then
    sed -n 's/^MPI_[A-Z_]*(\([A-Za-z0-9_]*\),.*/MPI_\1/p' "$source/trace/calls/mpi_4_calls.def" | sort >"$work/mpi_4"
    grep -v "_c$" "$work/rows" | comm -23 - "$work/mpi_4" >"$work/known"
fi
[ -z "$(comm -13 "$work/declared" "$work/known")" ] || fail "not in mpi.h: $(comm -13 "$work/declared" "$work/known" | tr '\n' ' ')"
# What is a plain region on purpose stands in the docs, all of it and nothing else.
sed -n "s/^MPI_PLAIN[_A-Z]*(\([A-Za-z0-9_]*\),.*/MPI_\1/p" "$source"/trace/calls/mpi_plain_calls.def "$source"/trace/calls/mpi_4_1_calls.def | sort >"$work/plain"
sed -n "/^## Plain regions/,/^Not recorded at all/p" "$source/docs/format-spool.md" | grep -oE "\`MPI_[A-Za-z0-9_]+\`" | tr -d "\`" | sort >"$work/told"
diff "$work/plain" "$work/told" || fail "the plain regions of docs/format-spool.md are not those of trace/calls/mpi_plain_calls.def"
echo "$(wc -l <"$work/declared") declared, $(wc -l <"$work/plain") plain regions among $(wc -l <"$work/rows") rows, $(wc -l <"$work/missed") missed, $(wc -l <"$work/unrecorded") unrecorded"
[ "$(wc -l <"$work/declared")" -gt 380 ] || fail "mpi.h seems to be unreadable"
finish
