#!/bin/sh
# Usage: planted.sh RMACAST MPIEXEC PROGRAMS: the time that programs/planted.c loses, by its own clock, is found where it
# is lost: pattern, rank and line, within 5 % and 0.2 ms. A busy machine may let a rank come late to its call, which then waits
# for less than the sleep of 40 ms. A phase counts if it lost 10 ms or more; the program runs until each phase has counted. The
# network is stated: a request's way would else be taken to be as long as its answer's, whose rank may wait for a core.
. "$(dirname "$0")/../expect.sh"
export UCX_LOG_LEVEL=fatal # else standard output says where /sys is missing, as in a bare chroot
rmacast=$1 mpiexec=$2 programs=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# waited RANK LINE: how long, by the recording, RANK waited for a core before its call in LINE, and the other rank before calls
# that it began meanwhile. So long may it be from a stamp of the program to the call behind it.
waited() {
    awk -v rank="$1" -v line="planted.c:$2( |\$)" '
        function wait() { return match($0, / core_wait=[^ ]*/) ? substr($0, RSTART + 11, RLENGTH - 11) : 0 }
        NR == FNR { if ($1 == rank && $0 ~ line) { from = $2; until = $3; sum = wait() }; next }
        $1 ~ /^[01]$/ && $1 != rank && $2 >= from && $2 <= until { sum += wait() }
        END { print sum + 0 }' dump dump
}

# Makes a run, compares its phases, and notes those that counted. One that differs by no more than ranks waited does not count.
compare_run() {
    rm -rf planted.rma
    timeout 100 "$rmacast" record -o planted.rma -- "$mpiexec" -n 2 "$programs/planted" >planted 2>err || { cat err; exit 1; }
    [ "$(wc -l <planted)" -eq 21 ] || { echo "FAILED: the program's account is incomplete"; cat planted; exit 1; }
    for rank in 0 1; do
        "$rmacast" analyze planted.rma --verify --latency 1us --bandwidth 1GB/s --ranks $rank --json found$rank ||
            fail "analyze of rank $rank"
    done >/dev/null
    "$rmacast" dump planted.rma >dump || fail dump
    while read -r pattern rank line planted; do
        found=$(jq -r --arg pattern "$pattern" --argjson line "$line" '.patterns[] | select(.name == $pattern) | .places[]
            | select(.line == $line and (.file | endswith("planted.c"))) | .severity_s' "found$rank")
        verdict=$(awk -v planted="$planted" -v found="${found:--1}" -v waited="$(waited "$rank" "$line")" 'BEGIN {
            off = found > planted ? found - planted : planted - found
            allowed = 0.05 * planted + 0.0002
            if (planted < 0.01) print "disturbed"
            else print(off <= allowed ? "counts" : off <= allowed + waited ? "disturbed" : "wrong") }')
        [ $verdict = disturbed ] || echo "$pattern $line" >>counted
        [ $verdict != wrong ] || fail "$pattern of rank $rank in line $line: planted $planted s, found ${found:-nothing}"
    done <planted
}
: >counted
for turn in 1 2 3 4 5 6 7 8 9 10; do
    compare_run
    missing=$(awk 'NR == FNR { counted[$1 " " $2] = 1; next } !(($1 " " $3) in counted) { print $1, $3 }' counted planted)
    [ -n "$missing" ] || break
    echo "run $turn was disturbed in: $(echo $missing)"
done
[ -z "$missing" ] || fail "never undisturbed in $turn runs: $missing"
finish
