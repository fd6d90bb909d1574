# rmacast model --reduce, --expand: a region of the program is replaced by its fitted time, and is there again.
. "$(dirname "$0")/lib.sh"

# Three steps of 16 ms / ranks, and an exchange that took 1.6 ms when it was recorded: 1 ms of computing, a fence of 0.1 ms,
# 0.2 ms of computing, a fence of 0.3 ms. Behind it 0.5 ms of computing.
steps() {
    echo 'rmacast-trace 1'
    echo "ranks $1"
    echo 'window 0 comm=0'
    awk -v p="$1" 'BEGIN { for (r = 0; r < p; r++) { t = 0; print r, 0, 0, "MPI_Init"
        for (i = 0; i < 3; i++) { printf "%d %.9f enter step\n", r, t; t += 0.016 / p
            printf "%d %.9f enter exchange\n", r, t; t += 0.001
            printf "%d %.9f %.9f MPI_Win_fence win=0\n", r, t, t + 0.0001; t += 0.0001
            printf "%d %.9f %.9f MPI_Put win=0 target=%d bytes=64 disp=0\n", r, t, t, (r + 1) % p; t += 0.0002
            printf "%d %.9f %.9f MPI_Win_fence win=0\n", r, t, t + 0.0003; t += 0.0003
            printf "%d %.9f leave exchange\n", r, t; t += 0.0005
            printf "%d %.9f leave step\n", r, t
            printf "%d %.9f %.9f MPI_Barrier comm=0\n", r, t, t } } }'
}
for ranks in 2 4 8; do steps $ranks >run$ranks.txt; done
run 0 model run2.txt run4.txt run8.txt -o whole.model
run_time() { # MODEL RANKS SECONDS
    run 0 simulate "$1" --ranks "$2" --platform ideal --engine loggp --semantics a --json run.json
    holds run.json "near(.run_time_s; $3)"
}

# On the ideal platform the exchange's fences take no time: of a step 16 ms / p, 1.2 and 0.5 ms are left; when it is reduced,
# 16 ms / p, 1.6 and 0.5 ms. So it is when the step is reduced, since all that is in it is what was recorded.
run_time whole.model 32 '3 * (0.016 / 32 + 0.0017)'
for path in exchange step/exchange step; do
    run 0 model whole.model --reduce $path -o reduced.model
    run_time reduced.model 32 '3 * (0.016 / 32 + 0.0021)'
    run_time reduced.model 8 '3 * (0.016 / 8 + 0.0021)'
    run 0 dump reduced.model --ranks 4
    grep -q 'MPI_Put\|MPI_Win_fence' out && fail "$path is reduced, but its calls are made"
    [ "$(grep -c 'leave step' out)" -eq 12 ] || fail "$path is reduced, but the region is not entered 3 times by 4 ranks"
    run 0 model reduced.model --expand $path -o expanded.model
    cmp -s whole.model expanded.model || fail "$path: $(diff whole.model expanded.model | head -3)"
done
# At once with finding the model; both at once.
run 0 model run2.txt run4.txt run8.txt --reduce step -o reduced.model
run_time reduced.model 32 '3 * (0.016 / 32 + 0.0021)'
run 0 model whole.model --reduce exchange --reduce step --expand exchange -o again.model
cmp -s reduced.model again.model || fail "$(diff reduced.model again.model | head -3)"

# A region that takes uneven times is drawn from its own: at the recorded number of ranks each execution has its own, so the run
# is as long as recorded.
for ranks in 4 8; do
    run 0 generate ring --sync fence --ranks $ranks --iterations 6 --imbalance 0.4 -o ring$ranks.txt
    awk '/MPI_Put/ { print $1, end[$1], "enter epoch" } { print; end[$1] = $3 }
        /MPI_Win_fence win=0$/ { print $1, $3, "leave epoch" }' ring$ranks.txt >ring.txt
    mv ring.txt ring$ranks.txt
done
run 0 model ring4.txt ring8.txt --reduce epoch -o ring.model
run 0 dump ring.model --ranks 8
grep '^3 .*leave epoch' out | awk '{ printf "%.6f\n", $2 }' >made
grep '^3 .*leave epoch' ring8.txt | awk '{ printf "%.6f\n", $2 }' >expected
[ -s expected ] && cmp -s made expected || fail "rank 3 leaves its epochs at $(tr '\n' ' ' <made), expected $(tr '\n' ' ' <expected)"

# What is refused: no such region, no time, and a region that others need.
error 2 'has no block nowhere' model whole.model --reduce nowhere
error 2 'has no block exchange/step' model whole.model --reduce exchange/step
printf '%s\n' 'rmacast-model 1' 'ranks 2' 'block solve' '  compute 1ms' 'end' 'MPI_Barrier comm=0' >hand.model
error 2 "'block solve' has no time=, so it cannot be reduced" model hand.model --reduce solve
printf '%s\n' 'rmacast-model 1' 'block solve reduced' 'end' >wrong.model
error 1 'wrong.model:2: reduced without a time' model wrong.model
printf '%s\n' 'rmacast-model 1' 'ranks 2' 'block send time=1ms' '  MPI_Isend comm=0 peer=1-rank tag=0 bytes=8' '  MPI_Irecv comm=0 peer=1-rank tag=0 bytes=8' \
    'end' 'MPI_Waitall reqs=all' 'MPI_Wait req=0' >needed.model
error 1 'requests that are not completed, expected 1' model needed.model --reduce send
finish
