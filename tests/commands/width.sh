#!/bin/sh
# Usage: width.sh RMACAST SOURCE: lines of tables have 80 columns where that is what shows them, whatever the names are; --wide
# leaves them whole; colours are for terminals.
. "$(dirname "$0")/../expect.sh"
program=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

# A run whose names are longer than a line.
outer=a_function_of_the_program_with_a_very_long_name_that_goes_on_for_ever_and_is_still_not_at_its_end
inner=an_inner_function_with_another_very_long_name
file=/home/somebody/projects/simulation/source/communication/exchange_of_halos_with_neighbours.c
{
    printf 'rmacast-trace 1\nranks 2\nwindow 0 comm=0 bytes=4096,4096 disp_unit=1 name=a_window_of_%s\n' $outer
    for rank in 0 1; do
        printf '%d 0 0.00002 MPI_Win_create win=0\n%d 0.000021 enter %s\n%d 0.000022 enter %s\n' $rank $rank $outer $rank $inner
    done
    cat <<END
0 0.000100 0.000120 MPI_Win_start win=0 group=1 site=$inner@$file:1234
0 0.000130 0.000140 MPI_Put win=0 target=1 bytes=1024 disp=0 site=$inner@$file:1235
0 0.000150 0.000300 MPI_Win_complete win=0 site=$inner@$file:1236
1 0.000110 0.000115 MPI_Win_post win=0 group=0 site=$inner@$file:1237
1 0.000120 0.000400 MPI_Win_wait win=0 site=$inner@$file:1238
END
    for rank in 0 1; do
        printf '%d 0.0005 leave %s\n%d 0.000501 leave %s\n%d 0.00055 0.0006 MPI_Barrier comm=0\n' $rank $inner $rank $outer $rank
    done
} >a_trace_with_a_rather_long_name_of_its_own.txt
long=a_trace_with_a_rather_long_name_of_its_own.txt

# narrow COMMAND...: the output is a table of lines of at most 80 columns.
narrow() {
    COLUMNS=80
    export COLUMNS
    run 0 "$@"
    unset COLUMNS
    [ -s out ] || fail "rmacast $*: no output"
    [ "$(wc -L <out)" -le 80 ] || fail "rmacast $*: $(wc -L <out) columns: $(awk 'length > 80' out | head -n 1)"
}
run 0 generate halo2d --ranks 16 --iterations 4 --bytes 64K --sync pscw --imbalance 0.4 -o halo.txt
cat >sweep.json <<END
{"schema": "rmacast.sweep-config/1", "traces": ["halo.txt"], "platforms": ["infiniband-64", "ideal"], "semantics": ["a", "d"],
 "engine": "loggp"}
END
narrow sweep sweep.json
for trace in halo.txt $long; do
    run 0 simulate $trace --platform infiniband-64 --engine loggp -o predicted-$trace
    narrow info $trace
    narrow analyze $trace
    narrow analyze $trace --top 50
    narrow analyze $trace --efficiency
    narrow analyze $trace --check
    narrow simulate $trace --platform infiniband-64 --engine loggp --verify --rewrite post-early
    narrow compare $trace --platform infiniband-64 --engine loggp --rows a,a+post-early+wait-late,d+complete-early
    narrow advise $trace --platform infiniband-64 --engine loggp
    narrow validate --predicted predicted-$trace --measured $trace --measured predicted-$trace --explain
done
for ranks in 4 8 16; do run 0 generate halo2d --ranks $ranks --iterations 3 --bytes 1K --sync fence --imbalance 0.2 -o h$ranks.txt; done
narrow predict h4.txt h8.txt h16.txt --ranks 32 --platform infiniband-64
narrow probe --only semantics -- mpiexec.mpich -n 2
for what in 'show infiniband-64' 'check infiniband-64' 'diff infiniband-64 two-nodes' profiles 'profiles rdma'; do
    narrow platform $what
done
narrow --help
narrow simulate --rewrite list
for command in $("$program" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do narrow help "$command"; done

# A file has its name and line; --wide has its whole path.
narrow analyze $long
shows "^ +\(${file##*/}:1238\)$"
run 0 analyze $long
shows "$outer/$inner \(${file##*/}:1238\)"
run 0 analyze $long --wide
shows "$outer/$inner \($file:1238\)"

# Colours: on a terminal, unless they are refused.
if command -v script >/dev/null; then
    on_terminal() { TERM=xterm script --quiet --return --command "$*" /dev/null </dev/null | tr -d '\r' >out; }
    escape=$(printf '\033')
    on_terminal "$program analyze $long"
    shows "^ +$escape\[1madvice:$escape\[0m"
    on_terminal "$program analyze none.txt"
    shows "^$escape\[1;31mrmacast:$escape\[0m none.txt"
    on_terminal "env NO_COLOR=1 $program analyze $long"
    grep -q "$escape\[[0-9;]*m" out && fail 'NO_COLOR is not honoured'
    grep -q 'advice:' out || fail 'no advice on a terminal'
else
    echo 'script is not installed: colours were not looked at'
fi
run 0 analyze $long
grep -q "$(printf '\033')" out && fail 'a file has colours'
finish
