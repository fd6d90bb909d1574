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

# Uneven computing: what is predicted at a number of ranks that was recorded is the replay of that run, to the rounding of times
# in the model; at four times as many ranks as the largest run it is within 5 %.
for ranks in 4 8 16 64; do run 0 generate halo2d --ranks $ranks --iterations 20 --imbalance 0.2 -o run$ranks.txt; done
for ranks in 4 8 16 64; do
    run 0 simulate run$ranks.txt --platform ideal --engine loggp --semantics a --json simulated$ranks.json
done
run 0 predict run4.txt run8.txt run16.txt --ranks 8,16,64 --platform ideal --engine loggp --semantics a,c --json scaling.json
holds scaling.json ".schema == \"rmacast.scaling/1\" and .scaling == \"weak\" and (.points | length) == 8"
for row in '0 4 1e-6' '2 8 1e-6' '4 16 1e-6' '6 64 0.05'; do
    set -- $row
    holds scaling.json ".points[$1] | .ranks == $2 and .semantics == \"a\" and .run_time_low_s <= .run_time_s and
        .run_time_s <= .run_time_high_s and
        (.run_time_s / $(jq .run_time_s simulated$2.json) - 1 | fabs) < $3"
done

# Strong scaling: 16 ms of computing divided by the ranks, one barrier an iteration. On the ideal platform a barrier takes no
# time: 16 ranks need 4 / 16 of the time of 4.
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

# Besides, 1 ms of every iteration does not shrink: 4 iterations take 4 ms + 64 ms / ranks. Amdahl's share of 68 ms is 1 / 17,
# or 5.88 %.
serial() {
    strong $1 | awk '/Barrier/ { $2 += 0.001 * ++calls[$1]; $3 = $2; } 1'
}
for ranks in 2 4 8; do serial $ranks >serial$ranks.txt; done
run 0 predict serial2.txt serial4.txt serial8.txt --ranks 4,16 --platform ideal --engine loggp --semantics a,b --json scaling.json \
    --csv curve.csv --svg curve.svg
shows '^a: 5.88 % of one rank.s run time do not shrink with ranks .Amdahl, within 0.0 %.: no speed-up above 17 against one rank\.$'
shows '^b is the fastest, or within 0.1 % of it, at 2 to 16 ranks\.$'
holds scaling.json '(.amdahl[0].serial_share * 17 - 1 | fabs) < 1e-6 and .optimum[0].ranks == 16'
holds scaling.json '.wins == [{semantics: "a", from_ranks: 2, to_ranks: 16}, {semantics: "b", from_ranks: 2, to_ranks: 16}]'
holds scaling.json '(.points[4].speedup - 36 / 8 | fabs) < 1e-6'
[ "$(head -1 curve.csv)" = ranks,semantics,run_time_s,run_time_low_s,run_time_high_s,speedup,efficiency ] || fail "$(head -1 curve.csv)"
[ "$(sed -n 6p curve.csv | cut -d, -f1-3)" = 16,a,0.008 ] || fail "$(sed -n 6p curve.csv)"
[ "$(grep -c '<circle.*<title>a at' curve.svg)" -eq 3 ] && grep -q '</svg>' curve.svg || fail 'the picture lacks points'
error 2 '--csv' predict serial2.txt serial4.txt --ranks 16 --platform ideal --csv serial2.txt
error 2 '--runs is of runs with noise' predict serial2.txt serial4.txt --ranks 16 --platform ideal --runs 3

# Noise: what does not vary has none; what varies gives the same bytes for the same seed, others for another.
run 0 predict serial2.txt serial4.txt --ranks 8 --platform ideal --engine loggp --semantics a --noise 1 --runs 3 --json noise.json
holds noise.json '[.points[].noise | near(.median_s; .p5_s) and near(.median_s; .p95_s) and .runs == 3] | all'
few='--ranks 16 --platform ideal --engine loggp --semantics a --runs 5'
for ranks in 4 8; do run 0 generate halo2d --ranks $ranks --iterations 20 --imbalance 0.2 -o uneven$ranks.txt; done
run 0 predict uneven4.txt uneven8.txt $few --noise 7 --json noise7.json
run 0 predict uneven4.txt uneven8.txt $few --noise 7 --json again.json
cmp -s noise7.json again.json || fail 'the same seed gives other bytes'
run 0 predict uneven4.txt uneven8.txt $few --noise 8 --json noise8.json
holds noise7.json '[.points[].noise | .p5_s < .median_s and .median_s < .p95_s] | all'
[ "$(jq .points[1].noise.median_s noise7.json)" != "$(jq .points[1].noise.median_s noise8.json)" ] || fail 'two seeds give the same runs'

