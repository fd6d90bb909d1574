# compare.sh MPIEXEC CALLS PLANS WORK RANKS: MPICH, each rank as on a node of its own (its two-level algorithms are not
# modelled), makes collective calls; its messages are those of our plans.
set -eu
mpiexec=$1 calls=$2 plans=$3 work=$4 ranks=$5
ldconfig -p | grep -q libucp.so || exit 77
rm -rf "$work"
mkdir -p "$work"
MPIR_CVAR_NOLOCAL=1 timeout 100 "$mpiexec" -n "$ranks" "$calls" "$work"
last=$((ranks - 1))
{
    printf 'rmacast-trace 1\nranks %s\n' "$ranks"
    printf 'comm 1 ranks=%s\n' "$(seq -s , 0 $last)"
    printf 'comm 2 ranks=%s\n' "$(seq -s , 0 2 $last)"
    printf 'comm 3 ranks=%s\n' "$(seq -s , 1 2 $last)"
    printf 'comm 4 ranks=%s between=%s\n' "$(seq -s , 0 $last)" $((ranks / 2))
    printf 'comm 5 ranks=0,%s between=1\n' "$(seq -s , $((ranks / 2)) $last)"
    for r in $(seq 0 $last); do cat "$work/calls.$r"; done
} >"$work/calls.txt"
"$plans" "$work/calls.txt" "$work"
