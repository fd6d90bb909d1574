#!/bin/sh
# analyze_mpi.sh RMACAST RMACAST_ANALYZE_MPI MPIEXEC [RANKS [RECORDS [SYNC...]]]: the analysis in slices of one process and
# that of 1 and 2 processes on the same archive, a generated halo exchange of about so many OTF2 records (default 64 ranks,
# 5 million, all synchronisations): three times in turns. Prints of each the wall time, and the user time and peak of
# memory of every process. DIRECTORY (default /tmp) takes the archives, one at a time: 8 bytes per record.
set -e
rmacast=$1 analyze_mpi=$2 mpiexec=$3
ranks=${4:-64} records=${5:-5000000}
shift $(($# < 5 ? $# : 5))
[ $# -gt 0 ] || set -- pscw fence lock flush p2p
work=$(mktemp -d "${DIRECTORY:-/tmp}/rmacast-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Hundredths of records per rank and iteration, of 64 ranks: counted with otf2-print.
hundredths() {
  case $1 in
  pscw) echo 2600 ;;
  fence) echo 1800 ;;
  lock) echo 4250 ;;
  flush) echo 2350 ;;
  *) echo 3000 ;;
  esac
}

measure() { # SYNC NAME COMMAND...
  sync=$1 name=$2
  shift 2
  rm -f "$work/processes.$name"
  begin=$(date +%s.%N)
  "$@" >"$work/result.$name"
  end=$(date +%s.%N)
  awk -v sync="$sync" -v name="$name" -v wall="$(echo "$end $begin" | awk '{ print $1 - $2 }')" -v count="$count" '
    { each = each sprintf("  %6.2f s user %4.0f MB", $1, $2 / 1024) }
    END { printf "%-6s %-7s %9d records  %6.2f s wall %s\n", sync, name, count, wall, each }' "$work/processes.$name"
}

for sync; do
  per=$(hundredths "$sync")
  iterations=$((records * 100 / (per * ranks)))
  count=$((per * ranks * iterations / 100))
  "$rmacast" generate halo2d --ranks "$ranks" --iterations $iterations --imbalance 0.2 --sync "$sync" -o "$work/trace.rma"
  for turn in 1 2 3; do
    measure "$sync" slices /usr/bin/time -a -f "%U %M" -o "$work/processes.slices" \
      "$rmacast" analyze "$work/trace.rma" --slices
    for processes in 1 2; do
      measure "$sync" "$processes" "$mpiexec" -n $processes /usr/bin/time -a -f "%U %M" -o "$work/processes.$processes" \
        "$analyze_mpi" "$work/trace.rma"
      cmp "$work/result.slices" "$work/result.$processes"
    done
  done
  rm -rf "$work/trace.rma"
done
