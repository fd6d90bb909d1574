#!/bin/sh
# Usage: failures.sh SOURCE: why a campaign's run failed, told from what MPICH 4.0.2 and Open MPI 4.1.4 wrote when rank 1 of two
# read a null pointer, ended with status 3 behind a line of its own, and called MPI_Abort(MPI_COMM_WORLD, 7); and when a recording
# is made again.
. "$(dirname "$0")/../expect.sh"
. "$1/validate/campaigns/failures.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
says() { # STATUS REASON
    reason=$(failure_reason "$1" out err)
    [ "$reason" = "$2" ] || fail "'$reason', expected '$2'"
}
kept='rmacast: warning: s.rma: 2 of 2 ranks are incomplete; rank 0: killed or ended without MPI_Finalize, inside MPI_Barrier
rmacast: 2 ranks, 5 events: s.rma/traces.otf2
rmacast: next: rmacast analyze s.rma'
box=--------------------------------------------------------------------------

cat >out <<END

===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 2071 RUNNING AT vm
=   EXIT CODE: 11
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)
This typically refers to a problem with your application.
Please see the FAQ page for debugging suggestions
END
cat >err <<END
[vm:2071 :0:2071] Caught signal 11 (Segmentation fault: address not mapped to object at address (nil))
==== backtrace (tid:   2071) ====
 0  /lib/x86_64-linux-gnu/libucs.so.0(ucs_handle_error+0x2dc) [0x7f7f2b1eae9c]
 6  ./segv(+0x1217) [0x5630cfd88217]
=================================
$kept
END
says 11 'Segmentation fault (signal 11)'

: >out
cat >err <<END
[vm:04176] *** Process received signal ***
[vm:04176] Signal: Segmentation fault (11)
[vm:04176] [ 3] ./segv.o4(+0x1221)[0x558696d1a221]
[vm:04176] *** End of error message ***
$box
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
$box
$box
mpirun.openmpi noticed that process rank 1 with PID 0 on node vm exited on signal 11 (Segmentation fault).
$box
$kept
END
says 139 'Segmentation fault (signal 11)'

printf 'no input file\n%s\n' "$kept" >err
says 3 'exit status 3: no input file'

cat >err <<END
no input file
$box
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
$box
$box
mpirun.openmpi detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[31806,1],1]
  Exit code:    3
$box
$kept
END
says 3 'exit status 3: no input file'

printf 'Abort(7) on node 1 (rank 1 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 7) - process 1\n%s\n' "$kept" >err
says 7 'exit status 7: Abort(7) on node 1 (rank 1 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 7) - process 1'

echo "$kept" >err
says 9 'exit status 9'
echo "rmacast: s.rma: cannot be made: No space left on device" >err
says 1 'exit status 1: rmacast: s.rma: cannot be made: No space left on device'
says 124 'it reached its time limit'

# The program is older than its recording, then newer; there is none.
mkdir recorded.rma
touch -d 2026-01-02 recorded.rma
touch -d 2026-01-01 program
check is_recording_of recorded.rma program
touch -d 2026-01-03 program
is_recording_of recorded.rma program && fail "the recording of an older program counts"
is_recording_of other.rma program && fail "there is no such recording"

# A condition that is true of no row, as one with a word that rows do not have, ends before anything runs.
cat >campaign.json <<END
{ "schema": "rmacast.campaign/1", "programs": [ { "name": "lock", "command": ["none"], "bytes": [8], "ranks": [2, 4] } ] }
END
for condition in '.name == "lock"' '.program == "lock" and .ranks == 3' '.program == '; do
    "$1/validate/campaigns/run.sh" --rows "$condition" campaign.json . result.json >out 2>err && fail "$condition: rows are measured"
    grep -qF -- "--rows '$condition': true of no row of campaign.json, expected a condition of jq with .program" err ||
        fail "$condition: $(cat err)"
done
finish
