#!/bin/sh
# Usage: record_ends.sh RMACAST MPIEXEC PROGRAMS [OPENMPI.SH]: however a program ends, its output and status are its own,
# and the archive says what it is. Expected numbers of events are counted in programs/ends.c. With OPENMPI.SH, which
# starts MPIEXEC: of Open MPI, whose launcher adds 128 to a signal and whose errors have numbers of their own.
. "$(dirname "$0")/../expect.sh"
rmacast=$1 mpiexec=$2 programs=$3 open_mpi=${4-}
added=0 root_error=7
[ -z "$open_mpi" ] || mpiexec="$open_mpi $mpiexec" added=128 root_error=8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# exited STATUS EXPECTED. MPICH's mpiexec joins the ranks' statuses bit by bit. It kills the others with signal 9 when it sees the
# closed connection of one that fails, and joins this 9, too, if it sees that before the rank's end.
exited() {
    [ "$1" -eq "$2" ] || { [ -z "$open_mpi" ] && [ "$2" -ne 0 ] && [ "$1" -eq $(($2 | 9)) ]; }
}

# ends WAY RANKS STATUS EVENTS COMPLETE: EVENTS are those of each rank, or - where the other rank's end cuts it anywhere.
# A launcher that ends the ranks may do so before it has passed on what they wrote, with the recorder or without, and MPICH's on a
# loaded machine exits with 1 now and then, in 1 of 120 runs without the recorder: such runs are made again.
ends() {
    for turn in 1 2 3 4 5; do
        timeout 60 $mpiexec -n "$2" "$programs/ends" "$1" >plain 2>/dev/null
        bare=$?
        rm -rf "$1.rma"
        timeout 60 "$rmacast" record -o "$1.rma" -- $mpiexec -n "$2" "$programs/ends" "$1" >out 2>err
        got=$?
        exited $bare "$3" && exited $got "$3" && [ "$(grep '^rank' out | sort)" = "$(grep '^rank' plain | sort)" ] && break
    done
    exited $bare "$3" || fail "$1: the program itself did not exit with $3, but $bare, $turn times"
    exited $got "$3" || fail "$1: exit status $got, expected $3, $turn times"
    [ "$(grep '^rank' out | sort)" = "$(grep '^rank' plain | sort)" ] || fail "$1: the output differs, $turn times"
    "$rmacast" info "$1.rma" >info 2>>err || fail "$1: info"
    grep -qx "complete *$5" info || fail "$1: complete is not $5"
    [ "$5" = yes ] || grep -q 'ended without MPI_Finalize' info || fail "$1: the reason is not told"
    "$rmacast" dump "$1.rma" >dump 2>>err || fail "$1: dump"
    rank=0
    for events in $4; do
        count=$(grep -c "^$rank [0-9]" dump)
        [ "$events" = - ] || [ "$count" = "$events" ] || fail "$1: rank $rank has $count events, expected $events"
        rank=$((rank + 1))
    done
}
#    way          ranks status events complete
ends abort        2     $((added + 6))  '- 2'  no  # Init, Barrier
ends mpi_abort    2     3      '- 3'  no  # and Abort
ends exit         1     4      '2'    no
ends signal       2     $((added + 11)) '- 2'  no
ends handled      2     6      '- 2'  no  # the program's handler of SIGSEGV, set after MPI_Init, exits
ends again        2     $((added + 11)) '- 2'  no  # as that, but it puts back the default action and raises SIGSEGV
grep -q '^incomplete 1 .*by signal 11 (SIGSEGV)' dump || fail "again: the signal is not told"
ends fork         2     0      '5 4'  yes # Init, Barrier, (Barrier of itself,) Barrier, Finalize
ends open_request 2     0      '6 5'  yes # and Irecv
ends idle         2     0      '4 3'  yes
ends wrong_root   2     $root_error '- 2'  no  # MPI_ERR_ROOT inside the Bcast, which is left out
ends wrong_count  2     2      '- 2'  no  # MPI_ERR_COUNT
ends forked_rank  2     0      '5 4'  yes

