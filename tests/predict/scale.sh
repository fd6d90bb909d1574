# rmacast predict: runs at other numbers of ranks. What generate makes at 48 ranks is the known answer for what is predicted from
# its runs at 4, 8 and 16.
. "$(dirname "$0")/lib.sh"

# Lines without the header and, of messages, whose run begins with the first receive, without the time of the first call.
body() {
    grep -v '^rmacast-trace\|^window\|^ranks' "$1" | awk -v shift="$2" '{ $2 = sprintf("%.9f", $2 + shift); $3 = ""; print }' | sort
}

known() { # PATTERN SYNC SHIFT
    for ranks in 4 8 16 48; do run 0 generate "$1" --sync "$2" --ranks $ranks --iterations 5 -o run$ranks.txt; done
    run 0 predict run8.txt run16.txt run4.txt --ranks 48 --platform ideal --engine loggp --semantics a -o made.txt
    body made.txt "$3" >made
    body run48.txt 0 >expected
    cmp -s made expected || fail "$1 $2 at 48 ranks: $(diff made expected | head -3)"
}
for pattern in halo2d ring transpose; do
    for sync in pscw fence lock flush; do known $pattern $sync 0; done
    known $pattern p2p 0.001
done

# Neighbours that are missing are MPI_PROC_NULL: their puts have no bytes, and are made at every scale.
line() {
    echo 'rmacast-trace 1'
    echo "ranks $1"
    echo 'window 0 comm=0'
    awk -v ranks="$1" 'BEGIN { for (r = 0; r < ranks; r++) for (i = 0; i < 3; i++) { t = i / 1000
        printf "%d %.9f MPI_Win_fence win=0\n", r, t
        printf "%d %.9f MPI_Put win=0 %s\n", r, t, r > 0 ? "target=" r - 1 " bytes=64 disp=0" : "target=- bytes=0"
        printf "%d %.9f MPI_Put win=0 %s\n", r, t, r < ranks - 1 ? "target=" r + 1 " bytes=64 disp=64" : "target=- bytes=0" } }' |
        awk '{ $2 = $2 " " $2; print }'
}
for ranks in 2 4 8 12; do line $ranks >line$ranks.txt; done
run 0 predict line2.txt line4.txt line8.txt --ranks 12 --platform ideal --engine loggp --semantics a --keep-going -o made.txt
run 0 dump line12.txt
body made.txt 0 >made
body out 0 >expected
cmp -s made expected || fail "puts to MPI_PROC_NULL at 12 ranks: $(diff made expected | head -3)"

# Uneven computing: what is predicted at a number of ranks that was recorded is the replay of that run; at four times as many
# ranks as the largest run it is within 5 %.
for ranks in 4 8 16 64; do run 0 generate halo2d --ranks $ranks --iterations 20 --imbalance 0.2 -o run$ranks.txt; done
for ranks in 16 64; do
    run 0 simulate run$ranks.txt --platform ideal --engine loggp --semantics a --json simulated$ranks.json
done
run 0 predict run4.txt run8.txt run16.txt --ranks 16,64 --platform ideal --engine loggp --semantics a,c --json scaling.json
holds scaling.json ".schema == \"rmacast.scaling/1\" and .scaling == \"weak\" and (.points | length) == 6"
for row in '2 16 0.02' '4 64 0.05'; do
    set -- $row
    holds scaling.json ".points[$1] | .ranks == $2 and .semantics == \"a\" and .run_time_low_s <= .run_time_s and
        .run_time_s <= .run_time_high_s and
        (.run_time_s / $(jq .run_time_s simulated$2.json) - 1 | fabs) < $3"
done

# Strong scaling: 16 ms of computing divided by the ranks, one barrier an iteration. On the ideal platform a barrier takes no time:
# 16 ranks need 4 / 16 of the time of 4.
strong() {
    echo 'rmacast-trace 1'
    echo "ranks $1"
    awk -v ranks="$1" 'BEGIN { for (r = 0; r < ranks; r++) { t = 0; print r, "0 0 MPI_Init"
        for (i = 0; i < 4; i++) { t += 0.016 / ranks; printf "%d %.9f %.9f MPI_Barrier comm=0\n", r, t, t } } }'
}
for ranks in 2 4 8; do strong $ranks >run$ranks.txt; done
run 0 predict run2.txt run4.txt run8.txt --ranks 4,16 --platform ideal --engine loggp --semantics a --json scaling.json --program
shows '^ *compute 0.016 p\^-1 s'
shows '^Strong scaling, against 2 ranks'
shows '^ *16  a  *4 ms  *4 ms  *4 ms  *8.00  *100.0 %'
holds scaling.json '.scaling == "strong" and near(.points[2].run_time_s; 0.004) and near(.points[2].speedup; 8)'

# What is refused, and why.
error 1 'one run can be replayed, but says nothing of other scales' predict run4.txt --ranks 16 --platform ideal
error 1 'has 4 ranks like' predict run4.txt run4.txt --ranks 16 --platform ideal
error 2 '--ranks N,... is missing' predict run4.txt run8.txt --platform ideal
error 2 'expected rising numbers' predict run4.txt run8.txt --ranks 16,8 --platform ideal
error 2 '--json' predict run4.txt run8.txt --ranks 16 --platform ideal --json run8.txt
run 0 generate ring --ranks 8 --iterations 3 -o ring.txt
error 1 'they are runs of different programs' predict run4.txt ring.txt --ranks 16 --platform ideal
run 0 generate transpose --ranks 4 --iterations 3 -o transpose.txt
error 1 "calls something else here" predict transpose.txt ring.txt --ranks 16 --platform ideal
sed 's/^\(2 .*\)MPI_Barrier comm=0$/\1MPI_Iprobe comm=0 peer=0 tag=0 flag=0/' run8.txt >probes.txt
error 1 'how often a program tests depends on the time' predict run4.txt probes.txt --ranks 16 --platform ideal
for ranks in 4 8 16; do run 0 generate ring --ranks $ranks --iterations 3 --bytes $((ranks * ranks * ranks)) -o cube$ranks.txt; done
error 1 'follow no function of the ranks: 64 at 4 ranks, 512 at 8, 4096 at 16' \
    predict cube4.txt cube8.txt cube16.txt --ranks 32 --platform ideal
finish
