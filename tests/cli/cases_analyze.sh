# rmacast analyze: intervals, selections, checks. The run and its figures are those of tests/unit/model/test_efficiency.c.
cat >steps.txt <<'TRACE'
rmacast-trace 1
ranks 2
window 0 comm=0
0 0.0 enter step
0 0.000060 0.000100 MPI_Barrier comm=0
0 0.000100 leave step
0 0.000180 enter end
0 0.000180 leave end
1 0.0 enter step
1 0.000090 0.000100 MPI_Barrier comm=0
1 0.000100 leave step
1 0.000150 0.000150 MPI_Comm_group comm=0
TRACE
works '^Wait at Barrier  *30 us .* 1  *0  step/MPI_Barrier$' analyze steps.txt
works 'advice: let MPI_Barrier of rank 1 (step/MPI_Barrier) come up to 30 us earlier' analyze steps.txt
works '^  step/computing  *30 us 100.0 %  *1$' analyze steps.txt
works '^none$' analyze --ranks 1 steps.txt
works '^none$' analyze --window 0 steps.txt
works '^none$' analyze --from 101us steps.txt
works '^Wait at Barrier ' analyze --from 100us --to 1ms --ranks 0-1 --callpath 'step/*' steps.txt
works '^  properties add up  *holds ' analyze --verify steps.txt
works '^Interval step (.*) Level=1 EXE_Count=1$' analyze --efficiency steps.txt
works '^Parallelization efficiency  *0.800000$' analyze --efficiency steps.txt # 160 of 200
sed "s/MPI_Barrier.*/& site=norm@a.c:7/" steps.txt >sites.txt
works '^Interval step/norm (LineNumber = 7 SourceFile = a.c) Level=2 EXE_Count=1$' analyze --efficiency=callpaths sites.txt
# The thesis's layout: what belongs to a sum is indented below it or in brackets behind it; then minimum, maximum, mean.
"$rmacast" analyze --efficiency steps.txt | sed -n '/^Interval step /,/^---POP/s/\([^ ]\)  */\1 /gp' >layout.txt
diff - layout.txt >layout.diff <<'LAYOUT' || complain "analyze --efficiency" "$(cat layout.diff)"
Interval step (LineNumber = 0 SourceFile = ?) Level=1 EXE_Count=1
---Main characteristics---
Parallelization efficiency 0.800000
Execution time 0.000100
Processors 2
Total time 0.000200
Productive time 0.000160 (CPU 0.000150, MPI 0.000010)
  The MPI time of one rank, 1, which has least of it, counts as useful, that of the others as lost.
Lost time 0.000040
  Insufficient parallelism, user 0.000000
  Insufficient parallelism, system 0.000000
  Communication 0.000040
  Idle time 0.000000
MPI time 0.000050
  Send/receive 0.000000
  Collective 0.000050
  All-to-all 0.000000
  RMA transfer 0.000000
  RMA synchronization 0.000000
  I/O 0.000000
  Other MPI 0.000000
Real synchronization 0.000030
  Real, collective 0.000030
Potential synchronization 0.000030
  Potential, send/receive 0.000000
  Potential, collective 0.000030
  Potential, all-to-all 0.000000
  Potential, RMA synchronization 0.000000
Time variation 0.000000
  Variation, collective 0.000000
  Variation, all-to-all 0.000000
  Variation, RMA synchronization 0.000000
Time of start 0.000000
Overlap 0.000000
Load imbalance 0.000030
---Comparative characteristics---
                                     Tmin rank Tmax rank Tmid
Lost time 0.000000 1 0.000040 0 0.000020
Idle time 0.000000 0 0.000000 0 0.000000
Communication 0.000000 1 0.000040 0 0.000020
CPU time 0.000060 0 0.000090 1 0.000075
MPI time 0.000010 1 0.000040 0 0.000025
Real synchronization 0.000000 1 0.000030 0 0.000015
Potential synchronization 0.000000 1 0.000030 0 0.000015
Time variation 0.000000 0 0.000000 0 0.000000
Load imbalance 0.000000 1 0.000030 0 0.000015
Time of start 0.000000 0 0.000000 0 0.000000
Overlap 0.000000 0 0.000000 0 0.000000
---POP metrics---
LAYOUT
# With the MPI time of all ranks lost, 50 us, 150 of 200 are productive.
works '^Parallelization efficiency  *0.750000$' analyze --efficiency --lost all steps.txt
works '^  The MPI time of all ranks counts as lost.$' analyze --efficiency --lost all steps.txt
works '^Parallelization efficiency  *0.800000$' analyze --efficiency --lost parallel steps.txt
works '^Idle time .* 0: 0.000000 1: 0.000030$' analyze --efficiency --per-rank steps.txt
# The run of half the time counts as the one on the ideal network: 90 of 180.
"$rmacast" analyze steps.txt --json half.json >/dev/null
sed -i 's/"run_time_s":.*/"run_time_s": 0.00009,/' half.json
works '^      Transfer  *0.500000$' analyze --efficiency --ideal half.json steps.txt
works '^  Computation scaling  *1.000000$' analyze --efficiency --reference half.json steps.txt
"$rmacast" analyze steps.txt --per-rank --verify --json - >steps.json
[ "$(jq -c '[.efficiency.intervals[1].characteristics.cpu_s.ranks[] * 1e6 | round]' steps.json)" = "[60,90]" ] ||
  complain "analyze --per-rank --json" "not the CPU times of step"