# Rank 1 raised the signal itself, outside MPI.
"$rmacast" info abort.rma | grep -q 'rank 1 .*: ended without MPI_Finalize by signal 6 (SIGABRT)$' || fail "abort: the signal is not told"
"$rmacast" info signal.rma | grep -q 'rank 1 .*: ended without MPI_Finalize by signal 11 (SIGSEGV)$' || fail "signal: it is not told"
"$rmacast" info handled.rma | grep -q 'rank 1 .*: killed or ended without MPI_Finalize$' || fail "handled: a signal that was dealt with is told"

# Rank 1 stood in MPI_Abort.
"$rmacast" info mpi_abort.rma | grep -q 'rank 1 .*: ended without MPI_Finalize, inside MPI_Abort(3)$' || fail "mpi_abort: the call is not told"
"$rmacast" info wrong_count.rma | grep -q '1.*ended without MPI_Finalize, inside MPI_Send' || fail "wrong_count: the call is not told"

[ -z "$open_mpi" ] || { finish; exit; } # the rest does not depend on the library

# libgfortran's handlers of signals, and its abort().
for end in '0 6 (SIGABRT)' '6 6 (SIGABRT)' '11 11 (SIGSEGV)' '3 3 (SIGQUIT)' '24 24 (SIGXCPU)'; do
    [ -z "$open_mpi" ] || continue
    timeout 60 "$rmacast" record -o fortran.rma -- $mpiexec -n 2 "$programs/fortran_ends" ${end%% *} >out 2>err
    "$rmacast" dump fortran.rma >dump 2>>err || fail "fortran $end: dump"
    grep -q "^incomplete 1 ended without MPI_Finalize by signal ${end#* }" dump || fail "fortran $end: the signal is not told"
done

# Sessions that begin when a rank records no more: the other ranks know nothing of it. MPICH cannot be initialised again, so a
# library in front of it keeps one session to the end. Rank 0 alone has the second one, and calls a barrier of its own there.
cat >keeper.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
static MPI_Session kept = MPI_SESSION_NULL;
static void end(void)
{
    int (*real)(MPI_Session *) = dlsym(RTLD_NEXT, "PMPI_Session_finalize");
    real(&kept);
}
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errors, MPI_Session *session)
{
    int (*real)(MPI_Info, MPI_Errhandler, MPI_Session *) = dlsym(RTLD_NEXT, "PMPI_Session_init");
    if (kept == MPI_SESSION_NULL && (real(info, errors, &kept) != MPI_SUCCESS || atexit(end) != 0)) return MPI_ERR_OTHER;
    *session = kept;
    return MPI_SUCCESS;
}
int MPI_Session_init(MPI_Info info, MPI_Errhandler errors, MPI_Session *session) { return PMPI_Session_init(info, errors, session); }
int PMPI_Session_finalize(MPI_Session *session) { return MPI_SUCCESS; }
int MPI_Session_finalize(MPI_Session *session) { return MPI_SUCCESS; }
C
cat >again.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    MPI_Session first, second;
    MPI_Group all;
    MPI_Comm comm;
    int rank, value = 0, rounds = atoi(argv[1]);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Group_from_session_pset(first, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "again", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; rank == 0 && i < rounds; i++) MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
    if (rounds == 0) MPI_Session_finalize(&first);
    if (rank == 0) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
        MPI_Group_from_session_pset(second, "mpi://SELF", &all);
        MPI_Comm_create_from_group(all, "alone", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Barrier(comm);
        MPI_Session_finalize(&second);
    }
    if (rounds > 0) MPI_Session_finalize(&first);
    return 0;
}
C
mpicc=$(dirname "$mpiexec")/mpicc.mpich
[ -x "$mpicc" ] || mpicc=mpicc
"$mpicc" -shared -fPIC -o keeper.so keeper.c -ldl && "$mpicc" -o again again.c || fail 'sessions: no programs'
for rounds in 0 90000; do # at 8 bytes a record, two to a call, 90000 rounds exceed the limit of rank 0
    LD_PRELOAD=$PWD/keeper.so timeout 30 "$rmacast" record -o again.rma --limit 1M -- "$mpiexec" -n 2 ./again $rounds >out 2>err ||
        fail "sessions, $rounds: exit status $?"
    "$rmacast" info again.rma >info 2>>err
    grep -q 'rank 1 breaks off' info && fail "sessions, $rounds: rank 1 has one session only"
    if [ $rounds = 0 ]; then
        grep -q 'rank 0 breaks off .*: calls that are not recorded: those after MPI was initialised again' info || fail 'sessions: not told'
    else
        grep -q 'rank 0 breaks off .*: recording stopped: the limit' info || fail 'sessions: the limit is not told'
    fi
