# rmacast predict: what waited for a core while it was recorded is in the band. A rank computes ten times for 10 ms, each followed
# by a barrier, which takes no time on the ideal platform.
. "$(dirname "$0")/lib.sh"

trace() { # RANKS WAITED-SECONDS
    echo 'rmacast-trace 1'
    echo "ranks $1"
    echo 'property core_waits=1'
    awk -v n="$1" -v waited="$2" 'BEGIN { for (r = 0; r < n; r++) { print r, "0 0 MPI_Init"; for (i = 1; i <= 10; i++) {
        printf "%d %.3f %.3f MPI_Barrier comm=0 core_wait=%s\n", r, i / 100, i / 100, waited } } }'
}

band() { # LOW RUN-TIME HIGH in ms, OPTION...
    low=$1 run_time=$2 high=$3
    shift 3
    run 0 predict run4.txt run8.txt --ranks 16 --platform ideal --engine loggp --semantics a --json band.json "$@"
    holds band.json ".points[-1] | [.run_time_low_s, .run_time_s, .run_time_high_s] as \$band | [$low, $run_time, $high] |
        to_entries | all(.value / 1000 - \$band[.key] | fabs < 1e-9)"
}

# Nothing waited: all computings are equal.
trace 4 0 >run4.txt
trace 8 0 >run8.txt
band 100 100 100

# 1 ms of each 10 ms waited in one of the runs: an error of a tenth, which is a factor of 1.1 in both directions.
trace 8 0.001 >run8.txt
band 100/1.1 100 110

# The waits are removed from the computing of both runs: 9 ms, with the same error.
trace 4 0.001 >run4.txt
band 90/1.1 90 99 --compute undisturbed

# A model carries it.
run 0 model run4.txt run8.txt -o found.model
grep -q '^computing before[0-9]* 0.01 error=0.1' found.model || fail "the model's error: $(grep '^computing' found.model)"
finish
