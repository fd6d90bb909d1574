# For the tests of this folder, read with '.' and the test's arguments: RMACAST RMACAST_ANALYZE_MPI DIRECTORY.
. "$(dirname "$0")/../expect.sh"
set -e
rmacast=$1 analyze_mpi=$2 work=$3
export UCX_LOG_LEVEL=fatal # else standard output says where /sys is missing, as in a bare chroot
