#!/bin/sh
# A copy of the sources with one include against the arrows, and one of a library where it must not be: both must be found.
set -eu
root=$1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$root"
tar cf - LAYERS common trace recording model platforms simulate predictors validate export cli report | tar xf - -C "$copy"
echo '#include "simulate/engine/engine.h"' >>"$copy/trace/trace.c"
echo '#include <simgrid/host.h>' >>"$copy/model/waits/totals.c"
found=$(sh tests/layers/check_layers.sh "$copy") && { echo "the check passed a tree with wrong includes"; exit 1; }
echo "$found" | grep -q '^trace/trace.c:.*simulate/engine/engine.h' || { echo "the wrong arrow was not named: $found"; exit 1; }
echo "$found" | grep -q '^model/waits/totals.c:.*<simgrid>' || { echo "the wrong library was not named: $found"; exit 1; }
