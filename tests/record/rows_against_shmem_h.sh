#!/bin/sh
# Usage: rows_against_shmem_h.sh OSHCC RECORDER-FOR-OPEN-MPI DISPATCH SOURCE-DIRECTORY
# Every function that shmem.h declares is one that the recorder has a wrapper of and the dispatch a stub, or stands below with
# the reason why it is not recorded. (That the prototypes are shmem.h's is checked by compiling the wrappers.) The rows of
# shmem_unrecorded.def have stubs in both, and no row elsewhere.
set -eu
export LC_ALL=C
oshcc=$1 recorder=$2 dispatch=$3 source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sort -u >"$work/unrecorded" <<'END'
_my_pe inquiry
_num_pes inquiry
my_pe inquiry
num_pes inquiry
shmem_addr_accessible inquiry
shmem_clear_cache_inv local: caches, without effect
shmem_clear_cache_line_inv local: caches, without effect
shmem_ctx_create local: contexts
shmem_info_get_name inquiry
shmem_info_get_version inquiry
shmem_my_pe inquiry
shmem_n_pes inquiry
shmem_pe_accessible inquiry
shmem_ptr inquiry
shmem_query_thread inquiry
shmem_set_cache_inv local: caches, without effect
shmem_set_cache_line_inv local: caches, without effect
shmem_udcflush local: caches, without effect
shmem_udcflush_line local: caches, without effect
END
printf '#include <shmem.h>\n#include <shmemx.h>\n' >"$work/shmem.c"
"$oshcc" -E -P "$work/shmem.c" | tr '\n' ' ' | tr ';' '\n' |
    grep -oE '(^|[ *])(shmemx?_[a-z0-9_]+|start_pes|_?my_pe|_?num_pes|sh[a-z]*alloc|shmemalign|shfree|globalexit) *\(' |
    tr -d ' *(' | sort -u >"$work/declared"
printf '#define REC_UNRECORDED(NAME) NAME\n#include "trace/record/shmem/shmem_unrecorded.def"\n' >"$work/missed.c"
"$oshcc" -E -P -I "$source" "$work/missed.c" | tr ' ' '\n' | grep . | sort >"$work/missed"
failures=0
[ -z "$(uniq -d "$work/missed")" ] || { echo "listed twice: $(uniq -d "$work/missed" | tr '\n' ' ')"; failures=1; }
for library in "$recorder" "$dispatch"; do
    nm -D --defined-only "$library" | cut -d' ' -f3 | grep -E '^(shmem|start_pes|sh[a-z]*alloc|shfree|globalexit)' | sort -u >"$work/wrapped"
    only=$(comm -23 "$work/missed" "$work/wrapped" | tr '\n' ' ')
    [ -z "$only" ] || { echo "$library: no stub: $only"; failures=1; }
    grep -v '^shmemx' "$work/missed" | comm -23 "$work/wrapped" - >"$work/rows" # without extensions; a shmem.h of 1.4 lacks those of 1.5
    cut -d' ' -f1 "$work/unrecorded" | sort -u - "$work/rows" >"$work/known"
    only=$(comm -23 "$work/declared" "$work/known" | tr '\n' ' ')
    [ -z "$only" ] || { echo "$library: in shmem.h only: $only"; failures=1; }
    echo "$(wc -l <"$work/declared") declared, $(wc -l <"$work/wrapped") wrapped"
done
[ "$(wc -l <"$work/declared")" -gt 800 ] || { echo "shmem.h seems to be unreadable"; failures=1; }
exit "$failures"
