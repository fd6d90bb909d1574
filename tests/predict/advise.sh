# rmacast advise: gains worked out by hand on the ideal platform, where nothing takes time but computing and waiting.
. "$(dirname "$0")/lib.sh"

# Rank 1 posts after 100 us of computing; rank 0 starts at once and then computes for 100 us. Under a it waits in start, under
# b in the put, under c in complete: 200 us. Under d, or with the post moved up, nobody waits: 100 us, a gain of 100 us or 50
# %.
cat >late.txt <<'END'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=8,8
0 0.000000 0.000000 MPI_Win_start win=0 group=1
0 0.000000 0.000000 MPI_Put win=0 target=1 bytes=8 disp=0
0 0.000000 0.000000 MPI_Win_complete win=0
0 0.000100 0.000100 MPI_Comm_group comm=0
1 0.000000 0.000000 MPI_Comm_group comm=0
1 0.000100 0.000100 MPI_Win_post win=0 group=0
1 0.000100 0.000100 MPI_Win_wait win=0
END
run 0 advise late.txt --platform ideal --json advice.json
shows '^run time 200 us as the platform is'
shows '^platform\+post-early  *100 us \+- 6 us  *50\.0 %$'
shows '^d  *100 us \+- 6 us  *50\.0 %$'
shows '^c: no gain beyond its error \(0\)$'
shows '^platform\+put=rput does not apply: '
holds advice.json '.schema == "rmacast.advice/1" and near(.run_time_s; 0.0002)'
holds advice.json '[.changes[] | select(.advised) | .row] == ["d", "platform+post-early"]'
holds advice.json '[.changes[] | select(.advised) | .confirmed and near(.gain_s; 0.0001) and near(.error_s; 0.000006)] | all'
holds advice.json '[.changes[] | select(.row == "platform+put=rput") | .reason | contains("no lock is held")] == [true]'

# The error of predictions is larger than what is gained: nothing is advised.
run 0 advise late.txt --platform ideal --error 100%
shows '^No change gains more than the error of its prediction\.$'
run 0 advise late.txt --platform ideal --engine loggp
shows '^d  *100 us \+- 6 us  *50\.0 %  fast engine only$'

# What ranks do not wait for cannot gain.
grep -v 'MPI_Win\|MPI_Put' late.txt | grep -v ^window >alone.txt
run 0 advise alone.txt --platform ideal
shows '^No change gains'
run 0 report advice.json -o advice.html
error 2 'TRACE' advise --platform ideal
error 2 '--platform' advise late.txt
error 2 '--json' advise late.txt --platform ideal --json late.txt
finish
