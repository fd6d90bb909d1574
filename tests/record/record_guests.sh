#!/bin/sh
# Usage: record_guests.sh RMACAST MPIEXEC PROGRAMS: a recorder that is a guest in the program harms nothing of it, and
# what programs do to it by the way does not harm the recording. Ranks call MPI_Init_thread, 20000 times MPI_Barrier
# and MPI_Finalize: 20002 events.
set -u
rmacast=$1 mpiexec=$2 programs=$3
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

events() { "$rmacast" dump "$1" | awk -v rank="$2" '$1 == rank' | wc -l; }

# The files that the program opens under our descriptors' numbers have what it writes, 20 bytes, and the recording is whole.
expect 0 "$rmacast" record -o close.rma -- "$mpiexec" -n 2 "$programs/guests" close
for file in own-*; do check test "$(wc -c <$file)" = 20; done
check test "$(ls own-* | wc -l)" = 8
"$rmacast" info close.rma >info
check grep -qx 'complete *yes' info
check test "$(events close.rma 0) $(events close.rma 1)" = '20002 20002'

# Without environment from before MPI_Init on: recorded all the same, as was asked.
expect 0 "$rmacast" record -o unset.rma -- "$mpiexec" -n 2 "$programs/guests" unset
check test "$(events unset.rma 0) $(events unset.rma 1)" = '20002 20002'
expect 0 "$rmacast" record -o limit.rma --calls rma -- "$mpiexec" -n 2 "$programs/guests" unset
check test "$(events limit.rma 0) $(events limit.rma 1)" = '2 2'

# A tail that somebody cuts ends the recording of the rank, with one line, not the program, and takes 8192 words at most.
expect 0 "$rmacast" record -o truncate.rma -- "$mpiexec" -n 2 "$programs/guests" truncate
check test "$(grep -c "^rmacast: rank 0: recording stopped: the spool's tail file was truncated" err)" = 1
check grep -q '1 of 2 ranks is incomplete; rank 0: recording stopped' err
check test "$(events truncate.rma 1)" = 20002
check test "$(events truncate.rma 0)" -gt 15000

# Threads are cancelled while the recorder writes what they call: each thread's recording is whole.
expect 0 "$rmacast" record -o cancel.rma -- "$programs/guests" cancel
"$rmacast" info cancel.rma >info
check grep -qx 'complete *yes' info
check grep -qx 'threads  *61, up to 61 on a rank' info

# Ranks that end by themselves run without the launcher: Hydra gives a status of its own where it sees the rank's closed
# connection before the rank's end. The status is then the program's, 128 and the signal's number where one ended it.
# A SIGBUS of the program itself is the program's: its handler's, or its end.
expect 5 "$rmacast" record -o bus.rma -- "$programs/guests" bus
expect 135 "$rmacast" record -o die.rma -- "$programs/guests" die
check grep -q 'rank 0: ended without MPI_Finalize by signal 7 (SIGBUS)$' err

# It sees its own actions of signals, not the recorder's. What ends it is noted all the same: 15 is SIGTERM.
expect 143 "$rmacast" record -o see.rma -- "$programs/guests" see
check grep -q 'rank 0: ended without MPI_Finalize by signal 15 (SIGTERM)$' err

# A signal of the kernel that is no fault of an instruction: 24 is SIGXCPU.
expect 152 "$rmacast" record -o limit-cpu.rma -- "$programs/guests" limit
check grep -q 'rank 0: ended without MPI_Finalize by signal 24 (SIGXCPU)$' err
check test "$(events limit-cpu.rma 0)" = 1

# Runs until both ranks have said who they are.
await_pids() {
    for turn in $(seq 300); do
        [ -s pid-0 ] && [ -s pid-1 ] && return
        sleep 0.1
    done
    check false
}
lives() { kill -0 "$1" 2>/dev/null; }

# A record that is to end ends the ranks, which the launcher leaves behind; what they recorded is packed.
for signal in HUP TERM; do
    rm -f pid-*
    timeout 60 "$rmacast" record -o end.rma -- sh -c "$mpiexec -n 2 $programs/guests long; true" >out 2>err &
    timeout=$!
    await_pids
    record=$(cat /proc/$timeout/task/$timeout/children)
    kill -$signal $record
    wait $timeout
    for pid in $(cat pid-0 pid-1); do lives $pid && check false "rank runs on after $signal"; done
    check grep -q '2 of 2 ranks are incomplete; rank 0: .*ended without MPI_Finalize' err # the launcher may kill, too
    check test ! -e end.rma/spool
done

# Ctrl-C at a terminal: the kernel sends SIGINT to all in its foreground, to a rank without a launcher, too. What was recorded is
# packed, and the command ends as the program does: by signal 2, which MPICH's launcher says as 2, with the 9 of a rank that it
# killed before that ended, 11, or as 0: without a recorder, too, it gives one or the other. The shell that script starts, $SHELL
# or /bin/sh, gets the signal, too, and must not end by it.
press() { # LAST: the rank that is waited for
    for turn in $(seq 300); do
        [ -s "pid-$1" ] && break
        sleep 0.1
    done
    sleep 0.2
    printf '\003'
    for turn in $(seq 100); do
        [ -e pressed ] && break
        sleep 0.1
    done
}
for ranks in 0 2; do
    rm -rf pid-* pressed ctrl.rma
    if [ $ranks = 0 ]; then
        ended=130 said=ended run="$programs/guests long"
    else
        ended='(0|2|11)' said='.*ended' run="$mpiexec -n 2 $programs/guests long"
    fi
    press $((ranks > 0)) |
        timeout 60 script -qec "trap : INT; $rmacast record -o ctrl.rma -- $run; echo status \$?; touch pressed" /dev/null |
        tr -d '\r' >out 2>err
    check grep -qxE "status $ended" out
    check grep -qE "(1 of 1 rank is|2 of 2 ranks are) incomplete; rank 0: $said without MPI_Finalize" out
    for pid in $(cat pid-*); do lives $pid && check false "rank runs on after Ctrl-C"; done
    check test ! -e ctrl.rma/spool
    [ $ranks = 2 ] || check grep -q 'rank 0: ended without MPI_Finalize by signal 2 (SIGINT)' out
done

# Ranks that run on where the launcher has ended by itself: their spool is kept, and can be read.
rm -f pid-*
expect 1 "$rmacast" record -o on.rma -- sh -c "
    setsid $mpiexec -n 2 $programs/guests long >/dev/null 2>&1 &
    for turn in \$(seq 300); do [ -s pid-0 ] && [ -s pid-1 ] && break; sleep 0.1; done"
check grep -q 'on.rma/spool: process [0-9]* still writes to it: the recording is kept, not packed' err
check test -e on.rma/spool/rank-000001.spool
check "$rmacast" info on.rma/spool >info
for pid in $(cat pid-0 pid-1); do check lives $pid; kill -TERM $pid; done

finish
