# written.sh MPIEXEC WRITTEN RANKS [MOST_BYTES]: MPICH, each rank as on a node of its own, sends what the written schedules send.
set -eu
mpiexec=$1 written=$2 ranks=$3
shift 3
ldconfig -p | grep -q libucp.so || exit 77
MPIR_CVAR_NOLOCAL=1 timeout 100 "$mpiexec" -n "$ranks" "$written" "$@"
