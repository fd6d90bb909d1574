# What advise promises of a real program, against the program that was changed so (changed_program.c): its recording, replayed
# on the same platform, and, as a figure only, what the two really took.
. "$(dirname "$0")/lib.sh"
here=$source/tests/predict

measure() { # NAME OPTION...: NAME.rma, and the time of its turns in NAME.s
    name=$1
    shift
    mpicc.mpich -std=gnu11 -g -O1 -Wall "$@" -o "$name" "$here/changed_program.c" || fail "$name is not compiled"
    rm -rf "$name.rma"
    timeout -s TERM -k 3 60 "$program" record -o "$name.rma" -- mpiexec.mpich -n 2 "./$name" >"$name.s" 2>err || fail "$name: $(cat err)"
}
measure before
measure after -DPOST_EARLY

run 0 advise before.rma --platform two-nodes --json advice.json
for when in before after; do run 0 simulate $when.rma --platform two-nodes --json $when.json; done
jq -n --slurpfile advice advice.json --slurpfile before before.json --slurpfile after after.json \
    '$advice[0].changes[] | select(.row == "platform+post-early") | .replayed_s = $before[0].run_time_s - $after[0].run_time_s' >found.json

# By hand: 40 turns of 20 ms become turns of 10 ms, 400 ms less. Sleeping takes longer than it was asked for, by what else runs on
# the machine, and the changed program slept anew: half of it is allowed.
holds found.json '.advised and .gain_s >= 0.39 and .gain_s <= 0.6'
holds found.json '.replayed_s >= 0.2 and .replayed_s <= 0.6'
holds found.json '.where | test("changed_program.c:29\\): move MPI_Win_post of rank 1 .*changed_program.c:22\\) up to")'
jq -r --rawfile before before.s --rawfile after after.s '"promised \(1e3 * .gain_s) +- \(1e3 * .error_s) ms, replayed " +
    "\(1e3 * .replayed_s) ms, measured \(1e3 * (($before | tonumber) - ($after | tonumber))) ms"' found.json
finish
