# waits.sh LIBRARY PROGRAM RANKS MPIEXEC...: the calls of LIBRARY wait for other ranks as the rows say; PROGRAM-mpich and
# PROGRAM-openmpi are built for the two. Skipped where the library is another one than the rows'.
set -eu
library=$1 program=$2 ranks=$3
shift 3
common=$(mktemp)
trap 'rm -f "$common"' EXIT
case $library in
mpich-*)
    "$@" --version | grep -q 'Version: *4\.0\.2$' || exit 77
    ldconfig -p | grep -q libucp.so || exit 77
    [ "$library" = mpich-shm ] || export MPIR_CVAR_NOLOCAL=1 UCX_TLS=tcp,self UCX_NET_DEVICES=lo
    program=$program-mpich
    ;;
openmpi-*)
    "$@" --version | grep -q '4\.1\.4$' || exit 77
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_pml=ob1 OMPI_MCA_osc=${library#openmpi-}
    [ "$library" = openmpi-rdma ] && export OMPI_MCA_btl=vader,self || export OMPI_MCA_btl=tcp,self
    program=$program-openmpi
    ;;
esac
sh "$(dirname "$0")/judge.sh" "$@" -n "$ranks" "$program" "$library" "$common"
