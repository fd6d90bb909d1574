#!/bin/sh
# Usage: tutorial.sh RMACAST SOURCE: runs every command of docs/tutorial.md, in its order. Each succeeds, and prints the lines
# that the page shows behind it, up to their first figure: times differ from run to run. Which row is named first differs,
# too: d and post-early are a tie where the error of the run is large. On a loaded machine analyze says that it gives no
# advice. The C lines are those of examples/ring.c.
. "$(dirname "$0")/../expect.sh"
PATH=$(dirname "$(realpath "$1")"):$PATH
source=$(realpath "$2")
page=$source/docs/tutorial.md
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
cp "$source/examples/ring.c" .

awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >shown.c
[ "$(wc -l <shown.c)" -ge 5 ] || fail "the page shows $(wc -l <shown.c) lines of C"
grep -vxFf ring.c shown.c >missing && fail "no lines of examples/ring.c: $(head -n 1 missing)"

# perform COMMAND...: MPICH's, where Debian has two MPI libraries
perform() {
    commands=$((commands + 1))
    echo "$*" | sed 's/mpicc /mpicc.mpich /; s/mpiexec /mpiexec.mpich /' >command
    timeout -s TERM -k 3 60 sh ./command >out 2>&1 </dev/null || fail "$*: $(tail -n 3 out)"
}

commands=0
awk '/^```/ { inside = !open && $0 == "```"; open = !open; next } inside' "$page" >blocks
while IFS= read -r line; do
    case $line in
    '$ '*) perform "${line#??}" ;;
    ...) ;; # what the page leaves out
    *)
        key=$(printf '%s' "$line" | sed -E 's/^ +//; s/  .*//; s/[0-9(].*//; s/^(Fastest:) .*/\1/; s/^[^ ]+ (saves) .*/\1/; s/ +$//')
        [ -z "$key" ] || grep -qF -- "$key" out || grep -q 'mostly without a core' out || fail "$(cat command) does not print '$key'"
        ;;
    esac
done <blocks
[ "$commands" -eq "$(grep -c '^\$ ' "$page")" ] && [ "$commands" -ge 10 ] || fail "$commands commands were run"

# The page's claim: the rewriting and the change do the same. The changed program's recording has less Late Post than the
# other one on the same platform, and so has the prediction.
rmacast simulate before.rma --platform four-nodes --json before.json >out 2>&1 || fail "$(cat out)"
late() { jq '.patterns[] | select(.name == "late_post").severity_s' "$1"; }
for changed in predicted after; do
    jq -en "$(late $changed.json) < $(late before.json) / 2" >out || fail "Late Post, $changed: $(late $changed.json) s, before $(late before.json) s"
done
finish
