#!/bin/sh
# Usage: export.sh RMACAST: merged archives of every model open in otf2-print and ViTE, keep time in order, and read back as the
# trace that they were made of. Their times by hand: tests/commands/traces/export.test.
. "$(dirname "$0")/../expect.sh"
rmacast=$(realpath "$1")
directory=$(mktemp -d "${TMPDIR:-/tmp}/rmacast-export.XXXXXX") || exit 1
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 1

# draws ARCHIVE: ViTE reads it without an error and draws something.
draws() {
    rm -f picture.svg
    QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=$directory timeout 60 vite -e picture.svg "$1/traces.otf2" >vite 2>&1 || fail "$1: ViTE: exit status"
    grep -q '^0 errors' vite || fail "$1: ViTE: $(grep error vite | head -n 3)"
    grep -q '<rect' picture.svg || fail "$1: ViTE draws nothing"
}

# opens TRACE MODEL: otf2-print and ViTE; no rank's time runs backwards; the same trace comes back.
opens() {
    "$rmacast" export "$1" --to otf2 --model "$2" --data-arrows -o view.rma 2>err || fail "$1 $2: $(cat err)"
    otf2-print view.rma/traces.otf2 >print 2>err || fail "$1 $2: otf2-print: $(head -n 1 err)"
    for rank in 0 1 2 3; do
        otf2-print -L $rank view.rma/traces.otf2 | awk '$3 ~ /^[0-9]+$/ { if ($3 + 0 < last) exit 1; last = $3 + 0; seen++ } END { exit seen < 10 }' ||
            fail "$1 $2: rank $rank is not in order"
    done
    "$rmacast" dump "$1" >whole.txt
    "$rmacast" dump view.rma >back.txt
    cmp -s whole.txt back.txt || fail "$1 $2: $(diff whole.txt back.txt | head -n 5)"
    draws view.rma
}
"$rmacast" generate halo2d --ranks 4 --iterations 3 --bytes 1K --sync pscw -o pscw.rma
"$rmacast" generate halo2d --ranks 4 --iterations 3 --bytes 1K --sync fence -o fence.rma
"$rmacast" generate halo2d --ranks 4 --iterations 3 --bytes 1K --sync lock -o lock.rma
for model in base extended closed logical dependencies; do
    opens pscw.rma $model
done
opens fence.rma extended
opens lock.rma dependencies

# Threads: thread 1 of rank 0 starts, puts and gets, thread 0 completes; thread 1 of rank 1 waits.
cat >threads.txt <<'TRACE'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=64,64 disp_unit=1
0 0.000001 0.000002 pthread_create child=1
0 0.000020 0.000030 MPI_Win_complete win=0
0 0.000033 0.000034 pthread_join child=1
0 0.000003 0.000003 thread_begin thread=1
0 0.000010 0.000011 MPI_Win_start win=0 group=1 thread=1
0 0.000012 0.000013 MPI_Put win=0 target=1 bytes=8 disp=0 thread=1
0 0.000014 0.000015 MPI_Get win=0 target=1 bytes=16 disp=8 thread=1
0 0.000016 0.000016 thread_end thread=1
1 0.000012 0.000013 MPI_Win_post win=0 group=0
1 0.000016 0.000032 MPI_Win_wait win=0 thread=1
TRACE
for model in base extended closed logical dependencies; do
    "$rmacast" export threads.txt --to otf2 --model $model --data-arrows -o threads.rma 2>err || fail "threads $model: $(cat err)"
    draws threads.rma
done
finish
