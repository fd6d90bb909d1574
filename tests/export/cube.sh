#!/bin/sh
# Usage: cube.sh RMACAST: Cube4 reports, read by cubex.py, which knows the format alone, against values worked out by hand.
. "$(dirname "$0")/../expect.sh"
program=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

# Rank 1 posts at 35 us, 5 us after rank 0 entered start: Late Post 5 us. Rank 1 enters wait at 40 us and rank 0 complete at 70:
# Early Wait 30 us, of which the last 10, from the end of the get on, are Late Complete. User code of rank 0: 20-30, 40-50, 60-70,
# 90-100 us in the region; of rank 1: 20-35 and 36-40 us, of its thread 1 10-60 us. The site of start names its function,
# which is no region.
cat >run.txt <<'END'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=4096,4096 disp_unit=1
0 0.500000 0.500020 MPI_Win_create win=0
0 0.500020 enter a%20"<b>",%20&%20more
0 0.500030 0.500040 MPI_Win_start win=0 group=1 site=f@app.c:7
0 0.500050 0.500055 MPI_Put win=0 target=1 bytes=1024 disp=0
0 0.500055 0.500060 MPI_Get win=0 target=1 bytes=512 disp=0
0 0.500070 0.500090 MPI_Win_complete win=0
0 0.500100 leave a%20"<b>",%20&%20more
1 0.500000 0.500020 MPI_Win_create win=0
1 0.500010 0.500010 thread_begin thread=1
1 0.500035 0.500036 MPI_Win_post win=0 group=0
1 0.500040 0.500100 MPI_Win_wait win=0
1 0.500060 0.500060 thread_end thread=1
END
run 0 export run.txt --to cube -o run.cubex
python3 "$here/cubex.py" run.cubex >values 2>err || fail "the report cannot be read: $(cat err)"

# metric NAME <<VALUES: a line "call path, rank.thread, value" each; R is the region.
metric() {
    sort >expected
    grep "^$1	" values | cut -f2- | sed 's,a "<b>"\, & more,R,; s/rank //; s/ thread /./' | tr '\t' ' ' | sort >found
    cmp -s expected found || fail "$1: $(diff expected found)"
}
metric visits <<'E'
program 0.0 1
program 1.0 1
program/MPI_Win_create 0.0 1
program/MPI_Win_create 1.0 1
program/R 0.0 1
program/R/f/MPI_Win_start@app.c:7 0.0 1
program/R/MPI_Put 0.0 1
program/R/MPI_Get 0.0 1
program/R/MPI_Win_complete 0.0 1
program/MPI_Win_post 1.0 1
program/MPI_Win_wait 1.0 1
program/thread_begin 1.1 1
program/thread_end 1.1 1
E
metric rma_bytes <<'E'
program/R/MPI_Put 0.0 1024
program/R/MPI_Get 0.0 512
E
metric rma_active_target_s <<'E'
program/R/f/MPI_Win_start@app.c:7 0.0 1e-05
program/R/MPI_Win_complete 0.0 2e-05
program/MPI_Win_post 1.0 1e-06
program/MPI_Win_wait 1.0 6e-05
E
metric user_s <<'E'
program/R 0.0 4e-05
program 1.0 1.9e-05
program 1.1 5e-05
E
metric late_post <<'E'
program/R/f/MPI_Win_start@app.c:7 0.0 5e-06
E
metric early_wait <<'E'
program/MPI_Win_wait 1.0 3e-05
E
metric late_complete <<'E'
program/MPI_Win_wait 1.0 1e-05
E
metric wait_states_s <<'E'
program/R/f/MPI_Win_start@app.c:7 0.0 5e-06
program/MPI_Win_wait 1.0 3e-05
E
# All time: 100 us of each rank's thread 0, 50 us of the other thread.
[ "$(awk -F '\t' '$1 == "time_s" { sum += $4 } END { printf "%.9g", sum }' values)" = 0.00025 ] || fail "time_s is not 250 us"
run 0 export run.txt --to cube -o again.cubex
cmp -s run.cubex again.cubex || fail "the same trace gives other bytes"

