#!/bin/sh
# Usage: readme.sh RMACAST SOURCE: runs every command of rmacast that README shows, in its order, on small inputs of the names
# that README uses. What README leaves to the user ("...") and what is its machine's own (ranks, MPI library) is filled in
# here.
. "$(dirname "$0")/../expect.sh"
PATH=$(dirname "$(realpath "$1")"):$PATH
source=$(realpath "$2")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
ln -s "$source/platforms" platforms
mpicc.mpich -g -O2 -o app "$source/tests/programs/halo2d.c" || fail "the program is not compiled"
for ranks in 4 8 16; do rmacast generate halo2d --ranks $ranks --iterations 2 -o run$ranks.rma; done
rmacast generate halo2d --ranks 2 --iterations 2 --sync pscw -o other-run.rma
rmacast compare other-run.rma --platform four-nodes --json comparison.json >out

# Lines of blocks, and code in the text, that begin with rmacast; comments behind them are cut off.
awk '/^```/ { inside = !inside; next } inside' "$source/README.md" | grep -E '^(mpiexec[.a-z]* .*)?rmacast' | sed 's/  *#.*//' >shown
awk '/^```/ { inside = !inside; next } !inside' "$source/README.md" | tr '\n' ' ' | grep -oE '`rmacast [^`]*`' | tr -d '`' >>shown
[ "$(wc -l <shown)" -ge 12 ] || fail "README shows $(wc -l <shown) commands: the test itself is broken"

# What README says in general, made one of a kind: ranks, program, MPI library, platform, trace.
specific() {
    sed -E 's/--ranks 64,256 --platform \.\.\./--ranks 24,32 --platform infiniband-64/; s/--platform \.\.\./--platform four-nodes/; s/mpiexec \.\.\./mpiexec -n 2 .\/app/; s/mpiexec(\.mpich)? -n [0-9]+/mpiexec.mpich -n 2/
        s/^rmacast probe /rmacast probe --only semantics /; s/mpiexec(.*) \.\/app/mpiexec\1 .\/app 2 1/; s/^(rmacast analyze( --[a-z-]+)*)$/\1 app.rma/
        s/^(rmacast simulate( --[a-z-]+)*)$/\1 app.rma --platform four-nodes/'
}
cat >CONFIG.json <<'JSON'
{ "schema": "rmacast.sweep-config/1", "traces": ["app.rma"], "platforms": ["four-nodes"], "semantics": ["a", "d"] }
JSON

while IFS= read -r line; do
    echo "$line" | specific >command
    case $line in *sweep*) rm -f result.json ;; esac # the block above has that of a simulation
    timeout -s TERM -k 3 60 sh ./command >out 2>&1 </dev/null
    status=$?
    # that a tolerance does not hold is a result, too: the other run is another program's
    case $line in *--tolerance*) grep -q 'tolerance' out && status=0 ;; esac
    case $line in *'rmacast gate'*) grep -q '^Gate: ' out && status=0 ;; esac
    [ $status -eq 0 ] || fail "$(cat command): exit status $status: $(tail -n 2 out)"
done <shown
finish
