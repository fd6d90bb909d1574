#!/bin/sh
# A second cluster on one machine: network namespaces as nodes, joined by a switch with a delay and a rate (docs/cluster.md).
#   cluster.sh with [--nodes N] [--delay US] [--rate MBIT] -- COMMAND...   makes it, runs the command, removes it
#   cluster.sh run [--mpi openmpi] -n RANKS [-env NAME VALUE]... -- PROGRAM...
#                           an MPICH program on it, or one of Open MPI (osc/pt2pt over TCP). With more ranks than nodes
#                           MPICH fills one node after another, and Open MPI deals ranks to the nodes in turn
#   cluster.sh status
# Needs root, ip and /dev/net/tun; where one is missing `with` says so and exits with 77. One cluster at a time: a second one
# waits. It touches what is named rmacast-n*, rmc* and /run/rmacast-cluster, and nothing else.
set -u
here=$(cd "$(dirname "$0")" && pwd)
state=/run/rmacast-cluster
data=10.87.0 management=10.88.0

skip() { echo "cluster: not run: $*"; exit 77; }
die() { echo "cluster: $*" >&2; exit 1; }

# Ranks and switch in one scheduling group. Where every session is a group of its own (sched(7), autogroup), each rank is alone in
# one, and what it gives away by sched_yield it gives to itself.
own=$(awk -F: '("," $2 ",") ~ /,cpu,/ { print $3 }' /proc/self/cgroup)
group=/sys/fs/cgroup/cpu${own%/}
join_group() { # NODES: it weighs as much as sessions of so many ranks and the switch
    [ -f "$group/tasks" ] && mkdir -p "$group/rmacast-cluster" && echo $((1024 * ($1 + 1))) >"$group/rmacast-cluster/cpu.shares" &&
        echo $$ >"$group/rmacast-cluster/tasks"
}
leave_group() {
    [ -d "$group/rmacast-cluster" ] || return 0
    echo $$ >"$group/tasks"
    for try in $(seq 40); do rmdir "$group/rmacast-cluster" 2>/dev/null && return; sleep 0.05; done
}

namespaces() { ip netns list 2>/dev/null | awk '$1 ~ /^rmacast-n[0-9]+$/ { print $1 }'; }
devices() { ip -o link 2>/dev/null | awk -F': ' '{ sub(/@.*/, "", $2); print $2 }' | grep -E '^rmc(m|t)[0-9]+$'; }

remove() {
    if [ -s "$state/switch.pid" ]; then
        switch=$(cat "$state/switch.pid")
        [ "$(cat "/proc/$switch/comm" 2>/dev/null)" = cluster_switch ] && kill "$switch" 2>/dev/null
    fi
    for namespace in $(namespaces); do
        ip netns pids "$namespace" 2>/dev/null | xargs -r kill -9 2>/dev/null
        ip netns del "$namespace"
        rm -rf "/etc/netns/$namespace"
    done
    for device in $(devices); do ip link del "$device" 2>/dev/null; done
    ip link del rmcmg 2>/dev/null
    rm -rf "$state"
    leave_group
}

# What a node knows: its data network net0, shaped by the switch, and the launcher's, mg0, which is not.
make_node() { # NUMBER NODES
    namespace=rmacast-n$1
    ip netns add "$namespace" &&
        ip link add "rmcm$1" type veth peer name mg0 netns "$namespace" &&
        ip link set "rmcm$1" master rmcmg up &&
        ip link set "rmct$1" netns "$namespace" name net0 || return 1
    ip netns exec "$namespace" sh -c "
        sysctl -qw net.ipv4.tcp_congestion_control=reno net.ipv4.tcp_slow_start_after_idle=0 net.ipv4.tcp_no_metrics_save=1
        sysctl -qw net.ipv6.conf.all.disable_ipv6=1 2>/dev/null
        ip link set lo up && ip link set mg0 up && ip addr add $management.$1/24 dev mg0 &&
        ip link set net0 address $(printf 02:87:00:00:00:%02x "$1") mtu 9000 txqueuelen 10000 up &&
        ip addr add $data.$1/24 dev net0" || return 1
    mkdir -p "/etc/netns/$namespace"
    { echo "127.0.0.1 localhost"; echo "$management.254 head"
      for node in $(seq "$2"); do echo "$management.$node node$node"; done; } >"/etc/netns/$namespace/hosts"
}

