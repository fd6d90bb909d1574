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
