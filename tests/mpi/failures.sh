# failures.sh RMACAST RMACAST_ANALYZE_MPI DIRECTORY: whatever ends one of several processes, all end: exit status not 0, no
# result, nobody left; one line says why, but for signals, which mpiexec tells.
. "$(dirname "$0")/lib.sh"

# fails NAME PATTERN MPIEXEC-ARGUMENT...: one line, exit 1, no result.
fails() {
  name=$1 pattern=$2 status=0
  shift 2
  rm -f "$work/result.json"
  timeout 60 mpiexec.mpich "$@" >"$work/out" 2>"$work/err" || status=$?
  [ $status -eq 1 ] || fail "$name: exit status $status"
  [ "$(grep -c "^rmacast: " "$work/err")" -eq 1 ] || fail "$name: $(cat "$work/err")"
  grep -q "^rmacast: .*$pattern" "$work/err" || fail "$name: $(cat "$work/err")"
  [ ! -e "$work/result.json" ] || fail "$name: there is a result"
}

"$rmacast" generate halo2d --ranks 6 --iterations 50 --sync fence -o "$work/good.rma"
json="--json $work/result.json"

# What cannot be opened, or not by all.
fails "no archive" "none.rma: " -n 3 "$analyze_mpi" "$work/none.rma" $json
mkdir -p "$work/empty.rma"
fails "an empty directory" "empty.rma: " -n 3 "$analyze_mpi" "$work/empty.rma" $json
rm -rf "$work/cut.rma"
cp -r "$work/good.rma" "$work/cut.rma"
rm "$work/cut.rma/traces/4.evt"
fails "a missing file of events" "4.evt: " -n 3 "$analyze_mpi" "$work/cut.rma" $json
truncate -s 20 "$work/cut.rma/traces.def"
fails "damaged definitions" "traces.def" -n 3 "$analyze_mpi" "$work/cut.rma" $json

# A file that cannot be made, and a result that cannot be written.
fails "no place for process 0" "/nowhere: " -n 1 -env TMPDIR /nowhere "$analyze_mpi" "$work/good.rma" $json \
  : -n 2 "$analyze_mpi" "$work/good.rma" $json
fails "no place for the result" "/nowhere/result.json: cannot be written" -n 2 "$analyze_mpi" "$work/good.rma" \
  --json /nowhere/result.json

# What is read is not what is written: wrong usage, in one line, and the archive stays.
cp "$work/good.rma/traces.def" "$work/before"
status=0
timeout 60 mpiexec.mpich -n 2 "$analyze_mpi" "$work/good.rma" --json "$work/good.rma/traces.def" >"$work/out" 2>"$work/err" || status=$?
[ $status -eq 2 ] || fail "the archive as output: exit status $status"
[ "$(grep -c "^rmacast: --json .*traces.def would replace .*/good.rma/traces.def that is read, expected another name$" "$work/err")" -eq 1 ] || fail "$(cat "$work/err")"
cmp "$work/before" "$work/good.rma/traces.def" || fail "the archive that is read is replaced"

# A fault that only the last process reads, in the middle of the trace.
awk 'BEGIN {
  print "rmacast-trace 1\nranks 3\nwindow 0 comm=0 bytes=8,8,8 disp_unit=1"
  for (i = 0; i < 3000; i++)
    for (r = 0; r < 3; r++) {
      call = "MPI_Barrier comm=0"
      if (r == 2 && i == 1000) call = "MPI_Win_free win=0"
      if (r == 2 && i == 1001) call = "MPI_Win_fence win=0 assert=0"
      printf "%d %.6f %.6f %s\n", r, i / 1000, (i + .5) / 1000, call
    }
}' >"$work/fault.txt"
"$rmacast" export "$work/fault.txt" --to otf2 -o "$work/fault.rma"
fails "a window used when it was freed" "rank 2, event 1002 (MPI_Win_fence)" -n 3 "$analyze_mpi" "$work/fault.rma" $json

# Signals. Each process says its number; once all are at work one is stopped, so that the others wait for it.
"$rmacast" generate halo2d --ranks 16 --iterations 20000 --imbalance 0.3 --sync pscw -o "$work/long.rma"
cat >"$work/start.sh" <<END
echo \$\$ >"$work/pid.\$PMI_RANK"
exec "$analyze_mpi" "$work/long.rma" $json
END

# A reader has a file of events open; process 0 has its temporary file, which has lost its name.
is_at_work() {
  [ -s "$work/pid.$1" ] && ls -l "/proc/$(cat "$work/pid.$1")/fd" 2>/dev/null | grep -q "$work/.*(deleted)\|long.rma/.*evt"
}

begin() {
  rm -f "$work"/pid.* "$work/result.json"
  TMPDIR=$work timeout -k 3 60 mpiexec.mpich -n 3 sh "$work/start.sh" >"$work/out" 2>"$work/err" &
  job=$!
  tries=0
  while [ $tries -lt 1000 ]; do
    tries=$((tries + 1))
    is_at_work 0 && is_at_work 1 && is_at_work 2 && break
    sleep 0.01
  done
  kill -STOP "$(cat "$work/pid.2")" || fail "the analysis ended before it could be stopped"
}

# A process that was killed takes a moment to go.
is_gone() {
  tries=0
  while [ $tries -lt 300 ] && kill -0 "$1" 2>/dev/null; do
    tries=$((tries + 1))
    sleep 0.01
  done
  [ $tries -lt 300 ]
}

all_ended() { # NAME
  status=0
  wait $job || status=$?
  # an mpiexec that is ended may say 0 itself
  [ $status -ne 0 ] || [ "$1" = "mpiexec is ended" ] || fail "$1: exit status 0"
  [ $status -ne 124 ] && [ $status -ne 137 ] || fail "$1: hangs"
  [ ! -e "$work/result.json" ] || fail "$1: there is a result"
  for pid in $(cat "$work"/pid.*); do
    is_gone "$pid" || fail "$1: process $pid is left"
  done
  [ -z "$(find "$work" -name 'rmacast*' -newer "$work/start.sh")" ] || fail "$1: files are left"
}

for victim in 0 1 2; do
  begin
  kill -KILL "$(cat "$work/pid.$victim")"
  all_ended "process $victim is killed"
done
begin
# UCX, where MPICH has it, must not catch the signal: it may wait for ever in the handler.
tr "\000" "\n" <"/proc/$(cat "$work/pid.1")/environ" | grep -q "^UCX_HANDLE_ERRORS=none" || fail "UCX catches signals"
kill -SEGV "$(cat "$work/pid.1")"
all_ended "process 1 breaks off"
begin
kill -TERM $job
all_ended "mpiexec is ended"
finish