# POP's factors, on request: the ideal platform transfers in no time.
run 0 predict uneven4.txt uneven8.txt --ranks 16 --platform ideal --engine loggp --semantics a --efficiency --json pop.json
holds pop.json '[.points[].pop | (.parallel_efficiency - .load_balance * .serialization * .transfer | fabs) < 1e-6] | all'

# One trace scales by copies only: on the ideal platform they take the time of one, be they joined by fences of all ranks or not.
for sync in pscw fence; do
    run 0 generate ring --sync $sync --ranks 4 --iterations 5 -o alone.txt
    run 0 simulate alone.txt --platform ideal --engine loggp --semantics a --json alone.json
    run 0 predict alone.txt --replicate --ranks 8,12 --platform ideal --engine loggp --semantics a --json copies.json -o copies.txt
    holds copies.json "[.points[] | near(.run_time_s; $(jq .run_time_s alone.json))] == [true, true, true] and .scaling == \"weak\""
    holds copies.json '[.points[].ranks] == [4, 8, 12] and (.points[2].speedup - 3 | fabs) < 1e-9'
    [ "$(grep -c '^9 .*MPI_Put .*target=10 ' copies.txt)" -eq "$(grep -c '^1 .*MPI_Put .*target=2 ' alone.txt)" ] ||
        fail "rank 9 does not what rank 1 did: $(grep '^9 .*Put' copies.txt | head -1)"
done
error 1 'alone.txt: 10 ranks are no multiple of its 4' predict alone.txt --replicate --ranks 10 --platform ideal
error 2 '--replicate is of one trace' predict run4.txt run8.txt --replicate --ranks 16 --platform ideal
error 2 'there is no --noise' predict alone.txt --replicate --noise 1 --ranks 8 --platform ideal
error 1 '--replicate: weak scaling by copies of it' predict alone.txt --ranks 8 --platform ideal

# More ranks than the platform has room for: it is said what would hold them, and done on request. 64 nodes of a fat tree with
# 16 below each switch grow to 7 switches for 100 ranks.
cat >tree.json <<'END'
{"schema": "rmacast.platform/1", "nodes": {"count": 64},
 "network": {"latency_s": 0, "bandwidth_Bps": 1e18, "topology": {"type": "fat_tree", "down": [16, 4], "up": [1, 16]}}}
END
set -- serial2.txt serial4.txt --ranks 100 --platform tree.json --semantics a --engine loggp
error 1 'room for the trace'"'"'s 100 ranks; --grow makes it a fat_tree of 100 nodes, network.topology.down=[16,7]' predict "$@"
run 0 predict "$@" --grow --json grown.json
holds grown.json '.points[1].ranks == 100'

# Extra-P's text: what is written is read again, with the same function; measurements of p^1.5, each within 2 %, give that at
# 1024.
run 0 predict serial2.txt serial4.txt serial8.txt --ranks 16 --platform ideal --engine loggp --semantics a --extrap extrap.txt
grep -q '^POINTS (2) (4) (8)$' extrap.txt && grep -q '^# 0.001 + 0.016 p^-1 s$' extrap.txt || fail "$(cat extrap.txt)"
run 0 predict --extrap-points extrap.txt --ranks 16
shows '^program->.*MPI_Barrier.* time .* 0.002  0.001 \+ 0.016 p\^-1$'
cat >points.txt <<'END'
PARAMETER x
POINTS ( 4 ) 8
POINTS (16) (32) (64)
REGION solve
METRIC time
DATA 8.1 7.9 8
DATA 22.4 22.8
# 16^1.5 is 64
DATA 64.9 63.2 64
DATA 181 183.5 179
DATA 512 505 519
REGION fixed
DATA 2
DATA 2
DATA 2
DATA 2
DATA 2
END
run 0 predict --extrap-points points.txt --ranks 1024
shows '^solve .* p\^1.5$'
shows '^fixed .* 2  2$'
awk '$1 == "solve" && ($5 < 32768 * 0.97 || $5 > 32768 * 1.03) { exit 1 }' out || fail "$(cat out)"
points() { # TEXT SED-EXPRESSION
    sed "$2" points.txt >wrong.txt
    error 1 "wrong.txt:$1" predict --extrap-points wrong.txt
}
points '1: several parameters' 's/PARAMETER x/PARAMETER x y/'
points '3: POINTS, expected whole numbers' 's/(16)/(1.6)/'
points '3: a point stands twice' 's/(16)/(8)/'
points '16: fewer lines of DATA' '16d'
points '6: DATA, expected numbers' 's/8.1/much/'
points '1: expected PARAMETER' 's/PARAMETER/PARAMETERS/'