# Places are by node, ranks without one first: 1, 2, 0. The values are each rank's own, by its threads.
cat >nodes.txt <<'END'
rmacast-trace 1
ranks 3
node 0 name=a ranks=2
node 1 name=b ranks=0
0 0 0 MPI_Comm_group comm=0
0 0 0 pthread_create child=1
0 0 0 thread_begin thread=1
0 0 0 MPI_Comm_group comm=0 thread=1
0 0 0 MPI_Comm_group comm=0 thread=1
0 1 1 thread_end thread=1
1 0 0 MPI_Comm_group comm=0
1 0 0 MPI_Comm_group comm=0
1 0 0 MPI_Comm_group comm=0
2 0 2 MPI_Comm_group comm=0
2 2 2 MPI_Comm_group comm=0
2 2 2 MPI_Comm_group comm=0
2 2 2 MPI_Comm_group comm=0
END
run 0 export nodes.txt --to cube -o nodes.cubex
python3 "$here/cubex.py" nodes.cubex 2>err | grep '^visits.*MPI_Comm_group\|^time_s' >values || fail "the report cannot be read: $(cat err)"
metric visits <<'E'
program/MPI_Comm_group 0.0 1
program/MPI_Comm_group 0.1 2
program/MPI_Comm_group 1.0 3
program/MPI_Comm_group 2.0 4
E
metric time_s <<'E'
program 0.1 1
program/MPI_Comm_group 2.0 2
E
tar -xOf nodes.cubex anchor.xml | sed -n 's/.*<name>\(rank .*\|a\|b\|node\)<.*/\1/p' | paste -sd, >order
[ "$(cat order)" = "node,rank 1,a,rank 2,b,rank 0" ] || fail "places are $(cat order)"

# A picosecond of a call and one of computing are time. A site without a line has none in the report. The function of a call site
# is not said again in the region of its name.
cat >fine.txt <<'END'
rmacast-trace 1
ranks 1
0 0 0.000000000001 MPI_Comm_group comm=0 site=@a.c:0
0 0.000000000002 0.000000000002 MPI_Comm_group comm=0 site=f@a.c:1
0 0.000000000002 enter f
0 0.000000000002 0.000000000002 MPI_Comm_group comm=0 site=f@a.c:2
0 0.000000000002 leave f
END
run 0 export fine.txt --to cube -o fine.cubex
python3 "$here/cubex.py" fine.cubex >values 2>err || fail "the report cannot be read: $(cat err)"
metric visits <<'E'
program 0.0 1
program/MPI_Comm_group@a.c:None 0.0 1
program/f/MPI_Comm_group@a.c:1 0.0 1
program/f 0.0 1
program/f/MPI_Comm_group@a.c:2 0.0 1
E
metric time_s <<'E'
program 0.0 1e-12
program/MPI_Comm_group@a.c:None 0.0 1e-12
E
metric user_s <<'E'
program 0.0 1e-12
E

# Properties and wait states of a larger run: their sums over ranks and call paths are what analyze has.
run 0 generate halo2d --ranks 4 --iterations 5 --bytes 1K --sync pscw --imbalance 0.4 -o halo.txt
run 0 simulate halo.txt --platform "$here/../cases/base.json" --set nodes.count=4 --engine loggp -o halo.rma
run 0 analyze halo.rma --json halo.json
run 0 export halo.rma --to cube -o halo.cubex
python3 "$here/cubex.py" halo.cubex >values || fail "the report cannot be read"
awk -F '\t' '{ sum[$1] += $4 } END { for (name in sum) printf "%s %.12g\n", name, sum[name] }' values >sums
[ "$(wc -l <sums)" -gt 10 ] || fail "only $(wc -l <sums) metrics"
while read -r name sum; do
    case $name in visits | rma_bytes | wait_states_s) continue ;; esac
    holds halo.json "[.properties[\"$name\"] // empty, (.patterns[] | select(.name == \"$name\").severity_s)] | length == 1 and near(.[0]; $sum)"
done <sums
[ "$(jq '.transfers.bytes' halo.json)" = "$(awk '$1 == "rma_bytes" { print $2 }' sums)" ] || fail "bytes are not those of analyze"

# Hostile names: markup, control characters, bytes that are no UTF-8, U+FFFE; regions inside each other, 3000 deep.
{
    printf 'rmacast-trace 1\nranks 1\n'
    for what in enter leave; do printf '0 1 %s \001\033]]>&amp;<!--\377\355\240\200\357\277\276\300\200\n' $what; done
    for i in $(seq 3000); do echo "0 1 enter r$i"; done
    for i in $(seq 3000 -1 1); do echo "0 2 leave r$i"; done
} >hostile.txt
run 0 export hostile.txt --to cube -o hostile.cubex
python3 "$here/cubex.py" hostile.cubex >values 2>err || fail "hostile names: $(tail -n 1 err)"
[ "$(grep -c '^visits' values)" = 3002 ] || fail "$(grep -c '^visits' values) call paths, expected 3002"
finish
