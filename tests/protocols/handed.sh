# handed.sh MPIEXEC PROGRAM tcp|shm RANKS: MPICH's messages (messages, connections) or polls (polls) are those of the rows;
# skipped where MPICH is another one than theirs.
set -eu
mpiexec=$1 program=$2 transport=$3 ranks=$4
"$mpiexec" --version | grep -q 'Version: *4\.0\.2$' || exit 77
ldconfig -p | grep -q libucp.so || exit 77
# Each rank as on a node of its own: no two-level collectives.
export MPIR_CVAR_NOLOCAL=1
[ "$transport" = shm ] || export UCX_TLS=tcp,self UCX_NET_DEVICES=lo
sh "$(dirname "$0")/judge.sh" "$mpiexec" -n "$ranks" "$program" "$transport"
