#!/bin/sh
# Usage: openmpi.sh LAUNCHER ARGUMENT...: mpiexec or oshrun of Open MPI 4.1 on this machine alone, also as root (containers), with
# more ranks than cores. Its memory hooks outlive the component that set them and end programs in their finalizing; osc/rdma
# crashes in MPI_Get_accumulate without origin data: both are left out.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader} OMPI_MCA_memory=^patcher OMPI_MCA_osc=^rdma
exec "$@"