# Threads that live together are processors (tests/unit/model/test_efficiency.c works the figures out).
cat >pool.txt <<'END'
rmacast-trace 1
ranks 1
0 0.0 0.000002 pthread_create child=1
0 0.000060 0.000090 pthread_join child=1
0 0.000005 0.000005 thread_begin thread=1
0 0.000080 0.000080 thread_end thread=1
END
works '^Idle time .* 0:0: 0.000000 0:1: 0.000015$' analyze --efficiency --per-rank pool.txt
"$rmacast" analyze pool.txt --per-rank --json - >pool.json
[ "$(jq -c '.efficiency | [.processors[1].processor] + (.intervals[0].characteristics | [.threads_s, .cpu_s] |
  map(.processors[], .ranks[], .max_processor) | map(. * 1e6 | round))' pool.json)" = \
  "[1,32,0,32,0,58,75,133,1000000]" ] || complain "analyze --per-rank --json" "not the values of two processors"
[ "$(jq '.critical_path.total_s * 1e6 | round' steps.json)" = 180 ] || complain "analyze --json" "critical path not 180 us"
[ "$(jq '.verify | map(select(.state == "holds")) | length' steps.json)" = 6 ] || complain "analyze --verify --json" "not 6 checks"

# A faulty trace: of rank 1 its first call is taken, which ends the barrier's wait at 90 us.
sed '/^1 0.000150/i 1 0.000140 0.000130 MPI_Comm_group comm=0' steps.txt >faulty.txt
fault="faulty.txt:12: rank 1, event 4 at 0.000140 s: exit at 0.000130 s is before enter at 0.000140 s, expected enter <= exit"
fails 1 "$fault" analyze faulty.txt
"$rmacast" analyze --keep-going faulty.txt --json faulty.json >out 2>err || complain "analyze --keep-going" "$(cat err)"
[ "$(cat err)" = "rmacast: $fault (left out from there on)" ] || complain "analyze --keep-going" "said: $(cat err)"
grep -q '^  rank 1 from event 4 on, 2 calls$' out || complain "analyze --keep-going" "$(cat out)"
[ "$(jq -c '.left_out | map(del(.reason))' faulty.json)" = '[{"rank":1,"event":4,"time_s":0.00014,"calls":2}]' ] ||
  complain "analyze --keep-going --json" "$(jq -c .left_out faulty.json)"
[ "$(jq '.patterns[] | select(.name == "wait_at_barrier") | .severity_s * 1e6 | round' faulty.json)" = 30 ] ||
  complain "analyze --keep-going --json" "not 30 us at the barrier"

# In slices: the same.
"$rmacast" generate halo2d --ranks 4 --iterations 5 --imbalance 0.5 -o sliced.rma
"$rmacast" analyze sliced.rma --whole --json whole.json >/dev/null
"$rmacast" analyze sliced.rma --slices --json sliced.json >/dev/null
cmp -s sliced.json whole.json || complain "analyze --slices" "not as --whole"
for options in --verify --efficiency "--efficiency=callpaths --per-rank"; do
  "$rmacast" analyze sliced.rma --whole $options >whole.txt
  "$rmacast" analyze sliced.rma --slices $options >sliced.txt
  cmp -s sliced.txt whole.txt || complain "analyze --slices $options" "not as --whole"
done
for way in whole slices; do "$rmacast" analyze sliced.rma --$way --csv csv.$way >/dev/null; done
diff -r csv.whole csv.slices >csv.diff || complain "analyze --csv --slices" "$(head -3 csv.diff)"
# A halo of 2 x 2 ranks: 2 neighbours, each put to 5 times.
[ "$(wc -l <csv.slices/transfers.csv)" -gt 20 ] || complain "analyze --csv --slices" "no transfers"
# Going on: in slices where nothing is at fault; else the whole trace is read, and the result says so.
"$rmacast" analyze sliced.rma --slices --keep-going --json kept.json >/dev/null
cmp -s kept.json whole.json || complain "analyze --slices --keep-going" "not as --whole"
cp -r sliced.rma short.rma
truncate -s -100 short.rma/traces/2.evt
"$rmacast" analyze short.rma --keep-going --csv csv.short --json short.json >/dev/null 2>&1
"$rmacast" analyze short.rma --slices --keep-going --csv csv.short2 --json short2.json >/dev/null 2>&1
diff -r csv.short csv.short2 >/dev/null || complain "analyze --slices --keep-going --csv" "not as in memory"
[ "$(jq -c '[.left_out[].rank, (.notes | map(select(test("to keep going it was read as a whole"))) | length)]' short2.json)" = "[2,1]" ] ||
  complain "analyze --slices --keep-going" "$(jq -c '[.left_out, .notes]' short2.json)"
