#!/bin/sh
# Usage: rows_against_shmem_h.sh OSHCC RECORDER-FOR-OPEN-MPI DISPATCH
# Every function that shmem.h declares is one that the recorder has a wrapper of and the dispatch a stub, or stands below with
# the reason why it is not recorded. (That the prototypes are shmem.h's is checked by compiling the wrappers.)
set -eu
export LC_ALL=C
oshcc=$1 recorder=$2 dispatch=$3
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
shmem_ctx_destroy local: contexts
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
echo '#include <shmem.h>' >"$work/shmem.c"
"$oshcc" -E -P "$work/shmem.c" | tr '\n' ' ' | tr ';' '\n' |
    grep -oE '(^|[ *])(shmem_[a-z0-9_]+|start_pes|_?my_pe|_?num_pes|sh[a-z]*alloc|shmemalign|shfree|globalexit) *\(' |
    tr -d ' *(' | sort -u >"$work/declared"
failures=0
for library in "$recorder" "$dispatch"; do
    nm -D --defined-only "$library" | cut -d' ' -f3 | grep -E '^(shmem|start_pes|sh[a-z]*alloc|shfree|globalexit)' | sort -u >"$work/wrapped"
    cut -d' ' -f1 "$work/unrecorded" | sort -u - "$work/wrapped" >"$work/known"
    only=$(comm -3 "$work/declared" "$work/known" | tr -d '\t' | tr '\n' ' ')
    [ -z "$only" ] || { echo "$library: in shmem.h or in the recorder only: $only"; failures=1; }
    echo "$(wc -l <"$work/declared") declared, $(wc -l <"$work/wrapped") wrapped"
done
[ "$(wc -l <"$work/declared")" -gt 800 ] || { echo "shmem.h seems to be unreadable"; failures=1; }
exit "$failures"
