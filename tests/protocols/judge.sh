# judge.sh COMMAND...: runs a program of these tests, which ends with "... N wrong". MPICH may hang in MPI_Finalize over TCP:
# a rank that has closed its own connections waits for the others outside of UCX, and does not answer their last flush any
# more. What counts is therefore what the program has said; it has two seconds to end behind that.
set -eu
said=$(mktemp)
"$@" >"$said" 2>&1 &
command=$!
trap 'kill "$command" 2>/dev/null || true; rm -f "$said"' EXIT
turns=0 # of a tenth of a second
while kill -0 "$command" 2>/dev/null && [ "$turns" -lt 900 ] && ! grep -q ' wrong$' "$said"; do
    sleep 0.1
    turns=$((turns + 1))
done
for turn in $(seq 20); do
    kill -0 "$command" 2>/dev/null || break
    sleep 0.1
done
kill "$command" 2>/dev/null || true
status=0
wait "$command" || status=$?
cat "$said"
[ "$status" != 77 ] || exit 77
grep -q ' 0 wrong$' "$said"