mkdir nothing
for way in "" --slices --keep-going "--slices --keep-going"; do
  fails 1 "nothing: a directory without a trace, expected an OTF2 archive, a spool directory or a text trace" analyze $way nothing
done
fails 1 "steps.txt: cannot be read in slices, expected an archive of rmacast with one thread per rank" analyze --slices steps.txt

see="see 'rmacast analyze --help'"
fails 2 "--efficiency loops, expected one of regions, callpaths, $see" analyze --efficiency=loops steps.txt
fails 2 "--slices and --whole, expected one of them, $see" analyze --slices --whole sliced.rma
fails 2 "--ranks 0, expected a whole number from 1 to 2147483647, $see" analyze --ranks 1-0 steps.txt
fails 2 "--ranks: no rank 2, expected 0 to 1" analyze --ranks 2 steps.txt
fails 2 "--window 1 is not in the trace, which has 1 windows" analyze --window 1 steps.txt
fails 2 "--from behind --to, expected a time between them, $see" analyze --from 2ms --to 1ms steps.txt
fails 2 "--latency without --bandwidth, expected both, $see" analyze --latency 1us steps.txt
fails 2 "--bandwidth fast, expected a rate as 12.5GB/s, $see" analyze --bandwidth fast steps.txt

# What contradicts MPI: listed and 1 with --check, a note and 0 without; nothing of a right program, and nothing added to its result.
printf 'rmacast-trace 1\nranks 2\nwindow 0 comm=0\n0 0 1e-6 MPI_Win_post win=0 group=1\n1 0 1e-6 MPI_Win_start win=0 group=0\n1 2e-6 3e-6 MPI_Win_complete win=0\n' >post.txt
works 'contradicts MPI in 1 place .* first rank 0, event 1 (MPI_Win_post): MPI_Win_post has no MPI_Win_wait' analyze post.txt
"$rmacast" analyze --check post.txt >out 2>err
[ $? -eq 1 ] && grep -q '^  post_without_wait: .* (MPI-3.1 11.5.2)$' out && [ ! -s err ] || complain "analyze --check post.txt" "$(cat out err)"
"$rmacast" analyze --check --json - post.txt | jq -e '.violation_count == 1 and (.violations[0] | .kind == "post_without_wait" and .rank == 0 and
  .event == 1 and .call == "MPI_Win_post" and .other == null)' >out || complain "analyze --check --json -" "$(cat out)"
works '^none found$' analyze --check steps.txt
"$rmacast" analyze --check --json - steps.txt | jq -e '.violation_count == 0 and .violations == []' >out || complain "--check --json" "$(cat out)"
"$rmacast" analyze --json - steps.txt | jq -e 'has("violations") | not' >out || complain "--json" "$(cat out)"
fails 2 "--slices and --check, expected one of them, see 'rmacast analyze --help'" analyze --slices --check steps.txt
# An operation outside any epoch ends the analysis without --check; with it both are told, and what comes before is analysed.
printf 'rmacast-trace 1\nranks 2\nwindow 0 comm=0\n0 0 1e-6 MPI_Barrier comm=0\n1 0 1e-6 MPI_Barrier comm=0\n0 2e-6 3e-6 MPI_Put win=0 target=1 bytes=8\n' >put.txt
"$rmacast" analyze --check --json - put.txt 2>err | jq -e '.violations[0].kind == "operation_outside_epoch" and .left_out[0].event == 2' >out ||
  complain "analyze --check put.txt" "$(cat out err)"
# One gate: info and analyze end with the line of what no replay takes, behind what they know; --keep-going does not.
printf 'rmacast-trace 1\nranks 2\n0 0 0 MPI_Bcast comm=0 root=0 bytes=8\n1 0 0 MPI_Bcast comm=0 root=1 bytes=8\n' >roots.txt
for command in info analyze; do
    "$rmacast" $command roots.txt >out 2>err
    [ $? -eq 1 ] && [ -s out ] && grep -q '^rmacast: roots.txt:rank 1, event 1 (MPI_Bcast): the root is not the same on all ranks: 1, rank 0 has 0, ' err ||
        complain "$command roots.txt" "$(cat err)"
done
works 'contradicts MPI in 1 place' analyze --keep-going roots.txt
