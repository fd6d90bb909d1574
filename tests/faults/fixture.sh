#!/bin/sh
# fixture.sh DIRECTORY SOURCE BUILD: makes the directory with what the commands of commands.txt read, and old outputs.
set -eu
source=$2 build=$3
rmacast=$build/bin/rmacast
mkdir -p "$1/tmp" "$1/csv" && cd "$1"

# A message too late in each of three iterations, in regions; one window.
"$rmacast" generate ring -n 2 -i 2 -o ring.txt
"$rmacast" generate ring -n 4 -i 2 -o ring4.txt
"$rmacast" generate halo2d -n 4 -i 1 -s lock -u 20% -o halo.txt
cp "$source/tests/cases/active/worked_example.case" t.txt
cat >near.txt <<'TEXT'
rmacast-trace 1
ranks 2
0 0.000010 0.000020 MPI_Neighbor_alltoallv comm=0 bytes=50 neighbours=1:1,1 counts=20,30 received=40
0 0.000030 0.000030 MPI_Ineighbor_alltoall comm=0 bytes=8 neighbours=1:1 req=1
0 0.000040 0.000040 MPI_Wait req=1
1 0.000010 0.000020 MPI_Neighbor_alltoallv comm=0 bytes=40 neighbours=0,0:0 counts=40 received=50
1 0.000030 0.000030 MPI_Ineighbor_alltoall comm=0 bytes=8 neighbours=0:0 req=1
1 0.000040 0.000040 MPI_Wait req=1
TEXT
"$rmacast" export t.txt --to otf2 -o t.rma
"$rmacast" export halo.txt --to otf2 -o halo.rma
cp "$source/platforms/two-nodes.json" p.json
# As few values as validate --explain needs: it changes each, and opens the file for each of its replays.
cat >small.json <<'JSON'
{"schema": "rmacast.platform/1", "name": "small", "nodes": {"count": 2}, "network": {"topology": {"type": "crossbar"},
 "latency_s": 1e-6, "bandwidth_Bps": 1e10, "loopback": {"latency_s": 2e-7, "bandwidth_Bps": 2e10}},
 "mpi": {"rma": {"protocol": {"calls": {"lock": ["ask", "grant"]}}}}}
JSON
# Each thing that a calibration measured is there, each with two points.
jq '(."$calibration" | .. | .points? | select(. != null)) |= .[:2]' "$source/platforms/virtual-1ms-100mbit.json" >measured.json
cat >net.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><trace id="t" periodicity="-1" file="on.state"/>
<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/>
<trace_connect kind="HOST_AVAIL" trace="t" element="n0"/></platform>
XML
echo 9 0 >on.state
jq '.network.topology = {simgrid_xml: "net.xml"}' p.json >simgrid.json
mkdir mpi
cp "$source/platforms/mpi/rdma.json" mpi/mine.json
jq '.mpi = {profile: "./mpi/mine.json"}' p.json >profiled.json

# What the recorder of a program leaves when nothing packs it.
ln -s "$build/tests/programs/locks" program
mkdir -p s.rma/spool
RMACAST_SPOOL=$PWD/s.rma/spool LD_PRELOAD=$build/lib/librmacast-record.so ./program

# The parts of inputs of the fuzzer: "@ NAME" and the lines of the file.
parts() {
    awk -v to="$2" '/^@ /{file = to "/" $2; dir = file; sub("/[^/]*$", "", dir); system("mkdir -p " dir); next} file {print >file}' \
        "$source/tests/fuzz/corpus/file/$1"
}
parts bench_results bench
parts extrap extrap
parts sweep sweep
cp t.txt sweep/t.txt
cp p.json sweep/p.json
parts model_pipeline model

for result in "analyze t.txt --json result.json" "simulate t.txt --platform p.json --engine loggp --json simulated.json -o simulated.txt" \
    "compare t.txt --platform p.json --engine loggp --rows a,d --json comparison.json" \
    "advise t.txt --platform p.json --engine loggp --json advice.json" \
    "predict ring.txt ring4.txt --ranks 8 --semantics a --platform ideal --engine loggp --json scaling.json" \
    "validate --predicted simulated.json --measured result.json --json validation.json"; do
    "$rmacast" $result >/dev/null 2>&1
done

# A launcher that says what the probe's program would (tests/commands/probe.test).
cat >probe.sh <<'SH'
echo "rmacast-probe begin 1 A library 1.0"
echo "rmacast-probe hosts one two"
echo "rmacast-probe window $4"
for i in 1 2 3 4 5 6 7 8 9; do
    echo "rmacast-probe delay epoch put 8 0.003 0 -0.0029 0.00001 0.00002 0.00003"
    echo "rmacast-probe delay epoch get 8 0.003 0 -0.0029 -0.0028 -0.0027 0.00001"
done
echo "rmacast-probe limit epoch get 8191 8192"
echo "rmacast-probe time put_flush 8 2e-6 2e-6 2e-6 2e-6"
echo "rmacast-probe end"
SH

# Old outputs.
for kind in json txt csv svg xml html model; do echo "an old $kind" >old.$kind; done
"$rmacast" generate ring -n 3 -i 1 -o old.rma
mkdir old.tables
"$rmacast" analyze ring.txt --csv old.tables >/dev/null