# A run that is replayed while it is made gives the times and wait states of one that is made first: the replay's own totals of
# one-sided calls are what the analysis of the predicted trace finds.
figures='.points[] | [.ranks, .semantics, .run_time_s, .run_time_low_s, .run_time_high_s, .speedup, .result.rank_time_s,
    [.result.patterns[] | select(.name | IN("late_post", "early_transfer", "early_wait", "late_complete", "wait_at_fence",
        "wait_at_create", "wait_at_free", "lock_contention")) | [.name, .severity_s, .count, .rank_severity_s]]]'
for sync in pscw lock p2p; do
    for ranks in 4 8 16; do run 0 generate halo2d --sync $sync --imbalance 0.2 --ranks $ranks --iterations 5 -o long$ranks.txt; done
    for how in '' --totals; do
        run 0 predict long4.txt long8.txt long16.txt --ranks 64 --platform "$source/platforms/infiniband-64.json" --engine loggp $how \
            --json scaling$how.json
        jq -S "$figures" scaling$how.json >figures$how
    done
    [ -s figures ] && cmp -s figures figures--totals || fail "$sync: $(diff figures figures--totals | head -3)"
done
# What needs the whole run has it, however long that is; where no run is kept, it is refused.
for option in --keep-going '--rewrite post-early'; do
    error 2 "keeps no run, which ${option%% *} needs" predict long4.txt long8.txt --ranks 16 --platform ideal --engine loggp --totals $option
done

# A run is rewritten before its replay, as simulate does.
for ranks in 4 8 16; do run 0 generate halo2d --imbalance 0.2 --ranks $ranks --iterations 5 -o early$ranks.txt; done
on='--platform ideal --engine loggp --rewrite post-early'
run 0 predict early4.txt early8.txt early16.txt --ranks 16 $on --semantics a --json early.json
run 0 simulate early16.txt $on --semantics a --json simulated.json
holds early.json "(.points[1].run_time_s / $(jq .run_time_s simulated.json) - 1 | fabs) < 0.02 and .points[1].rewrites[0].changed == 80"

error 2 'needs --engine loggp' predict long4.txt long8.txt --ranks 16 --platform ideal --totals

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
error 2 '--ranks 0' predict run4.txt run8.txt --ranks 0 --platform ideal
error 2 '--ranks -4' predict run4.txt run8.txt --ranks=-4 --platform ideal
sed 's/^ranks 4/ranks 0/' run4.txt >none.txt
error 1 'none.txt:' predict none.txt run8.txt --ranks 16 --platform ideal
run 0 generate ring --ranks 4 --iterations 3 -o ring4.txt
sed 's/bytes=[0-9]* disp/bytes=-1 disp/' ring4.txt >negative.txt
error 1 'negative.txt:' predict negative.txt ring.txt --ranks 16 --platform ideal
# Other problem sizes: bytes, and iterations.
run 0 generate ring --ranks 8 --iterations 3 --bytes 3000 -o larger.txt
error 1 'bytes follow no function of the ranks: 1024 at 4 ranks, 3000 at 8' predict ring4.txt larger.txt --ranks 16 --platform ideal
run 0 generate ring --ranks 8 --iterations 5 -o more8.txt
run 0 generate ring --ranks 16 --iterations 5 -o more16.txt
error 1 'rounds follow no function of the ranks: ' predict ring4.txt more8.txt more16.txt --ranks 32 --platform ideal
finish
