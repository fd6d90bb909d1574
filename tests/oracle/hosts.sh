# Computing on the hosts of a SimGrid platform: their speeds and cores, shared by threads that end at different times. Both
# engines compute what SimGrid alone computes for the same hosts and loads. PROGRAM HOSTS DIRECTORY
set -eu
program=$1 hosts=$2
rm -rf "$3" && mkdir -p "$3" && cd "$3"
cat >hosts.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <host id="n0" speed="1Gf" core="2"/>
    <host id="n1" speed="2.5Gf" core="1"/>
    <host id="n2" speed="400Mf" core="3"/>
    <host id="n3" speed="3Gf,1.2Gf" pstate="1" core="4"/>
    <link id="net" bandwidth="1GBps" latency="1us"/>
    <route src="n0" dst="n1"><link_ctn id="net"/></route>
    <route src="n0" dst="n2"><link_ctn id="net"/></route>
    <route src="n0" dst="n3"><link_ctn id="net"/></route>
    <route src="n1" dst="n2"><link_ctn id="net"/></route>
    <route src="n1" dst="n3"><link_ctn id="net"/></route>
    <route src="n2" dst="n3"><link_ctn id="net"/></route>
  </zone>
</platform>
END
echo '{"schema": "rmacast.platform/1", "nodes": {"count": 4},
       "network": {"topology": {"simgrid_xml": "hosts.xml"}, "latency_s": 1e-6, "bandwidth_Bps": 1e9}}' >hosts.json
for seed in 1 2 3 4 5; do
    # Rank r has 2 to 7 threads of 1 to 200 ms on a core of n0, whose speed the recording has.
    awk -v seed=$seed 'BEGIN { srand(seed); print "rmacast-trace 1\nranks 4"
        for (r = 0; r < 4; r++) {
            count = 2 + int(6 * rand()); last = 0
            for (t = 1; t <= count; t++) {
                ms[t] = 1 + int(200 * rand())
                if (ms[t] > last) last = ms[t]
                printf "%d 0 0 pthread_create child=%d\n", r, t
            }
            for (t = 1; t <= count; t++) printf "%d %s %.3f pthread_join child=%d\n", r, t == 1 ? "0" : last / 1000, last / 1000, t
            for (t = 1; t <= count; t++) {
                printf "%d 0 0 thread_begin thread=%d\n%d %.3f %.3f thread_end thread=%d\n", r, t, r, ms[t] / 1000, ms[t] / 1000, t
                printf "n%d %.0f\n", r, ms[t] * 1e6 >"loads"
            }
        } }' >trace.txt
    "$hosts" hosts.xml <loads 2>log | sort >expected
    [ -s expected ] || { cat log; exit 1; }
    for engine in loggp simgrid; do
        "$program" simulate trace.txt --platform hosts.json --engine $engine -o made.rma >log
        "$program" dump made.rma | awk '/ thread_end / { printf "n%d %.9f\n", $1, $2 }' | sort >got
        paste -d' ' expected got | awk -v engine=$engine -v seed=$seed '
            $1 != $3 || $2 - $4 > 1e-7 || $4 - $2 > 1e-7 { print engine, "seed", seed ": SimGrid, rmacast:", $0; bad = 1 }
            END { exit bad || NR < 8 }'
    done
done