done

# Two programs in one mpiexec are one world.
cp "$programs/ends" second
timeout 60 "$rmacast" record -o both.rma -- "$mpiexec" -n 1 "$programs/ends" idle : -n 1 ./second idle >out 2>err || fail "two programs"
"$rmacast" dump both.rma >dump 2>>err
[ "$(grep -c '^0 ' dump) $(grep -c '^1 ' dump)" = '4 3' ] || fail "two programs: events"

# No event at all.
timeout 60 "$rmacast" record -o none.rma -- true >out 2>err
[ $? = 1 ] && grep -q 'nothing was recorded' err && [ ! -e none.rma ] || fail "no event"

# A file size limit lets the program run on. 30 MB are more than MPICH itself needs and
# less than the records: 600000 rounds of 4 calls of 2 records of 8 bytes are 38 MB.
timeout 60 "$rmacast" record -o limit.rma -- sh -c 'ulimit -f 60000 && exec "$0" -n 1 "$1/storm" /dev/zero 0 600000' "$mpiexec" "$programs" >out 2>err ||
    fail "file size limit: exit status"
"$rmacast" info limit.rma >info 2>>err
grep -q 'recording stopped: File too large' info || fail "file size limit: not told"

# A limit of one's own: 9 chunks of 65536 bytes, and what the tail holds, are 10 * 8191 words: definitions, some 1400, and
# records of one word each, two to a call.
timeout 60 "$rmacast" record -o own.rma --limit 600K -- "$mpiexec" -n 1 "$programs/storm" /dev/zero 0 20000 >out 2>err || fail "limit: exit status"
grep -qx 'rmacast: rank 0: recording stopped: the limit of its size is reached, record --limit allows more' err || fail "limit: not said"
"$rmacast" info own.rma >info 2>>err
grep -q 'rank 0 breaks off after \(39\|40\)[0-9][0-9][0-9] events.*the limit of its size was reached, record --limit allows more' info || fail "limit: $(cat info)"

# A full disk, where a file system of 900 KB can be mounted: the tail and the first page take 72 KB, 12 chunks
# of 64 KB fit, so that 13 * 8191 words are kept, two to a call. The archive does not fit.
mkdir disk
if unshare -m mount -t tmpfs -o size=900k none disk 2>/dev/null; then
    unshare -m sh -c 'mount -t tmpfs -o size=900k none disk && cd disk &&
        { timeout 60 "$0" record --limit 1M -o full.rma -- "$1" -n 1 "$2/storm" /dev/zero 0 20000 2>../err; echo $?; "$0" info full.rma; }' \
        "$rmacast" "$mpiexec" "$programs" >info 2>>err
    [ "$(head -1 info)" = 1 ] || fail "full disk: packing cannot succeed"
    grep -q 'full.rma/spool: the recording is kept' err || fail "full disk: where the recording is"
    grep -q 'rank 0 breaks off after 5[12][0-9][0-9][0-9] events.*recording stopped: No space left' info || fail "full disk: $(cat info)"

    # No limit is given, the disk has 8 MiB free but the tail and the first page: an eighth of that, 1,039,360 bytes, has 15
    # chunks, with the tail 16 * 8191 words. Archive and spool fit, all is read.
    unshare -m sh -c 'mount -t tmpfs -o size=8m none disk && cd disk &&
        { timeout 60 "$0" record -o usual.rma -- "$1" -n 1 "$2/storm" /dev/zero 0 200000 2>../err; echo $?; "$0" info usual.rma; }' \
        "$rmacast" "$mpiexec" "$programs" >info 2>>err
    [ "$(head -1 info)" = 0 ] || fail "usual limit: exit status"
    grep -q 'rank 0 breaks off after 6[45][0-9][0-9][0-9] events.*limit of its size' info || fail "usual limit: $(cat info)"
    grep -q 'rank 0: recording stopped: the limit of its size is reached' err || fail "usual limit: not said"
else
    echo 'no file system can be mounted here: the full disk is left out'
fi

finish
