#!/bin/sh
# Usage: record_clocks.sh RMACAST MPIEXEC MPICC: three ranks, each in a time namespace with a CLOCK_MONOTONIC of its own, as on
# hosts that were started at different times. CLOCK_REALTIME is the same in all namespaces, and tells what is right.
rmacast=$1 mpiexec=$2 mpicc=$3
. "$(dirname "$0")/../expect.sh"
if ! why=$(unshare --time --fork --monotonic 1 -- true 2>&1); then echo "no time namespace can be made ($why): not tried" && exit 77; fi
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
recorder=$(dirname "$rmacast")/../lib/librmacast-record.so

# Marks (sends to nobody) between two readings of CLOCK_REALTIME; messages round a ring; puts between fences. The last mark comes
# after a second without MPI, a tenth of which takes back what times were moved so that effects follow their causes.
cat >program.c <<'C'
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
enum { ROUNDS = 12 };
static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}
int main(int argc, char **argv)
{
    int rank, ranks, token = 0, *memory;
    long long before[ROUNDS + 1], behind[ROUNDS + 1];
    char name[32];
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i <= ROUNDS; i++) {
        usleep(i < ROUNDS ? 10000 + 3000 * (unsigned)rank : 1000000);
        before[i] = now_ns();
        MPI_Send(NULL, 0, MPI_CHAR, MPI_PROC_NULL, i, MPI_COMM_WORLD);
        behind[i] = now_ns();
        if (i == ROUNDS) break;
        MPI_Send(&token, 1, MPI_INT, (rank + 1) % ranks, 100 + i, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, (rank + ranks - 1) % ranks, 100 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_fence(0, window);
        MPI_Put(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    snprintf(name, sizeof name, "marks.%d", rank);
    FILE *out = fopen(name, "w");
    for (int i = 0; out && i <= ROUNDS; i++) fprintf(out, "%lld %lld\n", before[i], behind[i]);
    return !out || fclose(out) != 0;
}
C
check "$mpicc" -o program program.c
cat >node.sh <<'S'
#!/bin/sh
eval "offset=\$OFFSET_$PMI_RANK"
exec unshare --time --fork --monotonic "$offset" --boottime "$offset" -- "$@"
S
chmod +x node.sh

# The times of a trace against the marks. error_ns bounds each offset (half a round trip). Times before the last mark may have
# been moved forward by twice that. Rank 0's marks bound what lies between both scales.
cat >compare.py <<'PY'
import json, subprocess, sys
rmacast, trace, offset_s = sys.argv[1], sys.argv[2], float(sys.argv[3])
clock = json.loads(subprocess.check_output([rmacast, "info", trace, "--json", "-"]))["clock"]
error_ns = clock["worst_error_s"] * 1e9
assert 0 < clock["worst_error_s"] < 1, clock
assert abs(clock["worst_offset_s"] - offset_s) <= clock["worst_error_s"], clock
marks = [[tuple(map(int, line.split())) for line in open(f"marks.{rank}")] for rank in range(3)]
begin = marks[0][0][0]
marks = [[(before - begin, behind - begin) for before, behind in rank] for rank in marks]
sends, receives, fences = {}, {}, [[], [], []]
for line in subprocess.check_output([rmacast, "dump", trace], text=True).splitlines():
    words = line.split()
    if len(words) < 4 or words[0] not in "012" or not words[3].startswith("MPI_"): continue
    rank, enter, leave = int(words[0]), float(words[1]) * 1e9, float(words[2]) * 1e9
    tag = next((int(word[4:]) for word in words if word.startswith("tag=")), None)
    if words[3] == "MPI_Send": sends[rank, tag] = enter
    if words[3] == "MPI_Recv": receives[rank, tag] = leave
    if words[3] == "MPI_Win_fence": fences[rank].append((enter, leave))
def compare(numbers, moved_ns):
    low = max(sends[0, i] - moved_ns - marks[0][i][1] for i in numbers)
    high = min(sends[0, i] - marks[0][i][0] for i in numbers)
    assert low <= high, (low, high)
    for rank in range(3):
        for i in numbers:
            least, most = marks[rank][i][0] + low - error_ns, marks[rank][i][1] + high + error_ns + moved_ns
            assert least <= sends[rank, i] <= most, (rank, i, least, sends[rank, i], most)
rounds = len(marks[0]) - 1
compare(range(rounds), 2 * error_ns if clock["violations"] else 0)
if 2 * error_ns < 1e8: compare([rounds], 0)
for rank in range(3):
    for i in range(rounds):
        assert receives[rank, 100 + i] >= sends[(rank + 2) % 3, 100 + i], f"rank {rank} received {i} before it was sent"
    for k in range(1, 2 * rounds, 2):
        assert fences[rank][k][1] >= max(others[k][0] for others in fences), f"rank {rank} left fence {k} before all were there"
PY

export OFFSET_0 OFFSET_1 OFFSET_2
OFFSET_0=0 OFFSET_1=100 OFFSET_2=-7
for clock in tsc monotonic; do
    expect 0 "$rmacast" record --clock $clock -o $clock.rma -- "$mpiexec" -n 3 ./node.sh ./program
    check python3 compare.py "$rmacast" $clock.rma 100
done

# Each with a directory of its own, too, and rank 0's clock ahead.
OFFSET_0=1000 OFFSET_1=5000 OFFSET_2=30
mkdir here there other
expect 0 env LD_PRELOAD="$recorder" "$mpiexec" -n 1 env RMACAST_SPOOL="$work/here" ./node.sh ./program : \
    -n 1 env RMACAST_SPOOL="$work/there" ./node.sh ./program : -n 1 env RMACAST_SPOOL="$work/other" ./node.sh ./program
expect 0 "$rmacast" pack here there other -o packed.rma
check python3 compare.py "$rmacast" packed.rma 4000
finish
