# Program models: those written by hand give the runs of programs that were made otherwise; those that are found in runs can be
# read, and give what predict makes; every command takes them.
. "$(dirname "$0")/lib.sh"
examples=$source/examples

same() { # MODEL RANKS TRACE
    run 0 dump "$examples/$1.model" --ranks "$2"
    mv out made
    run 0 dump "$3"
    cmp -s made out || fail "$1 at $2 ranks: $(diff made out | head -3)"
}
for ranks in 1 4 7 12; do
    run 0 generate halo2d --ranks $ranks --iterations 10 -o halo.txt
    same halo $ranks halo.txt
    run 0 generate transpose --sync fence --ranks $ranks --iterations 10 -o transpose.txt
    same transpose $ranks transpose.txt
done

# Blocks through 4 ranks, as one would record it: 6 blocks of 64 KB, 2 ms / 4 for each on each rank.
awk 'BEGIN { print "rmacast-trace 1\nranks 4"
    for (r = 0; r < 4; r++) { t = 0
        for (b = 0; b < 6; b++) {
            if (r > 0) printf "%d %.6f %.6f MPI_Recv comm=0 peer=%d tag=%d bytes=65536\n", r, t, t, r - 1, b
            t += 0.0005
            if (r < 3) printf "%d %.6f %.6f MPI_Send comm=0 peer=%d tag=%d bytes=65536\n", r, t, t, r + 1, b }
        printf "%d %.6f %.6f MPI_Barrier comm=0\n", r, t, t } }' >pipeline.txt
same pipeline 4 pipeline.txt
for trace in "$examples/pipeline.model" pipeline.txt; do
    run 0 simulate "$trace" --platform "$source/platforms/four-nodes.json" --engine loggp -o replay.txt
    grep -v '^property\|^note' replay.txt >"replay-$(basename "$trace")"
done
cmp -s replay-pipeline.model replay-pipeline.txt || fail 'the replays of the pipeline differ'

# A model that is found: written and read again it is the same, and at 48 ranks what predict makes.
for sync in pscw lock p2p; do
    for ranks in 4 8 16; do run 0 generate halo2d --sync $sync --imbalance 0.3 --ranks $ranks --iterations 5 -o run$ranks.txt; done
    run 0 model run8.txt run4.txt run16.txt -o prog.model
    run 0 model prog.model
    cmp -s out prog.model || fail "$sync: the model that was read is written otherwise"
    run 0 predict run4.txt run8.txt run16.txt --ranks 48 --platform ideal --engine loggp --semantics a -o predicted.txt
    run 0 dump prog.model --ranks 48
    cmp -s out predicted.txt || fail "$sync: the model's run at 48 ranks is not what predict makes"
done

# Models written by hand are predicted as programs that are found in runs: the same times, wait states and bands.
figures='.points[] | [.ranks, .semantics, .run_time_s, .run_time_low_s, .run_time_high_s, .wait_shares]'
predicted() { # NAME ARGUMENT...
    name=$1
    shift
    run 0 predict "$@" --ranks 4,9,64 --platform "$source/platforms/infiniband-64.json" --engine loggp --semantics a,c \
        --json scaling-$name.json --csv $name.csv --svg $name.svg
    jq -S "$figures" scaling-$name.json >figures-$name
}
agree() { # NAME RUN...: the model, and what is found in runs of it
    name=$1
    shift
    predicted written "$examples/$name.model"
    predicted found "$@"
    [ -s figures-written ] && cmp -s figures-written figures-found || fail "$name: $(diff figures-written figures-found | head -3)"
    cmp -s written.csv found.csv && cmp -s written.svg found.svg || fail "$name: the tables or pictures differ"
}
for ranks in 4 8 16; do
    run 0 generate halo2d --ranks $ranks --iterations 10 -o halo$ranks.txt
    run 0 generate transpose --sync fence --ranks $ranks --iterations 10 -o transpose$ranks.txt
    run 0 dump "$examples/pipeline.model" --ranks $ranks
    mv out pipeline$ranks.txt
done
for name in halo transpose; do agree $name ${name}4.txt ${name}8.txt ${name}16.txt; done
# A pipeline's tag is the block's number, so its blocks are no repetition, and time falls with the ranks: of 6 blocks in 4 stages
# the last one is through after 9 steps of 2 ms / 4; in 9 stages after 14 of 2 ms / 9; in 64 after 69 of 2 ms / 64.
run 0 predict "$examples/pipeline.model" --ranks 4,9,64 --platform ideal --engine loggp --semantics a --json pipeline.json --program
holds pipeline.json '[.points[] | near(.run_time_s; {"4": 0.0045, "9": (0.028 / 9), "64": (0.138 / 64)}[.ranks | tostring])] | all'
holds pipeline.json '.scaling == "strong" and (.points | length) == 3 and (.points[2].speedup - 0.0045 / (0.138 / 64) | fabs) < 1e-6'
holds pipeline.json '.program | startswith("rmacast-model 1\n")'
shows '^MPI_Barrier comm=0$'

