#!/bin/sh
# Usage: planted.sh RMACAST MPIEXEC PROGRAMS: the time that programs/planted.c loses, by its own clock, is found where it
# is lost: pattern, rank and line, within 5 % and 0.2 ms. A busy machine may let a rank come late to its call, which then
# waits for less than the whole sleep of 40 ms: half of it is enough.
. "$(dirname "$0")/../expect.sh"
export UCX_LOG_LEVEL=fatal # else standard output says where /sys is missing, as in a bare chroot
rmacast=$1 mpiexec=$2 programs=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

timeout 100 "$rmacast" record -o planted.rma -- "$mpiexec" -n 2 "$programs/planted" >planted 2>err || { cat err; exit 1; }
for rank in 0 1; do
    "$rmacast" analyze planted.rma --verify --ranks $rank --json found$rank || fail "analyze of rank $rank"
done >/dev/null
while read -r pattern rank line seconds; do
    found=$(jq -r --arg pattern "$pattern" --argjson line "$line" '.patterns[] | select(.name == $pattern) | .places[]
        | select(.line == $line and (.file | endswith("planted.c"))) | .severity_s' "found$rank")
    awk -v planted="$seconds" -v found="${found:--1}" 'BEGIN {
        off = found - planted
        exit !(planted >= 0.02 && off <= 0.05 * planted + 0.0002 && -off <= 0.05 * planted + 0.0002) }' && continue
    fail "$pattern of rank $rank in line $line: planted $seconds s, found ${found:-nothing}"
done <planted
[ "$(wc -l <planted)" -ge 21 ] || { echo "FAILED: the program's account is incomplete"; cat planted; exit 1; }
finish
