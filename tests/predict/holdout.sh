# Hold-outs: what is predicted at 32 ranks from runs at 4, 8 and 16 is compared with the replay of a run at 32 that predict
# has not seen. Computing is uneven and drawn anew for each rank and iteration, so the runs differ by chance. The band must
# hold the run time in 90 % of the cases.
. "$(dirname "$0")/lib.sh"
on='--platform ideal --engine loggp --semantics a'
cases=0
held=0
for pattern in halo2d ring; do
    for sync in pscw lock; do
        for uneven in 0.1 0.3; do
            for seed in 1 2 3; do
                for ranks in 4 8 16 32; do
                    run 0 generate $pattern --sync $sync --ranks $ranks --iterations 20 --imbalance $uneven --seed $((seed * 100 + ranks)) -o run$ranks.txt
                done
                run 0 predict run4.txt run8.txt run16.txt --ranks 32 $on --json predicted.json
                run 0 simulate run32.txt $on --json measured.json
                holds predicted.json '.points[-1] | .run_time_high_s - .run_time_low_s < 0.4 * .run_time_s' # a band that says something
                cases=$((cases + 1))
                if jq -e --slurpfile run measured.json '.points[-1] | .run_time_low_s <= $run[0].run_time_s and
                    $run[0].run_time_s <= .run_time_high_s' predicted.json >/dev/null
                then held=$((held + 1))
                else echo "$pattern $sync $uneven $seed: $(jq -c '.points[-1] | [.run_time_low_s, .run_time_s, .run_time_high_s]' predicted.json)" \
                    "does not hold $(jq .run_time_s measured.json)"
                fi
            done
        done
    done
done
[ $((held * 10)) -ge $((cases * 9)) ] || fail "the band holds in $held of $cases hold-outs, expected 90 %"
finish