# The band of a model is that of its computing: 10 % of 8 ms, beside 2 ms without error, are 8 % of 10 ms.
printf '%s\n' 'rmacast-model 1' 'computing solve 8ms error=0.1' 'MPI_Barrier comm=0' 'compute solve' 'compute 2ms' 'MPI_Barrier comm=0' >band.model
run 0 predict band.model --ranks 2,40 --platform ideal --engine loggp --semantics a --json band.json
holds band.json '[.points[] | near(.run_time_s; 0.01) and near(.run_time_low_s; 0.0092) and near(.run_time_high_s; 0.0108)] | all'

# What is missed at other scales: nothing at 4 and 8 ranks, which were recorded, so there 10 % of 8 ms is all. At 16 it is 5 % of
# 8 ms or 0.8 ms, which is more: 1.6 ms in all. At 32, two doublings from 8, it is twice that, 2.4 ms in all.
printf '%s\n' 'rmacast-model 1' 'recorded 4' 'observed 8' 'computing solve 8ms error=0.1 missed=0.05 missed_s=0.0008 doublings=1' \
    'MPI_Barrier comm=0' 'compute solve' 'MPI_Barrier comm=0' >missed.model
run 0 predict missed.model --ranks 4,8,16,32 --platform ideal --engine loggp --semantics a --json missed.json
holds missed.json '[.points[] | {"4": 0.0008, "8": 0.0008, "16": 0.0016, "32": 0.0024}[.ranks | tostring] as $error |
    near(.run_time_s; 0.008) and near(.run_time_low_s; 0.008 - $error) and near(.run_time_high_s; 0.008 + $error)] | all'

# Where computing was measured it takes that time: 2 ms at 4 ranks, else 1 ms.
printf '%s\n' 'rmacast-model 1' 'computing solve 1ms' '  at 4 mean=0.002' '  at 16 mean=0.003' 'MPI_Barrier comm=0' 'compute solve' \
    'MPI_Barrier comm=0' >measured.model
run 0 predict measured.model --ranks 2,4,8 --platform ideal --engine loggp --semantics a --json measured.json
holds measured.json '[.points[] | near(.run_time_s; {"2": 0.001, "4": 0.002, "8": 0.001}[.ranks | tostring])] | all'

# Every command takes a model.
model="$examples/halo.model --ranks 4"
run 0 generate halo2d --ranks 4 --iterations 10 -o halo4.txt
for command in info analyze; do
    run 0 $command $model --json made.json
    run 0 $command halo4.txt --json expected.json
    for file in made expected; do jq -S 'del(.trace)' $file.json >$file; done
    cmp -s made expected || fail "$command of the model: $(diff made expected | head -3)"
done
for command in simulate compare advise; do run 0 $command $model --platform ideal --engine loggp; done
run 0 export $model --to csv -o table.csv
run 0 report $model -o page.html
run 0 simulate $model --platform ideal --engine loggp -o replay.txt
run 0 validate --predicted replay.txt --measured $model

# What is refused.
error 1 'replay.txt: has 4 ranks, expected a program model, or no --ranks 3' info replay.txt --ranks 3
error 2 'option --ranks needs a value N' info prog.model --ranks
error 2 '--ranks 0, expected a whole number from 1' info prog.model --ranks 0
printf 'rmacast-model 1\nMPI_Barrier comm=0\n' >silent.model
error 2 'the model does not say how many ranks' info silent.model
run 0 info silent.model --ranks 2
error 2 'would replace' model halo4.txt prog.model -o prog.model
error 1 'one run can be replayed' model run4.txt
error 1 'a program model is predicted alone' predict prog.model run4.txt --ranks 8 --platform ideal
error 2 'a program model' predict prog.model --ranks 8 --platform ideal --compute cpu
error 2 'a program model' predict prog.model --ranks 8 --platform ideal --extrap points.txt
error 2 'would replace' predict prog.model --ranks 8 --platform ideal --json prog.model

# Damaged models are refused in one line, or are still models: a byte is replaced, or the end is cut off.
number=0
while [ $number -lt 60 ]; do
    number=$((number + 1))
    for name in halo pipeline; do
        file=$examples/$name.model
        place=$((number * 7919 % $(wc -c <"$file")))
        byte=$(printf '(+*/%%^9=,\n x#K' | cut -c$((number % 11 + 1)))
        { head -c $place "$file"; [ $((number % 5)) -eq 0 ] || { printf '%s' "$byte"; tail -c +$((place + 2)) "$file"; }; } >damaged.model
        timeout 50 "$program" info damaged.model --ranks 9 >out 2>err
        status=$?
        [ $status -le 1 ] || [ $status -eq 2 ] || fail "$name, byte $place as '$byte': exit status $status: $(cat err)"
        [ $status -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] || fail "$name, byte $place: $(cat err)"
    done
done
finish
