#!/bin/sh
# Usage: record_cores.sh RMACAST MPIEXEC MPICC: two and four threads on two cores, and a rank beside a busy neighbour on its core.
# No time is compared with a number: a replay without core waits takes no longer than the recorded run, more cores never longer
# than fewer, and one core at most twice as long as two.
rmacast=$1 mpiexec=$2 mpicc=$3
. "$(dirname "$0")/../expect.sh"
[ "$(nproc)" -ge 2 ] && command -v taskset >/dev/null || exit 77
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

cat >work.c <<'END'
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
static void *compute(void *times)
{
    for (volatile long i = 0; i < (long)times * 10000000L; i++) { }
    return NULL;
}
int main(int argc, char **argv)
{
    int provided, count = atoi(argv[1]);
    pthread_t threads[8];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int t = 0; t < count; t++) pthread_create(&threads[t], NULL, compute, (void *)(long)(1 + t));
    for (int t = 0; t < count; t++) pthread_join(threads[t], NULL);
    if (count == 0) compute((void *)4L);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
check "$mpicc" -O1 -o work work.c -pthread

# predicted CORES: run time in ns of the last recording without core waits, from the first barrier on
predicted() {
    "$rmacast" simulate run.rma --platform two-nodes --set nodes.cores="$1" --set network.latency_s=0 --engine loggp \
        --compute "$compute" --from MPI_Barrier#1 --json - | jq '.run_time_s * 1e9 | floor'
}
recorded() { "$rmacast" analyze run.rma --from MPI_Barrier#1 --json - | jq '.run_time_s * 1e9 | ceil'; }
at_most() { [ "$1" -le "$2" ] || fail "$3: $1 ns, expected at most $2"; }

"$rmacast" record --threads -o run.rma -- taskset -c 0,1 "$mpiexec" -n 1 ./work 2 >log 2>&1 || fail "$(cat log)"
# A machine without schedstat has no core waits.
compute=undisturbed
predicted 2 >/dev/null 2>&1 || compute=wall
for threads in 2 4; do
    "$rmacast" record --threads -o run.rma -- taskset -c 0,1 "$mpiexec" -n 1 ./work $threads >log 2>&1 || fail "$(cat log)"
    one=$(predicted 1) two=$(predicted 2) four=$(predicted 4)
    [ $compute = wall ] || at_most "$four" "$(recorded)" "$threads threads on four cores"
    at_most "$four" "$two" "$threads threads, four cores"
    at_most "$two" "$one" "$threads threads, two cores"
    # Two cores do at most twice as much as one.
    at_most "$one" $((2 * two + 1000)) "$threads threads on one core"
done

# A neighbour on the rank's core: what the rank waited for it is no computing.
taskset -c 0 sh -c 'while :; do :; done' &
busy=$!
trap 'kill $busy; rm -rf "$work"' EXIT
"$rmacast" record -o run.rma -- taskset -c 0 "$mpiexec" -n 1 ./work 0 >log 2>&1 || fail "$(cat log)"
[ $compute = wall ] || at_most "$(predicted 1)" "$(recorded)" "a rank beside a busy neighbour"
[ $compute = wall ] || "$rmacast" analyze run.rma --json - | jq -e '.disturbance.waited_s > 0' >/dev/null ||
    fail "the rank did not wait for its neighbour"
