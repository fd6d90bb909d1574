#!/bin/sh
# Usage: node_shell.sh [OPTION...] nodeI COMMAND...: what MPI's launcher takes for ssh: runs a command on a node of cluster.sh.
while [ "${1#-}" != "$1" ]; do shift; done
node=$1
shift
exec ip netns exec "rmacast-n${node#node}" unshare --uts sh -c 'hostname "$0" && exec sh -c "$1"' "$node" "$*"
