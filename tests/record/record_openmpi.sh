#!/bin/sh
# Usage: record_openmpi.sh RMACAST LAUNCH MPIEXEC PROGRAMS RECORDER-LIBRARY [OSHRUN PROGRAMS]: `rmacast record` finds out by
# itself that programs behind a script use Open MPI; LAUNCH is openmpi.sh.
set -u
rmacast=$1 launch=$2 mpiexec=$3 programs=$4 recorder=$5 oshrun=${6:-} shmem_programs=${7:-}
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# An archive that every command takes, replay under each semantics included.
printf '#!/bin/sh\nexec "$@"\n' >script
chmod +x script
expect 0 "$rmacast" record -o halo.rma -- ./script "$launch" "$mpiexec" -n 4 "$programs/pscw_halo"
check test "$(cat out)" = ''
expect 0 "$rmacast" analyze halo.rma
expect 0 "$rmacast" compare halo.rma --platform ideal
expect 0 "$rmacast" simulate halo.rma --platform ideal --verify

# A put of 64 KB to rank 1, which has posted, waits until rank 2 posts, 150 ms later: osc/pt2pt waits for the posts of the whole
# group. The time is found in the put to rank 1 (the first of two lines), and rank 2 is its cause. The second time the put has
# both posts in it, after 10 and 150 ms: the first one shows that it waited for rank 2's.
expect 0 "$rmacast" record -o group.rma -- "$launch" "$mpiexec" --mca osc pt2pt -n 3 "$programs/group_posts"
expect 0 "$rmacast" analyze group.rma --json group.json
check jq -e '.patterns[] | select(.name == "early_transfer") | .severity_s > 0.2 and .rank_severity_s[0] == .severity_s and
             .places[0].line == 16' group.json
check jq -e '.causes.places[0] | .activity == "computing" and .worst_rank == 2 and .time_s > 0.2' group.json
check jq -e '[.behaviour[] | select(.call == "MPI_Put") | .waits, .for_group, .not_for_group] == ["group", 1, 0]' group.json
# A platform says it, too: a put that waits for its target alone contradicts the recording, one that waits for the group does not.
expect 0 "$rmacast" compare group.rma --platform ideal --set mpi.rma.semantics=b --json compared.json
check jq -e '[.contradictions[] | select(.call == "MPI_Put") | .waits, .expected] == ["group", "post"]' compared.json
group='mpi.rma.semantics={"put":[{"waits":"call","posts":"group"}]}'
expect 0 "$rmacast" compare group.rma --platform ideal --set "$group" --rows platform --json compared.json
check jq -e '[.contradictions[] | select(.call == "MPI_Put")] == []' compared.json
check jq -e '.results[0].patterns[] | select(.name == "early_transfer") | .severity_s > 0.2' compared.json

# Inert without a spool, and in a build without the recorder for this MPI.
expect 0 env LD_PRELOAD="$recorder" "$launch" "$mpiexec" -n 2 "$programs/locks"
check test "$(cat err)" = ''
cp "$recorder" .
mkdir spool
expect 0 env LD_PRELOAD="$work/$(basename "$recorder")" RMACAST_SPOOL="$work/spool" "$launch" "$mpiexec" -n 2 "$programs/locks"
check test "$(cat err)" = '' # said once, to rmacast record
check grep -q 'and this rmacast was built without Open MPI: install libopenmpi-dev and build again$' spool/unrecorded

# One rank's environment lacks RMACAST_SPOOL: both run to their end, and one line says why nothing is recorded.
expect 1 timeout 60 "$rmacast" record -o some.rma -- "$launch" "$mpiexec" -n 1 env -u RMACAST_SPOOL "$programs/locks" : -n 1 "$programs/locks"
check test "$(grep -cx 'rmacast: nothing is recorded: 1 of 2 ranks have RMACAST_SPOOL, expected all' err)" = 1

# A newer library of the same ABI, as Open MPI 5 is to mpi.h of 4.1, has functions that no wrapper could be made for: the rank
# that calls one is incomplete, and it is named. Here a second library has one, on top of Open MPI 4.1.
cat >newer.c <<'C'
#include <mpi.h>
int MPI_Isendrecv(const void *from, int n, MPI_Datatype type, int dest, int tag, void *to, int m, MPI_Datatype of, int source,
                  int its, MPI_Comm comm, MPI_Request *request)
{
    PMPI_Sendrecv(from, n, type, dest, tag, to, m, of, source, its, comm, MPI_STATUS_IGNORE);
    return PMPI_Ibarrier(MPI_COMM_SELF, request);
}
C
cat >calls.c <<'C'
#include <mpi.h>
int MPI_Isendrecv(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int main(int argc, char **argv)
{
    int rank, got = -1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Isendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return got != 1 - rank;
}
C
check mpicc.openmpi -shared -fPIC -o libnewer.so newer.c
check mpicc.openmpi -o calls calls.c -L. -Wl,--no-as-needed -lnewer -Wl,-rpath,"$work"
expect 0 "$rmacast" record -o newer.rma -- "$launch" "$mpiexec" -n 2 ./calls
check grep -q 'newer.rma: 2 of 2 ranks are incomplete; rank 0: .*calls that are not recorded: MPI_Isendrecv$' err

# Two PEs of a program with OpenSHMEM and MPI: 8 bytes go each way, in an archive that is analysed.
if [ -n "$oshrun" ]; then
    expect 0 "$rmacast" record -o pes.rma -- ./script "$launch" "$oshrun" -n 2 "$shmem_programs/shmem_mixed"
    expect 0 "$rmacast" info pes.rma
    check grep -q "^one-sided  *16 B moved" out
    check grep -q '^MPI library    Open MPI [0-9.]*$' out
    check grep -qx 'transport      shared memory' out
    check grep -q "^shmem_p  *2  *16 B" out
    expect 0 "$rmacast" analyze pes.rma
    # PE 0 puts its data and their signal 0.3 s late: PE 1 waits in shmem_signal_wait_until, and the put is the cause. The same is
    # predicted.
    expect 0 "$rmacast" record -o late.rma -- ./script "$launch" "$oshrun" -n 4 "$shmem_programs/shmem_newer" late
    expect 0 "$rmacast" analyze late.rma --json late.json
    check jq -e '[.. | objects | select(.name? == "late_signal") | .severity_s?] | max > 0.2' late.json
    check grep -q 'shmem_signal_wait_until' out
    expect 0 "$rmacast" simulate late.rma --platform ideal --verify --json late.json
    check jq -e '[.. | objects | select(.name? == "late_signal") | .severity_s?] | max > 0.2' late.json
    expect 1 timeout 60 "$rmacast" record -o some.rma -- "$launch" "$oshrun" -n 1 env -u RMACAST_SPOOL "$shmem_programs/shmem_mixed" : \
        -n 1 "$shmem_programs/shmem_mixed"
    check grep -qx 'rmacast: nothing is recorded: 1 of 2 ranks have RMACAST_SPOOL, expected all' err
fi
finish
