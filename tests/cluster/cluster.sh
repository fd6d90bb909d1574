#!/bin/sh
# Usage: cluster.sh SOURCE BUILD PROGRAM: the virtual cluster has the nodes and the delay that were asked for, passes on the
# command's exit status, and leaves nothing behind. Exits with 77 where there can be none.
. "$(dirname "$0")/../expect.sh"
cluster=$1/validate/cluster/cluster.sh build=$2 program=$3
CLUSTER_SWITCH=$build/bin/cluster_switch
export CLUSTER_SWITCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
traces() { ip netns list 2>/dev/null; ip -o link | awk -F': ' '{ sub(/@.*/, "", $2); print $2 }'; ls -d /run/rmacast-cluster /etc/netns/* 2>/dev/null; find /sys/fs/cgroup/cpu/ -type d -name rmacast-cluster 2>/dev/null; }
left() { traces | grep -E '^(rmacast-n|rmc(m|t)[0-9]|rmcmg|/run/rmacast-cluster|/etc/netns/rmacast-n|/sys/fs/cgroup/cpu/)'; }

# MPI_Finalize may hang over TCP: what was printed counts, and a run that printed nothing is made once more.
for try in 1 2; do
    timeout -k 5 60 "$cluster" with --nodes 2 --delay 2000 --rate 100 -- \
        timeout -s TERM -k 3 10 "$cluster" run -n 2 -env LD_PRELOAD "$build/lib/libcluster-yield.so" -- "$program" >"$work/out" 2>"$work/err"
    status=$?
    [ $status = 77 ] && { cat "$work/out"; exit 77; }
    grep -q node "$work/out" && break
done
# A round trip is never shorter than twice the delay.
awk '$1 == "node1" && $2 == "node2" && $3 >= 4000 { found++ } END { exit found != 1 }' "$work/out" ||
    fail "exit status $status, $(cat "$work/out" "$work/err"), expected node1 node2 and at least 4000 us"
[ -z "$(left)" ] || fail "left behind: $(left)"
# A recording there says where it was made.
for try in 1 2; do
    rm -rf "$work/there.rma"
    timeout -k 5 60 "$cluster" with --nodes 2 --delay 1000 --rate 100 -- timeout -s TERM -k 3 10 "$build/bin/rmacast" record \
        -o "$work/there.rma" -- "$cluster" run -n 2 -- "$program" >"$work/out" 2>"$work/err"
    [ -d "$work/there.rma" ] && break
done
"$build/bin/rmacast" info --json - "$work/there.rma" >"$work/out" 2>>"$work/err"
jq -e '.transport == "TCP" and (.library | contains(", 2 hosts,"))' "$work/out" >/dev/null ||
    fail "recorded on two nodes: $(cat "$work/out" "$work/err")"

# Hosts with clocks of their own, the second one 5000 s ahead: the offset is measured and corrected. Else the trace would last
# that long.
if unshare -T --monotonic=5000 --fork true 2>/dev/null; then
    printf '#!/bin/sh\n[ "$(hostname)" = node2 ] && exec unshare -T --monotonic=5000 --fork "$@"\nexec "$@"\n' >"$work/ahead"
    chmod +x "$work/ahead"
    for try in 1 2; do
        rm -rf "$work/ahead.rma"
        timeout -k 5 60 "$cluster" with --nodes 2 --delay 1000 --rate 100 -- timeout -s TERM -k 3 15 "$build/bin/rmacast" record \
            -o "$work/ahead.rma" -- "$cluster" run -n 2 -- "$work/ahead" "$program" >"$work/out" 2>"$work/err"
        [ -d "$work/ahead.rma" ] && break
    done
    "$build/bin/rmacast" info --json - "$work/ahead.rma" >"$work/out" 2>>"$work/err"
    jq -e '(.clock.worst_offset_s - 5000 | fabs) < 1 and .duration_s < 4000' "$work/out" >/dev/null ||
        fail "recorded on hosts with clocks of their own: $(cat "$work/out" "$work/err")"
else
    echo 'no time namespace can be made here: hosts with clocks of their own are left out'
fi

# The switch asks for cores that wake at once.
[ ! -w /dev/cpu_dma_latency ] ||
    "$cluster" with --nodes 1 -- sh -c 'ls -l /proc/$(cat /run/rmacast-cluster/switch.pid)/fd' | grep -q '/dev/cpu_dma_latency' ||
    fail "the switch does not keep /dev/cpu_dma_latency open"

# The switch is in the group of what runs on the cluster.
[ ! -w /sys/fs/cgroup/cpu/tasks ] || "$cluster" with --nodes 1 -- sh -c '
    switch=$(cat /run/rmacast-cluster/switch.pid)
    group=$(grep -E "^[0-9]+:([^:]*,)?cpu[,:]" /proc/self/cgroup)
    case $group in */rmacast-cluster) ;; *) exit 1 ;; esac
    grep -qxF "$group" "/proc/$switch/cgroup"' || fail "the switch is not in one group with the ranks"

"$cluster" with --nodes 1 -- sh -c 'exit 5'
[ $? = 5 ] || fail "the exit status of the command is not passed on"
"$cluster" with --nodes 2 -- sleep 30 &
ended=$!
for try in $(seq 100); do [ -s /run/rmacast-cluster/settings ] && break; sleep 0.1; done
kill -TERM "$ended"
sleep 0.1
kill -TERM "$ended" 2>/dev/null # a launcher's and a time limit's may both arrive
wait "$ended"
[ $? = 143 ] || fail "a cluster that is ended does not say so"
[ -z "$(left)" ] || fail "left behind after SIGTERM: $(left)"
# If it is killed, its switch holds up neither the next one nor who waits for a lock that the caller had.
exec 3>"$work/lock"
flock 3
"$cluster" with --nodes 1 -- sleep 30 &
ended=$!
exec 3>&-
for try in $(seq 100); do [ -s /run/rmacast-cluster/settings ] && break; sleep 0.1; done
sleeping=$(pgrep -P "$ended" -x sleep)
kill -KILL "$ended"
wait "$ended" 2>/dev/null
kill "$sleeping"
flock -w 5 "$work/lock" true || fail "the switch holds a lock of the caller"
timeout -k 5 30 "$cluster" with --nodes 1 -- true || fail "a cluster behind one that was killed: exit status $?"
[ -z "$(left)" ] || fail "left behind after SIGKILL: $(left)"
# The switch keeps no file of who started it: the lock of one that was killed would last as long as its switch, and the next
# cluster, which ends that switch, would wait for ever.
unshare -n "$CLUSTER_SWITCH" 1 0 0 1000 rmcx "$work/switch.pid" 8>"$work/lock" &
for try in $(seq 100); do [ -s "$work/switch.pid" ] && break; sleep 0.1; done
ls -l "/proc/$(cat "$work/switch.pid")/fd" | grep -q "$work/lock" && fail "the switch keeps the file of who started it"
kill "$(cat "$work/switch.pid")"
"$cluster" with --nodes 0 -- true 2>"$work/err" && fail "0 nodes are accepted"
grep -q 'expected a number from 1 to 16' "$work/err" || fail "$(cat "$work/err")"
"$cluster" run -n 2 -- true 2>"$work/err" && fail "a run without a cluster"
finish
