# Usage: formats.sh RMACAST: one trace as JSON for Chrome, as Paje and as CSV, read by jq, pj_dump and awk. The put of rank 0
# begins at 50 us and has an end with the target's wait at 100 us; the get's is the origin's complete at 90 us.
. "$(dirname "$0")/../expect.sh"
rmacast=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

cat >run.txt <<'END'
rmacast-trace 1
ranks 3
window 0 comm=0 bytes=4096,4096,4096 disp_unit=1
0 0.500000 0.500020 MPI_Win_create win=0
0 0.500020 enter a%20"name",%20and%20more
0 0.500030 0.500040 MPI_Win_start win=0 group=1,2
0 0.500050 0.500060 MPI_Put win=0 target=1 bytes=1024 disp=0
0 0.500060 0.500070 MPI_Get win=0 target=2 bytes=1048576 disp=0
0 0.500070 0.500090 MPI_Win_complete win=0
0 0.500100 leave a%20"name",%20and%20more
1 0.500000 0.500020 MPI_Win_create win=0
1 0.500035 0.500036 MPI_Win_post win=0 group=0
1 0.500040 0.500100 MPI_Win_wait win=0
2 0.500000 0.500020 MPI_Win_create win=0
2 0.500030 0.500031 MPI_Win_post win=0 group=0
2 0.500040 0.500100 MPI_Win_wait win=0
END
for format in chrome paje csv; do expect 0 "$rmacast" export run.txt --to $format -o run.$format; done

check jq -e '[.traceEvents[] | select(.ph == "X" and .name == "MPI_Put")] ==
    [{"ph": "X", "pid": 0, "tid": 0, "ts": 50, "dur": 10, "name": "MPI_Put", "cat": "mpi",
      "args": {"window": 0, "peer": 1, "bytes": 1024}}]' run.chrome >jq.out
check jq -e '[.traceEvents[] | select(.cat == "transfer") | [.ph, .pid, .ts, .id]] ==
    [["s", 0, 50, 0], ["f", 1, 100, 0], ["s", 0, 60, 1], ["f", 2, 90, 1]]' run.chrome >jq.out
check jq -e '[.traceEvents[] | select(.ph == "B" or .ph == "E") | [.ph, .ts, .name]] ==
    [["B", 20, "a \"name\", and more"], ["E", 100, "a \"name\", and more"]]' run.chrome >jq.out
check jq -e '[.traceEvents[] | select(.ph == "M") | .args.name] == ["rank 0", "rank 1", "rank 2"]' run.chrome >jq.out

check pj_dump run.paje >dump
check grep -qx 'State, rank 0 thread 0, Call, 0.000050, 0.000060, 0.000010, 1.000000, MPI_Put' dump
check grep -qx 'State, rank 1 thread 0, Call, 0.000040, 0.000100, 0.000060, 0.000000, MPI_Win_wait' dump
check grep -qx 'Link, program, Transfer, 0.000050, 0.000100, 0.000050, put 1024, rank 0 thread 0, rank 1 thread 0, t0' dump
check grep -qx 'Link, program, Transfer, 0.000060, 0.000090, 0.000030, get 1048576, rank 0 thread 0, rank 2 thread 0, t1' dump
check test "$(grep -c '^State' dump)" = 12

tr -d '\r' <run.csv >lines
check test "$(wc -l <lines)" = 14
check grep -qx '0,0,2,"enter a ""name"", and more",0.000020,0.000020,,,,,,,' lines
check grep -qx '0,0,4,MPI_Put,0.000050,0.000060,0,,1,1024,,,' lines
check test "$("$rmacast" export run.txt --to csv -o - | wc -c)" = "$(wc -c <run.csv)"
finish
