#!/bin/sh
# Usage: record_pack.sh RMACAST MPIEXEC MPICC: ranks that write to directories of their own, as on nodes without a common file
# system, are packed as one recording; what is missing, there twice or of another run is told.
rmacast=$1 mpiexec=$2 mpicc=$3
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
recorder=$(dirname "$rmacast")/../lib/librmacast-record.so

# spread DIRECTORY0 DIRECTORY1 COMMAND...: rank 0 writes to the first, ranks 1 and 2 to the second one
spread() {
    mkdir -p "$1" "$2"
    first=$PWD/$1 other=$PWD/$2
    shift 2
    expect 0 env LD_PRELOAD="$recorder" "$mpiexec" -n 1 env RMACAST_SPOOL="$first" "$@" : -n 2 env RMACAST_SPOOL="$other" "$@"
}
# refused TEXT DIRECTORY...: one line has TEXT, and nothing is left
refused() {
    text=$1
    shift
    expect 1 "$rmacast" pack "$@" -o no.rma
    check grep -q "^rmacast: $text" err
    check lines err 1
    check test ! -e no.rma
}
cat >program.c <<'C'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1) sleep(60);
    MPI_Finalize();
    return 0;
}
C
check "$mpicc" -o program program.c
spread a0 a1 ./program
spread b0 b1 ./program

# As if all files were in one directory. The directories stay as they are.
find a0 a1 -type f -exec cksum {} + | sort >before
expect 0 "$rmacast" pack a1 a0 -o joined.rma --json joined.json
find a0 a1 -type f -exec cksum {} + | sort | cmp before - || fail 'the directories were changed'
holds joined.json '.command == "pack" and .programs == 1 and .ranks == 3 and .incomplete_ranks == 0 and .events == 9'
check test ! -e joined.rma/spool
mkdir together && cp a0/rank-* a1/rank-* together
expect 0 "$rmacast" export together --to otf2 -o copied.rma
"$rmacast" dump joined.rma >joined.txt
"$rmacast" dump copied.rma | cmp joined.txt - || fail 'files in two directories are another recording than in one'

# What is wrong. A rank that is in none of them is incomplete.
expect 0 "$rmacast" pack a1 -o part.rma
check grep -q '^rmacast: warning: part.rma: 1 of 3 ranks is incomplete; rank 0: no recording of this rank was found$' err
refused "$work/together/rank-000000.* is of the same rank as $work/a0/rank-000000" a0 together
refused "$work/b1/rank-000001.spool: is of another run than $work/a0/rank-000000.spool" a0 b1
mkdir empty
refused 'empty: no spool, expected files of the recorder' a0 a1 empty
refused 'missing: No such file or directory' a0 missing
cp -r a1 damaged && printf x | dd of=damaged/rank-000002.spool conv=notrunc 2>/dev/null
refused "$work/damaged/rank-000002.spool:0: not a spool file" a0 damaged
cp -r a1 piped && mkfifo piped/rank-000009.spool # nobody writes to it
refused "$work/piped/rank-000009.spool: is a pipe or a device, expected a file" a0 piped

# Two programs of one job, as in a script: the second one's files are below the first one's.
spread a0 a1 ./program
expect 0 "$rmacast" pack a0 a1 -o both.rma --json both.json
holds both.json '.programs == 2 and .ranks == 6'
expect 0 "$rmacast" info both.rma/world-1
check grep -q '^ranks  *3$' out

# A program that still runs has not written all.
mkdir c0
RMACAST_SPOOL=$PWD/c0 LD_PRELOAD=$recorder ./program wait &
running=$!
for _ in $(seq 200); do [ -s c0/rank-000000.tail ] && break; sleep 0.05; done
refused 'no.rma: process [0-9]* still writes to a rank.s file' c0
kill $running && wait $running
finish
