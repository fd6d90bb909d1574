# compare.sh RMACAST RMACAST_ANALYZE_MPI DIRECTORY: one, two and three processes find what rmacast analyze finds, to the
# byte, but for efficiency; more processes than ranks, and what cannot be read together.
set -e
rmacast=$1 analyze_mpi=$2 work=$3
failed=0

complain() {
  echo "$*" >&2
  failed=1
}

compare() { # NAME TRACE [PROCESSES]
  "$rmacast" export "$2" --to otf2 -o "$work/$1.rma" 2>/dev/null
  (cd "$work" && "$rmacast" analyze "$1.rma" --slices --json "$1.json" >"$1.txt")
  jq 'del(.efficiency)' "$work/$1.json" >"$work/$1.rest.json"
  for processes in ${3:-2 3}; do
    (cd "$work" && timeout 60 mpiexec.mpich -n $processes "$analyze_mpi" "$1.rma" --json "$1.$processes.json" \
      >"$1.$processes.txt") || complain "$1: $processes processes fail"
    jq 'del(.efficiency)' "$work/$1.$processes.json" | cmp "$work/$1.rest.json" || complain "$1: $processes processes find something else"
    cmp "$work/$1.txt" "$work/$1.$processes.txt" || complain "$1: $processes processes print something else"
  done
}

for case in both_roles_mixed_order collectives_two fence_four isend_irecv_waitall lock_all_contended lock_mixed \
  recv_out_of_order regions rput_rget unmatched_start waitany_testall; do
  compare $case tests/cases/$case/trace.txt
done
for sync in pscw fence lock flush p2p; do
  "$rmacast" generate halo2d --ranks 6 --iterations 300 --imbalance 0.3 --sync $sync -o "$work/$sync.txt"
  compare $sync "$work/$sync.txt" "1 2 3"
done

# A stream that ends too early: one line, exit 1.
cp -r "$work/pscw.rma" "$work/short.rma"
truncate -s -100 "$work/short.rma/traces/5.evt"
timeout 60 mpiexec.mpich -n 3 "$analyze_mpi" "$work/short.rma" >"$work/out" 2>"$work/err" && complain "a damaged archive is analysed"
grep -q "^rmacast: .*5.evt: .*damaged or truncated" "$work/err" || complain "a damaged archive: $(cat "$work/err")"
timeout 60 mpiexec.mpich -n 2 "$analyze_mpi" "$work/pscw.txt" 2>"$work/err" && complain "a text trace is analysed"
grep -q "^rmacast: .*pscw.txt: cannot be read by several processes" "$work/err" || complain "a text: $(cat "$work/err")"
exit $failed
