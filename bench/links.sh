#!/bin/sh
# Usage: links.sh RMACAST: an all-to-all of puts between two fences, 64 ranks, on five networks whose links inside are free,
# queues, or shared by flows: run time in us. Deterministic (docs/validation.md, "Queues and flows").
set -eu
rmacast=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for bytes in 4096 65536; do
    awk -v ranks=64 -v bytes=$bytes 'BEGIN {
        print "rmacast-trace 1\nranks " ranks "\nwindow 0 comm=0 bytes=1000000 disp_unit=1"
        for (r = 0; r < ranks; r++) {
            print r " 0 0 MPI_Win_fence win=0 assert=NOPRECEDE"
            for (i = 1; i < ranks; i++) print r " 0 0 MPI_Put win=0 target=" (r + i) % ranks " bytes=" bytes " disp=0"
            print r " 0 0 MPI_Win_fence win=0 assert=NOSUCCEED"
        }
    }' >$bytes.txt
done
while read -r name topology; do
    cat >platform.json <<JSON
{"schema": "rmacast.platform/1", "nodes": {"count": 64}, "network": {"topology": $topology, "latency_s": 1e-6, "bandwidth_Bps": 1e10}}
JSON
    for bytes in 4096 65536; do
        printf '%-14s %6d' "$name" $bytes
        for options in "loggp --set engine.links=free" loggp simgrid; do
            "$rmacast" simulate $bytes.txt --platform platform.json --engine $options --json result.json >/dev/null
            awk -F'[:,]' '/"run_time_s"/ { printf "  %8.0f", $2 * 1e6; exit }' result.json
        done
        echo
    done
done <<'TOPOLOGIES'
crossbar {"type": "crossbar"}
fat-tree {"type": "fat_tree", "down": [16, 4], "up": [1, 16]}
fat-tree-4:1 {"type": "fat_tree", "down": [16, 4], "up": [1, 4]}
torus {"type": "torus", "dimensions": [4, 4, 4]}
dragonfly {"type": "dragonfly", "groups": 2, "chassis": 2, "routers": 4, "nodes": 4, "group_links": 4, "chassis_links": 2}
TOPOLOGIES
