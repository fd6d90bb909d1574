  case $name in
  *lock*|*progress*) simulate "$name-thread" "$trace" --set mpi.rma.progress=thread || rm -f "$place/$name-thread.txt" ;;
  esac
# simulated.sh RUN_SLICES RMACAST DIRECTORY: what the simulator makes of the hand-worked cases and of generated traces, with
# lazy locks and progress by calls, or by a helper thread; two simulated traces written by hand.
set -e
run_slices=$1 rmacast=$2 place=$3
rm -f "$place"/*.txt
simulate() { # NAME TRACE OPTION...: fails where the trace shows what cannot be simulated
  name=$1 trace=$2
  shift 2
  "$rmacast" simulate "$trace" --platform tests/cases/base.json --engine loggp --set nodes.count=32 "$@" \
    -o "$place/$name.txt" >"$place/log" 2>&1
}
for trace in $(ls tests/cases/*/*.case | grep -v /threads/); do
  name=$(basename "$trace" .case)
  simulate "$name-lazy" "$trace" --lock lazy --set mpi.rma.progress=call || rm -f "$place/$name-lazy.txt"
  case $name in # a helper thread changes what locks and progress do
  *lock* | *progress*)
    simulate "$name-thread" "$trace" --set mpi.rma.progress=thread || rm -f "$place/$name-thread.txt" ;;
  esac
done
[ "$(ls "$place"/*-lazy.txt | wc -l)" -gt 100 ] || { echo "too few cases could be simulated" >&2; exit 1; }
for sync in pscw fence lock flush p2p; do
  "$rmacast" generate halo2d --ranks 6 --iterations 10 --imbalance 0.3 --sync $sync -o "$place/made"
  simulate halo-$sync "$place/made" --lock lazy --set mpi.rma.progress=call
done
exec "$run_slices" "$place" tests/slices/hurried_lock.txt tests/slices/lock_and_progress.txt "$place"/*.txt
