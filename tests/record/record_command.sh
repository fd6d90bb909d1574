#!/bin/sh
# Usage: record_command.sh RMACAST MPIEXEC PROGRAMS RECORDER-LIBRARY: what `rmacast record` promises to its caller.
# Wrong usage: tests/commands/usage.test.
set -u
rmacast=$1 mpiexec=$2 programs=$3 recorder=$4
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# An archive, named after the program; nothing else is left.
expect 0 "$rmacast" record -- "$mpiexec" -n 4 "$programs/pscw_halo"
check test -f pscw_halo.rma/traces.otf2
check test ! -e pscw_halo.rma/spool
check lines out 0
check grep -q 'pscw_halo.rma/traces.otf2' err
check grep -q 'rmacast analyze pscw_halo.rma' err

# Where the ranks ran, all of them here;
"$rmacast" dump pscw_halo.rma >dump
check test "$(grep '^node ' dump)" = "node 0 name=$(uname -n) ranks=0,1,2,3 cores=$(nproc)"

# Two ranks on one core disturb each other: one line says so.
expect 0 taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$rmacast" record -o shared.rma -- "$mpiexec" -n 2 "$programs/locks"
check test "$(grep -c "warning: shared.rma: disturbed: computing waited .* of the ranks' time; of .* in MPI .* without a core; more ranks than cores on a node$" err)" = 1

# The application's own exit status; the warning names window, rank and cure, in one line.
expect 5 "$rmacast" record -o aligned.rma -- "$mpiexec" -n 2 "$programs/misaligned"
check test -f aligned.rma/traces.otf2
check test "$(grep -c 'window 0 of rank 1 .* not a multiple of 16.*UCX_RCACHE_ENABLE=n' err)" = 1
UCX_RCACHE_ENABLE=n expect 5 "$rmacast" record -o cured.rma -- "$mpiexec" -n 2 "$programs/misaligned"
check test "$(grep -c 'not a multiple' err)" = 0

# Killed: packed all the same.
expect 9 "$rmacast" record -o killed.rma -- "$mpiexec" -n 4 "$programs/killed"
check test -f killed.rma/traces.otf2
check grep -q '4 of 4 ranks are incomplete; rank 0: killed or ended without MPI_Finalize' err

