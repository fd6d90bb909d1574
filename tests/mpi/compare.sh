# compare.sh RMACAST RMACAST_ANALYZE_MPI DIRECTORY: one, two, three processes, and more than there are ranks, find what rmacast
# analyze finds, to the byte; what cannot be read together.
. "$(dirname "$0")/lib.sh"

compare() { # NAME TRACE [PROCESSES]
  "$rmacast" export "$2" --to otf2 -o "$work/$1.rma" 2>/dev/null
  (cd "$work" && "$rmacast" analyze "$1.rma" --slices --json "$1.json" >"$1.txt")
  for processes in ${3:-3}; do
    (cd "$work" && timeout 60 mpiexec.mpich -n $processes "$analyze_mpi" "$1.rma" --json "$1.$processes.json" \
      >"$1.$processes.txt") || fail "$1: $processes processes fail"
    cmp "$work/$1.json" "$work/$1.$processes.json" || fail "$1: $processes processes find something else"
    cmp "$work/$1.txt" "$work/$1.$processes.txt" || fail "$1: $processes processes print something else"
  done
}

for case in both_roles_mixed_order collectives_two fence_four isend_irecv_waitall lock_all_contended lock_mixed \
  recv_out_of_order regions rput_rget unmatched_start waitany_testall; do
  compare $case tests/cases/*/$case.case
done
compare fence_four tests/cases/*/fence_four.case 1
for sync in pscw fence lock flush p2p; do
  "$rmacast" generate halo2d --ranks 6 --iterations 300 --imbalance 0.3 --sync $sync -o "$work/$sync.txt"
  compare $sync "$work/$sync.txt" "2 7"
done

# Several batches of each rank, with receives that are completed in a later one.
"$rmacast" generate halo2d --ranks 6 --iterations 2000 --imbalance 0.3 --sync p2p -o "$work/batches.txt"
compare batches "$work/batches.txt" "2 3"

# Options mean the same, by one process and by several.
options() { # NAME OPTION...
  name=$1
  shift
  (cd "$work" && "$rmacast" analyze $name.rma --slices "$@" --json one.json >one.txt)
  (cd "$work" && timeout 60 mpiexec.mpich -n 3 "$analyze_mpi" $name.rma "$@" --json three.json >three.txt) ||
    fail "$name $*: three processes fail"
  cmp "$work/one.json" "$work/three.json" || fail "$name $*: three processes find something else"
  cmp "$work/one.txt" "$work/three.txt" || fail "$name $*: three processes print something else"
}
options lock --efficiency --per-rank
options pscw --verify --over-time
options fence --over-time=7 --from 10ms
options fence --over-time=MPI_Win_fence,100 --verify
options fence --keep-going
options p2p --without-init
options p2p --check

# What contradicts MPI needs what only the owner of a rank reads: window sizes and what buffers with gaps span. The second put
# spans 40 of 32 bytes. The fence of rank 2 comes to no other; its put ends the analysis, so one process reads again.
cat >"$work/wrong.txt" <<'END'
rmacast-trace 1
ranks 3
window 0 comm=0 bytes=32,32,32 disp_unit=1
0 0.000 0.001 MPI_Win_create win=0
1 0.000 0.001 MPI_Win_create win=0
2 0.000 0.001 MPI_Win_create win=0
0 0.002 0.003 MPI_Win_lock win=0 target=1 lock=shared
0 0.004 0.005 MPI_Put win=0 target=1 bytes=16 disp=0 target_extent=24
0 0.006 0.007 MPI_Put win=0 target=1 bytes=16 disp=0 target_extent=40
0 0.008 0.009 MPI_Win_unlock win=0 target=1
2 0.010 0.011 MPI_Win_fence win=0
END
"$rmacast" export "$work/wrong.txt" --to otf2 -o "$work/wrong.rma"
both_fail() { # NAME OPTION...: as options(), with exit status 1
  name=$1 one=0 three=0
  shift
  (cd "$work" && "$rmacast" analyze $name.rma --slices "$@" --json one.json >one.txt 2>one.err) || one=$?
  (cd "$work" && timeout 60 mpiexec.mpich -n 3 "$analyze_mpi" $name.rma "$@" --json three.json >three.txt 2>three.err) || three=$?
  [ $one -eq 1 ] && [ $three -eq 1 ] || fail "$name $*: exit status $one and $three"
  for file in json txt err; do cmp "$work/one.$file" "$work/three.$file" || fail "$name $*: three processes find something else"; done
}
both_fail wrong --check
jq -e '[.violations[].kind] == ["operation_beyond_window", "collective_missing"]' "$work/three.json" >"$work/out" ||
  fail "three processes do not find what is wrong"
