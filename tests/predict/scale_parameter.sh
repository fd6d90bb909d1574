# rmacast predict TRACE:n=VALUE...: the size of the problem as a second variable. Runs are made from known functions of the ranks
# p and of n; the run at 64 ranks and n = 5000 is the known answer.
. "$(dirname "$0")/lib.sh"

# n / 100 steps of a field of n x n on a line: 100 us + 2 ns n^2 / p of computing, and a row of n + 2 doubles to each neighbour.
# The windows have two such rows.
field() { # RANKS N
    echo 'rmacast-trace 1'
    echo "ranks $1"
    echo "window 0 comm=0 bytes=$(seq -s, "$1" | sed "s/[0-9][0-9]*/$((16 * ($2 + 2)))/g")"
    awk -v p="$1" -v n="$2" 'BEGIN { for (r = 0; r < p; r++) { t = 0; print r, 0, 0, "MPI_Init"
        for (i = 0; i < n / 100; i++) { t += 0.0001 + 2e-9 * n * n / p
            printf "%d %.9f %.9f MPI_Win_fence win=0\n", r, t, t
            if (r > 0) printf "%d %.9f %.9f MPI_Put win=0 target=%d bytes=%d disp=%d\n", r, t, t, r - 1, 8 * (n + 2), 8 * (n + 2)
            if (r < p - 1) printf "%d %.9f %.9f MPI_Put win=0 target=%d bytes=%d disp=0\n", r, t, t, r + 1, 8 * (n + 2) }
        printf "%d %.9f %.9f MPI_Win_fence win=0\n", r, t, t } }'
}
runs=
for run in 4:1000 4:2000 4:3000 8:1000 8:2000 16:1000; do
    field ${run%:*} ${run#*:} >run-${run%:*}-${run#*:}.txt
    runs="$runs run-${run%:*}-${run#*:}.txt:n=${run#*:}"
done
field 64 5000 >far.txt
on='--platform ideal --engine loggp --semantics a'
run 0 predict $runs --ranks 64 --parameter n=5000 $on --program -o made.txt --json scaling.json
shows '^program of 16 ranks on a line of 16, n=1000$'
shows '^ *repeat 1 n / 100$'
shows '^ *compute 0.0001 \+ 2e-09 n\^2 p\^-1 s$'
shows '^ *MPI_Put to .* bytes=16 \+ 8 n$'
shows '^Strong scaling, against 4 ranks, n = 5000$'
run 0 dump made.txt
mv out made
run 0 dump far.txt
cmp -s made out || fail "the run at 64 ranks and n = 5000: $(diff made out | head -3)"
# 50 steps of 100 us + 2 ns 25,000,000 / 64.
holds scaling.json '.parameters == "n = 5000" and near(.points[-1].run_time_s; 50 * (0.0001 + 2e-9 * 25e6 / 64)) and (has("open") | not)'

# The model has it as a parameter: every command gives it a value, and predict an expression of the ranks.
run 0 model $runs -o prog.model
grep -q '^parameter n = 1000$' prog.model && grep -q '^repeat 1\*n/100' prog.model || fail "$(cat prog.model)"
run 0 dump prog.model --ranks 64 --parameter n=5000
cmp -s made out || fail "the model at 64 ranks and n = 5000: $(diff made out | head -3)"
run 0 predict prog.model --ranks 16,64 --parameter 'n=100*nranks' $on --json weak.json
# 16 steps of 100 us + 2 ns 1600^2 / 16; 64 of 100 us + 2 ns 6400^2 / 64.
holds weak.json 'near(.points[0].run_time_s; 16 * (0.0001 + 2e-9 * 2560000 / 16)) and near(.points[1].run_time_s; 64 * (0.0001 + 2e-9 * 40960000 / 64))'
run 0 model prog.model --parameter n=5000 -o far.model
grep -q '^parameter n = 5000$' far.model || fail "$(head -4 far.model)"
run 0 dump far.model --ranks 64
cmp -s made out || fail 'the model that was written with n = 5000'

# Extra-P's text has two parameters.
run 0 predict $runs --ranks 64 $on --extrap extrap.txt
grep -q '^PARAMETER n$' extrap.txt && grep -q '^POINTS (4 1000) (4 2000) (4 3000) (8 1000) (8 2000) (16 1000)$' extrap.txt ||
    fail "$(head -5 extrap.txt)"

# What is recorded is replayed as it was, at each of the runs, though computing is uneven.
uneven=
for run in 4:2 4:4 8:2 8:4; do
    ranks=${run%:*} size=${run#*:}
    run 0 generate halo2d --ranks $ranks --iterations 10 --bytes $((size * 512)) --imbalance 0.3 --seed $ranks$size -o uneven-$ranks-$size.txt
    uneven="$uneven uneven-$ranks-$size.txt:n=$size"
    run 0 simulate uneven-$ranks-$size.txt $on --json simulated-$ranks-$size.json
done
for run in 4:2 4:4 8:2 8:4; do
    ranks=${run%:*} size=${run#*:}
    run 0 predict $uneven --ranks $ranks --parameter n=$size $on --json again.json
    holds again.json "(.points[-1].run_time_s / $(jq .run_time_s simulated-$ranks-$size.json) - 1 | fabs) < 1e-6"
done

# Numbers that the runs leave open are said: at 8, 12 and 16 ranks 16 p and 64 times the grid's first side are the same.
for ranks in 8 12 16; do run 0 generate halo2d --ranks $ranks --iterations 3 --bytes $((ranks * 16)) -o open$ranks.txt; done
run 0 predict open8.txt open12.txt open16.txt --ranks 64 $on --json open.json
shows '^MPI_Put .*bytes: 16 p is taken, but 64 x holds in all runs, too, and differs at 64 ranks'
holds open.json '.open | contains("64 x holds in all runs")'
run 0 model open8.txt open12.txt open16.txt -o open.model
grep -q '^rmacast: note: MPI_Put .*64 x holds\|^note: MPI_Put .*64 x holds' err || fail "model does not say what is open: $(cat err)"
run 0 generate halo2d --ranks 18 --iterations 3 --bytes 288 -o open18.txt
run 0 predict open8.txt open12.txt open18.txt --ranks 64 $on
grep -q 'holds in all runs' out && fail 'three columns tell p from the side'

# What is refused.
error 2 'run-4-2000.txt has no n, expected run-4-2000.txt:n=VALUE' predict run-4-1000.txt:n=1000 run-4-2000.txt --ranks 8 $on
error 2 'the parameters n and m, expected the same one' predict run-4-1000.txt:n=1000 run-8-2000.txt:m=2000 --ranks 8 $on
error 2 'n -3, expected a whole number from 1' predict run-4-1000.txt:n=-3 run-8-2000.txt:n=1 --ranks 8 $on
error 1 'the runs do not tell the ranks from n' predict run-4-1000.txt:n=1000 run-8-2000.txt:n=2000 --ranks 16 $on
error 1 'the runs do not tell the ranks from n' predict run-4-1000.txt:n=1000 run-4-2000.txt:n=2000 --ranks 4 $on
error 1 'has 4 ranks like' predict run-4-1000.txt:n=1000 run-4-1000.txt:n=1000 run-8-1000.txt:n=1000 run-8-2000.txt:n=2000 --ranks 4 $on
error 1 'bytes follow no function of the ranks and n: 8016 at 4 ranks and n=1000, 16016 at 4 and n=2000' \
    predict run-4-1000.txt:n=1000 run-4-2000.txt:n=2000 run-8-1000.txt:n=1000 --ranks 16 $on
error 2 'has no parameter m' predict $runs --ranks 16 --parameter m=3 $on
error 2 'is no value of the parameter n' predict $runs --ranks 16 --parameter n=much $on
error 2 '--parameter 5, expected NAME=VALUE' predict $runs --ranks 16 --parameter 5 $on
error 1 'far.txt: has no parameter n' dump far.txt --parameter n=3
error 2 'is of recordings' predict prog.model:n=4 --ranks 16 $on
finish
