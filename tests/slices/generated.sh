# generated.sh RUN_SLICES RMACAST DIRECTORY: generated traces of all kinds.
set -e
for pattern in halo2d ring transpose; do
  for sync in pscw fence lock flush p2p; do
    "$2" generate $pattern --ranks 6 --iterations 12 --imbalance 0.3 --sync $sync -o "$3/$pattern-$sync.txt"
  done
done
for sync in pscw fence lock flush p2p; do
  "$2" generate halo2d --ranks 6 --iterations 250 --imbalance 0.3 --sync $sync -o "$3/long-$sync.txt"
done
"$1" "$3" "$3"/[hrt]*-*.txt
exec "$1" --long "$3"/long-*.txt
