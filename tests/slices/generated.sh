# generated.sh RUN_SLICES RMACAST DIRECTORY: generated traces of all kinds.
set -e
for pattern in halo2d ring transpose; do
  for sync in pscw fence lock flush p2p; do
    "$2" generate $pattern --ranks 6 --iterations 12 --imbalance 0.3 --sync $sync -o "$3/$pattern-$sync.txt"
  done
done
exec "$1" "$3" "$3"/[hrt]*-*.txt