# Rank 2 was killed while it held a lock: the others wait for it in the barrier, which ends a replay in one line. What came before
# replays and keeps the laws.
expect 1 "$rmacast" simulate killed.rma --platform ideal --verify
check lines err 1
check grep -q 'event 13 (MPI_Barrier): deadlock: .* the recording of rank 2 breaks off after event 14' err
# Each engine and each kind of progress once; property.broken_off combines them.
for way in "simgrid hardware" "loggp thread"; do
    expect 0 "$rmacast" simulate killed.rma --platform ideal --verify --keep-going --engine ${way% *} --progress ${way#* }
    check test "$(grep -c 'never returns: it waits for MPI_Barrier of rank 2$' out)" = 3
done

# Output untouched, status of a command that is no MPI program, signals.
expect 1 "$rmacast" record -o plain.rma -- sh -c 'echo to out; echo to err >&2'
check test "$(cat out)" = 'to out'
check grep -qx 'to err' err
check grep -q 'rmacast: plain.rma: nothing was recorded' err
check test ! -e plain.rma
expect 7 "$rmacast" record -o plain.rma -- sh -c 'exit 7'
expect 143 "$rmacast" record -o plain.rma -- sh -c 'kill -TERM $$'

# A recording that was not packed is not overwritten.
mkdir -p old.rma/spool && : >old.rma/spool/rank-000000.spool
expect 1 "$rmacast" record -o old.rma -- true
check lines err 1
check test -f old.rma/spool/rank-000000.spool

# Again and again, into archives of their own; what fails ends it, and keeps its status.
expect 0 "$rmacast" record --repeat 2 -o again.rma --json again.json -- "$mpiexec" -n 2 "$programs/locks"
check test -f again-1.rma/traces.otf2 -a -f again-2.rma/traces.otf2 -a ! -e again.rma
check grep -q '"programs":[[:space:]]*2,' again.json
expect 0 "$rmacast" simulate again-1.rma again-2.rma --platform two-nodes
check grep -q 'computing is the median of 2 recordings' out
expect 0 "$rmacast" record --repeat 1 -o again.rma -- "$mpiexec" -n 2 "$programs/locks"
check grep -q '^rmacast: note: again-2.rma is of an earlier recording$' err
expect 3 "$rmacast" record --repeat 3 -o ends.rma -- sh -c 'test ! -e once || exit 3; : >once; "$0" -n 2 "$1/locks"' "$mpiexec" "$programs"
check test -f ends-1.rma/traces.otf2 -a ! -e ends-3.rma

# What cannot be packed, here since the program leaves a file of its own in the archive's directory, is kept, and packed as told.
expect 1 "$rmacast" record -o kept.rma -- sh -c "\"$mpiexec\" -n 2 \"$programs/locks\"; : >kept.rma/own"
check grep -qx 'rmacast: kept.rma/spool: the recording is kept, not packed; every command reads it, rmacast export --to otf2 -o DIR packs it' err
expect 0 "$rmacast" export kept.rma/spool --to otf2 -o packed.rma
expect 0 "$rmacast" info packed.rma
check grep -q '^complete *yes' out

# A second recording in a directory, before the first one's program has begun, is refused, and the first one is whole.
mkfifo go
"$rmacast" record -o two.rma -- sh -c ": >begun; read -r line <go; exec \"$mpiexec\" -n 2 \"$programs/locks\"" >first 2>&1 &
first=$!
while [ ! -e begun ]; do sleep 0.05; done
expect 1 "$rmacast" record -o two.rma -- touch second
check lines err 1
check grep -q 'rmacast: two.rma/spool: another recording is being made there, expected another directory' err
check test ! -e second
echo >go
wait $first || fail "the first recording: $(cat first)"
expect 0 "$rmacast" info two.rma
check grep -q '^complete *yes' out

# The recorder cannot write: the program runs on, one line per rank says why. Without RMACAST_SPOOL it says nothing.
expect 0 env LD_PRELOAD="$recorder" RMACAST_SPOOL="$work/none" "$mpiexec" -n 2 "$programs/locks"
check lines err 2
check test "$(grep -c "recording stopped: the spool's main file cannot be made: No such file or directory" err)" = 2
expect 0 env LD_PRELOAD="$recorder" "$mpiexec" -n 2 "$programs/locks"
check lines err 0

# One rank's environment lacks RMACAST_SPOOL: both run to their end, nothing is recorded, and one line says why.
for part in "env -u RMACAST_SPOOL $programs/locks : -n 1 $programs/locks" "$programs/locks : -n 1 env -u RMACAST_SPOOL $programs/locks"; do
    expect 1 timeout 60 "$rmacast" record -o some.rma -- "$mpiexec" -n 1 $part
    check test "$(grep -cx 'rmacast: nothing is recorded: 1 of 2 ranks have RMACAST_SPOOL, expected all' err)" = 1
    check grep -q 'rmacast: some.rma: nothing was recorded' err
done

# A second program of one job has a trace of its own, whose spool is gone, too; killed, it is told by its directory.
expect 0 "$rmacast" record -o two.rma -- sh -c '"$0" -n 2 "$1/locks" && "$0" -n 4 "$1/pscw_halo"' "$mpiexec" "$programs"
check test "$(ls two.rma two.rma/world-1 | grep -c 'traces.otf2')" = 2
check test ! -e two.rma/spool
expect 0 "$rmacast" info two.rma
check grep -q '^ranks  *2$' out
check grep -q '^note: further programs of the job have traces of their own, below this one: world-1$' out
expect 0 "$rmacast" info two.rma/world-1
check grep -q '^ranks  *4$' out
expect 9 "$rmacast" record -o two.rma -- sh -c '"$0" -n 4 "$1/pscw_halo"; "$0" -n 4 "$1/killed"' "$mpiexec" "$programs"
check grep -q 'two.rma/world-1: 4 of 4 ranks are incomplete; rank 0: killed or ended without MPI_Finalize' err
# What the user put beside a further program's archive is a reason not to begin; the archives of the last recording stay.
echo notes >two.rma/world-1/notes.txt
expect 1 "$rmacast" record -o two.rma -- "$mpiexec" -n 2 "$programs/locks"
check grep -q 'two.rma/world-1: holds notes.txt, which is no part of an OTF2 archive' err
check test -f two.rma/world-1/notes.txt -a -f two.rma/world-1/traces.otf2 -a ! -e two.rma/spool
rm two.rma/world-1/notes.txt
expect 0 "$rmacast" record -o two.rma -- "$mpiexec" -n 2 "$programs/locks"
check test ! -e two.rma/world-1
# Side by side neither disturbs the other, whichever comes first.
expect 0 "$rmacast" record -o side.rma -- sh -c '"$0" -n 2 "$1/locks" & "$0" -n 2 "$1/locks"; wait' "$mpiexec" "$programs"
for world in side.rma side.rma/world-1; do
    expect 0 "$rmacast" info $world
    check grep -q '^complete  *yes$' out
    expect 0 "$rmacast" simulate $world --platform ideal --verify
done

# Starting processes and opening ports is refused by MPICH's ucx: regions that say so.
expect 0 "$rmacast" record -o refused.rma -- "$mpiexec" -n 2 "$programs/worlds" refused
check test "$(cat out)" = 'refused done'
"$rmacast" dump refused.rma >dump
check test "$(grep -c ' enter MPI_Comm_spawn(failed)' dump) $(grep -c ' enter MPI_Open_port(failed)' dump) $(grep -c ' MPI_Finalize' dump)" = '2 2 2'
# With MPI's own error handler it is the end, inside the call.
expect 15 "$rmacast" record -o refused.rma -- "$mpiexec" -n 2 "$programs/worlds" spawn
check grep -q '2 of 2 ranks are incomplete; rank 0: killed or ended without MPI_Finalize' err
"$rmacast" dump refused.rma >dump
check test "$(grep -c ' MPI_Comm_spawn .*break' dump)" = 2

# MPI without MPI_Init: the first session opens the recording, the last finalization closes it, the calls between leave no trace.
calls() { "$rmacast" dump "$1" | sed -n 's/ site=.*//; s/^0 [0-9.]* [0-9.]* //p' | tr '\n' ' '; }
begin='MPI_Session_init MPI_Comm_create_from_group comm=1 newcomm=1 MPI_Ibarrier comm=1 req=0 MPI_Wait req=0 '
begin=$begin'MPI_Win_create win=0 MPI_Win_fence win=0 MPI_Win_free win=0 MPI_Group_incl MPI_Group_incl '
begin=$begin'MPI_Intercomm_create_from_groups comm=2 newcomm=2 MPI_Comm_disconnect comm=2 MPI_Group_free MPI_Group_free '
end='MPI_Barrier comm=1 MPI_Comm_free comm=1 MPI_Group_free MPI_Session_finalize '
expect 0 "$rmacast" record -o session.rma -- "$mpiexec" -n 2 "$programs/session"
check test "$(cat out)" = done
check test "$(calls session.rma)" = "$begin$end"
expect 0 "$rmacast" info session.rma
check grep -q '^complete  *yes$' out
expect 0 "$rmacast" analyze session.rma
expect 0 "$rmacast" simulate session.rma --platform ideal --verify
expect 0 "$rmacast" record -o session.rma -- "$mpiexec" -n 2 "$programs/session" both
check test "$(cat out)" = done
check test "$(calls session.rma)" = "${begin}MPI_Allreduce comm=1 bytes=4 op=SUM MPI_Barrier comm=3 $end"

# CPU times are recorded on request, and replay asks for them.
expect 0 "$rmacast" record --cpu-time -o cpu.rma -- "$mpiexec" -n 2 "$programs/pscw_halo"
expect 0 "$rmacast" simulate cpu.rma --platform ideal --compute cpu
expect 1 "$rmacast" simulate pscw_halo.rma --platform ideal --compute cpu
check grep -q 'no CPU times, expected a trace that was recorded with --cpu-time' err

expect 0 "$rmacast" record --calls rma --paused -o part.rma -- "$mpiexec" -n 2 "$programs/pscw_halo"
check grep -q 'only some groups of calls were recorded' err

# What launchers set, for a program of MPICH that does not know them: two worlds of one rank each.
for by in 'OMPI_COMM_WORLD_SIZE mpiexec of Open MPI' 'JSM_NAMESPACE_SIZE jsrun' 'FLUX_JOB_SIZE flux run'; do
    rm -rf alone.rma
    expect 0 "$rmacast" record -o alone.rma -- sh -c "export ${by%% *}=2; '$programs/control' & '$programs/control'; wait"
    alone="the launcher and the MPI library do not belong together: ${by#* } started 2 processes, each of which is alone in the world of"
    check test "$(grep -c "^rmacast: warning: $alone MPICH" err)" = 1
    expect 0 "$rmacast" info alone.rma/world-1
    check grep -q "$alone MPICH" out
done

# Functions of an instrumented program, only those that main calls.
expect 0 "$rmacast" record --functions=2 -o functions.rma -- "$mpiexec" -n 2 "$programs/functions_pie"
"$rmacast" dump --rank 1 functions.rma >dump
check test "$(grep -c ' enter \(main\|recurse\|library_barrier\)' dump) $(grep -c ' enter ' dump)" = '4 5' # and "marked"

# Thread primitives: two workers beside the first thread of each rank.
expect 0 "$rmacast" record --threads -o pool.rma -- "$mpiexec" -n 2 "$programs/pool"
"$rmacast" info pool.rma >dump
check grep -q '^threads        6, up to 3 on a rank$' dump
"$rmacast" dump --rank 1 --thread 0 pool.rma >dump
check test "$(grep -c ' pthread_create ' dump) $(grep -c ' pthread_join ' dump) $(grep -c 'thread=' dump)" = '2 2 0'
"$rmacast" dump --thread 2 pool.rma >dump
check test "$(grep -c ' thread_begin ' dump) $(grep -c '^[01] ' dump)" = "2 $(grep -c 'thread=2' dump)"
# One thread alone puts outside the epoch that another one opened: no replay takes that.
expect 1 "$rmacast" info dump

# Without --threads, too, the archive knows who created a thread that calls MPI, and replay begins it then. What was there
# before MPI_Init is counted.
expect 0 "$rmacast" record -o offspring.rma -- "$mpiexec" -n 2 "$programs/offspring"
expect 0 "$rmacast" info offspring.rma
check grep -q '^not known      2 threads whose creation was not recorded$' out
"$rmacast" dump --rank 1 --thread 0 offspring.rma >dump
check test "$(grep -c ' pthread_create child=' dump)" = 2
expect 0 "$rmacast" simulate offspring.rma --platform ideal --verify

# The clock that stamps are read from is the user's choice, and the trace says which it was.
expect 0 "$rmacast" record --clock monotonic -o clock.rma -- "$mpiexec" -n 2 "$programs/pscw_halo"
expect 0 "$rmacast" info clock.rma
check grep -q '^time stamps    by CLOCK_MONOTONIC$' out
check grep -q '^MPI library    MPICH [0-9.]* ([^,]*$' out # and no other host
check grep -qx 'transport      shared memory' out
check test "$("$rmacast" dump clock.rma | grep -cx 'property transport=shared%20memory')" = 1
expect 0 env UCX_TLS=^tcp "$rmacast" record -o told.rma -- "$mpiexec" -n 2 "$programs/pscw_halo"
expect 0 "$rmacast" info --json - told.rma
check jq -e '.transport == null and (.library | endswith("UCX_TLS=^tcp"))' out # a list of what is left out
expect 0 "$rmacast" info --json - clock.rma
check grep -q '"clock_source":[[:space:]]*"monotonic"' out

# Rank 1 in a time namespace of its own, 5000 s ahead: measured, corrected, told, whatever stamps are read from. Else the trace
# would last that long.
if unshare -T --monotonic=5000 --fork true 2>/dev/null; then
    cat >ahead <<'END'
#!/bin/sh
[ "$PMI_RANK" = 1 ] && exec unshare -T --monotonic=5000 --fork "$@"
exec "$@"
END
    chmod +x ahead
    for clock in tsc monotonic; do
        expect 0 "$rmacast" record --clock "$clock" -o ahead.rma -- "$mpiexec" -n 2 ./ahead "$programs/pscw_halo"
        expect 0 "$rmacast" info --json - ahead.rma
        check jq -e '(.clock.worst_offset_s - 5000 | fabs) < 1 and .duration_s < 4000 and .complete' out
    done
else
    echo 'no time namespace can be made here: ranks of different ones are left out'
fi

finish