echo "2 0.012 0.013 MPI_Put win=0 target=1 bytes=8 disp=0
2 0.014 0.015 MPI_Win_complete win=0" >>"$work/wrong.txt"
"$rmacast" export "$work/wrong.txt" --to otf2 -o "$work/refused.rma"
both_fail refused --check
options refused --keep-going
# Tables, too; of the transfers more than one message holds of one process.
tables() { # NAME OPTION...
  name=$1
  shift
  rm -rf "$work/one.csv" "$work/three.csv"
  "$rmacast" analyze "$work/$name.rma" --slices "$@" --csv "$work/one.csv" >"$work/one.txt"
  timeout 60 mpiexec.mpich -n 3 "$analyze_mpi" "$work/$name.rma" "$@" --csv "$work/three.csv" >"$work/three.txt" ||
    fail "$name --csv: three processes fail"
  diff -r "$work/one.csv" "$work/three.csv" || fail "$name --csv: three processes write something else"
}
"$rmacast" generate halo2d --ranks 6 --iterations 30000 --sync fence -o "$work/many.rma"
tables many
tables lock --ranks 1-3 --over-time
options pscw --efficiency=callpaths --reference "$work/lock.json" --ideal "$work/fence.json"
options lock --ranks 2-4 --top 3
options fence --ranks 5 --epsilon 10us
options lock --window 0 --from 10ms --to 100ms
options pscw --late-post earliest --callpath "MPI_Win_*"
options p2p --eager 16 --close 1ms --latency 1us --bandwidth 1GB/s

# refuses PATTERN OPTION...: one line, exit 2, no result.
refuses() {
  pattern=$1 status=0
  shift
  timeout 60 mpiexec.mpich -n 3 "$analyze_mpi" "$@" >"$work/out" 2>"$work/err" || status=$?
  [ $status -eq 2 ] || fail "$*: exit status $status"
  [ "$(wc -l <"$work/err")" -eq 1 ] && grep -q "^rmacast: .*$pattern" "$work/err" || fail "$*: $(cat "$work/err")"
  [ ! -s "$work/out" ] || fail "$*: there is a result"
}
refuses "no rank 6, expected 0 to 5" --ranks 3-6 "$work/lock.rma"
refuses "window 1 is not in the trace" --window 1 "$work/lock.rma"
refuses "TRACE is missing"
refuses "unknown option --what" --what "$work/lock.rma"
[ "$(timeout 60 mpiexec.mpich -n 3 "$analyze_mpi" --help | grep -c "^Usage: rmacast-analyze-mpi")" -eq 1 ] || fail "no help"

# Simulated and OpenSHMEM programs.
"$rmacast" simulate tests/cases/locks/lock_mixed_lazy.case --platform tests/cases/base.json --set nodes.count=4 \
  --lock lazy -o "$work/simulated.text" >"$work/simulated.log"
compare simulated "$work/simulated.text" "2 3"
"$rmacast" simulate tests/cases/shmem/shmem_wait_for_write.case --platform tests/cases/base.json -o "$work/written.text" >"$work/written.log"
compare written "$work/written.text" "2 3"
compare shmem tests/cases/shmem/shmem_locks.case "2 3"
compare writes tests/cases/shmem/shmem_wait_for_write.case "2 3"
tables shmem
tables simulated

# fails NAME PROCESSES ARCHIVE PATTERN: one line, exit 1, no result.
fails() {
  status=0
  timeout 60 mpiexec.mpich -n "$2" "$analyze_mpi" "$3" --json - >"$work/out" 2>"$work/err" || status=$?
  [ $status -eq 1 ] || fail "$1: exit status $status"
  [ "$(grep -c "^rmacast: " "$work/err")" -eq 1 ] || fail "$1: $(cat "$work/err")"
  grep -q "^rmacast: .*$4" "$work/err" || fail "$1: $(cat "$work/err")"
  [ ! -s "$work/out" ] || fail "$1: there is a result"
}

# The events of a rank end too early: of the first, the middle, the last process.
rm -rf "$work/short.rma"
cp -r "$work/pscw.rma" "$work/short.rma"
truncate -s -100 "$work/short.rma/traces/5.evt"
fails "a damaged archive" 3 "$work/short.rma" "5.evt: .*damaged or truncated"
fails "a damaged archive" 6 "$work/short.rma" "5.evt: .*damaged or truncated"
for rank in 0 3; do
  rm -r "$work/short.rma"
  cp -r "$work/fence.rma" "$work/short.rma"
  truncate -s -100 "$work/short.rma/traces/$rank.evt"
  fails "a damaged archive" 4 "$work/short.rma" "$rank.evt: .*damaged or truncated"
done

# A fault that shows in matching.
cat >"$work/fault.txt" <<END
rmacast-trace 1
ranks 3
window 0 comm=0 bytes=8,8,8 disp_unit=1
0 0.000001 0.000002 MPI_Win_lock win=0 target=1 lock=exclusive assert=0
0 0.000002 0.000003 MPI_Win_unlock win=0 target=1
2 0.000001 0.000002 MPI_Win_unlock win=0 target=0
END
"$rmacast" export "$work/fault.txt" --to otf2 -o "$work/fault.rma"
fails "an unlock without lock" 3 "$work/fault.rma" "rank 2, event 1 (MPI_Win_unlock).*no lock of target 0"

# What no several processes read, one reads.
cp tests/cases/*/fence_four.case "$work/written.txt"
(cd "$work" && "$rmacast" analyze written.txt >one.txt && timeout 60 mpiexec.mpich -n 2 "$analyze_mpi" written.txt >two.txt 2>err) ||
  fail "a text trace fails"
cmp "$work/one.txt" "$work/two.txt" || fail "a text trace is analysed otherwise"
grep -q "^rmacast: written.txt: read by one process: " "$work/err" || fail "a text: $(cat "$work/err")"
finish
