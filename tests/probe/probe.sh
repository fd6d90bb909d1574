#!/bin/sh
# probe.sh RMACAST PLACE LIBRARY LAUNCHER SOURCE: the probe finds what docs/protocols.md says of LIBRARY, as its rows prove them
# (tests/protocols/waits.def). Verdicts only: nothing here compares a time. Skipped where the library is another one.
set -e
. "$(dirname "$0")/../expect.sh"
rmacast=$1 place=$2 library=$3 launcher=$4 source=$5
mkdir -p "$place"
cd "$place"
json=$place/found.json
window=create

probe() { # GROUPS LAUNCHER...
    groups=$1
    shift
    rm -f "$json" profile.json
    for try in 1 2 3; do # a machine that is too busy leaves answers open
        "$rmacast" probe --window $window --limit 150s --only "$groups" --json "$json" --profile profile.json -- "$@" \
            >table 2>said || {
            cat table said
            echo "$library: the probe failed"
            exit 1
        }
        jq -e '[.not_told[].why | test("not sure|too busy|too long|out of time")] | any | not' "$json" >/dev/null && break
    done
    # What it writes is a section of a platform file.
    cat >platform.json <<'T'
{"schema": "rmacast.platform/1", "nodes": {"count": 2}, "network": {"latency_s": 1e-6, "bandwidth_Bps": 1e10}, "mpi": {"profile": "./profile"}}
T
    sed -i 's#"./profile"#"'"$place"'/profile.json"#' platform.json
    "$rmacast" platform check platform.json >/dev/null || fail "$library: the profile makes no platform"
}

case $library in
mpich)
    "$launcher" --version | grep -q 'Version: *4\.0\.2$' || exit 77
    # Puts to dynamic windows are active messages, which are complete at their origin when they are acknowledged.
    window=dynamic
    probe progress "$launcher" -n 2
    # Puts to dynamic memory are complete when their target says so.
    holds "$json" '.window == "dynamic" and .mpi.rma.protocol.local.put == "acknowledged"'
    window=allocate
    export MPIR_CVAR_ASYNC_PROGRESS=1
    probe progress "$launcher" -n 2
    unset MPIR_CVAR_ASYNC_PROGRESS
    # A helper thread serves, and while its rank sleeps.
    holds "$json" '.window == "allocate" and .mpi.rma.progress == "thread" and .mpi.rma.protocol.serves.put == "thread" and
        .mpi.rma.thread_delay_s.value >= 0 and .mpi.rma.thread_delay_s.value < .delay_s'
    holds "$json" '.mpi.rma.protocol.local.put == "copied"' # small puts are copied
    window=create
    probe semantics,locks "$launcher" -n 3 # nobody asks the third rank
    holds "$json" '.mpi.rma.semantics == "a"' # start waits for the post
    holds "$json" '[.evidence[] | select(.case == "group")] == []'
    # The delay is seen in start.
    holds "$json" '[.evidence[] | select(.case == "epoch") | .evidence | contains(" seen in start")] | all'
    holds "$json" '.mpi.rma.protocol.calls.lock == ["ask", "grant"]' # a lock waits for a holder
    # The target's calls serve locks.
    holds "$json" '.mpi.rma.protocol.serves.lock == "call" and .mpi.rma.protocol.serves.release == "call"'
    holds "$json" '.mpi.rma.protocol.calls.unlock | .[-2:] == ["release", "answer"]' # unlock waits for an answer
    holds "$json" '.mpi.rma.protocol.lock_order == "service"' # an own lock is before unread requests
    holds "$json" '.library | contains("MPICH")' # whose library it is
    ;;
openmpi-*)
    "$launcher" --version | grep -q '4\.1\.4$' || exit 77
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_pml=ob1 OMPI_MCA_osc=${library#openmpi-}
    ;;
esac
case $library in
openmpi-pt2pt)
    export OMPI_MCA_btl=tcp,self
    probe semantics,locks "$launcher" -n 3
    holds "$json" '.mpi.rma.semantics.start == "returns"' # start returns
    # Small puts wait in complete, puts of 8 KB and more in the call, all of them for the posts of their group.
    holds "$json" '.mpi.rma.semantics.put as $rows | $rows[0].waits == "complete" and $rows[0].upto_bytes.value >= 7900 and $rows[0].upto_bytes.value < 8192
        and $rows[0].posts == "group" and $rows[1] == {"waits": "call", "posts": "group"}'
    holds "$json" '.mpi.rma.semantics.get == [{"waits": "complete", "posts": "group"}]' # gets wait in complete
    # Mixed by size.
    holds "$json" '[.evidence[] | select(.case == "epoch" and .operation == "put") | .mixed_by_size] | all'
    holds "$json" '.mpi.rma.protocol.calls.lock == []' # locks are lazy; nobody asked who serves puts, which tells osc/pt2pt
    holds "$json" '.mpi.rma.protocol.calls.unlock | .[-2:] == ["release", "answer"]' # unlock waits for an answer
    ;;
openmpi-rdma)
    export OMPI_MCA_btl=vader,self
    probe semantics,locks "$launcher" -n 2
    holds "$json" '.mpi.rma.semantics == "a"' # start waits for the post
    holds "$json" '.mpi.rma.protocol.calls.lock == ["ask", "grant"]' # a lock waits for a holder
    holds "$json" '.mpi.rma.protocol.serves.lock == "hardware"' # the origin takes locks itself
    holds "$json" '.mpi.rma.protocol.calls.unlock | .[-1] == "release"' # unlock does not wait
    ;;
esac
[ $failures -eq 0 ] || cat table said
finish