make() { # NODES DELAY_US RATE_MBIT
    mkdir -p "$state"
    ip link add rmcmg type bridge && ip link set rmcmg up && ip addr add $management.254/24 dev rmcmg || return 1
    setsid "$switch_program" "$1" "$3" "$2" 4000000 rmct "$state/switch.pid" >"$state/switch.log" 2>&1 </dev/null &
    for try in $(seq 200); do [ -s "$state/switch.pid" ] && break; sleep 0.05; done
    [ -s "$state/switch.pid" ] || { cat "$state/switch.log" >&2; return 1; }
    for node in $(seq "$1"); do make_node "$node" "$1" || return 1; done
    printf 'nodes=%s\ndelay_us=%s\nrate_mbit=%s\n' "$1" "$2" "$3" >"$state/settings"
}

with() {
    nodes=2 delay=1000 rate=100
    while [ $# -gt 0 ]; do
        case $1 in
        --nodes) nodes=$2; shift 2 ;;
        --delay) delay=$2; shift 2 ;;
        --rate) rate=$2; shift 2 ;;
        --) shift; break ;;
        *) die "unknown option $1" ;;
        esac
    done
    [ $# -gt 0 ] || die "the command is missing, expected -- COMMAND"
    case $nodes in '' | *[!0-9]*) die "--nodes $nodes, expected a number from 1 to 16" ;; esac
    [ "$nodes" -ge 1 ] && [ "$nodes" -le 16 ] || die "--nodes $nodes, expected a number from 1 to 16"
    [ "$(id -u)" = 0 ] || skip "needs root"
    command -v ip >/dev/null || skip "ip (iproute2) is not installed"
    [ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
    switch_program=${CLUSTER_SWITCH:-$here/cluster_switch}
    [ -x "$switch_program" ] || die "$switch_program is not built, expected it there or in CLUSTER_SWITCH"
    exec 9>/run/rmacast-cluster.lock
    flock 9
    remove
    ip netns add rmacast-n1 2>/dev/null || skip "network namespaces cannot be made"
    ip netns del rmacast-n1
    command=
    trap 'trap "" TERM INT; remove' EXIT # a second signal does not break off what the first one began
    trap 'trap "" TERM INT; end_command TERM; exit 143' TERM
    trap 'trap "" TERM INT; end_command INT; exit 130' INT
    join_group "$nodes"
    make "$nodes" "$delay" "$rate" || die "the cluster could not be made"
    "$@" <&0 9>&- & # a shell that waits for it hears signals at once
    command=$!
    wait "$command"
}

end_command() {
    [ -n "$command" ] && kill "-$1" "$command" 2>/dev/null && wait "$command"
}

# Its launcher speaks over the unshaped network; a rank that finds nothing to do gives its core away.
run_openmpi() {
    for variable in $(env | sed -n 's/^\(RMACAST_[A-Z_]*\|LD_PRELOAD\)=.*/\1/p'); do passed="$passed -x $variable"; done
    # shellcheck disable=SC2086
    exec mpirun.openmpi --allow-run-as-root --mca plm_rsh_agent "$here/node_shell.sh" --mca plm_rsh_no_tree_spawn 1 \
        --mca oob_tcp_if_include $management.0/24 --mca btl_tcp_if_include $data.0/24 --mca pml ob1 --mca btl tcp,self \
        --mca osc pt2pt --mca mpi_yield_when_idle 1 --bind-to none --host "$hosts" --map-by node -np "$ranks" $passed "$@"
}

run() {
    [ -f "$state/settings" ] || die "there is no cluster, expected cluster.sh with -- ..."
    . "$state/settings"
    ranks=$nodes hosts= mpi=mpich passed=
    export UCX_TLS=tcp,self UCX_NET_DEVICES=net0
    while [ $# -gt 0 ]; do
        case $1 in
        -n) ranks=$2; shift 2 ;;
        --mpi) mpi=$2; shift 2 ;;
        -env) export "$2=$3"; passed="$passed -x $2"; shift 3 ;;
        --) shift; break ;;
        *) die "unknown option $1" ;;
        esac
    done
    for node in $(seq "$nodes"); do hosts=$hosts${hosts:+,}node$node:$(((ranks + nodes - 1) / nodes)); done
    case $mpi in
    mpich) ;;
    openmpi) run_openmpi "$@" ;;
    *) die "--mpi $mpi, expected mpich or openmpi" ;;
    esac
    exec mpiexec.mpich -localhost $management.254 -launcher ssh -launcher-exec "$here/node_shell.sh" \
        -hosts "$hosts" -n "$ranks" "$@"
}

case ${1:-} in
with) shift; with "$@" ;;
run) shift; run "$@" ;;
status) cat "$state/settings" 2>/dev/null || echo "no cluster"; namespaces ;;
*) sed -n 2,9p "$0"; exit 2 ;;
esac
