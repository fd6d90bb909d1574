# A long archive is not held in memory: the same outputs as where it is (--keep-going), memory that does not grow with its length,
# and one line for what goes wrong. Two recordings: calls that sleep, wait for posts and know no sender before a later call.
. "$(dirname "$0")/lib.sh"
rm -rf ./*.rma ./*.txt ./*.json nowhere
loggp="--platform $source/platforms/infiniband-64.json --engine loggp"

# rest FILE: what does not depend on the machine's memory and load.
rest() {
    grep -v '"wall_s"\|"peak_bytes"\|^Engine ' "$1"
}

# same_outputs COMMAND...: with the trace in memory and without.
same_outputs() {
    run 0 "$@" --json file.json
    mv out file.txt
    mv err file.err
    run 0 "$@" --json memory.json --keep-going
    rest out >memory.txt
    rest file.txt | cmp - memory.txt || fail "$*: the table differs"
    cmp file.err err || fail "$*: notes differ"
    rest memory.json >memory
    rest file.json | cmp - memory || fail "$*: the JSON differs"
}

# recorded NAME OPTION...: a generated trace whose calls count as recorded, with sleep.
recorded() {
    name=$1
    shift
    run 0 generate halo2d --ranks 16 --seed 3 --imbalance 20% "$@" -o "$name.txt"
    sed -i '/^property generator/d; s/ MPI_Win_post .*/& slept=0.000300/; s/ MPI_Waitall .*/& core_wait=0/' "$name.txt"
    run 0 export "$name.txt" --to otf2 -o "$name.rma"
    rm "$name.txt"
}
recorded posts --iterations 5000 --sync pscw
recorded messages --iterations 2600 --sync p2p
for name in posts messages; do
    same_outputs simulate $name.rma $loggp --efficiency
    shows 'Run time' file.txt
done
same_outputs simulate posts.rma $loggp --set network.jitter_s=2us --draws 3 --draw median
same_outputs compare posts.rma $loggp --rows a,c,platform+network.latency_s=5us
grep -q 'contradicts the platform' file.txt || fail "no contradiction is found"

# It was not held: the longer trace needs no more memory than the shorter one, and what holds it needs more.
run 0 generate halo2d --ranks 64 --iterations 1000 --sync pscw -o short.rma
run 0 generate halo2d --ranks 64 --iterations 4000 --sync pscw -o long.rma
peak_of() {
    run 0 simulate "$@" $loggp --json peak.json
    peak=$(sed -n 's/.*"peak_bytes":[^0-9]*\([0-9]*\).*/\1/p' peak.json)
}
peak_of short.rma
short=$peak
peak_of long.rma
[ "$peak" -le $((short + short / 10)) ] || fail "$peak bytes for 4000 iterations, expected at most a tenth more than $short"

# bounded WHOLE COMMAND...: in so many KB of addresses the short one is read, and so is the long one; with the option WHOLE it is
# not.
bounded() {
    whole=$1 limit=100000
    shift
    while [ $limit -lt 2000000 ]; do
        (ulimit -v $limit && exec "$program" "$@" short.rma >out 2>err) && break
        limit=$((limit + 50000))
    done
    [ $limit -lt 2000000 ] || return 0 # a sanitizer's program takes any amount of addresses
    (ulimit -v $((limit + 25000)) && exec "$program" "$@" long.rma >out 2>err) || fail "$*: long.rma: $(cat err)"
    (ulimit -v $((limit + 25000)) && exec "$program" "$@" long.rma $whole >held 2>err) &&
        fail "$*: the long trace fits into memory: the limit shows nothing"
}
bounded --keep-going simulate $loggp
bounded --whole analyze --slices --check --keep-going --efficiency --csv tables
shows 'none found' out

# What goes wrong is one line, and the old result stays.
unharmed() {
    error 1 "$@" $loggp --json kept.json
    echo kept | cmp - kept.json || fail "the old result is gone: $*"
}
echo kept >kept.json
TMPDIR=$PWD/nowhere
export TMPDIR
for name in posts messages short; do # each is long enough
    unharmed 'a temporary file cannot be made: No such file' simulate $name.rma
done
unset TMPDIR
(ulimit -f 2000 && exec "$program" simulate short.rma $loggp --json kept.json >out 2>err)
[ $? -eq 1 ] || fail "a temporary file beyond a limit of its size is no error"
grep -q 'a temporary file cannot be written: File too large' err && [ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
echo kept | cmp - kept.json || fail "the old result is gone"
size=$(wc -c <short.rma/traces/40.evt)
head -c $((size / 2)) short.rma/traces/40.evt >half
mv half short.rma/traces/40.evt
"$program" simulate short.rma $loggp --engine simgrid 2>in_memory >/dev/null
unharmed "$(sed 's/^rmacast: //' in_memory)" simulate short.rma
rm short.rma/traces/41.evt
"$program" simulate short.rma $loggp --engine simgrid 2>in_memory >/dev/null
unharmed "$(sed 's/^rmacast: //' in_memory)" simulate short.rma

finish
