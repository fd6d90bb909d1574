# A replay whose process SimGrid, or the system, ends: one line, exit status 1, no result. Other replays that cannot be done:
# tests/commands/simulate/bad_replays.test.
. "$(dirname "$0")/lib.sh"
rm -rf killed.txt killed.json long.rma

# one_link ATTRIBUTES BANDWIDTH: two hosts and a link of the user's
one_link() {
    cat >link.xml <<X
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="l" bandwidth="$2" latency="10us" $1/>
<route src="a" dst="b"><link_ctn id="l"/></route>
</zone></platform>
X
}
link="network.topology={\"simgrid_xml\":\"$PWD/link.xml\"}"
# At the first message over a wireless link SimGrid ends the process: by an exception of its own, or by what it reads of memory
# that is none of the link's, as that happens to be (3.32). The post, at 400, is the first one, or without it the put, at 460.
one_link 'sharing_policy="WIFI"' 10GBps
error 1 "$PWD/link.xml: " \
    simulate "$worked" --platform "$platform" --set nodes.count=2 --set mpi.rma.control_bytes=65 --set "$link"
grep -qF "; meanwhile rank 0 in MPI_Win_start (event 1) waits for MPI_Win_post of rank 1" err ||
    fail "an abort does not say who waited: $(cat err)"
error 1 "$PWD/link.xml: " \
    simulate "$worked" --platform "$platform" --set nodes.count=2 --set "$link" -o aborted.txt --json aborted.json
grep -qF "; meanwhile rank 1 in MPI_Win_wait (event 2) waits for MPI_Win_complete of rank 0" err ||
    fail "an abort does not say who waited: $(cat err)"
[ ! -e aborted.txt ] && [ ! -e aborted.json ] || fail "an aborted simulation leaves results"

# kill_child ARGUMENT...: runs rmacast and kills the first process that it makes; output and status as run() leaves them
kill_child() {
    "$program" "$@" >out 2>err &
    parent=$!
    child=
    while [ -z "$child" ] && kill -0 $parent; do
        read -r child others <"/proc/$parent/task/$parent/children"
        [ -n "$child" ] || sleep 0.01
    done 2>/dev/null
    [ -z "$child" ] || kill -KILL "$child"
    wait $parent
    status=$?
}

# SimGrid, or the system, ends the process of a replay
run 0 generate halo2d --ranks 16 --iterations 1500 --bytes 64K -o long.rma
kill_child simulate long.rma --platform "$platform" --set nodes.count=16 --engine simgrid \
    -o killed.txt --json killed.json
[ $status -eq 1 ] || fail "simulate with a killed child: exit status $status, expected 1"
[ "$(cat err)" = "rmacast: child process ended by signal 9 (Killed)" ] || fail "a killed child: $(cat err)"
[ ! -s out ] && [ ! -e killed.txt ] && [ ! -e killed.json ] || fail "a killed simulation leaves results"
kill_child compare long.rma --platform "$platform" --set nodes.count=16 --engine simgrid --rows a,b --json killed.json
[ $status -eq 1 ] || fail "compare with a killed child: exit status $status, expected 1"
shows '^Incomplete: no result of semantics [ab]: .*child process ended by signal 9 \(Killed\)$'
holds killed.json '.incomplete and (.results | length == 1) and (.failed | length == 1)'

finish
