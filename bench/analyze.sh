#!/bin/sh
# analyze.sh RMACAST [RANKS [RECORDS...]]: from a packed archive to the result. Generates archives of about so many OTF2
# records (default 5 and 50 million) of a halo exchange per synchronisation, analyses each in slices, prints records per
# second of user and of wall time, and the peak of memory. DIRECTORY (default /tmp) takes the archives, one at a time:
# 8 bytes per record.
set -e
rmacast=$1
ranks=${2:-64}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
[ $# -gt 0 ] || set -- 5000000 50000000
work=$(mktemp -d "${DIRECTORY:-/tmp}/rmacast-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Hundredths of records per rank and iteration, of 64 ranks: counted with otf2-print.
measure() { # SYNC HUNDREDTHS RECORDS
  iterations=$(($3 * 100 / ($2 * ranks)))
  "$rmacast" generate halo2d --ranks "$ranks" --iterations $iterations --imbalance 0.2 --sync "$1" -o "$work/trace.rma"
  /usr/bin/time -f "%U %S %e %M" -o "$work/time" "$rmacast" analyze "$work/trace.rma" --slices --json "$work/result.json"  \
    > "$work/table"
  read -r user system wall kilobytes < "$work/time"
  records=$(($2 * ranks * iterations / 100))
  echo "$1 $records $user $system $wall $kilobytes" | awk '{
    printf "%-6s %9d records  %5.2f M/s user  %5.2f M/s user+system  %5.2f M/s wall  %5.0f MB\n",
           $1, $2, $2 / $3 / 1e6, $2 / ($3 + $4) / 1e6, $2 / $5 / 1e6, $6 / 1024 }'
  rm -rf "$work/trace.rma"
}

for records; do
  measure pscw 2600 "$records"
  [ "$records" -gt 5000000 ] && continue
  measure fence 1800 "$records"
  measure lock 4250 "$records"
  measure flush 2350 "$records"
  measure p2p 3000 "$records"
done
